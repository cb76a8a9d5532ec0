#include "server/host/machine.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "server/host/descriptors.h"
#include "server/host/files.h"

namespace cairn::server {

namespace {

// UINT64_MAX: there is none, or it has no number.
uint64_t NumberIn(const char* file) {
  std::string text;
  uint64_t number = 0;
  if (!ReadFile(file, &text).ok()) return UINT64_MAX;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : UINT64_MAX;
}

uint64_t PageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

uint64_t Micros(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

CpuTimes TimesOf(const rusage& usage) { return {Micros(usage.ru_stime), Micros(usage.ru_utime)}; }

}  // namespace

uint64_t ProcessId() { return static_cast<uint64_t>(getpid()); }

ProcessUsage UsageOfProcess() {
  rusage own = {}, children = {};
  getrusage(RUSAGE_SELF, &own);           // style: no other source of the peak memory
  getrusage(RUSAGE_CHILDREN, &children);  // style: nor of children's times
  return {static_cast<uint64_t>(own.ru_maxrss) * 1024, TimesOf(own), TimesOf(children)};
}

uint64_t ResidentBytes() {
  std::string text;
  if (!ReadFile("/proc/self/statm", &text).ok()) return 0;
  uint64_t pages = 0;
  const char* const begin = text.data() + text.find(' ') + 1;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), pages);
  return error == std::errc() ? pages * PageSize() : 0;
}

uint64_t MemoryForProcess() {
  const uint64_t page = PageSize();
  uint64_t all = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  all = std::min(all, NumberIn("/sys/fs/cgroup/memory.max"));
  all = std::min(all, NumberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    // Of that a part is taken before anything is in it: stacks, the heaps of threads.
    const uint64_t pages = NumberIn("/proc/self/statm");
    const uint64_t taken = pages == UINT64_MAX ? 0 : pages * page;
    all = std::min<uint64_t>(all, space.rlim_cur - std::min<uint64_t>(space.rlim_cur, taken));
  }
  return all;
}

uint64_t RaiseDescriptorLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    // The kernel has a limit of its own (fs.nr_open) below what it calls none.
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
      raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t{1} << 20);
      static_cast<void>(setrlimit(RLIMIT_NOFILE, &raised));
    }
    static_cast<void>(getrlimit(RLIMIT_NOFILE, &limit));
  }
  return limit.rlim_cur;
}

std::string AllocatorName() {
  // By what the program has at run time: it may also be preloaded.
  using Mallctl = int (*)(const char*, void*, size_t*, void*, size_t);
  const auto mallctl = reinterpret_cast<Mallctl>(dlsym(RTLD_DEFAULT, "mallctl"));
  const char* version = nullptr;
  size_t size = sizeof(version);
  if (mallctl != nullptr && mallctl("version", &version, &size, nullptr, 0) == 0) {
    const std::string_view text(version);  // "5.3.0-0-g54eaed1d8b56..."
    return "jemalloc-" + std::string(text.substr(0, text.find('-')));
  }
  const auto mimalloc = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "mi_version"));
  if (mimalloc == nullptr) return "libc";
  const int number = mimalloc();  // 209
  return "mimalloc-" + std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." +
         std::to_string(number % 10);
}

bool IsFull(int fd) {
  pollfd one = {fd, POLLOUT, 0};
  return ::poll(&one, 1, 0) == 0;  // style: it does not wait
}

bool HasHungUp(int fd) {
  pollfd one = {fd, POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;  // style: it does not wait
}

bool IsAbsolutePath(std::string_view path) { return path.starts_with('/'); }

size_t FolderLength(std::string_view path) { return path.rfind('/') + 1; }

struct tm ToUtc(uint64_t unix_seconds) {
  const auto seconds = static_cast<time_t>(unix_seconds);
  struct tm utc = {};
  gmtime_r(&seconds, &utc);
  return utc;
}

}  // namespace cairn::server
