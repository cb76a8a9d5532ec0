#include "repair/repair.h"

#include <algorithm>

#include "base/logging.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_util.h"
#include "manifest/version_set.h"
#include "options/options_check.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace cairn {
namespace {

constexpr char kLostDir[] = "lost";

// A table is open while it is read, or compared with another.
constexpr int kOpenTables = 64;

std::shared_ptr<TableFactory> PastTheCaches() {
  BlockBasedTableOptions options;
  options.no_block_cache = true;
  // So that filters are read, too: a database with one finds a damaged one when it opens the table.
  options.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // Read from end to end, without an index to be made.
  PlainTableOptions plain;
  plain.full_scan_mode = true;
  return std::shared_ptr<TableFactory>(NewAdaptiveTableFactory(
      nullptr, std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(options)),
      std::shared_ptr<TableFactory>(NewPlainTableFactory(plain))));
}

}  // namespace

Repairer::Family::Family(uint32_t family_id, std::string family_name, const DBOptions& db_options,
                         const ColumnFamilyOptions& family_options)
    : id(family_id),
      name(std::move(family_name)),
      options(std::make_shared<const Options>(db_options, family_options)),
      icmp(family_options.comparator) {}

Repairer::Repairer(std::string dbname, const DBOptions& options,
                   const std::vector<ColumnFamilyDescriptor>& families,
                   const ColumnFamilyOptions* unknown)
    : dbname_(std::move(dbname)),
      options_(options),
      shared_options_(std::make_shared<const DBOptions>(options)),
      unknown_(unknown),
      wal_dir_(options.wal_dir.empty() ? dbname_ : options.wal_dir),
      fs_(options.env->GetFileSystem().get()),
      info_log_(options.info_log.get()),
      session_id_(GenerateDbSessionId()),
      reading_(PastTheCaches()),
      outside_(fs_, dbname_, info_log_) {
  for (const ColumnFamilyDescriptor& family : families) known_[family.name] = family.options;
  for (const DbPath& path : options.db_paths) table_dirs_.push_back(path.path);
}

Repairer::~Repairer() = default;

Status Repairer::Run() {
  FileLock* lock = nullptr;
  IOStatus io = fs_->LockFile(LockFileName(dbname_), IOOptions(), &lock, nullptr);
  if (!io.ok()) return io;
  Status s = RunLocked();
  if (s.ok()) {
    uint64_t bytes = 0;
    for (const auto& table : tables_) bytes += table->meta.file_size;
    LogWarn(info_log_,
            "**** Repaired %s: %zu column families, %zu tables of %llu bytes, up to sequence "
            "number %llu. Some data may have been lost. ****",
            dbname_.c_str(), families_.size(), tables_.size(),
            static_cast<unsigned long long>(bytes),
            static_cast<unsigned long long>(last_sequence_));
  } else {
    LogError(info_log_, "Repair of %s failed: %s", dbname_.c_str(), s.ToString().c_str());
  }
  if (info_log_ != nullptr) info_log_->Flush();
  io = fs_->UnlockFile(lock, IOOptions(), nullptr);
  return s.ok() ? Status(io) : s;
}

Status Repairer::RunLocked() {
  Status s = outside_.Find(options_);
  if (s.ok()) s = outside_.Lock();
  if (s.ok()) s = FindFiles();
  if (!s.ok()) return s;
  IOStatus io =
      fs_->NewDirectory(table_dirs_.front(), IOOptions(), &made_tables_directory_, nullptr);
  if (!io.ok()) return io;
  ReadManifests();
  s = CheckOwners();
  if (s.ok()) s = FindTables();
  if (s.ok()) {
    ChooseFamilies();
    s = ScanTables();
    if (s.ok()) s = ConvertLogs();
  }
  for (auto it = families_.begin(); s.ok() && it != families_.end(); ++it) {
    s = PlaceFamily(it->second.get());
  }
  if (!s.ok()) {
    DeleteTables(made_);
    return s;
  }
  for (const uint64_t number : discarded_) {
    Archive(table_dirs_[PathIdOf(number)], TableFileBaseName(number));
  }
  s = WriteManifest();
  if (!s.ok()) return s;  // CURRENT may name it all the same
  DeleteTables(superseded_);
  for (const uint64_t number : lost_blob_files_) {
    Archive(table_dirs_.front(), BlobFileName("", number).substr(1));
  }
  for (const uint64_t number : log_numbers_) {
    Archive(wal_dir_, LogFileName("", number).substr(1));
  }
  for (const uint64_t number : manifest_numbers_) {
    Archive(dbname_, DescriptorFileName("", number).substr(1));
  }
  return s;
}

Status Repairer::FindFiles() {
  std::set<std::string> dirs(table_dirs_.begin(), table_dirs_.end());
  dirs.insert({dbname_, wal_dir_});
  for (const std::string& dir : dirs) {
    LogInfo(info_log_, "Searching %s", dir.c_str());
    std::vector<std::string> names;
    IOStatus io = fs_->GetChildren(dir, IOOptions(), &names, nullptr);
    if (!io.ok()) return io;
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (!ParseFileName(name, &number, &type) || type == FileType::kInfoLogFile) continue;
      next_file_number_ = std::max(next_file_number_, number + 1);
      if (type == FileType::kTableFile) AddTable(number, dir);
      if (type == FileType::kBlobFile && dir == table_dirs_.front()) {
        lost_blob_files_.insert(number);
      }
      if (type == FileType::kWalFile && dir == wal_dir_) log_numbers_.insert(number);
      if (type == FileType::kDescriptorFile && dir == dbname_) manifest_numbers_.insert(number);
    }
  }
  return Status::OK();
}

void Repairer::AddTable(uint64_t number, const std::string& dir) {
  const auto path = std::find(table_dirs_.begin(), table_dirs_.end(), dir);
  if (path == table_dirs_.end()) return;
  const auto path_id = static_cast<uint32_t>(path - table_dirs_.begin());
  const auto [it, added] = table_paths_.emplace(number, path_id);
  if (added) return;
  LogWarn(info_log_, "%s is in %s and in %s, of which the first counts",
          TableFileBaseName(number).c_str(), table_dirs_[std::min(it->second, path_id)].c_str(),
          table_dirs_[std::max(it->second, path_id)].c_str());
  it->second = std::min(it->second, path_id);
}

uint32_t Repairer::PathIdOf(uint64_t table) const {
  const auto found = table_paths_.find(table);
  return found == table_paths_.end() ? 0 : found->second;
}

std::string Repairer::PathOfTable(uint64_t number) const {
  return TableFileName(table_dirs_, number, PathIdOf(number));
}

Status Repairer::CheckOwners() {
  ReadIdentityFile(fs_, dbname_, &db_id_).PermitUncheckedError();  // it may be lost
  if (db_id_.empty()) db_id_ = remains_.db_id;
  if (db_id_.empty()) db_id_ = outside_.FormerIdentity();
  Status s = outside_.Check(db_id_);
  if (db_id_.empty()) db_id_ = GenerateDbId();
  return s;
}

// --- Families

void Repairer::ReadManifests() {
  AddFamily(0, kDefaultColumnFamilyName);
  for (const uint64_t number : manifest_numbers_) {
    remains_.Read(fs_, DescriptorFileName(dbname_, number), number, info_log_);
  }
  // Those without a table, too: the logs may have something of them.
  for (const auto& [id, family] : remains_.families) {
    if (!family.dropped) AddFamily(id, family.name);
  }
  if (remains_.last_sequence <= kLastWritableSequence) last_sequence_ = remains_.last_sequence;
}

const ColumnFamilyOptions* Repairer::OptionsFor(const std::string& name) const {
  const auto known = known_.find(name);
  return known != known_.end() ? &known->second : unknown_;
}

Repairer::Family* Repairer::FamilyNamed(const std::string& name) const {
  for (const auto& [id, family] : families_) {
    if (family->name == name) return family.get();
  }
  return nullptr;
}

Repairer::Family* Repairer::AddFamily(uint32_t id, const std::string& name) {
  if (const auto existing = families_.find(id); existing != families_.end()) {
    return existing->second.get();
  }
  // Of several with one name the last one is there; the others were dropped.
  const Family* const namesake = FamilyNamed(name);
  const auto has_tables = [&] {
    return std::any_of(found_.begin(), found_.end(),
                       [&](const Found& found) { return found.family == namesake; });
  };
  if (name.empty() || (namesake != nullptr && (namesake->id > id || has_tables()))) return nullptr;
  if (namesake != nullptr) families_.erase(namesake->id);
  const ColumnFamilyOptions* const options = OptionsFor(name);
  if (options == nullptr) {
    LogWarn(info_log_, "Column family [%s] (ID %u) is not among those to be repaired", name.c_str(),
            id);
    return nullptr;
  }
  std::unique_ptr<Family>& slot = families_[id];
  slot = std::make_unique<Family>(id, name, options_, *options);
  TableCacheOptions tables;
  tables.fs = fs_;
  tables.file_options = FileOptionsForTableRead(*fs_, options_);
  tables.table_factory = reading_.get();
  tables.paths = table_dirs_;
  tables.icmp = &slot->icmp;
  tables.max_open_files = kOpenTables;
  tables.info_log = info_log_;
  slot->tables = std::make_unique<TableCache>(std::move(tables));
  slot->tables->SetCompressionManager(slot->options->compression_manager);
  LogInfo(info_log_, "Column family [%s] (ID %u)", name.c_str(), id);
  return slot.get();
}

JobEnv Repairer::MakeJobEnv(const Family& family) {
  JobEnv env;
  env.db_options = shared_options_;
  env.fs = fs_;
  env.file_options = FileOptionsForTableWrite(*fs_, options_);
  env.dbname = dbname_;
  env.paths = {table_dirs_.front()};
  env.table_cache = family.tables.get();
  env.directories = {made_tables_directory_.get()};
  env.statistics = options_.statistics.get();
  env.info_log = info_log_;
  env.db_id = db_id_;
  env.db_session_id = session_id_;
  env.column_family_id = family.id;
  env.column_family_name = family.name;
  env.icmp = &family.icmp;
  env.new_file_number = [this] { return NewFileNumber(); };
  return env;
}

// --- The end

Status Repairer::ChooseIdentity(FSDirectory* directory, std::string* db_id) {
  IOStatus io = ReadIdentityFile(fs_, dbname_, db_id);
  if (io.ok() && !db_id->empty()) return io;
  io = SetIdentityFile(fs_, dbname_, db_id_, directory);
  if (io.ok()) io = ReadIdentityFile(fs_, dbname_, db_id);
  return io;
}

// What the MANIFESTs say of it; empty: nothing.
std::string Repairer::HistoryLow(const Family& family) const {
  const size_t size = family.icmp.timestamp_size();
  const auto said = remains_.families.find(family.id);
  std::string low;
  if (size == 0 || said == remains_.families.end()) return low;
  for (const std::string& one : said->second.history_lows) {
    if (one.size() != size) continue;
    if (low.empty() || family.icmp.user_comparator()->CompareTimestamp(low, one) < 0) low = one;
  }
  return low;
}

Status Repairer::WriteManifest() {
  std::unique_ptr<FSDirectory> directory;
  IOStatus io = fs_->NewDirectory(dbname_, IOOptions(), &directory, nullptr);
  if (!io.ok()) return io;
  std::string db_id;
  Status s = ChooseIdentity(directory.get(), &db_id);
  if (s.ok()) s = SyncDirectory(made_tables_directory_.get());
  uint64_t foreign = 0;  // all tables are known by now
  if (s.ok()) s = outside_.Claim(db_id, /*first_log=*/0, &foreign);
  if (!s.ok()) return s;
  const uint64_t first_log = NewFileNumber();  // that a family may need
  const uint64_t manifest = NewFileNumber();
  std::vector<VersionEdit> edits(1);
  edits[0].SetDBId(db_id);
  edits[0].SetMinLogNumberToKeep(first_log);
  edits[0].SetMaxColumnFamily(std::max(remains_.max_column_family, families_.rbegin()->first));
  for (const auto& [id, family] : families_) {
    VersionEdit identity;
    identity.SetColumnFamily(id);
    if (id != 0) identity.AddColumnFamily(family->name);
    identity.SetComparatorName(family->icmp.user_comparator()->Name());
    if (const std::string low = HistoryLow(*family); !low.empty()) {
      identity.SetFullHistoryTsLow(low);
    }
    edits.push_back(std::move(identity));
    VersionEdit files;
    files.SetColumnFamily(id);
    files.SetLogNumber(first_log);
    files.SetNextFile(next_file_number_);
    files.SetLastSequence(last_sequence_);
    for (const auto& table : tables_) {
      if (table->family != family.get()) continue;
      files.AddFile(levels_.at(table->meta.number), table->meta);
    }
    if (s = AddBlobFiles(*family, &files); !s.ok()) return s;
    edits.push_back(std::move(files));
  }
  const FileOptions file_options = FileOptionsForManifestWrite(*fs_, options_);
  return VersionSet::WriteDescriptor(dbname_, manifest, edits, options_, fs_, file_options,
                                     directory.get());
}

void Repairer::DeleteTables(const std::vector<uint64_t>& numbers) {
  for (const uint64_t number : numbers) {
    fs_->DeleteFile(PathOfTable(number), IOOptions(), nullptr).PermitUncheckedError();
  }
}

void Repairer::Archive(const std::string& dir, const std::string& name) {
  const std::string lost = dir + "/" + kLostDir;
  IOStatus io = CreateDirDurably(fs_, lost);
  if (io.ok()) io = fs_->RenameFile(dir + "/" + name, lost + "/" + name, IOOptions(), nullptr);
  LogInfo(info_log_, "Archiving %s/%s: %s", dir.c_str(), name.c_str(), io.ToString().c_str());
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {
namespace {

Status Repair(const std::string& dbname, const DBOptions& db_options,
              std::vector<ColumnFamilyDescriptor> families, const ColumnFamilyOptions* unknown) {
  const auto is_default = [](const ColumnFamilyDescriptor& family) {
    return family.name == kDefaultColumnFamilyName;
  };
  if (std::none_of(families.begin(), families.end(), is_default)) {
    return Status::InvalidArgument("column_families",
                                   "Must contain entry for default column family");
  }
  DBOptions options = cairn::SanitizeOptions(db_options, dbname);
  for (ColumnFamilyDescriptor& family : families) {
    if (Status s = cairn::CompleteOptions(options, &family.options); !s.ok()) return s;
    if (!family.options.cf_paths.empty()) {
      return Status::NotSupported("RepairDB with cf_paths: give db_paths", family.name);
    }
    if (cairn::LacksTimestampsInTables(family.options)) {
      return Status::NotSupported("RepairDB with persist_user_defined_timestamps=false",
                                  family.name);
    }
  }
  ColumnFamilyOptions others;
  if (unknown != nullptr) {
    others = *unknown;
    if (Status s = cairn::CompleteOptions(options, &others); !s.ok()) return s;
  }
  // (Which also makes the directory, as in RocksDB.)
  Status s = CreateLoggerFromOptions(dbname, options, &options.info_log);
  if (!s.ok()) options.info_log = nullptr;
  return cairn::Repairer(dbname, options, families, unknown == nullptr ? nullptr : &others).Run();
}

}  // namespace

Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& column_families) {
  return Repair(dbname, db_options, column_families, nullptr);
}

Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& column_families,
                const ColumnFamilyOptions& unknown_cf_opts) {
  return Repair(dbname, db_options, column_families, &unknown_cf_opts);
}

Status RepairDB(const std::string& dbname, const Options& options) {
  const ColumnFamilyOptions all(options);
  return Repair(dbname, DBOptions(options), {{kDefaultColumnFamilyName, all}}, &all);
}

}  // namespace ROCKSDB_NAMESPACE
