// A file system that fails on purpose, over any other: for tests of every layer above.
//
// Thread-safe. Faults are set between or during operations; each operation looks at them once.
// An operation that is made to fail does nothing, except "full disk", which writes what still fits.

#ifndef CAIRN_FS_FAULT_FILE_SYSTEM_H_
#define CAIRN_FS_FAULT_FILE_SYSTEM_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/mutex.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

// What an operation does; the bits select which ones a fault hits.
enum FaultOp : uint32_t {
  kFaultOpen = 1 << 0,    // opening a file for reading
  kFaultCreate = 1 << 1,  // creating, reopening, reusing a file
  kFaultRead = 1 << 2,
  kFaultAppend = 1 << 3,  // any write of bytes
  kFaultSync = 1 << 4,    // Sync, Fsync, RangeSync
  kFaultClose = 1 << 5,   // of a writable file
  kFaultRename = 1 << 6,  // rename, link
  kFaultDelete = 1 << 7,
  kFaultDirSync = 1 << 8,
  kFaultMetadata = 1 << 9,  // existence, sizes, children, directories, locks
  kFaultWrites = kFaultCreate | kFaultAppend | kFaultSync | kFaultClose | kFaultRename |
                 kFaultDelete | kFaultDirSync,
  kFaultReads = kFaultOpen | kFaultRead,
  kFaultAll = 0xffffffff,
};

class FaultInjectionFileSystem : public FileSystemWrapper {
 public:
  explicit FaultInjectionFileSystem(std::shared_ptr<FileSystem> base);
  ~FaultInjectionFileSystem() override;

  static const char* kClassName() { return "FaultInjectionFileSystem"; }
  const char* Name() const override { return kClassName(); }

  // Inactive: every operation that changes something fails with `status`.
  void SetFilesystemActive(bool active, IOStatus status = IOStatus::IOError("injected: inactive"));

  // Read-only directory: creation, rename and deletion fail as EROFS/EACCES would.
  void SetReadOnly(bool read_only);

  // The nth operation from now (1: the next) among `ops` fails once with `status`; with
  // `count` > 1 so do those after it. n = 0 removes the fault.
  void FailNthOperation(uint64_t n, uint32_t ops, IOStatus status, uint64_t count = 1);

  // Each operation among `ops` fails with probability 1/one_in (0: never), by a PRNG from `seed`.
  void FailRandomly(uint64_t seed, uint32_t ops, uint32_t one_in, IOStatus status);

  // After `bytes` more bytes the disk is full: an Append writes what fits and returns NoSpace.
  // UINT64_MAX removes the limit.
  void SetFreeBytes(uint64_t bytes);

  // Only files for which this returns true are hit by faults; null: all.
  void SetFileFilter(std::function<bool(const std::string& fname)> filter);

  // Reads of `fname` see the byte at `offset` xor-ed with `mask`; mask 0 removes it. The file
  // itself keeps its bytes.
  void FlipBits(const std::string& fname, uint64_t offset, uint8_t mask);

  // No faults any more.
  void Heal();

  // Operations so far among `ops` (faulted ones included).
  uint64_t OperationCount(uint32_t ops = kFaultAll) const;
  // Files now open, by kind; a test ends with none.
  int OpenWritableFiles() const { return open_writable_.load(std::memory_order_relaxed); }
  int OpenReadableFiles() const { return open_readable_.load(std::memory_order_relaxed); }
  std::vector<std::string> OpenFileNames() const;

  IOStatus NewSequentialFile(const std::string& fname, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& fname, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& fname, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& fname, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
                             IODebugContext* dbg) override;
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* result, IODebugContext* dbg) override;
  IOStatus FileExists(const std::string& fname, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* result, IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& fname, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus CreateDir(const std::string& dirname, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus CreateDirIfMissing(const std::string& dirname, const IOOptions& options,
                              IODebugContext* dbg) override;
  IOStatus DeleteDir(const std::string& dirname, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& fname, const IOOptions& options, uint64_t* size,
                       IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& src, const std::string& target, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& src, const std::string& target, const IOOptions& options,
                    IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& fname, const IOOptions& options, FileLock** lock,
                    IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& fname, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override;

  // For the files of this file system.
  IOStatus Inject(FaultOp op, const std::string& fname);
  // How many of `wanted` bytes still fit; takes them off the budget.
  uint64_t TakeSpace(uint64_t wanted);
  void ApplyFlips(const std::string& fname, uint64_t offset, Slice* result, char* scratch);
  void NoteOpened(const std::string& fname, bool writable);
  void NoteClosed(const std::string& fname, bool writable);

 private:
  std::atomic<int> open_writable_{0};  // statistics only: relaxed
  std::atomic<int> open_readable_{0};
  std::atomic<bool> any_flips_{false};  // a hint that spares readers the mutex

  mutable fiber::Mutex mu_;
  bool active_ FIBER_GUARDED_BY(mu_) = true;
  IOStatus inactive_status_ FIBER_GUARDED_BY(mu_);
  bool read_only_ FIBER_GUARDED_BY(mu_) = false;
  uint64_t nth_ FIBER_GUARDED_BY(mu_) = 0;
  uint64_t nth_count_ FIBER_GUARDED_BY(mu_) = 0;
  uint32_t nth_ops_ FIBER_GUARDED_BY(mu_) = 0;
  IOStatus nth_status_ FIBER_GUARDED_BY(mu_);
  Random64 random_ FIBER_GUARDED_BY(mu_){1};
  uint32_t random_ops_ FIBER_GUARDED_BY(mu_) = 0;
  uint32_t random_one_in_ FIBER_GUARDED_BY(mu_) = 0;
  IOStatus random_status_ FIBER_GUARDED_BY(mu_);
  uint64_t free_bytes_ FIBER_GUARDED_BY(mu_) = UINT64_MAX;
  std::function<bool(const std::string&)> filter_ FIBER_GUARDED_BY(mu_);
  std::map<std::string, std::map<uint64_t, uint8_t>> flips_ FIBER_GUARDED_BY(mu_);
  std::map<std::string, int> open_files_ FIBER_GUARDED_BY(mu_);
  uint64_t op_counts_[10] FIBER_GUARDED_BY(mu_) = {};
};

}  // namespace cairn

#endif  // CAIRN_FS_FAULT_FILE_SYSTEM_H_
