#include "trace/traced_file_system.h"

#include <optional>
#include <utility>

#include "fiber/clock.h"
#include "fs/parking_reads.h"

namespace cairn {
namespace {

using Trace = std::shared_ptr<IOTrace>;

// What a call has of numbers.
struct CallNumbers {
  std::optional<uint64_t> file_size;
  std::optional<uint64_t> length;
  std::optional<uint64_t> offset;
};

CallNumbers OfRange(uint64_t offset, uint64_t length) { return {{}, length, offset}; }
CallNumbers OfLength(uint64_t length) { return {{}, length, {}}; }
CallNumbers OfFileSize(uint64_t size) { return {size, {}, {}}; }

void TellTrace(const Trace& trace, const char* operation, const std::string& file,
               const CallNumbers& numbers, uint64_t started, const IOStatus& io,
               const IODebugContext* dbg) {
  IOTraceRecord call;
  call.access_timestamp = fiber::now_nanos();
  call.latency = call.access_timestamp - started;
  call.file_operation = operation;
  call.file_name = file;
  call.io_status = io.ToString();
  call.file_size = numbers.file_size;
  call.length = numbers.length;
  call.offset = numbers.offset;
  constexpr uint64_t kHasRequestId = uint64_t{1} << IODebugContext::kRequestID;
  if (dbg != nullptr && (dbg->trace_data & kHasRequestId) != 0) call.request = dbg->request_id;
  trace->Write(call);
}

std::string LastName(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

// Makes the call, which gives an IOStatus, and tells of it. `numbers`: asked afterwards.
template <typename Call, typename Numbers>
IOStatus TraceOfFile(const Trace& trace, const char* operation, const std::string& file,
                     IODebugContext* dbg, Numbers numbers, Call call) {
  if (!trace->IsOn()) return call();
  const uint64_t started = fiber::now_nanos();
  IOStatus io = call();
  TellTrace(trace, operation, file, numbers(), started, io, dbg);
  return io;
}

template <typename Call>
IOStatus TraceOfPath(const Trace& trace, const char* operation, const std::string& path,
                     IODebugContext* dbg, Call call) {
  if (!trace->IsOn()) return call();
  return TraceOfFile(trace, operation, LastName(path), dbg, [] { return CallNumbers(); }, call);
}

// What the files have in common: whom they tell, and of which file.
class TracedFile {
 public:
  TracedFile(Trace trace, const std::string& path)
      : trace_(std::move(trace)), name_(LastName(path)) {}

  template <typename Call>
  IOStatus Of(const char* operation, const CallNumbers& numbers, IODebugContext* dbg,
              Call call) const {
    return TraceOfFile(trace_, operation, name_, dbg, [&] { return numbers; }, call);
  }
  template <typename Call, typename Numbers>
  IOStatus OfResult(const char* operation, IODebugContext* dbg, Numbers numbers, Call call) const {
    return TraceOfFile(trace_, operation, name_, dbg, numbers, call);
  }
  bool IsTraced() const { return trace_->IsOn(); }
  void Tell(const char* operation, const CallNumbers& numbers, uint64_t started, const IOStatus& io,
            const IODebugContext* dbg) const {
    TellTrace(trace_, operation, name_, numbers, started, io, dbg);
  }

 private:
  const Trace trace_;
  const std::string name_;
};

class TracedSequentialFile final : public FSSequentialFileOwnerWrapper {
 public:
  TracedSequentialFile(std::unique_ptr<FSSequentialFile> target, TracedFile traced)
      : FSSequentialFileOwnerWrapper(std::move(target)), traced_(std::move(traced)) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    return traced_.OfResult(
        "Read", dbg, [&] { return OfLength(result->size()); },
        [&] { return target()->Read(n, options, result, scratch, dbg); });
  }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override {
    return traced_.OfResult(
        "PositionedRead", dbg, [&] { return OfRange(offset, result->size()); },
        [&] { return target()->PositionedRead(offset, n, options, result, scratch, dbg); });
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return traced_.Of("InvalidateCache", OfRange(offset, length), nullptr,
                      [&] { return target()->InvalidateCache(offset, length); });
  }

 private:
  const TracedFile traced_;
};

class TracedRandomAccessFile final : public FSRandomAccessFileOwnerWrapper, public ParkingReads {
 public:
  TracedRandomAccessFile(std::unique_ptr<FSRandomAccessFile> target, TracedFile traced)
      : FSRandomAccessFileOwnerWrapper(std::move(target)), traced_(std::move(traced)) {}

  bool reads_park() const override { return ReadsPark(target()); }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    return traced_.Of("Read", OfRange(offset, n), dbg,
                      [&] { return target()->Read(offset, n, options, result, scratch, dbg); });
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    if (!traced_.IsTraced()) return target()->MultiRead(requests, count, options, dbg);
    const uint64_t started = fiber::now_nanos();
    IOStatus io = target()->MultiRead(requests, count, options, dbg);
    for (size_t i = 0; i < count; ++i) {
      traced_.Tell("MultiRead", OfRange(requests[i].offset, requests[i].len), started,
                   io.ok() ? requests[i].status : io, dbg);
    }
    return io;
  }
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override {
    return traced_.Of("Prefetch", OfRange(offset, n), dbg,
                      [&] { return target()->Prefetch(offset, n, options, dbg); });
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return traced_.Of("InvalidateCache", OfRange(offset, length), nullptr,
                      [&] { return target()->InvalidateCache(offset, length); });
  }
  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback, void* callback_arg,
                     void** io_handle, IOHandleDeleter* deleter, IODebugContext* dbg) override {
    if (traced_.IsTraced()) {
      callback = [this, started = fiber::now_nanos(), callback = std::move(callback)](
                     FSReadRequest& done, void* arg) {
        traced_.Tell("ReadAsync", OfRange(done.offset, done.result.size()), started, done.status,
                     nullptr);
        callback(done, arg);
      };
    }
    return target()->ReadAsync(request, options, std::move(callback), callback_arg, io_handle,
                               deleter, dbg);
  }

 private:
  const TracedFile traced_;
};

class TracedWritableFile final : public FSWritableFileOwnerWrapper {
 public:
  TracedWritableFile(std::unique_ptr<FSWritableFile> target, TracedFile traced)
      : FSWritableFileOwnerWrapper(std::move(target)), traced_(std::move(traced)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Append", OfLength(data.size()), dbg,
                      [&] { return target()->Append(data, options, dbg); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    return traced_.Of("Append", OfLength(data.size()), dbg,
                      [&] { return target()->Append(data, options, info, dbg); });
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    return traced_.Of("PositionedAppend", OfRange(offset, data.size()), dbg,
                      [&] { return target()->PositionedAppend(data, offset, options, dbg); });
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const DataVerificationInfo& info, IODebugContext* dbg) override {
    return traced_.Of("PositionedAppend", OfRange(offset, data.size()), dbg,
                      [&] { return target()->PositionedAppend(data, offset, options, info, dbg); });
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Truncate", OfLength(size), dbg,
                      [&] { return target()->Truncate(size, options, dbg); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Close", CallNumbers(), dbg, [&] { return target()->Close(options, dbg); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Sync", CallNumbers(), dbg, [&] { return target()->Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Fsync", CallNumbers(), dbg, [&] { return target()->Fsync(options, dbg); });
  }
  IOStatus RangeSync(uint64_t offset, uint64_t size, const IOOptions& options,
                     IODebugContext* dbg) override {
    return traced_.Of("RangeSync", OfRange(offset, size), dbg,
                      [&] { return target()->RangeSync(offset, size, options, dbg); });
  }
  uint64_t GetFileSize(const IOOptions& options, IODebugContext* dbg) override {
    uint64_t size = 0;
    traced_
        .OfResult(
            "GetFileSize", dbg, [&] { return OfFileSize(size); },
            [&] {
              size = target()->GetFileSize(options, dbg);
              return IOStatus::OK();
            })
        .PermitUncheckedError();
    return size;
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return traced_.Of("InvalidateCache", OfRange(offset, length), nullptr,
                      [&] { return target()->InvalidateCache(offset, length); });
  }

 private:
  const TracedFile traced_;
};

class TracedRandomRWFile final : public FSRandomRWFileOwnerWrapper {
 public:
  TracedRandomRWFile(std::unique_ptr<FSRandomRWFile> target, TracedFile traced)
      : FSRandomRWFileOwnerWrapper(std::move(target)), traced_(std::move(traced)) {}

  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options,
                 IODebugContext* dbg) override {
    return traced_.Of("Write", OfRange(offset, data.size()), dbg,
                      [&] { return target()->Write(offset, data, options, dbg); });
  }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    return traced_.Of("Read", OfRange(offset, n), dbg,
                      [&] { return target()->Read(offset, n, options, result, scratch, dbg); });
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Flush", CallNumbers(), dbg, [&] { return target()->Flush(options, dbg); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Sync", CallNumbers(), dbg, [&] { return target()->Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Fsync", CallNumbers(), dbg, [&] { return target()->Fsync(options, dbg); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return traced_.Of("Close", CallNumbers(), dbg, [&] { return target()->Close(options, dbg); });
  }

 private:
  const TracedFile traced_;
};

// Opens a file by `open`, tells of it, and puts `Traced` around it: also while no trace runs, as
// one may begin while it is open.
template <typename Traced, typename File, typename Open>
IOStatus OpenTraced(const Trace& trace, const char* operation, const std::string& path,
                    IODebugContext* dbg, std::unique_ptr<File>* file, Open open) {
  IOStatus io = TraceOfPath(trace, operation, path, dbg, open);
  if (io.ok()) *file = std::make_unique<Traced>(std::move(*file), TracedFile(trace, path));
  return io;
}

}  // namespace

TracedFileSystem::TracedFileSystem(const std::shared_ptr<FileSystem>& target,
                                   std::shared_ptr<IOTrace> trace)
    : FileSystemWrapper(target), trace_(std::move(trace)) {}

IOStatus TracedFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                             std::unique_ptr<FSSequentialFile>* file,
                                             IODebugContext* dbg) {
  return OpenTraced<TracedSequentialFile>(trace_, "NewSequentialFile", path, dbg, file, [&] {
    return target()->NewSequentialFile(path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                               std::unique_ptr<FSRandomAccessFile>* file,
                                               IODebugContext* dbg) {
  return OpenTraced<TracedRandomAccessFile>(trace_, "NewRandomAccessFile", path, dbg, file, [&] {
    return target()->NewRandomAccessFile(path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                           std::unique_ptr<FSWritableFile>* file,
                                           IODebugContext* dbg) {
  return OpenTraced<TracedWritableFile>(trace_, "NewWritableFile", path, dbg, file, [&] {
    return target()->NewWritableFile(path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<FSWritableFile>* file,
                                              IODebugContext* dbg) {
  return OpenTraced<TracedWritableFile>(trace_, "ReopenWritableFile", path, dbg, file, [&] {
    return target()->ReopenWritableFile(path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::ReuseWritableFile(const std::string& path, const std::string& old_path,
                                             const FileOptions& options,
                                             std::unique_ptr<FSWritableFile>* file,
                                             IODebugContext* dbg) {
  return OpenTraced<TracedWritableFile>(trace_, "ReuseWritableFile", path, dbg, file, [&] {
    return target()->ReuseWritableFile(path, old_path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::NewRandomRWFile(const std::string& path, const FileOptions& options,
                                           std::unique_ptr<FSRandomRWFile>* file,
                                           IODebugContext* dbg) {
  return OpenTraced<TracedRandomRWFile>(trace_, "NewRandomRWFile", path, dbg, file, [&] {
    return target()->NewRandomRWFile(path, options, file, dbg);
  });
}

IOStatus TracedFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                        std::unique_ptr<FSDirectory>* directory,
                                        IODebugContext* dbg) {
  return TraceOfPath(trace_, "NewDirectory", path, dbg,
                     [&] { return target()->NewDirectory(path, options, directory, dbg); });
}

IOStatus TracedFileSystem::GetChildren(const std::string& path, const IOOptions& options,
                                       std::vector<std::string>* names, IODebugContext* dbg) {
  return TraceOfPath(trace_, "GetChildren", path, dbg,
                     [&] { return target()->GetChildren(path, options, names, dbg); });
}

IOStatus TracedFileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                      IODebugContext* dbg) {
  return TraceOfPath(trace_, "DeleteFile", path, dbg,
                     [&] { return target()->DeleteFile(path, options, dbg); });
}

IOStatus TracedFileSystem::CreateDir(const std::string& path, const IOOptions& options,
                                     IODebugContext* dbg) {
  return TraceOfPath(trace_, "CreateDir", path, dbg, [&] {
    return target()->CreateDir(path, options, dbg);  // style: passed on
  });
}

IOStatus TracedFileSystem::CreateDirIfMissing(const std::string& path, const IOOptions& options,
                                              IODebugContext* dbg) {
  return TraceOfPath(trace_, "CreateDirIfMissing", path, dbg, [&] {
    return target()->CreateDirIfMissing(path, options, dbg);  // style: passed on
  });
}

IOStatus TracedFileSystem::DeleteDir(const std::string& path, const IOOptions& options,
                                     IODebugContext* dbg) {
  return TraceOfPath(trace_, "DeleteDir", path, dbg,
                     [&] { return target()->DeleteDir(path, options, dbg); });
}

IOStatus TracedFileSystem::GetFileSize(const std::string& path, const IOOptions& options,
                                       uint64_t* size, IODebugContext* dbg) {
  return TraceOfFile(
      trace_, "GetFileSize", LastName(path), dbg, [&] { return OfFileSize(*size); },
      [&] { return target()->GetFileSize(path, options, size, dbg); });
}

IOStatus TracedFileSystem::Truncate(const std::string& path, size_t size, const IOOptions& options,
                                    IODebugContext* dbg) {
  return TraceOfFile(
      trace_, "Truncate", LastName(path), dbg, [&] { return OfFileSize(size); },
      [&] { return target()->Truncate(path, size, options, dbg); });
}

}  // namespace cairn
