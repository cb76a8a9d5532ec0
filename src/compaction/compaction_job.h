// Runs one picked Compaction: merges its input files into new files of the output level. Called by
// db/ from a background thread (or by CompactRange's). Does not touch the manifest: on success
// compaction->edit() holds the deletions of the inputs and the additions of the outputs, and the
// caller hands it to LogAndApply.
//
// With max_subcompactions the range is cut into parts that run at once, each on a thread of its own
// (subcompaction.h); their outputs go into the edit in key order, or, if one fails, none does.
//
// Thread safety: one caller; runs without the database mutex. SUSPENDS.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "compaction/compaction.h"
#include "compaction/entry_ages.h"
#include "compaction/job_env.h"
#include "compaction/subcompaction.h"

namespace cairn {

class CompactionJob {
 public:
  CompactionJob(const JobEnv& env, Compaction* compaction);

  // Outputs are complete, synced and checked, and the directory is synced, when this returns OK. On
  // failure (also ShutdownInProgress, Incomplete for a canceled manual compaction) all outputs were
  // deleted and the edit is untouched.
  [[nodiscard]] Status Run();

  // Before Run: of all user keys only [begin, end), without a bound where there is none. What a
  // worker does of another process's compaction.
  void SetRange(std::optional<std::string> begin, std::optional<std::string> end) {
    begin_ = std::move(begin);
    end_ = std::move(end);
  }

  const JobStats& stats() const { return stats_; }
  // What of that was written to compaction->proximal_level(): tables, their bytes, and how many
  // entries came to them.
  const JobStats& proximal_stats() const { return proximal_stats_; }
  // Of all parts (Subcompaction::counts).
  const CompactionJobStats& counts() const { return counts_; }
  // By the user's filter, one by one.
  uint64_t records_filtered() const { return records_filtered_; }

 private:
  using Parts = std::vector<std::unique_ptr<Subcompaction>>;

  void CountInputs();
  void LogStart() const;
  void LogEnd(const Status& s, size_t parts) const;
  // Where the user's Statistics count what was done here, and what elsewhere.
  void TickStatistics(const Parts& parts) const;
  // To the user's listeners: a part begins, or has ended.
  void TellPart(const Parts& parts, size_t part, const Status* end) const;
  // Into the edit: what the parts wrote, and what of older files is garbage now.
  void AddBlobFiles(const Parts& parts);
  // compaction_verify_record_count: as many entries were read as the inputs have.
  [[nodiscard]] Status CheckRecordCount(const Parts& parts) const;
  // The directories where outputs are.
  [[nodiscard]] Status SyncOutputs(const Parts& parts) const;
  // Runs all parts, one of them on this thread. The first error, which the others may be mere
  // consequences of.
  [[nodiscard]] Status RunParts(const Parts& parts);

  const JobEnv& env_;
  Compaction* const compaction_;
  std::optional<std::string> begin_, end_;
  std::atomic<bool> stop_{false};  // a part failed: the others need not go on
  EntryAges ages_;
  JobStats stats_;
  JobStats proximal_stats_;
  CompactionJobStats counts_;
  DropCounts dropped_;
  uint64_t records_filtered_ = 0;
};

}  // namespace cairn
