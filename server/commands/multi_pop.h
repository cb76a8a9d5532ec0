// What commands share that take elements off the first of several keys that has some, and perhaps
// wait for them: LMPOP, ZMPOP, BLPOP, BZPOPMIN and their kin (blocking.cc has the waiting).

#ifndef CAIRN_SERVER_COMMANDS_MULTI_POP_H_
#define CAIRN_SERVER_COMMANDS_MULTI_POP_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/commands/command.h"

namespace cairn::server {

// What became of a command that takes elements.
enum class Taken {
  kYes,      // they, or an error, were replied
  kNothing,  // there are none; nothing was replied
};

struct MultiPop {
  size_t first_key = 0;
  size_t keys = 0;
  bool from_last = false;  // RIGHT or MAX, instead of LEFT or MIN
  uint64_t count = 1;
  bool only_one = false;  // as BLPOP replies: the element, not an array of elements
};
// numkeys key [key ...] FIRST | LAST [COUNT count] from word `at` on; `first` and `last` in
// capitals. False: an error was replied.
bool ParseMultiPop(Call& call, size_t at, std::string_view first, std::string_view last,
                   MultiPop* options);

// Word `i` of a command that may wait: seconds, perhaps with a fraction; 0: for ever. False: the
// error was replied.
bool ParseTimeout(Call& call, size_t i, uint64_t* nanos);

// There is nothing to take: waits, or replies what one gets whose time is over. Within MULTI nobody
// waits.
void WaitOrGiveUp(Call& call, uint64_t timeout_nanos, void (ReplyWriter::*nothing)());

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_MULTI_POP_H_
