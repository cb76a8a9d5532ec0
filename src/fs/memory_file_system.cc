#include "fs/memory_file_system.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fs/parking_reads.h"

namespace cairn {

namespace {

constexpr size_t kClean = SIZE_MAX;

// A file's bytes, shared by its names and by whoever has it open.
struct Inode {
  fiber::Mutex mu;
  // Guarded by mu.
  std::string data;
  std::string durable;         // what a power cut leaves (empty and unused when untracked)
  size_t dirty_from = kClean;  // data and durable agree before this offset; kClean: everywhere
  std::vector<size_t> unsynced_writes;  // where each of them began
  uint64_t mtime_seconds = 0;

  void MarkDirty(size_t from) {
    unsynced_writes.push_back(from);
    dirty_from = std::min(dirty_from, from);
    mtime_seconds = fiber::wall_micros() / 1000000;
  }

  void MakeDurable() {
    if (dirty_from == kClean) return;
    durable.resize(std::min(durable.size(), dirty_from));
    durable.append(data, durable.size(), std::string::npos);
    dirty_from = kClean;
    unsynced_writes.clear();
  }
};

using InodePtr = std::shared_ptr<Inode>;

// One unsynced change of a directory. A rename inside a directory is one change, as on disk.
struct DirectoryChange {
  std::string removed;  // empty: none
  std::string added;    // empty: none
  InodePtr inode;       // of `added`
};

struct Directory {
  std::map<std::string, InodePtr> names;
  std::map<std::string, InodePtr> durable_names;
  std::vector<DirectoryChange> unsynced;

  void Apply(std::map<std::string, InodePtr>* to, const DirectoryChange& change) const {
    if (!change.removed.empty()) to->erase(change.removed);
    if (!change.added.empty()) (*to)[change.added] = change.inode;
  }

  void Change(DirectoryChange change) {
    Apply(&names, change);
    unsynced.push_back(std::move(change));
  }

  void MakeDurable() {
    durable_names = names;
    unsynced.clear();
  }
};

// "/a/b" of "a//b/", "/a/./b". The root is "/".
std::string Normalize(const std::string& path) {
  std::string out;
  size_t i = 0;
  while (i < path.size()) {
    const size_t end = std::min(path.find('/', i), path.size());
    const std::string part = path.substr(i, end - i);
    if (!part.empty() && part != ".") out += "/" + part;
    i = end + 1;
  }
  return out.empty() ? "/" : out;
}

// Splits a normalised path. The root has an empty name.
std::pair<std::string, std::string> Split(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

bool IsUnder(const std::string& path, const std::string& dir) {
  return path.size() > dir.size() && path.compare(0, dir.size(), dir) == 0 &&
         (dir == "/" || path[dir.size()] == '/');
}

IOStatus Missing(const std::string& fname) {
  return IOStatus::PathNotFound(fname, "No such file or directory");
}

}  // namespace

struct MemoryFileSystem::State {
  explicit State(Durability d) : tracked(d == Durability::kTracked) { dirs["/"]; }

  const bool tracked;
  // Handles of an older generation are dead. Read by files without mu: DropUnsynced() raises it
  // before it visits the inodes, and files look at it under their inode's mutex, so that what a
  // straggler wrote is either dropped or refused.
  std::atomic<uint64_t> generation{1};
  std::atomic<bool> frozen{false};

  fiber::Mutex mu;  // taken before an inode's
  // Guarded by mu.
  std::map<std::string, Directory> dirs;
  std::set<std::string> locks;

  IOStatus Check(uint64_t handle_generation, const std::string& fname) const {
    if (frozen.load(std::memory_order_acquire) ||
        handle_generation != generation.load(std::memory_order_acquire)) {
      return IOStatus::IOError("power cut (simulated)", fname);
    }
    return IOStatus::OK();
  }
  // Current handles only.
  IOStatus CheckAlive(const std::string& fname) const { return Check(generation, fname); }

  Directory* FindDir(const std::string& path) {
    const auto it = dirs.find(path);
    return it == dirs.end() ? nullptr : &it->second;
  }

  InodePtr FindFile(const std::string& path) {
    const auto [dir, name] = Split(path);
    Directory* d = FindDir(dir);
    if (d == nullptr) return nullptr;
    const auto it = d->names.find(name);
    return it == d->names.end() ? nullptr : it->second;
  }

  // Every file that a name, durable or not, leads to.
  std::set<InodePtr> AllInodes() {
    std::set<InodePtr> all;
    for (auto& [path, dir] : dirs) {
      for (auto& [name, inode] : dir.names) all.insert(inode);
      for (auto& [name, inode] : dir.durable_names) all.insert(inode);
    }
    return all;
  }

  // Opens or creates. The new file is not durable by name until its directory is synced.
  IOStatus OpenForWrite(const std::string& fname, bool truncate, InodePtr* result) {
    fiber::MutexLock lock(&mu);
    IOStatus s = CheckAlive(fname);
    if (!s.ok()) return s;
    const std::string path = Normalize(fname);
    const auto [dir, name] = Split(path);
    Directory* d = FindDir(dir);
    if (d == nullptr || name.empty()) return Missing(fname);
    if (FindDir(path) != nullptr) return IOStatus::IOError(fname, "Is a directory");
    const auto it = d->names.find(name);
    if (it != d->names.end()) {
      *result = it->second;
      if (truncate) {
        fiber::MutexLock inode_lock(&(*result)->mu);
        (*result)->data.clear();
        (*result)->MarkDirty(0);
      }
      return s;
    }
    *result = std::make_shared<Inode>();
    (*result)->mtime_seconds = fiber::wall_micros() / 1000000;
    d->Change({"", name, *result});
    return s;
  }
};

namespace {

using StatePtr = std::shared_ptr<MemoryFileSystem::State>;

struct Handle {
  Handle(StatePtr s, InodePtr i, std::string n)
      : state(std::move(s)),
        inode(std::move(i)),
        name(std::move(n)),
        generation(state->generation) {}

  // The inode's mutex is held.
  IOStatus Check() const { return state->Check(generation, name); }

  IOStatus ReadAt(uint64_t offset, size_t n, Slice* result, char* scratch) const {
    fiber::MutexLock lock(&inode->mu);
    *result = Slice(scratch, 0);
    IOStatus s = Check();
    if (!s.ok() || offset >= inode->data.size()) return s;
    n = std::min<uint64_t>(n, inode->data.size() - offset);
    std::memcpy(scratch, inode->data.data() + offset, n);
    *result = Slice(scratch, n);
    return s;
  }

  const StatePtr state;
  const InodePtr inode;
  const std::string name;
  const uint64_t generation;
};

class MemorySequentialFile : public FSSequentialFile {
 public:
  explicit MemorySequentialFile(Handle handle) : handle_(std::move(handle)) {}

  IOStatus Read(size_t n, const IOOptions& /*options*/, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) override {
    IOStatus s = handle_.ReadAt(offset_, n, result, scratch);
    if (s.ok()) offset_ += result->size();
    return s;
  }

  IOStatus Skip(uint64_t n) override {
    offset_ += n;
    return IOStatus::OK();
  }

 private:
  const Handle handle_;
  uint64_t offset_ = 0;
};

class MemoryRandomAccessFile : public FSRandomAccessFile, public ParkingReads {
 public:
  bool reads_park() const override { return true; }  // it never waits
  explicit MemoryRandomAccessFile(Handle handle) : handle_(std::move(handle)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    return handle_.ReadAt(offset, n, result, scratch);
  }

  IOStatus Prefetch(uint64_t /*offset*/, size_t /*n*/, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

 private:
  const Handle handle_;
};

class MemoryWritableFile : public FSWritableFile {
 public:
  MemoryWritableFile(Handle handle, const FileOptions& options, uint64_t position)
      : FSWritableFile(options), handle_(std::move(handle)), position_(position) {}

  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return PositionedAppend(data, position_, options, dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) override {
    Inode& inode = *handle_.inode;
    fiber::MutexLock lock(&inode.mu);
    IOStatus s = Usable();
    if (!s.ok()) return s;
    const uint64_t end = offset + data.size();
    if (handle_.state->tracked) inode.MarkDirty(std::min<uint64_t>(offset, inode.data.size()));
    if (offset == inode.data.size()) {
      inode.data.append(data.data(), data.size());  // grows geometrically, unlike resize
    } else {
      if (end > inode.data.size()) inode.data.resize(end);
      std::memcpy(inode.data.data() + offset, data.data(), data.size());
    }
    position_ = std::max(position_, end);
    return s;
  }

  IOStatus Truncate(uint64_t size, const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    Inode& inode = *handle_.inode;
    fiber::MutexLock lock(&inode.mu);
    IOStatus s = Usable();
    if (!s.ok()) return s;
    if (handle_.state->tracked) inode.MarkDirty(std::min<uint64_t>(size, inode.data.size()));
    inode.data.resize(size);
    position_ = size;
    return s;
  }

  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    IOStatus s = closed_ ? IOStatus::OK() : handle_.Check();
    closed_ = true;
    return s;
  }

  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    return Usable();
  }

  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&handle_.inode->mu);
    IOStatus s = Usable();
    if (s.ok() && handle_.state->tracked) handle_.inode->MakeDurable();
    return s;
  }

  bool IsSyncThreadSafe() const override { return true; }

  // A hint to the device and no promise.
  IOStatus RangeSync(uint64_t /*offset*/, uint64_t /*nbytes*/, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

  uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return position_;
  }

 private:
  // The inode's mutex is held.
  IOStatus Usable() const {
    return closed_ ? IOStatus::IOError("use of a closed file", handle_.name) : handle_.Check();
  }

  const Handle handle_;
  uint64_t position_;
  bool closed_ = false;
};

class MemoryDirectory : public FSDirectory {
 public:
  MemoryDirectory(StatePtr state, std::string path)
      : state_(std::move(state)), path_(std::move(path)), generation_(state_->generation) {}

  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    fiber::MutexLock lock(&state_->mu);
    IOStatus s = state_->Check(generation_, path_);
    if (!s.ok()) return s;
    Directory* dir = state_->FindDir(path_);
    if (dir == nullptr) return Missing(path_);
    dir->MakeDurable();
    return s;
  }

 private:
  const StatePtr state_;
  const std::string path_;
  const uint64_t generation_;
};

class MemoryFileLock : public FileLock {
 public:
  MemoryFileLock(std::string path, uint64_t generation)
      : path_(std::move(path)), generation_(generation) {}
  const std::string path_;
  const uint64_t generation_;
};

// What a crash leaves of unsynced bytes, chosen by `rng`. The inode's mutex is held.
std::string SurvivingData(const Inode& inode, Random64* rng) {
  const std::string& data = inode.data;
  if (inode.dirty_from == kClean || rng->OneIn(4)) return inode.durable;
  if (inode.dirty_from < inode.durable.size()) {
    // Overwritten or cut: the new state or the old one.
    return rng->OneIn(2) ? inode.durable : data;
  }
  // The hardest to notice: it ends where one write did and the next one began.
  if (rng->OneIn(3)) {
    const size_t end = inode.unsynced_writes[rng->Uniform(inode.unsynced_writes.size())];
    return data.substr(0, std::clamp(end, inode.dirty_from, data.size()));
  }
  const size_t unsynced = data.size() - inode.dirty_from;
  size_t kept = rng->OneIn(4) ? unsynced : rng->Uniform(unsynced + 1);
  const bool longer = rng->OneIn(3);
  if (longer && kept < unsynced) {
    // The file's length reached the disk, the last of its sectors did not: zeros. What was synced
    // of the first one is there.
    constexpr size_t kSector = 512;
    const size_t end = (inode.dirty_from + kept) / kSector * kSector;
    kept = end > inode.dirty_from ? end - inode.dirty_from : 0;
  }
  std::string survived = data.substr(0, inode.dirty_from + kept);
  const size_t lost = unsynced - kept;
  if (longer && lost > 0) {
    survived.append(rng->Uniform(std::min<size_t>(lost, 8192)) + 1, '\0');
  }
  return survived;
}

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
    // In the order of names, not of addresses: a seed must mean the same in every run.
    std::set<Inode*> done;
    for (auto& [path, dir] : state_->dirs) {
      for (auto* names : {&dir.names, &dir.durable_names}) {
        for (auto& [name, inode] : *names) {
          if (!done.insert(inode.get()).second) continue;
          fiber::MutexLock inode_lock(&inode->mu);
          inode->data = seed == nullptr ? inode->durable : SurvivingData(*inode, &rng);
          inode->durable = inode->data;
          inode->dirty_from = kClean;
          inode->unsynced_writes.clear();
        }
      }
    }
    for (auto& [path, dir] : state_->dirs) {
      if (seed != nullptr) {
        const size_t kept = rng.Uniform(dir.unsynced.size() + 1);
        for (size_t i = 0; i < kept; ++i) dir.Apply(&dir.durable_names, dir.unsynced[i]);
      }
      dir.names = dir.durable_names;
      dir.unsynced.clear();
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
  for (const auto& [path, dir] : state_->dirs) total += dir.unsynced.size();
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

IOStatus MemoryFileSystem::NewSequentialFile(const std::string& fname,
                                             const FileOptions& /*options*/,
                                             std::unique_ptr<FSSequentialFile>* result,
                                             IODebugContext* /*dbg*/) {
  result->reset();
  std::shared_ptr<void> inode;
  IOStatus s = FindForRead(fname, &inode);
  if (s.ok()) {
    *result = std::make_unique<MemorySequentialFile>(
        Handle(state_, std::static_pointer_cast<Inode>(inode), fname));
  }
  return s;
}

IOStatus MemoryFileSystem::NewRandomAccessFile(const std::string& fname,
                                               const FileOptions& /*options*/,
                                               std::unique_ptr<FSRandomAccessFile>* result,
                                               IODebugContext* /*dbg*/) {
  result->reset();
  std::shared_ptr<void> inode;
  IOStatus s = FindForRead(fname, &inode);
  if (s.ok()) {
    *result = std::make_unique<MemoryRandomAccessFile>(
        Handle(state_, std::static_pointer_cast<Inode>(inode), fname));
  }
  return s;
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
  for (const auto& [name, inode] : d->names) result->push_back(name);
  for (const auto& [other, ignored] : state_->dirs) {
    if (other != "/" && Split(other).first == path) result->push_back(Split(other).second);
  }
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
  state_->FindDir(dir)->Change({name, "", nullptr});
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
  for (std::string p = path; state_->FindDir(p) == nullptr; p = Split(p).first) state_->dirs[p];
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
  bool empty = dir->names.empty() && path != "/";
  for (const auto& [other, ignored] : state_->dirs) empty = empty && !IsUnder(other, path);
  if (!empty) return IOStatus::IOError(dirname, "Directory not empty");
  state_->dirs.erase(path);
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
  if (const InodePtr inode = state_->FindFile(from); inode != nullptr) {
    if (state_->FindDir(to) != nullptr) return IOStatus::IOError(target, "Is a directory");
    if (from == to) return s;
    if (from_dir == to_dir) {
      d->Change({from_name, to_name, inode});
    } else {
      d->Change({"", to_name, inode});
      state_->FindDir(from_dir)->Change({from_name, "", nullptr});
    }
    return s;
  }
  if (state_->FindDir(from) == nullptr || from == "/") return Missing(src);
  if (state_->FindDir(to) != nullptr || IsUnder(to, from)) {
    return IOStatus::IOError(target, "File exists");
  }
  std::map<std::string, Directory> moved;
  for (auto it = state_->dirs.begin(); it != state_->dirs.end();) {
    if (it->first == from || IsUnder(it->first, from)) {
      moved[to + it->first.substr(from.size())] = std::move(it->second);
      it = state_->dirs.erase(it);
    } else {
      ++it;
    }
  }
  state_->dirs.merge(moved);
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
  if (state_->FindFile(to) != nullptr) return IOStatus::IOError(target, "File exists");
  const auto [dir, name] = Split(to);
  Directory* d = state_->FindDir(dir);
  if (d == nullptr) return Missing(target);
  d->Change({"", name, inode});
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
