#include "fiber/std/stop_token.h"

#include "fiber/local.h"

namespace fiber_std::detail {

bool StopState::request_stop() noexcept {
  fiber::MutexLock lock(&mutex_);
  if (requested_.load(std::memory_order_relaxed)) return false;
  // Release: what the requester did is seen by who sees the request without the lock.
  requested_.store(true, std::memory_order_release);
  runner_ = fiber::detail::context_token();
  while (first_ != nullptr) {
    StopCallback* const callback = first_;
    unlink(callback);
    running_ = callback;
    lock.unlock();
    callback->invoke(callback);  // may destroy itself
    lock.lock();
    running_ = nullptr;
    ended_.notify_all();
  }
  return true;
}

bool StopState::add(StopCallback* callback) noexcept {
  fiber::MutexLock lock(&mutex_);
  if (requested_.load(std::memory_order_relaxed) || sources_.load(std::memory_order_acquire) == 0) {
    return false;
  }
  callback->next = first_;
  callback->previous = nullptr;
  if (first_ != nullptr) first_->previous = callback;
  first_ = callback;
  return true;
}

void StopState::remove(StopCallback* callback) noexcept {
  fiber::MutexLock lock(&mutex_);
  if (callback->previous != nullptr || first_ == callback) {
    unlink(callback);
    return;
  }
  if (runner_ == fiber::detail::context_token()) return;  // from inside of itself, or run already
  while (running_ == callback) ended_.wait(&mutex_);
}

void StopState::unlink(StopCallback* callback) {
  (callback->previous != nullptr ? callback->previous->next : first_) = callback->next;
  if (callback->next != nullptr) callback->next->previous = callback->previous;
  callback->next = callback->previous = nullptr;
}

}  // namespace fiber_std::detail
