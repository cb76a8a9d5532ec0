#include "fs/fault_file_system.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cairn {

namespace {

// Every operation of a file asks its file system first. The file system outlives its files.
class FaultSequentialFile : public FSSequentialFile {
 public:
  FaultSequentialFile(std::unique_ptr<FSSequentialFile> base, FaultInjectionFileSystem* fs,
                      std::string name)
      : base_(std::move(base)), fs_(fs), name_(std::move(name)) {
    fs_->NoteOpened(name_, /*writable=*/false);
  }
  ~FaultSequentialFile() override { fs_->NoteClosed(name_, /*writable=*/false); }

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultRead, name_);
    if (s.ok()) s = base_->Read(n, options, result, scratch, dbg);
    if (s.ok()) {
      fs_->ApplyFlips(name_, offset_, result, scratch);
      offset_ += result->size();
    } else {
      *result = Slice(scratch, 0);
    }
    return s;
  }
  IOStatus Skip(uint64_t n) override {
    IOStatus s = base_->Skip(n);
    if (s.ok()) offset_ += n;
    return s;
  }
  bool use_direct_io() const override { return base_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return base_->GetRequiredBufferAlignment(); }

 private:
  const std::unique_ptr<FSSequentialFile> base_;
  FaultInjectionFileSystem* const fs_;
  const std::string name_;
  uint64_t offset_ = 0;
};

class FaultRandomAccessFile : public FSRandomAccessFile {
 public:
  FaultRandomAccessFile(std::unique_ptr<FSRandomAccessFile> base, FaultInjectionFileSystem* fs,
                        std::string name)
      : base_(std::move(base)), fs_(fs), name_(std::move(name)) {
    fs_->NoteOpened(name_, /*writable=*/false);
  }
  ~FaultRandomAccessFile() override { fs_->NoteClosed(name_, /*writable=*/false); }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    IOStatus s = fs_->Inject(kFaultRead, name_);
    if (s.ok()) s = base_->Read(offset, n, options, result, scratch, dbg);
    if (s.ok()) {
      fs_->ApplyFlips(name_, offset, result, scratch);
    } else {
      *result = Slice(scratch, 0);
    }
    return s;
  }
  // MultiRead is the base class's: one Read after the other, each with its own fault.
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override {
    return base_->Prefetch(offset, n, options, dbg);
  }
  void Hint(AccessPattern pattern) override { base_->Hint(pattern); }
  bool use_direct_io() const override { return base_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return base_->GetRequiredBufferAlignment(); }

 private:
  const std::unique_ptr<FSRandomAccessFile> base_;
  FaultInjectionFileSystem* const fs_;
  const std::string name_;
};

class FaultWritableFile : public FSWritableFile {
 public:
  FaultWritableFile(std::unique_ptr<FSWritableFile> base, FaultInjectionFileSystem* fs,
                    std::string name)
      : base_(std::move(base)), fs_(fs), name_(std::move(name)) {
    fs_->NoteOpened(name_, /*writable=*/true);
  }
  ~FaultWritableFile() override {
    if (!closed_) fs_->NoteClosed(name_, /*writable=*/true);
  }

  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultAppend, name_);
    if (!s.ok()) return s;
    const uint64_t fits = fs_->TakeSpace(data.size());
    s = base_->Append(Slice(data.data(), fits), options, dbg);
    return s.ok() && fits < data.size() ? DiskFull() : s;
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultAppend, name_);
    if (!s.ok()) return s;
    // Direct I/O writes whole units or nothing.
    if (fs_->TakeSpace(data.size()) < data.size()) return DiskFull();
    return base_->PositionedAppend(data, offset, options, dbg);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultAppend, name_);
    return s.ok() ? base_->Truncate(size, options, dbg) : s;
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultClose, name_);
    // The descriptor is gone whatever close() says.
    const IOStatus closed = base_->Close(options, dbg);
    if (!closed_) fs_->NoteClosed(name_, /*writable=*/true);
    closed_ = true;
    return s.ok() ? closed : s;
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return base_->Flush(options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultSync, name_);
    return s.ok() ? base_->Sync(options, dbg) : s;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultSync, name_);
    return s.ok() ? base_->Fsync(options, dbg) : s;
  }
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& options,
                     IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultSync, name_);
    return s.ok() ? base_->RangeSync(offset, nbytes, options, dbg) : s;
  }
  bool IsSyncThreadSafe() const override { return base_->IsSyncThreadSafe(); }
  bool use_direct_io() const override { return base_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return base_->GetRequiredBufferAlignment(); }
  uint64_t GetFileSize(const IOOptions& options, IODebugContext* dbg) override {
    return base_->GetFileSize(options, dbg);
  }
  void SetPreallocationBlockSize(size_t size) override { base_->SetPreallocationBlockSize(size); }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    base_->GetPreallocationStatus(block_size, last_allocated_block);
  }
  void PrepareWrite(size_t offset, size_t len, const IOOptions& options,
                    IODebugContext* dbg) override {
    base_->PrepareWrite(offset, len, options, dbg);
  }
  IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions& options,
                    IODebugContext* dbg) override {
    return base_->Allocate(offset, len, options, dbg);
  }

 private:
  IOStatus DiskFull() const { return IOStatus::NoSpace(name_, "No space left on device"); }

  const std::unique_ptr<FSWritableFile> base_;
  FaultInjectionFileSystem* const fs_;
  const std::string name_;
  bool closed_ = false;
};

class FaultDirectory : public FSDirectory {
 public:
  FaultDirectory(std::unique_ptr<FSDirectory> base, FaultInjectionFileSystem* fs, std::string name)
      : base_(std::move(base)), fs_(fs), name_(std::move(name)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = fs_->Inject(kFaultDirSync, name_);
    return s.ok() ? base_->Fsync(options, dbg) : s;
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return base_->Close(options, dbg);
  }

 private:
  const std::unique_ptr<FSDirectory> base_;
  FaultInjectionFileSystem* const fs_;
  const std::string name_;
};

}  // namespace

FaultInjectionFileSystem::FaultInjectionFileSystem(std::shared_ptr<FileSystem> base)
    : FileSystemWrapper(std::move(base)) {}

FaultInjectionFileSystem::~FaultInjectionFileSystem() = default;

// ------------------------------------------------------------------------------------------------
// Faults

void FaultInjectionFileSystem::SetFilesystemActive(bool active, IOStatus status) {
  fiber::MutexLock lock(&mu_);
  active_ = active;
  inactive_status_ = std::move(status);
}

void FaultInjectionFileSystem::SetReadOnly(bool read_only) {
  fiber::MutexLock lock(&mu_);
  read_only_ = read_only;
}

void FaultInjectionFileSystem::FailNthOperation(uint64_t n, uint32_t ops, IOStatus status,
                                                uint64_t count) {
  fiber::MutexLock lock(&mu_);
  nth_ = n;
  nth_count_ = n == 0 ? 0 : count;
  nth_ops_ = ops;
  nth_status_ = std::move(status);
}

void FaultInjectionFileSystem::FailRandomly(uint64_t seed, uint32_t ops, uint32_t one_in,
                                            IOStatus status) {
  fiber::MutexLock lock(&mu_);
  random_ = Random64(seed);
  random_ops_ = ops;
  random_one_in_ = one_in;
  random_status_ = std::move(status);
}

void FaultInjectionFileSystem::SetFreeBytes(uint64_t bytes) {
  fiber::MutexLock lock(&mu_);
  free_bytes_ = bytes;
}

void FaultInjectionFileSystem::SetFileFilter(std::function<bool(const std::string&)> filter) {
  fiber::MutexLock lock(&mu_);
  filter_ = std::move(filter);
}

void FaultInjectionFileSystem::FlipBits(const std::string& fname, uint64_t offset, uint8_t mask) {
  fiber::MutexLock lock(&mu_);
  if (mask != 0) {
    flips_[fname][offset] = mask;
  } else if (const auto it = flips_.find(fname); it != flips_.end()) {
    it->second.erase(offset);
    if (it->second.empty()) flips_.erase(it);
  }
  any_flips_.store(!flips_.empty(), std::memory_order_relaxed);
}

void FaultInjectionFileSystem::Heal() {
  fiber::MutexLock lock(&mu_);
  active_ = true;
  read_only_ = false;
  nth_count_ = 0;
  random_one_in_ = 0;
  free_bytes_ = UINT64_MAX;
  flips_.clear();
  any_flips_.store(false, std::memory_order_relaxed);
}

IOStatus FaultInjectionFileSystem::Inject(FaultOp op, const std::string& fname) {
  fiber::MutexLock lock(&mu_);
  ++op_counts_[std::countr_zero(static_cast<uint32_t>(op))];
  if (filter_ && !filter_(fname)) return IOStatus::OK();
  if (!active_ && (op & kFaultWrites) != 0) return inactive_status_;
  if (read_only_ && (op & (kFaultCreate | kFaultRename | kFaultDelete)) != 0) {
    return IOStatus::IOError("While changing a read-only directory: " + fname, "Permission denied");
  }
  if (nth_count_ > 0 && (op & nth_ops_) != 0) {
    if (nth_ > 1) {
      --nth_;
    } else {
      --nth_count_;
      return nth_status_;
    }
  }
  if (random_one_in_ > 0 && (op & random_ops_) != 0 && random_.OneIn(random_one_in_)) {
    return random_status_;
  }
  return IOStatus::OK();
}

uint64_t FaultInjectionFileSystem::TakeSpace(uint64_t wanted) {
  fiber::MutexLock lock(&mu_);
  if (free_bytes_ == UINT64_MAX) return wanted;
  const uint64_t taken = std::min(wanted, free_bytes_);
  free_bytes_ -= taken;
  return taken;
}

void FaultInjectionFileSystem::ApplyFlips(const std::string& fname, uint64_t offset, Slice* result,
                                          char* scratch) {
  if (!any_flips_.load(std::memory_order_relaxed)) return;
  fiber::MutexLock lock(&mu_);
  const auto it = flips_.find(fname);
  if (it == flips_.end()) return;
  const auto begin = it->second.lower_bound(offset);
  const auto end = it->second.lower_bound(offset + result->size());
  if (begin == end) return;
  // The result may lie in memory of the file; flip a copy.
  if (result->data() != scratch) std::memmove(scratch, result->data(), result->size());
  for (auto flip = begin; flip != end; ++flip) {
    char& c = scratch[flip->first - offset];
    c = static_cast<char>(c ^ flip->second);
  }
  *result = Slice(scratch, result->size());
}

uint64_t FaultInjectionFileSystem::OperationCount(uint32_t ops) const {
  fiber::MutexLock lock(&mu_);
  uint64_t total = 0;
  for (unsigned i = 0; i < std::size(op_counts_); ++i) {
    if ((ops >> i) & 1) total += op_counts_[i];
  }
  return total;
}

std::vector<std::string> FaultInjectionFileSystem::OpenFileNames() const {
  fiber::MutexLock lock(&mu_);
  std::vector<std::string> names;
  for (const auto& [name, count] : open_files_) names.push_back(name);
  return names;
}

void FaultInjectionFileSystem::NoteOpened(const std::string& fname, bool writable) {
  (writable ? open_writable_ : open_readable_).fetch_add(1, std::memory_order_relaxed);
  fiber::MutexLock lock(&mu_);
  ++open_files_[fname];
}

void FaultInjectionFileSystem::NoteClosed(const std::string& fname, bool writable) {
  (writable ? open_writable_ : open_readable_).fetch_sub(1, std::memory_order_relaxed);
  fiber::MutexLock lock(&mu_);
  if (--open_files_[fname] == 0) open_files_.erase(fname);
}

// ------------------------------------------------------------------------------------------------
// Opening

IOStatus FaultInjectionFileSystem::NewSequentialFile(const std::string& fname,
                                                     const FileOptions& options,
                                                     std::unique_ptr<FSSequentialFile>* result,
                                                     IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultOpen, fname);
  std::unique_ptr<FSSequentialFile> file;
  if (s.ok()) s = target()->NewSequentialFile(fname, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultSequentialFile>(std::move(file), this, fname);
  return s;
}

IOStatus FaultInjectionFileSystem::NewRandomAccessFile(const std::string& fname,
                                                       const FileOptions& options,
                                                       std::unique_ptr<FSRandomAccessFile>* result,
                                                       IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultOpen, fname);
  std::unique_ptr<FSRandomAccessFile> file;
  if (s.ok()) s = target()->NewRandomAccessFile(fname, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultRandomAccessFile>(std::move(file), this, fname);
  return s;
}

IOStatus FaultInjectionFileSystem::NewWritableFile(const std::string& fname,
                                                   const FileOptions& options,
                                                   std::unique_ptr<FSWritableFile>* result,
                                                   IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultCreate, fname);
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->NewWritableFile(fname, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultWritableFile>(std::move(file), this, fname);
  return s;
}

IOStatus FaultInjectionFileSystem::ReopenWritableFile(const std::string& fname,
                                                      const FileOptions& options,
                                                      std::unique_ptr<FSWritableFile>* result,
                                                      IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultCreate, fname);
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->ReopenWritableFile(fname, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultWritableFile>(std::move(file), this, fname);
  return s;
}

IOStatus FaultInjectionFileSystem::ReuseWritableFile(const std::string& fname,
                                                     const std::string& old_fname,
                                                     const FileOptions& options,
                                                     std::unique_ptr<FSWritableFile>* result,
                                                     IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultCreate, fname);
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->ReuseWritableFile(fname, old_fname, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultWritableFile>(std::move(file), this, fname);
  return s;
}

IOStatus FaultInjectionFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                                std::unique_ptr<FSDirectory>* result,
                                                IODebugContext* dbg) {
  result->reset();
  IOStatus s = Inject(kFaultMetadata, name);
  std::unique_ptr<FSDirectory> dir;
  if (s.ok()) s = target()->NewDirectory(name, options, &dir, dbg);
  if (s.ok()) *result = std::make_unique<FaultDirectory>(std::move(dir), this, name);
  return s;
}

// ------------------------------------------------------------------------------------------------
// Names

IOStatus FaultInjectionFileSystem::FileExists(const std::string& fname, const IOOptions& options,
                                              IODebugContext* dbg) {
  IOStatus s = Inject(kFaultMetadata, fname);
  return s.ok() ? target()->FileExists(fname, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::GetChildren(const std::string& dir, const IOOptions& options,
                                               std::vector<std::string>* result,
                                               IODebugContext* dbg) {
  IOStatus s = Inject(kFaultMetadata, dir);
  return s.ok() ? target()->GetChildren(dir, options, result, dbg) : s;
}

IOStatus FaultInjectionFileSystem::DeleteFile(const std::string& fname, const IOOptions& options,
                                              IODebugContext* dbg) {
  IOStatus s = Inject(kFaultDelete, fname);
  return s.ok() ? target()->DeleteFile(fname, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::CreateDir(const std::string& dirname, const IOOptions& options,
                                             IODebugContext* dbg) {
  IOStatus s = Inject(kFaultCreate, dirname);
  return s.ok() ? target()->CreateDir(dirname, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::CreateDirIfMissing(const std::string& dirname,
                                                      const IOOptions& options,
                                                      IODebugContext* dbg) {
  bool is_dir = false;
  if (target()->IsDirectory(dirname, options, &is_dir, dbg).ok() && is_dir) return IOStatus::OK();
  return CreateDir(dirname, options, dbg);
}

IOStatus FaultInjectionFileSystem::DeleteDir(const std::string& dirname, const IOOptions& options,
                                             IODebugContext* dbg) {
  IOStatus s = Inject(kFaultDelete, dirname);
  return s.ok() ? target()->DeleteDir(dirname, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::GetFileSize(const std::string& fname, const IOOptions& options,
                                               uint64_t* size, IODebugContext* dbg) {
  IOStatus s = Inject(kFaultMetadata, fname);
  return s.ok() ? target()->GetFileSize(fname, options, size, dbg) : s;
}

IOStatus FaultInjectionFileSystem::RenameFile(const std::string& src,
                                              const std::string& target_name,
                                              const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = Inject(kFaultRename, src);
  return s.ok() ? target()->RenameFile(src, target_name, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::LinkFile(const std::string& src, const std::string& target_name,
                                            const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = Inject(kFaultRename, src);
  return s.ok() ? target()->LinkFile(src, target_name, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::LockFile(const std::string& fname, const IOOptions& options,
                                            FileLock** lock, IODebugContext* dbg) {
  *lock = nullptr;
  IOStatus s = Inject(kFaultMetadata, fname);
  return s.ok() ? target()->LockFile(fname, options, lock, dbg) : s;
}

IOStatus FaultInjectionFileSystem::Truncate(const std::string& fname, size_t size,
                                            const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = Inject(kFaultAppend, fname);
  return s.ok() ? target()->Truncate(fname, size, options, dbg) : s;
}

}  // namespace cairn
