#include "worker.h"

#include <algorithm>
#include <cstdio>

#include "fiber/cpu.h"
#include "fiber/wait.h"
#include "local_table.h"

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

}  // namespace

Worker::Worker(size_t stack_size, Engine engine, std::atomic<uint32_t>* busy)
    : globals_(thread_exception_globals()),
      engine_(create_io_engine(engine)),
      service_cycles_(kServiceMicros * cycles_per_microsecond()),
      pool_(StackPool::for_size(effective_stack_size(stack_size))),
      busy_(busy) {}

Worker::~Worker() {
  uint32_t posters = posters_.fetch_or(kClosing, std::memory_order_acq_rel);
  while ((posters & ~kClosing) != 0) {
    futex_wait(&posters_, posters | kClosing);
    posters = posters_.load(std::memory_order_acquire);
  }
  engine_.reset();
  while (Stack* stack = stacks_) {
    stacks_ = stack->next;
    pool_->release(stack);
  }
  while (Fiber* fiber = fibers_) {
    fibers_ = fiber->next;
    delete fiber;
  }
}

// ---- The ready fibers, and the switch to the next

inline void Worker::switch_from(Context* from, Fiber* next) {
  Context* to = next != nullptr ? &next->stack->context : &own_context_;
  current_ = next;
  switch_context(from, to, globals_);
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

Fiber* Worker::new_fiber(Function function) {
  Fiber* fiber;
  Worker* const here = t_worker;
  if (here != nullptr && here->fibers_ != nullptr) {
    fiber = here->fibers_;
    here->fibers_ = fiber->next;
    here->fiber_count_--;
    fiber->stack = nullptr;
    fiber->end.store(0, std::memory_order_relaxed);
  } else {
    fiber = new Fiber;
  }
  fiber->worker = this;
  fiber->function = std::move(function);
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
  if (live_++ == 0 && busy_ != nullptr) busy_->fetch_add(1, std::memory_order_relaxed);
}

void Worker::remove_live() {
  if (--live_ == 0 && busy_ != nullptr && busy_->fetch_sub(1, std::memory_order_acq_rel) == 1) {
    wake(busy_, SIZE_MAX);
  }
}

JoinHandle Worker::spawn(Function function) {
  Fiber* fiber = new_fiber(std::move(function));
  add_live();
  push_ready(fiber);
  return JoinHandle(fiber);
}

JoinHandle Worker::spawn_now(Function function) {
  if (current_ == nullptr) return spawn(std::move(function));
  Fiber* fiber = new_fiber(std::move(function));
  add_live();
  if (!give_stack(fiber)) {
    starve(fiber);
    return JoinHandle(fiber);
  }
  if (slot_ != nullptr) push_ready(slot_);
  Fiber* const self = current_;
  slot_ = self;
  slot_runs_ = 0;
  switch_from(&self->stack->context, fiber);
  return JoinHandle(fiber);
}

JoinHandle Worker::spawn_from_outside(Function function) {
  Fiber* fiber = new_fiber(std::move(function));
  JoinHandle handle(fiber);
  // One count for the fiber on its way; drain_inbox() turns it into the worker's.
  if (busy_ != nullptr) busy_->fetch_add(1, std::memory_order_relaxed);
  post(fiber);
  return handle;
}

void Worker::carrier_main(void* stack) noexcept {
  context_entered();
  Worker* const worker = t_worker;  // for good: a kept stack stays with its worker
  for (;;) {
    worker->after_switch();
    worker->run_fiber(static_cast<Stack*>(stack));
  }
}

// Runs the current fiber, and then, as long as they need no other stack, those that are next.
// Returns when the stack has been taken up again for another fiber.
void Worker::run_fiber(Stack* stack) {
  for (;;) {
    Fiber* self = current_;
    self->function();
    self->function = Function();
    if (self->locals != nullptr) LocalTable::destroy(&self->locals);
    current_ = nullptr;
    const uint32_t before = self->end.fetch_or(Fiber::kEnded, std::memory_order_acq_rel);
    // From here on `self` is its joiner's, unless that one waits for us or there is none.
    if (before & Fiber::kJoining) {
      Waiter* joiner = self->joiner;
      Fiber* waiting = joiner->fiber();
      if (waiting != nullptr && waiting->worker == this && slot_ == nullptr) {
        slot_ = waiting;
      } else {
        joiner->resume();
      }
    } else if (before & Fiber::kDetached) {
      free_fiber(self);
    }
    remove_live();

    Fiber* next = service_due() ? nullptr : pop_any();
    if (next != nullptr && next->stack == nullptr) {
      next->stack = stack;
      current_ = next;
      continue;
    }
    ended_ = stack;
    switch_from(&stack->context, next);
    return;
  }
}

bool Worker::give_stack(Fiber* fiber) {
  Stack* stack = stacks_;
  if (stack != nullptr) {
    stacks_ = stack->next;
    stack_count_--;
  } else {
    stack = pool_->allocate();
    if (stack == nullptr) return false;
    stack->context.stack_pointer = prepare_stack(stack->top, carrier_main, stack);
#if defined(FIBER_ASAN)
    stack->context.stack_bottom = stack->bottom;
    stack->context.stack_size = static_cast<size_t>(stack->top - stack->bottom);
#endif
#if defined(FIBER_TSAN)
    stack->context.tsan_fiber = __tsan_create_fiber(0);
#endif
  }
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
  Fiber* next = service_due() ? nullptr : pop_ready();
  if (next == self) return;  // made ready before it got here
  switch_from(&self->stack->context, next);
}

void Worker::yield() {
  Fiber* const self = current_;
  if (service_due()) {
    push_ready(self);
    switch_from(&self->stack->context, nullptr);
    return;
  }
  Fiber* next = pop_ready();
  if (next == nullptr) return;
  push_ready(self);
  switch_from(&self->stack->context, next);
}

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

void Worker::notify() {
  if (state_.load(std::memory_order_seq_cst) == kSleeping &&
      state_.exchange(kNotified, std::memory_order_seq_cst) == kSleeping) {
    engine_->wakeup();
  }
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
    if (fiber->stack == nullptr && live_++ != 0 && busy_ != nullptr) {
      busy_->fetch_sub(
          1, std::memory_order_relaxed);  // not the last one: the worker's own count remains
    }
    push_ready(fiber);
  }
}

// ---- Timers, I/O, sleep

void Worker::service() {
  if (inbox_.load(std::memory_order_relaxed) != nullptr) drain_inbox();
  if (timers_.empty() && engine_->pending() == 0) return;
  const uint64_t now = cycles();
  if (now - last_service_ <= service_cycles_) return;
  last_service_ = now;
  if (engine_->pending() != 0) engine_->poll(false, 0);
  if (!timers_.empty()) fire_timers();
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
  if (head_ != nullptr || slot_ != nullptr) return;

  if (engine_->pending() == 0 && hardware_concurrency() > 1 &&
      (spin_misses_ < kSpinMisses || ++spin_misses_ % kSpinRetry == 0)) {
    const uint64_t start = cycles();
    const uint64_t limit = service_cycles_ / kServiceMicros * kIdleSpinMicros;
    do {
      if (inbox_.load(std::memory_order_relaxed) != nullptr) {
        spin_misses_ = 0;
        return;
      }
      cpu_relax();
    } while (cycles() - start < limit);
    if (spin_misses_ < kSpinMisses) spin_misses_++;
  }

  uint64_t deadline = timers_.empty() ? kNoDeadline : timers_[0]->deadline;
  if (starved_ != nullptr) deadline = std::min(deadline, deadline_after(kStarvedRetryNanos));
  state_.store(kSleeping, std::memory_order_seq_cst);
  if (inbox_.load(std::memory_order_seq_cst) == nullptr && !done(argument))
    engine_->poll(true, deadline);
  state_.store(kRunning, std::memory_order_relaxed);
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
