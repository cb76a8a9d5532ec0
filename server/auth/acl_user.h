// One user: whether and how it logs in, which commands it runs, on which keys and channels. Made by
// rules in Redis's language (ACL SETUSER, an ACL file):
//
//   on off nopass >password <password #sha256 !sha256 resetpass
//   ~pattern %R~pattern %W~pattern %RW~pattern allkeys resetkeys
//   &pattern allchannels resetchannels
//   +command -command +command|sub -command|sub +@category -@category allcommands nocommands
//   reset
//
// A value: changed by Apply() alone, by its owner; what others see is constant (acl.h).

#ifndef CAIRN_SERVER_AUTH_ACL_USER_H_
#define CAIRN_SERVER_AUTH_ACL_USER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/auth/password.h"
#include "server/auth/permissions.h"

namespace cairn::server {

class AclUser {
 public:
  enum class Denied { kNothing, kCommand, kKey, kChannel };

  // May do nothing, and is off. `permissions`: of all commands, borrowed. `id`: never used for
  // another one.
  AclUser(const Permissions& permissions, std::string name, uint64_t id);

  // One rule. False: it is none (*error), and the user is as before.
  bool Apply(std::string_view rule, std::string* error);

  const std::string& name() const { return name_; }
  uint64_t id() const { return id_; }
  bool on() const { return on_; }
  bool nopass() const { return nopass_; }
  const std::vector<PasswordHash>& passwords() const { return passwords_; }
  bool KnowsPassword(const PasswordHash& hash) const;

  // Everything is allowed, now and later.
  bool unrestricted() const {
    return all_commands_ && rules_.empty() && all_keys_ && all_channels_;
  }
  // What of it is not allowed; of keys and channels, *position is the word's.
  Denied Check(const Command& command, Arguments arguments, size_t* position) const;
  // Whether each channel that `other` may use is allowed to this one by the same pattern.
  bool HasChannelsOf(const AclUser& other) const;

  // The rules that make it anew, from `reset` on: "on nopass ~* &* +@all".
  std::string Describe() const;
  std::string DescribeCommands() const;  // "-@all +get +@hash"
  std::string DescribeKeys() const;      // "~a* %R~b*"
  std::string DescribeChannels() const;  // "&news.*"

 private:
  struct KeyPattern {
    std::string pattern;
    uint8_t use;  // of KeyUse
  };

  bool ApplyPassword(std::string_view rule, std::string* error);
  bool ApplyPattern(std::string_view rule, std::string* error);
  bool ApplyCommand(std::string_view rule, std::string* error);
  void AllCommandsAre(bool allowed);
  bool MayUseKey(std::string_view key, KeyUse use) const;
  bool MayReadEveryKey() const;
  bool MayUseChannel(std::string_view channel, bool is_pattern) const;

  const Permissions* permissions_;
  std::string name_;
  uint64_t id_;
  bool on_ = false;
  bool nopass_ = false;
  std::vector<PasswordHash> passwords_;
  // By place in *permissions_: what all_commands_ and then rules_, in their order, make of it.
  std::vector<bool> allowed_;
  bool all_commands_ = false;
  std::vector<std::string> rules_;  // "+get", "-@write"; each name once
  bool all_keys_ = false;
  std::vector<KeyPattern> keys_;
  bool all_channels_ = false;
  std::vector<std::string> channels_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_ACL_USER_H_
