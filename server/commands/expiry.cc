#include "server/commands/expiry.h"

#include <algorithm>
#include <string>

#include "cairn/compiler.h"

namespace cairn::server {

bool ParseExpiry(Call& call, std::string_view word, ExpiryUnit unit, uint64_t* expires_at,
                 bool past) {
  int64_t value;
  if (!ParseInteger(word, &value)) return call.NotAnInteger();
  const bool seconds = unit == ExpiryUnit::kSeconds || unit == ExpiryUnit::kSecondsSince1970;
  const bool relative = unit == ExpiryUnit::kSeconds || unit == ExpiryUnit::kMillis;
  bool fits = past || value > 0;
  if (seconds) fits = fits && !compiler::MultiplyOverflows(value, int64_t{1000}, &value);
  if (relative) {
    fits = fits && !compiler::AddOverflows(value, static_cast<int64_t>(call.now_ms()), &value);
  }
  if (!fits) {
    call.reply.Error("ERR invalid expire time in '" + std::string(call.command.name) + "' command");
    return false;
  }
  // 0 would be "never".
  *expires_at = static_cast<uint64_t>(std::max<int64_t>(value, 1));
  return true;
}

bool ParseExpiryOption(Call& call, size_t* i, ExpiryOption* option) {
  ExpiryUnit unit;
  if (call.Is(*i, "EX")) {
    unit = ExpiryUnit::kSeconds;
  } else if (call.Is(*i, "PX")) {
    unit = ExpiryUnit::kMillis;
  } else if (call.Is(*i, "EXAT")) {
    unit = ExpiryUnit::kSecondsSince1970;
  } else if (call.Is(*i, "PXAT")) {
    unit = ExpiryUnit::kMillisSince1970;
  } else {
    return false;
  }
  if (option->given || *i + 1 >= call.size()) return false;
  option->given = true;
  option->failed = !ParseExpiry(call, call[++*i], unit, &option->expires_at);
  return !option->failed;
}

}  // namespace cairn::server
