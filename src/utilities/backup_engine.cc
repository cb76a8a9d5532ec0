// The two engines of rocksdb/utilities/backup_engine.h: locks around what backup_create.h,
// backup_restore.h and backup_catalog.h do.
//
// Lock order: the engine's lock, then the directory's lock file (of calls that write; never
// waited for). Databases are called with both held.
#include "rocksdb/utilities/backup_engine.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "base/string_util.h"
#include "fiber/mutex.h"
#include "fs/fiber_file_system.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/platform.h"
#include "utilities/backup_catalog.h"
#include "utilities/backup_context.h"
#include "utilities/backup_create.h"
#include "utilities/backup_names.h"
#include "utilities/backup_restore.h"
#include "utilities/backup_view.h"

namespace cairn {

namespace {

BackupEngineOptions InForce(BackupEngineOptions options) {
  options.backup_dir = WithoutTrailingSeparators(options.backup_dir);
  const auto limit = [](uint64_t rate, std::shared_ptr<RateLimiter>* limiter) {
    if (rate == 0 || *limiter != nullptr) return;
    limiter->reset(
        NewGenericRateLimiter(static_cast<int64_t>(std::min<uint64_t>(rate, INT64_MAX))));
  };
  limit(options.backup_rate_limit, &options.backup_rate_limiter);
  limit(options.restore_rate_limit, &options.restore_rate_limiter);
  return options;
}

}  // namespace

BackupContext::BackupContext(const BackupEngineOptions& given, Env* db_env)
    : options(InForce(given)),
      db_fs(db_env->GetFileSystem()),
      backup_fs(given.backup_env != nullptr ? given.backup_env->GetFileSystem() : db_fs) {}

namespace {

// What both engines do. Thread-safe.
class BackupReader {
 public:
  BackupReader(const BackupEngineOptions& options, Env* db_env)
      : context_(options, db_env),
        catalog_(BackupCatalog::Place{
            context_.backup_fs.get(), context_.options.backup_dir, context_.options.info_log,
            context_.options.backup_rate_limiter.get(), context_.options.sync}) {}
  virtual ~BackupReader() = default;
  BackupReader(const BackupReader&) = delete;
  BackupReader& operator=(const BackupReader&) = delete;

  IOStatus Load(int max_good_backups) {
    fiber::WriterLock lock(&mutex_);
    return catalog_.Load(max_good_backups);
  }

  Status Info(BackupID id, BackupInfo* info, bool details) const {
    fiber::ReaderLock lock(&mutex_);
    return InfoOf(id, info, details);
  }
  Status LatestInfo(BackupInfo* info, bool details) const {
    fiber::ReaderLock lock(&mutex_);
    return InfoOf(LatestId(), info, details);
  }
  void Infos(std::vector<BackupInfo>* infos, bool details) const {
    fiber::ReaderLock lock(&mutex_);
    infos->clear();
    for (const auto& [id, backup] : catalog_.good()) {
      Fill(id, *backup, &infos->emplace_back(), details);
    }
  }
  void Corrupted(std::vector<BackupID>* ids) const {
    fiber::ReaderLock lock(&mutex_);
    *ids = catalog_.corrupt();
  }
  // No `id`: the latest one.
  IOStatus Restore(const RestoreOptions& options, std::optional<BackupID> id,
                   const std::string& db_dir, const std::string& wal_dir) const;
  IOStatus Verify(BackupID id, bool checksums) const {
    fiber::ReaderLock lock(&mutex_);
    std::shared_ptr<const BackupMeta> backup;
    IOStatus s = catalog_.Find(id, &backup);
    return s.ok() ? VerifyBackupFiles(context_, catalog_, *backup, checksums) : s;
  }

 protected:
  BackupContext context_;
  mutable fiber::SharedMutex mutex_;
  BackupCatalog catalog_ FIBER_GUARDED_BY(mutex_);

 private:
  // 0, which none has: there is none.
  BackupID LatestId() const FIBER_REQUIRES_SHARED(mutex_) {
    return catalog_.good().empty() ? 0 : catalog_.good().rbegin()->first;
  }
  Status InfoOf(BackupID id, BackupInfo* info, bool details) const FIBER_REQUIRES_SHARED(mutex_) {
    std::shared_ptr<const BackupMeta> backup;
    const IOStatus s = catalog_.Find(id, &backup);
    if (s.ok()) {
      Fill(id, *backup, info, details);
      return s;
    }
    return s.IsNotFound() ? Status(s) : Status::Corruption(s.ToString());
  }
  void Fill(BackupID id, const BackupMeta& backup, BackupInfo* info, bool details) const
      FIBER_REQUIRES_SHARED(mutex_);
};

// Locks several readers, each once, in the order of their addresses: two restores that have each
// other's directories as alternates must not wait for each other.
class ReaderLocks {
 public:
  explicit ReaderLocks(std::set<fiber::SharedMutex*> mutexes) FIBER_NO_THREAD_SAFETY_ANALYSIS
      : mutexes_(std::move(mutexes)) {
    for (fiber::SharedMutex* mutex : mutexes_) mutex->lock_shared();
  }
  ~ReaderLocks() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    for (fiber::SharedMutex* mutex : mutexes_) mutex->unlock_shared();
  }
  ReaderLocks(const ReaderLocks&) = delete;
  ReaderLocks& operator=(const ReaderLocks&) = delete;

 private:
  const std::set<fiber::SharedMutex*> mutexes_;
};

IOStatus BackupReader::Restore(const RestoreOptions& options, std::optional<BackupID> id,
                               const std::string& db_dir,
                               const std::string& wal_dir) const FIBER_NO_THREAD_SAFETY_ANALYSIS {
  std::vector<BackupPlace> places = {{&context_, &catalog_}};
  std::set<fiber::SharedMutex*> mutexes = {&mutex_};
  for (const BackupEngineReadOnlyBase* engine : options.alternate_dirs) {
    const auto* const reader = dynamic_cast<const BackupReader*>(engine);
    if (reader == nullptr) {
      return IOStatus::InvalidArgument("alternate_dirs has what is no engine of this library");
    }
    places.push_back({&reader->context_, &reader->catalog_});
    mutexes.insert(&reader->mutex_);
  }
  ReaderLocks locks(std::move(mutexes));
  std::shared_ptr<const BackupMeta> backup;
  IOStatus s = catalog_.Find(id.has_value() ? *id : LatestId(), &backup);
  return s.ok() ? RestoreBackup(places, *backup, options, db_dir, wal_dir) : s;
}

// As the public API tells it.
rocksdb::FileType PublicType(FileType type) {
  switch (type) {
    case FileType::kWalFile:
      return kWalFile;
    case FileType::kTableFile:
      return kTableFile;
    case FileType::kDescriptorFile:
      return kDescriptorFile;
    case FileType::kCurrentFile:
      return kCurrentFile;
    case FileType::kOptionsFile:
      return kOptionsFile;
    case FileType::kIdentityFile:
      return kIdentityFile;
    case FileType::kBlobFile:
      return kBlobFile;
    default:
      return kTempFile;
  }
}

void BackupReader::Fill(BackupID id, const BackupMeta& backup, BackupInfo* info,
                        bool details) const {
  *info = BackupInfo(id, backup.timestamp, backup.size(),
                     static_cast<uint32_t>(backup.files.size()), backup.app_metadata);
  if (!details) return;
  for (const auto& file : backup.files) {
    BackupFileInfo& told = info->file_details.emplace_back();
    told.relative_filename = file->path;
    told.directory = catalog_.dir();
    told.size = file->size;
    told.temperature = file->temperature;
    FileType type;
    if (ParseFileName(DatabaseFileName(file->path), &told.file_number, &type)) {
      told.file_type = PublicType(type);
    }
  }
  for (const std::string& path : backup.excluded) info->excluded_files.emplace_back(path);
  info->name_for_open = catalog_.Path(PrivateBackupDir(id));
  info->env_for_open = NewCompositeEnv(std::make_shared<BackupView>(
      context_.backup_fs, catalog_.dir(), info->name_for_open, backup));
}

// The calls of BackupEngineReadOnlyBase, by a reader.
template <class Base>
class ReadingEngine : public Base, public BackupReader {
 public:
  using BackupEngineReadOnlyBase::GetBackupInfo;
  using BackupEngineReadOnlyBase::RestoreDBFromBackup;
  using BackupEngineReadOnlyBase::RestoreDBFromLatestBackup;
  using BackupReader::BackupReader;
  using BackupReader::Load;

  Status GetLatestBackupInfo(BackupInfo* backup_info, bool details) const override {
    return LatestInfo(backup_info, details);
  }
  Status GetBackupInfo(BackupID id, BackupInfo* backup_info, bool details) const override {
    return Info(id, backup_info, details);
  }
  void GetBackupInfo(std::vector<BackupInfo>* backup_infos, bool details) const override {
    Infos(backup_infos, details);
  }
  void GetCorruptedBackups(std::vector<BackupID>* ids) const override { Corrupted(ids); }
  IOStatus RestoreDBFromBackup(const RestoreOptions& options, BackupID id,
                               const std::string& db_dir,
                               const std::string& wal_dir) const override {
    return Restore(options, id, db_dir, wal_dir);
  }
  IOStatus RestoreDBFromLatestBackup(const RestoreOptions& options, const std::string& db_dir,
                                     const std::string& wal_dir) const override {
    return Restore(options, std::nullopt, db_dir, wal_dir);
  }
  IOStatus VerifyBackup(BackupID id, bool with_checksum) const override {
    return Verify(id, with_checksum);
  }
};

using ReadOnlyEngine = ReadingEngine<BackupEngineReadOnly>;

class WritingEngine final : public ReadingEngine<BackupEngine> {
 public:
  using BackupEngineAppendOnlyBase::CreateNewBackup;
  using BackupEngineAppendOnlyBase::CreateNewBackupWithMetadata;
  using ReadingEngine::ReadingEngine;

  IOStatus Prepare();

  IOStatus CreateNewBackupWithMetadata(const CreateBackupOptions& options, DB* db,
                                       const std::string& app_metadata,
                                       BackupID* new_backup_id) override;
  void StopBackup() override { context_.stop.store(true, std::memory_order_release); }
  IOStatus GarbageCollect() override;
  IOStatus PurgeOldBackups(uint32_t num_backups_to_keep) override;
  IOStatus DeleteBackup(BackupID backup_id) override;

 private:
  // Holds the directory against other engines, for a scope.
  class DirectoryLock {
   public:
    explicit DirectoryLock(const BackupContext& context) : fs_(context.backup_fs.get()) {}
    ~DirectoryLock() {
      if (lock_ != nullptr) fs_->UnlockFile(lock_, IOOptions(), nullptr).PermitUncheckedError();
    }
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;
    IOStatus Take(const std::string& dir);

   private:
    FileSystem* const fs_;
    FileLock* lock_ = nullptr;
  };

  // What each call that writes does first.
  IOStatus Begin(DirectoryLock* directory) FIBER_REQUIRES(mutex_);
  IOStatus DeleteAll(const std::vector<BackupID>& ids) FIBER_REQUIRES(mutex_);
  IOStatus Purge(uint32_t num_backups_to_keep) FIBER_REQUIRES(mutex_);
};

IOStatus WritingEngine::DirectoryLock::Take(const std::string& dir) {
  IOStatus s = fs_->LockFile(dir + "/" + kBackupLockFile, IOOptions(), &lock_, nullptr);
  if (s.ok() || s.IsNotSupported()) return IOStatus::OK();
  if (IsRefusal(s) || s.IsPathNotFound() || s.IsNotFound()) return s;
  return IOStatus::Busy(dir + ": another backup engine is at work", s.ToString());
}

IOStatus WritingEngine::Prepare() {
  const BackupEngineOptions& options = context_.options;
  std::vector<std::string> dirs = {""};
  for (const char* dir : {kBackupPrivateDir, kBackupMetaDir})
    dirs.push_back(std::string("/") + dir);
  if (options.share_table_files) {
    dirs.push_back(std::string("/") + (options.share_files_with_checksum ? kBackupSharedChecksumDir
                                                                         : kBackupSharedDir));
  }
  for (const std::string& dir : dirs) {
    IOStatus s = CreateDirDurably(context_.backup_fs.get(), options.backup_dir + dir);
    if (!s.ok()) return s;
  }
  if (options.max_valid_backups_to_open != INT_MAX) {
    LogWarn(options.info_log, "Backup: max_valid_backups_to_open is for BackupEngineReadOnly");
  }
  IOStatus s = Load(/*max_good_backups=*/-1);
  if (!s.ok() || !options.destroy_old_data) return s;
  fiber::WriterLock lock(&mutex_);
  DirectoryLock directory(context_);
  s = Begin(&directory);
  std::vector<BackupID> all = catalog_.corrupt();
  for (const auto& [id, backup] : catalog_.good()) all.push_back(id);
  if (s.ok()) s = DeleteAll(all);
  if (s.ok()) catalog_.BeginNumbersAnew();
  return s;
}

IOStatus WritingEngine::Begin(DirectoryLock* directory) {
  IOStatus s = directory->Take(catalog_.dir());
  return s.ok() ? catalog_.LoadChanges() : s;
}

IOStatus WritingEngine::CreateNewBackupWithMetadata(const CreateBackupOptions& options, DB* db,
                                                    const std::string& app_metadata,
                                                    BackupID* new_backup_id) {
  fiber::WriterLock lock(&mutex_);
  DirectoryLock directory(context_);
  IOStatus s = Begin(&directory);
  if (s.ok() && options.decrease_background_thread_cpu_priority &&
      options.background_thread_cpu_priority < context_.priority.load(std::memory_order_relaxed)) {
    context_.priority.store(options.background_thread_cpu_priority, std::memory_order_relaxed);
  }
  if (s.ok() && catalog_.needs_cleaning()) {
    const IOStatus cleaned = catalog_.Clean();
    if (!cleaned.ok()) {
      LogWarn(context_.options.info_log, "Backup: garbage stays for now: %s",
              cleaned.ToString().c_str());
    }
  }
  BackupID id = 0;
  if (s.ok()) s = CreateBackup(context_, options, db, app_metadata, &catalog_, &id);
  if (s.ok() && new_backup_id != nullptr) *new_backup_id = id;
  return s;
}

IOStatus WritingEngine::GarbageCollect() {
  fiber::WriterLock lock(&mutex_);
  DirectoryLock directory(context_);
  IOStatus s = Begin(&directory);
  return s.ok() ? catalog_.Clean() : s;
}

IOStatus WritingEngine::PurgeOldBackups(uint32_t num_backups_to_keep) {
  fiber::WriterLock lock(&mutex_);
  DirectoryLock directory(context_);
  IOStatus s = Begin(&directory);
  return s.ok() ? Purge(num_backups_to_keep) : s;
}

IOStatus WritingEngine::Purge(uint32_t num_backups_to_keep) {
  std::vector<BackupID> ids;
  for (const auto& [id, backup] : catalog_.good()) ids.push_back(id);
  ids.resize(ids.size() - std::min<size_t>(num_backups_to_keep, ids.size()));
  return DeleteAll(ids);
}

IOStatus WritingEngine::DeleteBackup(BackupID backup_id) {
  fiber::WriterLock lock(&mutex_);
  DirectoryLock directory(context_);
  IOStatus s = Begin(&directory);
  return s.ok() ? DeleteAll({backup_id}) : s;
}

IOStatus WritingEngine::DeleteAll(const std::vector<BackupID>& ids) {
  IOStatus first;
  for (const BackupID id : ids) {
    IOStatus s = catalog_.Delete(id);
    if (first.ok()) first = s;
  }
  if (catalog_.needs_cleaning()) {
    IOStatus s = catalog_.Clean();
    if (first.ok()) first = s;
  }
  return first;
}

// InvalidArgument: no engine can be opened so.
IOStatus Check(const BackupEngineOptions& options, Env* db_env) {
  if (db_env == nullptr) return IOStatus::InvalidArgument("a backup engine needs an Env");
  if (options.backup_dir.empty()) return IOStatus::InvalidArgument("backup_dir is empty");
  if (options.max_background_operations < 1) {
    return IOStatus::InvalidArgument("max_background_operations must be at least 1");
  }
  const auto naming =
      options.share_files_with_checksum_naming & BackupEngineOptions::kMaskNoNamingFlags;
  if (naming != BackupEngineOptions::kLegacyCrc32cAndFileSize &&
      naming != BackupEngineOptions::kUseDbSessionId) {
    return IOStatus::InvalidArgument("share_files_with_checksum_naming names no scheme");
  }
  return IOStatus::OK();
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

void BackupEngineOptions::Dump(Logger* logger) const {
  const auto line = [logger](const char* name, const std::string& value) {
    cairn::LogInfo(logger, "Options.%s: %s", name, value.c_str());
  };
  line("backup_dir", backup_dir);
  line("backup_env", backup_env == nullptr ? "the database's" : backup_env->Name());
  line("share_table_files", std::to_string(share_table_files));
  line("share_files_with_checksum", std::to_string(share_files_with_checksum));
  line("share_files_with_checksum_naming", std::to_string(share_files_with_checksum_naming));
  line("sync", std::to_string(sync));
  line("destroy_old_data", std::to_string(destroy_old_data));
  line("backup_log_files", std::to_string(backup_log_files));
  line("backup_rate_limit", std::to_string(backup_rate_limit));
  line("restore_rate_limit", std::to_string(restore_rate_limit));
  line("max_background_operations", std::to_string(max_background_operations));
  line("schema_version", std::to_string(schema_version));
}

void BackupStatistics::IncrementNumberSuccessBackup() { ++number_success_backup; }
void BackupStatistics::IncrementNumberFailBackup() { ++number_fail_backup; }
uint32_t BackupStatistics::GetNumberSuccessBackup() const { return number_success_backup; }
uint32_t BackupStatistics::GetNumberFailBackup() const { return number_fail_backup; }
std::string BackupStatistics::ToString() const {
  return cairn::StringPrintf("# success backup: %u, # fail backup: %u", number_success_backup,
                             number_fail_backup);
}

IOStatus BackupEngine::Open(const BackupEngineOptions& options, Env* db_env,
                            BackupEngine** backup_engine_ptr) {
  *backup_engine_ptr = nullptr;
  IOStatus s = cairn::Check(options, db_env);
  if (!s.ok()) return s;
  options.Dump(options.info_log);
  auto engine = std::make_unique<cairn::WritingEngine>(options, db_env);
  s = engine->Prepare();
  if (s.ok()) *backup_engine_ptr = engine.release();
  return s;
}

IOStatus BackupEngineReadOnly::Open(const BackupEngineOptions& options, Env* db_env,
                                    BackupEngineReadOnly** backup_engine_ptr) {
  *backup_engine_ptr = nullptr;
  IOStatus s = cairn::Check(options, db_env);
  if (s.ok() && options.destroy_old_data) {
    s = IOStatus::InvalidArgument("an engine that only reads cannot destroy_old_data");
  }
  if (!s.ok()) return s;
  options.Dump(options.info_log);
  auto engine = std::make_unique<cairn::ReadOnlyEngine>(options, db_env);
  s = engine->Load(options.max_valid_backups_to_open);
  if (s.ok()) *backup_engine_ptr = engine.release();
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
