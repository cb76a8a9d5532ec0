#include "fiber/runtime.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "worker.h"

namespace fiber {

using detail::Fiber;
using detail::Waiter;
using detail::Worker;

void JoinHandle::join() {
  Fiber* const fiber = std::exchange(fiber_, nullptr);
  if (!(fiber->end.load(std::memory_order_acquire) & Fiber::kEnded)) {
    Waiter waiter;
    fiber->joiner = &waiter;
    if (!(fiber->end.fetch_or(Fiber::kJoining, std::memory_order_acq_rel) & Fiber::kEnded))
      waiter.suspend();
  }
  Worker::free_fiber(fiber);
}

void JoinHandle::detach() {
  Fiber* const fiber = std::exchange(fiber_, nullptr);
  if (fiber->end.fetch_or(Fiber::kDetached, std::memory_order_acq_rel) & Fiber::kEnded) {
    Worker::free_fiber(fiber);
  }
}

struct Runtime::Impl {
  std::vector<Worker*> workers;  // each lives on its thread's stack
  std::vector<Thread> threads;
  Engine engine = Engine::kAuto;
  std::atomic<uint32_t> busy{0};
  std::atomic<uint32_t> next_worker{0};
};

Runtime::Runtime(RuntimeOptions options) : impl_(std::make_unique<Impl>()) {
  const int count = std::max(options.workers, 1);
  const size_t stack_size = options.stack_size;
  impl_->workers.resize(static_cast<size_t>(count));
  Latch started(static_cast<uint32_t>(count));
  for (int i = 0; i < count; i++) {
    impl_->threads.emplace_back(
        options.name + "/" + std::to_string(i),
        [impl = impl_.get(), &started, i, stack_size, engine = options.engine] {
          Worker worker(stack_size, engine, &impl->busy);
          impl->workers[static_cast<size_t>(i)] = &worker;
          started.count_down();
          worker.run_until([&worker] { return worker.stopped(); });
        });
  }
  started.wait();
  impl_->engine = impl_->workers[0]->engine()->kind();
}

Runtime::~Runtime() {
  for (;;) {
    const uint32_t busy = impl_->busy.load(std::memory_order_acquire);
    if (busy == 0) break;
    wait(&impl_->busy, busy);
  }
  for (Worker* worker : impl_->workers) worker->stop();
  impl_->threads.clear();
}

JoinHandle Runtime::spawn(Function function) {
  const size_t count = impl_->workers.size();
  Worker* worker = impl_->workers[0];
  if (count > 1)
    worker = impl_->workers[impl_->next_worker.fetch_add(1, std::memory_order_relaxed) % count];
  return worker == Worker::current() ? worker->spawn(std::move(function))
                                     : worker->spawn_from_outside(std::move(function));
}

int Runtime::workers() const { return static_cast<int>(impl_->workers.size()); }
Engine Runtime::engine() const { return impl_->engine; }

JoinHandle spawn(Function function) { return Worker::current()->spawn(std::move(function)); }

bool in_fiber() { return Worker::current_fiber() != nullptr; }

void yield() {
  if (Worker::current_fiber() != nullptr) {
    Worker::current()->yield();
  } else {
    sched_yield();
  }
}

void sleep_until(uint64_t deadline) {
  if (deadline <= now_nanos()) {
    yield();
    return;
  }
  Waiter waiter;
  (void)waiter.suspend_until(deadline, [](Waiter*) { return true; });
}

}  // namespace fiber
