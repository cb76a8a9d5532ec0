// The life of an operation (cairn/async.h):
//
//   Prepare()   in the user's call: refused, or answered from memory, or given a place
//   Launch()    a fiber of the core's runtime, Work(); with a deadline another one that watches it
//   Work()      Run(), the database's call; then, unless it was cancelled meanwhile, its result is
//               the outcome, which is delivered
//   Cancel()    by the user's stop_source, the watch, or Close(): the outcome is delivered at once,
//               by a fiber of its own; Work() goes on with what nobody else sees, and waits for
//               that delivery before it ends, so that the runtime and the task live
#include <algorithm>
#include <utility>

#include "async/core.h"
#include "fiber/clock.h"
#include "fiber/wait.h"
#include "fs/read_limits.h"

namespace cairn::async::detail {

namespace {

ReadLimits Until(std::chrono::microseconds deadline) {
  ReadLimits limits;
  limits.deadline = deadline;
  return limits;
}

Status Late() { return Status::TimedOut("the operation's deadline has passed"); }
Status Stopped() { return Status::Aborted("the operation was cancelled"); }

}  // namespace

// ---- Core

bool Core::Enter() {
  if ((state.fetch_add(1, std::memory_order_acquire) & kClosed) == 0) [[likely]]
    return true;
  Leave();
  return false;
}

void Core::Leave() {
  // Release: what it did is over before Close() returns. The core may be gone afterwards, but not
  // its address's use as a key.
  if (state.fetch_sub(1, std::memory_order_release) == (kClosed | 1)) {
    (void)fiber::wake(&state, SIZE_MAX);
  }
}

Status Core::TakePlace(std::chrono::microseconds deadline) {
  if (options.when_full == WhenFull::kBusy) {
    return places.try_acquire() ? Status::OK()
                                : Status::Busy("as many operations in flight as there may be");
  }
  return places.acquire_until(Until(deadline).NanosDeadline()) ? Status::OK() : Late();
}

bool Core::Register(Task* task) {
  fiber::MutexLock lock(&mu);
  task->running_->next = first;
  if (first != nullptr) first->running_->previous = task;
  first = task;
  return cancelling;
}

void Core::Unregister(Task* task) {
  fiber::MutexLock lock(&mu);
  Task::Running& it = *task->running_;
  (it.previous != nullptr ? it.previous->running_->next : first) = it.next;
  if (it.next != nullptr) it.next->running_->previous = it.previous;
}

void Core::CancelAll() {
  std::vector<std::shared_ptr<Task>> tasks;
  {
    fiber::MutexLock lock(&mu);
    cancelling = true;
    for (Task* task = first; task != nullptr; task = task->running_->next) {
      tasks.push_back(task->shared_from_this());
    }
  }
  for (const std::shared_ptr<Task>& task : tasks) task->Cancel(Stopped());
}

Status Core::Close(bool cancel) {
  if (fiber::Runtime::current() == identity) {
    return Status::InvalidArgument("Close() from a worker of its own would wait for itself");
  }
  fiber::MutexLock lock(&close_mu);
  uint32_t now = state.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
  if (cancel) CancelAll();
  while (now != kClosed) {
    (void)fiber::wait(&state, now);
    now = state.load(std::memory_order_acquire);
  }
  runtime.reset();
  return Status::OK();
}

// ---- Task

Task::Task(std::shared_ptr<Core> core, Call call)
    : core_(std::move(core)), call_(std::move(call)) {}

Task::~Task() = default;

rocksdb::DB* Task::db() const { return core_->db; }

rocksdb::ColumnFamilyHandle* Task::column_family() const {
  return call_.column_family != nullptr ? call_.column_family : core_->db->DefaultColumnFamily();
}

Status Task::Refusal() const {
  if (call_.stop.stop_requested()) return Stopped();
  if (Until(call_.deadline).Over()) return Late();
  return Status::OK();
}

bool Task::Prepare() {
  if (!core_->Enter()) {
    Fail(Status::ShutdownInProgress("the AsyncDB is closed"));
    return true;
  }
  Status s = Refusal();
  if (s.ok()) {
    if (TryInMemory()) {
      core_->Leave();
      return true;
    }
    if (TakesPlace()) s = core_->TakePlace(call_.deadline);
    if (s.ok()) return false;
  }
  Fail(s);
  core_->Leave();
  return true;
}

void Task::Start(fiber::Function done, bool by_executor) {
  const std::shared_ptr<Task> self = shared_from_this();
  if (!Prepare()) {
    Launch(std::move(done), by_executor);
    return;
  }
  done_ = std::move(done);
  by_executor_ = by_executor;
  Deliver();
}

void Task::Launch(fiber::Function done, bool by_executor) {
  const std::shared_ptr<Task> self = shared_from_this();
  done_ = std::move(done);
  by_executor_ = by_executor;
  running_ = std::make_unique<Running>();
  const bool doomed = core_->Register(this);
  fiber::Runtime* const runtime = core_->runtime.get();
  const uint64_t deadline = Until(call_.deadline).NanosDeadline();
  if (deadline != fiber::kNoDeadline) {
    runtime
        ->spawn([self, deadline] {
          if (!self->running_->finished.wait_until(deadline)) self->Cancel(Late());
        })
        .detach();
  }
  if (call_.stop.stop_possible()) running_->stop.emplace(call_.stop, Canceller{this});
  if (doomed) Cancel(Stopped());
  runtime->spawn([self] { self->Work(); }).detach();
}

void Task::Work() {
  Running& running = *running_;
  if (!running.settled.load(std::memory_order_acquire)) Run();
  running.stop.reset();
  running.finished.set();
  if (TakesPlace()) core_->places.release();
  if (!running.settled.exchange(true, std::memory_order_acq_rel)) {
    Accept();
    Deliver();
  } else {
    running.delivered.wait();
  }
  core_->Unregister(this);
  core_->Leave();
}

void Task::Canceller::operator()() const { task->Cancel(Stopped()); }

// Any thread; does not suspend.
void Task::Cancel(const Status& why) {
  // First: this object may be what the caller, a stop_callback, is a part of.
  const std::shared_ptr<Task> self = shared_from_this();
  if (running_->settled.exchange(true, std::memory_order_acq_rel)) return;
  cancelled_.store(true, std::memory_order_seq_cst);
  OnCancel();
  core_->runtime
      ->spawn([self, why] {
        self->Fail(why);
        self->Deliver();
        self->running_->delivered.set();
      })
      .detach();
}

void Task::Deliver() {
  const Executor& executor = call_.executor ? call_.executor : core_->options.executor;
  auto finish = [self = shared_from_this()] {
    fiber::Function done = std::move(self->done_);
    if (!self->forgotten_.load(std::memory_order_acquire)) done();
  };
  if (by_executor_ && executor) {
    executor(std::move(finish));
  } else {
    finish();
  }
}

}  // namespace cairn::async::detail
