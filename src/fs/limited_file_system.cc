#include "fs/limited_file_system.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fs/parking_reads.h"

namespace cairn {
namespace {

struct Limit {
  std::shared_ptr<RateLimiter> limiter;
  std::shared_ptr<Statistics> statistics;

  void Request(size_t bytes, Env::IOPriority priority, RateLimiter::OpType type) const {
    RequestBytes(limiter.get(), bytes, priority, statistics.get(), type);
  }
};

class LimitedRandomAccessFile final : public FSRandomAccessFileOwnerWrapper, public ParkingReads {
 public:
  LimitedRandomAccessFile(std::unique_ptr<FSRandomAccessFile> target, Limit limit)
      : FSRandomAccessFileOwnerWrapper(std::move(target)), limit_(std::move(limit)) {}

  bool reads_park() const override { return ReadsPark(target()); }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    Ask(n, options);
    return target()->Read(offset, n, options, result, scratch, dbg);
  }
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override {
    Ask(n, options);
    return target()->Prefetch(offset, n, options, dbg);
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) bytes += requests[i].len;
    Ask(bytes, options);
    return target()->MultiRead(requests, count, options, dbg);
  }
  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback, void* callback_arg,
                     void** io_handle, IOHandleDeleter* deleter, IODebugContext* dbg) override {
    Ask(request.len, options);
    return target()->ReadAsync(request, options, std::move(callback), callback_arg, io_handle,
                               deleter, dbg);
  }

 private:
  void Ask(size_t bytes, const IOOptions& options) const {
    limit_.Request(bytes, options.rate_limiter_priority, RateLimiter::OpType::kRead);
  }

  const Limit limit_;
};

class LimitedWritableFile final : public FSWritableFileOwnerWrapper {
 public:
  LimitedWritableFile(std::unique_ptr<FSWritableFile> target, Limit limit)
      : FSWritableFileOwnerWrapper(std::move(target)), limit_(std::move(limit)) {}

  void SetIOPriority(Env::IOPriority priority) override {
    priority_ = priority;
    target()->SetIOPriority(priority);
  }
  Env::IOPriority GetIOPriority() override { return priority_; }

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    Ask(data.size());
    return target()->Append(data, options, dbg);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    Ask(data.size());
    return target()->Append(data, options, info, dbg);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    Ask(data.size());
    return target()->PositionedAppend(data, offset, options, dbg);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const DataVerificationInfo& info, IODebugContext* dbg) override {
    Ask(data.size());
    return target()->PositionedAppend(data, offset, options, info, dbg);
  }

 private:
  void Ask(size_t bytes) const { limit_.Request(bytes, priority_, RateLimiter::OpType::kWrite); }

  const Limit limit_;
  Env::IOPriority priority_ = Env::IO_TOTAL;
};

}  // namespace

void RequestBytes(RateLimiter* limiter, size_t bytes, Env::IOPriority priority,
                  Statistics* statistics, RateLimiter::OpType type) {
  if (priority >= Env::IO_TOTAL || !limiter->IsRateLimited(type)) return;
  while (bytes > 0) {
    const auto burst = static_cast<size_t>(std::max<int64_t>(limiter->GetSingleBurstBytes(), 1));
    const size_t part = std::min(bytes, burst);
    limiter->Request(static_cast<int64_t>(part), priority, statistics, type);
    bytes -= part;
  }
}

LimitedFileSystem::LimitedFileSystem(const std::shared_ptr<FileSystem>& target,
                                     std::shared_ptr<RateLimiter> limiter,
                                     std::shared_ptr<Statistics> statistics)
    : FileSystemWrapper(target), limiter_(std::move(limiter)), statistics_(std::move(statistics)) {}

IOStatus LimitedFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                                std::unique_ptr<FSRandomAccessFile>* file,
                                                IODebugContext* dbg) {
  IOStatus io = target()->NewRandomAccessFile(path, options, file, dbg);
  if (io.ok()) {
    *file =
        std::make_unique<LimitedRandomAccessFile>(std::move(*file), Limit{limiter_, statistics_});
  }
  return io;
}

IOStatus LimitedFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                            std::unique_ptr<FSWritableFile>* file,
                                            IODebugContext* dbg) {
  IOStatus io = target()->NewWritableFile(path, options, file, dbg);
  if (io.ok()) {
    *file = std::make_unique<LimitedWritableFile>(std::move(*file), Limit{limiter_, statistics_});
  }
  return io;
}

}  // namespace cairn
