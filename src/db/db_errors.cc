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
#include "db/db_impl.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

// As in RocksDB, these may be passed over, if the user's listener says so: the inputs are still
// there, and the work is done again. What a failed write of the log left is not: later records
// would follow a torn one.
bool MayBeIgnored(BackgroundErrorReason reason) {
  return reason == BackgroundErrorReason::kFlush || reason == BackgroundErrorReason::kCompaction;
}

constexpr uint64_t kNanosPerMicro = 1000;
constexpr uint64_t kPauseAfterIgnoredError = 1'000'000'000;  // nanoseconds
// Before the first attempt to go on after a shortage; those that follow have the user's interval
// between them. And between attempts of compactions, where each pause is twice the one before.
constexpr uint64_t kFirstPause = 10'000'000;  // nanoseconds
constexpr uint64_t kLongestPause = 1'000'000'000;

}  // namespace

void DBImpl::OnCommitError(const Status& status, CommitErrorKind kind) {
  DBMutexLock lock(&mutex_);
  if (kind == CommitErrorKind::kMemtable) {
    SetBackgroundError(status, BackgroundErrorReason::kMemTable, "memtable insertion");
  } else {
    SetBackgroundError(status, BackgroundErrorReason::kWriteCallback,
                       kind == CommitErrorKind::kWalWrite ? "WAL write" : "WAL sync");
  }
}

void DBImpl::SetBackgroundError(const Status& error, BackgroundErrorReason reason,
                                const char* where) {
  LogError(db_options_.info_log.get(), "Background error in %s: %s", where,
           error.ToString().c_str());
  Status told = error;
  if (has_listeners() && MayBeIgnored(reason)) {
    mutex_.unlock();
    Tell([&](EventListener* listener) { listener->OnBackgroundError(reason, &told); });
    mutex_.lock();
  }
  // Not before: whoever sees the count may call Resume(), which looks for the error.
  ++background_errors_;
  if (told.ok()) {
    LogWarn(db_options_.info_log.get(), "A listener says that the error be ignored");
    const uint64_t until = fiber::now_nanos() + kPauseAfterIgnoredError;
    while (fiber::now_nanos() < until && !shutting_down_.load()) {
      background_done_.wait_until(&mutex_, until);
    }
    return;
  }
  const bool first = !has_background_error_.load(std::memory_order_relaxed);
  if (first) {
    background_error_ = error;
    background_error_reason_ = reason;
    has_background_error_.store(true, std::memory_order_release);
  }
  write_needs_attention_.store(true, std::memory_order_release);
  background_done_.notify_all();
  buffer_client_->Signal();
  if (has_listeners() && !MayBeIgnored(reason)) {
    mutex_.unlock();
    Tell([&](EventListener* listener) {
      Status told = error;
      listener->OnBackgroundError(reason, &told);
    });
    mutex_.lock();
  }
  if (first) StartRecovery();
}

// --- Compactions

void DBImpl::CompactionFailed(const Status& error, bool outputs_are_gone, const char* where) {
  if (!outputs_are_gone || !IsShortage(error) || error.IsNoSpace()) {
    SetBackgroundError(error, BackgroundErrorReason::kCompaction, where);
    return;
  }
  LogWarn(db_options_.info_log.get(), "A %s met a shortage, which will pass: %s", where,
          error.ToString().c_str());
  if (has_listeners()) {
    mutex_.unlock();
    Tell([&](EventListener* listener) {
      Status told = error;
      listener->OnBackgroundError(BackgroundErrorReason::kCompaction, &told);
    });
    mutex_.lock();
  }
  ++background_errors_;
  compaction_shortages_ = std::min(compaction_shortages_ + 1, 30);
}

void DBImpl::PauseAfterShortage() {
  if (compaction_shortages_ == 0) return;
  const uint64_t until =
      fiber::now_nanos() + std::min(kFirstPause << (compaction_shortages_ - 1), kLongestPause);
  ++pausing_compactions_;
  // (Those who are waited for here wait for the end of all compactions.)
  while (fiber::now_nanos() < until && !shutting_down_.load() && !has_background_error_.load() &&
         paused_ == 0 && exclusive_manual_ == 0) {
    background_done_.wait_until(&mutex_, until);
  }
  --pausing_compactions_;
}

// --- Recovery

Status DBImpl::Resume() {
  Status former;
  Status s = RefuseIfReadOnly();
  if (s.ok()) s = RecoverFromError(&former);
  return s;
}

Status DBImpl::RecoverFromError(Status* former) {
  Status s;
  {
    // With leadership held to the end: no write enters before everything in memory is in tables.
    // Until then the damaged tail of the old WAL would cut off what a recovery finds in a newer
    // one.
    CommitQueue::Exclusive leadership(commit_.get());
    DBMutexLock lock(&mutex_);
    if (!has_background_error_.load()) return Status::OK();
    // What began before may still fail for the old reason, and would be taken for a new error.
    while (running_flushes_ > 0 || running_compactions_ > 0) background_done_.wait(&mutex_);
    if (shutting_down_.load()) return Status::ShutdownInProgress();
    // (As in RocksDB: of a memtable that lacks a part of a batch no table may be made.)
    if (background_error_.IsCorruption() ||
        background_error_reason_ == BackgroundErrorReason::kMemTable) {
      return background_error_;
    }
    *former = background_error_;
    const BackgroundErrorReason reason = background_error_reason_;
    background_error_ = Status::OK();
    has_background_error_.store(false, std::memory_order_release);
    // The old WAL may be what failed; nothing depends on it once the memtables are tables.
    s = SwitchMemTables(families_, FlushReason::kErrorRecovery, /*abandon_wal=*/true);
    const auto unflushed = [this]() FIBER_REQUIRES(mutex_) {
      const std::vector<ColumnFamily*> busy = BusyFamilies();
      return std::any_of(busy.begin(), busy.end(), [](const ColumnFamily* family) {
        return family->imm.NumNotFlushed() > 0;
      });
    };
    if (s.ok() && unflushed()) {
      for (ColumnFamily* family : families_) {
        if (family->imm.NumNotFlushed() > 0) RequestFlush(family);
      }
      recovery_flushes_ = true;
      MaybeScheduleWork();
      while (unflushed() && !has_background_error_.load() && !shutting_down_.load()) {
        background_done_.wait(&mutex_);
      }
      recovery_flushes_ = false;
      if (has_background_error_.load()) s = background_error_;
      if (shutting_down_.load()) s = Status::ShutdownInProgress();
    }
    if (!s.ok()) {
      if (!has_background_error_.load()) SetBackgroundError(*former, reason, "resume");
    } else {
      ++recoveries_;
      for (ColumnFamily* family : families_) UpdateStall(family);
      MaybeScheduleWork();
      const uint64_t min_log = versions_->MinLogNumberToKeep();
      lock.unlock();
      // A WAL that failed would fail every later sync too.
      wals_->ForgetBelow(min_log);
    }
  }
  if (s.ok()) LogInfo(db_options_.info_log.get(), "Recovered from: %s", former->ToString().c_str());
  BackgroundErrorRecoveryInfo info;
  info.old_bg_error = *former;
  info.new_bg_error = s;
  Tell([&](EventListener* listener) {
    if (info.new_bg_error.ok()) listener->OnErrorRecoveryCompleted(info.old_bg_error);
    listener->OnErrorRecoveryEnd(info);
  });
  return s;
}

bool DBImpl::MayRecoverByItself() const {
  // (What a memtable lacks is in the log: only a new opening finds it there.)
  return has_background_error_.load() && IsShortage(background_error_) &&
         background_error_reason_ != BackgroundErrorReason::kMemTable && !shutting_down_.load();
}

void DBImpl::StartRecovery() {
  if (!MayRecoverByItself() || recovering_ || mode_ != OpenMode::kReadWrite ||
      db_options_.max_bgerror_resume_count <= 0) {
    return;
  }
  // (Whoever was there before had nothing left to do but to end when recovering_ became false.)
  if (recovery_.joinable()) recovery_.join();
  const int r = fiber::Thread::create(
      "rocksdb:recover", [this] { KeepRecovering(); }, /*nice=*/0, &recovery_);
  recovering_ = r == 0;
  if (r != 0) LogWarn(db_options_.info_log.get(), "No thread for the recovery: call DB::Resume");
}

bool DBImpl::DiskIsFull() {
  uint64_t needed = 0;
  {
    DBMutexLock lock(&mutex_);
    for (const ColumnFamily* family : families_) needed += family->UnflushedBytes();
  }
  uint64_t free = 0;
  const IOStatus io = fs_->GetFreeSpace(dbname_, IOOptions(), &free, nullptr);
  return io.ok() && free < needed;
}

bool DBImpl::RecoveryIsWanted() {
  const BackgroundErrorReason reason = background_error_reason_;
  const Status error = background_error_;
  bool wanted = true;
  mutex_.unlock();
  Tell([&](EventListener* listener) {
    bool one_wants_it = true;
    listener->OnErrorRecoveryBegin(reason, error, &one_wants_it);
    wanted = wanted && one_wants_it;
  });
  mutex_.lock();
  return wanted;
}

void DBImpl::KeepRecovering() {
  const uint64_t interval = db_options_.bgerror_resume_retry_interval * kNanosPerMicro;
  DBMutexLock lock(&mutex_);
  uint64_t error = UINT64_MAX;  // which one it is: how many recoveries were before it
  int attempts = 0;
  bool wanted = true;
  while (MayRecoverByItself()) {
    if (error != recoveries_) {
      error = recoveries_;
      attempts = 0;
      wanted = RecoveryIsWanted();
      if (wanted) LogInfo(db_options_.info_log.get(), "Waiting for the shortage to pass");
      continue;
    }
    if (!wanted || attempts == db_options_.max_bgerror_resume_count) break;
    const bool looks_for_space = background_error_.IsNoSpace();
    const uint64_t until =
        fiber::now_nanos() +
        (looks_for_space || attempts > 0 ? interval : std::min(interval, kFirstPause));
    while (fiber::now_nanos() < until && MayRecoverByItself() && error == recoveries_) {
      background_done_.wait_until(&mutex_, until);
    }
    if (!MayRecoverByItself() || error != recoveries_) continue;
    mutex_.unlock();
    if (!looks_for_space || !DiskIsFull()) {
      ++attempts;
      Status former;
      RecoverFromError(&former).PermitUncheckedError();
    }
    mutex_.lock();
  }
  recovering_ = false;
}

}  // namespace cairn
