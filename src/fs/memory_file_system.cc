#include "fs/memory_file_system.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fs/memory_files.h"
#include "fs/memory_state.h"

namespace cairn {

using namespace memory;  // NOLINT(google-build-using-namespace): the parts of this one class

namespace {

class MemoryFileLock : public FileLock {
 public:
  MemoryFileLock(std::string path, uint64_t generation)
      : path_(std::move(path)), generation_(generation) {}
  const std::string path_;
  const uint64_t generation_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem(Durability durability)
    : state_(std::make_shared<State>(durability)) {}

MemoryFileSystem::~MemoryFileSystem() = default;

// ------------------------------------------------------------------------------------------------
// Power cuts

void MemoryFileSystem::CrashAndFreeze() {
  fiber::MutexLock lock(&state_->mu);
  state_->frozen.store(true, std::memory_order_release);
}

void MemoryFileSystem::Reboot(uint64_t* seed) {
  fiber::MutexLock lock(&state_->mu);
  state_->generation.fetch_add(1, std::memory_order_acq_rel);
  state_->locks.clear();
  Random64 rng(seed == nullptr ? 1 : *seed);
  if (state_->tracked) {
    for (const InodePtr& inode : state_->AllInodes()) {
      fiber::MutexLock inode_lock(&inode->mu);
      inode->data = seed == nullptr ? inode->durable : inode->Surviving(&rng);
      inode->durable = inode->data;
      inode->dirty_from = kClean;
      inode->unsynced_writes.clear();
    }
    for (const DirectoryPtr& dir : state_->AllDirectories()) {
      if (seed != nullptr) {
        const size_t kept = rng.Uniform(dir->unsynced.size() + 1);
        for (size_t i = 0; i < kept; ++i) dir->Apply(&dir->durable_names, dir->unsynced[i]);
      }
      dir->names = dir->durable_names;
      dir->unsynced.clear();
    }
  }
  state_->frozen.store(false, std::memory_order_release);
}

void MemoryFileSystem::DropUnsynced() { Reboot(nullptr); }

void MemoryFileSystem::DropUnsyncedRandomly(uint64_t seed) { Reboot(&seed); }

uint64_t MemoryFileSystem::UnsyncedBytes() const {
  fiber::MutexLock lock(&state_->mu);
  uint64_t total = 0;
  for (const InodePtr& inode : state_->AllInodes()) {
    fiber::MutexLock inode_lock(&inode->mu);
    if (inode->dirty_from < inode->data.size()) total += inode->data.size() - inode->dirty_from;
  }
  return total;
}

uint64_t MemoryFileSystem::UnsyncedDirectoryOperations() const {
  fiber::MutexLock lock(&state_->mu);
  uint64_t total = 0;
  for (const DirectoryPtr& dir : state_->AllDirectories()) total += dir->unsynced.size();
  return total;
}

IOStatus MemoryFileSystem::CorruptFile(const std::string& fname, uint64_t offset,
                                       uint8_t xor_mask) {
  fiber::MutexLock lock(&state_->mu);
  const InodePtr inode = state_->FindFile(Normalize(fname));
  if (inode == nullptr) return Missing(fname);
  fiber::MutexLock inode_lock(&inode->mu);
  if (offset >= inode->data.size()) return IOStatus::InvalidArgument("beyond the end of", fname);
  inode->data[offset] = static_cast<char>(inode->data[offset] ^ xor_mask);
  if (offset < inode->durable.size()) {
    inode->durable[offset] = static_cast<char>(inode->durable[offset] ^ xor_mask);
  }
  return IOStatus::OK();
}

IOStatus MemoryFileSystem::TruncateFile(const std::string& fname, uint64_t size) {
  fiber::MutexLock lock(&state_->mu);
  const InodePtr inode = state_->FindFile(Normalize(fname));
  if (inode == nullptr) return Missing(fname);
  fiber::MutexLock inode_lock(&inode->mu);
  if (size > inode->data.size()) return IOStatus::InvalidArgument("beyond the end of", fname);
  inode->data.resize(size);
  if (size < inode->durable.size()) inode->durable.resize(size);
  if (inode->dirty_from != kClean) inode->dirty_from = std::min<size_t>(inode->dirty_from, size);
  return IOStatus::OK();
}

// ------------------------------------------------------------------------------------------------
// Opening

IOStatus MemoryFileSystem::FindForRead(const std::string& fname, std::shared_ptr<void>* inode) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(fname);
  if (!s.ok()) return s;
  InodePtr found = state_->FindFile(Normalize(fname));
  if (found == nullptr) return Missing(fname);
  *inode = std::move(found);
  return s;
}

template <typename File, typename Base>
IOStatus MemoryFileSystem::OpenForRead(const std::string& fname, std::unique_ptr<Base>* result) {
  result->reset();
  std::shared_ptr<void> inode;
  IOStatus s = FindForRead(fname, &inode);
  if (s.ok()) {
    *result = std::make_unique<File>(Handle(state_, std::static_pointer_cast<Inode>(inode), fname));
  }
  return s;
}

IOStatus MemoryFileSystem::NewSequentialFile(const std::string& fname,
                                             const FileOptions& /*options*/,
                                             std::unique_ptr<FSSequentialFile>* result,
                                             IODebugContext* /*dbg*/) {
  return OpenForRead<MemorySequentialFile>(fname, result);
}

IOStatus MemoryFileSystem::NewRandomAccessFile(const std::string& fname,
                                               const FileOptions& /*options*/,
                                               std::unique_ptr<FSRandomAccessFile>* result,
                                               IODebugContext* /*dbg*/) {
  return OpenForRead<MemoryRandomAccessFile>(fname, result);
}

IOStatus MemoryFileSystem::NewRandomRWFile(const std::string& fname, const FileOptions& /*options*/,
                                           std::unique_ptr<FSRandomRWFile>* result,
                                           IODebugContext* /*dbg*/) {
  return OpenForRead<MemoryRandomRWFile>(fname, result);
}

IOStatus MemoryFileSystem::NewWritableFile(const std::string& fname, const FileOptions& options,
                                           std::unique_ptr<FSWritableFile>* result,
                                           IODebugContext* /*dbg*/) {
  result->reset();
  InodePtr inode;
  IOStatus s = state_->OpenForWrite(fname, /*truncate=*/true, &inode);
  if (s.ok()) {
    *result = std::make_unique<MemoryWritableFile>(Handle(state_, inode, fname), options, 0);
  }
  return s;
}

IOStatus MemoryFileSystem::ReopenWritableFile(const std::string& fname, const FileOptions& options,
                                              std::unique_ptr<FSWritableFile>* result,
                                              IODebugContext* /*dbg*/) {
  result->reset();
  InodePtr inode;
  IOStatus s = state_->OpenForWrite(fname, /*truncate=*/false, &inode);
  if (!s.ok()) return s;
  uint64_t size;
  {
    fiber::MutexLock lock(&inode->mu);
    size = inode->data.size();
  }
  *result = std::make_unique<MemoryWritableFile>(Handle(state_, inode, fname), options, size);
  return s;
}

IOStatus MemoryFileSystem::ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                                             const FileOptions& options,
                                             std::unique_ptr<FSWritableFile>* result,
                                             IODebugContext* dbg) {
  result->reset();
  IOStatus s = RenameFile(old_fname, fname, IOOptions(), dbg);
  InodePtr inode;
  if (s.ok()) s = state_->OpenForWrite(fname, /*truncate=*/false, &inode);
  if (s.ok()) {
    *result = std::make_unique<MemoryWritableFile>(Handle(state_, inode, fname), options, 0);
  }
  return s;
}

IOStatus MemoryFileSystem::NewDirectory(const std::string& name, const IOOptions& /*options*/,
                                        std::unique_ptr<FSDirectory>* result,
                                        IODebugContext* /*dbg*/) {
  result->reset();
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(name);
  if (!s.ok()) return s;
  const std::string path = Normalize(name);
  if (state_->FindDir(path) == nullptr) return Missing(name);
  *result = std::make_unique<MemoryDirectory>(state_, path);
  return s;
}

// ------------------------------------------------------------------------------------------------
// Names

IOStatus MemoryFileSystem::FileExists(const std::string& fname, const IOOptions& /*options*/,
                                      IODebugContext* /*dbg*/) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(fname);
  if (!s.ok()) return s;
  const std::string path = Normalize(fname);
  if (state_->FindFile(path) != nullptr || state_->FindDir(path) != nullptr) return s;
  return IOStatus::NotFound(fname, "No such file or directory");
}

IOStatus MemoryFileSystem::GetChildren(const std::string& dir, const IOOptions& /*options*/,
                                       std::vector<std::string>* result, IODebugContext* /*dbg*/) {
  result->clear();
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(dir);
  if (!s.ok()) return s;
  const std::string path = Normalize(dir);
  const Directory* d = state_->FindDir(path);
  if (d == nullptr) return IOStatus::NotFound(dir, "No such file or directory");
  for (const auto& [name, entry] : d->names) result->push_back(name);
  return s;
}

IOStatus MemoryFileSystem::DeleteFile(const std::string& fname, const IOOptions& /*options*/,
                                      IODebugContext* /*dbg*/) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(fname);
  if (!s.ok()) return s;
  const std::string path = Normalize(fname);
  if (state_->FindFile(path) == nullptr) return Missing(fname);
  const auto [dir, name] = Split(path);
  state_->FindDir(dir)->Change({name, "", {}});
  return s;
}

IOStatus MemoryFileSystem::MakeDirectory(const std::string& dirname, bool may_exist) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(dirname);
  if (!s.ok()) return s;
  const std::string path = Normalize(dirname);
  if (state_->FindFile(path) != nullptr) {
    return IOStatus::IOError("`" + dirname + "' exists but is not a directory");
  }
  if (state_->FindDir(path) != nullptr) {
    return may_exist ? s : IOStatus::IOError(dirname, "File exists");
  }
  // Parents too: a user of NewMemEnv() need not build a tree first.
  Directory* parent = state_->root.get();
  for (size_t i = 1; i < path.size();) {
    const size_t end = std::min(path.find('/', i), path.size());
    const std::string name = path.substr(i, end - i);
    if (!parent->names.contains(name)) {
      parent->Change({"", name, {nullptr, std::make_shared<Directory>()}});
    }
    parent = parent->names[name].directory.get();
    if (parent == nullptr) return IOStatus::IOError(dirname, "Not a directory");
    i = end + 1;
  }
  return s;
}

IOStatus MemoryFileSystem::CreateDir(const std::string& dirname, const IOOptions& /*options*/,
                                     IODebugContext* /*dbg*/) {
  return MakeDirectory(dirname, /*may_exist=*/false);
}

IOStatus MemoryFileSystem::CreateDirIfMissing(const std::string& dirname,
                                              const IOOptions& /*options*/,
                                              IODebugContext* /*dbg*/) {
  return MakeDirectory(dirname, /*may_exist=*/true);
}

IOStatus MemoryFileSystem::DeleteDir(const std::string& dirname, const IOOptions& /*options*/,
                                     IODebugContext* /*dbg*/) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(dirname);
  if (!s.ok()) return s;
  const std::string path = Normalize(dirname);
  const Directory* dir = state_->FindDir(path);
  if (dir == nullptr) return Missing(dirname);
  if (!dir->names.empty() || path == "/") {
    return IOStatus::IOError(dirname, "Directory not empty");
  }
  const auto [parent, name] = Split(path);
  state_->FindDir(parent)->Change({name, "", {}});
  return s;
}

IOStatus MemoryFileSystem::GetFileSize(const std::string& fname, const IOOptions& /*options*/,
                                       uint64_t* size, IODebugContext* /*dbg*/) {
  *size = 0;
  std::shared_ptr<void> found;
  IOStatus s = FindForRead(fname, &found);
  if (!s.ok()) return s;
  const InodePtr inode = std::static_pointer_cast<Inode>(found);
  fiber::MutexLock lock(&inode->mu);
  *size = inode->data.size();
  return s;
}

IOStatus MemoryFileSystem::GetFileModificationTime(const std::string& fname,
                                                   const IOOptions& /*options*/, uint64_t* mtime,
                                                   IODebugContext* /*dbg*/) {
  *mtime = 0;
  std::shared_ptr<void> found;
  IOStatus s = FindForRead(fname, &found);
  if (!s.ok()) return s;
  const InodePtr inode = std::static_pointer_cast<Inode>(found);
  fiber::MutexLock lock(&inode->mu);
  *mtime = inode->mtime_seconds;
  return s;
}

IOStatus MemoryFileSystem::RenameFile(const std::string& src, const std::string& target,
                                      const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(src);
  if (!s.ok()) return s;
  const std::string from = Normalize(src);
  const std::string to = Normalize(target);
  const auto [from_dir, from_name] = Split(from);
  const auto [to_dir, to_name] = Split(to);
  Directory* d = state_->FindDir(to_dir);
  if (d == nullptr) return Missing(target);
  if (state_->Find(from) == nullptr) return Missing(src);
  const Entry entry = *state_->Find(from);
  const Entry* const replaced = state_->Find(to);
  if (entry.inode == nullptr) {
    if (replaced != nullptr || IsUnder(to, from)) return IOStatus::IOError(target, "File exists");
  } else {
    if (replaced != nullptr && replaced->directory != nullptr) {
      return IOStatus::IOError(target, "Is a directory");
    }
    if (from == to) return s;
  }
  if (from_dir == to_dir) {
    d->Change({from_name, to_name, entry});
  } else {
    d->Change({"", to_name, entry});
    state_->FindDir(from_dir)->Change({from_name, "", {}});
  }
  return s;
}

IOStatus MemoryFileSystem::LinkFile(const std::string& src, const std::string& target,
                                    const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(src);
  if (!s.ok()) return s;
  const InodePtr inode = state_->FindFile(Normalize(src));
  if (inode == nullptr) return Missing(src);
  const std::string to = Normalize(target);
  if (state_->Find(to) != nullptr) return IOStatus::IOError(target, "File exists");
  const auto [dir, name] = Split(to);
  Directory* d = state_->FindDir(dir);
  if (d == nullptr) return Missing(target);
  d->Change({"", name, {inode, nullptr}});
  return s;
}

IOStatus MemoryFileSystem::LockFile(const std::string& fname, const IOOptions& /*options*/,
                                    FileLock** lock, IODebugContext* /*dbg*/) {
  *lock = nullptr;
  InodePtr inode;
  IOStatus s = state_->OpenForWrite(fname, /*truncate=*/false, &inode);
  if (!s.ok()) return s;
  fiber::MutexLock guard(&state_->mu);
  const std::string path = Normalize(fname);
  if (!state_->locks.insert(path).second) {
    return IOStatus::IOError("lock hold by current process: " + fname, "No locks available");
  }
  *lock = new MemoryFileLock(path, state_->generation);
  return s;
}

IOStatus MemoryFileSystem::UnlockFile(FileLock* lock, const IOOptions& /*options*/,
                                      IODebugContext* /*dbg*/) {
  const std::unique_ptr<MemoryFileLock> mine(static_cast<MemoryFileLock*>(lock));
  fiber::MutexLock guard(&state_->mu);
  // A lock from before a power cut holds nothing any more.
  if (mine->generation_ == state_->generation) state_->locks.erase(mine->path_);
  return IOStatus::OK();
}

IOStatus MemoryFileSystem::GetTestDirectory(const IOOptions& options, std::string* path,
                                            IODebugContext* dbg) {
  *path = "/test";
  return CreateDirIfMissing(*path, options, dbg);
}

IOStatus MemoryFileSystem::GetAbsolutePath(const std::string& db_path, const IOOptions& /*options*/,
                                           std::string* output_path, IODebugContext* /*dbg*/) {
  *output_path = Normalize(db_path);
  return IOStatus::OK();
}

IOStatus MemoryFileSystem::IsDirectory(const std::string& path, const IOOptions& /*options*/,
                                       bool* is_dir, IODebugContext* /*dbg*/) {
  *is_dir = false;
  fiber::MutexLock lock(&state_->mu);
  IOStatus s = state_->CheckAlive(path);
  if (!s.ok()) return s;
  const std::string p = Normalize(path);
  *is_dir = state_->FindDir(p) != nullptr;
  return *is_dir || state_->FindFile(p) != nullptr ? s : Missing(path);
}

IOStatus MemoryFileSystem::Truncate(const std::string& fname, size_t size, const IOOptions& options,
                                    IODebugContext* dbg) {
  std::shared_ptr<void> ignored;
  IOStatus s = FindForRead(fname, &ignored);
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = ReopenWritableFile(fname, FileOptions(), &file, dbg);
  if (s.ok()) s = file->Truncate(size, options, dbg);
  return s.ok() ? file->Close(options, dbg) : s;
}

}  // namespace cairn
