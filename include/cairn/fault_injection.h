// A file system that fails on purpose, over any other: for tests of programs that store with Cairn,
// and of Cairn itself.
//
//   auto faults = std::make_shared<cairn::fault::FaultInjectionFileSystem>(FileSystem::Default());
//   std::unique_ptr<Env> env = NewCompositeEnv(faults);
//   options.env = env.get();
//
//   // Each hundredth write of a table fails, the same ones for the same seed.
//   faults->AddRule({.operations = cairn::fault::kAppend, .files = cairn::fault::kTables,
//                    .one_in = 100, .seed = 7});
//   // The third read from now on gets a wrong bit.
//   faults->AddRule({.operations = cairn::fault::kRead, .after = 2, .times = 1,
//                    .effect = cairn::fault::Effect::kWrongBit});
//
//   // A power cut: nothing reaches the disk any more, the database is torn down, and what was not
//   // synced is lost.
//   faults->SetFilesystemActive(false);
//   db.reset();
//   faults->Heal();
//   faults->DropUnsynced();
//
// **What a power cut loses.** The model is a journaling file system. The bytes of a file last once
// a Sync or Fsync began after their Append returned. Creations, renames and links of names in a
// directory last once the directory was synced; without that they are taken back, in the reverse of
// their order, and what a rename replaced is there again. So it is with directories that were made
// or renamed: one that is taken back is gone with all in it. Deletions last at once. What was there
// before this object was, lasts.
//
// An operation that is made to fail does nothing, unless its rule or the full disk says otherwise.
// A write that hands a checksum over (DBOptions::checksum_handoff_file_types) is compared with it.
// Thread safety: all of it, by threads and fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"

namespace cairn::fault {

using rocksdb::IOStatus;

// What an operation does; combined with |.
enum Operation : uint32_t {
  kOpen = 1 << 0,    // opening a file for reading
  kCreate = 1 << 1,  // creating, reopening, reusing a file; creating a directory
  kRead = 1 << 2,
  kAppend = 1 << 3,  // any write of bytes, and truncation
  kSync = 1 << 4,    // Sync, Fsync, RangeSync
  kClose = 1 << 5,   // of a writable file; it is closed nevertheless
  kRename = 1 << 6,  // rename, link
  kDelete = 1 << 7,
  kDirSync = 1 << 8,
  kMetadata = 1 << 9,  // existence, sizes, children, opening of directories, locks
  kWrites = kCreate | kAppend | kSync | kClose | kRename | kDelete | kDirSync,
  kReads = kOpen | kRead,
  kAll = 0xffffffff,
};

// What a file is, by its name; combined with |.
enum FileKind : uint32_t {
  kLogs = 1 << 0,       // the write-ahead log: 000123.log
  kTables = 1 << 1,     // 000123.sst
  kManifests = 1 << 2,  // MANIFEST-000123
  kCurrent = 1 << 3,
  kOptionsFiles = 1 << 4,    // OPTIONS-000123
  kInfoLogs = 1 << 5,        // LOG, LOG.old.*
  kTemporaryFiles = 1 << 6,  // 000123.dbtmp
  kOtherFiles = 1 << 7,      // all else, and directories
  kAnyFile = 0xffffffff,
};
FileKind KindOf(const std::string& path);

// What the local file system says where a system call fails with this errno: a rule with
// ErrorOf(EMFILE) is a process that is out of descriptors. (EMFILE, ENFILE, ENOMEM, EAGAIN, ENOSPC
// and their like pass: those are retryable, and a database that met one goes on by itself.)
IOStatus ErrorOf(int err);

enum class Effect {
  kError,     // the operation does nothing and returns the rule's error
  kTorn,      // an Append writes a part, chosen by the seed, and returns the error; others: kError
  kWrongBit,  // a read succeeds, and one bit of what it returns, chosen by the seed, is wrong;
              // other operations are not hit
};

// Which operations are hit, and how. Of those that match, the first `after` pass; of the following
// one in `one_in` is hit, by a generator of the rule's own, up to `times` in all.
struct Rule {
  uint32_t operations = kAll;
  uint32_t files = kAnyFile;
  std::function<bool(const std::string& path)> where = nullptr;  // null: everywhere
  uint64_t after = 0;
  uint64_t times = UINT64_MAX;
  uint32_t one_in = 1;  // 0: none
  uint64_t seed = 1;
  Effect effect = Effect::kError;
  IOStatus error = IOStatus::IOError("injected fault");
};
using RuleId = uint64_t;

namespace detail {
class FaultState;
class UnsyncedData;
}  // namespace detail

class FaultInjectionFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultInjectionFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base);
  ~FaultInjectionFileSystem() override;

  static const char* kClassName() { return "FaultInjectionFileSystem"; }
  const char* Name() const override { return kClassName(); }

  // --- Faults

  // Rules are asked in the order in which they were added; the first that hits decides.
  RuleId AddRule(Rule rule);
  // How often it has hit; 0 if there is no such rule.
  uint64_t Hits(RuleId rule) const;
  void RemoveRule(RuleId rule);

  // The nth operation from now (1: the next) among `operations` fails with `error`, and so do
  // those after it, `times` in all. In place of the last such call's; n = 0: removes that.
  void FailNthOperation(uint64_t n, uint32_t operations, IOStatus error, uint64_t times = 1);
  // Each among `operations` fails with probability 1/one_in (0: never). In place of the last such
  // call's.
  void FailRandomly(uint64_t seed, uint32_t operations, uint32_t one_in, IOStatus error);

  // Inactive: every operation that changes something fails with `error`.
  void SetFilesystemActive(bool active, IOStatus error = IOStatus::IOError("injected: inactive"));
  // Creations, renames and deletions fail as on a file system that is mounted read-only.
  void SetReadOnly(bool read_only);
  // After `bytes` more bytes the disk is full: an Append writes what fits and returns NoSpace.
  // UINT64_MAX: no limit.
  void SetFreeBytes(uint64_t bytes);
  // Only files for which this returns true are hit by any of the faults above (but the full disk);
  // null: all.
  void SetFileFilter(std::function<bool(const std::string& path)> filter);

  // Reads of `path` see the byte at `offset` xor-ed with `mask`; mask 0 removes it. The file itself
  // keeps its bytes.
  void FlipBits(const std::string& path, uint64_t offset, uint8_t mask);

  // No faults any more: no rules, active, writable, space. (The filter stays.)
  void Heal();

  // --- Power cuts (see the head)

  // Loses what was not synced. REQUIRES: no file is open for writing. Works on the base file
  // system, faults do not hit it. Returns its first error.
  IOStatus DropUnsynced();
  // The same, but of each file's unsynced bytes a prefix survives, and of each directory's unsynced
  // operations the first ones, both chosen by the seed.
  IOStatus DropUnsyncedRandomly(uint64_t seed);
  // What a power cut would lose now.
  uint64_t UnsyncedBytes() const;
  uint64_t UnsyncedNames() const;

  // --- What happened

  // Operations so far, those that failed included.
  uint64_t OperationCount(uint32_t operations = kAll) const;
  // Files that are open now.
  int OpenWritableFiles() const;
  int OpenReadableFiles() const;
  std::vector<std::string> OpenFileNames() const;

  // --- FileSystem

  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             rocksdb::IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               rocksdb::IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           rocksdb::IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              rocksdb::IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* result,
                             rocksdb::IODebugContext* dbg) override;
  IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* result,
                        rocksdb::IODebugContext* dbg) override;
  IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options,
                       std::vector<std::string>* result, rocksdb::IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* dbg) override;
  IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                     rocksdb::IODebugContext* dbg) override;
  IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* dbg) override;
  IOStatus DeleteDir(const std::string& path, const rocksdb::IOOptions& options,
                     rocksdb::IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, uint64_t* size,
                       rocksdb::IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& from, const std::string& to,
                    const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options,
                    rocksdb::FileLock** lock, rocksdb::IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& path, size_t size, const rocksdb::IOOptions& options,
                    rocksdb::IODebugContext* dbg) override;

 private:
  // Shared with the files.
  const std::shared_ptr<detail::FaultState> faults_;
  const std::shared_ptr<detail::UnsyncedData> unsynced_;
};

}  // namespace cairn::fault
