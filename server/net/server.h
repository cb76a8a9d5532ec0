// The server: a ServerState and its network. It listens, gives each client a fiber on one of the
// workers, and knows all of them.
// Thread safe, but for Start() and the destructor.

#ifndef CAIRN_SERVER_NET_SERVER_H_
#define CAIRN_SERVER_NET_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "rocksdb/status.h"
#include "server/net/outbox.h"
#include "server/net/tls.h"
#include "server/resp/request_parser.h"
#include "server/state/server_state.h"

namespace cairn::server {

class Connection;

class Server final : public Frontend {
 public:
  // Opens the keyspace and listens. `log` is borrowed.
  static rocksdb::Status Start(const ServerOptions& options, Log* log,
                               std::unique_ptr<Server>* server);
  // SUSPENDS. Stop() and Join().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const override { return port_; }
  int tls_port() const override { return tls_port_; }
  void Stop() override;
  // SUSPENDS until Stop() was called.
  void WaitForStop() { stop_.wait(); }
  // SUSPENDS until it was stopped, all clients have left and the keyspace is synced and closed.
  rocksdb::Status Join();
  // SUSPENDS. Opens the log again and reads certificates and users again, as far as there are files
  // of them; the log tells of each, and why one stays as it was. At any time before Join() returns.
  void Reload();
  bool stopping() const override { return stopping_.load(std::memory_order_seq_cst); }

  ServerState& state() { return state_; }

  size_t clients() override;
  size_t max_clients() const override { return max_clients_.load(std::memory_order_relaxed); }
  bool SetMaxClients(size_t count, std::string* error) override;
  void ForEachClient(const std::function<void(ConnectedClient&)>& use) override;

  // Of one request.
  RequestParser::Limits request_limits() const;
  // Of the calling fiber's worker.
  Outbox& outbox() { return outboxes_[static_cast<size_t>(fiber::current_worker())]; }

 private:
  friend class Connection;
  Server(const ServerOptions& options, Log* log);
  rocksdb::Status Listen();
  rocksdb::Status ListenOn(const fiber::net::Address& address, TlsContext* tls);
  // `tls`: null for none.
  rocksdb::Status ListenOnPort(int port, TlsContext* tls);
  void Accept(int listener, TlsContext* tls);
  // Whether there is room for one more, who is counted then, until RemoveConnection().
  bool Admit();
  void ServeConnection(int fd, uint64_t id, TlsContext* tls);
  void NoteFailedHandshake(const std::string& address, const std::string& error);
  void RemoveConnection(Connection* connection);

  ServerState state_;
  std::unique_ptr<TlsContext> tls_;
  std::atomic<uint64_t> handshake_noted_ms_{0};
  int port_ = 0;
  int tls_port_ = 0;
  // Each with what its clients speak.
  std::vector<std::pair<int, TlsContext*>> listeners_;

  std::vector<Outbox> outboxes_;  // by worker
  std::atomic<bool> stopping_{false};
  fiber::Event stop_;
  bool joined_ = false;
  std::atomic<size_t> max_clients_;
  std::atomic<uint64_t> next_client_{1};

  fiber::Mutex mutex_;
  // Those of whom a fiber has begun to take care; `clients_` counts those who wait for it, too.
  std::map<uint64_t, Connection*> connections_ FIBER_GUARDED_BY(mutex_);
  size_t clients_ FIBER_GUARDED_BY(mutex_) = 0;
  fiber::CondVar all_left_;
  std::vector<fiber::JoinHandle> acceptors_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_SERVER_H_
