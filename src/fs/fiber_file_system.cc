#include "fs/fiber_file_system.h"

#include <errno.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/per_process.h"
#include "base/perf.h"
#include "base/shortage.h"
#include "fiber/clock.h"
#include "fiber/fork.h"
#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fs/async_read.h"
#include "fs/fiber_files.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/mapped_writable_file.h"
#include "fs/platform.h"

namespace cairn {

namespace {

int OpenFile(const char* name, int flags, fiber::io::Mode mode = 0) {
  const PerfTimer timer(Perf(), &IOStatsContext::open_nanos);
  return fiber::io::open(name, flags, mode);
}

bool IsMissing(int err) { return err == ENOENT || err == ENOTDIR; }

}  // namespace

IOStatus IOErrorFromErrno(const std::string& context, const std::string& file, int err) {
  const std::string where = file.empty() ? context : context + ": " + file;
  const std::string why = ErrorMessage(err);
  IOStatus s;
  switch (err) {
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
      s = IOStatus::NoSpace(where, why);
      break;
#ifdef ESTALE
    case ESTALE:
      s = IOStatus::IOFenced(where, why);
      break;
#endif
    case ENOENT:
      s = IOStatus::PathNotFound(where, why);
      break;
    default:
      s = IOStatus::IOError(where, why);
  }
  s.SetRetryable(IsShortage(err));
  return s;
}

bool IsRefusal(const IOStatus& s) {
  if (!s.IsIOError() || s.getState() == nullptr) return false;
  const std::string message = s.getState();
  for (const int err : {EACCES, EPERM, EROFS, EINVAL}) {
    if (message.ends_with(": " + ErrorMessage(err))) return true;
  }
  return false;
}

namespace {

class FiberFileLock : public FileLock {
 public:
  int fd = -1;
  int directory_fd = -1;  // as long as it is open nothing else has the directory's inode
  std::string name;       // as the caller gave it
  FileId file;
  FileId directory;
  std::string base;  // within the directory
  std::string path;  // absolute, without repetitions
  uint64_t since_seconds = 0;
  uint64_t thread_id = 0;
};

// The lock of the file system holds as long as the file is there: who unlinks LOCK, or puts another
// directory in its place, would let a second database in. So what this process holds is also looked
// up here: the file, its name in the directory, and its path.
struct ProcessLocks {
  fiber::Mutex mu;  // held over the open and the lock: two openers must not pass each other
  std::vector<std::unique_ptr<FiberFileLock>> held;  // guarded by mu

  const FiberFileLock* Find(const FiberFileLock& wanted, const FileId* file) const {
    for (const auto& one : held) {
      if ((file != nullptr && one->file == *file) || one->path == wanted.path ||
          (one->directory == wanted.directory && one->base == wanted.base)) {
        return one.get();
      }
    }
    return nullptr;
  }
};

// A database may be closed by a static destructor, in a child that was forked, too.
ProcessLocks& Locks() {
  static constinit PerProcess<ProcessLocks> locks;
  return locks.Get();
}

class FiberFileSystem : public FileSystem {
 public:
  static const char* kClassName() { return "FiberFileSystem"; }
  const char* Name() const override { return kDefaultName(); }
  const char* NickName() const override { return kClassName(); }

  IOStatus NewSequentialFile(const std::string& fname, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext* /*dbg*/) override {
    result->reset();
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const bool direct = options.use_direct_reads && !options.use_mmap_reads;
    const int fd =
        OpenFile(fname.c_str(), fiber::io::kReadOnly | (direct ? fiber::io::kDirect : 0));
    if (fd < 0)
      return OpenError("While opening a file for sequentially reading", fname, fd, direct);
    *result = std::make_unique<FiberSequentialFile>(fd, fname, direct);
    return IOStatus::OK();
  }

  IOStatus NewRandomAccessFile(const std::string& fname, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* /*dbg*/) override {
    result->reset();
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const bool direct = options.use_direct_reads && !options.use_mmap_reads;
    const int fd =
        OpenFile(fname.c_str(), fiber::io::kReadOnly | (direct ? fiber::io::kDirect : 0));
    if (fd < 0) return OpenError("While open a file for random read", fname, fd, direct);
    fiber::io::keep_registered(fd);  // the object alone closes it
    if (options.use_mmap_reads) return MapFile(fd, fname, result);
    *result = std::make_unique<FiberRandomAccessFile>(fd, fname, direct);
    return IOStatus::OK();
  }

  IOStatus NewWritableFile(const std::string& fname, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* /*dbg*/) override {
    return OpenWritable(fname, options, fiber::io::kTruncate, /*append=*/false, result);
  }

  IOStatus ReopenWritableFile(const std::string& fname, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* /*dbg*/) override {
    return OpenWritable(fname, options, 0, /*append=*/true, result);
  }

  IOStatus ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
                             IODebugContext* dbg) override {
    result->reset();
    IOStatus s = RenameFile(old_fname, fname, options.io_options, dbg);
    return s.ok() ? OpenWritable(fname, options, 0, /*append=*/false, result) : s;
  }

  IOStatus NewRandomRWFile(const std::string& fname, const FileOptions& options,
                           std::unique_ptr<FSRandomRWFile>* result,
                           IODebugContext* /*dbg*/) override {
    result->reset();
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const bool direct = options.use_direct_reads && options.use_direct_writes;
    const int fd =
        OpenFile(fname.c_str(), fiber::io::kReadWrite | (direct ? fiber::io::kDirect : 0));
    if (fd < 0) return OpenError("While open file for random read/write", fname, fd, direct);
    *result = std::make_unique<FiberRandomRWFile>(fd, fname, direct);
    return IOStatus::OK();
  }

  IOStatus NewDirectory(const std::string& name, const IOOptions& /*options*/,
                        std::unique_ptr<FSDirectory>* result, IODebugContext* /*dbg*/) override {
    result->reset();
    if (IOStatus s = CheckName(name); !s.ok()) return s;
    const int fd = OpenFile(name.c_str(), fiber::io::kReadOnly | fiber::io::kDirectory);
    if (fd < 0) return IOErrorFromErrno("While open directory", name, -fd);
    *result = std::make_unique<FiberDirectory>(fd, name);
    return IOStatus::OK();
  }

  IOStatus Poll(std::vector<void*>& io_handles, size_t min_completions) override {
    return PollAsyncReads(io_handles, min_completions);
  }

  IOStatus AbortIO(std::vector<void*>& io_handles) override { return AbortAsyncReads(io_handles); }

  IOStatus FileExists(const std::string& fname, const IOOptions& /*options*/,
                      IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const int r = fiber::io::access(fname.c_str(), fiber::io::kExists);
    if (r >= 0) return IOStatus::OK();
    if (IsMissing(-r) || r == -EACCES || r == -ELOOP || r == -ENAMETOOLONG) {
      return IOStatus::NotFound(fname, ErrorMessage(-r));
    }
    return IOErrorFromErrno("While accessing file", fname, -r);
  }

  IOStatus GetChildren(const std::string& dir, const IOOptions& /*options*/,
                       std::vector<std::string>* result, IODebugContext* /*dbg*/) override {
    result->clear();
    if (IOStatus s = CheckName(dir); !s.ok()) return s;
    const int r = fiber::io::list_dir(dir.c_str(), result);
    if (r >= 0) return IOStatus::OK();
    result->clear();
    if (IsMissing(-r) || r == -EACCES) {
      return IOStatus::NotFound("While opendir: " + dir, ErrorMessage(-r));
    }
    return IOErrorFromErrno("While opendir", dir, -r);
  }

  IOStatus DeleteFile(const std::string& fname, const IOOptions& /*options*/,
                      IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    return Check(fiber::io::unlink(fname.c_str()), "while unlink() file", fname);
  }

  IOStatus Truncate(const std::string& fname, size_t size, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const int fd = OpenFile(fname.c_str(), fiber::io::kWriteOnly);
    if (fd < 0) return IOErrorFromErrno("While truncate file", fname, -fd);
    IOStatus s = Check(fiber::io::set_size(fd, size),
                       "While truncate file to size " + std::to_string(size), fname);
    (void)fiber::io::close(fd);
    return s;
  }

  IOStatus CreateDir(const std::string& name, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(name); !s.ok()) return s;
    // style: the file system itself
    return Check(fiber::io::mkdir(name.c_str(), 0755), "While mkdir", name);
  }

  IOStatus CreateDirIfMissing(const std::string& name, const IOOptions& options,
                              IODebugContext* dbg) override {
    if (IOStatus s = CheckName(name); !s.ok()) return s;
    // style: the file system itself
    const int r = fiber::io::mkdir(name.c_str(), 0755);
    if (r >= 0) return IOStatus::OK();
    if (r != -EEXIST) return IOErrorFromErrno("While mkdir if missing", name, -r);
    bool is_dir = false;
    IOStatus s = IsDirectory(name, options, &is_dir, dbg);
    if (s.ok() && !is_dir) {
      return IOStatus::IOError("`" + name + "' exists but is not a directory");
    }
    return s;
  }

  IOStatus DeleteDir(const std::string& name, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(name); !s.ok()) return s;
    return Check(fiber::io::rmdir(name.c_str()), "file rmdir", name);
  }

  IOStatus GetFileSize(const std::string& fname, const IOOptions& /*options*/, uint64_t* size,
                       IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    fiber::io::FileStatus st;
    *size = 0;
    IOStatus s = Check(fiber::io::status(fname.c_str(), &st), "while stat a file for size", fname);
    if (s.ok()) *size = static_cast<uint64_t>(st.st_size);
    return s;
  }

  IOStatus GetFileModificationTime(const std::string& fname, const IOOptions& /*options*/,
                                   uint64_t* mtime, IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    fiber::io::FileStatus st;
    *mtime = 0;
    IOStatus s = Check(fiber::io::status(fname.c_str(), &st),
                       "while stat a file for modification time", fname);
    if (s.ok()) *mtime = static_cast<uint64_t>(st.st_mtime);
    return s;
  }

  IOStatus RenameFile(const std::string& src, const std::string& target,
                      const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(src); !s.ok()) return s;
    if (IOStatus s = CheckName(target); !s.ok()) return s;
    return Check(fiber::io::rename(src.c_str(), target.c_str()),
                 "While renaming a file to " + target, src);
  }

  IOStatus LinkFile(const std::string& src, const std::string& target, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(src); !s.ok()) return s;
    if (IOStatus s = CheckName(target); !s.ok()) return s;
    const int r = fiber::io::link(src.c_str(), target.c_str());
    if (r == -EXDEV || r == -EOPNOTSUPP || r == -ENOSYS) {
      return IOStatus::NotSupported("cannot link " + src + " to " + target, ErrorMessage(-r));
    }
    return Check(r, "while link file to " + target, src);
  }

  IOStatus NumFileLinks(const std::string& fname, const IOOptions& /*options*/, uint64_t* count,
                        IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    fiber::io::FileStatus st;
    *count = 0;
    IOStatus s =
        Check(fiber::io::status(fname.c_str(), &st), "while stat a file for num file links", fname);
    if (s.ok()) *count = static_cast<uint64_t>(st.st_nlink);
    return s;
  }

  IOStatus AreFilesSame(const std::string& first, const std::string& second,
                        const IOOptions& /*options*/, bool* same,
                        IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(first); !s.ok()) return s;
    if (IOStatus s = CheckName(second); !s.ok()) return s;
    fiber::io::FileStatus st[2];
    *same = false;
    IOStatus s = Check(fiber::io::status(first.c_str(), &st[0]), "stat file", first);
    if (s.ok()) s = Check(fiber::io::status(second.c_str(), &st[1]), "stat file", second);
    if (s.ok()) *same = IdOf(st[0]) == IdOf(st[1]);
    return s;
  }

  IOStatus LockFile(const std::string& fname, const IOOptions& /*options*/, FileLock** lock,
                    IODebugContext* /*dbg*/) override {
    *lock = nullptr;
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    auto made = std::make_unique<FiberFileLock>();
    made->name = fname;
    ProcessLocks& locks = Locks();
    fiber::MutexLock guard(&locks.mu);
    IOStatus s = TakeLock(fname, locks, made.get());
    if (!s.ok()) {
      if (made->fd >= 0) CloseLock(made->fd);
      if (made->directory_fd >= 0) (void)fiber::io::close(made->directory_fd);
      return s;
    }
    made->since_seconds = fiber::wall_micros() / 1000000;
    made->thread_id = fiber::current_thread_id();
    *lock = made.get();
    locks.held.push_back(std::move(made));
    return s;
  }

  IOStatus UnlockFile(FileLock* lock, const IOOptions& /*options*/,
                      IODebugContext* /*dbg*/) override {
    ProcessLocks& locks = Locks();
    fiber::MutexLock guard(&locks.mu);
    const auto held = std::find_if(locks.held.begin(), locks.held.end(),
                                   [lock](const auto& one) { return one.get() == lock; });
    if (held == locks.held.end()) return IOErrorFromErrno("unlock", "not a held lock", ENOLCK);
    const std::unique_ptr<FiberFileLock> mine = std::move(*held);
    locks.held.erase(held);
    IOStatus s = Check(fiber::io::unlock_file(mine->fd), "unlock", mine->name);
    CloseLock(mine->fd);
    (void)fiber::io::close(mine->directory_fd);
    return s;
  }

  IOStatus GetTestDirectory(const IOOptions& options, std::string* path,
                            IODebugContext* dbg) override {
    *path = TestDirectory();
    return CreateDirIfMissing(*path, options, dbg);
  }

  IOStatus GetAbsolutePath(const std::string& path, const IOOptions& /*options*/,
                           std::string* output, IODebugContext* /*dbg*/) override {
    return AbsolutePath(path, output);
  }

  IOStatus GetFreeSpace(const std::string& path, const IOOptions& /*options*/, uint64_t* bytes,
                        IODebugContext* /*dbg*/) override {
    *bytes = 0;
    if (IOStatus s = CheckName(path); !s.ok()) return s;
    return Check(fiber::io::statfs_free(path.c_str(), bytes), "While doing statvfs", path);
  }

  IOStatus IsDirectory(const std::string& path, const IOOptions& /*options*/, bool* is_dir,
                       IODebugContext* /*dbg*/) override {
    if (IOStatus s = CheckName(path); !s.ok()) return s;
    fiber::io::FileStatus st;
    *is_dir = false;
    IOStatus s =
        Check(fiber::io::status(path.c_str(), &st), "While doing stat for IsDirectory()", path);
    if (s.ok()) *is_dir = cairn::IsDirectory(st);
    return s;
  }

 private:
  static void CloseLock(int fd) {
    fiber::forget_on_fork(fd);
    (void)fiber::io::close(fd);
  }

  IOStatus TakeLock(const std::string& fname, const ProcessLocks& locks, FiberFileLock* lock) {
    std::string absolute;
    IOStatus s = GetAbsolutePath(fname, IOOptions(), &absolute, nullptr);
    if (!s.ok()) return s;
    lock->path = ComparablePath(absolute);
    const std::string directory = ParentOf(fname);
    lock->base = ComparablePath(LastName(fname));
    lock->directory_fd = OpenFile(directory.c_str(), kOpenDirectoryToIdentify);
    if (lock->directory_fd < 0) {
      return IOErrorFromErrno("while open a file for lock", fname, -lock->directory_fd);
    }
    fiber::io::FileStatus st;
    s = Check(fiber::io::file_status(lock->directory_fd, &st), "while stat a directory for lock",
              fname);
    if (!s.ok()) return s;
    lock->directory = IdOf(st);
    const bool exists = fiber::io::status(fname.c_str(), &st) >= 0;
    if (exists) lock->file = IdOf(st);
    if (const FiberFileLock* const other = locks.Find(*lock, exists ? &lock->file : nullptr)) {
      return IOErrorFromErrno("lock hold by current process, acquire time " +
                                  std::to_string(other->since_seconds) + " acquiring thread " +
                                  std::to_string(other->thread_id),
                              fname, ENOLCK);
    }
    lock->fd = OpenFile(fname.c_str(), fiber::io::kReadWrite | fiber::io::kCreate, 0644);
    if (lock->fd < 0) return IOErrorFromErrno("while open a file for lock", fname, -lock->fd);
    // A child would hold the lock beyond our end.
    fiber::close_on_fork(lock->fd);
    s = Check(fiber::io::lock_file(lock->fd), "While lock file", fname);
    if (s.ok()) {
      s = Check(fiber::io::file_status(lock->fd, &st), "while stat a file for lock", fname);
      lock->file = IdOf(st);
    }
    return s;
  }

  static IOStatus Check(int result, const std::string& context, const std::string& file) {
    return result < 0 ? IOErrorFromErrno(context, file, -result) : IOStatus::OK();
  }

  static IOStatus OpenError(const char* context, const std::string& fname, int result,
                            bool direct) {
    if (direct && result == -EINVAL) {
      return IOStatus::InvalidArgument("direct I/O is not supported by the file system of", fname);
    }
    return IOErrorFromErrno(context, fname, -result);
  }

  // Of an open file, which the result has then.
  static IOStatus MapFile(int fd, const std::string& fname,
                          std::unique_ptr<FSRandomAccessFile>* result) {
    fiber::io::FileStatus status;
    fiber::io::Mapping mapping;
    int r = fiber::io::file_status(fd, &status);
    if (r == 0 && status.st_size > 0) {
      r = fiber::io::Mapping::of(fd, static_cast<uint64_t>(status.st_size), &mapping);
    }
    *result = std::make_unique<MappedRandomAccessFile>(fd, fname, std::move(mapping));
    if (r == 0) return IOStatus::OK();
    result->reset();
    return IOErrorFromErrno("While mapping a file", fname, -r);
  }

  static IOStatus OpenWritable(const std::string& fname, const FileOptions& options, int flags,
                               bool append, std::unique_ptr<FSWritableFile>* result) {
    result->reset();
    if (IOStatus s = CheckName(fname); !s.ok()) return s;
    const bool mapped = options.use_mmap_writes && kMapsWrites;
    const bool direct = options.use_direct_writes && !options.use_mmap_writes;
    const int fd = OpenFile(fname.c_str(),
                            (mapped ? fiber::io::kReadWrite : fiber::io::kWriteOnly) |
                                fiber::io::kCreate | flags | (direct ? fiber::io::kDirect : 0),
                            0644);
    if (fd < 0) return OpenError("While open a file for appending", fname, fd, direct);
    fiber::io::keep_registered(fd);
    uint64_t size = 0;
    if (append) {
      fiber::io::FileStatus st;
      const int r = fiber::io::file_status(fd, &st);
      if (r < 0) {
        (void)fiber::io::close(fd);
        return IOErrorFromErrno("While fstat of a file for appending", fname, -r);
      }
      size = static_cast<uint64_t>(st.st_size);
    }
    if (mapped) {
      *result = std::make_unique<MappedWritableFile>(fd, fname, options, size);
    } else {
      *result = std::make_unique<FiberWritableFile>(fd, fname, options, size);
    }
    return IOStatus::OK();
  }
};

}  // namespace

std::unique_ptr<FileSystem> NewFiberFileSystem() { return std::make_unique<FiberFileSystem>(); }

}  // namespace cairn
