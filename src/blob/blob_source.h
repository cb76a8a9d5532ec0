// BlobSource: where a column family's blobs come from: the blob cache, or a blob file.
//
// db/ makes one for each family; lookups, iterators, flushes and compactions ask it with what a
// table has instead of the value (blob_format.h). Open blob files are kept among the open tables,
// so that max_open_files limits both. A value comes pinned in the cache, or in memory of its own.
//
// Thread-safe. Get SUSPENDS where it reads. Lifetime: outlives the values that it pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "blob/blob_file_reader.h"
#include "blob/blob_format.h"
#include "blob/blob_read_ahead.h"
#include "fiber/mutex.h"
#include "rocksdb/cache.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "table/memory_charges.h"
#include "table/table_cache.h"

namespace cairn {

struct BlobSourceOptions {
  FileSystem* fs = nullptr;
  FileOptions file_options;
  std::string directory;  // where the files are: the first of the database's paths
  uint32_t column_family_id = 0;
  size_t timestamp_size = 0;               // of its keys
  std::shared_ptr<OpenTables> open_files;  // null: its own, without a limit
  std::shared_ptr<Cache> cache;            // ColumnFamilyOptions::blob_cache; may be null
  Statistics* statistics = nullptr;        // may be null
  // How iterators read ahead: as they do of tables (BlockBasedTableOptions).
  size_t initial_auto_readahead_size = 0;  // bytes; 0: only as ReadOptions say
  size_t max_auto_readahead_size = 0;
  uint64_t num_file_reads_for_auto_readahead = 0;
  std::shared_ptr<const MemoryCharges> charges;  // may be null
};

class BlobSource {
 public:
  explicit BlobSource(BlobSourceOptions options);
  BlobSource(const BlobSource&) = delete;
  BlobSource& operator=(const BlobSource&) = delete;

  // The value of `key`, whose table has `index` (as it is stored, and not part of *value).
  // Incomplete: kBlockCacheTier, and the blob cache has it not. Corruption, IOError: of the index
  // or the file, both named. `ahead`: a job's or an iterator's; may be null. *bytes_read (may be
  // null): of the file.
  [[nodiscard]] Status Get(const ReadOptions& options, const Slice& key, const Slice& index,
                           PinnableSlice* value, BlobReadAheads* ahead = nullptr,
                           uint64_t* bytes_read = nullptr);

  // How an iterator with these options reads ahead.
  BlobReadAheadOptions HowToReadAhead(const ReadOptions& options) const;

  // Puts a value there that was just written (prepopulate_blob_cache). Nothing without a cache.
  void AddToCache(const BlobIndex& index, const Slice& value);

  // Checks all of a file against its checksums. SUSPENDS.
  [[nodiscard]] Status VerifyFile(const ReadOptions& options, uint64_t number);
  // Opens the file, which tells whether it is one. SUSPENDS.
  [[nodiscard]] Status CheckFile(uint64_t number);

  // Closes the file once its last reader is gone: it is about to be deleted.
  void Evict(uint64_t number);

  std::string PathOf(uint64_t number) const;
  const std::shared_ptr<Cache>& cache() const { return options_.cache; }

 private:
  static constexpr size_t kOpenLocks = 16;

  // An open file, as long as this lives.
  class OpenFile;
  struct CacheKey;

  Status Open(uint64_t number, const ReadLimits& limits, OpenFile* file);
  bool GetFromCache(const BlobIndex& index, PinnableSlice* value);
  // Takes the blob over, into the cache if `fill`.
  void Pin(const BlobIndex& index, bool fill, std::unique_ptr<Blob> blob, PinnableSlice* value);
  void Tick(uint32_t ticker, uint64_t n = 1) const {
    if (options_.statistics != nullptr) options_.statistics->recordTick(ticker, n);
  }

  const BlobSourceOptions options_;
  const std::shared_ptr<OpenTables> open_files_;
  const uint64_t cache_prefix_;  // of this source's keys in the blob cache
  fiber::Mutex open_mu_[kOpenLocks];
};

}  // namespace cairn
