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
  // long, and so was the one before, of whomever. (Once is no slow device: of many threads on few
  // processors one is held up in the middle of a read every now and then.)
  bool IsSlow(uint64_t nanos, size_t others) {
    const bool was_slow = last_was_slow_.load(std::memory_order_relaxed);
    const bool is_slow = nanos >= kSlowNanos + others * kCachedNanos;
    if (is_slow != was_slow) last_was_slow_.store(is_slow, std::memory_order_relaxed);
    return is_slow && was_slow;
  }
  // `count` reads of a batch, one after the other, took `nanos`, with what came between.
  void TookOneByOne(uint64_t nanos, size_t count) {
    const uint64_t one = nanos / count;
    const uint64_t usual = one_by_one_.load(std::memory_order_relaxed);
    one_by_one_.store(usual == 0 ? one : (7 * usual + one) / 8, std::memory_order_relaxed);
  }
  // Then `count` that waited together took `nanos`. If it was not much less for each than one by
  // one, these did not wait for a device, but for a processor. (Of one alone there is no saying.)
  void TookTogether(uint64_t nanos, size_t count) {
    if (nanos < kSlowNanos + count * kTogetherNanos) return;
    const uint64_t one_by_one = one_by_one_.load(std::memory_order_relaxed);
    if (count > 1 && nanos / count > one_by_one / 2) return;
    until_next_try_.store(kTryAfter, std::memory_order_relaxed);
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

  std::atomic<bool> last_was_slow_{false};
  std::atomic<uint64_t> one_by_one_{0};      // nanoseconds, smoothed; 0: none yet
  std::atomic<uint32_t> until_next_try_{0};  // 0: reads are fast, or are to be tried
};

}  // namespace cairn
