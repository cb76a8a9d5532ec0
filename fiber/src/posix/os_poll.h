// Whether streams are ready: poll(2). (windows/os_poll.h is the other one.)
#pragma once

#include <poll.h>

#include <cstddef>

namespace fiber::detail {

using PollEntry = pollfd;
inline constexpr short kPollIn = POLLIN;
inline constexpr short kPollOut = POLLOUT;

// How many are ready now (their `revents` are not 0), -1 for an error. Does not wait.
inline int os_poll(PollEntry* entries, size_t count) { return ::poll(entries, count, 0); }

}  // namespace fiber::detail
