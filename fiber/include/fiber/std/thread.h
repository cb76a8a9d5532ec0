// fiber_std::thread, jthread and this_thread: <thread>, with fibers for threads.
//
// A thread is a fiber: made on a fiber, it goes to that fiber's Runtime (any worker of it; inside a
// gather() on a plain thread, to that thread); made on a plain thread, to default_runtime(). Only
// the latter gives it a thread-sized stack; see RuntimeOptions::stack_size for the others. Detached
// threads: a Runtime waits for them in its destructor, the default runtime ends with the process
// and they with it.
//
// Fibers take turns on the workers: one that computes without ever waiting keeps its worker.
//
// A constructor never fails for want of threads: there is no limit but memory, and a fiber that
// finds no stack waits for one. (Only the very first on a plain thread throws std::system_error if
// the system refuses the default runtime its workers.) An exception that leaves the function of a
// thread calls std::terminate. Elsewhere it is as the standard says.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fiber/function.h"
#include "fiber/local.h"
#include "fiber/runtime.h"
#include "fiber/std/detail/deadline.h"
#include "fiber/std/stop_token.h"

namespace fiber_std {

class thread;
namespace this_thread {
inline void yield() noexcept;
}

namespace detail {

// Starts a fiber where the head of this file says.
fiber::JoinHandle start_thread(fiber::Function function);

// The function of a thread with its arguments, all decayed copies.
template <class... Parts>
struct ThreadMain {
  uint64_t id;
  std::tuple<Parts...> parts;

  void operator()() noexcept {
    fiber::detail::set_context_id(id);
    std::apply([](auto&&... part) { std::invoke(std::move(part)...); }, std::move(parts));
  }
};

}  // namespace detail

class thread {
 public:
  // Fibers and plain threads all have one. Never used again for another thread.
  class id {
   public:
    constexpr id() noexcept = default;
    friend constexpr bool operator==(id, id) noexcept = default;
    friend constexpr std::strong_ordering operator<=>(id, id) noexcept = default;
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                        id value) {
      if (value.number_ == 0) return out << "no thread";
      return out << value.number_;
    }

   private:
    friend class thread;
    friend struct std::hash<id>;
    friend id this_thread_id() noexcept;
    explicit constexpr id(uint64_t number) noexcept : number_(number) {}

    uint64_t number_ = 0;
  };

  // The number that operator<< prints for the id: there is no system thread of one's own to hand
  // out. 0: no thread.
  using native_handle_type = uint64_t;

  thread() noexcept = default;

  template <class F, class... Args,
            class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, thread>>>
  explicit thread(F&& function, Args&&... args) : id_(fiber::detail::new_context_id()) {
    static_assert(std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>,
                  "the function must be callable with decayed copies of the arguments");
    using Main = detail::ThreadMain<std::decay_t<F>, std::decay_t<Args>...>;
    handle_ = detail::start_thread(
        Main{id_.number_, {std::forward<F>(function), std::forward<Args>(args)...}});
  }

  thread(thread&& other) noexcept { swap(other); }
  // Terminates if *this is joinable.
  thread& operator=(thread&& other) noexcept {
    if (joinable()) std::terminate();
    swap(other);
    return *this;
  }
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;
  // Terminates if joinable.
  ~thread() {
    if (joinable()) std::terminate();
  }

  void swap(thread& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(id_, other.id_);
  }
  friend void swap(thread& a, thread& b) noexcept { a.swap(b); }

  bool joinable() const noexcept { return id_ != id(); }
  // SUSPENDS. Throws std::system_error: invalid_argument if not joinable,
  // resource_deadlock_would_occur if it is the caller.
  void join();
  // Throws std::system_error: invalid_argument if not joinable.
  void detach();
  id get_id() const noexcept { return id_; }
  native_handle_type native_handle() noexcept { return id_.number_; }

  // Processors that this process may use; at least 1. (Not the workers of some runtime.)
  static unsigned hardware_concurrency() noexcept;

 private:
  friend id this_thread_id() noexcept;

  fiber::JoinHandle handle_;
  id id_;
};

// this_thread::get_id(), which cannot be a friend before it is declared.
inline thread::id this_thread_id() noexcept { return thread::id(fiber::detail::context_id()); }

// A thread that is asked to stop and joined when it goes. The function is called with a stop_token
// in front of its arguments if it takes one.
class jthread {
 public:
  using id = thread::id;
  using native_handle_type = thread::native_handle_type;

  jthread() noexcept : stop_(nostopstate) {}

  template <class F, class... Args,
            class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, jthread>>>
  explicit jthread(F&& function, Args&&... args)
      : thread_(start(stop_, std::forward<F>(function), std::forward<Args>(args)...)) {}

  jthread(jthread&& other) noexcept
      : stop_(std::exchange(other.stop_, stop_source(nostopstate))),
        thread_(std::move(other.thread_)) {}
  // SUSPENDS: requests the stop of what it holds, and joins it.
  jthread& operator=(jthread&& other) noexcept {
    if (this != &other) {
      end();
      stop_ = std::exchange(other.stop_, stop_source(nostopstate));
      thread_ = std::move(other.thread_);
    }
    return *this;
  }
  jthread(const jthread&) = delete;
  jthread& operator=(const jthread&) = delete;
  // SUSPENDS.
  ~jthread() { end(); }

  void swap(jthread& other) noexcept {
    std::swap(stop_, other.stop_);
    thread_.swap(other.thread_);
  }
  friend void swap(jthread& a, jthread& b) noexcept { a.swap(b); }

  bool joinable() const noexcept { return thread_.joinable(); }
  void join() { thread_.join(); }
  void detach() { thread_.detach(); }
  id get_id() const noexcept { return thread_.get_id(); }
  native_handle_type native_handle() noexcept { return thread_.native_handle(); }

  stop_source get_stop_source() noexcept { return stop_; }
  stop_token get_stop_token() const noexcept { return stop_.get_token(); }
  bool request_stop() noexcept { return stop_.request_stop(); }

  static unsigned hardware_concurrency() noexcept { return thread::hardware_concurrency(); }

 private:
  template <class F, class... Args>
  static thread start(const stop_source& stop, F&& function, Args&&... args) {
    if constexpr (std::is_invocable_v<std::decay_t<F>, stop_token, std::decay_t<Args>...>) {
      return thread(std::forward<F>(function), stop.get_token(), std::forward<Args>(args)...);
    } else {
      return thread(std::forward<F>(function), std::forward<Args>(args)...);
    }
  }
  void end() noexcept {
    if (!joinable()) return;
    request_stop();
    join();
  }

  stop_source stop_;
  thread thread_;
};

namespace this_thread {

inline thread::id get_id() noexcept { return this_thread_id(); }

// Lets the other ready fibers of the worker run; on a plain thread gives up the time slice.
inline void yield() noexcept { fiber::yield(); }

// SUSPENDS for at least as long, measured on the steady clock.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  const uint64_t deadline = detail::deadline_after(duration);
  if (deadline != 0) fiber::sleep_until(deadline);
}

// SUSPENDS until the clock says so.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  (void)detail::attempt_until(time, [](uint64_t deadline) {
    if (deadline != 0) fiber::sleep_until(deadline);
    return false;
  });
}

}  // namespace this_thread
}  // namespace fiber_std

template <>
struct std::hash<fiber_std::thread::id> {
  size_t operator()(fiber_std::thread::id id) const noexcept {
    return std::hash<uint64_t>()(id.number_);
  }
};
