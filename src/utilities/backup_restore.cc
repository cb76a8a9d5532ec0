#include "utilities/backup_restore.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "db/outside_directories.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "rocksdb/table_properties.h"
#include "table/read_properties.h"
#include "utilities/backup_names.h"

namespace cairn {
namespace {

// The LOCK of a directory that a database may have, held.
class HeldLock {
 public:
  explicit HeldLock(FileSystem* fs) : fs_(fs) {}
  ~HeldLock() {
    if (lock_ != nullptr) fs_->UnlockFile(lock_, IOOptions(), nullptr).PermitUncheckedError();
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

  IOStatus Take(const std::string& dir) {
    IOStatus s = fs_->LockFile(LockFileName(dir), IOOptions(), &lock_, nullptr);
    return s.IsNotSupported() ? IOStatus::OK() : s;
  }

 private:
  FileSystem* const fs_;
  FileLock* lock_ = nullptr;
};

std::string In(const std::string& dir, const std::string& name) {
  return std::string(dir).append("/").append(name);
}

class Restoration {
 public:
  Restoration(const std::vector<BackupPlace>& places, const BackupMeta& backup,
              const RestoreOptions& options, std::string db_dir, const std::string& wal_dir)
      : places_(places),
        context_(*places.front().context),
        catalog_(*places.front().catalog),
        backup_(backup),
        options_(options),
        fs_(context_.db_fs.get()),
        db_dir_(std::move(db_dir)),
        wal_dir_(wal_dir.empty() ? db_dir_ : wal_dir),
        db_lock_(fs_),
        wal_lock_(fs_) {}

  IOStatus Run();

 private:
  bool LogsAreElsewhere() const { return wal_dir_ != db_dir_; }
  // Both exist, belong to nobody else, and are locked.
  IOStatus TakeDirectories();
  IOStatus CheckOwner();
  // Where each file goes. Corruption: one has no name that a database knows.
  IOStatus Plan();
  IOStatus PlanFile(const BackupFile& file, const BackupPlace& place);
  // Of one that the backup left out.
  IOStatus PlanExcluded(const std::string& path);
  // Which of the files that are there are the backup's: they leave `copies_`. What cannot be read
  // is copied.
  void FindKept();
  bool IsOfItsSession(const FileCopy& copy, const std::string& backup_path) const;
  IOStatus Clear();
  // Removes all files but the locks and those that `keeps` names.
  IOStatus ClearDirectory(const std::string& dir, bool keeps_logs);
  IOStatus UnarchiveLogs();
  IOStatus FilesIn(const std::string& dir, std::vector<std::string>* names);
  IOStatus SyncNames();
  IOStatus SyncDir(const std::string& dir);

  const std::vector<BackupPlace>& places_;
  const BackupContext& context_;
  const BackupCatalog& catalog_;
  const BackupMeta& backup_;
  const RestoreOptions& options_;
  FileSystem* const fs_;
  const std::string db_dir_;
  const std::string wal_dir_;
  HeldLock db_lock_, wal_lock_;
  std::vector<FileCopy> copies_;
  std::vector<std::string> paths_;  // of all that is planned, in the backups' directories
  std::set<std::string> kept_;      // paths
  std::string current_;             // its path until all else is there; empty: the backup has none
};

IOStatus Restoration::Run() {
  if (db_dir_.empty()) return IOStatus::InvalidArgument("the database's directory has no name");
  const RestoreOptions::Mode mode = options_.mode;
  if (mode != RestoreOptions::kPurgeAllFiles && mode != RestoreOptions::kVerifyChecksum &&
      mode != RestoreOptions::kKeepLatestDbSessionIdFiles) {
    return IOStatus::InvalidArgument("RestoreOptions::mode is none of 1, 2 and 65535");
  }
  if (context_.stopped()) return BackupStopped();
  IOStatus s = VerifyBackupFiles(context_, catalog_, backup_, /*checksums=*/false);
  if (s.ok()) s = Plan();
  if (s.ok()) s = TakeDirectories();
  if (s.ok() && options_.mode != RestoreOptions::kPurgeAllFiles) FindKept();
  if (s.ok()) s = Clear();
  if (s.ok() && options_.keep_log_files) {
    // What it has goes further than the backup's.
    std::vector<std::string> there;
    s = FilesIn(wal_dir_, &there);
    const std::set<std::string> logs(there.begin(), there.end());
    std::erase_if(copies_, [&](const FileCopy& copy) {
      const size_t slash = copy.to.rfind('/');
      return copy.to.substr(0, slash) == wal_dir_ && copy.to.ends_with(".log") &&
             logs.contains(copy.to.substr(slash + 1));
    });
  }
  if (!s.ok()) return s;
  CopyEnv env = context_.NewCopyEnv(context_.options.restore_rate_limiter.get());
  env.target = fs_;
  s = CopyFiles(env, &copies_);
  if (s.ok()) s = SyncNames();
  if (s.ok() && !current_.empty()) {
    s = fs_->RenameFile(current_, CurrentFileName(db_dir_), IOOptions(), nullptr);
    if (s.ok()) s = SyncDir(db_dir_);
  }
  return s;
}

IOStatus Restoration::Plan() {
  IOStatus s;
  for (const auto& file : backup_.files) {
    if (s.ok()) s = PlanFile(*file, places_.front());
  }
  for (const std::string& path : backup_.excluded) {
    if (s.ok()) s = PlanExcluded(path);
  }
  return s;
}

IOStatus Restoration::PlanFile(const BackupFile& file, const BackupPlace& place) {
  const std::string name = DatabaseFileName(file.path);
  uint64_t number = 0;
  FileType type;
  if (!ParseFileName(name, &number, &type)) {
    return IOStatus::Corruption(catalog_.Path(file.path), "is no file of a database");
  }
  FileCopy& copy = copies_.emplace_back();
  copy.source = place.context->backup_fs.get();
  copy.from = place.catalog->Path(file.path);
  copy.to = In(type == FileType::kWalFile ? wal_dir_ : db_dir_, name);
  if (type == FileType::kCurrentFile) current_ = copy.to += ".tmp";
  copy.size = file.size;
  copy.expected_crc32c = file.crc32c;
  copy.to_temperature = file.temperature;
  paths_.push_back(file.path);
  return IOStatus::OK();
}

IOStatus Restoration::PlanExcluded(const std::string& path) {
  for (const BackupPlace& place : places_) {
    const BackupFile* const file = place.catalog->FindFile(path);
    if (file == nullptr) continue;
    // Before anything is changed it is there.
    const std::string from = place.catalog->Path(path);
    uint64_t size = 0;
    IOStatus s = place.context->backup_fs->GetFileSize(from, IOOptions(), &size, nullptr);
    if (s.ok() && size != file->size) {
      s = IOStatus::Corruption(
          from, "has " + std::to_string(size) + " bytes instead of " + std::to_string(file->size));
    }
    return s.ok() ? PlanFile(*file, place) : s;
  }
  // One that is in the database already need not be in a backup.
  if (options_.mode == RestoreOptions::kKeepLatestDbSessionIdFiles) {
    FileCopy here;
    here.to = In(db_dir_, DatabaseFileName(path));
    const std::optional<uint64_t> expected = SizeInName(path);
    if (expected.has_value() && fs_->GetFileSize(here.to, IOOptions(), &here.size, nullptr).ok() &&
        here.size == *expected && IsOfItsSession(here, path)) {
      kept_.insert(here.to);
      return IOStatus::OK();
    }
  }
  return IOStatus::InvalidArgument(path,
                                   "was left out of the backup, and is in none of alternate_dirs");
}

bool Restoration::IsOfItsSession(const FileCopy& copy, const std::string& backup_path) const {
  const std::string session = SessionInName(backup_path);
  if (session.empty()) return false;
  std::unique_ptr<RandomAccessFileReader> reader;
  IOStatus io = RandomAccessFileReader::Open(fs_, copy.to, FileOptions(), &reader);
  TableProperties properties;
  return io.ok() && ReadTableProperties(std::move(reader), copy.size, &properties).ok() &&
         properties.db_session_id == session;
}

void Restoration::FindKept() {
  std::vector<FileCopy> here, there;  // the same files, where they are and in the backup
  for (size_t i = 0; i < copies_.size(); ++i) {
    const FileCopy& copy = copies_[i];
    uint64_t size = 0;
    const bool is_data = copy.to.ends_with(".sst") || copy.to.ends_with(".blob");
    if (!is_data || !fs_->GetFileSize(copy.to, IOOptions(), &size, nullptr).ok() ||
        size != copy.size) {
      continue;
    }
    if (options_.mode == RestoreOptions::kKeepLatestDbSessionIdFiles) {
      if (IsOfItsSession(copy, paths_[i])) kept_.insert(copy.to);
      continue;
    }
    FileCopy read;
    read.size = copy.size;
    read.from = copy.to;
    here.push_back(read);
    read.from = copy.from;
    read.source = copy.source;
    read.expected_crc32c = copy.expected_crc32c;
    there.push_back(std::move(read));
  }
  CopyEnv env = context_.NewCopyEnv(context_.options.restore_rate_limiter.get());
  env.progress = nullptr;
  env.source = fs_;
  CopyFiles(env, &here).PermitUncheckedError();
  for (size_t i = 0; i < here.size(); ++i) {
    if (!here[i].status.ok()) continue;
    if (!there[i].expected_crc32c.has_value()) {
      // The backup's meta file does not tell.
      std::vector<FileCopy> one = {there[i]};
      if (!CopyFiles(env, &one).ok()) continue;
      there[i].expected_crc32c = one[0].crc32c;
    }
    if (here[i].crc32c == *there[i].expected_crc32c) kept_.insert(here[i].from);
  }
  std::erase_if(copies_, [this](const FileCopy& copy) { return kept_.contains(copy.to); });
  LogInfo(context_.options.info_log, "Backup: %zu files are there already", kept_.size());
}

IOStatus Restoration::TakeDirectories() {
  IOStatus s = CreateDirDurably(fs_, db_dir_);
  if (s.ok() && LogsAreElsewhere()) s = CreateDirDurably(fs_, wal_dir_);
  if (s.ok()) s = db_lock_.Take(db_dir_);
  if (s.ok() && LogsAreElsewhere()) {
    s = CheckOwner();
    if (s.ok()) s = wal_lock_.Take(wal_dir_);
  }
  return s;
}

IOStatus Restoration::CheckOwner() {
  std::string text, here;
  IOStatus s = ReadFileToString(fs_, OwnerFileName(wal_dir_), &text);
  if (s.IsNotFound() || s.IsPathNotFound()) return IOStatus::OK();
  DirectoryOwner owner;
  if (!s.ok() || !DirectoryOwner::Decode(text, &owner) || owner.db_path.empty()) return s;
  s = fs_->GetAbsolutePath(db_dir_, IOOptions(), &here, nullptr);
  if (!s.ok() || owner.db_path == here) return s;
  // Whose database is gone has no use for it.
  if (fs_->FileExists(CurrentFileName(owner.db_path), IOOptions(), nullptr).IsNotFound()) return s;
  bool same = false;
  fs_->AreFilesSame(CurrentFileName(owner.db_path), CurrentFileName(db_dir_), IOOptions(), &same,
                    nullptr)
      .PermitUncheckedError();
  if (same) return s;
  return IOStatus::InvalidArgument(wal_dir_, "has the logs of another database, " + owner.db_path);
}

IOStatus Restoration::Clear() {
  // From here on it is no database.
  const std::string current = CurrentFileName(db_dir_);
  IOStatus s = fs_->FileExists(current, IOOptions(), nullptr);
  if (s.ok()) {
    s = fs_->DeleteFile(current, IOOptions(), nullptr);
    if (s.ok()) s = SyncDir(db_dir_);
  } else if (s.IsNotFound()) {
    s = IOStatus::OK();
  }
  if (s.ok()) s = ClearDirectory(db_dir_, options_.keep_log_files);
  if (s.ok() && options_.keep_log_files) return UnarchiveLogs();
  if (s.ok() && LogsAreElsewhere()) s = ClearDirectory(wal_dir_, /*keeps_logs=*/false);
  if (s.ok()) s = ClearDirectory(ArchiveDirName(wal_dir_), /*keeps_logs=*/false);
  return s;
}

IOStatus Restoration::ClearDirectory(const std::string& dir, bool keeps_logs) {
  std::vector<std::string> names;
  IOStatus s = FilesIn(dir, &names);
  for (const std::string& name : names) {
    if (!s.ok()) return s;
    uint64_t number = 0;
    FileType type;
    const bool known = ParseFileName(name, &number, &type);
    if ((known && type == FileType::kLockFile) || name == kBackupLockFile) continue;
    if (known && type == FileType::kWalFile && keeps_logs) continue;
    if (kept_.contains(In(dir, name))) continue;
    s = fs_->DeleteFile(In(dir, name), IOOptions(), nullptr);
  }
  return s;
}

IOStatus Restoration::UnarchiveLogs() {
  const std::string archive = ArchiveDirName(wal_dir_);
  std::vector<std::string> names;
  IOStatus s = FilesIn(archive, &names);
  for (const std::string& name : names) {
    uint64_t number = 0;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
    // Without it there would be a hole in the history.
    if (s.ok()) {
      s = fs_->RenameFile(In(archive, name), In(wal_dir_, name), IOOptions(), nullptr);
    }
  }
  return s;
}

IOStatus Restoration::FilesIn(const std::string& dir, std::vector<std::string>* names) {
  std::vector<std::string> children;
  IOStatus s = fs_->FileExists(dir, IOOptions(), nullptr);
  if (s.IsNotFound()) return IOStatus::OK();
  if (s.ok()) s = fs_->GetChildren(dir, IOOptions(), &children, nullptr);
  for (std::string& name : children) {
    if (name == "." || name == "..") continue;
    bool is_directory = false;
    if (s.ok()) s = fs_->IsDirectory(In(dir, name), IOOptions(), &is_directory, nullptr);
    if (s.ok() && !is_directory) names->push_back(std::move(name));
  }
  return s;
}

IOStatus Restoration::SyncNames() {
  IOStatus s = SyncDir(db_dir_);
  return s.ok() && LogsAreElsewhere() ? SyncDir(wal_dir_) : s;
}

IOStatus Restoration::SyncDir(const std::string& dir) {
  if (!context_.options.sync) return IOStatus::OK();
  IOStatus s = SyncDirectoryAt(fs_, dir);
  return s.IsNotSupported() ? IOStatus::OK() : s;
}

}  // namespace

IOStatus RestoreBackup(const std::vector<BackupPlace>& places, const BackupMeta& backup,
                       const RestoreOptions& options, const std::string& db_dir,
                       const std::string& wal_dir) {
  const BackupContext& context = *places.front().context;
  LogInfo(context.options.info_log, "Backup: restoring to %s", db_dir.c_str());
  IOStatus s = Restoration(places, backup, options, db_dir, wal_dir).Run();
  LogInfo(context.options.info_log, "Backup: restored to %s: %s", db_dir.c_str(),
          s.ToString().c_str());
  return s;
}

IOStatus VerifyBackupFiles(const BackupContext& context, const BackupCatalog& catalog,
                           const BackupMeta& backup, bool checksums) {
  std::map<std::string, std::map<std::string, uint64_t>> sizes;
  std::vector<FileCopy> reads;
  for (const auto& file : backup.files) {
    const size_t slash = file->path.rfind('/');
    const auto [dir, is_new] = sizes.try_emplace(file->path.substr(0, slash));
    if (is_new) {
      IOStatus s = catalog.SizesIn(dir->first, &dir->second);
      if (!s.ok()) return s;
    }
    const std::string path = catalog.Path(file->path);
    const auto found = dir->second.find(file->path.substr(slash + 1));
    if (found == dir->second.end()) return IOStatus::NotFound("File missing: " + path);
    if (found->second != file->size) {
      return IOStatus::Corruption(path, "has " + std::to_string(found->second) +
                                            " bytes instead of " + std::to_string(file->size));
    }
    if (!file->crc32c.has_value()) continue;
    FileCopy& read = reads.emplace_back();
    read.from = path;
    read.size = file->size;
    read.expected_crc32c = file->crc32c;
  }
  if (!checksums) return IOStatus::OK();
  CopyEnv env = context.NewCopyEnv(context.options.backup_rate_limiter.get());
  env.source = context.backup_fs.get();
  return CopyFiles(env, &reads);
}

}  // namespace cairn
