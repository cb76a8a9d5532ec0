// What the wrappers of fiber/posix.h need of the engines: waiting for a descriptor without reading
// or writing it, and a blocking call on a thread of the pool. (net.cc)
#pragma once

#include <cstdint>

#include "fiber/clock.h"

namespace fiber::detail {

// SUSPENDS until poll(2) would report `events` (POLLIN or POLLOUT), an error or a hang-up: 0.
// -ETIMEDOUT at the deadline, another -errno if it cannot be waited for. `held`: close() of the
// descriptor ends the wait with -EBADF, and comes back after it; only for sockets, because only
// these can be sent away from a wait. Otherwise the wait goes on if it is closed, as a system call
// would.
int wait_until_ready(int fd, short events, uint64_t deadline, bool held);

// SUSPENDS. Calls call(context) on a thread of the blocking pool; here, if the caller is a plain
// thread.
int64_t call_on_pool(int64_t (*call)(void*), void* context);

template <class Call>
int64_t on_pool(Call call) {
  return call_on_pool([](void* self) -> int64_t { return (*static_cast<Call*>(self))(); }, &call);
}

}  // namespace fiber::detail
