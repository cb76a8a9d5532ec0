// The options of the database under test, from the command line.
#pragma once

#include "kv_bench/engine.h"

namespace kv_bench {

// The caller's, to be given back to rocksdb_options_destroy(). What no flag sets keeps the
// library's default, but for level_compaction_dynamic_level_bytes, in whose default releases
// differ.
rocksdb_options_t* MakeOptions(const Engine& engine, rocksdb_cache_t* cache);

}  // namespace kv_bench
