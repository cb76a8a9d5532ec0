// The bare switch from stack to stack, for Windows on x86-64 (context_x86_64.S).
// (posix/switch_stack.h is the other one.)
#pragma once

#include <cstddef>

extern "C" {
// Saves the callee-saved registers and what the thread information block says of the stack on the
// stack, and the stack pointer in *save; continues at `to`.
void fiber_context_switch(void** save, void* to);
// The first frame of every fiber: calls the function with the argument that prepare_stack() laid
// down.
void fiber_context_entry();
}

namespace fiber::detail {

inline void switch_stack(void** save, void* to) { fiber_context_switch(save, to); }

// Lays down at `top` (in the top page of a stack that begins at `bottom`; any alignment) the first
// frame of a new context that will call entry(argument), which must not return. Returns its stack
// pointer. REQUIRES: the stack is empty, as os_prepare_stack() or os_release_stack() leave it.
void* prepare_stack(void* bottom, void* top, void (*entry)(void*), void* argument);

}  // namespace fiber::detail
