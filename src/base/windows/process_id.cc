#include "base/process_id.h"

#include <process.h>

namespace cairn {

int64_t ProcessId() { return ::_getpid(); }

}  // namespace cairn
