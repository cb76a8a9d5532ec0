// What runs in the background and when: flushes and compactions are scheduled, readers get the new
// state (super versions), writers are slowed or stopped while it is behind; and the clock.
//
// Guards: the mutex.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "db/database.h"
#include "fiber/thread.h"

namespace cairn {

class BackgroundWork final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status WaitForCompact(const WaitForCompactOptions&);
  [[nodiscard]] Status PauseBackgroundWork();
  [[nodiscard]] Status ContinueBackgroundWork();
  // See convenience.h.
  void CancelAllBackgroundWork(bool wait);
  void InstallSuperVersion(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  static int Level0Pressure(const ColumnFamily& family);
  void UpdateStall(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // Whether a writer must look what is the matter.
  void UpdateAttention() FIBER_REQUIRES(database_mutex);
  // Of the family that holds writers up most.
  ColumnFamily* StalledFamily() const FIBER_REQUIRES(database_mutex);
  // Nothing is scheduled before: what recovery left may not be compacted yet
  // (recovery_prepared.cc).
  void Begin() FIBER_REQUIRES(database_mutex) { begun_ = true; }
  void MaybeScheduleWork() FIBER_REQUIRES(database_mutex);
  // A job ended, or there may be another thing to do: schedules it, and wakes whoever waits for
  // jobs.
  void JobsChanged() FIBER_REQUIRES(database_mutex);
  // What the clock waits for may be another.
  void WakeClock() FIBER_REQUIRES(database_mutex) { clock_changed_.notify_all(); }
  // By its scores, and unless what there is to do was found to conflict with running jobs.
  static bool WantsCompaction(const ColumnFamily& family);
  // A flush is due, and is not put off: without timestamps in tables it would end what memtables
  // have of the history, so that it waits until the mark has passed that, as long as no write has
  // to wait for it and nobody asked for it. REQUIRES: mutex
  bool WantsFlush(const ColumnFamily& family) const;
  // Files also get too old while nothing else happens, statistics go into the LOG at times, and
  // samples of sequence numbers are taken (sequence_times.h): a thread waits for all of them, from
  // when some options ask for it. (Of ages a month's default is kept
  // without it, well enough.)
  void StartClock() FIBER_REQUIRES(database_mutex);
  void JoinClock();  // at the end, without the mutex
  // io_priority: unless writers are held up, which makes it IO_USER.
  JobEnv MakeJobEnv(const ColumnFamily& family, int job_id, Env::IOPriority io_priority)
      FIBER_REQUIRES(database_mutex);
  static int MaxFlushes(const DBOptions& options);
  static int MaxCompactions(const DBOptions& options);

 private:
  // Families whose oldest tables expired may want a compaction.
  void NoteExpired() FIBER_REQUIRES(database_mutex);
  void MaybeScheduleCompaction() FIBER_REQUIRES(database_mutex);
  // A flush or compaction runs, or is due.
  bool HasBackgroundWork() FIBER_REQUIRES(database_mutex);
  void WatchClock();
  struct Repeated;
  // Nanoseconds between two reports into the LOG, and between two notes of the tickers' history;
  // 0: there are none.
  uint64_t DumpPeriod() const FIBER_REQUIRES(database_mutex);
  uint64_t NotePeriod() const FIBER_REQUIRES(database_mutex);

  bool begun_ FIBER_GUARDED_BY(database_mutex) = false;
  fiber::Thread clock_;  // made with the mutex
  DBCondition clock_changed_;
};

}  // namespace cairn
