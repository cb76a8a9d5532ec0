// Counts the insertions into memtables that nobody waits for in turn (DBOptions::unordered_write),
// and lets one party, the leader of the commit queue, keep them out: while it is closed, nobody is
// inside.
//
// One word has it all: the gate is closed, the closer sleeps, and how many are inside. Whoever
// finds it closed leaves again at once, so the count may pass 0 more than once before the closer
// has seen it.
//
// Thread safety: Enter, Exit from anywhere; Close, Open, Add by one at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/namespace.h"
#include "fiber/interleave.h"
#include "fiber/wait.h"

namespace cairn {

class InsertionGate {
 public:
  /// False: it is closed, and the caller is not inside.
  bool Enter() {
    // acquire: sees what was done while the gate was closed.
    if ((word_.fetch_add(kOne, std::memory_order_acquire) & kClosed) == 0) [[likely]]
      return true;
    Exit();
    return false;
  }
  /// By whoever may close it, for `n` who are to Exit: they are inside, even of a closed gate.
  void Add(uint32_t n) { word_.fetch_add(n * kOne, std::memory_order_relaxed); }
  /// May be the last thing that the gate lives for: the closer destroys it.
  void Exit() {
    fiber::interleave();
    // release: the closer sees what was done inside.
    const uint32_t before = word_.fetch_sub(kOne, std::memory_order_acq_rel);
    if (before - kOne == (kClosed | kAwaited)) fiber::wake(&word_, 1);
  }

  /// Returns when nobody is inside. SUSPENDS. Closing a closed one waits for those of Add.
  void Close() {
    uint32_t seen = word_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
    while (seen >= kOne) {
      fiber::interleave();
      seen = word_.fetch_or(kAwaited, std::memory_order_acquire) | kAwaited;
      if (seen >= kOne) fiber::wait(&word_, seen);
      seen = word_.load(std::memory_order_acquire);
    }
  }
  void Open() { word_.fetch_and(~(kClosed | kAwaited), std::memory_order_release); }

 private:
  static constexpr uint32_t kClosed = 1;
  static constexpr uint32_t kAwaited = 2;  // Close sleeps, or is about to
  static constexpr uint32_t kOne = 4;

  std::atomic<uint32_t> word_{0};
};

}  // namespace cairn
