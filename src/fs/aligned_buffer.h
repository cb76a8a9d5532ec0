// A heap buffer whose start is aligned, as direct I/O requires. Not thread-safe, not copyable.

#ifndef CAIRN_FS_ALIGNED_BUFFER_H_
#define CAIRN_FS_ALIGNED_BUFFER_H_

#include <cstddef>

#include "base/aligned_memory.h"
#include "base/namespace.h"

namespace cairn {

class AlignedBuffer {
 public:
  // `alignment` is a power of two. data() is null when the memory cannot be had.
  AlignedBuffer(size_t alignment, size_t size)
      : data_(AllocateAligned(alignment, (size + alignment - 1) / alignment * alignment)) {}
  ~AlignedBuffer() { FreeAligned(data_); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  char* data() const { return data_; }

 private:
  char* const data_;
};

}  // namespace cairn

#endif  // CAIRN_FS_ALIGNED_BUFFER_H_
