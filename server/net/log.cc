#include "server/net/log.h"

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "fiber/clock.h"
#include "fiber/io.h"

namespace cairn::server {

namespace {

void AppendQuoted(std::string* line, std::string_view text) {
  line->push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line->push_back('\\');
      line->push_back(c);
    } else if (byte < 0x20 || byte == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", byte);
      line->append(escaped);
    } else {
      line->push_back(c);
    }
  }
  line->push_back('"');
}

}  // namespace

void Log::Write(std::string_view level, std::string_view message, const Fields& fields) {
  const uint64_t micros = fiber::wall_micros();
  const auto seconds = static_cast<time_t>(micros / 1'000'000);
  tm utc;
  gmtime_r(&seconds, &utc);
  char time[32];
  std::string line = "ts=";
  line.append(time, std::strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &utc));
  std::snprintf(time, sizeof(time), ".%06uZ level=", static_cast<unsigned>(micros % 1'000'000));
  line.append(time);
  line.append(level).append(" msg=");
  AppendQuoted(&line, message);
  for (const auto& [name, value] : fields) {
    line.append(" ").append(name).append("=");
    AppendQuoted(&line, value);
  }
  line.push_back('\n');
  // A log that cannot be written to stops nobody.
  static_cast<void>(fiber::io::write(fd_, line.data(), line.size()));
}

}  // namespace cairn::server
