// The immutable memtables that wait for their flush, newest first. db/ adds one at each switch, the
// flush job picks the oldest, readers use a version of the list.
//
// MemTableListVersion is immutable and reference counted: a super version holds one.
// ImmutableMemTables is the changing list: copy on write, every method under the db mutex except
// the two atomics marked so.
#ifndef CAIRN_MEMTABLE_MEMTABLE_LIST_H_
#define CAIRN_MEMTABLE_MEMTABLE_LIST_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "memtable/memtable.h"

namespace cairn {

class MemTableListVersion {
 public:
  MemTableListVersion(const MemTableListVersion&) = delete;
  MemTableListVersion& operator=(const MemTableListVersion&) = delete;

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// Drops its references to the memtables with the last reference. Any thread.
  void Unref();

  /// As MemTable::Get, newest memtable first.
  bool Get(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq = nullptr,
           MergeOperands* operands = nullptr, bool ignore_tombstones = false,
           bool* is_entity = nullptr, std::string* timestamp = nullptr) const;

  const std::vector<MemTable*>& memtables() const { return memtables_; }  // newest first
  size_t size() const { return memtables_.size(); }
  uint64_t TotalEntries() const;
  uint64_t TotalDeletes() const;
  size_t TotalMemoryUsage() const;

 private:
  friend class ImmutableMemTables;
  explicit MemTableListVersion(std::vector<MemTable*> memtables);  // references each
  ~MemTableListVersion();

  const std::vector<MemTable*> memtables_;
  std::atomic<int> refs_{1};
};

class ImmutableMemTables {
 public:
  /// `min_to_merge`: a flush is due from so many memtables on (min_write_buffer_number_to_merge).
  explicit ImmutableMemTables(int min_to_merge = 1);
  ~ImmutableMemTables();  // drops the list; outstanding versions keep their memtables

  ImmutableMemTables(const ImmutableMemTables&) = delete;
  ImmutableMemTables& operator=(const ImmutableMemTables&) = delete;

  /// Borrowed: Ref() it to keep it beyond the mutex.
  MemTableListVersion* current() const { return current_; }

  /// Makes `m` the newest immutable memtable; takes over the caller's reference and gives it the
  /// next id.
  void Add(MemTable* m);

  /// A flush is due: enough memtables that no flush has picked yet, or one was requested.
  /// Lock-free.
  bool IsFlushPending() const { return flush_pending_.load(std::memory_order_acquire); }
  bool flush_requested() const { return flush_requested_; }
  /// Asks that all memtables be flushed even below min_to_merge (DB::Flush).
  void FlushRequested() {
    flush_requested_ = true;
    UpdatePending();
  }

  /// Appends the memtables to flush, oldest first: all with id <= max_id (UINT64_MAX: all) that no
  /// flush has. Nothing while an earlier flush is under way: flushes finish in order. Each stays
  /// alive until Remove or RollbackFlush.
  void PickMemtablesToFlush(uint64_t max_id, std::vector<MemTable*>* out);
  /// The flush of `picked` failed: they may be picked again.
  void RollbackFlush(const std::vector<MemTable*>& picked);
  /// The flush of `picked` (as picked: the oldest) is in the manifest: forget them.
  void Remove(const std::vector<MemTable*>& picked);

  /// `purged` has all that is worth keeping of `picked` and takes their place, with the caller's
  /// reference. No flush is due for it alone, unless one is requested.
  void Replace(const std::vector<MemTable*>& picked, MemTable* purged);

  /// Forgets all. REQUIRES: no flush is under way, or will be.
  void Clear();

  /// Memtables in the list, flush under way or not. Lock-free.
  int NumNotFlushed() const { return num_not_flushed_.load(std::memory_order_relaxed); }
  /// The same without one that waits for the next one's flush (Replace). Lock-free.
  int NumToFlush() const { return num_to_flush_.load(std::memory_order_relaxed); }
  /// Memtables that no flush has picked yet.
  int NumFlushNotStarted() const { return num_flush_not_started_; }
  bool IsFlushInProgress() const { return num_flush_not_started_ < NumNotFlushed(); }
  /// The id of the newest in the list; 0: it is empty.
  uint64_t NewestID() const;

 private:
  void Install(std::vector<MemTable*> memtables);
  void UpdatePending();

  const int min_to_merge_;
  MemTableListVersion* current_;
  uint64_t next_id_ = 1;
  int num_flush_not_started_ = 0;
  bool flush_requested_ = false;
  std::atomic<bool> flush_pending_{false};
  std::atomic<int> num_not_flushed_{0};
  std::atomic<int> num_to_flush_{0};
};

}  // namespace cairn

#endif  // CAIRN_MEMTABLE_MEMTABLE_LIST_H_
