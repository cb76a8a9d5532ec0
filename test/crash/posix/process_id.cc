#include "crash/process_id.h"

#include <unistd.h>

namespace cairn::crash {

uint64_t ProcessId() { return static_cast<uint64_t>(getpid()); }

}  // namespace cairn::crash
