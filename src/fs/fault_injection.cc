#include "cairn/fault_injection.h"

#include <optional>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "base/random.h"
#include "fs/checksum_handoff.h"
#include "fs/fault_state.h"
#include "fs/file_util.h"
#include "fs/parking_reads.h"
#include "fs/unsynced_data.h"

namespace cairn::fault {

using detail::FaultState;
using detail::UnsyncedData;
using detail::Verdict;

namespace {

// Every operation of a file asks the faults first.
class FaultSequentialFile : public FSSequentialFile {
 public:
  FaultSequentialFile(std::unique_ptr<FSSequentialFile> base, std::shared_ptr<FaultState> faults,
                      std::string name)
      : base_(std::move(base)), faults_(std::move(faults)), name_(std::move(name)) {
    faults_->NoteOpened(name_, /*writable=*/false);
  }
  ~FaultSequentialFile() override { faults_->NoteClosed(name_, /*writable=*/false); }

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    const Verdict verdict = faults_->Ask(kRead, name_);
    IOStatus s = verdict.error;
    if (s.ok()) s = base_->Read(n, options, result, scratch, dbg);
    if (s.ok()) {
      faults_->Damage(name_, verdict, offset_, result, scratch);
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
  const std::shared_ptr<FaultState> faults_;
  const std::string name_;
  uint64_t offset_ = 0;
};

class FaultRandomAccessFile : public FSRandomAccessFile, public ParkingReads {
 public:
  bool reads_park() const override { return ReadsPark(base_.get()); }
  FaultRandomAccessFile(std::unique_ptr<FSRandomAccessFile> base,
                        std::shared_ptr<FaultState> faults, std::string name)
      : base_(std::move(base)), faults_(std::move(faults)), name_(std::move(name)) {
    faults_->NoteOpened(name_, /*writable=*/false);
  }
  ~FaultRandomAccessFile() override { faults_->NoteClosed(name_, /*writable=*/false); }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    const Verdict verdict = faults_->Ask(kRead, name_);
    IOStatus s = verdict.error;
    if (s.ok()) s = base_->Read(offset, n, options, result, scratch, dbg);
    if (s.ok()) {
      faults_->Damage(name_, verdict, offset, result, scratch);
    } else {
      *result = Slice(scratch, 0);
    }
    return s;
  }
  // The target's, with the flips of what it read, unless the read is to fail.
  IOStatus ReadAsync(FSReadRequest& req, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> cb, void* cb_arg, void** io_handle,
                     IOHandleDeleter* del_fn, IODebugContext* dbg) override {
    const Verdict verdict = faults_->Ask(kRead, name_);
    if (!verdict.ok()) return verdict.error;
    const auto flipped = [this, verdict, cb = std::move(cb)](FSReadRequest& answer,
                                                             void* argument) {
      if (answer.status.ok()) {
        faults_->Damage(name_, verdict, answer.offset, &answer.result, answer.scratch);
      }
      cb(answer, argument);
    };
    return base_->ReadAsync(req, options, flipped, cb_arg, io_handle, del_fn, dbg);
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
  const std::shared_ptr<FaultState> faults_;
  const std::string name_;
};

class FaultWritableFile : public FSWritableFile {
 public:
  FaultWritableFile(std::unique_ptr<FSWritableFile> base, std::shared_ptr<FaultState> faults,
                    std::shared_ptr<UnsyncedData::File> unsynced, uint64_t size, std::string name)
      : base_(std::move(base)),
        faults_(std::move(faults)),
        unsynced_(std::move(unsynced)),
        name_(std::move(name)),
        size_(size) {
    faults_->NoteOpened(name_, /*writable=*/true);
  }
  ~FaultWritableFile() override {
    if (!closed_) faults_->NoteClosed(name_, /*writable=*/true);
  }

  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    IOStatus s = CheckHandedChecksum(name_, data, info);
    return s.ok() ? Append(data, options, dbg) : s;
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const DataVerificationInfo& info, IODebugContext* dbg) override {
    IOStatus s = CheckHandedChecksum(name_, data, info);
    return s.ok() ? PositionedAppend(data, offset, options, dbg) : s;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    const Verdict verdict = faults_->Ask(kAppend, name_);
    if (!verdict.ok() && !verdict.torn) return verdict.error;
    const uint64_t wanted = verdict.torn ? verdict.random % (data.size() + 1) : data.size();
    const uint64_t fits = faults_->TakeSpace(wanted);
    IOStatus s = base_->Append(Slice(data.data(), fits), options, dbg);
    if (!s.ok()) return s;
    size_ += fits;
    unsynced_->Written(size_);
    if (verdict.torn) return verdict.error;
    return fits < data.size() ? DiskFull() : s;
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override {
    // Direct I/O writes whole units or nothing.
    const Verdict verdict = faults_->Ask(kAppend, name_);
    if (!verdict.ok()) return verdict.error;
    if (faults_->TakeSpace(data.size()) < data.size()) return DiskFull();
    IOStatus s = base_->PositionedAppend(data, offset, options, dbg);
    if (s.ok()) unsynced_->Written(offset + data.size());
    return s;
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = faults_->Ask(kAppend, name_).error;
    if (s.ok()) s = base_->Truncate(size, options, dbg);
    if (s.ok()) {
      size_ = size;
      unsynced_->Truncated(size);
    }
    return s;
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = faults_->Ask(kClose, name_).error;
    // The descriptor is gone whatever close() says.
    const IOStatus closed = base_->Close(options, dbg);
    if (!closed_) faults_->NoteClosed(name_, /*writable=*/true);
    closed_ = true;
    return s.ok() ? closed : s;
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    return base_->Flush(options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return DoSync([&] { return base_->Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return DoSync([&] { return base_->Fsync(options, dbg); });
  }
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& options,
                     IODebugContext* dbg) override {
    IOStatus s = faults_->Ask(kSync, name_).error;
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
  template <class Operation>
  IOStatus DoSync(Operation operation) {
    IOStatus s = faults_->Ask(kSync, name_).error;
    const uint64_t size_before = unsynced_->Size();
    if (s.ok()) s = operation();
    if (s.ok()) unsynced_->Synced(size_before);
    return s;
  }
  IOStatus DiskFull() const { return IOStatus::NoSpace(name_, "No space left on device"); }

  const std::unique_ptr<FSWritableFile> base_;
  const std::shared_ptr<FaultState> faults_;
  const std::shared_ptr<UnsyncedData::File> unsynced_;
  const std::string name_;
  uint64_t size_;  // where Append writes
  bool closed_ = false;
};

class FaultDirectory : public FSDirectory {
 public:
  FaultDirectory(std::unique_ptr<FSDirectory> base, std::shared_ptr<FaultState> faults,
                 std::shared_ptr<UnsyncedData> unsynced, std::string name)
      : base_(std::move(base)),
        faults_(std::move(faults)),
        unsynced_(std::move(unsynced)),
        name_(std::move(name)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return DoSync([&] { return base_->Fsync(options, dbg); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const DirFsyncOptions& directory_options) override {
    return DoSync([&] { return base_->FsyncWithDirOptions(options, dbg, directory_options); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    return base_->Close(options, dbg);
  }

 private:
  template <class Operation>
  IOStatus DoSync(Operation operation) {
    IOStatus s = faults_->Ask(kDirSync, name_).error;
    const uint64_t before = unsynced_->Now();
    if (s.ok()) s = operation();
    if (s.ok()) unsynced_->DirectorySynced(name_, before);
    return s;
  }

  const std::unique_ptr<FSDirectory> base_;
  const std::shared_ptr<FaultState> faults_;
  const std::shared_ptr<UnsyncedData> unsynced_;
  const std::string name_;
};

}  // namespace

FaultInjectionFileSystem::FaultInjectionFileSystem(const std::shared_ptr<FileSystem>& base)
    : FileSystemWrapper(base),
      faults_(std::make_shared<FaultState>()),
      unsynced_(std::make_shared<UnsyncedData>()) {}

FaultInjectionFileSystem::~FaultInjectionFileSystem() = default;

// ------------------------------------------------------------------------------------------------
// Faults

RuleId FaultInjectionFileSystem::AddRule(Rule rule) { return faults_->AddRule(std::move(rule)); }
uint64_t FaultInjectionFileSystem::Hits(RuleId rule) const { return faults_->Hits(rule); }
void FaultInjectionFileSystem::RemoveRule(RuleId rule) { faults_->RemoveRule(rule); }

void FaultInjectionFileSystem::FailNthOperation(uint64_t n, uint32_t operations, IOStatus error,
                                                uint64_t times) {
  faults_->FailNthOperation(n, operations, std::move(error), times);
}

void FaultInjectionFileSystem::FailRandomly(uint64_t seed, uint32_t operations, uint32_t one_in,
                                            IOStatus error) {
  faults_->FailRandomly(seed, operations, one_in, std::move(error));
}

void FaultInjectionFileSystem::SetFilesystemActive(bool active, IOStatus error) {
  faults_->SetFilesystemActive(active, std::move(error));
}

void FaultInjectionFileSystem::SetReadOnly(bool read_only) { faults_->SetReadOnly(read_only); }
void FaultInjectionFileSystem::SetFreeBytes(uint64_t bytes) { faults_->SetFreeBytes(bytes); }

void FaultInjectionFileSystem::SetFileFilter(std::function<bool(const std::string&)> filter) {
  faults_->SetFileFilter(std::move(filter));
}

void FaultInjectionFileSystem::FlipBits(const std::string& path, uint64_t offset, uint8_t mask) {
  faults_->FlipBits(path, offset, mask);
}

void FaultInjectionFileSystem::Heal() { faults_->Heal(); }

IOStatus FaultInjectionFileSystem::DropUnsynced() { return unsynced_->Drop(target(), nullptr); }

IOStatus FaultInjectionFileSystem::DropUnsyncedRandomly(uint64_t seed) {
  Random64 random(seed);
  return unsynced_->Drop(target(), &random);
}

uint64_t FaultInjectionFileSystem::UnsyncedBytes() const { return unsynced_->Bytes(); }
uint64_t FaultInjectionFileSystem::UnsyncedNames() const { return unsynced_->Names(); }

uint64_t FaultInjectionFileSystem::OperationCount(uint32_t operations) const {
  return faults_->OperationCount(operations);
}

int FaultInjectionFileSystem::OpenWritableFiles() const { return faults_->OpenWritableFiles(); }
int FaultInjectionFileSystem::OpenReadableFiles() const { return faults_->OpenReadableFiles(); }

std::vector<std::string> FaultInjectionFileSystem::OpenFileNames() const {
  return faults_->OpenFileNames();
}

// ------------------------------------------------------------------------------------------------
// Opening

IOStatus FaultInjectionFileSystem::NewSequentialFile(const std::string& path,
                                                     const FileOptions& options,
                                                     std::unique_ptr<FSSequentialFile>* result,
                                                     IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kOpen, path).error;
  std::unique_ptr<FSSequentialFile> file;
  if (s.ok()) s = target()->NewSequentialFile(path, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultSequentialFile>(std::move(file), faults_, path);
  return s;
}

IOStatus FaultInjectionFileSystem::NewRandomAccessFile(const std::string& path,
                                                       const FileOptions& options,
                                                       std::unique_ptr<FSRandomAccessFile>* result,
                                                       IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kOpen, path).error;
  std::unique_ptr<FSRandomAccessFile> file;
  if (s.ok()) s = target()->NewRandomAccessFile(path, options, &file, dbg);
  if (s.ok()) *result = std::make_unique<FaultRandomAccessFile>(std::move(file), faults_, path);
  return s;
}

IOStatus FaultInjectionFileSystem::NewWritableFile(const std::string& path,
                                                   const FileOptions& options,
                                                   std::unique_ptr<FSWritableFile>* result,
                                                   IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kCreate, path).error;
  const bool existed = s.ok() && target()->FileExists(path, IOOptions(), nullptr).ok();
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->NewWritableFile(path, options, &file, dbg);
  if (s.ok()) {
    *result = std::make_unique<FaultWritableFile>(std::move(file), faults_,
                                                  unsynced_->Created(path, existed), 0, path);
  }
  return s;
}

IOStatus FaultInjectionFileSystem::ReopenWritableFile(const std::string& path,
                                                      const FileOptions& options,
                                                      std::unique_ptr<FSWritableFile>* result,
                                                      IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kCreate, path).error;
  uint64_t size = 0;
  const bool existed = s.ok() && target()->GetFileSize(path, IOOptions(), &size, nullptr).ok();
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->ReopenWritableFile(path, options, &file, dbg);
  if (s.ok()) {
    auto unsynced = existed ? unsynced_->Reopened(path, size) : unsynced_->Created(path, false);
    *result = std::make_unique<FaultWritableFile>(std::move(file), faults_, std::move(unsynced),
                                                  size, path);
  }
  return s;
}

IOStatus FaultInjectionFileSystem::ReuseWritableFile(const std::string& path,
                                                     const std::string& old_path,
                                                     const FileOptions& options,
                                                     std::unique_ptr<FSWritableFile>* result,
                                                     IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kCreate, path).error;
  std::unique_ptr<FSWritableFile> file;
  if (s.ok()) s = target()->ReuseWritableFile(path, old_path, options, &file, dbg);
  uint64_t size = 0;
  if (s.ok()) s = target()->GetFileSize(path, IOOptions(), &size, nullptr);
  if (s.ok()) {
    *result = std::make_unique<FaultWritableFile>(std::move(file), faults_,
                                                  unsynced_->Reused(old_path, path, size), 0, path);
  }
  return s;
}

IOStatus FaultInjectionFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                                std::unique_ptr<FSDirectory>* result,
                                                IODebugContext* dbg) {
  result->reset();
  IOStatus s = faults_->Ask(kMetadata, path).error;
  std::unique_ptr<FSDirectory> directory;
  if (s.ok()) s = target()->NewDirectory(path, options, &directory, dbg);
  if (s.ok()) {
    *result = std::make_unique<FaultDirectory>(std::move(directory), faults_, unsynced_, path);
  }
  return s;
}

// ------------------------------------------------------------------------------------------------
// Names

IOStatus FaultInjectionFileSystem::FileExists(const std::string& path, const IOOptions& options,
                                              IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kMetadata, path).error;
  return s.ok() ? target()->FileExists(path, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::GetChildren(const std::string& path, const IOOptions& options,
                                               std::vector<std::string>* result,
                                               IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kMetadata, path).error;
  return s.ok() ? target()->GetChildren(path, options, result, dbg) : s;
}

IOStatus FaultInjectionFileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                              IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kDelete, path).error;
  if (s.ok()) s = target()->DeleteFile(path, options, dbg);
  if (s.ok()) unsynced_->Deleted(path);
  return s;
}

IOStatus FaultInjectionFileSystem::CreateDir(const std::string& path, const IOOptions& options,
                                             IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kCreate, path).error;
  if (!s.ok()) return s;
  // The file system below may make its parents, too.
  std::vector<std::string> made;
  for (std::string dir = path; dir != ParentOf(dir); dir = ParentOf(dir)) {
    if (target()->FileExists(dir, options, dbg).ok()) break;
    made.push_back(dir);
  }
  s = target()->CreateDir(path, options, dbg);  // style: the file system itself
  for (; s.ok() && !made.empty(); made.pop_back()) unsynced_->DirectoryCreated(made.back());
  return s;
}

IOStatus FaultInjectionFileSystem::CreateDirIfMissing(const std::string& path,
                                                      const IOOptions& options,
                                                      IODebugContext* dbg) {
  bool is_dir = false;
  if (target()->IsDirectory(path, options, &is_dir, dbg).ok() && is_dir) return IOStatus::OK();
  return CreateDir(path, options, dbg);
}

IOStatus FaultInjectionFileSystem::DeleteDir(const std::string& path, const IOOptions& options,
                                             IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kDelete, path).error;
  return s.ok() ? target()->DeleteDir(path, options, dbg) : s;
}

IOStatus FaultInjectionFileSystem::GetFileSize(const std::string& path, const IOOptions& options,
                                               uint64_t* size, IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kMetadata, path).error;
  return s.ok() ? target()->GetFileSize(path, options, size, dbg) : s;
}

IOStatus FaultInjectionFileSystem::RenameFile(const std::string& from, const std::string& to,
                                              const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kRename, from).error;
  if (!s.ok()) return s;
  std::optional<std::string> replaced;
  bool is_dir = false;
  if (target()->FileExists(to, options, dbg).ok() &&
      !(target()->IsDirectory(to, options, &is_dir, dbg).ok() && is_dir)) {
    std::string contents;
    s = ReadFileToString(target(), to, &contents);
    if (!s.ok()) return s;
    replaced = unsynced_->LastingPart(to, std::move(contents));
  }
  s = target()->RenameFile(from, to, options, dbg);
  if (s.ok()) unsynced_->Renamed(from, to, std::move(replaced));
  return s;
}

IOStatus FaultInjectionFileSystem::LinkFile(const std::string& from, const std::string& to,
                                            const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kRename, from).error;
  if (s.ok()) s = target()->LinkFile(from, to, options, dbg);
  if (s.ok()) unsynced_->Linked(from, to);
  return s;
}

IOStatus FaultInjectionFileSystem::LockFile(const std::string& path, const IOOptions& options,
                                            FileLock** lock, IODebugContext* dbg) {
  *lock = nullptr;
  IOStatus s = faults_->Ask(kMetadata, path).error;
  return s.ok() ? target()->LockFile(path, options, lock, dbg) : s;
}

IOStatus FaultInjectionFileSystem::Truncate(const std::string& path, size_t size,
                                            const IOOptions& options, IODebugContext* dbg) {
  IOStatus s = faults_->Ask(kAppend, path).error;
  if (s.ok()) s = target()->Truncate(path, size, options, dbg);
  if (s.ok()) unsynced_->Truncated(path, size);
  return s;
}

}  // namespace cairn::fault
