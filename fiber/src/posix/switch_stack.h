// The bare switch from stack to stack, for the System V ABI (context_<arch>.S) and AArch64's.
// (windows/switch_stack.h is the other one.)
#pragma once

extern "C" {
#if defined(__x86_64__)
void fiber_context_jump();  // not by the C calling convention
#else
void fiber_context_switch(void** save, void* to);
#endif
// The first frame of every fiber: calls the function with the argument that prepare_stack() laid
// down.
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

// Lays down at `top` (the end of a stack that begins at `bottom`; any alignment) the first frame of
// a new context that will call entry(argument), which must not return. Returns its stack pointer.
void* prepare_stack(void* bottom, void* top, void (*entry)(void*), void* argument);

}  // namespace fiber::detail
