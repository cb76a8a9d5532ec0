#include "base/huge_pages.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/pages.h"
#include "fiber/sanitizers.h"

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

namespace cairn {
namespace {

void Unmap(const HugePageBlock& b) {
  ASAN_UNPOISON_MEMORY_REGION(b.block, b.bytes);
  UnmapPages(b.mapping, b.mapping_bytes);
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

char* HugePages::Map(size_t bytes, bool reserved, std::string* why) {
  // Reserved pages lie at multiples of their size; others need room for that.
  const size_t room = reserved ? 0 : page_size_;
  void* const start = MapPages(bytes + room, reserved, page_size_, why);
  if (start == nullptr) return nullptr;
  char* const block =
      static_cast<char*>(start) + (-reinterpret_cast<uintptr_t>(start) & (page_size_ - 1));
  blocks_.push_back({start, bytes + room, block, bytes});
  return block;
}

void HugePages::Warn(const std::string& why, const char* instead) {
  if (!std::exchange(refused_, true)) {
    LogWarn(info_log_,
            "memtable_huge_page_size: no reserved huge pages of %zu bytes (%s), using %s",
            page_size_, why.c_str(), instead);
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
  std::string why;
  if (!refused_) {
    if (char* block = Map(*bytes, /*reserved=*/true, &why)) return block;
  }
  char* const block = Map(*bytes, /*reserved=*/false, &why);
  if (block == nullptr) {
    Warn(why, "ordinary memory");
    return nullptr;
  }
  Warn(why, kPreferredPages);
  PreferHugePages(block, *bytes);
  return block;
}

}  // namespace cairn
