#include "base/task_limiter.h"

#include <algorithm>

namespace cairn {

void TaskLimiter::SetMaxOutstandingTask(int32_t limit) {
  fiber::MutexLock lock(&mu_);
  limit_ = limit;
  CallWaiters();
}

int32_t TaskLimiter::GetOutstandingTask() const {
  fiber::MutexLock lock(&mu_);
  return running_;
}

bool TaskLimiter::TryBegin(Waiter* waiter) {
  fiber::MutexLock lock(&mu_);
  if (HasRoom()) {
    ++running_;
    return true;
  }
  if (std::find(waiters_.begin(), waiters_.end(), waiter) == waiters_.end()) {
    waiters_.push_back(waiter);
  }
  return false;
}

void TaskLimiter::Begin() {
  fiber::MutexLock lock(&mu_);
  ++running_;
}

void TaskLimiter::End() {
  fiber::MutexLock lock(&mu_);
  --running_;
  CallWaiters();
}

void TaskLimiter::Forget(Waiter* waiter) {
  fiber::MutexLock lock(&mu_);
  std::erase(waiters_, waiter);
}

// All of them: one that does not need the room any more would keep it from the others.
void TaskLimiter::CallWaiters() {
  if (!HasRoom()) return;
  for (Waiter* const waiter : std::exchange(waiters_, {})) waiter->LimiterMayHaveRoom();
}

LimitedTask::LimitedTask(std::shared_ptr<ConcurrentTaskLimiter> limiter,
                         TaskLimiter::Waiter* waiter)
    : limiter_(std::move(limiter)) {
  if (limiter_ == nullptr) {
    admitted_ = true;
  } else if (waiter == nullptr) {
    this->limiter()->Begin();
    admitted_ = true;
  } else {
    admitted_ = this->limiter()->TryBegin(waiter);
    if (!admitted_) limiter_.reset();
  }
}

LimitedTask::LimitedTask(LimitedTask&& other) noexcept
    : limiter_(std::move(other.limiter_)), admitted_(std::exchange(other.admitted_, false)) {}

LimitedTask& LimitedTask::operator=(LimitedTask&& other) noexcept {
  if (this != &other) {
    Reset();
    limiter_ = std::move(other.limiter_);
    admitted_ = std::exchange(other.admitted_, false);
  }
  return *this;
}

void LimitedTask::Reset() {
  if (limiter_ != nullptr) limiter()->End();
  limiter_.reset();
  admitted_ = false;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

ConcurrentTaskLimiter* NewConcurrentTaskLimiter(const std::string& name, int32_t limit) {
  return new cairn::TaskLimiter(name, limit);
}

}  // namespace ROCKSDB_NAMESPACE
