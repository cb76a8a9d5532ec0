// Whether sockets are ready, in poll(2)'s terms. (posix/os_poll.h is the other one.)
#pragma once

#include <cstddef>

namespace fiber::detail {

struct PollEntry {
  int fd = -1;
  short events = 0;
  short revents = 0;
};
inline constexpr short kPollIn = 1;
inline constexpr short kPollOut = 4;
// Also when nobody asks: a connection that failed, a descriptor that is no socket or is being
// closed.
inline constexpr short kPollError = 8;

// How many are ready now (their `revents` are not 0). Does not wait.
int os_poll(PollEntry* entries, size_t count);

}  // namespace fiber::detail
