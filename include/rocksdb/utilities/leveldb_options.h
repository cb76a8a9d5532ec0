// The options of LevelDB, for a program that comes from there.
#pragma once

#include <cstddef>

#include "rocksdb/compression_type.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class Cache;
class Comparator;
class Env;
class FilterPolicy;
class Logger;
struct Options;
class Snapshot;

// With LevelDB's defaults, which are those that stand in the comments.
struct LevelDBOptions {
  // The order of the keys: BytewiseComparator().
  const Comparator* comparator;
  bool create_if_missing;  // false
  bool error_if_exists;    // false
  bool paranoid_checks;    // false
  Env* env;                // Env::Default()
  Logger* info_log;        // null: the file LOG in the database's directory

  size_t write_buffer_size;     // bytes: 4 MiB
  int max_open_files;           // 1000
  Cache* block_cache;           // null: one of the database's own
  size_t block_size;            // bytes, before compression: 4096
  int block_restart_interval;   // keys: 16
  CompressionType compression;  // kSnappyCompression
  // Null: no filters.
  const FilterPolicy* filter_policy;

  LevelDBOptions();
};

// All else has this library's defaults. The result owns the info_log, the block cache and the
// filter policy.
Options ConvertOptions(const LevelDBOptions& leveldb_options);

}  // namespace ROCKSDB_NAMESPACE
