#include "fiber/local.h"

#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "exit_actions.h"
#include "fiber/std/thread_local_ptr.h"
#include "fork.h"
#include "local_table.h"
#include "raw_lock.h"
#include "sim_hooks.h"
#include "thread_owned.h"
#include "worker.h"

namespace fiber::detail {

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

}  // namespace

void run_exit_actions(std::vector<Function>* actions) {
  while (!actions->empty()) {
    std::vector<Function> batch = std::move(*actions);
    actions->clear();
    for (Function& action : batch) action();
  }
}

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
  LocalTable*& table = ThreadOwned<ThreadTable>::get().table;
  if (table == nullptr) table = new LocalTable;
  return table->get(key, make, argument, destroy);
}

void at_context_exit(Function action) {
  if (LocalTable* own = own_table(Worker::current_fiber())) {
    own->at_exit.push_back(std::move(action));
    return;
  }
  thread_exit_actions().push_back(std::move(action));
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

LocalTable::~LocalTable() { ::operator delete(values_, std::align_val_t{alignof(LocalValues)}); }

// Makes room for the key with this index.
void LocalTable::grow(uint32_t index) {
  constexpr uint64_t kStep = 4;
  const uint64_t old_count = values_ != nullptr ? values_->count : 0;
  const uint64_t count = (index / kStep + 1) * kStep;
  void* const memory = ::operator new(sizeof(LocalValues) + count * sizeof(LocalEntry),
                                      std::align_val_t{alignof(LocalValues)});
  LocalValues* const values = new (memory) LocalValues{count};
  for (uint64_t i = 0; i < count; i++) {
    new (&values->entries()[i]) LocalEntry(i < old_count ? values_->entries()[i] : LocalEntry{});
  }
  ::operator delete(values_, std::align_val_t{alignof(LocalValues)});
  values_ = values;
}

void* allocate_zeroed(size_t size, size_t alignment) {
  void* const memory = ::operator new(size, std::align_val_t{alignment});
  memset(memory, 0, size);
  return memory;
}

void free_zeroed(void* memory, size_t alignment) {
  ::operator delete(memory, std::align_val_t{alignment});
}

void* LocalTable::get(LocalKey key, void* (*make)(const void*), const void* argument,
                      void (*destroy)(void*)) {
  if (values_ == nullptr || key.index >= values_->count) grow(key.index);
  set_local_values(values_);
  const LocalEntry old = values_->entries()[key.index];
  if (old.value != nullptr && old.generation == key.generation) return old.value;
  if (old.value != nullptr) {
    values_->entries()[key.index] = LocalEntry{};
    old.destroy(old.value);
  }
  void* value = make(argument);  // may use other locals, and so move the entries
  values_->entries()[key.index] = LocalEntry{value, destroy, key.generation};
  return value;
}

void LocalTable::destroy(LocalTable** table) {
  // A destructor may create values anew: bounded rounds, as with pthread keys.
  constexpr int kRounds = 4;
  LocalTable* self = *table;
  for (int round = 0; round < kRounds && self->values_ != nullptr; round++) {
    bool any = false;
    for (size_t i = 0; i < self->values_->count; i++) {
      const LocalEntry entry = std::exchange(self->values_->entries()[i], LocalEntry{});
      if (entry.value == nullptr) continue;
      any = true;
      entry.destroy(entry.value);
    }
    if (!any) break;
  }
  run_exit_actions(&self->at_exit);
  set_local_values(nullptr);
  delete self;
  *table = nullptr;
}

}  // namespace fiber::detail
