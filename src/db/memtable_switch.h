// The end of a memtable: it becomes immutable, another and perhaps a new log begin. And which logs
// the families still need, so that the others may go.
//
// Guards: leadership and the mutex for a switch; the mutex for the rest.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class MemTableSwitch final : public Part {
 public:
  using Part::Part;

  // The families' memtables become immutable, those of all families with atomic_flush; what is
  // empty stays. REQUIRES: leadership. Releases the mutex while the new WAL is created.
  // `abandon_wal`: an error of the WAL that this ends does not matter, and it does end.
  [[nodiscard]] Status SwitchMemTables(const std::vector<ColumnFamily*>& families,
                                       FlushReason reason, bool abandon_wal = false)
      FIBER_REQUIRES(database_mutex);
  // The same, and the flushes are requested. REQUIRES: leadership.
  [[nodiscard]] Status SwitchAndFlush(const std::vector<ColumnFamily*>& families,
                                      FlushReason reason) FIBER_REQUIRES(database_mutex);
  // A flush of all that the family has in immutable memtables.
  void RequestFlush(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // Which logs the family needs may have changed.
  void NoteLogNeed(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // The default family, and those that have something unflushed. In the order of their ids.
  std::vector<ColumnFamily*> BusyFamilies() FIBER_REQUIRES(database_mutex);
  // Those whose memtables are full.
  std::vector<ColumnFamily*> FullFamilies() FIBER_REQUIRES(database_mutex);
  // The oldest log that holds anything of the family which no table has; once its `flushed` oldest
  // immutable memtables are tables. The current one, where there is nothing.
  uint64_t FirstLogNeeded(const ColumnFamily& family, size_t flushed) const
      FIBER_REQUIRES(database_mutex);
  // The oldest of all families'; flushed[family]: see there.
  uint64_t FirstLogNeeded(const std::map<const ColumnFamily*, size_t>& flushed) const
      FIBER_REQUIRES(database_mutex);
  // The oldest log with a prepared section that is undecided, or whose entries are in a memtable,
  // once `changes` are in the MANIFEST. UINT64_MAX: there is none.
  uint64_t FirstPreparedLogNeeded(std::span<const FamilyEdits> changes)
      FIBER_REQUIRES(database_mutex);
  // Families that hold nothing unflushed need no logs but those that others need, too. They do not
  // go beyond those: what is ahead of a log that lacks its end is refused by a recovery.
  void LetGoOfWals(const std::map<const ColumnFamily*, size_t>& flushed = {})
      FIBER_REQUIRES(database_mutex);
  // Those whose unflushed writes keep the oldest log; none, if that was asked for it before.
  std::vector<ColumnFamily*> FamiliesOfOldestWal() FIBER_REQUIRES(database_mutex);
  // With track_and_verify_wals_in_manifest: the closed logs that were synced are told to the
  // MANIFEST. An error is a background error already. May release the mutex. SUSPENDS.
  [[nodiscard]] Status TrackSyncedWals() FIBER_REQUIRES(database_mutex);
  // The one whose memtable is the largest.
  ColumnFamily* LargestFamily() FIBER_REQUIRES(database_mutex);

 private:
  // The new log begins with the undecided sections of the policies that share numbers. With
  // leadership, without the mutex. SUSPENDS.
  [[nodiscard]] IOStatus CopyUndecided(uint64_t wal);
  // The family of the history of statistics (stats_on_disk.h), if it alone keeps the oldest logs:
  // little is written to it, and it would be the last to be full. Else null.
  ColumnFamily* StatsThatKeepLogs() FIBER_REQUIRES(database_mutex);
  // The families that were written to since, into an empty memtable, are told so.
  void NoteWritten() FIBER_REQUIRES(database_mutex);

  uint64_t flushed_wal_ FIBER_GUARDED_BY(database_mutex) =
      0;  // flushes for the sake of this log began
};

}  // namespace cairn
