// The open files and directories of a MemoryFileSystem.

#ifndef CAIRN_FS_MEMORY_FILES_H_
#define CAIRN_FS_MEMORY_FILES_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "fiber/mutex.h"
#include "fs/memory_state.h"
#include "fs/parking_reads.h"
#include "rocksdb/file_system.h"

namespace cairn::memory {

using StatePtr = std::shared_ptr<MemoryFileSystem::State>;

struct Handle {
  Handle(StatePtr s, InodePtr i, std::string n)
      : state(std::move(s)),
        inode(std::move(i)),
        name(std::move(n)),
        generation(state->generation) {}

  // The inode's mutex is held.
  IOStatus Check() const { return state->Check(generation, name); }

  IOStatus ReadAt(uint64_t offset, size_t n, Slice* result, char* scratch) const {
    fiber::MutexLock lock(&inode->mu);
    *result = Slice(scratch, 0);
    IOStatus s = Check();
    if (!s.ok() || offset >= inode->data.size()) return s;
    n = std::min<uint64_t>(n, inode->data.size() - offset);
    std::memcpy(scratch, inode->data.data() + offset, n);
    *result = Slice(scratch, n);
    return s;
  }

  const StatePtr state;
  const InodePtr inode;
  const std::string name;
  const uint64_t generation;
};

class MemorySequentialFile : public FSSequentialFile {
 public:
  explicit MemorySequentialFile(Handle handle) : handle_(std::move(handle)) {}

  IOStatus Read(size_t n, const IOOptions& /*options*/, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) override {
    IOStatus s = handle_.ReadAt(offset_, n, result, scratch);
    if (s.ok()) offset_ += result->size();
    return s;
  }

  IOStatus Skip(uint64_t n) override {
    offset_ += n;
    return IOStatus::OK();
  }

 private:
  const Handle handle_;
  uint64_t offset_ = 0;
};

class MemoryRandomAccessFile : public FSRandomAccessFile, public ParkingReads {
 public:
  bool reads_park() const override { return true; }  // it never waits
  explicit MemoryRandomAccessFile(Handle handle) : handle_(std::move(handle)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    return handle_.ReadAt(offset, n, result, scratch);
  }

  IOStatus Prefetch(uint64_t /*offset*/, size_t /*n*/, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

 private:
  const Handle handle_;
};

class MemoryWritableFile : public FSWritableFile {
 public:
  MemoryWritableFile(Handle handle, const FileOptions& options, uint64_t position)
      : FSWritableFile(options), handle_(std::move(handle)), position_(position) {}

  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return PositionedAppend(data, position_, options, dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) override {
    Inode& inode = *handle_.inode;
    fiber::MutexLock lock(&inode.mu);
    IOStatus s = Usable();
    if (!s.ok()) return s;
    const uint64_t end = offset + data.size();
    if (handle_.state->tracked) inode.MarkDirty(std::min<uint64_t>(offset, inode.data.size()));
    if (offset == inode.data.size()) {
      inode.data.append(data.data(), data.size());  // grows geometrically, unlike resize
    } else {
      if (end > inode.data.size()) inode.data.resize(end);
      std::memcpy(inode.data.data() + offset, data.data(), data.size());
    }
    position_ = std::max(position_, end);
    return s;
  }

  IOStatus Truncate(uint64_t size, const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    Inode& inode = *handle_.inode;
    fiber::MutexLock lock(&inode.mu);
    IOStatus s = Usable();
    if (!s.ok()) return s;
    if (handle_.state->tracked) inode.MarkDirty(std::min<uint64_t>(size, inode.data.size()));
    inode.data.resize(size);
    position_ = size;
    return s;
  }

  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    IOStatus s = closed_ ? IOStatus::OK() : handle_.Check();
    closed_ = true;
    return s;
  }

  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    return Usable();
  }

  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    IOStatus s = Usable();
    if (s.ok() && handle_.state->tracked) handle_.inode->MakeDurable();
    return s;
  }

  bool IsSyncThreadSafe() const override { return true; }

  // A hint to the device and no promise.
  IOStatus RangeSync(uint64_t /*offset*/, uint64_t /*nbytes*/, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

  uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return position_;
  }

 private:
  // The inode's mutex is held.
  IOStatus Usable() const {
    return closed_ ? IOStatus::IOError("use of a closed file", handle_.name) : handle_.Check();
  }

  const Handle handle_;
  uint64_t position_;
  bool closed_ = false;
};

class MemoryRandomRWFile : public FSRandomRWFile {
 public:
  explicit MemoryRandomRWFile(const Handle& handle)
      : handle_(handle), written_(handle, FileOptions(), 0) {}

  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options,
                 IODebugContext* dbg) override {
    return written_.PositionedAppend(data, offset, options, dbg);
  }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    *result = Slice(scratch, 0);
    IOStatus s = written_.Flush(options, dbg);  // it is open
    return s.ok() ? handle_.ReadAt(offset, n, result, scratch) : s;
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return written_.Flush(options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return written_.Sync(options, dbg);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return written_.Close(options, dbg);
  }

 private:
  const Handle handle_;
  mutable MemoryWritableFile written_;
};

class MemoryDirectory : public FSDirectory {
 public:
  MemoryDirectory(StatePtr state, std::string path)
      : state_(std::move(state)), path_(std::move(path)), generation_(state_->generation) {}

  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&state_->mu);
    IOStatus s = state_->Check(generation_, path_);
    if (!s.ok()) return s;
    Directory* dir = state_->FindDir(path_);
    if (dir == nullptr) return Missing(path_);
    dir->MakeDurable();
    return s;
  }

 private:
  const StatePtr state_;
  const std::string path_;
  const uint64_t generation_;
};

}  // namespace cairn::memory

#endif  // CAIRN_FS_MEMORY_FILES_H_
