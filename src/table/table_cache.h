// TableCache: the open tables of one database.
//
// Called by the read layer (Get, iterators) and by compaction. At most max_open_files readers stay
// open, in an LRU cache keyed by file number. With max_open_files = -1 every table stays open, and
// a TableSlot beside the file's metadata remembers its reader: then a lookup goes from the metadata
// to the reader by one atomic load. But a quarter of the descriptors that the process may have is
// left to others: where that is too few for all tables, some are pinned in slots and the others
// take turns.
//
// Thread-safe. Opening a table SUSPENDS; two callers of one table open it once.
// Lifetime: TableSlots and iterators die before the TableCache and its OpenTables.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fs/read_limits.h"
#include "rocksdb/cache.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "table/get_context.h"
#include "table/read_pace.h"
#include "table/row_cache.h"
#include "table/table_reader.h"
#include "table/unique_id.h"

namespace cairn {

// The readers of all column families, and how many of them may be open. Thread-safe.
class OpenTables {
 public:
  // See DBOptions::max_open_files, DBOptions::table_cache_numshardbits.
  OpenTables(int max_open_files, int num_shard_bits);

  Cache* cache() const { return cache_.get(); }
  void SetMaxOpenFiles(int max_open_files);
  // Closes about half of the tables that nobody uses; false: there is none. SUSPENDS.
  bool CloseSome();
  // How many stay open.
  size_t capacity() const { return cache_->GetCapacity(); }

 private:
  friend class TableCache;
  friend class TableSlot;

  // Whether one more may be pinned in a slot.
  bool HasPinToSpare() const {
    return pinned_.load(std::memory_order_relaxed) < most_pinned_.load(std::memory_order_relaxed);
  }

  const std::shared_ptr<Cache> cache_;
  fiber::Mutex capacity_mutex_;  // held while the capacity changes; taken before the cache's locks
  std::atomic<size_t> pinned_{0};       // in slots; relaxed: a few too many do no harm
  std::atomic<size_t> most_pinned_{0};  // relaxed: likewise
};

// A file's pinned reader. Embedded in the file's metadata (mutable), empty until the table was
// opened once. Its destructor gives the reader back to the cache.
class TableSlot {
 public:
  TableSlot() = default;
  ~TableSlot() { Release(); }
  TableSlot(const TableSlot&) = delete;
  TableSlot& operator=(const TableSlot&) = delete;

  TableReader* reader() const { return reader_.load(std::memory_order_acquire); }
  // False: the table has been open, and has no range tombstones.
  bool MayHaveTombstones() const { return may_have_tombstones_.load(std::memory_order_relaxed); }
  // Forgets the reader. REQUIRES: nobody uses it through this slot any more.
  void Release();

 private:
  friend class TableCache;

  // Null, or the reader: set once, released after `handle_` and `tables_` (they are guarded by the
  // cache's open lock).
  std::atomic<TableReader*> reader_{nullptr};
  std::atomic<bool> may_have_tombstones_{true};  // relaxed: it says nothing about other memory
  OpenTables* tables_ = nullptr;
  Cache::Handle* handle_ = nullptr;
};

// What the cache must know of a file in order to open it.
struct TableFileId {
  uint64_t number = 0;
  uint64_t file_size = 0;  // bytes, exact
  int level = -1;          // -1: not known
  uint32_t path_id = 0;    // index into TableCacheOptions::paths
  uint64_t tail_size = 0;  // bytes after the data blocks; 0: not known
  SequenceNumber largest_seqno = kMaxSequenceNumber;
  TableSlot* slot = nullptr;  // may be null: no fast path
  // What the table must be; null, or a null one: it is not known. Lives as long as the slot.
  const UniqueId* unique_id = nullptr;
  Temperature temperature = Temperature::kUnknown;
  bool for_job = false;            // see TableReaderOptions
  bool expects_bare_keys = false;  // likewise
};

struct TableCacheOptions {
  FileSystem* fs = nullptr;
  FileOptions file_options;
  TableFactory* table_factory = nullptr;
  std::vector<std::string> paths;  // paths[path_id] is the folder of a file
  const InternalKeyComparator* icmp = nullptr;
  // Where the open tables are kept, for TableCaches that share max_open_files; null: in one of its
  // own.
  std::shared_ptr<OpenTables> open_tables;
  int num_levels = 0;
  int max_open_files = -1;  // -1: all stay open and may be pinned in slots
  int table_cache_numshardbits = 6;
  Statistics* statistics = nullptr;
  Logger* info_log = nullptr;
  const SliceTransform* prefix_extractor = nullptr;  // may be null
  bool use_secondary_cache = true;                   // of the block cache
  bool verify_unique_ids = true;                     // verify_sst_unique_id_in_manifest
  std::shared_ptr<Cache> row_cache;                  // DBOptions::row_cache; null: none
  BlockCacheTrace* block_trace = nullptr;            // as TableReaderOptions::block_trace
};

class TableCache {
 public:
  explicit TableCache(TableCacheOptions options);
  ~TableCache();
  TableCache(const TableCache&) = delete;
  TableCache& operator=(const TableCache&) = delete;

  // An open reader that stays open while this lives. Empty after an error.
  class Ref {
   public:
    Ref() = default;
    Ref(Ref&& other) noexcept;
    Ref& operator=(Ref&& other) noexcept;
    ~Ref() { Reset(); }
    TableReader* get() const { return reader_; }
    TableReader* operator->() const { return reader_; }
    void Reset();

   private:
    friend class TableCache;
    TableReader* reader_ = nullptr;
    Cache* cache_ = nullptr;  // null: the slot holds the reader
    Cache::Handle* handle_ = nullptr;
  };

  Statistics* statistics() const { return options_.statistics; }  // null: none

  // Opens the table if it is not open. Corruption: damaged, or another one than its unique id says
  // (IsUniqueIdMismatch). `no_io`: Incomplete instead of opening. `limits`: of what is
  // read for that; the opening of the file itself has none. SUSPENDS.
  [[nodiscard]] Status FindTable(const TableFileId& file, Ref* table, bool no_io = false,
                                 const ReadLimits& limits = {});

  // As FindTable, and keeps the table open as long as its slot lives, whoever deletes the file
  // (unless max_open_files is a limit). FindTable does so only where it need not wait. SUSPENDS.
  [[nodiscard]] Status KeepOpen(const TableFileId& file, const ReadLimits& limits = {});

  // See TableReader::Get. With ReadTier::kBlockCacheTier an unopened table marks the context and is
  // OK.
  [[nodiscard]] Status Get(const ReadOptions& options, const TableFileId& file,
                           const Slice& internal_key, GetContext* context,
                           bool skip_filters = false) {
    if (file.slot != nullptr) {
      if (TableReader* table = file.slot->reader()) [[likely]] {
        return table->Get(options, internal_key, context, skip_filters);
      }
    }
    return GetSlow(options, file, internal_key, context, skip_filters);
  }

  // There is a row cache: Gets that want a value come through GetRow().
  bool has_rows() const { return rows_ != nullptr; }
  // As Get, and the row cache is asked before the table. REQUIRES: has_rows(). SUSPENDS.
  [[nodiscard]] Status GetRow(const ReadOptions& options, const TableFileId& file,
                              const Slice& internal_key, GetContext* context);

  // Never null: an error comes as an iterator with that status. The iterator keeps the table open;
  // the caller deletes it.
  InternalIterator* NewIterator(const ReadOptions& options, const TableFileId& file,
                                bool for_compaction = false, bool skip_filters = false,
                                size_t compaction_readahead = 0);

  [[nodiscard]] Status GetTableProperties(const TableFileId& file,
                                          std::shared_ptr<const TableProperties>* properties,
                                          bool no_io = false);
  [[nodiscard]] Status VerifyChecksum(const ReadOptions& options, const TableFileId& file);
  // 0 when the table cannot be opened.
  uint64_t ApproximateOffsetOf(const ReadOptions& options, const TableFileId& file,
                               const Slice& internal_key);
  // Sum over the open tables, in bytes. Does not count blocks in the block cache.
  size_t ApproximateMemoryUsage() const;

  // As TableCacheOptions::max_open_files. Tables that are open for good (opened while the limit was
  // -1) stay so. Any thread.
  void SetMaxOpenFiles(int max_open_files);

  // As TableReaderOptions::max_flushed_file_size, of tables opened from now on. Any thread.
  void SetMaxFlushedFileSize(uint64_t bytes) {
    max_flushed_file_size_.store(bytes, std::memory_order_relaxed);
  }

  // As TableReaderOptions::block_protection_bytes, of tables opened from now on. Any thread.
  void SetBlockProtection(uint8_t bytes) {
    block_protection_bytes_.store(bytes, std::memory_order_relaxed);
  }

  // As TableReaderOptions::compression_manager, of tables opened from now on. Any thread.
  void SetCompressionManager(std::shared_ptr<CompressionManager> manager) {
    const fiber::MutexLock lock(&manager_mu_);
    compression_manager_ = std::move(manager);
  }

  // How long its tables' reads take.
  ReadPace* pace() { return &pace_; }

  // Closes the table (once its last user is gone): the file is about to be deleted.
  void Evict(uint64_t number);

 private:
  Status GetSlow(const ReadOptions& options, const TableFileId& file, const Slice& internal_key,
                 GetContext* context, bool skip_filters);
  Status OpenTable(const TableFileId& file, const ReadLimits& limits,
                   std::unique_ptr<TableReader>* table);
  Status OpenOnce(const TableFileId& file, const ReadLimits& limits, Ref* table);
  // `in_any_case`: though there are as many as may be.
  void Pin(const TableFileId& file, Ref* table, bool in_any_case = false);

  static constexpr size_t kOpenLocks = 64;

  const TableCacheOptions options_;
  std::atomic<bool> pin_all_;  // relaxed: a table may be pinned, or not, a little late
  std::atomic<uint64_t> max_flushed_file_size_{UINT64_MAX};  // relaxed: likewise
  std::atomic<uint8_t> block_protection_bytes_{0};           // relaxed: likewise
  fiber::Mutex manager_mu_;
  std::shared_ptr<CompressionManager> compression_manager_ FIBER_GUARDED_BY(manager_mu_);
  ReadPace pace_;
  const std::shared_ptr<OpenTables> open_tables_;
  Cache* const cache_;  // its
  const std::unique_ptr<RowCache> rows_;
  // Serialises the opening of one table, and the filling of its slot.
  fiber::Mutex open_mu_[kOpenLocks];
};

}  // namespace cairn
