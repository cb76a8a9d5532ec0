// The memory of stacks, from the operating system (stack.cc).
//
// Thread safety: all of it from any thread; a stack belongs to one at a time.
#pragma once

#include <cstddef>

namespace fiber::detail {

size_t os_page_size();

// Address space for stacks, which nobody may touch before os_prepare_stack(). Never given back.
// Null: the system has no more.
void* os_reserve_stacks(size_t bytes);
// Makes a slot of it a stack: `guard` bytes at `bottom` that fault, above them the stack up to
// `top`, whose memory comes with its use. Once for each. False: no more memory, or mappings.
bool os_prepare_stack(char* bottom, size_t guard, char* top);
// The memory of a stack that nothing lies on goes back to the system, as far as it can; the stack
// may be used again.
void os_release_stack(char* bottom, size_t usable);
// How many bytes at its top have been used since it was prepared or released; 0: not known.
size_t os_used_of_stack(char* bottom, size_t usable);

}  // namespace fiber::detail
