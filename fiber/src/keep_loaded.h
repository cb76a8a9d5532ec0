// keep_loaded(): this code stays in memory for as long as the process lives, also after a
// dlclose().
//
// For whoever leaves something behind that points into it and that nobody takes back: threads that
// are never joined, signal handlers, a POSIX key's destructor. libcairn.so is linked so that it is
// never unloaded (-z nodelete), but the static library may be a part of somebody's plugin.
//
// Thread-safe; cheap after the first call.
#pragma once

namespace fiber::detail {

void keep_loaded();

}  // namespace fiber::detail
