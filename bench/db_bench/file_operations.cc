#include "db_bench/file_operations.h"

#include <functional>
#include <utility>

namespace db_bench {

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

void Add(FileCounters::Counter* counter, uint64_t n = 1) {
  counter->fetch_add(n, std::memory_order_relaxed);
}

// Counts what went well.
IOStatus Count(IOStatus s, FileCounters::Counter* counter) {
  if (s.ok()) Add(counter);
  return s;
}

IOStatus Fault() {
  return IOStatus::IOError("Injected read fault (--fault_injection_read_after_reads)");
}

class SequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(std::unique_ptr<rocksdb::FSSequentialFile>&& file, FileCounters* counters)
      : FSSequentialFileOwnerWrapper(std::move(file)), counters_(counters) {}
  ~SequentialFile() override { Add(&counters_->closes); }

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    return Counted(target()->Read(n, options, result, scratch, dbg), *result);
  }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override {
    return Counted(target()->PositionedRead(offset, n, options, result, scratch, dbg), *result);
  }

 private:
  IOStatus Counted(IOStatus s, const Slice& result) {
    Add(&counters_->reads);
    if (s.ok()) Add(&counters_->bytes_read, result.size());
    return s;
  }

  FileCounters* const counters_;
};

class RandomAccessFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, FileCounters* counters)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), counters_(counters) {}
  ~RandomAccessFile() override { Add(&counters_->closes); }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    if (counters_->TakeFault(1)) return Fault();
    IOStatus s = target()->Read(offset, n, options, result, scratch, dbg);
    Add(&counters_->reads);
    if (s.ok()) Add(&counters_->bytes_read, result->size());
    return s;
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    if (counters_->TakeFault(static_cast<int64_t>(count))) return Fault();
    IOStatus s = target()->MultiRead(requests, count, options, dbg);
    Add(&counters_->reads, count);
    for (size_t i = 0; s.ok() && i < count; i++) {
      if (requests[i].status.ok()) Add(&counters_->bytes_read, requests[i].result.size());
    }
    return s;
  }
  IOStatus ReadAsync(rocksdb::FSReadRequest& request, const IOOptions& options,
                     std::function<void(rocksdb::FSReadRequest&, void*)> done, void* argument,
                     void** handle, rocksdb::IOHandleDeleter* deleter,
                     IODebugContext* dbg) override {
    if (counters_->TakeFault(1)) return Fault();
    Add(&counters_->reads);
    Add(&counters_->bytes_read, request.len);  // asked for: what comes is the callback's
    return target()->ReadAsync(request, options, std::move(done), argument, handle, deleter, dbg);
  }

 private:
  FileCounters* const counters_;
};

class WritableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WritableFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, FileCounters* counters)
      : FSWritableFileOwnerWrapper(std::move(file)), counters_(counters) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return Counted(target()->Append(data, options, dbg), data);
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* dbg) override {
    return Counted(target()->Append(data, options, info, dbg), data);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    return Counted(target()->PositionedAppend(data, offset, options, dbg), data);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo& info,
                            IODebugContext* dbg) override {
    return Counted(target()->PositionedAppend(data, offset, options, info, dbg), data);
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return Count(target()->Flush(options, dbg), &counters_->flushes);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return Count(target()->Sync(options, dbg), &counters_->syncs);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return Count(target()->Fsync(options, dbg), &counters_->fsyncs);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return Count(target()->Close(options, dbg), &counters_->closes);
  }

 private:
  IOStatus Counted(IOStatus s, const Slice& data) {
    Add(&counters_->appends);
    if (s.ok()) Add(&counters_->bytes_written, data.size());
    return s;
  }

  FileCounters* const counters_;
};

class Directory : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<rocksdb::FSDirectory>&& directory, FileCounters* counters)
      : FSDirectoryWrapper(std::move(directory)), counters_(counters) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return Count(FSDirectoryWrapper::Fsync(options, dbg), &counters_->directory_fsyncs);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const rocksdb::DirFsyncOptions& what) override {
    return Count(FSDirectoryWrapper::FsyncWithDirOptions(options, dbg, what),
                 &counters_->directory_fsyncs);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return Count(FSDirectoryWrapper::Close(options, dbg), &counters_->directory_closes);
  }

 private:
  FileCounters* const counters_;
};

// The file that was opened, in its wrapper.
template <typename Wrapper, typename File>
IOStatus Opened(IOStatus s, std::unique_ptr<File>&& file, std::unique_ptr<File>* result,
                FileCounters* counters, FileCounters::Counter* counter) {
  if (s.ok()) {
    Add(counter);
    *result = std::make_unique<Wrapper>(std::move(file), counters);
  }
  return s;
}

}  // namespace

bool FileCounters::TakeFault(int64_t count) {
  return faults && reads_to_fault.fetch_sub(count, std::memory_order_relaxed) < count;
}

FileOperations::FileOperations(const std::shared_ptr<rocksdb::FileSystem>& target,
                               int64_t good_reads)
    : FileSystemWrapper(target) {
  counters_.reads_to_fault = good_reads;
  counters_.faults = good_reads > 0;
}

std::string FileOperations::PrintAndReset() {
  std::string text;
  const auto line = [&text](const char* what, FileCounters::Counter* counter) {
    text += std::string("Num ") + what + ": " +
            std::to_string(counter->exchange(0, std::memory_order_relaxed)) + "\n";
  };
  line("files opened", &counters_.opens);
  line("files deleted", &counters_.deletes);
  line("files renamed", &counters_.renames);
  line("Flush()", &counters_.flushes);
  line("Sync()", &counters_.syncs);
  line("Fsync()", &counters_.fsyncs);
  line("Dir Fsync()", &counters_.directory_fsyncs);
  line("Close()", &counters_.closes);
  line("Dir Open()", &counters_.directory_opens);
  line("Dir Close()", &counters_.directory_closes);
  line("Read()", &counters_.reads);
  line("Append()", &counters_.appends);
  line("bytes read", &counters_.bytes_read);
  line("bytes written", &counters_.bytes_written);
  return text;
}

IOStatus FileOperations::NewSequentialFile(const std::string& name, const FileOptions& options,
                                           std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                           IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  IOStatus s = target()->NewSequentialFile(name, options, &file, dbg);
  return Opened<SequentialFile>(std::move(s), std::move(file), result, &counters_,
                                &counters_.opens);
}

IOStatus FileOperations::NewRandomAccessFile(const std::string& name, const FileOptions& options,
                                             std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                             IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  IOStatus s = target()->NewRandomAccessFile(name, options, &file, dbg);
  return Opened<RandomAccessFile>(std::move(s), std::move(file), result, &counters_,
                                  &counters_.opens);
}

IOStatus FileOperations::NewWritableFile(const std::string& name, const FileOptions& options,
                                         std::unique_ptr<rocksdb::FSWritableFile>* result,
                                         IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  IOStatus s = target()->NewWritableFile(name, options, &file, dbg);
  return Opened<WritableFile>(std::move(s), std::move(file), result, &counters_, &counters_.opens);
}

IOStatus FileOperations::ReopenWritableFile(const std::string& name, const FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* result,
                                            IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  IOStatus s = target()->ReopenWritableFile(name, options, &file, dbg);
  return Opened<WritableFile>(std::move(s), std::move(file), result, &counters_, &counters_.opens);
}

IOStatus FileOperations::ReuseWritableFile(const std::string& name, const std::string& old_name,
                                           const FileOptions& options,
                                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                                           IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  IOStatus s = target()->ReuseWritableFile(name, old_name, options, &file, dbg);
  return Opened<WritableFile>(std::move(s), std::move(file), result, &counters_, &counters_.opens);
}

IOStatus FileOperations::NewDirectory(const std::string& name, const IOOptions& options,
                                      std::unique_ptr<rocksdb::FSDirectory>* result,
                                      IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  IOStatus s = target()->NewDirectory(name, options, &directory, dbg);
  return Opened<Directory>(std::move(s), std::move(directory), result, &counters_,
                           &counters_.directory_opens);
}

IOStatus FileOperations::DeleteFile(const std::string& name, const IOOptions& options,
                                    IODebugContext* dbg) {
  return Count(target()->DeleteFile(name, options, dbg), &counters_.deletes);
}

IOStatus FileOperations::RenameFile(const std::string& from, const std::string& to,
                                    const IOOptions& options, IODebugContext* dbg) {
  return Count(target()->RenameFile(from, to, options, dbg), &counters_.renames);
}

}  // namespace db_bench
