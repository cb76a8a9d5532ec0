// Data blocks whose values stand apart from the keys, as RocksDB 11 writes them where a table was
// made with separate_key_value_in_data_block:
//
//   block     [key entry]* [value]* [restart offset (fixed32)]* [hash index]
//             where the values begin (fixed32) | restart count (fixed32)
//   entry     shared key bytes | other key bytes | value size | at a restart point: where the value
//             is among the values (each varint32) | other key bytes
//
// The values lie in the order of their keys, without gaps. Such a block is rewritten into the usual
// layout (block_builder.h) when it is read: caches and cursors know only that. Cairn does not write
// them. Thread-safe.
#pragma once

#include "base/namespace.h"
#include "table/block.h"

namespace cairn {

// Whether the uncompressed `block` says that it is one.
bool HasSeparateValues(const Block& block);

// Writes the same entries in the usual layout into *joined, which has room for apart.size() bytes,
// and sets its size. Null, or what is wrong with `apart`. REQUIRES: HasSeparateValues(apart)
const char* JoinValues(const Block& apart, Block* joined);

}  // namespace cairn
