// What the server knows of one client between two requests. Of its connection's fiber alone, but
// for what is marked.

#ifndef CAIRN_SERVER_STATE_SESSION_H_
#define CAIRN_SERVER_STATE_SESSION_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "server/keyspace/lock_table.h"
#include "server/state/pubsub.h"

namespace cairn::server {

class AclUser;
struct Command;
struct Permission;

// When a write is acknowledged. kMemory: before it is written at all, so that nothing is waited
// for; what a crash of the process or a failing disk then takes was acknowledged. kSystem: the
// operating system has it: lost only with power or the kernel. kDisk: synced, together with those
// of all other connections that wait at the moment.
enum class Durability : uint8_t { kMemory, kSystem, kDisk };

std::string_view DurabilityName(Durability durability);  // "none", "os", "sync"
bool ParseDurability(std::string_view name, Durability* durability);

struct Session {
  struct Watched {
    uint32_t ns;
    std::string key;
    uint64_t expires_at;  // 0: never, or it was not there
  };
  using Words = std::vector<std::string>;

  uint64_t id = 0;
  std::atomic<int> database{0};  // read by others
  uint32_t ns = 0;               // of the database, as of the run that is under way
  Durability durability = Durability::kSystem;
  bool authenticated = true;
  // Wrong passwords: each beyond the first few is answered later, and the last ends it.
  static constexpr int kPromptFailedLogins = 3;
  static constexpr int kMaxFailedLogins = 16;
  int failed_logins = 0;
  // What it says of itself. Changed by its own fiber alone, with Say(); others read it under
  // about_mutex.
  std::string user = "default";
  std::string name;  // CLIENT SETNAME
  std::string library_name, library_version;
  mutable fiber::Mutex about_mutex;
  void Say(std::string* text, std::string_view value) {
    const fiber::MutexLock lock(&about_mutex);
    *text = value;
  }
  // What the user may do as of a generation of the users (auth/acl.h).
  std::shared_ptr<const AclUser> rights;
  uint64_t acl_generation = 0;
  bool unrestricted = true;  // everything
  int fd = -1;
  std::string address, local_address;
  uint64_t connected_at_ms = 0;
  bool close_after_reply = false;
  bool replies_off = false;      // CLIENT REPLY OFF
  bool skip_next_reply = false;  // CLIENT REPLY SKIP: this one's, and the next
  bool skip_reply = false;       // of the command that runs

  // MULTI ... EXEC
  bool in_multi = false;
  bool multi_failed = false;  // a command could not be queued
  std::vector<Words> queued;
  size_t queued_bytes = 0;
  bool in_exec = false;
  struct Message {
    Audience audience;
    std::string channel, text;
  };
  std::vector<Message> to_publish;  // when EXEC has committed
  // WATCH
  Watcher watcher;
  std::vector<Watched> watched;

  // To what it listens; the connection's. Beside it how many names that are, together and of each
  // Audience; read by others.
  Subscriber* subscriber = nullptr;
  std::atomic<size_t> subscriptions{0};
  std::array<std::atomic<size_t>, kAudiences> subscribed{};

  // A command that waits for other clients (blocking.cc). CLIENT UNBLOCK sets `unblock` and the
  // waiter's event.
  enum class Unblock : uint8_t { kNo, kTimeout, kError };
  Waiter waiter;
  std::atomic<bool> blocked{false};
  std::atomic<Unblock> unblock{Unblock::kNo};

  // Read by others (CLIENT LIST, idle time, ACL DELUSER).
  std::atomic<int> protocol{2};
  std::atomic<int64_t> queued_commands{-1};  // not in a transaction
  std::atomic<const Command*> last_command{nullptr};
  std::atomic<const Permission*> last_subcommand{nullptr};  // if that is the last command's
  std::atomic<uint64_t> user_id{1};
  std::atomic<uint64_t> last_active_ms{0};
  std::atomic<uint64_t> commands{0};
  std::atomic<bool> killed{false};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_SESSION_H_
