// The file operations of io.h as plain system calls that block the calling thread.
//
// Called by io.cc on plain threads, and by the blocking pool for fibers. Same results as io.h: >= 0
// or -errno, EINTR handled. Reentrant and without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fiber/io.h"

namespace fiber::io::blocking {

// The kernel moves at most this many bytes in one call; io_uring takes 32-bit lengths, so that one
// clamp serves both.
inline constexpr size_t kMaxTransfer = 0x7ffff000;

int open(const char* path, int flags, Mode mode);
int close(int fd);
ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset);
ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset);
ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset);
ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset);
ptrdiff_t read(int fd, void* data, size_t size);
ptrdiff_t write(int fd, const void* data, size_t size);
// Reads only what the page cache holds: -EAGAIN if nothing of it is there, -EOPNOTSUPP or -EINVAL
// where the kernel or the file cannot tell.
ptrdiff_t pread_cached(int fd, void* data, size_t size, uint64_t offset);
ptrdiff_t preadv_cached(int fd, const IoVec* parts, int count, uint64_t offset);
int fsync(int fd);
int fdatasync(int fd);
int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags);
int fallocate(int fd, int mode, uint64_t offset, uint64_t length);
int set_size(int fd, uint64_t length);
int fadvise(int fd, uint64_t offset, uint64_t length, int advice);
int statfs_free(const char* path, uint64_t* bytes);
int rename(const char* from, const char* to);
int unlink(const char* path);
int link(const char* existing, const char* created);
int mkdir(const char* path, Mode mode);
int rmdir(const char* path);
int status(const char* path, FileStatus* out);
int file_status(int fd, FileStatus* out);
int access(const char* path, int mode);
int list_dir(const char* path, std::vector<std::string>* names);
int lock_file(int fd);
int unlock_file(int fd);

}  // namespace fiber::io::blocking
