// Replayer: does again, on a database, what a trace tells (DB::StartTrace). Made by
// DB::NewDefaultReplayer.
//
// Trace files are RocksDB's, of versions 0.1 and 0.2, and those of either engine are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class TraceRecord;
class TraceRecordResult;

struct ReplayOptions {
  // 0 and 1: the caller's. With more, operations that are due at once may overtake one another.
  uint32_t num_threads;
  // How much faster than it was: 2.0 halves the time between two operations, 0.5 doubles it. Above
  // 0.
  double fast_forward;

  ReplayOptions() : num_threads(1), fast_forward(1.0) {}
  ReplayOptions(uint32_t num_of_threads, double fast_forward_ratio)
      : num_threads(num_of_threads), fast_forward(fast_forward_ratio) {}
};

// Thread safety: Next() and Execute() from any thread or fiber, the rest by one caller.
class Replayer {
 public:
  virtual ~Replayer() = default;

  // Reads the header; the trace begins anew. Before anything else. Corruption: it is no trace.
  // NotSupported: one of a newer version.
  virtual Status Prepare() = 0;

  // When the trace was started, in microseconds since 1970. 0 before Prepare().
  virtual uint64_t GetHeaderTimestamp() const = 0;

  // The next operation. `record` may be null: it is skipped. Incomplete: the trace has ended, with
  // its footer or without one, or Prepare() was not called. NotSupported: the record is of a kind
  // that this library does not know; the next may be another. Corruption: it is damaged.
  virtual Status Next(std::unique_ptr<TraceRecord>* record) = 0;

  // Does it. OK: it was done, and *result, unless that is null, says what came of it (a key that
  // was not found is there); else the error, as of the database.
  virtual Status Execute(const std::unique_ptr<TraceRecord>& record,
                         std::unique_ptr<TraceRecordResult>* result) = 0;

  // Does the rest of the trace, each operation at its time after the call as it was after
  // StartTrace(). Ends at the first error, which it returns (with several threads: the error of the
  // earliest operation among those that failed), or with the trace: then OK. Incomplete: it had
  // ended before, or Prepare() was not called. InvalidArgument: fast_forward. Records of unknown
  // kinds are passed over.
  //
  // result_callback, unless it is empty, is told what Execute() returned for each operation, and
  // its result; of an unknown kind NotSupported and null. With several threads it is called from
  // all of them at once.
  virtual Status Replay(
      const ReplayOptions& options,
      const std::function<void(Status, std::unique_ptr<TraceRecordResult>&&)>& result_callback) = 0;
};

}  // namespace ROCKSDB_NAMESPACE
