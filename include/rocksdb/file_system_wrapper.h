// FileSystems and files over others, to derive from: each function calls the other's. Included by
// file_system.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

// Where <windows.h> came first it has these as macros.
#undef DeleteFile
#undef GetFreeSpace
namespace ROCKSDB_NAMESPACE {

// Passes everything on to another FileSystem: derive from it to change a part.
class FileSystemWrapper : public FileSystem {
 public:
  // Null: FileSystem::Default(), from PrepareOptions() on.
  explicit FileSystemWrapper(const std::shared_ptr<FileSystem>& t);

  // Its options: "target", the other one.
  Status PrepareOptions(const ConfigOptions& options) override;
  const Customizable* Inner() const override { return target_.get(); }

  // The wrapped file system; owned by this.
  FileSystem* target() const { return target_.get(); }

  IOStatus NewSequentialFile(const std::string& f, const FileOptions& o,
                             std::unique_ptr<FSSequentialFile>* r, IODebugContext* dbg) override {
    return target_->NewSequentialFile(f, o, r, dbg);
  }
  IOStatus NewRandomAccessFile(const std::string& f, const FileOptions& o,
                               std::unique_ptr<FSRandomAccessFile>* r,
                               IODebugContext* dbg) override {
    return target_->NewRandomAccessFile(f, o, r, dbg);
  }
  IOStatus NewWritableFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override {
    return target_->NewWritableFile(f, o, r, dbg);
  }
  IOStatus ReopenWritableFile(const std::string& f, const FileOptions& o,
                              std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override {
    return target_->ReopenWritableFile(f, o, r, dbg);
  }
  IOStatus ReuseWritableFile(const std::string& f, const std::string& old, const FileOptions& o,
                             std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override {
    return target_->ReuseWritableFile(f, old, o, r, dbg);
  }
  IOStatus NewRandomRWFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSRandomRWFile>* r, IODebugContext* dbg) override {
    return target_->NewRandomRWFile(f, o, r, dbg);
  }
  IOStatus NewMemoryMappedFileBuffer(const std::string& f,
                                     std::unique_ptr<MemoryMappedFileBuffer>* r) override {
    return target_->NewMemoryMappedFileBuffer(f, r);
  }
  IOStatus NewDirectory(const std::string& n, const IOOptions& o, std::unique_ptr<FSDirectory>* r,
                        IODebugContext* dbg) override {
    return target_->NewDirectory(n, o, r, dbg);
  }
  IOStatus FileExists(const std::string& f, const IOOptions& o, IODebugContext* dbg) override {
    return target_->FileExists(f, o, dbg);
  }
  IOStatus GetChildren(const std::string& d, const IOOptions& o, std::vector<std::string>* r,
                       IODebugContext* dbg) override {
    return target_->GetChildren(d, o, r, dbg);
  }
  IOStatus GetChildrenFileAttributes(const std::string& d, const IOOptions& o,
                                     std::vector<FileAttributes>* r, IODebugContext* dbg) override {
    return target_->GetChildrenFileAttributes(d, o, r, dbg);
  }
  IOStatus DeleteFile(const std::string& f, const IOOptions& o, IODebugContext* dbg) override {
    return target_->DeleteFile(f, o, dbg);
  }
  IOStatus Truncate(const std::string& f, size_t size, const IOOptions& o,
                    IODebugContext* dbg) override {
    return target_->Truncate(f, size, o, dbg);
  }
  IOStatus CreateDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override {
    return target_->CreateDir(d, o, dbg);
  }
  IOStatus CreateDirIfMissing(const std::string& d, const IOOptions& o,
                              IODebugContext* dbg) override {
    return target_->CreateDirIfMissing(d, o, dbg);
  }
  IOStatus DeleteDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override {
    return target_->DeleteDir(d, o, dbg);
  }
  IOStatus GetFileSize(const std::string& f, const IOOptions& o, uint64_t* s,
                       IODebugContext* dbg) override {
    return target_->GetFileSize(f, o, s, dbg);
  }
  IOStatus GetFileModificationTime(const std::string& f, const IOOptions& o, uint64_t* t,
                                   IODebugContext* dbg) override {
    return target_->GetFileModificationTime(f, o, t, dbg);
  }
  IOStatus RenameFile(const std::string& s, const std::string& t, const IOOptions& o,
                      IODebugContext* dbg) override {
    return target_->RenameFile(s, t, o, dbg);
  }
  IOStatus LinkFile(const std::string& s, const std::string& t, const IOOptions& o,
                    IODebugContext* dbg) override {
    return target_->LinkFile(s, t, o, dbg);
  }
  IOStatus NumFileLinks(const std::string& f, const IOOptions& o, uint64_t* c,
                        IODebugContext* dbg) override {
    return target_->NumFileLinks(f, o, c, dbg);
  }
  IOStatus AreFilesSame(const std::string& a, const std::string& b, const IOOptions& o, bool* r,
                        IODebugContext* dbg) override {
    return target_->AreFilesSame(a, b, o, r, dbg);
  }
  IOStatus LockFile(const std::string& f, const IOOptions& o, FileLock** l,
                    IODebugContext* dbg) override {
    return target_->LockFile(f, o, l, dbg);
  }
  IOStatus UnlockFile(FileLock* l, const IOOptions& o, IODebugContext* dbg) override {
    return target_->UnlockFile(l, o, dbg);
  }
  IOStatus GetTestDirectory(const IOOptions& o, std::string* p, IODebugContext* dbg) override {
    return target_->GetTestDirectory(o, p, dbg);
  }
  IOStatus NewLogger(const std::string& f, const IOOptions& o, std::shared_ptr<Logger>* r,
                     IODebugContext* dbg) override {
    return target_->NewLogger(f, o, r, dbg);
  }
  IOStatus GetAbsolutePath(const std::string& p, const IOOptions& o, std::string* out,
                           IODebugContext* dbg) override {
    return target_->GetAbsolutePath(p, o, out, dbg);
  }
  IOStatus GetFreeSpace(const std::string& p, const IOOptions& o, uint64_t* f,
                        IODebugContext* dbg) override {
    return target_->GetFreeSpace(p, o, f, dbg);
  }
  IOStatus IsDirectory(const std::string& p, const IOOptions& o, bool* d,
                       IODebugContext* dbg) override {
    return target_->IsDirectory(p, o, d, dbg);
  }
  FileOptions OptimizeForLogRead(const FileOptions& o) const override {
    return target_->OptimizeForLogRead(o);
  }
  FileOptions OptimizeForManifestRead(const FileOptions& o) const override {
    return target_->OptimizeForManifestRead(o);
  }
  FileOptions OptimizeForLogWrite(const FileOptions& o, const DBOptions& db) const override {
    return target_->OptimizeForLogWrite(o, db);
  }
  FileOptions OptimizeForManifestWrite(const FileOptions& o) const override {
    return target_->OptimizeForManifestWrite(o);
  }
  FileOptions OptimizeForCompactionTableWrite(const FileOptions& o,
                                              const ImmutableDBOptions& db) const override {
    return target_->OptimizeForCompactionTableWrite(o, db);
  }
  FileOptions OptimizeForCompactionTableRead(const FileOptions& o,
                                             const ImmutableDBOptions& db) const override {
    return target_->OptimizeForCompactionTableRead(o, db);
  }
  FileOptions OptimizeForBlobFileRead(const FileOptions& o,
                                      const ImmutableDBOptions& db) const override {
    return target_->OptimizeForBlobFileRead(o, db);
  }
  void SanitizeFileOptions(FileOptions* options) const override {
    target_->SanitizeFileOptions(options);
  }
  Status RegisterDbPaths(const std::vector<std::string>& paths) override {
    return target_->RegisterDbPaths(paths);
  }
  Status UnregisterDbPaths(const std::vector<std::string>& paths) override {
    return target_->UnregisterDbPaths(paths);
  }
  IOStatus Poll(std::vector<void*>& handles, size_t min_completions) override {
    return target_->Poll(handles, min_completions);
  }
  IOStatus AbortIO(std::vector<void*>& handles) override { return target_->AbortIO(handles); }

 protected:
  std::string SerializeOptions(const ConfigOptions& config_options,
                               const std::string& header) const override;

  std::shared_ptr<FileSystem> target_;
};

// Pass everything on to another file, which the Owner variants own and the others borrow: derive
// from them to change a part.
class FSSequentialFileWrapper : public FSSequentialFile {
 public:
  explicit FSSequentialFileWrapper(FSSequentialFile* t) : target_(t) {}

  FSSequentialFile* target() const { return target_; }

  IOStatus Read(size_t n, const IOOptions& o, Slice* r, char* scratch,
                IODebugContext* dbg) override {
    return target_->Read(n, o, r, scratch, dbg);
  }
  IOStatus Skip(uint64_t n) override { return target_->Skip(n); }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& o, Slice* r, char* scratch,
                          IODebugContext* dbg) override {
    return target_->PositionedRead(offset, n, o, r, scratch, dbg);
  }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  Temperature GetTemperature() const override { return target_->GetTemperature(); }

 private:
  FSSequentialFile* const target_;
};

class FSSequentialFileOwnerWrapper : public FSSequentialFileWrapper {
 public:
  explicit FSSequentialFileOwnerWrapper(std::unique_ptr<FSSequentialFile>&& t)
      : FSSequentialFileWrapper(t.get()), guard_(std::move(t)) {}

 private:
  std::unique_ptr<FSSequentialFile> guard_;
};

class FSRandomAccessFileWrapper : public FSRandomAccessFile {
 public:
  explicit FSRandomAccessFileWrapper(FSRandomAccessFile* t) : target_(t) {}

  FSRandomAccessFile* target() const { return target_; }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& o, Slice* r, char* scratch,
                IODebugContext* dbg) const override {
    return target_->Read(offset, n, o, r, scratch, dbg);
  }
  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& o, IODebugContext* dbg) override {
    return target_->Prefetch(offset, n, o, dbg);
  }
  IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs, const IOOptions& o,
                     IODebugContext* dbg) override {
    return target_->MultiRead(reqs, num_reqs, o, dbg);
  }
  IOStatus ReadAsync(FSReadRequest& req, const IOOptions& o,
                     std::function<void(FSReadRequest&, void*)> cb, void* cb_arg, void** io_handle,
                     IOHandleDeleter* del_fn, IODebugContext* dbg) override {
    return target_->ReadAsync(req, o, std::move(cb), cb_arg, io_handle, del_fn, dbg);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }
  void Hint(AccessPattern pattern) override { target_->Hint(pattern); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  Temperature GetTemperature() const override { return target_->GetTemperature(); }

 private:
  FSRandomAccessFile* const target_;
};

class FSRandomAccessFileOwnerWrapper : public FSRandomAccessFileWrapper {
 public:
  explicit FSRandomAccessFileOwnerWrapper(std::unique_ptr<FSRandomAccessFile>&& t)
      : FSRandomAccessFileWrapper(t.get()), guard_(std::move(t)) {}

 private:
  std::unique_ptr<FSRandomAccessFile> guard_;
};

class FSWritableFileWrapper : public FSWritableFile {
 public:
  explicit FSWritableFileWrapper(FSWritableFile* t) : target_(t) {}

  FSWritableFile* target() const { return target_; }

  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* dbg) override {
    return target_->Append(data, o, dbg);
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    return target_->Append(data, o, info, dbg);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& o,
                            IODebugContext* dbg) override {
    return target_->PositionedAppend(data, offset, o, dbg);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& o,
                            const DataVerificationInfo& info, IODebugContext* dbg) override {
    return target_->PositionedAppend(data, offset, o, info, dbg);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& o, IODebugContext* dbg) override {
    return target_->Truncate(size, o, dbg);
  }
  IOStatus Close(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Close(o, dbg);
  }
  IOStatus Flush(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Flush(o, dbg);
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* dbg) override { return target_->Sync(o, dbg); }
  IOStatus Fsync(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Fsync(o, dbg);
  }
  bool IsSyncThreadSafe() const override { return target_->IsSyncThreadSafe(); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override {
    target_->SetWriteLifeTimeHint(hint);
  }
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override { return target_->GetWriteLifeTimeHint(); }
  void SetIOPriority(Env::IOPriority pri) override { target_->SetIOPriority(pri); }
  Env::IOPriority GetIOPriority() override { return target_->GetIOPriority(); }
  uint64_t GetFileSize(const IOOptions& o, IODebugContext* dbg) override {
    return target_->GetFileSize(o, dbg);
  }
  void SetPreallocationBlockSize(size_t size) override { target_->SetPreallocationBlockSize(size); }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    target_->GetPreallocationStatus(block_size, last_allocated_block);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions& o,
                     IODebugContext* dbg) override {
    return target_->RangeSync(offset, nbytes, o, dbg);
  }
  void PrepareWrite(size_t offset, size_t len, const IOOptions& o, IODebugContext* dbg) override {
    target_->PrepareWrite(offset, len, o, dbg);
  }
  IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions& o,
                    IODebugContext* dbg) override {
    return target_->Allocate(offset, len, o, dbg);
  }

 private:
  FSWritableFile* const target_;
};

class FSWritableFileOwnerWrapper : public FSWritableFileWrapper {
 public:
  explicit FSWritableFileOwnerWrapper(std::unique_ptr<FSWritableFile>&& t)
      : FSWritableFileWrapper(t.get()), guard_(std::move(t)) {}

 private:
  std::unique_ptr<FSWritableFile> guard_;
};

class FSRandomRWFileWrapper : public FSRandomRWFile {
 public:
  explicit FSRandomRWFileWrapper(FSRandomRWFile* t) : target_(t) {}

  FSRandomRWFile* target() const { return target_; }

  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& o,
                 IODebugContext* dbg) override {
    return target_->Write(offset, data, o, dbg);
  }
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& o, Slice* r, char* scratch,
                IODebugContext* dbg) const override {
    return target_->Read(offset, n, o, r, scratch, dbg);
  }
  IOStatus Flush(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Flush(o, dbg);
  }
  IOStatus Sync(const IOOptions& o, IODebugContext* dbg) override { return target_->Sync(o, dbg); }
  IOStatus Fsync(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Fsync(o, dbg);
  }
  IOStatus Close(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Close(o, dbg);
  }
  Temperature GetTemperature() const override { return target_->GetTemperature(); }

 private:
  FSRandomRWFile* const target_;
};

class FSRandomRWFileOwnerWrapper : public FSRandomRWFileWrapper {
 public:
  explicit FSRandomRWFileOwnerWrapper(std::unique_ptr<FSRandomRWFile>&& t)
      : FSRandomRWFileWrapper(t.get()), guard_(std::move(t)) {}

 private:
  std::unique_ptr<FSRandomRWFile> guard_;
};

class FSDirectoryWrapper : public FSDirectory {
 public:
  explicit FSDirectoryWrapper(std::unique_ptr<FSDirectory>&& t)
      : guard_(std::move(t)), target_(guard_.get()) {}
  explicit FSDirectoryWrapper(FSDirectory* t) : target_(t) {}

  IOStatus Fsync(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Fsync(o, dbg);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& o, IODebugContext* dbg,
                               const DirFsyncOptions& options) override {
    return target_->FsyncWithDirOptions(o, dbg, options);
  }
  IOStatus Close(const IOOptions& o, IODebugContext* dbg) override {
    return target_->Close(o, dbg);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }

 private:
  std::unique_ptr<FSDirectory> guard_;
  FSDirectory* const target_;
};

}  // namespace ROCKSDB_NAMESPACE
