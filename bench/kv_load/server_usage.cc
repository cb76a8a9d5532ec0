#include "kv_load/server_usage.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "fiber/io.h"

namespace kv_load {
namespace {

bool ReadWhole(const std::string& path, std::string* text, std::string* error) {
  const int fd = fiber::io::open(path.c_str(), O_RDONLY);
  ssize_t n = fd;
  text->clear();
  char piece[4096];
  while (fd >= 0 && (n = fiber::io::read(fd, piece, sizeof(piece))) > 0) {
    text->append(piece, static_cast<size_t>(n));
  }
  if (fd >= 0) fiber::io::close(fd);
  if (n >= 0) return true;
  *error = path + ": " + std::strerror(static_cast<int>(-n));
  return false;
}

// The number after `name`, in kB, in bytes; 0 if it is not there.
uint64_t KilobytesOf(const std::string& text, const char* name) {
  const size_t at = text.find(name);
  return at == std::string::npos
             ? 0
             : std::strtoull(text.c_str() + at + std::strlen(name), nullptr, 10) * 1024;
}

}  // namespace

bool ReadServerUsage(int pid, ServerUsage* usage, std::string* error) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::string text;
  if (!ReadWhole(folder + "/stat", &text, error)) return false;
  // The second field, in parentheses, may contain anything; utime and stime are the 14th and 15th.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    *error = folder + "/stat: no process name";
    return false;
  }
  size_t at = name_end + 1;
  for (int field = 3; field < 14 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) {
    *error = folder + "/stat: too few fields";
    return false;
  }
  char* rest = nullptr;
  const uint64_t user = std::strtoull(text.c_str() + at, &rest, 10);
  const uint64_t system = std::strtoull(rest, nullptr, 10);
  usage->cpu_seconds =
      static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  if (!ReadWhole(folder + "/status", &text, error)) return false;
  usage->peak_memory_bytes = KilobytesOf(text, "VmHWM:");
  usage->memory_bytes = KilobytesOf(text, "VmRSS:");
  return true;
}

}  // namespace kv_load
