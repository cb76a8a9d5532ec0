// EnvMirror: rocksdb/utilities/env_mirror.h.
#include "rocksdb/utilities/env_mirror.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"

// Where <windows.h> came first it has this as a macro.
#undef DeleteFile

namespace cairn {
namespace {

constexpr uint64_t kTimesMayDiffer = 10;  // seconds

Status Differ(const std::string& what, const std::string& name) {
  return Status::Corruption("The mirrored environments differ in " + what, name);
}

// The first one's status, if the other one's is of the same kind.
Status Same(const Status& a, const Status& b, const char* call, const std::string& name) {
  if (a.code() == b.code()) return a;
  return Differ(std::string(call) + " (" + a.ToString() + "; " + b.ToString() + ")", name);
}

// A part of what the first one read, from the other: all of it, in as many pieces as that takes.
template <typename Read>
Status CompareRead(const Status& a, const Slice& expected, size_t n, const std::string& name,
                   Read next) {
  std::string buffer(std::max<size_t>(n, 1), '\0');
  Slice got;
  size_t compared = 0;
  do {
    // What is less than was asked for is the end of the file: there both have nothing.
    Status s = Same(a, next(compared, n - compared, &got, buffer.data()), "Read", name);
    if (!s.ok()) return s;
    if (got.size() > expected.size() - compared ||
        std::memcmp(got.data(), expected.data() + compared, got.size()) != 0) {
      return Differ("what is read", name);
    }
    compared += got.size();
  } while (!got.empty() && compared < n);
  return compared == expected.size() ? a : Differ("what is read", name);
}

class SequentialMirror final : public SequentialFile {
 public:
  SequentialMirror(std::string name, std::unique_ptr<SequentialFile> a,
                   std::unique_ptr<SequentialFile> b)
      : name_(std::move(name)), a_(std::move(a)), b_(std::move(b)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    return CompareRead(a_->Read(n, result, scratch), *result, n, name_,
                       [&](size_t /*done*/, size_t size, Slice* got, char* buffer) {
                         return b_->Read(size, got, buffer);
                       });
  }
  Status Skip(uint64_t n) override { return Same(a_->Skip(n), b_->Skip(n), "Skip", name_); }
  Status InvalidateCache(size_t offset, size_t length) override {
    return Same(a_->InvalidateCache(offset, length), b_->InvalidateCache(offset, length),
                "InvalidateCache", name_);
  }

 private:
  const std::string name_;
  const std::unique_ptr<SequentialFile> a_, b_;
};

class RandomAccessMirror final : public RandomAccessFile {
 public:
  RandomAccessMirror(std::string name, std::unique_ptr<RandomAccessFile> a,
                     std::unique_ptr<RandomAccessFile> b)
      : name_(std::move(name)), a_(std::move(a)), b_(std::move(b)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return CompareRead(a_->Read(offset, n, result, scratch), *result, n, name_,
                       [&](size_t done, size_t size, Slice* got, char* buffer) {
                         return b_->Read(offset + done, size, got, buffer);
                       });
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return a_->GetUniqueId(id, max_size);  // of each its own
  }
  void Hint(AccessPattern pattern) override {
    a_->Hint(pattern);
    b_->Hint(pattern);
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return Same(a_->InvalidateCache(offset, length), b_->InvalidateCache(offset, length),
                "InvalidateCache", name_);
  }

 private:
  const std::string name_;
  const std::unique_ptr<RandomAccessFile> a_, b_;
};

class WritableMirror final : public WritableFile {
 public:
  WritableMirror(std::string name, const EnvOptions& options, std::unique_ptr<WritableFile> a,
                 std::unique_ptr<WritableFile> b)
      : WritableFile(options), name_(std::move(name)), a_(std::move(a)), b_(std::move(b)) {}

  using WritableFile::Append;
  Status Append(const Slice& data) override {
    return Same(a_->Append(data), b_->Append(data), "Append", name_);
  }
  using WritableFile::PositionedAppend;
  Status PositionedAppend(const Slice& data, uint64_t offset) override {
    return Same(a_->PositionedAppend(data, offset), b_->PositionedAppend(data, offset),
                "PositionedAppend", name_);
  }
  Status Truncate(uint64_t size) override {
    return Same(a_->Truncate(size), b_->Truncate(size), "Truncate", name_);
  }
  Status Close() override {
    Status s = Same(a_->Close(), b_->Close(), "Close", name_);
    return s;
  }
  Status Flush() override { return Same(a_->Flush(), b_->Flush(), "Flush", name_); }
  Status Sync() override { return Same(a_->Sync(), b_->Sync(), "Sync", name_); }
  Status Fsync() override { return Same(a_->Fsync(), b_->Fsync(), "Fsync", name_); }
  bool IsSyncThreadSafe() const override {
    return a_->IsSyncThreadSafe() && b_->IsSyncThreadSafe();
  }
  void SetIOPriority(Env::IOPriority pri) override {
    a_->SetIOPriority(pri);
    b_->SetIOPriority(pri);
  }
  Env::IOPriority GetIOPriority() override { return a_->GetIOPriority(); }
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override {
    a_->SetWriteLifeTimeHint(hint);
    b_->SetWriteLifeTimeHint(hint);
  }
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override { return a_->GetWriteLifeTimeHint(); }
  // (What differs is seen by who reads the file.)
  uint64_t GetFileSize() override { return a_->GetFileSize(); }
  void SetPreallocationBlockSize(size_t size) override {
    a_->SetPreallocationBlockSize(size);
    b_->SetPreallocationBlockSize(size);
  }
  void GetPreallocationStatus(size_t* block_size, size_t* last_block) override {
    a_->GetPreallocationStatus(block_size, last_block);
  }
  void PrepareWrite(size_t offset, size_t len) override {
    a_->PrepareWrite(offset, len);
    b_->PrepareWrite(offset, len);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return a_->GetUniqueId(id, max_size);
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return Same(a_->InvalidateCache(offset, length), b_->InvalidateCache(offset, length),
                "InvalidateCache", name_);
  }
  Status Allocate(uint64_t offset, uint64_t len) override {
    return Same(a_->Allocate(offset, len), b_->Allocate(offset, len), "Allocate", name_);
  }
  Status RangeSync(uint64_t offset, uint64_t nbytes) override {
    return Same(a_->RangeSync(offset, nbytes), b_->RangeSync(offset, nbytes), "RangeSync", name_);
  }

 private:
  const std::string name_;
  const std::unique_ptr<WritableFile> a_, b_;
};

class DirectoryMirror final : public Directory {
 public:
  DirectoryMirror(std::string name, std::unique_ptr<Directory> a, std::unique_ptr<Directory> b)
      : name_(std::move(name)), a_(std::move(a)), b_(std::move(b)) {}

  Status Fsync() override { return Same(a_->Fsync(), b_->Fsync(), "Fsync", name_); }
  Status Close() override { return Same(a_->Close(), b_->Close(), "Close", name_); }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return a_->GetUniqueId(id, max_size);
  }

 private:
  const std::string name_;
  const std::unique_ptr<Directory> a_, b_;
};

class LockMirror final : public FileLock {
 public:
  LockMirror(std::string name, FileLock* a, FileLock* b) : name(std::move(name)), a(a), b(b) {}
  const std::string name;
  FileLock* const a;
  FileLock* const b;
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status EnvMirror::NewSequentialFile(const std::string& f, std::unique_ptr<SequentialFile>* r,
                                    const EnvOptions& options) {
  if (f.starts_with("/proc/")) return a_->NewSequentialFile(f, r, options);
  std::unique_ptr<SequentialFile> a, b;
  Status s = cairn::Same(a_->NewSequentialFile(f, &a, options),
                         b_->NewSequentialFile(f, &b, options), "NewSequentialFile", f);
  if (s.ok()) *r = std::make_unique<cairn::SequentialMirror>(f, std::move(a), std::move(b));
  return s;
}

Status EnvMirror::NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                                      const EnvOptions& options) {
  if (f.starts_with("/proc/")) return a_->NewRandomAccessFile(f, r, options);
  std::unique_ptr<RandomAccessFile> a, b;
  Status s = cairn::Same(a_->NewRandomAccessFile(f, &a, options),
                         b_->NewRandomAccessFile(f, &b, options), "NewRandomAccessFile", f);
  if (s.ok()) *r = std::make_unique<cairn::RandomAccessMirror>(f, std::move(a), std::move(b));
  return s;
}

Status EnvMirror::NewWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                                  const EnvOptions& options) {
  if (f.starts_with("/proc/")) return a_->NewWritableFile(f, r, options);
  std::unique_ptr<WritableFile> a, b;
  Status s = cairn::Same(a_->NewWritableFile(f, &a, options), b_->NewWritableFile(f, &b, options),
                         "NewWritableFile", f);
  if (s.ok()) *r = std::make_unique<cairn::WritableMirror>(f, options, std::move(a), std::move(b));
  return s;
}

Status EnvMirror::ReopenWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                                     const EnvOptions& options) {
  std::unique_ptr<WritableFile> a, b;
  Status s = cairn::Same(a_->ReopenWritableFile(f, &a, options),
                         b_->ReopenWritableFile(f, &b, options), "ReopenWritableFile", f);
  if (s.ok()) *r = std::make_unique<cairn::WritableMirror>(f, options, std::move(a), std::move(b));
  return s;
}

Status EnvMirror::ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                                    std::unique_ptr<WritableFile>* r, const EnvOptions& options) {
  std::unique_ptr<WritableFile> a, b;
  Status s =
      cairn::Same(a_->ReuseWritableFile(fname, old_fname, &a, options),
                  b_->ReuseWritableFile(fname, old_fname, &b, options), "ReuseWritableFile", fname);
  if (s.ok()) {
    *r = std::make_unique<cairn::WritableMirror>(fname, options, std::move(a), std::move(b));
  }
  return s;
}

Status EnvMirror::NewRandomRWFile(const std::string& f, std::unique_ptr<RandomRWFile>* /*r*/,
                                  const EnvOptions& /*options*/) {
  return Status::NotSupported("A mirror has no files for reading and writing", f);
}

Status EnvMirror::NewMemoryMappedFileBuffer(const std::string& f,
                                            std::unique_ptr<MemoryMappedFileBuffer>* /*r*/) {
  return Status::NotSupported("A mirror has no mapped files", f);
}

Status EnvMirror::NewDirectory(const std::string& name, std::unique_ptr<Directory>* result) {
  std::unique_ptr<Directory> a, b;
  Status s =
      cairn::Same(a_->NewDirectory(name, &a), b_->NewDirectory(name, &b), "NewDirectory", name);
  if (s.ok()) *result = std::make_unique<cairn::DirectoryMirror>(name, std::move(a), std::move(b));
  return s;
}

Status EnvMirror::FileExists(const std::string& f) {
  return cairn::Same(a_->FileExists(f), b_->FileExists(f), "FileExists", f);
}

Status EnvMirror::GetChildren(const std::string& dir, std::vector<std::string>* r) {
  std::vector<std::string> a, b;
  Status s = cairn::Same(a_->GetChildren(dir, &a), b_->GetChildren(dir, &b), "GetChildren", dir);
  if (!s.ok()) return s;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a != b) return cairn::Differ("the names in a directory", dir);
  *r = std::move(a);
  return s;
}

Status EnvMirror::GetChildrenFileAttributes(const std::string& dir,
                                            std::vector<FileAttributes>* r) {
  std::vector<FileAttributes> a, b;
  Status s = cairn::Same(a_->GetChildrenFileAttributes(dir, &a),
                         b_->GetChildrenFileAttributes(dir, &b), "GetChildrenFileAttributes", dir);
  if (!s.ok()) return s;
  const auto by_name = [](const FileAttributes& one, const FileAttributes& other) {
    return one.name < other.name;
  };
  std::sort(a.begin(), a.end(), by_name);
  std::sort(b.begin(), b.end(), by_name);
  // (The sizes of directories are each system's own.)
  const bool same = std::equal(a.begin(), a.end(), b.begin(), b.end(),
                               [](const FileAttributes& one, const FileAttributes& other) {
                                 return one.name == other.name;
                               });
  if (!same) return cairn::Differ("the names in a directory", dir);
  *r = std::move(a);
  return s;
}

Status EnvMirror::DeleteFile(const std::string& f) {
  return cairn::Same(a_->DeleteFile(f), b_->DeleteFile(f), "DeleteFile", f);
}

Status EnvMirror::Truncate(const std::string& f, size_t size) {
  return cairn::Same(a_->Truncate(f, size), b_->Truncate(f, size), "Truncate", f);
}

Status EnvMirror::CreateDir(const std::string& d) {
  // style: passed on
  return cairn::Same(a_->CreateDir(d), b_->CreateDir(d), "CreateDir", d);
}

Status EnvMirror::CreateDirIfMissing(const std::string& d) {
  // style: passed on
  return cairn::Same(a_->CreateDirIfMissing(d), b_->CreateDirIfMissing(d), "CreateDirIfMissing", d);
}

Status EnvMirror::DeleteDir(const std::string& d) {
  return cairn::Same(a_->DeleteDir(d), b_->DeleteDir(d), "DeleteDir", d);
}

Status EnvMirror::GetFileSize(const std::string& f, uint64_t* s) {
  uint64_t a = 0;
  uint64_t b = 0;
  Status same = cairn::Same(a_->GetFileSize(f, &a), b_->GetFileSize(f, &b), "GetFileSize", f);
  if (same.ok() && a != b) {
    return cairn::Differ("size (" + std::to_string(a) + "; " + std::to_string(b) + ")", f);
  }
  if (same.ok()) *s = a;
  return same;
}

Status EnvMirror::GetFileModificationTime(const std::string& fname, uint64_t* file_mtime) {
  uint64_t a = 0;
  uint64_t b = 0;
  Status s = cairn::Same(a_->GetFileModificationTime(fname, &a),
                         b_->GetFileModificationTime(fname, &b), "GetFileModificationTime", fname);
  if (s.ok() && std::max(a, b) - std::min(a, b) > cairn::kTimesMayDiffer) {
    return cairn::Differ("time", fname);
  }
  if (s.ok()) *file_mtime = a;
  return s;
}

Status EnvMirror::RenameFile(const std::string& s, const std::string& t) {
  return cairn::Same(a_->RenameFile(s, t), b_->RenameFile(s, t), "RenameFile", s);
}

Status EnvMirror::LinkFile(const std::string& s, const std::string& t) {
  return cairn::Same(a_->LinkFile(s, t), b_->LinkFile(s, t), "LinkFile", s);
}

Status EnvMirror::LockFile(const std::string& f, FileLock** l) {
  FileLock* a = nullptr;
  FileLock* b = nullptr;
  const Status of_a = a_->LockFile(f, &a);
  const Status of_b = b_->LockFile(f, &b);
  Status s = cairn::Same(of_a, of_b, "LockFile", f);
  if (s.ok()) {
    *l = new cairn::LockMirror(f, a, b);
    return s;
  }
  if (of_a.ok()) a_->UnlockFile(a).PermitUncheckedError();  // not half of it
  if (of_b.ok()) b_->UnlockFile(b).PermitUncheckedError();
  return s;
}

Status EnvMirror::UnlockFile(FileLock* l) {
  const std::unique_ptr<cairn::LockMirror> lock(static_cast<cairn::LockMirror*>(l));
  return cairn::Same(a_->UnlockFile(lock->a), b_->UnlockFile(lock->b), "UnlockFile", lock->name);
}

Status EnvMirror::IsDirectory(const std::string& path, bool* is_dir) {
  bool a = false;
  bool b = false;
  Status s = cairn::Same(a_->IsDirectory(path, &a), b_->IsDirectory(path, &b), "IsDirectory", path);
  if (s.ok() && a != b) return cairn::Differ("what is a directory", path);
  if (s.ok()) *is_dir = a;
  return s;
}

// The log, too, lies in both.
Status EnvMirror::NewLogger(const std::string& f, std::shared_ptr<Logger>* r) {
  return NewEnvLogger(f, this, r);
}

}  // namespace ROCKSDB_NAMESPACE
