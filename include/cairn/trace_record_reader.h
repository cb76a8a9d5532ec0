// The operations of a trace (DB::StartTrace) without a database to do them on, as a Replayer needs
// one: for programs that look at a workload, as trace_analyzer.
//
//   std::unique_ptr<rocksdb::TraceReader> file;
//   rocksdb::NewFileTraceReader(rocksdb::Env::Default(), rocksdb::EnvOptions(), path, &file);
//   cairn::TraceRecordReader reader(std::move(file));
//   cairn::TraceRecordReader::Record record;
//   rocksdb::Status s = reader.ReadHeader();
//   while (s.ok() && (s = reader.Next(&record)).ok()) {
//     if (record.operation != nullptr) s = record.operation->Accept(&handler, nullptr);
//   }
//   if (s.IsIncomplete()) ...  // that was all
//
// Reads Cairn's traces and RocksDB's. One caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"

namespace cairn {

class TraceRecordReader {
 public:
  struct Record {
    rocksdb::TraceType type = rocksdb::kTraceMax;
    uint64_t timestamp = 0;  // microseconds since 1970
    // Null: the record is none of an operation, but the footer (kTraceEnd) or of an unknown kind.
    std::unique_ptr<rocksdb::TraceRecord> operation;
  };

  // `file` stands at its beginning.
  explicit TraceRecordReader(std::unique_ptr<rocksdb::TraceReader>&& file);
  ~TraceRecordReader();
  TraceRecordReader(const TraceRecordReader&) = delete;
  TraceRecordReader& operator=(const TraceRecordReader&) = delete;

  // The first call. Corruption: it is no trace. NotSupported: of a newer version. SUSPENDS, as the
  // next.
  [[nodiscard]] rocksdb::Status ReadHeader();
  // When the trace began, in microseconds since 1970. REQUIRES: ReadHeader() was OK.
  uint64_t header_timestamp() const { return header_timestamp_; }

  // Incomplete: there are no more; where the program that traced was killed, no footer came before
  // that. Corruption: the file is damaged here.
  [[nodiscard]] rocksdb::Status Next(Record* record);

 private:
  const std::unique_ptr<rocksdb::TraceReader> file_;
  std::string bytes_;
  int minor_version_ = 0;
  uint64_t header_timestamp_ = 0;
};

}  // namespace cairn
