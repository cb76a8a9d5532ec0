// PersistentCache: blocks of tables on a faster disk than the tables' own, as in RocksDB.
//
// With BlockBasedTableOptions::persistent_cache a block that the block cache lacks is looked up
// here before its table's file is read, and what is read from the file is inserted: data, index and
// filter blocks, also where there is no block cache. What does not fill the block cache
// (ReadOptions::fill_cache = false, compactions) is looked up, not inserted; so is what is read
// without verify_checksums. Nobody asks for what was read ahead, at the opening of a table, too,
// and VerifyChecksum() reads the files. Tickers: PERSISTENT_CACHE_HIT, PERSISTENT_CACHE_MISS.
//
// A cache of the user's own implements this class; NewPersistentCache() makes Cairn's.
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

// Thread safety: its functions are called by many threads at once. What they throw is undefined.
// One that blocks its thread holds up the fibers of that thread.
class PersistentCache {
 public:
  using StatsType = std::vector<std::map<std::string, double>>;

  virtual ~PersistentCache() = default;

  // Keeps a copy of the `size` bytes at `data`, or does not: the status is not looked at. `key`: 16
  // bytes, which name one block of one table for ever.
  virtual Status Insert(const Slice& key, const char* data, size_t size) = 0;
  // OK: *data has the *size bytes that were inserted. Anything else is a miss. If IsCompressed(),
  // so are bytes of another size, or with another checksum than the block's; else there is nothing
  // to compare them with, but a block that makes no sense is read from its file.
  virtual Status Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) = 0;
  // True: blocks are kept as they lie in their files, perhaps compressed, with the five bytes
  // behind them. False: uncompressed, and without those. Always the same.
  virtual bool IsCompressed() = 0;
  // One map for each tier.
  virtual StatsType Stats() = 0;
  // For LOG.
  virtual std::string GetPrintableOptions() const = 0;
  // A number that no other user of the cache was given.
  virtual uint64_t NewId() = 0;
};

// A cache of blocks as they lie in their files, in files path/cache/NUMBER.rc of up to an eighth of
// `size` (100 MiB at most), of which the oldest goes when all would exceed `size` bytes (1 MiB or
// more). It begins empty, and takes away what an earlier one has left there; it belongs to one
// process and one cache at a time. Insertions gather in memory, 1 MiB at a time; one that meets two
// full ones, of which the first is still being written, is dropped (TryAgain). What cannot be read
// back as it was written is a miss. After a write that failed, nothing more is inserted until the
// cache is made anew.
//
// `env`: whose file system it is, borrowed. `log`: what goes wrong is told there; may be null.
// `optimized_for_nvm`: reads and writes go past the page cache, where the file system can do so.
// InvalidArgument: no `env`, no `path`, or too small a size; IOError: no `cache`, or what the file
// system says. The parent of `path` must exist.
Status NewPersistentCache(Env* env, const std::string& path, uint64_t size,
                          const std::shared_ptr<Logger>& log, bool optimized_for_nvm,
                          std::shared_ptr<PersistentCache>* cache);

}  // namespace ROCKSDB_NAMESPACE
