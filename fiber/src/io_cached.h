// Reads that never wait: what the page cache holds, tried before a read is handed to an engine.
// Defined in io.cc, shared with flight.cc.
//
// Thread safety: all functions from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io_blocking.h"

namespace fiber::io {

inline constexpr uint64_t kMaxOffset = INT64_MAX;

inline size_t clamp(size_t size) {
  return size < blocking::kMaxTransfer ? size : blocking::kMaxTransfer;
}

// Whether read_cached() makes sense for this descriptor.
bool may_read_cached(int fd);

// Adds to *done what the page cache holds of a read, as far as it reaches. True: the read is over
// (all is there, end of file, or an error, which is in *result).
bool read_cached(int fd, void* data, size_t size, uint64_t offset, size_t* done, ptrdiff_t* result);

// On a fiber, after a call that completed without a suspension: lets others run now and then.
void completed_inline();

}  // namespace fiber::io
