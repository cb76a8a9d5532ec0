// FileSystem: all that a database does to files. Implement or wrap it to put a database somewhere
// else, or to make files fail in a test; hand it to a database through NewCompositeEnv().
//
// FileSystem and FSRandomAccessFile are thread-safe; the other files have one user at a time.
// Everything here may park the calling fiber, or block the thread outside a fiber: SUSPENDS. `dbg`
// may be null and is only for information.
#pragma once

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/env.h"
#include "rocksdb/io_status.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/table.h"
#include "rocksdb/types.h"

// Where <windows.h> came first it has these as macros.
#undef DeleteFile
#undef GetFreeSpace
namespace ROCKSDB_NAMESPACE {

class FSDirectory;
class FSMemoryMappedFileBuffer;
class FSRandomAccessFile;
class FSRandomRWFile;
class FSSequentialFile;
class FSWritableFile;
struct ConfigOptions;

using AccessPattern = RandomAccessFile::AccessPattern;
using FileAttributes = Env::FileAttributes;

enum class IOPriority : uint8_t { kIOLow, kIOHigh, kIOTotal };

// What the bytes are; a hint.
enum class IOType : uint8_t {
  kData,
  kFilter,
  kIndex,
  kMetadata,
  kWAL,
  kManifest,
  kLog,
  kUnknown,
  kInvalid,
};

// Per operation.
struct IOOptions {
  IOOptions() : IOOptions(false) {}
  explicit IOOptions(bool force_dir_fsync_) : force_dir_fsync(force_dir_fsync_) {}

  // Zero: none. A hint; file systems may ignore it. The default one keeps to it in the Read and
  // MultiRead of an FSRandomAccessFile: TimedOut, with `scratch` untouched from then on.
  std::chrono::microseconds timeout = std::chrono::microseconds::zero();
  IOPriority prio = IOPriority::kIOLow;
  Env::IOPriority rate_limiter_priority = Env::IO_TOTAL;
  IOType type = IOType::kUnknown;
  std::unordered_map<std::string, std::string> property_bag;
  // Sync the directory even where the file system says that it need not.
  bool force_dir_fsync;
  // GetChildren lists no sub-directories' content.
  bool do_not_recurse = false;
  // What the call is for, where that is known.
  Env::IOActivity io_activity = Env::IOActivity::kUnknown;
  // ReadOptions::request_id of the read that leads to the call, which the call's IODebugContext
  // has, too; null: none. Borrowed, for the call.
  const std::string* request_id = nullptr;
};

struct DirFsyncOptions {
  enum FsyncReason : uint8_t {
    kNewFileSynced,
    kFileRenamed,
    kDirRenamed,
    kFileDeleted,
    kDefault,
  } reason;
  std::string renamed_new_name;  // with kFileRenamed

  DirFsyncOptions() : reason(kDefault) {}
  explicit DirFsyncOptions(std::string file_renamed_new_name)
      : reason(kFileRenamed), renamed_new_name(std::move(file_renamed_new_name)) {}
  explicit DirFsyncOptions(FsyncReason fsync_reason) : reason(fsync_reason) {}
};

// Per file.
struct FileOptions : EnvOptions {
  FileOptions() = default;
  /* implicit */ FileOptions(const DBOptions& opts) : EnvOptions(opts) {}
  /* implicit */ FileOptions(const EnvOptions& opts) : EnvOptions(opts) {}

  IOOptions io_options;
  Temperature temperature = Temperature::kUnknown;
  // Of the checksums that writes hand over (DBOptions::checksum_handoff_file_types): there is one
  // kind only.
  ChecksumType handoff_checksum_type = ChecksumType::kCRC32c;
};

// Frees what ReadAsync() has put into *io_handle.
using IOHandleDeleter = std::function<void(void*)>;

// Filled by a file system that wants to explain itself.
struct IODebugContext {
  // The bits of trace_data, by their numbers.
  enum TraceData : char { kRequestID = 0 };

  std::string file_path;
  std::map<std::string, uint64_t> counters;
  std::string msg;
  std::string request_id;
  uint64_t trace_data = 0;

  void AddCounter(std::string& name, uint64_t value) { counters.emplace(name, value); }
  void SetRequestId(const std::string& _request_id) {
    request_id = _request_id;
    trace_data |= uint64_t{1} << kRequestID;
  }
  // All of it on one line.
  std::string ToString() const;
};

class FileSystem : public Customizable {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  ~FileSystem() override;

  static const char* Type() { return "FileSystem"; }
  static const char* kDefaultName() { return "DefaultFileSystem"; }

  // The operating system's, through fiber I/O.
  static std::shared_ptr<FileSystem> Default();
  // The file system that `value` names, which is Default() for kDefaultName() and otherwise made by
  // a registered factory (utilities/object_registry.h): "posix://", "MemoryFileSystem", the user's
  // own. Null for "". NotSupported if none is registered for it; with ignore_unsupported_options,
  // which is ConfigOptions' default, that is OK and leaves *result as it was. InvalidArgument if
  // the factory failed.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<FileSystem>* result);

  // For reading from the start. PathNotFound (of kind IOError or NotFound) if there is none.
  virtual IOStatus NewSequentialFile(const std::string& fname, const FileOptions& file_opts,
                                     std::unique_ptr<FSSequentialFile>* result,
                                     IODebugContext* dbg) = 0;
  // For reading anywhere, by many at once.
  virtual IOStatus NewRandomAccessFile(const std::string& fname, const FileOptions& file_opts,
                                       std::unique_ptr<FSRandomAccessFile>* result,
                                       IODebugContext* dbg) = 0;
  // A new file for appending; one of this name is emptied first.
  virtual IOStatus NewWritableFile(const std::string& fname, const FileOptions& file_opts,
                                   std::unique_ptr<FSWritableFile>* result,
                                   IODebugContext* dbg) = 0;
  // For appending to what is there.
  virtual IOStatus ReopenWritableFile(const std::string& /*fname*/, const FileOptions& /*options*/,
                                      std::unique_ptr<FSWritableFile>* /*result*/,
                                      IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("ReopenWritableFile");
  }
  // Renames old_fname to fname and opens it for writing from its start over the old content.
  virtual IOStatus ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                                     const FileOptions& file_opts,
                                     std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg);

  // For reading and writing a file that exists.
  virtual IOStatus NewRandomRWFile(const std::string& /*fname*/, const FileOptions& /*options*/,
                                   std::unique_ptr<FSRandomRWFile>* /*result*/,
                                   IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("RandomRWFile is not implemented in this FileSystem");
  }
  // A file that is mapped for reading and writing; none of Cairn's file systems has them.
  virtual IOStatus NewMemoryMappedFileBuffer(const std::string& /*fname*/,
                                             std::unique_ptr<MemoryMappedFileBuffer>* /*result*/) {
    return IOStatus::NotSupported("MemoryMappedFileBuffer is not implemented in this FileSystem");
  }
  virtual IOStatus NewDirectory(const std::string& name, const IOOptions& io_opts,
                                std::unique_ptr<FSDirectory>* result, IODebugContext* dbg) = 0;

  // OK if it exists, NotFound if not, IOError if that cannot be told.
  virtual IOStatus FileExists(const std::string& fname, const IOOptions& options,
                              IODebugContext* dbg) = 0;
  // Names relative to `dir`, without "." and "..", in no order.
  virtual IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                               std::vector<std::string>* result, IODebugContext* dbg) = 0;
  // The same with sizes; a file that vanishes meanwhile is left out.
  virtual IOStatus GetChildrenFileAttributes(const std::string& dir, const IOOptions& options,
                                             std::vector<FileAttributes>* result,
                                             IODebugContext* dbg);
  virtual IOStatus DeleteFile(const std::string& fname, const IOOptions& options,
                              IODebugContext* dbg) = 0;
  virtual IOStatus Truncate(const std::string& /*fname*/, size_t /*size*/,
                            const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("Truncate is not supported for this FileSystem");
  }
  // An error if it exists.
  virtual IOStatus CreateDir(const std::string& dirname, const IOOptions& options,
                             IODebugContext* dbg) = 0;
  virtual IOStatus CreateDirIfMissing(const std::string& dirname, const IOOptions& options,
                                      IODebugContext* dbg) = 0;
  // An error unless it is empty.
  virtual IOStatus DeleteDir(const std::string& dirname, const IOOptions& options,
                             IODebugContext* dbg) = 0;
  // Bytes.
  virtual IOStatus GetFileSize(const std::string& fname, const IOOptions& options,
                               uint64_t* file_size, IODebugContext* dbg) = 0;
  // Seconds since 1970.
  virtual IOStatus GetFileModificationTime(const std::string& fname, const IOOptions& options,
                                           uint64_t* file_mtime, IODebugContext* dbg) = 0;
  // Atomic; replaces `target`. Durable once the directory is synced.
  virtual IOStatus RenameFile(const std::string& src, const std::string& target,
                              const IOOptions& options, IODebugContext* dbg) = 0;
  virtual IOStatus LinkFile(const std::string& /*src*/, const std::string& /*target*/,
                            const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("LinkFile is not supported for this FileSystem");
  }
  virtual IOStatus NumFileLinks(const std::string& /*fname*/, const IOOptions& /*options*/,
                                uint64_t* /*count*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported(
        "Getting number of file links is not supported for this FileSystem");
  }
  virtual IOStatus AreFilesSame(const std::string& /*first*/, const std::string& /*second*/,
                                const IOOptions& /*options*/, bool* /*res*/,
                                IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("AreFilesSame is not supported for this FileSystem");
  }
  // Creates the file if needed and locks it against other processes and this one; never waits.
  // IOError if it is held. The caller owns *lock until UnlockFile().
  virtual IOStatus LockFile(const std::string& fname, const IOOptions& options, FileLock** lock,
                            IODebugContext* dbg) = 0;
  virtual IOStatus UnlockFile(FileLock* lock, const IOOptions& options, IODebugContext* dbg) = 0;
  virtual IOStatus GetTestDirectory(const IOOptions& options, std::string* path,
                                    IODebugContext* dbg) = 0;
  // A logger that writes text lines to a new file.
  virtual IOStatus NewLogger(const std::string& fname, const IOOptions& io_opts,
                             std::shared_ptr<Logger>* result, IODebugContext* dbg);
  virtual IOStatus GetAbsolutePath(const std::string& db_path, const IOOptions& options,
                                   std::string* output_path, IODebugContext* dbg) = 0;
  // Bytes that an ordinary user may still write.
  virtual IOStatus GetFreeSpace(const std::string& /*path*/, const IOOptions& /*options*/,
                                uint64_t* /*diskfree*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("GetFreeSpace");
  }
  virtual IOStatus IsDirectory(const std::string& path, const IOOptions& options, bool* is_dir,
                               IODebugContext* dbg) = 0;

  // How a database opens its files of each kind, from how it would open any: logs and MANIFESTs to
  // be read and written, tables and blob files. What is returned holds, but that logs and MANIFESTs
  // are never mapped, nor read or written past the page cache.
  virtual FileOptions OptimizeForLogRead(const FileOptions& file_options) const;
  virtual FileOptions OptimizeForManifestRead(const FileOptions& file_options) const;
  virtual FileOptions OptimizeForLogWrite(const FileOptions& file_options,
                                          const DBOptions& db_options) const;
  virtual FileOptions OptimizeForManifestWrite(const FileOptions& file_options) const;
  virtual FileOptions OptimizeForCompactionTableWrite(const FileOptions& file_options,
                                                      const ImmutableDBOptions& db_options) const;
  virtual FileOptions OptimizeForCompactionTableRead(const FileOptions& file_options,
                                                     const ImmutableDBOptions& db_options) const;
  virtual FileOptions OptimizeForBlobFileRead(const FileOptions& file_options,
                                              const ImmutableDBOptions& db_options) const;
  // For programs; databases do not call it.
  virtual void SanitizeFileOptions(FileOptions* /*file_options*/) const {}
  // Of directories where a database has, or no longer has, files. For programs; databases do not
  // call them.
  virtual Status RegisterDbPaths(const std::vector<std::string>& /*paths*/) { return Status::OK(); }
  virtual Status UnregisterDbPaths(const std::vector<std::string>& /*paths*/) {
    return Status::OK();
  }

  // Handles of ReadAsync(); null ones are passed over. Poll waits until at least `min_completions`
  // of them have completed (also in earlier calls), and calls the callback of each that has,
  // once, on the calling thread or fiber. AbortIO waits until none is in flight any more; their
  // callbacks are not called, their scratch is not written to afterwards. Of the same or another
  // thread than ReadAsync's. A file system whose ReadAsync completes within the call needs neither.
  virtual IOStatus Poll(std::vector<void*>& /*io_handles*/, size_t /*min_completions*/) {
    return IOStatus::OK();
  }
  virtual IOStatus AbortIO(std::vector<void*>& /*io_handles*/) { return IOStatus::OK(); }
};

// Reads from the start to the end. Not thread-safe.
class FSSequentialFile {
 public:
  virtual ~FSSequentialFile() = default;

  // Up to n bytes into *result, which may point into scratch (of at least n bytes); fewer only at
  // the end of the file.
  virtual IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                        IODebugContext* dbg) = 0;
  // Past the end of the file is the end; no error.
  virtual IOStatus Skip(uint64_t n) = 0;

  // For direct I/O: offset, n and scratch are aligned.
  virtual IOStatus PositionedRead(uint64_t /*offset*/, size_t /*n*/, const IOOptions& /*options*/,
                                  Slice* /*result*/, char* /*scratch*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("PositionedRead");
  }

  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  // Drops cached pages of the range (length 0: to the end).
  virtual IOStatus InvalidateCache(size_t /*offset*/, size_t /*length*/) {
    return IOStatus::NotSupported("InvalidateCache not supported.");
  }
  virtual Temperature GetTemperature() const { return Temperature::kUnknown; }
};

// One read of a batch.
struct FSReadRequest {
  uint64_t offset = 0;
  size_t len = 0;
  char* scratch = nullptr;  // of at least len bytes, the caller's
  Slice result;     // out: may point into scratch; shorter than len only at the end of the file
  IOStatus status;  // out
};

// Reads anywhere. Thread-safe.
class FSRandomAccessFile {
 public:
  virtual ~FSRandomAccessFile() = default;

  // Up to n bytes from `offset` into *result, which may point into scratch (of at least n bytes) or
  // to memory that lives as long as the file; fewer only at the end of the file.
  virtual IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                        char* scratch, IODebugContext* dbg) const = 0;
  // Starts to read the range, so that a later Read finds it.
  virtual IOStatus Prefetch(uint64_t /*offset*/, size_t /*n*/, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("Prefetch");
  }
  // All requests at once; each gets its own status. Not OK only if nothing was tried.
  virtual IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs, const IOOptions& options,
                             IODebugContext* dbg) {
    assert(reqs != nullptr);
    for (size_t i = 0; i < num_reqs; i++) {
      reqs[i].status =
          Read(reqs[i].offset, reqs[i].len, options, &reqs[i].result, reqs[i].scratch, dbg);
    }
    return IOStatus::OK();
  }
  // Starts to read `req`, which is not used afterwards; its scratch and the file are, until the
  // read has completed: FileSystem::Poll() then calls `cb` with the request, its status and result
  // filled in, and `cb_arg`. The caller frees the handle: (*del_fn)(*io_handle), after Poll() has
  // called back or AbortIO(); earlier it aborts. Here: reads and calls back at once, and leaves no
  // handle. Not OK: nothing was started and `cb` is not called.
  virtual IOStatus ReadAsync(FSReadRequest& req, const IOOptions& options,
                             std::function<void(FSReadRequest&, void*)> cb, void* cb_arg,
                             void** /*io_handle*/, IOHandleDeleter* /*del_fn*/,
                             IODebugContext* dbg) {
    req.status = Read(req.offset, req.len, options, &req.result, req.scratch, dbg);
    cb(req, cb_arg);
    return IOStatus::OK();
  }
  // Bytes that tell this file from every other, also after a restart; the length written to id, 0
  // if there is none.
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }

  enum AccessPattern { kNormal, kRandom, kSequential, kWillNeed, kWontNeed };
  virtual void Hint(AccessPattern /*pattern*/) {}
  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  virtual IOStatus InvalidateCache(size_t /*offset*/, size_t /*length*/) {
    return IOStatus::NotSupported("InvalidateCache not supported.");
  }
  virtual Temperature GetTemperature() const { return Temperature::kUnknown; }
};

// A checksum that travels with appended data: its CRC32C, four bytes, little-endian.
struct DataVerificationInfo {
  Slice checksum;
};

// Appends. Not thread-safe, except that Sync may run beside Append where IsSyncThreadSafe().
class FSWritableFile {
 public:
  FSWritableFile() : strict_bytes_per_sync_(false) {}
  explicit FSWritableFile(const FileOptions& options)
      : strict_bytes_per_sync_(options.strict_bytes_per_sync) {}
  FSWritableFile(const FSWritableFile&) = delete;
  void operator=(const FSWritableFile&) = delete;
  // An open file is closed without a report.
  virtual ~FSWritableFile() = default;

  // All of data, or an error after which the length of the file is unknown.
  virtual IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) = 0;
  // The same of data that came with a checksum. Who does not check ignores it, as this does;
  // Corruption: the data are not what it was made of.
  virtual IOStatus Append(const Slice& data, const IOOptions& options,
                          const DataVerificationInfo& /*verification_info*/, IODebugContext* dbg) {
    return Append(data, options, dbg);
  }
  // For direct I/O: writes at `offset`, which is at or before the end.
  virtual IOStatus PositionedAppend(const Slice& /*data*/, uint64_t /*offset*/,
                                    const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
    return IOStatus::NotSupported("PositionedAppend");
  }
  virtual IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                                    const DataVerificationInfo& /*verification_info*/,
                                    IODebugContext* dbg) {
    return PositionedAppend(data, offset, options, dbg);
  }
  virtual IOStatus Truncate(uint64_t /*size*/, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) {
    return IOStatus::OK();
  }
  // Gives preallocated space back. The last call before destruction.
  virtual IOStatus Close(const IOOptions& options, IODebugContext* dbg) = 0;
  // Hands what is buffered in this object to the operating system: it survives a kill of the
  // process.
  virtual IOStatus Flush(const IOOptions& options, IODebugContext* dbg) = 0;
  // The data and what is needed to read it are durable: they survive a power cut.
  virtual IOStatus Sync(const IOOptions& options, IODebugContext* dbg) = 0;
  // The same with all metadata.
  virtual IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) {
    return Sync(options, dbg);
  }
  virtual bool IsSyncThreadSafe() const { return false; }
  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }

  virtual void SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) { write_hint_ = hint; }
  virtual Env::WriteLifeTimeHint GetWriteLifeTimeHint() { return write_hint_; }
  virtual void SetIOPriority(Env::IOPriority pri) { io_priority_ = pri; }
  virtual Env::IOPriority GetIOPriority() { return io_priority_; }

  // Bytes appended so far (and there at the opening).
  virtual uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) { return 0; }

  // PrepareWrite() allocates in steps of this many bytes; 0: not at all.
  virtual void SetPreallocationBlockSize(size_t size) { preallocation_block_size_ = size; }
  virtual void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) {
    *block_size = preallocation_block_size_;
    *last_allocated_block = last_preallocated_block_;
  }
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }
  virtual IOStatus InvalidateCache(size_t /*offset*/, size_t /*length*/) {
    return IOStatus::NotSupported("InvalidateCache not supported.");
  }
  // Starts to write the range back; with strict_bytes_per_sync it also waits for what came before.
  virtual IOStatus RangeSync(uint64_t /*offset*/, uint64_t /*nbytes*/, const IOOptions& options,
                             IODebugContext* dbg) {
    return strict_bytes_per_sync_ ? Sync(options, dbg) : IOStatus::OK();
  }
  // Allocates whole preallocation blocks up to offset + len, where that was not done yet. Failures
  // do not matter.
  virtual void PrepareWrite(size_t offset, size_t len, const IOOptions& options,
                            IODebugContext* dbg) {
    const size_t block = preallocation_block_size_;
    if (block == 0) return;
    const size_t blocks_needed = (offset + len + block - 1) / block;
    if (blocks_needed <= last_preallocated_block_) return;
    Allocate(block * last_preallocated_block_, block * (blocks_needed - last_preallocated_block_),
             options, dbg)
        .PermitUncheckedError();
    last_preallocated_block_ = blocks_needed;
  }
  virtual IOStatus Allocate(uint64_t /*offset*/, uint64_t /*len*/, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) {
    return IOStatus::OK();
  }

 protected:
  size_t preallocation_block_size() const { return preallocation_block_size_; }

 private:
  size_t last_preallocated_block_ = 0;
  size_t preallocation_block_size_ = 0;

 protected:
  Env::IOPriority io_priority_ = Env::IO_TOTAL;
  Env::WriteLifeTimeHint write_hint_ = Env::WLTH_NOT_SET;
  const bool strict_bytes_per_sync_;
};

// Reads and writes anywhere in a file that exists. Not thread-safe.
class FSRandomRWFile {
 public:
  FSRandomRWFile() = default;
  FSRandomRWFile(const FSRandomRWFile&) = delete;
  FSRandomRWFile& operator=(const FSRandomRWFile&) = delete;
  // An open file is closed without a report.
  virtual ~FSRandomRWFile() = default;

  virtual bool use_direct_io() const { return false; }
  virtual size_t GetRequiredBufferAlignment() const { return kDefaultPageSize; }
  // All of data, from `offset` on; past the end of the file it grows.
  virtual IOStatus Write(uint64_t offset, const Slice& data, const IOOptions& options,
                         IODebugContext* dbg) = 0;
  // Up to n bytes into *result, which may point into scratch (of at least n bytes); fewer only at
  // the end of the file.
  virtual IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                        char* scratch, IODebugContext* dbg) const = 0;
  // As FSWritableFile's.
  virtual IOStatus Flush(const IOOptions& options, IODebugContext* dbg) = 0;
  virtual IOStatus Sync(const IOOptions& options, IODebugContext* dbg) = 0;
  virtual IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) {
    return Sync(options, dbg);
  }
  virtual IOStatus Close(const IOOptions& options, IODebugContext* dbg) = 0;
  virtual Temperature GetTemperature() const { return Temperature::kUnknown; }
};

// A file that is mapped into memory, for reading and writing.
class FSMemoryMappedFileBuffer {
 public:
  FSMemoryMappedFileBuffer(void* base, size_t length) : base_(base), length_(length) {}
  FSMemoryMappedFileBuffer(const FSMemoryMappedFileBuffer&) = delete;
  FSMemoryMappedFileBuffer& operator=(const FSMemoryMappedFileBuffer&) = delete;
  virtual ~FSMemoryMappedFileBuffer() = 0;

  size_t GetLen() const { return length_; }
  void* GetBase() const { return base_; }

 protected:
  void* base_;
  const size_t length_;
};

// An open directory, to make names in it durable. Not thread-safe.
class FSDirectory {
 public:
  virtual ~FSDirectory() = default;

  // Files created in, renamed into and removed from the directory stay so after a power cut.
  virtual IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) = 0;
  virtual IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                                       const DirFsyncOptions& /*dir_fsync_options*/) {
    return Fsync(options, dbg);
  }
  virtual IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
    return IOStatus::OK();
  }
  virtual size_t GetUniqueId(char* /*id*/, size_t /*max_size*/) const { return 0; }
};

}  // namespace ROCKSDB_NAMESPACE

#include "rocksdb/file_system_wrapper.h"
