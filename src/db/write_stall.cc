#include "db/write_stall.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {
namespace {

constexpr uint64_t kMinRate = 16 << 10;
constexpr double kDeepest = 64;  // how much slower writes are at the brink of a stop

// From so many level-0 files on compaction should hurry: a quarter of the way from its trigger to
// the slowdown, at most twice the trigger. RocksDB's rule.
int PressureFiles(const ColumnFamilyOptions& options) {
  const int trigger = options.level0_file_num_compaction_trigger;
  const int slowdown = options.level0_slowdown_writes_trigger;
  if (trigger < 0 || slowdown < trigger) return std::numeric_limits<int>::max();
  return static_cast<int>(
      std::min<int64_t>(int64_t{2} * trigger, trigger + (slowdown - trigger) / 4));
}

constexpr const char* kCauseNames[] = {"no-cause", "memtable-limit", "l0-file-count-limit",
                                       "pending-compaction-bytes", "write-buffer-manager-limit"};
constexpr const char* kConditionNames[] = {"delays", "stops"};

}  // namespace

StallDecision DecideStall(const StallInputs& in, const ColumnFamilyOptions& options) {
  const bool automatic = in.auto_compactions;
  StallDecision out;
  if (in.unflushed_memtables >= options.max_write_buffer_number) {
    out.condition = StallCondition::kStopped;
    out.cause = StallCause::kMemtableLimit;
  } else if (automatic && in.level0_files >= options.level0_stop_writes_trigger) {
    out.condition = StallCondition::kStopped;
    out.cause = StallCause::kLevel0FileCount;
  } else if (automatic && options.hard_pending_compaction_bytes_limit > 0 &&
             in.pending_compaction_bytes >= options.hard_pending_compaction_bytes_limit) {
    out.condition = StallCondition::kStopped;
    out.cause = StallCause::kPendingCompactionBytes;
  } else if (options.max_write_buffer_number > 3 &&
             in.unflushed_memtables >= options.max_write_buffer_number - 1 &&
             in.unflushed_memtables - 1 >= options.min_write_buffer_number_to_merge) {
    out.condition = StallCondition::kDelayed;
    out.cause = StallCause::kMemtableLimit;
  } else if (automatic && options.level0_slowdown_writes_trigger >= 0 &&
             in.level0_files >= options.level0_slowdown_writes_trigger) {
    out.condition = StallCondition::kDelayed;
    out.cause = StallCause::kLevel0FileCount;
  } else if (automatic && options.soft_pending_compaction_bytes_limit > 0 &&
             in.pending_compaction_bytes >= options.soft_pending_compaction_bytes_limit) {
    out.condition = StallCondition::kDelayed;
    out.cause = StallCause::kPendingCompactionBytes;
  }
  return out;
}

bool IsCompactionBehind(const StallInputs& in, const ColumnFamilyOptions& options) {
  const uint64_t soft = options.soft_pending_compaction_bytes_limit;
  return in.auto_compactions && (in.level0_files >= PressureFiles(options) ||
                                 (soft > 0 && in.pending_compaction_bytes >= soft / 4));
}

void StallTimes::Add(const StallDecision& decision, uint64_t micros) {
  Entry& entry = entries_[static_cast<int>(decision.cause)]
                         [decision.condition == StallCondition::kStopped ? 1 : 0];
  entry.count++;
  entry.micros += micros;
}

uint64_t StallTimes::total_micros() const {
  uint64_t total = 0;
  for (const auto& cause : entries_) total += cause[0].micros + cause[1].micros;
  return total;
}

std::map<std::string, std::string> StallTimes::ToMap() const {
  std::map<std::string, std::string> out;
  for (int condition = 0; condition < 2; ++condition) {
    uint64_t all = 0;
    for (int cause = 1; cause < kCauses; ++cause) {
      const Entry& entry = entries_[cause][condition];
      const std::string name = std::string(kCauseNames[cause]) + "-" + kConditionNames[condition];
      out[name] = std::to_string(entry.count);
      out[name + "-micros"] = std::to_string(entry.micros);
      all += entry.count;
    }
    out[std::string("total-") + kConditionNames[condition]] = std::to_string(all);
  }
  return out;
}

std::map<std::string, std::string> StallTimes::ToOldMap() const {
  std::map<std::string, std::string> out;
  uint64_t all[2] = {};
  const auto add = [&](StallCause cause, const char* slowdowns, const char* stops) {
    const auto& entry = entries_[static_cast<int>(cause)];
    out[std::string("io_stalls.") + slowdowns] = std::to_string(entry[0].count);
    out[std::string("io_stalls.") + stops] = std::to_string(entry[1].count);
    for (int condition = 0; condition < 2; ++condition) all[condition] += entry[condition].count;
  };
  add(StallCause::kLevel0FileCount, "level0_slowdown", "level0_numfiles");
  add(StallCause::kPendingCompactionBytes, "slowdown_for_pending_compaction_bytes",
      "stop_for_pending_compaction_bytes");
  add(StallCause::kMemtableLimit, "memtable_slowdown", "memtable_compaction");
  out["io_stalls.total_slowdown"] = std::to_string(all[0]);
  out["io_stalls.total_stop"] = std::to_string(all[1]);
  return out;
}

std::string StallMessage(const StallDecision& decision, const StallInputs& in,
                         const ColumnFamilyOptions& options) {
  std::string what =
      decision.condition == StallCondition::kStopped ? "Stopping writes" : "Stalling writes";
  switch (decision.cause) {
    case StallCause::kNone:
      return "Writes run freely";
    case StallCause::kMemtableLimit:
      return what + " because we have " + std::to_string(in.unflushed_memtables) +
             " immutable memtables (waiting for flush), max_write_buffer_number is set to " +
             std::to_string(options.max_write_buffer_number);
    case StallCause::kLevel0FileCount:
      return what + " because we have " + std::to_string(in.level0_files) + " level-0 files";
    case StallCause::kPendingCompactionBytes:
      return what + " because of estimated pending compaction bytes " +
             std::to_string(in.pending_compaction_bytes);
    case StallCause::kWriteBufferManager:
      return what + " because all memtables reached the limit of the write buffer manager";
  }
  return what;
}

double StallDepth(StallCause cause, const StallInputs& in, const ColumnFamilyOptions& options) {
  double debt = 0, begin = 0, stop = 0;
  if (cause == StallCause::kLevel0FileCount) {
    debt = in.level0_files;
    begin = options.level0_slowdown_writes_trigger;
    stop = options.level0_stop_writes_trigger;
  } else if (cause == StallCause::kPendingCompactionBytes) {
    constexpr double kUnlimited = 4;  // without a hard limit: at four times the soft one
    debt = static_cast<double>(in.pending_compaction_bytes);
    begin = static_cast<double>(options.soft_pending_compaction_bytes_limit);
    stop = options.hard_pending_compaction_bytes_limit > 0
               ? static_cast<double>(options.hard_pending_compaction_bytes_limit)
               : kUnlimited * begin;
  } else if (cause == StallCause::kMemtableLimit) {
    // One memtable before the stop: halfway.
    debt = 1;
    stop = 2;
  }
  return stop > begin ? std::clamp((debt - begin) / (stop - begin), 0.0, 1.0) : 0.0;
}

uint64_t DelayedWriteRate(uint64_t max, double depth) {
  const double rate = static_cast<double>(max) * std::pow(kDeepest, -depth);
  return std::min(max, std::max(kMinRate, static_cast<uint64_t>(rate)));
}

}  // namespace cairn
