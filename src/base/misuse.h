// What a caller must not do and what cannot be answered with a Status, since what would be asked is
// gone: a database that is closed while somebody is inside of it.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/env.h"

namespace cairn {

// Says `what` in the LOG; where assertions are on (no NDEBUG) also on stderr, and ends the process:
// there it would crash later, in a place that says nothing. `log` may be null. Any thread.
void ReportMisuse(Logger* info_log, const std::string& what);

}  // namespace cairn
