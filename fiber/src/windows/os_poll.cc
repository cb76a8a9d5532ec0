// Whether sockets are ready. For the simulation.
//
// Who waits to receive is asked for by WSAPoll(), all at once; who waits to send by select(), one
// at a time, because WSAPoll() does not tell of a connection that failed before Windows 10, 2004.
#include "os_poll.h"

#include <vector>

#include "descriptor.h"
#include "handles.h"
#include "os_net.h"

namespace fiber::detail {

namespace {

// For the PollEntry's `revents`.
short writable(SOCKET socket) {
  fd_set out, error;
  FD_ZERO(&out);
  FD_ZERO(&error);
  FD_SET(socket, &out);
  FD_SET(socket, &error);
  timeval now = {0, 0};
  const int result = select(0, nullptr, &out, &error, &now);
  if (result == 0) return 0;
  return result > 0 && !FD_ISSET(socket, &error) ? kPollOut : kPollError;
}

}  // namespace

int os_poll(PollEntry* entries, size_t count) {
  int ready = 0;
  std::vector<WSAPOLLFD> receivers;
  std::vector<PollEntry*> asked;
  for (size_t i = 0; i < count; i++) {
    PollEntry& entry = entries[i];
    entry.revents = 0;
    const HandleEntry* const known = handle_entry(entry.fd);
    const Descriptor* const use = descriptor(entry.fd);
    if (known == nullptr || known->kind != HandleKind::kSocket ||
        (use->waits.load(std::memory_order_acquire) & Descriptor::kClosing) != 0) {
      entry.revents = kPollError;
    } else if ((entry.events & kPollOut) != 0) {
      entry.revents = writable(reinterpret_cast<SOCKET>(handle_of(entry.fd)));
    } else {
      receivers.push_back({reinterpret_cast<SOCKET>(handle_of(entry.fd)), POLLRDNORM, 0});
      asked.push_back(&entry);
    }
    ready += entry.revents != 0;
  }
  if (receivers.empty() || WSAPoll(receivers.data(), static_cast<ULONG>(receivers.size()), 0) <= 0)
    return ready;
  for (size_t i = 0; i < receivers.size(); i++) {
    const short events = receivers[i].revents;
    if (events == 0) continue;
    asked[i]->revents = (events & POLLRDNORM) != 0 ? kPollIn : kPollError;
    ready++;
  }
  return ready;
}

}  // namespace fiber::detail
