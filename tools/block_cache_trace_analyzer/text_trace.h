// A trace as lines of 21 numbers and names, in RocksDB's columns: for scripts, and to be analysed
// again without the keys.
//
//   timestamp, block's id, type, size, family's id, family, level, file, caller, no_insert,
//   Get's id, key's id, referenced bytes, hit, key exists, keys in the block, table's id + 1,
//   sequence number + 1, size of the block's key, size of the referenced key, block's offset
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "block_cache_trace_analyzer/accesses.h"

namespace block_cache_trace_analyzer {

// With its line feed. `key_id`: 0 if it is none of a Get.
std::string TextOfAccess(const BlockCacheTraceRecord& access, uint64_t block_id, uint64_t key_id);

// False: it is no such line. Keys are as different as their ids, and as long as they were.
bool ParseAccess(std::string_view line, BlockCacheTraceRecord* access);

}  // namespace block_cache_trace_analyzer
