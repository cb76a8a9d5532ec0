// A backup as a directory of a database that can be read: private/<id>, in which the shared files
// of the backup appear under the names that the database knows.
//
// Called by an engine for BackupInfo::env_for_open. Thread safety: as the file system below.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "utilities/backup_meta.h"

namespace cairn {

// Whatever would change something is NotSupported.
class BackupView final : public FileSystemWrapper {
 public:
  // `dir`: the path of private/<id>; `backup_dir`: of all backups.
  BackupView(const std::shared_ptr<FileSystem>& base, const std::string& backup_dir,
             const std::string& dir, const BackupMeta& backup);

  const char* Name() const override { return "BackupView"; }

  IOStatus NewSequentialFile(const std::string& f, const FileOptions& o,
                             std::unique_ptr<FSSequentialFile>* r, IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& f, const FileOptions& o,
                               std::unique_ptr<FSRandomAccessFile>* r,
                               IODebugContext* dbg) override;
  IOStatus FileExists(const std::string& f, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& d, const IOOptions& o, std::vector<std::string>* r,
                       IODebugContext* dbg) override;
  IOStatus GetChildrenFileAttributes(const std::string& d, const IOOptions& o,
                                     std::vector<FileAttributes>* r, IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& f, const IOOptions& o, uint64_t* s,
                       IODebugContext* dbg) override;
  IOStatus GetFileModificationTime(const std::string& f, const IOOptions& o, uint64_t* t,
                                   IODebugContext* dbg) override;
  IOStatus AreFilesSame(const std::string& a, const std::string& b, const IOOptions& o, bool* r,
                        IODebugContext* dbg) override;

  IOStatus NewWritableFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& f, const FileOptions& o,
                              std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& f, const std::string& old, const FileOptions& o,
                             std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override;
  IOStatus NewLogger(const std::string& f, const IOOptions& o, std::shared_ptr<Logger>* r,
                     IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& f, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& f, size_t size, const IOOptions& o,
                    IODebugContext* dbg) override;
  IOStatus CreateDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus CreateDirIfMissing(const std::string& d, const IOOptions& o,
                              IODebugContext* dbg) override;
  IOStatus DeleteDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& s, const std::string& t, const IOOptions& o,
                      IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& s, const std::string& t, const IOOptions& o,
                    IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& f, const IOOptions& o, FileLock** l,
                    IODebugContext* dbg) override;

 private:
  // Where the file is.
  std::string Place(const std::string& path) const;
  bool IsDir(const std::string& path) const { return path == dir_ || path == dir_ + "/"; }

  const std::string dir_;
  std::map<std::string, std::string> shared_;  // paths, by the names in dir_
};

}  // namespace cairn
