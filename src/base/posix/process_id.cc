#include "base/process_id.h"

#include <unistd.h>

namespace cairn {

int64_t ProcessId() { return ::getpid(); }

}  // namespace cairn
