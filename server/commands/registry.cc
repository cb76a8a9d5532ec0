#include <algorithm>
#include <array>
#include <unordered_map>

#include "server/commands/command.h"

namespace cairn::server {

namespace {

constexpr size_t kMaxNameBytes = 32;

struct Registry {
  std::vector<const Command*> all;
  std::unordered_map<std::string_view, const Command*> by_name;

  Registry() {
    for (const std::span<const Command> family :
         {StringCommands(), BitCommands(), LcsCommands(), KeyCommands(), ObjectCommands(),
          SortCommands(), ConnectionCommands(), ServerCommands(), HashCommands(), ListCommands(),
          BlockingListCommands(), SetCommands(), SetAlgebraCommands(), SortedSetCommands(),
          SortedSetRangeCommands(), SortedSetPopCommands(), SortedSetAlgebraCommands(),
          AclCommands(), PubSubCommands()}) {
      for (const Command& command : family) {
        all.push_back(&command);
        by_name.emplace(command.name, &command);
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Command* a, const Command* b) { return a->name < b->name; });
  }
};

const Registry& TheRegistry() {
  static const Registry registry;
  return registry;
}

}  // namespace

const Command* FindCommand(std::string_view name) {
  if (name.size() > kMaxNameBytes) return nullptr;
  std::array<char, kMaxNameBytes> lower;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  const auto& by_name = TheRegistry().by_name;
  const auto it = by_name.find(std::string_view(lower.data(), name.size()));
  return it == by_name.end() ? nullptr : it->second;
}

const std::vector<const Command*>& AllCommands() { return TheRegistry().all; }

}  // namespace cairn::server
