// The number by which the process is killed. Its body is each operating system's (posix/,
// windows/).
#pragma once

#include <cstdint>

namespace cairn::crash {

uint64_t ProcessId();

}  // namespace cairn::crash
