#include "sim/disk.h"

#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fs/checksum_handoff.h"

namespace cairn::sim {

namespace {

class SequentialFile : public FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(std::unique_ptr<FSSequentialFile> file, std::string name, Disk* disk)
      : FSSequentialFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    *result = Slice(scratch, 0);
    IOStatus s = disk_->Take(Disk::Kind::kRead, name_);
    return s.ok() ? target()->Read(n, options, result, scratch, dbg) : s;
  }

 private:
  const std::string name_;
  Disk* const disk_;
};

class RandomAccessFile : public FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(std::unique_ptr<FSRandomAccessFile> file, std::string name, Disk* disk)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    *result = Slice(scratch, 0);
    IOStatus s = disk_->Take(Disk::Kind::kRead, name_);
    return s.ok() ? target()->Read(offset, n, options, result, scratch, dbg) : s;
  }
  // By the base class: one Read after the other, each with its own time and fate.
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* dbg) override {
    return FSRandomAccessFile::MultiRead(requests, count, options, dbg);
  }
  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> done, void* argument, void** handle,
                     IOHandleDeleter* deleter, IODebugContext* dbg) override {
    return FSRandomAccessFile::ReadAsync(request, options, std::move(done), argument, handle,
                                         deleter, dbg);
  }

 private:
  const std::string name_;
  Disk* const disk_;
};

class WritableFile : public FSWritableFileOwnerWrapper {
 public:
  WritableFile(std::unique_ptr<FSWritableFile> file, std::string name, Disk* disk)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = disk_->Take(Disk::Kind::kAppend, name_);
    if (s.ok()) return target()->Append(data, options, dbg);
    const uint64_t chance = fiber::random_u64();
    if (chance % 2 == 0) {
      const Slice part(data.data(), static_cast<size_t>((chance >> 1) % (data.size() + 1)));
      target()->Append(part, options, dbg).PermitUncheckedError();
    }
    return s;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    IOStatus s = CheckHandedChecksum(name_, data, info);
    return s.ok() ? Append(data, options, dbg) : s;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = disk_->Take(Disk::Kind::kSync, name_);
    return disk_->Changed(s.ok() ? target()->Sync(options, dbg) : s);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = disk_->Take(Disk::Kind::kSync, name_);
    return disk_->Changed(s.ok() ? target()->Fsync(options, dbg) : s);
  }

 private:
  const std::string name_;
  Disk* const disk_;
};

class Directory : public FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<FSDirectory> directory, std::string name, Disk* disk)
      : FSDirectoryWrapper(std::move(directory)), name_(std::move(name)), disk_(disk) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = disk_->Take(Disk::Kind::kSync, name_);
    return disk_->Changed(s.ok() ? FSDirectoryWrapper::Fsync(options, dbg) : s);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const DirFsyncOptions& dir_options) override {
    IOStatus s = disk_->Take(Disk::Kind::kSync, name_);
    if (s.ok()) s = FSDirectoryWrapper::FsyncWithDirOptions(options, dbg, dir_options);
    return disk_->Changed(std::move(s));
  }

 private:
  const std::string name_;
  Disk* const disk_;
};

}  // namespace

IOStatus Disk::Take(Kind kind, const std::string& name) {
  const uint64_t usual[] = {options_.read_nanos, options_.append_nanos, options_.sync_nanos,
                            options_.metadata_nanos, options_.metadata_nanos};
  const uint64_t chance = fiber::random_u64();
  const uint64_t nanos = usual[static_cast<int>(kind)];
  const uint64_t drawn = nanos / 2 + chance % (nanos + 1);
  fiber::sleep_for((chance >> 32) % 200 == 0 ? 20 * drawn : drawn);
  const uint32_t one_in = kind == Kind::kRead       ? fail_reads_
                          : kind != Kind::kMetadata ? fail_writes_
                          : shortage_               ? std::max(fail_reads_, fail_writes_)
                                                    : 0;
  if (spare_logs_ && kind != Kind::kRead && name.ends_with(".log")) return IOStatus::OK();
  if (one_in != 0 && fiber::random_u64() % one_in == 0) {
    ++failures_;
    IOStatus s = IOStatus::IOError(kind == Kind::kRead       ? "simulated: a read fails"
                                   : kind == Kind::kMetadata ? "simulated: a file does not open"
                                                             : "simulated: a write or sync fails");
    s.SetRetryable(shortage_);
    return s;
  }
  if (full_ && kind == Kind::kAppend) {
    ++failures_;
    return IOStatus::NoSpace("simulated: the disk is full");
  }
  return IOStatus::OK();
}

IOStatus Disk::Changed(IOStatus s) {
  if (s.ok() && changes_left_ != 0 && --changes_left_ == 0) after_changes_();
  return s;
}

IOStatus Disk::NewSequentialFile(const std::string& name, const FileOptions& options,
                                 std::unique_ptr<FSSequentialFile>* result, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kMetadata, name);
  if (s.ok()) s = FileSystemWrapper::NewSequentialFile(name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<SequentialFile>(std::move(*result), name, this);
  return s;
}

IOStatus Disk::NewRandomAccessFile(const std::string& name, const FileOptions& options,
                                   std::unique_ptr<FSRandomAccessFile>* result,
                                   IODebugContext* dbg) {
  IOStatus s = Take(Kind::kMetadata, name);
  if (s.ok()) s = FileSystemWrapper::NewRandomAccessFile(name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<RandomAccessFile>(std::move(*result), name, this);
  return s;
}

IOStatus Disk::NewWritableFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kCreate, name);
  if (s.ok()) s = FileSystemWrapper::NewWritableFile(name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<WritableFile>(std::move(*result), name, this);
  return Changed(std::move(s));
}

IOStatus Disk::ReopenWritableFile(const std::string& name, const FileOptions& options,
                                  std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kCreate, name);
  if (s.ok()) s = FileSystemWrapper::ReopenWritableFile(name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<WritableFile>(std::move(*result), name, this);
  return Changed(std::move(s));
}

IOStatus Disk::ReuseWritableFile(const std::string& name, const std::string& old_name,
                                 const FileOptions& options,
                                 std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kCreate, name);
  if (s.ok()) s = FileSystemWrapper::ReuseWritableFile(name, old_name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<WritableFile>(std::move(*result), name, this);
  return Changed(std::move(s));
}

IOStatus Disk::NewDirectory(const std::string& name, const IOOptions& options,
                            std::unique_ptr<FSDirectory>* result, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kMetadata, name);
  if (s.ok()) s = FileSystemWrapper::NewDirectory(name, options, result, dbg);
  if (s.ok()) *result = std::make_unique<Directory>(std::move(*result), name, this);
  return s;
}

IOStatus Disk::DeleteFile(const std::string& name, const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = Take(Kind::kMetadata, name);
  return Changed(s.ok() ? FileSystemWrapper::DeleteFile(name, options, dbg) : s);
}

IOStatus Disk::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                          IODebugContext* dbg) {
  IOStatus s = Take(Kind::kCreate, to);
  return Changed(s.ok() ? FileSystemWrapper::RenameFile(from, to, options, dbg) : s);
}

IOStatus Disk::GetFileSize(const std::string& name, const IOOptions& options, uint64_t* size,
                           IODebugContext* dbg) {
  IOStatus s = Take(Kind::kMetadata, name);
  return s.ok() ? FileSystemWrapper::GetFileSize(name, options, size, dbg) : s;
}

}  // namespace cairn::sim
