// CacheWarmer: puts the blocks of a table into the block cache while it is being written
// (BlockBasedTableOptions::prepopulate_block_cache), as a reader would have put them there.
//
// What the cache refuses, or there is no memory for, is left out: it will be read when it is
// needed. A job that fails leaves blocks under keys that no table will ever have; they age.
//
// Used by the table builder and nobody else; not thread-safe. Does not suspend.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "table/block.h"
#include "table/block_cache_key.h"
#include "table/table_options.h"

namespace cairn {

class CacheWarmer {
 public:
  // Null: the table's blocks are not to be there. `table_options` and `icmp` outlive it.
  static std::unique_ptr<CacheWarmer> Make(const BlockBasedTableOptions& table_options,
                                           const TableBuilderOptions& options,
                                           const InternalKeyComparator& icmp);

  // A data block, uncompressed; in the order of the file.
  void AddData(const Slice& contents);
  // Where the oldest of them that was not placed begins in the file.
  void PlaceData(uint64_t offset);
  // A block of the index or the filter, which are in partitions. The one behind which none comes is
  // where a reader begins, and belongs to the table.
  void AddIndex(const Slice& contents, const IndexFormat& format, uint64_t offset);
  void AddFilter(const Slice& contents, uint64_t offset);

 private:
  CacheWarmer(const BlockBasedTableOptions& table_options, const TableBuilderOptions& options,
              const InternalKeyComparator& icmp, uint64_t prefix);
  Block::Ptr Copy(const Slice& contents, uint64_t offset) const;
  // Takes `value`, of which the cache gets `charge` bytes, if it is not refused.
  void Insert(CachedBlock kind, uint64_t offset, void* value, size_t charge);

  const BlockBasedTableOptions& table_options_;
  const uint64_t prefix_;  // of the keys in the cache
  const bool bytewise_;
  const bool secondary_;  // blocks may go on to a secondary cache
  const uint8_t protection_bytes_;
  const Cache::Priority priority_;  // of data blocks
  Statistics* const statistics_;
  std::deque<Block::Ptr> data_;             // not placed; null: left out
  std::unique_ptr<IndexBlock> last_index_;  // added last, and not in the cache
  Block::Ptr last_filter_;                  // likewise
};

}  // namespace cairn
