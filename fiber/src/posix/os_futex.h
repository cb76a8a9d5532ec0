// Sleeping on a word and waking who does: Linux's futex. (windows/os_futex.h is the other one.)
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "fiber/clock.h"

namespace fiber::detail {

// Sleeps while *word == expected, at most until `deadline` (now_nanos() value). May return early
// for no reason.
inline void os_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline) {
  timespec until{};
  timespec* timeout = nullptr;
  if (deadline != kNoDeadline) {
    until.tv_sec = static_cast<time_t>(deadline / 1000000000);
    until.tv_nsec = static_cast<long>(deadline % 1000000000);
    timeout = &until;
  }
  // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time.
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, timeout, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

// Never touches *word, which may be gone.
inline void os_futex_wake(const std::atomic<uint32_t>* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
}

}  // namespace fiber::detail
