// See fiber/posix/semaphore.h.
#include "fiber/posix/semaphore.h"

#include <cerrno>
#include <climits>
#include <new>

#include "posix_time.h"

namespace fiber::posix {

namespace {

constexpr unsigned kMaxValue = INT_MAX;

int posix_error(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (shared != 0) return posix_error(ENOSYS);
  if (value > kMaxValue) return posix_error(EINVAL);
  new (&semaphore->semaphore) Semaphore(value);
  return 0;
}

int sem_destroy(sem_t*) { return 0; }

int sem_wait(sem_t* semaphore) {
  semaphore->semaphore.acquire();
  return 0;
}

int sem_trywait(sem_t* semaphore) {
  return posix_error(semaphore->semaphore.try_acquire() ? 0 : EAGAIN);
}

int sem_timedwait(sem_t* semaphore, const timespec* time) {
  return posix_error(detail::attempt_until(*time, CLOCK_REALTIME, [semaphore](uint64_t deadline) {
    return deadline == 0 ? semaphore->semaphore.try_acquire()
                         : semaphore->semaphore.acquire_until(deadline);
  }));
}

int sem_post(sem_t* semaphore) {
  if (semaphore->semaphore.value() >= kMaxValue) return posix_error(EOVERFLOW);
  semaphore->semaphore.release();
  return 0;
}

int sem_getvalue(sem_t* semaphore, int* value) {
  *value = static_cast<int>(semaphore->semaphore.value());
  return 0;
}

}  // namespace fiber::posix
