// Backtraces of suspended fibers, by their chain of frame pointers, and names for addresses.
//
// The library is compiled with frame pointers. Through code that is not, the chain is broken or
// skips callers: what is found is true, but may not be all. Reading is confined to the fiber's
// stack, which is never unmapped, so that a fiber that runs meanwhile yields nonsense at worst.
//
// Async-signal-safe, but for the first use of symbols of a module, which maps its file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack.h"

namespace fiber::detail {

inline constexpr size_t kMaxFrames = 48;

// Fills in the return addresses of a flow suspended in `context` (its own may be another stack's:
// a worker's that runs on a fiber's), innermost first, at most kMaxFrames; returns how many. None
// when the flow is not on the stack.
size_t backtrace_of(const Stack& stack, const Context& context, uintptr_t* frames);

// The function that holds a code address: its (mangled) name, from the symbol tables of the program
// and its libraries, and the offset within. False: unknown; then *module and *offset are the file
// and the offset in it, or null.
bool find_symbol(uintptr_t address, const char** name, uintptr_t* offset, const char** module);

}  // namespace fiber::detail
