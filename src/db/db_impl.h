// DBImpl: the database that users hold. It hands every call to the part whose business it is
// (database.h has the list); reads that are answered later are here (async_reads.cc).
//
// Thread safety: the public methods may be called from any thread or fiber, but Close and the
// destructor, which need every other call to have returned.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "rocksdb/db.h"

namespace cairn {

class DBImpl final : public DB {
 public:
  // Opens; *handles receives one handle per family, in their order. `secondary_path`: where the LOG
  // of a secondary goes. `shares_numbers`: see Database. SUSPENDS.
  [[nodiscard]] static Status Open(const DBOptions& db_options, const std::string& dbname,
                                   const std::vector<ColumnFamilyDescriptor>& families,
                                   OpenMode mode, std::vector<ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<DB>* db, const std::string& secondary_path = "",
                                   bool shares_numbers = false);
  // For Open.
  DBImpl(const DBOptions& db_options, std::string dbname, OpenMode mode)
      : db_(this, db_options, std::move(dbname), mode) {}
  ~DBImpl() override = default;
  // In a process that was forked from the one that opened the database (fiber/fork.h) it leaves all
  // as it is.
  static void operator delete(DBImpl* db, std::destroying_delete_t);
  static void* operator new(size_t size);

  // --- rocksdb::DB
  using DB::CompactFiles;
  using DB::CompactRange;
  using DB::CreateColumnFamilyWithImport;
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
  Status CreateColumnFamilyWithImport(const ColumnFamilyOptions&, const std::string& name,
                                      const ImportColumnFamilyOptions&,
                                      const std::vector<const ExportImportFilesMetaData*>&,
                                      ColumnFamilyHandle** handle) override;
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
  Status WriteWithCallback(const WriteOptions&, WriteBatch* updates,
                           UserWriteCallback* callback) override;

  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
             PinnableSlice* value) override;
  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, PinnableSlice* value,
             std::string* timestamp) override;
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
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                               const std::vector<Slice>& keys, std::vector<std::string>* values,
                               std::vector<std::string>* timestamps) override;
  void MultiGet(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                PinnableSlice* values, std::string* timestamps, Status* statuses,
                bool sorted_input) override;
  void MultiGet(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                const Slice* keys, PinnableSlice* values, std::string* timestamps, Status* statuses,
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
  Status IncreaseFullHistoryTsLow(ColumnFamilyHandle*, std::string ts_low) override;
  Status GetFullHistoryTsLow(ColumnFamilyHandle*, std::string* ts_low) override;
  Status GetNewestUserDefinedTimestamp(ColumnFamilyHandle*, std::string* newest) override;
  bool KeyMayExist(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string* value,
                   std::string* timestamp, bool* value_found) override;
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
  void GetAllColumnFamilyMetaData(std::vector<ColumnFamilyMetaData>*) override;
  void GetColumnFamilyMetaData(ColumnFamilyHandle*, const GetColumnFamilyMetaDataOptions&,
                               ColumnFamilyMetaData*) override;
  Status GetPropertiesOfAllTables(ColumnFamilyHandle*, TablePropertiesCollection*) override;
  Status GetPropertiesOfTablesByLevel(
      ColumnFamilyHandle*, std::vector<std::unique_ptr<TablePropertiesCollection>>*) override;
  // For utilities: see Properties.
  [[nodiscard]] Status GetBlockCachePrefixes(std::vector<uint64_t>* prefixes);
  Status GetCreationTimeOfOldestFile(uint64_t* creation_time) override;
  Status ClipColumnFamily(ColumnFamilyHandle*, const Slice& begin, const Slice& end) override;
  Status LockWAL() override;
  Status UnlockWAL() override;
  Status GetPropertiesOfTablesInRange(ColumnFamilyHandle*, const Range*, size_t,
                                      TablePropertiesCollection*) override;
  Status GetDbIdentity(std::string& identity) const override;
  Status GetDbSessionId(std::string& session_id) const override;
  Status StartTrace(const TraceOptions& options, std::unique_ptr<TraceWriter>&& writer) override;
  Status EndTrace() override;
  Status StartBlockCacheTrace(const TraceOptions& options,
                              std::unique_ptr<TraceWriter>&& writer) override;
  Status StartBlockCacheTrace(const BlockCacheTraceOptions& options,
                              std::unique_ptr<BlockCacheTraceWriter>&& writer) override;
  Status EndBlockCacheTrace() override;
  Status StartIOTrace(const TraceOptions& options, std::unique_ptr<TraceWriter>&& writer) override;
  Status EndIOTrace() override;
  Status NewDefaultReplayer(const std::vector<ColumnFamilyHandle*>& handles,
                            std::unique_ptr<TraceReader>&& reader,
                            std::unique_ptr<Replayer>* replayer) override;

  // For DB::OpenAndTrimHistory.
  Status TrimHistory(ColumnFamilyHandle*, const std::string& newest);
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
  Status FlushWAL(const FlushWALOptions& options) override;
  Status SyncWAL() override;
  Status VerifyChecksum(const ReadOptions&) override;
  Status VerifyFileChecksums(const ReadOptions& options) override;
  Status GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) override;
  Status WaitForCompact(const WaitForCompactOptions&) override;
  Status PauseBackgroundWork() override;
  Status ContinueBackgroundWork() override;
  Status EnableFileDeletions(bool force) override;
  Status DisableFileDeletions() override;
  Status DeleteFile(std::string name) override;
  Status EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>&) override;
  void DisableManualCompaction() override;
  void EnableManualCompaction() override;
  Status Resume() override;
  Status TryCatchUpWithPrimary() override;
  // See convenience.h.
  void CancelAllBackgroundWork(bool wait);
  Status DeleteFilesInRanges(ColumnFamilyHandle*, const RangePtr* ranges, size_t n,
                             bool include_end);
  Status SuggestCompactRange(ColumnFamilyHandle*, const Slice* begin, const Slice* end) override;
  Status PromoteL0(ColumnFamilyHandle*, int target_level) override;
  // All entries with user keys from `begin` to `end`, both included (empty: no bound), as they are
  // stored; until the visitor says false. SUSPENDS.
  Status VisitEntries(ColumnFamilyHandle*, const Slice& begin, const Slice& end,
                      const std::function<bool(const ParsedInternalKey&, Slice value)>& visit);

  // For tests: FamilyBooks::visits, OptionsKeeper::bytes_written.
  uint64_t FamilyVisits();
  uint64_t OptionsBytes();

  // --- For transactions (src/utilities)
  // Write() with a check when its turn has come (CommitCheck). SUSPENDS.
  Status WriteChecked(const WriteOptions&, WriteBatch* updates, const CommitCheck* check);
  // A step of a two-phase commit; the prepared sections that recovery found, for who asks first.
  Status WriteStep(const WriteOptions&, WriteBatch* updates, TwoPhaseStep* step);
  // Write(), or WriteStep() unless `step` is null, and a snapshot of what it left with a timestamp.
  // *snapshot is null where there cannot be one: see StampedSnapshots::Take().
  Status WriteAndTakeSnapshot(const WriteOptions&, WriteBatch* updates, TwoPhaseStep* step,
                              uint64_t timestamp, std::shared_ptr<const Snapshot>* snapshot);
  // A snapshot of now with a timestamp; those that there are.
  Status TakeSnapshot(uint64_t timestamp, std::shared_ptr<const Snapshot>* snapshot);
  // Null in a process that was forked from the one that opened the database.
  StampedSnapshots* stamped_snapshots() { return db_.Forked() ? nullptr : &db_.stamped_snapshots; }
  PreparedSections::Sections TakeRecovered() { return db_.prepared.TakeRecovered(); }
  // Of WRITE_PREPARED and WRITE_UNPREPARED (Database::shares_numbers).
  bool SharesNumbers() const { return db_.shares_numbers; }
  Statistics* statistics() const { return db_.statistics; }  // null: none
  // What the keys have without the entries: see FindValuesBefore. SUSPENDS.
  Status ValuesBefore(const WriteBatch& entries, bool of_merges_only, WriteBatch* before);
  // Whether the key was written, or a range with it deleted, after `since`, a number that was
  // published: exactly, if a snapshot at or below it was held from then on. InvalidArgument: the
  // family was dropped. SUSPENDS where a newer table must be read.
  Status WrittenSince(const ColumnFamily* family, const Slice& key, SequenceNumber since,
                      bool* written) const;
  // The same of a bare key of a family with timestamps, and whether it has a newer timestamp than
  // `read_timestamp`, if that is not empty: see cairn::StampedSince.
  Status StampedSince(const ColumnFamily* family, const Slice& key, SequenceNumber since,
                      const Slice& read_timestamp, bool* written) const;
  // Bytes of the timestamps of the family's keys; 0 also if there is no such family.
  size_t TimestampSizeOf(uint32_t family_id) const;
  // A new handle; null: there is no such family.
  std::unique_ptr<ColumnFamilyHandle> HandleOf(uint32_t family_id);
  // As Families::UnrefFamily, later.
  void UnrefFamily(ColumnFamily* family);

  const std::string& GetName() const override { return db_.name; }
  Env* GetEnv() const override { return db_.env; }
  FileSystem* GetFileSystem() const override { return db_.fs; }
  Options GetOptions(ColumnFamilyHandle*) const override;
  DBOptions GetDBOptions() const override;
  Status GetStatsHistory(uint64_t start_time, uint64_t end_time,
                         std::unique_ptr<StatsHistoryIterator>* stats_iterator) override;
  Status ResetStats() override;
  Status SetOptions(ColumnFamilyHandle*,
                    const std::unordered_map<std::string, std::string>&) override;
  Status SetDBOptions(const std::unordered_map<std::string, std::string>&) override;
  SequenceNumber GetLatestSequenceNumber() const override { return db_.versions->LastSequence(); }
  int NumberLevels(ColumnFamilyHandle*) override;
  int MaxMemCompactionLevel(ColumnFamilyHandle*) override { return 0; }
  int Level0StopWriteTrigger(ColumnFamilyHandle*) override;
  ColumnFamilyHandle* DefaultColumnFamily() const override;

 private:
  Database db_;
};

}  // namespace cairn
