// EnvFileSystem: the FileSystem of an Env that has functions for files of its own: each operation
// calls the Env's. EnvClock: likewise its clock.
//
// Both borrow the Env, which has them. Thread-safe as the Env is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace cairn {

class EnvFileSystem final : public FileSystem {
 public:
  // `target`: the file system whose files the Env may hand on, as they are; null: it has none.
  EnvFileSystem(Env* env, std::shared_ptr<FileSystem> target);

  const char* Name() const override { return "LegacyFileSystem"; }

  IOStatus NewSequentialFile(const std::string& f, const FileOptions& o,
                             std::unique_ptr<FSSequentialFile>* r, IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& f, const FileOptions& o,
                               std::unique_ptr<FSRandomAccessFile>* r,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& f, const FileOptions& o,
                              std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& f, const std::string& old, const FileOptions& o,
                             std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus NewRandomRWFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSRandomRWFile>* r, IODebugContext* dbg) override;
  IOStatus NewMemoryMappedFileBuffer(const std::string& f,
                                     std::unique_ptr<MemoryMappedFileBuffer>* r) override;
  IOStatus NewDirectory(const std::string& n, const IOOptions& o, std::unique_ptr<FSDirectory>* r,
                        IODebugContext* dbg) override;
  IOStatus FileExists(const std::string& f, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& d, const IOOptions& o, std::vector<std::string>* r,
                       IODebugContext* dbg) override;
  IOStatus GetChildrenFileAttributes(const std::string& d, const IOOptions& o,
                                     std::vector<FileAttributes>* r, IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& f, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& f, size_t size, const IOOptions& o,
                    IODebugContext* dbg) override;
  IOStatus CreateDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus CreateDirIfMissing(const std::string& d, const IOOptions& o,
                              IODebugContext* dbg) override;
  IOStatus DeleteDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& f, const IOOptions& o, uint64_t* size,
                       IODebugContext* dbg) override;
  IOStatus GetFileModificationTime(const std::string& f, const IOOptions& o, uint64_t* time,
                                   IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& s, const std::string& t, const IOOptions& o,
                      IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& s, const std::string& t, const IOOptions& o,
                    IODebugContext* dbg) override;
  IOStatus NumFileLinks(const std::string& f, const IOOptions& o, uint64_t* count,
                        IODebugContext* dbg) override;
  IOStatus AreFilesSame(const std::string& a, const std::string& b, const IOOptions& o,
                        bool* result, IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& f, const IOOptions& o, FileLock** lock,
                    IODebugContext* dbg) override;
  IOStatus UnlockFile(FileLock* lock, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus GetTestDirectory(const IOOptions& o, std::string* path, IODebugContext* dbg) override;
  IOStatus NewLogger(const std::string& f, const IOOptions& o, std::shared_ptr<Logger>* r,
                     IODebugContext* dbg) override;
  IOStatus GetAbsolutePath(const std::string& path, const IOOptions& o, std::string* out,
                           IODebugContext* dbg) override;
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& o, uint64_t* bytes,
                        IODebugContext* dbg) override;
  IOStatus IsDirectory(const std::string& path, const IOOptions& o, bool* is_dir,
                       IODebugContext* dbg) override;
  FileOptions OptimizeForLogRead(const FileOptions& o) const override;
  FileOptions OptimizeForManifestRead(const FileOptions& o) const override;
  FileOptions OptimizeForLogWrite(const FileOptions& o, const DBOptions& db) const override;
  FileOptions OptimizeForManifestWrite(const FileOptions& o) const override;
  FileOptions OptimizeForCompactionTableWrite(const FileOptions& o,
                                              const ImmutableDBOptions& db) const override;
  FileOptions OptimizeForCompactionTableRead(const FileOptions& o,
                                             const ImmutableDBOptions& db) const override;
  FileOptions OptimizeForBlobFileRead(const FileOptions& o,
                                      const ImmutableDBOptions& db) const override;
  void SanitizeFileOptions(FileOptions* options) const override;
  Status RegisterDbPaths(const std::vector<std::string>& paths) override;
  Status UnregisterDbPaths(const std::vector<std::string>& paths) override;
  // (Handles are those of target's files: others read at once.)
  IOStatus Poll(std::vector<void*>& handles, size_t min_completions) override;
  IOStatus AbortIO(std::vector<void*>& handles) override;

 private:
  Env& env_;
  const std::shared_ptr<FileSystem> target_;
  // Whose files are used as they are: target's, or what that one's Env hands on in its turn.
  const FileSystem* const usable_;
};

class EnvClock final : public SystemClock {
 public:
  explicit EnvClock(Env* env) : env_(*env) {}

  const char* Name() const override { return "LegacySystemClock"; }
  uint64_t NowMicros() override { return env_.NowMicros(); }
  uint64_t NowNanos() override { return env_.NowNanos(); }
  uint64_t CPUMicros() override { return CPUNanos() / 1000; }
  uint64_t CPUNanos() override { return env_.NowCPUNanos(); }
  void SleepForMicroseconds(int micros) override { env_.SleepForMicroseconds(micros); }
  Status GetCurrentTime(int64_t* unix_time) override { return env_.GetCurrentTime(unix_time); }
  std::string TimeToString(uint64_t time) override { return env_.TimeToString(time); }

 private:
  Env& env_;
};

}  // namespace cairn
