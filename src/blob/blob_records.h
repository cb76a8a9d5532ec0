// The records of a blob file one by one, for those who look at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/namespace.h"
#include "blob/blob_file_reader.h"
#include "blob/blob_read_ahead.h"
#include "fs/read_limits.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

struct BlobRecord {
  uint64_t offset = 0;  // of its header, bytes
  Slice key;
  Slice value;  // as it is stored
};

// The bytes of a file from its beginning to its end, `ahead_bytes` of which are read at once.
// Belongs to one reader, not thread-safe.
class BlobFileScan {
 public:
  BlobFileScan(std::shared_ptr<const BlobBytes> bytes, const ReadLimits& limits, size_t ahead_bytes)
      : bytes_(std::move(bytes)), limits_(limits), ahead_(ahead_bytes) {}

  // Exactly n bytes, which stay until the next call. Errors name the file. SUSPENDS.
  [[nodiscard]] Status Read(uint64_t offset, size_t n, Slice* result);
  // Whether no Read() has failed.
  bool ok() const { return ok_; }

 private:
  const std::shared_ptr<const BlobBytes> bytes_;
  const ReadLimits limits_;
  BlobReadAheads ahead_;
  std::unique_ptr<Blob> own_;  // of what is not read ahead
  bool ok_ = true;
};

// Calls `visit` for each record from the file's header to `end` (where the footer begins, if there
// is one), in their order, as long as it returns OK. Each is checked against its checksums first; a
// Corruption, other than of the scan, does not name the file. *offset: where it ended, behind the
// last record if all is well. SUSPENDS.
[[nodiscard]] Status VisitBlobRecords(BlobFileScan* scan, uint64_t end,
                                      const std::function<Status(const BlobRecord&)>& visit,
                                      uint64_t* offset);

}  // namespace cairn
