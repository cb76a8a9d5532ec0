#include "kv_bench/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "fiber/io.h"

namespace kv_bench {

ProcessUsage UsageOfProcess() {
  rusage usage;
  // style: no clock, but the processor time and the writes of the whole process
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .written_bytes = static_cast<uint64_t>(usage.ru_oublock) * 512,
          .peak_memory_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024};
}

uint64_t ResidentBytes() {
  const int fd = fiber::io::open("/proc/self/statm", O_RDONLY);
  char text[128];
  const auto read = fd < 0 ? fd : fiber::io::pread(fd, text, sizeof(text), 0);
  if (fd >= 0) fiber::io::close(fd);
  uint64_t size = 0, resident = 0;  // pages
  std::istringstream(std::string(text, read > 0 ? static_cast<size_t>(read) : 0)) >> size >>
      resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace kv_bench
