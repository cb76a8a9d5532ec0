// Flushes: the background job, and flushes on demand.
//
// Guards: the mutex, which a job releases while it writes.
#pragma once

#include <atomic>
#include <deque>
#include <vector>

#include "base/namespace.h"
#include "compaction/flush_job.h"
#include "compaction/job_env.h"
#include "db/database.h"

namespace cairn {

class Flushes final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status Flush(const FlushOptions&, ColumnFamilyHandle*);
  [[nodiscard]] Status Flush(const FlushOptions&, const std::vector<ColumnFamilyHandle*>&);
  // `together`: of all families, as FlushesTogether() said when it was scheduled.
  void BackgroundFlush(ColumnFamily* family, bool together);
  // One job for the memtables of all families.
  bool FlushesTogether() const FIBER_REQUIRES(database_mutex);
  // Beside those that run: one of all families is the only one, for each family's come in order.
  bool MayBegin() const FIBER_REQUIRES(database_mutex);
  // It is scheduled; until its end there is no other.
  void BeginTogether() FIBER_REQUIRES(database_mutex) { running_together_ = true; }
  // All memtables of the families, up to now, become files. SUSPENDS.
  [[nodiscard]] Status FlushMemTables(const FlushOptions& options,
                                      const std::vector<ColumnFamily*>& families,
                                      FlushReason reason);
  [[nodiscard]] Status FlushAllFamilies(const FlushOptions& options, FlushReason reason);
  // The same by jobs of all families, also without atomic_flush. NotSupported: it is not to wait.
  [[nodiscard]] Status FlushTogether(const FlushOptions& options, FlushReason reason);

 private:
  bool FlushIsUrgent(const ColumnFamily& family, double done) const;
  // Counts what the job, which is made, will write.
  void CountFlush(FlushReason reason, const FlushJob& job) const;
  // One flush job, of memtables that were picked, and its edit.
  // *info is filled in if there are listeners, and its file_path left empty if there is no file.
  [[nodiscard]] Status RunFlushJob(ColumnFamily* family, const std::vector<MemTable*>& memtables,
                                   VersionEdit* edit, JobStats* stats, FlushJobInfo* info)
      FIBER_REQUIRES(database_mutex);
  // What a flush of memtables that were picked would write becomes a memtable in their place, if
  // that is so little that it pays (experimental_mempurge_threshold). Nothing goes into the
  // MANIFEST, and the logs stay that have it. False: they are to be flushed.
  [[nodiscard]] bool PurgeInstead(ColumnFamily* family, const std::vector<MemTable*>& memtables)
      FIBER_REQUIRES(database_mutex);
  // The flush is installed: listeners are to hear of it.
  void QueueFlushed(const ColumnFamily& family, FlushJobInfo info) FIBER_REQUIRES(database_mutex);
  // Older logs that a flush must not overtake reach the disk.
  [[nodiscard]] Status SyncClosedWals(VersionEdit* edit) FIBER_REQUIRES(database_mutex);
  // *reason: what failed.
  [[nodiscard]] Status FlushOnce(ColumnFamily* family, BackgroundErrorReason* reason)
      FIBER_REQUIRES(database_mutex);
  // With atomic_flush: all families at once.
  [[nodiscard]] Status FlushAllOnce(BackgroundErrorReason* reason) FIBER_REQUIRES(database_mutex);
  // One family's part of that: first those that flush, then the others.
  struct AtomicPart;
  using AtomicParts = std::deque<AtomicPart>;
  // All of them in one record of the MANIFEST.
  [[nodiscard]] Status RecordTogether(AtomicParts* parts) FIBER_REQUIRES(database_mutex);
  void EndTogether(AtomicPart* part, bool recorded) FIBER_REQUIRES(database_mutex);

  std::atomic<int> flush_waiters_{0};                         // relaxed: a hint
  int forced_together_ FIBER_GUARDED_BY(database_mutex) = 0;  // calls of FlushTogether()
  bool running_together_ FIBER_GUARDED_BY(database_mutex) = false;
};

}  // namespace cairn
