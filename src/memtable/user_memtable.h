// A memtable of the user's own (rocksdb/memtablerep.h), as MemTable uses it: entries are encoded as
// the interface has them, and nothing that a user's object throws gets past here.
//
// What throws in a read makes that read fail (Aborted, with the factory's name and the function's).
// After an insertion that threw nobody knows what the memtable has: all that follows fails.
//
// Thread safety: as in MemTable.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/memtable_rep.h"
#include "base/namespace.h"
#include "fiber/mutex.h"

namespace cairn {

class UserMemTable {
 public:
  // All borrowed but the factory, and outlive this. `prefix_extractor`, `info_log`: may be null.
  UserMemTable(std::shared_ptr<MemTableRepFactory> factory, const InternalKeyComparator* comparator,
               ConcurrentArena* arena, const SliceTransform* prefix_extractor, Logger* info_log,
               uint32_t column_family);
  ~UserMemTable();
  UserMemTable(const UserMemTable&) = delete;
  UserMemTable& operator=(const UserMemTable&) = delete;

  // OK, or why the factory made nothing, or what insertion threw.
  Status status() const;

  // Room for an entry, whose internal key, value and `extra` bytes behind it the caller fills, and
  // inserts once.
  struct Entry {
    KeyHandle handle = nullptr;
    char* key = nullptr;
    char* value = nullptr;
  };
  [[nodiscard]] Status Allocate(size_t key_size, size_t value_size, size_t extra, Entry* entry);
  // TryAgain: the object says that there is such an entry.
  [[nodiscard]] Status Insert(const Entry& entry, bool concurrent);
  // The caller's batch of concurrent insertions is done. (What throws is in status().)
  void FinishConcurrentBatch();

  // Calls `step` for entries from the first that `key` sees on, until it says false.
  using Step = std::function<bool(const Slice& internal_key, const Slice& value)>;
  [[nodiscard]] Status Get(const LookupKey& key, const Step& step) const;
  // The caller's. With `one_prefix` as in MemTableIndex.
  InternalIterator* NewIterator(bool one_prefix) const;

  bool IsEmpty() const { return !used_.load(std::memory_order_acquire); }
  uint64_t CountBetween(const Slice& start, const Slice& end) const;
  size_t ApproximateMemoryUsage() const;  // bytes beside the arena's
  void MarkReadOnly();
  void MarkFlushed();
  bool supports_merge() const { return supports_merge_; }
  bool supports_snapshots() const { return supports_snapshots_; }

 private:
  class KeyOrder;
  class RepIterator;
  struct Decoded {
    Slice key, value;
  };
  static Decoded Decode(const char* entry);

  Status Threw(const char* function, const char* what) const;
  template <class F>
  Status Guarded(const char* function, F f) const;
  void Fail(const Status& status);

  const std::shared_ptr<MemTableRepFactory> factory_;
  const InternalKeyComparator* const comparator_;
  Logger* const info_log_;
  const std::unique_ptr<const KeyOrder> order_;
  Allocator allocator_;
  std::unique_ptr<MemTableRep> rep_;  // null: there is none, see status()
  bool supports_merge_ = true;
  bool supports_snapshots_ = true;
  std::atomic<bool> used_{false};  // something was to be inserted

  std::atomic<bool> failed_{false};  // release: after failure_
  mutable fiber::Mutex mutex_;
  Status failure_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace cairn
