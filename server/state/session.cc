#include "server/state/session.h"

#include "server/resp/words.h"

namespace cairn::server {

std::string_view DurabilityName(Durability durability) {
  switch (durability) {
    case Durability::kMemory:
      return "none";
    case Durability::kSystem:
      return "os";
    case Durability::kDisk:
      return "sync";
  }
  return "?";
}

bool ParseDurability(std::string_view name, Durability* durability) {
  for (const Durability one : {Durability::kMemory, Durability::kSystem, Durability::kDisk}) {
    if (!EqualsIgnoringCase(name, DurabilityName(one))) continue;
    *durability = one;
    return true;
  }
  return false;
}

}  // namespace cairn::server
