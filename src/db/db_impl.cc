#include "db/db_impl.h"

#include <set>

#include "base/logging.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_moves.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/imports.h"
#include "db/ingestions.h"
#include "db/live_files.h"
#include "db/opening.h"
#include "db/options_changes.h"
#include "db/primary_follower.h"
#include "db/properties.h"
#include "db/read_path.h"
#include "db/stats_reports.h"
#include "db/trace_replayer.h"
#include "db/write_path.h"
#include "fs/info_log.h"
#include "options/options_check.h"

namespace cairn {

// --- Opening and closing

Status DBImpl::Open(const DBOptions& user_db_options, const std::string& dbname,
                    const std::vector<ColumnFamilyDescriptor>& families, OpenMode mode,
                    std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db,
                    const std::string& secondary_path, bool shares_numbers) {
  db->reset();
  handles->clear();
  // Families that the list does not name are refused by the manifest's recovery, which knows which
  // exist.
  std::vector<ColumnFamilyDescriptor> ordered;
  std::set<std::string> names;
  for (const ColumnFamilyDescriptor& family : families) {
    // As in RocksDB: of one that is named twice there are two handles, and its first options count.
    if (!names.insert(family.name).second) continue;
    ordered.insert(family.name == kDefaultColumnFamilyName ? ordered.begin() : ordered.end(),
                   family);
  }
  if (!names.contains(kDefaultColumnFamilyName)) {
    return Status::InvalidArgument("Default column family not specified");
  }

  DBOptions db_options = SanitizeOptions(user_db_options, dbname);
  for (ColumnFamilyDescriptor& family : ordered) {
    Status s = CompleteOptions(db_options, &family.options);
    if (!s.ok()) return s;
  }
  Status s;
  if (db_options.info_log == nullptr && mode == OpenMode::kReadWrite) {
    // A LOG that cannot be written is no reason to refuse the data.
    s = CreateLoggerFromOptions(dbname, db_options, &db_options.info_log);
    if (!s.ok()) db_options.info_log = nullptr;
  } else if (db_options.info_log == nullptr && mode == OpenMode::kSecondary) {
    s = CreateLoggerFromOptions(secondary_path, db_options, &db_options.info_log);
    if (!s.ok()) return s;
  }

  std::unique_ptr<DBImpl> impl;
  // Who opens for reading beside a process that writes may meet parts of two of its states.
  constexpr int kAttempts = 100;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    impl = std::make_unique<DBImpl>(db_options, dbname, mode);
    impl->db_.shares_numbers = shares_numbers;
    Opening* const opening = impl->db_.opening.get();
    s = opening->Open(ordered);
    if (!opening->IsOvertaken(s)) break;
    if (attempt == kAttempts) {
      s = Status::TryAgain("the database changes faster than it is opened for reading",
                           s.ToString());
    }
  }
  if (!s.ok()) {
    LogError(db_options.info_log.get(), "Open failed: %s", s.ToString().c_str());
    return s;
  }
  std::unordered_map<std::string, ColumnFamily*> by_name;
  for (ColumnFamily* family : impl->db_.families->all()) by_name.emplace(family->name(), family);
  for (const ColumnFamilyDescriptor& asked : families) {
    if (const auto it = by_name.find(asked.name); it != by_name.end()) {
      handles->push_back(new ColumnFamilyHandleImpl(&impl->db_, it->second));
    }
  }
  LogInfo(db_options.info_log.get(), "DB pointer %p", static_cast<void*>(impl.get()));
  *db = std::move(impl);
  return Status::OK();
}

Status DBImpl::Close() { return db_.opening->Close(); }

// --- All else is some part's

Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                                  ColumnFamilyHandle** handle) {
  return db_.families->CreateColumnFamily(options, name, handle);
}

Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                    const std::vector<std::string>& names,
                                    std::vector<ColumnFamilyHandle*>* handles) {
  return db_.families->CreateColumnFamilies(options, names, handles);
}

Status DBImpl::CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& descriptors,
                                    std::vector<ColumnFamilyHandle*>* handles) {
  return db_.families->CreateColumnFamilies(descriptors, handles);
}

Status DBImpl::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& name,
    const ImportColumnFamilyOptions& import,
    const std::vector<const ExportImportFilesMetaData*>& metadatas, ColumnFamilyHandle** handle) {
  return db_.imports->CreateColumnFamilyWithImport(options, name, import, metadatas, handle);
}

Status DBImpl::DropColumnFamily(ColumnFamilyHandle* family) {
  return db_.families->DropColumnFamily(family);
}

Status DBImpl::DropColumnFamilies(const std::vector<ColumnFamilyHandle*>& families) {
  return db_.families->DropColumnFamilies(families);
}

Status DBImpl::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   const Slice& value) {
  return db_.writes->Put(options, family, key, value);
}

Status DBImpl::PutEntity(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         const WideColumns& columns) {
  return db_.writes->PutEntity(options, family, key, columns);
}

Status DBImpl::PutEntity(const WriteOptions& options, const Slice& key,
                         const AttributeGroups& attribute_groups) {
  return db_.writes->PutEntity(options, key, attribute_groups);
}

Status DBImpl::Delete(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key) {
  return db_.writes->Delete(options, family, key);
}

Status DBImpl::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key) {
  return db_.writes->SingleDelete(options, family, key);
}

Status DBImpl::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                           const Slice& begin, const Slice& end) {
  return db_.writes->DeleteRange(options, family, begin, end);
}

Status DBImpl::Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                     const Slice& value) {
  return db_.writes->Merge(options, family, key, value);
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* updates) {
  return db_.writes->Write(options, updates);
}

Status DBImpl::WriteWithCallback(const WriteOptions& options, WriteBatch* updates,
                                 UserWriteCallback* callback) {
  if (callback == nullptr) return Status::InvalidArgument("WriteWithCallback without a callback");
  return db_.writes->Write(options, updates, /*check=*/nullptr, /*step=*/nullptr,
                           /*published=*/nullptr, callback);
}

Status DBImpl::Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   PinnableSlice* value) {
  return db_.reads->Get(options, family, key, value);
}

Status DBImpl::GetMergeOperands(const ReadOptions& options, ColumnFamilyHandle* family,
                                const Slice& key, PinnableSlice* operands,
                                GetMergeOperandsOptions* operands_options,
                                int* number_of_operands) {
  return db_.reads->GetMergeOperands(options, family, key, operands, operands_options,
                                     number_of_operands);
}

std::vector<Status> DBImpl::MultiGet(const ReadOptions& options,
                                     const std::vector<ColumnFamilyHandle*>& families,
                                     const std::vector<Slice>& keys,
                                     std::vector<std::string>* values) {
  return db_.reads->MultiGet(options, families, keys, values);
}

void DBImpl::MultiGet(const ReadOptions& options, ColumnFamilyHandle* family, size_t num_keys,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool sorted_input) {
  db_.reads->MultiGet(options, family, num_keys, keys, values, statuses, sorted_input);
}

void DBImpl::MultiGet(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** families,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool sorted_input) {
  db_.reads->MultiGet(options, num_keys, families, keys, values, statuses, sorted_input);
}

Status DBImpl::GetEntity(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         PinnableWideColumns* columns) {
  return db_.reads->GetEntity(options, family, key, columns);
}

Status DBImpl::GetEntity(const ReadOptions& options, const Slice& key,
                         PinnableAttributeGroups* result) {
  return db_.reads->GetEntity(options, key, result);
}

void DBImpl::MultiGetEntity(const ReadOptions& options, ColumnFamilyHandle* family, size_t num_keys,
                            const Slice* keys, PinnableWideColumns* results, Status* statuses,
                            bool sorted_input) {
  db_.reads->MultiGetEntity(options, family, num_keys, keys, results, statuses, sorted_input);
}

void DBImpl::MultiGetEntity(const ReadOptions& options, size_t num_keys,
                            ColumnFamilyHandle** families, const Slice* keys,
                            PinnableWideColumns* results, Status* statuses, bool sorted_input) {
  db_.reads->MultiGetEntity(options, num_keys, families, keys, results, statuses, sorted_input);
}

void DBImpl::MultiGetEntity(const ReadOptions& options, size_t num_keys, const Slice* keys,
                            PinnableAttributeGroups* results) {
  db_.reads->MultiGetEntity(options, num_keys, keys, results);
}

bool DBImpl::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         std::string* value, bool* value_found) {
  return db_.reads->KeyMayExist(options, family, key, value, value_found);
}

Iterator* DBImpl::NewIterator(const ReadOptions& options, ColumnFamilyHandle* family) {
  return db_.reads->NewIterator(options, family);
}

std::unique_ptr<Iterator> DBImpl::NewCoalescingIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families) {
  return db_.reads->NewCoalescingIterator(options, families);
}

std::unique_ptr<AttributeGroupIterator> DBImpl::NewAttributeGroupIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families) {
  return db_.reads->NewAttributeGroupIterator(options, families);
}

Status DBImpl::NewIterators(const ReadOptions& options,
                            const std::vector<ColumnFamilyHandle*>& families,
                            std::vector<Iterator*>* iterators) {
  return db_.reads->NewIterators(options, families, iterators);
}

const Snapshot* DBImpl::GetSnapshot() { return db_.reads->GetSnapshot(); }

void DBImpl::ReleaseSnapshot(const Snapshot* snapshot) { db_.reads->ReleaseSnapshot(snapshot); }

bool DBImpl::GetProperty(ColumnFamilyHandle* family, const Slice& property, std::string* value) {
  return db_.properties->GetProperty(family, property, value);
}

bool DBImpl::GetMapProperty(ColumnFamilyHandle* family, const Slice& property,
                            std::map<std::string, std::string>* value) {
  return db_.properties->GetMapProperty(family, property, value);
}

bool DBImpl::GetIntProperty(ColumnFamilyHandle* family, const Slice& property, uint64_t* value) {
  return db_.properties->GetIntProperty(family, property, value);
}

bool DBImpl::GetAggregatedIntProperty(const Slice& property, uint64_t* value) {
  return db_.properties->GetAggregatedIntProperty(property, value);
}

Status DBImpl::GetApproximateSizes(const SizeApproximationOptions& options,
                                   ColumnFamilyHandle* family, const Range* ranges, int n,
                                   uint64_t* sizes) {
  return db_.properties->GetApproximateSizes(options, family, ranges, n, sizes);
}

void DBImpl::GetApproximateMemTableStats(ColumnFamilyHandle* family, const Range& range,
                                         uint64_t* count, uint64_t* size) {
  db_.properties->GetApproximateMemTableStats(family, range, count, size);
}

Status DBImpl::GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                            bool flush_memtable) {
  return db_.live_files->GetLiveFiles(files, manifest_file_size, flush_memtable);
}

Status DBImpl::GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions& options,
                                       std::vector<LiveFileStorageInfo>* files) {
  return db_.live_files->GetLiveFilesStorageInfo(options, files);
}

Status DBImpl::GetSortedWalFiles(VectorLogPtr& files) {
  return db_.live_files->GetSortedWalFiles(files);
}

Status DBImpl::GetUpdatesSince(SequenceNumber seq_number,
                               std::unique_ptr<TransactionLogIterator>* iter,
                               const TransactionLogIterator::ReadOptions& read_options) {
  return db_.live_files->GetUpdatesSince(seq_number, iter, read_options);
}

Status DBImpl::GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file) {
  return db_.live_files->GetCurrentWalFile(current_log_file);
}

void DBImpl::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) {
  db_.live_files->GetLiveFilesMetaData(files);
}

void DBImpl::GetColumnFamilyMetaData(ColumnFamilyHandle* family, ColumnFamilyMetaData* metadata) {
  db_.live_files->GetColumnFamilyMetaData(family, metadata);
}

void DBImpl::GetAllColumnFamilyMetaData(std::vector<ColumnFamilyMetaData>* metadata) {
  db_.live_files->GetAllColumnFamilyMetaData(metadata);
}

void DBImpl::GetColumnFamilyMetaData(ColumnFamilyHandle* family,
                                     const GetColumnFamilyMetaDataOptions& options,
                                     ColumnFamilyMetaData* metadata) {
  db_.live_files->GetColumnFamilyMetaData(family, options, metadata);
}

Status DBImpl::GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                        TablePropertiesCollection* properties) {
  return db_.properties->GetPropertiesOfAllTables(family, properties);
}

Status DBImpl::GetPropertiesOfTablesInRange(ColumnFamilyHandle* family, const Range* ranges,
                                            size_t n, TablePropertiesCollection* properties) {
  return db_.properties->GetPropertiesOfTablesInRange(family, ranges, n, properties);
}

Status DBImpl::GetPropertiesOfTablesByLevel(
    ColumnFamilyHandle* family, std::vector<std::unique_ptr<TablePropertiesCollection>>* by_level) {
  return db_.properties->GetPropertiesOfTablesByLevel(family, by_level);
}

Status DBImpl::GetBlockCachePrefixes(std::vector<uint64_t>* prefixes) {
  return db_.properties->GetBlockCachePrefixes(prefixes);
}

Status DBImpl::GetCreationTimeOfOldestFile(uint64_t* creation_time) {
  return db_.properties->GetCreationTimeOfOldestFile(creation_time);
}

Status DBImpl::ClipColumnFamily(ColumnFamilyHandle* family, const Slice& begin, const Slice& end) {
  return db_.moves->ClipColumnFamily(family, begin, end);
}

Status DBImpl::GetDbIdentity(std::string& identity) const {
  return db_.properties->GetDbIdentity(identity);
}

Status DBImpl::GetDbSessionId(std::string& session_id) const {
  return db_.properties->GetDbSessionId(session_id);
}

Status DBImpl::StartTrace(const TraceOptions& options, std::unique_ptr<TraceWriter>&& writer) {
  if (db_.Forked()) return db_.ForkedStatus();
  return db_.trace.Start(db_.env, options, std::move(writer));
}

Status DBImpl::EndTrace() {
  if (db_.Forked()) return db_.ForkedStatus();
  return db_.trace.End();
}

Status DBImpl::StartBlockCacheTrace(const TraceOptions& options,
                                    std::unique_ptr<TraceWriter>&& writer) {
  if (writer == nullptr) {
    return Status::InvalidArgument("StartBlockCacheTrace() without a TraceWriter");
  }
  BlockCacheTraceOptions of_blocks;
  of_blocks.sampling_frequency = options.sampling_frequency;
  BlockCacheTraceWriterOptions of_writer;
  of_writer.max_trace_file_size = options.max_trace_file_size;
  return StartBlockCacheTrace(of_blocks, NewBlockCacheTraceWriter(SystemClock::Default().get(),
                                                                  of_writer, std::move(writer)));
}

Status DBImpl::StartBlockCacheTrace(const BlockCacheTraceOptions& options,
                                    std::unique_ptr<BlockCacheTraceWriter>&& writer) {
  if (db_.Forked()) return db_.ForkedStatus();
  return db_.block_trace.Start(options, std::move(writer));
}

Status DBImpl::EndBlockCacheTrace() {
  if (db_.Forked()) return db_.ForkedStatus();
  db_.block_trace.End();
  return Status::OK();
}

Status DBImpl::StartIOTrace(const TraceOptions& options, std::unique_ptr<TraceWriter>&& writer) {
  if (db_.Forked()) return db_.ForkedStatus();
  return db_.io_trace->Start(db_.env->NowMicros(), options, std::move(writer));
}

Status DBImpl::EndIOTrace() {
  if (db_.Forked()) return db_.ForkedStatus();
  db_.io_trace->End();
  return Status::OK();
}

Status DBImpl::NewDefaultReplayer(const std::vector<ColumnFamilyHandle*>& handles,
                                  std::unique_ptr<TraceReader>&& reader,
                                  std::unique_ptr<Replayer>* replayer) {
  *replayer = NewReplayer(this, handles, std::move(reader));
  return Status::OK();
}

Status DBImpl::TrimHistory(ColumnFamilyHandle* family, const std::string& newest) {
  return db_.compactions->TrimHistory(family, newest);
}

Status DBImpl::CompactRange(const CompactRangeOptions& options, ColumnFamilyHandle* family,
                            const Slice* begin, const Slice* end) {
  return db_.compactions->CompactRange(options, family, begin, end);
}

Status DBImpl::CompactFiles(const CompactionOptions& options, ColumnFamilyHandle* family,
                            const std::vector<std::string>& input_file_names, int output_level,
                            int output_path_id, std::vector<std::string>* output_file_names,
                            CompactionJobInfo* compaction_job_info) {
  return db_.compactions->CompactFiles(options, family, input_file_names, output_level,
                                       output_path_id, output_file_names, compaction_job_info);
}

Status DBImpl::IngestExternalFiles(const std::vector<IngestExternalFileArg>& args) {
  return db_.ingestions->IngestExternalFiles(args);
}

Status DBImpl::Flush(const FlushOptions& options, ColumnFamilyHandle* family) {
  return db_.flushes->Flush(options, family);
}

Status DBImpl::Flush(const FlushOptions& options,
                     const std::vector<ColumnFamilyHandle*>& families) {
  return db_.flushes->Flush(options, families);
}

Status DBImpl::FlushWAL(bool sync) { return db_.writes->FlushWAL(sync); }
Status DBImpl::FlushWAL(const FlushWALOptions& options) {
  return db_.writes->FlushWAL(options.sync, options.rate_limiter_priority);
}

Status DBImpl::SyncWAL() { return db_.writes->SyncWAL(); }

Status DBImpl::LockWAL() { return db_.writes->LockWrites(); }

Status DBImpl::UnlockWAL() { return db_.writes->UnlockWrites(); }

Status DBImpl::VerifyChecksum(const ReadOptions& options) {
  return db_.properties->VerifyChecksum(options);
}

Status DBImpl::VerifyFileChecksums(const ReadOptions& options) {
  return db_.properties->VerifyFileChecksums(options);
}

Status DBImpl::GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) {
  return db_.live_files->GetLiveFilesChecksumInfo(checksum_list);
}

Status DBImpl::WaitForCompact(const WaitForCompactOptions& options) {
  return db_.work->WaitForCompact(options);
}

Status DBImpl::PauseBackgroundWork() { return db_.work->PauseBackgroundWork(); }

Status DBImpl::ContinueBackgroundWork() { return db_.work->ContinueBackgroundWork(); }

Status DBImpl::EnableFileDeletions(bool force) { return db_.files->EnableFileDeletions(force); }

Status DBImpl::DisableFileDeletions() { return db_.files->DisableFileDeletions(); }

Status DBImpl::EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>& families) {
  return db_.compactions->EnableAutoCompaction(families);
}

void DBImpl::DisableManualCompaction() { db_.compactions->DisableManualCompaction(); }

void DBImpl::EnableManualCompaction() { db_.compactions->EnableManualCompaction(); }

Status DBImpl::Resume() { return db_.errors->Resume(); }

Status DBImpl::TryCatchUpWithPrimary() {
  if (db_.mode != OpenMode::kSecondary) return DB::TryCatchUpWithPrimary();
  return db_.follower->TryCatchUpWithPrimary();
}

void DBImpl::CancelAllBackgroundWork(bool wait) { db_.work->CancelAllBackgroundWork(wait); }

Status DBImpl::DeleteFilesInRanges(ColumnFamilyHandle* family, const RangePtr* ranges, size_t n,
                                   bool include_end) {
  return db_.moves->DeleteFilesInRanges(family, ranges, n, include_end);
}

Status DBImpl::DeleteFile(std::string name) { return db_.moves->DeleteFile(name); }

Status DBImpl::SuggestCompactRange(ColumnFamilyHandle* family, const Slice* begin,
                                   const Slice* end) {
  return db_.moves->SuggestCompactRange(family, begin, end);
}

Status DBImpl::PromoteL0(ColumnFamilyHandle* family, int target_level) {
  return db_.moves->PromoteL0(family, target_level);
}

uint64_t DBImpl::FamilyVisits() { return db_.families->FamilyVisits(); }

uint64_t DBImpl::OptionsBytes() { return db_.options_changes->OptionsBytes(); }

Options DBImpl::GetOptions(ColumnFamilyHandle* family) const {
  return db_.options_changes->GetOptions(family);
}

Status DBImpl::GetStatsHistory(uint64_t start_time, uint64_t end_time,
                               std::unique_ptr<StatsHistoryIterator>* stats_iterator) {
  return db_.stats->GetStatsHistory(start_time, end_time, stats_iterator);
}

Status DBImpl::ResetStats() {
  const DBMutexLock lock(db_.mutex());
  db_.stats->Reset();
  return Status::OK();
}

DBOptions DBImpl::GetDBOptions() const { return db_.options_changes->GetDBOptions(); }

Status DBImpl::SetOptions(ColumnFamilyHandle* family,
                          const std::unordered_map<std::string, std::string>& map) {
  return db_.options_changes->SetOptions(family, map);
}

Status DBImpl::SetDBOptions(const std::unordered_map<std::string, std::string>& map) {
  return db_.options_changes->SetDBOptions(map);
}

int DBImpl::NumberLevels(ColumnFamilyHandle* family) {
  return db_.options_changes->NumberLevels(family);
}

int DBImpl::Level0StopWriteTrigger(ColumnFamilyHandle* family) {
  return db_.options_changes->Level0StopWriteTrigger(family);
}

ColumnFamilyHandle* DBImpl::DefaultColumnFamily() const { return db_.families->default_handle(); }

}  // namespace cairn
