// pthread's mutexes, condition variables, spin locks and once (fiber/posix/pthread.h), over
// fiber::Mutex, CondVar and OnceFlag. None of it is annotated for clang's thread-safety analysis:
// who holds what is the program's choice.
#include <cerrno>
#include <cstdint>
#include <new>

#include "fiber/local.h"
#include "fiber/posix/pthread.h"
#include "fiber/runtime.h"
#include "posix_time.h"

namespace fiber::posix {

namespace {

bool knows_owner(const pthread_mutex_t* mutex) {
  return mutex->kind == PTHREAD_MUTEX_RECURSIVE || mutex->kind == PTHREAD_MUTEX_ERRORCHECK;
}

bool is_owner(const pthread_mutex_t* mutex) {
  return mutex->owner.load(std::memory_order_relaxed) == fiber::detail::context_token();
}

void set_owner(pthread_mutex_t* mutex) {
  mutex->owner.store(fiber::detail::context_token(), std::memory_order_relaxed);
  mutex->levels = 1;
}

void clear_owner(pthread_mutex_t* mutex) {
  mutex->levels = 0;
  mutex->owner.store(nullptr, std::memory_order_relaxed);
}

// take() -> int locks the inner mutex. `trying`: an error-checking one that is held is busy.
template <class Take>
int lock_with(pthread_mutex_t* mutex, bool trying, Take&& take) {
  fiber::detail::take_turns();
  if (!knows_owner(mutex)) return take();
  if (is_owner(mutex)) {
    if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK) return trying ? EBUSY : EDEADLK;
    if (mutex->levels == UINT32_MAX) return EAGAIN;
    mutex->levels++;
    return 0;
  }
  const int result = take();
  if (result == 0) set_owner(mutex);
  return result;
}

// What `attributes` ask for that no lock of this library is.
int refused(const pthread_mutexattr_t* attributes) {
  int shared = 0, robust = 0, protocol = 0;
  if (::pthread_mutexattr_getpshared(attributes, &shared) != 0 ||
      ::pthread_mutexattr_getrobust(attributes, &robust) != 0 ||
      ::pthread_mutexattr_getprotocol(attributes, &protocol) != 0) {
    return EINVAL;
  }
  const bool plain = shared == PTHREAD_PROCESS_PRIVATE && robust == PTHREAD_MUTEX_STALLED &&
                     protocol == PTHREAD_PRIO_NONE;
  return plain ? 0 : ENOTSUP;
}

// wait() -> int, 0 or ETIMEDOUT, with the mutex let go while it lasts.
template <class Wait>
int wait_with(pthread_mutex_t* mutex, Wait&& wait) {
  if (!knows_owner(mutex)) return wait();
  if (!is_owner(mutex)) return EPERM;
  if (mutex->levels != 1) return EINVAL;
  clear_owner(mutex);
  const int result = wait();
  set_owner(mutex);
  return result;
}

}  // namespace

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  if (attributes != nullptr) {
    if (const int error = refused(attributes)) return error;
    if (::pthread_mutexattr_gettype(attributes, &kind) != 0) return EINVAL;
  }
  new (mutex) pthread_mutex_t(kind);
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  if (!mutex->mutex.try_lock()) return EBUSY;
  mutex->mutex.unlock();
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  return lock_with(mutex, false, [mutex]() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    mutex->mutex.lock();
    return 0;
  });
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  return lock_with(mutex, true, [mutex]() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex->mutex.try_lock() ? 0 : EBUSY;
  });
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  return posix::pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  return lock_with(mutex, false, [&]() {
    return detail::attempt_until(
        *time, clock, [mutex](uint64_t deadline) { return mutex->mutex.try_lock_until(deadline); });
  });
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  if (knows_owner(mutex)) {
    if (!is_owner(mutex)) return EPERM;
    if (--mutex->levels != 0) return 0;
    clear_owner(mutex);
  }
  mutex->mutex.unlock();
  return 0;
}

int pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr && (::pthread_condattr_getpshared(attributes, &shared) != 0 ||
                                ::pthread_condattr_getclock(attributes, &clock) != 0)) {
    return EINVAL;
  }
  if (shared != PTHREAD_PROCESS_PRIVATE) return ENOTSUP;
  new (cond) pthread_cond_t();
  cond->clock = clock;
  return 0;
}

int pthread_cond_destroy(pthread_cond_t*) { return 0; }

int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  return wait_with(mutex, [&]() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    cond->cond.wait(&mutex->mutex);
    return 0;
  });
}

int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex, const timespec* time) {
  return posix::pthread_cond_clockwait(cond, mutex, cond->clock, time);
}

int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  if (!detail::is_time(*time) || !detail::is_clock(clock)) return EINVAL;
  return wait_with(mutex, [&]() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    const uint64_t deadline = detail::deadline_of(*time, clock);
    if (deadline == 0) {
      // The time has come. Others have the mutex first, as with the system's: a program may wait
      // like that again and again for what another one is to do.
      mutex->mutex.unlock();
      fiber::yield();
      mutex->mutex.lock();
      return ETIMEDOUT;
    }
    if (cond->cond.wait_until(&mutex->mutex, deadline)) return 0;
    // A clock that was set back meanwhile: a wait may end early, but not as if the time had come.
    return detail::deadline_of(*time, clock) == 0 ? ETIMEDOUT : 0;
  });
}

int pthread_cond_signal(pthread_cond_t* cond) {
  cond->cond.notify_one();
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* cond) {
  cond->cond.notify_all();
  return 0;
}

int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  if (shared != PTHREAD_PROCESS_PRIVATE) return ENOTSUP;
  new (lock) pthread_spinlock_t();
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t*) { return 0; }

int pthread_spin_lock(pthread_spinlock_t* lock) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  fiber::detail::take_turns();
  lock->mutex.lock();
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  fiber::detail::take_turns();
  return lock->mutex.try_lock() ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t* lock) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  lock->mutex.unlock();
  return 0;
}

int pthread_once(pthread_once_t* once, void (*function)()) {
  fiber::call_once(once->flag, function);
  return 0;
}

}  // namespace fiber::posix
