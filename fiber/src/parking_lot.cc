// The parking lot and the public wait()/wake() over it. See parking_lot.h.
#include "parking_lot.h"

#include <new>

#include "fork.h"

namespace fiber {
namespace detail {

constinit Bucket g_buckets[size_t{1} << kBucketBits];

Parked* Bucket::choose(Parked* first) {
  constexpr uint32_t kWindow = 32;
  uint32_t count = 1;
  for (Parked* p = first->next; p != first && count < kWindow; p = p->next) count++;
  for (uint32_t steps = simulated_choice(count); steps > 0; steps--) first = first->next;
  return first;
}

bool take_out_timed_out(Waiter* waiter) {
  Parked* parked = static_cast<Parked*>(waiter);
  Bucket* bucket = bucket_of(parked->address);
  Parked* released = nullptr;
  bucket->lock.lock();
  const bool was_queued = parked->queued;
  if (was_queued) {
    bucket->remove(parked);
    if (parked->after_timeout != nullptr) released = parked->after_timeout(parked, bucket);
  }
  bucket->lock.unlock();
  resume_all(released);
  return was_queued;
}

void Bucket::insert(Parked* parked, bool front) {
  parked->queued = true;
  Parked* leader = first(parked->address);
  if (leader == nullptr) {
    parked->next = parked->previous = parked;
    parked->previous_leader = nullptr;
    parked->next_leader = leaders;
    if (leaders != nullptr) leaders->previous_leader = parked;
    leaders = parked;
    return;
  }
  parked->next = leader;
  parked->previous = leader->previous;
  leader->previous->next = parked;
  leader->previous = parked;
  if (front) {
    parked->next_leader = leader->next_leader;
    parked->previous_leader = leader->previous_leader;
    (parked->previous_leader != nullptr ? parked->previous_leader->next_leader : leaders) = parked;
    if (parked->next_leader != nullptr) parked->next_leader->previous_leader = parked;
    leader->next_leader = leader->previous_leader = nullptr;
  }
}

void Bucket::remove(Parked* parked) {
  parked->queued = false;
  const bool leads = parked->previous_leader != nullptr || leaders == parked;
  Parked* heir = parked->next != parked ? parked->next : nullptr;
  parked->previous->next = parked->next;
  parked->next->previous = parked->previous;
  if (!leads) return;
  Parked* before = parked->previous_leader;
  Parked* after = parked->next_leader;
  if (heir != nullptr) {
    heir->previous_leader = before;
    heir->next_leader = after;
    (before != nullptr ? before->next_leader : leaders) = heir;
    if (after != nullptr) after->previous_leader = heir;
  } else {
    (before != nullptr ? before->next_leader : leaders) = after;
    if (after != nullptr) after->previous_leader = before;
  }
  parked->previous_leader = parked->next_leader = nullptr;
}

// (fork.h) Buckets that nobody used stay untouched: a child has its parent's pages until it writes.
void forget_parked() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  for (Bucket& bucket : g_buckets) {
    if (bucket.leaders != nullptr || !bucket.lock.is_free()) new (&bucket) Bucket;
  }
}

}  // namespace detail

WaitResult wait(const std::atomic<uint32_t>* addr, uint32_t expected, uint64_t deadline) {
  interleave();
  detail::Parked parked(addr, 0, "fiber::wait");
  detail::Bucket* bucket = detail::bucket_of(addr);
  bucket->lock.lock();
  if (addr->load(std::memory_order_acquire) != expected) {
    bucket->lock.unlock();
    return WaitResult::kValueChanged;
  }
  bucket->push_back(&parked);
  bucket->lock.unlock();
  return detail::sleep_parked(&parked, deadline) ? WaitResult::kWoken : WaitResult::kTimedOut;
}

size_t wake(const std::atomic<uint32_t>* addr, size_t max_count) {
  interleave();
  // The lock orders this after the caller's change of the word and against a waiter's look at it.
  detail::ResumeList released;
  size_t count = 0;
  detail::Bucket* bucket = detail::bucket_of(addr);
  bucket->lock.lock();
  while (count < max_count) {
    detail::Parked* parked = bucket->first(addr);
    if (parked == nullptr) break;
    bucket->remove(parked);
    released.add(parked);
    count++;
  }
  bucket->lock.unlock();
  detail::resume_all(released.head());
  return count;
}

}  // namespace fiber
