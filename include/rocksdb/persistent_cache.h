// PersistentCache: RocksDB's cache of blocks on a faster disk. Cairn has none of its own and uses
// none: BlockBasedTableOptions::persistent_cache is refused. A SecondaryCache takes its place
// (rocksdb/secondary_cache.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class PersistentCache {
 public:
  using StatsType = std::vector<std::map<std::string, double>>;

  virtual ~PersistentCache() = default;

  virtual Status Insert(const Slice& key, const char* data, size_t size) = 0;
  virtual Status Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) = 0;
  // Whether blocks are kept as they lie in their files.
  virtual bool IsCompressed() = 0;
  virtual StatsType Stats() = 0;
  virtual std::string GetPrintableOptions() const = 0;
  // A number that no other user of the cache was given.
  virtual uint64_t NewId() = 0;
};

// NotSupported. (RocksDB: a cache of `size` bytes in the directory `path`.)
Status NewPersistentCache(Env* env, const std::string& path, uint64_t size,
                          const std::shared_ptr<Logger>& log, bool optimized_for_nvm,
                          std::shared_ptr<PersistentCache>* cache);

}  // namespace ROCKSDB_NAMESPACE
