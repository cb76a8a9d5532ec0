#include "sim/history.h"

#include <cstdio>

#include "fiber/clock.h"

namespace cairn::sim {

void Counts::Add(const Counts& other) {
  operations += other.operations;
  acknowledged += other.acknowledged;
  reads += other.reads;
  power_cuts += other.power_cuts;
  clean_restarts += other.clean_restarts;
  faults += other.faults;
  damaged += other.damaged;
  repaired += other.repaired;
  flushes += other.flushes;
  compactions += other.compactions;
}

void History::Mix(std::string_view text) {
  for (const char c : text) {
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  hash_ = (hash_ ^ 0x100) * 0x100000001b3u;
}

void History::Note(int who, std::string_view what, std::string_view key, std::string_view outcome) {
  std::string line = std::to_string(fiber::now_nanos()) + " ns ";
  line += who < 0 ? std::string("world") : "client " + std::to_string(who);
  line += ' ';
  line += what;
  if (!key.empty()) (line += ' ') += key;
  if (!outcome.empty()) (line += ": ") += outcome.substr(0, 200);
  Mix(line);
  if (print) std::printf("%s\n", line.c_str());
  last_.push_back(std::move(line));
  if (last_.size() > kKept) last_.pop_front();
}

void History::Violation(const std::string& what) {
  if (!violation_.empty()) return;
  violation_ = what;
  Note(-1, "VIOLATION", "", what);
}

std::string History::LastEvents() const {
  std::string text;
  for (const std::string& line : last_) (text += line) += '\n';
  return text;
}

}  // namespace cairn::sim
