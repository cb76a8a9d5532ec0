// What the operating system tells of this process and its descriptors: host/posix and host/windows
// each have one body. Thread safe; nothing of it waits.

#ifndef CAIRN_SERVER_HOST_MACHINE_H_
#define CAIRN_SERVER_HOST_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace cairn::server {

uint64_t ProcessId();

// Of the process since it began, and of its children that have ended (on Windows always 0).
struct CpuTimes {
  uint64_t system_micros = 0;
  uint64_t user_micros = 0;
};
struct ProcessUsage {
  uint64_t peak_resident_bytes = 0;
  CpuTimes own;
  CpuTimes children;
};
ProcessUsage UsageOfProcess();
// Memory that the process has in use now, in bytes; 0 if the system does not say.
uint64_t ResidentBytes();
// What the process may have of memory at most, in bytes: the machine's, or less where it is
// limited.
uint64_t MemoryForProcess();
// Whose malloc() the program has (on Windows: operator new), as Redis calls it: "libc",
// "jemalloc-5.3.0", "mimalloc-2.0.9".
std::string AllocatorName();

// Whether a write to it would wait: a pipe that has no room. (One that nobody reads says that it
// has; on Windows, where a pipe does not tell, never.)
bool IsFull(int fd);
// Whether the peer of a connected socket has hung up, perhaps behind what was not received yet
// (under Wine: only if there is nothing of that), or has reset the connection.
bool HasHungUp(int fd);

// Whether it depends on no working directory.
bool IsAbsolutePath(std::string_view path);
// Bytes of the path up to its last separator and with it; 0 if there is none.
size_t FolderLength(std::string_view path);

// In Greenwich. REQUIRES: the year has four digits.
struct tm ToUtc(uint64_t unix_seconds);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_MACHINE_H_
