// See fresh_queue.h.
#include "fresh_queue.h"

#include "futex.h"
#include "worker.h"

namespace fiber::detail {

void FreshQueue::push(Fiber* fiber) {
  fiber->next = nullptr;
  fiber->born = cycles();
  RawLockGuard guard(&lock_);
  (tail_ != nullptr ? tail_->next : head_) = fiber;
  tail_ = fiber;
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

Fiber* FreshQueue::take() {
  Fiber* fiber = head_;
  if (fiber == nullptr) return nullptr;
  head_ = fiber->next;
  if (head_ == nullptr) tail_ = nullptr;
  count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return fiber;
}

Fiber* FreshQueue::pop() {
  RawLockGuard guard(&lock_);
  return take();
}

Fiber* FreshQueue::pop_older(uint64_t moment, uint64_t* born) {
  RawLockGuard guard(&lock_);
  *born = head_ != nullptr ? head_->born : UINT64_MAX;
  return head_ != nullptr && static_cast<int64_t>(head_->born - moment) < 0 ? take() : nullptr;
}

}  // namespace fiber::detail
