// A file system in memory that can lose power.
//
// For NewMemEnv() and, with durability tracked, for crash tests: it knows for each file which bytes
// were synced and for each directory which operations an fsync of the directory covered.
//
// The model, as a journaling file system gives it:
// - A file's bytes are durable once Sync or Fsync returned after they were appended.
// - Creating, renaming, linking and deleting a name is durable once the directory was fsynced.
//   Operations of one directory survive in their order: a prefix of the unsynced ones, never a
//   rename half done. Syncing a file does not make its name durable.
// - Directories are names, too: one that its parent was not fsynced with is lost with all in it.
//
// Thread-safe; one mutex for the names, one per file.

#ifndef CAIRN_FS_MEMORY_FILE_SYSTEM_H_
#define CAIRN_FS_MEMORY_FILE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

class MemoryFileSystem : public FileSystem {
 public:
  enum class Durability { kTracked, kUntracked };

  // kUntracked keeps one copy of each byte, and DropUnsynced() loses nothing.
  explicit MemoryFileSystem(Durability durability = Durability::kTracked);
  ~MemoryFileSystem() override;

  static const char* kClassName() { return "MemoryFileSystem"; }
  const char* Name() const override { return kClassName(); }

  // The power goes: every later operation on the file system or on an open file fails with
  // IOError, so that a database can be torn down without changing what "the disk" holds.
  // DropUnsynced() brings it back.
  void CrashAndFreeze();

  // A power cut and the reboot: unsynced bytes and unsynced names are lost, open files become
  // useless (every use fails), locks are free again.
  void DropUnsynced();

  // As above, but chosen by `seed` a part survives: of each file a part of its unsynced bytes (a
  // prefix, often of whole writes, perhaps with zeros behind it), of each directory a prefix of its
  // unsynced operations.
  void DropUnsyncedRandomly(uint64_t seed);

  // Bytes not yet synced over all files, and names not yet durable: for tests of sync behaviour.
  uint64_t UnsyncedBytes() const;
  uint64_t UnsyncedDirectoryOperations() const;

  // Flips bits or cuts the durable and current contents of a file, for corruption tests.
  IOStatus CorruptFile(const std::string& fname, uint64_t offset, uint8_t xor_mask);
  IOStatus TruncateFile(const std::string& fname, uint64_t size);

  IOStatus NewSequentialFile(const std::string& fname, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& fname, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override;
  IOStatus NewRandomRWFile(const std::string& fname, const FileOptions& options,
                           std::unique_ptr<FSRandomRWFile>* result, IODebugContext* dbg) override;
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
  IOStatus GetFileModificationTime(const std::string& fname, const IOOptions& options,
                                   uint64_t* mtime, IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& src, const std::string& target, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& src, const std::string& target, const IOOptions& options,
                    IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& fname, const IOOptions& options, FileLock** lock,
                    IODebugContext* dbg) override;
  IOStatus UnlockFile(FileLock* lock, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus GetTestDirectory(const IOOptions& options, std::string* path,
                            IODebugContext* dbg) override;
  IOStatus GetAbsolutePath(const std::string& db_path, const IOOptions& options,
                           std::string* output_path, IODebugContext* dbg) override;
  IOStatus IsDirectory(const std::string& path, const IOOptions& options, bool* is_dir,
                       IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& fname, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override;

  struct State;  // shared with open files, which may outlive the file system

 private:
  void Reboot(uint64_t* seed);
  IOStatus FindForRead(const std::string& fname, std::shared_ptr<void>* inode);
  // As a File, one of memory_files.h.
  template <typename File, typename Base>
  IOStatus OpenForRead(const std::string& fname, std::unique_ptr<Base>* result);
  IOStatus MakeDirectory(const std::string& dirname, bool may_exist);

  const std::shared_ptr<State> state_;
};

}  // namespace cairn

#endif  // CAIRN_FS_MEMORY_FILE_SYSTEM_H_
