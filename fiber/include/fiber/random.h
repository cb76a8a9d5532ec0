// The one source of randomness. Not for cryptography. Thread safe.
#pragma once

#include <cstdint>

namespace fiber {

// A uniformly distributed value of a cheap generator of the calling OS thread's own (about 2 ns),
// seeded from the OS.
uint64_t random_u64();

}  // namespace fiber
