#include "utilities/backup_create.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/metadata.h"
#include "table/read_properties.h"
#include "utilities/backup_names.h"

namespace cairn {
namespace {

// A backup that is made.
class Creation {
 public:
  Creation(const BackupContext& context, const CreateBackupOptions& options, DB* db,
           BackupCatalog* catalog)
      : context_(context),
        options_(options),
        db_(db),
        catalog_(catalog),
        id_(catalog->NextId()),
        private_dir_(PrivateBackupDir(id_)),
        db_options_(db->GetDBOptions()),
        env_(context.NewCopyEnv(context.options.backup_rate_limiter.get())) {
    env_.source = context_.db_fs.get();
    env_.target = context_.backup_fs.get();
    env_.statistics = db_options_.statistics.get();
    env_.progress = options_.progress_callback;
    env_.progress_interval = context_.options.callback_trigger_interval_size;
  }

  IOStatus Run(const std::string& app_metadata);
  BackupID id() const { return id_; }

 private:
  // A file of the backup, and how it comes there.
  struct Item {
    BackupFile file;
    bool copied = false;  // by copies_[copy]; else it is there already
    size_t copy = 0;
    bool shared = false;
  };

  IOStatus Gather();
  // Asks the user which files are elsewhere, and drops those.
  IOStatus Exclude();
  IOStatus AddFile(const LiveFileStorageInfo& live);
  IOStatus PlaceShared(const LiveFileStorageInfo& live, FileCopy* copy, Item* item);
  // What its name needs of the table.
  IOStatus FindMarks(const FileCopy& copy, SharedFileMarks* marks) const;
  std::string SessionOf(const FileCopy& copy) const;
  IOStatus ChecksumOf(const FileCopy& copy, uint32_t* crc) const;
  IOStatus InstallShared();
  IOStatus SyncNames();
  void Remove();
  const BackupEngineOptions& engine_options() const { return context_.options; }
  const char* shared_dir() const {
    return engine_options().share_files_with_checksum ? kBackupSharedChecksumDir : kBackupSharedDir;
  }

  const BackupContext& context_;
  const CreateBackupOptions& options_;
  DB* const db_;
  BackupCatalog* const catalog_;
  const BackupID id_;
  const std::string private_dir_;
  const DBOptions db_options_;
  CopyEnv env_;
  std::vector<Item> items_;
  std::vector<FileCopy> copies_;
  std::set<std::string> paths_;        // of items_
  std::vector<std::string> excluded_;  // paths
  std::set<std::string> installed_;    // shared files of this backup alone
};

IOStatus Creation::Run(const std::string& app_metadata) {
  BackupMeta meta;
  meta.app_metadata = app_metadata;
  if (!Env::Default()->GetCurrentTime(&meta.timestamp).ok()) meta.timestamp = 1;
  IOStatus s = CreateDirDurably(env_.target, catalog_->Path(private_dir_));
  bool remains = false;
  if (s.ok()) {
    // A database that is open for reading deletes nothing.
    Status disabled = db_->DisableFileDeletions();
    const bool enables = disabled.ok();
    if (!disabled.ok() && !disabled.IsNotSupported()) s = status_to_io_status(std::move(disabled));
    meta.sequence = db_->GetLatestSequenceNumber();
    if (s.ok()) s = Gather();
    if (s.ok() && options_.exclude_files_callback) s = Exclude();
    if (s.ok()) s = CopyFiles(env_, &copies_);
    if (enables) {
      Status enabled = db_->EnableFileDeletions(/*force=*/false);
      if (s.ok()) s = status_to_io_status(std::move(enabled));
    }
  }
  if (s.ok()) s = InstallShared();
  if (s.ok()) s = SyncNames();
  if (s.ok() && context_.stopped()) s = BackupStopped();
  for (Item& item : items_) {
    meta.files.push_back(std::make_shared<const BackupFile>(std::move(item.file)));
  }
  meta.excluded = std::move(excluded_);
  if (s.ok()) s = catalog_->Add(id_, std::move(meta), engine_options().schema_version, &remains);
  if (!s.ok() && !remains) Remove();
  return s;
}

IOStatus Creation::Gather() {
  LiveFilesStorageInfoOptions options;
  options.include_checksum_info = true;
  options.wal_size_for_flush = options_.flush_before_backup ? 0 : UINT64_MAX;
  options.atomic_flush = options_.atomic_flush;
  std::vector<LiveFileStorageInfo> files;
  Status listed = db_->GetLiveFilesStorageInfo(options, &files);
  if (!listed.ok()) return status_to_io_status(std::move(listed));
  for (const LiveFileStorageInfo& file : files) {
    if (context_.stopped()) return BackupStopped();
    if (file.file_type == kWalFile && !engine_options().backup_log_files) continue;
    IOStatus s = AddFile(file);
    if (!s.ok()) return s;
  }
  return IOStatus::OK();
}

IOStatus Creation::Exclude() {
  std::vector<MaybeExcludeBackupFile> asked;
  for (const Item& item : items_) {
    if (item.shared && item.copied) {
      asked.push_back(MaybeExcludeBackupFile(BackupExcludedFileInfo(item.file.path)));
    }
  }
  if (asked.empty()) return IOStatus::OK();
  try {
    options_.exclude_files_callback(asked.data(), asked.data() + asked.size());
  } catch (const std::exception& e) {
    return IOStatus::Aborted("exclude_files_callback threw", e.what());
  } catch (...) {
    return IOStatus::Aborted("exclude_files_callback threw");
  }
  std::vector<Item> items;
  std::vector<FileCopy> copies;
  auto question = asked.begin();
  for (Item& item : items_) {
    if (item.shared && item.copied && (question++)->exclude_decision) {
      excluded_.push_back(std::move(item.file.path));
      continue;
    }
    if (item.copied) {
      copies.push_back(std::move(copies_[item.copy]));
      item.copy = copies.size() - 1;
    }
    items.push_back(std::move(item));
  }
  items_ = std::move(items);
  copies_ = std::move(copies);
  return IOStatus::OK();
}

IOStatus Creation::AddFile(const LiveFileStorageInfo& live) {
  FileCopy copy;
  Item item;
  copy.size = item.file.size = live.size;
  copy.source_grows = live.trim_to_size;
  item.file.temperature = live.temperature;
  if (live.replacement_contents.empty()) {
    copy.from = live.directory + "/" + live.relative_filename;
  } else {
    copy.contents = live.replacement_contents;
  }
  const bool is_data = live.file_type == kTableFile || live.file_type == kBlobFile;
  if (is_data) {
    // As the database reads its tables.
    copy.source_options = FileOptions(db_options_);
    copy.source_options.temperature = live.temperature;
    if (live.file_checksum_func_name == kDbFileChecksumFuncName && live.file_checksum.size() == 4) {
      uint32_t crc = 0;
      for (const char c : live.file_checksum) crc = crc << 8 | static_cast<unsigned char>(c);
      copy.expected_crc32c = crc;
    }
  }
  item.shared = engine_options().share_table_files && is_data;
  item.copied = true;
  if (item.shared) {
    IOStatus s = PlaceShared(live, &copy, &item);
    if (!s.ok()) return s;
  } else {
    item.file.path = private_dir_ + "/" + live.relative_filename;
    copy.to = catalog_->Path(item.file.path);
  }
  if (!paths_.insert(item.file.path).second) {
    return IOStatus::Corruption(copy.from, "and another file would both be " + item.file.path);
  }
  if (item.copied) {
    item.copy = copies_.size();
    copies_.push_back(std::move(copy));
  }
  items_.push_back(std::move(item));
  return IOStatus::OK();
}

IOStatus Creation::PlaceShared(const LiveFileStorageInfo& live, FileCopy* copy, Item* item) {
  if (engine_options().share_files_with_checksum) {
    SharedFileMarks marks;
    IOStatus s = FindMarks(*copy, &marks);
    if (!s.ok()) return s;
    const auto naming = engine_options().share_files_with_checksum_naming;
    item->file.path = SharedChecksumPath(live.relative_filename, naming, marks);
    // Its name must be true.
    if (NamedByChecksum(naming, marks.session)) copy->expected_crc32c = marks.crc32c;
  } else {
    item->file.path = std::string(kBackupSharedDir) + "/" + live.relative_filename;
  }
  const std::string path = catalog_->Path(item->file.path);
  const BackupFile* const known = catalog_->FindFile(item->file.path);
  if (known == nullptr) {
    // Also over what a killed backup left, or a corrupt one has.
    copy->to = catalog_->Path(TemporaryBackupPath(item->file.path));
    return IOStatus::OK();
  }
  const auto differs = [&](const std::string& what) {
    return IOStatus::Corruption(
        copy->from, "has another " + what + " than the file of that name in a backup, " + path);
  };
  if (known->size != live.size) return differs("size");
  uint64_t size = 0;
  IOStatus s = env_.target->GetFileSize(path, IOOptions(), &size, nullptr);
  if (!s.ok()) return s;
  if (size != live.size) {
    return IOStatus::Corruption(
        path, "has " + std::to_string(size) + " bytes instead of " + std::to_string(live.size));
  }
  std::optional<uint32_t> crc = copy->expected_crc32c;
  // Tables of other histories may have the same number: nothing but their bytes tells.
  if (!crc.has_value() && !engine_options().share_files_with_checksum) {
    s = ChecksumOf(*copy, &crc.emplace());
    if (!s.ok()) return s;
  }
  if (crc.has_value() && known->crc32c.has_value() && *crc != *known->crc32c) {
    return differs("checksum");
  }
  item->file = *known;
  item->copied = false;
  return IOStatus::OK();
}

IOStatus Creation::FindMarks(const FileCopy& copy, SharedFileMarks* marks) const {
  marks->size = copy.size;
  const auto naming = engine_options().share_files_with_checksum_naming;
  // (A blob file does not say of which session it is.)
  const bool may_say = !copy.from.ends_with(".blob");
  if (may_say && !NamedByChecksum(naming, "?")) marks->session = SessionOf(copy);
  if (!NamedByChecksum(naming, marks->session)) return IOStatus::OK();
  if (copy.expected_crc32c.has_value()) {
    marks->crc32c = *copy.expected_crc32c;
    return IOStatus::OK();
  }
  return ChecksumOf(copy, &marks->crc32c);
}

std::string Creation::SessionOf(const FileCopy& copy) const {
  std::unique_ptr<RandomAccessFileReader> reader;
  IOStatus io = RandomAccessFileReader::Open(env_.source, copy.from, copy.source_options, &reader);
  if (!io.ok()) return "";  // the copy will say why
  TableProperties properties;
  if (!ReadTableProperties(std::move(reader), copy.size, &properties).ok()) return "";
  // It becomes a part of a name.
  const std::string& session = properties.db_session_id;
  const bool is_a_name = std::all_of(session.begin(), session.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
  return is_a_name ? session : "";
}

IOStatus Creation::ChecksumOf(const FileCopy& copy, uint32_t* crc) const {
  std::vector<FileCopy> reads = {copy};
  reads[0].to.clear();
  CopyEnv env = env_;
  env.progress = nullptr;
  IOStatus s = CopyFiles(env, &reads);
  *crc = reads[0].crc32c;
  return s;
}

// All are copied: those that are shared get their names.
IOStatus Creation::InstallShared() {
  for (Item& item : items_) {
    if (!item.copied) continue;
    const FileCopy& copy = copies_[item.copy];
    item.file.crc32c = copy.crc32c;
    const Temperature now = copy.source_temperature;
    if (now != Temperature::kUnknown && (item.file.temperature == Temperature::kUnknown ||
                                         engine_options().current_temperatures_override_manifest)) {
      item.file.temperature = now;
    }
    if (!item.shared) continue;
    IOStatus s =
        env_.target->RenameFile(copy.to, catalog_->Path(item.file.path), IOOptions(), nullptr);
    if (!s.ok()) return s;
    installed_.insert(item.file.path);
  }
  return IOStatus::OK();
}

IOStatus Creation::SyncNames() {
  IOStatus s = catalog_->SyncDir(private_dir_);
  if (s.ok()) s = catalog_->SyncDir(kBackupPrivateDir);
  if (s.ok() && engine_options().share_table_files) s = catalog_->SyncDir(shared_dir());
  return s;
}

void Creation::Remove() {
  // All of these; what cannot be removed now is garbage.
  catalog_->NeedsCleaning();
  if (!catalog_->Clean().ok()) {
    LogWarn(engine_options().info_log, "Backup: what backup %u has left stays for now", id_);
  }
}

}  // namespace

IOStatus CreateBackup(const BackupContext& context, const CreateBackupOptions& options, DB* db,
                      const std::string& app_metadata, BackupCatalog* catalog, BackupID* id) {
  if (db == nullptr) return IOStatus::InvalidArgument("a backup needs a database");
  if (app_metadata.size() > kMaxBackupAppMetadata) {
    return IOStatus::InvalidArgument("App metadata too large",
                                     std::to_string(app_metadata.size()) + " bytes");
  }
  const int schema = context.options.schema_version;
  if (schema < 1) return IOStatus::InvalidArgument("schema_version must be 1 or 2");
  if (schema > kMaxBackupSchema) return IOStatus::NotSupported("schema_version above 2");
  if (options.exclude_files_callback) {
    if (schema < 2) {
      return IOStatus::InvalidArgument("exclude_files_callback requires schema_version >= 2");
    }
    // Elsewhere a name does not tell one table from another.
    if (!context.options.share_table_files || !context.options.share_files_with_checksum) {
      return IOStatus::InvalidArgument(
          "exclude_files_callback requires share_table_files and share_files_with_checksum");
    }
  }
  if (context.stopped()) return BackupStopped();
  Creation creation(context, options, db, catalog);
  LogInfo(context.options.info_log, "Backup: creating %u", creation.id());
  IOStatus s = creation.Run(app_metadata);
  LogInfo(context.options.info_log, "Backup: %u: %s", creation.id(), s.ToString().c_str());
  if (s.ok()) *id = creation.id();
  return s;
}

}  // namespace cairn
