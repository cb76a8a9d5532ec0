// ConcurrentTaskLimiter: how many compactions run at once, over all column families and databases
// whose ColumnFamilyOptions::compaction_thread_limiter it is.
//
// An automatic compaction waits until there is room, while others that do not ask go on. Those that
// the user asks for (CompactRange, CompactFiles) count, and never wait.
#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe. The options take only what NewConcurrentTaskLimiter() makes.
class ConcurrentTaskLimiter {
 public:
  virtual ~ConcurrentTaskLimiter() {}

  virtual const std::string& GetName() const = 0;

  // From now on; what runs, runs on. 0: none begins. Less than 0: no limit.
  virtual void SetMaxOutstandingTask(int32_t limit) = 0;
  // No limit.
  virtual void ResetMaxOutstandingTask() = 0;

  // How many run.
  virtual int32_t GetOutstandingTask() const = 0;
};

// The caller owns it.
extern ConcurrentTaskLimiter* NewConcurrentTaskLimiter(const std::string& name, int32_t limit);

}  // namespace ROCKSDB_NAMESPACE
