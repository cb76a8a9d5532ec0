// See thread_owned.h and exit_actions.h.
#include "thread_owned.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "exit_actions.h"
#include "keep_loaded.h"
#include "system.h"

namespace fiber::detail {

namespace {

struct Owned {
  struct Object {
    void* object;
    void (*destroy)(void*);
  };
  std::vector<Object> objects;
  std::vector<Function> actions;
};

void end(Owned* owned) {
  // A destructor may own something anew: bounded rounds, as with POSIX keys.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds && !owned->objects.empty(); round++) {
    const std::vector<Owned::Object> objects = std::exchange(owned->objects, {});
    for (auto at = objects.rbegin(); at != objects.rend(); ++at) at->destroy(at->object);
  }
  run_exit_actions(&owned->actions);
  delete owned;
}

void WINAPI at_thread_end(void* value) {
  if (value != nullptr) end(static_cast<Owned*>(value));
}

DWORD key() {
  static const DWORD made = [] {
    keep_loaded();  // the callback must not outlive its code
    const DWORD index = FlsAlloc(at_thread_end);
    if (index == FLS_OUT_OF_INDEXES) {
      fprintf(stderr, "fiber: FlsAlloc: error %lu\n", GetLastError());
      abort();
    }
    return index;
  }();
  return made;
}

Owned* own() {
  auto* owned = static_cast<Owned*>(FlsGetValue(key()));
  if (owned == nullptr) {
    owned = new Owned;
    if (!FlsSetValue(key(), owned)) {
      delete owned;
      throw std::bad_alloc();
    }
  }
  return owned;
}

}  // namespace

void own_by_thread(void* object, void (*destroy)(void*)) {
  own()->objects.push_back({object, destroy});
}

void end_thread_owned() {
  auto* const owned = static_cast<Owned*>(FlsGetValue(key()));
  if (owned == nullptr) return;
  end(owned);  // destructors find it still
  FlsSetValue(key(), nullptr);
}

std::vector<Function>& thread_exit_actions() { return own()->actions; }

}  // namespace fiber::detail
