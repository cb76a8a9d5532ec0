// The program as a service of the system's: on Windows the service manager starts and stops it and
// asks for its reload. (On POSIX systemd does that to any program, by signals: server/dist.) For
// main.cc alone.

#ifndef CAIRN_SERVER_HOST_SERVICE_H_
#define CAIRN_SERVER_HOST_SERVICE_H_

#include <functional>
#include <string>

#include "rocksdb/status.h"

namespace cairn::server {

// Runs `body` as the service that the service manager has started this process for, and returns
// what it returned, once the manager knows: a failure is told to the system's log of events, as of
// the source `name`, and becomes the service's exit code. The manager's requests are
// NextRequest()'s (requests.h), and the console's no longer are. InvalidArgument, without a call of
// `body`, which says what to do, if nobody started this process as a service.
//
// Once, on the main thread, and before CatchRequests(). `body` may run on another one. SUSPENDS.
rocksdb::Status RunAsService(const std::string& name, const std::function<rocksdb::Status()>& body);
// From the body: it serves. Nothing where it is no service's.
void ServiceIsReady();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_SERVICE_H_
