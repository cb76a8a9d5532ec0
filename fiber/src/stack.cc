#include "stack.h"

#if defined(FIBER_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

// valgrind then knows that the stack pointer jumps from one stack to another, and takes what lies
// between for neither grown nor gone. Costs nothing where the program does not run under it: a few
// instructions for each new stack and each that is given back.
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define FIBER_VALGRIND_STACK(bottom, size) \
  ((void)VALGRIND_STACK_REGISTER(bottom, (bottom) + (size)))
#define FIBER_VALGRIND_UNDEFINED(bottom, size) ((void)VALGRIND_MAKE_MEM_UNDEFINED(bottom, size))
#else
#define FIBER_VALGRIND_STACK(bottom, size) ((void)0)
#define FIBER_VALGRIND_UNDEFINED(bottom, size) ((void)0)
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "fiber/stats.h"
#include "os_memory.h"

namespace fiber::detail {
namespace {

constexpr size_t kMaxSlabSlots = 4096;

// Below each stack; more than one, against frames that step over a page without touching it.
constexpr size_t kGuardPages = 4;

// Every stack's first frames at the same offset of a page would compete for the same few cache
// sets. So the tops are spread over half a page.
constexpr size_t kColours = 32;
constexpr size_t kColourStep = 64;

}  // namespace

}  // namespace fiber::detail

// By this name, because the debugger looks for it.
extern "C" {
extern std::atomic<fiber::detail::StackSlab*> fiber_debug_slabs;
constinit std::atomic<fiber::detail::StackSlab*> fiber_debug_slabs{nullptr};
}

namespace fiber::detail {

std::atomic<StackSlab*>& StackSlab::newest = fiber_debug_slabs;

void FiberName::set(std::string_view name) {
  const size_t size = std::min(name.size(), kMax);
  memcpy(text, name.data(), size);
  text[size] = '\0';
}

__attribute__((no_sanitize("thread"))) void Stack::copy_name(
    char (&out)[FiberName::kMax + 1]) const {
  const volatile char* from = name.text;
  for (size_t i = 0; i < FiberName::kMax; i++) out[i] = from[i];
  out[FiberName::kMax] = '\0';
}

Stack* StackSlab::stack_at(const void* address, bool* in_guard) {
  const char* const at = static_cast<const char*>(address);
  for (StackSlab* slab = newest.load(std::memory_order_acquire); slab != nullptr;
       slab = slab->next) {
    if (at < slab->begin || at >= slab->begin + slab->slots * slab->slot_bytes) continue;
    const size_t offset = static_cast<size_t>(at - slab->begin);
    const size_t slot = offset / slab->slot_bytes;
    if (slot >= slab->used.load(std::memory_order_acquire)) return nullptr;
    *in_guard = offset % slab->slot_bytes < slab->guard_bytes;
    return &slab->stacks[slot];
  }
  return nullptr;
}

namespace {
// Never destroyed: detached threads may outlive main().
constinit RawLock g_pools_lock;
constinit StackPool* g_pools FIBER_GUARDED_BY(g_pools_lock) = nullptr;
}  // namespace

StackPool* StackPool::for_size(size_t usable) {
  const size_t page = os_page_size();
  usable = (std::max(usable, 4 * page) + page - 1) / page * page;
  RawLockGuard guard(&g_pools_lock);
  for (StackPool* pool = g_pools; pool != nullptr; pool = pool->next_) {
    if (pool->usable_size() == usable) return pool;
  }
  auto* const made = new StackPool(usable);
  made->next_ = g_pools;
  return g_pools = made;
}

void StackPool::lock_all() {
  g_pools_lock.lock();
  for (StackPool* pool = g_pools; pool != nullptr; pool = pool->next_) pool->lock_.lock();
}

void StackPool::unlock_all() {
  for (StackPool* pool = g_pools; pool != nullptr; pool = pool->next_) pool->lock_.unlock();
  g_pools_lock.unlock();
}

void lock_stack_pools() FIBER_NO_THREAD_SAFETY_ANALYSIS { StackPool::lock_all(); }
void unlock_stack_pools() FIBER_NO_THREAD_SAFETY_ANALYSIS { StackPool::unlock_all(); }

StackPool::StackPool(size_t usable) : usable_(usable), guard_(kGuardPages * os_page_size()) {}

bool StackPool::grow() {
  size_t slots = next_slab_slots_;
  void* memory = nullptr;
  // A heap without memory is no more than stacks without: fibers wait.
  std::unique_ptr<StackSlab> slab(new (std::nothrow) StackSlab{});
  std::unique_ptr<Stack[]> stacks;
  for (;; slots = (slots + 1) / 2) {  // when there is no room for many, for fewer
    stacks.reset(new (std::nothrow) Stack[slots]);
    if (slab != nullptr && stacks != nullptr)
      memory = os_reserve_stacks(slots * (usable_ + guard_));
    if (memory != nullptr) break;
    if (slots == 1) return false;
  }
  next_slab_slots_ = std::min(slots * 2, kMaxSlabSlots);
  slab->begin = static_cast<char*>(memory);
  slab->slot_bytes = usable_ + guard_;
  slab->guard_bytes = guard_;
  slab->slots = slots;
  slab->stacks = stacks.release();
  slab_ = slab.release();
  StackSlab* newest = StackSlab::newest.load(std::memory_order_relaxed);
  do {
    slab_->next = newest;
  } while (!StackSlab::newest.compare_exchange_weak(newest, slab_, std::memory_order_release,
                                                    std::memory_order_relaxed));
  return true;
}

Stack* StackPool::allocate() {
  RawLockGuard guard(&lock_);
  if (free_ != nullptr) {
    Stack* stack = free_;
    free_ = stack->next;
    return stack;
  }
  size_t used = slab_ != nullptr ? slab_->used.load(std::memory_order_relaxed) : 0;
  if (slab_ == nullptr || used == slab_->slots) {
    if (!grow()) return nullptr;
    used = 0;
  }
  char* slot = slab_->begin + used * slab_->slot_bytes;
  if (!os_prepare_stack(slot, guard_, slot + guard_ + usable_)) return nullptr;
  Stack* stack = &slab_->stacks[used];
  stack->bottom = slot + guard_;
  FIBER_VALGRIND_STACK(stack->bottom, usable_);  // for good, as the mapping
  stack->top = stack->bottom + usable_ - (used * 5 % kColours) * kColourStep;
  slab_->used.store(used + 1, std::memory_order_release);
  return stack;
}

#if defined(FIBER_ASAN)
void StackPool::show_to_leak_checker() {
  StackSlab::for_each([](const StackSlab& slab, size_t i) {
    const Stack& stack = slab.stacks[i];
    __lsan_register_root_region(stack.bottom, static_cast<size_t>(stack.top - stack.bottom));
  });
}
#endif

void StackPool::release(Stack* stack) {
#if defined(FIBER_ASAN)
  __asan_unpoison_memory_region(stack->bottom, usable_);
#endif
#if defined(FIBER_TSAN)
  if (stack->context.tsan_fiber != nullptr) __tsan_destroy_fiber(stack->context.tsan_fiber);
#endif
  stack->context = Context{};
  os_release_stack(stack->bottom, usable_);
  FIBER_VALGRIND_UNDEFINED(stack->bottom, usable_);
  RawLockGuard guard(&lock_);
  stack->next = free_;
  free_ = stack;
}

}  // namespace fiber::detail

// For the debugger, which may have no debug information (gdb/fiber_gdb.py reads these).
extern "C" {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // atomics and names: laid out as in C
extern const uint32_t fiber_debug_layout[];
__attribute__((used)) const uint32_t fiber_debug_layout[] = {
    1,  // version
#if defined(__x86_64__)
    1,
#else
    2,
#endif
    sizeof(fiber::detail::Stack),
    offsetof(fiber::detail::Stack, context),  // begins with the saved stack pointer
    offsetof(fiber::detail::Stack, bottom),
    offsetof(fiber::detail::Stack, top),
    offsetof(fiber::detail::Stack, number),
    offsetof(fiber::detail::Stack, state),
    offsetof(fiber::detail::Stack, thread),
    offsetof(fiber::detail::Stack, name),
    offsetof(fiber::detail::StackSlab, next),
    offsetof(fiber::detail::StackSlab, used),
    offsetof(fiber::detail::StackSlab, stacks),
};
#pragma GCC diagnostic pop

}  // extern "C"

namespace fiber {

size_t stack_high_water() {
  using detail::StackSlab;
  size_t deepest = 0;
  StackSlab::for_each([&](const StackSlab& slab, size_t i) {
    const size_t used =
        detail::os_used_of_stack(slab.stacks[i].bottom, slab.slot_bytes - slab.guard_bytes);
    deepest = std::max(deepest, used);
  });
  return deepest;
}

}  // namespace fiber
