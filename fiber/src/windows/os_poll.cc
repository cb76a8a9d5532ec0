// By select(), a socket at a time: WSAPoll() does not tell of a connection that failed on older
// systems. For the simulation, which has few of them and no hurry.
#include "os_poll.h"

#include "handles.h"
#include "os_net.h"

namespace fiber::detail {

int os_poll(PollEntry* entries, size_t count) {
  int ready = 0;
  for (size_t i = 0; i < count; i++) {
    PollEntry& entry = entries[i];
    entry.revents = 0;
    const HandleEntry* const known = handle_entry(entry.fd);
    if (known == nullptr || known->kind != HandleKind::kSocket) {
      entry.revents = kPollError;
      ready++;
      continue;
    }
    const auto socket = reinterpret_cast<SOCKET>(handle_of(entry.fd));
    fd_set in, out, error;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&error);
    if ((entry.events & kPollIn) != 0) FD_SET(socket, &in);
    if ((entry.events & kPollOut) != 0) FD_SET(socket, &out);
    FD_SET(socket, &error);
    timeval now = {0, 0};
    const int result = select(0, &in, &out, &error, &now);
    if (result == 0) continue;
    if (result < 0 || FD_ISSET(socket, &error)) entry.revents |= kPollError;
    if (result > 0 && FD_ISSET(socket, &in)) entry.revents |= kPollIn;
    if (result > 0 && FD_ISSET(socket, &out)) entry.revents |= kPollOut;
    ready++;
  }
  return ready;
}

}  // namespace fiber::detail
