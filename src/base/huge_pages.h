// Blocks of huge pages for arenas, and a pool that hands them from one arena to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/env.h"

namespace cairn {

// Memory of one mapping; the block is the aligned part of it.
struct HugePageBlock {
  void* mapping = nullptr;
  size_t mapping_bytes = 0;
  char* block = nullptr;
  size_t bytes = 0;
};

// Keeps blocks that arenas are done with. The first touch of a huge page is the dear part of it:
// the system finds the memory together and clears it, which takes up to 10 ms and holds up every
// writer that waits for the one that touches it. A memtable that takes over the blocks of a flushed
// one does without. Thread-safe.
class HugePagePool {
 public:
  // Of at most `limit` bytes together. `limit` 0: nothing is kept.
  explicit HugePagePool(size_t limit) : limit_(limit) {}
  ~HugePagePool();
  HugePagePool(const HugePagePool&) = delete;
  HugePagePool& operator=(const HugePagePool&) = delete;

  // A kept block of just `bytes` bytes, with whatever was in it; .block is null if there is none.
  HugePageBlock Take(size_t bytes);
  // Keeps the block, or gives it back to the system if that would be too many.
  void Give(const HugePageBlock& block);

  size_t kept_bytes() const;

 private:
  const size_t limit_;
  mutable fiber::Mutex mutex_;
  std::vector<HugePageBlock> blocks_ FIBER_GUARDED_BY(mutex_);
  size_t kept_ FIBER_GUARDED_BY(mutex_) = 0;
};

// The blocks of one arena, given back with the object. Not thread-safe.
class HugePages {
 public:
  // `reserved`: pages that the system keeps for who asks are tried first; false: transparent huge
  // pages only. `pool` may be null.
  HugePages(size_t page_size, bool reserved, std::shared_ptr<HugePagePool> pool, Logger* info_log)
      : page_size_(page_size), pool_(std::move(pool)), info_log_(info_log), refused_(!reserved) {}
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  size_t page_size() const { return page_size_; }
  // `bytes` rounded up to whole pages, in *bytes too; null if the system has no memory of either
  // kind.
  char* Allocate(size_t* bytes);

 private:
  char* Map(size_t bytes, bool reserved, std::string* why);
  void Warn(const std::string& why, const char* instead);

  const size_t page_size_;
  const std::shared_ptr<HugePagePool> pool_;
  Logger* const info_log_;
  bool refused_;  // reserved pages are not wanted, or there were none: not asked again
  std::vector<HugePageBlock> blocks_;
};

}  // namespace cairn
