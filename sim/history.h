// What happens in a simulated world, in the order in which it happens: a hash over all of it (two
// runs are equal if theirs are), the last events as text, counts, and the first violation.
//
// Within a simulation, where one thread runs at a time.

#ifndef CAIRN_SIM_HISTORY_H_
#define CAIRN_SIM_HISTORY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/namespace.h"

namespace cairn::sim {

struct Counts {
  uint64_t operations = 0;
  uint64_t acknowledged = 0;  // writes
  uint64_t reads = 0;
  uint64_t power_cuts = 0;
  uint64_t clean_restarts = 0;
  uint64_t faults = 0;   // operations of the disk that failed
  uint64_t damaged = 0;  // databases with a bit flipped
  uint64_t repaired = 0;
  uint64_t flushes = 0;
  uint64_t compactions = 0;

  void Add(const Counts& other);
};

class History {
 public:
  // An event: `who` (a client, or -1) has done `what` with `key`; `outcome` is part of the hash.
  void Note(int who, std::string_view what, std::string_view key, std::string_view outcome);
  // The first one counts.
  void Violation(const std::string& what);

  bool violated() const { return !violation_.empty(); }
  const std::string& violation() const { return violation_; }
  uint64_t hash() const { return hash_; }
  // The last events, a line each.
  std::string LastEvents() const;

  Counts counts;
  bool print = false;  // each event, to the standard output

 private:
  void Mix(std::string_view text);

  static constexpr size_t kKept = 40;
  uint64_t hash_ = 0xcbf29ce484222325u;  // FNV-1a
  std::deque<std::string> last_;
  std::string violation_;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_HISTORY_H_
