#include "crash/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fiber/io.h"

namespace cairn::crash {

namespace io = fiber::io;

void Fail(const std::string& message) {
  std::fprintf(stderr, "crash_writer: %s\n", message.c_str());
  std::fflush(stdout);
  std::_Exit(2);
}

bool ReadFile(const std::string& path, std::string* text) {
  const int fd = io::open(path.c_str(), io::kReadOnly);
  if (fd == -ENOENT) return false;
  if (fd < 0) Fail(path + ": " + std::strerror(-fd));
  text->clear();
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ptrdiff_t n = io::pread(fd, buffer.data(), buffer.size(), text->size());
    if (n < 0) Fail(path + ": " + std::strerror(static_cast<int>(-n)));
    if (n == 0) break;
    text->append(buffer.data(), static_cast<size_t>(n));
  }
  io::close(fd);
  return true;
}

bool Memory::Load(const std::string& path, Memory* memory) {
  std::string text;
  if (!ReadFile(path, &text)) return false;
  std::istringstream lines(text);
  size_t writers = 0;
  if (!(lines >> memory->life >> writers)) Fail(path + ": damaged");
  memory->starts.assign(writers, {});
  for (auto& starts : memory->starts) {
    size_t count = 0;
    if (!(lines >> count)) Fail(path + ": damaged");
    starts.resize(count);
    for (LifeStart& start : starts) {
      if (!(lines >> start.life >> start.first)) Fail(path + ": damaged");
    }
  }
  return true;
}

void Memory::Save(const std::string& path) const {
  std::string text = std::to_string(life) + " " + std::to_string(starts.size()) + "\n";
  for (const auto& of_writer : starts) {
    text += std::to_string(of_writer.size());
    for (const LifeStart& start : of_writer) {
      text += " " + std::to_string(start.life) + " " + std::to_string(start.first);
    }
    text += "\n";
  }
  const std::string next = path + ".next";
  const int fd = io::open(next.c_str(), io::kWriteOnly | io::kCreate | io::kTruncate);
  if (fd < 0) Fail(next + ": " + std::strerror(-fd));
  const ptrdiff_t n = io::pwrite(fd, text.data(), text.size(), 0);
  if (n != static_cast<ssize_t>(text.size())) Fail(next + ": cannot be written");
  io::close(fd);
  if (const int status = io::rename(next.c_str(), path.c_str()); status < 0) {
    Fail(path + ": " + std::strerror(-status));
  }
}

std::string LogName(const std::string& state_path, uint64_t life) {
  return state_path + ".log." + std::to_string(life);
}

Journal::Journal(const std::string& path, bool append)
    : fd_(io::open(path.c_str(),
                   io::kWriteOnly | io::kCreate | io::kAppend | (append ? 0 : io::kTruncate))) {
  if (fd_ < 0) Fail(path + ": " + std::strerror(-fd_));
}

Journal::~Journal() { io::close(fd_); }

void Journal::Line(const std::string& text) {
  const std::string line = text + "\n";
  fiber::MutexLock lock(&mutex_);
  const ptrdiff_t n = io::write(fd_, line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size())) Fail("the journal cannot be written");
}

Promises ReadJournal(const std::string& path, const std::vector<uint64_t>& held, bool power) {
  Promises p{held, held, held, {}, {}};
  p.before.resize(held.size());
  std::string text;
  if (!ReadFile(path, &text)) return p;
  // What was acknowledged when an operation began.
  std::map<uint64_t, std::vector<uint64_t>> operations;
  std::map<uint64_t, CheckpointPromise> checkpoints;
  // A write that failed is issued again: what is there may be of the first time, and what is
  // acknowledged is of the last.
  std::vector<std::vector<uint64_t>> last_before(held.size());
  const auto promise = [&](const std::vector<uint64_t>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) p.least[i] = std::max(p.least[i], numbers[i]);
  };
  bool syncs_count = true;
  const auto counts = [&](const std::string& kind) {
    return (kind == "s" && (syncs_count || !power)) || (kind == "o" && !power);
  };
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (lines.eof()) break;  // cut short: no newline
    std::istringstream words(line);
    std::string what, kind;
    uint64_t writer = 0, number = 0;
    words >> what >> writer;
    if (what == "X") {
      syncs_count = false;
    } else if (what == "b" && words >> number && writer < held.size()) {
      p.most[writer] = std::max(p.most[writer], number);
      p.before[writer].try_emplace(number, p.acknowledged);
      last_before[writer] = p.acknowledged;
    } else if (what == "a" && words >> number >> kind && writer < held.size()) {
      p.acknowledged[writer] = std::max(p.acknowledged[writer], number);
      if (counts(kind)) {
        promise(last_before[writer]);
        p.least[writer] = std::max(p.least[writer], number);
      }
    } else if (what == "B") {
      operations[writer] = p.acknowledged;
    } else if (what == "D" && words >> kind) {
      if (counts(kind)) promise(operations[writer]);
    } else if (what == "C" && words >> kind) {
      checkpoints[writer] = {kind, false, p.acknowledged, {}};
    } else if (what == "E") {
      checkpoints[writer].ended = true;
      checkpoints[writer].most = p.most;
    } else {
      Fail(path + ": a line that says nothing: " + line);
    }
  }
  for (auto& [id, checkpoint] : checkpoints) p.checkpoints.push_back(std::move(checkpoint));
  return p;
}

}  // namespace cairn::crash
