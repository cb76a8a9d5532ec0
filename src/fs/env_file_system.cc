#include "fs/env_file_system.h"

#include <utility>

#include "fs/env_files.h"

namespace cairn {

namespace {

// `to` with what an Env says of `of`.
FileOptions With(FileOptions to, const EnvOptions& of) {
  static_cast<EnvOptions&>(to) = of;
  return to;
}

}  // namespace

EnvFileSystem::EnvFileSystem(Env* env, std::shared_ptr<FileSystem> target)
    : env_(*env), target_(std::move(target)), usable_([this]() -> const FileSystem* {
        const auto* const of_env = dynamic_cast<const EnvFileSystem*>(target_.get());
        return of_env != nullptr ? of_env->usable_ : target_.get();
      }()) {}

IOStatus EnvFileSystem::NewSequentialFile(const std::string& f, const FileOptions& o,
                                          std::unique_ptr<FSSequentialFile>* r,
                                          IODebugContext* /*dbg*/) {
  std::unique_ptr<SequentialFile> file;
  IOStatus s = ToIO(env_.NewSequentialFile(f, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), usable_);
  return s;
}

IOStatus EnvFileSystem::NewRandomAccessFile(const std::string& f, const FileOptions& o,
                                            std::unique_ptr<FSRandomAccessFile>* r,
                                            IODebugContext* /*dbg*/) {
  std::unique_ptr<RandomAccessFile> file;
  IOStatus s = ToIO(env_.NewRandomAccessFile(f, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), usable_);
  return s;
}

IOStatus EnvFileSystem::NewWritableFile(const std::string& f, const FileOptions& o,
                                        std::unique_ptr<FSWritableFile>* r,
                                        IODebugContext* /*dbg*/) {
  std::unique_ptr<WritableFile> file;
  IOStatus s = ToIO(env_.NewWritableFile(f, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), o, usable_);
  return s;
}

IOStatus EnvFileSystem::ReopenWritableFile(const std::string& f, const FileOptions& o,
                                           std::unique_ptr<FSWritableFile>* r,
                                           IODebugContext* /*dbg*/) {
  std::unique_ptr<WritableFile> file;
  IOStatus s = ToIO(env_.ReopenWritableFile(f, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), o, usable_);
  return s;
}

IOStatus EnvFileSystem::ReuseWritableFile(const std::string& f, const std::string& old,
                                          const FileOptions& o, std::unique_ptr<FSWritableFile>* r,
                                          IODebugContext* /*dbg*/) {
  std::unique_ptr<WritableFile> file;
  IOStatus s = ToIO(env_.ReuseWritableFile(f, old, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), o, usable_);
  return s;
}

IOStatus EnvFileSystem::NewRandomRWFile(const std::string& f, const FileOptions& o,
                                        std::unique_ptr<FSRandomRWFile>* r,
                                        IODebugContext* /*dbg*/) {
  std::unique_ptr<RandomRWFile> file;
  IOStatus s = ToIO(env_.NewRandomRWFile(f, &file, o));
  if (s.ok()) *r = ToFsFile(std::move(file), usable_);
  return s;
}

IOStatus EnvFileSystem::NewMemoryMappedFileBuffer(const std::string& f,
                                                  std::unique_ptr<MemoryMappedFileBuffer>* r) {
  return ToIO(env_.NewMemoryMappedFileBuffer(f, r));
}

IOStatus EnvFileSystem::NewDirectory(const std::string& n, const IOOptions& /*o*/,
                                     std::unique_ptr<FSDirectory>* r, IODebugContext* /*dbg*/) {
  std::unique_ptr<Directory> directory;
  IOStatus s = ToIO(env_.NewDirectory(n, &directory));
  if (s.ok()) *r = ToFsFile(std::move(directory), usable_);
  return s;
}

IOStatus EnvFileSystem::FileExists(const std::string& f, const IOOptions& /*o*/,
                                   IODebugContext* /*dbg*/) {
  return ToIO(env_.FileExists(f));
}

IOStatus EnvFileSystem::GetChildren(const std::string& d, const IOOptions& /*o*/,
                                    std::vector<std::string>* r, IODebugContext* /*dbg*/) {
  return ToIO(env_.GetChildren(d, r));
}

IOStatus EnvFileSystem::GetChildrenFileAttributes(const std::string& d, const IOOptions& /*o*/,
                                                  std::vector<FileAttributes>* r,
                                                  IODebugContext* /*dbg*/) {
  return ToIO(env_.GetChildrenFileAttributes(d, r));
}

IOStatus EnvFileSystem::DeleteFile(const std::string& f, const IOOptions& /*o*/,
                                   IODebugContext* /*dbg*/) {
  return ToIO(env_.DeleteFile(f));
}

IOStatus EnvFileSystem::Truncate(const std::string& f, size_t size, const IOOptions& /*o*/,
                                 IODebugContext* /*dbg*/) {
  return ToIO(env_.Truncate(f, size));
}

IOStatus EnvFileSystem::CreateDir(const std::string& d, const IOOptions& /*o*/,
                                  IODebugContext* /*dbg*/) {
  return ToIO(env_.CreateDir(d));  // style: the user's call
}

IOStatus EnvFileSystem::CreateDirIfMissing(const std::string& d, const IOOptions& /*o*/,
                                           IODebugContext* /*dbg*/) {
  return ToIO(env_.CreateDirIfMissing(d));  // style: the user's call
}

IOStatus EnvFileSystem::DeleteDir(const std::string& d, const IOOptions& /*o*/,
                                  IODebugContext* /*dbg*/) {
  return ToIO(env_.DeleteDir(d));
}

IOStatus EnvFileSystem::GetFileSize(const std::string& f, const IOOptions& /*o*/, uint64_t* size,
                                    IODebugContext* /*dbg*/) {
  return ToIO(env_.GetFileSize(f, size));
}

IOStatus EnvFileSystem::GetFileModificationTime(const std::string& f, const IOOptions& /*o*/,
                                                uint64_t* time, IODebugContext* /*dbg*/) {
  return ToIO(env_.GetFileModificationTime(f, time));
}

IOStatus EnvFileSystem::RenameFile(const std::string& s, const std::string& t,
                                   const IOOptions& /*o*/, IODebugContext* /*dbg*/) {
  return ToIO(env_.RenameFile(s, t));
}

IOStatus EnvFileSystem::LinkFile(const std::string& s, const std::string& t, const IOOptions& /*o*/,
                                 IODebugContext* /*dbg*/) {
  return ToIO(env_.LinkFile(s, t));
}

IOStatus EnvFileSystem::NumFileLinks(const std::string& f, const IOOptions& /*o*/, uint64_t* count,
                                     IODebugContext* /*dbg*/) {
  return ToIO(env_.NumFileLinks(f, count));
}

IOStatus EnvFileSystem::AreFilesSame(const std::string& a, const std::string& b,
                                     const IOOptions& /*o*/, bool* result,
                                     IODebugContext* /*dbg*/) {
  return ToIO(env_.AreFilesSame(a, b, result));
}

IOStatus EnvFileSystem::LockFile(const std::string& f, const IOOptions& /*o*/, FileLock** lock,
                                 IODebugContext* /*dbg*/) {
  return ToIO(env_.LockFile(f, lock));
}

IOStatus EnvFileSystem::UnlockFile(FileLock* lock, const IOOptions& /*o*/,
                                   IODebugContext* /*dbg*/) {
  return ToIO(env_.UnlockFile(lock));
}

IOStatus EnvFileSystem::GetTestDirectory(const IOOptions& /*o*/, std::string* path,
                                         IODebugContext* /*dbg*/) {
  return ToIO(env_.GetTestDirectory(path));
}

IOStatus EnvFileSystem::NewLogger(const std::string& f, const IOOptions& /*o*/,
                                  std::shared_ptr<Logger>* r, IODebugContext* /*dbg*/) {
  return ToIO(env_.NewLogger(f, r));
}

IOStatus EnvFileSystem::GetAbsolutePath(const std::string& path, const IOOptions& /*o*/,
                                        std::string* out, IODebugContext* /*dbg*/) {
  return ToIO(env_.GetAbsolutePath(path, out));
}

IOStatus EnvFileSystem::GetFreeSpace(const std::string& path, const IOOptions& /*o*/,
                                     uint64_t* bytes, IODebugContext* /*dbg*/) {
  return ToIO(env_.GetFreeSpace(path, bytes));
}

IOStatus EnvFileSystem::IsDirectory(const std::string& path, const IOOptions& /*o*/, bool* is_dir,
                                    IODebugContext* /*dbg*/) {
  return ToIO(env_.IsDirectory(path, is_dir));
}

FileOptions EnvFileSystem::OptimizeForLogRead(const FileOptions& o) const {
  return With(o, env_.OptimizeForLogRead(o));
}

FileOptions EnvFileSystem::OptimizeForManifestRead(const FileOptions& o) const {
  return With(o, env_.OptimizeForManifestRead(o));
}

FileOptions EnvFileSystem::OptimizeForLogWrite(const FileOptions& o, const DBOptions& db) const {
  return With(o, env_.OptimizeForLogWrite(o, db));
}

FileOptions EnvFileSystem::OptimizeForManifestWrite(const FileOptions& o) const {
  return With(o, env_.OptimizeForManifestWrite(o));
}

FileOptions EnvFileSystem::OptimizeForCompactionTableWrite(const FileOptions& o,
                                                           const ImmutableDBOptions& db) const {
  return With(o, env_.OptimizeForCompactionTableWrite(o, db));
}

FileOptions EnvFileSystem::OptimizeForCompactionTableRead(const FileOptions& o,
                                                          const ImmutableDBOptions& db) const {
  return With(o, env_.OptimizeForCompactionTableRead(o, db));
}

FileOptions EnvFileSystem::OptimizeForBlobFileRead(const FileOptions& o,
                                                   const ImmutableDBOptions& db) const {
  return With(o, env_.OptimizeForBlobFileRead(o, db));
}

void EnvFileSystem::SanitizeFileOptions(FileOptions* options) const {
  env_.SanitizeEnvOptions(options);
}

Status EnvFileSystem::RegisterDbPaths(const std::vector<std::string>& paths) {
  return env_.RegisterDbPaths(paths);
}

Status EnvFileSystem::UnregisterDbPaths(const std::vector<std::string>& paths) {
  return env_.UnregisterDbPaths(paths);
}

IOStatus EnvFileSystem::Poll(std::vector<void*>& handles, size_t min_completions) {
  return target_ == nullptr ? IOStatus::OK() : target_->Poll(handles, min_completions);
}

IOStatus EnvFileSystem::AbortIO(std::vector<void*>& handles) {
  return target_ == nullptr ? IOStatus::OK() : target_->AbortIO(handles);
}

}  // namespace cairn
