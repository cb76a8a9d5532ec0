// What the operator asks of the whole process: on POSIX by signals (SIGHUP: reload; SIGTERM,
// SIGINT: stop), on Windows by the console (Ctrl+Break: reload; Ctrl+C, its window's end, the
// system's: stop) or by the service manager (service.h). For main.cc alone, and once.

#ifndef CAIRN_SERVER_HOST_REQUESTS_H_
#define CAIRN_SERVER_HOST_REQUESTS_H_

#include "rocksdb/status.h"

namespace cairn::server {

enum class ProcessRequest { kReload, kStop, kNoMore };

// From here on requests wait for who takes them; and who reads a log or a reply no more does not
// end the process (SIGPIPE).
rocksdb::Status CatchRequests();
// SUSPENDS until there is one, in their order. For one thread. kNoMore after EndRequests().
ProcessRequest NextRequest();
// The process has done what was asked: on Windows the system, which was kept waiting, may end it.
void EndRequests();
// Ends the process without another word.
[[noreturn]] void LeaveAtOnce();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_REQUESTS_H_
