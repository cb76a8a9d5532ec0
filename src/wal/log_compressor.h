// LogCompressor: the records of a log that is written with wal_compression. Each becomes one frame
// of ZSTD at its default level, as in RocksDB (LogDecompressor reads them). One caller at a time.
#pragma once

#include <cstddef>
#include <memory>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class LogCompressor {
 public:
  LogCompressor();
  ~LogCompressor();
  LogCompressor(const LogCompressor&) = delete;
  LogCompressor& operator=(const LogCompressor&) = delete;

  // Begins the frame of `record`, which is borrowed until its end. False: there is no memory.
  [[nodiscard]] bool Begin(const Slice& record);
  // What comes next of the frame, at most `n` bytes, into `to`; how many. *end: it was the last.
  // False: ZSTD failed.
  [[nodiscard]] bool Next(char* to, size_t n, size_t* size, bool* end);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace cairn
