// Outbox: the replies of a worker's connections that are ready to go, sent one behind the other.
//
// A client is woken up by its reply, and clients that share a thread sleep and wake together: sent
// one by one, between one request and the next, each reply wakes that thread up. So a connection
// leaves its reply here and goes on to wait for its client. The first to do so lets the others that
// are ready come as far and sends all; so does the one with whom there are kMost, while what each
// of them touched is still in the processor's caches.
//
// Touched by the fibers of one worker only, which it never suspends while it has hold of anything.

#ifndef CAIRN_SERVER_NET_OUTBOX_H_
#define CAIRN_SERVER_NET_OUTBOX_H_

#include <array>
#include <cstddef>

namespace cairn::server {

class Connection;

class alignas(64) Outbox {
 public:
  // SUSPENDS the first one. On return the reply may have been sent, or will be. REQUIRES: the
  // calling fiber is the connection's, which is not here.
  void Add(Connection* connection);
  // REQUIRES: it is here.
  void Remove(Connection* connection);

 private:
  static constexpr size_t kMost = 32;

  void SendAll();

  size_t count_ = 0;
  std::array<Connection*, kMost> connections_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_OUTBOX_H_
