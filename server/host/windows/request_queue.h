// Where requests wait for NextRequest() (requests.h): whoever hears of one puts it there. Thread
// safe.

#ifndef CAIRN_SERVER_HOST_WINDOWS_REQUEST_QUEUE_H_
#define CAIRN_SERVER_HOST_WINDOWS_REQUEST_QUEUE_H_

#include "server/host/requests.h"

namespace cairn::server {

void PutRequest(ProcessRequest request);
// From here on the console asks for nothing: when somebody logs off, the system says so to the
// consoles of services as well, and they are to stay. Before CatchRequests().
void IgnoreConsole();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_WINDOWS_REQUEST_QUEUE_H_
