// A file system that, where a file cannot be opened because the process is short of something
// (descriptors, memory), asks its user to let go of what he can do without, and tries again. A
// database puts it around the real one and closes tables that nobody reads (TableCache), so that
// every file of the database, its logs as well as its tables, finds a descriptor as long as there
// is an idle table.
//
// Thread safety: as the file system below. Files are that one's own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"

namespace cairn {

class ReopeningFileSystem final : public FileSystemWrapper {
 public:
  // `let_go`: false: there was nothing to let go of. From any thread, also while the database's
  // own locks are held.
  ReopeningFileSystem(const std::shared_ptr<FileSystem>& target, std::function<bool()> let_go)
      : FileSystemWrapper(target), let_go_(std::move(let_go)) {}

  const char* Name() const override { return "ReopeningFileSystem"; }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file, IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  // (Not ReuseWritableFile: the renaming may be done. Who cannot reuse a file creates one.)
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* directory, IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& path, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* dbg) override;
  IOStatus LockFile(const std::string& path, const IOOptions& options, FileLock** lock,
                    IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& path, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override;

 private:
  template <typename Attempt>
  IOStatus Try(const Attempt& attempt);

  const std::function<bool()> let_go_;
};

}  // namespace cairn
