// Semaphore, Latch, Event, OnceFlag: the paths that wait or wake.
#include "fiber/sync.h"

#include "fiber/wait.h"
#include "parking_lot.h"

namespace fiber {

using detail::Bucket;
using detail::bucket_of;
using detail::Parked;
using detail::ResumeList;

// Semaphore. The number of waiters (high half) changes only under the bucket's lock, and while it
// is not zero the count changes only under it too. A release with waiters adds its units and grants
// what it can to the queue's head in one final store, before it resumes anybody: so it touches the
// semaphore no more when the granted go on.
namespace {

constexpr uint64_t kOneWaiter = uint64_t{1} << 32;

// Grants from the head of the queue. `state` is the word with all its units; returns the word after
// the grants.
uint64_t grant(const void* address, uint64_t state, Bucket* bucket, ResumeList* granted)
    FIBER_REQUIRES(bucket->lock) {
  for (;;) {
    Parked* parked = bucket->first(address);
    if (parked == nullptr || static_cast<uint32_t>(state) < parked->tag) return state;
    bucket->remove(parked);
    granted->add(parked);
    state -= kOneWaiter + parked->tag;
  }
}

// A waiter gave up; if it stood at the head, those behind may need less.
Parked* semaphore_after_timeout(Parked* parked, Bucket* bucket) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  auto* word = static_cast<std::atomic<uint64_t>*>(const_cast<void*>(parked->address));
  ResumeList granted;
  const uint64_t state = word->load(std::memory_order_relaxed) - kOneWaiter;
  word->store(grant(parked->address, state, bucket, &granted), std::memory_order_release);
  return granted.head();
}

}  // namespace

bool Semaphore::acquire_slow(uint32_t n, uint64_t deadline) {
  Bucket* const bucket = bucket_of(&state_);
  Parked parked(&state_, n, "Semaphore::acquire");
  parked.after_timeout = semaphore_after_timeout;
  bucket->lock.lock();
  uint64_t state = state_.load(std::memory_order_relaxed);
  for (;;) {
    const bool take = state >> 32 == 0 && static_cast<uint32_t>(state) >= n;
    if (state_.compare_exchange_weak(state, take ? state - n : state + kOneWaiter,
                                     std::memory_order_acquire, std::memory_order_relaxed)) {
      if (take) {
        bucket->lock.unlock();
        return true;
      }
      break;
    }
  }
  bucket->push_back(&parked);
  bucket->lock.unlock();
  return detail::sleep_parked(&parked, deadline);
}

void Semaphore::release_slow(uint32_t n) {
  Bucket* const bucket = bucket_of(&state_);
  ResumeList granted;
  bucket->lock.lock();
  uint64_t state = state_.load(std::memory_order_relaxed);
  while (state >> 32 ==
         0) {  // the waiters have gone meanwhile: the others' fast paths are open again
    if (state_.compare_exchange_weak(state, state + n, std::memory_order_release,
                                     std::memory_order_relaxed)) {
      bucket->lock.unlock();
      return;
    }
  }
  state_.store(grant(&state_, state + n, bucket, &granted), std::memory_order_release);
  bucket->lock.unlock();
  detail::resume_all(granted.head());
}

void Latch::count_down(uint32_t n) {
  if (n == 0) return;
  interleave();
  if (count_.fetch_sub(n, std::memory_order_acq_rel) == n) wake(&count_, SIZE_MAX);
}

bool Latch::wait_until(uint64_t deadline) {
  for (;;) {
    const uint32_t count = count_.load(std::memory_order_acquire);
    if (count == 0) return true;
    if (fiber::wait(&count_, count, deadline) == WaitResult::kTimedOut) return try_wait();
  }
}

// Event. With kWaitedFor, set() stores under the bucket's lock while it takes the waiters out: each
// of them was waiting then, and needs not look at the word again (which may be reset, or gone).
void Event::set() {
  interleave();
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (state != kWaitedFor) {
    if (state_.compare_exchange_weak(state, kSet, std::memory_order_release,
                                     std::memory_order_relaxed))
      return;
  }
  Bucket* const bucket = bucket_of(this);
  ResumeList released;
  bucket->lock.lock();
  while (Parked* parked = bucket->first(this)) {
    bucket->remove(parked);
    released.add(parked);
  }
  state_.store(kSet, std::memory_order_release);
  bucket->lock.unlock();
  detail::resume_all(released.head());
}

void Event::reset() {
  uint32_t state = kSet;
  state_.compare_exchange_strong(state, kUnset, std::memory_order_relaxed);
}

bool Event::wait_until(uint64_t deadline) {
  interleave();
  if (is_set()) return true;
  Bucket* const bucket = bucket_of(this);
  Parked parked(this, 0, "Event::wait");
  bucket->lock.lock();
  uint32_t state = state_.load(std::memory_order_acquire);
  while (state != kWaitedFor) {
    if (state == kSet) {
      bucket->lock.unlock();
      return true;
    }
    if (state_.compare_exchange_weak(state, kWaitedFor, std::memory_order_acquire)) break;
  }
  bucket->push_back(&parked);
  bucket->lock.unlock();
  return detail::sleep_parked(&parked, deadline);
}

bool OnceFlag::begin() {
  interleave();
  uint32_t state = state_.load(std::memory_order_acquire);
  for (;;) {
    switch (state) {
      case kDone:
        return false;
      case kNew:
        if (state_.compare_exchange_weak(state, kRunning, std::memory_order_acquire)) return true;
        break;
      case kRunning:
        if (!state_.compare_exchange_weak(state, kRunningWaited, std::memory_order_acquire)) break;
        [[fallthrough]];
      default:
        wait(&state_, kRunningWaited);
        state = state_.load(std::memory_order_acquire);
    }
  }
}

void OnceFlag::finish(uint32_t state) {
  if (state_.exchange(state, std::memory_order_acq_rel) == kRunningWaited) wake(&state_, SIZE_MAX);
}

}  // namespace fiber
