// NewEncryptedFS, NewEncryptedEnv: rocksdb/env_encryption.h.
#include <algorithm>
#include <memory>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fs/aligned_buffer.h"
#include "fs/encryption.h"
#include "fs/parking_reads.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/options_type.h"

// Where <windows.h> came first it has this as a macro.
#undef DeleteFile

namespace cairn {
namespace {

using Stream = std::unique_ptr<BlockAccessCipherStream>;

// A prefix on its way between a file and the provider.
class Prefix {
 public:
  Prefix(EncryptionProvider* provider, size_t alignment)
      : provider_(provider),
        length_(provider->GetPrefixLength()),
        buffer_(alignment, std::max<size_t>(length_, 1)) {}

  size_t length() const { return length_; }
  size_t filled() const { return filled_; }
  bool complete() const { return filled_ == length_; }
  char* end() const { return buffer_.data() + filled_; }

  // Made anew, and to be written.
  IOStatus Make(const std::string& path) {
    if (buffer_.data() == nullptr) return NoMemory();
    if (length_ == 0) return IOStatus::OK();
    filled_ = length_;
    return status_to_io_status(provider_->CreateNewPrefix(path, buffer_.data(), length_));
  }
  Slice bytes() const { return Slice(buffer_.data(), filled_); }

  // The next bytes of it, of which `some` (offset, n, &result, scratch) gives as many as there are.
  template <typename Some>
  IOStatus Fill(Some some) {
    if (buffer_.data() == nullptr) return NoMemory();
    if (complete()) return IOStatus::OK();
    Slice got;
    IOStatus io = some(filled_, length_ - filled_, &got, end());
    if (!io.ok()) return io;
    if (got.data() != end()) std::copy_n(got.data(), got.size(), end());
    filled_ += got.size();
    return io;
  }

  // REQUIRES: complete()
  IOStatus MakeStream(const std::string& path, const FileOptions& options, Stream* stream) {
    Slice prefix = bytes();
    IOStatus io = status_to_io_status(provider_->CreateCipherStream(path, options, prefix, stream));
    if (io.ok() && *stream == nullptr && length_ > 0) {
      io = IOStatus::InvalidArgument("the encryption provider gave no stream for", path);
    }
    return io;
  }

 private:
  static IOStatus NoMemory() { return IOStatus::IOError("no memory for the prefix of a file"); }

  EncryptionProvider* const provider_;
  const size_t length_;
  const AlignedBuffer buffer_;
  size_t filled_ = 0;
};

// Reads its prefix when there is one: who follows a log may come before its writer wrote anything.
class FollowingSequentialFile final : public EncryptedSequentialFile {
 public:
  FollowingSequentialFile(std::unique_ptr<FSSequentialFile> target, std::string path,
                          const FileOptions& options, std::unique_ptr<Prefix> prefix,
                          std::shared_ptr<EncryptionProvider> provider)
      : EncryptedSequentialFile(std::move(target), nullptr, prefix->length()),
        path_(std::move(path)),
        options_(options),
        provider_(std::move(provider)),
        prefix_(std::move(prefix)) {}

  // Reads what there is of the prefix. Not OK: this is no file of the provider's.
  IOStatus Begin(const IOOptions& options, IODebugContext* dbg) {
    if (prefix_ == nullptr) return IOStatus::OK();
    // Direct reads come in whole pages, so that the rest of a page cannot follow.
    if (use_direct_io() && prefix_->filled() > 0) return IOStatus::OK();
    IOStatus io = prefix_->Fill([&](uint64_t /*offset*/, size_t n, Slice* result, char* scratch) {
      return file_->Read(n, options, result, scratch, dbg);
    });
    if (!io.ok() || !prefix_->complete()) return io;
    io = prefix_->MakeStream(path_, options_, &stream_);
    if (io.ok()) prefix_.reset();
    return io;
  }

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    *result = Slice();
    IOStatus io = Begin(options, dbg);
    if (!io.ok() || stream_ == nullptr) return io;
    return EncryptedSequentialFile::Read(n, options, result, scratch, dbg);
  }
  IOStatus Skip(uint64_t n) override {
    IOStatus io = Begin(IOOptions(), nullptr);
    if (!io.ok() || stream_ == nullptr) return io;
    return EncryptedSequentialFile::Skip(n);
  }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override {
    *result = Slice();
    IOStatus io = Begin(options, dbg);
    if (!io.ok() || stream_ == nullptr) return io;
    return EncryptedSequentialFile::PositionedRead(offset, n, options, result, scratch, dbg);
  }

 private:
  const std::string path_;
  const FileOptions options_;
  const std::shared_ptr<EncryptionProvider> provider_;  // the prefix's
  std::unique_ptr<Prefix> prefix_;                      // null once it is read
};

// Says what the file below says of its reads.
class TellingRandomAccessFile final : public EncryptedRandomAccessFile, public ParkingReads {
 public:
  using EncryptedRandomAccessFile::EncryptedRandomAccessFile;
  bool reads_park() const override { return ReadsPark(file_.get()); }
};

// Stands for the provider that was not named yet: nothing is read or written in plain text.
class NoProvider final : public EncryptionProvider {
 public:
  const char* Name() const override { return "none"; }
  size_t GetPrefixLength() const override { return 0; }
  Status CreateNewPrefix(const std::string& fname, char* /*prefix*/,
                         size_t /*length*/) const override {
    return Missing(fname);
  }
  Status AddCipher(const std::string& descriptor, const char* /*cipher*/, size_t /*len*/,
                   bool /*for_write*/) override {
    return Missing(descriptor);
  }
  Status CreateCipherStream(const std::string& fname, const EnvOptions& /*options*/,
                            Slice& /*prefix*/, Stream* /*result*/) override {
    return Missing(fname);
  }

 private:
  static Status Missing(const std::string& name) {
    return Status::NotFound("No encryption provider is set", name);
  }
};

class EncryptedFileSystemImpl final : public EncryptedFileSystem {
 public:
  // A null provider: the option "provider" gives it.
  EncryptedFileSystemImpl(const std::shared_ptr<FileSystem>& base,
                          std::shared_ptr<EncryptionProvider> provider)
      : EncryptedFileSystem(base), provider_(std::move(provider)) {
    static const auto& kOptions = *new std::unordered_map<std::string, OptionTypeInfo>{
        {"provider", OptionTypeInfo::AsCustomSharedPtr<EncryptionProvider>(
                         0, OptionVerificationType::kByName, OptionTypeFlags::kNone)}};
    RegisterOptions("EncryptionProvider", &provider_, &kOptions);
  }

  const char* Name() const override { return kClassName(); }
  Status AddCipher(const std::string& descriptor, const char* cipher, size_t len,
                   bool for_write) override {
    return provider()->AddCipher(descriptor, cipher, len, for_write);
  }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file,
                             IODebugContext* dbg) override {
    file->reset();
    if (options.use_mmap_reads) return CannotBeMapped(path);
    std::unique_ptr<FSSequentialFile> below;
    IOStatus io = target_->NewSequentialFile(path, options, &below, dbg);
    if (!io.ok()) return io;
    auto prefix = std::make_unique<Prefix>(provider().get(), below->GetRequiredBufferAlignment());
    if (prefix->length() == 0) {  // perhaps not encrypted
      Stream stream;
      io = prefix->MakeStream(path, options, &stream);
      if (!io.ok()) return io;
      if (stream == nullptr) {
        *file = std::move(below);
      } else {
        *file = std::make_unique<EncryptedSequentialFile>(std::move(below), std::move(stream), 0);
      }
      return io;
    }
    auto following = std::make_unique<FollowingSequentialFile>(std::move(below), path, options,
                                                               std::move(prefix), provider());
    io = following->Begin(options.io_options, dbg);
    if (io.ok()) *file = std::move(following);
    return io;
  }

  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    file->reset();
    if (options.use_mmap_reads) return CannotBeMapped(path);
    std::unique_ptr<FSRandomAccessFile> below;
    Stream stream;
    size_t prefix_length = 0;
    IOStatus io = OpenForReading(path, options, &below, &stream, &prefix_length, dbg);
    if (!io.ok()) return io;
    if (stream == nullptr && prefix_length == 0) {
      *file = std::move(below);
    } else {
      *file = std::make_unique<TellingRandomAccessFile>(std::move(below), std::move(stream),
                                                        prefix_length);
    }
    return io;
  }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    file->reset();
    std::unique_ptr<FSWritableFile> below;
    IOStatus io = target_->NewWritableFile(path, options, &below, dbg);
    if (!io.ok()) return io;
    Prefix prefix(provider().get(), below->GetRequiredBufferAlignment());
    io = prefix.Make(path);
    if (io.ok() && prefix.length() > 0) {
      io = below->Append(prefix.bytes(), options.io_options, dbg);
    }
    Stream stream;
    if (io.ok()) io = prefix.MakeStream(path, options, &stream);
    if (io.ok()) *file = Writable(std::move(below), std::move(stream), prefix.length());
    return io;
  }

  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    file->reset();
    std::unique_ptr<FSWritableFile> below;
    IOStatus io = target_->ReopenWritableFile(path, options, &below, dbg);
    if (!io.ok()) return io;
    const size_t prefix_length = provider()->GetPrefixLength();
    if (below->GetFileSize(options.io_options, dbg) < std::max<size_t>(prefix_length, 1)) {
      below.reset();  // empty, but for the prefix's beginning
      return NewWritableFile(path, options, file, dbg);
    }
    FileOptions reading = options;
    reading.use_mmap_reads = false;
    std::unique_ptr<FSRandomAccessFile> reader;
    Stream stream;
    size_t length = 0;
    io = OpenForReading(path, reading, &reader, &stream, &length, dbg);
    if (io.ok()) *file = Writable(std::move(below), std::move(stream), length);
    return io;
  }

  // The old content goes: behind the new prefix it would be noise, which a reader of the log would
  // have to tell from damage.
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* dbg) override {
    file->reset();
    IOStatus io = target_->RenameFile(old_path, path, options.io_options, dbg);
    return io.ok() ? NewWritableFile(path, options, file, dbg) : io;
  }

  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSRandomRWFile>* file, IODebugContext* dbg) override {
    file->reset();
    if (options.use_mmap_reads) return CannotBeMapped(path);
    uint64_t size = 0;
    IOStatus io = target_->GetFileSize(path, options.io_options, &size, dbg);
    const bool is_new = !io.ok();  // some file systems make it then
    std::unique_ptr<FSRandomRWFile> below;
    io = target_->NewRandomRWFile(path, options, &below, dbg);
    if (!io.ok()) return io;
    Prefix prefix(provider().get(), below->GetRequiredBufferAlignment());
    if (is_new || size < prefix.length()) {
      io = prefix.Make(path);
      if (io.ok() && prefix.length() > 0) {
        io = below->Write(0, prefix.bytes(), options.io_options, dbg);
      }
    } else {
      io = prefix.Fill([&](uint64_t offset, size_t n, Slice* result, char* scratch) {
        return below->Read(offset, n, options.io_options, result, scratch, dbg);
      });
      if (io.ok() && !prefix.complete()) io = CutOff(path);
    }
    Stream stream;
    if (io.ok()) io = prefix.MakeStream(path, options, &stream);
    if (!io.ok()) return io;
    if (stream == nullptr) {
      *file = std::move(below);
    } else {
      *file = std::make_unique<EncryptedRandomRWFile>(std::move(below), std::move(stream),
                                                      prefix.length());
    }
    return io;
  }

  IOStatus NewMemoryMappedFileBuffer(const std::string& path,
                                     std::unique_ptr<MemoryMappedFileBuffer>* /*r*/) override {
    return IOStatus::NotSupported("an encrypted file cannot be mapped into memory", path);
  }

  // Sizes are without the prefix.
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                       IODebugContext* dbg) override {
    IOStatus io = target_->GetFileSize(path, options, size, dbg);
    if (io.ok()) *size -= std::min<uint64_t>(*size, provider()->GetPrefixLength());
    return io;
  }
  IOStatus GetChildrenFileAttributes(const std::string& dir, const IOOptions& options,
                                     std::vector<FileAttributes>* result,
                                     IODebugContext* dbg) override {
    IOStatus io = target_->GetChildrenFileAttributes(dir, options, result, dbg);
    if (!io.ok()) return io;
    for (FileAttributes& file : *result) {
      file.size_bytes -= std::min<uint64_t>(file.size_bytes, provider()->GetPrefixLength());
    }
    return io;
  }
  IOStatus Truncate(const std::string& path, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override {
    return target_->Truncate(path, size + provider()->GetPrefixLength(), options, dbg);
  }

 private:
  static IOStatus CannotBeMapped(const std::string& path) {
    return IOStatus::InvalidArgument("an encrypted file cannot be mapped into memory", path);
  }
  static IOStatus CutOff(const std::string& path) {
    return IOStatus::Corruption("the prefix of the encrypted file is cut off", path);
  }

  // *stream stays null if the file ends within the prefix: it is empty.
  IOStatus OpenForReading(const std::string& path, const FileOptions& options,
                          std::unique_ptr<FSRandomAccessFile>* file, Stream* stream,
                          size_t* prefix_length, IODebugContext* dbg) {
    IOStatus io = target_->NewRandomAccessFile(path, options, file, dbg);
    if (!io.ok()) return io;
    Prefix prefix(provider().get(), (*file)->GetRequiredBufferAlignment());
    *prefix_length = prefix.length();
    io = prefix.Fill([&](uint64_t offset, size_t n, Slice* result, char* scratch) {
      return (*file)->Read(offset, n, options.io_options, result, scratch, dbg);
    });
    return io.ok() && prefix.complete() ? prefix.MakeStream(path, options, stream) : io;
  }

  static std::unique_ptr<FSWritableFile> Writable(std::unique_ptr<FSWritableFile> below,
                                                  Stream stream, size_t prefix_length) {
    if (stream == nullptr) return below;
    return std::make_unique<EncryptedWritableFile>(std::move(below), std::move(stream),
                                                   prefix_length);
  }

  const std::shared_ptr<EncryptionProvider>& provider() const {
    static const auto& kNone = *new std::shared_ptr<EncryptionProvider>(new NoProvider);
    return provider_ != nullptr ? provider_ : kNone;
  }

  std::shared_ptr<EncryptionProvider> provider_;
};

// Another file system in an Env of the user's, whose threads go on to be used.
class EncryptedEnv final : public Env {
 public:
  EncryptedEnv(Env* base, const std::shared_ptr<FileSystem>& fs)
      : Env(fs, base->GetSystemClock()), base_(base) {}

  const char* Name() const override { return "EncryptedEnv"; }
  void Schedule(void (*function)(void* arg), void* arg, Priority pri, void* tag,
                void (*unschedFunction)(void* arg)) override {
    base_->Schedule(function, arg, pri, tag, unschedFunction);
  }
  int UnSchedule(void* tag, Priority pri) override { return base_->UnSchedule(tag, pri); }
  void StartThread(void (*function)(void* arg), void* arg) override {
    base_->StartThread(function, arg);
  }
  void WaitForJoin() override { base_->WaitForJoin(); }
  unsigned int GetThreadPoolQueueLen(Priority pri) const override {
    return base_->GetThreadPoolQueueLen(pri);
  }
  void SetBackgroundThreads(int number, Priority pri) override {
    base_->SetBackgroundThreads(number, pri);
  }
  int GetBackgroundThreads(Priority pri) override { return base_->GetBackgroundThreads(pri); }
  void IncBackgroundThreadsIfNeeded(int number, Priority pri) override {
    base_->IncBackgroundThreadsIfNeeded(number, pri);
  }
  int ReserveThreads(int threads, Priority pri) override {
    return base_->ReserveThreads(threads, pri);
  }
  int ReleaseThreads(int threads, Priority pri) override {
    return base_->ReleaseThreads(threads, pri);
  }
  Status GetThreadList(std::vector<ThreadStatus>* list) override {
    return base_->GetThreadList(list);
  }

 private:
  Env* const base_;
};

}  // namespace

void RegisterEncryptedFileSystem(ObjectLibrary* library) {
  library->AddFactory<FileSystem>(
      EncryptedFileSystem::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<FileSystem>* guard, std::string* /*message*/) {
        *guard = std::make_unique<EncryptedFileSystemImpl>(nullptr, nullptr);
        return guard->get();
      });
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<FileSystem> NewEncryptedFS(const std::shared_ptr<FileSystem>& base_fs,
                                           const std::shared_ptr<EncryptionProvider>& provider) {
  if (provider == nullptr) return nullptr;
  return std::make_shared<cairn::EncryptedFileSystemImpl>(base_fs, provider);
}

Env* NewEncryptedEnv(Env* base_env, const std::shared_ptr<EncryptionProvider>& provider) {
  const std::shared_ptr<FileSystem> fs = NewEncryptedFS(base_env->GetFileSystem(), provider);
  if (fs == nullptr) return nullptr;
  // A database has threads of its own unless its Env is of a class of the user's.
  if (typeid(*base_env) == typeid(Env)) return new Env(fs, base_env->GetSystemClock());
  return new cairn::EncryptedEnv(base_env, fs);
}

}  // namespace ROCKSDB_NAMESPACE
