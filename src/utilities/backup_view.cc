#include "utilities/backup_view.h"

#include "utilities/backup_names.h"

namespace cairn {
namespace {

IOStatus Refuse(const std::string& path) {
  return IOStatus::NotSupported("a backup is only read", path);
}

}  // namespace

BackupView::BackupView(const std::shared_ptr<FileSystem>& base, const std::string& backup_dir,
                       const std::string& dir, const BackupMeta& backup)
    : FileSystemWrapper(base), dir_(dir) {
  for (const auto& file : backup.files) {
    if (!IsSharedBackupFile(file->path)) continue;
    shared_[DatabaseFileName(file->path)] = backup_dir + "/" + file->path;
  }
}

std::string BackupView::Place(const std::string& path) const {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.compare(0, dir_.size(), dir_) != 0) return path;
  // "dir//name", too.
  if (path.find_first_not_of('/', dir_.size()) != slash + 1) return path;
  const auto found = shared_.find(path.substr(slash + 1));
  return found == shared_.end() ? path : found->second;
}

IOStatus BackupView::NewSequentialFile(const std::string& f, const FileOptions& o,
                                       std::unique_ptr<FSSequentialFile>* r, IODebugContext* dbg) {
  return target()->NewSequentialFile(Place(f), o, r, dbg);
}
IOStatus BackupView::NewRandomAccessFile(const std::string& f, const FileOptions& o,
                                         std::unique_ptr<FSRandomAccessFile>* r,
                                         IODebugContext* dbg) {
  return target()->NewRandomAccessFile(Place(f), o, r, dbg);
}
IOStatus BackupView::FileExists(const std::string& f, const IOOptions& o, IODebugContext* dbg) {
  return target()->FileExists(Place(f), o, dbg);
}
IOStatus BackupView::GetChildren(const std::string& d, const IOOptions& o,
                                 std::vector<std::string>* r, IODebugContext* dbg) {
  IOStatus s = target()->GetChildren(d, o, r, dbg);
  if (s.ok() && IsDir(d)) {
    for (const auto& [name, path] : shared_) r->push_back(name);
  }
  return s;
}
IOStatus BackupView::GetChildrenFileAttributes(const std::string& d, const IOOptions& o,
                                               std::vector<FileAttributes>* r,
                                               IODebugContext* dbg) {
  IOStatus s = target()->GetChildrenFileAttributes(d, o, r, dbg);
  if (!IsDir(d)) return s;
  for (const auto& [name, path] : shared_) {
    FileAttributes file;
    file.name = name;
    if (s.ok()) s = target()->GetFileSize(path, o, &file.size_bytes, dbg);
    r->push_back(file);
  }
  return s;
}
IOStatus BackupView::GetFileSize(const std::string& f, const IOOptions& o, uint64_t* s,
                                 IODebugContext* dbg) {
  return target()->GetFileSize(Place(f), o, s, dbg);
}
IOStatus BackupView::GetFileModificationTime(const std::string& f, const IOOptions& o, uint64_t* t,
                                             IODebugContext* dbg) {
  return target()->GetFileModificationTime(Place(f), o, t, dbg);
}
IOStatus BackupView::AreFilesSame(const std::string& a, const std::string& b, const IOOptions& o,
                                  bool* r, IODebugContext* dbg) {
  return target()->AreFilesSame(Place(a), Place(b), o, r, dbg);
}

IOStatus BackupView::NewWritableFile(const std::string& f, const FileOptions& /*o*/,
                                     std::unique_ptr<FSWritableFile>* /*r*/,
                                     IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::ReopenWritableFile(const std::string& f, const FileOptions& /*o*/,
                                        std::unique_ptr<FSWritableFile>* /*r*/,
                                        IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::ReuseWritableFile(const std::string& f, const std::string& /*old*/,
                                       const FileOptions& /*o*/,
                                       std::unique_ptr<FSWritableFile>* /*r*/,
                                       IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::NewLogger(const std::string& f, const IOOptions& /*o*/,
                               std::shared_ptr<Logger>* /*r*/, IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::DeleteFile(const std::string& f, const IOOptions& /*o*/,
                                IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::Truncate(const std::string& f, size_t /*size*/, const IOOptions& /*o*/,
                              IODebugContext* /*dbg*/) {
  return Refuse(f);
}
IOStatus BackupView::CreateDir(const std::string& d, const IOOptions& /*o*/,
                               IODebugContext* /*dbg*/) {
  return Refuse(d);
}
IOStatus BackupView::CreateDirIfMissing(const std::string& d, const IOOptions& o,
                                        IODebugContext* dbg) {
  IOStatus s = target()->FileExists(d, o, dbg);
  return s.IsNotFound() ? Refuse(d) : s;
}
IOStatus BackupView::DeleteDir(const std::string& d, const IOOptions& /*o*/,
                               IODebugContext* /*dbg*/) {
  return Refuse(d);
}
IOStatus BackupView::RenameFile(const std::string& s, const std::string& /*t*/,
                                const IOOptions& /*o*/, IODebugContext* /*dbg*/) {
  return Refuse(s);
}
IOStatus BackupView::LinkFile(const std::string& s, const std::string& /*t*/,
                              const IOOptions& /*o*/, IODebugContext* /*dbg*/) {
  return Refuse(s);
}
IOStatus BackupView::LockFile(const std::string& f, const IOOptions& /*o*/, FileLock** /*l*/,
                              IODebugContext* /*dbg*/) {
  return Refuse(f);
}

}  // namespace cairn
