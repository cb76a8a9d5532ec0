// The types and constants of io.h on Windows: our own, under the names that POSIX gives their
// members, so that one text serves both. No header of Windows is needed, and none of their macros
// comes in. (fiber/posix/io_types.h is the other one.)
//
// Descriptors are small numbers here as well, from 3 on: places in a table of the library
// (src/windows/handles.h) with a HANDLE or SOCKET each. They are not those of the C runtime: its
// _open() and _read() know nothing of them. 0, 1 and 2 are the standard handles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fiber::io {

struct IoVec {
  void* iov_base;
  size_t iov_len;
};

// Only the owner's right to write (0200) counts: without it the file is made read-only.
using Mode = unsigned;

struct FileStatus {
  // The volume's serial number and the file's identity on it (FileIdInfo: 128 bits; file systems
  // without one have 64).
  uint64_t st_dev;
  uint64_t st_ino;
  uint64_t st_ino_high;
  // kModeDirectory or kModeRegular, or 0 (a pipe, a device), with the rights as the C runtime shows
  // them.
  uint32_t st_mode;
  uint32_t st_nlink;
  int64_t st_size;
  // Units of 512 bytes on the disk.
  int64_t st_blocks;
  uint32_t st_blksize;
  // Seconds since the Unix epoch, and the rest in nanoseconds.
  int64_t st_atime;
  int64_t st_mtime;
  int64_t st_ctime;
  uint32_t st_mtime_nanos;
};
inline constexpr uint32_t kModeType = 0xf000;
inline constexpr uint32_t kModeDirectory = 0x4000;
inline constexpr uint32_t kModeRegular = 0x8000;

// open()'s `flags`: the first three and the four that follow have the values of the C runtime's
// O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC and O_APPEND. Others of the C runtime are
// refused with -EINVAL, but for O_BINARY and O_NOINHERIT, which are always on.
inline constexpr int kReadOnly = 0;
inline constexpr int kWriteOnly = 1;
inline constexpr int kReadWrite = 2;
inline constexpr int kAppend = 0x0008;
inline constexpr int kCreate = 0x0100;
inline constexpr int kTruncate = 0x0200;
inline constexpr int kExclusive = 0x0400;
// FILE_FLAG_NO_BUFFERING: buffers, offsets and sizes must be aligned to the sector.
inline constexpr int kDirect = 0x01000000;
// FILE_FLAG_WRITE_THROUGH.
inline constexpr int kDataSync = 0x02000000;
// Fails if it is no directory. Such a descriptor is for fsync().
inline constexpr int kDirectory = 0x04000000;

// access()'s `mode`.
inline constexpr int kExists = 0;
inline constexpr int kMayRead = 4;
inline constexpr int kMayWrite = 2;

// fallocate()'s `mode` and fadvise()'s `advice`, with Linux's numbers.
inline constexpr int kKeepSize = 1;
inline constexpr int kAdviseNormal = 0;
inline constexpr int kAdviseRandom = 1;
inline constexpr int kAdviseSequential = 2;
inline constexpr int kAdviseWillNeed = 3;
inline constexpr int kAdviseDontNeed = 4;

// The HANDLE (a SOCKET of net.h, too) behind a descriptor, for what this library has no call for;
// null if there is none. It stays the descriptor's, is overlapped and may belong to a completion
// port: an operation on it needs an OVERLAPPED with an event whose lowest bit is set.
void* native_handle(int fd);

}  // namespace fiber::io
