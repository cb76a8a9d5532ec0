// How large a table would be with other compression: it is built anew, in memory, and thrown away.
//
// Thread safety: none. SUSPENDS.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/compression_type.h"
#include "toolkit/table_file.h"

namespace cairn {

struct RecompressedSize {
  uint64_t file_size = 0;  // bytes
  uint64_t data_blocks = 0;
  uint64_t compressed = 0;  // blocks that were stored compressed
  uint64_t aborted = 0;     // blocks that compression did not make smaller
  uint64_t micros = 0;      // that it took
};

// `block_size`: bytes. NotSupported: this build does not know that compression.
[[nodiscard]] Status Recompress(const TableFile& table, size_t block_size, CompressionType type,
                                const CompressionOptions& options, RecompressedSize* size);

}  // namespace cairn
