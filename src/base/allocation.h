// Memory whose size data or clients say: a batch, a value, a merge's result, a record of a log. The
// system may refuse it, and then the operation fails with Status::MemoryLimit and nothing else
// does.
//
// The one place where an allocation that fails is met (bad_alloc); all else lets it end the
// process, as small allocations do. Thread-safe.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

namespace detail {
// True: the allocation of so many bytes is to fail (FailAllocationsFrom).
bool IsToFail(size_t bytes);
}  // namespace detail

// For tests: allocations through this file of so many bytes or more fail; 0: none does.
void FailAllocationsFrom(size_t bytes);

// What `f` does, which allocates about so many bytes. False: there is no memory for it; what `f`
// had begun must be good to be thrown away.
template <typename F>
[[nodiscard]] bool WithMemory(size_t bytes, const F& f) {
  if (detail::IsToFail(bytes)) return false;
  try {
    f();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::length_error&) {
    return false;
  }
}

// Whether so many bytes could be had just now.
[[nodiscard]] bool MemoryIsThere(size_t bytes);

// Makes room for `size` bytes in all: twice of what there is, to be ready for more, or what is
// asked for if there is no more. False: not even that; the string is as it was.
[[nodiscard]] bool ReserveIfPossible(std::string* s, size_t size);

// Appends, as far as there is memory; false: nothing was appended.
[[nodiscard]] bool AppendIfPossible(std::string* s, const char* data, size_t size);

// The same bytes and no others; false: the string is empty.
[[nodiscard]] bool AssignIfPossible(std::string* s, const char* data, size_t size);

// PinnableSlice::PinSelf. MemoryLimit: *value holds nothing.
[[nodiscard]] Status CopyInto(PinnableSlice* value, const Slice& bytes);

}  // namespace cairn
