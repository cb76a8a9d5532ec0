// Blocks of tables without timestamps (base/timestamps.h), as a family reads them whose keys have
// some: each key gets the smallest one.
//
// Such a block is rewritten when it is read, so that caches and cursors know only keys with
// timestamps. What is said of the layout (restart points, differences of values, a hash index) is
// the rewritten block's own. Thread-safe.
#pragma once

#include <cstddef>

#include "base/namespace.h"
#include "rocksdb/memory_allocator.h"
#include "table/block.h"

namespace cairn {

// What index blocks look like when they are rewritten, where the table has them in `stored`.
IndexFormat FormatWithTimestamps(const IndexFormat& stored);

// Makes the same entries with timestamps of `ts_size` bytes, a block whose restart points are
// parsed. Null, or what is wrong with `bare`. `allocator`: see Block::Allocate. *with_timestamps is
// null where there is no memory. REQUIRES: bare.ParseRestarts() went well
const char* AddTimestamps(const Block& bare, size_t ts_size, MemoryAllocator* allocator,
                          Block::Ptr* with_timestamps);
// The same of an index block that was initialized; the new one is not parsed yet, and has
// FormatWithTimestamps.
const char* AddTimestampsToIndex(const IndexBlock& bare, size_t ts_size, MemoryAllocator* allocator,
                                 Block::Ptr* with_timestamps);

}  // namespace cairn
