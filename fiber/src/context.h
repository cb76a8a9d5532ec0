// Context switch between stacks, in assembly (context_<arch>.S), with what the C++ runtime and the
// sanitizers need.
//
// Saved: the callee-saved registers, the stack pointer, and the C++ exception globals of the thread
// (an exception may be in flight, or a catch block active, while the fiber is suspended). Not
// saved: signal mask, floating point control words.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

extern "C" {
#if defined(__x86_64__)
void fiber_context_jump();  // not by the C calling convention
#else
void fiber_context_switch(void** save, void* to);
#endif
// The first frame of every fiber: calls the function with the argument that fiber_context_prepare()
// laid down.
void fiber_context_entry();
}

namespace fiber::detail {

// The bare switch: saves the callee-saved registers on the stack and the stack pointer in *save,
// and continues at `to`, a stack pointer saved so before or laid down by prepare_stack().
__attribute__((always_inline)) inline void switch_stack(void** save, void* to) {
#if defined(__x86_64__)
  asm volatile("leaq 1f(%%rip), %%rcx\n\tjmp fiber_context_jump\n1:"
               : "+D"(save), "+S"(to)
               :
               : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
                 "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15"
#if defined(__AVX512F__)
                 ,
                 "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
                 "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3",
                 "k4", "k5", "k6", "k7"
#endif
  );
#else
  fiber_context_switch(save, to);
#endif
}

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

// Lays down at `top` (the end of a stack, any alignment) the first frame of a new context that will
// call entry(argument), which must not return. Returns its stack pointer.
void* prepare_stack(void* top, void (*entry)(void*), void* argument);

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
