// LogDecompressor: the records of a log that was written with wal_compression. Each is one frame of
// ZSTD, which fragments cut anywhere; its checksums are those of what is stored. One caller at a
// time.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class LogDecompressor {
 public:
  LogDecompressor();
  ~LogDecompressor();
  LogDecompressor(const LogDecompressor&) = delete;
  LogDecompressor& operator=(const LogDecompressor&) = delete;

  // The record that `stored`, a frame, holds, or "" of "". False: it is none, or goes on. *record
  // must not be what `stored` points into. *lacks_memory: there is none for it.
  [[nodiscard]] bool Decompress(const Slice& stored, std::string* record, bool* lacks_memory);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace cairn
