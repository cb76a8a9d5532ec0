// File I/O of the fiber library: the system calls of a storage engine, written once for both kinds
// of caller.
//
// On a fiber a call parks the fiber and lets its worker run others until the kernel is done; on a
// plain thread it is the blocking system call itself. The meaning of every result is the same in
// both.
//
// Results: >= 0 on success, -errno on failure; errno itself is neither read nor written by the
// caller (it would be another thread's or another fiber's after a switch). EINTR is handled inside
// and never returned. Short reads and writes are returned as they are: a caller that needs all
// bytes loops. Buffers and paths are borrowed until the call returns; a fiber never returns from a
// call while the kernel may still touch its buffer.
//
// On a fiber a read that the page cache can answer, and a small write into the page cache, are made
// at once, without parking; from time to time such a call lets other fibers run all the same.
//
// Thread safety: every function may be called from any fiber and any thread at once; two calls on
// one file descriptor are ordered only if the callers order them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#if defined(_WIN32)
#include "fiber/windows/io_types.h"
#else
#include "fiber/posix/io_types.h"
#endif

namespace fiber::io {

// --- opening and closing

// Returns the new descriptor, closed on exec. `flags`: kReadOnly and the like of io_types.h (POSIX:
// any O_*); `mode` counts only with kCreate. What open() returned is to be closed with close(), not
// with the system call: how a fiber does I/O on it is remembered from here to there.
int open(const char* path, int flags, Mode mode = 0644);
// The descriptor is gone after the call even if an error (for example -EIO of a late write) is
// returned.
int close(int fd);
// Lets the workers' rings hold references of the file (io_uring's registered files), each once it
// has used it a few dozen times: an operation then costs 4 to 14 % less processor time. To be asked
// only by who sees to it that the descriptor is closed by io::close() or net::close() and in no
// other way: a file that gets its number behind the library's back would be mistaken for it. After
// the close another worker's reference goes with that worker's next operation or sleep. Ends with
// the close; without effect where there is no ring.
void keep_registered(int fd);

// --- reading and writing

// `offset` and all sizes are in bytes. 0 from a read means end of file. At most 0x7ffff000 bytes
// move in one call (the kernel's limit), more is a short read or write.
ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset);
ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset);
ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset);
ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset);
// At the descriptor's own position (also for pipes and other files without one).
ptrdiff_t read(int fd, void* data, size_t size);
ptrdiff_t write(int fd, const void* data, size_t size);

// One part of pread_batch(). `result` is set as pread() would return it.
struct ReadRequest {
  int fd = -1;
  void* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;
  ptrdiff_t result = 0;
};

// Performs all reads and returns when the last is done. What is not in the page cache goes to the
// device in one submission (on a plain thread: one after the other). The parts fail or fall short
// each by itself.
void pread_batch(std::span<ReadRequest> requests);

// --- durability and space

int fsync(int fd);
int fdatasync(int fd);
// On Windows sync_file_range() and fadvise() are -EOPNOTSUPP, and fallocate() knows the modes 0 and
// kKeepSize and needs FileAllocationInfo of the file system.

// Linux: starts (or waits for) write-back of a range; no promise of durability. `flags`:
// SYNC_FILE_RANGE_*. `length` 0 means to the end of the file.
int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags);
// `mode`: 0 or kKeepSize (Linux: FALLOC_FL_*). -EOPNOTSUPP where the file system cannot.
int fallocate(int fd, int mode, uint64_t offset, uint64_t length);
int set_size(int fd, uint64_t length);
// `advice`: kAdviseNormal and the like. `length` 0 means to the end of the file.
int fadvise(int fd, uint64_t offset, uint64_t length, int advice);
// Tells the size of the free space for unprivileged users on the file system that holds `path`, in
// bytes.
int statfs_free(const char* path, uint64_t* bytes);

// --- names

int rename(const char* from, const char* to);
int unlink(const char* path);
int link(const char* existing, const char* created);
int mkdir(const char* path, Mode mode);
int rmdir(const char* path);
int status(const char* path, FileStatus* out);
int file_status(int fd, FileStatus* out);
// `mode`: kExists or kMayRead | kMayWrite.
int access(const char* path, int mode);
// Replaces `*names` by the names in the directory, without "." and "..", in no particular order.
int list_dir(const char* path, std::vector<std::string>* names);

// --- locks between processes

// Takes a write lock on the whole file without blocking: -EAGAIN or -EACCES if somebody holds one,
// in another process or through another open() in this one, of this kind or of POSIX's F_SETLK. It
// is the open file's (F_OFD_SETLK): nothing but unlock_file() and the last close of `fd` and its
// duplicates releases it, whoever else opens and closes the file. Where the system has none it is
// POSIX's, which any close of the file releases and which excludes nobody in this process.
int lock_file(int fd);
int unlock_file(int fd);

}  // namespace fiber::io
