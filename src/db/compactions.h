// Compactions: those that the tree asks for (compactions.cc), CompactRange (compact_range.cc) and
// CompactFiles (compact_files.cc).
//
// Guards: the mutex, which a job releases while it runs.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/task_limiter.h"
#include "compaction/job_env.h"
#include "db/database.h"
#include "fs/space_manager.h"

namespace cairn {

class Compactions final : public Part {
 public:
  explicit Compactions(Database* db);
  ~Compactions();

  // DB::IncreaseFullHistoryTsLow.
  [[nodiscard]] Status RaiseHistoryLow(ColumnFamilyHandle* handle, const Slice& low);
  // See DB::OpenAndTrimHistory; OK for a family without timestamps.
  [[nodiscard]] Status TrimHistory(ColumnFamilyHandle*, const std::string& newest);
  [[nodiscard]] Status CompactRange(const CompactRangeOptions&, ColumnFamilyHandle*,
                                    const Slice* begin, const Slice* end);
  [[nodiscard]] Status CompactFiles(const CompactionOptions&, ColumnFamilyHandle*,
                                    const std::vector<std::string>& input_file_names,
                                    int output_level, int output_path_id,
                                    std::vector<std::string>* output_file_names,
                                    CompactionJobInfo* compaction_job_info);
  [[nodiscard]] Status EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>&);
  void DisableManualCompaction();
  void EnableManualCompaction();
  void BackgroundCompaction();
  // The end has begun: nobody is to wait for a worker. Without the mutex.
  void CancelRemote() const;
  // Some family's compaction waits for room in its user's limiter or SstFileManager.
  bool AnyThrottled() const FIBER_REQUIRES(database_mutex);

 private:
  struct ManualCompaction;
  class Waiter;
  // The next compaction of any family, by turns, whose job then holds a reference to its family,
  // *task and *space; null: there is nothing to do, or only what conflicts.
  std::unique_ptr<Compaction> PickCompaction(ColumnFamily** family, LimitedTask* task,
                                             SpaceReservation* space)
      FIBER_REQUIRES(database_mutex);
  // Room for its outputs; empty: the user's SstFileManager has none, and calls when it may.
  SpaceReservation ReserveSpace(const Compaction& compaction, bool may_wait);
  // Asks the family's limiter. False: its compactions are blocked until the limiter calls.
  bool Admit(ColumnFamily* family, LimitedTask* task) FIBER_REQUIRES(database_mutex);
  // The limiters, or the SstFileManager, may have room.
  void RetryThrottled();
  // Runs `compaction` to its end and installs the result. Takes the mutex, releases it while the
  // job runs. *info, if not null, receives the report; *outputs_are_gone: it failed before the
  // MANIFEST was touched, and has deleted what it made.
  [[nodiscard]] Status RunCompaction(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                     const std::atomic<bool>* canceled, int job_id,
                                     CompactionJobInfo* info = nullptr,
                                     bool* outputs_are_gone = nullptr)
      FIBER_REQUIRES(database_mutex);
  void TellCompactionBegin(const ColumnFamily& family, const Compaction& compaction, int job_id)
      FIBER_REQUIRES(database_mutex);
  // CompactRange in leveled style.
  [[nodiscard]] Status CompactLevels(ColumnFamily* family, const CompactRangeOptions& options,
                                     const Slice* begin, const Slice* end)
      FIBER_REQUIRES(database_mutex);
  [[nodiscard]] Status RunManualStep(ManualCompaction* manual) FIBER_REQUIRES(database_mutex);
  // Hands a compaction that a user's call picked to a background thread and waits for its end.
  [[nodiscard]] Status RunManualJob(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                    const std::atomic<bool>* canceled,
                                    CompactionJobInfo* info = nullptr)
      FIBER_REQUIRES(database_mutex);
  // *info but for its status and what CompactionJob::counts() has, of a compaction that ran. Opens
  // tables: SUSPENDS.
  void ReportCompaction(const ColumnFamily& family, const Compaction& compaction,
                        const JobStats& stats, int job_id, CompactionJobInfo* info);
  // The end of such a call.
  void EndManualCall(ColumnFamily* family) FIBER_REQUIRES(database_mutex);

  uint32_t next_family_ FIBER_GUARDED_BY(database_mutex) = 0;  // the id whose turn it is to compact
  int manual_disabled_ FIBER_GUARDED_BY(database_mutex) = 0;
  std::atomic<bool> manual_canceled_{false};
  const std::unique_ptr<Waiter> waiter_;
  // Those that refused something, and the ids of the families that wait.
  std::set<std::shared_ptr<ConcurrentTaskLimiter>> limiters_ FIBER_GUARDED_BY(database_mutex);
  std::set<uint32_t> throttled_ FIBER_GUARDED_BY(database_mutex);
};

}  // namespace cairn
