// What can be permitted one by one: commands, and of commands with subcommands ("client|kill") each
// of these; their categories; and what a command does with its keys and channels, as far as its
// table does not say.

#ifndef CAIRN_SERVER_AUTH_PERMISSIONS_H_
#define CAIRN_SERVER_AUTH_PERMISSIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/auth/command_table.h"

namespace cairn::server {

// Redis's categories ("keyspace", "read" ...), in its order. A set of them has bit i for the i-th.
std::span<const std::string_view> CategoryNames();
// False: there is none of this name. Any case.
bool FindCategory(std::string_view name, uint32_t* bit);

struct Permission {
  std::string name;  // "get", "client|kill"
  uint32_t categories;
  const Command* command;
};

enum KeyUse : uint8_t { kNoUse = 0, kReadsKey = 1, kWritesKey = 2, kReadsAndWritesKey = 3 };

struct UsedKey {
  size_t position;
  KeyUse use;
};
// Of all commands of a table, which is borrowed. Immutable, so thread safe.
class Permissions {
 public:
  explicit Permissions(const CommandTable& table);

  // A permission is told by its place here.
  const std::vector<Permission>& all() const { return all_; }
  const Permission& operator[](size_t place) const { return all_[place]; }
  size_t size() const { return all_.size(); }

  // What a run of the command needs. REQUIRES: arguments is not empty.
  size_t PlaceOf(const Command& command, Arguments arguments) const;
  const Permission& Of(const Command& command, Arguments arguments) const {
    return all_[PlaceOf(command, arguments)];
  }
  // The places of what a name stands for: "get", "client" (with all its subcommands) or
  // "client|kill". Empty: nothing. Any case.
  std::vector<size_t> Named(std::string_view name) const;
  uint32_t CategoriesOf(const Command& command) const;
  // The words that are keys. A command of which nothing is known but that it writes is taken to
  // tell what was there, too.
  std::vector<UsedKey> UsedKeys(const Command& command, Arguments arguments) const;

 private:
  struct OfCommand {
    size_t first;  // its own place, with those of its subcommands behind it
    size_t count;
    KeyUse first_key, other_keys;
  };

  const CommandTable& table_;
  std::vector<Permission> all_;
  std::unordered_map<const Command*, OfCommand> of_command_;
};

// Whether it tells values of keys that it does not name.
bool ReadsUnnamedKeys(const Command& command, Arguments arguments);

struct UsedChannels {
  size_t first = 0;  // words [first, last)
  size_t last = 0;
  bool patterns = false;  // they are patterns themselves
};
UsedChannels UsedChannelsOf(const Command& command, Arguments arguments);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_PERMISSIONS_H_
