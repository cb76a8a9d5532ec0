// The moments at which keys expire, as commands give them.

#ifndef CAIRN_SERVER_COMMANDS_EXPIRY_H_
#define CAIRN_SERVER_COMMANDS_EXPIRY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/commands/command.h"

namespace cairn::server {

enum class ExpiryUnit { kSeconds, kMillis, kSecondsSince1970, kMillisSince1970 };

// EX PX EXAT PXAT of SET and GETEX.
struct ExpiryOption {
  bool given = false;
  bool failed = false;      // the error was replied
  uint64_t expires_at = 0;  // milliseconds since 1970
};

// Takes the option at word *i and its number, on whose position *i is left. False: there is none
// here, or it is wrong (option->failed).
bool ParseExpiryOption(Call& call, size_t* i, ExpiryOption* option);

// A moment that is not before 1970 and, without `past`, a positive number; else an error is
// replied.
bool ParseExpiry(Call& call, std::string_view word, ExpiryUnit unit, uint64_t* expires_at,
                 bool past = false);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_EXPIRY_H_
