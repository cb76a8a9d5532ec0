// Reads a trace of a file system's calls (DB::StartIOTrace): for programs that look at it, as
// io_tracer_parser.
//
//   std::unique_ptr<rocksdb::TraceReader> file;
//   rocksdb::NewFileTraceReader(rocksdb::Env::Default(), rocksdb::EnvOptions(), path, &file);
//   cairn::IOTraceReader reader(std::move(file));
//   cairn::IOTraceRecord call;
//   rocksdb::Status s = reader.ReadHeader();
//   while (s.ok() && (s = reader.Next(&call)).ok()) ...
//   if (s.IsIncomplete()) ...  // that was all
//
// Reads Cairn's traces and RocksDB's. One caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"

namespace cairn {

// One call.
struct IOTraceRecord {
  // When it had returned: nanoseconds of a clock that nobody sets and that begins anywhere, so that
  // differences alone say something.
  uint64_t access_timestamp = 0;
  uint64_t latency = 0;        // nanoseconds
  std::string file_operation;  // the function's name: "Append", "GetChildren"
  std::string file_name;       // without the directories
  std::string io_status;       // "OK", or the error
  // Bytes; what the call has none of is not there.
  std::optional<uint64_t> file_size;
  std::optional<uint64_t> length;
  std::optional<uint64_t> offset;
  std::optional<std::string> request;  // its id, of an IODebugContext
};

class IOTraceReader {
 public:
  // `file` stands at its beginning.
  explicit IOTraceReader(std::unique_ptr<rocksdb::TraceReader>&& file);
  ~IOTraceReader();
  IOTraceReader(const IOTraceReader&) = delete;
  IOTraceReader& operator=(const IOTraceReader&) = delete;

  // The first call. Corruption: it is no such trace. SUSPENDS, as the next.
  [[nodiscard]] rocksdb::Status ReadHeader();
  // REQUIRES (the three): ReadHeader() was OK. When the trace began, in microseconds since 1970,
  // and the version of RocksDB that the writer says it is.
  uint64_t header_timestamp() const { return header_timestamp_; }
  uint32_t major_version() const { return major_version_; }
  uint32_t minor_version() const { return minor_version_; }

  // Incomplete: there are no more. Corruption: the file is damaged here. NotSupported: an entry of
  // another kind, or with fields that are not known; the next may be read.
  [[nodiscard]] rocksdb::Status Next(IOTraceRecord* call);

 private:
  const std::unique_ptr<rocksdb::TraceReader> file_;
  std::string bytes_;
  uint64_t header_timestamp_ = 0;
  uint32_t major_version_ = 0;
  uint32_t minor_version_ = 0;
};

}  // namespace cairn
