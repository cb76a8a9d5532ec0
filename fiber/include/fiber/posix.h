// The blocking system calls of a threaded program under their own names: signature, result (-1) and
// errno as POSIX says, so that `::read(` becomes `::fiber::posix::read(` and nothing else changes
// (tools/fiberize does it). On a fiber the fiber waits and its worker runs others; on a plain
// thread it is the system call itself. New code is better served by fiber/io.h, which returns
// -errno.
//
// errno is the fiber's own: it survives a wait. (Not an explicit migration within one function: the
// compiler may have kept errno's place.) On a fiber no call ends with EINTR, and what io.h says of
// short reads, borrowed buffers and descriptors holds here too.
//
// Thread safety: callable from any fiber and any thread at once.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <type_traits>

#include "fiber/posix/net.h"
#include "fiber/posix/process.h"
#include "fiber/posix/pthread.h"
#include "fiber/posix/semaphore.h"

namespace fiber::posix {

// --- files

// Descriptors that open() and creat() return are to be closed with close() here.
int open(const char* path, int flags, mode_t mode = 0);
int creat(const char* path, mode_t mode);
int close(int fd);
// A FILE on a descriptor from open() above; fclose() closes both. Reading and writing it blocks the
// worker.
std::FILE* fdopen(int fd, const char* mode);
// Of sockets, pipes and terminals, too: a blocking one is waited for, and a write to it takes all.
ssize_t read(int fd, void* data, size_t size);
ssize_t write(int fd, const void* data, size_t size);
ssize_t pread(int fd, void* data, size_t size, off_t offset);
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset);
ssize_t preadv(int fd, const iovec* parts, int count, off_t offset);
ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset);
int fsync(int fd);
int fdatasync(int fd);
int ftruncate(int fd, off_t length);
int fallocate(int fd, int mode, off_t offset, off_t length);
int sync_file_range(int fd, off_t offset, off_t length, unsigned flags);
int rename(const char* from, const char* to);
int unlink(const char* path);
int remove(const char* path);
int link(const char* existing, const char* created);
int mkdir(const char* path, mode_t mode);
int rmdir(const char* path);
int stat(const char* path, struct ::stat* out);
int access(const char* path, int mode);

// --- time

// 0 on a fiber: nothing cuts the sleep short.
unsigned sleep(unsigned seconds);
int usleep(useconds_t micros);
// On a fiber `left` is set to zero if given.
int nanosleep(const timespec* duration, timespec* left);
int sched_yield();

// --- what would change the worker

// These name, pin or prioritise a thread. The calling plain thread they treat as the system does;
// on a fiber they succeed and do nothing (the worker is not the fiber's own), and so they do for a
// `thread` other than the caller. A `thread` is a number of posix::pthread_self(), or for the
// calling plain thread ::pthread_self().
int pthread_setname_np(pthread_t thread, const char* name);
int pthread_setschedparam(pthread_t thread, int policy, const sched_param* param);
int pthread_setschedprio(pthread_t thread, int priority);
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* cpus);
// Other processes' numbers go through to the system.
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* cpus);
int sched_setscheduler(pid_t pid, int policy, const sched_param* param);
int sched_setparam(pid_t pid, const sched_param* param);
int setpriority(int which, id_t who, int priority);
int nice(int increment);

// --- the thread's own number

// Of a plain thread the kernel's. A fiber has one of its own, above all that the kernel gives
// (2^22): no other fiber has it before 2^30 more have asked, and none of the system's calls may be
// given it; the calls above know it.
pid_t gettid();

namespace detail {
bool on_fiber();
// Whether a raw system call of that number and first arguments would be about the calling fiber's
// worker; its result then.
bool is_about_worker(long number, long first, long second, long* result);
template <class T>
long as_word(T value) {
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
    return reinterpret_cast<long>(static_cast<const void*>(value));
  } else {
    return static_cast<long>(value);
  }
}
inline long first_word() { return 0; }
template <class First, class... Rest>
long first_word(First first, Rest...) {
  return as_word(first);
}
template <class First, class... Rest>
long second_word(First, Rest... rest) {
  return first_word(rest...);
}
inline long second_word() { return 0; }
}  // namespace detail

// SYS_gettid is gettid() above, SYS_ioprio_set, SYS_setpriority and SYS_sched_... of the calling
// fiber's worker succeed and do nothing; all others are the system's, and block the worker if they
// wait.
template <class... Arguments>
long syscall(long number, Arguments... arguments) {
  long result = 0;
  if (detail::is_about_worker(number, detail::first_word(arguments...),
                              detail::second_word(arguments...), &result)) {
    return result;
  }
  return ::syscall(number, arguments...);
}

// PR_SET_NAME is such a call, all others are the system's.
template <class... Arguments>
int prctl(int option, Arguments... arguments) {
  if (option == PR_SET_NAME && detail::on_fiber()) return 0;
  return ::prctl(option, arguments...);
}

}  // namespace fiber::posix
