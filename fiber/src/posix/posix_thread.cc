// pthread's keys and threads (fiber/posix/pthread.h), over fiber/local.h and fibers.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/posix/pthread.h"
#include "fiber/runtime.h"
#include "fiber/std/thread.h"

namespace fiber::posix {

namespace {

// --- keys

constexpr unsigned kMaxKeys = 1024;

struct Key {
  // 0: not in use. A generation, so that values of a deleted key neither come back nor get its
  // successor's destructor.
  std::atomic<uint64_t> generation{0};
  std::atomic<void (*)(void*)> destructor{nullptr};
  fiber::detail::LocalKey local{};  // constant while the generation is not 0
};

struct Keys {
  Mutex lock;  // of creation and deletion
  uint64_t last_generation FIBER_GUARDED_BY(lock) = 0;
  std::array<Key, kMaxKeys> all;
};
// Never destroyed: threads may end after the statics.
Keys& keys() {
  static Keys* const keys = new Keys;
  return *keys;
}

// A context's value of a key.
struct Value {
  Key* key;
  uint64_t generation;
  void* pointer;
};

void* make_value(const void* key) {
  Key* const of = static_cast<Key*>(const_cast<void*>(key));
  return new Value{of, of->generation.load(std::memory_order_relaxed), nullptr};
}

void end_value(void* argument) {
  const std::unique_ptr<Value> value(static_cast<Value*>(argument));
  void (*const destructor)(void*) = value->key->destructor.load(std::memory_order_acquire);
  if (value->pointer == nullptr || destructor == nullptr ||
      value->key->generation.load(std::memory_order_acquire) != value->generation) {
    return;
  }
  destructor(value->pointer);
}

Key* find_key(pthread_key_t key) {
  if (key >= kMaxKeys) return nullptr;
  Key& found = keys().all[key];
  return found.generation.load(std::memory_order_acquire) != 0 ? &found : nullptr;
}

Value* value_of(Key* key) {
  if (void* const made = fiber::detail::find_local(key->local)) return static_cast<Value*>(made);
  return static_cast<Value*>(fiber::detail::get_local(key->local, make_value, key, end_value));
}

// --- threads

struct Record {
  JoinHandle handle;
  void* result = nullptr;
  bool detached = false;
  bool joined = false;  // or being joined
  bool ended = false;
};
using RecordPointer = std::shared_ptr<Record>;

struct Threads {
  Mutex lock;
  std::unordered_map<::pthread_t, RecordPointer> all FIBER_GUARDED_BY(lock);
};
// Never destroyed: detached threads may end after the statics.
Threads& threads() {
  static Threads* const threads = new Threads;
  return *threads;
}

// What pthread_exit() throws. Nobody else knows its name.
struct ThreadExit {
  void* result;
};

local<bool>& created_here() {
  static local<bool>* const mark = new local<bool>;
  return *mark;
}

void run_thread(::pthread_t id, const RecordPointer& record, void* (*function)(void*),
                void* argument) {
  fiber::detail::set_context_id(id);
  created_here().get() = true;
  void* result;
  try {
    result = function(argument);
  } catch (const ThreadExit& exit) {
    result = exit.result;
  }
  MutexLock lock(&threads().lock);
  record->result = result;
  record->ended = true;
  if (record->detached) threads().all.erase(id);
}

}  // namespace

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  Keys& table = keys();
  MutexLock lock(&table.lock);
  for (unsigned i = 0; i < kMaxKeys; i++) {
    Key& made = table.all[i];
    if (made.generation.load(std::memory_order_relaxed) != 0) continue;
    made.local = fiber::detail::allocate_local_key();
    made.destructor.store(destructor, std::memory_order_relaxed);
    made.generation.store(++table.last_generation, std::memory_order_release);
    *key = i;
    return 0;
  }
  return EAGAIN;
}

int pthread_key_delete(pthread_key_t key) {
  MutexLock lock(&keys().lock);
  Key* const found = find_key(key);
  if (found == nullptr) return EINVAL;
  found->generation.store(0, std::memory_order_release);
  found->destructor.store(nullptr, std::memory_order_release);
  fiber::detail::free_local_key(found->local);
  return 0;
}

void* pthread_getspecific(pthread_key_t key) {
  Key* const found = find_key(key);
  return found != nullptr ? value_of(found)->pointer : nullptr;
}

int pthread_setspecific(pthread_key_t key, const void* value) {
  Key* const found = find_key(key);
  if (found == nullptr) return EINVAL;
  value_of(found)->pointer = const_cast<void*>(value);
  return 0;
}

int pthread_create(::pthread_t* thread, const ::pthread_attr_t* attributes,
                   void* (*function)(void*), void* argument) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr && ::pthread_attr_getdetachstate(attributes, &state) != 0) {
    return EINVAL;
  }
  const RecordPointer record = std::make_shared<Record>();
  const ::pthread_t id = fiber::detail::new_context_id();
  // Under the lock: the new thread may be joined before this call has returned.
  MutexLock lock(&threads().lock);
  threads().all.emplace(id, record);
  *thread = id;
  record->handle = fiber_std::detail::start_thread(
      [id, record, function, argument] { run_thread(id, record, function, argument); });
  if (state == PTHREAD_CREATE_DETACHED) {
    record->detached = true;
    record->handle.detach();
  }
  return 0;
}

int pthread_join(::pthread_t thread, void** result) {
  if (thread == posix::pthread_self()) return EDEADLK;
  RecordPointer record;
  {
    MutexLock lock(&threads().lock);
    const auto found = threads().all.find(thread);
    if (found == threads().all.end()) return ESRCH;
    record = found->second;
    if (record->detached || record->joined) return EINVAL;
    record->joined = true;
  }
  record->handle.join();
  MutexLock lock(&threads().lock);
  if (result != nullptr) *result = record->result;
  threads().all.erase(thread);
  return 0;
}

int pthread_detach(::pthread_t thread) {
  MutexLock lock(&threads().lock);
  const auto found = threads().all.find(thread);
  if (found == threads().all.end()) return ESRCH;
  const RecordPointer record = found->second;
  if (record->detached || record->joined) return EINVAL;
  record->detached = true;
  record->handle.detach();
  if (record->ended) threads().all.erase(found);
  return 0;
}

::pthread_t pthread_self() { return fiber::detail::context_id(); }

void pthread_exit(void* result) {
  if (!in_fiber()) ::pthread_exit(result);
  if (!created_here().get()) {
    fprintf(stderr, "fiber: pthread_exit() on a fiber that pthread_create() has not made\n");
    abort();
  }
  throw ThreadExit{result};
}

}  // namespace fiber::posix
