#include "rocksdb/perf_level.h"

#include "fiber/local.h"

namespace ROCKSDB_NAMESPACE {

namespace {

struct Level {
  PerfLevel value = kEnableCount;
};

fiber::local<Level>& CurrentLevel() {
  // Never destroyed: it must outlive every fiber.
  static auto* const level = new fiber::local<Level>;
  return *level;
}

}  // namespace

void SetPerfLevel(PerfLevel level) { CurrentLevel()->value = level; }

PerfLevel GetPerfLevel() { return CurrentLevel()->value; }

}  // namespace ROCKSDB_NAMESPACE
