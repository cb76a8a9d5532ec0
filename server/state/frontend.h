// What the rest of the server may ask of the part that has the network (net/server.h): where it
// listens, who is connected, and to stop. An interface, so that commands and the admin port do not
// know sockets.

#ifndef CAIRN_SERVER_STATE_FRONTEND_H_
#define CAIRN_SERVER_STATE_FRONTEND_H_

#include <cstddef>
#include <functional>
#include <string>

#include "server/state/session.h"

namespace cairn::server {

// One client, as others see it.
class ConnectedClient {
 public:
  // Of what may be read by others.
  virtual Session& session() = 0;
  // Ends the connection: what waits for the client, waits no more.
  virtual void Kill() = 0;
  // A command that waits for other clients looks around.
  void Wake() { session().waiter.event().set(); }

 protected:
  ~ConnectedClient() = default;
};

// Thread safe.
class Frontend {
 public:
  // The TCP port in use; 0: none.
  virtual int port() const = 0;
  virtual int tls_port() const = 0;

  // Asks the server to end: no new clients, the others after the requests that they have sent.
  // Returns at once; from anywhere.
  virtual void Stop() = 0;
  virtual bool stopping() const = 0;

  virtual size_t clients() = 0;
  virtual size_t max_clients() const = 0;
  // False, with *error: there are not as many descriptors. Open tables make room for them.
  virtual bool SetMaxClients(size_t count, std::string* error) = 0;
  // Calls `use` for each, oldest first, while none of them can go away.
  virtual void ForEachClient(const std::function<void(ConnectedClient&)>& use) = 0;

 protected:
  ~Frontend() = default;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_FRONTEND_H_
