// Whether the reads of a family's tables take so long that many of them should wait together, as
// far as its last reads tell. What the system has in its page cache is there sooner than a fiber is
// made for it; what must come from a device is not.
//
// Thread-safe: a hint, that may be late.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/namespace.h"

namespace cairn {

class ReadPace {
 public:
  // A look-up that read took `nanos`, with `others` before it that did not read. True: that is
  // long.
  static bool IsSlow(uint64_t nanos, size_t others) {
    return nanos >= kSlowNanos + others * kCachedNanos;
  }
  // Then `count` that waited together took `nanos`. (A thread that was held up once is no slow
  // device.)
  void TookTogether(uint64_t nanos, size_t count) {
    if (nanos >= kSlowNanos + count * kTogetherNanos) {
      until_next_try_.store(kTryAfter, std::memory_order_relaxed);
    }
  }
  // Many should wait together. Every now and then false though reads were slow: they are tried
  // again.
  bool WantsTogether() {
    const uint32_t left = until_next_try_.load(std::memory_order_relaxed);
    if (left == 0) [[likely]]
      return false;
    until_next_try_.store(left - 1, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr uint64_t kSlowNanos = 40'000;  // a page cache's take 1 to 10 us, a device's 60
  static constexpr uint64_t kCachedNanos = 2'000;
  static constexpr uint64_t kTogetherNanos = 3'000;  // out of the page cache, on a fiber
  static constexpr uint32_t kTryAfter = 64;          // batches

  std::atomic<uint32_t> until_next_try_{0};  // 0: reads are fast, or are to be tried
};

}  // namespace cairn
