// The types and constants of io.h where the system is POSIX: aliases of its own, so that what its
// headers made can be handed over as it is. fiber/windows/io_types.h is the other one.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

namespace fiber::io {

using IoVec = iovec;
using Mode = mode_t;
using FileStatus = struct stat;

// open()'s `flags`: one of the first three, and any of the others.
inline constexpr int kReadOnly = O_RDONLY;
inline constexpr int kWriteOnly = O_WRONLY;
inline constexpr int kReadWrite = O_RDWR;
inline constexpr int kCreate = O_CREAT;
inline constexpr int kExclusive = O_EXCL;
inline constexpr int kTruncate = O_TRUNC;
inline constexpr int kAppend = O_APPEND;
// Reads and writes go past the page cache; buffers, offsets and sizes must be aligned.
#if defined(O_DIRECT)
inline constexpr int kDirect = O_DIRECT;
#else
inline constexpr int kDirect = 0;
#endif
// Each write is durable, data and what is needed to read it, when it returns.
inline constexpr int kDataSync = O_DSYNC;
// Fails if it is no directory. Such a descriptor is for fsync() and for lock_file().
inline constexpr int kDirectory = O_DIRECTORY;

// access()'s `mode`.
inline constexpr int kExists = F_OK;
inline constexpr int kMayRead = R_OK;
inline constexpr int kMayWrite = W_OK;

// fallocate()'s `mode`, fadvise()'s `advice`, sync_file_range()'s `flags`.
#if defined(__linux__)
inline constexpr int kKeepSize = 0x1;  // FALLOC_FL_KEEP_SIZE, which only _GNU_SOURCE shows
#endif
inline constexpr int kAdviseNormal = POSIX_FADV_NORMAL;
inline constexpr int kAdviseRandom = POSIX_FADV_RANDOM;
inline constexpr int kAdviseSequential = POSIX_FADV_SEQUENTIAL;
inline constexpr int kAdviseWillNeed = POSIX_FADV_WILLNEED;
inline constexpr int kAdviseDontNeed = POSIX_FADV_DONTNEED;

// status(), file_status() and set_size() under POSIX's names, some of which other systems have as
// macros.
int status(const char* path, FileStatus* out);
int file_status(int fd, FileStatus* out);
int set_size(int fd, uint64_t length);
inline int stat(const char* path, FileStatus* out) { return status(path, out); }
inline int fstat(int fd, FileStatus* out) { return file_status(fd, out); }
inline int ftruncate(int fd, uint64_t length) { return set_size(fd, length); }

}  // namespace fiber::io
