// Background errors: what refuses writes until the database has recovered, by the user's Resume or,
// where something was short, by itself (error_handler.cc).
//
// Guards: the mutex; failed() without.
#pragma once

#include <atomic>

#include "base/namespace.h"
#include "db/database.h"
#include "fiber/thread.h"

namespace cairn {

class ErrorHandler final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status Resume();
  // Writes are refused. Any thread.
  bool failed() const { return has_background_error_.load(); }
  // Why; OK: nothing failed.
  const Status& error() const FIBER_REQUIRES(database_mutex) { return background_error_; }
  uint64_t count() const FIBER_REQUIRES(database_mutex) { return background_errors_; }
  // All families are flushed at once by a recovery: a log that failed cannot be synced before a
  // part of its batches is in a table.
  bool recovery_flushes() const FIBER_REQUIRES(database_mutex) { return recovery_flushes_; }
  // Remembers the first error that makes further writes unsafe; they are refused until the database
  // has recovered. Releases the mutex while listeners are told.
  void SetBackgroundError(const Status& error, BackgroundErrorReason reason, const char* where)
      FIBER_REQUIRES(database_mutex);
  // After a compaction that failed, in its thread. `outputs_are_gone`: the MANIFEST has heard
  // nothing of it. A shortage then leaves the database as it is, but for a pause.
  void CompactionFailed(const Status& error, bool outputs_are_gone, const char* where)
      FIBER_REQUIRES(database_mutex);
  void CompactionSucceeded() FIBER_REQUIRES(database_mutex) { compaction_shortages_ = 0; }
  // Waits, releasing the mutex, before compactions are tried again; none begins meanwhile.
  void PauseAfterShortage() FIBER_REQUIRES(database_mutex);

  // What the pauses after a shortage end early for may have come.
  void WakePauses() FIBER_REQUIRES(database_mutex) { pause_over_.notify_all(); }

  void JoinRecovery();  // at the end, without the mutex

 private:
  // What Resume does; *former receives the error that there was.
  [[nodiscard]] Status RecoverFromError(Status* former);
  // A fiber or thread tries to recover until it succeeds, or nobody wants it any more.
  void StartRecovery() FIBER_REQUIRES(database_mutex);
  void KeepRecovering();
  // Only a new opening helps.
  bool IsForGood() const FIBER_REQUIRES(database_mutex);
  bool MayRecoverByItself() const FIBER_REQUIRES(database_mutex);
  // Asks the listeners.
  bool RecoveryIsWanted() FIBER_REQUIRES(database_mutex);
  // There is less than what is in memory and must be written; or the limit of the user's
  // SstFileManager is still reached, where that was the error.
  bool DiskIsFull();

  DBCondition pause_over_;
  std::atomic<bool> has_background_error_{false};
  Status background_error_ FIBER_GUARDED_BY(database_mutex);
  BackgroundErrorReason background_error_reason_ FIBER_GUARDED_BY(database_mutex) =
      BackgroundErrorReason::kFlush;
  uint64_t recoveries_ FIBER_GUARDED_BY(database_mutex) = 0;  // that succeeded
  bool recovering_ FIBER_GUARDED_BY(database_mutex) = false;  // by itself: a thread is at it
  bool recovery_flushes_ FIBER_GUARDED_BY(database_mutex) = false;
  fiber::Thread recovery_;  // made with the mutex; the one before has left it by then
  int compaction_shortages_ FIBER_GUARDED_BY(database_mutex) = 0;  // met since one succeeded
  uint64_t background_errors_ FIBER_GUARDED_BY(database_mutex) = 0;
};

}  // namespace cairn
