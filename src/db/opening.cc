// Opening and closing a database.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/logging.h"
#include "base/misuse.h"
#include "base/option_values.h"
#include "compaction/entry_ages.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/memtable_switch.h"
#include "db/opening.h"
#include "db/options_changes.h"
#include "db/primary_follower.h"
#include "db/recovery.h"
#include "db/sequence_times.h"
#include "db/shared_memory.h"
#include "db/stats_reports.h"
#include "db/write_path.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/limited_file_system.h"
#include "fs/observed_file_system.h"
#include "fs/read_limits.h"
#include "fs/reopening_file_system.h"
#include "manifest/best_efforts.h"
#include "manifest/manifest_reader.h"
#include "manifest/manifest_update.h"
#include "options/options_check.h"
#include "options/options_file.h"
#include "read/together.h"
#include "rocksdb/listener.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"
#include "table/compression.h"

namespace cairn {

Status Opening::PrepareDirectories() {
  std::vector<std::string> wanted(db_.all_table_directories.begin(),
                                  db_.all_table_directories.end());
  wanted.push_back(db_.name);
  wanted.push_back(db_.wal_dir);
  for (const std::string& dir : wanted) {
    IOStatus io = CreateDirDurably(db_.fs, dir);
    if (!io.ok()) return io;
  }
  return Status::OK();
}

Status Opening::HasManifest(bool* has_one) const {
  if (db_.BestEfforts()) {
    std::vector<uint64_t> manifests;
    Status s = FindManifests(db_.fs, db_.name, &manifests);
    *has_one = !manifests.empty();
    return s;
  }
  IOStatus io = db_.fs->FileExists(CurrentFileName(db_.name), IOOptions(), nullptr);
  *has_one = io.ok();
  return io.IsNotFound() ? IOStatus::OK() : io;
}

Status Opening::CheckExistence(bool* is_new) {
  bool has_one = false;
  if (Status s = HasManifest(&has_one); !s.ok()) return s;
  if (has_one) {
    *is_new = false;
    if (db_.options.error_if_exists && db_.mode == OpenMode::kReadWrite) {
      return Status::InvalidArgument(db_.name, "exists (error_if_exists is true)");
    }
    return Status::OK();
  }
  *is_new = true;
  if (db_.mode != OpenMode::kReadWrite) {
    return Status::NotFound(CurrentFileName(db_.name), "does not exist");
  }
  // Tables or logs without a CURRENT are the remains of a database: creating a new one would delete
  // them. (A MANIFEST alone is what a crash during creation leaves.)
  std::vector<std::string> names;
  IOStatus io = db_.fs->GetChildren(db_.name, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (ParseFileName(name, &number, &type) &&
        (type == FileType::kTableFile || type == FileType::kBlobFile ||
         type == FileType::kWalFile)) {
      return Status::Corruption(
          CurrentFileName(db_.name) + (db_.BestEfforts() ? ", and every MANIFEST," : "") +
              " is missing, but " + name + " is there",
          db_.BestEfforts()
              ? "repair the database, or move the files away"
              : "restore CURRENT (one line that names the newest MANIFEST), or move the "
                "files away");
    }
  }
  if (!db_.options.create_if_missing) {
    return Status::InvalidArgument(db_.name, "does not exist (create_if_missing is false)");
  }
  return Status::OK();
}

Status Opening::StatsHistoryFamily(const ColumnFamilyOptions& of_default,
                                   ColumnFamilyDescriptor* family) const {
  family->name = StatsOnDisk::kFamilyName;
  return StatsOnDisk::FamilyOptions(db_.options, of_default, &family->options);
}

Status Opening::Open(const std::vector<ColumnFamilyDescriptor>& families) {
  LogBanner();
  const bool writes = db_.mode == OpenMode::kReadWrite;
  const bool follows = db_.mode == OpenMode::kSecondary;
  std::vector<ColumnFamilyDescriptor> missing;
  std::vector<ColumnFamily*> recovered;
  Status s = TakeDirectories(families);
  if (s.ok()) s = RecoverManifest(families, &missing);
  if (!s.ok()) return s;
  s = AddFamilies(&recovered);
  if (s.ok() && writes) s = CheckAndOpenTables(recovered);
  if (!s.ok()) return s;
  for (ColumnFamily* family : recovered) {
    family->mem = db_.families->NewMemTable(*family, db_.versions->LastSequence());
    if (s.ok()) s = CheckMemTable(*family->mem, family->name(), *family->options);
  }
  if (!s.ok()) return s;
  if (writes) db_.sequence_times->LoadFromTables(recovered);
  if (writes) s = MarkTablesOfOthers();
  if (s.ok() && !follows) s = db_.recovery->RecoverWals(recovered);
  // (Logs first: beside a process that writes they go sooner than tables.)
  if (s.ok() && db_.IsReader() && !db_.BestEfforts()) s = CheckLogsOfReader();
  if (s.ok() && db_.IsReader()) s = CheckAndOpenTables(recovered);
  if (!s.ok()) return s;

  if (writes) StartWriting();
  FilePurger::ObsoleteFiles obsolete;
  {
    DBMutexLock lock(db_.mutex());
    for (ColumnFamily* family : recovered) db_.families->PublishFamily(family);
    if (writes) db_.files->FindObsoleteFilesByScan(&obsolete);
  }
  if (db_.options.persist_stats_to_disk && !writes) s = db_.stats->on_disk()->Open();
  if (!s.ok()) return s;
  if (follows) return db_.follower->TryCatchUpWithPrimary();
  s = db_.recovery->RestorePrepared();
  if (!s.ok()) return s;
  {
    DBMutexLock lock(db_.mutex());
    db_.work->Begin();
  }
  WarnOfFewDescriptors();
  // (Before there is anybody who makes or deletes files.)
  if (db_.space != nullptr) db_.files->TakeStock();
  if (db_.options.persist_stats_to_disk && writes) s = db_.stats->on_disk()->Open();
  if (s.ok()) s = CreateMissing(missing);
  if (s.ok() && writes) s = StartWork();
  if (!s.ok()) return s;
  db_.files->DeleteFiles(obsolete);
  // (The MANIFEST has the identity: recovery wrote one.)
  if (writes && !db_.options.write_identity_file) {
    db_.fs->DeleteFile(IdentityFileName(db_.name), IOOptions(), nullptr).PermitUncheckedError();
  }
  if (writes) db_.memory->Join();
  return s;
}

Status Opening::OpenForCompaction(const std::vector<ColumnFamilyDescriptor>& families,
                                  std::vector<ColumnFamily*>* recovered) {
  LogBanner();
  std::vector<ColumnFamilyDescriptor> missing;
  Status s = TakeDirectories(families);
  if (s.ok()) s = RecoverManifest(families, &missing);
  return s.ok() ? AddFamilies(recovered) : s;
}

IOStatus Opening::OpenDirectories() {
  std::unique_ptr<FSDirectory> opened;
  IOStatus io = db_.fs->NewDirectory(db_.name, IOOptions(), &opened, nullptr);
  db_.directory = std::move(opened);
  for (const std::string& path : db_.paths) {
    if (path == db_.name) {
      db_.table_directories.push_back(db_.directory);
    } else if (io.ok()) {
      io = db_.fs->NewDirectory(path, IOOptions(), &opened, nullptr);
      db_.table_directories.push_back(std::move(opened));
    }
  }
  return io;
}

Status Opening::TakeDirectories(const std::vector<ColumnFamilyDescriptor>& families) {
  db_.all_table_directories.insert(db_.paths.begin(), db_.paths.end());
  for (const ColumnFamilyDescriptor& family : families) {
    for (const DbPath& path : family.options.cf_paths) {
      db_.all_table_directories.insert(path.path);
    }
  }
  if (db_.mode == OpenMode::kReadWrite) {
    Status s = PrepareDirectories();
    if (!s.ok()) return s;
    IOStatus io = OpenDirectories();
    if (io.ok()) io = db_.fs->LockFile(LockFileName(db_.name), IOOptions(), &db_.lock, nullptr);
    if (!io.ok()) return io;
  }
  Status s = db_.outside.Find(db_.options, families);
  if (s.ok() && db_.mode == OpenMode::kReadWrite) s = db_.outside.Lock();
  return s;
}

Status Opening::RecoverManifest(const std::vector<ColumnFamilyDescriptor>& families,
                                std::vector<ColumnFamilyDescriptor>* missing) {
  const bool writes = db_.mode == OpenMode::kReadWrite;
  bool is_new = false;
  Status s = CheckExistence(&is_new);
  if (s.ok() && is_new) s = db_.outside.CheckNew();
  if (s.ok() && is_new) s = db_.versions->NewDB(families[0].options, db_.directory.get());
  if (!s.ok()) return s;
  std::vector<ColumnFamilyDescriptor> known = families;
  const bool creates = db_.options.create_missing_column_families;
  const bool persists = db_.options.persist_stats_to_disk;
  if (families.size() > 1 && writes && (creates || persists)) {
    std::vector<std::string> names;
    s = db_.BestEfforts() ? ListFamiliesBestEfforts(db_.fs, db_.name, &names)
                          : VersionSet::ListColumnFamilies(db_.name, db_.fs, &names);
    const std::set<std::string> existing(names.begin(), names.end());
    known.clear();
    for (const ColumnFamilyDescriptor& family : families) {
      const bool made_anyway = persists && family.name == StatsOnDisk::kFamilyName;
      if (existing.contains(family.name) || !(creates || made_anyway)) {
        known.push_back(family);
      } else if (!made_anyway) {
        missing->push_back(family);
      }
    }
  }
  ColumnFamilyDescriptor statistics;
  if (s.ok()) s = StatsHistoryFamily(families[0].options, &statistics);
  if (s.ok() && db_.BestEfforts()) {
    bool loses_files = false;
    s = db_.versions->RecoverBestEfforts(known, /*read_only=*/!writes, &statistics, &loses_files);
    if (s.ok() && loses_files) {
      LogWarn(db_.options.info_log.get(),
              "Files are missing: a family is as it was when all of its files were there");
    }
  } else if (s.ok()) {
    s = db_.versions->Recover(known, /*read_only=*/!writes,
                              /*growing=*/db_.mode == OpenMode::kSecondary, &statistics);
  }
  if (s.ok()) s = db_.outside.Check(db_.versions->db_id());
  return s;
}

Status Opening::AddFamilies(std::vector<ColumnFamily*>* recovered) {
  {
    DBMutexLock lock(db_.mutex());
    for (const auto& [id, state] : db_.versions->families()) {
      std::vector<std::shared_ptr<FSDirectory>> directories;
      Status s = db_.families->OpenDirectories(state->options(), &directories);
      if (!s.ok()) return s;
      ColumnFamilyOptions options = state->options();
      if (db_.IsReader() && SecondsOfTimes(options) != 0) {
        LogWarn(db_.options.info_log.get(),
                "preserve_internal_time_seconds and preclude_last_level_data_seconds are ignored "
                "in read-only DB");
        options.preserve_internal_time_seconds = 0;
        options.preclude_last_level_data_seconds = 0;
      }
      recovered->push_back(db_.families->AddFamily(
          state.get(), std::make_shared<const Options>(db_.options, options),
          std::move(directories)));
    }
  }
  db_.families->SetDefault(recovered->front());
  // As much as a memtable's worth of records takes, so that the file is extended once or twice in
  // its life.
  const size_t write_buffer_size = db_.families->default_family()->options->write_buffer_size;
  db_.wals = std::make_unique<WalSet>(db_.fs, db_.wal_dir, &db_.options,
                                      FileOptionsForLogWrite(*db_.fs, db_.options),
                                      write_buffer_size + write_buffer_size / 10);
  return Status::OK();
}

Status Opening::CheckAndOpenTables(const std::vector<ColumnFamily*>& families) const {
  Status s = CheckTables();
  if (s.ok()) s = OpenAllTables(families);
  return s.ok() && db_.IsReader() ? OpenAllBlobFiles(families) : s;
}

Status Opening::CreateMissing(const std::vector<ColumnFamilyDescriptor>& missing) {
  for (const ColumnFamilyDescriptor& family : missing) {
    ColumnFamilyHandle* handle = nullptr;
    const Status s = db_.families->CreateFamily(family, &handle);
    if (!s.ok()) return s;
    delete handle;
  }
  return Status::OK();
}

Status Opening::StartWork() {
  const Status s = db_.options_changes->PersistLiveOptions();
  if (!s.ok()) {
    return Status::IOError("DB::Open() failed: unable to persist options file", s.ToString());
  }
  DBMutexLock lock(db_.mutex());
  db_.work->MaybeScheduleWork();
  return s;
}

Status Opening::CheckTables() const {
  if (!db_.options.paranoid_checks) return Status::OK();
  for (const auto& [id, family] : db_.versions->families()) {
    const Version& version = *family->current();
    const std::vector<std::string> paths =
        TableDirectoriesOf(db_.options, family->options(), db_.name);
    std::vector<const FileMetaData*> files;
    for (int level = 0; level < version.num_levels(); ++level) {
      files.insert(files.end(), version.files(level).begin(), version.files(level).end());
    }
    for (const FileMetaData* file : files) {
      const std::string path = TableFileName(paths, file->number, file->path_id);
      uint64_t size = 0;
      IOStatus io = db_.options.skip_checking_sst_file_sizes_on_db_open
                        ? db_.fs->FileExists(path, IOOptions(), nullptr)
                        : db_.fs->GetFileSize(path, IOOptions(), &size, nullptr);
      if (io.IsNotFound() || io.IsPathNotFound()) {
        return Status::Corruption("Cannot access " + path, io.ToString());
      }
      if (!io.ok()) return io;
      if (!db_.options.skip_checking_sst_file_sizes_on_db_open && size != file->file_size) {
        return Status::Corruption("Sst file size mismatch: " + path,
                                  "Size recorded in manifest " + std::to_string(file->file_size) +
                                      ", actual size " + std::to_string(size));
      }
    }
  }
  return Status::OK();
}

Status Opening::OpenAllTables(const std::vector<ColumnFamily*>& families) const {
  if (db_.options.max_open_files >= 0) return Status::OK();
  struct Table {
    const ColumnFamily* family;
    TableFileId id;
  };
  std::vector<Table> tables;
  for (const ColumnFamily* family : families) {
    const Version& version = *family->state->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) {
        tables.push_back({family, file->TableId(level)});
      }
    }
  }
  Status first;
  ReadLimits limits;
  limits.activity = Env::IOActivity::kDBOpen;
  ForEachTogether(tables.size(), [&](size_t i) {
    if (!first.ok()) return;
    TableCache* const cache = tables[i].family->tables.get();
    // Beside a writer a table may be deleted: who reads then keeps it, whatever it takes.
    const bool reads = db_.mode != OpenMode::kReadWrite;
    TableCache::Ref table;
    Status s = reads ? cache->KeepOpen(tables[i].id, limits)
                     : cache->FindTable(tables[i].id, &table, /*no_io=*/false, limits);
    const bool gone = reads && (s.IsNotFound() || s.IsPathNotFound());
    // That it is none of ours, or that its end is damaged. (What else is wrong with one is told to
    // those who read it.)
    const bool is_no_table = db_.options.paranoid_checks && s.IsCorruption();
    if (IsUniqueIdMismatch(s) || gone || is_no_table) first = s;
  });
  return first;
}

Status Opening::OpenAllBlobFiles(const std::vector<ColumnFamily*>& families) const {
  if (db_.options.max_open_files >= 0) return Status::OK();
  for (const ColumnFamily* family : families) {
    for (const auto& file : family->state->current()->blob_files()) {
      Status s = family->blobs->CheckFile(file->number());
      // (A damaged one is found by those who read it.)
      if (s.IsNotFound() || s.IsPathNotFound()) return s;
      s.PermitUncheckedError();
    }
  }
  return Status::OK();
}

Status Opening::CheckLogsOfReader() const {
  // Logs go when the MANIFEST says so: those that were needed then were all there, whole.
  std::unique_ptr<ManifestUpdate> later;
  Status s = db_.versions->ReadUpdate(&later);
  if (s.ok() && later->FirstLogNeeded() > db_.recovery->FirstLogToReplay()) {
    s = Status::TryAgain("the database changes faster than it is opened for reading", db_.name);
  }
  return s;
}

bool Opening::IsOvertaken(const Status& opened) const {
  if (opened.ok() || !db_.IsReader() || db_.versions->manifest_file_number() == 0) return false;
  if (opened.IsTryAgain()) return true;
  // Tables and logs go when the MANIFEST says so.
  std::unique_ptr<ManifestUpdate> later;
  if (!db_.versions->ReadUpdate(&later).ok()) return false;
  if (later->manifest != db_.versions->manifest_file_number() ||
      later->position != db_.versions->manifest_file_size()) {
    return true;
  }
  if (db_.wals == nullptr) return false;
  // The newest log grows.
  for (const WalSet::File& log : db_.wals->Files()) {
    uint64_t bytes = 0;
    IOStatus io =
        db_.fs->GetFileSize(LogFileName(db_.wal_dir, log.number), IOOptions(), &bytes, nullptr);
    if (io.ok() && bytes != log.bytes) return true;
  }
  return false;
}

void Opening::WarnOfFewDescriptors() const {
  size_t tables = 0;
  for (const auto& [id, family] : db_.versions->families()) {
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      tables += version.files(level).size();
    }
  }
  if (db_.options.max_open_files != -1 || tables <= db_.open_tables->capacity()) return;
  LogWarn(db_.options.info_log.get(),
          "max_open_files is -1, but of %zu tables %zu are kept open: the process may have no more "
          "descriptors (RLIMIT_NOFILE)",
          tables, db_.open_tables->capacity());
}

Status Opening::MarkTablesOfOthers() {
  std::set<std::string> dirs = db_.all_table_directories;
  dirs.insert(db_.name);
  for (const std::string& dir : dirs) {
    std::vector<std::string> names;
    const IOStatus io = db_.fs->GetChildren(dir, IOOptions(), &names, nullptr);
    if (!io.ok()) return io;
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) &&
          (type == FileType::kTableFile || type == FileType::kBlobFile)) {
        db_.versions->MarkFileNumberUsed(number);
      }
    }
  }
  return Status::OK();
}

void Opening::StartWriting() {
  db_.sink.NoteWrites();
  db_.sink.SetFolder(db_.writes.get());
  CommitOptions options;
  options.allow_concurrent_memtable_write = db_.options.allow_concurrent_memtable_write;
  options.max_write_batch_group_size_bytes = db_.options.max_write_batch_group_size_bytes;
  options.statistics = db_.statistics;
  options.pipelined = db_.options.enable_pipelined_write;
  options.unordered = db_.options.unordered_write;
  if (db_.options.allow_2pc) {
    db_.versions->SetLogNeed([this](std::span<const FamilyEdits> changes)
                                 FIBER_REQUIRES(database_mutex) {
                                   return db_.memtables->FirstPreparedLogNeeded(changes);
                                 });
  }
  options.trace_in_order = &db_.trace.in_order();
  db_.commit = std::make_unique<CommitQueue>(db_.writes.get(), options);
}

namespace {

// What the build has, in the lines of RocksDB's LOG.
void LogBuild(Logger* info_log) {
  LogHeader(info_log, "Compression algorithms supported:");
  for (const auto& [name, type] : EnumNames<CompressionType>()) {
    if (type >= kFirstCustomCompression && type <= kLastCustomCompression) continue;
    if (type == kNoCompression || type == kDisableCompressionOption) continue;
    LogHeader(info_log, "\t%s supported: %d", std::string(name).c_str(),
              IsCompressionSupported(type));
  }
  LogHeader(info_log, "Fast CRC32 supported: ISA-L, by what the processor has");
  LogHeader(info_log, "DMutex implementation: fiber::Mutex");
  LogHeader(info_log, "Jemalloc supported: 0");  // (see NewJemallocNodumpAllocator)
}

}  // namespace

void Opening::LogBanner() const {
  Logger* info_log = db_.options.info_log.get();
  LogInfo(info_log, "Cairn, compatible with RocksDB version: %d.%d.%d", ROCKSDB_MAJOR,
          ROCKSDB_MINOR, ROCKSDB_PATCH);
  LogInfo(info_log, "DB SUMMARY: %s", db_.name.c_str());
  LogInfo(info_log, "DB Session ID:  %s", db_.session_id.c_str());
  db_.options.Dump(info_log);
  LogBuild(info_log);
}

Status Opening::CheckManifest() {
  const uint64_t number = db_.versions->manifest_file_number();
  const uint64_t size = db_.versions->manifest_file_size();
  const std::string path = DescriptorFileName(db_.name, number);
  db_.mutex()->unlock();
  std::unique_ptr<ManifestReader> reader;
  Status s = ManifestReader::Open(db_.fs, path, number, &reader);
  if (s.ok()) {
    VersionEdit edit;
    while (reader->Next(&edit)) {
    }
    s = reader->status();
  }
  // (What looks like the start of a record, as a crash leaves one, is none here.)
  if (s.ok() && reader->position() != size) {
    s = Status::Corruption(
        path, "ends at " + std::to_string(reader->position()) + ", not at " + std::to_string(size));
  }
  if (s.IsCorruption()) {
    LogError(db_.options.info_log.get(), "MANIFEST content verification on Close failed: %s",
             s.ToString().c_str());
    const IOErrorInfo info(IOStatus::Corruption("MANIFEST content validation failed"),
                           FileOperationType::kVerify, path, 0, 0);
    db_.Tell([&](EventListener* listener) { listener->OnIOError(info); });
  }
  db_.mutex()->lock();
  return s;
}

Status Opening::CloseManifest(bool verify) {
  Status s = db_.versions->Close(db_.mutex());
  if (!s.ok() || !verify) return s;
  s = CheckManifest();
  if (!s.IsCorruption()) return s;
  // With none open the next edit begins a new one, with all there is.
  VersionEdit nothing;
  s = db_.versions->LogAndApply(db_.families->default_family()->state, &nothing, db_.mutex(),
                                db_.directory.get());
  if (s.ok()) s = db_.versions->Close(db_.mutex());
  return s.ok() ? CheckManifest() : s;
}

Status Opening::Close() {
  if (db_.Forked()) return db_.ForkedStatus();
  db_.stamped_snapshots.ReleaseAll();
  if (db_.snapshots.size() > 0) {
    return Status::Aborted("Cannot close DB with unreleased snapshot.");
  }
  return CloseAtLast();
}

Status Opening::FlushUnlogged() {
  if (!db_.has_unlogged_data.load() || db_.families->LiveOptions()->avoid_flush_during_shutdown ||
      db_.errors->failed() || db_.shutting_down.load()) {
    return Status::OK();
  }
  FlushOptions options;
  options.allow_write_stall = true;
  return db_.flushes->FlushAllFamilies(options, FlushReason::kShutDown);
}

Status Opening::CloseAtLast() {
  if (closed_) return Status::OK();
  closed_ = true;
  Status result;
  const bool wrote = db_.commit != nullptr;
  if (wrote) {
    result = FlushUnlogged();
    CommitQueue::Exclusive leadership(db_.commit.get());
    DBMutexLock lock(db_.mutex());
    db_.writes->SetNeedsAttention(true);
    db_.BeginShutdown();
  }
  db_.shutting_down.store(true, std::memory_order_release);
  db_.compactions->CancelRemote();
  db_.errors->JoinRecovery();
  db_.work->JoinClock();
  db_.memory->Leave();
  if (db_.scheduler != nullptr) db_.scheduler->Shutdown();
  // From here on nobody else is inside.
  for (ColumnFamily* family : db_.families->all())
    family->super_versions.reset();  // retires the current one
  db_.files->LastPurge();
  if (db_.commit != nullptr && !db_.commit->IsEmpty()) {
    ReportMisuse(
        db_.options.info_log.get(),
        db_.name + ": it is closed while a write is under way (one that has not returned)");
  }
  db_.commit.reset();
  db_.block_trace.End();
  if (db_.trace.HasBegun()) {
    Status s = db_.trace.End();
    if (!s.ok()) {
      LogWarn(db_.options.info_log.get(), "the trace of operations ends: %s", s.ToString().c_str());
    }
  }
  IOStatus io = db_.wals == nullptr ? IOStatus::OK() : db_.wals->Close();
  // After a failed write the error was already told to the writer; but with a buffer of its own the
  // log had others, who were told that all is well.
  if (!io.ok() && result.ok() && (!db_.errors->failed() || db_.options.manual_wal_flush)) {
    result = io;
  }
  {
    DBMutexLock lock(db_.mutex());
    Status s =
        CloseManifest(wrote && !db_.errors->failed() &&
                      db_.families->default_family()->options->verify_manifest_content_on_close);
    if (!s.ok() && result.ok()) result = s;
    // The families themselves stay for handles that are deleted between Close and the end.
    for (const auto& [id, family] : db_.families->owned()) family->Release();
    const std::vector<SuperVersion*> retired = db_.files->TakeRetired();
    db_.files->FreeRetired(retired);
    if (db_.files->super_versions() > 0) {
      ReportMisuse(db_.options.info_log.get(),
                   db_.name +
                       ": it is closed while somebody reads: an iterator that is not deleted "
                       "yet, or a Get or MultiGet that has not returned");
    }
  }
  db_.versions.reset();
  {
    DBMutexLock lock(db_.mutex());
    for (const auto& [id, family] : db_.families->owned()) {
      family->tables.reset();
      family->blobs.reset();  // it holds the open tables, too
    }
  }
  db_.open_tables.reset();
  db_.outside.Unlock();
  if (db_.lock != nullptr) {
    db_.fs->UnlockFile(db_.lock, IOOptions(), nullptr).PermitUncheckedError();
    db_.lock = nullptr;
  }
  db_.io_trace->End();
  LogInfo(db_.options.info_log.get(), "Shutdown complete");
  if (db_.options.info_log != nullptr) db_.options.info_log->Flush();
  return result;
}

}  // namespace cairn
