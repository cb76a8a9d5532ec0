// Runtime: fibers (stackful coroutines) on worker threads. A fiber runs on one worker from its
// start to its end, unless it moves itself (migrate()), so thread-locals stay true across a
// suspension. A process may have several runtimes; they share nothing but the pool of stacks. All
// of this is thread safe; what takes "the current fiber" works on a plain thread too and then means
// the thread.
//
// A fiber must not end with an exception (std::terminate). Exceptions thrown and caught inside one
// are fine, across suspensions too. Floating point control words are the worker's, shared by its
// fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/function.h"
#include "fiber/sanitizers.h"
#include "fiber/stats.h"

namespace fiber {

// How I/O of fibers is done. kAuto: io_uring where the kernel allows it (probed), else epoll for
// sockets with a pool of blocking threads for files. The environment variable
// FIBER_ENGINE=io_uring|epoll overrides. kSimulated is what runtimes made in a simulation
// (simulation.h) have, whatever they ask for.
enum class Engine { kAuto, kIoUring, kEpoll, kBlockingPool = kEpoll, kSimulated, kCompletionPort };

struct RuntimeOptions {
  // OS threads that run fibers: 1 to kMaxWorkers; 0: as many as the process may use processors.
  int workers = 1;
  static constexpr int kMaxWorkers = 1024;
  Engine engine = Engine::kAuto;
  // Usable bytes of a fiber's stack, rounded up to pages; guard pages stand below. Only touched
  // pages take memory. At most 1 GiB. Unoptimised and sanitizer builds take at least 256 KiB.
  size_t stack_size = size_t{64} << 10;
  // Threads are named <name>/<number>.
  std::string name = "fiber";
  // A fiber that has computed for so many nanoseconds without a suspension is reported on stderr
  // (one line a second at most); 0: none is. A thread of the runtime's own watches when it is not.
  // The environment variable FIBER_WATCH_MS overrides it, in milliseconds from 1 to an hour, in
  // all runtimes: then each place where a fiber computes for so long is told once, with a
  // backtrace.
#if !defined(NDEBUG) && !defined(FIBER_ASAN) && !defined(FIBER_TSAN)
  static constexpr uint64_t kReportAfterNanos = 10 * 1000 * 1000;
#else
  static constexpr uint64_t kReportAfterNanos = 0;
#endif
  uint64_t report_after_nanos = kReportAfterNanos;
  // Whether a stack overflow is reported (fiber/debug.h). The first runtime that wants it installs
  // the handler, for the whole process.
  bool report_overflow = true;
  // Empty: the kernel moves the workers. Else worker i is bound to processor cpus[i % size], each
  // of which the process must be allowed to use.
  std::vector<int> cpus = {};
  // Not 0: the workers ask for time slices of so many nanoseconds (prefer_slice() in fiber/cpu.h).
  // For those whose fibers answer somebody, beside threads of the same process that compute.
  uint64_t slice_nanos = 0;
};

struct SpawnOptions {
  // For people: fiber::dump(), the debugger, messages. Cut to 23 bytes.
  std::string_view name = {};
  // The worker that is to run it, 0 .. workers()-1; it is not stolen. kAnyWorker: see the function.
  static constexpr int kAnyWorker = -1;
  int worker = kAnyWorker;
};

namespace detail {
class Worker;
struct Fiber;
// Of the calling OS thread, when a simulation goes on with another simulated one.
void* exchange_current_runtime(void* runtime);
}  // namespace detail

// A claim on the end of a fiber. Movable; one owner at a time.
class JoinHandle {
 public:
  JoinHandle() = default;
  JoinHandle(JoinHandle&& other) noexcept : fiber_(std::exchange(other.fiber_, nullptr)) {}
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    if (this != &other) {
      if (joinable()) join();
      fiber_ = std::exchange(other.fiber_, nullptr);
    }
    return *this;
  }
  JoinHandle(const JoinHandle&) = delete;
  JoinHandle& operator=(const JoinHandle&) = delete;
  // Joins.
  ~JoinHandle() {
    if (joinable()) join();
  }

  bool joinable() const { return fiber_ != nullptr; }
  // SUSPENDS until the fiber has ended. What it did happens before the return. REQUIRES:
  // joinable().
  void join();
  // Lets it go on alone. The runtime still waits for it before it ends. REQUIRES: joinable().
  void detach();

 private:
  friend class Runtime;
  friend class detail::Worker;
  explicit JoinHandle(detail::Fiber* fiber) : fiber_(fiber) {}

  detail::Fiber* fiber_ = nullptr;
};

class Runtime {
 public:
  // Starts the workers. Throws std::system_error, with a text for people, where create() would
  // return an error.
  explicit Runtime(RuntimeOptions options = {});
  // Starts a runtime without exceptions. Returns 0, or with *error filled -EINVAL (a bad worker
  // count, stack size or processor), -EAGAIN or -ENOMEM (the system refuses a thread; none
  // remains).
  static int create(const RuntimeOptions& options, std::unique_ptr<Runtime>* out,
                    std::string* error);
  // SUSPENDS. Waits for all fibers, detached ones too, then stops the workers. Not from one of its
  // own fibers.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // The runtime whose fiber calls; null on a plain thread and inside of its gather().
  static Runtime* current();

  // Starts a fiber on the less loaded of two workers; until it has started, an idle one may take
  // it. Callable from anywhere, also from this runtime's fibers (which may prefer fiber::spawn: it
  // stays on the worker). When the system has no memory for another stack the fiber waits for one.
  JoinHandle spawn(Function function) { return spawn(SpawnOptions{}, std::move(function)); }
  // With options.worker on that worker. Returns no handle (joinable() is false) and runs nothing if
  // there is no such worker.
  JoinHandle spawn(const SpawnOptions& options, Function function);

  // SUSPENDS. Runs `function` as a fiber of this runtime, waits for it and returns its result.
  template <class F>
  auto run(F&& function) -> std::invoke_result_t<F&> {
    using Result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<Result>) {
      spawn([&function] { function(); }).join();
    } else if constexpr (std::is_reference_v<Result>) {
      std::remove_reference_t<Result>* result = nullptr;
      spawn([&function, &result] { result = &function(); }).join();
      return static_cast<Result>(*result);
    } else {
      std::optional<Result> result;
      spawn([&function, &result] { result.emplace(function()); }).join();
      return std::move(*result);
    }
  }

  int workers() const;
  // The engine in use, never kAuto.
  Engine engine() const;

  // Counters of all workers together, or of one. REQUIRES: 0 <= worker < workers().
  Stats stats() const;
  Stats stats(int worker) const;

 private:
  struct Impl;
  explicit Runtime(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Starts a fiber on the current fiber's worker. REQUIRES: in_fiber().
JoinHandle spawn(Function function);
// The same with a name; with options.worker on that worker of the current runtime (see
// Runtime::spawn for a number that does not exist).
JoinHandle spawn(const SpawnOptions& options, Function function);

// SUSPENDS. Moves the calling fiber to another worker of its runtime, behind the ready fibers
// there; returns on that one's thread. 0, also if it is there already; -EINVAL: no such worker;
// -EPERM: the caller is no fiber, or one that cannot move (started by fiber::gather).
//
// What changes with the thread: thread-locals, fiber::slot(), current_thread_id(). The compiler may
// keep the address of a thread_local over the call: use none in a function that migrates, or only
// in functions it calls and that are not inlined. fiber::local moves along. REQUIRES: nothing of
// this fiber's is tied to the old worker: no fiber spawned by fiber::spawn that shares
// unsynchronised data with it, no native lock held, no operation in flight (a fiber of this library
// has none while it runs).
int migrate(int worker);

// The number of the calling fiber's worker in its runtime; -1 on a plain thread and, on a fiber of
// fiber::gather on a plain thread, 0.
int current_worker();

// Names the calling fiber, as SpawnOptions::name; no effect on a plain thread.
void set_name(std::string_view name);

// Whether the caller runs on a fiber.
bool in_fiber();

// Lets the other ready fibers of the worker run first, and says whether there were some; on a plain
// thread gives up the time slice, and says true.
bool yield();

// SUSPENDS for at least as long. On a plain thread the thread sleeps.
void sleep_until(uint64_t deadline);
inline void sleep_for(uint64_t nanos) { sleep_until(deadline_after(nanos)); }

}  // namespace fiber
