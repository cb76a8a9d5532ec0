// How much the per-thread performance context measures. Cairn has no such context yet: the level is
// kept and has no effect.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

enum PerfLevel : unsigned char {
  kUninitialized = 0,
  kDisable = 1,
  kEnableCount = 2,
  kEnableTimeExceptForMutex = 3,
  kEnableTimeAndCPUTimeExceptForMutex = 4,
  kEnableTime = 5,
  kOutOfBounds = 6
};

// For the calling fiber, or thread outside a fiber.
void SetPerfLevel(PerfLevel level);
PerfLevel GetPerfLevel();

}  // namespace ROCKSDB_NAMESPACE
