// What "rocksdb.stats" and its kin say, and its copy in the LOG every stats_dump_period_sec. The
// tables of a column family: db/level_stats.h; here is what all families share, in RocksDB's
// layout.
#include <algorithm>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/string_util.h"
#include "db/database.h"
#include "db/families.h"
#include "db/stats_reports.h"
#include "fiber/clock.h"
#include "options/options_check.h"

namespace cairn {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kGiB = kMiB * 1024.0;

double Ratio(uint64_t a, uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(b == 0 ? 1 : b);
}

std::string WritesLine(const char* when, const WriteCounters::Figures& w, const std::string& bytes,
                       double seconds) {
  return StringPrintf(
      "%s writes: %s writes, %s keys, %s commit groups, %.1f writes per commit group, ingest: %s, "
      "%.2f MB/s\n",
      when, NumberToHumanString(w.writes).c_str(), NumberToHumanString(w.keys).c_str(),
      NumberToHumanString(w.groups).c_str(), Ratio(w.writes, w.groups), bytes.c_str(),
      w.bytes / kMiB / (seconds + 1e-9));
}

std::string WalLine(const char* when, const WriteCounters::Figures& w, uint64_t syncs,
                    double seconds) {
  return StringPrintf(
      "%s WAL: %s writes, %s syncs, %.2f writes per sync, written: %.2f GB, %.2f MB/s\n", when,
      NumberToHumanString(w.wal_writes).c_str(), NumberToHumanString(syncs).c_str(),
      Ratio(w.wal_writes, syncs), w.wal_bytes / kGiB, w.wal_bytes / kMiB / (seconds + 1e-9));
}

std::string StallLine(const char* when, uint64_t micros, double seconds) {
  const uint64_t whole = micros / 1000000;
  return StringPrintf("%s stall: %02llu:%02llu:%06.3f H:M:S, %.1f percent\n", when,
                      static_cast<unsigned long long>(whole / 3600),
                      static_cast<unsigned long long>(whole / 60 % 60),
                      static_cast<double>(whole % 60) + static_cast<double>(micros % 1000000) / 1e6,
                      static_cast<double>(micros) / 1e4 / (seconds + 1e-9));
}

WriteCounters::Figures Since(const WriteCounters::Figures& now,
                             const WriteCounters::Figures& before) {
  return {now.writes - before.writes,         now.keys - before.keys,
          now.groups - before.groups,         now.bytes - before.bytes,
          now.wal_writes - before.wal_writes, now.wal_bytes - before.wal_bytes};
}

// "l0-file-count-limit-delays: 0, ...", without the times.
std::string StallCounts(const StallTimes& times, const char* only = nullptr) {
  std::string out;
  for (const auto& [cause, count] : times.ToMap()) {
    if (cause.ends_with("-micros")) continue;
    if (only != nullptr && !cause.starts_with(only)) continue;
    out.append(out.empty() ? "" : ", ").append(cause).append(": ").append(count);
  }
  return out;
}

}  // namespace

StatsReports::StatsReports(Database* db)
    : Part(db), counts_from_nanos_(fiber::now_nanos()), on_disk_(db) {}

double StatsReports::Uptime() const {
  return static_cast<double>(fiber::now_nanos() - counts_from_nanos_) / 1e9;
}

std::string StatsReports::FamilyStatsText(ColumnFamily* family) {
  LevelStats::Surroundings around;
  around.family = family->name();
  around.uptime = Uptime();
  around.pending_compaction_bytes = family->current()->estimated_compaction_needed_bytes();
  around.stalls = StallCounts(family->stall_times);
  if (const Cache* cache = BlockCacheOf(*family->options)) {
    around.block_cache = StringPrintf("Block cache %s@%p capacity: %s usage: %s pinned: %s\n",
                                      cache->Name(), static_cast<const void*>(cache),
                                      BytesToHumanString(cache->GetCapacity()).c_str(),
                                      BytesToHumanString(cache->GetUsage()).c_str(),
                                      BytesToHumanString(cache->GetPinnedUsage()).c_str());
  }
  return family->level_stats.Report(*family->current(), around);
}

StatsReports::StatsMarks StatsReports::Marks() const {
  StatsMarks now;
  now.uptime = Uptime();
  if (db_.commit != nullptr) now.writes = Since(db_.commit->counters(), uncounted_.writes);
  if (db_.wals != nullptr) now.wal_syncs = db_.wals->syncs() - uncounted_.wal_syncs;
  for (const ColumnFamily* family : db_.families->all()) {
    now.stall_micros += family->stall_times.total_micros();
  }
  return now;
}

void StatsReports::Reset() {
  for (ColumnFamily* family : db_.families->all()) {
    family->level_stats.Reset();
    family->stall_times = StallTimes();
  }
  if (db_.commit != nullptr) uncounted_.writes = db_.commit->counters();
  if (db_.wals != nullptr) uncounted_.wal_syncs = db_.wals->syncs();
  counts_from_nanos_ = fiber::now_nanos();
  stats_marks_ = StatsMarks();
}

std::string StatsReports::DatabaseStatsText() {
  const StatsMarks now = Marks();
  const StatsMarks& before = stats_marks_;
  const double seconds = now.uptime - before.uptime;
  const WriteCounters::Figures writes = Since(now.writes, before.writes);
  std::string out = StringPrintf("\n** DB Stats **\nUptime(secs): %.1f total, %.1f interval\n",
                                 now.uptime, seconds);
  out += WritesLine("Cumulative", now.writes, StringPrintf("%.2f GB", now.writes.bytes / kGiB),
                    now.uptime);
  out += WalLine("Cumulative", now.writes, now.wal_syncs, now.uptime);
  out += StallLine("Cumulative", now.stall_micros, now.uptime);
  out += WritesLine("Interval", writes, StringPrintf("%.2f MB", writes.bytes / kMiB), seconds);
  out += WalLine("Interval", writes, now.wal_syncs - before.wal_syncs, seconds);
  // (A family that was dropped takes its stalls along.)
  out += StallLine("Interval", now.stall_micros - std::min(now.stall_micros, before.stall_micros),
                   seconds);
  out +=
      "Write Stall (count): " +
      StallCounts(db_.families->default_family()->stall_times, "write-buffer-manager-limit-stops") +
      "\n";
  stats_marks_ = now;
  return out;
}

void StatsReports::DumpStats() {
  std::string text = DatabaseStatsText();
  // As in RocksDB: of thousands of families, those that did something.
  for (ColumnFamily* family : db_.families->all()) {
    if (family->is_default() || family->level_stats.HasNews()) text += FamilyStatsText(family);
  }
  if (db_.statistics != nullptr) text += "\nSTATISTICS:\n" + db_.statistics->ToString();
  db_.mutex()->unlock();
  LogInfo(db_.options.info_log.get(), "------- DUMPING STATS -------");
  LogInfo(db_.options.info_log.get(), "%s", text.c_str());
  db_.mutex()->lock();
}

void StatsReports::NoteStats() {
  const size_t limit = db_.families->default_family()->options->stats_history_buffer_size;
  db_.mutex()->unlock();
  if (db_.options.persist_stats_to_disk) {
    NoteOnDisk();
  } else {
    history_->Note(fiber::wall_micros() / 1'000'000, *db_.statistics, limit);
  }
  db_.mutex()->lock();
}

void StatsReports::NoteOnDisk() {
  StatsHistory::Tickers now;
  if (!db_.statistics->getTickerMap(&now)) return;
  if (noted_ && !on_disk_.is_open()) return;  // the opening takes long
  if (noted_) {
    const Status s =
        on_disk_.Note(fiber::wall_micros() / 1'000'000, StatsHistory::Growth(last_noted_, now));
    if (!s.ok()) {
      // What was not noted is a part of the next note.
      LogWarn(db_.options.info_log.get(), "The history of statistics has no note: %s",
              s.ToString().c_str());
      return;
    }
  }
  noted_ = true;
  last_noted_ = std::move(now);
}

Status StatsReports::GetStatsHistory(uint64_t start_time, uint64_t end_time,
                                     std::unique_ptr<StatsHistoryIterator>* iterator) const {
  if (iterator == nullptr) return Status::InvalidArgument("stats_iterator is null");
  *iterator = db_.options.persist_stats_to_disk
                  ? on_disk_.NewIterator(start_time, end_time)
                  : StatsHistory::NewIterator(history_, start_time, end_time);
  return (*iterator)->status();
}

}  // namespace cairn
