// A file system that tells a SpaceManager of the tables and blob files in a database's directories,
// and leaves it the deletion of those and of logs. A database puts it around the real one if the
// options name an SstFileManager.
//
// Thread safety: as the file system below.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "base/namespace.h"
#include "fs/space_manager.h"
#include "rocksdb/file_system.h"

namespace cairn {

class ManagedFileSystem final : public FileSystemWrapper {
 public:
  // Files in other directories than `directories` are none of the manager's.
  ManagedFileSystem(const std::shared_ptr<FileSystem>& target,
                    std::shared_ptr<SpaceManager> manager, std::set<std::string> directories);

  const char* Name() const override { return "ManagedFileSystem"; }
  // A file counts from its Close on.
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                    IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* dbg) override;

 private:
  enum class Kind { kOther, kLog, kData };
  Kind KindOf(const std::string& path) const;

  const std::shared_ptr<SpaceManager> manager_;  // shared with the files, which may outlive this
  const std::set<std::string> directories_;
};

}  // namespace cairn
