// What the server has beside its network: the keyspace and the workers, the users, what was asked
// for at the start and can change since, and what is counted and published. Commands and the admin
// port work on this; net/server.h owns it.
//
// Thread safe, but for Open() and Close().

#ifndef CAIRN_SERVER_STATE_SERVER_STATE_H_
#define CAIRN_SERVER_STATE_SERVER_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "fiber/runtime.h"
#include "rocksdb/status.h"
#include "server/auth/acl.h"
#include "server/host/log.h"
#include "server/keyspace/checkpoints.h"
#include "server/keyspace/disk_reserve.h"
#include "server/keyspace/keyspace.h"
#include "server/state/frontend.h"
#include "server/state/options.h"
#include "server/state/pubsub.h"
#include "server/state/slow_log.h"
#include "server/state/stats.h"

namespace cairn::server {

class ServerState {
 public:
  // `permissions`, `frontend` and `log` are borrowed.
  ServerState(const ServerOptions& options, const Permissions& permissions, Frontend* frontend,
              Log* log);
  ServerState(const ServerState&) = delete;
  ServerState& operator=(const ServerState&) = delete;

  // Starts the workers, reads the users and opens the keyspace.
  rocksdb::Status Open();
  // SUSPENDS. Syncs and closes what is open. REQUIRES: nobody uses it any more.
  rocksdb::Status Close();

  Frontend& frontend() { return frontend_; }
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

  // What CONFIG SET changes, with the frontend's limit of clients.
  Durability default_durability() const { return durability_.load(std::memory_order_relaxed); }
  void set_default_durability(Durability durability) { durability_.store(durability); }
  uint64_t idle_timeout_s() const { return idle_timeout_s_.load(std::memory_order_relaxed); }
  void set_idle_timeout_s(uint64_t seconds) { idle_timeout_s_.store(seconds); }

  Acl& acl() { return acl_; }
  // Whether who connects has to say who it is.
  bool needs_password() { return !acl_.open(); }
  // Ends the connections of users that are no more, and of listeners that may hear less than
  // before. `self`: of the caller, whose own connection ends after its reply; null: none.
  void DropUsers(const AclChanges& changes, Session* self);

 private:
  rocksdb::Status StartWorkers();
  rocksdb::Status LoadUsers();
  rocksdb::Status OpenKeyspace();

  const ServerOptions options_;  // but for the password, of which the ACL has the hash
  Frontend& frontend_;
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
  std::atomic<Durability> durability_;
  std::atomic<uint64_t> idle_timeout_s_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_SERVER_STATE_H_
