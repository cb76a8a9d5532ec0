// Stacks: carved from large mappings, guarded below, recycled for ever (a mapping is never given
// back, its memory is).
//
// Thread safety: StackPool is; a Stack belongs to one worker from allocate() to release().
// Descriptors and slabs are never freed and are found without a lock, so that a signal handler,
// another thread or a debugger may look at all of them at any time (dump.cc, stack_overflow.cc,
// gdb/fiber_gdb.py).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "context.h"
#include "futex.h"
#include "raw_lock.h"

namespace fiber::detail {

// A fiber's name, cut to kMax bytes.
struct FiberName {
  static constexpr size_t kMax = 23;
  char text[kMax + 1] = {};
  void set(std::string_view name);
};

// One stack and the flow of control on it. The flow runs a loop (Worker::carrier_main) and takes up
// one fiber after the other, so that a recycled stack needs no preparation.
struct Stack {
  enum State : uint32_t { kRunning = 0, kReady = 1, kWaiting = 2 };

  Context context;  // stack_pointer null: to be prepared
  char* bottom = nullptr;
  char* top = nullptr;
  Stack* next = nullptr;

  // For people: what runs here. Written by the worker (state: also by wakers), read by anybody, so
  // relaxed: each is true on its own, for a moment. A fiber woken in the very moment in which it
  // falls asleep may stand as waiting until it runs.
  std::atomic<uint64_t> number{0};  // of the fiber; 0: none
  std::atomic<uint32_t> state{kRunning};
  std::atomic<uint32_t> thread{0};  // the kernel's id of the worker's thread
  std::atomic<uint64_t> since{0};   // cycles() of the last change of state, if not 0
  FiberName name;

  // Of any thread, while the worker may be writing it: a torn name is no harm.
  void copy_name(char (&out)[FiberName::kMax + 1]) const;

  void set_state(State value) {
    state.store(value, std::memory_order_relaxed);
#ifndef NDEBUG
    // In debug builds only; and not in simulations, where a look at the clock is an event: a
    // history must not depend on the build.
    since.store(simulating() ? 0 : cycles(), std::memory_order_relaxed);
#endif
  }
};

// A mapping full of stacks. Slot i is guard_bytes of guard and above it the stack of stacks[i].
struct StackSlab {
  StackSlab* next;  // the one made before
  char* begin;
  size_t slot_bytes;
  size_t guard_bytes;
  size_t slots;
  std::atomic<size_t> used;  // slots [0, used) have been handed out
  Stack* stacks;

  // The newest of all pools.
  static std::atomic<StackSlab*>& newest;
  // The stack whose slot the address lies in, guard included; null: none. Async-signal-safe.
  static Stack* stack_at(const void* address, bool* in_guard);
  // visit(slab, i) for each stack ever handed out. Async-signal-safe if visit is.
  template <typename Visit>
  static void for_each(Visit visit) {
    for (StackSlab* slab = newest.load(std::memory_order_acquire); slab != nullptr;
         slab = slab->next) {
      const size_t used = slab->used.load(std::memory_order_acquire);
      for (size_t i = 0; i < used; i++) visit(*slab, i);
    }
  }
  // visit(stack) for each that has a fiber on it.
  template <typename Visit>
  static void for_each_fiber(Visit visit) {
    for_each([&](const StackSlab& slab, size_t i) {
      const Stack& stack = slab.stacks[i];
      if (stack.number.load(std::memory_order_relaxed) != 0) visit(stack);
    });
  }
};

class StackPool {
 public:
  // The process's pool for stacks of at least `usable` bytes.
  static StackPool* for_size(size_t usable);

  explicit StackPool(size_t usable);

  // The locks of all pools and of their list: around a fork().
  static void lock_all() FIBER_NO_THREAD_SAFETY_ANALYSIS;
  static void unlock_all() FIBER_NO_THREAD_SAFETY_ANALYSIS;

  // A guarded stack, not prepared. Null when the system has no more memory, or (without guard
  // markers) mappings.
  Stack* allocate();
  // Takes one that no fiber is on; its memory goes back to the system.
  void release(Stack* stack);

  size_t usable_size() const { return usable_; }

#if defined(FIBER_ASAN)
  // Of all pools. For a process that ends while fibers are suspended: what only their stacks point
  // to is no leak.
  static void show_to_leak_checker();
#endif

 private:
  bool grow() FIBER_REQUIRES(lock_);

  const size_t usable_;
  const size_t guard_;
  StackPool* next_ = nullptr;  // of all; under their list's lock
  RawLock lock_;
  Stack* free_ FIBER_GUARDED_BY(lock_) = nullptr;
  StackSlab* slab_ FIBER_GUARDED_BY(lock_) = nullptr;  // the newest of this pool
  size_t next_slab_slots_ FIBER_GUARDED_BY(lock_) = 64;
};

}  // namespace fiber::detail
