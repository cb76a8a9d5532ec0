#include "read/super_version.h"

#include <cassert>
#include <utility>

#include "fiber/interleave.h"

namespace cairn {

SuperVersionSlots::SuperVersionSlots(std::function<void(SuperVersion*)> retire, unsigned slots)
    : retire_(std::move(retire)),
      slot_count_(slots == 0 ? 1 : slots),
      slots_(new Slot[slot_count_]) {}

SuperVersionSlots::~SuperVersionSlots() {
  if (current_ == nullptr) return;
  int64_t taken = 0;
  for (unsigned i = 0; i < slot_count_; ++i) {
    taken +=
        static_cast<int64_t>(slots_[i].word.exchange(0, std::memory_order_acq_rel) & kCountMask);
  }
  ReleaseGlobal(std::exchange(current_, nullptr), kInstalled - taken);
}

void SuperVersionSlots::Install(SuperVersion* next) {
  const uint64_t word = WordOf(next);
  assert(PointerOf(word) == next && (word & kCountMask) == 0);
  next->count_.store(kInstalled, std::memory_order_relaxed);
  int64_t taken = 0;
  for (unsigned i = 0; i < slot_count_; ++i) {
    fiber::interleave();
    // release: publishes *next. acquire: what readers did with the old one before they released it
    // here.
    taken +=
        static_cast<int64_t>(slots_[i].word.exchange(word, std::memory_order_acq_rel) & kCountMask);
  }
  current_number_.store(next->number, std::memory_order_release);
  SuperVersion* const old = std::exchange(current_, next);
  if (old != nullptr) ReleaseGlobal(old, kInstalled - taken);
}

void SuperVersionSlots::ReleaseGlobal(SuperVersion* sv, int64_t n) {
  const int64_t before = sv->count_.fetch_sub(n, std::memory_order_acq_rel);
  if (before == n) retire_(sv);
}

// A slot whose releases all happen elsewhere fills up: moves what it has into the global count. One
// attempt: if others use the slot at this moment, one of them will try next.
void SuperVersionSlots::Spill(std::atomic<uint64_t>* slot, SuperVersion* acquired) {
  uint64_t word = slot->load(std::memory_order_relaxed);
  if (PointerOf(word) != acquired) return;
  const uint64_t n = word & kCountMask;
  if (n == 0) return;
  // First up, then down: the sum never seems too small. The caller's reference keeps `acquired`
  // alive throughout.
  acquired->count_.fetch_add(static_cast<int64_t>(n), std::memory_order_acq_rel);
  if (!slot->compare_exchange_strong(word, word - n, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
    acquired->count_.fetch_sub(static_cast<int64_t>(n), std::memory_order_acq_rel);
  }
}

}  // namespace cairn
