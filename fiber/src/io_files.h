// What kind of file stands behind a descriptor, as far as it decides how to do I/O on it from a
// fiber.
//
// Called by io.cc for every read and write on a fiber: a table lookup for descriptors of
// io::open(), two cheap system calls for others. Answers can be out of date if a descriptor of
// io::open() is closed behind our back and its number reused: the I/O is right all the same, but
// may hold up the worker.
//
// Thread safety: all functions from any thread.
#pragma once

#include <cstdint>

namespace fiber::io {

enum class FileKind : uint8_t {
  kUnknown = 0,
  // A regular file through the page cache. A read can be tried without waiting, and a small write
  // only copies.
  kBuffered,
  // The same, on a file system of another machine or process (NFS, SMB, FUSE ...): a read can be
  // tried, but a write may go there and back.
  kBufferedRemote,
  // O_DIRECT, O_SYNC, O_DSYNC, a pipe, a device ...: any call may take long.
  kOther,
};

FileKind file_kind(int fd);
// Whether a call on it may wait for somebody else, for ever: a pipe, a socket, a terminal.
bool is_stream(int fd);
// Whether io::open() found a regular file. A table lookup.
bool is_known_file(int fd);
// After io::open() and before io::close().
void remember_file(int fd);
void forget_file(int fd);

}  // namespace fiber::io
