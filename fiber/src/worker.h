// Worker: runs fibers on one OS thread. The scheduler.
//
// A fiber belongs to one worker from its start to its end, unless it moves itself (migrate()).
// Ready fibers stand in a queue without atomics, the one woken last by a running fiber in a slot
// before it (it finds the caches warm); what other threads make ready comes through the inbox, a
// lock-free stack taken over as a whole; what Runtime::spawn() placed here and has not started
// waits in a FreshQueue, from which idle workers of the same runtime may take it (worker_group.h).
// A fiber that suspends switches straight to the next ready one; the worker's own context (the
// thread's stack) runs when nothing is ready, for timers, for I/O, for the inbox and for fresh
// fibers.
//
// Sleep: the worker sets state_ to kSleeping, looks at the inbox once more, and blocks in its
// IoEngine. Whoever pushes to the inbox looks at state_ afterwards and calls IoEngine::wakeup()
// only if it says kSleeping (both sequentially consistent: one of the two sees the other). The same
// holds for the FreshQueue, and for those of the other workers with WorkerGroup::sleepers.
//
// Thread safety: post(), notify(), stop(), spawn_from_outside(), spawn_fresh(), load() and stats()
// from any thread; the rest from the worker's thread, which is the one inside run_until().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "context.h"
#include "context_words.h"
#include "counter.h"
#include "fiber/function.h"
#include "fiber/runtime.h"
#include "fiber/stats.h"
#include "fresh_queue.h"
#include "futex.h"
#include "io_engine.h"
#include "os_clock.h"
#include "spin_budget.h"
#include "stack.h"
#include "stack_overflow.h"
#include "waiter.h"

namespace fiber::detail {

class LocalTable;
class Simulator;
struct WorkerGroup;

// The control block of a fiber. Lives until the fiber has ended and its handle let go.
struct Fiber {
  static constexpr uint32_t kEnded = 1;
  static constexpr uint32_t kJoining = 2;   // joiner is set and waits
  static constexpr uint32_t kDetached = 4;  // no handle: the end frees it

  Fiber* next = nullptr;     // in a ready queue, an inbox, a free list
  Stack* stack = nullptr;    // null: not started
  Worker* worker = nullptr;  // of a fresh one: null
  std::atomic<uint32_t> end{0};
  // On its way to a worker that does not count it yet.
  bool arriving = false;
  // Must not migrate: somebody counts on its running where it is (fiber::gather).
  bool pinned = false;
  bool named = false;
  uint32_t sim_number = 0;  // in a simulation, where it is the same in each run; else 0
  Waiter* joiner = nullptr;
  LocalTable* locals = nullptr;
  uint64_t number = 0;  // of the process, from 1
  uint64_t born = 0;    // cycles() when it was placed; of fresh ones only
  FiberName name;       // if `named`
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
  // stack. `group`: the workers of its runtime, of which it is number `index`; null for a guest.
  Worker(size_t stack_size, Engine engine, WorkerGroup* group, int index = 0);
  // REQUIRES: no fibers left.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The worker that the calling thread is inside of, or null.
  static Worker* current() { return t_worker; }
  static Fiber* current_fiber() { return t_worker != nullptr ? t_worker->current_ : nullptr; }
  // See detail::take_turns().
  static void take_turns();
  // The same as current(), for code whose fiber may have moved to another thread: never inlined, so
  // that the compiler cannot use the address of the other thread's variable.
  __attribute__((noinline)) static Worker* current_after_move();
  // The same, which gives this thread's running context its word (local.h) back.
  __attribute__((noinline)) static Worker* current_after_move(ContextWords words);

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
  // Looks at timers and I/O and runs what is ready; does not sleep.
  void take_turn() {
    last_service_ = 0;
    run_until([] { return true; });
  }

  // Starts a fiber on this worker, behind the ready ones.
  JoinHandle spawn(Function function, std::string_view name = {});
  // Starts a fiber on this worker at once: the calling fiber waits in the slot, and continues when
  // the new one first suspends or ends. From the worker's own context: like spawn(). The fiber
  // cannot migrate.
  JoinHandle spawn_now(Function function);
  JoinHandle spawn_from_outside(Function function, std::string_view name = {});
  // The same, but an idle worker of the group may take it before it starts.
  JoinHandle spawn_fresh(Function function, std::string_view name = {});

  // Moves the calling fiber to `target`, of the same group. Returns there. 0 or -errno.
  int migrate(Worker* target);

  WorkerGroup* group() const { return group_; }
  int index() const { return index_; }
  // Worker `index` of the same runtime; null if there is none.
  Worker* sibling(int index) const;

  // Fibers on this worker that have not ended.
  size_t live() const { return live_.get(); }
  // The same and those that were placed here and have not started: what placement compares.
  uint64_t load() const { return live_.get() + fresh_.count(); }
  Stats stats() const;

  // Of its thread: the kernel's id, and the clock of the time that it ran.
  uint32_t thread_id() const { return thread_id_; }
  ThreadCpuClock cpu_clock() const { return cpu_clock_; }
  // A moment ago.
  uint64_t switches() const { return counters_.switches.get(); }
  bool asleep() const { return state_.load(std::memory_order_relaxed) != kRunning; }
  IoEngine* engine() { return engine_.get(); }

  // Makes a suspended fiber of this worker ready. Any thread.
  void make_ready(Fiber* fiber) {
    fiber->stack->set_state(Stack::kReady);
    if (t_worker == this) {
      counters_.wakes_local.add();
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
  // its condition (whose change must be sequentially consistent, before this). Returns whether it
  // slept.
  bool notify();

  // Any thread. Sets stopped() and notifies; the worker may be gone on return.
  void stop();
  bool stopped() const { return stopped_.load(std::memory_order_seq_cst); }

  // A read in flight (flight.cc) has the worker as its home, from the worker's thread, until it
  // lands, on any thread. The worker does not end before. The order of a landing: begin, what tells
  // others of it, end; the worker may be gone afterwards.
  void depart_flight() { flights_.fetch_add(1, std::memory_order_relaxed); }
  void begin_landing() {
    enter_from_outside();
    flights_.fetch_sub(1, std::memory_order_seq_cst);
  }
  void end_landing() { notify_and_leave(); }
  bool has_flights() const { return flights_.load(std::memory_order_seq_cst) != 0; }
  // Around what makes a condition of run_until() true, on another thread: the worker may be gone
  // after notify_and_leave().
  void enter() { enter_from_outside(); }
  void notify_and_leave() {
    (void)notify();
    leave_from_outside();
  }

  // From a fiber: suspends it until make_ready(). / Lets the others run.
  void park();
  bool yield();

  void start_timer(TimerNode* timer);
  // Also if it has fired or was never started.
  void cancel_timer(TimerNode* timer);

  static void free_fiber(Fiber* fiber);

  // In the child of a fork(), on its thread.
  static void leave_after_fork();
  // Does not return if the fiber is one of the parent process.
  static void refuse_other_process(const Fiber* fiber);

  // The registry's (registry.h), under its lock.
  Worker* next_registered = nullptr;
  Worker* previous_registered = nullptr;

 private:
  friend class Simulator;
  friend class SimReport;
  static constexpr uint32_t kRunning = 0;
  static constexpr uint32_t kSleeping = 1;
  static constexpr uint32_t kNotified = 2;
  // Most stacks and control blocks that a worker keeps for itself.
  static constexpr size_t kMaxCached = 1024;
  // After so many fibers from the slot in a row the queue has its turn.
  static constexpr uint32_t kMaxSlotRuns = 32;
  // A busy worker looks at timers and I/O this often.
  static constexpr uint64_t kServiceMicros = 20;
  // take_turns(): how long a fiber may run, and how many calls come to one look at the clock.
  static constexpr uint64_t kTurnMicros = 1000;
  static constexpr uint32_t kCallsPerLook = 64;
  // An idle worker looks at its inbox for this long before it sleeps (SpinBudget).
  static constexpr uint32_t kIdleSpinMicros = 4;
  static constexpr uint64_t kStarvedRetryNanos = 1000000;
  // How often a busy worker looks whether another one shares its processor.
  static constexpr uint64_t kSpreadMicros = 1000;
  // So long a fresh fiber is its worker's, before an idle one with fewer fibers takes it: a worker
  // between two suspensions is not worth a theft.
  static constexpr uint64_t kStealAgeMicros = 50;
  // The same for one with as many or more. What has started stays, so that a thief that is idle for
  // now would end up with all fibers that a busy one makes; but one that computes for long is not
  // waited for.
  static constexpr uint64_t kRescueAgeMicros = 2000;
  static constexpr uint32_t kClosing = uint32_t{1} << 31;

  static void carrier_main(void* stack) noexcept;
  static void run_fiber(Stack* stack);
  Fiber* end_fiber(Fiber* self);
  __attribute__((always_inline)) void switch_from(Context* from, Fiber* next);
  // What the context that was left could not do itself.
  __attribute__((always_inline)) void after_switch() {
    if (left_ != nullptr) [[unlikely]] {
      finish_switch();
    }
  }
  void finish_switch();

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

  Fiber* new_fiber(Function function, std::string_view name);
  void add_live();
  void remove_live();
  void arrive(Fiber* fiber);
  void depart(Fiber* fiber);
  void post(Fiber* fiber);
  void enter_from_outside();
  void leave_from_outside();
  void drain_inbox();
  bool service_due() {
    if (inbox_.load(std::memory_order_relaxed) != nullptr || !fresh_.seems_empty()) return true;
    if (timers_.empty() && engine_->pending() == 0) return false;
    return cycles() - last_service_ > service_cycles_;
  }
  void service();
  void spread(uint64_t now);
  void fire_timers();
  void idle(bool (*done)(void*), void* argument);
  bool spin_for_work();
  void start_fresh(Fiber* fiber);
  bool steal(uint64_t* next_try);
  void wake_a_thief();
  void stop_searching();
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
  // What was switched away from and needs the next context's hand: with left_for_ null a stack
  // whose fiber has ended, else a fiber that moves there.
  void* left_ = nullptr;
  Worker* left_for_ = nullptr;
  ExceptionGlobals* globals_;
  int* errno_;
  std::unique_ptr<IoEngine> engine_;
  std::vector<TimerNode*> timers_;  // binary heap
  uint64_t timer_sequence_ = 0;
  uint64_t last_service_ = 0;
  // take_turns(): since when there has been no switch, which the number of switches tells.
  uint32_t turn_calls_ = 0;
  uint64_t turn_switches_ = 0;
  uint64_t turn_start_ = 0;
  const uint64_t service_cycles_;
  Stack* stacks_ = nullptr;
  size_t stack_count_ = 0;
  Fiber* fibers_ = nullptr;
  size_t fiber_count_ = 0;
  Fiber* starved_ = nullptr;  // could not get a stack
  SpinBudget spin_{kIdleSpinMicros};
  uint64_t last_spread_ = 0;
  std::vector<int> spread_over_;  // spread()'s, kept for its memory
  Context own_context_;
  StackPool* const pool_;
  Simulator* const simulator_;  // that this worker was made in, or null
  WorkerGroup* const group_;
  const int index_;
  const uint32_t thread_id_;
  const ThreadCpuClock cpu_clock_;  // of the thread
  SignalStack signal_stack_;
  uint32_t next_victim_ = 0;
  bool searching_ = false;  // counted in group_->searchers

  // Written by the worker's thread, read by any.
  Counter live_;
  struct {
    Counter switches, spawns, wakes_local, wakes_remote, sleeps, steals, migrations;
  } counters_;

  // Any thread.
  alignas(64) std::atomic<Fiber*> inbox_{nullptr};
  std::atomic<uint32_t> state_{kRunning};
  std::atomic<bool> stopped_{false};
  std::atomic<int> cpu_{-1};  // that it was seen on last; relaxed: a hint
  // Written by the threads that make the system call.
  std::atomic<uint64_t> wakes_by_system_call_{0};
  FreshQueue fresh_;
  std::atomic<uint32_t> flights_{0};
  // Threads inside post(), stop() or a landing: the destructor waits for them.
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
