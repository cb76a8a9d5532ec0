// Limits that the system sets to this process.
#pragma once

#include <cstdint>

namespace fiber {

// Descriptors that the process may have open at once (the soft RLIMIT_NOFILE, asked each time, for
// it may change); UINT64_MAX: no limit. In a simulation the same on every machine.
uint64_t descriptor_limit();

}  // namespace fiber
