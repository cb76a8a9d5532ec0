// stop_token, stop_source, stop_callback: <stop_token>.
//
// Not std's own: the destructor of a stop_callback waits for a callback that runs elsewhere, and
// std's would block the worker, or take another fiber of the same worker for the running callback
// itself and not wait at all.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "fiber/mutex.h"

namespace fiber_std {

namespace detail {

// What a stop_callback hangs into the list of the state. Guarded by the state's lock.
struct StopCallback {
  StopCallback* next = nullptr;
  StopCallback* previous = nullptr;
  void (*invoke)(StopCallback*) noexcept = nullptr;
};

// What the sources, tokens and callbacks of one request share.
class StopState {
 public:
  bool stop_requested() const noexcept { return requested_.load(std::memory_order_acquire); }
  bool stop_possible() const noexcept {
    return sources_.load(std::memory_order_acquire) != 0 || stop_requested();
  }
  void add_source() noexcept { sources_.fetch_add(1, std::memory_order_relaxed); }
  void remove_source() noexcept { sources_.fetch_sub(1, std::memory_order_acq_rel); }

  // SUSPENDS if a callback does. False: somebody else was first.
  bool request_stop() noexcept;
  // False: not in the list; the stop has been requested, or never will be.
  bool add(StopCallback* callback) noexcept;
  // SUSPENDS while the callback runs, unless the caller is it.
  void remove(StopCallback* callback) noexcept;

 private:
  void unlink(StopCallback* callback) FIBER_REQUIRES(mutex_);

  std::atomic<bool> requested_{false};  // written under the lock, read without
  std::atomic<uint32_t> sources_{1};    // counts stop_source objects
  fiber::Mutex mutex_;
  fiber::CondVar ended_;  // running_ changed
  StopCallback* first_ FIBER_GUARDED_BY(mutex_) = nullptr;
  StopCallback* running_ FIBER_GUARDED_BY(mutex_) = nullptr;
  // The context inside of request_stop().
  const void* runner_ FIBER_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace detail

struct nostopstate_t {
  explicit nostopstate_t() = default;
};
inline constexpr nostopstate_t nostopstate{};

class stop_token {
 public:
  stop_token() noexcept = default;

  void swap(stop_token& other) noexcept { state_.swap(other.state_); }
  friend void swap(stop_token& a, stop_token& b) noexcept { a.swap(b); }
  [[nodiscard]] bool stop_requested() const noexcept {
    return state_ != nullptr && state_->stop_requested();
  }
  [[nodiscard]] bool stop_possible() const noexcept {
    return state_ != nullptr && state_->stop_possible();
  }
  [[nodiscard]] friend bool operator==(const stop_token& a, const stop_token& b) noexcept {
    return a.state_ == b.state_;
  }

 private:
  friend class stop_source;
  template <class Callback>
  friend class stop_callback;
  explicit stop_token(std::shared_ptr<detail::StopState> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::StopState> state_;
};

class stop_source {
 public:
  stop_source() : state_(std::make_shared<detail::StopState>()) {}
  explicit stop_source(nostopstate_t) noexcept {}
  stop_source(const stop_source& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_source();
  }
  stop_source(stop_source&& other) noexcept = default;
  stop_source& operator=(const stop_source& other) noexcept {
    stop_source(other).swap(*this);
    return *this;
  }
  stop_source& operator=(stop_source&& other) noexcept {
    stop_source(std::move(other)).swap(*this);
    return *this;
  }
  ~stop_source() {
    if (state_ != nullptr) state_->remove_source();
  }

  void swap(stop_source& other) noexcept { state_.swap(other.state_); }
  friend void swap(stop_source& a, stop_source& b) noexcept { a.swap(b); }
  [[nodiscard]] stop_token get_token() const noexcept { return stop_token(state_); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool stop_requested() const noexcept {
    return state_ != nullptr && state_->stop_requested();
  }
  // SUSPENDS if a callback does: they run here, one after the other. True: this call was the one
  // that made the request.
  bool request_stop() noexcept {
    const std::shared_ptr<detail::StopState> state = state_;  // a callback may destroy *this
    return state != nullptr && state->request_stop();
  }
  [[nodiscard]] friend bool operator==(const stop_source& a, const stop_source& b) noexcept {
    return a.state_ == b.state_;
  }

 private:
  std::shared_ptr<detail::StopState> state_;
};

// Calls `callback` when the stop is requested, on the thread that does; at once, in the
// constructor, if it has been. The destructor SUSPENDS while the callback runs on another thread
// (fiber). An exception out of the callback terminates.
template <class Callback>
class stop_callback : private detail::StopCallback {
  static_assert(std::is_invocable_v<Callback> && std::is_destructible_v<Callback>);

 public:
  using callback_type = Callback;

  template <class C>
    requires std::constructible_from<Callback, C>
  explicit stop_callback(const stop_token& token,
                         C&& callback) noexcept(std::is_nothrow_constructible_v<Callback, C>)
      : callback_(std::forward<C>(callback)) {
    attach(token.state_);
  }
  template <class C>
    requires std::constructible_from<Callback, C>
  explicit stop_callback(stop_token&& token,
                         C&& callback) noexcept(std::is_nothrow_constructible_v<Callback, C>)
      : callback_(std::forward<C>(callback)) {
    attach(std::move(token.state_));
  }
  ~stop_callback() {
    if (state_ != nullptr) state_->remove(this);
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;

 private:
  void attach(std::shared_ptr<detail::StopState> state) noexcept {
    if (state == nullptr) return;
    invoke = [](detail::StopCallback* self) noexcept {
      std::forward<Callback>(static_cast<stop_callback*>(self)->callback_)();
    };
    if (state->add(this)) {
      state_ = std::move(state);
    } else if (state->stop_requested()) {
      invoke(this);
    }
  }

  Callback callback_;
  std::shared_ptr<detail::StopState> state_;  // null: not in the list
};

template <class Callback>
stop_callback(stop_token, Callback) -> stop_callback<Callback>;

}  // namespace fiber_std
