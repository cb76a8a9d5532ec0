// DBImpl: one open database. Wires the layers together: the commit queue writes into the WALs and
// the memtable, full memtables are flushed, files are compacted, readers hold super versions.
//
// Thread safety: the public methods may be called from any thread or fiber, but Close and the
// destructor, which need every other call to have returned.
//
// Who guards what
//   mutex_                 the manifest (VersionSet), the list of immutable memtables, background
//   state, level stats. commit leadership      mem_ (the pointer), the WALs. Held by the leader of
//   a write group, or by CommitQueue::Exclusive.
//                          A memtable switch needs leadership and mutex_: either alone suffices to
//                          read mem_.
//   super_versions_        what readers see. Installed under mutex_, acquired without a lock.
//   snapshots_             by itself.
// Lock order: commit leadership, then mutex_, then leaves. A holder of mutex_ never waits for
// leadership.
//
// Files: db_open.cc (open, close), db_recover.cc (WAL replay), db_write.cc (the write path,
// memtable switch, stalls), db_memory.cc (the write buffer manager), db_read.cc (reads, snapshots),
// db_background.cc (flush and compaction), db_compact_range.cc, db_compact_files.cc (manual
// compaction), db_options.cc (SetOptions), db_files.cc (obsolete files), db_properties.cc.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "commit/commit_queue.h"
#include "commit/write_controller.h"
#include "compaction/background.h"
#include "compaction/compaction_picker.h"
#include "compaction/job_env.h"
#include "db/level_stats.h"
#include "db/snapshot_list.h"
#include "db/wal_set.h"
#include "db/write_stall.h"
#include "fiber/mutex.h"
#include "manifest/version_set.h"
#include "memtable/memtable.h"
#include "memtable/memtable_list.h"
#include "read/super_version.h"
#include "rocksdb/db.h"
#include "table/table_cache.h"

namespace cairn {

enum class OpenMode { kReadWrite, kReadOnly, kReadOnlyFailIfWal };

class DBImpl final : public DB {
 public:
  // Opens; *handles receives one handle per family (the default one). SUSPENDS.
  [[nodiscard]] static Status Open(const DBOptions& db_options, const std::string& dbname,
                                   const std::vector<ColumnFamilyDescriptor>& families,
                                   OpenMode mode, std::vector<ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<DB>* db);
  // For Open.
  DBImpl(const DBOptions& db_options, const ColumnFamilyOptions& cf_options, std::string dbname,
         OpenMode mode);
  ~DBImpl() override;

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
  using DB::GetIntProperty;
  using DB::GetMapProperty;
  using DB::GetOptions;
  using DB::GetPropertiesOfAllTables;
  using DB::GetProperty;
  using DB::KeyMayExist;
  using DB::Merge;
  using DB::MultiGet;
  using DB::MultiGetAsync;
  using DB::NewIterator;
  using DB::Put;
  using DB::SetOptions;
  using DB::SingleDelete;
  using DB::VerifyChecksum;

  Status Close() override;
  Status Put(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
             const Slice& value) override;
  Status Delete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key) override;
  Status SingleDelete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key) override;
  Status DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice& begin,
                     const Slice& end) override;
  Status Merge(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
               const Slice& value) override;
  Status Write(const WriteOptions&, WriteBatch* updates) override;

  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
             PinnableSlice* value) override;
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  void MultiGet(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                PinnableSlice* values, Status* statuses, bool sorted_input) override;
  void MultiGet(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                const Slice* keys, PinnableSlice* values, Status* statuses,
                bool sorted_input) override;
  void GetAsync(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, PinnableSlice* value,
                std::string* timestamp, Status& status, AsyncCallback& callback) override;
  void MultiGetAsync(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                     const Slice* keys, PinnableSlice* values, std::string* timestamps,
                     Status* statuses, bool sorted_input, AsyncCallback& callback) override;
  bool KeyMayExist(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string* value,
                   bool* value_found) override;
  Iterator* NewIterator(const ReadOptions&, ColumnFamilyHandle*) override;
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
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>*) override;
  void GetColumnFamilyMetaData(ColumnFamilyHandle*, ColumnFamilyMetaData*) override;
  Status GetPropertiesOfAllTables(ColumnFamilyHandle*, TablePropertiesCollection*) override;
  Status GetDbIdentity(std::string& identity) const override;
  Status GetDbSessionId(std::string& session_id) const override;

  Status CompactRange(const CompactRangeOptions&, ColumnFamilyHandle*, const Slice* begin,
                      const Slice* end) override;
  Status CompactFiles(const CompactionOptions&, ColumnFamilyHandle*,
                      const std::vector<std::string>& input_file_names, int output_level,
                      int output_path_id, std::vector<std::string>* output_file_names,
                      CompactionJobInfo* compaction_job_info) override;
  Status Flush(const FlushOptions&, ColumnFamilyHandle*) override;
  Status Flush(const FlushOptions&, const std::vector<ColumnFamilyHandle*>&) override;
  Status FlushWAL(bool sync) override;
  Status SyncWAL() override;
  Status VerifyChecksum(const ReadOptions&) override;
  Status PauseBackgroundWork() override;
  Status ContinueBackgroundWork() override;
  Status EnableFileDeletions(bool force) override;
  Status DisableFileDeletions() override;
  Status EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>&) override;
  void DisableManualCompaction() override;
  void EnableManualCompaction() override;
  Status Resume() override;
  // See convenience.h.
  void CancelAllBackgroundWork(bool wait);

  const std::string& GetName() const override { return dbname_; }
  Env* GetEnv() const override { return env_; }
  FileSystem* GetFileSystem() const override { return fs_; }
  Options GetOptions(ColumnFamilyHandle*) const override;
  DBOptions GetDBOptions() const override;
  Status SetOptions(ColumnFamilyHandle*,
                    const std::unordered_map<std::string, std::string>&) override;
  Status SetDBOptions(const std::unordered_map<std::string, std::string>&) override;
  SequenceNumber GetLatestSequenceNumber() const override { return versions_->LastSequence(); }
  int NumberLevels(ColumnFamilyHandle*) override { return num_levels_; }
  int MaxMemCompactionLevel(ColumnFamilyHandle*) override { return 0; }
  int Level0StopWriteTrigger(ColumnFamilyHandle*) override;
  ColumnFamilyHandle* DefaultColumnFamily() const override { return default_handle_.get(); }

 private:
  struct ManualCompaction;
  class Handle;

  // --- Opening and closing (db_open.cc)
  [[nodiscard]] Status OpenImpl(const std::vector<ColumnFamilyDescriptor>& families);
  [[nodiscard]] Status PrepareDirectories();
  [[nodiscard]] Status CheckExistence(bool* is_new);
  [[nodiscard]] Status StartWriting();  // a fresh WAL and MANIFEST after recovery
  Status CloseImpl();
  // What skipped the WAL lives only in memory: writes it to tables, unless the options forgo it.
  [[nodiscard]] Status FlushUnlogged();
  [[nodiscard]] Status CheckFamily(ColumnFamilyHandle* family) const;
  MemTable* NewMemTable(SequenceNumber earliest) const;
  void LogBanner() const;
  // Every table of the manifest is there, with its size.
  [[nodiscard]] Status CheckTables() const;

  // --- Recovery (db_recover.cc)
  [[nodiscard]] Status RecoverWals();
  struct Replay {
    uint64_t min_log = 0;     // older logs hold nothing that is needed
    SequenceNumber next = 0;  // after the last record that was replayed; 0: none was
    WalLink last;             // that record and its log
    bool stopped = false;     // the history ended at damage: see kPointInTimeRecovery
    std::vector<FileMetaData> flushed;
  };
  [[nodiscard]] Status ReplayWal(uint64_t number, Replay* replay);
  [[nodiscard]] static Status CheckLink(const WalLink& link, const std::string& path,
                                        WALRecoveryMode mode, Replay* replay);
  // Writes mem_ to level 0 and starts a new one. Nothing else runs yet.
  [[nodiscard]] Status FlushRecovered(std::vector<FileMetaData>* flushed);

  // --- Writing (db_write.cc)
  [[nodiscard]] Status PrepareWrite(const WriteGroupInfo& group);
  [[nodiscard]] Status WaitOutStall(const WriteGroupInfo& group) FIBER_REQUIRES(mutex_);
  void CountStall(const StallDecision& decision, uint64_t since_nanos) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status WaitForLowPriority(const WriteOptions& options, uint64_t bytes);
  // REQUIRES: leadership. Releases the mutex while the new WAL is created.
  // `abandon_wal`: an error of the WAL that this ends does not matter.
  [[nodiscard]] Status SwitchMemTable(bool abandon_wal = false) FIBER_REQUIRES(mutex_);
  // The memtable, if it has entries, becomes immutable and its flush is requested.
  // REQUIRES: leadership.
  [[nodiscard]] Status SwitchAndFlush() FIBER_REQUIRES(mutex_);
  void OnCommitError(const Status& status, CommitErrorKind kind);
  // Remembers the first error that makes further writes unsafe; they are refused until Resume.
  void SetBackgroundError(const Status& status, const char* where) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status RefuseIfReadOnly() const;

  // --- Memory shared with other databases (db_memory.cc)
  class BufferClient;
  // Waits while the manager stalls writers; flushes what it asks for meanwhile.
  [[nodiscard]] Status WaitForMemory(const WriteGroupInfo& group) FIBER_REQUIRES(mutex_);
  // What another database's writer asked for.
  void FlushForManager();
  void MakeBufferClient(const ColumnFamilyOptions& cf_options);
  void LeaveManager();

  // --- Background work (db_background.cc)
  void InstallSuperVersion() FIBER_REQUIRES(mutex_);
  int Level0Pressure() const FIBER_REQUIRES(mutex_);
  void UpdateStall() FIBER_REQUIRES(mutex_);
  void MaybeScheduleWork() FIBER_REQUIRES(mutex_);
  void BackgroundFlush();
  bool FlushIsUrgent(double done) const;
  [[nodiscard]] Status FlushOnce() FIBER_REQUIRES(mutex_);
  void BackgroundCompaction();
  // Runs `compaction` to its end and installs the result. Takes the mutex, releases it while the
  // job runs. *info, if not null, receives the report.
  [[nodiscard]] Status RunCompaction(std::unique_ptr<Compaction> compaction,
                                     const std::atomic<bool>* canceled, int job_id,
                                     CompactionJobInfo* info = nullptr) FIBER_REQUIRES(mutex_);
  JobEnv MakeJobEnv(int job_id) FIBER_REQUIRES(mutex_);
  // All memtables up to now become files. SUSPENDS.
  [[nodiscard]] Status FlushMemTables(const FlushOptions& options);
  // CompactRange in leveled style.
  [[nodiscard]] Status CompactLevels(const CompactRangeOptions& options, const Slice* begin,
                                     const Slice* end) FIBER_REQUIRES(mutex_);
  [[nodiscard]] Status RunManualStep(ManualCompaction* manual) FIBER_REQUIRES(mutex_);
  // Hands a compaction that a user's call picked to a background thread and waits for its end.
  [[nodiscard]] Status RunManualJob(std::unique_ptr<Compaction> compaction,
                                    const std::atomic<bool>* canceled,
                                    CompactionJobInfo* info = nullptr) FIBER_REQUIRES(mutex_);
  // *info but for its status, of a compaction that ran. Opens tables: SUSPENDS.
  void ReportCompaction(const Compaction& compaction, const JobStats& stats, int job_id,
                        CompactionJobInfo* info);
  // The end of such a call.
  void EndManualCall() FIBER_REQUIRES(mutex_);
  static int MaxFlushes(const DBOptions& options);
  static int MaxCompactions(const DBOptions& options);

  // --- Options (db_options.cc)
  // Those in force. Takes the mutex.
  std::shared_ptr<const Options> LiveOptions() const;
  // What depends on them and is recomputed rather than asked.
  void ApplyLiveOptions() FIBER_REQUIRES(mutex_);
  // Writes a new OPTIONS file.
  [[nodiscard]] Status PersistLiveOptions();

  // --- Files (db_files.cc)
  struct ObsoleteFiles {
    std::vector<std::string> paths;
    std::vector<uint64_t> tables;  // to evict from the table cache
  };
  // Protects the files that a job is about to make: numbers from the present next one on.
  std::multiset<uint64_t>::iterator ProtectNewFiles() FIBER_REQUIRES(mutex_);
  void UnprotectNewFiles(std::multiset<uint64_t>::iterator it) FIBER_REQUIRES(mutex_);
  void FindObsoleteFiles(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void FindObsoleteFilesByScan(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void AddObsoleteWals(ObsoleteFiles* out) FIBER_REQUIRES(mutex_);
  void DeleteFiles(const ObsoleteFiles& files);
  void CloseObsoleteWals();
  void SchedulePurge();
  // Takes over the super versions that readers have let go of, and drops their versions. The
  // memtables, whose memory takes a while to free, are left to FreeRetired, without the mutex.
  std::vector<SuperVersion*> TakeRetired() FIBER_REQUIRES(mutex_);
  static void FreeRetired(const std::vector<SuperVersion*>& retired);
  // Frees what readers have let go of, and deletes what nobody needs any more. SUSPENDS.
  void Purge();

  // --- Properties (db_properties.cc)
  bool IntProperty(const std::string& name, uint64_t* value);
  bool StringProperty(const std::string& name, std::string* value);
  std::string StatsText();
  // Of all tables of a level (-1: of all levels), summed.
  bool AggregatedTableProperties(int only_level, std::string* value);

  const std::string dbname_;
  const OpenMode mode_;
  // As the database was opened: for what cannot change. All else is asked of live_options_.
  const DBOptions db_options_;
  std::shared_ptr<const Options> live_options_ FIBER_GUARDED_BY(mutex_);
  const int num_levels_;
  const std::shared_ptr<TableFactory> table_factory_;  // of the readers of tables
  const SliceTransform* const prefix_extractor_;
  Env* const env_;
  FileSystem* const fs_;
  FileOptions file_options_;
  Statistics* const statistics_;  // may be null
  WriteBufferManager* const write_buffer_manager_;
  const InternalKeyComparator icmp_;
  std::vector<std::string> paths_;
  std::string db_session_id_;
  FileLock* lock_ = nullptr;
  std::unique_ptr<FSDirectory> directory_;
  std::unique_ptr<ColumnFamilyHandle> default_handle_;

  mutable fiber::Mutex mutex_;
  fiber::CondVar
      background_done_;  // signalled, with mutex_, whenever a job ends or a stall may be over

  SnapshotList snapshots_;
  WriteController write_controller_;
  std::unique_ptr<TableCache> table_cache_;
  std::unique_ptr<VersionSet> versions_;
  std::unique_ptr<WalSet> wals_;
  std::unique_ptr<CompactionPicker> picker_;
  std::unique_ptr<SuperVersionSlots> super_versions_;
  std::unique_ptr<CommitQueue> commit_;
  std::unique_ptr<BackgroundScheduler> scheduler_;
  SingleMemTableSink sink_;

  std::unique_ptr<WriteBufferClient> buffer_client_;  // outlives all memtables
  std::unique_ptr<BackgroundScheduler> manager_flusher_;
  std::shared_ptr<HugePagePool> huge_page_pool_;  // of memtables; null: none
  // Another database's writer asked for a flush that has not begun.
  std::atomic<bool> manager_wants_flush_{false};
  MemTable* mem_ = nullptr;  // see above; holds one reference
  ImmutableMemTables imm_;

  // Set under mutex_, read without: the leader looks here before it takes the mutex at all.
  std::atomic<bool> write_needs_attention_{false};
  std::atomic<bool> has_background_error_{false};
  Status background_error_ FIBER_GUARDED_BY(mutex_);
  std::atomic<bool> shutting_down_{false};
  bool closed_ = false;
  // Set when a write skipped the WAL: closing then flushes, as RocksDB does.
  std::atomic<bool> has_unlogged_data_{false};

  uint64_t super_version_number_ FIBER_GUARDED_BY(mutex_) = 0;
  StallDecision stall_ FIBER_GUARDED_BY(mutex_);
  std::unique_ptr<WriteControllerToken> stall_token_ FIBER_GUARDED_BY(mutex_);
  std::unique_ptr<WriteControllerToken> pressure_token_ FIBER_GUARDED_BY(mutex_);
  StallTimes stall_times_ FIBER_GUARDED_BY(mutex_);

  int running_flushes_ FIBER_GUARDED_BY(mutex_) = 0;  // scheduled or running
  std::atomic<int> flush_waiters_{0};                 // relaxed: a hint
  int running_compactions_ FIBER_GUARDED_BY(mutex_) =
      0;  // scheduled or running, manual ones included
  int paused_ FIBER_GUARDED_BY(mutex_) = 0;
  int exclusive_manual_ FIBER_GUARDED_BY(mutex_) = 0;
  int running_manual_ FIBER_GUARDED_BY(mutex_) = 0;  // CompactRange calls
  int manual_disabled_ FIBER_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> manual_canceled_{false};
  // The last pick found nothing but conflicts.
  bool compaction_blocked_ FIBER_GUARDED_BY(mutex_) = false;
  std::atomic<int> next_job_id_{1};
  LevelStats level_stats_ FIBER_GUARDED_BY(mutex_);
  uint64_t background_errors_ FIBER_GUARDED_BY(mutex_) = 0;
  std::multiset<uint64_t> protected_files_ FIBER_GUARDED_BY(mutex_);
  int deletions_disabled_ FIBER_GUARDED_BY(mutex_) = 0;

  fiber::Mutex set_options_mutex_;  // held through a whole SetOptions; taken before mutex_
  // Copies of live_options_, relaxed: a reader or writer may see a change a little later.
  std::atomic<uint64_t> max_total_wal_size_;
  std::atomic<uint64_t> max_sequential_skip_;

  fiber::Mutex purge_mutex_;    // held through a whole Purge; taken before mutex_
  fiber::Mutex retired_mutex_;  // a leaf
  std::vector<SuperVersion*> retired_ FIBER_GUARDED_BY(retired_mutex_);
  std::atomic<bool> purge_scheduled_{false};

  // The newest one's name in the directory; empty if it could not be written.
  std::string options_file_ FIBER_GUARDED_BY(mutex_);
  const uint64_t opened_at_nanos_;
};

// Checks and completes the user's options for a database at `dbname` (db/options_check.cc). An
// option that Cairn does not honour, set to something else than its default, is NotSupported or
// InvalidArgument and named.
[[nodiscard]] Status CheckOptions(const DBOptions& db_options,
                                  const ColumnFamilyOptions& cf_options);
DBOptions SanitizeOptions(const DBOptions& options, const std::string& dbname);
ColumnFamilyOptions SanitizeOptions(const ColumnFamilyOptions& options);
// After the check, as in RocksDB: a hash of skip lists that has no prefixes becomes a skip list.
void ReplaceHashWithoutPrefix(ColumnFamilyOptions* options);
// Of sanitized options. The client is left to the caller.
MemTableOptions MakeMemTableOptions(const DBOptions& db_options,
                                    const ColumnFamilyOptions& cf_options);

}  // namespace cairn
