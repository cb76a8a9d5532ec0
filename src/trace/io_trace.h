// IOTrace: a database's trace of the calls of its file system (DB::StartIOTrace), if one is
// running. TracedFileSystem and its files, which share it, tell it of each.
//
// Thread safety: all, from anywhere. One that is not running costs its callers IsOn(), one load.
// The mutex is a leaf for the library, but the user's TraceWriter is called under it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "cairn/io_trace_reader.h"
#include "fiber/mutex.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"

namespace cairn {

class IOTrace {
 public:
  IOTrace() = default;
  IOTrace(const IOTrace&) = delete;
  IOTrace& operator=(const IOTrace&) = delete;

  // Relaxed: a call beside Start() or End() may be seen or not, and what is written is decided
  // under the mutex.
  bool IsOn() const { return on_.load(std::memory_order_relaxed); }

  // Busy: one is running. InvalidArgument: no writer. Else what it says to the header, after which
  // the trace is running in any case, as in RocksDB. `micros`: now, since 1970. SUSPENDS, as End()
  // and Write().
  [[nodiscard]] Status Start(uint64_t micros, const TraceOptions& options,
                             std::unique_ptr<TraceWriter>&& writer);
  // Closes and deletes the writer, if there is one.
  void End();
  // Once the trace has more than max_trace_file_size bytes, nothing is added.
  void Write(const IOTraceRecord& call);

 private:
  std::atomic<bool> on_{false};
  fiber::Mutex mutex_;
  // Null: no trace is running.
  std::unique_ptr<TraceWriter> writer_ FIBER_GUARDED_BY(mutex_);
  uint64_t max_bytes_ FIBER_GUARDED_BY(mutex_) = 0;  // of the present trace
};

}  // namespace cairn
