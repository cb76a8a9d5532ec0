// Background errors: what refuses writes until the database has recovered, by the user's Resume or,
// where something was short, by itself.
//
// Shortages (base/shortage.h) go away without anybody touching the database: some other file is
// deleted, descriptors are closed. A fiber (or thread) of its own does at intervals what Resume
// does; of a full disk it looks for space first. A compaction that met one (but a full disk, which
// its next try would fill again) stops nobody: its inputs are there, and it is tried again after a
// pause.
#include <algorithm>

#include "base/logging.h"
#include "base/shortage.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/memtable_switch.h"
#include "db/shared_memory.h"
#include "db/write_path.h"
#include "fiber/clock.h"
#include "fs/space_manager.h"

namespace cairn {
namespace {

// As in RocksDB, these may be passed over, if the user's listener says so: the inputs are still
// there, and the work is done again. What a failed write of the log left is not: later records
// would follow a torn one.
bool MayBeIgnored(BackgroundErrorReason reason) {
  return reason == BackgroundErrorReason::kFlush || reason == BackgroundErrorReason::kCompaction;
}

void CountError(Statistics* statistics, const Status& error) {
  if (statistics == nullptr) return;
  statistics->recordTick(ERROR_HANDLER_BG_ERROR_COUNT, 1);
  if (error.IsIOError()) statistics->recordTick(ERROR_HANDLER_BG_IO_ERROR_COUNT, 1);
  if (IsShortage(error)) statistics->recordTick(ERROR_HANDLER_BG_RETRYABLE_IO_ERROR_COUNT, 1);
}

void Count(Statistics* statistics, Tickers ticker) {
  if (statistics != nullptr) statistics->recordTick(ticker, 1);
}

// What the user's SstFileManager says (SpaceManager::CheckSpace).
bool IsSpaceLimit(const Status& s) {
  return s.IsIOError() && s.subcode() == Status::SubCode::kSpaceLimit;
}

constexpr uint64_t kNanosPerMicro = 1000;
constexpr uint64_t kPauseAfterIgnoredError = 1'000'000'000;  // nanoseconds
// Before the first attempt to go on after a shortage; those that follow have the user's interval
// between them. And between attempts of compactions, where each pause is twice the one before.
constexpr uint64_t kFirstPause = 10'000'000;  // nanoseconds
constexpr uint64_t kLongestPause = 1'000'000'000;

}  // namespace

void ErrorHandler::SetBackgroundError(const Status& error, BackgroundErrorReason reason,
                                      const char* where) {
  LogError(db_.options.info_log.get(), "Background error in %s: %s", where,
           error.ToString().c_str());
  CountError(db_.statistics, error);
  Status told = error;
  if (db_.has_listeners() && MayBeIgnored(reason)) {
    db_.mutex()->unlock();
    db_.Tell([&](EventListener* listener) { listener->OnBackgroundError(reason, &told); });
    db_.mutex()->lock();
  }
  // Not before: whoever sees the count may call Resume(), which looks for the error.
  ++background_errors_;
  if (told.ok()) {
    LogWarn(db_.options.info_log.get(), "A listener says that the error be ignored");
    const uint64_t until = fiber::now_nanos() + kPauseAfterIgnoredError;
    while (fiber::now_nanos() < until && !db_.shutting_down.load()) {
      pause_over_.wait_until(db_.mutex(), until);
    }
    return;
  }
  const bool first = !has_background_error_.load(std::memory_order_relaxed);
  if (first) {
    background_error_ = error;
    background_error_reason_ = reason;
    has_background_error_.store(true, std::memory_order_release);
  }
  db_.writes->SetNeedsAttention(true);
  db_.WakeAll();
  db_.memory->client()->Signal();
  if (db_.has_listeners() && !MayBeIgnored(reason)) {
    db_.mutex()->unlock();
    db_.Tell([&](EventListener* listener) {
      Status told = error;
      listener->OnBackgroundError(reason, &told);
    });
    db_.mutex()->lock();
  }
  if (first) StartRecovery();
}

// --- Compactions

void ErrorHandler::CompactionFailed(const Status& error, bool outputs_are_gone, const char* where) {
  if (!outputs_are_gone || !IsShortage(error) || error.IsNoSpace()) {
    SetBackgroundError(error, BackgroundErrorReason::kCompaction, where);
    return;
  }
  LogWarn(db_.options.info_log.get(), "A %s met a shortage, which will pass: %s", where,
          error.ToString().c_str());
  CountError(db_.statistics, error);
  Count(db_.statistics, ERROR_HANDLER_AUTORESUME_COUNT);
  if (db_.has_listeners()) {
    db_.mutex()->unlock();
    db_.Tell([&](EventListener* listener) {
      Status told = error;
      listener->OnBackgroundError(BackgroundErrorReason::kCompaction, &told);
    });
    db_.mutex()->lock();
  }
  ++background_errors_;
  compaction_shortages_ = std::min(compaction_shortages_ + 1, 30);
}

void ErrorHandler::PauseAfterShortage() {
  if (compaction_shortages_ == 0) return;
  const uint64_t until =
      fiber::now_nanos() + std::min(kFirstPause << (compaction_shortages_ - 1), kLongestPause);
  ++db_.jobs.pausing;
  // (Those who are waited for here wait for the end of all compactions.)
  while (fiber::now_nanos() < until && !db_.shutting_down.load() && !has_background_error_.load() &&
         db_.jobs.paused == 0 && db_.jobs.exclusive_manual == 0) {
    pause_over_.wait_until(db_.mutex(), until);
  }
  --db_.jobs.pausing;
}

// --- Recovery

Status ErrorHandler::Resume() {
  Status former;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = RecoverFromError(&former);
  return s;
}

// Of a memtable that lacks a part of a batch no table may be made (what it lacks is in the log:
// only a new opening finds it there). And a log that failed may have, or not have, a transaction's
// mark: all else could go on once the memtables are tables, but it may be the log of other
// transactions that are prepared.
bool ErrorHandler::IsForGood() const {
  return background_error_.IsCorruption() ||
         background_error_reason_ == BackgroundErrorReason::kMemTable ||
         (db_.prepared.used() && background_error_reason_ == BackgroundErrorReason::kWriteCallback);
}

Status ErrorHandler::RecoverFromError(Status* former) {
  Status s;
  {
    // With leadership held to the end: no write enters before everything in memory is in tables.
    // Until then the damaged tail of the old WAL would cut off what a recovery finds in a newer
    // one.
    CommitQueue::Exclusive leadership(db_.commit.get());
    DBMutexLock lock(db_.mutex());
    if (!has_background_error_.load()) return Status::OK();
    // What began before may still fail for the old reason, and would be taken for a new error.
    while (db_.jobs.flushes > 0 || db_.jobs.compactions > 0) db_.jobs.changed.wait(db_.mutex());
    if (db_.shutting_down.load()) return Status::ShutdownInProgress();
    if (IsForGood()) return background_error_;  // as in RocksDB
    *former = background_error_;
    const BackgroundErrorReason reason = background_error_reason_;
    // The old WAL may be what failed; nothing depends on it once the memtables are tables. Until
    // they are sealed the error stands: a flush that began meanwhile would have to sync that WAL.
    const uint64_t errors = background_errors_;
    s = db_.memtables->SwitchMemTables(db_.families->all(), FlushReason::kErrorRecovery,
                                       /*abandon_wal=*/true);
    if (s.ok() && background_errors_ != errors) s = *former;  // another one came in between
    if (s.ok()) {
      background_error_ = Status::OK();
      has_background_error_.store(false, std::memory_order_release);
    }
    const auto unflushed = [this]() FIBER_REQUIRES(database_mutex) {
      const std::vector<ColumnFamily*> busy = db_.memtables->BusyFamilies();
      return std::any_of(busy.begin(), busy.end(), [](const ColumnFamily* family) {
        return family->imm.NumNotFlushed() > 0;
      });
    };
    if (s.ok() && unflushed()) {
      for (ColumnFamily* family : db_.families->all()) {
        if (family->imm.NumNotFlushed() > 0) db_.memtables->RequestFlush(family);
      }
      recovery_flushes_ = true;
      db_.work->MaybeScheduleWork();
      while (unflushed() && !has_background_error_.load() && !db_.shutting_down.load()) {
        db_.jobs.changed.wait(db_.mutex());
      }
      recovery_flushes_ = false;
      if (has_background_error_.load()) s = background_error_;
      if (db_.shutting_down.load()) s = Status::ShutdownInProgress();
    }
    if (!s.ok()) {
      if (!has_background_error_.load()) SetBackgroundError(*former, reason, "resume");
    } else {
      ++recoveries_;
      WakePauses();
      for (ColumnFamily* family : db_.families->all()) db_.work->UpdateStall(family);
      db_.work->MaybeScheduleWork();
      const uint64_t min_log = db_.versions->MinLogNumberToKeep();
      lock.unlock();
      // A WAL that failed would fail every later sync too.
      db_.wals->ForgetBelow(min_log);
    }
  }
  if (s.ok()) LogInfo(db_.options.info_log.get(), "Recovered from: %s", former->ToString().c_str());
  BackgroundErrorRecoveryInfo info;
  info.old_bg_error = *former;
  info.new_bg_error = s;
  db_.Tell([&](EventListener* listener) {
    if (info.new_bg_error.ok()) listener->OnErrorRecoveryCompleted(info.old_bg_error);
    listener->OnErrorRecoveryEnd(info);
  });
  return s;
}

bool ErrorHandler::MayRecoverByItself() const {
  return has_background_error_.load() &&
         (IsShortage(background_error_) || IsSpaceLimit(background_error_)) && !IsForGood() &&
         !db_.shutting_down.load();
}

void ErrorHandler::StartRecovery() {
  if (!MayRecoverByItself() || recovering_ || db_.mode != OpenMode::kReadWrite ||
      db_.options.max_bgerror_resume_count <= 0) {
    return;
  }
  // (Whoever was there before had nothing left to do but to end when recovering_ became false.)
  if (recovery_.joinable()) recovery_.join();
  const int r = fiber::Thread::create(
      "rocksdb:recover", [this] { KeepRecovering(); }, /*nice=*/0, &recovery_);
  recovering_ = r == 0;
  if (recovering_) Count(db_.statistics, ERROR_HANDLER_AUTORESUME_COUNT);
  if (r != 0) LogWarn(db_.options.info_log.get(), "No thread for the recovery: call DB::Resume");
}

void ErrorHandler::JoinRecovery() {
  if (recovery_.joinable()) recovery_.join();
}

bool ErrorHandler::DiskIsFull() {
  uint64_t needed = 0;
  {
    DBMutexLock lock(db_.mutex());
    if (IsSpaceLimit(background_error_)) {
      lock.unlock();
      return db_.space != nullptr && db_.space->IsMaxAllowedSpaceReached();
    }
    for (const ColumnFamily* family : db_.families->all()) needed += family->UnflushedBytes();
  }
  if (db_.space != nullptr) needed += db_.space->compaction_buffer_size();
  uint64_t free = 0;
  const IOStatus io = db_.fs->GetFreeSpace(db_.name, IOOptions(), &free, nullptr);
  return io.ok() && free < needed;
}

bool ErrorHandler::RecoveryIsWanted() {
  const BackgroundErrorReason reason = background_error_reason_;
  const Status error = background_error_;
  bool wanted = true;
  db_.mutex()->unlock();
  db_.Tell([&](EventListener* listener) {
    bool one_wants_it = true;
    listener->OnErrorRecoveryBegin(reason, error, &one_wants_it);
    wanted = wanted && one_wants_it;
  });
  db_.mutex()->lock();
  return wanted;
}

void ErrorHandler::KeepRecovering() {
  const uint64_t interval = db_.options.bgerror_resume_retry_interval * kNanosPerMicro;
  DBMutexLock lock(db_.mutex());
  uint64_t error = UINT64_MAX;  // which one it is: how many recoveries were before it
  int attempts = 0;
  bool wanted = true;
  while (MayRecoverByItself()) {
    if (error != recoveries_) {
      error = recoveries_;
      attempts = 0;
      wanted = RecoveryIsWanted();
      if (wanted) LogInfo(db_.options.info_log.get(), "Waiting for the shortage to pass");
      continue;
    }
    if (!wanted || attempts == db_.options.max_bgerror_resume_count) break;
    const bool looks_for_space = background_error_.IsNoSpace() || IsSpaceLimit(background_error_);
    const uint64_t until =
        fiber::now_nanos() +
        (looks_for_space || attempts > 0 ? interval : std::min(interval, kFirstPause));
    while (fiber::now_nanos() < until && MayRecoverByItself() && error == recoveries_) {
      pause_over_.wait_until(db_.mutex(), until);
    }
    if (!MayRecoverByItself() || error != recoveries_) continue;
    db_.mutex()->unlock();
    if (!looks_for_space || !DiskIsFull()) {
      ++attempts;
      Status former;
      const Status s = RecoverFromError(&former);
      Count(db_.statistics, ERROR_HANDLER_AUTORESUME_RETRY_TOTAL_COUNT);
      if (s.ok()) Count(db_.statistics, ERROR_HANDLER_AUTORESUME_SUCCESS_COUNT);
      if (db_.statistics != nullptr &&
          (s.ok() || attempts == db_.options.max_bgerror_resume_count)) {
        db_.statistics->recordInHistogram(ERROR_HANDLER_AUTORESUME_RETRY_COUNT,
                                          static_cast<uint64_t>(attempts));
      }
    }
    db_.mutex()->lock();
  }
  recovering_ = false;
}

}  // namespace cairn
