#include "server/commands/multi_pop.h"

#include <cmath>

namespace cairn::server {

namespace {

constexpr double kMaxTimeoutSeconds = 9e15;

}  // namespace

bool ParseMultiPop(Call& call, size_t at, std::string_view first, std::string_view last,
                   MultiPop* options) {
  int64_t keys;
  if (!ParseInteger(call[at], &keys) || keys < 1) {
    call.reply.Error("ERR numkeys should be greater than 0");
    return false;
  }
  options->first_key = at + 1;
  options->keys = static_cast<size_t>(keys);
  if (options->keys >= call.size() - options->first_key) return call.SyntaxError();
  const size_t end = options->first_key + options->keys;
  options->from_last = call.Is(end, last);
  if (!options->from_last && !call.Is(end, first)) return call.SyntaxError();
  bool counted = false;
  for (size_t i = end + 1; i < call.size(); ++i) {
    if (!call.Is(i, "COUNT") || counted || i + 1 == call.size()) return call.SyntaxError();
    int64_t count;
    if (!ParseInteger(call[++i], &count) || count < 1) {
      call.reply.Error("ERR count should be greater than 0");
      return false;
    }
    options->count = static_cast<uint64_t>(count);
    counted = true;
  }
  return true;
}

bool ParseTimeout(Call& call, size_t i, uint64_t* nanos) {
  double seconds;
  if (!ParseDouble(call[i], &seconds)) {
    call.reply.Error("ERR timeout is not a float or out of range");
    return false;
  }
  if (seconds < 0) {
    call.reply.Error("ERR timeout is negative");
    return false;
  }
  if (seconds > kMaxTimeoutSeconds) {
    call.reply.Error("ERR timeout is out of range");
    return false;
  }
  // Beyond what the clock counts is for ever; as in Redis nothing is shorter than a millisecond.
  const double millis = std::ceil(seconds * 1e3);
  *nanos = millis >= 1e12 ? UINT64_MAX : static_cast<uint64_t>(millis) * 1'000'000;
  return true;
}

void WaitOrGiveUp(Call& call, uint64_t timeout_nanos, void (ReplyWriter::*nothing)()) {
  if (call.blocked == nullptr || call.blocked->timed_out) {
    (call.reply.*nothing)();
    return;
  }
  call.blocked->would_wait = true;
  call.blocked->timeout_nanos = timeout_nanos;
}

}  // namespace cairn::server
