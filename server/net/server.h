// The server: listens, gives each client a fiber on one of the workers, and knows all of them.
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
#include "server/auth/acl.h"
#include "server/keyspace/keyspace.h"
#include "server/net/checkpoints.h"
#include "server/net/disk_reserve.h"
#include "server/net/log.h"
#include "server/net/options.h"
#include "server/net/outbox.h"
#include "server/net/pubsub.h"
#include "server/net/slow_log.h"
#include "server/net/stats.h"
#include "server/net/tls.h"
#include "server/resp/request_parser.h"

namespace cairn::server {

class Connection;

class Server {
 public:
  // Opens the keyspace and listens. `log` is borrowed.
  static rocksdb::Status Start(const ServerOptions& options, Log* log,
                               std::unique_ptr<Server>* server);
  // SUSPENDS. Stop() and Join().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The TCP port in use; 0: none.
  int port() const { return port_; }
  int tls_port() const { return tls_port_; }
  // Asks the server to end: no new clients, the others after the requests that they have sent.
  // Returns at once; from anywhere.
  void Stop();
  // SUSPENDS until Stop() was called.
  void WaitForStop() { stop_.wait(); }
  // SUSPENDS until it was stopped, all clients have left and the keyspace is synced and closed.
  rocksdb::Status Join();
  // SUSPENDS. Opens the log again and reads certificates and users again, as far as there are files
  // of them; the log tells of each, and why one stays as it was. At any time before Join() returns.
  void Reload();
  bool stopping() const { return stopping_.load(std::memory_order_seq_cst); }

  Keyspace& keyspace() { return *keyspace_; }
  const ServerOptions& options() const { return options_; }
  Checkpoints& checkpoints() { return checkpoints_; }
  DiskReserve& disk() { return disk_; }
  Stats& stats() { return stats_; }
  SlowLog& slow_log() { return slow_log_; }
  PubSub& pubsub() { return pubsub_; }
  Log& log() { return *log_; }
  fiber::Runtime& runtime() { return *runtime_; }
  uint64_t started_at_ms() const { return started_at_ms_; }

  // What CONFIG SET changes.
  RequestParser::Limits request_limits() const {
    return {options_.max_arguments, options_.max_argument_bytes, options_.max_request_bytes,
            64 << 10};
  }
  Durability default_durability() const { return durability_.load(std::memory_order_relaxed); }
  void set_default_durability(Durability durability) { durability_.store(durability); }
  uint64_t idle_timeout_s() const { return idle_timeout_s_.load(std::memory_order_relaxed); }
  void set_idle_timeout_s(uint64_t seconds) { idle_timeout_s_.store(seconds); }
  size_t max_clients() const { return max_clients_.load(std::memory_order_relaxed); }
  // False, with *error: there are not as many descriptors. Open tables make room for them.
  bool SetMaxClients(size_t count, std::string* error);

  static bool IsLoopback(const fiber::net::Address& address);
  Acl& acl() { return acl_; }
  // Whether who connects has to say who it is.
  bool needs_password() { return !acl_.open(); }
  // Whether this is a user who may see how the server is doing.
  bool MayWatch(std::string_view user, std::string_view password);
  // Ends the connections of users that are no more, and of listeners that may hear less than
  // before. `self`: of the caller, whose own connection ends after its reply.
  void DropUsers(const AclChanges& changes, Session* self);

  size_t clients();
  // Calls `use` for each, oldest first, while none of them can go away.
  void ForEachConnection(const std::function<void(Connection&)>& use);

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

  const ServerOptions options_;  // but for the password
  Log* const log_;
  std::unique_ptr<fiber::Runtime> runtime_;
  std::unique_ptr<Keyspace> keyspace_;
  Acl acl_;
  Checkpoints checkpoints_;
  DiskReserve disk_;
  Stats stats_;
  SlowLog slow_log_;
  PubSub pubsub_;
  uint64_t started_at_ms_ = 0;
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
  std::atomic<Durability> durability_;
  std::atomic<uint64_t> idle_timeout_s_;
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
