#include "fs/posix_file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/perf.h"
#include "base/shortage.h"
#include "fiber/clock.h"
#include "fiber/fork.h"
#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fs/async_read.h"
#include "fs/info_log.h"
#include "fs/posix_files.h"

namespace cairn {

namespace {

// strerror_r comes in two shapes; overloads take whichever the C library has.
[[maybe_unused]] const char* ErrorText(int /*result*/, const char* buf) { return buf; }
[[maybe_unused]] const char* ErrorText(const char* result, const char* /*buf*/) { return result; }

std::string ErrorMessage(int err) {
  char buf[128] = "unknown error";
  return ErrorText(strerror_r(err, buf, sizeof(buf)), buf);
}

int OpenFile(const char* name, int flags, mode_t mode = 0) {
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
    case EDQUOT:
      s = IOStatus::NoSpace(where, why);
      break;
    case ESTALE:
      s = IOStatus::IOFenced(where, why);
      break;
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

// Device and inode.
using FileId = std::pair<uint64_t, uint64_t>;

FileId IdOf(const struct stat& st) { return {st.st_dev, st.st_ino}; }

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
  const uint32_t generation = fiber::process_generation();
  ProcessLocks* before = nullptr;  // of the parent process
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

// Never destroyed: a database may be closed by a static destructor. What a forked process finds
// here is its parent's: it has a table of its own.
ProcessLocks& Locks() {
  static constinit std::atomic<ProcessLocks*> current{nullptr};
  ProcessLocks* locks = current.load(std::memory_order_acquire);
  while (locks == nullptr || locks->generation != fiber::process_generation()) {
    auto made = std::make_unique<ProcessLocks>();
    made->before = locks;
    if (current.compare_exchange_strong(locks, made.get(), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
      locks = made.release();
    }
  }
  return *locks;
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
    const bool direct = options.use_direct_reads && !options.use_mmap_reads;
    const int fd = OpenFile(fname.c_str(), O_RDONLY | (direct ? O_DIRECT : 0));
    if (fd < 0)
      return OpenError("While opening a file for sequentially reading", fname, fd, direct);
    *result = std::make_unique<FiberSequentialFile>(fd, fname, direct);
    return IOStatus::OK();
  }

  IOStatus NewRandomAccessFile(const std::string& fname, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* /*dbg*/) override {
    result->reset();
    if (options.use_mmap_reads) {
      return IOStatus::NotSupported("allow_mmap_reads: a page fault would block a worker", fname);
    }
    const bool direct = options.use_direct_reads;
    const int fd = OpenFile(fname.c_str(), O_RDONLY | (direct ? O_DIRECT : 0));
    if (fd < 0) return OpenError("While open a file for random read", fname, fd, direct);
    fiber::io::keep_registered(fd);  // the object alone closes it
    *result = std::make_unique<FiberRandomAccessFile>(fd, fname, direct);
    return IOStatus::OK();
  }

  IOStatus NewWritableFile(const std::string& fname, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* /*dbg*/) override {
    return OpenWritable(fname, options, O_TRUNC, /*append=*/false, result);
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

  IOStatus NewDirectory(const std::string& name, const IOOptions& /*options*/,
                        std::unique_ptr<FSDirectory>* result, IODebugContext* /*dbg*/) override {
    result->reset();
    const int fd = OpenFile(name.c_str(), O_RDONLY | O_DIRECTORY);
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
    const int r = fiber::io::access(fname.c_str(), F_OK);
    if (r >= 0) return IOStatus::OK();
    if (IsMissing(-r) || r == -EACCES || r == -ELOOP || r == -ENAMETOOLONG) {
      return IOStatus::NotFound(fname, ErrorMessage(-r));
    }
    return IOErrorFromErrno("While accessing file", fname, -r);
  }

  IOStatus GetChildren(const std::string& dir, const IOOptions& /*options*/,
                       std::vector<std::string>* result, IODebugContext* /*dbg*/) override {
    result->clear();
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
    return Check(fiber::io::unlink(fname.c_str()), "while unlink() file", fname);
  }

  IOStatus Truncate(const std::string& fname, size_t size, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    const int fd = OpenFile(fname.c_str(), O_WRONLY);
    if (fd < 0) return IOErrorFromErrno("While truncate file", fname, -fd);
    IOStatus s = Check(fiber::io::ftruncate(fd, size),
                       "While truncate file to size " + std::to_string(size), fname);
    (void)fiber::io::close(fd);
    return s;
  }

  IOStatus CreateDir(const std::string& name, const IOOptions& /*options*/,
                     IODebugContext* /*dbg*/) override {
    // style: the file system itself
    return Check(fiber::io::mkdir(name.c_str(), 0755), "While mkdir", name);
  }

  IOStatus CreateDirIfMissing(const std::string& name, const IOOptions& options,
                              IODebugContext* dbg) override {
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
    return Check(fiber::io::rmdir(name.c_str()), "file rmdir", name);
  }

  IOStatus GetFileSize(const std::string& fname, const IOOptions& /*options*/, uint64_t* size,
                       IODebugContext* /*dbg*/) override {
    struct stat st;
    *size = 0;
    IOStatus s = Check(fiber::io::stat(fname.c_str(), &st), "while stat a file for size", fname);
    if (s.ok()) *size = static_cast<uint64_t>(st.st_size);
    return s;
  }

  IOStatus GetFileModificationTime(const std::string& fname, const IOOptions& /*options*/,
                                   uint64_t* mtime, IODebugContext* /*dbg*/) override {
    struct stat st;
    *mtime = 0;
    IOStatus s = Check(fiber::io::stat(fname.c_str(), &st),
                       "while stat a file for modification time", fname);
    if (s.ok()) *mtime = static_cast<uint64_t>(st.st_mtime);
    return s;
  }

  IOStatus RenameFile(const std::string& src, const std::string& target,
                      const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return Check(fiber::io::rename(src.c_str(), target.c_str()),
                 "While renaming a file to " + target, src);
  }

  IOStatus LinkFile(const std::string& src, const std::string& target, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    const int r = fiber::io::link(src.c_str(), target.c_str());
    if (r == -EXDEV || r == -EOPNOTSUPP || r == -ENOSYS) {
      return IOStatus::NotSupported("cannot link " + src + " to " + target, ErrorMessage(-r));
    }
    return Check(r, "while link file to " + target, src);
  }

  IOStatus NumFileLinks(const std::string& fname, const IOOptions& /*options*/, uint64_t* count,
                        IODebugContext* /*dbg*/) override {
    struct stat st;
    *count = 0;
    IOStatus s =
        Check(fiber::io::stat(fname.c_str(), &st), "while stat a file for num file links", fname);
    if (s.ok()) *count = static_cast<uint64_t>(st.st_nlink);
    return s;
  }

  IOStatus AreFilesSame(const std::string& first, const std::string& second,
                        const IOOptions& /*options*/, bool* same,
                        IODebugContext* /*dbg*/) override {
    struct stat st[2];
    *same = false;
    IOStatus s = Check(fiber::io::stat(first.c_str(), &st[0]), "stat file", first);
    if (s.ok()) s = Check(fiber::io::stat(second.c_str(), &st[1]), "stat file", second);
    if (s.ok()) *same = st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
    return s;
  }

  IOStatus LockFile(const std::string& fname, const IOOptions& /*options*/, FileLock** lock,
                    IODebugContext* /*dbg*/) override {
    *lock = nullptr;
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
    const char* env = std::getenv("TEST_TMPDIR");
    if (env != nullptr && env[0] != '\0') {
      *path = env;
    } else {
      *path = "/tmp/cairntest-" + std::to_string(geteuid());
    }
    return CreateDirIfMissing(*path, options, dbg);
  }

  IOStatus GetAbsolutePath(const std::string& path, const IOOptions& /*options*/,
                           std::string* output, IODebugContext* /*dbg*/) override {
    if (!path.empty() && path[0] == '/') {
      *output = path;
      return IOStatus::OK();
    }
    std::error_code error;
    // style: the name of the working directory only, which blocks on nothing
    *output = std::filesystem::current_path(error).string();
    if (error) {
      return IOErrorFromErrno("While getting the working directory for", path, error.value());
    }
    if (!path.empty()) *output += "/" + path;
    return IOStatus::OK();
  }

  IOStatus GetFreeSpace(const std::string& path, const IOOptions& /*options*/, uint64_t* bytes,
                        IODebugContext* /*dbg*/) override {
    *bytes = 0;
    return Check(fiber::io::statfs_free(path.c_str(), bytes), "While doing statvfs", path);
  }

  IOStatus IsDirectory(const std::string& path, const IOOptions& /*options*/, bool* is_dir,
                       IODebugContext* /*dbg*/) override {
    struct stat st;
    *is_dir = false;
    IOStatus s =
        Check(fiber::io::stat(path.c_str(), &st), "While doing stat for IsDirectory()", path);
    if (s.ok()) *is_dir = S_ISDIR(st.st_mode);
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
    // (Where ".." leads a symbolic link may decide.)
    const bool plain = absolute.find("/../") == std::string::npos;
    // style: a name only, no system call
    lock->path = plain ? std::filesystem::path(absolute).lexically_normal().string() : absolute;
    const size_t slash = fname.rfind('/');
    lock->base = fname.substr(slash == std::string::npos ? 0 : slash + 1);
    const std::string directory =
        slash == std::string::npos ? "." : fname.substr(0, std::max<size_t>(slash, 1));
    lock->directory_fd = OpenFile(directory.c_str(), O_PATH | O_DIRECTORY);
    if (lock->directory_fd < 0) {
      return IOErrorFromErrno("while open a file for lock", fname, -lock->directory_fd);
    }
    struct stat st;
    s = Check(fiber::io::fstat(lock->directory_fd, &st), "while stat a directory for lock", fname);
    if (!s.ok()) return s;
    lock->directory = IdOf(st);
    const bool exists = fiber::io::stat(fname.c_str(), &st) >= 0;
    if (exists) lock->file = IdOf(st);
    if (const FiberFileLock* const other = locks.Find(*lock, exists ? &lock->file : nullptr)) {
      return IOErrorFromErrno("lock hold by current process, acquire time " +
                                  std::to_string(other->since_seconds) + " acquiring thread " +
                                  std::to_string(other->thread_id),
                              fname, ENOLCK);
    }
    lock->fd = OpenFile(fname.c_str(), O_RDWR | O_CREAT, 0644);
    if (lock->fd < 0) return IOErrorFromErrno("while open a file for lock", fname, -lock->fd);
    // A child would hold the lock beyond our end.
    fiber::close_on_fork(lock->fd);
    s = Check(fiber::io::lock_file(lock->fd), "While lock file", fname);
    if (s.ok()) {
      s = Check(fiber::io::fstat(lock->fd, &st), "while stat a file for lock", fname);
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

  static IOStatus OpenWritable(const std::string& fname, const FileOptions& options, int flags,
                               bool append, std::unique_ptr<FSWritableFile>* result) {
    result->reset();
    // use_mmap_writes is the default of EnvOptions and only a wish: writes go through pwrite.
    const bool direct = options.use_direct_writes;
    const int fd =
        OpenFile(fname.c_str(), O_WRONLY | O_CREAT | flags | (direct ? O_DIRECT : 0), 0644);
    if (fd < 0) return OpenError("While open a file for appending", fname, fd, direct);
    fiber::io::keep_registered(fd);
    uint64_t size = 0;
    if (append) {
      struct stat st;
      const int r = fiber::io::fstat(fd, &st);
      if (r < 0) {
        (void)fiber::io::close(fd);
        return IOErrorFromErrno("While fstat of a file for appending", fname, -r);
      }
      size = static_cast<uint64_t>(st.st_size);
    }
    *result = std::make_unique<FiberWritableFile>(fd, fname, options, size);
    return IOStatus::OK();
  }
};

}  // namespace

std::unique_ptr<FileSystem> NewFiberFileSystem() { return std::make_unique<FiberFileSystem>(); }

}  // namespace cairn
