#include "engine_sim.h"

#include <algorithm>
#include <cerrno>

#include "futex.h"
#include "io_request.h"
#include "simulator.h"

namespace fiber::detail {

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
  const bool counts = result < 0 || entry.request->fd >= 0 || entry.request->op.moves_bytes();
  simulator_->io_ended(entry.number, counts ? result : 0);
  entry.request->complete(result);
}

// Makes the call, unless it would have to wait: then it goes to the stalled ones.
void SimEngine::attempt(const Entry& entry) {
  IoRequest* const request = entry.request;
  PollEntry stream{.fd = request->fd, .events = request->events, .revents = 0};
  if (request->fd < 0) {
    stream = request->op.stream();
    if (stream.events == 0 || os_poll(&stream, 1) != 0) {
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
  if (stalled_.empty() || os_poll(streams_.data(), streams_.size()) <= 0) return false;
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
