// Memory of blocks, recycled per worker.
//
// A read that misses the block cache allocates a block (and one for the compressed bytes), and
// evicts another, which some other worker allocated. The C library's allocator locks the arena of
// that worker for it: on two busy workers they waited for each other (a tenth of the time), and
// the two calls were a tenth of the processor time of a read besides. So freed blocks of usual
// sizes stay on a short stack of the worker that freed them, by size class, for its next read.
//
// Bounded: at most kBlockMemoryPerSlot bytes for each slot (fiber::slot()). Not with the address
// sanitizer, which would not see a use after free.
//
// Thread-safe.
#pragma once

#include <cstddef>

#include "base/namespace.h"

namespace cairn {

inline constexpr size_t kBlockMemoryPerSlot = 256 << 10;

// At least `*size` bytes, and the number that may be used in `*size`, which FreeBlockMemory() needs
// again. Aligned as malloc(). Null when there is no memory. Between 1 KiB and 64 KiB a size is
// rounded up by a sixteenth at most.
void* AllocateBlockMemory(size_t* size);

// The sizes next to `size` that AllocateBlockMemory() does not round up: *below <= size <= *above.
void BlockMemoryAround(size_t size, size_t* below, size_t* above);
void FreeBlockMemory(void* memory, size_t size);

// Bytes that wait for reuse on all stacks.
size_t IdleBlockMemory();

}  // namespace cairn
