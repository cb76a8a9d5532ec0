// Context switch for Windows on x86-64. See switch_stack.h; the layout is stack_layout.h's.
//
// Beside the callee-saved registers go the four words of the thread information block that describe
// the stack: without StackBase, StackLimit and DeallocationStack the system neither grows the stack
// nor unwinds over it, and without ExceptionList what is thrown on a fiber ends the process under
// Wine. Shadow stacks (CET) know nothing of such switches: programs are linked with /CETCOMPAT:NO.
#if defined(__x86_64__)

    .text

// rcx where to save the stack pointer, rdx the one to go to.
    .p2align 4
    .globl  fiber_context_switch
    .def    fiber_context_switch; .scl 2; .type 32; .endef
    .seh_proc fiber_context_switch
fiber_context_switch:
    pushq   %rbp
    .seh_pushreg %rbp
    pushq   %rbx
    .seh_pushreg %rbx
    pushq   %rdi
    .seh_pushreg %rdi
    pushq   %rsi
    .seh_pushreg %rsi
    pushq   %r12
    .seh_pushreg %r12
    pushq   %r13
    .seh_pushreg %r13
    pushq   %r14
    .seh_pushreg %r14
    pushq   %r15
    .seh_pushreg %r15
    subq    $200, %rsp
    .seh_stackalloc 200
    .seh_endprologue
    movaps  %xmm6, 0(%rsp)
    movaps  %xmm7, 16(%rsp)
    movaps  %xmm8, 32(%rsp)
    movaps  %xmm9, 48(%rsp)
    movaps  %xmm10, 64(%rsp)
    movaps  %xmm11, 80(%rsp)
    movaps  %xmm12, 96(%rsp)
    movaps  %xmm13, 112(%rsp)
    movaps  %xmm14, 128(%rsp)
    movaps  %xmm15, 144(%rsp)
    movq    %gs:0x30, %r10
    movq    0x1478(%r10), %r8
    movq    %r8, 168(%rsp)
    movq    0x10(%r10), %r8
    movq    %r8, 176(%rsp)
    movq    0x08(%r10), %r8
    movq    %r8, 184(%rsp)
    movq    0x00(%r10), %r8
    movq    %r8, 192(%rsp)
    movq    %rsp, (%rcx)
    movq    %rdx, %rsp
    movq    168(%rsp), %r8
    movq    %r8, 0x1478(%r10)
    movq    176(%rsp), %r8
    movq    %r8, 0x10(%r10)
    movq    184(%rsp), %r8
    movq    %r8, 0x08(%r10)
    movq    192(%rsp), %r8
    movq    %r8, 0x00(%r10)
    movaps  0(%rsp), %xmm6
    movaps  16(%rsp), %xmm7
    movaps  32(%rsp), %xmm8
    movaps  48(%rsp), %xmm9
    movaps  64(%rsp), %xmm10
    movaps  80(%rsp), %xmm11
    movaps  96(%rsp), %xmm12
    movaps  112(%rsp), %xmm13
    movaps  128(%rsp), %xmm14
    movaps  144(%rsp), %xmm15
    addq    $200, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rsi
    popq    %rdi
    popq    %rbx
    popq    %rbp
    ret
    .seh_endproc

// The outermost frame: rbx the argument, r12 the function. Its return address is 0, where unwinding
// ends.
    .p2align 4
    .globl  fiber_context_entry
    .def    fiber_context_entry; .scl 2; .type 32; .endef
    .seh_proc fiber_context_entry
fiber_context_entry:
    subq    $32, %rsp
    .seh_stackalloc 32
    .seh_endprologue
    movq    %rbx, %rcx
    xorl    %ebp, %ebp
    callq   *%r12
    ud2
    .seh_endproc

#endif
