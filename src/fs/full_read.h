// A read of the default file system that goes on until all bytes are there or the file ends.
// Private to fs/.
//
// A pread may stop short. On a disk that is the end of the file; a file system of the network, or
// of a process, may stop short anywhere, and of one that does io_uring says 0 now and then where
// there is more (Linux 6.18, FUSE). So the file's size decides, and where it cannot be had the read
// has failed: a short answer would be taken for a damaged file, or for the end of a log.
//
// Thread safety: none needed, a read has one user.

#ifndef CAIRN_FS_FULL_READ_H_
#define CAIRN_FS_FULL_READ_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/io_status.h"

namespace cairn {

class FullRead {
 public:
  // Of `size` bytes from `offset` on, both in bytes. `name`, the path that errors name, is
  // borrowed. `direct`: the descriptor has O_DIRECT.
  FullRead(int fd, const std::string& name, bool direct, uint64_t offset, size_t size)
      : fd_(fd), direct_(direct), name_(&name), offset_(offset), size_(size) {}

  // Whether nothing is left to be read. Then status() says how it ended and done() what came.
  bool over() const { return over_ || done_ == size_; }
  const IOStatus& status() const { return status_; }
  // Bytes that are there, 0 after an error. The next pread's place in the buffer.
  size_t done() const { return done_; }
  // Where and how many bytes the next pread is to read.
  uint64_t offset() const { return offset_ + done_; }
  size_t left() const { return size_ - done_; }

  // `result`: what that pread returned, bytes or -errno.
  void Add(ptrdiff_t result) {
    if (result == static_cast<ptrdiff_t>(left())) [[likely]] {
      done_ = size_;
    } else {
      AddPart(result);
    }
  }

 private:
  void AddPart(ptrdiff_t result);
  void Fail(const char* what, int error);

  const int fd_;
  const bool direct_;
  bool over_ = false;
  const std::string* const name_;
  const uint64_t offset_;
  const size_t size_;
  size_t done_ = 0;
  int tries_ = 0;  // that got no further
  IOStatus status_;
};

}  // namespace cairn

#endif  // CAIRN_FS_FULL_READ_H_
