// What the list commands that wait share with those that do not (lists.cc).

#ifndef CAIRN_SERVER_COMMANDS_LISTS_H_
#define CAIRN_SERVER_COMMANDS_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "server/commands/command.h"
#include "server/commands/list_elements.h"
#include "server/commands/multi_pop.h"

namespace cairn::server {

// LEFT or RIGHT; else the error is replied.
bool ParseListEnd(Call& call, size_t i, ListEnd* end);

// LMOVE and its kin.
Taken MoveElement(Call& call, std::string_view source, std::string_view target, ListEnd from,
                  ListEnd to);

// Pops from the first key with elements; replies with the key and them.
Taken PopFromFirst(Call& call, const MultiPop& options);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_LISTS_H_
