// Reading one block: bytes from the file (or from what was read ahead), checksum, decompression.
//
// Called by the table reader. BlockSource is constant once its table is open: thread-safe. Reads
// SUSPEND. Every error names the file and the offset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/read_limits.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/statistics.h"
#include "table/block.h"
#include "table/compression.h"
#include "table/format.h"
#include "table/prefetch_buffer.h"

namespace cairn {

// What all blocks of a table have in common.
struct BlockSource {
  std::unique_ptr<RandomAccessFileReader> file;
  uint64_t file_size = 0;
  Footer footer;
  Statistics* statistics = nullptr;
  std::unique_ptr<DecompressionDict> dict;  // of the data blocks; may be null
  // Without a dictionary, of a CompressionManager; null: blocks are of the built-in types.
  std::unique_ptr<DecompressionDict> by_manager;
  MemoryAllocator* allocator = nullptr;   // of the block cache; null: none
  PersistentCache* persistent = nullptr;  // borrowed; null: none, or it is not known as what yet
  uint64_t persistent_prefix = 0;         // of this table's keys in it

  std::string Where(uint64_t offset) const { return InFileAt(file->file_name(), offset); }
};

// What a block is for, as the performance contexts tell them apart.
enum class BlockKind : uint8_t { kData, kIndex, kFilter, kDictionary, kMetadata };

// What a read has to do with the persistent cache: nothing, it may find the block there, or bring
// it there, too.
enum class Persistence : uint8_t { kNone, kLookup, kLookupAndInsert };

// Reads the block at `handle`. `dict`: null for all but data blocks. `prefetch` may be null; then
// `limits` says how long the read may take, else its own limits do.
[[nodiscard]] Status ReadBlock(const BlockSource& source, const BlockHandle& handle, BlockKind kind,
                               bool verify_checksum, const DecompressionDict* dict,
                               PrefetchBuffer* prefetch, Block::Ptr* block,
                               const ReadLimits& limits = {},
                               Persistence persistence = Persistence::kNone);

// Corruption: the checksum behind the `size` bytes of a block, `raw`, is not theirs.
[[nodiscard]] Status VerifyBlockChecksum(const BlockSource& source, uint64_t offset,
                                         const char* raw, size_t size);

// The error of a block whose contents make no sense.
Status BlockCorruption(const BlockSource& source, uint64_t offset, const char* what);

}  // namespace cairn
