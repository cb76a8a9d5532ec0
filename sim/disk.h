// The disk of a simulated world: a file system in memory (fs/memory_file_system.h) whose operations
// take a time drawn from the simulation's seed, so that they overtake one another, and fail when
// they are told to. Power cuts, bits that flip and what survives of unsynced data are the memory
// file system's.
//
// Used inside of a fiber::Simulation only. Thread safe among its threads and fibers.

#ifndef CAIRN_SIM_DISK_H_
#define CAIRN_SIM_DISK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fs/memory_file_system.h"
#include "rocksdb/file_system.h"

namespace cairn::sim {

struct DiskOptions {
  // Nanoseconds of an operation: uniformly from a half to one and a half of these; one in 200 takes
  // 20 times as long.
  uint64_t read_nanos = 100'000;
  uint64_t append_nanos = 5'000;
  uint64_t sync_nanos = 2'000'000;
  uint64_t metadata_nanos = 30'000;
};

class Disk : public FileSystemWrapper {
 public:
  Disk(const DiskOptions& options, std::shared_ptr<MemoryFileSystem> memory)
      : FileSystemWrapper(memory), options_(options), memory_(std::move(memory)) {}
  static const char* kClassName() { return "SimulatedDisk"; }
  const char* Name() const override { return kClassName(); }

  MemoryFileSystem& memory() { return *memory_; }

  enum class Kind { kRead, kAppend, kSync, kCreate, kMetadata };
  // SUSPENDS for as long as the operation on `name` takes. Not OK: it is to fail.
  IOStatus Take(Kind kind, const std::string& name);

  // From now on one in `one_in` reads (appends, syncs, creations and renames) fails; 0: none. Of an
  // append that fails a part may be written.
  void FailReads(uint32_t one_in) { fail_reads_ = one_in; }
  void FailWrites(uint32_t one_in) { fail_writes_ = one_in; }
  // What fails by these is a shortage, which passes, and files cannot be opened either.
  void FailForShortage(bool shortage) { shortage_ = shortage; }
  // Appends fail for want of space.
  void Fill(bool full) { full_ = full; }
  // Logs are written as ever.
  void SpareLogs(bool spare) { spare_logs_ = spare; }
  uint64_t failures() const { return failures_; }
  // When `changes` more syncs, creations, renames and deletions are done, `call`; 0: never.
  void CallAfterChanges(uint64_t changes, std::function<void()> call) {
    changes_left_ = changes;
    after_changes_ = std::move(call);
  }
  // One is done, or has failed with `s`, which it returns.
  IOStatus Changed(IOStatus s);

  IOStatus NewSequentialFile(const std::string& name, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
                             IODebugContext* dbg) override;
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* result, IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& name, const IOOptions& options, uint64_t* size,
                       IODebugContext* dbg) override;

 private:
  const DiskOptions options_;
  const std::shared_ptr<MemoryFileSystem> memory_;
  // A simulation runs one thread at a time.
  uint32_t fail_reads_ = 0;
  uint32_t fail_writes_ = 0;
  bool shortage_ = false;
  bool full_ = false;
  bool spare_logs_ = false;
  uint64_t failures_ = 0;
  uint64_t changes_left_ = 0;
  std::function<void()> after_changes_;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_DISK_H_
