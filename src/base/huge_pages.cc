#include "base/huge_pages.h"

#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/logging.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

namespace cairn {
namespace {

void Unmap(const HugePageBlock& b) {
  ASAN_UNPOISON_MEMORY_REGION(b.block, b.bytes);
  ::munmap(b.mapping, b.mapping_bytes);  // style: memory, not a file: it does not block
}

}  // namespace

HugePagePool::~HugePagePool() {
  for (const HugePageBlock& b : blocks_) Unmap(b);
}

HugePageBlock HugePagePool::Take(size_t bytes) {
  fiber::MutexLock lock(&mutex_);
  // All are of one size, as a rule; the last one given is the warmest.
  for (size_t i = blocks_.size(); i-- > 0;) {
    if (blocks_[i].bytes != bytes) continue;
    const HugePageBlock found = blocks_[i];
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    kept_ -= bytes;
    ASAN_UNPOISON_MEMORY_REGION(found.block, found.bytes);
    return found;
  }
  return {};
}

void HugePagePool::Give(const HugePageBlock& block) {
  {
    fiber::MutexLock lock(&mutex_);
    if (block.bytes <= limit_ - kept_) {
      kept_ += block.bytes;
      blocks_.push_back(block);
      // Who still reads it has a dangling pointer.
      ASAN_POISON_MEMORY_REGION(block.block, block.bytes);
      return;
    }
  }
  Unmap(block);
}

size_t HugePagePool::kept_bytes() const {
  fiber::MutexLock lock(&mutex_);
  return kept_;
}

HugePages::~HugePages() {
  for (const HugePageBlock& b : blocks_) {
    if (pool_ != nullptr) {
      pool_->Give(b);
    } else {
      Unmap(b);
    }
  }
}

// `room`: for the block's alignment.
char* HugePages::Map(size_t bytes, size_t room, int flags) {
  const int all_flags = MAP_PRIVATE | MAP_ANONYMOUS | flags;
  // style: memory, not a file: it does not block
  void* const start = ::mmap(nullptr, bytes + room, PROT_READ | PROT_WRITE, all_flags, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char* const block =
      static_cast<char*>(start) + (-reinterpret_cast<uintptr_t>(start) & (page_size_ - 1));
  blocks_.push_back({start, bytes + room, block, bytes});
  return block;
}

void HugePages::Warn(const char* instead) {
  const int error = errno;
  if (!std::exchange(refused_, true)) {
    LogWarn(info_log_,
            "memtable_huge_page_size: no reserved huge pages of %zu bytes (%s), using %s",
            page_size_, std::strerror(error), instead);
  }
}

char* HugePages::Allocate(size_t* bytes) {
  *bytes = (*bytes + page_size_ - 1) & ~(page_size_ - 1);
  if (pool_ != nullptr) {
    const HugePageBlock kept = pool_->Take(*bytes);
    if (kept.block != nullptr) {
      blocks_.push_back(kept);
      return kept.block;
    }
  }
  constexpr int kPageSizeShift = 26;  // MAP_HUGE_SHIFT
  if (!refused_) {
    const int size_flag = std::countr_zero(page_size_) << kPageSizeShift;
    if (char* block = Map(*bytes, 0, MAP_HUGETLB | size_flag)) return block;
  }
  char* const block = Map(*bytes, page_size_, 0);
  if (block == nullptr) {
    Warn("ordinary memory");
    return nullptr;
  }
  Warn("transparent ones");
  ::madvise(block, *bytes, MADV_HUGEPAGE);  // what it refuses stays ordinary memory
  return block;
}

}  // namespace cairn
