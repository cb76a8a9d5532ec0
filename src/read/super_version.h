// SuperVersion: all that a read needs, as one reference: the memtable, the immutable memtables and
// the table files. SuperVersionSlots: where readers take that reference without a lock.
//
// db/ installs a new super version after each memtable switch, flush and compaction (under the db
// mutex); every Get, MultiGet and iterator acquires the current one, from any thread or fiber, and
// releases it from any other.
//
// The count is split. There is one slot per fiber::slot(), on a cache line of its own, whose single
// word packs the pointer of the current super version with the number of references taken through
// this slot and not given back through it:
//
//     slot word:  pointer << 16 | count
//
// (The pointer is 64-byte aligned and below 2^48, so the count has 22 bits.)
//
//   Acquire: fetch_add(1) on the own slot. The pointer that the same atomic step returns is
//            protected by that count.
//   Release: if the own slot still has this pointer and a count above 0, CAS the count down; else
//            count down the super version's global count.
//   Install: exchange every slot for the new pointer with count 0, then add the old counts to the
//            old global count.
//
// Invariants:
//   1. references alive = sum of the slot counts + global count - kInstalled (while installed). A
//      slot count is never negative; the global count may fall below kInstalled, by releases that
//      found their slot empty.
//   2. While a super version is installed its global count holds kInstalled, larger than any number
//      of references, so it cannot reach 0; Install takes kInstalled away last, when it has added
//      all slot counts. Who brings it to 0 retires it.
//   3. Acquire on one slot and release on another keep the sum: any slot's count may be taken down
//      by anybody.
#ifndef CAIRN_READ_SUPER_VERSION_H_
#define CAIRN_READ_SUPER_VERSION_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "blob/blob_source.h"
#include "fiber/cpu.h"
#include "manifest/version.h"
#include "memtable/memtable.h"
#include "memtable/memtable_list.h"
#include "rocksdb/merge_operator.h"

namespace cairn {

/// The newest sequence number that some super versions show, whatever more their memtable has:
/// all those that lack files from outside which are now part of the database, so that none shows
/// what was written after those (db/ingestions.cc); or one state of a secondary, whose memtables
/// grow before the next one is shown (db/primary_follower.cc).
using SequenceLimit = std::atomic<SequenceNumber>;

/// Constant once installed. Holds one reference to each part; who drops them is the retire callback
/// of the slots (Version::Unref needs the db mutex).
struct alignas(64) SuperVersion {
  MemTable* mem = nullptr;
  MemTableListVersion* imm = nullptr;
  Version* current = nullptr;
  uint64_t number = 0;                            // grows with each installation
  const MergeOperator* merge_operator = nullptr;  // of the column family; may be null
  BlobSource* blobs = nullptr;                    // of the column family; may be null
  std::shared_ptr<const SequenceLimit> limit;     // null: none
  // Where keys have timestamps: of what is older than this nobody may read, for some of it is gone.
  // Empty: all is there.
  std::string history_low;

  // What a read shows: `published` is the number that was published last when this one had been
  // acquired. (Who sets a limit publishes nothing newer before.)
  SequenceNumber LastVisible(SequenceNumber published) const {
    if (limit == nullptr) return published;
    return std::min(published, limit->load(std::memory_order_relaxed));
  }
  // It has a limit by now: one without is there, or about to be.
  bool IsLimited() const { return LastVisible(kMaxSequenceNumber) != kMaxSequenceNumber; }

 private:
  friend class SuperVersionSlots;
  alignas(64) std::atomic<int64_t> count_{0};
};

class SuperVersionSlots {
 public:
  /// `retire` receives each super version once, when its last reference is gone: on any thread or
  /// fiber, with no lock held (or in Install, with what its caller holds). It owns it: drop the
  /// parts' references and delete it, or queue it for somebody who may take the db mutex. Must not
  /// suspend if it can run under a lock.
  explicit SuperVersionSlots(std::function<void(SuperVersion*)> retire,
                             unsigned slots = fiber::slot_count());
  /// REQUIRES: no reader is left (references not given back are a bug: asserted). Retires the
  /// current one.
  ~SuperVersionSlots();

  SuperVersionSlots(const SuperVersionSlots&) = delete;
  SuperVersionSlots& operator=(const SuperVersionSlots&) = delete;

  /// The current super version, with a reference. Lock-free, one atomic operation. REQUIRES: one
  /// was installed.
  SuperVersion* Acquire() {
    std::atomic<uint64_t>& slot = slots_[SlotIndex()].word;
    // acquire: pairs with Install's exchange, so that the parts' contents are visible.
    const uint64_t word = slot.fetch_add(1, std::memory_order_acquire);
    if ((word & kCountMask) >= kCountMask / 2) [[unlikely]]
      Spill(&slot, PointerOf(word));
    return PointerOf(word);
  }

  /// Gives a reference back; any thread or fiber.
  void Release(SuperVersion* sv) {
    std::atomic<uint64_t>& slot = slots_[SlotIndex()].word;
    uint64_t word = slot.load(std::memory_order_relaxed);
    while (PointerOf(word) == sv && (word & kCountMask) != 0) {
      // release: what this reader did with the super version happens before Install's exchange,
      // hence before its retirement.
      if (slot.compare_exchange_weak(word, word - 1, std::memory_order_release,
                                     std::memory_order_relaxed))
        return;
    }
    ReleaseGlobal(sv, 1);
  }

  /// Makes `next` current; takes over ownership. Concurrent calls are excluded by the caller (db
  /// mutex).
  void Install(SuperVersion* next);

  /// The current one without a reference: for the holder of the lock that excludes Install.
  SuperVersion* current() const { return current_; }
  /// Readable without a lock; to notice cheaply that a newer one exists.
  uint64_t current_number() const { return current_number_.load(std::memory_order_acquire); }

 private:
  static constexpr uint64_t kCountMask = (uint64_t{1} << 22) - 1;
  static constexpr int64_t kInstalled = int64_t{1} << 48;

  struct alignas(64) Slot {
    std::atomic<uint64_t> word{0};
  };

  static SuperVersion* PointerOf(uint64_t word) {
    return reinterpret_cast<SuperVersion*>((word & ~kCountMask) >> 16);
  }
  static uint64_t WordOf(SuperVersion* sv) {
    return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(sv)) << 16;
  }
  unsigned SlotIndex() const {
    const unsigned s = fiber::slot();
    return s < slot_count_ ? s : s % slot_count_;
  }
  void ReleaseGlobal(SuperVersion* sv, int64_t n);
  void Spill(std::atomic<uint64_t>* slot, SuperVersion* acquired);

  const std::function<void(SuperVersion*)> retire_;
  const unsigned slot_count_;
  const std::unique_ptr<Slot[]> slots_;
  SuperVersion* current_ = nullptr;  // guarded by the caller's lock around Install
  std::atomic<uint64_t> current_number_{0};
};

/// A reference for the length of a scope.
class SuperVersionGuard {
 public:
  explicit SuperVersionGuard(SuperVersionSlots* slots) : slots_(slots), sv_(slots->Acquire()) {}
  ~SuperVersionGuard() { slots_->Release(sv_); }
  SuperVersionGuard(const SuperVersionGuard&) = delete;
  SuperVersionGuard& operator=(const SuperVersionGuard&) = delete;

  SuperVersion* get() const { return sv_; }
  SuperVersion* operator->() const { return sv_; }

 private:
  SuperVersionSlots* const slots_;
  SuperVersion* const sv_;
};

}  // namespace cairn

#endif  // CAIRN_READ_SUPER_VERSION_H_
