// Where a trace of operations goes and comes from. Cairn makes no traces: DB::StartTrace() is
// NotSupported, and so are the files here. EventListener, Statistics and PerfContext tell of
// operations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  virtual Status Write(const Slice& data) = 0;
  virtual Status Close() = 0;
  // Bytes written.
  virtual uint64_t GetFileSize() = 0;
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  virtual Status Read(std::string* data) = 0;
  virtual Status Close() = 0;
  // To the beginning.
  virtual Status Reset() = 0;
};

// NotSupported.
Status NewFileTraceWriter(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceWriter>* trace_writer);
Status NewFileTraceReader(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceReader>* trace_reader);

}  // namespace ROCKSDB_NAMESPACE
