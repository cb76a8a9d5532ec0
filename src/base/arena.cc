#include "base/arena.h"

#include <algorithm>

#include "base/allocation.h"
#include "fiber/cpu.h"

namespace cairn {

namespace {

constexpr size_t kMinShardChunk = 1024;
constexpr size_t kMaxShardChunk = 128 << 10;
constexpr unsigned kSeveralSlots = ~0u;

size_t Align(size_t bytes) { return (bytes + Arena::kAlignment - 1) & ~(Arena::kAlignment - 1); }

}  // namespace

Arena::Arena(const ArenaOptions& options)
    : block_size_(Align(std::max(options.block_size, kMinBlockSize))), tracker_(options.tracker) {
  if (options.huge_page_size != 0) {
    huge_pages_ = std::make_unique<HugePages>(options.huge_page_size, options.reserved_huge_pages,
                                              options.huge_page_pool, options.info_log);
  }
}

char* Arena::NewBlock(size_t* bytes, bool or_null) {
  char* block = nullptr;
  // A block that is small beside a page (the first one, as a rule) is ordinary memory.
  if (huge_pages_ != nullptr && *bytes >= huge_pages_->page_size() / 2) {
    block = huge_pages_->Allocate(bytes);
  }
  if (block == nullptr) {
    // No value initialisation: the caller writes every byte that it reads.
    const auto allocate = [&] { blocks_.emplace_back(new char[*bytes]); };
    if (!or_null) {
      allocate();
    } else if (!WithMemory(*bytes, allocate)) {
      return nullptr;
    }
    block = blocks_.back().get();
  }
  allocated_bytes_.store(allocated_bytes_.load(std::memory_order_relaxed) + *bytes,
                         std::memory_order_relaxed);
  if (tracker_ != nullptr) tracker_->Allocated(*bytes);
  return block;
}

char* Arena::AllocateFallback(size_t bytes, bool aligned) {
  if (bytes > block_size_ / 4) {  // operator new and the system align it
    size_t size = Align(bytes);
    return NewBlock(&size, /*or_null=*/true);
  }
  size_t size =
      allocated_bytes_.load(std::memory_order_relaxed) == 0 && bytes <= kFirstBlockSize / 4
          ? kFirstBlockSize
          : block_size_;
  char* const block = NewBlock(&size, /*or_null=*/false);
  aligned_ptr_ = block;
  unaligned_ptr_ = block + size;
  return aligned ? AllocateAligned(bytes) : Allocate(bytes);
}

ConcurrentArena::ConcurrentArena(const ArenaOptions& options)
    : shard_chunk_size_(std::clamp(options.block_size / 8, kMinShardChunk, kMaxShardChunk)),
      shard_count_(fiber::slot_count()),
      shards_(new Shard[shard_count_]),
      arena_(options) {}

char* ConcurrentArena::AllocateFromArena(size_t bytes, bool aligned) {
  char* const result = aligned ? arena_.AllocateAligned(bytes) : arena_.Allocate(bytes);
  arena_unused_.store(arena_.AllocatedAndUnused(), std::memory_order_relaxed);
  return result;
}

char* ConcurrentArena::AllocateImpl(size_t bytes, bool aligned) {
  const unsigned slot = fiber::slot();
  unsigned sole = sole_slot_.load(std::memory_order_relaxed);
  if (sole != slot + 1 && sole != kSeveralSlots) {
    // The first allocation of all claims the arena for this slot; one of another slot ends that for
    // good.
    const unsigned claim = sole == 0 ? slot + 1 : kSeveralSlots;
    if (sole_slot_.compare_exchange_strong(sole, claim, std::memory_order_relaxed)) sole = claim;
  }
  if (sole == slot + 1 || bytes > shard_chunk_size_ / 4) {
    fiber::MutexLock lock(&mutex_);
    return AllocateFromArena(bytes, aligned);
  }

  Shard& shard = shards_[slot & (shard_count_ - 1)];
  fiber::MutexLock lock(&shard.mutex);
  const size_t aligned_bytes = Align(bytes);
  if (static_cast<size_t>(shard.end - shard.begin) < (aligned ? aligned_bytes : bytes)) {
    fiber::MutexLock arena_lock(&mutex_);
    shard.begin = AllocateFromArena(shard_chunk_size_, /*aligned=*/true);
    shard.end = shard.begin + shard_chunk_size_;
  }
  char* result;
  if (aligned) {
    result = shard.begin;  // stays aligned: whole units are taken from this end
    shard.begin += aligned_bytes;
  } else {
    shard.end -= bytes;
    result = shard.end;
  }
  shard.unused.store(static_cast<size_t>(shard.end - shard.begin), std::memory_order_relaxed);
  return result;
}

size_t ConcurrentArena::ApproximateMemoryUsage() const {
  size_t unused = arena_unused_.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < shard_count_; i++) {
    unused += shards_[i].unused.load(std::memory_order_relaxed);
  }
  // The two figures are not read at one moment.
  const size_t allocated = arena_.MemoryAllocatedBytes();
  return allocated > unused ? allocated - unused : 0;
}

}  // namespace cairn
