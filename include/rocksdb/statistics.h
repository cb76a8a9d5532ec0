// Statistics: counters ("tickers") and histograms that a database fills when DBOptions::statistics
// is set.
//
// Thread-safe, from threads and fibers alike; counting is sharded, so readers see sums that are
// exact only when nobody counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// The order is RocksDB 7.8.3's, and what came later follows (the C interface's numbers are RocksDB
// 10.4's). TickersNameMap gives
// each one's name in text
// ("rocksdb.block.cache.miss"); units are in the names: BYTES, MICROS, NANOS, else events. Tickers
// of features that Cairn lacks stay 0.
enum Tickers : uint32_t {
  BLOCK_CACHE_MISS = 0,
  BLOCK_CACHE_HIT,
  BLOCK_CACHE_ADD,
  BLOCK_CACHE_ADD_FAILURES,
  BLOCK_CACHE_INDEX_MISS,
  BLOCK_CACHE_INDEX_HIT,
  BLOCK_CACHE_INDEX_ADD,
  BLOCK_CACHE_INDEX_BYTES_INSERT,
  BLOCK_CACHE_INDEX_BYTES_EVICT,
  BLOCK_CACHE_FILTER_MISS,
  BLOCK_CACHE_FILTER_HIT,
  BLOCK_CACHE_FILTER_ADD,
  BLOCK_CACHE_FILTER_BYTES_INSERT,
  BLOCK_CACHE_FILTER_BYTES_EVICT,
  BLOCK_CACHE_DATA_MISS,
  BLOCK_CACHE_DATA_HIT,
  BLOCK_CACHE_DATA_ADD,
  BLOCK_CACHE_DATA_BYTES_INSERT,
  BLOCK_CACHE_BYTES_READ,
  BLOCK_CACHE_BYTES_WRITE,
  BLOOM_FILTER_USEFUL,
  BLOOM_FILTER_FULL_POSITIVE,
  BLOOM_FILTER_FULL_TRUE_POSITIVE,
  BLOOM_FILTER_MICROS,
  PERSISTENT_CACHE_HIT,
  PERSISTENT_CACHE_MISS,
  SIM_BLOCK_CACHE_HIT,
  SIM_BLOCK_CACHE_MISS,
  MEMTABLE_HIT,
  MEMTABLE_MISS,
  GET_HIT_L0,
  GET_HIT_L1,
  GET_HIT_L2_AND_UP,
  COMPACTION_KEY_DROP_NEWER_ENTRY,
  COMPACTION_KEY_DROP_OBSOLETE,
  COMPACTION_KEY_DROP_RANGE_DEL,
  COMPACTION_KEY_DROP_USER,
  COMPACTION_RANGE_DEL_DROP_OBSOLETE,
  COMPACTION_OPTIMIZED_DEL_DROP_OBSOLETE,
  COMPACTION_CANCELLED,
  NUMBER_KEYS_WRITTEN,
  NUMBER_KEYS_READ,
  NUMBER_KEYS_UPDATED,
  BYTES_WRITTEN,
  BYTES_READ,
  NUMBER_DB_SEEK,
  NUMBER_DB_NEXT,
  NUMBER_DB_PREV,
  NUMBER_DB_SEEK_FOUND,
  NUMBER_DB_NEXT_FOUND,
  NUMBER_DB_PREV_FOUND,
  ITER_BYTES_READ,
  NO_FILE_CLOSES,
  NO_FILE_OPENS,
  NO_FILE_ERRORS,
  STALL_L0_SLOWDOWN_MICROS,
  STALL_MEMTABLE_COMPACTION_MICROS,
  STALL_L0_NUM_FILES_MICROS,
  STALL_MICROS,
  DB_MUTEX_WAIT_MICROS,
  RATE_LIMIT_DELAY_MILLIS,
  NO_ITERATORS,
  NUMBER_MULTIGET_CALLS,
  NUMBER_MULTIGET_KEYS_READ,
  NUMBER_MULTIGET_BYTES_READ,
  NUMBER_FILTERED_DELETES,
  NUMBER_MERGE_FAILURES,
  BLOOM_FILTER_PREFIX_CHECKED,
  BLOOM_FILTER_PREFIX_USEFUL,
  NUMBER_OF_RESEEKS_IN_ITERATION,
  GET_UPDATES_SINCE_CALLS,
  BLOCK_CACHE_COMPRESSED_MISS,
  BLOCK_CACHE_COMPRESSED_HIT,
  BLOCK_CACHE_COMPRESSED_ADD,
  BLOCK_CACHE_COMPRESSED_ADD_FAILURES,
  WAL_FILE_SYNCED,
  WAL_FILE_BYTES,
  WRITE_DONE_BY_SELF,
  WRITE_DONE_BY_OTHER,
  WRITE_TIMEDOUT,
  WRITE_WITH_WAL,
  COMPACT_READ_BYTES,
  COMPACT_WRITE_BYTES,
  FLUSH_WRITE_BYTES,
  COMPACT_READ_BYTES_MARKED,
  COMPACT_READ_BYTES_PERIODIC,
  COMPACT_READ_BYTES_TTL,
  COMPACT_WRITE_BYTES_MARKED,
  COMPACT_WRITE_BYTES_PERIODIC,
  COMPACT_WRITE_BYTES_TTL,
  NUMBER_DIRECT_LOAD_TABLE_PROPERTIES,
  NUMBER_SUPERVERSION_ACQUIRES,
  NUMBER_SUPERVERSION_RELEASES,
  NUMBER_SUPERVERSION_CLEANUPS,
  NUMBER_BLOCK_COMPRESSED,
  NUMBER_BLOCK_DECOMPRESSED,
  NUMBER_BLOCK_NOT_COMPRESSED,
  MERGE_OPERATION_TOTAL_TIME,
  FILTER_OPERATION_TOTAL_TIME,
  ROW_CACHE_HIT,
  ROW_CACHE_MISS,
  READ_AMP_ESTIMATE_USEFUL_BYTES,
  READ_AMP_TOTAL_READ_BYTES,
  NUMBER_RATE_LIMITER_DRAINS,
  NUMBER_ITER_SKIP,
  BLOB_DB_NUM_PUT,
  BLOB_DB_NUM_WRITE,
  BLOB_DB_NUM_GET,
  BLOB_DB_NUM_MULTIGET,
  BLOB_DB_NUM_SEEK,
  BLOB_DB_NUM_NEXT,
  BLOB_DB_NUM_PREV,
  BLOB_DB_NUM_KEYS_WRITTEN,
  BLOB_DB_NUM_KEYS_READ,
  BLOB_DB_BYTES_WRITTEN,
  BLOB_DB_BYTES_READ,
  BLOB_DB_WRITE_INLINED,
  BLOB_DB_WRITE_INLINED_TTL,
  BLOB_DB_WRITE_BLOB,
  BLOB_DB_WRITE_BLOB_TTL,
  BLOB_DB_BLOB_FILE_BYTES_WRITTEN,
  BLOB_DB_BLOB_FILE_BYTES_READ,
  BLOB_DB_BLOB_FILE_SYNCED,
  BLOB_DB_BLOB_INDEX_EXPIRED_COUNT,
  BLOB_DB_BLOB_INDEX_EXPIRED_SIZE,
  BLOB_DB_BLOB_INDEX_EVICTED_COUNT,
  BLOB_DB_BLOB_INDEX_EVICTED_SIZE,
  BLOB_DB_GC_NUM_FILES,
  BLOB_DB_GC_NUM_NEW_FILES,
  BLOB_DB_GC_FAILURES,
  BLOB_DB_GC_NUM_KEYS_OVERWRITTEN,
  BLOB_DB_GC_NUM_KEYS_EXPIRED,
  BLOB_DB_GC_NUM_KEYS_RELOCATED,
  BLOB_DB_GC_BYTES_OVERWRITTEN,
  BLOB_DB_GC_BYTES_EXPIRED,
  BLOB_DB_GC_BYTES_RELOCATED,
  BLOB_DB_FIFO_NUM_FILES_EVICTED,
  BLOB_DB_FIFO_NUM_KEYS_EVICTED,
  BLOB_DB_FIFO_BYTES_EVICTED,
  TXN_PREPARE_MUTEX_OVERHEAD,
  TXN_OLD_COMMIT_MAP_MUTEX_OVERHEAD,
  TXN_DUPLICATE_KEY_OVERHEAD,
  TXN_SNAPSHOT_MUTEX_OVERHEAD,
  TXN_GET_TRY_AGAIN,
  NUMBER_MULTIGET_KEYS_FOUND,
  NO_ITERATOR_CREATED,
  NO_ITERATOR_DELETED,
  BLOCK_CACHE_COMPRESSION_DICT_MISS,
  BLOCK_CACHE_COMPRESSION_DICT_HIT,
  BLOCK_CACHE_COMPRESSION_DICT_ADD,
  BLOCK_CACHE_COMPRESSION_DICT_BYTES_INSERT,
  BLOCK_CACHE_COMPRESSION_DICT_BYTES_EVICT,
  BLOCK_CACHE_ADD_REDUNDANT,
  BLOCK_CACHE_INDEX_ADD_REDUNDANT,
  BLOCK_CACHE_FILTER_ADD_REDUNDANT,
  BLOCK_CACHE_DATA_ADD_REDUNDANT,
  BLOCK_CACHE_COMPRESSION_DICT_ADD_REDUNDANT,
  FILES_MARKED_TRASH,
  FILES_DELETED_IMMEDIATELY,
  ERROR_HANDLER_BG_ERROR_COUNT,
  ERROR_HANDLER_BG_IO_ERROR_COUNT,
  ERROR_HANDLER_BG_RETRYABLE_IO_ERROR_COUNT,
  ERROR_HANDLER_AUTORESUME_COUNT,
  ERROR_HANDLER_AUTORESUME_RETRY_TOTAL_COUNT,
  ERROR_HANDLER_AUTORESUME_SUCCESS_COUNT,
  MEMTABLE_PAYLOAD_BYTES_AT_FLUSH,
  MEMTABLE_GARBAGE_BYTES_AT_FLUSH,
  SECONDARY_CACHE_HITS,
  VERIFY_CHECKSUM_READ_BYTES,
  BACKUP_READ_BYTES,
  BACKUP_WRITE_BYTES,
  REMOTE_COMPACT_READ_BYTES,
  REMOTE_COMPACT_WRITE_BYTES,
  HOT_FILE_READ_BYTES,
  WARM_FILE_READ_BYTES,
  COLD_FILE_READ_BYTES,
  HOT_FILE_READ_COUNT,
  WARM_FILE_READ_COUNT,
  COLD_FILE_READ_COUNT,
  LAST_LEVEL_READ_BYTES,
  LAST_LEVEL_READ_COUNT,
  NON_LAST_LEVEL_READ_BYTES,
  NON_LAST_LEVEL_READ_COUNT,
  BLOCK_CHECKSUM_COMPUTE_COUNT,
  MULTIGET_COROUTINE_COUNT,
  BLOB_DB_CACHE_MISS,
  BLOB_DB_CACHE_HIT,
  BLOB_DB_CACHE_ADD,
  BLOB_DB_CACHE_ADD_FAILURES,
  BLOB_DB_CACHE_BYTES_READ,
  BLOB_DB_CACHE_BYTES_WRITE,
  READ_ASYNC_MICROS,
  ASYNC_READ_ERROR_COUNT,
  // Of RocksDB 8 and later.
  BYTES_COMPRESSED_FROM,       // blocks that were compressed: before
  BYTES_COMPRESSED_TO,         // and after
  BYTES_COMPRESSION_BYPASSED,  // blocks that were not to be
  BYTES_COMPRESSION_REJECTED,  // blocks that did not become small enough
  NUMBER_BLOCK_COMPRESSION_BYPASSED,
  NUMBER_BLOCK_COMPRESSION_REJECTED,
  BYTES_DECOMPRESSED_FROM,
  BYTES_DECOMPRESSED_TO,
  BLOCK_CHECKSUM_MISMATCH_COUNT,
  COMPACTION_CPU_TOTAL_TIME,  // microseconds
  FIFO_MAX_SIZE_COMPACTIONS,
  FIFO_TTL_COMPACTIONS,
  FIFO_CHANGE_TEMPERATURE_COMPACTIONS,
  TICKER_ENUM_MAX
};

// Every ticker with its name, in order.
extern const std::vector<std::pair<Tickers, std::string>> TickersNameMap;

// Distributions: microseconds for times unless the name says NANOS, else bytes or counts.
enum Histograms : uint32_t {
  DB_GET = 0,
  DB_WRITE,
  COMPACTION_TIME,
  COMPACTION_CPU_TIME,
  SUBCOMPACTION_SETUP_TIME,
  TABLE_SYNC_MICROS,
  COMPACTION_OUTFILE_SYNC_MICROS,
  WAL_FILE_SYNC_MICROS,
  MANIFEST_FILE_SYNC_MICROS,
  TABLE_OPEN_IO_MICROS,
  DB_MULTIGET,
  READ_BLOCK_COMPACTION_MICROS,
  READ_BLOCK_GET_MICROS,
  WRITE_RAW_BLOCK_MICROS,
  STALL_L0_SLOWDOWN_COUNT,
  STALL_MEMTABLE_COMPACTION_COUNT,
  STALL_L0_NUM_FILES_COUNT,
  HARD_RATE_LIMIT_DELAY_COUNT,
  SOFT_RATE_LIMIT_DELAY_COUNT,
  NUM_FILES_IN_SINGLE_COMPACTION,
  DB_SEEK,
  WRITE_STALL,
  SST_READ_MICROS,
  NUM_SUBCOMPACTIONS_SCHEDULED,
  BYTES_PER_READ,
  BYTES_PER_WRITE,
  BYTES_PER_MULTIGET,
  BYTES_COMPRESSED,
  BYTES_DECOMPRESSED,
  COMPRESSION_TIMES_NANOS,
  DECOMPRESSION_TIMES_NANOS,
  READ_NUM_MERGE_OPERANDS,
  BLOB_DB_KEY_SIZE,
  BLOB_DB_VALUE_SIZE,
  BLOB_DB_WRITE_MICROS,
  BLOB_DB_GET_MICROS,
  BLOB_DB_MULTIGET_MICROS,
  BLOB_DB_SEEK_MICROS,
  BLOB_DB_NEXT_MICROS,
  BLOB_DB_PREV_MICROS,
  BLOB_DB_BLOB_FILE_WRITE_MICROS,
  BLOB_DB_BLOB_FILE_READ_MICROS,
  BLOB_DB_BLOB_FILE_SYNC_MICROS,
  BLOB_DB_GC_MICROS,
  BLOB_DB_COMPRESSION_MICROS,
  BLOB_DB_DECOMPRESSION_MICROS,
  FLUSH_TIME,
  SST_BATCH_SIZE,
  NUM_INDEX_AND_FILTER_BLOCKS_READ_PER_LEVEL,
  NUM_DATA_BLOCKS_READ_PER_LEVEL,
  NUM_SST_READ_PER_LEVEL,
  ERROR_HANDLER_AUTORESUME_RETRY_COUNT,
  ASYNC_READ_BYTES,
  POLL_WAIT_MICROS,
  PREFETCHED_BYTES_DISCARDED,
  MULTIGET_IO_BATCH_SIZE,
  NUM_LEVEL_READ_PER_MULTIGET,
  ASYNC_PREFETCH_ABORT_MICROS,
  // Of RocksDB 8 and later: writes of tables, by all and by what they are for.
  SST_WRITE_MICROS,
  FILE_WRITE_FLUSH_MICROS,
  FILE_WRITE_COMPACTION_MICROS,
  HISTOGRAM_ENUM_MAX
};

// Every histogram with its name, in order.
extern const std::vector<std::pair<Histograms, std::string>> HistogramsNameMap;

struct HistogramData {
  double median;
  double percentile95;
  double percentile99;
  double average;
  double standard_deviation;
  double max = 0.0;
  uint64_t count = 0;
  uint64_t sum = 0;
  double min = 0.0;
};

// What is measured; each level includes those before it. Reading clocks is what costs.
enum StatsLevel : uint8_t {
  kDisableAll,
  kExceptTickers = kDisableAll,
  kExceptHistogramOrTimers,
  kExceptTimers,
  kExceptDetailedTimers,
  kExceptTimeForMutex,
  kAll,
};

struct ConfigOptions;

class Statistics : public Customizable {
 public:
  ~Statistics() override = default;
  static const char* Type() { return "Statistics"; }
  // CreateDBStatistics() for "" and "BasicStatistics", null for "nullptr", or what is registered
  // under an id (utilities/object_registry.h).
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<Statistics>* result);
  const char* Name() const override { return ""; }

  // A number that is no ticker (TICKER_ENUM_MAX or more), or no histogram, counts nothing and has
  // counted nothing.
  virtual uint64_t getTickerCount(uint32_t tickerType) const = 0;
  virtual void histogramData(uint32_t type, HistogramData* const data) const = 0;
  // The histogram as a table of text.
  virtual std::string getHistogramString(uint32_t /*type*/) const { return ""; }
  virtual void recordTick(uint32_t tickerType, uint64_t count = 0) = 0;
  virtual void setTickerCount(uint32_t tickerType, uint64_t count) = 0;
  virtual uint64_t getAndResetTickerCount(uint32_t tickerType) = 0;

  // recordInHistogram, unless the level leaves timers out.
  virtual void reportTimeToHistogram(uint32_t histogramType, uint64_t time) {
    if (get_stats_level() > StatsLevel::kExceptTimers) recordInHistogram(histogramType, time);
  }
  virtual void recordInHistogram(uint32_t histogramType, uint64_t time) = 0;

  // Sets all to zero.
  virtual Status Reset() { return Status::NotSupported("Not implemented"); }

  // All tickers and histograms, one a line, in RocksDB's format.
  virtual std::string ToString() const { return ""; }

  // All tickers by name; false if not supported.
  virtual bool getTickerMap(std::map<std::string, uint64_t>* /*map*/) const { return false; }

  virtual bool HistEnabledForType(uint32_t type) const { return type < HISTOGRAM_ENUM_MAX; }

  void set_stats_level(StatsLevel sl) { stats_level_.store(sl, std::memory_order_relaxed); }
  StatsLevel get_stats_level() const { return stats_level_.load(std::memory_order_relaxed); }

 private:
  // Relaxed: a changed level may take effect a little later.
  std::atomic<StatsLevel> stats_level_{kExceptDetailedTimers};
};

// The implementation that counts.
std::shared_ptr<Statistics> CreateDBStatistics();

}  // namespace ROCKSDB_NAMESPACE
