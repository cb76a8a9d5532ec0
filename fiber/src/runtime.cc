#include "fiber/runtime.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "dump.h"
#include "fiber/cpu.h"
#include "fiber/fork.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "fork.h"
#include "os_thread.h"
#include "sim_hooks.h"
#include "stack_overflow.h"
#include "watchdog.h"
#include "worker.h"
#include "worker_group.h"

#if defined(FIBER_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace fiber {

using detail::Fiber;
using detail::Waiter;
using detail::Worker;

void JoinHandle::join() {
  Fiber* const fiber = std::exchange(fiber_, nullptr);
  Worker::refuse_other_process(fiber);
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

namespace {
// The Runtime::Impl whose worker the calling thread is.
__thread void* t_current __attribute__((tls_model("initial-exec"))) = nullptr;
}  // namespace

struct Runtime::Impl {
  detail::WorkerGroup group;  // the workers live on their threads' stacks
  std::vector<Thread> threads;
  Engine engine = Engine::kAuto;
  std::atomic<uint32_t> placed{0};
  Runtime* self = nullptr;  // constant before the first fiber
  const uint32_t generation = process_generation();

  static Impl* current() { return static_cast<Impl*>(t_current); }
  std::unique_ptr<detail::Watchdog> watchdog;

  int start(RuntimeOptions options, std::string* error);
  Worker* place();
};

void* detail::exchange_current_runtime(void* runtime) { return std::exchange(t_current, runtime); }

namespace {

int refuse(std::string* error, int code, std::string text) {
  *error = "fiber::Runtime: " + std::move(text);
  return code;
}

// What is more is a mistake, not a wish.
constexpr size_t kMaxStackSize = size_t{1} << 30;

int check(RuntimeOptions* options, std::string* error) {
  if (options->workers == 0) {
    options->workers =
        std::min(static_cast<int>(hardware_concurrency()), RuntimeOptions::kMaxWorkers);
  }
  if (options->workers < 0 || options->workers > RuntimeOptions::kMaxWorkers) {
    return refuse(error, -EINVAL,
                  "workers = " + std::to_string(options->workers) + ": must be 0 (one for each " +
                      "processor) to " + std::to_string(RuntimeOptions::kMaxWorkers));
  }
  if (options->stack_size > kMaxStackSize) {
    return refuse(error, -EINVAL,
                  "stack_size = " + std::to_string(options->stack_size) + ": at most " +
                      std::to_string(kMaxStackSize));
  }
  for (int cpu : options->cpus) {
    if (!may_use_cpu(cpu)) {
      return refuse(error, -EINVAL,
                    "cpus: the process may not use processor " + std::to_string(cpu));
    }
  }
  return 0;
}

}  // namespace

int Runtime::Impl::start(RuntimeOptions options, std::string* error) {
  if (const int bad = check(&options, error); bad != 0) return bad;
  const uint32_t count = static_cast<uint32_t>(options.workers);
  if (options.report_overflow) detail::install_overflow_report();
  detail::install_default_dump_signal();
  group.workers.resize(count);
  threads.resize(count);
  // Shared by the threads, the last of which may be the last to let go.
  struct Gates {
    explicit Gates(uint32_t n) : started(n), left(n) {}
    Latch started, left;
    std::atomic<bool> failed{false};
  };
  auto gates = std::make_shared<Gates>(count);
  for (uint32_t i = 0; i < count; i++) {
    auto main = [this, gates, i, stack_size = options.stack_size, wish = options.engine,
                 cpu = options.cpus.empty() ? -1 : options.cpus[i % options.cpus.size()],
                 slice = options.slice_nanos] {
      t_current = this;
      if (slice != 0) prefer_slice(slice);
      if (cpu >= 0) bind_thread_to_cpu(cpu);
      Worker worker(stack_size, wish, &group, static_cast<int>(i));
      group.workers[i] = &worker;
      gates->started.count_down();
      // They look at one another: all are there before the first runs, and until the last has
      // stopped.
      gates->started.wait();
      if (gates->failed.load(std::memory_order_acquire)) return;
#if defined(FIBER_ASAN)
      // While a fiber runs the leak checker knows the fiber's stack only, not this one.
      __lsan_register_root_region(&worker, sizeof worker);
#endif
      worker.run_until([&worker] { return worker.stopped() && !worker.has_flights(); });
#if defined(FIBER_ASAN)
      __lsan_unregister_root_region(&worker, sizeof worker);
#endif
      gates->left.count_down();
      gates->left.wait();
    };
    const int result =
        Thread::create(options.name + "/" + std::to_string(i), std::move(main), 0, &threads[i]);
    if (result != 0) {
      gates->failed.store(true, std::memory_order_release);
      gates->started.count_down(count - i);
      threads.clear();
      return refuse(error, result,
                    "the system refuses thread " + std::to_string(i + 1) + " of " +
                        std::to_string(count) + ": " + strerror(-result));
    }
  }
  gates->started.wait();
  engine = group.workers[0]->engine()->kind();
  // Simulated time does not tell how long a fiber computes.
  const uint64_t asked = detail::asked_watch_nanos();
  const uint64_t limit = asked != 0 ? asked : options.report_after_nanos;
  if (limit != 0 && detail::simulator() == nullptr)
    watchdog = std::make_unique<detail::Watchdog>(&group, limit, asked != 0);
  return 0;
}

Runtime::Runtime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) { impl_->self = this; }

Runtime::Runtime(RuntimeOptions options) : impl_(std::make_unique<Impl>()) {
  std::string error;
  const int result = impl_->start(std::move(options), &error);
  if (result != 0) throw std::system_error(-result, std::generic_category(), error);
  impl_->self = this;
}

int Runtime::create(const RuntimeOptions& options, std::unique_ptr<Runtime>* out,
                    std::string* error) {
  auto impl = std::make_unique<Impl>();
  const int result = impl->start(options, error);
  if (result == 0) out->reset(new Runtime(std::move(impl)));
  return result;
}

Runtime::~Runtime() {
  if (impl_->generation != process_generation()) {
    (void)impl_.release();  // all of it is the parent process's
    return;
  }
  for (;;) {
    const uint32_t busy = impl_->group.busy.load(std::memory_order_acquire);
    if (busy == 0) break;
    wait(&impl_->group.busy, busy);
  }
  impl_->watchdog.reset();
  for (Worker* worker : impl_->group.workers) worker->stop();
  impl_->threads.clear();
}

// The less loaded of two, each pair of workers in its turn.
Worker* Runtime::Impl::place() {
  const uint32_t count = static_cast<uint32_t>(group.workers.size());
  if (count == 1) return group.workers[0];
  const uint32_t turn = placed.fetch_add(1, std::memory_order_relaxed);
  const uint32_t first = turn % count;
  const uint32_t second = (first + 1 + turn / count % (count - 1)) % count;
  Worker* const a = group.workers[first];
  Worker* const b = group.workers[second];
  return b->load() < a->load() ? b : a;
}

JoinHandle Runtime::spawn(const SpawnOptions& options, Function function) {
  if (impl_->generation != process_generation()) [[unlikely]] {
    detail::refuse_after_fork("spawn() of a runtime");
  }
  if (options.worker == SpawnOptions::kAnyWorker)
    return impl_->place()->spawn_fresh(std::move(function), options.name);
  if (options.worker < 0 || options.worker >= workers()) return {};
  Worker* const worker = impl_->group.workers[static_cast<size_t>(options.worker)];
  return worker == Worker::current()
             ? worker->spawn(std::move(function), options.name)
             : worker->spawn_from_outside(std::move(function), options.name);
}

Stats Runtime::stats() const {
  Stats sum;
  for (const Worker* worker : impl_->group.workers) sum += worker->stats();
  return sum;
}

Stats Runtime::stats(int worker) const {
  return impl_->group.workers[static_cast<size_t>(worker)]->stats();
}

Runtime* Runtime::current() {
  const Impl* const impl = Impl::current();
  return impl != nullptr ? impl->self : nullptr;
}

int Runtime::workers() const { return static_cast<int>(impl_->group.workers.size()); }
Engine Runtime::engine() const { return impl_->engine; }

namespace {
Worker* own_worker() {
  Worker* const here = Worker::current();
  if (here == nullptr && process_generation() != 0) detail::refuse_after_fork("fiber::spawn()");
  return here;
}
}  // namespace

JoinHandle spawn(Function function) { return own_worker()->spawn(std::move(function)); }

JoinHandle spawn(const SpawnOptions& options, Function function) {
  Worker* const here = own_worker();
  if (options.worker == SpawnOptions::kAnyWorker || options.worker == here->index())
    return here->spawn(std::move(function), options.name);
  Worker* const target = here->sibling(options.worker);
  return target != nullptr ? target->spawn_from_outside(std::move(function), options.name)
                           : JoinHandle();
}

int migrate(int worker) {
  if (!in_fiber()) return -EPERM;
  Worker* const here = Worker::current();
  Worker* const target = worker == here->index() ? here : here->sibling(worker);
  return target != nullptr ? here->migrate(target) : -EINVAL;
}

int current_worker() { return in_fiber() ? Worker::current()->index() : -1; }

void set_name(std::string_view name) {
  if (Fiber* fiber = Worker::current_fiber()) fiber->stack->name.set(name);
}

bool in_fiber() { return Worker::current_fiber() != nullptr; }

bool yield() {
  if (Worker::current_fiber() != nullptr) return Worker::current()->yield();
  if (detail::simulator() != nullptr) {
    detail::simulate_yield();
  } else {
    detail::os_yield();
  }
  return true;
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
