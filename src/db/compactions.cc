// Compactions: which family's turn it is, and a job from its pick to its installation.
#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "compaction/compaction_job.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/sequence_times.h"
#include "fs/space_manager.h"
#include "fs/thread_list.h"

namespace cairn {

// What the limiters, and the user's SstFileManager, call with their lock held.
class Compactions::Waiter final : public TaskLimiter::Waiter {
 public:
  explicit Waiter(Compactions* compactions) : compactions_(*compactions) {}
  void LimiterMayHaveRoom() override {
    // (Refused once the database closes.)
    compactions_.db_.scheduler->Schedule(JobPriority::kLow,
                                         [this] { compactions_.RetryThrottled(); });
  }

 private:
  Compactions& compactions_;
};

Compactions::Compactions(Database* db) : Part(db), waiter_(std::make_unique<Waiter>(this)) {}

Compactions::~Compactions() {
  // (Nobody else is here any more.)
  std::set<std::shared_ptr<ConcurrentTaskLimiter>> limiters;
  {
    DBMutexLock lock(db_.mutex());
    limiters.swap(limiters_);
  }
  for (const auto& limiter : limiters)
    static_cast<TaskLimiter*>(limiter.get())->Forget(waiter_.get());
  if (db_.space != nullptr) db_.space->ForgetWaiter(waiter_.get());
}

void Compactions::CancelRemote() const {
  if (CompactionService* const service = db_.options.compaction_service.get()) {
    service->CancelAwaitingJobs();
  }
}

bool Compactions::AnyThrottled() const {
  for (const auto& [id, family] : *db_.families->books().to_compact()) {
    if (throttled_.count(id) > 0 && !family->options->disable_auto_compactions &&
        family->picker->NeedsCompaction(*family->current())) {
      return true;
    }
  }
  return false;
}

bool Compactions::Admit(ColumnFamily* family, LimitedTask* task) {
  const auto& limiter = family->options->compaction_thread_limiter;
  *task = LimitedTask(limiter, waiter_.get());
  if (*task) {
    throttled_.erase(family->id());
    return true;
  }
  limiters_.insert(limiter);
  throttled_.insert(family->id());
  family->compaction_blocked = true;
  return false;
}

void Compactions::RetryThrottled() {
  DBMutexLock lock(db_.mutex());
  // (What is not a candidate any more has nothing to compact, or is gone.)
  for (const auto& [id, family] : *db_.families->books().to_compact()) {
    if (throttled_.count(id) > 0) family->compaction_blocked = false;
  }
  throttled_.clear();
  db_.work->JobsChanged();
}

SpaceReservation Compactions::ReserveSpace(const Compaction& compaction, bool may_wait) {
  // (Whether it only moves files may be the user's partitioner to say, who is asked once: a move
  // needs room here as well, as in RocksDB.)
  return SpaceReservation(compaction.drops_inputs() ? nullptr : db_.space,
                          compaction.total_input_bytes(), may_wait ? waiter_.get() : nullptr);
}

std::unique_ptr<Compaction> Compactions::PickCompaction(ColumnFamily** out, LimitedTask* task,
                                                        SpaceReservation* space) {
  FamilyBooks::Candidates* const candidates = db_.families->books().to_compact();
  auto it = candidates->lower_bound(next_family_);
  for (size_t left = candidates->size(); left > 0; --left) {
    if (it == candidates->end()) it = candidates->begin();
    ColumnFamily* const family = it->second;
    db_.families->books().CountVisits(1);
    next_family_ = family->id() + 1;
    if (!db_.work->WantsCompaction(*family)) {
      it = family->compaction_blocked ? std::next(it) : candidates->erase(it);
      continue;
    }
    ++it;
    if (!Admit(family, task)) continue;
    family->picker->set_young_after(db_.sequence_times->YoungAfter(*family));
    std::unique_ptr<Compaction> compaction =
        family->InformedPicker()->PickCompaction(*family->options, family->current());
    if (compaction != nullptr) {
      *space = ReserveSpace(*compaction, /*may_wait=*/true);
      if (*space) {
        family->Ref();
        *out = family;
        return compaction;
      }
      LogWarn(db_.options.info_log.get(), "[%s] A compaction waits: there is no room for it",
              family->name().c_str());
      throttled_.insert(family->id());
    }
    // Nothing fits beside what runs now; whatever of it ends next clears this.
    family->compaction_blocked = true;
    task->Reset();
  }
  return nullptr;
}

void Compactions::BackgroundCompaction() {
  ColumnFamily* family = nullptr;
  {
    DBMutexLock lock(db_.mutex());
    Status s;
    bool outputs_are_gone = false;
    if (!db_.shutting_down.load() && !db_.errors->failed() && db_.jobs.paused == 0 &&
        db_.jobs.exclusive_manual == 0) {
      LimitedTask task;
      SpaceReservation space;
      std::unique_ptr<Compaction> compaction = PickCompaction(&family, &task, &space);
      if (compaction != nullptr) {
        // Another job may fit beside this one.
        db_.work->MaybeScheduleWork();
        s = RunCompaction(family, std::move(compaction), nullptr, db_.jobs.next_id.fetch_add(1),
                          /*info=*/nullptr, &outputs_are_gone);
      }
    }
    if (!s.ok() && !s.IsShutdownInProgress() && !s.IsColumnFamilyDropped()) {
      db_.errors->CompactionFailed(s, outputs_are_gone, "compaction");
      if (outputs_are_gone) db_.errors->PauseAfterShortage();
    }
    --db_.jobs.compactions;
    db_.work->JobsChanged();
    if (family != nullptr) db_.families->UnrefFamily(family, /*purge=*/false);
  }
  db_.files->Purge();
}

namespace {

void DescribeCompaction(const Compaction& compaction, bool moves, int job_id,
                        ThreadOperation* operation) {
  operation->SetProperty(ThreadStatus::COMPACTION_JOB_ID, static_cast<uint64_t>(job_id));
  operation->SetProperty(ThreadStatus::COMPACTION_INPUT_OUTPUT_LEVEL,
                         (static_cast<uint64_t>(compaction.start_level()) << 32) +
                             static_cast<uint64_t>(compaction.output_level()));
  operation->SetProperty(ThreadStatus::COMPACTION_PROP_FLAGS,
                         (compaction.is_manual() ? 2u : 0u) +
                             (compaction.drops_inputs() ? 4u : 0u) + (moves ? 8u : 0u));
  operation->SetProperty(ThreadStatus::COMPACTION_TOTAL_INPUT_BYTES,
                         compaction.total_input_bytes());
}

// Each level gets what was written to it; all else is the output level's.
void CountLevels(ColumnFamily* family, const Compaction& compaction, const CompactionJob& job) {
  JobStats of_output_level = job.stats();
  if (compaction.proximal_level() >= 0) {
    JobStats young;
    young.bytes_written = job.proximal_stats().bytes_written;
    young.output_files = job.proximal_stats().output_files;
    of_output_level.bytes_written -= young.bytes_written;
    of_output_level.output_files -= young.output_files;
    family->level_stats.Add(compaction.proximal_level(), young, JobKind::kCompaction);
  }
  family->level_stats.Add(compaction.output_level(), of_output_level, JobKind::kCompaction);
}

// Those that only drop files, and those that change a temperature.
void CountFifo(Statistics* statistics, CompactionReason reason) {
  if (statistics == nullptr) return;
  if (reason == CompactionReason::kFIFOMaxSize)
    statistics->recordTick(FIFO_MAX_SIZE_COMPACTIONS, 1);
  if (reason == CompactionReason::kFIFOTtl) statistics->recordTick(FIFO_TTL_COMPACTIONS, 1);
  if (reason == CompactionReason::kChangeTemperature)
    statistics->recordTick(FIFO_CHANGE_TEMPERATURE_COMPACTIONS, 1);
}

}  // namespace

Status Compactions::RunCompaction(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                  const std::atomic<bool>* canceled, int job_id,
                                  CompactionJobInfo* info, bool* outputs_are_gone) {
  ++family->running_compactions;
  Status s;
  ThreadOperation operation(db_.options.enable_thread_tracking, ThreadStatus::OP_COMPACTION,
                            db_.name, family->name());
  const bool moves =
      !compaction->drops_inputs() && family->trim_above.empty() && compaction->IsTrivialMove();
  DescribeCompaction(*compaction, moves, job_id, &operation);
  CompactionJobInfo told;
  if (db_.has_listeners()) {
    TellCompactionBegin(*family, *compaction, job_id);
    if (info == nullptr) info = &told;
  }
  if (compaction->drops_inputs() || moves) {
    // (In the compaction's own edit: what moved are its outputs, of which listeners are told.)
    VersionEdit* const edit = compaction->edit();
    if (compaction->drops_inputs()) {
      compaction->AddInputDeletions(edit);
    } else {
      compaction->AddTrivialMove(edit);
    }
    s = db_.versions->LogAndApply(family->state, edit, db_.mutex(), db_.directory.get(), false,
                                  [&] { compaction->ReleaseInputs(); });
    JobStats stats;
    if (s.ok()) {
      if (!compaction->drops_inputs()) stats.bytes_moved = compaction->total_input_bytes();
      family->level_stats.Add(compaction->output_level(), stats, JobKind::kCompaction);
      LogInfo(db_.options.info_log.get(), "[%s] %s %s (%s)", family->name().c_str(),
              compaction->drops_inputs() ? "Dropped" : "Moved", compaction->InputSummary().c_str(),
              GetCompactionReasonString(compaction->reason()));
      CountFifo(db_.statistics, compaction->reason());
    }
    if (info != nullptr) {
      db_.mutex()->unlock();
      ReportCompaction(*family, *compaction, stats, job_id, info);
      db_.mutex()->lock();
      info->status = s;
    }
  } else {
    const auto protected_from = db_.files->ProtectNewFiles();
    JobEnv env = db_.work->MakeJobEnv(*family, job_id, Env::IO_LOW);
    env.canceled = canceled;
    if (db_.space != nullptr) env.check_space = [this] { return db_.space->CheckSpace(); };
    if (!compaction->is_manual()) {
      env.urgent = [this](double) {
        return db_.write_controller.NeedSpeedupCompaction() ||
               db_.shutting_down.load(std::memory_order_relaxed);
      };
    }
    CompactionJob job(env, compaction.get());
    db_.mutex()->unlock();
    s = job.Run();
    if (outputs_are_gone != nullptr) *outputs_are_gone = !s.ok();
    if (info != nullptr) {
      info->stats = job.counts();
      ReportCompaction(*family, *compaction, job.stats(), job_id, info);
    }
    db_.mutex()->lock();
    if (s.ok()) {
      const ThreadStage stage(ThreadStatus::STAGE_COMPACTION_INSTALL);
      s = db_.versions->LogAndApply(family->state, compaction->edit(), db_.mutex(),
                                    db_.directory.get(), false,
                                    [&] { compaction->ReleaseInputs(); });
      if (s.IsColumnFamilyDropped()) db_.files->DeleteOutputs(*family, *compaction->edit());
    }
    if (info != nullptr) info->status = s;
    db_.files->UnprotectNewFiles(protected_from);
    if (s.ok()) {
      CountLevels(family, *compaction, job);
      CountFifo(db_.statistics, compaction->reason());
    }
  }
  compaction.reset();
  --family->running_compactions;
  db_.families->UpdateFigures(family);
  db_.families->books().MayCompact(family);
  if (db_.has_listeners()) {
    db_.events->QueueEvent([this, report = *info](EventListener* listener) {
      listener->OnCompactionCompleted(db_.self, report);
    });
  }
  if (s.ok()) db_.errors->CompactionSucceeded();
  if (s.ok() && !family->dropped.load()) {
    db_.work->InstallSuperVersion(family);
    LogInfo(db_.options.info_log.get(), "[%s] Level summary: %s", family->name().c_str(),
            family->current()->LevelSummary().c_str());
  }
  db_.events->DeliverEvents();
  return s;
}

void Compactions::TellCompactionBegin(const ColumnFamily& family, const Compaction& compaction,
                                      int job_id) {
  db_.mutex()->unlock();
  CompactionJobInfo info;
  ReportCompaction(family, compaction, JobStats(), job_id, &info);
  db_.Tell([this, &info](EventListener* listener) { listener->OnCompactionBegin(db_.self, info); });
  db_.mutex()->lock();
}

}  // namespace cairn
