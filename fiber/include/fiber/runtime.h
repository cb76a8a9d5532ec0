// Runtime: fibers (stackful coroutines) on worker threads. A fiber runs on one worker from its
// start to its end, so thread-locals stay true across a suspension. All of this is thread safe;
// what takes "the current fiber" works on a plain thread too and then means the thread.
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
#include <type_traits>
#include <utility>

#include "fiber/clock.h"
#include "fiber/function.h"

namespace fiber {

// How file I/O of fibers is done. kAuto: io_uring where the kernel allows it (probed), else a pool
// of blocking threads. The environment variable FIBER_ENGINE=io_uring|pool overrides.
enum class Engine { kAuto, kIoUring, kBlockingPool };

struct RuntimeOptions {
  // OS threads that run fibers; at least 1.
  int workers = 1;
  Engine engine = Engine::kAuto;
  // Usable bytes of a fiber's stack, rounded up to pages; guard pages stand below. Only touched
  // pages take memory. Unoptimised and sanitizer builds take at least 256 KiB.
  size_t stack_size = size_t{64} << 10;
  // Threads are named <name>/<number>.
  std::string name = "fiber";
};

namespace detail {
class Worker;
struct Fiber;
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
  // Starts the workers. Aborts with a message if the system refuses a thread.
  explicit Runtime(RuntimeOptions options = {});
  // SUSPENDS. Waits for all fibers, detached ones too, then stops the workers. Not from one of its
  // own fibers.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Starts a fiber on the next worker in turn. Callable from anywhere, also from this runtime's
  // fibers (which may prefer fiber::spawn: it stays on the worker).
  JoinHandle spawn(Function function);

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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Starts a fiber on the current fiber's worker. REQUIRES: in_fiber().
JoinHandle spawn(Function function);

// Whether the caller runs on a fiber.
bool in_fiber();

// Lets the other ready fibers of the worker run first; on a plain thread gives up the time slice.
void yield();

// SUSPENDS for at least as long. On a plain thread the thread sleeps.
void sleep_until(uint64_t deadline);
inline void sleep_for(uint64_t nanos) { sleep_until(deadline_after(nanos)); }

}  // namespace fiber
