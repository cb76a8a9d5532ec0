// The options of the database under test, from the command line.
#pragma once

#include <string>

#include "kv_bench/engine.h"

namespace kv_bench {

// The caller's, to be given back to rocksdb_cache_destroy(). Null: *error says why.
rocksdb_cache_t* MakeCache(const Engine& engine, std::string* error);

// The caller's, to be given back to rocksdb_options_destroy(). What no flag sets keeps the
// library's default, but for level_compaction_dynamic_level_bytes, in whose default releases
// differ. Null: *error says what the library does not take.
rocksdb_options_t* MakeOptions(const Engine& engine, rocksdb_cache_t* cache, std::string* error);

}  // namespace kv_bench
