// The options of the database under test, from the command line.
#pragma once

#include <string>

#include "kv_bench/engine.h"

namespace kv_bench {

// Both are the caller's, given back to rocksdb_options_destroy() and rocksdb_cache_destroy().
// What no flag sets keeps the library's default, but for level_compaction_dynamic_level_bytes, in
// whose default releases differ. False: *error says what the library does not take; *cache may be
// there.
bool MakeOptions(const Engine& engine, rocksdb_cache_t** cache, rocksdb_options_t** options,
                 std::string* error);

}  // namespace kv_bench
