// The owner of the database's metadata: the MANIFEST, the column families' Versions, and the global
// counters.
//
// db/ creates one, calls NewDB when the directory is new, then Recover, and from then on changes
// metadata only through LogAndApply. Files of a database directory that belong to this layer:
// MANIFEST-*, CURRENT, IDENTITY.
//
// Thread safety: everything needs the database mutex, except where a comment says atomic, and
// except before Recover returned. LogAndApply releases the mutex while it writes.
//
// Invariants: CURRENT names a MANIFEST that was synced before. Records are applied in the order in
// which they were written. After a failed write the MANIFEST's tail is of unknown content, so the
// next edit starts a new file.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fiber/mutex.h"
#include "manifest/log_numbers.h"
#include "manifest/tracked_wals.h"
#include "manifest/version.h"
#include "manifest/version_builder.h"
#include "manifest/version_edit.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "wal/log_writer.h"

namespace cairn {

class ManifestReader;
class MemTable;
struct ManifestUpdate;

// What the manifest knows of one column family. Owned by VersionSet.
class ColumnFamilyState {
 public:
  uint32_t id() const { return id_; }  // never given again
  const std::string& name() const { return name_; }
  const InternalKeyComparator& icmp() const { return icmp_; }
  const Comparator* user_comparator() const { return icmp_.user_comparator(); }
  const ColumnFamilyOptions& options() const { return options_; }
  // Later Versions use these; the current one is told apart (OptionsChanged). REQUIRES: mutex;
  // comparator and num_levels unchanged.
  void set_options(const ColumnFamilyOptions& options) { options_ = options; }
  Version* current() const { return current_; }
  // WALs below this are not needed by this family.
  uint64_t log_number() const {
    return log_numbers_ == nullptr ? log_.own : log_numbers_->NumberOf(log_);
  }
  // Forward only. In memory: the MANIFEST learns it with the family's next edit.
  void SetLogNumber(uint64_t n) { SetLog({n, log_.idle}); }
  // Whether it has nothing unflushed: then its number goes on with VersionSet::LetIdleGo. At first
  // it may have.
  void SetIdle(bool idle) {
    if (idle != log_.idle) SetLog({log_number(), idle});
  }
  // A number above every epoch given so far; for a flushed file (compaction outputs take the least
  // of their inputs).
  uint64_t NewEpochNumber() { return next_epoch_++; }
  bool dropped() const { return dropped_; }
  // Since the MANIFEST was written its keys have timestamps, or have none any more.
  bool comparator_changed() const { return comparator_changed_; }
  // With timestamps: nobody reads below it. Empty: not known. REQUIRES: mutex.
  const std::string& history_low() const { return history_low_; }

 private:
  friend class VersionSet;
  // Forward only.
  void RaiseHistoryLow(const std::string& low) {
    if (low.empty() || low.size() != icmp_.timestamp_size()) return;
    if (history_low_.empty() || icmp_.user_comparator()->CompareTimestamp(history_low_, low) < 0) {
      history_low_ = low;
    }
  }
  ColumnFamilyState(uint32_t id, std::string name, const ColumnFamilyOptions& options)
      : id_(id), name_(std::move(name)), options_(options), icmp_(options.comparator) {}

  void SetLog(const LogNumbers::Share& log) {
    if (log_numbers_ != nullptr) {
      log_numbers_->Remove(log_);
      log_numbers_->Add(log);
    }
    log_ = log;
  }

  const uint32_t id_;
  const std::string name_;
  ColumnFamilyOptions options_;
  const InternalKeyComparator icmp_;
  Version* current_ = nullptr;         // holds one reference
  LogNumbers* log_numbers_ = nullptr;  // null: it is not among the families
  LogNumbers::Share log_;
  uint64_t next_epoch_ = kReservedEpochNumberForFileIngestedBehind + 1;
  bool dropped_ = false;
  bool comparator_changed_ = false;
  std::string history_low_;
};

// What LogAndApply is to write for one family, in this order.
struct FamilyEdits {
  ColumnFamilyState* family = nullptr;
  std::span<VersionEdit* const> edits;
  std::span<MemTable* const> flushed = {};  // what the edits make tables of
};

struct ObsoleteFile {
  uint64_t number = 0;
  uint32_t path_id = 0;
  uint64_t file_size = 0;  // bytes
  std::string directory;   // where it is
};

class VersionSet {
 public:
  // `fs` and `options` (env, info_log, max_manifest_file_size, use_fsync,
  // manifest_preallocation_size) outlive the set.
  VersionSet(std::string dbname, const DBOptions* options, FileSystem* fs,
             const FileOptions& file_options);
  // All Versions must have been released by then, but for the current ones.
  ~VersionSet();
  VersionSet(const VersionSet&) = delete;
  VersionSet& operator=(const VersionSet&) = delete;

  // Writes IDENTITY (write_identity_file), MANIFEST-000001 and CURRENT for an empty database with
  // the comparator of `options`.
  [[nodiscard]] Status NewDB(const ColumnFamilyOptions& options, FSDirectory* db_directory);

  // Writes a MANIFEST of these edits, which describe a whole database, and points CURRENT to it.
  // `options`: use_fsync. On an error before CURRENT is touched the file is gone.
  [[nodiscard]] static IOStatus WriteDescriptor(const std::string& dbname, uint64_t number,
                                                const std::vector<VersionEdit>& edits,
                                                const DBOptions& options, FileSystem* fs,
                                                const FileOptions& file_options,
                                                FSDirectory* db_directory);

  // Reads CURRENT and its MANIFEST and installs the Versions of `families`; a read-write open then
  // reads or writes IDENTITY. Families of the MANIFEST that are not named: InvalidArgument "Column
  // families not opened: a, b", except when read_only. A named one that does not exist:
  // InvalidArgument. Corruption names the file and the offset. NotFound: CURRENT's file is missing.
  // A torn tail of the MANIFEST is tolerated. `growing`: another process may be writing it.
  // `unasked` (may be null): a family that need not exist, opened where there is one of this name
  // and `families` has none.
  [[nodiscard]] Status Recover(const std::vector<ColumnFamilyDescriptor>& families, bool read_only,
                               bool growing = false,
                               const ColumnFamilyDescriptor* unasked = nullptr);

  // As Recover, with best_efforts_recovery: of the newest MANIFEST that can be read, whatever
  // CURRENT says, and of each family what it had when all of its files that had come were there
  // that are there now (best_efforts.h). NotFound: there is no MANIFEST. *loses_files: some family
  // has less than the MANIFEST ends with.
  [[nodiscard]] Status RecoverBestEfforts(const std::vector<ColumnFamilyDescriptor>& families,
                                          bool read_only, const ColumnFamilyDescriptor* unasked,
                                          bool* loses_files);

  // --- Of a MANIFEST that another process goes on writing, after such a Recover: for
  // db/primary_follower.cc. One caller at a time.
  // Reads what the MANIFEST has beyond the current Versions, or all of a newer one that CURRENT
  // names. Changes nothing: an update may be dropped and read anew. Without the mutex. Errors as
  // Recover's. SUSPENDS.
  [[nodiscard]] Status ReadUpdate(std::unique_ptr<ManifestUpdate>* update) const;
  // InvalidArgument: by the MANIFEST a family's keys have timestamps, and here they have none, or
  // the other way round.
  [[nodiscard]] static Status RefuseChangedComparator(const ManifestUpdate& update);
  // Makes the Versions that the update changes, which nobody sees yet.
  [[nodiscard]] Status BuildVersions(ManifestUpdate* update);
  // Takes back what BuildVersions made.
  void DropVersions(ManifestUpdate* update);
  // Makes true what the update says, but for the last sequence number, which is the caller's.
  // Families that are not in it any more go as with DropColumnFamily. REQUIRES: BuildVersions was
  // OK, and nothing was installed since the update was read.
  void InstallUpdate(ManifestUpdate* update);

  // Names of all column families, without opening anything (DB::ListColumnFamilies).
  [[nodiscard]] static Status ListColumnFamilies(const std::string& dbname, FileSystem* fs,
                                                 std::vector<std::string>* names);

  // Writes the edits as consecutive records, syncs, then installs the resulting Versions as current
  // and sets the families' log numbers and so on. Callers are served in order of arrival. SUSPENDS,
  // with *mutex released during I/O. The edits' next file, last sequence (and prev log) are filled
  // in here. With several families the records are an atomic group: recovery applies all or none.
  // On failure nothing changed in memory, and the caller keeps what it wanted to add (the files'
  // fate on disk is unknown if the MANIFEST write itself failed: see manifest_write_failed).
  // ColumnFamilyDropped: a family is, nothing was written. `new_descriptor`: start a new MANIFEST
  // (each open does).
  // `on_installed`: called under the mutex after success, before other writers run.
  [[nodiscard]] Status LogAndApply(std::span<const FamilyEdits> changes, fiber::Mutex* mutex,
                                   FSDirectory* db_directory, bool new_descriptor = false,
                                   const std::function<void()>& on_installed = {})
      FIBER_REQUIRES(mutex);
  [[nodiscard]] Status LogAndApply(ColumnFamilyState* cf, std::span<VersionEdit* const> edits,
                                   fiber::Mutex* mutex, FSDirectory* db_directory,
                                   bool new_descriptor = false,
                                   const std::function<void()>& on_installed = {})
      FIBER_REQUIRES(mutex) {
    const FamilyEdits change{cf, edits};
    return LogAndApply(std::span(&change, 1), mutex, db_directory, new_descriptor, on_installed);
  }
  [[nodiscard]] Status LogAndApply(ColumnFamilyState* cf, VersionEdit* edit, fiber::Mutex* mutex,
                                   FSDirectory* db_directory, bool new_descriptor = false,
                                   const std::function<void()>& on_installed = {})
      FIBER_REQUIRES(mutex) {
    return LogAndApply(cf, std::span<VersionEdit* const>(&edit, 1), mutex, db_directory,
                       new_descriptor, on_installed);
  }

  // Adds a family that needs no WAL below log_number, and has no files but those that `files` adds
  // (may be null): both in one atomic group. InvalidArgument: there is one of this name. On failure
  // there is none, but the MANIFEST may name it (manifest_write_failed); the files stay the
  // caller's. SUSPENDS as LogAndApply.
  [[nodiscard]] Status CreateColumnFamily(const std::string& name,
                                          const ColumnFamilyOptions& options, uint64_t log_number,
                                          fiber::Mutex* mutex, FSDirectory* db_directory,
                                          ColumnFamilyState** family, VersionEdit* files = nullptr)
      FIBER_REQUIRES(mutex);
  // From here on the family is dropped() and no longer among families(). Its state and current
  // Version stay until ForgetDropped. InvalidArgument: the default family, or dropped already.
  [[nodiscard]] Status DropColumnFamily(ColumnFamilyState* family, fiber::Mutex* mutex,
                                        FSDirectory* db_directory) FIBER_REQUIRES(mutex);
  // Deletes the state of a dropped family; its files become obsolete. REQUIRES: nobody holds one
  // of its Versions.
  void ForgetDropped(ColumnFamilyState* family);

  // With track_and_verify_wals_in_manifest: tells the MANIFEST of these logs, those that are needed
  // and that it does not know. SUSPENDS as LogAndApply.
  [[nodiscard]] Status TrackWals(std::span<const WalAddition> wals, fiber::Mutex* mutex,
                                 FSDirectory* db_directory) FIBER_REQUIRES(mutex);

  // Waits for queued writers and closes the MANIFEST. Call with the mutex held, before destruction.
  [[nodiscard]] Status Close(fiber::Mutex* mutex) FIBER_REQUIRES(mutex);

  ColumnFamilyState* family(uint32_t id) const;  // nullptr: none
  ColumnFamilyState* family(const std::string& name) const;
  const std::map<uint32_t, std::unique_ptr<ColumnFamilyState>>& families() const {
    return families_;
  }
  uint32_t max_column_family() const { return max_column_family_; }
  // No family that is idle needs a log below this. Forward only.
  void LetIdleGo(uint64_t log_number) { log_numbers_.RaiseFloor(log_number); }

  // --- Counters. Atomic: callable without the mutex.
  uint64_t NewFileNumber() { return next_file_number_.fetch_add(1); }
  uint64_t current_next_file_number() const { return next_file_number_.load(); }
  // Makes sure that NewFileNumber never returns n again.
  void MarkFileNumberUsed(uint64_t n);
  // The last sequence visible to readers.
  SequenceNumber LastSequence() const { return last_sequence_.load(std::memory_order_acquire); }
  void SetLastSequence(SequenceNumber s) { last_sequence_.store(s, std::memory_order_release); }
  // Returns the first of `n` more. Several callers at once, but not beside SetLastSequence.
  SequenceNumber AllotSequences(uint64_t n) {
    return last_sequence_.fetch_add(n, std::memory_order_acq_rel) + 1;
  }

  uint64_t manifest_file_number() const { return manifest_file_number_; }
  uint64_t manifest_file_size() const { return manifest_file_size_; }  // bytes
  uint64_t prev_log_number() const { return prev_log_number_; }
  // WALs below this may be deleted and are skipped by recovery. LogAndApply moves it on by itself
  // when an edit brings a log number.
  uint64_t MinLogNumberToKeep() const;
  // As the MANIFEST says it; 0: it does not, and no log was ever given up.
  uint64_t SaidMinLogNumberToKeep() const { return min_log_number_to_keep_; }
  // Asked, with the mutex, for the oldest log that is needed for something else than the families'
  // log numbers tell once these changes are in the MANIFEST. UINT64_MAX: none.
  using LogNeed = std::function<uint64_t(std::span<const FamilyEdits>)>;
  void SetLogNeed(LogNeed need) { log_need_ = std::move(need); }
  // The least log number among the families.
  uint64_t MinLogNumberWithUnflushedData() const;
  // So far the logs were whole on the disk when the tables came that the MANIFEST has.
  const LogEnd& synced_log() const { return synced_log_; }
  // As the MANIFEST has them.
  const TrackedWals& tracked_wals() const { return tracked_wals_; }
  const std::string& db_id() const { return db_id_; }
  // The last MANIFEST write failed: what CURRENT's file holds may include the failed edit, so files
  // that it names must not be deleted until another edit went through.
  bool manifest_write_failed() const { return manifest_write_failed_; }

  // Versions of the family that somebody still holds, the current one included.
  static uint64_t NumLiveVersions(const ColumnFamilyState& cf);
  // Bytes of the tables in all of them, each table once.
  static uint64_t TotalTableBytes(const ColumnFamilyState& cf);
  // The same of blob files.
  static uint64_t TotalBlobFileBytes(const ColumnFamilyState& cf);

  // --- File life.
  // Numbers of all tables, and of all blob files, that some live Version holds.
  void AddLiveFiles(std::vector<uint64_t>* numbers) const;
  void AddLiveBlobFiles(std::vector<uint64_t>* numbers) const;
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* metadata) const;
  // Moves out files that no Version holds any more, those numbered below min_pending_output (others
  // stay for a later call), and the names (relative to the directory) of MANIFESTs that were
  // replaced.
  void GetObsoleteFiles(std::vector<ObsoleteFile>* tables, std::vector<std::string>* manifests,
                        uint64_t min_pending_output);
  // The same of blob files.
  std::vector<ObsoleteFile> TakeObsoleteBlobFiles(uint64_t min_pending_output);

  // Which MANIFEST CURRENT names. Corruption: CURRENT is malformed. *path is a full path.
  [[nodiscard]] static Status GetCurrentManifestPath(const std::string& dbname, FileSystem* fs,
                                                     std::string* path, uint64_t* number);

 private:
  friend class Version;
  friend class VersionBuilder;
  struct Writer;
  struct ManifestWrite;

  // A Version took, or dropped, its reference of a file's entry. A file that moved to another level
  // has an entry for each level while Versions of both kinds live: it is obsolete with the last.
  void HoldFile(const FileMetaData& file) { ++held_files_[file.number]; }
  void ReleaseFile(const FileMetaData& file, const ColumnFamilyState* cf);

  // The same of a blob file, once for each Version.
  void HoldBlobFile(uint64_t number) { ++held_blob_files_[number]; }
  void ReleaseBlobFile(uint64_t number, const ColumnFamilyState* cf);
  // Of a family's file. `cf` may be null: the database's own.
  std::string DirectoryOf(const ColumnFamilyState* cf, uint32_t path_id) const;

  [[nodiscard]] Status RecoverIdentity(bool read_only);
  // The MANIFEST that CURRENT names.
  [[nodiscard]] static Status OpenCurrent(const std::string& dbname, FileSystem* fs, bool growing,
                                          std::unique_ptr<ManifestReader>* reader,
                                          uint64_t* number);
  // Recover, of one MANIFEST. `recovered` is empty but for what its Apply is to leave out.
  [[nodiscard]] Status RecoverFrom(ManifestReader* reader,
                                   const std::vector<ColumnFamilyDescriptor>& families,
                                   bool read_only, bool growing,
                                   const ColumnFamilyDescriptor* unasked,
                                   ManifestUpdate* recovered);
  // Drops the Versions with the error. REQUIRES: BuildVersions was OK.
  [[nodiscard]] Status RefuseBlobsOfBareKeys(ManifestUpdate* update);
  // Nothing but what was asked for, and all of it.
  [[nodiscard]] Status CheckFound(const std::vector<ColumnFamilyDescriptor>& families,
                                  const ManifestUpdate& recovered, bool read_only) const;
  // Records that describe the whole current state, for the head of a new MANIFEST.
  [[nodiscard]] Status EncodeSnapshot(std::vector<std::string>* records) const;
  // Fills in what every edit carries, and what it implies for the other counters.
  void CompleteEdit(ColumnFamilyState* cf, VersionEdit* edit);
  // Into the last of these edits, which are written together: from which log on recovery must look,
  // if they move it.
  void CompleteMinLog(std::span<VersionEdit* const> edits,
                      std::span<const FamilyEdits> changes) const;
  // The I/O of LogAndApply, without the mutex.
  [[nodiscard]] IOStatus WriteManifest(ManifestWrite* write, FSDirectory* db_directory);
  [[nodiscard]] IOStatus OpenManifest(ManifestWrite* write);
  // The writers' queue: how each begins and ends its turn.
  void AwaitTurn(Writer* self, fiber::Mutex* mutex) FIBER_REQUIRES(mutex);
  void EndTurn(fiber::Mutex* mutex) FIBER_REQUIRES(mutex);
  // The bodies of the above once it is this writer's turn.
  [[nodiscard]] Status Process(std::span<const FamilyEdits> changes, fiber::Mutex* mutex,
                               FSDirectory* db_directory, bool new_descriptor,
                               const std::function<void()>& on_installed) FIBER_REQUIRES(mutex);
  // Names a new MANIFEST in *write and fills in its snapshot, if one is due.
  [[nodiscard]] Status BeginWrite(ManifestWrite* write, bool new_descriptor);
  // Encodes edits, in order, into *write. A record of several families is an atomic group.
  [[nodiscard]] static Status EncodeRecords(std::span<VersionEdit* const> edits, bool atomic,
                                            ManifestWrite* write);
  // Behind the edits, as a record of its own: the logs that they make obsolete are not tracked any
  // more (track_and_verify_wals_in_manifest). Kept in mind with NoteWalsGivenUp().
  [[nodiscard]] Status EncodeWalsGivenUp(const VersionEdit& last_edit, ManifestWrite* write) const;
  void NoteWalsGivenUp();
  // Writes without the mutex, and keeps the books of the MANIFEST.
  [[nodiscard]] Status Commit(ManifestWrite* write, fiber::Mutex* mutex, FSDirectory* db_directory)
      FIBER_REQUIRES(mutex);
  // Makes `version` the family's current one.
  void Install(ColumnFamilyState* cf, Version* version);
  // A family comes to families(), or goes from there; what comes behind it is returned.
  ColumnFamilyState* Enter(std::unique_ptr<ColumnFamilyState> cf);
  using Families = std::map<uint32_t, std::unique_ptr<ColumnFamilyState>>;
  Families::iterator Leave(Families::iterator it);

  const std::string dbname_;
  const DBOptions* const options_;
  FileSystem* const fs_;
  const FileOptions file_options_;

  // Relaxed would do where the mutex is held; the default order keeps the rest simple.
  std::atomic<uint64_t> next_file_number_{2};
  // Release on publish, acquire by readers: who reads a sequence also sees its memtable entries.
  std::atomic<SequenceNumber> last_sequence_{0};

  LogNumbers log_numbers_;  // of families_
  Families families_;
  std::unordered_map<std::string, ColumnFamilyState*> by_name_;  // the same
  ColumnFamilyState* default_ = nullptr;
  std::vector<std::unique_ptr<ColumnFamilyState>> dropped_;
  uint32_t max_column_family_ = 0;
  uint64_t manifest_file_number_ = 0;
  uint64_t manifest_file_size_ = 0;
  uint64_t manifest_snapshot_size_ = 0;       // bytes of the state that it began with
  std::map<uint32_t, std::string> unopened_;  // families of the MANIFEST that are not open: names
  uint64_t prev_log_number_ = 0;
  LogNeed log_need_;                     // may be empty
  uint64_t min_log_number_to_keep_ = 0;  // 0: the MANIFEST does not say
  uint64_t next_version_number_ = 0;
  SequenceNumber manifest_last_sequence_ = 0;  // the largest that the MANIFEST has
  LogEnd synced_log_;                          // likewise
  TrackedWals tracked_wals_;                   // likewise
  std::string db_id_;
  bool manifest_write_failed_ = false;
  std::unique_ptr<LogWriter> manifest_;  // touched only by the head of writers_

  std::deque<Writer*> writers_;  // the head runs; the others wait for their turn
  std::unordered_map<uint64_t, int> held_files_;
  std::unordered_map<uint64_t, int> held_blob_files_;
  std::vector<ObsoleteFile> obsolete_tables_;
  std::vector<ObsoleteFile> obsolete_blob_files_;
  std::vector<std::string> obsolete_manifests_;
};

}  // namespace cairn
