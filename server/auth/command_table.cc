#include "server/auth/command_table.h"

#include <algorithm>
#include <array>

#include "server/resp/words.h"

namespace cairn::server {

namespace {

constexpr size_t kMaxNameBytes = 32;

}  // namespace

CommandTable::CommandTable(std::initializer_list<std::span<const Command>> families) {
  for (const std::span<const Command> family : families) {
    for (const Command& command : family) {
      all_.push_back(&command);
      by_name_.emplace(command.name, &command);
    }
  }
  std::sort(all_.begin(), all_.end(),
            [](const Command* a, const Command* b) { return a->name < b->name; });
}

const Command* CommandTable::Find(std::string_view name) const {
  if (name.size() > kMaxNameBytes) return nullptr;
  std::array<char, kMaxNameBytes> lower{};
  std::transform(name.begin(), name.end(), lower.begin(), Lower);
  const auto it = by_name_.find(std::string_view(lower.data(), name.size()));
  return it == by_name_.end() ? nullptr : it->second;
}

}  // namespace cairn::server
