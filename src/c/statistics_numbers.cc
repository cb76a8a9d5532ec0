#include "c/statistics_numbers.h"

#include <span>

#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using namespace rocksdb;  // NOLINT(google-build-using-namespace): the names in the tables

// `count` numbers from `number` on are those that follow `first` in our enumeration.
struct Run {
  uint32_t number, count, first;
};

// What lies between the runs came after 7.8.3.
constexpr Run kTickersOf8[] = {
    {0, 8, BLOCK_CACHE_MISS},
    {8, 4, BLOCK_CACHE_FILTER_MISS},
    {12, 9, BLOCK_CACHE_DATA_MISS},
    {21, 9, PERSISTENT_CACHE_HIT},
    {31, 18, COMPACTION_KEY_DROP_OBSOLETE},
    {49, 2, NO_FILE_OPENS},
    {51, 2, STALL_MICROS},
    {53, 3, NUMBER_MULTIGET_CALLS},
    {56, 3, NUMBER_MERGE_FAILURES},
    {60, 2, NUMBER_OF_RESEEKS_IN_ITERATION},
    {62, 4, WAL_FILE_SYNCED},
    {66, 19, WRITE_WITH_WAL},
    {86, 31, ROW_CACHE_HIT},
    {117, 1, BLOB_DB_GC_NUM_KEYS_RELOCATED},
    {118, 16, BLOB_DB_GC_BYTES_RELOCATED},
    {134, 6, BLOCK_CACHE_ADD_REDUNDANT},
    {141, 2, FILES_DELETED_IMMEDIATELY},
    {144, 1, ERROR_HANDLER_BG_IO_ERROR_COUNT},
    {146, 1, ERROR_HANDLER_BG_RETRYABLE_IO_ERROR_COUNT},
    {148, 21, ERROR_HANDLER_AUTORESUME_COUNT},
    {179, 1, BLOCK_CHECKSUM_COMPUTE_COUNT},
    {181, 9, MULTIGET_COROUTINE_COUNT},
};

constexpr Run kHistogramsOf8[] = {
    {0, 14, DB_GET},
    {14, 4, NUM_FILES_IN_SINGLE_COMPACTION},
    {26, 20, NUM_SUBCOMPACTIONS_SCHEDULED},
    {46, 5, BLOB_DB_COMPRESSION_MICROS},
    {51, 8, NUM_SST_READ_PER_LEVEL},
};

constexpr Run kTickersOf10[] = {
    {0, 8, BLOCK_CACHE_MISS},
    {8, 4, BLOCK_CACHE_FILTER_MISS},
    {12, 6, BLOCK_CACHE_DATA_MISS},
    {18, 4, BLOCK_CACHE_COMPRESSION_DICT_MISS},
    {22, 5, BLOCK_CACHE_ADD_REDUNDANT},
    {27, 1, SECONDARY_CACHE_HITS},
    {35, 3, BLOOM_FILTER_USEFUL},
    {38, 2, BLOOM_FILTER_PREFIX_CHECKED},
    {41, 28, PERSISTENT_CACHE_HIT},
    {69, 1, NUMBER_ITER_SKIP},
    {70, 1, NUMBER_OF_RESEEKS_IN_ITERATION},
    {71, 2, NO_ITERATOR_CREATED},
    {73, 2, NO_FILE_OPENS},
    {75, 2, STALL_MICROS},
    {77, 3, NUMBER_MULTIGET_CALLS},
    {80, 1, NUMBER_MULTIGET_KEYS_FOUND},
    {81, 1, NUMBER_MERGE_FAILURES},
    {82, 1, GET_UPDATES_SINCE_CALLS},
    {83, 4, WAL_FILE_SYNCED},
    {87, 16, WRITE_WITH_WAL},
    {103, 8, BYTES_COMPRESSED_FROM},
    {111, 2, MERGE_OPERATION_TOTAL_TIME},
    {113, 1, COMPACTION_CPU_TOTAL_TIME},
    {114, 5, ROW_CACHE_HIT},
    {119, 25, BLOB_DB_NUM_PUT},
    {144, 1, BLOB_DB_GC_NUM_KEYS_RELOCATED},
    {145, 4, BLOB_DB_GC_BYTES_RELOCATED},
    {149, 6, BLOB_DB_CACHE_MISS},
    {155, 5, TXN_PREPARE_MUTEX_OVERHEAD},
    {160, 1, FILES_MARKED_TRASH},
    {162, 9, FILES_DELETED_IMMEDIATELY},
    {171, 15, VERIFY_CHECKSUM_READ_BYTES},
    {196, 1, BLOCK_CHECKSUM_COMPUTE_COUNT},
    {197, 1, BLOCK_CHECKSUM_MISMATCH_COUNT},
    {198, 1, MULTIGET_COROUTINE_COUNT},
    {199, 2, READ_ASYNC_MICROS},
    {206, 3, FIFO_MAX_SIZE_COMPACTIONS},
};

constexpr Run kHistogramsOf10[] = {
    {0, 14, DB_GET},
    {14, 4, NUM_FILES_IN_SINGLE_COMPACTION},
    {26, 3, SST_WRITE_MICROS},
    {30, 4, NUM_SUBCOMPACTIONS_SCHEDULED},
    {34, 14, COMPRESSION_TIMES_NANOS},
    {48, 4, BLOB_DB_COMPRESSION_MICROS},
    {52, 1, MULTIGET_IO_BATCH_SIZE},
    {53, 1, NUM_INDEX_AND_FILTER_BLOCKS_READ_PER_LEVEL},
    {54, 1, NUM_SST_READ_PER_LEVEL},
    {55, 1, NUM_LEVEL_READ_PER_MULTIGET},
    {56, 3, ERROR_HANDLER_AUTORESUME_RETRY_COUNT},
    {60, 1, PREFETCHED_BYTES_DISCARDED},
    {61, 1, ASYNC_PREFETCH_ABORT_MICROS},
};

constexpr Run kTickersOf11[] = {
    {0, 8, BLOCK_CACHE_MISS},
    {8, 4, BLOCK_CACHE_FILTER_MISS},
    {12, 6, BLOCK_CACHE_DATA_MISS},
    {18, 4, BLOCK_CACHE_COMPRESSION_DICT_MISS},
    {22, 5, BLOCK_CACHE_ADD_REDUNDANT},
    {27, 1, SECONDARY_CACHE_HITS},
    {35, 3, BLOOM_FILTER_USEFUL},
    {38, 2, BLOOM_FILTER_PREFIX_CHECKED},
    {41, 9, PERSISTENT_CACHE_HIT},
    {51, 6, COMPACTION_KEY_DROP_OBSOLETE},
    {58, 12, NUMBER_KEYS_WRITTEN},
    {70, 1, NUMBER_ITER_SKIP},
    {71, 1, NUMBER_OF_RESEEKS_IN_ITERATION},
    {72, 2, NO_ITERATOR_CREATED},
    {74, 2, NO_FILE_OPENS},
    {76, 2, STALL_MICROS},
    {78, 3, NUMBER_MULTIGET_CALLS},
    {81, 1, NUMBER_MULTIGET_KEYS_FOUND},
    {82, 1, NUMBER_MERGE_FAILURES},
    {83, 1, GET_UPDATES_SINCE_CALLS},
    {84, 2, WAL_FILE_SYNCED},
    {91, 2, WRITE_DONE_BY_SELF},
    {93, 16, WRITE_WITH_WAL},
    {109, 8, BYTES_COMPRESSED_FROM},
    {117, 2, MERGE_OPERATION_TOTAL_TIME},
    {119, 1, COMPACTION_CPU_TOTAL_TIME},
    {120, 5, ROW_CACHE_HIT},
    {133, 11, BLOB_DB_NUM_PUT},
    {146, 12, BLOB_DB_WRITE_BLOB},
    {158, 1, BLOB_DB_GC_NUM_KEYS_RELOCATED},
    {159, 4, BLOB_DB_GC_BYTES_RELOCATED},
    {163, 6, BLOB_DB_CACHE_MISS},
    {169, 5, TXN_PREPARE_MUTEX_OVERHEAD},
    {174, 1, FILES_MARKED_TRASH},
    {176, 9, FILES_DELETED_IMMEDIATELY},
    {185, 5, VERIFY_CHECKSUM_READ_BYTES},
    {191, 2, HOT_FILE_READ_BYTES},
    {194, 1, COLD_FILE_READ_BYTES},
    {196, 2, HOT_FILE_READ_COUNT},
    {199, 1, COLD_FILE_READ_COUNT},
    {201, 4, LAST_LEVEL_READ_BYTES},
    {215, 1, BLOCK_CHECKSUM_COMPUTE_COUNT},
    {216, 1, BLOCK_CHECKSUM_MISMATCH_COUNT},
    {217, 1, MULTIGET_COROUTINE_COUNT},
    {218, 2, READ_ASYNC_MICROS},
    {225, 3, FIFO_MAX_SIZE_COMPACTIONS},
};

uint32_t Find(std::span<const Run> runs, uint32_t number, uint32_t none) {
  for (const Run& run : runs) {
    if (number >= run.number && number - run.number < run.count) {
      return run.first + (number - run.number);
    }
  }
  return none;
}

}  // namespace

uint32_t TickerOfNumber(Numbering numbering, uint32_t number) {
  switch (numbering) {
    case Numbering::k8:
      return Find(kTickersOf8, number, TICKER_ENUM_MAX);
    case Numbering::k10:
      return Find(kTickersOf10, number, TICKER_ENUM_MAX);
    case Numbering::k11:
      return Find(kTickersOf11, number, TICKER_ENUM_MAX);
  }
  return TICKER_ENUM_MAX;
}

uint32_t HistogramOfNumber(Numbering numbering, uint32_t number) {
  // 11 has appended to those of 10.
  return numbering == Numbering::k8 ? Find(kHistogramsOf8, number, HISTOGRAM_ENUM_MAX)
                                    : Find(kHistogramsOf10, number, HISTOGRAM_ENUM_MAX);
}

}  // namespace cairn
