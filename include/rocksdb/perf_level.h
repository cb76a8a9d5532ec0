// How much the performance contexts (perf_context.h, iostats_context.h) measure.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Each level measures all that the ones before it do. The order, and the numbers, are those of
// RocksDB since 9: 7.8 has no kEnableWait.
enum PerfLevel : unsigned char {
  kUninitialized = 0,
  kDisable = 1,
  // Counts and bytes.
  kEnableCount = 2,
  // How long the database made a caller wait: write_delay_time, write_memtable_time,
  // write_thread_wait_nanos.
  kEnableWait = 3,
  // All other times (two looks at the clock each, some 40 ns).
  kEnableTimeExceptForMutex = 4,
  // The processor time of calls (*_cpu_nanos), each a system call.
  kEnableTimeAndCPUTimeExceptForMutex = 5,
  // The waits for the database's mutex: db_mutex_lock_nanos, db_condition_wait_nanos.
  kEnableTime = 6,
  kOutOfBounds = 7
};

// For the calling fiber, or thread outside a fiber; kEnableCount at its start. A level that is none
// of the above's is taken for the nearest. REQUIRES, to have an effect: none of an operation of the
// caller's is under way.
void SetPerfLevel(PerfLevel level);
PerfLevel GetPerfLevel();

}  // namespace ROCKSDB_NAMESPACE
