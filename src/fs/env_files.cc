#include "fs/env_files.h"

#include <utility>
#include <vector>

namespace ROCKSDB_NAMESPACE {

SequentialFile::~SequentialFile() = default;
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;
RandomRWFile::~RandomRWFile() = default;
MemoryMappedFileBuffer::~MemoryMappedFileBuffer() = default;
Directory::~Directory() = default;

Status SequentialFile::InvalidateCache(size_t /*offset*/, size_t /*length*/) {
  return Status::NotSupported("InvalidateCache not supported.");
}

Status SequentialFile::PositionedRead(uint64_t /*offset*/, size_t /*n*/, Slice* /*result*/,
                                      char* /*scratch*/) {
  return Status::NotSupported("PositionedRead");
}

Status RandomAccessFile::MultiRead(ReadRequest* reqs, size_t num_reqs) {
  for (size_t i = 0; i < num_reqs; ++i) {
    reqs[i].status = Read(reqs[i].offset, reqs[i].len, &reqs[i].result, reqs[i].scratch);
  }
  return Status::OK();
}

Status RandomAccessFile::InvalidateCache(size_t /*offset*/, size_t /*length*/) {
  return Status::NotSupported("InvalidateCache not supported.");
}

Status WritableFile::PositionedAppend(const Slice& /*data*/, uint64_t /*offset*/) {
  return Status::NotSupported("PositionedAppend");
}

Status WritableFile::PositionedAppend(const Slice& data, uint64_t offset,
                                      const DataVerificationInfo& /*verification_info*/) {
  return PositionedAppend(data, offset);
}

Status WritableFile::InvalidateCache(size_t /*offset*/, size_t /*length*/) {
  return Status::NotSupported("InvalidateCache not supported.");
}

void WritableFile::PrepareWrite(size_t offset, size_t len) {
  const size_t block = preallocation_block_size_;
  if (block == 0) return;
  const size_t blocks_needed = (offset + len + block - 1) / block;
  if (blocks_needed <= last_preallocated_block_) return;
  Allocate(block * last_preallocated_block_, block * (blocks_needed - last_preallocated_block_))
      .PermitUncheckedError();
  last_preallocated_block_ = blocks_needed;
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

namespace {

// Reads `reqs` as requests of the other kind, by `call`.
template <typename Other, typename Request, typename Call>
auto MultiReadAs(Request* reqs, size_t num_reqs, const Call& call) {
  std::vector<Other> those(num_reqs);
  for (size_t i = 0; i < num_reqs; ++i) {
    those[i].offset = reqs[i].offset;
    those[i].len = reqs[i].len;
    those[i].scratch = reqs[i].scratch;
  }
  auto s = call(those.data());
  for (size_t i = 0; i < num_reqs; ++i) {
    reqs[i].result = those[i].result;
    reqs[i].status = ToIO(std::move(those[i].status));
  }
  return s;
}

// ---- Of a FileSystem, for those who know an Env.

template <typename Base, typename File>
class Held : public Base {
 public:
  Held(std::unique_ptr<File> file, const FileSystem* owner)
      : file_(std::move(file)), owner_(owner) {}

  const FileSystem* owner() const { return owner_; }
  std::unique_ptr<File> Take() { return std::move(file_); }

 protected:
  const std::unique_ptr<File>& file() const { return file_; }

 private:
  std::unique_ptr<File> file_;
  const FileSystem* const owner_;
};

class HeldSequentialFile final : public Held<SequentialFile, FSSequentialFile> {
 public:
  using Held::Held;

  Status Read(size_t n, Slice* result, char* scratch) override {
    return file()->Read(n, IOOptions(), result, scratch, nullptr);
  }
  Status Skip(uint64_t n) override { return file()->Skip(n); }
  bool use_direct_io() const override { return file()->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return file()->GetRequiredBufferAlignment();
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return file()->InvalidateCache(offset, length);
  }
  Status PositionedRead(uint64_t offset, size_t n, Slice* result, char* scratch) override {
    return file()->PositionedRead(offset, n, IOOptions(), result, scratch, nullptr);
  }
};

class HeldRandomAccessFile final : public Held<RandomAccessFile, FSRandomAccessFile> {
 public:
  using Held::Held;

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return file()->Read(offset, n, IOOptions(), result, scratch, nullptr);
  }
  Status Prefetch(uint64_t offset, size_t n) override {
    return file()->Prefetch(offset, n, IOOptions(), nullptr);
  }
  Status MultiRead(ReadRequest* reqs, size_t num_reqs) override {
    return MultiReadAs<FSReadRequest>(reqs, num_reqs, [&](FSReadRequest* those) {
      return file()->MultiRead(those, num_reqs, IOOptions(), nullptr);
    });
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return file()->GetUniqueId(id, max_size);
  }
  void Hint(AccessPattern pattern) override {
    file()->Hint(static_cast<FSRandomAccessFile::AccessPattern>(pattern));
  }
  bool use_direct_io() const override { return file()->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return file()->GetRequiredBufferAlignment();
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return file()->InvalidateCache(offset, length);
  }
};
static_assert(static_cast<int>(RandomAccessFile::NORMAL) == FSRandomAccessFile::kNormal &&
              static_cast<int>(RandomAccessFile::RANDOM) == FSRandomAccessFile::kRandom &&
              static_cast<int>(RandomAccessFile::SEQUENTIAL) == FSRandomAccessFile::kSequential &&
              static_cast<int>(RandomAccessFile::WILLNEED) == FSRandomAccessFile::kWillNeed &&
              static_cast<int>(RandomAccessFile::DONTNEED) == FSRandomAccessFile::kWontNeed);

class HeldWritableFile final : public Held<WritableFile, FSWritableFile> {
 public:
  using Held::Held;

  Status Append(const Slice& data) override { return file()->Append(data, IOOptions(), nullptr); }
  Status Append(const Slice& data, const DataVerificationInfo& info) override {
    return file()->Append(data, IOOptions(), info, nullptr);
  }
  Status PositionedAppend(const Slice& data, uint64_t offset) override {
    return file()->PositionedAppend(data, offset, IOOptions(), nullptr);
  }
  Status PositionedAppend(const Slice& data, uint64_t offset,
                          const DataVerificationInfo& info) override {
    return file()->PositionedAppend(data, offset, IOOptions(), info, nullptr);
  }
  Status Truncate(uint64_t size) override { return file()->Truncate(size, IOOptions(), nullptr); }
  Status Close() override { return file()->Close(IOOptions(), nullptr); }
  Status Flush() override { return file()->Flush(IOOptions(), nullptr); }
  Status Sync() override { return file()->Sync(IOOptions(), nullptr); }
  Status Fsync() override { return file()->Fsync(IOOptions(), nullptr); }
  bool IsSyncThreadSafe() const override { return file()->IsSyncThreadSafe(); }
  bool use_direct_io() const override { return file()->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return file()->GetRequiredBufferAlignment();
  }
  void SetIOPriority(Env::IOPriority pri) override { file()->SetIOPriority(pri); }
  Env::IOPriority GetIOPriority() override { return file()->GetIOPriority(); }
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override {
    file()->SetWriteLifeTimeHint(hint);
  }
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override { return file()->GetWriteLifeTimeHint(); }
  uint64_t GetFileSize() override { return file()->GetFileSize(IOOptions(), nullptr); }
  void SetPreallocationBlockSize(size_t size) override { file()->SetPreallocationBlockSize(size); }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    file()->GetPreallocationStatus(block_size, last_allocated_block);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return file()->GetUniqueId(id, max_size);
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return file()->InvalidateCache(offset, length);
  }
  Status RangeSync(uint64_t offset, uint64_t nbytes) override {
    return file()->RangeSync(offset, nbytes, IOOptions(), nullptr);
  }
  void PrepareWrite(size_t offset, size_t len) override {
    file()->PrepareWrite(offset, len, IOOptions(), nullptr);
  }
  Status Allocate(uint64_t offset, uint64_t len) override {
    return file()->Allocate(offset, len, IOOptions(), nullptr);
  }
};

class HeldRandomRWFile final : public Held<RandomRWFile, FSRandomRWFile> {
 public:
  using Held::Held;

  bool use_direct_io() const override { return file()->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return file()->GetRequiredBufferAlignment();
  }
  Status Write(uint64_t offset, const Slice& data) override {
    return file()->Write(offset, data, IOOptions(), nullptr);
  }
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return file()->Read(offset, n, IOOptions(), result, scratch, nullptr);
  }
  Status Flush() override { return file()->Flush(IOOptions(), nullptr); }
  Status Sync() override { return file()->Sync(IOOptions(), nullptr); }
  Status Fsync() override { return file()->Fsync(IOOptions(), nullptr); }
  Status Close() override { return file()->Close(IOOptions(), nullptr); }
};

class HeldDirectory final : public Held<Directory, FSDirectory> {
 public:
  using Held::Held;

  Status Fsync() override { return file()->Fsync(IOOptions(), nullptr); }
  Status Close() override { return file()->Close(IOOptions(), nullptr); }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return file()->GetUniqueId(id, max_size);
  }
};

// ---- Of an Env, for those who know a FileSystem.

class OwnSequentialFile final : public FSSequentialFile {
 public:
  explicit OwnSequentialFile(std::unique_ptr<SequentialFile> file) : file_(std::move(file)) {}

  IOStatus Read(size_t n, const IOOptions& /*options*/, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) override {
    return ToIO(file_->Read(n, result, scratch));
  }
  IOStatus Skip(uint64_t n) override { return ToIO(file_->Skip(n)); }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                          char* scratch, IODebugContext* /*dbg*/) override {
    return ToIO(file_->PositionedRead(offset, n, result, scratch));
  }
  bool use_direct_io() const override { return file_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return file_->GetRequiredBufferAlignment(); }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return ToIO(file_->InvalidateCache(offset, length));
  }

 private:
  const std::unique_ptr<SequentialFile> file_;
};

class OwnRandomAccessFile final : public FSRandomAccessFile {
 public:
  explicit OwnRandomAccessFile(std::unique_ptr<RandomAccessFile> file) : file_(std::move(file)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    return ToIO(file_->Read(offset, n, result, scratch));
  }
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    return ToIO(file_->Prefetch(offset, n));
  }
  IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    return MultiReadAs<ReadRequest>(reqs, num_reqs, [&](ReadRequest* those) {
      return ToIO(file_->MultiRead(those, num_reqs));
    });
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return file_->GetUniqueId(id, max_size);
  }
  void Hint(AccessPattern pattern) override {
    file_->Hint(static_cast<RandomAccessFile::AccessPattern>(pattern));
  }
  bool use_direct_io() const override { return file_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return file_->GetRequiredBufferAlignment(); }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return ToIO(file_->InvalidateCache(offset, length));
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

class OwnWritableFile final : public FSWritableFile {
 public:
  OwnWritableFile(std::unique_ptr<WritableFile> file, const FileOptions& options)
      : FSWritableFile(options), file_(std::move(file)) {}

  IOStatus Append(const Slice& data, const IOOptions& /*options*/,
                  IODebugContext* /*dbg*/) override {
    return ToIO(file_->Append(data));
  }
  IOStatus Append(const Slice& data, const IOOptions& /*options*/, const DataVerificationInfo& info,
                  IODebugContext* /*dbg*/) override {
    return ToIO(file_->Append(data, info));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) override {
    return ToIO(file_->PositionedAppend(data, offset));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            const DataVerificationInfo& info, IODebugContext* /*dbg*/) override {
    return ToIO(file_->PositionedAppend(data, offset, info));
  }
  IOStatus Truncate(uint64_t size, const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Truncate(size));
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Close());
  }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Flush());
  }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Sync());
  }
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Fsync());
  }
  bool IsSyncThreadSafe() const override { return file_->IsSyncThreadSafe(); }
  bool use_direct_io() const override { return file_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return file_->GetRequiredBufferAlignment(); }
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override {
    file_->SetWriteLifeTimeHint(hint);
  }
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override { return file_->GetWriteLifeTimeHint(); }
  void SetIOPriority(Env::IOPriority pri) override { file_->SetIOPriority(pri); }
  Env::IOPriority GetIOPriority() override { return file_->GetIOPriority(); }
  uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return file_->GetFileSize();
  }
  void SetPreallocationBlockSize(size_t size) override { file_->SetPreallocationBlockSize(size); }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    file_->GetPreallocationStatus(block_size, last_allocated_block);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return file_->GetUniqueId(id, max_size);
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return ToIO(file_->InvalidateCache(offset, length));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    return ToIO(file_->RangeSync(offset, nbytes));
  }
  void PrepareWrite(size_t offset, size_t len, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    file_->PrepareWrite(offset, len);
  }
  IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    return ToIO(file_->Allocate(offset, len));
  }

 private:
  const std::unique_ptr<WritableFile> file_;
};

class OwnRandomRWFile final : public FSRandomRWFile {
 public:
  explicit OwnRandomRWFile(std::unique_ptr<RandomRWFile> file) : file_(std::move(file)) {}

  bool use_direct_io() const override { return file_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override { return file_->GetRequiredBufferAlignment(); }
  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& /*options*/,
                 IODebugContext* /*dbg*/) override {
    return ToIO(file_->Write(offset, data));
  }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    return ToIO(file_->Read(offset, n, result, scratch));
  }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Flush());
  }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Sync());
  }
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Fsync());
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(file_->Close());
  }

 private:
  const std::unique_ptr<RandomRWFile> file_;
};

class OwnDirectory final : public FSDirectory {
 public:
  explicit OwnDirectory(std::unique_ptr<Directory> directory) : directory_(std::move(directory)) {}

  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return ToIO(directory_->Fsync());
  }
  // One that cannot be closed is closed when it is deleted.
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    Status s = directory_->Close();
    return s.IsNotSupported() ? IOStatus::OK() : ToIO(std::move(s));
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return directory_->GetUniqueId(id, max_size);
  }

 private:
  const std::unique_ptr<Directory> directory_;
};

// What `file` was made of, if it was made of a file of `usable`; null else.
template <typename HeldFile, typename File>
auto TakeBack(const std::unique_ptr<File>& file, const FileSystem* usable) {
  auto* const held = dynamic_cast<HeldFile*>(file.get());
  using Original = decltype(held->Take());
  return held != nullptr && usable != nullptr && held->owner() == usable ? held->Take()
                                                                         : Original();
}

}  // namespace

std::unique_ptr<SequentialFile> ToEnvFile(std::unique_ptr<FSSequentialFile> file,
                                          const FileSystem* owner) {
  return std::make_unique<HeldSequentialFile>(std::move(file), owner);
}

std::unique_ptr<RandomAccessFile> ToEnvFile(std::unique_ptr<FSRandomAccessFile> file,
                                            const FileSystem* owner) {
  return std::make_unique<HeldRandomAccessFile>(std::move(file), owner);
}

std::unique_ptr<WritableFile> ToEnvFile(std::unique_ptr<FSWritableFile> file,
                                        const FileSystem* owner) {
  return std::make_unique<HeldWritableFile>(std::move(file), owner);
}

std::unique_ptr<RandomRWFile> ToEnvFile(std::unique_ptr<FSRandomRWFile> file,
                                        const FileSystem* owner) {
  return std::make_unique<HeldRandomRWFile>(std::move(file), owner);
}

std::unique_ptr<Directory> ToEnvFile(std::unique_ptr<FSDirectory> file, const FileSystem* owner) {
  return std::make_unique<HeldDirectory>(std::move(file), owner);
}

std::unique_ptr<FSSequentialFile> ToFsFile(std::unique_ptr<SequentialFile> file,
                                           const FileSystem* usable) {
  if (auto original = TakeBack<HeldSequentialFile>(file, usable)) return original;
  return std::make_unique<OwnSequentialFile>(std::move(file));
}

std::unique_ptr<FSRandomAccessFile> ToFsFile(std::unique_ptr<RandomAccessFile> file,
                                             const FileSystem* usable) {
  if (auto original = TakeBack<HeldRandomAccessFile>(file, usable)) return original;
  return std::make_unique<OwnRandomAccessFile>(std::move(file));
}

std::unique_ptr<FSWritableFile> ToFsFile(std::unique_ptr<WritableFile> file,
                                         const FileOptions& options, const FileSystem* usable) {
  if (auto original = TakeBack<HeldWritableFile>(file, usable)) return original;
  return std::make_unique<OwnWritableFile>(std::move(file), options);
}

std::unique_ptr<FSRandomRWFile> ToFsFile(std::unique_ptr<RandomRWFile> file,
                                         const FileSystem* usable) {
  if (auto original = TakeBack<HeldRandomRWFile>(file, usable)) return original;
  return std::make_unique<OwnRandomRWFile>(std::move(file));
}

std::unique_ptr<FSDirectory> ToFsFile(std::unique_ptr<Directory> file, const FileSystem* usable) {
  if (auto original = TakeBack<HeldDirectory>(file, usable)) return original;
  return std::make_unique<OwnDirectory>(std::move(file));
}

}  // namespace cairn
