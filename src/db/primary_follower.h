// A secondary: the state of another process' database, caught up with on demand
// (primary_follower.cc).
//
// Guards: a mutex of its own is held through a whole catch-up, taken before the database's. Readers
// never wait for it, but iterators of several families that must be of one state.
#pragma once

#include <map>

#include "base/namespace.h"
#include "commit/prepared_sections.h"
#include "db/database.h"
#include "fiber/mutex.h"
#include "manifest/manifest_update.h"
#include "wal/wal_link.h"

namespace cairn {

class PrimaryFollower final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status TryCatchUpWithPrimary();

  fiber::Mutex* catch_up_mutex() { return &catch_up_mutex_; }

 private:
  struct WalPosition {
    uint64_t offset = 0;      // behind the last record that was replayed
    bool recyclable = false;  // its records say which log they are of
  };
  // What the logs have that was not replayed yet. IOError NotFound: a log went away meanwhile.
  [[nodiscard]] Status FollowWals(const ManifestUpdate& update) FIBER_REQUIRES(catch_up_mutex_);
  [[nodiscard]] Status FollowWal(uint64_t number, const ManifestUpdate& update)
      FIBER_REQUIRES(catch_up_mutex_);
  // A log whose first record is this follows: Corruption if the one before was not replayed to its
  // end.
  [[nodiscard]] Status CheckFollowed(const WalLink& link, const std::string& path) const
      FIBER_REQUIRES(catch_up_mutex_);
  // What follows in this log goes into a memtable of its own.
  void BeginMemTable(ColumnFamily* family, uint64_t wal) FIBER_REQUIRES(catch_up_mutex_);
  // The same for all whose memtable is a reader's.
  void LeavePublishedMemTables(uint64_t wal) FIBER_REQUIRES(catch_up_mutex_);
  // Builds the update's versions and opens what they have and those before had not.
  [[nodiscard]] Status OpenNewTables(ManifestUpdate* update) FIBER_REQUIRES(catch_up_mutex_);
  void InstallCatchUp(ManifestUpdate* update) FIBER_REQUIRES(catch_up_mutex_);
  // Its sealed memtables that are in tables.
  static void ForgetFlushed(ColumnFamily* family);

  fiber::Mutex catch_up_mutex_;
  std::map<uint64_t, WalPosition> wal_positions_ FIBER_GUARDED_BY(catch_up_mutex_);  // by log
  PreparedSections prepared_ FIBER_GUARDED_BY(catch_up_mutex_);
  SequenceNumber replayed_sequence_ FIBER_GUARDED_BY(catch_up_mutex_) = 0;
  bool replayed_ FIBER_GUARDED_BY(catch_up_mutex_) = false;  // something that is not installed
  bool follows_ FIBER_GUARDED_BY(catch_up_mutex_) = false;   // a first state was installed
  Status follow_error_ FIBER_GUARDED_BY(catch_up_mutex_);    // none mends it but a new opening
};

}  // namespace cairn
