#include "worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fiber/cpu.h"
#include "fiber/local.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "fork.h"
#include "local_table.h"
#include "processors.h"
#include "registry.h"
#include "sim_hooks.h"
#include "worker_group.h"

namespace fiber::detail {

__thread Worker* Worker::t_worker __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

size_t effective_stack_size(size_t requested) {
#if !defined(NDEBUG) || defined(FIBER_ASAN) || defined(FIBER_TSAN)
  // Unoptimised frames and the sanitizers' red zones are several times as large.
  return std::max(requested, size_t{256} << 10);
#else
  return requested;
#endif
}

// The numbers of fibers come from here in blocks, one block for each thread that spawns.
constexpr uint64_t kNumberBlock = 256;
std::atomic<uint64_t> g_next_number{1};
// Of this process: those before were numbered in its parent. Relaxed: changes at a fork() only.
std::atomic<uint64_t> g_first_number{0};
__thread uint64_t t_next_number __attribute__((tls_model("initial-exec"))) = 0;

uint64_t new_number() {
  if (t_next_number % kNumberBlock == 0)
    t_next_number = g_next_number.fetch_add(kNumberBlock, std::memory_order_relaxed);
  return t_next_number++;
}

// For people: which fiber runs on the stack from now on. (Its state is kRunning: the one before
// ended running.)
inline void note_begin(Stack* stack, const Fiber* fiber) {
  // The usual fiber has no name: a copy of one whose first byte was just written would wait for it.
  stack->name.text[0] = '\0';
  if (fiber->named) [[unlikely]] {
    stack->name = fiber->name;
  }
  stack->number.store(fiber->number, std::memory_order_relaxed);
#ifndef NDEBUG
  stack->set_state(Stack::kRunning);  // since now
#endif
}

}  // namespace

// What the fiber had on the worker's stack, and all other fibers, are the parent's. With no worker
// it is a thread to all of the library.
void Worker::leave_after_fork() {
  t_worker = nullptr;
  t_next_number = 0;
  g_first_number.store(g_next_number.load(std::memory_order_relaxed), std::memory_order_relaxed);
  (void)exchange_current_runtime(nullptr);
  set_local_values(nullptr);
}

void leave_worker() { Worker::leave_after_fork(); }

void Worker::refuse_other_process(const Fiber* fiber) {
  if (fiber->number < g_first_number.load(std::memory_order_relaxed)) {
    refuse_after_fork("a join of a fiber");
  }
}

Worker* Worker::current_after_move() {
  asm volatile("");  // not pure: the calls cannot be merged
  return t_worker;
}

Worker* Worker::current_after_move(ContextWords words) {
  asm volatile("");
  set_context_words(words);
  return t_worker;
}

Worker::Worker(size_t stack_size, Engine engine, WorkerGroup* group, int index)
    : globals_(thread_exception_globals()),
      errno_(&errno),
      engine_(create_io_engine(engine)),
      service_cycles_(kServiceMicros * cycles_per_microsecond()),
      pool_(StackPool::for_size(effective_stack_size(stack_size))),
      simulator_(simulator()),
      group_(group),
      index_(index),
      thread_id_(static_cast<uint32_t>(current_thread_id())),
      cpu_clock_(os_thread_cpu_clock()) {
  register_worker(this);
}

Worker::~Worker() {
  // A runtime's worker has waited, a guest has nobody to do it.
  if (has_flights()) run_until([this] { return !has_flights(); });
  unregister_worker(this);
  uint32_t posters = posters_.fetch_or(kClosing, std::memory_order_acq_rel);
  while ((posters & ~kClosing) != 0) {
    futex_wait(&posters_, posters | kClosing);
    posters = posters_.load(std::memory_order_acquire);
  }
  engine_.reset();
  os_close_cpu_clock(cpu_clock_);
  while (Stack* stack = stacks_) {
    stacks_ = stack->next;
    pool_->release(stack);
  }
  while (Fiber* fiber = fibers_) {
    fibers_ = fiber->next;
    delete fiber;
  }
}

Worker* Worker::sibling(int index) const {
  const bool exists =
      group_ != nullptr && index >= 0 && static_cast<size_t>(index) < group_->workers.size();
  return exists ? group_->workers[static_cast<size_t>(index)] : nullptr;
}

Stats Worker::stats() const {
  Stats stats;
  stats.switches = counters_.switches.get();
  stats.spawns = counters_.spawns.get();
  stats.wakes_local = counters_.wakes_local.get();
  stats.wakes_remote = counters_.wakes_remote.get();
  stats.wakes_by_system_call = wakes_by_system_call_.load(std::memory_order_relaxed);
  stats.sleeps = counters_.sleeps.get();
  stats.steals = counters_.steals.get();
  stats.migrations = counters_.migrations.get();
  stats.live = live_.get() + fresh_.count();
  engine_->add_stats(&stats);
  return stats;
}

// ---- The ready fibers, and the switch to the next

inline void Worker::switch_from(Context* from, Fiber* next) {
  Context* to = next != nullptr ? &next->stack->context : &own_context_;
  current_ = next;
  counters_.switches.add();
  const ContextWords words = context_words();
  switch_context(from, to, globals_, errno_);
  set_context_words(words);
  after_switch();
}

inline Fiber* Worker::pop_any() {
  Fiber* fiber = slot_;
  if (fiber != nullptr) {
    slot_ = nullptr;
    if (head_ == nullptr || ++slot_runs_ < kMaxSlotRuns) return fiber;
    push_ready(fiber);
  }
  slot_runs_ = 0;
  fiber = head_;
  if (fiber != nullptr) {
    head_ = fiber->next;
    if (head_ == nullptr) tail_ = nullptr;
  }
  return fiber;
}

inline Fiber* Worker::pop_ready() {
  for (;;) {
    Fiber* fiber = pop_any();
    if (fiber == nullptr || fiber->stack != nullptr || give_stack(fiber)) return fiber;
    starve(fiber);
  }
}

// ---- Fibers begin and end

Fiber* Worker::new_fiber(Function function, std::string_view name) {
  Fiber* fiber;
  Worker* const here = t_worker;
  if (here != nullptr && here->fibers_ != nullptr) {
    fiber = here->fibers_;
    here->fibers_ = fiber->next;
    here->fiber_count_--;
    fiber->stack = nullptr;
    fiber->end.store(0, std::memory_order_relaxed);
    fiber->pinned = false;
    fiber->named = false;
  } else {
    fiber = new Fiber;
  }
  fiber->worker = this;
  fiber->number = new_number();
  if (!name.empty()) {
    fiber->named = true;
    fiber->name.set(name);
  }
  fiber->function = std::move(function);
  if (simulator_ != nullptr) [[unlikely]] {
    simulate_fiber_start(simulator_, fiber);
  }
  return fiber;
}

void Worker::free_fiber(Fiber* fiber) {
  Worker* const here = t_worker;
  if (here == nullptr || here->fiber_count_ >= kMaxCached) {
    delete fiber;
    return;
  }
  fiber->next = here->fibers_;
  here->fibers_ = fiber;
  here->fiber_count_++;
}

void Worker::add_live() {
  counters_.spawns.add();
  if (live_.get() == 0 && group_ != nullptr) group_->busy.fetch_add(1, std::memory_order_relaxed);
  live_.add();
}

void Worker::remove_live() {
  live_.subtract(1);
  if (live_.get() == 0 && group_ != nullptr) group_->leave_busy();
}

JoinHandle Worker::spawn(Function function, std::string_view name) {
  Fiber* fiber = new_fiber(std::move(function), name);
  add_live();
  push_ready(fiber);
  return JoinHandle(fiber);
}

JoinHandle Worker::spawn_now(Function function) {
  if (current_ == nullptr) return spawn(std::move(function));
  Fiber* fiber = new_fiber(std::move(function), {});
  fiber->pinned = true;
  add_live();
  if (!give_stack(fiber)) {
    starve(fiber);
    return JoinHandle(fiber);
  }
  if (slot_ != nullptr) push_ready(slot_);
  Fiber* const self = current_;
  slot_ = self;
  slot_runs_ = 0;
  self->stack->set_state(Stack::kReady);
  switch_from(&self->stack->context, fiber);
  self->stack->set_state(Stack::kRunning);
  return JoinHandle(fiber);
}

// A fiber on its way to a worker has a count of its own in the group's `busy`, which arrive() turns
// into the worker's.
void Worker::depart(Fiber* fiber) {
  fiber->arriving = true;
  if (group_ != nullptr) group_->busy.fetch_add(1, std::memory_order_relaxed);
}

void Worker::arrive(Fiber* fiber) {
  fiber->arriving = false;
  // Not the last one, if there are others: the worker's own count remains.
  if (live_.get() != 0 && group_ != nullptr) group_->busy.fetch_sub(1, std::memory_order_relaxed);
  live_.add();
  (fiber->stack == nullptr ? counters_.spawns : counters_.migrations).add();
}

JoinHandle Worker::spawn_from_outside(Function function, std::string_view name) {
  Fiber* fiber = new_fiber(std::move(function), name);
  JoinHandle handle(fiber);
  depart(fiber);
  post(fiber);
  return handle;
}

JoinHandle Worker::spawn_fresh(Function function, std::string_view name) {
  Fiber* fiber = new_fiber(std::move(function), name);
  JoinHandle handle(fiber);
  fiber->worker = nullptr;
  depart(fiber);
  // The caller sees to it that the group lives.
  fresh_.push(fiber);
  if (!notify() && group_ != nullptr) wake_a_thief();
  return handle;
}

int Worker::migrate(Worker* target) {
  Fiber* const self = current_;
  if (self->pinned) return -EPERM;
  if (target == this) return 0;
  depart(self);
  self->stack->set_state(Stack::kReady);
  self->worker = target;
  left_ = self;
  left_for_ = target;
  Fiber* next = service_due() ? nullptr : pop_ready();
  current_ = next;
  counters_.switches.add();
  const ContextWords words = context_words();
  switch_context(&self->stack->context, next != nullptr ? &next->stack->context : &own_context_,
                 globals_, errno_);
  // On the other thread.
  Worker* const there = current_after_move(words);
  self->stack->thread.store(there->thread_id_, std::memory_order_relaxed);
  self->stack->set_state(Stack::kRunning);
  there->after_switch();
  return 0;
}

// On the context that runs after the one that was left.
void Worker::finish_switch() {
  void* const left = std::exchange(left_, nullptr);
  Worker* const target = std::exchange(left_for_, nullptr);
  if (target == nullptr) {
    keep_stack(static_cast<Stack*>(left));
  } else {
    remove_live();
    target->post(static_cast<Fiber*>(left));
  }
}

void Worker::carrier_main(void* stack) noexcept {
  context_entered();
  for (;;) {
    current_after_move()->after_switch();
    run_fiber(static_cast<Stack*>(stack));
  }
}

// Runs the current fiber, and then, as long as they need no other stack, those that are next.
// Returns when the stack has been taken up again for another fiber. Static, because the fiber may
// end on another worker than it began on.
void Worker::run_fiber(Stack* stack) {
  for (;;) {
    Worker* worker = current_after_move(ContextWords{});
    Fiber* const self = worker->current_;
    note_begin(stack, self);
    self->function();
    worker = current_after_move();
    if (worker == nullptr) [[unlikely]] {
      refuse_after_fork("the end of a fiber");
    }
    Fiber* const next = worker->end_fiber(self);
    if (next != nullptr && next->stack == nullptr) {
      next->stack = stack;
      worker->current_ = next;
      worker->counters_.switches.add();
      continue;
    }
    stack->number.store(0, std::memory_order_relaxed);
    worker->left_ = stack;
    worker->switch_from(&stack->context, next);
    return;
  }
}

// Returns the one to go on with, null for the worker's own context.
inline Fiber* Worker::end_fiber(Fiber* self) {
  self->function = Function();
  if (self->locals != nullptr) LocalTable::destroy(&self->locals);
  if (simulator_ != nullptr) [[unlikely]] {
    simulate_fiber_end(simulator_, self);
  }
  current_ = nullptr;
  const uint32_t before = self->end.fetch_or(Fiber::kEnded, std::memory_order_acq_rel);
  // From here on `self` is its joiner's, unless that one waits for us or there is none.
  if (before & Fiber::kJoining) {
    Waiter* joiner = self->joiner;
    Fiber* waiting = joiner->fiber();
    if (waiting != nullptr && waiting->worker == this && slot_ == nullptr) {
      counters_.wakes_local.add();
      waiting->stack->set_state(Stack::kReady);
      slot_ = waiting;
    } else {
      joiner->resume();
    }
  } else if (before & Fiber::kDetached) {
    free_fiber(self);
  }
  remove_live();
  return service_due() ? nullptr : pop_any();
}

bool Worker::give_stack(Fiber* fiber) {
  Stack* stack = stacks_;
  if (stack != nullptr) {
    stacks_ = stack->next;
    stack_count_--;
  } else {
    stack = pool_->allocate();
    if (stack == nullptr) return false;
    stack->context.stack_pointer = prepare_stack(stack->bottom, stack->top, carrier_main, stack);
#if defined(FIBER_ASAN)
    stack->context.stack_bottom = stack->bottom;
    stack->context.stack_size = static_cast<size_t>(stack->top - stack->bottom);
#endif
#if defined(FIBER_TSAN)
    stack->context.tsan_fiber = __tsan_create_fiber(0);
#endif
  }
  stack->thread.store(thread_id_, std::memory_order_relaxed);
  fiber->stack = stack;
  return true;
}

void Worker::keep_stack(Stack* stack) {
  if (stack_count_ >= kMaxCached) {
    pool_->release(stack);
  } else {
    stack->next = stacks_;
    stacks_ = stack;
    stack_count_++;
  }
  if (starved_ != nullptr) {
    Fiber* fiber = starved_;
    starved_ = fiber->next;
    push_ready(fiber);
  }
}

// The system has no stack to give: the fiber starts when another one ends.
void Worker::starve(Fiber* fiber) {
  static std::atomic<bool> told{false};
  if (!told.exchange(true, std::memory_order_relaxed)) {
    fprintf(stderr,
            "fiber: the system refuses more guarded stacks (memory, or vm.max_map_count); new "
            "fibers wait\n");
  }
  fiber->next = starved_;
  starved_ = fiber;
}

// ---- Suspending, and the loop
void Worker::park() {
  Fiber* const self = current_;
  Stack* const stack = self->stack;
  Fiber* next = service_due() ? nullptr : pop_ready();
  if (next != self) {  // else made ready before it got here
    stack->set_state(Stack::kWaiting);
    switch_from(&stack->context, next);
  }
  stack->set_state(Stack::kRunning);
}

bool Worker::yield() {
  Fiber* const self = current_;
  Stack* const stack = self->stack;
  Fiber* next = nullptr;
  if (!service_due()) {
    next = pop_ready();
    if (next == nullptr) {
      counters_.switches.add();  // to itself: the watchdog sees that it let others go first
      return false;
    }
  }
  push_ready(self);
  stack->set_state(Stack::kReady);
  const uint64_t before = counters_.switches.get();
  switch_from(&stack->context, next);
  stack->set_state(Stack::kRunning);
  // To the worker's own context and back: nobody was there.
  return counters_.switches.get() - before > 2 || next != nullptr;
}

void Worker::take_turns() {
  Worker* const worker = t_worker;
  if (worker == nullptr || worker->current_ == nullptr || worker->simulator_ != nullptr ||
      ++worker->turn_calls_ % kCallsPerLook != 0) {
    return;
  }
  const uint64_t now = cycles();
  const uint64_t switches = worker->counters_.switches.get();
  if (switches != worker->turn_switches_) {
    worker->turn_switches_ = switches;
    worker->turn_start_ = now;
  } else if (now - worker->turn_start_ > kTurnMicros * (worker->service_cycles_ / kServiceMicros)) {
    worker->yield();
  }
}

void take_turns() { Worker::take_turns(); }

void Worker::run_until(bool (*done)(void*), void* argument) {
  Worker* const outer = t_worker;
  t_worker = this;
  describe_thread_context(&own_context_);
  for (;;) {
    if (service_due()) service();
    if (slot_ == nullptr && head_ == nullptr) {
      if (done(argument)) break;
      idle(done, argument);
      continue;
    }
    if (searching_) stop_searching();
    if (simulator_ != nullptr) [[unlikely]] {
      simulate_pick(simulator_, this);
    }
    if (Fiber* next = pop_ready()) switch_from(&own_context_, next);
  }
  t_worker = outer;
}

// ---- Other threads

void Worker::enter_from_outside() { posters_.fetch_add(1, std::memory_order_relaxed); }

void Worker::leave_from_outside() {
  if (posters_.fetch_sub(1, std::memory_order_acq_rel) == (kClosing | 1)) futex_wake(&posters_);
}

void Worker::stop() {
  enter_from_outside();
  stopped_.store(true, std::memory_order_seq_cst);
  notify();
  leave_from_outside();
}

void Worker::post(Fiber* fiber) {
  // Before the push the fiber keeps the worker alive, after it this count.
  enter_from_outside();
  Fiber* head = inbox_.load(std::memory_order_relaxed);
  do {
    fiber->next = head;
  } while (!inbox_.compare_exchange_weak(head, fiber, std::memory_order_seq_cst,
                                         std::memory_order_relaxed));
  notify();
  leave_from_outside();
}

bool Worker::notify() {
  if (state_.load(std::memory_order_seq_cst) != kSleeping ||
      state_.exchange(kNotified, std::memory_order_seq_cst) != kSleeping) {
    return false;
  }
  wakes_by_system_call_.fetch_add(1, std::memory_order_relaxed);
  engine_->wakeup();
  return true;
}

void Worker::drain_inbox() {
  Fiber* list = inbox_.exchange(nullptr, std::memory_order_acquire);
  Fiber* in_order = nullptr;
  while (list != nullptr) {
    Fiber* next = list->next;
    list->next = in_order;
    in_order = list;
    list = next;
  }
  while (in_order != nullptr) {
    Fiber* fiber = in_order;
    in_order = fiber->next;
    if (fiber->arriving) {
      arrive(fiber);
    } else {
      counters_.wakes_remote.add();
    }
    push_ready(fiber);
  }
}

// ---- Timers, I/O, sleep

void Worker::service() {
  if (inbox_.load(std::memory_order_relaxed) != nullptr) drain_inbox();
  if (!fresh_.seems_empty()) start_fresh(fresh_.pop());
  const bool has_company = group_ != nullptr && group_->workers.size() > 1 && simulator_ == nullptr;
  if (!has_company && timers_.empty() && engine_->pending() == 0) return;
  const uint64_t now = cycles();
  if (has_company && now - last_spread_ > kSpreadMicros / kServiceMicros * service_cycles_) {
    spread(now);
  }
  if (timers_.empty() && engine_->pending() == 0) return;
  if (now - last_service_ <= service_cycles_) return;
  if (simulator_ == nullptr) [[likely]] {
    last_service_ = now;  // in a simulation it is always due: the order of the ready is the seed's
  }
  if (engine_->pending() != 0) engine_->poll(false, 0);
  if (!timers_.empty()) fire_timers();
}

// Workers wake each other, and a system that takes who wakes and who is woken for a pair puts them
// on one processor, and leaves them there though another one is idle. The later of two that find
// themselves so goes elsewhere.
void Worker::spread(uint64_t now) {
  last_spread_ = now;
  const size_t count = group_->workers.size();
  if (count > hardware_concurrency()) return;
  const int here = os_current_cpu();
  cpu_.store(here, std::memory_order_relaxed);
  if (here < 0) return;
  bool shares = false;
  std::vector<int>& others = spread_over_;
  others.clear();
  for (const Worker* worker : group_->workers) {
    if (worker == this || worker->state_.load(std::memory_order_relaxed) != kRunning) continue;
    const int there = worker->cpu_.load(std::memory_order_relaxed);
    others.push_back(there);
    shares |= there == here && worker->index_ < index_;
  }
  if (shares && os_leave_cpu(others)) cpu_.store(os_current_cpu(), std::memory_order_relaxed);
}

void Worker::idle(bool (*done)(void*), void* argument) {
  if (!timers_.empty()) fire_timers();
  if (starved_ != nullptr) {
    Fiber* fiber = starved_;
    starved_ = fiber->next;
    if (give_stack(fiber)) {
      push_ready(fiber);
    } else {
      starve(fiber);
    }
  }
  if (head_ != nullptr || slot_ != nullptr || spin_for_work()) return;

  uint64_t deadline = timers_.empty() ? kNoDeadline : timers_[0]->deadline;
  if (starved_ != nullptr) deadline = std::min(deadline, deadline_after(kStarvedRetryNanos));
  const bool may_steal = group_ != nullptr && group_->workers.size() > 1;
  state_.store(kSleeping, std::memory_order_seq_cst);
  if (may_steal) {
    group_->sleepers.fetch_add(1, std::memory_order_seq_cst);
    // A spawner that places a fiber elsewhere after this sees us asleep.
    uint64_t next_try = kNoDeadline;
    const bool stolen = steal(&next_try);
    if (!stolen && (next_try != kNoDeadline) != searching_) {
      searching_ = !searching_;
      group_->searchers.fetch_add(searching_ ? 1 : uint32_t(-1), std::memory_order_seq_cst);
      // Somebody may have relied on our search until now: look once more, without it.
      if (!searching_) next_try = 0;
    }
    deadline = std::min(deadline, next_try);
    if (stolen) deadline = 0;
  }
  if (deadline != 0 && inbox_.load(std::memory_order_seq_cst) == nullptr && fresh_.count() == 0 &&
      !done(argument)) {
    counters_.sleeps.add();
    engine_->poll(true, deadline);
  }
  if (may_steal) group_->sleepers.fetch_sub(1, std::memory_order_relaxed);
  state_.store(kRunning, std::memory_order_relaxed);
}

// Whether something came while the worker looked for it.
bool Worker::spin_for_work() {
  if (engine_->pending() != 0 || hardware_concurrency() <= 1) return false;
  return spin_.look([this] {
    return inbox_.load(std::memory_order_relaxed) != nullptr || !fresh_.seems_empty();
  });
}

// ---- Fresh fibers

void Worker::start_fresh(Fiber* fiber) {
  if (fiber == nullptr) return;
  fiber->worker = this;
  arrive(fiber);
  push_ready(fiber);
}

// Takes a fiber that another worker of the group has left lying for kStealAgeMicros, or, where that
// one has no more fibers than this, for kRescueAgeMicros. Without one sets *next_try to when there
// may be one, if there may.
bool Worker::steal(uint64_t* next_try) {
  const size_t count = group_->workers.size();
  for (size_t i = 0; i < count; i++) {
    Worker* const victim = group_->workers[next_victim_++ % count];
    if (victim == this || victim->fresh_.count() == 0) continue;
    const uint64_t micros = load() < victim->load() ? kStealAgeMicros : kRescueAgeMicros;
    const uint64_t age = micros * (service_cycles_ / kServiceMicros);
    uint64_t born;
    if (Fiber* fiber = victim->fresh_.pop_older(cycles() - age, &born)) {
      counters_.steals.add();
      start_fresh(fiber);
      if (!searching_) {  // there may be more where it came from: stop_searching() sees to it
        searching_ = true;
        group_->searchers.fetch_add(1, std::memory_order_relaxed);
      }
      return true;
    }
    if (born != UINT64_MAX) *next_try = std::min(*next_try, deadline_after(micros * 1000));
  }
  return false;
}

// The worker has something to run: if there are fibers left lying, another one is to look for them.
void Worker::stop_searching() {
  searching_ = false;
  group_->searchers.fetch_sub(1, std::memory_order_seq_cst);
  for (Worker* worker : group_->workers) {
    if (worker != this && worker->fresh_.count() != 0) {
      wake_a_thief();
      return;
    }
  }
}

// A fiber was placed on a worker that runs others: one that sleeps, and has nobody like it looking
// already, shall see whether it is left lying.
void Worker::wake_a_thief() {
  if (group_->searchers.load(std::memory_order_seq_cst) != 0 ||
      group_->sleepers.load(std::memory_order_seq_cst) == 0) {
    return;
  }
  for (Worker* worker : group_->workers) {
    if (worker != this && worker->notify()) return;
  }
}

void Worker::fire_timers() {
  const uint64_t now = now_nanos();
  while (!timers_.empty() && timers_[0]->deadline <= now) {
    TimerNode* timer = timers_[0];
    cancel_timer(timer);
    timer->fire(timer);
  }
}

void Worker::start_timer(TimerNode* timer) {
  timer->sequence = timer_sequence_++;
  timer->index = timers_.size();
  timers_.push_back(timer);
  sift_up(timer->index);
}

void Worker::cancel_timer(TimerNode* timer) {
  const size_t index = timer->index;
  if (index == TimerNode::kNotQueued) return;
  timer->index = TimerNode::kNotQueued;
  TimerNode* last = timers_.back();
  timers_.pop_back();
  if (last == timer) return;
  timers_[index] = last;
  last->index = index;
  sift_up(index);
  sift_down(last->index);
}

void Worker::sift_up(size_t index) {
  TimerNode* timer = timers_[index];
  while (index > 0) {
    const size_t parent = (index - 1) / 2;
    if (!earlier(timer, timers_[parent])) break;
    timers_[index] = timers_[parent];
    timers_[index]->index = index;
    index = parent;
  }
  timers_[index] = timer;
  timer->index = index;
}

void Worker::sift_down(size_t index) {
  TimerNode* timer = timers_[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= timers_.size()) break;
    if (child + 1 < timers_.size() && earlier(timers_[child + 1], timers_[child])) child++;
    if (!earlier(timers_[child], timer)) break;
    timers_[index] = timers_[child];
    timers_[index]->index = index;
    index = child;
  }
  timers_[index] = timer;
  timer->index = index;
}

}  // namespace fiber::detail
