#include "fs/managed_file_system.h"

#include <utility>

#include "fs/file_names.h"
#include "fs/file_util.h"

namespace cairn {
namespace {

class ManagedWritableFile final : public FSWritableFileOwnerWrapper {
 public:
  ManagedWritableFile(std::unique_ptr<FSWritableFile> target, std::shared_ptr<SpaceManager> manager,
                      std::string path)
      : FSWritableFileOwnerWrapper(std::move(target)),
        manager_(std::move(manager)),
        path_(std::move(path)) {}

  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus io = target()->Close(options, dbg);
    // A size that cannot be asked for is asked for again at the next opening.
    if (io.ok()) manager_->Track(path_).PermitUncheckedError();
    return io;
  }

 private:
  const std::shared_ptr<SpaceManager> manager_;
  const std::string path_;
};

}  // namespace

ManagedFileSystem::ManagedFileSystem(const std::shared_ptr<FileSystem>& target,
                                     std::shared_ptr<SpaceManager> manager,
                                     std::set<std::string> directories)
    : FileSystemWrapper(target),
      manager_(std::move(manager)),
      directories_(std::move(directories)) {}

ManagedFileSystem::Kind ManagedFileSystem::KindOf(const std::string& path) const {
  uint64_t number;
  FileType type;
  if (!ParseFileName(LastName(path), &number, &type)) return Kind::kOther;
  const bool is_data = type == FileType::kTableFile || type == FileType::kBlobFile;
  if (!is_data && type != FileType::kWalFile) return Kind::kOther;
  // (A database's paths are made of the directories as the options have them.)
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || !directories_.contains(path.substr(0, slash)))
    return Kind::kOther;
  return is_data ? Kind::kData : Kind::kLog;
}

IOStatus ManagedFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                            std::unique_ptr<FSWritableFile>* file,
                                            IODebugContext* dbg) {
  IOStatus io = target()->NewWritableFile(path, options, file, dbg);
  if (io.ok() && KindOf(path) == Kind::kData) {
    *file = std::make_unique<ManagedWritableFile>(std::move(*file), manager_, path);
  }
  return io;
}

IOStatus ManagedFileSystem::RenameFile(const std::string& from, const std::string& to,
                                       const IOOptions& options, IODebugContext* dbg) {
  IOStatus io = target()->RenameFile(from, to, options, dbg);
  if (!io.ok()) return io;
  if (KindOf(from) == Kind::kData) manager_->Forget(from);
  if (KindOf(to) == Kind::kData) manager_->Track(to).PermitUncheckedError();
  return io;
}

IOStatus ManagedFileSystem::LinkFile(const std::string& from, const std::string& to,
                                     const IOOptions& options, IODebugContext* dbg) {
  IOStatus io = target()->LinkFile(from, to, options, dbg);
  if (io.ok() && KindOf(to) == Kind::kData) manager_->Track(to).PermitUncheckedError();
  return io;
}

IOStatus ManagedFileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                       IODebugContext* dbg) {
  if (KindOf(path) == Kind::kOther) return target()->DeleteFile(path, options, dbg);
  return manager_->DeleteFile(path, /*force_slow=*/false);
}

}  // namespace cairn
