#include <future>

#include "fiber/local.h"
#include "fiber/std/detail/shared_state.h"
#include "fiber/wait.h"

namespace fiber_std::detail {

void SharedStateBase::throw_if_satisfied() {
  if (satisfied_) throw std::future_error(std::future_errc::promise_already_satisfied);
}

void SharedStateBase::mark_retrieved() {
  if (retrieved_.exchange(true, std::memory_order_relaxed)) {
    throw std::future_error(std::future_errc::future_already_retrieved);
  }
}

void SharedStateBase::wait() {
  if (ready()) return;
  uint32_t deferred = kDeferred;
  // The first that waits runs a deferred function, the others wait for that one.
  if (deferred_.compare_exchange_strong(deferred, kNotDeferred, std::memory_order_relaxed)) {
    run_deferred();
    return;
  }
  while (!ready()) (void)fiber::wait(&ready_, 0);
}

std::future_status SharedStateBase::wait_deadline(uint64_t deadline) {
  while (!ready()) {
    if (deferred_.load(std::memory_order_relaxed) == kDeferred) {
      return std::future_status::deferred;
    }
    if (deadline == 0 || fiber::wait(&ready_, 0, deadline) == fiber::WaitResult::kTimedOut) {
      return ready() ? std::future_status::ready : std::future_status::timeout;
    }
  }
  return std::future_status::ready;
}

void SharedStateBase::publish() {
  // Who sees it may destroy *this: the waking uses the address only.
  std::atomic<uint32_t>* const ready = &ready_;
  ready->store(1, std::memory_order_release);
  fiber::wake(ready, SIZE_MAX);
}

void SharedStateBase::publish_at_thread_exit(std::shared_ptr<SharedStateBase> state) {
  fiber::detail::at_context_exit([state = std::move(state)] { state->publish(); });
}

void SharedStateBase::abandon() {
  {
    fiber::MutexLock lock(&mutex_);
    if (satisfied_) return;
    satisfied_ = true;
    exception_ = std::make_exception_ptr(std::future_error(std::future_errc::broken_promise));
  }
  publish();
}

}  // namespace fiber_std::detail
