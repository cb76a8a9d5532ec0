// Under which keys the blocks of a table lie in the block cache: a prefix of the table's own, the
// kind of block, and where it begins in the file. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/table_properties.h"

namespace cairn {

// The kind is in the key because a damaged handle may say that a data block's place is an index's.
enum class CachedBlock : uint64_t { kData = 0, kIndex = 1, kFilter = 2 };

class BlockCacheKey {
 public:
  BlockCacheKey(uint64_t prefix, CachedBlock kind, uint64_t offset) {
    EncodeFixed64(bytes_, prefix ^ static_cast<uint64_t>(kind) << 62);
    EncodeFixed64(bytes_ + 8, offset);
  }
  Slice slice() const { return {bytes_, sizeof(bytes_)}; }

 private:
  char bytes_[16];
};

// A table keeps its prefix over reopening, so that its cached blocks stay of use. One that is read
// under the number that it was made with is known by that and by its session; so its writer knows
// the prefix before the table is complete. Of others more must agree: they came from elsewhere.
// Empty: the properties do not say enough, the table is only known while it is open.
std::optional<uint64_t> CachePrefixOf(const TableProperties& properties, uint64_t file_number,
                                      uint64_t file_size, bool bare_keys);

}  // namespace cairn
