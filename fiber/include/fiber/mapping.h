// A file's bytes as memory, for reading, and a part of them for writing.
//
// What is not in memory yet is a page fault, which nothing can make a fiber park for: its worker
// waits. Whoever reads on a fiber therefore asks resident(), and reads by io.h what is not: after
// that it is resident.
//
// Thread safety: of several readers of one mapping. Its bytes are those of the file, whoever writes
// it; reading behind the end of a file that was cut meanwhile ends the process (SIGBUS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace fiber::io {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  // The first `size` bytes of the open file, which has as many; the descriptor may be closed before
  // the mapping ends. 0, or an error as io.h has them (-EINVAL: `size` is 0). Does not block.
  static int of(int fd, uint64_t size, Mapping* mapping);

  const char* data() const { return data_; }
  size_t size() const { return size_; }

  // Whether all these bytes can be read without a wait. A system call; may be wrong a moment later.
  // False where the system cannot tell (Windows), and in a simulation, which no page fault may
  // decide.
  bool resident(size_t offset, size_t length) const;

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// A part of a file as memory to write to, for one user. What was written is the file's at once, for
// whoever reads or syncs it. The end of the mapping syncs nothing.
//
// The file must have all of it, and its space: writing where the file system finds none, or behind
// the file's end, ends the process (SIGBUS). A page that is not in memory is a page fault here,
// too.
class WritableMapping {
 public:
  WritableMapping() = default;
  WritableMapping(WritableMapping&& other) noexcept { *this = std::move(other); }
  WritableMapping& operator=(WritableMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~WritableMapping();

  // `size` bytes from `offset`, a multiple of granularity(), of a file that is open for reading and
  // writing. 0, or an error; -EOPNOTSUPP on Windows. Does not block.
  static int of(int fd, uint64_t offset, size_t size, WritableMapping* mapping);
  // Bytes, a power of two.
  static size_t granularity();

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace fiber::io
