// Where a trace of operations goes (DB::StartTrace) and comes from (DB::NewDefaultReplayer): a
// file, or whatever a program makes of these classes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// One caller at a time: a database sees to that.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  // One record.
  virtual Status Write(const Slice& data) = 0;
  virtual Status Close() = 0;
  // Bytes written. Asked before each record (TraceOptions::max_trace_file_size).
  virtual uint64_t GetFileSize() = 0;
};

// One caller at a time: a Replayer sees to that.
class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // The next record, the first of which is the header. Incomplete: there are no more.
  virtual Status Read(std::string* data) = 0;
  virtual Status Close() = 0;
  // Back to the header. IOError: it is closed.
  virtual Status Reset() = 0;
};

// A new file, or an old one that is emptied. It is complete once it is closed; until then up to
// EnvOptions::writable_file_max_buffer_size bytes of it are in memory.
Status NewFileTraceWriter(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceWriter>* trace_writer);
// Read() is Corruption where the file ends within a record, with its name and the offset.
Status NewFileTraceReader(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceReader>* trace_reader);

}  // namespace ROCKSDB_NAMESPACE
