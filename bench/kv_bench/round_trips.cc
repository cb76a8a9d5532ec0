#include "kv_bench/round_trips.h"

#include <fcntl.h>

#include <cstring>
#include <sstream>

#include "fiber/io.h"

namespace kv_bench {
namespace {

void Tell(const std::string& control, const char* what, std::string* error) {
  *error = control + ": " + what + "; is it the .slowfs of a mount of slowfs?";
}

}  // namespace

void ResetRoundTrips(const std::string& control, std::string* error) {
  constexpr char kCommand[] = "reset\n";
  const int fd = fiber::io::open(control.c_str(), O_WRONLY);
  if (fd < 0) return Tell(control, std::strerror(-fd), error);
  const auto written = fiber::io::pwrite(fd, kCommand, sizeof(kCommand) - 1, 0);
  fiber::io::close(fd);
  if (written < 0) Tell(control, std::strerror(static_cast<int>(-written)), error);
}

RoundTrips ReadRoundTrips(const std::string& control, std::string* error) {
  RoundTrips result;
  const int fd = fiber::io::open(control.c_str(), O_RDONLY);
  char text[4096];
  const auto size = fd < 0 ? fd : fiber::io::pread(fd, text, sizeof(text), 0);
  if (fd >= 0) fiber::io::close(fd);
  bool complete = false;
  std::istringstream lines(std::string(text, size > 0 ? static_cast<size_t>(size) : 0));
  std::string name;
  for (uint64_t value; lines >> name >> value;) {
    if (name == "rounds") {
      result.rounds = value;
      complete = true;
    } else if (name == "reads") {
      result.reads = value;
    }
  }
  if (!complete) Tell(control, "has no count of rounds", error);
  return result;
}

}  // namespace kv_bench
