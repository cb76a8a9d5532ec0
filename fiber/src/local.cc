#include "fiber/local.h"

#include <utility>

#include "local_table.h"
#include "raw_lock.h"
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
thread_local ThreadTable t_table;

}  // namespace

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

void* get_local(LocalKey key, void* (*make)(), void (*destroy)(void*)) {
  Fiber* fiber = Worker::current_fiber();
  LocalTable*& table = fiber != nullptr ? fiber->locals : t_table.table;
  if (table == nullptr) table = new LocalTable;
  return table->get(key, make, destroy);
}

void* LocalTable::get(LocalKey key, void* (*make)(), void (*destroy)(void*)) {
  if (key.index >= entries_.size()) entries_.resize(key.index + 1);
  const Entry old = entries_[key.index];
  if (old.value != nullptr && old.generation == key.generation) return old.value;
  if (old.value != nullptr) {
    entries_[key.index] = Entry{};
    old.destroy(old.value);
  }
  void* value = make();  // may use other locals, and so move the entries
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
  delete self;
  *table = nullptr;
}

}  // namespace fiber::detail
