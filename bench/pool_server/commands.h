// The commands. Called by the pool's threads.
#pragma once

#include "pool_server/server.h"
#include "pool_server/store.h"

namespace pool_server {

// Executes one request, its first word being the command, and writes its reply. What ends the
// connection sets `closing`.
void Execute(Words request, Server* server, Store* store, Connection* connection);

}  // namespace pool_server
