// Sleeping on a word and waking who does: WaitOnAddress. (posix/os_futex.h is the other one.)
#pragma once

#include <atomic>
#include <cstdint>

namespace fiber::detail {

// Sleeps while *word == expected, at most until `deadline` (now_nanos() value). May return early
// for no reason.
void os_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline);

// Never touches *word, which may be gone. May wake more than `count`.
void os_futex_wake(const std::atomic<uint32_t>* word, int count);

}  // namespace fiber::detail
