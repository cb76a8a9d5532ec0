// What one client has written: the state that its keys had when last checked against the database,
// and each write since, whether it was acknowledged, and when. From that follows what the database
// may hold after a restart.
//
// A client's keys are its own, and it writes one after the other, so the state after its first n
// writes is known for each n. After a restart its keys must be as after some n that is not less
// than what was promised to last.

#ifndef CAIRN_SIM_LEDGER_H_
#define CAIRN_SIM_LEDGER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/iterator.h"
#include "rocksdb/status.h"

namespace cairn::sim {

using State = std::map<std::string, std::string>;  // values: see sim/entity.h

// What a family that was imported shows of one client's keys: all of it, or it is not there.
// (sim/client_import.cc)
struct ImportedState {
  std::string prefix;
  State state;

  // *difference is left alone if there is none. The status is the iterator's.
  rocksdb::Status Check(rocksdb::Iterator* it, std::string* difference) const;
};

struct Effect {
  std::string key;
  std::optional<std::string> value;  // nothing: the key goes
};

struct Write {
  std::vector<Effect> effects;
  uint64_t begin = 0;  // virtual nanoseconds
  uint64_t end = 0;    // 0: never acknowledged
  bool synced = false;
  bool from_outside = false;  // files that were ingested: tables at once, in no log
};

void Apply(const std::vector<Effect>& effects, State* state);

class Ledger {
 public:
  // The state after all writes, acknowledged or not.
  const State& state() const { return state_; }
  const std::vector<Write>& writes() const { return writes_; }

  // A write is sent; answered. At most one is on its way.
  void Begin(std::vector<Effect> effects, uint64_t now, bool from_outside = false);
  void Acknowledge(uint64_t now, bool synced);

  // The writes that must be there after a restart: all acknowledged ones, or those up to the last
  // that was promised to last, by its own sync or one of a moment when it had been acknowledged.
  size_t AllAcknowledged() const;
  size_t Durable(uint64_t durable_from) const;

  // The least and most writes, `least` or more, after which the state is `found`. False: there is
  // none; *difference tells how it differs from that after `least`.
  struct Fit {
    size_t least;
    size_t most;
  };
  bool FitTo(const State& found, size_t least, Fit* fit, std::string* difference) const;
  // Of a log that was damaged: `found` is the state after some of the writes, and after whatever
  // was ingested later. (What memory held of its keys was in tables then.)
  bool FitsButForALog(const State& found) const;

  // From now on `found` is the state, and nothing is on its way.
  void Restart(const State& found);

 private:
  State checked_;
  State state_;
  std::vector<Write> writes_;  // since checked_
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_LEDGER_H_
