// The records of a blob file one by one, for those who look at all of them.
//
// Thread-safe: a function without state. Errors name no file; the caller does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

struct BlobRecord {
  uint64_t offset = 0;  // of its header, bytes
  Slice key;
  Slice value;  // as it is stored
};

// Exactly n bytes at an offset; they stay until the next call.
using ReadBlobBytes = std::function<Status(uint64_t offset, size_t n, Slice* result)>;

// Calls `visit` for each record from the file's header to `end` (where the footer begins, if there
// is one), in their order, as long as it returns OK. Each is checked against its checksums first.
// *offset: where it ended, behind the last record if all is well. SUSPENDS.
[[nodiscard]] Status VisitBlobRecords(const ReadBlobBytes& bytes_at, uint64_t end,
                                      const std::function<Status(const BlobRecord&)>& visit,
                                      uint64_t* offset);

}  // namespace cairn
