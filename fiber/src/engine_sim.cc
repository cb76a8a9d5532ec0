#include "engine_sim.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "futex.h"
#include "io_files.h"
#include "io_request.h"
#include "simulator.h"

namespace fiber::detail {
namespace {

// What poll() is to wait for before the operation would not block; 0 where it does not matter.
short stream_events(const IoRequest& request) {
  if (!request.has_sqe) return 0;
  const io_uring_sqe& sqe = request.ring.sqe;
  switch (sqe.opcode) {
    case IORING_OP_READ:
    case IORING_OP_READV:
      return io::is_stream(sqe.fd) ? POLLIN : 0;
    case IORING_OP_WRITE:
    case IORING_OP_WRITEV:
      return io::is_stream(sqe.fd) ? POLLOUT : 0;
    default:
      return 0;
  }
}

bool moves_bytes(const IoRequest& request) {
  if (!request.has_sqe) return false;
  switch (request.ring.sqe.opcode) {
    case IORING_OP_READ:
    case IORING_OP_READV:
    case IORING_OP_WRITE:
    case IORING_OP_WRITEV:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool SimEngine::submit(IoRequest* request) {
  for (; request != nullptr; request = request->next) {
    const uint64_t delay = simulator_->io_delay();
    const uint64_t number = simulator_->io_started(delay);
    entries_.insert({simulator_->now() + delay, number, request});
  }
  return true;
}

void SimEngine::cancel(IoRequest* request) {
  auto is_it = [request](const Entry& entry) { return entry.request == request; };
  auto queued = std::find_if(entries_.begin(), entries_.end(), is_it);
  auto stalled = std::find_if(stalled_.begin(), stalled_.end(), is_it);
  if (queued != entries_.end()) {
    const Entry entry = *queued;
    entries_.erase(queued);
    finish(entry, -ECANCELED);
  } else if (stalled != stalled_.end()) {
    const Entry entry = *stalled;
    streams_.erase(streams_.begin() + (stalled - stalled_.begin()));
    stalled_.erase(stalled);
    finish(entry, -ECANCELED);
  }
}

void SimEngine::finish(const Entry& entry, int64_t result) {
  // Descriptors and the like are the process's affair, not the simulation's.
  const bool counts = result < 0 || entry.request->fd >= 0 || moves_bytes(*entry.request);
  simulator_->io_ended(entry.number, counts ? result : 0);
  entry.request->complete(result);
}

// Makes the call, unless it would have to wait: then it goes to the stalled ones.
void SimEngine::attempt(const Entry& entry) {
  IoRequest* const request = entry.request;
  pollfd stream{.fd = request->fd, .events = request->events, .revents = 0};
  if (request->fd < 0) {
    stream.events = stream_events(*request);
    if (stream.events != 0) stream.fd = request->ring.sqe.fd;
    if (stream.events == 0 || ::poll(&stream, 1, 0) != 0) {
      finish(entry, request->block(request));
      return;
    }
  } else {
    const int64_t result = request->block(request);
    if (result != -EAGAIN) {
      finish(entry, result);
      return;
    }
  }
  stalled_.push_back(entry);
  streams_.push_back(stream);
}

bool SimEngine::run_due() {
  bool any = false;
  while (!entries_.empty() && entries_.begin()->due <= simulator_->now()) {
    const Entry entry = *entries_.begin();
    entries_.erase(entries_.begin());
    any = true;
    attempt(entry);
  }
  return any;
}

bool SimEngine::run_ready_streams() {
  if (stalled_.empty() || ::poll(streams_.data(), streams_.size(), 0) <= 0) return false;
  std::vector<Entry> ready;
  for (size_t i = 0; i < stalled_.size();) {
    if (streams_[i].revents == 0) {
      i++;
      continue;
    }
    ready.push_back(stalled_[i]);
    stalled_.erase(stalled_.begin() + static_cast<ptrdiff_t>(i));
    streams_.erase(streams_.begin() + static_cast<ptrdiff_t>(i));
  }
  for (const Entry& entry : ready) attempt(entry);
  return true;
}

void SimEngine::poll(bool block, uint64_t deadline) {
  bool any = run_due();
  any = run_ready_streams() || any;
  if (!block || any) return;
  if (woken_.exchange(0, std::memory_order_seq_cst) != 0) return;
  if (!entries_.empty()) deadline = std::min(deadline, entries_.begin()->due);
  (void)simulator_->wait(&woken_, 0, deadline, stalled_.empty() ? nullptr : &streams_);
  woken_.store(0, std::memory_order_seq_cst);
  run_due();
  run_ready_streams();
}

void SimEngine::wakeup() {
  woken_.store(1, std::memory_order_seq_cst);
  futex_wake(&woken_);
}

}  // namespace fiber::detail
