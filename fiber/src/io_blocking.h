// The file operations of io.h as plain system calls that block the calling thread.
//
// Called by io.cc on plain threads, and by the blocking pool for fibers. Same results as io.h: >= 0
// or -errno, EINTR handled. Reentrant and without state.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fiber::io::blocking {

// The kernel moves at most this many bytes in one call; io_uring takes 32-bit lengths, so that one
// clamp serves both.
inline constexpr size_t kMaxTransfer = 0x7ffff000;

int open(const char* path, int flags, mode_t mode);
int close(int fd);
ssize_t pread(int fd, void* data, size_t size, uint64_t offset);
ssize_t pwrite(int fd, const void* data, size_t size, uint64_t offset);
ssize_t preadv(int fd, const iovec* parts, int count, uint64_t offset);
ssize_t pwritev(int fd, const iovec* parts, int count, uint64_t offset);
ssize_t read(int fd, void* data, size_t size);
ssize_t write(int fd, const void* data, size_t size);
// Reads only what the page cache holds: -EAGAIN if nothing of it is there, -EOPNOTSUPP or -EINVAL
// where the kernel or the file cannot tell.
ssize_t pread_cached(int fd, void* data, size_t size, uint64_t offset);
ssize_t preadv_cached(int fd, const iovec* parts, int count, uint64_t offset);
int fsync(int fd);
int fdatasync(int fd);
int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags);
int fallocate(int fd, int mode, uint64_t offset, uint64_t length);
int ftruncate(int fd, uint64_t length);
int fadvise(int fd, uint64_t offset, uint64_t length, int advice);
int statfs_free(const char* path, uint64_t* bytes);
int rename(const char* from, const char* to);
int unlink(const char* path);
int link(const char* existing, const char* created);
int mkdir(const char* path, mode_t mode);
int rmdir(const char* path);
int stat(const char* path, struct stat* out);
int fstat(int fd, struct stat* out);
int access(const char* path, int mode);
int list_dir(const char* path, std::vector<std::string>* names);
int lock_file(int fd);
int unlock_file(int fd);

}  // namespace fiber::io::blocking
