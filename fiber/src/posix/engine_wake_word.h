// WakeWord: the flag and futex by which an engine's worker sleeps and another thread ends its
// sleep; or, where the worker sleeps in a poll, an eventfd in place of both.
//
// Called by the engines: sleep(), take() by the owner, wake() by any thread. A wake() is never
// lost: it ends the current sleep or the next one.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "futex.h"

namespace fiber::detail {

class WakeWord {
 public:
  static constexpr uint32_t kQuiet = 0;
  static constexpr uint32_t kWoken = 1;

  // Any thread. All sleepers: the futex of the thread and the one that a ring may hold.
  void wake() {
    word_.store(kWoken, std::memory_order_release);
    futex_wake(&word_, INT_MAX);
  }

  // Any thread. By the eventfd if there is one (not negative).
  void wake(int event_fd) {
    if (event_fd < 0) return wake();
    const uint64_t one = 1;
    // Cannot fail but by a signal: the counter is far from full.
    while (::write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
  }

  // Owner. Whether there was a wake() since the last take(). Acquire: what the waker did before is
  // seen.
  bool take() {
    return word_.load(std::memory_order_relaxed) == kWoken &&
           word_.exchange(kQuiet, std::memory_order_acquire) == kWoken;
  }

  // Owner. Until wake(), `deadline` (now_nanos() value), or for no reason.
  void sleep(uint64_t deadline) { futex_wait(&word_, kQuiet, deadline); }

  const std::atomic<uint32_t>* address() const { return &word_; }

 private:
  std::atomic<uint32_t> word_{kQuiet};
};

}  // namespace fiber::detail
