// POSIX's unnamed semaphores under their own names, for fibers and plain threads at once: as
// fiber/posix/pthread.h, but results are 0, or -1 and errno.
//
// Thread safety: as POSIX says.
#pragma once

#include <semaphore.h>
#include <time.h>

#include "fiber/sync.h"

namespace fiber::posix {

// To be initialised by sem_init(), also in raw memory.
struct sem_t {
  Semaphore semaphore{0};
};

// ENOSYS for one that processes share, EINVAL for a value above 2^31 - 1.
int sem_init(sem_t* semaphore, int shared, unsigned value);
int sem_destroy(sem_t* semaphore);
// SUSPENDS, first come, first served.
int sem_wait(sem_t* semaphore);
// EAGAIN: would have to wait.
int sem_trywait(sem_t* semaphore);
// SUSPENDS until the time on CLOCK_REALTIME: ETIMEDOUT.
int sem_timedwait(sem_t* semaphore, const timespec* time);
// EOVERFLOW at 2^31 - 1.
int sem_post(sem_t* semaphore);
int sem_getvalue(sem_t* semaphore, int* value);

}  // namespace fiber::posix
