// What the memory of a stack (os_memory.cc), its first frame (context.cc) and the report of its
// overflow agree on.
#pragma once

#include <cstddef>

namespace fiber::detail {

// Committed at the top of an empty stack, above the guard page.
inline constexpr size_t kFirstStackBytes = size_t{8} << 10;
// Below the stack, where the system raises the overflow (stack.cc: kGuardPages).
inline constexpr size_t kStackReserveBytes = size_t{16} << 10;

// What lies at a saved stack pointer, upwards, in words (context_x86_64.S).
inline constexpr size_t kSavedXmm = 0;  // xmm6 to xmm15, two words each, and one word of nothing
inline constexpr size_t kSavedDeallocation = 21;
inline constexpr size_t kSavedLimit = 22;
inline constexpr size_t kSavedBase = 23;
inline constexpr size_t kSavedExceptionList = 24;
inline constexpr size_t kSavedR15 = 25;
inline constexpr size_t kSavedR14 = 26;
inline constexpr size_t kSavedR13 = 27;
inline constexpr size_t kSavedR12 = 28;
inline constexpr size_t kSavedRsi = 29;
inline constexpr size_t kSavedRdi = 30;
inline constexpr size_t kSavedRbx = 31;
inline constexpr size_t kSavedRbp = 32;
inline constexpr size_t kSavedReturn = 33;
inline constexpr size_t kSavedWords = 34;

}  // namespace fiber::detail
