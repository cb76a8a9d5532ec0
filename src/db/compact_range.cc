// Manual compaction: CompactRange and the switches around it.
//
// The range is pushed down level by level: from the first level that has a file of it to the
// deepest one that has. Each step is picked under the mutex and runs on a background thread, like
// any compaction; the caller waits.
#include "base/logging.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_moves.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/opening.h"
#include "db/options_changes.h"
#include "options/options_check.h"

namespace cairn {

struct Compactions::ManualCompaction {
  ColumnFamily* family;
  const CompactRangeOptions* options;
  int input_level;
  int output_level;  // of level 0: set at each pick
  const Slice* begin;
  const Slice* end;
  uint64_t ignore_files_from;  // UINT64_MAX: none
};

void Compactions::DisableManualCompaction() {
  if (db_.Forked()) return;
  DBMutexLock lock(db_.mutex());
  manual_canceled_.store(++manual_disabled_ > 0);
  // As RocksDB promises: when this returns no manual compaction runs.
  db_.jobs.changed.notify_all();
  while (db_.jobs.manual > 0) db_.jobs.changed.wait(db_.mutex());
}

void Compactions::EnableManualCompaction() {
  if (db_.Forked()) return;
  DBMutexLock lock(db_.mutex());
  manual_canceled_.store(--manual_disabled_ > 0);
}

Status Compactions::EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>& families) {
  Status s;
  for (ColumnFamilyHandle* family : families) {
    if (s.ok())
      s = db_.options_changes->SetOptions(family, {{"disable_auto_compactions", "false"}});
  }
  return s;
}

Status Compactions::CompactRange(const CompactRangeOptions& options, ColumnFamilyHandle* handle,
                                 const Slice* begin, const Slice* end) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  if (options.change_level && options.target_level >= family->num_levels) {
    return Status::InvalidArgument("Target level exceeds number of levels");
  }
  if (options.target_path_id >= family->paths.size()) {
    return Status::InvalidArgument("Invalid target path ID");
  }
  if (begin != nullptr && end != nullptr &&
      family->icmp.user_comparator()->CompareWithoutTimestamp(*begin, false, *end, false) > 0) {
    return Status::InvalidArgument("CompactRange: begin is after end");
  }
  const size_t ts_size = family->icmp.timestamp_size();
  if (options.full_history_ts_low != nullptr && !options.full_history_ts_low->empty()) {
    if (ts_size != 0 && (begin != nullptr || end != nullptr)) {
      return Status::InvalidArgument("Cannot specify compaction range with full_history_ts_low");
    }
    s = RaiseHistoryLow(handle, *options.full_history_ts_low);
    if (!s.ok()) return s;
  }
  // Of the range all versions.
  std::string first, last;
  Slice first_key, last_key;
  if (ts_size != 0 && begin != nullptr) {
    first_key = first = WithMaxTimestamp(*begin, ts_size);
    begin = &first_key;
  }
  if (ts_size != 0 && end != nullptr) {
    last_key = last = WithMinTimestamp(*end, ts_size);
    end = &last_key;
  }
  FlushOptions flush;
  flush.allow_write_stall = options.allow_write_stall;
  s = db_.flushes->FlushMemTables(flush, {family}, FlushReason::kManualCompaction);
  if (!s.ok()) return s;

  DBMutexLock lock(db_.mutex());
  ++db_.jobs.manual;
  // In universal style everything is compacted together: an automatic compaction would always be in
  // the way. (In FIFO style there is one at a time, and this is like any other.)
  const bool universal = family->options->compaction_style != kCompactionStyleLevel;
  const bool exclusive = options.exclusive_manual_compaction || universal || options.change_level;
  if (exclusive) {
    ++db_.jobs.exclusive_manual;
    db_.errors->WakePauses();
  }
  if (universal) {
    ManualCompaction manual{family, &options, 0, family->num_levels - 1, begin, end, UINT64_MAX};
    s = RunManualStep(&manual);
  } else {
    s = CompactLevels(family, options, begin, end);
  }
  if (s.ok() && options.change_level) s = db_.moves->ChangeLevel(family, options.target_level);
  if (exclusive) --db_.jobs.exclusive_manual;
  EndManualCall(family);
  lock.unlock();
  db_.files->Purge();
  return s;
}

// Exclusive: a compaction that began before would bring back what it has not trimmed.
Status Compactions::TrimHistory(ColumnFamilyHandle* handle, const std::string& newest) {
  ColumnFamily* family = nullptr;
  Status s = db_.families->FamilyOf(handle, &family);
  if (!s.ok() || family->icmp.timestamp_size() == 0) return s;
  if (newest.size() != family->icmp.timestamp_size()) {
    return Status::InvalidArgument("timestamp of another size", family->name());
  }
  const CompactionStyle style = family->options->compaction_style;
  if (style != kCompactionStyleLevel && style != kCompactionStyleUniversal) {
    return Status::NotSupported("OpenAndTrimHistory of a style that rewrites no files",
                                family->name());
  }
  const auto set = [&](const std::string& above) {
    DBMutexLock lock(db_.mutex());
    family->trim_above = above;
  };
  set(newest);
  CompactRangeOptions options;
  options.exclusive_manual_compaction = true;
  options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  s = CompactRange(options, handle, nullptr, nullptr);
  set("");
  return s;
}

Status Compactions::CompactLevels(ColumnFamily* family, const CompactRangeOptions& options,
                                  const Slice* begin, const Slice* end) {
  Status s;
  // Files that this very call makes need no second rewrite at the bottom.
  const uint64_t first_new_file = db_.versions->current_next_file_number();
  const auto deepest_of_range = [&] {
    int level = family->num_levels - 1;
    while (level >= 0 && !family->current()->OverlapInLevel(level, begin, end)) --level;
    return level;
  };
  int deepest = deepest_of_range();
  const auto bottom = options.bottommost_level_compaction;
  // A filter has seen what this call compacts on the way to the bottom, too.
  const bool rewrite_old = bottom == BottommostLevelCompaction::kForceOptimized ||
                           (bottom == BottommostLevelCompaction::kIfHaveCompactionFilter &&
                            HasCompactionFilter(*family->options));
  for (int level = 0; s.ok() && level <= deepest; ++level) {
    if (!family->current()->OverlapInLevel(level, begin, end)) continue;
    ManualCompaction manual{family, &options, level, level, begin, end, UINT64_MAX};
    if (level > 0 && level < deepest) {
      manual.output_level = level + 1;
    } else if (level > 0) {
      if (!rewrite_old && bottom != BottommostLevelCompaction::kForce) break;
      if (rewrite_old) manual.ignore_files_from = first_new_file;
    }
    s = RunManualStep(&manual);
    // What level 0 alone held is at the base level now; and an automatic job that this step waited
    // for may have gone deeper than all.
    deepest = deepest_of_range();
  }
  return s;
}

Status Compactions::RunManualStep(ManualCompaction* manual) {
  std::string resume_at;
  Slice resume;
  const Slice* begin = manual->begin;
  ColumnFamily* const family = manual->family;
  while (true) {
    if (db_.shutting_down.load()) return Status::ShutdownInProgress();
    if (db_.errors->failed()) return db_.errors->error();
    if (family->dropped.load()) return Status::ColumnFamilyDropped();
    if (manual_canceled_.load() ||
        (manual->options->canceled != nullptr && manual->options->canceled->load())) {
      return Status::Incomplete(Status::SubCode::kManualCompactionPaused);
    }
    // An exclusive one waits until the automatic ones that were under way are done.
    ManualStep step;
    std::unique_ptr<Compaction> compaction;
    if (db_.jobs.paused > 0 ||
        (manual->options->exclusive_manual_compaction && db_.jobs.compactions > 0)) {
      step.conflict = true;
    } else {
      Version* const current = family->current();
      // Asked at each pick: a job that ended since the call began may have filled a level above,
      // and what is newer must not go below.
      if (manual->input_level == 0) manual->output_level = current->base_level();
      compaction =
          family->InformedPicker()->CompactRange(*family->options, current, *manual->options,
                                                 {manual->input_level, manual->output_level, begin,
                                                  manual->end, manual->ignore_files_from},
                                                 &step);
    }
    if (step.conflict) {
      db_.jobs.changed.wait(db_.mutex());
      continue;
    }
    if (compaction == nullptr) return Status::OK();

    const Status result = RunManualJob(
        family, std::move(compaction),
        manual->options->canceled != nullptr ? manual->options->canceled : &manual_canceled_);
    if (!result.ok() || !step.more) return result;
    resume_at = std::move(step.resume_at);
    resume = resume_at;
    begin = &resume;
  }
}

Status Compactions::RunManualJob(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                 const std::atomic<bool>* canceled, CompactionJobInfo* info) {
  SpaceReservation space = ReserveSpace(*compaction, /*may_wait=*/false);
  if (!space) return Status::CompactionTooLarge("no room for its outputs", family->name());
  // It does not wait, but others do for it.
  const LimitedTask task(family->options->compaction_thread_limiter, nullptr);
  ++db_.jobs.compactions;
  Status result;
  bool done = false;
  auto job = [this, family, canceled, info, &result, &done, c = std::move(compaction)]() mutable {
    DBMutexLock lock(db_.mutex());
    bool outputs_are_gone = false;
    result = RunCompaction(family, std::move(c), canceled, db_.jobs.next_id.fetch_add(1), info,
                           &outputs_are_gone);
    if (!result.ok() && !result.IsShutdownInProgress() && !result.IsIncomplete() &&
        !result.IsColumnFamilyDropped()) {
      db_.errors->CompactionFailed(result, outputs_are_gone, "manual compaction");
    }
    --db_.jobs.compactions;
    done = true;
    db_.work->JobsChanged();
  };
  if (!db_.scheduler->Schedule(JobPriority::kLow, std::move(job))) {
    // The job, and with it the compaction, is already destroyed.
    --db_.jobs.compactions;
    return Status::ShutdownInProgress();
  }
  while (!done) db_.jobs.changed.wait(db_.mutex());
  return result;
}

void Compactions::EndManualCall(ColumnFamily* family) {
  --db_.jobs.manual;
  db_.families->books().MayCompact(family);
  db_.work->JobsChanged();
}

}  // namespace cairn
