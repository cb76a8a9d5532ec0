// Numbers that the environment sets.
#pragma once

#include <cstdint>

namespace fiber::detail {

// The number in the environment variable, `fallback` if it is not set, or (which is said on
// stderr) not a number from `min` to `max`.
uint64_t number_from_environment(const char* name, uint64_t min, uint64_t max, uint64_t fallback);

}  // namespace fiber::detail
