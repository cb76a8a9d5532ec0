// dump() of fiber/debug.h for its callers within the library.
#pragma once

namespace fiber::detail {

// As dump(); without `demangle` async-signal-safe.
void dump_all(int fd, bool demangle);

// What the environment or the build asks for, by the first runtime that starts.
void install_default_dump_signal();

}  // namespace fiber::detail
