// DBImpl: one open database. Wires the layers together: the commit queue writes into the WALs and
// the memtable, full memtables are flushed, files are compacted, readers hold super versions.
//
// Thread safety: the public methods may be called from any thread or fiber, but Close and the
// destructor, which need every other call to have returned.
//
// Who guards what (ColumnFamily says it of its members)
//   mutex_             the manifest (VersionSet), background state.
//   commit leadership  the WALs. Held by the leader of a write group, or by CommitQueue::Exclusive.
//   both               the list of families and their memtables: changed with both, read with
//                      either.
//   snapshots_         by itself.
// Lock order: commit leadership, then mutex_, then leaves. A holder of mutex_ never waits for
// leadership.
//
// Files: db_open.cc (open, close), db_recover.cc (WAL replay), db_families.cc (column families come
// and go), db_write.cc (the write path, memtable switch, stalls), db_memory.cc (the write buffer
// manager), db_read.cc (reads, snapshots), db_flush.cc, db_background.cc (stalls, scheduling,
// compaction), db_compact_range.cc, db_compact_files.cc (manual compaction), db_options.cc
// (SetOptions), db_ingest.cc (files from outside), db_move_files.cc (files that change their level
// or go), db_files.cc (obsolete files), db_live_files.cc (lists of files), db_secondary.cc
// (following a primary), db_properties.cc, db_errors.cc (background errors and the recovery from
// them), db_events.cc (the user's listeners).
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "commit/commit_queue.h"
#include "commit/write_controller.h"
#include "compaction/background.h"
#include "compaction/job_env.h"
#include "db/column_family.h"
#include "db/db_mutex.h"
#include "db/family_books.h"
#include "db/outside_directories.h"
#include "db/snapshot_list.h"
#include "db/wal_set.h"
#include "fiber/fork.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "manifest/manifest_update.h"
#include "manifest/options_keeper.h"
#include "manifest/version_set.h"
#include "read/super_version.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "table/table_cache.h"

namespace cairn {

enum class OpenMode { kReadWrite, kReadOnly, kReadOnlyFailIfWal, kSecondary };

class DBImpl final : public DB {
 public:
  // Opens; *handles receives one handle per family, in their order. `secondary_path`: where the LOG
  // of a secondary goes. SUSPENDS.
  [[nodiscard]] static Status Open(const DBOptions& db_options, const std::string& dbname,
                                   const std::vector<ColumnFamilyDescriptor>& families,
                                   OpenMode mode, std::vector<ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<DB>* db, const std::string& secondary_path = "");
  // For Open.
  DBImpl(const DBOptions& db_options, std::string dbname, OpenMode mode);
  ~DBImpl() override;
  // In a forked process it leaves all as it is (db_fork.cc).
  static void operator delete(DBImpl* db, std::destroying_delete_t);
  static void* operator new(size_t size);

  // --- rocksdb::DB
  using DB::CompactFiles;
  using DB::CompactRange;
  using DB::Delete;
  using DB::DeleteRange;
  using DB::Flush;
  using DB::Get;
  using DB::GetApproximateMemTableStats;
  using DB::GetApproximateSizes;
  using DB::GetAsync;
  using DB::GetColumnFamilyMetaData;
  using DB::GetEntity;
  using DB::GetIntProperty;
  using DB::GetMapProperty;
  using DB::GetOptions;
  using DB::GetPropertiesOfAllTables;
  using DB::GetProperty;
  using DB::IngestExternalFile;
  using DB::KeyMayExist;
  using DB::Merge;
  using DB::MultiGet;
  using DB::MultiGetAsync;
  using DB::MultiGetEntity;
  using DB::NewIterator;
  using DB::Put;
  using DB::PutEntity;
  using DB::SetOptions;
  using DB::SingleDelete;
  using DB::VerifyChecksum;

  Status Close() override;
  Status CreateColumnFamily(const ColumnFamilyOptions&, const std::string& name,
                            ColumnFamilyHandle** handle) override;
  Status CreateColumnFamilies(const ColumnFamilyOptions&, const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>* handles) override;
  Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>&,
                              std::vector<ColumnFamilyHandle*>* handles) override;
  Status DropColumnFamily(ColumnFamilyHandle*) override;
  Status DropColumnFamilies(const std::vector<ColumnFamilyHandle*>&) override;
  Status Put(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
             const Slice& value) override;
  Status PutEntity(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                   const WideColumns& columns) override;
  Status PutEntity(const WriteOptions&, const Slice& key,
                   const AttributeGroups& attribute_groups) override;
  Status Delete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key) override;
  Status SingleDelete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key) override;
  Status DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice& begin,
                     const Slice& end) override;
  Status Merge(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
               const Slice& value) override;
  Status Write(const WriteOptions&, WriteBatch* updates) override;

  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
             PinnableSlice* value) override;
  Status GetMergeOperands(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                          PinnableSlice* operands, GetMergeOperandsOptions* operands_options,
                          int* number_of_operands) override;
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  void MultiGet(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                PinnableSlice* values, Status* statuses, bool sorted_input) override;
  void MultiGet(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                const Slice* keys, PinnableSlice* values, Status* statuses,
                bool sorted_input) override;
  Status GetEntity(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                   PinnableWideColumns* columns) override;
  Status GetEntity(const ReadOptions&, const Slice& key, PinnableAttributeGroups* result) override;
  void MultiGetEntity(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                      PinnableWideColumns* results, Status* statuses, bool sorted_input) override;
  void MultiGetEntity(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                      const Slice* keys, PinnableWideColumns* results, Status* statuses,
                      bool sorted_input) override;
  void MultiGetEntity(const ReadOptions&, size_t num_keys, const Slice* keys,
                      PinnableAttributeGroups* results) override;
  void GetAsync(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, PinnableSlice* value,
                std::string* timestamp, Status& status, AsyncCallback& callback) override;
  void MultiGetAsync(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                     const Slice* keys, PinnableSlice* values, std::string* timestamps,
                     Status* statuses, bool sorted_input, AsyncCallback& callback) override;
  bool KeyMayExist(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string* value,
                   bool* value_found) override;
  Iterator* NewIterator(const ReadOptions&, ColumnFamilyHandle*) override;
  std::unique_ptr<Iterator> NewCoalescingIterator(const ReadOptions&,
                                                  const std::vector<ColumnFamilyHandle*>&) override;
  std::unique_ptr<AttributeGroupIterator> NewAttributeGroupIterator(
      const ReadOptions&, const std::vector<ColumnFamilyHandle*>&) override;
  Status NewIterators(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                      std::vector<Iterator*>*) override;
  const Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const Snapshot*) override;

  bool GetProperty(ColumnFamilyHandle*, const Slice& property, std::string* value) override;
  bool GetMapProperty(ColumnFamilyHandle*, const Slice& property,
                      std::map<std::string, std::string>* value) override;
  bool GetIntProperty(ColumnFamilyHandle*, const Slice& property, uint64_t* value) override;
  bool GetAggregatedIntProperty(const Slice& property, uint64_t* value) override;
  Status GetApproximateSizes(const SizeApproximationOptions&, ColumnFamilyHandle*,
                             const Range* ranges, int n, uint64_t* sizes) override;
  void GetApproximateMemTableStats(ColumnFamilyHandle*, const Range&, uint64_t* count,
                                   uint64_t* size) override;
  Status GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                      bool flush_memtable) override;
  Status GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions&,
                                 std::vector<LiveFileStorageInfo>* files) override;
  Status GetSortedWalFiles(VectorLogPtr& files) override;
  Status GetUpdatesSince(SequenceNumber seq_number, std::unique_ptr<TransactionLogIterator>* iter,
                         const TransactionLogIterator::ReadOptions& read_options) override;
  Status GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file) override;
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>*) override;
  void GetColumnFamilyMetaData(ColumnFamilyHandle*, ColumnFamilyMetaData*) override;
  Status GetPropertiesOfAllTables(ColumnFamilyHandle*, TablePropertiesCollection*) override;
  Status GetPropertiesOfTablesInRange(ColumnFamilyHandle*, const Range*, size_t,
                                      TablePropertiesCollection*) override;
  Status GetDbIdentity(std::string& identity) const override;
  Status GetDbSessionId(std::string& session_id) const override;

  Status CompactRange(const CompactRangeOptions&, ColumnFamilyHandle*, const Slice* begin,
                      const Slice* end) override;
  Status CompactFiles(const CompactionOptions&, ColumnFamilyHandle*,
                      const std::vector<std::string>& input_file_names, int output_level,
                      int output_path_id, std::vector<std::string>* output_file_names,
                      CompactionJobInfo* compaction_job_info) override;
  Status IngestExternalFiles(const std::vector<IngestExternalFileArg>&) override;
  Status Flush(const FlushOptions&, ColumnFamilyHandle*) override;
  Status Flush(const FlushOptions&, const std::vector<ColumnFamilyHandle*>&) override;
  Status FlushWAL(bool sync) override;
  Status SyncWAL() override;
  Status VerifyChecksum(const ReadOptions&) override;
  Status VerifyFileChecksums(const ReadOptions& options) override;
  Status GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) override;
  Status WaitForCompact(const WaitForCompactOptions&) override;
  Status PauseBackgroundWork() override;
  Status ContinueBackgroundWork() override;
  Status EnableFileDeletions(bool force) override;
  Status DisableFileDeletions() override;
  Status EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>&) override;
  void DisableManualCompaction() override;
  void EnableManualCompaction() override;
  Status Resume() override;
  Status TryCatchUpWithPrimary() override;
  // See convenience.h.
  void CancelAllBackgroundWork(bool wait);
  Status DeleteFilesInRanges(ColumnFamilyHandle*, const RangePtr* ranges, size_t n,
                             bool include_end);
  // See experimental.h.
  Status SuggestCompactRange(ColumnFamilyHandle*, const Slice* begin, const Slice* end);
  Status PromoteL0(ColumnFamilyHandle*, int target_level);

  // For tests: FamilyBooks::visits, OptionsKeeper::bytes_written.
  uint64_t FamilyVisits();
  uint64_t OptionsBytes();

  // --- For ColumnFamilyHandleImpl
  // The options in force, the database's included. Takes the mutex.
  std::shared_ptr<const Options> LiveOptions(const ColumnFamily* family) const;
  // Gives a reference back. `purge`: whose files go with it, if it was the last, goes before this
  // returns (SUSPENDS); else soon.
  void UnrefFamily(ColumnFamily* family, bool purge);

  // Calls `event` with each of the user's listeners. Without the mutex. SUSPENDS.
  using Event = std::function<void(EventListener*)>;
  void Tell(const Event& event) const {
    for (const auto& listener : db_options_.listeners) event(listener.get());
  }

  const std::string& GetName() const override { return dbname_; }
  Env* GetEnv() const override { return env_; }
  FileSystem* GetFileSystem() const override { return fs_; }
  Options GetOptions(ColumnFamilyHandle*) const override;
  DBOptions GetDBOptions() const override;
  Status SetOptions(ColumnFamilyHandle*,
                    const std::unordered_map<std::string, std::string>&) override;
  Status SetDBOptions(const std::unordered_map<std::string, std::string>&) override;
  SequenceNumber GetLatestSequenceNumber() const override { return versions_->LastSequence(); }
  int NumberLevels(ColumnFamilyHandle*) override;
  int MaxMemCompactionLevel(ColumnFamilyHandle*) override { return 0; }
  int Level0StopWriteTrigger(ColumnFamilyHandle*) override;
  ColumnFamilyHandle* DefaultColumnFamily() const override { return default_handle_.get(); }

 private:
  struct ManualCompaction;

  // --- In a forked process (db_fork.cc)
  // The process is another than the one that opened the database: nothing of it may be touched.
  bool Forked() const { return fiber::process_generation() != generation_; }
  [[nodiscard]] Status ForkedStatus() const;

  // --- Opening and closing (db_open.cc)
  [[nodiscard]] Status OpenImpl(const std::vector<ColumnFamilyDescriptor>& families);
  // Reads, and another process may be writing.
  bool IsReader() const {
    return mode_ == OpenMode::kReadOnly || mode_ == OpenMode::kReadOnlyFailIfWal;
  }
  // TryAgain: logs that were replayed may not be all that were needed. SUSPENDS.
  [[nodiscard]] Status CheckLogsOfReader() const;
  // A reader's open failed, and what it read may be of two states of the database. SUSPENDS.
  bool IsOvertaken(const Status& opened) const;
  [[nodiscard]] Status PrepareDirectories();
  [[nodiscard]] Status CheckExistence(bool* is_new);
  void StartWriting();  // after recovery
  // Tables that the MANIFEST does not know (an older one was brought back) keep their numbers, and
  // with them their contents, which may be a checkpoint's, too: a recovery writes over none.
  void MarkTablesOfOthers();
  Status CloseImpl();
  // What skipped the WAL lives only in memory: writes it to tables, unless the options forgo it.
  [[nodiscard]] Status FlushUnlogged();
  MemTable* NewMemTable(const ColumnFamily& family, SequenceNumber earliest) const;
  void LogBanner() const;
  // Every table of the manifest is there, with its size.
  [[nodiscard]] Status CheckTables() const;
  // Those that stay open (max_open_files = -1). Corruption: one is another than the MANIFEST means.
  // (Elsewhere its first reader is told.)
  [[nodiscard]] Status OpenAllTables(const std::vector<ColumnFamily*>& families) const;
  void WarnOfFewDescriptors() const;

  // --- Column families (db_families.cc)
  // Of a user's handle. InvalidArgument: null, or another database's.
  [[nodiscard]] Status FamilyOf(ColumnFamilyHandle* handle, ColumnFamily** family) const {
    if (Forked()) [[unlikely]] {
      return ForkedStatus();
    }
    if (handle == default_handle_.get()) [[likely]] {
      *family = default_family_;
      return Status::OK();
    }
    return OtherFamilyOf(handle, family);
  }
  [[nodiscard]] Status OtherFamilyOf(ColumnFamilyHandle* handle, ColumnFamily** family) const;
  // Of a read or write that names no family: one that has been dropped is refused.
  [[nodiscard]] Status CheckBatchFamilies(const WriteBatch& batch, bool ignore_missing) const;
  // What the manifest knows becomes a family, without a memtable; which then makes it one that is
  // found, read and written (REQUIRES: leadership, or nothing else runs yet).
  ColumnFamily* AddFamily(ColumnFamilyState* state, std::shared_ptr<const Options> options)
      FIBER_REQUIRES(mutex_);
  void PublishFamily(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status CreateFamily(const ColumnFamilyDescriptor& descriptor,
                                    ColumnFamilyHandle** handle);
  [[nodiscard]] Status DropFamily(ColumnFamilyHandle* handle);
  // Nobody finds it from now on. The database's reference is left to the caller.
  void RemoveFamily(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  // Those of dropped families that nobody refers to any more, taken from the books. They are to be
  // deleted without the mutex.
  std::vector<std::unique_ptr<ColumnFamily>> TakeUnreferenced() FIBER_REQUIRES(mutex_);
  // What depends on the families and their options: the limit of all logs.
  void FamiliesChanged() FIBER_REQUIRES(mutex_);
  // Of this id; null: there is none. With one of what guards families_.
  ColumnFamily* FindFamily(uint32_t id) const;
  // What the family adds to the books, which changed.
  void UpdateFigures(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  // Families whose oldest tables expired may want a compaction.
  void NoteExpired() FIBER_REQUIRES(mutex_);
  // For a loop over all families: what happens to one family has none (FamilyBooks::visits).
  const std::vector<ColumnFamily*>& AllFamilies() FIBER_REQUIRES(mutex_) {
    books_.CountVisits(families_.size());
    return families_;
  }

  // --- Recovery (db_recover.cc)
  uint64_t FirstLogToReplay() const;
  [[nodiscard]] Status RecoverWals(const std::vector<ColumnFamily*>& families);
  // What is needed of them (sorted) can be this database's, where nobody has said whose they are;
  // and none of its logs are where they are not looked for.
  [[nodiscard]] Status CheckLogsAreOurs(const std::vector<uint64_t>& needed, uint64_t min_log);
  struct Replay {
    std::vector<ColumnFamily*> families;
    uint64_t min_log = 0;      // older logs hold nothing that is needed
    SequenceNumber next = 0;   // after the last record that was replayed; 0: none was
    WalLink last;              // that record and its log
    bool stopped = false;      // the history ended at damage: see kPointInTimeRecovery
    uint64_t damaged_log = 0;  // what was replayed lacks a part of it, or its end; 0: of none
    std::set<uint64_t> logs;   // that are there
    std::map<ColumnFamily*, std::vector<FileMetaData>> flushed;
  };
  [[nodiscard]] Status ReplayWal(uint64_t number, Replay* replay);
  [[nodiscard]] static Status CheckLink(const WalLink& link, uint64_t number,
                                        const std::string& path, WALRecoveryMode mode,
                                        Replay* replay);
  [[nodiscard]] Status CheckFamiliesAgree(const Replay& replay) const;
  // Writes a memtable to level 0 and starts a new one. Nothing else runs yet.
  [[nodiscard]] Status FlushRecovered(ColumnFamily* family, Replay* replay);
  // The families' edits that make the replayed logs obsolete, and a fresh log.
  [[nodiscard]] Status FinishReplay(Replay* replay);

  // --- A secondary (db_secondary.cc)
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

  // --- Writing (db_write.cc)
  // See MemTableSink::Fold.
  bool FoldOperand(uint32_t family_id, const Slice& key, SequenceNumber sequence,
                   const Slice& operand, std::string* value, ValueType* type);
  [[nodiscard]] Status PrepareWrite(const WriteGroupInfo& group);
  [[nodiscard]] Status WaitOutStall(const WriteGroupInfo& group) FIBER_REQUIRES(mutex_);
  void CountStall(ColumnFamily* family, const StallDecision& decision, uint64_t since_nanos)
      FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status WaitForLowPriority(const WriteOptions& options, uint64_t bytes);
  // The families' memtables become immutable, those of all families with atomic_flush; what is
  // empty stays. REQUIRES: leadership. Releases the mutex while the new WAL is created.
  // `abandon_wal`: an error of the WAL that this ends does not matter, and it does end.
  [[nodiscard]] Status SwitchMemTables(const std::vector<ColumnFamily*>& families,
                                       FlushReason reason, bool abandon_wal = false)
      FIBER_REQUIRES(mutex_);
  // The same, and the flushes are requested. REQUIRES: leadership.
  [[nodiscard]] Status SwitchAndFlush(const std::vector<ColumnFamily*>& families,
                                      FlushReason reason) FIBER_REQUIRES(mutex_);
  // A flush of all that the family has in immutable memtables.
  void RequestFlush(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  // The families that were written to since, into an empty memtable, are told so.
  void NoteWritten() FIBER_REQUIRES(mutex_);
  // Which logs the family needs may have changed.
  void NoteLogNeed(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  // The default family, and those that have something unflushed. In the order of their ids.
  std::vector<ColumnFamily*> BusyFamilies() FIBER_REQUIRES(mutex_);
  // Those whose memtables are full.
  std::vector<ColumnFamily*> FullFamilies() FIBER_REQUIRES(mutex_);
  // The oldest log that holds anything of the family which no table has; once its `flushed` oldest
  // immutable memtables are tables. The current one, where there is nothing.
  uint64_t FirstLogNeeded(const ColumnFamily& family, size_t flushed) const FIBER_REQUIRES(mutex_);
  // The oldest of all families'; flushed[family]: see there.
  uint64_t FirstLogNeeded(const std::map<const ColumnFamily*, size_t>& flushed) const
      FIBER_REQUIRES(mutex_);
  // Families that hold nothing unflushed need no logs but those that others need, too. They do not
  // go beyond those: what is ahead of a log that lacks its end is refused by a recovery.
  void LetGoOfWals(const std::map<const ColumnFamily*, size_t>& flushed = {})
      FIBER_REQUIRES(mutex_);
  // Those whose unflushed writes keep the oldest log; none, if that was asked for it before.
  std::vector<ColumnFamily*> FamiliesOfOldestWal() FIBER_REQUIRES(mutex_);
  // The one whose memtable is the largest.
  ColumnFamily* LargestFamily() FIBER_REQUIRES(mutex_);
  void OnCommitError(const Status& status, CommitErrorKind kind);
  [[nodiscard]] Status RefuseIfReadOnly() const;
  // Waits for the rate limiter. SUSPENDS.
  [[nodiscard]] Status LimitLogRate(const WriteOptions& options, size_t bytes) const;

  // --- Errors (db_errors.cc)
  // Remembers the first error that makes further writes unsafe; they are refused until the database
  // has recovered. Releases the mutex while listeners are told.
  void SetBackgroundError(const Status& error, BackgroundErrorReason reason, const char* where)
      FIBER_REQUIRES(mutex_);
  // After a compaction that failed, in its thread. `outputs_are_gone`: the MANIFEST has heard
  // nothing of it. A shortage then leaves the database as it is, but for a pause.
  void CompactionFailed(const Status& error, bool outputs_are_gone, const char* where)
      FIBER_REQUIRES(mutex_);
  // Waits, releasing the mutex, before compactions are tried again; none begins meanwhile.
  void PauseAfterShortage() FIBER_REQUIRES(mutex_);
  // What Resume does; *former receives the error that there was.
  [[nodiscard]] Status RecoverFromError(Status* former);
  // A fiber or thread tries to recover until it succeeds, or nobody wants it any more.
  void StartRecovery() FIBER_REQUIRES(mutex_);
  void KeepRecovering();
  bool MayRecoverByItself() const FIBER_REQUIRES(mutex_);
  // Asks the listeners.
  bool RecoveryIsWanted() FIBER_REQUIRES(mutex_);
  // There is less than what is in memory and must be written.
  bool DiskIsFull();

  // --- Listeners (db_events.cc)
  bool has_listeners() const { return !db_options_.listeners.empty(); }
  // Events are told in the order in which they were queued, by DeliverEvents, which releases the
  // mutex for it; if somebody else is telling, he goes on with these.
  void QueueEvent(Event event) FIBER_REQUIRES(mutex_);
  void DeliverEvents() FIBER_REQUIRES(mutex_);
  void QueueStallEvent(const ColumnFamily& family, StallCondition before) FIBER_REQUIRES(mutex_);
  void QueueSealed(const ColumnFamily& family, const MemTable& sealed) FIBER_REQUIRES(mutex_);
  FlushJobInfo DescribeFlush(const ColumnFamily& family, uint64_t file_number, int job_id) const
      FIBER_REQUIRES(mutex_);
  void TellDeleted(const std::string& path, const Status& s) const;

  // --- Reading (db_read.cc)
  // What a secondary cannot do.
  [[nodiscard]] Status CheckSnapshot(const ReadOptions& options) const {
    if (mode_ != OpenMode::kSecondary || options.snapshot == nullptr) [[likely]]
      return Status::OK();
    return Status::NotSupported("snapshot not supported in secondary mode");
  }
  [[nodiscard]] Status CheckIterator(const ReadOptions& options) const;
  [[nodiscard]] Status CheckMultiGet(const ReadOptions& options) const;
  // The sequence number that a read of this super version reads at.
  SequenceNumber SequenceFor(const ReadOptions& options, const SuperVersion& sv) const {
    if (options.snapshot != nullptr) return options.snapshot->GetSequenceNumber();
    return sv.LastVisible(versions_->LastSequence());
  }
  // kPersistedTier reads memtables, too, until something was written that is in no log, as in
  // RocksDB.
  bool AllIsPersisted(const ReadOptions& options) const {
    return options.read_tier == kPersistedTier &&
           !has_unlogged_data_.load(std::memory_order_relaxed);
  }
  // Get and MultiGet; of an entity the default column, or, with is_entity, all of it as it is
  // stored, and *is_entity is set. ReadValue comes twice so that the usual one has no timers.
  [[nodiscard]] Status GetValue(const ReadOptions& options, ColumnFamilyHandle* handle,
                                const Slice& key, PinnableSlice* value, bool* is_entity);
  template <bool kTimed>
  [[nodiscard]] Status ReadValue(const ReadOptions& options, ColumnFamilyHandle* handle,
                                 const Slice& key, PinnableSlice* value, bool* is_entity);
  void MultiGetValues(const ReadOptions& options, ColumnFamilyHandle* handle, size_t num_keys,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool* are_entities);
  void MultiGetValues(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** handles,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool* are_entities);
  // For an iterator over several families, whose comparator *order is. Where there can be none: one
  // that has nothing but the error.
  std::vector<std::unique_ptr<Iterator>> NewIteratorsOfOneOrder(
      const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& handles,
      const Comparator** order);
  void CountMultiGet(size_t num_keys, const PinnableSlice* values, const Status* statuses,
                     uint64_t start_nanos) const;
  // The families' super versions as they were at one moment, and the last sequence number then.
  SequenceNumber AcquireTogether(const std::vector<ColumnFamily*>& families,
                                 std::vector<SuperVersion*>* super_versions) const;
  // first_sequence: what it reads at, at first; null: the present.
  Iterator* NewFamilyIterator(const ReadOptions& options, ColumnFamily* family,
                              const SequenceNumber* first_sequence);

  // --- Memory shared with other databases (db_memory.cc)
  class BufferClient;
  // Waits while the manager stalls writers; flushes what it asks for meanwhile.
  [[nodiscard]] Status WaitForMemory(const WriteGroupInfo& group) FIBER_REQUIRES(mutex_);
  // What another database's writer asked for.
  void FlushForManager();
  void MakeBufferClient();
  void LeaveManager();

  // --- Flush (db_flush.cc)
  void BackgroundFlush(ColumnFamily* family);
  bool FlushIsUrgent(const ColumnFamily& family, double done) const;
  // One flush job, of memtables that were picked, and its edit.
  // *info is filled in if there are listeners, and its file_path left empty if there is no file.
  [[nodiscard]] Status RunFlushJob(ColumnFamily* family, const std::vector<MemTable*>& memtables,
                                   VersionEdit* edit, JobStats* stats, FlushJobInfo* info)
      FIBER_REQUIRES(mutex_);
  // It is part of the database.
  void QueueFlushed(const ColumnFamily& family, FlushJobInfo info) FIBER_REQUIRES(mutex_);
  // Older logs that a flush must not overtake reach the disk.
  [[nodiscard]] Status SyncClosedWals(VersionEdit* edit) FIBER_REQUIRES(mutex_);
  // *reason: what failed.
  [[nodiscard]] Status FlushOnce(ColumnFamily* family, BackgroundErrorReason* reason)
      FIBER_REQUIRES(mutex_);
  // With atomic_flush: all families at once.
  [[nodiscard]] Status FlushAllOnce(BackgroundErrorReason* reason) FIBER_REQUIRES(mutex_);
  bool FlushesTogether() const FIBER_REQUIRES(mutex_) {
    return db_options_.atomic_flush || recovery_flushes_;
  }
  // All memtables of the families, up to now, become files. SUSPENDS.
  [[nodiscard]] Status FlushMemTables(const FlushOptions& options,
                                      const std::vector<ColumnFamily*>& families,
                                      FlushReason reason);
  [[nodiscard]] Status FlushAllFamilies(const FlushOptions& options, FlushReason reason);

  // --- Background work (db_background.cc)
  void InstallSuperVersion(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  static int Level0Pressure(const ColumnFamily& family);
  void UpdateStall(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  // Of the family that holds writers up most.
  ColumnFamily* StalledFamily() const FIBER_REQUIRES(mutex_);
  void MaybeScheduleWork() FIBER_REQUIRES(mutex_);
  void MaybeScheduleCompaction() FIBER_REQUIRES(mutex_);
  // By its scores, and unless what there is to do was found to conflict with running jobs.
  static bool WantsCompaction(const ColumnFamily& family);
  // A flush or compaction runs, or is due.
  bool HasBackgroundWork() FIBER_REQUIRES(mutex_);
  // Files also get too old while nothing else happens, and statistics go into the LOG at times: a
  // thread waits for both, from when some options ask for it. (Of ages a month's default is kept
  // without it, well enough.)
  void StartClock() FIBER_REQUIRES(mutex_);
  void WatchClock();
  void BackgroundCompaction();
  // The next compaction of any family, by turns, whose job then holds a reference to its family;
  // null: there is nothing to do, or only what conflicts.
  std::unique_ptr<Compaction> PickCompaction(ColumnFamily** family) FIBER_REQUIRES(mutex_);
  // Runs `compaction` to its end and installs the result. Takes the mutex, releases it while the
  // job runs. *info, if not null, receives the report; *outputs_are_gone: it failed before the
  // MANIFEST was touched, and has deleted what it made.
  [[nodiscard]] Status RunCompaction(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                     const std::atomic<bool>* canceled, int job_id,
                                     CompactionJobInfo* info = nullptr,
                                     bool* outputs_are_gone = nullptr) FIBER_REQUIRES(mutex_);
  void TellCompactionBegin(const ColumnFamily& family, const Compaction& compaction, int job_id)
      FIBER_REQUIRES(mutex_);
  // io_priority: unless writers are held up, which makes it IO_USER.
  JobEnv MakeJobEnv(const ColumnFamily& family, int job_id, Env::IOPriority io_priority)
      FIBER_REQUIRES(mutex_);
  // CompactRange in leveled style.
  [[nodiscard]] Status CompactLevels(ColumnFamily* family, const CompactRangeOptions& options,
                                     const Slice* begin, const Slice* end) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status RunManualStep(ManualCompaction* manual) FIBER_REQUIRES(mutex_);
  // Hands a compaction that a user's call picked to a background thread and waits for its end.
  [[nodiscard]] Status RunManualJob(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                                    const std::atomic<bool>* canceled,
                                    CompactionJobInfo* info = nullptr) FIBER_REQUIRES(mutex_);
  // *info but for its status, of a compaction that ran. Opens tables: SUSPENDS.
  void ReportCompaction(const ColumnFamily& family, const Compaction& compaction,
                        const JobStats& stats, int job_id, CompactionJobInfo* info);
  // The end of such a call.
  void EndManualCall(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  static int MaxFlushes(const DBOptions& options);
  static int MaxCompactions(const DBOptions& options);

  // --- Files moved as they are (db_move_files.cc)
  // Applies an edit that takes these files from where they are. Releases the mutex meanwhile.
  [[nodiscard]] Status ApplyMove(ColumnFamily* family, VersionEdit* edit,
                                 const std::vector<FileMetaData*>& files) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status MoveLevel(ColumnFamily* family, const std::vector<FileMetaData*>& files,
                                 int from, int to) FIBER_REQUIRES(mutex_);
  // Moves the deepest level that has files to `target`; -1: the highest that can hold it. Waits for
  // the family's compactions. REQUIRES: no other may begin.
  [[nodiscard]] Status ChangeLevel(ColumnFamily* family, int target) FIBER_REQUIRES(mutex_);

  // --- Files from outside (db_ingest.cc)
  struct Ingestion;
  // Looks into the files of one family, and links or copies them.
  [[nodiscard]] Status TakeFiles(Ingestion* part);
  // Makes them part of the database. *keep_copies: they must stay though it failed.
  [[nodiscard]] Status AddFiles(std::vector<Ingestion>* parts, bool* keep_copies);
  // Those that have something of the files' ranges in memory.
  [[nodiscard]] Status FamiliesToFlush(const std::vector<Ingestion>& parts,
                                       std::vector<ColumnFamily*>* families) const;
  // REQUIRES: leadership.
  [[nodiscard]] Status FlushWithLeadership(const std::vector<ColumnFamily*>& families);
  // Releases the mutex while it reads; what it found is true of the current versions.
  [[nodiscard]] Status FindOverlaps(std::vector<Ingestion>* parts) FIBER_REQUIRES(mutex_);
  // Chooses the level of one file, and a number above *last if it needs one.
  [[nodiscard]] Status PlaceFile(Ingestion* part, size_t index, SequenceNumber* last) const
      FIBER_REQUIRES(mutex_);
  void RecordFiles(Ingestion* part) FIBER_REQUIRES(mutex_);
  void FinishIngestion(const Ingestion& part);

  // --- Options (db_options.cc)
  // The default family's.
  std::shared_ptr<const Options> LiveOptions() const { return LiveOptions(default_family_); }
  // What depends on them and is recomputed rather than asked.
  void ApplyLiveOptions(const std::vector<ColumnFamily*>& families) FIBER_REQUIRES(mutex_);
  // Writes a new OPTIONS file. `changed`: nothing but the options of these families is new, some of
  // which may be dropped; null: anything may be. REQUIRES: set_options_mutex_, or nothing else runs
  // yet.
  [[nodiscard]] Status PersistLiveOptions(const std::vector<ColumnFamily*>* changed = nullptr);

  // --- Files (db_files.cc)
  struct ObsoleteFiles {
    std::vector<std::string> paths;
    std::vector<uint64_t> tables;  // to evict from the table cache
    std::vector<uint64_t> wals;
  };
  // Protects the files that a job is about to make: numbers from the present next one on.
  std::multiset<uint64_t>::iterator ProtectNewFiles() FIBER_REQUIRES(mutex_);
  void UnprotectNewFiles(std::multiset<uint64_t>::iterator it) FIBER_REQUIRES(mutex_);
  void FindObsoleteFiles(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void FindObsoleteFilesByScan(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void AddObsoleteWals(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void DeleteFiles(const ObsoleteFiles& files);
  // The tables of an edit that came to nothing, because its family was dropped meanwhile.
  void DeleteOutputs(const VersionEdit& edit) FIBER_REQUIRES(mutex_);
  void CloseObsoleteWals();
  bool archives_wals() const {
    return db_options_.WAL_ttl_seconds > 0 || db_options_.WAL_size_limit_MB > 0;
  }
  // Deleted, or moved to the archive.
  void RemoveWals(const std::vector<uint64_t>& wals);
  // What is too old in there, or too much. SUSPENDS.
  void TrimArchive();
  struct ArchivedWal {
    uint64_t number = 0;
    uint64_t bytes = 0;
  };
  std::vector<ArchivedWal> ArchivedWals() const;  // oldest first
  void SchedulePurge();
  // Takes over the super versions that readers have let go of, and drops their versions. The
  // memtables, whose memory takes a while to free, are left to FreeRetired, without the mutex.
  std::vector<SuperVersion*> TakeRetired() FIBER_REQUIRES(mutex_);
  static void FreeRetired(const std::vector<SuperVersion*>& retired);
  // Frees what readers have let go of, and deletes what nobody needs any more. SUSPENDS.
  void Purge();

  // --- Lists of files (db_live_files.cc)
  // Whether to flush before files are listed: if the logs have so many bytes. SUSPENDS.
  bool WantsFlush(uint64_t wal_size_for_flush);
  // Of the first record; 0: there is none. SUSPENDS.
  [[nodiscard]] Status FirstSequenceOf(const std::string& path, uint64_t wal,
                                       SequenceNumber* sequence) const;

  // --- Statistics as text (db_stats.cc). Each report begins a new interval.
  struct StatsMarks {
    double uptime = 0;  // seconds
    WriteCounters::Figures writes;
    uint64_t wal_syncs = 0;
    uint64_t stall_micros = 0;
  };
  double Uptime() const;  // seconds
  std::string FamilyStatsText(ColumnFamily* family) FIBER_REQUIRES(mutex_);
  std::string DatabaseStatsText() FIBER_REQUIRES(mutex_);
  // Into the LOG, without the mutex.
  void DumpStats() FIBER_REQUIRES(mutex_);

  // --- Properties (db_properties.cc)
  bool IntProperty(const ColumnFamily& family, const std::string& name, uint64_t* value);
  // Numbers of the whole database.
  bool DatabaseIntProperty(const std::string& name, uint64_t* value) FIBER_REQUIRES(mutex_);
  bool StringProperty(ColumnFamily* family, const std::string& name, std::string* value);
  // Reads the counters of tables that were not written since the opening, where they are not known
  // yet: of some of them, so that a property costs no more than that.
  void LoadTableCounters(const ColumnFamily& family);
  // What the property of this name (without "rocksdb.") sums: all tables, or those of one level.
  // False: it is another property, or a table cannot be opened.
  static bool AggregatedTableProperties(const ColumnFamily& family, const std::string& name,
                                        TableProperties* sum);
  // Calls `visit` for every table of all families until it gives an error.
  Status ForEachTable(
      const std::function<Status(const ColumnFamily&, int level, const FileMetaData&)>& visit);
  Status PropertiesOfTables(ColumnFamilyHandle* handle,
                            const std::function<bool(const FileMetaData&)>& wanted,
                            TablePropertiesCollection* properties);

  const std::string dbname_;
  const OpenMode mode_;
  const uint32_t generation_ = fiber::process_generation();
  // As the database was opened: for what cannot change. All else is asked of the families' options.
  const DBOptions db_options_;
  const std::string wal_dir_;
  Env* const env_;
  std::shared_ptr<OpenTables> open_tables_;       // of all families; constant until it is closed
  const std::shared_ptr<FileSystem> wrapped_fs_;  // the Env's, limited and observed if asked for
  FileSystem* const fs_;
  FileOptions file_options_;
  Statistics* const statistics_;  // may be null
  WriteBufferManager* const write_buffer_manager_;
  std::vector<std::string> paths_;
  std::string db_session_id_;
  FileLock* lock_ = nullptr;
  std::unique_ptr<FSDirectory> directory_;
  OutsideDirectories outside_;
  std::unique_ptr<ColumnFamilyHandle> default_handle_;

  mutable DBMutex mutex_;
  DBCondition
      background_done_;  // signalled, with mutex_, whenever a job ends or a stall may be over

  SnapshotList snapshots_;
  WriteController write_controller_;
  std::unique_ptr<VersionSet> versions_;
  std::unique_ptr<WalSet> wals_;
  std::unique_ptr<CommitQueue> commit_;
  std::unique_ptr<BackgroundScheduler> scheduler_;
  FamilyMemTables sink_;  // leadership

  std::unique_ptr<WriteBufferClient> buffer_client_;  // outlives all memtables
  std::unique_ptr<BackgroundScheduler> manager_flusher_;
  // Another database's writer asked for a flush that has not begun.
  std::atomic<bool> manager_wants_flush_{false};

  // Those that exist, the default one first. Changed with leadership, mutex_ and live_mutex_: one
  // of them suffices to read it.
  std::vector<ColumnFamily*> families_;
  mutable fiber::Mutex live_mutex_;         // a leaf
  ColumnFamily* default_family_ = nullptr;  // constant once open
  // And those that were dropped and are still referred to.
  std::map<uint32_t, std::unique_ptr<ColumnFamily>> owned_families_ FIBER_GUARDED_BY(mutex_);
  FamilyBooks books_ FIBER_GUARDED_BY(mutex_);
  uint32_t next_family_ FIBER_GUARDED_BY(mutex_) = 0;  // the id whose turn it is to compact
  uint64_t flushed_wal_ FIBER_GUARDED_BY(mutex_) = 0;  // flushes for the sake of this log began

  // Set under mutex_, read without: the leader looks here before it takes the mutex at all.
  std::atomic<bool> write_needs_attention_{false};
  std::atomic<bool> has_background_error_{false};
  Status background_error_ FIBER_GUARDED_BY(mutex_);
  BackgroundErrorReason background_error_reason_ FIBER_GUARDED_BY(mutex_) =
      BackgroundErrorReason::kFlush;
  uint64_t recoveries_ FIBER_GUARDED_BY(mutex_) = 0;  // that succeeded
  bool recovering_ FIBER_GUARDED_BY(mutex_) = false;  // by itself: a thread is at it
  bool recovery_flushes_ FIBER_GUARDED_BY(mutex_) = false;
  fiber::Thread recovery_;  // made with the mutex; the one before has left it by then
  fiber::Thread clock_;     // made with the mutex
  std::deque<Event> events_ FIBER_GUARDED_BY(mutex_);
  bool delivering_events_ FIBER_GUARDED_BY(mutex_) = false;
  std::atomic<bool> shutting_down_{false};
  bool closed_ = false;
  // Set when a write skipped the WAL: closing then flushes, as RocksDB does.
  std::atomic<bool> has_unlogged_data_{false};

  int running_flushes_ FIBER_GUARDED_BY(mutex_) = 0;  // scheduled or running
  std::atomic<int> flush_waiters_{0};                 // relaxed: a hint
  int running_compactions_ FIBER_GUARDED_BY(mutex_) =
      0;  // scheduled or running, manual ones included
  int pausing_compactions_ FIBER_GUARDED_BY(mutex_) = 0;   // of those: after a shortage
  int compaction_shortages_ FIBER_GUARDED_BY(mutex_) = 0;  // met since one succeeded
  int paused_ FIBER_GUARDED_BY(mutex_) = 0;
  int exclusive_manual_ FIBER_GUARDED_BY(mutex_) = 0;
  int running_manual_ FIBER_GUARDED_BY(mutex_) = 0;  // CompactRange calls
  int manual_disabled_ FIBER_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> manual_canceled_{false};
  std::atomic<int> next_job_id_{1};
  uint64_t background_errors_ FIBER_GUARDED_BY(mutex_) = 0;
  std::multiset<uint64_t> protected_files_ FIBER_GUARDED_BY(mutex_);
  int deletions_disabled_ FIBER_GUARDED_BY(mutex_) = 0;

  // A secondary's.
  fiber::Mutex catch_up_mutex_;  // held through a whole catch-up; taken before mutex_
  struct WalPosition {
    uint64_t offset = 0;      // behind the last record that was replayed
    bool recyclable = false;  // its records say which log they are of
  };
  std::map<uint64_t, WalPosition> wal_positions_ FIBER_GUARDED_BY(catch_up_mutex_);  // by log
  SequenceNumber replayed_sequence_ FIBER_GUARDED_BY(catch_up_mutex_) = 0;
  bool replayed_ FIBER_GUARDED_BY(catch_up_mutex_) = false;  // something that is not installed
  bool follows_ FIBER_GUARDED_BY(catch_up_mutex_) = false;   // a first state was installed
  Status follow_error_ FIBER_GUARDED_BY(catch_up_mutex_);    // none mends it but a new opening

  fiber::Mutex set_options_mutex_;  // held through a whole SetOptions; taken before mutex_
  // Bytes of all logs from which on the oldest is made unneeded; 0: no limit. Relaxed: a writer may
  // see a change a little later.
  std::atomic<uint64_t> max_wal_bytes_{0};

  fiber::Mutex purge_mutex_;    // held while files are removed; taken before mutex_
  fiber::Mutex retired_mutex_;  // a leaf
  std::vector<SuperVersion*> retired_ FIBER_GUARDED_BY(retired_mutex_);
  size_t super_versions_ FIBER_GUARDED_BY(mutex_) = 0;  // that were installed and not taken back
  std::vector<ColumnFamily*> unreferenced_ FIBER_GUARDED_BY(retired_mutex_);
  // Families that lose their last reference later stay for their handles until the end.
  bool last_purge_began_ FIBER_GUARDED_BY(retired_mutex_) = false;
  std::atomic<bool> purge_scheduled_{false};
  fiber::Mutex postponed_mutex_;  // a leaf
  // What could not be deleted because of a shortage: the next purge's.
  ObsoleteFiles postponed_ FIBER_GUARDED_BY(postponed_mutex_);

  // The newest one's name in the directory; empty if it could not be written.
  std::string options_file_ FIBER_GUARDED_BY(mutex_);
  // Held while an OPTIONS file is written; before purge_mutex_ and mutex_.
  fiber::Mutex options_file_mutex_;
  std::unique_ptr<OptionsKeeper> options_keeper_ FIBER_GUARDED_BY(options_file_mutex_);
  const uint64_t opened_at_nanos_;
  StatsMarks stats_marks_ FIBER_GUARDED_BY(mutex_);  // as of the last report
};

// A database opened for writing has at least as many sequence numbers left as anyone will use.
inline constexpr SequenceNumber kLastWritableSequence = kMaxSequenceNumber - (uint64_t{1} << 48);

// Checks and completes the user's options for a database at `dbname` (db/options_check.cc). An
// option that Cairn does not honour, set to something else than its default, is NotSupported or
// InvalidArgument and named.
[[nodiscard]] Status CheckOptions(const DBOptions& db_options,
                                  const ColumnFamilyOptions& cf_options);
// Of FIFO style; before the options are completed. Part of CompleteOptions.
[[nodiscard]] Status CheckFifoAge(const DBOptions& db_options, const ColumnFamilyOptions& options);
DBOptions SanitizeOptions(const DBOptions& options, const std::string& dbname);
ColumnFamilyOptions SanitizeOptions(const ColumnFamilyOptions& options);
// Of a new or opened family: checked and completed. `db_options` are sanitized.
[[nodiscard]] Status CompleteOptions(const DBOptions& db_options, ColumnFamilyOptions* options);
// Of sanitized options. The client is left to the caller.
MemTableOptions MakeMemTableOptions(const DBOptions& db_options,
                                    const ColumnFamilyOptions& cf_options);
// Null: it has none.
Cache* BlockCacheOf(const ColumnFamilyOptions& options);
// As RocksDB's LOG names it.
const char* FlushReasonName(FlushReason reason);

}  // namespace cairn
