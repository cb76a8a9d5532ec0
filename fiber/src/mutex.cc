// Mutex, SharedMutex, CondVar: the paths that wait or wake. The headers have the uncontended ones.
#include "fiber/mutex.h"

#include <cstdio>
#include <cstdlib>

#include "fiber/cpu.h"
#include "fiber/runtime.h"
#include "futex.h"
#include "parking_lot.h"
#include "sim_hooks.h"

namespace fiber {
namespace {

using detail::Bucket;
using detail::bucket_of;
using detail::Parked;
using detail::ResumeList;

// Who finds a lock taken looks again a few times before it sleeps: a thread for about a
// microsecond, a fiber for about as long as parking and waking it would take (the holder may be a
// fiber of the same worker, which waits for the look).
constexpr int kThreadSpins = 40;
constexpr int kFiberSpins = 10;

// A waiter is given the lock, instead of a wake-up to try its luck with, only if it waits for so
// long and had no luck so often. To give it whenever there is contention would be fair, and slow: a
// fiber that is made ready may have to wait for its turn among many, and until then everybody would
// wait for a lock that nobody uses.
constexpr uint64_t kStarvingMicros = 1000;
constexpr int kStarvingAttempts = 3;

int spins() {
  static const bool multiprocessor = hardware_concurrency() > 1;
  if (!multiprocessor || detail::simulator() != nullptr) return 0;
  return in_fiber() ? kFiberSpins : kThreadSpins;
}

// Whether an unlock of a contended mutex gives it to the one that it wakes. In a simulation the
// seed decides.
bool hand_over(const Parked* parked) {
  if (detail::simulator() != nullptr) [[unlikely]] {
    return detail::simulated_choice(4) == 0;
  }
  return parked->starving;
}

// Nothing to wait for.
bool passed(uint64_t deadline) { return deadline != kNoDeadline && deadline <= now_nanos(); }

}  // namespace

// The protocol of Mutex. Let the bucket be the parking bucket of this address.
//   lock:    without kLocked, set it by compare-and-swap, whatever the other bits (barging). Else,
//   under the bucket's
//            lock: set kParked by compare-and-swap, which proves that kLocked was set then, and
//            join the queue.
//   unlock:  with kWoken: clear kLocked; the woken one will find the lock free or tell the next
//   holder. With kParked:
//            under the bucket's lock take out the oldest waiter and store kWoken | (kParked if
//            there are more), or keep kLocked and grant the lock to the waiter if it starves.
//            Nothing else can change the word in between: kLocked is ours, kParked needs the
//            bucket, kWoken is set by unlocking only.
//   woken:   clears kWoken in the very step that takes the lock or rejoins the queue (in front).
//   late:    a waiter whose deadline passes leaves the queue, nothing else: kParked may then stand
//            for nobody, which costs one unlock a look at the bucket. A woken one that is late
//            rejoins the queue first, as above: so it gives back kWoken.
// So a wake-up is owed exactly while the lock is free and kParked: and then kWoken is set and its
// bearer is on the way.
bool Mutex::lock_slow(uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  for (int i = spins(); i > 0; i--) {
    const uint32_t state = state_.load(std::memory_order_relaxed);
    if (!(state & kLocked) && try_lock()) return true;
    if (state & kParked) break;
    cpu_relax();
  }
  if (passed(deadline)) return false;
  Bucket* const bucket = bucket_of(this);
  uint32_t woken = 0;
  const uint64_t start = detail::cycles();
  for (int attempts = 0;; attempts++) {
    uint32_t state = state_.load(std::memory_order_relaxed);
    while (!(state & kLocked)) {
      if (state_.compare_exchange_weak(state, (state & ~woken) | kLocked, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    Parked parked(this, 0, "Mutex::lock");
    parked.starving =
        attempts >= kStarvingAttempts &&
        detail::cycles() - start >= kStarvingMicros * detail::cycles_per_microsecond();
    bucket->lock.lock();
    state = state_.load(std::memory_order_relaxed);
    while ((state & kLocked) && !state_.compare_exchange_weak(state, (state & ~woken) | kParked,
                                                              std::memory_order_relaxed)) {
    }
    if (!(state & kLocked)) {
      bucket->lock.unlock();
      continue;
    }
    if (woken != 0) {
      bucket->push_front(&parked);
    } else {
      bucket->push_back(&parked);
    }
    bucket->lock.unlock();
    if (!detail::sleep_parked(&parked, deadline)) return false;
    if (parked.granted) return true;
    woken = kWoken;
  }
}

void Mutex::unlock_slow() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & kWoken) || !(state & kParked)) {
    if (state_.compare_exchange_weak(state, state & ~kLocked, std::memory_order_release,
                                     std::memory_order_relaxed)) {
      return;
    }
  }
  Bucket* const bucket = bucket_of(this);
  bucket->lock.lock();
  Parked* parked = bucket->any(this);
  if (parked == nullptr) {
    state_.store(0, std::memory_order_release);
    bucket->lock.unlock();
    return;
  }
  bucket->remove(parked);
  const uint32_t more = bucket->first(this) != nullptr ? kParked : 0;
  if (hand_over(parked)) {
    parked->granted = true;
    state_.store(kLocked | more, std::memory_order_release);
  } else {
    state_.store(kWoken | more, std::memory_order_release);
  }
  bucket->lock.unlock();
  parked->resume();
}

void Mutex::assert_failed() {
  fprintf(stderr, "fiber::Mutex::assert_held: nobody holds it\n");
  abort();
}

// The protocol of SharedMutex. kParked is set exactly while the queue is not empty, both changed
// under the bucket's lock only. Whoever releases the lock with kParked set grants it under the
// bucket's lock: to the writer at the head of the queue, or to all readers up to the next writer.
// With kParked set nobody gets the lock otherwise.
//
// Between the last reader's release and its granting the waiters may all have left, their deadlines
// past, and the object may be gone. So that granting looks into the queue first: who waits there
// keeps the object alive. (Waiters of another kind of object at the same address are told by their
// tags.) Waiters that leave at their deadline grant as well: behind a writer that gave up readers
// may join those that are inside.
namespace {
constexpr uint32_t kTagWriter = 0x53685772;
constexpr uint32_t kTagReader = 0x53685264;
}  // namespace

struct detail::SharedMutexQueue {
  // What keeps one out, and what one adds to the word inside.
  struct Writer {
    static constexpr uint32_t kTag = kTagWriter, kKeptOutBy = ~0u, kAdds = SharedMutex::kWriter;
    static constexpr const char* kWhat = "SharedMutex::lock";
  };
  struct Reader {
    static constexpr uint32_t kTag = kTagReader, kAdds = SharedMutex::kReader,
                              kKeptOutBy = SharedMutex::kWriter | SharedMutex::kParked;
    static constexpr const char* kWhat = "SharedMutex::lock_shared";
  };

  template <class Who>
  static bool enter(SharedMutex* mutex, uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    std::atomic<uint32_t>& word = mutex->state_;
    uint32_t state = word.load(std::memory_order_relaxed);
    const auto try_enter = [&] {  // true: inside; false: as `state` is there is no way in
      while (!(state & Who::kKeptOutBy)) {
        if (word.compare_exchange_weak(state, state + Who::kAdds, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
          return true;
        }
      }
      return false;
    };
    for (int i = spins(); i > 0; i--) {
      if (try_enter()) return true;
      if (state & SharedMutex::kParked) break;
      cpu_relax();
      state = word.load(std::memory_order_relaxed);
    }
    if (passed(deadline)) return false;
    Bucket* const bucket = bucket_of(mutex);
    Parked parked(mutex, Who::kTag, Who::kWhat);
    parked.after_timeout = after_timeout;
    bucket->lock.lock();
    state = word.load(std::memory_order_relaxed);
    do {
      if (try_enter()) {
        bucket->lock.unlock();
        return true;
      }
    } while (!(state & SharedMutex::kParked) &&
             !word.compare_exchange_weak(state, state | SharedMutex::kParked,
                                         std::memory_order_relaxed));
    bucket->push_back(&parked);
    bucket->lock.unlock();
    return sleep_parked(&parked, deadline);  // resumed by granting only
  }

  // Grants what can be granted.
  static void grant(const void* address, Bucket* bucket, ResumeList* granted)
      FIBER_REQUIRES(bucket->lock) {
    constexpr uint32_t kWriter = SharedMutex::kWriter, kParked = SharedMutex::kParked,
                       kReader = SharedMutex::kReader;
    Parked* head = bucket->first(address);
    if (head == nullptr || (head->tag != kTagWriter && head->tag != kTagReader)) return;
    std::atomic<uint32_t>* const word = word_of(address);
    uint32_t state = word->load(std::memory_order_acquire);
    if ((state & kWriter) || !(state & kParked)) return;
    if (head->tag == kTagWriter) {
      if (state != kParked) return;  // readers inside
      bucket->remove(head);
      granted->add(head);
      word->store(kWriter | (bucket->first(address) != nullptr ? kParked : 0),
                  std::memory_order_release);
      return;
    }
    uint32_t readers = 0;
    while (head != nullptr && head->tag == kTagReader) {
      bucket->remove(head);
      granted->add(head);
      readers += kReader;
      head = bucket->first(address);
    }
    const uint32_t cleared = head == nullptr ? kParked : 0;
    // Readers inside may leave meanwhile.
    while (!word->compare_exchange_weak(state, (state + readers) & ~cleared,
                                        std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
  }

  static Parked* after_timeout(Parked* parked, Bucket* bucket) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    ResumeList granted;
    if (bucket->first(parked->address) == nullptr) {
      word_of(parked->address)->fetch_and(~SharedMutex::kParked, std::memory_order_relaxed);
    } else {
      grant(parked->address, bucket, &granted);
    }
    return granted.head();
  }

 private:
  static std::atomic<uint32_t>* word_of(const void* address) {
    return &static_cast<SharedMutex*>(const_cast<void*>(address))->state_;
  }
};

bool SharedMutex::lock_slow(uint64_t deadline) {
  return detail::SharedMutexQueue::enter<detail::SharedMutexQueue::Writer>(this, deadline);
}

bool SharedMutex::lock_shared_slow(uint64_t deadline) {
  return detail::SharedMutexQueue::enter<detail::SharedMutexQueue::Reader>(this, deadline);
}

void SharedMutex::unlock_slow() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  // Held by us and kParked: nothing but a holder of the bucket can change the word.
  Bucket* const bucket = bucket_of(this);
  ResumeList granted;
  bucket->lock.lock();
  Parked* parked = bucket->first(this);
  uint32_t state = 0;
  if (parked != nullptr && parked->tag == kTagWriter) {
    bucket->remove(parked);
    granted.add(parked);
    state = kWriter;
  } else {
    while (parked != nullptr && parked->tag == kTagReader) {
      bucket->remove(parked);
      granted.add(parked);
      state += kReader;
      parked = bucket->first(this);
    }
  }
  if (bucket->first(this) != nullptr) state |= kParked;
  state_.store(state, std::memory_order_release);
  bucket->lock.unlock();
  detail::resume_all(granted.head());
}

void SharedMutex::unlock_shared_slow() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  // The last reader went and somebody waited. Not a look at the word: see above.
  Bucket* const bucket = bucket_of(this);
  ResumeList granted;
  bucket->lock.lock();
  detail::SharedMutexQueue::grant(this, bucket, &granted);
  bucket->lock.unlock();
  detail::resume_all(granted.head());
}

void CondVar::wait(Mutex* mutex) { (void)wait_until(mutex, kNoDeadline); }

bool CondVar::wait_until(Mutex* mutex, uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  if (detail::simulating() && detail::simulate_spurious()) [[unlikely]] {
    mutex->unlock();
    detail::simulate_before_wait();
    mutex->lock();
    return true;
  }
  Bucket* const bucket = bucket_of(this);
  Parked parked(this, 0, "CondVar::wait");
  bucket->lock.lock();
  waiting_.store(1, std::memory_order_relaxed);
  bucket->push_back(&parked);
  bucket->lock.unlock();
  mutex->unlock();
  const bool notified = detail::sleep_parked(&parked, deadline);
  mutex->lock();
  return notified;
}

void CondVar::notify(uint32_t max_count) {
  Bucket* const bucket = bucket_of(this);
  ResumeList released;
  bucket->lock.lock();
  for (uint32_t count = 0; count < max_count; count++) {
    Parked* parked = bucket->any(this);
    if (parked == nullptr) break;
    bucket->remove(parked);
    released.add(parked);
  }
  if (bucket->first(this) == nullptr) waiting_.store(0, std::memory_order_relaxed);
  bucket->lock.unlock();
  detail::resume_all(released.head());
  interleave();
}

}  // namespace fiber
