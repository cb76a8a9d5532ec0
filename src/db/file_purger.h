// Obsolete files: which ones no reader, no memtable and no manifest needs any more, and their
// deletion; and the super versions and dropped families that readers have let go of.
//
// Guards: purge_mutex() while files are removed, taken before the database's; what readers hand
// over under a leaf mutex of its own, since they come without any lock; the rest under the
// database's.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "fiber/mutex.h"

namespace cairn {

class FilePurger final : public Part {
 public:
  using Part::Part;

  struct ObsoleteFiles {
    std::vector<std::string> paths;
    std::vector<uint64_t> tables;      // to evict from the table cache
    std::vector<uint64_t> blob_files;  // likewise
    std::vector<uint64_t> wals;
  };
  struct ArchivedWal {
    uint64_t number = 0;
    uint64_t bytes = 0;
  };
  [[nodiscard]] Status EnableFileDeletions(bool force);
  [[nodiscard]] Status DisableFileDeletions();
  // How many calls forbid them. Who disables them waits for a purge that runs.
  int deletions_disabled() const FIBER_REQUIRES(database_mutex) { return deletions_disabled_; }
  fiber::Mutex* purge_mutex() { return &purge_mutex_; }
  // Protects the files that a job is about to make: numbers from the present next one on.
  std::multiset<uint64_t>::iterator ProtectNewFiles() FIBER_REQUIRES(database_mutex);
  void UnprotectNewFiles(std::multiset<uint64_t>::iterator it) FIBER_REQUIRES(database_mutex);
  const std::multiset<uint64_t>& protected_files() const FIBER_REQUIRES(database_mutex) {
    return protected_files_;
  }
  // What an earlier life left behind. For an opening.
  void FindObsoleteFilesByScan(ObsoleteFiles* out) FIBER_REQUIRES(database_mutex);
  void DeleteFiles(const ObsoleteFiles& files);
  // Tells the user's SstFileManager of what is there, and hands it the trash of an earlier life.
  // For an opening. REQUIRES: there is one. SUSPENDS.
  void TakeStock();
  // The tables of an edit that came to nothing, because its family was dropped meanwhile.
  void DeleteOutputs(const ColumnFamily& family, const VersionEdit& edit)
      FIBER_REQUIRES(database_mutex);
  std::vector<ArchivedWal> ArchivedWals() const;  // oldest first
  void SchedulePurge();
  // A super version was installed; a reader has let go of one that was replaced (from anywhere).
  void CountInstalled() FIBER_REQUIRES(database_mutex) { ++super_versions_; }
  void Retire(SuperVersion* sv);
  // Installed and not taken back.
  size_t super_versions() const FIBER_REQUIRES(database_mutex) { return super_versions_; }
  // Nobody refers to the dropped family any more: the next purge frees it. False: the last purge
  // began, and it stays for its handles until the end.
  bool AddUnreferenced(ColumnFamily* family);
  // At the end, when no job runs any more.
  void LastPurge();
  // Takes over the super versions that readers have let go of, and drops their versions. The
  // memtables, whose memory takes a while to free, are left to FreeRetired, without the mutex.
  std::vector<SuperVersion*> TakeRetired() FIBER_REQUIRES(database_mutex);
  static void FreeRetired(const std::vector<SuperVersion*>& retired);
  // Frees what readers have let go of, and deletes what nobody needs any more. SUSPENDS.
  void Purge();

 private:
  // Those of dropped families that nobody refers to any more, taken from the books. They are to be
  // deleted without the mutex.
  std::vector<std::unique_ptr<ColumnFamily>> TakeUnreferenced() FIBER_REQUIRES(database_mutex);
  void FindObsoleteFiles(ObsoleteFiles* out) FIBER_REQUIRES(database_mutex);
  // A table with the number of one that is live in another directory: it was deleted, its number
  // was given again, and a power cut brought its name back.
  bool IsTwinOfLive(const std::string& dir, const std::string& name, uint64_t number,
                    const std::map<uint64_t, std::string>& live_paths) const;
  // Of the current versions' tables: where each is. Empty if all are in one directory.
  std::map<uint64_t, std::string> PathsOfLiveTables() const FIBER_REQUIRES(database_mutex);
  void AddObsoleteWals(ObsoleteFiles* out) FIBER_REQUIRES(database_mutex);
  void CloseObsoleteWals();
  bool archives_wals() const {
    return db_.options.WAL_ttl_seconds > 0 || db_.options.WAL_size_limit_MB > 0;
  }
  // Deleted, or moved to the archive.
  void RemoveWals(const std::vector<uint64_t>& wals);
  // What is too old in there, or too much. SUSPENDS.
  void TrimArchive();

  std::multiset<uint64_t> protected_files_ FIBER_GUARDED_BY(database_mutex);
  int deletions_disabled_ FIBER_GUARDED_BY(database_mutex) = 0;
  fiber::Mutex purge_mutex_;
  fiber::Mutex retired_mutex_;  // a leaf
  std::vector<SuperVersion*> retired_ FIBER_GUARDED_BY(retired_mutex_);
  size_t super_versions_ FIBER_GUARDED_BY(database_mutex) = 0;
  std::vector<ColumnFamily*> unreferenced_ FIBER_GUARDED_BY(retired_mutex_);
  bool last_purge_began_ FIBER_GUARDED_BY(retired_mutex_) = false;
  std::atomic<bool> purge_scheduled_{false};
  fiber::Mutex postponed_mutex_;  // a leaf
  // What could not be deleted because of a shortage: the next purge's.
  ObsoleteFiles postponed_ FIBER_GUARDED_BY(postponed_mutex_);
};

}  // namespace cairn
