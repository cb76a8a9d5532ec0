// The process's own runtime: where fibers go that somebody starts without saying on which runtime,
// as fiber_std::thread does on a plain thread.
//
// It starts at its first use and never ends: when the process ends (main returns, or somebody calls
// exit()) the workers stop with it, wherever their fibers are, as threads do. So fibers that are
// still running at that time must not use what static destructors destroy; programs join what
// matters to them. Thread safe.
#pragma once

#include <cstddef>

#include "fiber/runtime.h"

namespace fiber {

// The running default runtime; starts it at the first call. Throws std::system_error if the system
// refuses the threads; the next call tries again.
Runtime& default_runtime();

// What default_runtime() is, or will be, started with:
//   workers     FIBER_WORKERS, 1 to 1024; else as many as the process may use processors
//   stack_size  FIBER_STACK_SIZE, bytes, 16384 to 1073741824; else 256 KiB, or 8 MiB in a program
//               whose main() libfiber_main runs: it comes from threads, and has a thread's frames
// An environment variable with any other content is named on stderr, once, and ignored.
RuntimeOptions default_runtime_options();

// What stack_size is where FIBER_STACK_SIZE is not set: `bytes`, or the nearest of 16384 to
// 1073741824. Without effect once one of the functions above was called. Of a large stack only what
// its fiber touches takes memory, and up to 12 KiB of page tables. Thread safe.
void set_default_stack_size(size_t bytes);

}  // namespace fiber
