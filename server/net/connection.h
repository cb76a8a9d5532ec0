// One client: its socket, its buffers and its fiber, which receives, runs what has come and sends
// the replies, and parks in between. From its first subscription on a second one sends what others
// publish; each sends whole replies or messages under send_mutex_, and a message that a reply must
// precede is held until that was sent (state/pubsub.h).
//
// Other fibers may only push messages to it (pub/sub) and end it; all else is its fiber's.

#ifndef CAIRN_SERVER_NET_CONNECTION_H_
#define CAIRN_SERVER_NET_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "server/commands/executor.h"
#include "server/keyspace/memory_budget.h"
#include "server/net/transport.h"
#include "server/resp/reply.h"
#include "server/resp/request_parser.h"
#include "server/state/frontend.h"
#include "server/state/pubsub.h"
#include "server/state/session.h"

namespace cairn::server {

class Server;
class ServerState;

class Connection final : public ConnectedClient {
 public:
  // `tls`: null for none.
  Connection(Server* server, int fd, uint64_t id, TlsContext* tls);
  // The socket is closed by then.
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // SUSPENDS until the client has left, or has to; then closes the socket.
  void Serve();

  // From other fibers.
  void Kill() override;
  // Whether it has nothing under way: of use when the server drains.
  bool idle() const { return idle_.load(std::memory_order_seq_cst); }

  Session& session() override { return session_; }

  // The outbox's, of the same worker.
  bool in_outbox() const { return in_outbox_; }
  void set_in_outbox(bool in) { in_outbox_ = in; }
  // Sends what it can, and sees to the rest.
  void SendFromOutbox();

 private:
  // Before all else, with TLS. False: the client is none.
  bool Greet();
  // Receives more. False: the client has left.
  bool Receive();
  // In the input, for that. False: there is no memory; it was replied so.
  bool MakeRoom();
  bool Grow(size_t size);
  // Runs all complete requests of the input. False: the connection is over.
  bool RunRequests();
  bool RunRequestsOrThrow();
  void RefuseForMemory();
  bool Flush();
  // Leaves the reply in the outbox, if that will do. SUSPENDS.
  bool FlushLater();
  // SUSPENDS until what was left to others is sent, or this fiber has it back.
  void LeaveOutbox();
  bool FlushBesideMessages();
  void FlushNow();
  // SUSPENDS until all of the reply is sent.
  bool SendReply();
  // SUSPENDS until all is sent. Changes the parts.
  bool SendParts(std::vector<fiber::io::IoVec>& parts);
  // The second fiber.
  void SendMessages();
  void Leave();
  uint64_t IdleDeadline() const;

  Server* const server_;
  ServerState& state_;  // the server's
  const int fd_;
  Transport transport_;
  MemoryShare input_share_;
  Session session_;
  Subscriber subscriber_;
  ReplyWriter reply_;
  RequestParser parser_;
  Executor executor_;
  fiber::JoinHandle messenger_;  // runs SendMessages()
  fiber::JoinHandle sender_;     // sends what the outbox could not
  fiber::Mutex send_mutex_;      // while there is a messenger; before the subscriber's
  fiber::Mutex close_mutex_;     // the descriptor is not closed while somebody shuts it down
  bool closed_ FIBER_GUARDED_BY(close_mutex_) = false;
  std::atomic<bool> idle_{true};
  bool in_outbox_ = false;  // nothing is run meanwhile: the reply stays as it is
  bool receiving_ = false;
  bool lingers_ = false;  // the client may be sending still, when this side ends it

  // input_[begin_, end_) has come and was not run.
  std::string input_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t last_received_ = 0;
  std::vector<std::string_view> words_;
  std::vector<size_t> ends_;  // in words_, of each request
  std::vector<Arguments> requests_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_CONNECTION_H_
