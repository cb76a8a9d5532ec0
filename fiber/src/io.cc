// The file operations of io.h. On a plain thread each is the blocking system call (io_blocking.h).
#include "fiber/io.h"

#include "io_blocking.h"

namespace fiber::io {

int open(const char* path, int flags, mode_t mode) { return blocking::open(path, flags, mode); }

int close(int fd) { return blocking::close(fd); }

ssize_t pread(int fd, void* data, size_t size, uint64_t offset) {
  return blocking::pread(fd, data, size, offset);
}

ssize_t pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  return blocking::pwrite(fd, data, size, offset);
}

ssize_t preadv(int fd, const iovec* parts, int count, uint64_t offset) {
  return blocking::preadv(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const iovec* parts, int count, uint64_t offset) {
  return blocking::pwritev(fd, parts, count, offset);
}

ssize_t read(int fd, void* data, size_t size) { return blocking::read(fd, data, size); }

ssize_t write(int fd, const void* data, size_t size) { return blocking::write(fd, data, size); }

void pread_batch(std::span<ReadRequest> requests) {
  for (ReadRequest& r : requests) r.result = blocking::pread(r.fd, r.data, r.size, r.offset);
}

int fsync(int fd) { return blocking::fsync(fd); }

int fdatasync(int fd) { return blocking::fdatasync(fd); }

int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags) {
  return blocking::sync_file_range(fd, offset, length, flags);
}

int fallocate(int fd, int mode, uint64_t offset, uint64_t length) {
  return blocking::fallocate(fd, mode, offset, length);
}

int ftruncate(int fd, uint64_t length) { return blocking::ftruncate(fd, length); }

int fadvise(int fd, uint64_t offset, uint64_t length, int advice) {
  return blocking::fadvise(fd, offset, length, advice);
}

int statfs_free(const char* path, uint64_t* bytes) { return blocking::statfs_free(path, bytes); }

int rename(const char* from, const char* to) { return blocking::rename(from, to); }

int unlink(const char* path) { return blocking::unlink(path); }

int link(const char* existing, const char* created) { return blocking::link(existing, created); }

int mkdir(const char* path, mode_t mode) { return blocking::mkdir(path, mode); }

int rmdir(const char* path) { return blocking::rmdir(path); }

int stat(const char* path, struct stat* out) { return blocking::stat(path, out); }

int fstat(int fd, struct stat* out) { return blocking::fstat(fd, out); }

int access(const char* path, int mode) { return blocking::access(path, mode); }

int list_dir(const char* path, std::vector<std::string>* names) {
  return blocking::list_dir(path, names);
}

int lock_file(int fd) { return blocking::lock_file(fd); }

int unlock_file(int fd) { return blocking::unlock_file(fd); }

}  // namespace fiber::io
