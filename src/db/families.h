// Which column families there are, what is found by a handle or an id, and the options in force.
//
// Creation and drop hold commit leadership and the mutex while they change the list: no batch is
// between its check and its memtables then. A family that was dropped is gone for writers at once;
// handles, iterators and jobs that have it keep what they read until they let go.
//
// Guards: the list is changed with leadership, the mutex and live_mutex(): one of them suffices to
// read it. The books and what was dropped: the mutex.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "db/family_books.h"
#include "fiber/mutex.h"
#include "manifest/version_edit.h"

namespace cairn {

// The tables that a new family begins with.
struct FamilyFiles {
  VersionEdit edit;
  SequenceNumber largest = 0;  // sequence number in them
  bool keep = false;           // though it failed: what the MANIFEST ends with may name them
};

// What a family needs of its first memtable: that a user's own could be made (Aborted), and takes
// merge operands if there are to be any (InvalidArgument).
[[nodiscard]] Status CheckMemTable(const MemTable& memtable, const std::string& family,
                                   const ColumnFamilyOptions& options);

class Families final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status CreateColumnFamily(const ColumnFamilyOptions&, const std::string& name,
                                          ColumnFamilyHandle** handle);
  [[nodiscard]] Status CreateColumnFamilies(const ColumnFamilyOptions&,
                                            const std::vector<std::string>& names,
                                            std::vector<ColumnFamilyHandle*>* handles);
  [[nodiscard]] Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>&,
                                            std::vector<ColumnFamilyHandle*>* handles);
  [[nodiscard]] Status DropColumnFamily(ColumnFamilyHandle*);
  [[nodiscard]] Status DropColumnFamilies(const std::vector<ColumnFamilyHandle*>&);
  // Without its trace in the OPTIONS file. REQUIRES: changes_mutex().
  [[nodiscard]] Status DropFamily(ColumnFamilyHandle* handle);
  // For tests: FamilyBooks::visits.
  uint64_t FamilyVisits();
  // The options in force, the database's included. Takes the mutex.
  std::shared_ptr<const Options> LiveOptions(const ColumnFamily* family) const;
  // All families, each referred to until UnrefFamily.
  std::vector<ColumnFamily*> RefAll();
  // Gives a reference back. `purge`: whose files go with it, if it was the last, goes before this
  // returns (SUSPENDS); else soon.
  void UnrefFamily(ColumnFamily* family, bool purge);
  // A user's own may have failed: see its creation_status().
  MemTable* NewMemTable(const ColumnFamily& family, SequenceNumber earliest) const;
  // Whether snapshots may be had: no family has a memtable of the user's that denies them.
  bool supports_snapshots() const { return supports_snapshots_.load(std::memory_order_relaxed); }
  // Of a user's handle. InvalidArgument: null, or another database's.
  [[nodiscard]] Status FamilyOf(ColumnFamilyHandle* handle, ColumnFamily** family) const {
    if (db_.Forked()) [[unlikely]] {
      return db_.ForkedStatus();
    }
    if (handle == default_handle_.get()) [[likely]] {
      *family = default_family_;
      return Status::OK();
    }
    return OtherFamilyOf(handle, family);
  }
  // Of a read or write that names no family: one that has been dropped is refused.
  [[nodiscard]] Status CheckBatchFamilies(const WriteBatch& batch, bool ignore_missing) const;
  // Of an opening: the first family that it recovered.
  void SetDefault(ColumnFamily* family);
  void ForgetDefaultHandle() { default_handle_.reset(); }  // at the end
  ColumnFamily* default_family() const { return default_family_; }
  // Of some family, at some time, keys have timestamps: batches are looked at before they are
  // logged.
  bool any_has_timestamps() const { return any_has_timestamps_.load(std::memory_order_relaxed); }
  ColumnFamilyHandle* default_handle() const { return default_handle_.get(); }
  // Those that exist, the default one first.
  const std::vector<ColumnFamily*>& all() const { return families_; }
  fiber::Mutex* live_mutex() const { return &live_mutex_; }  // a leaf
  // And those that were dropped and are still referred to.
  using Owned = std::map<uint32_t, std::unique_ptr<ColumnFamily>>;
  const Owned& owned() const FIBER_REQUIRES(database_mutex) { return owned_families_; }
  // Of a dropped one that nobody refers to any more: out of the books.
  std::unique_ptr<ColumnFamily> Disown(uint32_t id) FIBER_REQUIRES(database_mutex);
  FamilyBooks& books() FIBER_REQUIRES(database_mutex) { return books_; }
  // What the manifest knows becomes a family, without a memtable; which then makes it one that is
  // found, read and written (REQUIRES: leadership, or nothing else runs yet).
  // `directories`: of OpenDirectories().
  ColumnFamily* AddFamily(ColumnFamilyState* state, std::shared_ptr<const Options> options,
                          std::vector<std::shared_ptr<FSDirectory>> directories)
      FIBER_REQUIRES(database_mutex);
  // The directories of a new family are there, and this database's. To sync: those that it has of
  // its own; in read-write mode. SUSPENDS. REQUIRES: changes_mutex(), or an opening.
  [[nodiscard]] Status JoinDirectories(const ColumnFamilyOptions& options);
  [[nodiscard]] Status OpenDirectories(const ColumnFamilyOptions& options,
                                       std::vector<std::shared_ptr<FSDirectory>>* directories);
  // Tables of this database are in it, or may be.
  bool IsTableDirectory(const std::string& directory) const;
  void PublishFamily(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // `files` (may be null): what was written before is durable first.
  [[nodiscard]] Status CreateFamily(const ColumnFamilyDescriptor& descriptor,
                                    ColumnFamilyHandle** handle, FamilyFiles* files = nullptr);
  // Nobody finds it from now on. The database's reference is left to the caller.
  void RemoveFamily(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // What depends on the families and their options: the limit of all logs.
  void FamiliesChanged() FIBER_REQUIRES(database_mutex);
  // Of this id; null: there is none. With one of what guards families_.
  ColumnFamily* FindFamily(uint32_t id) const;
  // The same for a writer whose turn it is to insert.
  ColumnFamily* FindLive(uint32_t id) const {
    fiber::MutexLock lock(live_mutex());
    return FindFamily(id);
  }
  // What the family adds to the books, which changed.
  void UpdateFigures(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  // For a loop over all families: what happens to one family has none (FamilyBooks::visits).
  const std::vector<ColumnFamily*>& AllFamilies() FIBER_REQUIRES(database_mutex) {
    books_.CountVisits(families_.size());
    return families_;
  }
  // The default family's.
  std::shared_ptr<const Options> LiveOptions() const { return LiveOptions(default_family_); }

 private:
  [[nodiscard]] Status OtherFamilyOf(ColumnFamilyHandle* handle, ColumnFamily** family) const;
  // After a MANIFEST write that failed: a new one says that nothing came of it, or it is an error
  // of the database.
  void SettleFailedImport(const Status& error, FamilyFiles* files) FIBER_REQUIRES(database_mutex);

  std::unique_ptr<ColumnFamilyHandle> default_handle_;
  std::vector<ColumnFamily*> families_;
  mutable fiber::Mutex live_mutex_;
  ColumnFamily* default_family_ = nullptr;       // constant once open
  std::atomic<bool> any_has_timestamps_{false};  // relaxed: who has a handle of it was told before
  Owned owned_families_ FIBER_GUARDED_BY(database_mutex);
  FamilyBooks books_ FIBER_GUARDED_BY(database_mutex);
  std::atomic<bool> supports_snapshots_{true};  // relaxed: as any_has_timestamps_
};

}  // namespace cairn
