// When writers must slow down or stop so that flush and compaction can keep up. A pure decision
// over a few counts and the user's limits (RocksDB's rules), and the arithmetic of the delayed
// write rate (not RocksDB's, which falls and rises by a factor with each change of the debt, and so
// depends on how often it changed). Called by BackgroundWork each time a super version is
// installed. No locks, no state: trivially testable.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/namespace.h"
#include "rocksdb/options.h"

namespace cairn {

enum class StallCondition { kNormal, kDelayed, kStopped };
enum class StallCause {
  kNone,
  kMemtableLimit,
  kLevel0FileCount,
  kPendingCompactionBytes,
  kWriteBufferManager
};

struct StallInputs {
  int unflushed_memtables = 0;  // immutable memtables that wait for, or are in, a flush
  int level0_files = 0;
  uint64_t pending_compaction_bytes = 0;  // estimated bytes that compaction must rewrite
  bool auto_compactions = true;           // without them only the memtable limit counts
};

struct StallDecision {
  StallCondition condition = StallCondition::kNormal;
  StallCause cause = StallCause::kNone;
  bool operator==(const StallDecision&) const = default;
};

// The limits are those of `options`.
StallDecision DecideStall(const StallInputs& inputs, const ColumnFamilyOptions& options);

// Compaction is behind, be there a stall or not: writes of low priority wait.
bool IsCompactionBehind(const StallInputs& inputs, const ColumnFamilyOptions& options);

// A sentence for the LOG, e.g. "Stopping writes because we have 36 level-0 files".
std::string StallMessage(const StallDecision& decision, const StallInputs& inputs,
                         const ColumnFamilyOptions& options);

// How often writers were held up and for how long, by cause. One instance per database; the
// caller's lock guards it.
class StallTimes {
 public:
  struct Entry {
    uint64_t count = 0;
    uint64_t micros = 0;
  };
  // A write group waited so long under `decision`.
  void Add(const StallDecision& decision, uint64_t micros);
  uint64_t total_micros() const;
  // "memtable-limit-stops", "l0-file-count-limit-delays", ...: RocksDB's names, with the counts;
  // and the same with "-micros" behind.
  std::map<std::string, std::string> ToMap() const;
  // "io_stalls.level0_slowdown", ...: the names of the counts in RocksDB's "rocksdb.cfstats" map.
  std::map<std::string, std::string> ToOldMap() const;

 private:
  static constexpr int kCauses = 5;
  Entry entries_[kCauses][2];  // by cause; delayed, stopped
};

// How far the debt that delays writes has gone: 0 where delays begin, 1 where writes stop. 0 unless
// `cause` is one that delays.
double StallDepth(StallCause cause, const StallInputs& inputs, const ColumnFamilyOptions& options);

// The write rate while delayed, bytes per second: `max` where delays begin, and a 64th of it where
// writes would stop, falling by the same factor with each step between, up to the depth. It depends
// on nothing else: as the debt shrinks, the rate is again what it was. At least 16 KiB/s, but not
// above `max`.
uint64_t DelayedWriteRate(uint64_t max, double depth);

}  // namespace cairn
