// Context switch between stacks, in assembly (switch_stack.h, context_<arch>.S), with what the C++
// runtime and the sanitizers need.
//
// Saved: the callee-saved registers, the stack pointer, and the C++ exception globals of the thread
// (an exception may be in flight, or a catch block active, while the fiber is suspended). Not
// saved: signal mask, floating point control words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber/sanitizers.h"

#include "switch_stack.h"

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace fiber::detail {

// What the C++ ABI keeps per thread about exceptions (__cxa_eh_globals: two words by the Itanium
// ABI).
struct ExceptionGlobals {
  void* caught = nullptr;
  uintptr_t uncaught = 0;
};

// A suspended (or the running) flow of control.
struct Context {
  void* stack_pointer = nullptr;
  ExceptionGlobals exceptions;
  int error = 0;  // errno: code that comes from threads reads it after a lock or a log line
#if defined(FIBER_ASAN)
  void* fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  size_t stack_size = 0;
#endif
#if defined(FIBER_TSAN)
  void* tsan_fiber = nullptr;
#endif
};

// The address of the calling thread's exception globals; constant for the thread.
ExceptionGlobals* thread_exception_globals();

// Fills in what the sanitizers want to know of the calling thread's own stack.
void describe_thread_context(Context* context);

// Continues `to`, until somebody continues `from`. `globals` and `error` (&errno) are the thread's.
// Always inlined: under TSan no function may begin or end between the announcement and the switch.
__attribute__((always_inline)) inline void switch_context(Context* from, Context* to,
                                                          ExceptionGlobals* globals, int* error) {
  from->exceptions = *globals;
  *globals = to->exceptions;
  from->error = *error;
  *error = to->error;
#if defined(FIBER_ASAN)
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_bottom, to->stack_size);
#endif
#if defined(FIBER_TSAN)
  __tsan_switch_to_fiber(to->tsan_fiber, 0);
#endif
  switch_stack(&from->stack_pointer, to->stack_pointer);
#if defined(FIBER_ASAN)
  __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#endif
}

// To be called first thing by a new context's entry function.
inline void context_entered() {
#if defined(FIBER_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace fiber::detail
