// Context switch for aarch64, AAPCS64. See context.h.
#if defined(__aarch64__)

    .text

// void fiber_context_switch(void** save /*x0*/, void* to /*x1*/)
// Layout at a saved stack pointer, upwards: d8..d15 x19..x28 x29 x30, 160 bytes.
    .p2align 4
    .globl  fiber_context_switch
    .hidden fiber_context_switch
    .type   fiber_context_switch, %function
fiber_context_switch:
    .cfi_startproc
    sub     sp, sp, #160
    .cfi_adjust_cfa_offset 160
    stp     d8, d9, [sp, #0]
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    .cfi_rel_offset x19, 64
    .cfi_rel_offset x20, 72
    stp     x21, x22, [sp, #80]
    .cfi_rel_offset x21, 80
    .cfi_rel_offset x22, 88
    stp     x23, x24, [sp, #96]
    .cfi_rel_offset x23, 96
    .cfi_rel_offset x24, 104
    stp     x25, x26, [sp, #112]
    .cfi_rel_offset x25, 112
    .cfi_rel_offset x26, 120
    stp     x27, x28, [sp, #128]
    .cfi_rel_offset x27, 128
    .cfi_rel_offset x28, 136
    stp     x29, x30, [sp, #144]
    .cfi_rel_offset x29, 144
    .cfi_rel_offset x30, 152
    mov     x9, sp
    str     x9, [x0]
    mov     sp, x1
    // The other stack has the same layout, so the description stays true.
    ldp     d8, d9, [sp, #0]
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     x19, x20, [sp, #64]
    ldp     x21, x22, [sp, #80]
    ldp     x23, x24, [sp, #96]
    ldp     x25, x26, [sp, #112]
    ldp     x27, x28, [sp, #128]
    ldp     x29, x30, [sp, #144]
    add     sp, sp, #160
    .cfi_adjust_cfa_offset -160
    .cfi_restore x19
    .cfi_restore x20
    .cfi_restore x21
    .cfi_restore x22
    .cfi_restore x23
    .cfi_restore x24
    .cfi_restore x25
    .cfi_restore x26
    .cfi_restore x27
    .cfi_restore x28
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size   fiber_context_switch, . - fiber_context_switch

// The outermost frame: x19 the argument, x20 the function. Unwinding ends here.
    .p2align 4
    .globl  fiber_context_entry
    .hidden fiber_context_entry
    .type   fiber_context_entry, %function
fiber_context_entry:
    .cfi_startproc
    .cfi_undefined x30
    mov     x0, x19
    mov     x29, #0
    mov     x30, #0
    blr     x20
    brk     #1
    .cfi_endproc
    .size   fiber_context_entry, . - fiber_context_entry

#endif
    .section .note.GNU-stack, "", %progbits
