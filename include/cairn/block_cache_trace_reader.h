// Reads a trace of a block cache (DB::StartBlockCacheTrace): for programs that look at it, as
// block_cache_trace_analyzer.
//
//   std::unique_ptr<rocksdb::TraceReader> file;
//   rocksdb::NewFileTraceReader(rocksdb::Env::Default(), rocksdb::EnvOptions(), path, &file);
//   cairn::BlockCacheTraceReader reader(std::move(file));
//   rocksdb::BlockCacheTraceRecord access;
//   rocksdb::Status s = reader.ReadHeader();
//   while (s.ok() && (s = reader.Next(&access)).ok()) ...
//   if (s.IsIncomplete()) ...  // that was all
//
// Reads Cairn's traces and RocksDB's. One caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"

namespace cairn {

class BlockCacheTraceReader {
 public:
  // `file` stands at its beginning.
  explicit BlockCacheTraceReader(std::unique_ptr<rocksdb::TraceReader>&& file);
  ~BlockCacheTraceReader();
  BlockCacheTraceReader(const BlockCacheTraceReader&) = delete;
  BlockCacheTraceReader& operator=(const BlockCacheTraceReader&) = delete;

  // The first call. Corruption: it is no trace of a block cache. SUSPENDS, as the next.
  [[nodiscard]] rocksdb::Status ReadHeader();
  // REQUIRES (the three): ReadHeader() was OK. When the trace began, in microseconds since 1970,
  // and the version of RocksDB that the writer says it is.
  uint64_t header_timestamp() const { return header_timestamp_; }
  uint32_t major_version() const { return major_version_; }
  uint32_t minor_version() const { return minor_version_; }

  // Incomplete: there are no more. Corruption: the file is damaged here. NotSupported: an entry of
  // another kind; the next may be read.
  [[nodiscard]] rocksdb::Status Next(rocksdb::BlockCacheTraceRecord* access);

 private:
  const std::unique_ptr<rocksdb::TraceReader> file_;
  std::string bytes_;
  uint64_t header_timestamp_ = 0;
  uint32_t major_version_ = 0;
  uint32_t minor_version_ = 0;
};

}  // namespace cairn
