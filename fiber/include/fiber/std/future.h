// future, shared_future, promise, packaged_task, async: <future>. For fibers and plain threads at
// once. The errors are std::future_error with std::future_errc's codes.
//
// async(launch::async) runs on a fiber_std::thread; without a policy it does too (never deferred).
// Using a future, promise or task without a shared state throws no_state where the standard leaves
// it undefined. Waiting SUSPENDS; so do get(), and the destructor of the last future of an async().
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fiber/std/detail/deadline.h"
#include "fiber/std/detail/shared_state.h"
#include "fiber/std/thread.h"

namespace fiber_std {

using std::future_category;
using std::future_errc;
using std::future_error;
using std::future_status;
using std::launch;

template <class R>
class shared_future;
template <class R>
class promise;
template <class Signature>
class packaged_task;

namespace detail {

// What future and shared_future have in common.
template <class R>
class FutureBase {
 public:
  bool valid() const noexcept { return state_ != nullptr; }
  void wait() const { state().wait(); }
  // A duration is measured on the steady clock, a time on its own. future_status::deferred: at
  // once, the function has not started.
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    return state().wait_deadline(deadline_after(duration));
  }
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    future_status status = future_status::timeout;
    (void)attempt_until(time, [&](uint64_t deadline) {
      status = state().wait_deadline(deadline);
      return status != future_status::timeout;
    });
    return status;
  }

 protected:
  using Shared = std::shared_ptr<SharedState<R>>;

  FutureBase() noexcept = default;
  explicit FutureBase(Shared state) noexcept : state_(std::move(state)) {}
  ~FutureBase() = default;
  FutureBase(const FutureBase&) = default;
  FutureBase(FutureBase&&) noexcept = default;
  FutureBase& operator=(const FutureBase&) = default;
  FutureBase& operator=(FutureBase&&) noexcept = default;

  SharedState<R>& state() const {
    if (state_ == nullptr) throw future_error(future_errc::no_state);
    return *state_;
  }
  // SUSPENDS. The value there is, or the exception.
  typename SharedState<R>::Stored& wait_for_value() const {
    state().wait();
    state_->rethrow();
    return state_->value();
  }

  Shared state_;
};

struct FutureAccess;

}  // namespace detail

template <class R>
class [[nodiscard]] future : public detail::FutureBase<R> {
  using Base = detail::FutureBase<R>;

 public:
  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&& other) noexcept {
    future(std::move(other)).state_.swap(this->state_);
    return *this;
  }

  // Once: afterwards valid() is false.
  R get() {
    future taken(std::move(*this));
    auto& value = taken.wait_for_value();
    if constexpr (std::is_reference_v<R>) {
      return *value;
    } else if constexpr (!std::is_void_v<R>) {
      return std::move(value);
    }
  }
  shared_future<R> share() noexcept { return shared_future<R>(std::move(*this)); }

 private:
  friend struct detail::FutureAccess;
  friend class shared_future<R>;
  using Base::Base;
};

template <class R>
class shared_future : public detail::FutureBase<R> {
  using Base = detail::FutureBase<R>;

 public:
  shared_future() noexcept = default;
  shared_future(const shared_future&) noexcept = default;
  shared_future(shared_future&&) noexcept = default;
  shared_future(future<R>&& other) noexcept : Base(std::move(other.state_)) {}
  shared_future& operator=(const shared_future&) noexcept = default;
  shared_future& operator=(shared_future&& other) noexcept {
    shared_future(std::move(other)).state_.swap(this->state_);
    return *this;
  }

  // The same value as often as one likes; a reference into the shared state.
  decltype(auto) get() const {
    auto& value = this->wait_for_value();
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*value);
    } else if constexpr (!std::is_void_v<R>) {
      return std::as_const(value);
    }
  }
};

namespace detail {

struct FutureAccess {
  // Throws future_already_retrieved the second time.
  template <class R>
  static future<R> make(std::shared_ptr<SharedState<R>> state) {
    if (state == nullptr) throw future_error(future_errc::no_state);
    state->mark_retrieved();
    return future<R>(std::move(state));
  }
};

// The part of promise that does not depend on how a value is put in.
template <class R>
class PromiseBase {
 public:
  PromiseBase() : state_(std::make_shared<SharedState<R>>()) {}
  template <class Allocator>
  PromiseBase(std::allocator_arg_t, const Allocator& allocator)
      : state_(std::allocate_shared<SharedState<R>>(allocator)) {}
  PromiseBase(PromiseBase&&) noexcept = default;
  PromiseBase& operator=(PromiseBase&& other) noexcept {
    PromiseBase(std::move(other)).state_.swap(state_);
    return *this;
  }
  ~PromiseBase() {
    if (state_ != nullptr && state_.use_count() > 1) state_->abandon();
  }

  future<R> get_future() { return FutureAccess::make<R>(state_); }
  void set_exception(std::exception_ptr exception) {
    state().satisfy_with_exception(std::move(exception));
    state_->publish();
  }
  void set_exception_at_thread_exit(std::exception_ptr exception) {
    state().satisfy_with_exception(std::move(exception));
    SharedStateBase::publish_at_thread_exit(state_);
  }

 protected:
  // Publishing is the last that is done to *this: who waits for it may destroy the promise.
  template <class... Value>
  void put(Value&&... value) {
    state().set_value(std::forward<Value>(value)...);
    state_->publish();
  }
  template <class... Value>
  void put_at_thread_exit(Value&&... value) {
    state().set_value(std::forward<Value>(value)...);
    SharedStateBase::publish_at_thread_exit(state_);
  }
  void swap_state(PromiseBase& other) noexcept { state_.swap(other.state_); }

 private:
  SharedState<R>& state() {
    if (state_ == nullptr) throw future_error(future_errc::no_state);
    return *state_;
  }

  std::shared_ptr<SharedState<R>> state_;
};

}  // namespace detail

template <class R>
class promise : public detail::PromiseBase<R> {
 public:
  using detail::PromiseBase<R>::PromiseBase;
  void swap(promise& other) noexcept { this->swap_state(other); }
  friend void swap(promise& a, promise& b) noexcept { a.swap(b); }

  void set_value(const R& value) { this->put(value); }
  void set_value(R&& value) { this->put(std::move(value)); }
  void set_value_at_thread_exit(const R& value) { this->put_at_thread_exit(value); }
  void set_value_at_thread_exit(R&& value) { this->put_at_thread_exit(std::move(value)); }
};

template <class R>
class promise<R&> : public detail::PromiseBase<R&> {
 public:
  using detail::PromiseBase<R&>::PromiseBase;
  void swap(promise& other) noexcept { this->swap_state(other); }
  friend void swap(promise& a, promise& b) noexcept { a.swap(b); }

  void set_value(R& value) { this->put(std::addressof(value)); }
  void set_value_at_thread_exit(R& value) { this->put_at_thread_exit(std::addressof(value)); }
};

template <>
class promise<void> : public detail::PromiseBase<void> {
 public:
  using detail::PromiseBase<void>::PromiseBase;
  void swap(promise& other) noexcept { this->swap_state(other); }
  friend void swap(promise& a, promise& b) noexcept { a.swap(b); }

  void set_value() { this->put(); }
  void set_value_at_thread_exit() { this->put_at_thread_exit(); }
};

namespace detail {

template <class R, class... Args>
class TaskState : public SharedState<R> {
 public:
  // Throws promise_already_satisfied the second time. Does not publish.
  void run(Args... args) {
    if (invoked_.exchange(true, std::memory_order_acq_rel)) {
      throw future_error(future_errc::promise_already_satisfied);
    }
    invoke(std::forward<Args>(args)...);
  }
  // A fresh state with the same function, moved.
  virtual std::shared_ptr<TaskState> renew() = 0;

 private:
  virtual void invoke(Args... args) = 0;

  std::atomic<bool> invoked_{false};
};

template <class F, class R, class... Args>
class TaskStateOf final : public TaskState<R, Args...> {
 public:
  explicit TaskStateOf(const F& function) : function_(function) {}
  explicit TaskStateOf(F&& function) : function_(std::move(function)) {}
  std::shared_ptr<TaskState<R, Args...>> renew() override {
    return std::make_shared<TaskStateOf>(std::move(function_));
  }

 private:
  void invoke(Args... args) override {
    this->set_result_of(function_, std::forward<Args>(args)...);
  }

  F function_;
};

// The signature of a callable object, as packaged_task's deduction needs it.
template <class R, class G, class... Args>
auto signature_of(R (G::*)(Args...)) -> R (*)(Args...);
template <class R, class G, class... Args>
auto signature_of(R (G::*)(Args...) const) -> R (*)(Args...);
template <class R, class G, class... Args>
auto signature_of(R (G::*)(Args...) &) -> R (*)(Args...);
template <class R, class G, class... Args>
auto signature_of(R (G::*)(Args...) const&) -> R (*)(Args...);

}  // namespace detail

template <class R, class... Args>
class packaged_task<R(Args...)> {
 public:
  packaged_task() noexcept = default;
  template <class F, class D = std::decay_t<F>,
            class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, packaged_task>>>
  explicit packaged_task(F&& function)
      : state_(std::make_shared<detail::TaskStateOf<D, R, Args...>>(std::forward<F>(function))) {
    static_assert(std::is_invocable_r_v<R, D&, Args...>);
  }
  packaged_task(packaged_task&&) noexcept = default;
  packaged_task& operator=(packaged_task&& other) noexcept {
    packaged_task(std::move(other)).swap(*this);
    return *this;
  }
  ~packaged_task() {
    if (state_ != nullptr && state_.use_count() > 1) state_->abandon();
  }

  void swap(packaged_task& other) noexcept { state_.swap(other.state_); }
  friend void swap(packaged_task& a, packaged_task& b) noexcept { a.swap(b); }
  bool valid() const noexcept { return state_ != nullptr; }
  future<R> get_future() { return detail::FutureAccess::make<R>(state_); }

  // Throws promise_already_satisfied the second time, and does not call the function.
  void operator()(Args... args) {
    state().run(std::forward<Args>(args)...);
    state_->publish();
  }
  void make_ready_at_thread_exit(Args... args) {
    state().run(std::forward<Args>(args)...);
    detail::SharedStateBase::publish_at_thread_exit(state_);
  }
  // A new task with the same function; the old future gets broken_promise if it has no result.
  void reset() {
    packaged_task fresh;
    (void)state();
    fresh.state_ = state_->renew();
    swap(fresh);
  }

 private:
  using State = detail::TaskState<R, Args...>;
  State& state() {
    if (state_ == nullptr) throw future_error(future_errc::no_state);
    return *state_;
  }

  std::shared_ptr<State> state_;
};

template <class R, class... Args>
packaged_task(R (*)(Args...)) -> packaged_task<R(Args...)>;
template <class F>
packaged_task(F)
    -> packaged_task<std::remove_pointer_t<decltype(detail::signature_of(&F::operator()))>>;

namespace detail {

// The function of an async() with its arguments, all decayed copies.
template <class R, class... Parts>
class AsyncState : public SharedState<R> {
 public:
  template <class... Source>
  explicit AsyncState(Source&&... source) : parts_(std::forward<Source>(source)...) {}

 protected:
  void call() {
    std::apply([this](auto&&... part) { this->set_result_of(std::move(part)...); },
               std::move(parts_));
  }

 private:
  std::tuple<Parts...> parts_;
};

template <class R, class... Parts>
class DeferredState final : public AsyncState<R, Parts...> {
 public:
  template <class... Source>
  explicit DeferredState(Source&&... source)
      : AsyncState<R, Parts...>(std::forward<Source>(source)...) {
    this->set_deferred();
  }

 private:
  void run_deferred() override {
    this->call();
    this->publish();
  }
};

// Ready when its thread has ended, the thread's values included; so who waits need not join it. The
// thread borrows the state, which joins it at the end.
template <class R, class... Parts>
class ThreadState final : public AsyncState<R, Parts...> {
 public:
  using AsyncState<R, Parts...>::AsyncState;
  ~ThreadState() override {
    if (thread_.joinable()) thread_.join();
  }
  void start() {
    thread_ = thread([this] {
      this->call();
      SharedStateBase::publish_at_thread_exit({std::shared_ptr<void>(), this});
    });
  }

 private:
  thread thread_;
};

// An object, not a function: so a call without fiber_std:: cannot mean std::async as well because
// some argument is of namespace std.
struct Async {
  template <class F, class... Args>
  using Result = future<std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>>;

  template <class F, class... Args>
  [[nodiscard]] Result<F, Args...> operator()(launch policy, F&& function, Args&&... args) const {
    using R = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;
    if (policy == launch::deferred) {
      return FutureAccess::make<R>(
          std::make_shared<DeferredState<R, std::decay_t<F>, std::decay_t<Args>...>>(
              std::forward<F>(function), std::forward<Args>(args)...));
    }
    auto state = std::make_shared<ThreadState<R, std::decay_t<F>, std::decay_t<Args>...>>(
        std::forward<F>(function), std::forward<Args>(args)...);
    state->start();
    return FutureAccess::make<R>(std::move(state));
  }
  template <class F, class... Args>
    requires(!std::is_same_v<std::remove_cvref_t<F>, launch>)
  [[nodiscard]] Result<F, Args...> operator()(F&& function, Args&&... args) const {
    return (*this)(launch::async | launch::deferred, std::forward<F>(function),
                   std::forward<Args>(args)...);
  }
};

}  // namespace detail

// async(function, args...), async(policy, function, args...): the result of the function, called
// with decayed copies. From a thread of its own; if the policy is launch::deferred, from the first
// that waits for the future.
inline constexpr detail::Async async{};

}  // namespace fiber_std

template <class R, class Allocator>
struct std::uses_allocator<fiber_std::promise<R>, Allocator> : std::true_type {};
