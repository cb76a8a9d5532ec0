#include "fiber/local.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "fork.h"
#include "keep_loaded.h"
#include "local_table.h"
#include "raw_lock.h"
#include "sim_hooks.h"
#include "worker.h"

namespace fiber::detail {

__thread void* t_context_word __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

RawLock g_lock;
struct Keys {
  std::vector<uint32_t> generations;
  std::vector<uint32_t> free;
};
// Never destroyed: statics of type local may outlive it.
Keys& keys() FIBER_REQUIRES(g_lock) {
  static Keys* keys = new Keys;
  return *keys;
}

// The table of a plain thread; ends with it.
struct ThreadTable {
  LocalTable* table = nullptr;
  ~ThreadTable() {
    if (table != nullptr) LocalTable::destroy(&table);
  }
};
thread_local ThreadTable t_table;

__thread uint64_t t_context_id = 0;  // of a plain thread

// The table of the fiber, or of the simulated thread. Null on a plain thread, whose values are in
// its thread-locals.
LocalTable* own_table(Fiber* fiber) {
  LocalTable** table = fiber != nullptr         ? &fiber->locals
                       : simulator() != nullptr ? &simulated_locals()->locals
                                                : nullptr;
  if (table == nullptr) return nullptr;
  if (*table == nullptr) *table = new LocalTable;
  return *table;
}

void run_exit_actions(std::vector<Function>* actions) {
  while (!actions->empty()) {
    std::vector<Function> batch = std::move(*actions);
    actions->clear();
    for (Function& action : batch) action();
  }
}

// The actions of a plain thread hang on a POSIX key: its destructor comes after those of the
// thread_local objects.
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

RawLock* local_keys_lock() { return &g_lock; }

LocalKey allocate_local_key() {
  RawLockGuard guard(&g_lock);
  Keys& all = keys();
  if (all.free.empty()) {
    all.generations.push_back(1);
    return {static_cast<uint32_t>(all.generations.size() - 1), 1};
  }
  const uint32_t index = all.free.back();
  all.free.pop_back();
  return {index, all.generations[index]};
}

void free_local_key(LocalKey key) {
  RawLockGuard guard(&g_lock);
  keys().generations[key.index]++;
  keys().free.push_back(key.index);
}

void* get_local(LocalKey key, void* (*make)(const void*), const void* argument,
                void (*destroy)(void*)) {
  Fiber* fiber = Worker::current_fiber();
  if (LocalTable* own = own_table(fiber)) return own->get(key, make, argument, destroy);
  LocalTable*& table = t_table.table;
  if (table == nullptr) table = new LocalTable;
  return table->get(key, make, argument, destroy);
}

void at_context_exit(Function action) {
  if (LocalTable* own = own_table(Worker::current_fiber())) {
    own->at_exit.push_back(std::move(action));
    return;
  }
  const pthread_key_t key = exit_actions_key();
  auto* actions = static_cast<std::vector<Function>*>(pthread_getspecific(key));
  if (actions == nullptr) {
    auto made = std::make_unique<std::vector<Function>>();
    if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
    actions = made.release();
  }
  actions->push_back(std::move(action));
}

uint64_t new_context_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t context_id() {
  LocalTable* const own = own_table(Worker::current_fiber());
  uint64_t& id = own != nullptr ? own->context_id : t_context_id;
  if (id == 0) id = new_context_id();
  return id;
}

void set_context_id(uint64_t id) {
  LocalTable* const own = own_table(Worker::current_fiber());
  (own != nullptr ? own->context_id : t_context_id) = id;
}

const void* context_token() {
  Fiber* fiber = Worker::current_fiber();
  if (fiber != nullptr) return fiber;
  if (simulator() != nullptr) return simulated_locals();
  return &t_context_id;
}

void* LocalTable::get(LocalKey key, void* (*make)(const void*), const void* argument,
                      void (*destroy)(void*)) {
  if (key.index >= entries_.size()) entries_.resize(key.index + 1);
  const Entry old = entries_[key.index];
  if (old.value != nullptr && old.generation == key.generation) return old.value;
  if (old.value != nullptr) {
    entries_[key.index] = Entry{};
    old.destroy(old.value);
  }
  void* value = make(argument);  // may use other locals, and so move the entries
  entries_[key.index] = Entry{value, destroy, key.generation};
  return value;
}

void LocalTable::destroy(LocalTable** table) {
  // A destructor may create values anew: bounded rounds, as with pthread keys.
  constexpr int kRounds = 4;
  LocalTable* self = *table;
  for (int round = 0; round < kRounds; round++) {
    bool any = false;
    for (size_t i = 0; i < self->entries_.size(); i++) {
      const Entry entry = std::exchange(self->entries_[i], Entry{});
      if (entry.value == nullptr) continue;
      any = true;
      entry.destroy(entry.value);
    }
    if (!any) break;
  }
  run_exit_actions(&self->at_exit);
  delete self;
  *table = nullptr;
}

}  // namespace fiber::detail
