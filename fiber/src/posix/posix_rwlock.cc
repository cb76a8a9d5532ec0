// pthread_rwlock_t (fiber/posix/pthread.h): fiber::SharedMutex holds readers back while a writer
// waits, which a program that takes a lock shared twice would hang in.
//
// state: bit 31 kWriter, a writer holds it; bit 30 kWaiting, somebody sleeps on the word; the rest
// counts the readers. Who finds it taken sets kWaiting and sleeps while the word is what it was
// then. Whoever makes the lock free clears the word by the same step and wakes all that sleep on
// its address; they try again. After that step the lock is not touched: it may be gone.
//
// With prefers_writers a reader also sleeps while writers_waiting is not 0. It looks at that number
// again after kWaiting is set, and a writer that gives up looks at kWaiting after it has left the
// number (both in the one order of sequentially consistent operations): so one sees the other.
#include <cerrno>
#include <cstdint>
#include <new>

#include "fiber/local.h"
#include "fiber/posix/pthread.h"
#include "fiber/wait.h"
#include "posix_time.h"

namespace fiber::posix {

namespace {

constexpr uint32_t kWriter = uint32_t{1} << 31;
constexpr uint32_t kWaiting = uint32_t{1} << 30;
constexpr uint32_t kReaders = kWaiting - 1;

bool writer_first(const pthread_rwlock_t* lock) {
  return lock->prefers_writers && lock->writers_waiting.load() != 0;
}

// 0, EBUSY or EAGAIN.
int take_shared(pthread_rwlock_t* lock) {
  uint32_t state = lock->state.load(std::memory_order_relaxed);
  while (!(state & kWriter) && !writer_first(lock)) {
    if ((state & kReaders) == kReaders) return EAGAIN;
    if (lock->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      return 0;
    }
  }
  return EBUSY;
}

bool take(pthread_rwlock_t* lock) {
  uint32_t state = lock->state.load(std::memory_order_relaxed);
  while ((state & ~kWaiting) == 0) {
    if (lock->state.compare_exchange_weak(state, state | kWriter, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      lock->writer.store(fiber::detail::context_token(), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

bool is_writer(const pthread_rwlock_t* lock) {
  return lock->writer.load(std::memory_order_relaxed) == fiber::detail::context_token();
}

// Sleeps until the lock may have changed. busy() says whether it is still to be waited for. False:
// the deadline passed.
template <class Busy>
bool sleep(pthread_rwlock_t* lock, uint64_t deadline, Busy&& busy) {
  uint32_t state = lock->state.load();
  if (!(state & kWaiting) && !lock->state.compare_exchange_strong(state, state | kWaiting)) {
    return true;
  }
  if (!busy(state)) return true;
  return fiber::wait(&lock->state, state | kWaiting, deadline) != WaitResult::kTimedOut;
}

bool read_until(pthread_rwlock_t* lock, uint64_t deadline, int* error) {
  for (;;) {
    *error = take_shared(lock);
    if (*error != EBUSY) return true;
    if (deadline == 0) return false;
    const auto busy = [lock](uint32_t state) { return (state & kWriter) || writer_first(lock); };
    if (!sleep(lock, deadline, busy)) return false;
  }
}

bool write_until(pthread_rwlock_t* lock, uint64_t deadline) {
  if (take(lock)) return true;
  if (deadline == 0) return false;
  lock->writers_waiting.fetch_add(1);
  bool taken = false;
  bool in_time = true;
  while (!(taken = take(lock)) && in_time) {
    in_time = sleep(lock, deadline, [](uint32_t state) { return (state & ~kWaiting) != 0; });
  }
  // While it is held nobody may miss the change: its unlock wakes them.
  if (lock->writers_waiting.fetch_sub(1) == 1 && !taken && (lock->state.load() & kWaiting)) {
    (void)fiber::wake(&lock->state, SIZE_MAX);
  }
  return taken;
}

}  // namespace

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE, kind = PTHREAD_RWLOCK_DEFAULT_NP;
  if (attributes != nullptr && (::pthread_rwlockattr_getpshared(attributes, &shared) != 0 ||
                                ::pthread_rwlockattr_getkind_np(attributes, &kind) != 0)) {
    return EINVAL;
  }
  if (shared != PTHREAD_PROCESS_PRIVATE) return ENOTSUP;
  new (lock) pthread_rwlock_t();
  lock->prefers_writers = kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  return (lock->state.load(std::memory_order_relaxed) & ~kWaiting) == 0 ? 0 : EBUSY;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  fiber::detail::take_turns();
  if (is_writer(lock)) return EDEADLK;
  int error = 0;
  (void)read_until(lock, kNoDeadline, &error);
  return error;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  fiber::detail::take_turns();
  return take_shared(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  if (is_writer(lock)) return EDEADLK;
  int error = 0;
  const int late = detail::attempt_until(
      *time, CLOCK_REALTIME, [&](uint64_t deadline) { return read_until(lock, deadline, &error); });
  return late != 0 ? late : error;
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  fiber::detail::take_turns();
  if (is_writer(lock)) return EDEADLK;
  (void)write_until(lock, kNoDeadline);
  return 0;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  fiber::detail::take_turns();
  return take(lock) ? 0 : EBUSY;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  if (is_writer(lock)) return EDEADLK;
  return detail::attempt_until(*time, CLOCK_REALTIME,
                               [lock](uint64_t deadline) { return write_until(lock, deadline); });
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  uint32_t state = lock->state.load(std::memory_order_relaxed);
  if ((state & ~kWaiting) == 0) return EPERM;
  if (state & kWriter) lock->writer.store(nullptr, std::memory_order_relaxed);
  uint32_t left;
  do {
    left = state & kWriter ? 0 : state - 1;
    if (left == kWaiting) left = 0;
  } while (!lock->state.compare_exchange_weak(state, left, std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
  if (left == 0 && (state & kWaiting)) (void)fiber::wake(&lock->state, SIZE_MAX);
  return 0;
}

}  // namespace fiber::posix
