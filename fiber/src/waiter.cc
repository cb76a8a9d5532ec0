#include "waiter.h"

#include "fiber/cpu.h"
#include "fiber/stats.h"
#include "futex.h"
#include "spin_budget.h"
#include "worker.h"

namespace fiber::detail {
namespace {

// A thread looks for so long before it sleeps: about as long as half a sleep costs.
constexpr uint32_t kSpinMicros = 2;
constinit thread_local SpinBudget t_spin __attribute__((tls_model("initial-exec"))){kSpinMicros};

struct WaitTimer : TimerNode {
  Waiter* waiter;
  bool (*try_cancel)(Waiter*);
  bool cancelled = false;
};

}  // namespace

bool Waiter::suspend_until(uint64_t deadline, bool (*try_cancel)(Waiter*)) {
  if (fiber_ == nullptr) {
    if (block_thread(deadline)) return true;
    if (try_cancel(this)) return false;
    return block_thread(kNoDeadline);
  }
  if (deadline == kNoDeadline) {
    suspend();
    return true;
  }
  Worker* const worker = Worker::current();
  WaitTimer timer;
  timer.deadline = deadline;
  timer.waiter = this;
  timer.try_cancel = try_cancel;
  timer.fire = [](TimerNode* node) {
    WaitTimer* self = static_cast<WaitTimer*>(node);
    if (!self->try_cancel(self->waiter)) return;
    self->cancelled = true;
    Fiber* fiber = self->waiter->fiber();
    fiber->worker->make_ready(fiber);
  };
  worker->start_timer(&timer);
  worker->park();
  worker->cancel_timer(&timer);
  return !timer.cancelled;
}

void Waiter::resume_thread() {
  if (word_.exchange(kResumed, std::memory_order_acq_rel) == kAsleep) futex_wake(&word_);
}

// True: resumed. False: the deadline passed.
bool Waiter::block_thread(uint64_t deadline) {
  if (word_.load(std::memory_order_acquire) == kResumed) return true;
  if (simulator() == nullptr && hardware_concurrency() > 1 &&
      t_spin.look([this] { return word_.load(std::memory_order_acquire) == kResumed; })) {
    return true;
  }
  uint32_t word = kWaiting;
  word_.compare_exchange_strong(word, kAsleep, std::memory_order_acquire);
  while (word_.load(std::memory_order_acquire) != kResumed) {
    if (deadline != kNoDeadline && now_nanos() >= deadline) return false;
    futex_wait(&word_, kAsleep, deadline);
  }
  return true;
}

}  // namespace fiber::detail

namespace fiber {

FutexCalls futex_calls() {
  return {detail::g_futex_sleeps.calls.load(std::memory_order_relaxed),
          detail::g_futex_wakes.calls.load(std::memory_order_relaxed)};
}

}  // namespace fiber
