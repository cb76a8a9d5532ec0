// A file system whose files ask a RateLimiter before they read or write: writes by the file's
// priority (FSWritableFile::SetIOPriority), reads by that of each call
// (IOOptions::rate_limiter_priority). IO_TOTAL: without asking. A database puts it around the real
// one if the options name a limiter.
//
// Thread safety: as the file system below. SUSPENDS where the limiter makes wait.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/rate_limiter.h"

namespace cairn {

class LimitedFileSystem final : public FileSystemWrapper {
 public:
  LimitedFileSystem(const std::shared_ptr<FileSystem>& target, std::shared_ptr<RateLimiter> limiter,
                    std::shared_ptr<Statistics> statistics);

  const char* Name() const override { return "LimitedFileSystem"; }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;

 private:
  const std::shared_ptr<RateLimiter> limiter_;
  const std::shared_ptr<Statistics> statistics_;  // may be null
};

// Asks for so many bytes, in as many requests as it takes.
void RequestBytes(RateLimiter* limiter, size_t bytes, Env::IOPriority priority,
                  Statistics* statistics, RateLimiter::OpType type);

}  // namespace cairn
