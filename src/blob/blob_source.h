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
#include <unordered_map>

#include "base/namespace.h"
#include "blob/blob_file_reader.h"
#include "blob/blob_format.h"
#include "fiber/mutex.h"
#include "rocksdb/cache.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "table/table_cache.h"

namespace cairn {

struct BlobSourceOptions {
  FileSystem* fs = nullptr;
  FileOptions file_options;
  std::string directory;  // where the files are: the first of the database's paths
  uint32_t column_family_id = 0;
  std::shared_ptr<OpenTables> open_files;  // null: its own, without a limit
  std::shared_ptr<Cache> cache;            // ColumnFamilyOptions::blob_cache; may be null
  Statistics* statistics = nullptr;        // may be null
};

// What a job reads ahead, by blob file. Not thread-safe.
class BlobReadAheads {
 public:
  // `bytes`: blob_compaction_readahead_size; 0: nothing is read ahead.
  explicit BlobReadAheads(size_t bytes) : bytes_(bytes) {}
  size_t bytes() const { return bytes_; }
  // Null: nothing is.
  BlobReadAhead* Of(uint64_t file_number) { return bytes_ == 0 ? nullptr : &of_[file_number]; }

 private:
  const size_t bytes_;
  std::unordered_map<uint64_t, BlobReadAhead> of_;
};

class BlobSource {
 public:
  explicit BlobSource(BlobSourceOptions options);
  BlobSource(const BlobSource&) = delete;
  BlobSource& operator=(const BlobSource&) = delete;

  // The value of `key`, whose table has `index` (as it is stored, and not part of *value).
  // Incomplete: kBlockCacheTier, and the blob cache has it not. Corruption, IOError: of the index
  // or the file, both named. `ahead`: a job's; may be null. *bytes_read (may be null): of the file.
  [[nodiscard]] Status Get(const ReadOptions& options, const Slice& key, const Slice& index,
                           PinnableSlice* value, BlobReadAheads* ahead = nullptr,
                           uint64_t* bytes_read = nullptr);

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
