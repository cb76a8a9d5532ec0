// What a plain thread is to do at its end, after the destructors of its thread_local objects and of
// its values of fiber::local (at_context_exit in fiber/local.h).
//
// Thread safety: on the calling thread's own behalf.
#pragma once

#include <vector>

#include "fiber/function.h"

namespace fiber::detail {

// The calling thread's. Throws std::bad_alloc.
std::vector<Function>& thread_exit_actions();

// Those that the actions themselves add included.
void run_exit_actions(std::vector<Function>* actions);

}  // namespace fiber::detail
