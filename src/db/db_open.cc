// Opening and closing a database.
#include <algorithm>

#include "base/logging.h"
#include "compaction/leveled_picker.h"
#include "compaction/universal_picker.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "manifest/options_file.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"

namespace cairn {

// The handle of the default column family; owned by the database, or (a second one) by who opened
// it with a list.
class DBImpl::Handle final : public ColumnFamilyHandle {
 public:
  explicit Handle(const DBImpl* db) : db_(db) {}
  const std::string& GetName() const override { return kDefaultColumnFamilyName; }
  uint32_t GetID() const override { return 0; }
  Status GetDescriptor(ColumnFamilyDescriptor* descriptor) override {
    *descriptor = ColumnFamilyDescriptor(GetName(), *db_->LiveOptions());
    return Status::OK();
  }
  const Comparator* GetComparator() const override { return db_->icmp_.user_comparator(); }

 private:
  const DBImpl* const db_;
};

DBImpl::DBImpl(const DBOptions& db_options, const ColumnFamilyOptions& cf_options,
               std::string dbname, OpenMode mode)
    : dbname_(std::move(dbname)),
      mode_(mode),
      db_options_(db_options),
      live_options_(std::make_shared<const Options>(db_options, cf_options)),
      num_levels_(cf_options.num_levels),
      table_factory_(cf_options.table_factory),
      prefix_extractor_(cf_options.prefix_extractor.get()),
      env_(db_options_.env),
      fs_(env_->GetFileSystem().get()),
      file_options_(db_options_),
      statistics_(db_options_.statistics.get()),
      write_buffer_manager_(db_options_.write_buffer_manager.get()),
      icmp_(cf_options.comparator),
      db_session_id_(GenerateDbSessionId()),
      default_handle_(std::make_unique<Handle>(this)),
      write_controller_(db_options_.delayed_write_rate),
      imm_(cf_options.min_write_buffer_number_to_merge),
      level_stats_(cf_options.num_levels),
      max_total_wal_size_(db_options_.max_total_wal_size),
      max_sequential_skip_(cf_options.max_sequential_skip_in_iterations),
      opened_at_nanos_(fiber::now_nanos()) {
  for (const DbPath& path : db_options_.db_paths) paths_.push_back(path.path);
  MakeBufferClient(cf_options);

  TableCacheOptions tables;
  tables.fs = fs_;
  tables.file_options = file_options_;
  tables.table_factory = table_factory_.get();
  tables.paths = paths_;
  tables.icmp = &icmp_;
  tables.max_open_files = db_options_.max_open_files;
  tables.table_cache_numshardbits = db_options_.table_cache_numshardbits;
  tables.statistics = statistics_;
  tables.info_log = db_options_.info_log.get();
  table_cache_ = std::make_unique<TableCache>(std::move(tables));

  versions_ = std::make_unique<VersionSet>(dbname_, &db_options_, fs_, file_options_);
  // As much as a memtable's worth of records takes, so that the file is extended once or twice in
  // its life.
  wals_ = std::make_unique<WalSet>(
      fs_, db_options_.wal_dir, &db_options_, FileOptionsForLog(db_options_),
      cf_options.write_buffer_size + cf_options.write_buffer_size / 10);
  if (cf_options.compaction_style == kCompactionStyleUniversal) {
    picker_ = std::make_unique<UniversalPicker>(&db_options_, &icmp_);
  } else {
    picker_ = std::make_unique<LeveledPicker>(&db_options_, &icmp_);
  }
  super_versions_ = std::make_unique<SuperVersionSlots>([this](SuperVersion* sv) {
    {
      fiber::MutexLock lock(&retired_mutex_);
      retired_.push_back(sv);
    }
    SchedulePurge();
  });
  scheduler_ = std::make_unique<BackgroundScheduler>("rocksdb", MaxFlushes(db_options_),
                                                     MaxCompactions(db_options_));
}

DBImpl::~DBImpl() { CloseImpl().PermitUncheckedError(); }

Status DBImpl::CheckFamily(ColumnFamilyHandle* family) const {
  if (family == default_handle_.get()) [[likely]]
    return Status::OK();
  if (family == nullptr) return Status::InvalidArgument("column family handle must not be null");
  return family->GetID() == 0 ? Status::OK()
                              : Status::InvalidArgument("unknown column family", family->GetName());
}

Status DBImpl::PrepareDirectories() {
  std::vector<std::string> wanted = paths_;
  wanted.push_back(dbname_);
  wanted.push_back(db_options_.wal_dir);
  for (const std::string& dir : wanted) {
    IOStatus io = fs_->CreateDirIfMissing(dir, IOOptions(), nullptr);
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
  bool is_new = false;
  s = CheckExistence(&is_new);
  if (s.ok() && is_new) s = versions_->NewDB(*LiveOptions(), directory_.get());
  if (!s.ok()) return s;

  std::vector<ColumnFamilyDescriptor> known = families;
  known[0].options = *LiveOptions();
  s = versions_->Recover(known, mode_ != OpenMode::kReadWrite);
  if (!s.ok()) return s;
  s = CheckTables();
  if (!s.ok()) return s;
  mem_ = NewMemTable(versions_->LastSequence());
  s = RecoverWals();
  if (!s.ok()) return s;
  sink_.set_table(mem_);

  if (mode_ == OpenMode::kReadWrite) {
    s = StartWriting();
    if (!s.ok()) return s;
  }
  ObsoleteFiles obsolete;
  {
    fiber::MutexLock lock(&mutex_);
    InstallSuperVersion();
    if (mode_ == OpenMode::kReadWrite) {
      FindObsoleteFilesByScan(&obsolete);
      MaybeScheduleWork();
    }
  }
  DeleteFiles(obsolete);
  if (mode_ == OpenMode::kReadWrite) buffer_client_->Register();
  return Status::OK();
}

Status DBImpl::CheckTables() const {
  if (!db_options_.paranoid_checks) return Status::OK();
  const Version& version = *versions_->current();
  for (int level = 0; level < version.num_levels(); ++level) {
    for (const FileMetaData* file : version.files(level)) {
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

Status DBImpl::StartWriting() {
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
  CommitOptions options;
  options.allow_concurrent_memtable_write = db_options_.allow_concurrent_memtable_write;
  options.max_write_batch_group_size_bytes = db_options_.max_write_batch_group_size_bytes;
  options.statistics = statistics_;
  options.pipelined = db_options_.enable_pipelined_write || db_options_.unordered_write;
  commit_ = std::make_unique<CommitQueue>(std::move(env), options);

  // An OPTIONS file that cannot be written costs the tools a convenience, not the data.
  const uint64_t options_number = versions_->NewFileNumber();
  Status s = WriteOptionsFile(fs_, dbname_, options_number, directory_.get(), db_options_,
                              {{kDefaultColumnFamilyName, *LiveOptions()}});
  if (s.ok()) {
    RemoveOldOptionsFiles(fs_, dbname_);
    fiber::MutexLock lock(&mutex_);
    options_file_ = OptionsFileName("", options_number);
  } else if (db_options_.fail_if_options_file_error) {
    return Status::IOError("DB::Open() failed: unable to persist options file", s.ToString());
  } else {
    LogWarn(db_options_.info_log.get(), "Unable to persist options: %s", s.ToString().c_str());
  }
  return Status::OK();
}

void DBImpl::LogBanner() const {
  Logger* log = db_options_.info_log.get();
  LogInfo(log, "Cairn, compatible with RocksDB version: %d.%d.%d", ROCKSDB_MAJOR, ROCKSDB_MINOR,
          ROCKSDB_PATCH);
  LogInfo(log, "DB SUMMARY: %s", dbname_.c_str());
  LogInfo(log, "DB Session ID:  %s", db_session_id_.c_str());
  db_options_.Dump(log);
  ColumnFamilyOptions(*LiveOptions()).Dump(log);
}

Status DBImpl::Open(const DBOptions& user_db_options, const std::string& dbname,
                    const std::vector<ColumnFamilyDescriptor>& families, OpenMode mode,
                    std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db) {
  db->reset();
  handles->clear();
  // The list must name the default family; others are refused by the manifest's recovery, which
  // knows which exist.
  std::vector<ColumnFamilyDescriptor> ordered;
  for (const ColumnFamilyDescriptor& family : families) {
    if (family.name == kDefaultColumnFamilyName) {
      ordered.insert(ordered.begin(), family);
    } else {
      return Status::NotSupported("column families besides the default one are not supported",
                                  family.name);
    }
  }
  if (ordered.empty()) return Status::InvalidArgument("Default column family not specified");

  DBOptions db_options = SanitizeOptions(user_db_options, dbname);
  ColumnFamilyOptions cf_options = SanitizeOptions(ordered[0].options);
  Status s = CheckOptions(db_options, cf_options);
  if (!s.ok()) return s;
  ReplaceHashWithoutPrefix(&cf_options);
  if (db_options.info_log == nullptr && mode == OpenMode::kReadWrite) {
    // A LOG that cannot be written is no reason to refuse the data.
    s = CreateLoggerFromOptions(dbname, db_options, &db_options.info_log);
    if (!s.ok()) db_options.info_log = nullptr;
  }

  auto impl = std::make_unique<DBImpl>(db_options, cf_options, dbname, mode);
  impl->LogBanner();
  s = impl->OpenImpl(ordered);
  if (!s.ok()) {
    LogError(db_options.info_log.get(), "Open failed: %s", s.ToString().c_str());
    return s;
  }
  handles->push_back(new Handle(impl.get()));
  LogInfo(db_options.info_log.get(), "DB pointer %p", static_cast<void*>(impl.get()));
  *db = std::move(impl);
  return Status::OK();
}

Status DBImpl::Close() {
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
  return FlushMemTables(options);
}

Status DBImpl::CloseImpl() {
  if (closed_) return Status::OK();
  closed_ = true;
  Status result;
  if (commit_ != nullptr) {
    result = FlushUnlogged();
    CommitQueue::Exclusive leadership(commit_.get());
    fiber::MutexLock lock(&mutex_);
    shutting_down_.store(true, std::memory_order_release);
    write_needs_attention_.store(true, std::memory_order_release);
    background_done_.notify_all();
  }
  shutting_down_.store(true, std::memory_order_release);
  LeaveManager();
  if (scheduler_ != nullptr) scheduler_->Shutdown();
  // From here on nobody else is inside.
  super_versions_.reset();  // retires the current one
  Purge();
  {
    fiber::MutexLock lock(&mutex_);
    stall_token_.reset();
    pressure_token_.reset();
  }
  commit_.reset();
  IOStatus io = wals_->Close();
  // After a failed write the error was already told to the writer.
  if (!io.ok() && result.ok() && !has_background_error_.load()) result = io;
  if (mem_ != nullptr) mem_->Unref();
  mem_ = nullptr;
  {
    fiber::MutexLock lock(&mutex_);
    imm_.Clear();
    Status s = versions_->Close(&mutex_);
    if (!s.ok() && result.ok()) result = s;
  }
  picker_.reset();
  versions_.reset();
  table_cache_.reset();
  if (lock_ != nullptr) {
    fs_->UnlockFile(lock_, IOOptions(), nullptr).PermitUncheckedError();
    lock_ = nullptr;
  }
  LogInfo(db_options_.info_log.get(), "Shutdown complete");
  if (db_options_.info_log != nullptr) db_options_.info_log->Flush();
  return result;
}

}  // namespace cairn
