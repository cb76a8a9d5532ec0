// What the parts of a backup engine share: options as they are in force, file systems, and who
// wants it to stop.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/utilities/backup_engine.h"
#include "utilities/backup_copy.h"

namespace cairn {

struct BackupContext {
  BackupContext(const BackupEngineOptions& given, Env* db_env);

  // Constant.
  const BackupEngineOptions options;  // with limiters where there is a limit
  const std::shared_ptr<FileSystem> db_fs;
  const std::shared_ptr<FileSystem> backup_fs;

  // Set by any thread, for good; release and acquire, so that what came before is seen.
  std::atomic<bool> stop{false};
  // Of the threads that copy. Relaxed: it is what some call has set.
  std::atomic<CpuPriority> priority{CpuPriority::kNormal};

  bool stopped() const { return stop.load(std::memory_order_acquire); }
  // Common to all that copies; the caller says from where to where.
  CopyEnv NewCopyEnv(RateLimiter* limiter) const {
    CopyEnv env;
    env.sync = options.sync;
    env.threads = options.max_background_operations;
    env.nice = priority.load(std::memory_order_relaxed) < CpuPriority::kNormal ? 19 : 0;
    env.limiter = limiter;
    env.buffer_size = static_cast<size_t>(options.io_buffer_size);
    env.stop = &stop;
    return env;
  }
};

}  // namespace cairn
