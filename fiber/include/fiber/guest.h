// gather: several functions at once on the caller's own thread, without handing any of them to
// another thread.
//
// What a MultiGet or a parallel open is made of: the parts that find all they need in memory run
// one after the other like plain calls, those that must wait for the disk or a lock wait together.
#pragma once

#include <span>

#include "fiber/function.h"

namespace fiber {

// SUSPENDS. Runs all functions and returns when the last one has ended; what they did happens
// before the return. Each runs until it must wait for the first time before the next one is
// started, in the order of the span. A single function is simply called.
//
// On a fiber they run as fibers on the same worker. On a plain thread this very thread becomes a
// worker ("guest mode"): the functions are fibers, their I/O goes to an engine that the thread
// keeps for the next time, and their locks, events and the like work with other fibers and threads
// as everywhere. The call then also waits for what the functions spawned. The functions themselves
// may gather(), spawn() and join().
//
// The functions run on fiber stacks of the default size (RuntimeOptions::stack_size). They are not
// moved from; an empty one is not allowed.
void gather(std::span<Function> functions);

}  // namespace fiber
