// The parking lot: every context that waits for a word, in one table of queues keyed by the word's
// address, so that a lock itself is four bytes and knows of its waiters by one bit.
//
// A bucket's lock makes "look at the word and fall asleep" one step with respect to "change the
// word and wake". Within a bucket the waiters of one address form a ring; the first of each ring,
// its leader, stands in the bucket's list. All operations cost O(addresses that share the bucket),
// however many wait at one address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fiber/wait.h"
#include "raw_lock.h"
#include "sim_hooks.h"
#include "worker.h"

namespace fiber::detail {

struct Bucket;

// A waiter in the lot. On the stack of the waiting context; all but the base guarded by the
// bucket's lock until resumed.
struct Parked : Waiter {
  Parked(const void* the_address, uint32_t the_tag, const char* the_name)
      : address(the_address), tag(the_tag), what(the_name) {}

  const void* const address;
  // What the primitive wants to know of the waiter: reader or writer, how many units.
  const uint32_t tag;
  // The name of the operation that waits, for reports.
  const char* const what;
  // Set by the waker before the resumption: what was asked for was handed over.
  bool granted = false;
  // Mutex: woken more than once in vain, it is to be granted the lock.
  bool starving = false;
  bool queued = false;
  Parked* next = nullptr;  // ring of the same address; as a list of those dequeued: null-terminated
  Parked* previous = nullptr;
  Parked* next_leader = nullptr;  // leaders only
  Parked* previous_leader = nullptr;
  // Called under the bucket's lock after a timed-out waiter was taken out, for primitives whose
  // later waiters may go ahead then. Returns waiters to resume.
  Parked* (*after_timeout)(Parked*, Bucket*) = nullptr;
};

struct alignas(64) Bucket {
  RawLock lock;
  Parked* leaders FIBER_GUARDED_BY(lock) = nullptr;

  // The oldest waiter of the address, or null.
  Parked* first(const void* address) FIBER_REQUIRES(lock) {
    Parked* leader = leaders;
    while (leader != nullptr && leader->address != address) leader = leader->next_leader;
    return leader;
  }
  // The waiter to wake where any will do: the oldest; in a simulation one by the seed.
  Parked* any(const void* address) FIBER_REQUIRES(lock) {
    Parked* parked = first(address);
    return parked != nullptr && simulator() != nullptr ? choose(parked) : parked;
  }
  void push_back(Parked* parked) FIBER_REQUIRES(lock) { insert(parked, false); }
  void push_front(Parked* parked) FIBER_REQUIRES(lock) { insert(parked, true); }
  void remove(Parked* parked) FIBER_REQUIRES(lock);

 private:
  void insert(Parked* parked, bool front) FIBER_REQUIRES(lock);
  static Parked* choose(Parked* first);
};

inline constexpr unsigned kBucketBits = 12;
extern Bucket g_buckets[size_t{1} << kBucketBits];

inline Bucket* bucket_of(const void* address) {
  const uint64_t hash = (reinterpret_cast<uintptr_t>(address) >> 2) * 0x9e3779b97f4a7c15u;
  return &g_buckets[hash >> (64 - kBucketBits)];
}

// For Waiter::suspend_until(): takes a Parked out of its queue; false if a waker already has.
bool take_out_timed_out(Waiter* waiter);

// SUSPENDS. The waiter stands in its queue and the bucket is unlocked. False: the deadline passed
// and it was taken out.
inline bool sleep_parked(Parked* parked, uint64_t deadline) {
  if (deadline == kNoDeadline) {
    parked->suspend();
    return true;
  }
  return parked->suspend_until(deadline, take_out_timed_out);
}

// Resumes a null-terminated list of dequeued waiters. No lock held.
inline void resume_all(Parked* list) {
  while (list != nullptr) {
    Parked* next = list->next;  // the record is gone once resumed
    list->resume();
    list = next;
  }
}

// Collects dequeued waiters in order.
class ResumeList {
 public:
  void add(Parked* parked) {
    parked->next = nullptr;
    *tail_ = parked;
    tail_ = &parked->next;
  }
  Parked* head() const { return head_; }

 private:
  Parked* head_ = nullptr;
  Parked** tail_ = &head_;
};

}  // namespace fiber::detail
