// dump() of fiber/debug.h for its callers within the library.
#pragma once

#include <cstdint>

namespace fiber::detail {

class SafeWriter;

// As dump(); without `demangle` async-signal-safe.
void dump_all(int fd, bool demangle);

// A line for one return address of a backtrace. Without `demangle` async-signal-safe.
void write_address(SafeWriter* out, uintptr_t address, bool demangle);

// What the environment or the build asks for, by the first runtime that starts.
void install_default_dump_signal();

}  // namespace fiber::detail
