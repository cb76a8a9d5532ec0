#include "table/block_memory.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "fiber/cpu.h"
#include "fiber/mutex.h"
#include "fiber/sanitizers.h"
#include "fiber/simulation.h"

namespace cairn {

namespace {

#if defined(FIBER_ASAN)
constexpr bool kRecycle = false;
#else
constexpr bool kRecycle = true;
#endif

// Where nothing is recycled, a simulation still rounds and locks as ever: its history must not
// depend on the build.
bool UsesClasses() { return kRecycle || fiber::Simulation::inside(); }

// Sixteen classes for each doubling from 2^kMinBits to 2^kMaxBits.
constexpr int kMinBits = 10;
constexpr int kMaxBits = 16;
constexpr int kStepBits = 4;
constexpr size_t kClasses = size_t{kMaxBits - kMinBits} << kStepBits;

// The smallest class that has `size` bytes: its number and, in `*size`, its bytes. kClasses: none.
size_t ClassOf(size_t* size) {
  if (*size <= (size_t{1} << kMinBits) || *size > (size_t{1} << kMaxBits)) return kClasses;
  // 2^bits < size <= 2^(bits + 1)
  const int bits = std::bit_width(*size - 1) - 1;
  const int shift = bits - kStepBits;
  const size_t steps = (*size - 1) >> shift;  // 16 .. 31
  *size = (steps + 1) << shift;
  return (static_cast<size_t>(bits - kMinBits) << kStepBits) + steps - (size_t{1} << kStepBits);
}

size_t SizeOf(size_t c) {
  const size_t steps = (c & ((1u << kStepBits) - 1)) + (size_t{1} << kStepBits) + 1;
  return steps << (c >> kStepBits) << (kMinBits - kStepBits);
}

struct Idle {
  Idle* next;
};

struct alignas(128) Slot {
  fiber::Mutex mu;
  size_t bytes FIBER_GUARDED_BY(mu) = 0;
  std::array<Idle*, kClasses> first FIBER_GUARDED_BY(mu) = {};
  size_t next_to_drop FIBER_GUARDED_BY(mu) = 0;

  // Gives up all memory of one class, each in turn, so that sizes no longer asked for go. For the
  // caller to free.
  Idle* Drop() FIBER_REQUIRES(mu) {
    for (size_t i = 0; i < kClasses; ++i) {
      const size_t c = next_to_drop++ % kClasses;
      Idle* dropped = std::exchange(first[c], nullptr);
      if (dropped == nullptr) continue;
      for (const Idle* idle = dropped; idle != nullptr; idle = idle->next) bytes -= SizeOf(c);
      return dropped;
    }
    return nullptr;
  }
};

// Never destroyed: blocks may be freed while the process ends.
Slot* Slots() {
  static Slot* const slots = new Slot[fiber::slot_count()];
  return slots;
}

Slot& MySlot() { return Slots()[fiber::slot()]; }

}  // namespace

void BlockMemoryAround(size_t size, size_t* below, size_t* above) {
  *below = *above = size;
  const size_t c = ClassOf(above);
  if (c == kClasses || *above == size) return;
  *below = c == 0 ? size_t{1} << kMinBits : SizeOf(c - 1);
}

void* AllocateBlockMemory(size_t* size) {
  if (UsesClasses()) {
    const size_t c = ClassOf(size);
    if (c < kClasses) {
      Slot& slot = MySlot();
      // Never waits: a slot is shared only by more threads than processors.
      if (slot.mu.try_lock()) {
        Idle* idle = slot.first[c];
        if (idle != nullptr) {
          slot.first[c] = idle->next;
          slot.bytes -= *size;
        }
        slot.mu.unlock();
        if (idle != nullptr) return idle;
      }
    }
  }
  return std::malloc(*size);
}

void FreeBlockMemory(void* memory, size_t size) {
  if (UsesClasses()) {
    const size_t asked = size;
    const size_t c = ClassOf(&size);
    if (c < kClasses && size == asked) {
      Slot& slot = MySlot();
      if (slot.mu.try_lock()) {
        Idle* dropped = slot.bytes + size > kBlockMemoryPerSlot ? slot.Drop() : nullptr;
        if (kRecycle) {
          slot.first[c] = new (memory) Idle{slot.first[c]};
          slot.bytes += size;
        }
        slot.mu.unlock();
        while (dropped != nullptr) std::free(std::exchange(dropped, dropped->next));
        if (kRecycle) return;
      }
    }
  }
  std::free(memory);
}

size_t IdleBlockMemory() {
  size_t bytes = 0;
  for (unsigned i = 0; i < fiber::slot_count(); ++i) {
    fiber::MutexLock lock(&Slots()[i].mu);
    bytes += Slots()[i].bytes;
  }
  return bytes;
}

}  // namespace cairn
