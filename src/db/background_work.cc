// Background work: super versions and stalls, automatic compactions, and the scheduling of all.
#include <algorithm>
#include <functional>

#include "base/logging.h"
#include "compaction/compaction_job.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/opening.h"
#include "db/options_changes.h"
#include "db/sequence_times.h"
#include "db/stats_reports.h"
#include "db/write_path.h"
#include "fiber/clock.h"
#include "fs/file_options.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

int BackgroundWork::MaxFlushes(const DBOptions& options) {
  if (options.max_background_flushes > 0) return options.max_background_flushes;
  return std::max(1, options.max_background_jobs / 4);
}

int BackgroundWork::MaxCompactions(const DBOptions& options) {
  if (options.max_background_compactions > 0) return options.max_background_compactions;
  return std::max(1, options.max_background_jobs - MaxFlushes(options));
}

// --- Super versions and stalls

void BackgroundWork::InstallSuperVersion(ColumnFamily* family) {
  auto* sv = new SuperVersion();
  sv->mem = family->mem;
  sv->mem->Ref();
  sv->imm = family->imm.current();
  sv->imm->Ref();
  sv->current = family->current();
  sv->current->Ref();
  sv->number = ++family->super_version_number;
  sv->merge_operator = family->merge_operator.get();
  sv->blobs = family->blobs.get();
  sv->history_low = family->state->history_low();
  if (db_.mode == OpenMode::kSecondary) {
    family->limit = std::make_shared<SequenceLimit>(db_.versions->LastSequence());
  }
  sv->limit = family->limit;
  db_.files->CountInstalled();
  family->super_versions->Install(sv);
  if (db_.mode == OpenMode::kSecondary) return;  // the rest is the primary's matter
  UpdateStall(family);
  if (WantsCompaction(*family)) db_.families->books().to_compact()->emplace(family->id(), family);
}

// What the level-0 triggers count. In universal style all runs are of a kind.
int BackgroundWork::Level0Pressure(const ColumnFamily& family) {
  const Version& version = *family.current();
  return family.options->compaction_style == kCompactionStyleUniversal ? version.NumSortedRuns()
                                                                       : version.NumLevelFiles(0);
}

ColumnFamily* BackgroundWork::StalledFamily() const {
  ColumnFamily* worst = db_.families->default_family();
  for (const auto& [id, family] : db_.families->books().stalled()) {
    if (worst->stall.condition < family->stall.condition) worst = family;
  }
  return worst;
}

void BackgroundWork::UpdateAttention() {
  db_.writes->SetNeedsAttention(db_.families->books().any_stalled() || db_.errors->failed() ||
                                db_.shutting_down.load(std::memory_order_relaxed) ||
                                db_.writes->AreWritesLocked());
}

void BackgroundWork::UpdateStall(ColumnFamily* family) {
  const Options& options = *family->options;
  StallInputs inputs;
  inputs.unflushed_memtables = family->imm.NumNotFlushed();
  inputs.level0_files = Level0Pressure(*family);
  inputs.pending_compaction_bytes = family->current()->estimated_compaction_needed_bytes();
  inputs.auto_compactions = !options.disable_auto_compactions;
  const StallDecision decision =
      family->dropped.load() ? StallDecision() : DecideStall(inputs, options);
  const StallCondition before = family->stall.condition;
  if (decision != family->stall) {
    LogWarn(db_.options.info_log.get(), "[%s] %s", family->name().c_str(),
            StallMessage(decision, inputs, options).c_str());
  }
  switch (decision.condition) {
    case StallCondition::kNormal:
      family->stall_token.reset();
      break;
    case StallCondition::kDelayed:
      family->stall_token = db_.write_controller.GetDelayToken(
          DelayedWriteRate(db_.write_controller.max_delayed_write_rate(),
                           StallDepth(decision.cause, inputs, options)));
      break;
    case StallCondition::kStopped:
      family->stall_token = db_.write_controller.GetStopToken();
      break;
  }
  const bool behind = !family->dropped.load() && IsCompactionBehind(inputs, options);
  if (behind != (family->pressure_token != nullptr)) {
    family->pressure_token = behind ? db_.write_controller.GetCompactionPressureToken() : nullptr;
  }
  family->stall = decision;
  db_.events->QueueStallEvent(*family, before);
  db_.families->UpdateFigures(family);
  UpdateAttention();
  db_.writes->StallChanged();
  WakeClock();
}

// --- Scheduling

void BackgroundWork::MaybeScheduleWork() {
  if (!begun_ || db_.mode != OpenMode::kReadWrite || db_.jobs.paused > 0 ||
      db_.shutting_down.load() || db_.errors->failed()) {
    return;
  }
  FamilyBooks::Candidates* const candidates = db_.families->books().to_flush();
  for (auto it = candidates->begin(); it != candidates->end();) {
    ColumnFamily* const family = it->second;
    db_.families->books().CountVisits(1);
    // Flushes of one family finish in order: one at a time, whose end makes it a candidate again.
    // An atomic one is of all families.
    if (!family->flushing && family->imm.IsFlushPending()) {
      if (!WantsFlush(*family)) {
        ++it;
        continue;
      }
      if (!db_.flushes->MayBegin()) break;
      const bool together = db_.flushes->FlushesTogether();
      ++db_.jobs.flushes;
      family->flushing = true;
      family->Ref();
      if (!db_.scheduler->Schedule(JobPriority::kHigh, [this, family, together] {
            db_.flushes->BackgroundFlush(family, together);
          })) {
        --db_.jobs.flushes;
        family->flushing = false;
        family->refs.fetch_sub(1);
        ++it;
        continue;
      }
      if (together) db_.flushes->BeginTogether();
    }
    it = candidates->erase(it);
  }
  MaybeScheduleCompaction();
}

void BackgroundWork::JobsChanged() {
  MaybeScheduleWork();
  db_.jobs.changed.notify_all();
  WakeClock();  // what is due may have waited for this
}

bool BackgroundWork::WantsFlush(const ColumnFamily& family) const {
  if (!family.imm.IsFlushPending()) return false;
  const Options& options = *family.options;
  const std::string& low = family.state->history_low();
  if (!LacksTimestampsInTables(options) || low.empty() || family.imm.flush_requested() ||
      db_.buffer_manager->enabled() ||
      family.imm.NumNotFlushed() + 1 >= options.max_write_buffer_number) {
    return true;
  }
  const std::vector<MemTable*>& sealed = family.imm.current()->memtables();
  return std::none_of(sealed.begin(), sealed.end(), [&](const MemTable* memtable) {
    const std::string newest = memtable->newest_timestamp();
    return !newest.empty() && family.icmp.user_comparator()->CompareTimestamp(newest, low) >= 0;
  });
}

bool BackgroundWork::WantsCompaction(const ColumnFamily& family) {
  return !family.options->disable_auto_compactions && !family.compaction_blocked &&
         family.picker->NeedsCompaction(*family.current());
}

void BackgroundWork::MaybeScheduleCompaction() {
  if (db_.jobs.exclusive_manual > 0 || db_.jobs.pausing > 0) return;
  NoteExpired();
  bool wanted = false;
  FamilyBooks::Candidates* const candidates = db_.families->books().to_compact();
  for (auto it = candidates->begin(); it != candidates->end() && !wanted;) {
    const ColumnFamily& family = *it->second;
    db_.families->books().CountVisits(1);
    wanted = WantsCompaction(family);
    const bool may_want = wanted || family.compaction_blocked;
    it = may_want ? std::next(it) : candidates->erase(it);
  }
  const bool pressed =
      db_.write_controller.NeedSpeedupCompaction() || db_.families->books().any_pressed();
  const int limit = pressed ? MaxCompactions(*db_.families->default_family()->options) : 1;
  if (!wanted || db_.jobs.compactions >= limit) return;
  ++db_.jobs.compactions;
  if (!db_.scheduler->Schedule(JobPriority::kLow,
                               [this] { db_.compactions->BackgroundCompaction(); })) {
    --db_.jobs.compactions;
  }
}

// Something that the clock does at times, measured by fiber's clock.
struct BackgroundWork::Repeated {
  std::function<void()> what;  // with the mutex, which it may release
  uint64_t period = 0;         // nanoseconds; 0: never
  uint64_t last = 0;
  bool Due(uint64_t now) const { return period != 0 && now - last >= period; }
};

uint64_t BackgroundWork::DumpPeriod() const {
  return db_.families->default_family()->options->stats_dump_period_sec * kNanosPerSecond;
}

uint64_t BackgroundWork::NotePeriod() const {
  if (db_.statistics == nullptr) return 0;
  return db_.families->default_family()->options->stats_persist_period_sec * kNanosPerSecond;
}

void BackgroundWork::StartClock() {
  if (clock_.joinable() || db_.mode != OpenMode::kReadWrite || db_.shutting_down.load() ||
      (DumpPeriod() == 0 && NotePeriod() == 0 && db_.sequence_times->Period() == 0 &&
       !db_.families->books().any_ages())) {
    return;
  }
  const int r = fiber::Thread::create("rocksdb:clock", [this] { WatchClock(); }, 0, &clock_);
  if (r != 0) LogWarn(db_.options.info_log.get(), "No thread to watch the clock");
}

void BackgroundWork::JoinClock() {
  if (clock_.joinable()) clock_.join();
}

void BackgroundWork::NoteExpired() {
  if (db_.families->books().next_expiry() == UINT64_MAX) return;
  for (ColumnFamily* family :
       db_.families->books().ExpiredBefore(fiber::wall_micros() / 1'000'000)) {
    db_.families->UpdateFigures(family);  // what is being compacted does not count
    db_.families->books().to_compact()->emplace(family->id(), family);
  }
}

void BackgroundWork::WatchClock() {
  constexpr uint64_t kLongest = uint64_t{12} * 60 * 60;  // seconds: the wall's clock may be set
  DBMutexLock lock(db_.mutex());
  if (NotePeriod() != 0) db_.stats->NoteStats();  // what the first note is against
  const uint64_t start = fiber::now_nanos();
  Repeated dump = {[this]() FIBER_REQUIRES(database_mutex) { db_.stats->DumpStats(); }, 0, start};
  Repeated note = {[this]() FIBER_REQUIRES(database_mutex) { db_.stats->NoteStats(); }, 0, start};
  const auto take_sample = [this]() FIBER_REQUIRES(database_mutex) {
    db_.sequence_times->Sample();
    MaybeScheduleWork();
  };
  Repeated sample = {take_sample, 0, start};
  while (!db_.shutting_down.load()) {
    dump.period = DumpPeriod();
    note.period = NotePeriod();
    sample.period = db_.sequence_times->Period();
    bool did = false;
    for (Repeated* report : {&sample, &dump, &note}) {
      if (db_.shutting_down.load() || !report->Due(fiber::now_nanos())) continue;
      report->last = fiber::now_nanos();
      report->what();
      did = true;
    }
    if (did) continue;
    NoteExpired();
    const uint64_t next = db_.families->books().next_expiry();
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    const bool due = next < now;
    if (due) MaybeScheduleWork();
    // (What is due may have to wait for another job, whose end is signalled.)
    const uint64_t seconds = due ? kLongest : std::min(next - now + 1, kLongest);
    uint64_t until = fiber::now_nanos() + seconds * kNanosPerSecond;
    for (const Repeated* report : {&sample, &dump, &note}) {
      if (report->period != 0) until = std::min(until, report->last + report->period);
    }
    clock_changed_.wait_until(db_.mutex(), until);
  }
}

JobEnv BackgroundWork::MakeJobEnv(const ColumnFamily& family, int job_id,
                                  Env::IOPriority io_priority) {
  JobEnv env;
  env.db_options = family.options;
  env.fs = db_.fs;
  env.file_options = FileOptionsForTableWrite(*db_.fs, *family.options);
  env.dbname = db_.name;
  env.paths = family.paths;
  env.table_cache = family.tables.get();
  env.blobs = family.blobs.get();
  for (const auto& directory : family.directories) env.directories.push_back(directory.get());
  env.statistics = db_.statistics;
  env.info_log = db_.options.info_log.get();
  env.db_id = db_.versions->db_id();
  env.db_session_id = db_.session_id;
  env.column_family_id = family.id();
  env.column_family_name = family.name();
  env.icmp = &family.icmp;
  env.shutting_down = &db_.shutting_down;
  env.new_file_number = [this] { return db_.versions->NewFileNumber(); };
  env.snapshots = db_.snapshots.Sequences();
  env.times = db_.sequence_times->For(family);
  env.history_low = family.state->history_low();
  env.trim_above = family.trim_above;
  env.job_id = job_id;
  env.options_file_number = db_.options_changes->options_file_number();
  env.manifest_number = db_.versions->manifest_file_number();
  env.manifest_bytes = db_.versions->manifest_file_size();
  if (db_.options.rate_limiter != nullptr) {
    env.io_priority = [this, io_priority] {
      return db_.write_controller.IsStopped() || db_.write_controller.NeedsDelay() ? Env::IO_USER
                                                                                   : io_priority;
    };
  }
  return env;
}

// --- Pauses and the end

Status BackgroundWork::PauseBackgroundWork() {
  if (db_.Forked()) return db_.ForkedStatus();
  DBMutexLock lock(db_.mutex());
  ++db_.jobs.paused;
  // Some wait for this.
  db_.jobs.changed.notify_all();
  db_.errors->WakePauses();
  while (db_.jobs.flushes > 0 || db_.jobs.compactions > 0) db_.jobs.changed.wait(db_.mutex());
  return Status::OK();
}

Status BackgroundWork::ContinueBackgroundWork() {
  if (db_.Forked()) return db_.ForkedStatus();
  DBMutexLock lock(db_.mutex());
  if (db_.jobs.paused == 0) return Status::InvalidArgument("background work is not paused");
  if (--db_.jobs.paused == 0) JobsChanged();  // manual compactions wait for this, too
  return Status::OK();
}

void BackgroundWork::CancelAllBackgroundWork(bool wait) {
  if (db_.Forked()) return;
  if (db_.mode == OpenMode::kReadWrite) db_.opening->FlushUnlogged().PermitUncheckedError();
  DBMutexLock lock(db_.mutex());
  db_.BeginShutdown();
  lock.unlock();
  db_.compactions->CancelRemote();
  lock.lock();
  while (wait && (db_.jobs.flushes > 0 || db_.jobs.compactions > 0 || db_.jobs.manual > 0)) {
    db_.jobs.changed.wait(db_.mutex());
  }
}

bool BackgroundWork::HasBackgroundWork() {
  if (db_.jobs.flushes > 0 || db_.jobs.compactions > 0) return true;
  NoteExpired();
  const auto any = [](const FamilyBooks::Candidates& candidates, const auto& wants) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](const auto& entry) { return wants(*entry.second); });
  };
  return any(*db_.families->books().to_flush(),
             [this](const ColumnFamily& family) { return WantsFlush(family); }) ||
         any(*db_.families->books().to_compact(), WantsCompaction) ||
         db_.compactions->AnyThrottled();
}

Status BackgroundWork::WaitForCompact(const WaitForCompactOptions& options) {
  Status s = db_.RefuseIfReadOnly();
  if (s.ok() && options.flush)
    s = db_.flushes->FlushAllFamilies(FlushOptions(), FlushReason::kManualFlush);
  if (!s.ok()) return s;
  const uint64_t timeout = static_cast<uint64_t>(std::max<int64_t>(options.timeout.count(), 0));
  const uint64_t deadline = fiber::now_nanos() + timeout * 1000;
  DBMutexLock lock(db_.mutex());
  while (true) {
    if (db_.shutting_down.load()) return Status::ShutdownInProgress();
    if (db_.errors->failed()) return db_.errors->error();
    if (db_.jobs.paused > 0 && options.abort_on_pause) return Status::Aborted();
    if (!HasBackgroundWork()) break;
    MaybeScheduleWork();
    if (timeout == 0) {
      db_.jobs.changed.wait(db_.mutex());
    } else if (!db_.jobs.changed.wait_until(db_.mutex(), deadline)) {
      return Status::TimedOut();
    }
  }
  lock.unlock();
  if (options.wait_for_purge) db_.files->Purge();  // a job counts no more when it begins its own
  return options.close_db ? db_.opening->Close() : s;
}

}  // namespace cairn
