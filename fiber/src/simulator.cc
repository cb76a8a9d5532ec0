#include "simulator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fiber/cpu.h"
#include "fiber/default_runtime.h"
#include "fiber/local.h"
#include "sim_report.h"
#include "worker.h"

namespace fiber::detail {
namespace {

using Status = SimulationResult::Status;

// The streams' seeds: distinct functions of the one seed.
uint64_t stream_seed(uint64_t seed, uint64_t stream) {
  SimRandom random{seed * 0xd1342543de82ef95u + stream};
  return random.next();
}

uint32_t one_of(SimRandom* random, std::initializer_list<uint32_t> values) {
  return values.begin()[random->below(static_cast<uint32_t>(values.size()))];
}

size_t effective_stack_size(size_t requested) {
#if !defined(NDEBUG) || defined(FIBER_ASAN) || defined(FIBER_TSAN)
  return requested * 4;
#else
  return requested;
#endif
}

ContextWords exchange_context_words(ContextWords words) {
  const ContextWords before = context_words();
  set_context_words(words);
  return before;
}

// As switch_context(), but either side may be on any stack of its thread: what the sanitizers know
// of it is asked of them at each switch.
__attribute__((always_inline)) inline void swap_context(Context* from, Context* to,
                                                        ExceptionGlobals* globals) {
  from->exceptions = *globals;
  *globals = to->exceptions;
#if defined(FIBER_ASAN)
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_bottom, to->stack_size);
#endif
#if defined(FIBER_TSAN)
  from->tsan_fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to->tsan_fiber, 0);
#endif
  switch_stack(&from->stack_pointer, to->stack_pointer);
#if defined(FIBER_ASAN)
  __sanitizer_finish_switch_fiber(from->fake_stack, &to->stack_bottom, &to->stack_size);
#endif
}

}  // namespace

Simulator::Simulator(const SimulationOptions& options)
    : options_(options),
      trace_(options.trace),
      schedule_{stream_seed(options.seed, 1)},
      choices_{stream_seed(options.seed, 2)},
      io_{stream_seed(options.seed, 3)},
      program_{stream_seed(options.seed, 4)},
      pool_(StackPool::for_size(effective_stack_size(options.thread_stack_size))),
      globals_(thread_exception_globals()) {
  // Drawn in any case: fixing one leaves the others as they were.
  SimRandom style{stream_seed(options.seed, 5)};
  preempt_every_ = one_of(&style, {0, 2, 4, 10, 30, 200});
  spurious_one_in_ = one_of(&style, {0, 20, 200});
  by_priority_ = style.below(2) == 0;
  if (options.preempt_every != SimulationOptions::kBySeed) preempt_every_ = options.preempt_every;
  if (options.spurious_one_in != SimulationOptions::kBySeed)
    spurious_one_in_ = options.spurious_one_in;
  preempt_in_ = gap();
}

Simulator::~Simulator() = default;

// ---- The run

SimulationResult Simulator::run(Function function) {
  SimulationResult result;
  result.seed = options_.seed;
  Worker* const outer_worker = std::exchange(Worker::t_worker, nullptr);
  void* const outer_runtime = exchange_current_runtime(nullptr);
  const uint32_t outer_slot = std::exchange(t_slot_plus_one, 0);
  const ContextWords outer_words = exchange_context_words({});
#if defined(FIBER_TSAN)
  scheduler_context_.tsan_fiber = __tsan_get_current_fiber();
#endif
  t_simulator = this;
  register_simulator(this);
  if (new_thread("main", [this, &function] {
        try {
          function();
        } catch (...) {
          exception_ = std::current_exception();
        }
        default_runtime_.reset();
        main_ended_ = true;
      })) {
    result.status = schedule();
    if (exception_ != nullptr && result.status == Status::kFinished)
      result.status = Status::kException;
  } else {
    result.status = Status::kRefused;
  }
  add(SimEvent::kEnd, static_cast<uint64_t>(result.status));
  result.hash = trace_.hash();
  result.steps = steps_;
  result.nanos = now_ - kStartNanos;
  result.foreign_wakes = foreign_wakes_;
  result.exception = exception_;
  result.report = SimReport(this).text(result.status);
  result.trace = trace_.take_text();
  if (!threads_.empty()) abandon();
  unregister_simulator(this);
  t_simulator = nullptr;
  Worker::t_worker = outer_worker;
  t_slot_plus_one = outer_slot;
  (void)exchange_context_words(outer_words);
  (void)exchange_current_runtime(outer_runtime);
  return result;
}

Status Simulator::schedule() {
  Status limit;
  while (!threads_.empty()) {
    if (foreign_any_.load(std::memory_order_acquire)) take_foreign();
    expire();
    if (stream_waiters_ != 0 && --stream_check_in_ <= 0) check_streams();
    if (limit_reached(&limit)) return limit;
    if (ready_.empty()) {
      if (check_streams() || take_foreign()) continue;
      if (deadlines_.empty()) return main_ended_ ? Status::kLeftover : Status::kDeadlock;
      now_ = std::max(now_, (*deadlines_.begin())->deadline);
      spins_ = 0;
      add(SimEvent::kTime, (*deadlines_.begin())->number);
      continue;
    }
    step();
    run_thread(choose_thread());
  }
  return Status::kFinished;
}

bool Simulator::limit_reached(Status* status) const {
  if (options_.max_steps != 0 && steps_ >= options_.max_steps) {
    *status = Status::kStepLimit;
    return true;
  }
  if (now_ - kStartNanos > options_.max_nanos) {
    *status = Status::kTimeLimit;
    return true;
  }
  return false;
}

void Simulator::step() {
  steps_++;
  uint64_t cost = 20 + (schedule_.next() & 63);
  if (++spins_ > kSpinSteps) cost <<= std::min((spins_ - kSpinSteps) / 16, kSpinShift);
  now_ += cost;
}

// How many more points until the next interruption.
uint64_t Simulator::gap() {
  return preempt_every_ == 0 ? kLongestTurn : 1 + schedule_.below(2 * preempt_every_);
}

SimThread* Simulator::choose_thread() {
  size_t index = 0;
  if (by_priority_) {
    for (size_t i = 1; i < ready_.size(); i++) {
      if (ready_[i]->priority > ready_[index]->priority) index = i;
    }
  } else {
    index = schedule_.below(static_cast<uint32_t>(ready_.size()));
  }
  SimThread* thread = ready_[index];
  add(SimEvent::kRun, thread->number, ready_.size());
  ready_[index] = ready_.back();
  ready_.pop_back();
  return thread;
}

void Simulator::run_thread(SimThread* thread) {
  thread->state = SimThread::State::kRunning;
  running_ = thread;
  fiber_turns_ = 1 + schedule_.below(kMaxFiberTurns);
  Worker::t_worker = thread->worker;
  t_slot_plus_one = thread->slot_plus_one;
  (void)exchange_context_words(thread->context_words);
  (void)exchange_current_runtime(thread->runtime);
  swap_context(&scheduler_context_, &thread->context, globals_);
  thread->worker = std::exchange(Worker::t_worker, nullptr);
  thread->slot_plus_one = std::exchange(t_slot_plus_one, 0);
  thread->context_words = exchange_context_words({});
  thread->runtime = exchange_current_runtime(nullptr);
  running_ = nullptr;
  if (thread->state == SimThread::State::kEnded) {
    end_thread(thread);
  }
}

inline void Simulator::to_scheduler(SimThread* thread) {
  swap_context(&thread->context, &scheduler_context_, globals_);
}

// ---- Threads

bool Simulator::new_thread(std::string name, Function function) {
  Stack* const stack = pool_->allocate();
  if (stack == nullptr) return false;
  auto thread = std::make_unique<SimThread>();
  thread->number = next_thread_++;
  thread->name = std::move(name);
  thread->function = std::move(function);
  thread->stack = stack;
  thread->priority = (uint64_t{1} << 62) + (schedule_.next() >> 2);
  thread->context.stack_pointer =
      prepare_stack(stack->bottom, stack->top, thread_main, thread.get());
#if defined(FIBER_ASAN)
  thread->context.stack_bottom = stack->bottom;
  thread->context.stack_size = static_cast<size_t>(stack->top - stack->bottom);
#endif
#if defined(FIBER_TSAN)
  stack->context.tsan_fiber = thread->context.tsan_fiber = __tsan_create_fiber(0);
#endif
  add(SimEvent::kThreadStart, thread->number);
  spins_ = 0;
  ready_.push_back(thread.get());
  threads_.emplace(thread->number, std::move(thread));
  return true;
}

bool Simulator::start_thread(std::string name, Function function) {
  if (!new_thread(std::move(name), std::move(function))) return false;
  point(false);
  return true;
}

Runtime& Simulator::default_runtime() {
  if (default_runtime_ == nullptr) {
    auto made = std::make_unique<Runtime>(default_runtime_options());
    // Another one may have made it while we were interrupted; ours then goes unused.
    if (default_runtime_ == nullptr) default_runtime_ = std::move(made);
  }
  return *default_runtime_;
}

void Simulator::thread_main(void* argument) noexcept {
  Simulator* const self = t_simulator;
  SimThread* const thread = static_cast<SimThread*>(argument);
#if defined(FIBER_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &self->scheduler_context_.stack_bottom,
                                  &self->scheduler_context_.stack_size);
#endif
  thread->function();
  thread->function = Function();
  end_simulated_locals();
  thread->state = SimThread::State::kEnded;
  for (;;) self->to_scheduler(thread);
}

void Simulator::end_thread(SimThread* thread) {
  add(SimEvent::kThreadEnd, thread->number);
  spins_ = 0;
  if (thread->slot_plus_one != 0) slots_taken_ &= ~(uint64_t{1} << (thread->slot_plus_one - 1));
  pool_->release(thread->stack);
  threads_.erase(thread->number);
}

// The smallest free slot, as on real threads: what is sharded by it depends on it.
unsigned Simulator::assign_slot() {
  const unsigned count = std::min(slot_count(), kMaxSlots);
  unsigned slot = static_cast<unsigned>(std::countr_one(slots_taken_));
  if (slot >= count) {
    slot = running_->number % count;  // more threads than slots: share
  }
  slots_taken_ |= uint64_t{1} << slot;
  t_slot_plus_one = slot + 1;
  return slot;
}

// ---- Interruption

void Simulator::point(bool may_yield_fiber) {
  SimThread* const thread = running_;
  if (thread == nullptr) return;
  spins_ = 0;
  if (--preempt_in_ != 0) return;
  preempt_in_ = gap();
  // Both are what a program must stand; a worker with nothing else to run takes the thread's.
  if (may_yield_fiber && Worker::current_fiber() != nullptr && schedule_.below(2) == 0) {
    add(SimEvent::kFiberYield, thread->number);
    Worker::current()->yield();
    return;
  }
  add(SimEvent::kPreempt, thread->number);
  if (options_.stall_one_in != 0 && schedule_.below(options_.stall_one_in) == 0) {
    stall(options_.stall_max_nanos);
    return;
  }
  yield_thread();
}

bool Simulator::stalls_at(uint32_t line) const {
  if (options_.interleave_stall_place_one_in == 0) return true;
  return SimRandom(options_.seed ^ (uint64_t{line} << 32))
             .below(options_.interleave_stall_place_one_in) == 0;
}

void Simulator::interleave(uint32_t line) {
  SimThread* const thread = running_;
  if (thread != nullptr && options_.interleave_stall_one_in != 0 && stalls_at(line) &&
      schedule_.below(options_.interleave_stall_one_in) == 0) {
    add(SimEvent::kPreempt, thread->number);
    stall(options_.interleave_stall_max_nanos);
    return;
  }
  point(false);
}

void Simulator::stall(uint64_t max_nanos) {
  wait(nullptr, 0, now_ + 1 + schedule_.next() % std::max<uint64_t>(max_nanos, 1));
}

void Simulator::yield_thread() {
  SimThread* const thread = running_;
  if (thread == nullptr) return;
  // Behind all others: so that whatever it spins for gets done.
  thread->priority = --lowest_priority_;
  thread->state = SimThread::State::kReady;
  ready_.push_back(thread);
  to_scheduler(thread);
}

bool Simulator::spurious() {
  if (running_ == nullptr || spurious_one_in_ == 0 || choices_.below(spurious_one_in_) != 0)
    return false;
  add(SimEvent::kSpurious, running_->number);
  return true;
}

uint64_t Simulator::random() {
  const uint64_t value = program_.next();
  add(SimEvent::kRandom, value);
  return value;
}

// ---- Waiting

bool Simulator::wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline,
                     std::vector<PollEntry>* streams) {
  SimThread* const thread = running_;
  if (word != nullptr && word->load(std::memory_order_seq_cst) != expected) return true;
  thread->timed_out = false;
  thread->word = word;
  thread->streams = streams;
  if (streams != nullptr) stream_waiters_++;
  if (word != nullptr) {
    thread->next_on_word = nullptr;
    SimThread** at = &on_word_[word];
    while (*at != nullptr) at = &(*at)->next_on_word;
    *at = thread;
  }
  thread->deadline = deadline;
  if (deadline != kNoDeadline) {
    thread->deadline_sequence = deadline_sequence_++;
    deadlines_.insert(thread);
  }
  thread->state = SimThread::State::kBlocked;
  add(SimEvent::kBlock, thread->number, deadline == kNoDeadline ? 0 : deadline - kStartNanos);
  to_scheduler(thread);
  return !thread->timed_out;
}

void Simulator::take_from_word(SimThread* thread) {
  auto found = on_word_.find(thread->word);
  SimThread** at = &found->second;
  while (*at != thread) at = &(*at)->next_on_word;
  *at = thread->next_on_word;
  if (found->second == nullptr) on_word_.erase(found);
}

void Simulator::make_ready(SimThread* thread) {
  if (thread->word != nullptr) take_from_word(thread);
  if (thread->streams != nullptr) stream_waiters_--;
  if (thread->deadline != kNoDeadline) deadlines_.erase(thread);
  thread->word = nullptr;
  thread->streams = nullptr;
  thread->state = SimThread::State::kReady;
  spins_ = 0;
  ready_.push_back(thread);
}

int Simulator::wake(const void* word, int count) {
  int woken = 0;
  while (woken < count) {
    auto found = on_word_.find(word);
    if (found == on_word_.end()) break;
    SimThread* thread = found->second;
    make_ready(thread);
    add(SimEvent::kWake, thread->number, running_ != nullptr ? running_->number : kNobody);
    woken++;
  }
  return woken;
}

void Simulator::expire() {
  while (!deadlines_.empty() && (*deadlines_.begin())->deadline <= now_) {
    SimThread* thread = *deadlines_.begin();
    make_ready(thread);
    thread->timed_out = true;
    add(SimEvent::kTimeout, thread->number);
  }
}

// Wakes the threads whose pipes and sockets became ready. In the order of the threads.
bool Simulator::check_streams() {
  stream_check_in_ = kStreamCheckSteps;
  if (stream_waiters_ == 0) return false;
  bool any = false;
  for (auto& [number, thread] : threads_) {
    if (thread->state != SimThread::State::kBlocked || thread->streams == nullptr) continue;
    if (os_poll(thread->streams->data(), thread->streams->size()) <= 0) continue;
    make_ready(thread.get());
    add(SimEvent::kWake, number, kNobody);
    any = true;
  }
  return any;
}

void Simulator::wake_from_outside(const void* word) {
  RawLockGuard guard(&foreign_lock_);
  foreign_words_.push_back(word);
  foreign_any_.store(true, std::memory_order_release);
}

bool Simulator::take_foreign() {
  std::vector<const void*> words;
  {
    RawLockGuard guard(&foreign_lock_);
    words.swap(foreign_words_);
    foreign_any_.store(false, std::memory_order_relaxed);
  }
  bool any = false;
  for (const void* word : words) {
    if (wake(word, INT32_MAX) == 0) continue;
    foreign_wakes_++;
    any = true;
  }
  return any;
}

// ---- I/O

uint64_t Simulator::io_delay() {
  const uint64_t low = options_.io_min_nanos;
  const uint64_t span = std::max(options_.io_max_nanos, low + 1) - low;
  uint64_t delay = low + io_.next() % span;
  if (io_.below(64) == 0) delay *= 1 + io_.below(50);
  return delay;
}

uint64_t Simulator::io_started(uint64_t delay) {
  add(SimEvent::kIoStart, next_io_, delay);
  spins_ = 0;
  return next_io_++;
}

void Simulator::io_ended(uint64_t number, int64_t result) {
  add(SimEvent::kIoEnd, number, static_cast<uint64_t>(result));
  spins_ = 0;
}

// ---- Fibers

void Simulator::fiber_started(Fiber* fiber) {
  fiber->sim_number = next_fiber_++;
  fibers_.emplace(fiber->sim_number, fiber);
  add(SimEvent::kFiberStart, fiber->sim_number, running_ != nullptr ? running_->number : kNobody);
}

void Simulator::fiber_ended(Fiber* fiber) {
  add(SimEvent::kFiberEnd, fiber->sim_number);
  fibers_.erase(fiber->sim_number);
}

// Called on the worker's own stack before it takes its next ready fiber: brings the chosen one to
// the front.
void Simulator::pick_fiber(Worker* worker) {
  step();
  if (--fiber_turns_ == 0) {
    fiber_turns_ = kMaxFiberTurns;
    yield_thread();
  }
  if (Fiber* fiber = std::exchange(worker->slot_, nullptr)) {
    fiber->next = worker->head_;
    worker->head_ = fiber;
    if (worker->tail_ == nullptr) worker->tail_ = fiber;
  }
  uint32_t ready = 0;
  for (Fiber* f = worker->head_; f != nullptr && ready < kPickWindow; f = f->next) ready++;
  if (ready == 0) return;
  uint32_t index = ready == 1 ? 0 : schedule_.below(ready);
  Fiber* before = nullptr;
  Fiber* fiber = worker->head_;
  for (; index > 0; index--) {
    before = fiber;
    fiber = fiber->next;  // NOLINT(clang-analyzer-core.NullDereference): `ready` were counted
  }
  if (before != nullptr) {
    before->next = fiber->next;  // NOLINT(clang-analyzer-core.NullDereference)
    if (worker->tail_ == fiber) worker->tail_ = before;
    fiber->next = worker->head_;
    worker->head_ = fiber;
  }
  add(SimEvent::kFiber, fiber->sim_number, ready);
}

}  // namespace fiber::detail
