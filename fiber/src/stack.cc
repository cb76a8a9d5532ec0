#include "stack.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace fiber::detail {
namespace {

// Linux 6.13: makes pages fault without splitting the mapping. Not in Debian 12's headers.
constexpr int kMadvGuardInstall = 102;

constexpr size_t kMaxSlabSlots = 4096;

// Below each stack; more than one, against frames that step over a page without touching it.
constexpr size_t kGuardPages = 4;

// Every stack's first frames at the same offset of a page would compete for the same few cache
// sets. So the tops are spread over half a page.
constexpr size_t kColours = 32;
constexpr size_t kColourStep = 64;

std::atomic<bool> g_guard_markers{true};

}  // namespace

StackPool* StackPool::for_size(size_t usable) {
  // Never destroyed: detached threads may outlive main().
  static RawLock lock;
  static auto* pools = new std::vector<StackPool*>();
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  usable = (std::max(usable, 4 * page) + page - 1) / page * page;
  RawLockGuard guard(&lock);
  for (StackPool* pool : *pools) {
    if (pool->usable_size() == usable) return pool;
  }
  pools->push_back(new StackPool(usable));
  return pools->back();
}

StackPool::StackPool(size_t usable)
    : usable_(usable), guard_(kGuardPages * static_cast<size_t>(sysconf(_SC_PAGESIZE))) {}

bool StackPool::grow() {
  size_t slots = next_slab_slots_;
  void* slab;
  size_t bytes;
  for (;; slots = (slots + 1) / 2) {  // when there is no room for many, for fewer
    bytes = slots * (usable_ + guard_);
    slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    if (slab != MAP_FAILED) break;
    if (slots == 1) return false;
  }
  // A huge page under a stack would make it resident as a whole. Refused only where there are none.
  (void)madvise(slab, bytes, MADV_NOHUGEPAGE);
  slab_ = static_cast<char*>(slab);
  slab_slots_ = slots;
  slab_used_ = 0;
  next_slab_slots_ = std::min(slots * 2, kMaxSlabSlots);
  descriptors_.push_back(std::make_unique<Stack[]>(slots));
  return true;
}

bool StackPool::install_guard(char* bottom) {
  if (g_guard_markers.load(std::memory_order_relaxed)) {
    int result;
    do {
      result = madvise(bottom, guard_, kMadvGuardInstall);
    } while (result != 0 && errno == EINTR);
    if (result == 0) return true;
    if (errno == ENOMEM) return false;
    g_guard_markers.store(false, std::memory_order_relaxed);  // an older kernel
  }
  // Splits the mapping: fails when the process has too many (vm.max_map_count).
  return mprotect(bottom, guard_, PROT_NONE) == 0;
}

Stack* StackPool::allocate() {
  RawLockGuard guard(&lock_);
  if (free_ != nullptr) {
    Stack* stack = free_;
    free_ = stack->next;
    return stack;
  }
  if (slab_used_ == slab_slots_ && !grow()) return nullptr;
  char* slot = slab_ + slab_used_ * (usable_ + guard_);
  if (!install_guard(slot)) return nullptr;
  Stack* stack = &descriptors_.back()[slab_used_];
  stack->bottom = slot + guard_;
  stack->top = stack->bottom + usable_ - (slab_used_ * 5 % kColours) * kColourStep;
  slab_used_++;
  return stack;
}

void StackPool::release(Stack* stack) {
#if defined(FIBER_ASAN)
  __asan_unpoison_memory_region(stack->bottom, usable_);
#endif
#if defined(FIBER_TSAN)
  if (stack->context.tsan_fiber != nullptr) __tsan_destroy_fiber(stack->context.tsan_fiber);
#endif
  stack->context = Context{};
  (void)madvise(stack->bottom, usable_, MADV_DONTNEED);  // a refusal costs memory only
  RawLockGuard guard(&lock_);
  stack->next = free_;
  free_ = stack;
}

}  // namespace fiber::detail
