// Stacks: carved from large mappings, guarded below, recycled for ever (a mapping is never given
// back, its memory is).
//
// Thread safety: StackPool is; a Stack belongs to one worker from allocate() to release().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "context.h"
#include "raw_lock.h"

namespace fiber::detail {

// One stack and the flow of control on it. The flow runs a loop (Worker::carrier_main) and takes up
// one fiber after the other, so that a recycled stack needs no preparation.
struct Stack {
  Context context;  // stack_pointer null: to be prepared
  char* bottom = nullptr;
  char* top = nullptr;
  Stack* next = nullptr;
};

class StackPool {
 public:
  // The process's pool for stacks of at least `usable` bytes.
  static StackPool* for_size(size_t usable);

  explicit StackPool(size_t usable);

  // A guarded stack, not prepared. Null when the system has no more memory, or (without guard
  // markers) mappings.
  Stack* allocate();
  // Takes one that no fiber is on; its memory goes back to the system.
  void release(Stack* stack);

  size_t usable_size() const { return usable_; }

 private:
  bool grow() FIBER_REQUIRES(lock_);
  bool install_guard(char* bottom) FIBER_REQUIRES(lock_);

  const size_t usable_;
  const size_t guard_;
  RawLock lock_;
  Stack* free_ FIBER_GUARDED_BY(lock_) = nullptr;
  // The newest mapping and how many of its slots have been handed out.
  char* slab_ FIBER_GUARDED_BY(lock_) = nullptr;
  size_t slab_slots_ FIBER_GUARDED_BY(lock_) = 0;
  size_t slab_used_ FIBER_GUARDED_BY(lock_) = 0;
  size_t next_slab_slots_ FIBER_GUARDED_BY(lock_) = 64;
  std::vector<std::unique_ptr<Stack[]>> descriptors_ FIBER_GUARDED_BY(lock_);
};

}  // namespace fiber::detail
