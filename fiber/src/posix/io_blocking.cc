// See io_blocking.h. Every function is one system call with its errno turned into the result.
#include "io_blocking.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fiber::io::blocking {

namespace {

// Repeats a system call while a signal interrupts it.
template <class Call>
auto retry(Call call) -> decltype(call()) {
  for (;;) {
    auto result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

int set_lock(int fd, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  const int result = retry([&] { return ::fcntl(fd, F_OFD_SETLK, &lock); });
  // Older than Linux 3.15, or a file system or sandbox that has the older kind alone.
  if (result != -EINVAL && result != -ENOSYS && result != -EOPNOTSUPP) return result;
  return retry([&] { return ::fcntl(fd, F_SETLK, &lock); });
}

}  // namespace

int open(const char* path, int flags, Mode mode) {
  return retry([&] { return ::open(path, flags | O_CLOEXEC, mode); });
}

int close(int fd) {
  // Linux frees the descriptor even when close() says EINTR: a second try could close somebody
  // else's.
  if (::close(fd) == 0 || errno == EINTR) return 0;
  return -errno;
}

ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset) {
  return retry([&] { return ::pread(fd, data, size, static_cast<off_t>(offset)); });
}

ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  return retry([&] { return ::pwrite(fd, data, size, static_cast<off_t>(offset)); });
}

ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset) {
  return retry([&] { return ::preadv(fd, parts, count, static_cast<off_t>(offset)); });
}

ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset) {
  return retry([&] { return ::pwritev(fd, parts, count, static_cast<off_t>(offset)); });
}

ptrdiff_t read(int fd, void* data, size_t size) {
  return retry([&] { return ::read(fd, data, size); });
}

ptrdiff_t write(int fd, const void* data, size_t size) {
  return retry([&] { return ::write(fd, data, size); });
}

ptrdiff_t pread_cached(int fd, void* data, size_t size, uint64_t offset) {
  iovec part = {data, size};
  return preadv_cached(fd, &part, 1, offset);
}

ptrdiff_t preadv_cached(int fd, const IoVec* parts, int count, uint64_t offset) {
#if defined(__LP64__)
  // Not through libc's preadv2(): a call that never waits needs no cancellation point, which costs
  // it 3 %.
  return retry([&] { return ::syscall(SYS_preadv2, fd, parts, count, offset, 0, RWF_NOWAIT); });
#else
  return retry([&] { return ::preadv2(fd, parts, count, static_cast<off_t>(offset), RWF_NOWAIT); });
#endif
}

int fsync(int fd) {
  return retry([&] { return ::fsync(fd); });
}

int fdatasync(int fd) {
  return retry([&] { return ::fdatasync(fd); });
}

int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags) {
  return retry([&] {
    return ::sync_file_range(fd, static_cast<off_t>(offset), static_cast<off_t>(length), flags);
  });
}

int fallocate(int fd, int mode, uint64_t offset, uint64_t length) {
  return retry([&] {
    return ::fallocate(fd, mode, static_cast<off_t>(offset), static_cast<off_t>(length));
  });
}

int set_size(int fd, uint64_t length) {
  return retry([&] { return ::ftruncate(fd, static_cast<off_t>(length)); });
}

int fadvise(int fd, uint64_t offset, uint64_t length, int advice) {
  // posix_fadvise returns the error instead of setting errno.
  return -::posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(length), advice);
}

int statfs_free(const char* path, uint64_t* bytes) {
  struct statvfs info;
  int result = retry([&] { return ::statvfs(path, &info); });
  if (result == 0) *bytes = static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
  return result;
}

int rename(const char* from, const char* to) {
  return retry([&] { return ::rename(from, to); });
}

int unlink(const char* path) {
  return retry([&] { return ::unlink(path); });
}

int link(const char* existing, const char* created) {
  return retry([&] { return ::link(existing, created); });
}

int mkdir(const char* path, Mode mode) {
  return retry([&] { return ::mkdir(path, mode); });
}

int rmdir(const char* path) {
  return retry([&] { return ::rmdir(path); });
}

int status(const char* path, FileStatus* out) {
  return retry([&] { return ::stat(path, out); });
}

int file_status(int fd, FileStatus* out) {
  return retry([&] { return ::fstat(fd, out); });
}

int access(const char* path, int mode) {
  return retry([&] { return ::access(path, mode); });
}

int list_dir(const char* path, std::vector<std::string>* names) {
  names->clear();
  DIR* dir = ::opendir(path);
  if (dir == nullptr) return -errno;
  int result = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(dir);
    if (entry == nullptr) {
      result = -errno;
      break;
    }
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    names->emplace_back(entry->d_name);
  }
  ::closedir(dir);
  return result;
}

int lock_file(int fd) { return set_lock(fd, F_WRLCK); }

int unlock_file(int fd) { return set_lock(fd, F_UNLCK); }

}  // namespace fiber::io::blocking
