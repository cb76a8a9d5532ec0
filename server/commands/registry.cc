#include "server/commands/registry.h"

namespace cairn::server {

namespace {

const CommandTable& TheTable() {
  static const CommandTable table(
      {StringCommands(), BitCommands(), LcsCommands(), KeyCommands(), ObjectCommands(),
       SortCommands(), ConnectionCommands(), ServerCommands(), HashCommands(), ListCommands(),
       BlockingListCommands(), SetCommands(), SetAlgebraCommands(), SortedSetCommands(),
       SortedSetRangeCommands(), SortedSetPopCommands(), SortedSetAlgebraCommands(), AclCommands(),
       PubSubCommands()});
  return table;
}

}  // namespace

const Command* FindCommand(std::string_view name) { return TheTable().Find(name); }

const std::vector<const Command*>& AllCommands() { return TheTable().all(); }

const Permissions& CommandPermissions() {
  static const Permissions permissions(TheTable());
  return permissions;
}

}  // namespace cairn::server
