#include "compaction/entry_ages.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

uint64_t Before(uint64_t now, uint64_t seconds) { return now > seconds ? now - seconds : 0; }

Status AddPairs(const JobEnv& env, const FileMetaData& file, int level,
                std::vector<SeqnoTimePair>* pairs) {
  TableFileId id = file.TableId(level);
  id.for_job = true;
  TableCache::Ref table;
  Status s = env.table_cache->FindTable(id, &table);
  if (!s.ok()) return s;
  return SeqnoToTimeMapping::Decode(table->GetTableProperties()->seqno_to_time_mapping, pairs);
}

}  // namespace

uint64_t SecondsOfTimes(const ColumnFamilyOptions& options) {
  return std::max(options.preserve_internal_time_seconds, options.preclude_last_level_data_seconds);
}

SequenceNumber OldThrough(const SeqnoToTimeMapping& times, uint64_t now, uint64_t seconds,
                          SequenceNumber oldest_snapshot) {
  return std::min(times.SequenceBy(Before(now, seconds)), oldest_snapshot);
}

EntryAges AgesOf(const JobEnv& env, const Compaction& compaction) {
  EntryAges ages;
  const ColumnFamilyOptions& options = compaction.options();
  const uint64_t seconds = SecondsOfTimes(options);
  if (seconds == 0) return ages;
  std::vector<SeqnoTimePair> pairs;
  if (env.times != nullptr) pairs = env.times->pairs();
  for (const CompactionInputFiles& input : compaction.inputs()) {
    for (const FileMetaData* file : input.files) {
      const Status s = AddPairs(env, *file, input.level, &pairs);
      if (s.ok()) continue;
      // (What cannot be read the compaction itself will find.)
      LogWarn(env.info_log, "[%s] [JOB %d] The times of table %s are not known: %s",
              env.column_family_name.c_str(), env.job_id, std::to_string(file->number).c_str(),
              s.ToString().c_str());
    }
  }
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  const SequenceNumber oldest_snapshot =
      env.snapshots.empty() ? kMaxSequenceNumber : env.snapshots.front();
  ages.times = SeqnoToTimeMapping(std::move(pairs));
  ages.times.ForgetBefore(Before(now, seconds));
  ages.preserve_after = OldThrough(ages.times, now, seconds, oldest_snapshot);
  if (const uint64_t kept_out = options.preclude_last_level_data_seconds; kept_out != 0) {
    ages.last_level_through = OldThrough(ages.times, now, kept_out, oldest_snapshot);
  }
  if (compaction.proximal_level() >= 0) {
    ages.last_level_through =
        std::max(ages.last_level_through, compaction.placement().stays_through);
    ages.proximal_after = ages.last_level_through;
  }
  ages.times.ThinTo(SeqnoToTimeMapping::kMaxPairs);
  return ages;
}

}  // namespace cairn
