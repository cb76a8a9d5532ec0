// The files of an Env, as programs use them that know an Env and no FileSystem, and as an Env of
// one's own makes them (env.h, which includes this). Each kind has a twin in file_system.h, which
// says more: a database uses those, and files of an Env of one's own through them.
//
// RandomAccessFile is thread-safe; the other files have one user at a time. Everything here may
// park the calling fiber, or block the thread outside a fiber: SUSPENDS. The wrappers pass
// everything on to another file, which they borrow: derive from them to change a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct DataVerificationInfo;  // file_system.h

// Reads from the start to the end.
class SequentialFile {
 public:
  SequentialFile() = default;
  virtual ~SequentialFile();

  // Up to n bytes into *result, which may point into scratch (of at least n bytes); fewer only at
  // the end of the file.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;
  // Past the end of the file is the end; no error.
  virtual Status Skip(uint64_t n) = 0;
  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  // Drops cached pages of the range (length 0: to the end).
  virtual Status InvalidateCache(size_t offset, size_t length);
  // For direct I/O: offset, n and scratch are aligned.
  virtual Status PositionedRead(uint64_t offset, size_t n, Slice* result, char* scratch);
};

// One read of a batch.
struct ReadRequest {
  uint64_t offset;
  size_t len;
  char* scratch;  // of at least len bytes, the caller's
  Slice result;   // out: may point into scratch; shorter than len only at the end of the file
  Status status;  // out
};

// Reads anywhere. Thread-safe.
class RandomAccessFile {
 public:
  RandomAccessFile() = default;
  virtual ~RandomAccessFile();

  // Up to n bytes from `offset` into *result, which may point into scratch (of at least n bytes) or
  // to memory that lives as long as the file; fewer only at the end of the file.
  virtual Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const = 0;
  // Starts to read the range, so that a later Read finds it; a hint.
  virtual Status Prefetch(uint64_t /*offset*/, size_t /*n*/) { return Status::OK(); }
  // All requests; each gets its own status. Not OK only if nothing was tried.
  virtual Status MultiRead(ReadRequest* reqs, size_t num_reqs);
  // Bytes that tell this file from every other, also after a restart; the length written to id, 0
  // if there is none.
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }

  enum AccessPattern { NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTNEED };
  virtual void Hint(AccessPattern /*pattern*/) {}
  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  virtual Status InvalidateCache(size_t offset, size_t length);
};

// Appends. Sync may run beside Append where IsSyncThreadSafe().
class WritableFile {
 public:
  WritableFile() = default;
  explicit WritableFile(const EnvOptions& options)
      : strict_bytes_per_sync_(options.strict_bytes_per_sync) {}
  WritableFile(const WritableFile&) = delete;
  void operator=(const WritableFile&) = delete;
  // An open file is closed without a report.
  virtual ~WritableFile();

  // All of data, or an error after which the length of the file is unknown.
  virtual Status Append(const Slice& data) = 0;
  virtual Status Append(const Slice& data, const DataVerificationInfo& /*verification_info*/) {
    return Append(data);
  }
  // For direct I/O: writes at `offset`, which is at or before the end.
  virtual Status PositionedAppend(const Slice& data, uint64_t offset);
  virtual Status PositionedAppend(const Slice& data, uint64_t offset,
                                  const DataVerificationInfo& verification_info);
  virtual Status Truncate(uint64_t /*size*/) { return Status::OK(); }
  // The last call before destruction.
  virtual Status Close() = 0;
  // Hands what is buffered in this object to the operating system.
  virtual Status Flush() = 0;
  // The data and what is needed to read it survive a power cut.
  virtual Status Sync() = 0;
  // The same with all metadata.
  virtual Status Fsync() { return Sync(); }
  virtual bool IsSyncThreadSafe() const { return false; }
  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }

  virtual void SetIOPriority(Env::IOPriority pri) { io_priority_ = pri; }
  virtual Env::IOPriority GetIOPriority() { return io_priority_; }
  virtual void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) { write_hint_ = hint; }
  virtual Env::WriteLifeTimeHint GetWriteLifeTimeHint() { return write_hint_; }

  // Bytes appended so far (and there at the opening).
  virtual uint64_t GetFileSize() { return 0; }
  // PrepareWrite() allocates in steps of this many bytes; 0: not at all.
  virtual void SetPreallocationBlockSize(size_t size) { preallocation_block_size_ = size; }
  virtual void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) {
    *block_size = preallocation_block_size_;
    *last_allocated_block = last_preallocated_block_;
  }
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }
  virtual Status InvalidateCache(size_t offset, size_t length);
  // Starts to write the range back; with strict_bytes_per_sync it also waits for what came before.
  virtual Status RangeSync(uint64_t /*offset*/, uint64_t /*nbytes*/) {
    return strict_bytes_per_sync_ ? Sync() : Status::OK();
  }
  // Allocates whole preallocation blocks up to offset + len, where that was not done yet.
  virtual void PrepareWrite(size_t offset, size_t len);
  virtual Status Allocate(uint64_t /*offset*/, uint64_t /*len*/) { return Status::OK(); }

 protected:
  size_t preallocation_block_size() const { return preallocation_block_size_; }

 private:
  size_t last_preallocated_block_ = 0;
  size_t preallocation_block_size_ = 0;

 protected:
  Env::IOPriority io_priority_ = Env::IO_TOTAL;
  Env::WriteLifeTimeHint write_hint_ = Env::WLTH_NOT_SET;
  const bool strict_bytes_per_sync_ = false;
};

// Reads and writes anywhere in a file that exists.
class RandomRWFile {
 public:
  RandomRWFile() = default;
  RandomRWFile(const RandomRWFile&) = delete;
  RandomRWFile& operator=(const RandomRWFile&) = delete;
  virtual ~RandomRWFile();

  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  // All of data, from `offset` on; past the end of the file it grows.
  virtual Status Write(uint64_t offset, const Slice& data) = 0;
  // As RandomAccessFile's.
  virtual Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const = 0;
  virtual Status Flush() = 0;
  virtual Status Sync() = 0;
  virtual Status Fsync() { return Sync(); }
  virtual Status Close() = 0;
};

// A file that is mapped into memory, for reading and writing.
class MemoryMappedFileBuffer {
 public:
  MemoryMappedFileBuffer(void* base, size_t length) : base_(base), length_(length) {}
  MemoryMappedFileBuffer(const MemoryMappedFileBuffer&) = delete;
  MemoryMappedFileBuffer& operator=(const MemoryMappedFileBuffer&) = delete;
  virtual ~MemoryMappedFileBuffer() = 0;

  size_t GetLen() const { return length_; }
  void* GetBase() const { return base_; }

 protected:
  void* base_;
  const size_t length_;
};

// An open directory, to make names in it durable.
class Directory {
 public:
  virtual ~Directory();

  // Files created in, renamed into and removed from the directory stay so after a power cut.
  virtual Status Fsync() = 0;
  virtual Status Close() { return Status::NotSupported("Close"); }
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }
};

class SequentialFileWrapper : public SequentialFile {
 public:
  explicit SequentialFileWrapper(SequentialFile* target) : target_(target) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    return target_->Read(n, result, scratch);
  }
  Status Skip(uint64_t n) override { return target_->Skip(n); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  Status PositionedRead(uint64_t offset, size_t n, Slice* result, char* scratch) override {
    return target_->PositionedRead(offset, n, result, scratch);
  }

 private:
  SequentialFile* target_;
};

class RandomAccessFileWrapper : public RandomAccessFile {
 public:
  explicit RandomAccessFileWrapper(RandomAccessFile* target) : target_(target) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return target_->Read(offset, n, result, scratch);
  }
  Status Prefetch(uint64_t offset, size_t n) override { return target_->Prefetch(offset, n); }
  Status MultiRead(ReadRequest* reqs, size_t num_reqs) override {
    return target_->MultiRead(reqs, num_reqs);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }
  void Hint(AccessPattern pattern) override { target_->Hint(pattern); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }

 private:
  RandomAccessFile* target_;
};

class WritableFileWrapper : public WritableFile {
 public:
  explicit WritableFileWrapper(WritableFile* target) : target_(target) {}

  Status Append(const Slice& data) override { return target_->Append(data); }
  Status Append(const Slice& data, const DataVerificationInfo& info) override {
    return target_->Append(data, info);
  }
  Status PositionedAppend(const Slice& data, uint64_t offset) override {
    return target_->PositionedAppend(data, offset);
  }
  Status PositionedAppend(const Slice& data, uint64_t offset,
                          const DataVerificationInfo& info) override {
    return target_->PositionedAppend(data, offset, info);
  }
  Status Truncate(uint64_t size) override { return target_->Truncate(size); }
  Status Close() override { return target_->Close(); }
  Status Flush() override { return target_->Flush(); }
  Status Sync() override { return target_->Sync(); }
  Status Fsync() override { return target_->Fsync(); }
  bool IsSyncThreadSafe() const override { return target_->IsSyncThreadSafe(); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  void SetIOPriority(Env::IOPriority pri) override { target_->SetIOPriority(pri); }
  Env::IOPriority GetIOPriority() override { return target_->GetIOPriority(); }
  void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) override {
    target_->SetWriteLifeTimeHint(hint);
  }
  Env::WriteLifeTimeHint GetWriteLifeTimeHint() override { return target_->GetWriteLifeTimeHint(); }
  uint64_t GetFileSize() override { return target_->GetFileSize(); }
  void SetPreallocationBlockSize(size_t size) override { target_->SetPreallocationBlockSize(size); }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    target_->GetPreallocationStatus(block_size, last_allocated_block);
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }
  Status InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  Status RangeSync(uint64_t offset, uint64_t nbytes) override {
    return target_->RangeSync(offset, nbytes);
  }
  void PrepareWrite(size_t offset, size_t len) override { target_->PrepareWrite(offset, len); }
  Status Allocate(uint64_t offset, uint64_t len) override { return target_->Allocate(offset, len); }

 private:
  WritableFile* target_;
};

class RandomRWFileWrapper : public RandomRWFile {
 public:
  explicit RandomRWFileWrapper(RandomRWFile* target) : target_(target) {}

  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  Status Write(uint64_t offset, const Slice& data) override { return target_->Write(offset, data); }
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return target_->Read(offset, n, result, scratch);
  }
  Status Flush() override { return target_->Flush(); }
  Status Sync() override { return target_->Sync(); }
  Status Fsync() override { return target_->Fsync(); }
  Status Close() override { return target_->Close(); }

 private:
  RandomRWFile* target_;
};

class DirectoryWrapper : public Directory {
 public:
  explicit DirectoryWrapper(Directory* target) : target_(target) {}

  Status Fsync() override { return target_->Fsync(); }
  Status Close() override { return target_->Close(); }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }

 private:
  Directory* target_;
};

}  // namespace ROCKSDB_NAMESPACE
