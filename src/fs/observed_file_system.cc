#include "fs/observed_file_system.h"

#include <string>
#include <utility>

#include "fiber/clock.h"
#include "fs/parking_reads.h"

namespace ROCKSDB_NAMESPACE {

FileOperationInfo::StartTimePoint FileOperationInfo::StartNow() {
  const std::chrono::nanoseconds now(fiber::wall_micros() * 1000);
  return {SystemTimePoint(now), FinishNow()};
}

FileOperationInfo::FinishTimePoint FileOperationInfo::FinishNow() {
  return SteadyTimePoint(std::chrono::nanoseconds(static_cast<int64_t>(fiber::now_nanos())));
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {
namespace {

using Listeners = std::shared_ptr<const FileListeners>;
using Callback = void (EventListener::*)(const FileOperationInfo&);

// What the files have in common: whom they tell, and of which file.
class Observer {
 public:
  Observer(Listeners listeners, std::string path, Temperature temperature)
      : listeners_(std::move(listeners)), path_(std::move(path)), temperature_(temperature) {}

  // Runs `operation`, which gives an IOStatus, and tells of it.
  template <typename Operation>
  IOStatus Watch(FileOperationType type, Callback callback, uint64_t offset, size_t length,
                 Operation operation) const {
    const auto start = FileOperationInfo::StartNow();
    IOStatus io = operation();
    Tell(type, callback, offset, length, start, io);
    return io;
  }

  void Tell(FileOperationType type, Callback callback, uint64_t offset, size_t length,
            const FileOperationInfo::StartTimePoint& start, const IOStatus& io) const {
    FileOperationInfo info(type, path_, start, FileOperationInfo::FinishNow(), io, temperature_);
    info.offset = offset;
    info.length = length;
    for (const auto& listener : *listeners_) {
      (listener.get()->*callback)(info);
      if (!io.ok()) listener->OnIOError(IOErrorInfo(io, type, path_, length, offset));
    }
  }

 private:
  const Listeners listeners_;
  const std::string path_;
  const Temperature temperature_;
};

class ObservedSequentialFile final : public FSSequentialFileOwnerWrapper {
 public:
  ObservedSequentialFile(std::unique_ptr<FSSequentialFile> target, Observer observer)
      : FSSequentialFileOwnerWrapper(std::move(target)), observer_(std::move(observer)) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    IOStatus io =
        observer_.Watch(FileOperationType::kRead, &EventListener::OnFileReadFinish, offset_, n,
                        [&] { return target()->Read(n, options, result, scratch, dbg); });
    if (io.ok()) offset_ += result->size();
    return io;
  }
  IOStatus Skip(uint64_t n) override {
    IOStatus io = target()->Skip(n);
    if (io.ok()) offset_ += n;
    return io;
  }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override {
    return observer_.Watch(
        FileOperationType::kRead, &EventListener::OnFileReadFinish, offset, n,
        [&] { return target()->PositionedRead(offset, n, options, result, scratch, dbg); });
  }

 private:
  const Observer observer_;
  uint64_t offset_ = 0;
};

class ObservedRandomAccessFile final : public FSRandomAccessFileOwnerWrapper, public ParkingReads {
 public:
  ObservedRandomAccessFile(std::unique_ptr<FSRandomAccessFile> target, Observer observer)
      : FSRandomAccessFileOwnerWrapper(std::move(target)), observer_(std::move(observer)) {}

  bool reads_park() const override { return ReadsPark(target()); }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    return observer_.Watch(
        FileOperationType::kRead, &EventListener::OnFileReadFinish, offset, n,
        [&] { return target()->Read(offset, n, options, result, scratch, dbg); });
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    const auto start = FileOperationInfo::StartNow();
    IOStatus io = target()->MultiRead(requests, count, options, dbg);
    for (size_t i = 0; i < count; ++i) {
      observer_.Tell(FileOperationType::kRead, &EventListener::OnFileReadFinish, requests[i].offset,
                     requests[i].len, start, io.ok() ? requests[i].status : io);
    }
    return io;
  }
  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback, void* callback_arg,
                     void** io_handle, IOHandleDeleter* deleter, IODebugContext* dbg) override {
    const auto start = FileOperationInfo::StartNow();
    auto told = [this, start, callback = std::move(callback)](FSReadRequest& done, void* arg) {
      observer_.Tell(FileOperationType::kRead, &EventListener::OnFileReadFinish, done.offset,
                     done.len, start, done.status);
      callback(done, arg);
    };
    return target()->ReadAsync(request, options, std::move(told), callback_arg, io_handle, deleter,
                               dbg);
  }

 private:
  const Observer observer_;
};

class ObservedWritableFile final : public FSWritableFileOwnerWrapper {
 public:
  ObservedWritableFile(std::unique_ptr<FSWritableFile> target, Observer observer)
      : FSWritableFileOwnerWrapper(std::move(target)), observer_(std::move(observer)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return Wrote(data.size(), [&] { return target()->Append(data, options, dbg); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    return Wrote(data.size(), [&] { return target()->Append(data, options, info, dbg); });
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kPositionedAppend, &EventListener::OnFileWriteFinish,
                           offset, data.size(),
                           [&] { return target()->PositionedAppend(data, offset, options, dbg); });
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const DataVerificationInfo& info, IODebugContext* dbg) override {
    return observer_.Watch(
        FileOperationType::kPositionedAppend, &EventListener::OnFileWriteFinish, offset,
        data.size(), [&] { return target()->PositionedAppend(data, offset, options, info, dbg); });
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kTruncate, &EventListener::OnFileTruncateFinish, 0,
                           size, [&] { return target()->Truncate(size, options, dbg); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kClose, &EventListener::OnFileCloseFinish, 0, 0,
                           [&] { return target()->Close(options, dbg); });
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kFlush, &EventListener::OnFileFlushFinish, 0, 0,
                           [&] { return target()->Flush(options, dbg); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kSync, &EventListener::OnFileSyncFinish, 0, 0,
                           [&] { return target()->Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kFsync, &EventListener::OnFileSyncFinish, 0, 0,
                           [&] { return target()->Fsync(options, dbg); });
  }
  IOStatus RangeSync(uint64_t offset, uint64_t size, const IOOptions& options,
                     IODebugContext* dbg) override {
    return observer_.Watch(FileOperationType::kRangeSync, &EventListener::OnFileRangeSyncFinish,
                           offset, size,
                           [&] { return target()->RangeSync(offset, size, options, dbg); });
  }

 private:
  template <typename Operation>
  IOStatus Wrote(size_t size, Operation operation) {
    IOStatus io = observer_.Watch(FileOperationType::kAppend, &EventListener::OnFileWriteFinish,
                                  written_, size, operation);
    if (io.ok()) written_ += size;
    return io;
  }

  const Observer observer_;
  uint64_t written_ = 0;
};

// Puts `Observed` around *file, if there is one.
template <typename Observed, typename File>
IOStatus Observe(IOStatus io, const Listeners& listeners, const std::string& path,
                 const FileOptions& options, std::unique_ptr<File>* file) {
  if (io.ok()) {
    *file = std::make_unique<Observed>(std::move(*file),
                                       Observer(listeners, path, options.temperature));
  } else {
    for (const auto& listener : *listeners) {
      listener->OnIOError(IOErrorInfo(io, FileOperationType::kOpen, path, 0, 0));
    }
  }
  return io;
}

}  // namespace

ObservedFileSystem::ObservedFileSystem(const std::shared_ptr<FileSystem>& target,
                                       FileListeners listeners)
    : FileSystemWrapper(target),
      listeners_(std::make_shared<const FileListeners>(std::move(listeners))) {}

IOStatus ObservedFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                               std::unique_ptr<FSSequentialFile>* file,
                                               IODebugContext* dbg) {
  return Observe<ObservedSequentialFile>(target()->NewSequentialFile(path, options, file, dbg),
                                         listeners_, path, options, file);
}

IOStatus ObservedFileSystem::NewRandomAccessFile(const std::string& path,
                                                 const FileOptions& options,
                                                 std::unique_ptr<FSRandomAccessFile>* file,
                                                 IODebugContext* dbg) {
  return Observe<ObservedRandomAccessFile>(target()->NewRandomAccessFile(path, options, file, dbg),
                                           listeners_, path, options, file);
}

IOStatus ObservedFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                             std::unique_ptr<FSWritableFile>* file,
                                             IODebugContext* dbg) {
  return Observe<ObservedWritableFile>(target()->NewWritableFile(path, options, file, dbg),
                                       listeners_, path, options, file);
}

IOStatus ObservedFileSystem::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                                std::unique_ptr<FSWritableFile>* file,
                                                IODebugContext* dbg) {
  return Observe<ObservedWritableFile>(target()->ReopenWritableFile(path, options, file, dbg),
                                       listeners_, path, options, file);
}

IOStatus ObservedFileSystem::ReuseWritableFile(const std::string& path, const std::string& old_path,
                                               const FileOptions& options,
                                               std::unique_ptr<FSWritableFile>* file,
                                               IODebugContext* dbg) {
  return Observe<ObservedWritableFile>(
      target()->ReuseWritableFile(path, old_path, options, file, dbg), listeners_, path, options,
      file);
}

}  // namespace cairn
