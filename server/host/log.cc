#include "server/host/log.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "server/host/machine.h"

namespace cairn::server {

using rocksdb::Status;

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

std::string Line(std::string_view level, std::string_view message, const Log::Fields& fields) {
  const uint64_t micros = fiber::wall_micros();
  const tm utc = ToUtc(micros / 1'000'000);
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
  return line;
}

int OpenFile(const std::string& file) {
  return fiber::io::open(file.c_str(),
                         fiber::io::kWriteOnly | fiber::io::kCreate | fiber::io::kAppend, 0640);
}

}  // namespace

Status Log::Open(const std::string& file, std::unique_ptr<Log>* log) {
  const int fd = OpenFile(file);
  if (fd < 0) return Status::IOError("cannot open " + file, std::strerror(-fd));
  log->reset(new Log(fd, file));
  return Status::OK();
}

Log::~Log() {
  const fiber::MutexLock lock(&mutex_);
  if (!file_.empty()) fiber::io::close(fd_);
}

Status Log::Reopen() {
  if (file_.empty()) return Status::OK();
  const int fd = OpenFile(file_);
  if (fd < 0) return Status::IOError("cannot open " + file_, std::strerror(-fd));
  const fiber::MutexLock lock(&mutex_);
  fiber::io::close(fd_);
  fd_ = fd;
  return Status::OK();
}

bool Log::WriteLine(std::string_view line) {
  // A pipe that has no room for a line stops nobody. (One that nobody reads says that it has.)
  if (IsFull(fd_)) return false;
  while (!line.empty()) {
    const ptrdiff_t n = fiber::io::write(fd_, line.data(), line.size());
    if (n <= 0) return false;
    line.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void Log::Write(std::string_view level, std::string_view message, const Fields& fields) {
  const std::string line = Line(level, message, fields);
  const fiber::MutexLock lock(&mutex_);
  if (lost_ != 0 && WriteLine(Line("warn", "lines of this log are missing",
                                   {{"lines", std::to_string(lost_)}}))) {
    lost_ = 0;
  }
  if (lost_ != 0 || !WriteLine(line)) ++lost_;
}

}  // namespace cairn::server
