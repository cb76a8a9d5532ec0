#include "crash/process_id.h"

#include <windows.h>

namespace cairn::crash {

uint64_t ProcessId() { return GetCurrentProcessId(); }

}  // namespace cairn::crash
