// EnvMirror: an Env that does everything with files twice, in two others, and compares: for who
// writes an Env, against one that is known to be right.
//
// What is written goes to both. What is read is read from both; the answer is that of the first.
// Where they differ, in a status, in bytes, in names, the call fails: Corruption, with the file and
// what differs. (RocksDB's ends the process, in builds with assertions.) Times of files may differ
// by 10 seconds.
//
// Clock, threads and whatever is not about files are those of the first. Not for files: mapped
// memory, files for reading and writing (NotSupported), locks of other processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class EnvMirror : public EnvWrapper {
 public:
  // Both must outlive this, or are deleted with it (free_a, free_b). The same paths must be free to
  // use in both, and not be the same files.
  EnvMirror(Env* a, Env* b, bool free_a = false, bool free_b = false)
      : EnvWrapper(a), a_(a), b_(b), free_a_(free_a), free_b_(free_b) {}
  ~EnvMirror() override {
    if (free_a_) delete a_;
    if (free_b_) delete b_;
  }

  const char* Name() const override { return "EnvMirror"; }

  Status NewSequentialFile(const std::string& f, std::unique_ptr<SequentialFile>* r,
                           const EnvOptions& options) override;
  Status NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                             const EnvOptions& options) override;
  Status NewWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                         const EnvOptions& options) override;
  Status ReopenWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                            const EnvOptions& options) override;
  Status ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                           std::unique_ptr<WritableFile>* r, const EnvOptions& options) override;
  Status NewRandomRWFile(const std::string& f, std::unique_ptr<RandomRWFile>* r,
                         const EnvOptions& options) override;
  Status NewMemoryMappedFileBuffer(const std::string& f,
                                   std::unique_ptr<MemoryMappedFileBuffer>* r) override;
  Status NewDirectory(const std::string& name, std::unique_ptr<Directory>* result) override;
  Status FileExists(const std::string& f) override;
  Status GetChildren(const std::string& dir, std::vector<std::string>* r) override;
  Status GetChildrenFileAttributes(const std::string& dir, std::vector<FileAttributes>* r) override;
  Status DeleteFile(const std::string& f) override;
  Status Truncate(const std::string& f, size_t size) override;
  Status CreateDir(const std::string& d) override;
  Status CreateDirIfMissing(const std::string& d) override;
  Status DeleteDir(const std::string& d) override;
  Status GetFileSize(const std::string& f, uint64_t* s) override;
  Status GetFileModificationTime(const std::string& fname, uint64_t* file_mtime) override;
  Status RenameFile(const std::string& s, const std::string& t) override;
  Status LinkFile(const std::string& s, const std::string& t) override;
  Status LockFile(const std::string& f, FileLock** l) override;
  Status UnlockFile(FileLock* l) override;
  Status IsDirectory(const std::string& path, bool* is_dir) override;
  Status NewLogger(const std::string& f, std::shared_ptr<Logger>* r) override;

 private:
  Env* const a_;
  Env* const b_;
  const bool free_a_;
  const bool free_b_;
};

}  // namespace ROCKSDB_NAMESPACE
