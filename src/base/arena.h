// Arena: memory that is given back all at once. ConcurrentArena: the same for many writers of one
// memtable.
//
// Blocks come from operator new; a request larger than a quarter of a block gets a block of its
// own, so that little is wasted; there, and only there, null says that the system has no memory.
// The first block is small: an arena that holds next to nothing costs next to nothing. With
// ArenaOptions::huge_page_size blocks are whole huge pages: reserved ones, if they are wanted and
// the system has some (the LOG hears once that it has none), else transparent ones, else ordinary
// memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/huge_pages.h"
#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/env.h"

namespace cairn {

// Hears of each block that an arena takes from the system, on the thread that takes it and with
// the arena's lock held: it must not call the arena, and not suspend for long.
class AllocationTracker {
 public:
  virtual void Allocated(size_t bytes) = 0;

 protected:
  ~AllocationTracker() = default;
};

struct ArenaOptions {
  size_t block_size = 4096;         // bytes
  size_t huge_page_size = 0;        // bytes, a power of two; 0: no huge pages
  bool reserved_huge_pages = true;  // those that the system keeps for who asks, if it has any
  std::shared_ptr<HugePagePool> huge_page_pool = nullptr;  // where they come from and go to
  AllocationTracker* tracker = nullptr;                    // borrowed, may be null
  Logger* info_log = nullptr;                              // borrowed, may be null
};

// Not thread-safe, except for the two counters.
class Arena {
 public:
  static constexpr size_t kDefaultBlockSize = 4096;
  static constexpr size_t kMinBlockSize = 4096;
  static constexpr size_t kAlignment = alignof(std::max_align_t);

  explicit Arena(size_t block_size = kDefaultBlockSize)
      : Arena(ArenaOptions{.block_size = block_size}) {}
  explicit Arena(const ArenaOptions& options);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Memory of any alignment, good until the arena dies. Null: there is none, and more than a
  // quarter of a block was asked for. REQUIRES: bytes > 0
  char* Allocate(size_t bytes) {
    if (bytes <= static_cast<size_t>(unaligned_ptr_ - aligned_ptr_)) {
      unaligned_ptr_ -= bytes;
      return unaligned_ptr_;
    }
    return AllocateFallback(bytes, /*aligned=*/false);
  }

  // The same, aligned to kAlignment.
  char* AllocateAligned(size_t bytes) {
    // Aligned requests grow up from the start of the block, others down from its end: no padding
    // between two of a kind.
    const size_t slop = (kAlignment - reinterpret_cast<uintptr_t>(aligned_ptr_)) & (kAlignment - 1);
    if (bytes + slop <= static_cast<size_t>(unaligned_ptr_ - aligned_ptr_)) {
      char* result = aligned_ptr_ + slop;
      aligned_ptr_ = result + bytes;
      return result;
    }
    return AllocateFallback(bytes, /*aligned=*/true);
  }

  // Bytes taken from the system; and of these, what was given out (about). Any thread may ask.
  size_t MemoryAllocatedBytes() const { return allocated_bytes_.load(std::memory_order_relaxed); }
  size_t ApproximateMemoryUsage() const { return MemoryAllocatedBytes() - AllocatedAndUnused(); }
  size_t MemoryUsage() const { return ApproximateMemoryUsage(); }
  // What is left of the current block. Only the owner may ask.
  size_t AllocatedAndUnused() const { return static_cast<size_t>(unaligned_ptr_ - aligned_ptr_); }

 private:
  static constexpr size_t kFirstBlockSize = 4096;

  char* AllocateFallback(size_t bytes, bool aligned);
  // *bytes receives what the block really has, which is not less. `or_null`: if there is no memory.
  char* NewBlock(size_t* bytes, bool or_null);

  const size_t block_size_;
  AllocationTracker* const tracker_;
  char* aligned_ptr_ = nullptr;  // the current block's free part: [aligned_ptr_, unaligned_ptr_)
  char* unaligned_ptr_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::unique_ptr<HugePages> huge_pages_;   // null: not wanted
  std::atomic<size_t> allocated_bytes_{0};  // relaxed: a figure
};

// Thread-safe. Small requests come from a shard of the calling worker's; a shard takes chunks from
// one Arena under a lock. As long as only one thread allocates, it uses that Arena directly and no
// chunk is set aside for it.
class ConcurrentArena {
 public:
  explicit ConcurrentArena(size_t block_size = Arena::kDefaultBlockSize)
      : ConcurrentArena(ArenaOptions{.block_size = block_size}) {}
  explicit ConcurrentArena(const ArenaOptions& options);
  ConcurrentArena(const ConcurrentArena&) = delete;
  ConcurrentArena& operator=(const ConcurrentArena&) = delete;

  // As in Arena. SUSPENDS only in the sense of a short lock.
  char* Allocate(size_t bytes) { return AllocateImpl(bytes, /*aligned=*/false); }
  char* AllocateAligned(size_t bytes) { return AllocateImpl(bytes, /*aligned=*/true); }

  size_t MemoryAllocatedBytes() const { return arena_.MemoryAllocatedBytes(); }
  // Bytes taken from the system less what is set aside and not given out yet.
  size_t ApproximateMemoryUsage() const;
  size_t MemoryUsage() const { return ApproximateMemoryUsage(); }

 private:
  struct alignas(64) Shard {
    fiber::Mutex mutex;
    char* begin FIBER_GUARDED_BY(mutex) = nullptr;  // free: [begin, end)
    char* end FIBER_GUARDED_BY(mutex) = nullptr;
    std::atomic<size_t> unused{0};  // end - begin, for ApproximateMemoryUsage; relaxed: a figure
  };

  char* AllocateImpl(size_t bytes, bool aligned);
  char* AllocateFromArena(size_t bytes, bool aligned) FIBER_REQUIRES(mutex_);

  const size_t shard_chunk_size_;  // what a shard takes at once
  const unsigned shard_count_;     // a power of two
  std::unique_ptr<Shard[]> shards_;

  fiber::Mutex mutex_;
  Arena arena_;                          // allocating: under mutex_; its counter is atomic
  std::atomic<size_t> arena_unused_{0};  // the rest of arena_'s block; relaxed: a figure
  // The last slot that allocated directly, plus one; ~0 once a second one came and shards are used.
  // Relaxed: a hint.
  std::atomic<unsigned> sole_slot_{0};
};

}  // namespace cairn
