// The wait primitive on which every lock and signal of this library stands: compare-and-sleep on a
// word, woken by address. Works from fibers (the fiber is parked, its worker goes on) and plain
// threads (the thread sleeps) alike, on the same word at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fiber/clock.h"

namespace fiber {

enum class WaitResult {
  kWoken,  // a wake() chose this waiter (rarely a stale one, meant for an object that was at this
           // address before)
  kTimedOut,      // the deadline passed first
  kValueChanged,  // *addr was not `expected`: did not sleep
};

// SUSPENDS. Sleeps while *addr == expected, until woken or until `deadline` (a now_nanos() value).
// The comparison and the falling asleep are one step with respect to wake(): change the value
// first, then wake, and no wake-up is lost. Callers loop: being woken is a hint, the value is the
// truth.
WaitResult wait(const std::atomic<uint32_t>* addr, uint32_t expected,
                uint64_t deadline = kNoDeadline);

// Wakes at most `max_count` of those that sleep on addr, the oldest first, and returns how many.
// Uses the address only as a key and never touches *addr, which may be freed by then. Does not
// suspend.
size_t wake(const std::atomic<uint32_t>* addr, size_t max_count);

}  // namespace fiber
