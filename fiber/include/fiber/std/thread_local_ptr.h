// thread_local_ptr: what stands for the keyword thread_local, which means the worker's thread on a
// fiber, not the fiber:
//
//   thread_local T x(a, b);     becomes     fiber_std::thread_local_ptr<T, A, B> x(a, b);
//
// and each use of x becomes (*x). An initial value that each thread computes for itself is a
// function's:
//
//   thread_local T x = f();
//   fiber_std::thread_local_ptr<T> x{[]() -> T { return f(); }};
//
// and in a function, whose variables f may name, a call of make_with() where the declaration stood.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fiber/local.h"

namespace fiber::detail {

// Memory of zeros, which a compiler cannot know to be written before an object is made in it.
void* allocate_zeroed(size_t size, size_t alignment);
void free_zeroed(void* memory, size_t alignment);

}  // namespace fiber::detail

namespace fiber_std {

// A T for every fiber and every plain thread, made from the arguments (of which a copy is kept)
// when that one first asks for it, and destroyed when it ends: before join() returns. Without
// arguments the T is value-initialised, a number is zero. T may be an array, then without
// arguments. What a constructor leaves alone is zero, as in a thread_local.
//
// Like a thread_local it works from any other static's constructor: one without arguments is
// initialised at compile time. To be a static, or a member of what outlives the threads that use
// it; values of threads that outlive it stay until those end.
//
// Thread safe. T's constructor must not ask for the same thread_local_ptr.
template <class T, class... Args>
class thread_local_ptr {
 public:
  using element_type = T;

  constexpr thread_local_ptr()
    requires(sizeof...(Args) == 0)
  = default;
  explicit constexpr thread_local_ptr(Args... args)
    requires(sizeof...(Args) != 0)
      : args_(std::move(args)...) {}
  // The value is what `make`, a lambda without captures, returns to the one that first asks for it.
  template <class F>
  explicit constexpr thread_local_ptr(F)
    requires(sizeof...(Args) == 0 && std::is_empty_v<F> && std::is_invocable_r_v<T, F>)
      : made_by_([]() -> Box* { return construct([] { return F{}(); }); }) {}
  ~thread_local_ptr() {
    const uint64_t key = key_.load(std::memory_order_relaxed);
    if (key != kNoKey) fiber::detail::free_local_key(unpack(key));
  }
  thread_local_ptr(const thread_local_ptr&) = delete;
  thread_local_ptr& operator=(const thread_local_ptr&) = delete;

  // The caller's own value, made if need be; never null. It must not be handed to delete.
  T* get() const {
    // Without a key yet it finds nothing: no value has the generation 0.
    if (void* const made =
            fiber::detail::find_local(unpack(key_.load(std::memory_order_relaxed)))) {
      return &static_cast<Box*>(made)->value;
    }
    void* box = fiber::detail::get_local(
        key(),
        [](const void* self) -> void* {
          return static_cast<const thread_local_ptr*>(self)->make();
        },
        this, destroy);
    return &static_cast<Box*>(box)->value;
  }
  // The caller's own value; what `make` returns becomes it if there is none yet.
  template <class F>
  T& make_with(F&& make) const {
    if (void* const made =
            fiber::detail::find_local(unpack(key_.load(std::memory_order_relaxed)))) {
      return static_cast<Box*>(made)->value;
    }
    auto* const function = std::addressof(make);
    void* box = fiber::detail::get_local(
        key(),
        [](const void* argument) -> void* {
          return construct(*static_cast<decltype(function)>(const_cast<void*>(argument)));
        },
        static_cast<const void*>(function), destroy);
    return static_cast<Box*>(box)->value;
  }
  T& operator*() const { return *get(); }
  T* operator->() const
    requires(!std::is_array_v<T>)
  {
    return get();
  }

 private:
  struct Box {
    T value;
  };
  // Owns the memory until a Box is in it.
  struct Memory {
    void* place = fiber::detail::allocate_zeroed(sizeof(Box), alignof(Box));
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
      if (place != nullptr) fiber::detail::free_zeroed(place, alignof(Box));
    }
    Box* release(Box* box) {
      place = nullptr;
      return box;
    }
  };
  // A Box with what make() returns.
  template <class F>
  static Box* construct(F&& make) {
    Memory memory;
    return memory.release(new (memory.place) Box{make()});
  }
  static void destroy(void* box) {
    static_cast<Box*>(box)->~Box();
    fiber::detail::free_zeroed(box, alignof(Box));
  }

  Box* make() const {
    if (made_by_ != nullptr) return made_by_();
    if constexpr (sizeof...(Args) == 0 && std::is_default_constructible_v<T>) {
      Memory memory;
      return memory.release(new (memory.place) Box{});
    } else if constexpr (sizeof...(Args) == 0) {
      std::abort();  // REQUIRES: make_with() came first
    } else {
      return std::apply(
          [](const Args&... args) {
            if constexpr (std::is_constructible_v<T, const Args&...>) {
              return construct([&] { return T(args...); });
            } else {
              return construct([&] { return T{args...}; });
            }
          },
          args_);
    }
  }

  // The key comes with the first use: see the head on static constructors.
  static constexpr uint64_t kNoKey = 0;
  static fiber::detail::LocalKey unpack(uint64_t key) {
    return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  }
  fiber::detail::LocalKey key() const {
    uint64_t key = key_.load(std::memory_order_relaxed);
    if (key == kNoKey) [[unlikely]] {
      const fiber::detail::LocalKey mine = fiber::detail::allocate_local_key();
      const uint64_t packed = uint64_t{mine.generation} << 32 | mine.index;
      if (key_.compare_exchange_strong(key, packed, std::memory_order_relaxed)) return mine;
      fiber::detail::free_local_key(mine);
    }
    return unpack(key);
  }

  // Relaxed: a number that says all, and leads to nothing that another thread has written.
  // Generations begin with 1: no key is packed into 0.
  mutable std::atomic<uint64_t> key_{kNoKey};
  [[no_unique_address]] std::tuple<Args...> args_;
  Box* (*made_by_)() = nullptr;
};

}  // namespace fiber_std
