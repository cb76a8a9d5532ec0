// The users: who there is, who somebody is, and the file that they are kept in.
//
// A user is an immutable AclUser; a change makes another one and a new generation(). A connection
// keeps the one that it logged in as, looks at the generation before each command, one load, and
// takes the new one when it has changed (commands/executor.cc).
//
// Thread safe.

#ifndef CAIRN_SERVER_AUTH_ACL_H_
#define CAIRN_SERVER_AUTH_ACL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/mutex.h"
#include "rocksdb/status.h"
#include "server/auth/acl_log.h"
#include "server/auth/acl_user.h"

namespace cairn::server {

// The ids of users whose connections do not stay as they are.
struct AclChanges {
  std::vector<uint64_t> deleted;
  std::vector<uint64_t> fewer_channels;  // than before: who listens may have to stop
};

class Acl {
 public:
  using UserPtr = std::shared_ptr<const AclUser>;

  // Who says nothing else.
  static constexpr std::string_view kDefault = "default";
  static constexpr uint64_t kDefaultId = 1;

  // With the default user, who may do everything and needs `password`, if it is not empty. `file`:
  // empty for none; Load() reads it. `permissions`: of all commands, borrowed.
  Acl(const Permissions& permissions, std::string_view password, std::string file);

  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Null: there is none.
  UserPtr Find(std::string_view name);
  std::vector<UserPtr> Users();  // by name
  // Whether whoever connects is somebody, without a word.
  bool open();
  bool default_has_password();

  // Null: the password is wrong, or the user off, or there is none; in the same time.
  UserPtr LogIn(std::string_view name, std::string_view password);

  // All rules or none; makes the user if it is missing. False: *error, as Redis words it.
  bool SetUser(std::string_view name, std::span<const std::string_view> rules, AclChanges* changes,
               std::string* error);
  // False: there was none. REQUIRES: it is not the default user.
  bool Delete(std::string_view name, AclChanges* changes);
  // Replaces the default user's passwords; empty: it needs none.
  void SetDefaultPassword(std::string_view password);

  const std::string& file() const { return file_; }
  // SUSPENDS. Makes the users those of the file; all stays as it was if a line is wrong. Where the
  // file has no default user, that one stays.
  rocksdb::Status Load(AclChanges* changes);
  // SUSPENDS. Replaces the file.
  rocksdb::Status Save();

  AclLog& log() { return log_; }

  static bool IsName(std::string_view name);

 private:
  using Users_ = std::map<std::string, UserPtr, std::less<>>;

  UserPtr FindLocked(std::string_view name) FIBER_REQUIRES(mutex_);
  bool ParseLine(std::string_view line, Users_* users, std::string* error) FIBER_REQUIRES(mutex_);
  void ChangedLocked() FIBER_REQUIRES(mutex_) {
    generation_.fetch_add(1, std::memory_order_release);
  }

  const Permissions& permissions_;
  const std::string file_;
  AclLog log_;
  fiber::Mutex file_mutex_;  // before mutex_
  fiber::Mutex mutex_;
  Users_ users_ FIBER_GUARDED_BY(mutex_);
  uint64_t next_id_ FIBER_GUARDED_BY(mutex_) = kDefaultId + 1;
  std::atomic<uint64_t> generation_{1};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_ACL_H_
