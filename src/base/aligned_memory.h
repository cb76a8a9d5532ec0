// Heap memory with a start that is aligned, as direct I/O requires. Thread-safe as malloc is.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "base/namespace.h"

namespace cairn {

// `alignment` is a power of two, `size`, in bytes, a multiple of it. Null if there is no memory.
// The caller owns the result and gives it to FreeAligned(), and to nothing else.
inline char* AllocateAligned(size_t alignment, size_t size) {
#ifdef _WIN32
  return static_cast<char*>(_aligned_malloc(size, alignment));
#else
  return static_cast<char*>(std::aligned_alloc(alignment, size));
#endif
}

// Null is allowed.
inline void FreeAligned(void* memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace cairn
