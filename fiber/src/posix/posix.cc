// On a fiber: the call of io.h with its -errno turned into errno. On a plain thread: the system
// call, but for open(), close() and fdopen(), which keep the table of file kinds (io_files.h)
// right.
#include "fiber/posix.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <limits>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/local.h"
#include "fiber/runtime.h"
#include "io_files.h"
#include "posix_call.h"

namespace fiber::posix {

namespace {

// Whether a change of thread `tid` (0: the caller) would change the calling fiber's worker.
bool means_worker(pid_t tid) {
  return in_fiber() &&
         (tid == 0 || tid == static_cast<pid_t>(::syscall(SYS_gettid)) || tid == posix::gettid());
}

bool is_calling_thread(pthread_t thread) {
  return !in_fiber() && (::pthread_equal(thread, ::pthread_self()) != 0 ||
                         ::pthread_equal(thread, posix::pthread_self()) != 0);
}

void sleep_nanos(uint64_t seconds, uint64_t nanos) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t longest = std::numeric_limits<uint64_t>::max() / kSecond - 1;
  sleep_for((seconds < longest ? seconds : longest) * kSecond + nanos);
}

}  // namespace

int open(const char* path, int flags, mode_t mode) {
  const int fd = posix_result(io::open(path, flags, mode));
  // io.h always closes on exec.
  if (fd >= 0 && (flags & O_CLOEXEC) == 0) ::fcntl(fd, F_SETFD, 0);
  return fd;
}

int creat(const char* path, mode_t mode) {
  return posix::open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
  if (stream_kind(fd) == Stream::kSocket) return close_socket(fd);
  return posix_result(io::close(fd));
}

std::FILE* fdopen(int fd, const char* mode) {
  std::FILE* const file = ::fdopen(fd, mode);
  if (file != nullptr) io::forget_file(fd);  // fclose() will not tell
  return file;
}

ssize_t read(int fd, void* data, size_t size) {
  if (blocks_thread()) return ::read(fd, data, size);
  const Stream kind = stream_kind(fd);
  if (kind == Stream::kSocket) return size == 0 ? 0 : posix::recv(fd, data, size, 0);
  if (kind == Stream::kOther) {
    if (size == 0 || !is_blocking(fd)) return ::read(fd, data, size);  // never waits
    wait_for_stream(fd, POLLIN);
  }
  return posix_result(io::read(fd, data, size));
}

ssize_t write(int fd, const void* data, size_t size) {
  if (blocks_thread()) return ::write(fd, data, size);
  const Stream kind = stream_kind(fd);
  if (kind == Stream::kSocket) return posix::send(fd, data, size, 0);
  if (kind == Stream::kNone) return posix_result(io::write(fd, data, size));
  if (size == 0 || !is_blocking(fd)) return ::write(fd, data, size);  // never waits
  // All of it is written, in pieces that a pipe which is ready has room for: a larger one may hold
  // a thread of the pool until somebody reads.
  size_t done = 0;
  while (done < size) {
    wait_for_stream(fd, POLLOUT);
    const ssize_t n = io::write(fd, static_cast<const char*>(data) + done,
                                std::min(size - done, size_t{PIPE_BUF}));
    if (n < 0 && done == 0) return posix_result(n);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  if (!in_fiber()) return ::pread(fd, data, size, offset);
  return posix_result(io::pread(fd, data, size, static_cast<uint64_t>(offset)));
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  if (!in_fiber()) return ::pwrite(fd, data, size, offset);
  return posix_result(io::pwrite(fd, data, size, static_cast<uint64_t>(offset)));
}

ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  if (!in_fiber()) return ::preadv(fd, parts, count, offset);
  return posix_result(io::preadv(fd, parts, count, static_cast<uint64_t>(offset)));
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  if (!in_fiber()) return ::pwritev(fd, parts, count, offset);
  return posix_result(io::pwritev(fd, parts, count, static_cast<uint64_t>(offset)));
}

int fsync(int fd) { return in_fiber() ? posix_result(io::fsync(fd)) : ::fsync(fd); }

int fdatasync(int fd) { return in_fiber() ? posix_result(io::fdatasync(fd)) : ::fdatasync(fd); }

int ftruncate(int fd, off_t length) {
  if (!in_fiber() || length < 0) return ::ftruncate(fd, length);
  return posix_result(io::ftruncate(fd, static_cast<uint64_t>(length)));
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  if (!in_fiber() || offset < 0 || length < 0) return ::fallocate(fd, mode, offset, length);
  return posix_result(
      io::fallocate(fd, mode, static_cast<uint64_t>(offset), static_cast<uint64_t>(length)));
}

int sync_file_range(int fd, off_t offset, off_t length, unsigned flags) {
  if (!in_fiber() || offset < 0 || length < 0) {
    return ::sync_file_range(fd, offset, length, flags);
  }
  return posix_result(
      io::sync_file_range(fd, static_cast<uint64_t>(offset), static_cast<uint64_t>(length), flags));
}

int rename(const char* from, const char* to) {
  return in_fiber() ? posix_result(io::rename(from, to)) : ::rename(from, to);
}

int unlink(const char* path) {
  return in_fiber() ? posix_result(io::unlink(path)) : ::unlink(path);
}

int remove(const char* path) {
  if (!in_fiber()) return ::remove(path);
  const int result = io::unlink(path);
  return posix_result(result == -EISDIR || result == -EPERM ? io::rmdir(path) : result);
}

int link(const char* existing, const char* created) {
  return in_fiber() ? posix_result(io::link(existing, created)) : ::link(existing, created);
}

int mkdir(const char* path, mode_t mode) {
  return in_fiber() ? posix_result(io::mkdir(path, mode)) : ::mkdir(path, mode);
}

int rmdir(const char* path) { return in_fiber() ? posix_result(io::rmdir(path)) : ::rmdir(path); }

int stat(const char* path, struct ::stat* out) {
  return in_fiber() ? posix_result(io::stat(path, out)) : ::stat(path, out);
}

int access(const char* path, int mode) {
  return in_fiber() ? posix_result(io::access(path, mode)) : ::access(path, mode);
}

unsigned sleep(unsigned seconds) {
  if (blocks_thread()) return ::sleep(seconds);
  sleep_nanos(seconds, 0);
  return 0;
}

int usleep(useconds_t micros) {
  if (blocks_thread()) return ::usleep(micros);
  sleep_nanos(0, uint64_t{micros} * 1000);
  return 0;
}

int nanosleep(const timespec* duration, timespec* left) {
  if (blocks_thread()) return ::nanosleep(duration, left);
  if (duration->tv_sec < 0 || duration->tv_nsec < 0 || duration->tv_nsec >= 1'000'000'000) {
    errno = EINVAL;
    return -1;
  }
  sleep_nanos(static_cast<uint64_t>(duration->tv_sec), static_cast<uint64_t>(duration->tv_nsec));
  if (left != nullptr) *left = {};
  return 0;
}

int sched_yield() {
  fiber::yield();
  return 0;
}

int pthread_setname_np(pthread_t thread, const char* name) {
  return is_calling_thread(thread) ? ::pthread_setname_np(::pthread_self(), name) : 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const sched_param* param) {
  return is_calling_thread(thread) ? ::pthread_setschedparam(::pthread_self(), policy, param) : 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
  return is_calling_thread(thread) ? ::pthread_setschedprio(::pthread_self(), priority) : 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* cpus) {
  return is_calling_thread(thread) ? ::pthread_setaffinity_np(::pthread_self(), size, cpus) : 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* cpus) {
  return means_worker(pid) ? 0 : ::sched_setaffinity(pid, size, cpus);
}

int sched_setscheduler(pid_t pid, int policy, const sched_param* param) {
  return means_worker(pid) ? 0 : ::sched_setscheduler(pid, policy, param);
}

int sched_setparam(pid_t pid, const sched_param* param) {
  return means_worker(pid) ? 0 : ::sched_setparam(pid, param);
}

int setpriority(int which, id_t who, int priority) {
  if (which == PRIO_PROCESS && means_worker(static_cast<pid_t>(who))) return 0;
  return ::setpriority(static_cast<__priority_which_t>(which), who, priority);
}

int nice(int increment) {
  if (!in_fiber()) return ::nice(increment);
  return ::getpriority(PRIO_PROCESS, 0);
}

pid_t gettid() {
  if (!in_fiber()) return static_cast<pid_t>(::syscall(SYS_gettid));
  constexpr uint64_t kNumbers = uint64_t{1} << 30;
  return static_cast<pid_t>(kNumbers | (fiber::detail::context_id() & (kNumbers - 1)));
}

namespace detail {
bool on_fiber() { return in_fiber(); }

bool is_about_worker(long number, long first, long second, long* result) {
  constexpr long kIoPriorityOfProcess = 1;
  *result = 0;
  switch (number) {
    case SYS_gettid:
      *result = posix::gettid();
      return true;
    case SYS_ioprio_set:
      return first == kIoPriorityOfProcess && means_worker(static_cast<pid_t>(second));
    case SYS_setpriority:
      return first == PRIO_PROCESS && means_worker(static_cast<pid_t>(second));
    case SYS_sched_setaffinity:
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_setattr:
      return means_worker(static_cast<pid_t>(first));
    default:
      return false;
  }
}
}  // namespace detail

}  // namespace fiber::posix
