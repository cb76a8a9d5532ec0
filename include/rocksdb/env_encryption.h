// Files that are encrypted on the storage: an Env or FileSystem over another one. Keys are the
// user's: he gives a BlockCipher (or a whole EncryptionProvider), Cairn has none that is safe.
//
//   class Aes : public BlockCipher { ... };  // e.g. over OpenSSL
//   auto provider = EncryptionProvider::NewCTRProvider(std::make_shared<Aes>(key));
//   options.env = NewEncryptedEnv(Env::Default(), provider);
//
// The format is RocksDB's: each file begins with a prefix of the provider's (4,096 bytes of the CTR
// provider: an initial counter, an initialization vector, random bytes), which nobody above sees.
// Names, sizes and times of files are not hidden; LOG, which is for people, is not encrypted.
//
// What is encrypted is not protected against changes: checksums lie within, and CTR lets single
// bits be turned. A provider of one's own may do better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/customizable.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class EncryptionProvider;
struct ConfigOptions;

// An Env like base_env, with files of NewEncryptedFS(). The caller owns it; base_env must outlive
// it. Null without a provider.
Env* NewEncryptedEnv(Env* base_env, const std::shared_ptr<EncryptionProvider>& provider);

// Files of base_fs, encrypted as `provider` says. A file that base_fs has without encryption is
// read as if it were encrypted, and found corrupted; an empty one is empty, and so is one that is
// shorter than the prefix (its writer died: nothing came after it). Files cannot be mapped into
// memory: InvalidArgument (EnvOptions::use_mmap_reads), NotSupported (NewMemoryMappedFileBuffer).
// Null without a provider.
std::shared_ptr<FileSystem> NewEncryptedFS(const std::shared_ptr<FileSystem>& base_fs,
                                           const std::shared_ptr<EncryptionProvider>& provider);

// Encrypts and decrypts a file in blocks of one size; any range of it, also a part of a block.
// Thread-safe where its functions for blocks are: a file is read by many at once.
class BlockAccessCipherStream {
 public:
  virtual ~BlockAccessCipherStream() = default;

  // Bytes; above 0.
  virtual size_t BlockSize() = 0;

  // In place, what stands at `fileOffset` of the file (its prefix counts).
  virtual Status Encrypt(uint64_t fileOffset, char* data, size_t dataSize);
  virtual Status Decrypt(uint64_t fileOffset, char* data, size_t dataSize);

 protected:
  // Makes the string as large as the scratch below must be.
  virtual void AllocateScratch(std::string& scratch) = 0;
  // A whole block, in place. blockIndex: its offset in the file / BlockSize().
  virtual Status EncryptBlock(uint64_t blockIndex, char* data, char* scratch) = 0;
  virtual Status DecryptBlock(uint64_t blockIndex, char* data, char* scratch) = 0;
};

// Encrypts blocks of one size, each on its own, with a key that it has. Thread-safe.
class BlockCipher : public Customizable {
 public:
  ~BlockCipher() override = default;

  // "ROT13", "ROT13:32" or "{id=ROT13;block_size=32}" (1 to 2,048 bytes; else InvalidArgument), ""
  // (null), or what is registered in the ObjectRegistry. Errors as FileSystem::CreateFromString().
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<BlockCipher>* result);
  static const char* Type() { return "BlockCipher"; }
  // For tests and examples: adds 13 to each byte. Not encryption.
  static std::shared_ptr<BlockCipher> NewROT13Cipher(size_t block_size);

  // Bytes. CTR takes 8 to 2,048.
  virtual size_t BlockSize() = 0;
  // BlockSize() bytes, in place.
  virtual Status Encrypt(char* data) = 0;
  virtual Status Decrypt(char* data) = 0;
};

// How files are encrypted: what stands before their data, and the stream made of it. Thread-safe.
class EncryptionProvider : public Customizable {
 public:
  ~EncryptionProvider() override = default;

  // "{id=CTR;cipher=ROT13}", with any cipher that has a text; "CTR" alone (AddCipher() gives the
  // cipher) with ConfigOptions::invoke_prepare_options off, else NotFound; "CTR://test" and
  // "1://test" (with ROT13 of 32 bytes); "" (null), or what is registered. Errors as
  // FileSystem::CreateFromString().
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<EncryptionProvider>* result);
  static const char* Type() { return "EncryptionProvider"; }
  // Counter mode: byte i is XORed with the encrypted counter of its block. Counter and vector are
  // new random bytes for each file, from the process' generator, which the system seeds.
  static std::shared_ptr<EncryptionProvider> NewCTRProvider(
      const std::shared_ptr<BlockCipher>& cipher);

  // Bytes before the data of each file. With direct I/O a multiple of its alignment.
  virtual size_t GetPrefixLength() const = 0;
  // Fills `prefix` for a new file, as it is to be written.
  virtual Status CreateNewPrefix(const std::string& fname, char* prefix,
                                 size_t prefixLength) const = 0;
  // A key to write new files with, or (for_write == false) to read old ones. The CTR provider takes
  // one, as a name for BlockCipher::CreateFromString (for "ROT13" `len` is the block size), and
  // only if it has none: NotSupported.
  virtual Status AddCipher(const std::string& descriptor, const char* cipher, size_t len,
                           bool for_write) = 0;
  // The stream of a file with this prefix, which may be changed. *result may stay null, for files
  // that are not encrypted, if there are no prefixes.
  virtual Status CreateCipherStream(const std::string& fname, const EnvOptions& options,
                                    Slice& prefix,
                                    std::unique_ptr<BlockAccessCipherStream>* result) = 0;
  // A text in the prefix by which the provider knows its files; empty: none.
  virtual std::string GetMarker() const { return ""; }
};

// The files of such a file system, also to derive from. Each owns the file below, and passes on
// what is not said here, with the prefix added to offsets and taken off sizes.
class EncryptedSequentialFile : public FSSequentialFile {
 public:
  // `f` has been read up to the end of the prefix.
  EncryptedSequentialFile(std::unique_ptr<FSSequentialFile>&& f,
                          std::unique_ptr<BlockAccessCipherStream>&& s, size_t prefixLength)
      : file_(std::move(f)),
        stream_(std::move(s)),
        offset_(prefixLength),
        prefixLength_(prefixLength) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override;
  IOStatus Skip(uint64_t n) override;
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* dbg) override;
  bool use_direct_io() const override;
  size_t GetRequiredBufferAlignment() const override;
  IOStatus InvalidateCache(size_t offset, size_t length) override;
  Temperature GetTemperature() const override;

 protected:
  std::unique_ptr<FSSequentialFile> file_;
  std::unique_ptr<BlockAccessCipherStream> stream_;
  uint64_t offset_;  // of the next byte, with the prefix
  const size_t prefixLength_;
};

class EncryptedRandomAccessFile : public FSRandomAccessFile {
 public:
  EncryptedRandomAccessFile(std::unique_ptr<FSRandomAccessFile>&& f,
                            std::unique_ptr<BlockAccessCipherStream>&& s, size_t prefixLength)
      : file_(std::move(f)), stream_(std::move(s)), prefixLength_(prefixLength) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override;
  // At once, as the file below reads them; each is decrypted when it has come.
  IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus ReadAsync(FSReadRequest& req, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> cb, void* cb_arg, void** io_handle,
                     IOHandleDeleter* del_fn, IODebugContext* dbg) override;
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override;
  size_t GetUniqueId(char* id, size_t max_size) const override;
  void Hint(AccessPattern pattern) override;
  bool use_direct_io() const override;
  size_t GetRequiredBufferAlignment() const override;
  IOStatus InvalidateCache(size_t offset, size_t length) override;
  Temperature GetTemperature() const override;

 protected:
  std::unique_ptr<FSRandomAccessFile> file_;
  std::unique_ptr<BlockAccessCipherStream> stream_;
  size_t prefixLength_;
};

class EncryptedWritableFile : public FSWritableFile {
 public:
  // The prefix stands in `f` already.
  EncryptedWritableFile(std::unique_ptr<FSWritableFile>&& f,
                        std::unique_ptr<BlockAccessCipherStream>&& s, size_t prefixLength)
      : file_(std::move(f)), stream_(std::move(s)), prefixLength_(prefixLength) {}

  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override;
  using FSWritableFile::PositionedAppend;
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* dbg) override;
  bool IsSyncThreadSafe() const override;
  bool use_direct_io() const override;
  size_t GetRequiredBufferAlignment() const override;
  uint64_t GetFileSize(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus InvalidateCache(size_t offset, size_t length) override;
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& options,
                     IODebugContext* dbg) override;
  void PrepareWrite(size_t offset, size_t len, const IOOptions& options,
                    IODebugContext* dbg) override;
  void SetPreallocationBlockSize(size_t size) override;
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override;
  IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions& options,
                    IODebugContext* dbg) override;
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;
  void SetIOPriority(Env::IOPriority pri) override;
  Env::IOPriority GetIOPriority() override;
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override;
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override;
  size_t GetUniqueId(char* id, size_t max_size) const override;

 protected:
  std::unique_ptr<FSWritableFile> file_;
  std::unique_ptr<BlockAccessCipherStream> stream_;
  size_t prefixLength_;
};

class EncryptedRandomRWFile : public FSRandomRWFile {
 public:
  EncryptedRandomRWFile(std::unique_ptr<FSRandomRWFile>&& f,
                        std::unique_ptr<BlockAccessCipherStream>&& s, size_t prefixLength)
      : file_(std::move(f)), stream_(std::move(s)), prefixLength_(prefixLength) {}

  bool use_direct_io() const override;
  size_t GetRequiredBufferAlignment() const override;
  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options,
                 IODebugContext* dbg) override;
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) const override;
  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;
  Temperature GetTemperature() const override;

 protected:
  std::unique_ptr<FSRandomRWFile> file_;
  std::unique_ptr<BlockAccessCipherStream> stream_;
  size_t prefixLength_;
};

// What NewEncryptedFS() makes; as text {id=EncryptedFileSystem;provider={id=CTR;cipher=...}}, over
// the default file system unless it has a target=... (Keys have no place in a text: a cipher of
// one's own registers what names its key.)
class EncryptedFileSystem : public FileSystemWrapper {
 public:
  explicit EncryptedFileSystem(const std::shared_ptr<FileSystem>& base) : FileSystemWrapper(base) {}

  // The provider's.
  virtual Status AddCipher(const std::string& descriptor, const char* cipher, size_t len,
                           bool for_write) = 0;
  static const char* kClassName() { return "EncryptedFileSystem"; }
  bool IsInstanceOf(const std::string& name) const override {
    return name == kClassName() || FileSystemWrapper::IsInstanceOf(name);
  }
};

}  // namespace ROCKSDB_NAMESPACE
