// Context switch for x86-64, System V ABI. See context.h.
#if defined(__x86_64__)

    .text

// Jumped to, not called (context.h): rdi where to save the stack pointer, rsi the stack pointer to go to, rcx the address
// to continue at when somebody comes back.
//
// A jump, because a call here that returns elsewhere would leave the processor's return predictor one entry off, and
// each return after a switch would be mispredicted; and the target of the last jump is predicted from the history.
// Layout at a saved stack pointer, upwards: r15 r14 r13 r12 rbx rbp rcx, the red zone of the function that jumped.
    .p2align 4
    .globl  fiber_context_jump
    .hidden fiber_context_jump
    .type   fiber_context_jump, @function
fiber_context_jump:
    .cfi_startproc
    .cfi_def_cfa %rsp, 0
    .cfi_register %rip, %rcx
    leaq    -128(%rsp), %rsp
    .cfi_adjust_cfa_offset 128
    pushq   %rcx
    .cfi_adjust_cfa_offset 8
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq   %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    // The other stack has the same layout, so the description stays true (but for rcx, which comes in time).
    popq    %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq    %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq    %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq    %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq    %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    leaq    128(%rsp), %rsp
    .cfi_adjust_cfa_offset -128
    jmpq    *%rcx
    .cfi_endproc
    .size   fiber_context_jump, . - fiber_context_jump

// The outermost frame: rbx the argument, r12 the function. Unwinding ends here.
    .p2align 4
    .globl  fiber_context_entry
    .hidden fiber_context_entry
    .type   fiber_context_entry, @function
fiber_context_entry:
    .cfi_startproc
    .cfi_undefined %rip
    movq    %rbx, %rdi
    xorl    %ebp, %ebp
    callq   *%r12
    ud2
    .cfi_endproc
    .size   fiber_context_entry, . - fiber_context_entry

#endif
    .section .note.GNU-stack, "", %progbits
