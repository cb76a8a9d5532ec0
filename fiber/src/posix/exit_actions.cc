// See exit_actions.h. The actions of a thread hang on a POSIX key: its destructor comes after those
// of the thread_local objects.
#include "exit_actions.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "keep_loaded.h"

namespace fiber::detail {

namespace {

pthread_key_t exit_actions_key() {
  static const pthread_key_t key = [] {
    keep_loaded();  // threads that have such actions may end after a dlclose()
    pthread_key_t made;
    const int error = pthread_key_create(&made, [](void* value) {
      auto* actions = static_cast<std::vector<Function>*>(value);
      run_exit_actions(actions);
      delete actions;
    });
    if (error != 0) {
      fprintf(stderr, "fiber: pthread_key_create: %s\n", strerror(error));
      abort();
    }
    return made;
  }();
  return key;
}

}  // namespace

std::vector<Function>& thread_exit_actions() {
  const pthread_key_t key = exit_actions_key();
  auto* actions = static_cast<std::vector<Function>*>(pthread_getspecific(key));
  if (actions == nullptr) {
    auto made = std::make_unique<std::vector<Function>>();
    if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
    actions = made.release();
  }
  return *actions;
}

}  // namespace fiber::detail
