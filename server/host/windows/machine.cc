#include "server/host/machine.h"

#include <winsock2.h>
// After winsock2.h, whose types they need.
#include <windows.h>
// After windows.h.
#include <psapi.h>

#include <algorithm>
#include <cerrno>

#include "fiber/io.h"
#include "fiber/limits.h"
#include "fiber/net.h"
#include "server/host/descriptors.h"

namespace cairn::server {

namespace {

// Of a duration in units of 100 ns.
uint64_t Micros(const FILETIME& time) {
  return (uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) / 10;
}

PROCESS_MEMORY_COUNTERS MemoryOfProcess() {
  PROCESS_MEMORY_COUNTERS memory = {};
  memory.cb = sizeof(memory);
  if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof(memory))) memory = {};
  return memory;
}

}  // namespace

uint64_t ProcessId() { return GetCurrentProcessId(); }

ProcessUsage UsageOfProcess() {
  ProcessUsage usage;
  usage.peak_resident_bytes = MemoryOfProcess().PeakWorkingSetSize;
  FILETIME began, ended, system, user;
  if (GetProcessTimes(GetCurrentProcess(), &began, &ended, &system, &user)) {
    usage.own = {Micros(system), Micros(user)};
  }
  return usage;
}

uint64_t ResidentBytes() { return MemoryOfProcess().WorkingSetSize; }

uint64_t MemoryForProcess() {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof(memory);
  uint64_t all = GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : uint64_t{1} << 30;
  // A job may have less.
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof(job),
                                nullptr)) {
    if (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) {
      all = std::min<uint64_t>(all, job.ProcessMemoryLimit);
    }
    if (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY) {
      all = std::min<uint64_t>(all, job.JobMemoryLimit);
    }
  }
  return all;
}

std::string AllocatorName() { return CAIRN_PROGRAMS_ALLOCATOR; }

// There is none to raise; a million descriptors are more than the server plans with.
uint64_t RaiseDescriptorLimit() { return std::min<uint64_t>(fiber::descriptor_limit(), 1 << 20); }

bool IsFull(int /*fd*/) { return false; }

bool HasHungUp(int fd) {
  // By the documentation the system tells of an end behind bytes that were not received, too. Wine
  // does not.
  WSAPOLLFD one = {reinterpret_cast<SOCKET>(fiber::io::native_handle(fd)), POLLRDNORM, 0};
  if (WSAPoll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0) return true;
  char byte;
  const ptrdiff_t n = fiber::net::recv(fd, &byte, 1, fiber::net::kPeek | fiber::net::kDontWait);
  return n == 0 || (n < 0 && n != -EAGAIN);  // negative: the peer has reset the connection
}

bool IsAbsolutePath(std::string_view path) {
  const auto separates = [path](size_t i) { return path[i] == '/' || path[i] == '\\'; };
  if (path.size() < 3) return false;
  return (path[1] == ':' && separates(2)) || (separates(0) && separates(1));
}

size_t FolderLength(std::string_view path) { return path.find_last_of("/\\:") + 1; }

struct tm ToUtc(uint64_t unix_seconds) {
  const auto seconds = static_cast<time_t>(unix_seconds);
  struct tm utc = {};
  (void)gmtime_s(&utc, &seconds);
  return utc;
}

}  // namespace cairn::server
