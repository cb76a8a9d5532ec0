// BlockCacheTrace: a database's trace of its block cache (DB::StartBlockCacheTrace), if one is
// running. Table readers tell it of each block that they look up.
//
// Thread safety: all, from anywhere. One that is not running costs its callers IsOn(), one load.
// The mutex is a leaf for the library, but the user's BlockCacheTraceWriter is called under it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

// Which records have the fields of Get and MultiGet, and which those of data blocks in these.
bool IsOfPointLookup(TableReaderCaller caller);
bool IsDataBlockOfPointLookup(TraceType block_type, TableReaderCaller caller);

class BlockCacheTrace {
 public:
  BlockCacheTrace() = default;
  BlockCacheTrace(const BlockCacheTrace&) = delete;
  BlockCacheTrace& operator=(const BlockCacheTrace&) = delete;

  // Relaxed: a lookup beside Start() or End() may be seen or not, and what is written is decided
  // under the mutex.
  bool IsOn() const { return on_.load(std::memory_order_relaxed); }

  // Busy: one is running. InvalidArgument: no writer. Else what it says to the header, after which
  // the trace is running in any case, as in RocksDB. SUSPENDS, as End() and Write().
  [[nodiscard]] Status Start(const BlockCacheTraceOptions& options,
                             std::unique_ptr<BlockCacheTraceWriter>&& writer);
  // Deletes the writer, if there is one.
  void End();

  // For the blocks of one Get or MultiGet. Never kReservedGetId.
  uint64_t NextGetId();
  // As BlockCacheTraceWriter::WriteBlockAccess(), if the block is one of the sample.
  void Write(const BlockCacheTraceRecord& record, const Slice& block_key, const Slice& cf_name,
             const Slice& referenced_key);

 private:
  std::atomic<bool> on_{false};
  std::atomic<uint64_t> last_get_id_{0};  // relaxed: only that they differ counts
  fiber::Mutex mutex_;
  // Null: no trace is running.
  std::unique_ptr<BlockCacheTraceWriter> writer_ FIBER_GUARDED_BY(mutex_);
  BlockCacheTraceOptions options_ FIBER_GUARDED_BY(mutex_);  // of the present trace
};

}  // namespace cairn
