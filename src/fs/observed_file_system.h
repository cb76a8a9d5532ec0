// A file system that tells the user's EventListeners how long each operation on a file took, and
// which ones failed. A database puts it around the real one if a listener asks for that.
//
// Thread safety: as the file system below; listeners are called from whoever does the operation.
#pragma once

#include <memory>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"

namespace cairn {

using FileListeners = std::vector<std::shared_ptr<EventListener>>;

class ObservedFileSystem final : public FileSystemWrapper {
 public:
  ObservedFileSystem(const std::shared_ptr<FileSystem>& target, FileListeners listeners);

  const char* Name() const override { return "ObservedFileSystem"; }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file, IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* dbg) override;

 private:
  // Shared with the files, which may outlive this.
  const std::shared_ptr<const FileListeners> listeners_;
};

}  // namespace cairn
