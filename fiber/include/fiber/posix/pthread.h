// pthread's locks, signals, keys and threads under their own names, for fibers and plain threads at
// once: `pthread_mutex_lock(` becomes `::fiber::posix::pthread_mutex_lock(`, `pthread_mutex_t`
// becomes `::fiber::posix::pthread_mutex_t`, and nothing else changes (tools/fiberize does it; of
// fiber/posix.h, which includes this).
//
// Arguments and results are POSIX's: 0, or the error's number. Attributes are the system's own
// types and calls. What waits SUSPENDS: a fiber parks, a plain thread sleeps. A fiber that locks,
// or tries to, also lets others run if it has not for a millisecond, as a thread is interrupted.
//
// The objects are initialised by `{}` (for PTHREAD_..._INITIALIZER), or by their init call, also in
// raw memory. They cannot be copied. Process-shared and robust ones, and protocols of priorities,
// are refused with ENOTSUP.
//
// Thread safety: as POSIX says.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "fiber/mutex.h"
#include "fiber/sync.h"

namespace fiber::posix {

// --- mutexes

// PTHREAD_MUTEX_RECURSIVE and PTHREAD_MUTEX_ERRORCHECK know their owner, a fiber or a plain thread.
// Of the others, locking what one holds hangs, and unlocking what one does not hold is undefined.
struct pthread_mutex_t {
  constexpr pthread_mutex_t() = default;
  // `kind`: PTHREAD_MUTEX_... Implicit, for `= {PTHREAD_MUTEX_RECURSIVE}`.
  constexpr pthread_mutex_t(int kind) : kind(kind) {}

  Mutex mutex;
  int kind = PTHREAD_MUTEX_DEFAULT;
  uint32_t levels = 0;  // the owner's only
  // Relaxed: a context finds its own token here only if it stored it itself.
  std::atomic<const void*> owner{nullptr};
};

// Null `attributes`: the default. ENOTSUP: see the head.
int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes);
// EBUSY if it is locked.
int pthread_mutex_destroy(pthread_mutex_t* mutex);
// SUSPENDS. EDEADLK of an error-checking one that the caller holds; EAGAIN at 2^32 - 1 levels.
int pthread_mutex_lock(pthread_mutex_t* mutex);
int pthread_mutex_trylock(pthread_mutex_t* mutex);
// SUSPENDS until the time on CLOCK_REALTIME, or on `clock`: ETIMEDOUT.
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time);
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time);
// EPERM of a recursive or error-checking one that the caller does not hold.
int pthread_mutex_unlock(pthread_mutex_t* mutex);

// --- condition variables

struct pthread_cond_t {
  CondVar cond;
  clockid_t clock = CLOCK_REALTIME;  // of pthread_cond_timedwait()
};

int pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attributes);
int pthread_cond_destroy(pthread_cond_t* cond);
// SUSPENDS. EPERM of a mutex that knows its owner and is not the caller's; EINVAL of a recursive
// one that is held more than once (POSIX leaves that open, and waiting would never end).
int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex);
int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex, const timespec* time);
int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time);
int pthread_cond_signal(pthread_cond_t* cond);
int pthread_cond_broadcast(pthread_cond_t* cond);

// --- reader-writer locks

// As in the C library a reader does not wait for a waiting writer, so that one may hold it shared
// twice; PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP turns that round. posix_rwlock.cc has the
// protocol of `state`.
struct pthread_rwlock_t {
  std::atomic<uint32_t> state{0};
  std::atomic<uint32_t> writers_waiting{0};
  bool prefers_writers = false;
  // Relaxed, as pthread_mutex_t::owner.
  std::atomic<const void*> writer{nullptr};
};

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes);
// EBUSY if it is locked.
int pthread_rwlock_destroy(pthread_rwlock_t* lock);
// SUSPENDS, but for the try ones. EDEADLK if the caller holds it as its writer.
int pthread_rwlock_rdlock(pthread_rwlock_t* lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time);
int pthread_rwlock_wrlock(pthread_rwlock_t* lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time);
// EPERM if nobody holds it.
int pthread_rwlock_unlock(pthread_rwlock_t* lock);

// --- spin locks: they do not spin, since who holds one may be another fiber of the worker

struct pthread_spinlock_t {
  Mutex mutex;
};

// ENOTSUP for PTHREAD_PROCESS_SHARED.
int pthread_spin_init(pthread_spinlock_t* lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t* lock);
// SUSPENDS.
int pthread_spin_lock(pthread_spinlock_t* lock);
int pthread_spin_trylock(pthread_spinlock_t* lock);
int pthread_spin_unlock(pthread_spinlock_t* lock);

// --- once

struct pthread_once_t {
  OnceFlag flag;
};

// SUSPENDS while another context runs `function`.
int pthread_once(pthread_once_t* once, void (*function)());

// --- keys: a pointer per fiber and per plain thread

using pthread_key_t = unsigned;

// EAGAIN beyond 1024 keys. `destructor`, if any, gets what is not null when its fiber or thread
// ends: before pthread_join() returns.
int pthread_key_create(pthread_key_t* key, void (*destructor)(void*));
// EINVAL for what is no key.
int pthread_key_delete(pthread_key_t key);
void* pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void* value);

// --- threads

// A thread is a fiber, as a fiber_std::thread is one (fiber/std/thread.h says where it runs), and
// its pthread_t is a number, never used again, that no call of the system's own may be given. It
// has fiber_std::thread::native_handle() in common. Of `attributes` the detach state counts; stacks
// are the runtime's (FIBER_STACK_SIZE), and fibers have no scheduling of their own.
int pthread_create(::pthread_t* thread, const ::pthread_attr_t* attributes,
                   void* (*function)(void*), void* argument);
// SUSPENDS. EDEADLK: the caller; ESRCH: no such thread; EINVAL: detached, or joined by another.
int pthread_join(::pthread_t thread, void** result);
int pthread_detach(::pthread_t thread);
// The caller's number: of a fiber, or of a plain thread.
::pthread_t pthread_self();
// Ends a thread of pthread_create() by an exception, which `catch (...)` must hand on; a plain
// thread as the system does. Aborts with a message on any other fiber, main()'s too.
[[noreturn]] void pthread_exit(void* result);

}  // namespace fiber::posix
