// See engine_epoll.h.
#include "engine_epoll.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "descriptor.h"
#include "fiber/clock.h"
#include "futex.h"

namespace fiber::detail {

struct EpollEngine::Events {
  epoll_event list[kMaxEvents];
};

namespace {

// Waits for at most `timeout` nanoseconds (UINT64_MAX: for ever). The precise call is of Linux
// 5.11; the old one counts in milliseconds, rounded up here: late rather than in a busy loop.
int wait_for_events(int epoll_fd, epoll_event* events, int max, uint64_t timeout) {
  static std::atomic<bool> precise{true};
#if defined(SYS_epoll_pwait2)
  if (timeout != 0 && timeout != UINT64_MAX && precise.load(std::memory_order_relaxed)) {
    const timespec limit = {static_cast<time_t>(timeout / 1000000000),
                            static_cast<long>(timeout % 1000000000)};
    const long count = ::syscall(SYS_epoll_pwait2, epoll_fd, events, max, &limit, nullptr, 0);
    if (count >= 0 || errno != ENOSYS) return static_cast<int>(count);
    precise.store(false, std::memory_order_relaxed);
  }
#endif
  int millis = -1;
  if (timeout != UINT64_MAX)
    millis = static_cast<int>(std::min<uint64_t>((timeout + 999999) / 1000000, 3600000));
  return ::epoll_wait(epoll_fd, events, max, millis);
}

uint64_t tag(int fd, uint16_t generation) {
  return static_cast<uint64_t>(generation) << 32 | static_cast<uint32_t>(fd);
}

}  // namespace

EpollEngine::~EpollEngine() {
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd >= 0) ::close(event_fd);
  if (epoll_fd_ >= 0) ::close(epoll_fd_);
  delete events_;
}

int EpollEngine::create() {
  const int epoll_fd = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return -errno;
  const int event_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event = {};
  // Edge-triggered: each write is an event, nobody needs to read the counter.
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = kWakeEvent;
  if (event_fd < 0 || ::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) != 0) {
    const int error = -errno;
    if (event_fd >= 0) ::close(event_fd);
    ::close(epoll_fd);
    return error;
  }
  epoll_fd_ = epoll_fd;
  events_ = new Events;
  event_fd_.store(event_fd, std::memory_order_relaxed);
  return 0;
}

EpollEngine::Direction* EpollEngine::Watched::direction(const IoRequest* request) {
  return (request->events & POLLIN) != 0 ? &in : &out;
}

EpollEngine::Watched* EpollEngine::watch(int fd, int* error) {
  if (fd < 0) {
    *error = -EBADF;
    return nullptr;
  }
  const auto index = static_cast<size_t>(fd);
  const Descriptor* const known = descriptor(fd);
  const uint16_t generation =
      known != nullptr ? known->generation.load(std::memory_order_relaxed) : uint16_t{0};
  if (index < watched_.size() && watched_[index].registered &&
      watched_[index].generation == generation) {
    return &watched_[index];
  }
  if (epoll_fd_ < 0) {
    *error = create();
    if (*error != 0) return nullptr;
  }
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = tag(fd, generation);
  // What is registered under this number already, for a file that is still open elsewhere or for
  // this one, is armed anew by MOD: it reports what is ready now.
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0 &&
      (errno != EEXIST || ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event) != 0)) {
    *error = -errno;
    return nullptr;
  }
  // Only now: the number of a descriptor that does not exist may be anything.
  if (index >= watched_.size())
    watched_.resize(std::max({index + 1, watched_.size() * 2, size_t{64}}));
  Watched* const watched = &watched_[index];
  watched->registered = true;
  watched->generation = generation;
  watched->ended = false;
  watched->in.ready = watched->out.ready = true;
  return watched;
}

int64_t EpollEngine::attempt(Watched* watched, Direction* direction, IoRequest* request) {
  request->drained = false;
  const int64_t result = request->block(request);
  if (result == -EAGAIN) {
    direction->ready = false;
  } else if (request->drained && !watched->ended) {
    direction->ready = false;
  }
  return result;
}

bool EpollEngine::submit(IoRequest* request) {
  while (request != nullptr) {
    IoRequest* const next = request->next;  // the request may be gone once it was submitted
    if (request->fd < 0) {
      submit_to_pool(request);
    } else {
      submit_one(request);
    }
    request = next;
  }
  return true;
}

void EpollEngine::submit_one(IoRequest* request) {
  request->answered = true;
  int error = 0;
  Watched* const watched = watch(request->fd, &error);
  if (watched == nullptr) {
    // No socket, or no descriptor left for epoll: the attempt knows better what is wrong, if it
    // does not even have to wait.
    request->result = request->block(request);
    if (request->result == -EAGAIN) request->result = error;
    return;
  }
  Direction* const direction = watched->direction(request);
  if (direction->head == nullptr && direction->ready) {
    request->result = attempt(watched, direction, request);
    if (request->result != -EAGAIN) return;
  }
  request->answered = false;
  request->in_engine = true;
  request->next = nullptr;
  (direction->tail != nullptr ? direction->tail->next : direction->head) = request;
  direction->tail = request;
  pending_.add();
}

void EpollEngine::cancel(IoRequest* request) {
  if (!request->in_engine) return;
  Direction* const direction = watched_[static_cast<size_t>(request->fd)].direction(request);
  IoRequest* before = nullptr;
  for (IoRequest* r = direction->head; r != request; r = r->next) before = r;
  (before != nullptr ? before->next : direction->head) = request->next;
  if (direction->tail == request) direction->tail = before;
  request->in_engine = false;
  pending_.subtract(1);
  request->complete(-ECANCELED);
}

void EpollEngine::run(Watched* watched, Direction* direction) {
  while (direction->head != nullptr && direction->ready) {
    IoRequest* const request = direction->head;
    const int64_t result = attempt(watched, direction, request);
    if (result == -EAGAIN) return;
    direction->head = request->next;
    if (direction->head == nullptr) direction->tail = nullptr;
    request->in_engine = false;
    pending_.subtract(1);
    request->complete(result);
  }
}

void EpollEngine::take_events(int count) {
  for (int i = 0; i < count; ++i) {
    const uint64_t data = events_->list[i].data.u64;
    if (data == kWakeEvent) continue;
    const auto index = static_cast<size_t>(static_cast<uint32_t>(data));
    if (index >= watched_.size()) continue;
    Watched* const watched = &watched_[index];
    // Of a file that had this number before and is still open under another.
    if (watched->generation != static_cast<uint16_t>(data >> 32)) continue;
    const uint32_t events = events_->list[i].events;
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) watched->ended = true;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      watched->in.ready = true;
      run(watched, &watched->in);
    }
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
      watched->out.ready = true;
      run(watched, &watched->out);
    }
  }
}

void EpollEngine::poll(bool block, uint64_t deadline) {
  if (!block) {
    if (pending() == 0) return;
    // A poll that takes long itself must not be followed by the next at once.
    if (cycles() - last_poll_ < kPollMicros * cycles_per_microsecond()) return;
    take_events(wait_for_events(epoll_fd_, events_->list, kMaxEvents, 0));
    last_poll_ = cycles();
    return;
  }
  const bool woken = wake_word_.take();
  if (epoll_fd_ < 0) {
    if (!woken) wake_word_.sleep(deadline);
    wake_word_.take();
    return;
  }
  uint64_t timeout = woken ? 0 : UINT64_MAX;
  if (!woken && deadline != kNoDeadline) {
    const uint64_t now = now_nanos();
    timeout = deadline > now ? deadline - now : 0;
  }
  take_events(wait_for_events(epoll_fd_, events_->list, kMaxEvents, timeout));
  last_poll_ = cycles();
}

void EpollEngine::wakeup() { wake_word_.wake(event_fd_.load(std::memory_order_relaxed)); }

}  // namespace fiber::detail
