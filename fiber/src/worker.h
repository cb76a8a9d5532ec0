// Worker: runs fibers on one OS thread. The scheduler.
//
// A fiber belongs to one worker from its birth to its end. Ready fibers stand in a queue without
// atomics, the one woken last by a running fiber in a slot before it (it finds the caches warm);
// what other threads make ready comes through the inbox, a lock-free stack taken over as a whole. A
// fiber that suspends switches straight to the next ready one; the worker's own context (the
// thread's stack) runs when nothing is ready, for timers, for I/O and for the inbox.
//
// Sleep: the worker sets state_ to kSleeping, looks at the inbox once more, and blocks in its
// IoEngine. Whoever pushes to the inbox looks at state_ afterwards and calls IoEngine::wakeup()
// only if it says kSleeping (both sequentially consistent: one of the two sees the other).
//
// Thread safety: post(), notify() and spawn_from_outside() from any thread; the rest from the
// worker's thread, which is the one inside run_until().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "context.h"
#include "fiber/function.h"
#include "fiber/runtime.h"
#include "futex.h"
#include "io_engine.h"
#include "stack.h"
#include "waiter.h"

namespace fiber::detail {

class LocalTable;

// The control block of a fiber. Lives until the fiber has ended and its handle let go.
struct Fiber {
  static constexpr uint32_t kEnded = 1;
  static constexpr uint32_t kJoining = 2;   // joiner is set and waits
  static constexpr uint32_t kDetached = 4;  // no handle: the end frees it

  Fiber* next = nullptr;   // in a ready queue, an inbox, a free list
  Stack* stack = nullptr;  // null: not started
  Worker* worker = nullptr;
  std::atomic<uint32_t> end{0};
  Waiter* joiner = nullptr;
  LocalTable* locals = nullptr;
  Function function;
};

// An entry of a worker's timer heap, on the stack of a waiting fiber.
struct TimerNode {
  static constexpr size_t kNotQueued = SIZE_MAX;
  uint64_t deadline = 0;
  uint64_t sequence = 0;  // equal deadlines fire in the order of their start
  size_t index = kNotQueued;
  void (*fire)(TimerNode*) = nullptr;  // on the worker's own stack; must not suspend
};

class Worker {
 public:
  // On the thread that will run it. Unoptimised and sanitizer builds take at least 256 KiB for a
  // stack. `busy`: the runtime's count of workers with fibers and of fibers on their way to a
  // worker (null for a guest); woken at zero.
  Worker(size_t stack_size, Engine engine, std::atomic<uint32_t>* busy);
  // REQUIRES: no fibers left.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The worker that the calling thread is inside of, or null.
  static Worker* current() { return t_worker; }
  static Fiber* current_fiber() { return t_worker != nullptr ? t_worker->current_ : nullptr; }

  // Runs fibers on the calling thread until done() is true, which is looked at whenever no fiber is
  // ready. Fibers that are left stay suspended until the next call. Calls on a thread inside of a
  // worker nest only outside of fibers.
  template <class Done>
  void run_until(Done&& done) {
    run_until(
        [](void* argument) -> bool {
          return (*static_cast<std::remove_reference_t<Done>*>(argument))();
        },
        &done);
  }
  void run_until(bool (*done)(void*), void* argument);

  // Starts a fiber on this worker, behind the ready ones.
  JoinHandle spawn(Function function);
  // Starts a fiber on this worker at once: the calling fiber waits in the slot, and continues when
  // the new one first suspends or ends. From the worker's own context: like spawn().
  JoinHandle spawn_now(Function function);
  JoinHandle spawn_from_outside(Function function);

  // Fibers on this worker that have not ended.
  size_t live() const { return live_; }
  IoEngine* engine() { return engine_.get(); }

  // Makes a suspended fiber of this worker ready. Any thread.
  void make_ready(Fiber* fiber) {
    if (t_worker == this) {
      if (current_ != nullptr && slot_ == nullptr) {
        slot_ = fiber;
      } else {
        push_ready(fiber);
      }
    } else {
      post(fiber);
    }
  }

  // Any thread that knows the worker to live. Wakes it if it sleeps, so that run_until() looks at
  // its condition (whose change must be sequentially consistent, before this).
  void notify();

  // Any thread. Sets stopped() and notifies; the worker may be gone on return.
  void stop();
  bool stopped() const { return stopped_.load(std::memory_order_seq_cst); }

  // From a fiber: suspends it until make_ready(). / Lets the others run.
  void park();
  void yield();

  void start_timer(TimerNode* timer);
  // Also if it has fired or was never started.
  void cancel_timer(TimerNode* timer);

  static void free_fiber(Fiber* fiber);

 private:
  static constexpr uint32_t kRunning = 0;
  static constexpr uint32_t kSleeping = 1;
  static constexpr uint32_t kNotified = 2;
  // Most stacks and control blocks that a worker keeps for itself.
  static constexpr size_t kMaxCached = 1024;
  // After so many fibers from the slot in a row the queue has its turn.
  static constexpr uint32_t kMaxSlotRuns = 32;
  // A busy worker looks at timers and I/O this often.
  static constexpr uint64_t kServiceMicros = 20;
  // An idle worker looks at its inbox for this long before it sleeps, if that has paid lately.
  static constexpr uint64_t kIdleSpinMicros = 4;
  static constexpr uint32_t kSpinMisses = 4;  // after so many vain spins in a row ...
  static constexpr uint32_t kSpinRetry = 32;  // ... spin only once in so many times
  static constexpr uint64_t kStarvedRetryNanos = 1000000;
  static constexpr uint32_t kClosing = uint32_t{1} << 31;

  static void carrier_main(void* stack) noexcept;
  void run_fiber(Stack* stack);
  __attribute__((always_inline)) void switch_from(Context* from, Fiber* next);
  __attribute__((always_inline)) void after_switch() {
    if (ended_ != nullptr) [[unlikely]] {
      Stack* stack = ended_;
      ended_ = nullptr;
      keep_stack(stack);
    }
  }

  void push_ready(Fiber* fiber) {
    fiber->next = nullptr;
    (tail_ != nullptr ? tail_->next : head_) = fiber;
    tail_ = fiber;
  }
  Fiber* pop_any();
  Fiber* pop_ready();
  bool give_stack(Fiber* fiber);
  void keep_stack(Stack* stack);
  void starve(Fiber* fiber);

  Fiber* new_fiber(Function function);
  void add_live();
  void remove_live();
  void post(Fiber* fiber);
  void enter_from_outside();
  void leave_from_outside();
  void drain_inbox();
  bool service_due() {
    if (inbox_.load(std::memory_order_relaxed) != nullptr) return true;
    if (timers_.empty() && engine_->pending() == 0) return false;
    return cycles() - last_service_ > service_cycles_;
  }
  void service();
  void fire_timers();
  void idle(bool (*done)(void*), void* argument);
  void sift_up(size_t index);
  void sift_down(size_t index);
  static bool earlier(const TimerNode* a, const TimerNode* b) {
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->sequence < b->sequence;
  }

  static __thread Worker* t_worker __attribute__((tls_model("initial-exec")));

  // The worker's thread only.
  Fiber* current_ = nullptr;  // null: the worker's own context
  Fiber* slot_ = nullptr;
  Fiber* head_ = nullptr;
  Fiber* tail_ = nullptr;
  uint32_t slot_runs_ = 0;
  Stack* ended_ = nullptr;  // switched away from for good; recycled by the next context
  ExceptionGlobals* globals_;
  std::unique_ptr<IoEngine> engine_;
  std::vector<TimerNode*> timers_;  // binary heap
  uint64_t timer_sequence_ = 0;
  uint64_t last_service_ = 0;
  const uint64_t service_cycles_;
  size_t live_ = 0;
  Stack* stacks_ = nullptr;
  size_t stack_count_ = 0;
  Fiber* fibers_ = nullptr;
  size_t fiber_count_ = 0;
  Fiber* starved_ = nullptr;  // could not get a stack
  uint32_t spin_misses_ = 0;
  Context own_context_;
  StackPool* const pool_;
  std::atomic<uint32_t>* const busy_;

  // Any thread.
  alignas(64) std::atomic<Fiber*> inbox_{nullptr};
  std::atomic<uint32_t> state_{kRunning};
  std::atomic<bool> stopped_{false};
  // Threads inside post() or stop(): the destructor waits for them.
  std::atomic<uint32_t> posters_{0};
};

// ---- The short paths of Waiter (waiter.h)

inline Waiter::Waiter() : fiber_(Worker::current_fiber()) {}

inline void Waiter::suspend() {
  if (fiber_ != nullptr) {
    fiber_->worker->park();
  } else {
    block_thread(kNoDeadline);
  }
}

inline void Waiter::resume() {
  if (fiber_ != nullptr) {
    fiber_->worker->make_ready(fiber_);
  } else {
    resume_thread();
  }
}

}  // namespace fiber::detail
