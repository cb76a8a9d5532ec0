// Manual compaction: CompactRange and the switches around it.
//
// The range is pushed down level by level: from the first level that has a file of it to the
// deepest one that has. Each step is picked under the mutex and runs on a background thread, like
// any compaction; the caller waits.
#include "base/logging.h"
#include "db/db_impl.h"

namespace cairn {

struct DBImpl::ManualCompaction {
  const CompactRangeOptions* options;
  int input_level;
  int output_level;  // of level 0: set at each pick
  const Slice* begin;
  const Slice* end;
  uint64_t ignore_files_from;  // UINT64_MAX: none
};

void DBImpl::DisableManualCompaction() {
  fiber::MutexLock lock(&mutex_);
  ++manual_disabled_;
  manual_canceled_.store(true);
  // As RocksDB promises: when this returns no manual compaction runs.
  background_done_.notify_all();
  while (running_manual_ > 0) background_done_.wait(&mutex_);
}

void DBImpl::EnableManualCompaction() {
  fiber::MutexLock lock(&mutex_);
  if (manual_disabled_ > 0 && --manual_disabled_ == 0) manual_canceled_.store(false);
}

Status DBImpl::EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>& families) {
  Status s;
  for (ColumnFamilyHandle* family : families) {
    if (s.ok()) s = SetOptions(family, {{"disable_auto_compactions", "false"}});
  }
  return s;
}

Status DBImpl::CompactRange(const CompactRangeOptions& options, ColumnFamilyHandle* family,
                            const Slice* begin, const Slice* end) {
  Status s = RefuseIfReadOnly();
  if (s.ok()) s = CheckFamily(family);
  if (!s.ok()) return s;
  if (options.change_level || options.target_level >= 0) {
    return Status::NotSupported("CompactRangeOptions::change_level is not supported");
  }
  if (options.target_path_id != 0) return Status::InvalidArgument("Invalid target path ID");
  if (options.full_history_ts_low != nullptr) {
    return Status::NotSupported("CompactRangeOptions::full_history_ts_low is not supported");
  }
  if (begin != nullptr && end != nullptr && icmp_.user_comparator()->Compare(*begin, *end) > 0) {
    return Status::InvalidArgument("CompactRange: begin is after end");
  }
  FlushOptions flush;
  flush.allow_write_stall = options.allow_write_stall;
  s = FlushMemTables(flush);
  if (!s.ok()) return s;

  fiber::MutexLock lock(&mutex_);
  ++running_manual_;
  // In universal style everything is compacted together: an automatic compaction would always be in
  // the way.
  const bool universal = live_options_->compaction_style == kCompactionStyleUniversal;
  const bool exclusive = options.exclusive_manual_compaction || universal;
  if (exclusive) ++exclusive_manual_;
  if (universal) {
    ManualCompaction manual{&options, 0, num_levels_ - 1, begin, end, UINT64_MAX};
    s = RunManualStep(&manual);
  } else {
    s = CompactLevels(options, begin, end);
  }
  if (exclusive) --exclusive_manual_;
  EndManualCall();
  lock.unlock();
  Purge();
  return s;
}

Status DBImpl::CompactLevels(const CompactRangeOptions& options, const Slice* begin,
                             const Slice* end) {
  Status s;
  // Files that this very call makes need no second rewrite at the bottom.
  const uint64_t first_new_file = versions_->current_next_file_number();
  const auto deepest_of_range = [&] {
    int level = num_levels_ - 1;
    while (level >= 0 && !versions_->current()->OverlapInLevel(level, begin, end)) --level;
    return level;
  };
  int deepest = deepest_of_range();
  const auto bottom = options.bottommost_level_compaction;
  const bool rewrite_bottom = bottom == BottommostLevelCompaction::kForce ||
                              bottom == BottommostLevelCompaction::kForceOptimized;
  for (int level = 0; s.ok() && level <= deepest; ++level) {
    if (!versions_->current()->OverlapInLevel(level, begin, end)) continue;
    ManualCompaction manual{&options, level, level, begin, end, UINT64_MAX};
    if (level > 0 && level < deepest) {
      manual.output_level = level + 1;
    } else if (level > 0) {
      if (!rewrite_bottom) break;
      if (bottom == BottommostLevelCompaction::kForceOptimized) {
        manual.ignore_files_from = first_new_file;
      }
    }
    s = RunManualStep(&manual);
    // What level 0 alone held is at the base level now.
    if (level == 0) deepest = deepest_of_range();
  }
  return s;
}

Status DBImpl::RunManualStep(ManualCompaction* manual) {
  std::string resume_at;
  Slice resume;
  const Slice* begin = manual->begin;
  while (true) {
    if (shutting_down_.load()) return Status::ShutdownInProgress();
    if (has_background_error_.load()) return background_error_;
    if (manual_canceled_.load() ||
        (manual->options->canceled != nullptr && manual->options->canceled->load())) {
      return Status::Incomplete(Status::SubCode::kManualCompactionPaused);
    }
    // An exclusive one waits until the automatic ones that were under way are done.
    bool conflict = false;
    bool more = false;
    std::unique_ptr<Compaction> compaction;
    if (paused_ > 0 || (manual->options->exclusive_manual_compaction && running_compactions_ > 0)) {
      conflict = true;
    } else {
      Version* const current = versions_->current();
      // Asked at each pick: a job that ended since the call began may have filled a level above,
      // and what is newer must not go below.
      if (manual->input_level == 0) manual->output_level = current->base_level();
      compaction = picker_->CompactRange(*live_options_, current, manual->input_level,
                                         manual->output_level, *manual->options, begin, manual->end,
                                         manual->ignore_files_from, &resume_at, &more, &conflict);
    }
    if (conflict) {
      background_done_.wait(&mutex_);
      continue;
    }
    if (compaction == nullptr) return Status::OK();

    const Status result = RunManualJob(std::move(compaction), manual->options->canceled != nullptr
                                                                  ? manual->options->canceled
                                                                  : &manual_canceled_);
    if (!result.ok() || !more) return result;
    resume = resume_at;
    begin = &resume;
  }
}

Status DBImpl::RunManualJob(std::unique_ptr<Compaction> compaction,
                            const std::atomic<bool>* canceled, CompactionJobInfo* info) {
  ++running_compactions_;
  Status result;
  bool done = false;
  auto job = [this, canceled, info, &result, &done, c = std::move(compaction)]() mutable {
    fiber::MutexLock lock(&mutex_);
    result = RunCompaction(std::move(c), canceled, next_job_id_.fetch_add(1), info);
    if (!result.ok() && !result.IsShutdownInProgress() && !result.IsIncomplete()) {
      SetBackgroundError(result, "manual compaction");
    }
    --running_compactions_;
    compaction_blocked_ = false;
    done = true;
    MaybeScheduleWork();
    background_done_.notify_all();
  };
  if (!scheduler_->Schedule(JobPriority::kLow, std::move(job))) {
    // The job, and with it the compaction, is already destroyed.
    --running_compactions_;
    return Status::ShutdownInProgress();
  }
  while (!done) background_done_.wait(&mutex_);
  return result;
}

void DBImpl::EndManualCall() {
  --running_manual_;
  compaction_blocked_ = false;
  MaybeScheduleWork();
  background_done_.notify_all();
}

}  // namespace cairn
