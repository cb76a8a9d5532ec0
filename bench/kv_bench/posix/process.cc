#include "kv_bench/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "fiber/io.h"

namespace kv_bench {

namespace {

// A small file of the system; empty if it has none.
std::string TextOf(const char* path) {
  const int fd = fiber::io::open(path, O_RDONLY);
  char text[512];
  const auto size = fd < 0 ? fd : fiber::io::pread(fd, text, sizeof(text), 0);
  if (fd >= 0) fiber::io::close(fd);
  return std::string(text, size > 0 ? static_cast<size_t>(size) : 0);
}

uint64_t WriteCalls() {
  std::istringstream lines(TextOf("/proc/self/io"));
  std::string name;
  for (uint64_t value = 0; lines >> name >> value;) {
    if (name == "syscw:") return value;
  }
  return 0;
}

}  // namespace

ProcessUsage UsageOfProcess() {
  rusage usage;
  // style: no clock, but the processor time and the writes of the whole process
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .written_bytes = static_cast<uint64_t>(usage.ru_oublock) * 512,
          .waits = static_cast<uint64_t>(usage.ru_nvcsw),
          .write_calls = WriteCalls(),
          .peak_memory_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024};
}

uint64_t ResidentBytes() {
  uint64_t size = 0, resident = 0;  // pages
  std::istringstream(TextOf("/proc/self/statm")) >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace kv_bench
