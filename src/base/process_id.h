// The number that the system knows this process by.
#pragma once

#include <cstdint>

#include "base/namespace.h"

namespace cairn {

int64_t ProcessId();

}  // namespace cairn
