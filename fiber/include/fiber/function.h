// Function: what a fiber or a thread is to run. A move-only callable void() that keeps small
// callables (six words) in itself, so that spawning allocates nothing.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace fiber {

class Function {
 public:
  static constexpr size_t kInlineSize = 48;

  Function() = default;
  Function(std::nullptr_t) {}

  template <class F, class D = std::decay_t<F>,
            class = std::enable_if_t<!std::is_same_v<D, Function> && std::is_invocable_v<D&>>>
  Function(F&& callable) {
    if constexpr (sizeof(D) <= kInlineSize && alignof(D) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<D>) {
      ::new (static_cast<void*>(storage_)) D(std::forward<F>(callable));
      ops_ = &InlineOps<D>::kOps;
    } else {
      ::new (static_cast<void*>(storage_)) D*(new D(std::forward<F>(callable)));
      ops_ = &HeapOps<D>::kOps;
    }
  }

  Function(Function&& other) noexcept { take(other); }
  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { clear(); }

  explicit operator bool() const { return ops_ != nullptr; }

  // REQUIRES: not empty.
  void operator()() { ops_->call(storage_); }

 private:
  struct Ops {
    void (*call)(void* storage);
    void (*move)(void* to, void* from);  // constructs at `to`, destroys `from`
    void (*destroy)(void* storage);
  };
  template <class D>
  struct InlineOps {
    static D* at(void* storage) { return std::launder(static_cast<D*>(storage)); }
    static void call(void* storage) { (*at(storage))(); }
    static void move(void* to, void* from) {
      ::new (to) D(std::move(*at(from)));
      at(from)->~D();
    }
    static void destroy(void* storage) { at(storage)->~D(); }
    static constexpr Ops kOps{call, move, destroy};
  };
  template <class D>
  struct HeapOps {
    static D*& at(void* storage) { return *std::launder(static_cast<D**>(storage)); }
    static void call(void* storage) { (*at(storage))(); }
    static void move(void* to, void* from) { ::new (to) D*(at(from)); }
    static void destroy(void* storage) { delete at(storage); }
    static constexpr Ops kOps{call, move, destroy};
  };

  void take(Function& other) {
    ops_ = other.ops_;
    if (ops_ != nullptr) ops_->move(storage_, other.storage_);
    other.ops_ = nullptr;
  }
  void clear() {
    if (ops_ != nullptr) ops_->destroy(storage_);
    ops_ = nullptr;
  }

  alignas(std::max_align_t) unsigned char storage_[kInlineSize];
  const Ops* ops_ = nullptr;
};

}  // namespace fiber
