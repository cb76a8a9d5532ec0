// Where a thread computes at this moment: for the watchdog. Asked only where FIBER_WATCH_MS is set,
// because the answer costs the thread a signal (SIGURG, which otherwise does nothing).
//
// Thread safety: one question at a time (the callers' lock).
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack.h"

namespace fiber::detail {

// Prepares for place_of(); once in a process. False: not possible, because the program has a
// handler for SIGURG of its own, or on this system (Windows).
bool prepare_places();

// Fills in the addresses at which the thread of that number is, innermost first, as far as they lie
// on `stack` by the chain of frame pointers, at most `max`; returns how many. 0: it did not answer
// within 100 ms.
size_t place_of(uint32_t thread, const Stack& stack, uintptr_t* frames, size_t max);

}  // namespace fiber::detail
