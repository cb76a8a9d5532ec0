// WriteBufferManager: one limit on the memory of all memtables of one database or of several, set
// as DBOptions::write_buffer_manager.
//
// Thread safety: all methods from any thread or fiber.
#pragma once

#include <atomic>
#include <condition_variable>  // (some that include RocksDB's have it from there)
#include <cstddef>
#include <memory>

#include "rocksdb/cache.h"
#include "rocksdb/rocksdb_namespace.h"

namespace cairn {
struct WriteBufferManagerInternal;
}

namespace ROCKSDB_NAMESPACE {

// How a manager holds up a database. Implemented by databases, not by users.
class StallInterface {
 public:
  virtual ~StallInterface() = default;
  virtual void Block() = 0;
  // The stall is over. Called with locks of the manager's held: must neither block nor call it.
  virtual void Signal() = 0;
};

class WriteBufferManager final {
 public:
  // `buffer_size`: bytes, 0: no limit. `cache`: memory of memtables is charged to it, in dummy
  // entries of 256 KiB, limit or not. `allow_stall`: writers of all databases wait while the memory
  // is at the limit, until flushes have given enough of it back. (Memory that open iterators keep
  // of flushed memtables counts, but is not waited for.)
  explicit WriteBufferManager(size_t buffer_size, std::shared_ptr<Cache> cache = {},
                              bool allow_stall = false);
  ~WriteBufferManager();
  WriteBufferManager(const WriteBufferManager&) = delete;
  WriteBufferManager& operator=(const WriteBufferManager&) = delete;

  bool enabled() const { return buffer_size() > 0; }
  bool cost_to_cache() const { return cache_ != nullptr; }

  // Bytes of all memtables that still have memory, and of those that are written to.
  size_t memory_usage() const { return memory_used_.load(std::memory_order_relaxed); }
  size_t mutable_memtable_memory_usage() const {
    return memory_active_.load(std::memory_order_relaxed);
  }
  size_t dummy_entries_in_cache_usage() const;
  size_t buffer_size() const { return buffer_size_.load(std::memory_order_relaxed); }

  void SetBufferSize(size_t new_size);
  void SetAllowStall(bool new_allow_stall);

  // --- The rest is for databases.

  // The memtables that are written to hold 7/8 of the limit; or all together hold all of it, and
  // those that are written to at least a half (more flushes would not help otherwise).
  bool ShouldFlush() const {
    const size_t limit = buffer_size();
    if (limit == 0) return false;
    const size_t active = mutable_memtable_memory_usage();
    return active > mutable_limit_.load(std::memory_order_relaxed) ||
           (memory_usage() >= limit && active >= limit / 2);
  }
  bool ShouldStall() const {
    return allow_stall_.load(std::memory_order_relaxed) && enabled() &&
           (IsStallActive() || IsStallThresholdExceeded());
  }
  bool IsStallActive() const { return stall_active_.load(std::memory_order_relaxed); }
  bool IsStallThresholdExceeded() const { return memory_usage() >= buffer_size(); }

  // A memtable that is written to took memory; it became immutable; it gave its memory back.
  void ReserveMem(size_t mem);
  void ScheduleFreeMem(size_t mem);
  void FreeMem(size_t mem);

  // Queues a database to be signalled when the stall ends: at once if there is none.
  void BeginWriteStall(StallInterface* wbm_stall);
  // Ends the stall if its reason is gone: signals all that queue.
  void MaybeEndWriteStall();
  // Takes a database off the queue, and signals it.
  void RemoveDBFromQueue(StallInterface* wbm_stall);

 private:
  friend struct cairn::WriteBufferManagerInternal;
  struct State;

  // Relaxed all: sizes that order nothing.
  std::atomic<size_t> buffer_size_;
  std::atomic<size_t> mutable_limit_;
  std::atomic<size_t> memory_used_{0};
  std::atomic<size_t> memory_active_{0};
  std::atomic<bool> allow_stall_;
  std::atomic<bool> stall_active_{false};  // changed under the state's mutex
  const std::shared_ptr<Cache> cache_;
  const std::unique_ptr<State> state_;
};

}  // namespace ROCKSDB_NAMESPACE
