// Context switch for x86-64, System V ABI. See context.h.
#if defined(__x86_64__)

    .text

// void fiber_context_switch(void** save /*rdi*/, void* to /*rsi*/)
// Layout at a saved stack pointer, upwards: r15 r14 r13 r12 rbx rbp, return address.
    .p2align 4
    .globl  fiber_context_switch
    .hidden fiber_context_switch
    .type   fiber_context_switch, @function
fiber_context_switch:
    .cfi_startproc
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
    // The other stack has the same layout, so the description stays true.
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
    // Not `ret`: the return predictor would be wrong each time; the target of a jump is usually the last one's.
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register %rip, %rcx
    jmpq    *%rcx
    .cfi_endproc
    .size   fiber_context_switch, . - fiber_context_switch

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
