// What promises, packaged tasks and async() share with their futures.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "fiber/mutex.h"

namespace fiber_std::detail {

// The part that does not know the type of the value.
//
// A result is put in once (under mutex_: satisfied_), and then published: ready_ is set, with
// release, and those that wait are woken; from there on the result does not change. At a thread's
// exit the two are apart.
class SharedStateBase {
 public:
  SharedStateBase() = default;
  SharedStateBase(const SharedStateBase&) = delete;
  SharedStateBase& operator=(const SharedStateBase&) = delete;
  // SUSPENDS if it came from async() with a thread of its own: until that has ended.
  virtual ~SharedStateBase() = default;

  // Throws future_already_retrieved the second time.
  void mark_retrieved();

  bool ready() const { return ready_.load(std::memory_order_acquire) != 0; }
  // SUSPENDS until there is a result; runs a deferred function.
  void wait();
  // SUSPENDS.
  std::future_status wait_deadline(uint64_t deadline);
  // Throws what was put in instead of a value. REQUIRES: ready().
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

  // Calls put(), which stores the value, unless there is a result: then throws
  // promise_already_satisfied. What put() throws goes to the caller, and the state stays empty.
  template <class Put>
  void satisfy(Put&& put) {
    fiber::MutexLock lock(&mutex_);
    throw_if_satisfied();
    std::forward<Put>(put)();
    satisfied_ = true;
  }
  void satisfy_with_exception(std::exception_ptr exception) {
    satisfy([&] { exception_ = std::move(exception); });
  }
  void publish();
  // Publishes `state` when the calling thread (fiber) ends.
  static void publish_at_thread_exit(std::shared_ptr<SharedStateBase> state);
  // The promise goes: broken_promise, unless there is a result.
  void abandon();

 protected:
  // Of a deferred function: runs it and publishes the result. Called once.
  virtual void run_deferred() {}
  // Constant before others see the state.
  void set_deferred() { deferred_.store(kDeferred, std::memory_order_relaxed); }

 private:
  void throw_if_satisfied() FIBER_REQUIRES(mutex_);

  static constexpr uint32_t kNotDeferred = 0;  // or under way
  static constexpr uint32_t kDeferred = 1;

  fiber::Mutex mutex_;
  bool satisfied_ FIBER_GUARDED_BY(mutex_) = false;
  std::exception_ptr exception_;  // put in under the lock, read when ready
  std::atomic<uint32_t> ready_{0};
  std::atomic<uint32_t> deferred_{kNotDeferred};
  std::atomic<bool> retrieved_{false};
};

struct Nothing {};

template <class R>
class SharedState : public SharedStateBase {
 public:
  // What is kept of an R.
  using Stored = std::conditional_t<
      std::is_void_v<R>, Nothing,
      std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>>;

  template <class... Value>
  void set_value(Value&&... value) {
    satisfy([&] { value_.emplace(std::forward<Value>(value)...); });
  }
  // Puts in what function(args...) returns or throws.
  template <class F, class... Args>
  void set_result_of(F&& function, Args&&... args) {
    try {
      if constexpr (std::is_void_v<R>) {
        std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
        set_value();
      } else if constexpr (std::is_reference_v<R>) {
        R result = std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
        set_value(std::addressof(result));
      } else {
        set_value(std::invoke(std::forward<F>(function), std::forward<Args>(args)...));
      }
    } catch (...) {
      satisfy_with_exception(std::current_exception());
    }
  }
  // REQUIRES: ready(), with a value.
  Stored& value() { return *value_; }

 private:
  std::optional<Stored> value_;
};

}  // namespace fiber_std::detail
