// Opening and closing a database.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/logging.h"
#include "base/misuse.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/limited_file_system.h"
#include "fs/observed_file_system.h"
#include "fs/reopening_file_system.h"
#include "manifest/manifest_update.h"
#include "manifest/options_file.h"
#include "read/together.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"

namespace cairn {

namespace {

// With what the options put around it; and where no file can be opened, tables that nobody reads
// are closed.
std::shared_ptr<FileSystem> Wrapped(std::shared_ptr<FileSystem> fs, const DBOptions& options,
                                    const std::shared_ptr<OpenTables>& tables) {
  FileListeners listeners;
  for (const auto& listener : options.listeners) {
    if (listener->ShouldBeNotifiedOnFileIO()) listeners.push_back(listener);
  }
  if (!listeners.empty()) fs = std::make_shared<ObservedFileSystem>(fs, std::move(listeners));
  if (options.rate_limiter != nullptr) {
    fs = std::make_shared<LimitedFileSystem>(fs, options.rate_limiter, options.statistics);
  }
  return std::make_shared<ReopeningFileSystem>(fs, [weak = std::weak_ptr<OpenTables>(tables)] {
    const std::shared_ptr<OpenTables> open = weak.lock();
    return open != nullptr && open->CloseSome();
  });
}

}  // namespace

DBImpl::DBImpl(const DBOptions& db_options, std::string dbname, OpenMode mode)
    : dbname_(std::move(dbname)),
      mode_(mode),
      db_options_(db_options),
      wal_dir_(db_options.wal_dir.empty() ? dbname_ : db_options.wal_dir),
      env_(db_options_.env),
      open_tables_(std::make_shared<OpenTables>(db_options_.max_open_files,
                                                db_options_.table_cache_numshardbits)),
      wrapped_fs_(Wrapped(env_->GetFileSystem(), db_options_, open_tables_)),
      fs_(wrapped_fs_.get()),
      file_options_(db_options_),
      statistics_(db_options_.statistics.get()),
      write_buffer_manager_(db_options_.write_buffer_manager.get()),
      db_session_id_(GenerateDbSessionId()),
      outside_(fs_, dbname_, db_options_.info_log.get()),
      write_controller_(db_options_.delayed_write_rate),
      opened_at_nanos_(fiber::now_nanos()) {
  for (const DbPath& path : db_options_.db_paths) paths_.push_back(path.path);
  MakeBufferClient();
  options_keeper_ = std::make_unique<OptionsKeeper>(fs_, dbname_);
  versions_ = std::make_unique<VersionSet>(dbname_, &db_options_, fs_, file_options_);
  scheduler_ = std::make_unique<BackgroundScheduler>("rocksdb", MaxFlushes(db_options_),
                                                     MaxCompactions(db_options_));
}

DBImpl::~DBImpl() {
  CloseImpl().PermitUncheckedError();
  default_handle_.reset();
}

Status DBImpl::PrepareDirectories() {
  std::vector<std::string> wanted = paths_;
  wanted.push_back(dbname_);
  wanted.push_back(wal_dir_);
  for (const std::string& dir : wanted) {
    IOStatus io = CreateDirDurably(fs_, dir);
    if (!io.ok()) return io;
  }
  return Status::OK();
}

Status DBImpl::CheckExistence(bool* is_new) {
  IOStatus io = fs_->FileExists(CurrentFileName(dbname_), IOOptions(), nullptr);
  if (io.ok()) {
    *is_new = false;
    if (db_options_.error_if_exists && mode_ == OpenMode::kReadWrite) {
      return Status::InvalidArgument(dbname_, "exists (error_if_exists is true)");
    }
    return Status::OK();
  }
  if (!io.IsNotFound()) return io;
  *is_new = true;
  if (mode_ != OpenMode::kReadWrite) {
    return Status::NotFound(CurrentFileName(dbname_), "does not exist");
  }
  // Tables or logs without a CURRENT are the remains of a database: creating a new one would delete
  // them. (A MANIFEST alone is what a crash during creation leaves.)
  std::vector<std::string> names;
  io = fs_->GetChildren(dbname_, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (ParseFileName(name, &number, &type) &&
        (type == FileType::kTableFile || type == FileType::kWalFile)) {
      return Status::Corruption(
          CurrentFileName(dbname_) + " is missing, but " + name + " is there",
          "restore CURRENT (one line that names the newest MANIFEST), or move the files away");
    }
  }
  if (!db_options_.create_if_missing) {
    return Status::InvalidArgument(dbname_, "does not exist (create_if_missing is false)");
  }
  return Status::OK();
}

Status DBImpl::OpenImpl(const std::vector<ColumnFamilyDescriptor>& families) {
  Status s;
  if (mode_ == OpenMode::kReadWrite) {
    s = PrepareDirectories();
    if (!s.ok()) return s;
    IOStatus io = fs_->NewDirectory(dbname_, IOOptions(), &directory_, nullptr);
    if (io.ok()) io = fs_->LockFile(LockFileName(dbname_), IOOptions(), &lock_, nullptr);
    if (!io.ok()) return io;
  }
  s = outside_.Find(db_options_);
  if (s.ok() && mode_ == OpenMode::kReadWrite) s = outside_.Lock();
  if (!s.ok()) return s;
  bool is_new = false;
  s = CheckExistence(&is_new);
  if (s.ok() && is_new) s = outside_.CheckNew();
  if (s.ok() && is_new) s = versions_->NewDB(families[0].options, directory_.get());
  std::vector<ColumnFamilyDescriptor> known = families;
  std::vector<ColumnFamilyDescriptor> missing;
  if (s.ok() && families.size() > 1 && mode_ == OpenMode::kReadWrite &&
      db_options_.create_missing_column_families) {
    std::vector<std::string> names;
    s = VersionSet::ListColumnFamilies(dbname_, fs_, &names);
    const std::set<std::string> existing(names.begin(), names.end());
    std::erase_if(known, [&](const auto& family) { return !existing.contains(family.name); });
    for (const ColumnFamilyDescriptor& family : families) {
      if (!existing.contains(family.name)) missing.push_back(family);
    }
  }
  if (s.ok()) {
    s = versions_->Recover(known, mode_ != OpenMode::kReadWrite,
                           /*growing=*/mode_ == OpenMode::kSecondary);
  }
  if (s.ok()) s = outside_.Check(versions_->db_id());
  if (!s.ok()) return s;
  std::vector<ColumnFamily*> recovered;
  {
    DBMutexLock lock(&mutex_);
    for (const auto& [id, state] : versions_->families()) {
      recovered.push_back(
          AddFamily(state.get(), std::make_shared<const Options>(db_options_, state->options())));
    }
  }
  default_family_ = recovered[0];
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(this, default_family_);
  // As much as a memtable's worth of records takes, so that the file is extended once or twice in
  // its life.
  const size_t write_buffer_size = default_family_->options->write_buffer_size;
  wals_ = std::make_unique<WalSet>(fs_, wal_dir_, &db_options_, FileOptionsForLog(db_options_),
                                   write_buffer_size + write_buffer_size / 10);
  const bool follows = mode_ == OpenMode::kSecondary;
  const auto tables = [&] {
    const Status checked = CheckTables();
    return checked.ok() ? OpenAllTables(recovered) : checked;
  };
  if (mode_ == OpenMode::kReadWrite) s = tables();
  if (!s.ok()) return s;
  for (ColumnFamily* family : recovered) {
    family->mem = NewMemTable(*family, versions_->LastSequence());
  }
  if (mode_ == OpenMode::kReadWrite) MarkTablesOfOthers();
  if (!follows) s = RecoverWals(recovered);
  // (Logs first: beside a process that writes they go sooner than tables.)
  if (s.ok() && IsReader()) s = CheckLogsOfReader();
  if (s.ok() && IsReader()) s = tables();
  if (!s.ok()) return s;

  if (mode_ == OpenMode::kReadWrite) StartWriting();
  ObsoleteFiles obsolete;
  {
    DBMutexLock lock(&mutex_);
    for (ColumnFamily* family : recovered) PublishFamily(family);
    if (mode_ == OpenMode::kReadWrite) FindObsoleteFilesByScan(&obsolete);
  }
  if (follows) return TryCatchUpWithPrimary();
  WarnOfFewDescriptors();
  for (const ColumnFamilyDescriptor& family : missing) {
    ColumnFamilyHandle* handle = nullptr;
    s = CreateFamily(family, &handle);
    if (!s.ok()) return s;
    delete handle;
  }
  if (mode_ == OpenMode::kReadWrite) {
    // An OPTIONS file that cannot be written costs the tools a convenience, not the data.
    s = PersistLiveOptions();
    if (!s.ok()) {
      return Status::IOError("DB::Open() failed: unable to persist options file", s.ToString());
    }
    DBMutexLock lock(&mutex_);
    MaybeScheduleWork();
  }
  DeleteFiles(obsolete);
  if (mode_ == OpenMode::kReadWrite) buffer_client_->Register();
  return Status::OK();
}

Status DBImpl::CheckTables() const {
  if (!db_options_.paranoid_checks) return Status::OK();
  std::vector<const FileMetaData*> files;
  for (const auto& [id, family] : versions_->families()) {
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      files.insert(files.end(), version.files(level).begin(), version.files(level).end());
    }
  }
  {
    for (const FileMetaData* file : files) {
      const std::string path = TableFileName(paths_, file->number, file->path_id);
      uint64_t size = 0;
      IOStatus io = db_options_.skip_checking_sst_file_sizes_on_db_open
                        ? fs_->FileExists(path, IOOptions(), nullptr)
                        : fs_->GetFileSize(path, IOOptions(), &size, nullptr);
      if (io.IsNotFound() || io.IsPathNotFound()) {
        return Status::Corruption("Cannot access " + path, io.ToString());
      }
      if (!io.ok()) return io;
      if (!db_options_.skip_checking_sst_file_sizes_on_db_open && size != file->file_size) {
        return Status::Corruption("Sst file size mismatch: " + path,
                                  "Size recorded in manifest " + std::to_string(file->file_size) +
                                      ", actual size " + std::to_string(size));
      }
    }
  }
  return Status::OK();
}

Status DBImpl::OpenAllTables(const std::vector<ColumnFamily*>& families) const {
  if (db_options_.max_open_files >= 0) return Status::OK();
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
  ForEachTogether(tables.size(), [&](size_t i) {
    if (!first.ok()) return;
    TableCache* const cache = tables[i].family->tables.get();
    // Beside a writer a table may be deleted: who reads then keeps it, whatever it takes.
    const bool reads = mode_ != OpenMode::kReadWrite;
    TableCache::Ref table;
    Status s = reads ? cache->KeepOpen(tables[i].id) : cache->FindTable(tables[i].id, &table);
    // What else is wrong with one is told to those who read it.
    const bool gone = reads && (s.IsNotFound() || s.IsPathNotFound());
    if (IsUniqueIdMismatch(s) || gone) first = s;
  });
  return first;
}

Status DBImpl::CheckLogsOfReader() const {
  // Logs go when the MANIFEST says so: those that were needed then were all there, whole.
  std::unique_ptr<ManifestUpdate> later;
  Status s = versions_->ReadUpdate(&later);
  if (s.ok() && later->FirstLogNeeded() > FirstLogToReplay()) {
    s = Status::TryAgain("the database changes faster than it is opened for reading", dbname_);
  }
  return s;
}

bool DBImpl::IsOvertaken(const Status& opened) const {
  if (opened.ok() || !IsReader() || versions_->manifest_file_number() == 0) return false;
  if (opened.IsTryAgain()) return true;
  // Tables and logs go when the MANIFEST says so.
  std::unique_ptr<ManifestUpdate> later;
  if (!versions_->ReadUpdate(&later).ok()) return false;
  if (later->manifest != versions_->manifest_file_number() ||
      later->position != versions_->manifest_file_size()) {
    return true;
  }
  if (wals_ == nullptr) return false;
  // The newest log grows.
  for (const WalSet::File& log : wals_->Files()) {
    uint64_t bytes = 0;
    IOStatus io = fs_->GetFileSize(LogFileName(wal_dir_, log.number), IOOptions(), &bytes, nullptr);
    if (io.ok() && bytes != log.bytes) return true;
  }
  return false;
}

void DBImpl::WarnOfFewDescriptors() const {
  size_t tables = 0;
  for (const auto& [id, family] : versions_->families()) {
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      tables += version.files(level).size();
    }
  }
  if (db_options_.max_open_files != -1 || tables <= open_tables_->capacity()) return;
  LogWarn(db_options_.info_log.get(),
          "max_open_files is -1, but of %zu tables %zu are kept open: the process may have no more "
          "descriptors (RLIMIT_NOFILE)",
          tables, open_tables_->capacity());
}

void DBImpl::MarkTablesOfOthers() {
  std::set<std::string> dirs(paths_.begin(), paths_.end());
  dirs.insert(dbname_);
  for (const std::string& dir : dirs) {
    std::vector<std::string> names;
    fs_->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) && type == FileType::kTableFile) {
        versions_->MarkFileNumberUsed(number);
      }
    }
  }
}

void DBImpl::StartWriting() {
  sink_.NoteWrites();
  CommitEnv env;
  env.prepare = [this](const WriteGroupInfo& group) { return PrepareWrite(group); };
  env.append_wal = [this](const Slice& record) { return wals_->Append(record); };
  env.sync_wal = [this] { return wals_->Sync(); };
  env.memtables = [this]() -> MemTableSink* { return &sink_; };
  env.last_sequence = [this] { return versions_->LastSequence(); };
  env.publish = [this](SequenceNumber last) {
    versions_->SetLastAllocatedSequence(last);
    versions_->SetLastSequence(last);
  };
  env.on_error = [this](const Status& status, CommitErrorKind kind) {
    OnCommitError(status, kind);
  };
  sink_.SetFold([this](uint32_t family, const Slice& key, SequenceNumber sequence,
                       const Slice& operand, std::string* value, ValueType* type) {
    return FoldOperand(family, key, sequence, operand, value, type);
  });
  CommitOptions options;
  options.allow_concurrent_memtable_write = db_options_.allow_concurrent_memtable_write;
  options.max_write_batch_group_size_bytes = db_options_.max_write_batch_group_size_bytes;
  options.statistics = statistics_;
  options.pipelined = db_options_.enable_pipelined_write || db_options_.unordered_write;
  commit_ = std::make_unique<CommitQueue>(std::move(env), options);
}

void DBImpl::LogBanner() const {
  Logger* log = db_options_.info_log.get();
  LogInfo(log, "Cairn, compatible with RocksDB version: %d.%d.%d", ROCKSDB_MAJOR, ROCKSDB_MINOR,
          ROCKSDB_PATCH);
  LogInfo(log, "DB SUMMARY: %s", dbname_.c_str());
  LogInfo(log, "DB Session ID:  %s", db_session_id_.c_str());
  db_options_.Dump(log);
}

Status DBImpl::Open(const DBOptions& user_db_options, const std::string& dbname,
                    const std::vector<ColumnFamilyDescriptor>& families, OpenMode mode,
                    std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db,
                    const std::string& secondary_path) {
  db->reset();
  handles->clear();
  // Families that the list does not name are refused by the manifest's recovery, which knows which
  // exist.
  std::vector<ColumnFamilyDescriptor> ordered;
  std::set<std::string> names;
  for (const ColumnFamilyDescriptor& family : families) {
    if (!names.insert(family.name).second) {
      return Status::InvalidArgument("Column family is named twice", family.name);
    }
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
    impl->LogBanner();
    s = impl->OpenImpl(ordered);
    if (!impl->IsOvertaken(s)) break;
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
  for (ColumnFamily* family : impl->families_) by_name.emplace(family->name(), family);
  for (const ColumnFamilyDescriptor& asked : families) {
    if (const auto it = by_name.find(asked.name); it != by_name.end()) {
      handles->push_back(new ColumnFamilyHandleImpl(impl.get(), it->second));
    }
  }
  LogInfo(db_options.info_log.get(), "DB pointer %p", static_cast<void*>(impl.get()));
  *db = std::move(impl);
  return Status::OK();
}

Status DBImpl::Close() {
  if (Forked()) return ForkedStatus();
  if (snapshots_.size() > 0) {
    return Status::Aborted("Cannot close DB with unreleased snapshot.");
  }
  return CloseImpl();
}

Status DBImpl::FlushUnlogged() {
  if (!has_unlogged_data_.load() || LiveOptions()->avoid_flush_during_shutdown ||
      has_background_error_.load() || shutting_down_.load()) {
    return Status::OK();
  }
  FlushOptions options;
  options.allow_write_stall = true;
  return FlushAllFamilies(options, FlushReason::kShutDown);
}

Status DBImpl::CloseImpl() {
  if (closed_) return Status::OK();
  closed_ = true;
  Status result;
  if (commit_ != nullptr) {
    result = FlushUnlogged();
    CommitQueue::Exclusive leadership(commit_.get());
    DBMutexLock lock(&mutex_);
    shutting_down_.store(true, std::memory_order_release);
    write_needs_attention_.store(true, std::memory_order_release);
    background_done_.notify_all();
  }
  shutting_down_.store(true, std::memory_order_release);
  if (recovery_.joinable()) recovery_.join();
  if (clock_.joinable()) clock_.join();
  LeaveManager();
  if (scheduler_ != nullptr) scheduler_->Shutdown();
  // From here on nobody else is inside.
  for (ColumnFamily* family : families_) family->super_versions.reset();  // retires the current one
  {
    fiber::MutexLock lock(&retired_mutex_);
    last_purge_began_ = true;
  }
  Purge();
  if (commit_ != nullptr && !commit_->IsEmpty()) {
    ReportMisuse(db_options_.info_log.get(),
                 dbname_ + ": it is closed while a write is under way (one that has not returned)");
  }
  commit_.reset();
  IOStatus io = wals_ == nullptr ? IOStatus::OK() : wals_->Close();
  // After a failed write the error was already told to the writer; but with a buffer of its own the
  // log had others, who were told that all is well.
  if (!io.ok() && result.ok() && (!has_background_error_.load() || db_options_.manual_wal_flush)) {
    result = io;
  }
  {
    DBMutexLock lock(&mutex_);
    // The families themselves stay for handles that are deleted between Close and the end.
    for (const auto& [id, family] : owned_families_) family->Release();
    const std::vector<SuperVersion*> retired = TakeRetired();
    FreeRetired(retired);
    if (super_versions_ > 0) {
      ReportMisuse(db_options_.info_log.get(),
                   dbname_ +
                       ": it is closed while somebody reads: an iterator that is not deleted "
                       "yet, or a Get or MultiGet that has not returned");
    }
    Status s = versions_->Close(&mutex_);
    if (!s.ok() && result.ok()) result = s;
  }
  versions_.reset();
  {
    DBMutexLock lock(&mutex_);
    for (const auto& [id, family] : owned_families_) family->tables.reset();
  }
  open_tables_.reset();
  outside_.Unlock();
  if (lock_ != nullptr) {
    fs_->UnlockFile(lock_, IOOptions(), nullptr).PermitUncheckedError();
    lock_ = nullptr;
  }
  LogInfo(db_options_.info_log.get(), "Shutdown complete");
  if (db_options_.info_log != nullptr) db_options_.info_log->Flush();
  return result;
}

}  // namespace cairn
