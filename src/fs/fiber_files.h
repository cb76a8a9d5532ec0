// The open files behind the default file system. Private to fs/; made by fiber_file_system.cc.
//
// Every object owns its descriptor. Thread safety is that of the interfaces: random access files
// are shared, the others have one user, and a writable file's Sync may run beside its Append.

#ifndef CAIRN_FS_FIBER_FILES_H_
#define CAIRN_FS_FIBER_FILES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fiber/mapping.h"
#include "fs/parking_reads.h"
#include "fs/timed_read.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

class FiberSequentialFile : public FSSequentialFile {
 public:
  FiberSequentialFile(int fd, std::string name, bool direct);
  ~FiberSequentialFile() override;

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override;
  IOStatus Skip(uint64_t n) override;
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override;
  bool use_direct_io() const override { return direct_; }
  IOStatus InvalidateCache(size_t offset, size_t length) override;

 private:
  const int fd_;
  const std::string name_;
  const bool direct_;
  uint64_t offset_ = 0;
};

class FiberRandomAccessFile : public FSRandomAccessFile, public ParkingReads {
 public:
  bool reads_park() const override { return true; }
  FiberRandomAccessFile(int fd, std::string name, bool direct);

  // With IOOptions::timeout these return TimedOut by then, whatever the disk does (timed_read.h).
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override;
  IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus ReadAsync(FSReadRequest& req, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> cb, void* cb_arg, void** io_handle,
                     IOHandleDeleter* del_fn, IODebugContext* dbg) override;
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override;
  void Hint(AccessPattern pattern) override;
  bool use_direct_io() const override { return direct_; }
  IOStatus InvalidateCache(size_t offset, size_t length) override;

 private:
  const int fd_;
  const std::shared_ptr<const OpenDescriptor> descriptor_;  // of fd_
  const std::string name_;
  const bool direct_;
};

// Reads out of the mapped file. On a fiber, and with a timeout, what is not in memory is read as by
// its base, so that no page fault keeps the worker. Results point into the mapping.
//
// To ask the system costs as much as a short read does. So what it said of a stretch of the file,
// that all of it is in memory, holds for a second: should the system take a page away meanwhile,
// one worker waits once for a page fault. (Not where there is a timeout.)
class MappedRandomAccessFile final : public FiberRandomAccessFile {
 public:
  MappedRandomAccessFile(int fd, std::string name, fiber::io::Mapping mapping);

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override;

 private:
  // Neighbours of what is read often are in memory, too; a stretch is asked for as a whole.
  static constexpr size_t kStretch = size_t{64} << 10;
  static constexpr uint64_t kTrustNanos = 1'000'000'000;

  // Without a wait that the reader must not have.
  bool IsReadable(uint64_t offset, size_t n, const IOOptions& options) const;
  bool IsResident(size_t offset, size_t n) const;
  bool IsStretchResident(size_t stretch, uint64_t now) const;

  const fiber::io::Mapping mapping_;
  // When each was seen in memory, on fiber::now_nanos()'s clock; 0: never.
  const std::unique_ptr<std::atomic<uint64_t>[]> seen_;
};

class FiberWritableFile : public FSWritableFile {
 public:
  // `size`: where appending starts. `allow_fallocate` false makes Allocate do nothing.
  FiberWritableFile(int fd, std::string name, const FileOptions& options, uint64_t size);
  ~FiberWritableFile() override;

  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override;
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  bool IsSyncThreadSafe() const override { return true; }
  bool use_direct_io() const override { return direct_; }
  uint64_t GetFileSize(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus InvalidateCache(size_t offset, size_t length) override;
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions& options,
                    IODebugContext* dbg) override;

 protected:
  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  // Where the next byte is appended.
  uint64_t size() const { return size_; }
  void set_size(uint64_t size) { size_ = size; }

 private:
  int fd_;  // -1 once closed
  const std::string name_;
  const bool direct_;
  const bool keep_size_;
  bool allow_fallocate_;
  uint64_t size_;
  uint64_t allocated_end_ = 0;  // end of the space asked for by Allocate
};

class FiberRandomRWFile final : public FSRandomRWFile {
 public:
  FiberRandomRWFile(int fd, std::string name, bool direct);
  ~FiberRandomRWFile() override;

  bool use_direct_io() const override { return direct_; }
  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options,
                 IODebugContext* dbg) override;
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override;
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;

 private:
  IOStatus CheckOpen() const;

  int fd_;  // -1 once closed
  const std::string name_;
  const bool direct_;
};

class FiberDirectory : public FSDirectory {
 public:
  FiberDirectory(int fd, std::string name);
  ~FiberDirectory() override;

  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;

 private:
  int fd_;  // -1 once closed
  const std::string name_;
};

}  // namespace cairn

#endif  // CAIRN_FS_FIBER_FILES_H_
