// IOStatsContext: the file I/O that one fiber, or one thread outside a fiber, caused. As for
// PerfContext (perf_context.h), each fiber has one of its own.
#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/perf_level.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Reads of tables by their temperature (FileMetaData::temperature).
struct FileIOByTemperature {
  uint64_t hot_file_bytes_read = 0;
  uint64_t warm_file_bytes_read = 0;
  uint64_t cool_file_bytes_read = 0;
  uint64_t cold_file_bytes_read = 0;
  uint64_t ice_file_bytes_read = 0;
  // Files without a temperature, by whether they are of the last level. (Of RocksDB 11.)
  uint64_t unknown_non_last_level_bytes_read = 0;
  uint64_t unknown_last_level_bytes_read = 0;
  uint64_t hot_file_read_count = 0;
  uint64_t warm_file_read_count = 0;
  uint64_t cool_file_read_count = 0;
  uint64_t cold_file_read_count = 0;
  uint64_t ice_file_read_count = 0;
  uint64_t unknown_non_last_level_read_count = 0;
  uint64_t unknown_last_level_read_count = 0;

  void Reset() { *this = FileIOByTemperature(); }
};

// Bytes are counted at every level; times are nanoseconds, from
// kEnableTimeExceptForMutex on.
struct IOStatsContext {
  void Reset();
  // "name = value, ..."
  std::string ToString(bool exclude_zero_counters = false) const;

  // The Env::Priority of the background thread; Env::TOTAL: it is none.
  uint64_t thread_pool_id = 4;

  // Through the files of databases: tables, logs, MANIFESTs.
  uint64_t bytes_written = 0;
  uint64_t bytes_read = 0;

  // Spent in the file system's calls, waits included.
  uint64_t open_nanos = 0;
  uint64_t allocate_nanos = 0;  // always 0: part of prepare_write_nanos
  uint64_t write_nanos = 0;
  uint64_t read_nanos = 0;
  uint64_t range_sync_nanos = 0;
  uint64_t fsync_nanos = 0;
  uint64_t prepare_write_nanos = 0;  // preallocation
  uint64_t logger_nanos = 0;         // lines of the info log
  // Processor time of the thread, from kEnableTimeAndCPUTimeExceptForMutex on.
  uint64_t cpu_write_nanos = 0;
  uint64_t cpu_read_nanos = 0;

  FileIOByTemperature file_io_stats_by_temperature;

  // The caller's: bytes are not counted while it is set.
  bool disable_iostats = false;
};

// Of the calling fiber, or thread outside a fiber; never null. Good until that ends.
IOStatsContext* get_iostats_context();

}  // namespace ROCKSDB_NAMESPACE
