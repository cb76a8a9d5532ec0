// OperationTrace: a database's trace of operations (DB::StartTrace), if one is running. The read
// path, the write path and iterators tell it of each.
//
// Thread safety: all, from anywhere. One that is not running costs its callers IsOn(), one load.
// The mutex is a leaf for the library, but the user's TraceWriter is called under it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"

namespace cairn {

class OperationTrace {
 public:
  OperationTrace() = default;
  OperationTrace(const OperationTrace&) = delete;
  OperationTrace& operator=(const OperationTrace&) = delete;

  // Relaxed, as the next: an operation beside StartTrace() or EndTrace() may be seen or not, and
  // what is written is decided under the mutex.
  bool IsOn() const { return on_.load(std::memory_order_relaxed); }
  // Writes are told of by WriteInOrder(), not by WriteWhenCalled().
  const std::atomic<bool>& in_order() const { return in_order_; }

  // Ends the one that runs. An error of `writer` is End()'s. SUSPENDS, as all that follow.
  [[nodiscard]] Status Start(Env* env, const TraceOptions& options,
                             std::unique_ptr<TraceWriter>&& writer);
  // The first error of the writer. IOError: no trace is running.
  [[nodiscard]] Status End();
  bool HasBegun();

  void Get(uint32_t family, const Slice& key);
  void MultiGet(size_t num_keys, const uint32_t* families, const Slice* keys);
  // kTraceIteratorSeek, kTraceIteratorSeekForPrev; the bounds may be null.
  void Seek(TraceType type, uint32_t family, const Slice& target, const Slice* lower,
            const Slice* upper);
  void WriteWhenCalled(const Slice& batch);
  void WriteInOrder(const Slice& batch);

 private:
  // Whether the filter, the sampling and the size let one be written.
  bool Wants(uint64_t filter) FIBER_REQUIRES(mutex_);
  void Append(TraceType type, const Slice& payload) FIBER_REQUIRES(mutex_);
  Status Finish() FIBER_REQUIRES(mutex_);

  std::atomic<bool> on_{false};        // something may be written
  std::atomic<bool> in_order_{false};  // the same, and writes in their order
  fiber::Mutex mutex_;
  // Null: no trace is running. All of it is of the present one.
  std::unique_ptr<TraceWriter> writer_ FIBER_GUARDED_BY(mutex_);
  TraceOptions options_ FIBER_GUARDED_BY(mutex_);
  Env* env_ FIBER_GUARDED_BY(mutex_) = nullptr;
  uint64_t passed_over_ FIBER_GUARDED_BY(mutex_) = 0;  // operations, since one was written
  Status error_ FIBER_GUARDED_BY(mutex_);              // the writer's first; nothing follows it
};

}  // namespace cairn
