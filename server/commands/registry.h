// All commands, put together from the tables of their families. Thread safe.

#ifndef CAIRN_SERVER_COMMANDS_REGISTRY_H_
#define CAIRN_SERVER_COMMANDS_REGISTRY_H_

#include <span>
#include <string_view>
#include <vector>

#include "server/auth/command_table.h"
#include "server/auth/permissions.h"

namespace cairn::server {

// Null if there is no such command. Any case.
const Command* FindCommand(std::string_view name);
const std::vector<const Command*>& AllCommands();  // by name
// What can be permitted of them.
const Permissions& CommandPermissions();

// The tables of the families.
std::span<const Command> StringCommands();
std::span<const Command> BitCommands();
std::span<const Command> LcsCommands();
std::span<const Command> KeyCommands();
std::span<const Command> ObjectCommands();
std::span<const Command> SortCommands();
std::span<const Command> ListCommands();
std::span<const Command> BlockingListCommands();
std::span<const Command> ConnectionCommands();
std::span<const Command> PubSubCommands();
std::span<const Command> ServerCommands();
std::span<const Command> AclCommands();
std::span<const Command> HashCommands();
std::span<const Command> SetCommands();
std::span<const Command> SetAlgebraCommands();
std::span<const Command> SortedSetCommands();
std::span<const Command> SortedSetRangeCommands();
std::span<const Command> SortedSetPopCommands();
std::span<const Command> SortedSetAlgebraCommands();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_REGISTRY_H_
