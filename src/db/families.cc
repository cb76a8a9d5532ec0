// Column families: how they are found, created and dropped.
//
// Creation and drop hold commit leadership and the mutex while they change the books: no batch is
// between its check and its memtables then. A family that was dropped is gone for writers at once;
// handles, iterators and jobs that have it keep what they read until they let go.
#include <algorithm>

#include "base/logging.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "compaction/entry_ages.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/options_changes.h"
#include "db/sequence_times.h"
#include "db/shared_memory.h"
#include "db/write_path.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "options/options_check.h"
#include "table/block_based_table_factory.h"

namespace cairn {

Status Families::OtherFamilyOf(ColumnFamilyHandle* handle, ColumnFamily** family) const {
  if (handle == nullptr) {
    return Status::InvalidArgument("column family handle must not be null");
  }
  const auto* const ours = static_cast<const ColumnFamilyHandleImpl*>(handle);
  if (ours->db() != &db_) {
    return Status::InvalidArgument("column family handle of another database", handle->GetName());
  }
  *family = ours->family();
  return Status::OK();
}

Status Families::CheckBatchFamilies(const WriteBatch& batch, bool ignore_missing) const {
  BatchReader reader(batch.Data());
  BatchRecord record;
  uint32_t checked = 0;
  bool exists = true;
  const ColumnFamily* family = default_family_;
  while (reader.Next(&record)) {
    if (!record.counted) continue;
    if (record.family != checked) {
      fiber::MutexLock lock(&live_mutex_);
      const ColumnFamily* const found = FindFamily(record.family);
      exists = found != nullptr;
      if (!exists && !ignore_missing) {
        return Status::InvalidArgument("Invalid column family specified in write batch");
      }
      if (exists) family = found;
      checked = record.family;
    }
    if (!exists) continue;
    if (family->disallows_writes) {
      return Status::InvalidArgument("This column family has disallow_memtable_writes=true");
    }
    if (record.type == kTypeMerge && family->merge_operator == nullptr) {
      return Status::InvalidArgument(
          "Merge requires `ColumnFamilyOptions::merge_operator != nullptr`");
    }
    if (record.type == kTypeRangeDeletion && !family->table_factory->IsDeleteRangeSupported()) {
      return Status::NotSupported("DeleteRange not supported for table type " +
                                  std::string(family->table_factory->Name()) + " in CF " +
                                  family->name());  // RocksDB's words
    }
    if (record.type == kTypeRangeDeletion &&
        family->icmp.CompareBare(record.key, record.value) > 0) {
      return Status::InvalidArgument("end key comes before start key");
    }
    if (const size_t ts_size = family->icmp.timestamp_size(); ts_size != 0) {
      const bool has_one = record.family != 0 || WriteBatchInternal::MayHaveTimestamps(&batch);
      if (!has_one || record.key.size() < ts_size ||
          (record.type == kTypeRangeDeletion && record.value.size() < ts_size)) {
        return Status::InvalidArgument("write batch must have timestamp(s) set");
      }
    }
  }
  return reader.status();
}

std::shared_ptr<const Options> Families::LiveOptions(const ColumnFamily* family) const {
  if (db_.Forked()) return std::make_shared<const Options>(db_.options, ColumnFamilyOptions());
  DBMutexLock lock(db_.mutex());
  return family->options;
}

void Families::SetDefault(ColumnFamily* family) {
  default_family_ = family;
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(&db_, family);
}

Status Families::JoinDirectories(const ColumnFamilyOptions& options) {
  if (options.cf_paths.empty()) return Status::OK();
  uint64_t largest = 0;
  const Status s = db_.outside.Join(options, db_.versions->db_id(), &largest);
  db_.versions->MarkFileNumberUsed(largest);
  return s;
}

Status Families::OpenDirectories(const ColumnFamilyOptions& options,
                                 std::vector<std::shared_ptr<FSDirectory>>* directories) {
  *directories = db_.table_directories;
  if (options.cf_paths.empty() || db_.mode != OpenMode::kReadWrite) return Status::OK();
  directories->clear();
  for (const DbPath& path : options.cf_paths) {
    std::unique_ptr<FSDirectory> opened;
    IOStatus io = db_.fs->NewDirectory(path.path, IOOptions(), &opened, nullptr);
    if (!io.ok()) return io;
    directories->push_back(std::move(opened));
  }
  return Status::OK();
}

bool Families::IsTableDirectory(const std::string& directory) const {
  if (db_.all_table_directories.contains(directory)) return true;
  fiber::MutexLock live(&live_mutex_);
  return std::any_of(families_.begin(), families_.end(), [&](const ColumnFamily* family) {
    return std::ranges::count(family->paths, directory) != 0;
  });
}

ColumnFamily* Families::AddFamily(ColumnFamilyState* state, std::shared_ptr<const Options> options,
                                  std::vector<std::shared_ptr<FSDirectory>> directories) {
  std::vector<std::string> paths = TableDirectoriesOf(db_.options, *options, db_.name);
  if (!db_.worker_paths.empty()) paths = db_.worker_paths;
  TableCacheOptions tables;
  tables.verify_unique_ids = db_.options.verify_sst_unique_id_in_manifest;
  tables.fs = db_.fs;
  tables.file_options = FileOptionsForTableRead(*db_.fs, db_.options);
  tables.paths = paths;
  tables.num_levels = options->num_levels;
  tables.max_open_files = options->max_open_files;
  tables.table_cache_numshardbits = options->table_cache_numshardbits;
  tables.statistics = db_.statistics;
  tables.block_trace = &db_.block_trace;
  tables.info_log = db_.options.info_log.get();
  tables.open_tables = db_.open_tables;
  tables.row_cache = db_.options.row_cache;
  tables.use_secondary_cache = db_.options.lowest_used_cache_tier != CacheTier::kVolatileTier;
  BlobSourceOptions blobs;
  blobs.fs = db_.fs;
  blobs.file_options = FileOptionsForBlobRead(*db_.fs, db_.options);
  blobs.directory = paths.front();
  blobs.column_family_id = state->id();
  blobs.timestamp_size = options->comparator->timestamp_size();
  blobs.open_files = db_.open_tables;
  blobs.cache = options->blob_cache;
  blobs.statistics = db_.statistics;
  const auto* const known =
      dynamic_cast<const BlockBasedTableFactory*>(options->table_factory.get());
  if (known != nullptr) {
    const BlockBasedTableOptions& table = known->options();
    blobs.initial_auto_readahead_size = table.initial_auto_readahead_size;
    blobs.max_auto_readahead_size = table.max_auto_readahead_size;
    blobs.num_file_reads_for_auto_readahead = table.num_file_reads_for_auto_readahead;
    blobs.charges = known->charges();
  }
  // As in RocksDB: the LOG has the options of the first ones, the OPTIONS file those of all.
  constexpr size_t kDumped = 10;
  if (owned_families_.size() < kDumped) {
    LogInfo(db_.options.info_log.get(),
            "--------------- Options for column family [%s]:", state->name().c_str());
    ColumnFamilyOptions(*options).Dump(db_.options.info_log.get());
  }
  if (options->comparator->timestamp_size() != 0) {
    any_has_timestamps_.store(true, std::memory_order_relaxed);
  }
  auto owned = std::make_unique<ColumnFamily>(
      state, std::move(options), std::move(tables), std::move(blobs), [this](SuperVersion* sv) {
        if (!db_.Forked()) db_.files->Retire(sv);  // (then it is the parent's affair)
      });
  ColumnFamily* const family = owned.get();
  family->paths = std::move(paths);
  family->directories = std::move(directories);
  owned_families_[family->id()] = std::move(owned);
  return family;
}

Status CheckMemTable(const MemTable& memtable, const std::string& family,
                     const ColumnFamilyOptions& options) {
  Status s = memtable.creation_status();
  if (s.ok() && options.merge_operator != nullptr && !memtable.SupportsMerge()) {
    s = Status::InvalidArgument("The memtable of column family " + family +
                                " does not support merge operator, and its "
                                "options.merge_operator is non-null");
  }
  return s;
}

MemTable* Families::NewMemTable(const ColumnFamily& family, SequenceNumber earliest) const {
  const std::shared_ptr<const Options> live = LiveOptions(&family);
  MemTableOptions options = MakeMemTableOptions(*live, *live);
  options.client = db_.memory->client();
  options.huge_page_pool = family.huge_pages;
  options.column_family = family.id();
  return new MemTable(family.icmp, options, earliest);
}

void Families::PublishFamily(ColumnFamily* family) {
  if (const size_t bytes = family->icmp.timestamp_size(); bytes != 0) {
    db_.wals->SetTimestampSize(family->id(), bytes);
  }
  db_.sink.Set(family->id(), family->mem);
  family->mem->SetFirstLogNumber(db_.wals->current_number());
  family->written = false;
  if (db_.mode == OpenMode::kReadWrite && !family->is_default()) family->state->SetIdle(true);
  db_.work->InstallSuperVersion(family);  // who finds it in families_ reads it
  {
    fiber::MutexLock live(&live_mutex_);
    families_.push_back(family);
  }
  FamiliesChanged();
}

// (Ids only grow.)
ColumnFamily* Families::FindFamily(uint32_t id) const {
  const auto it =
      std::lower_bound(families_.begin(), families_.end(), id,
                       [](const ColumnFamily* family, uint32_t n) { return family->id() < n; });
  return it == families_.end() || (*it)->id() != id ? nullptr : *it;
}

void Families::UpdateFigures(ColumnFamily* family) {
  FamilyFigures figures;
  if (!family->dropped.load()) {
    const Options& options = *family->options;
    const auto within_a_month = [](uint64_t age) {
      constexpr uint64_t kMonth = uint64_t{30} * 24 * 60 * 60;  // seconds
      return age != 0 && age < kMonth;
    };
    figures.wal_bytes =
        4 * options.write_buffer_size * static_cast<uint64_t>(options.max_write_buffer_number);
    figures.folds = family->max_successive_merges.load(std::memory_order_relaxed) != 0;
    figures.ages =
        within_a_month(options.ttl) || within_a_month(options.periodic_compaction_seconds);
    for (const FileTemperatureAge& from :
         options.compaction_options_fifo.file_temperature_age_thresholds) {
      figures.ages |= within_a_month(std::max<uint64_t>(from.age, 1));
    }
    figures.times = SecondsOfTimes(options);
    figures.stalled = family->stall.condition != StallCondition::kNormal;
    if (!options.disable_auto_compactions) {
      figures.pressed =
          db_.work->Level0Pressure(*family) >= 2 * options.level0_file_num_compaction_trigger;
      figures.expiry = family->current()->next_expiry();
      figures.places = options.preclude_last_level_data_seconds != 0;
    }
  }
  books_.Update(family, figures);
}

void Families::FamiliesChanged() {
  db_.sequence_times->BooksChanged();
  db_.work->StartClock();
  db_.sink.SetFoldsOperands(books_.any_folds());
  supports_snapshots_.store(
      std::ranges::all_of(
          families_, [](const ColumnFamily* family) { return family->mem->SupportsSnapshots(); }),
      std::memory_order_relaxed);
  uint64_t limit = default_family_->options->max_total_wal_size;
  // As in RocksDB: a family that is written to rarely would keep all logs.
  if (limit == 0 && families_.size() > 1) limit = books_.wal_bytes();
  db_.writes->SetWalLimit(limit);
}

// --- Creation

namespace {

// Before anything is written: whether the user's factory, if there is one, makes what the family
// needs.
Status TryMemTable(const std::string& name, const DBOptions& db_options,
                   const ColumnFamilyOptions& options) {
  const MemTableOptions made = MakeMemTableOptions(db_options, options);
  if (made.kind != MemTableKind::kUser) return Status::OK();
  MemTable* const trial = new MemTable(InternalKeyComparator(options.comparator), made, 0);
  const Status s = CheckMemTable(*trial, name, options);
  trial->Unref();
  return s;
}

}  // namespace

Status Families::CreateFamily(const ColumnFamilyDescriptor& descriptor, ColumnFamilyHandle** handle,
                              FamilyFiles* files) {
  *handle = nullptr;
  Status s = db_.RefuseIfReadOnly();
  ColumnFamilyOptions options = descriptor.options;
  if (s.ok()) s = CompleteOptions(*LiveOptions(), &options);
  if (s.ok()) s = JoinDirectories(options);
  std::vector<std::shared_ptr<FSDirectory>> directories;
  if (s.ok()) s = OpenDirectories(options, &directories);
  if (!s.ok()) return s;
  if (s = TryMemTable(descriptor.name, *LiveOptions(), options); !s.ok()) return s;
  CommitQueue::Exclusive leadership(db_.commit.get());
  if (files != nullptr) {
    IOStatus io = db_.wals->Sync();
    if (!io.ok()) {
      db_.writes->OnCommitError(io, CommitErrorKind::kWalSync);
      return io;
    }
  }
  DBMutexLock lock(db_.mutex());
  if (db_.errors->failed()) return db_.errors->error();
  if (db_.shutting_down.load()) return Status::ShutdownInProgress();
  ColumnFamilyState* state = nullptr;
  s = db_.versions->CreateColumnFamily(descriptor.name, options, db_.wals->current_number(),
                                       db_.mutex(), db_.directory.get(), &state,
                                       files != nullptr ? &files->edit : nullptr);
  if (!s.ok()) {
    if (files != nullptr && db_.versions->manifest_write_failed()) SettleFailedImport(s, files);
    LogError(db_.options.info_log.get(), "Creating column family [%s] FAILED -- %s",
             descriptor.name.c_str(), s.ToString().c_str());
    return s;
  }
  const DBOptions& db_options = *default_family_->options;
  ColumnFamily* const family = AddFamily(
      state, std::make_shared<const Options>(db_options, options), std::move(directories));
  if (files != nullptr && files->largest > db_.versions->LastSequence()) {
    db_.versions->SetLastSequence(files->largest);
  }
  lock.unlock();
  family->mem = NewMemTable(*family, db_.versions->LastSequence());
  lock.lock();
  PublishFamily(family);
  if (files != nullptr) {
    books_.MayCompact(family);
    db_.work->JobsChanged();
  }
  *handle = new ColumnFamilyHandleImpl(&db_, family);
  LogInfo(db_.options.info_log.get(), "Created column family [%s] (ID %u)", family->name().c_str(),
          family->id());
  return s;
}

void Families::SettleFailedImport(const Status& error, FamilyFiles* files) {
  VersionEdit nothing;
  const Status s =
      db_.versions->LogAndApply(default_family_->state, &nothing, db_.mutex(), db_.directory.get());
  if (s.ok()) return;
  files->keep = true;
  db_.errors->SetBackgroundError(error, BackgroundErrorReason::kManifestWrite,
                                 "import of a family");
}

Status Families::CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                                    ColumnFamilyHandle** handle) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s = CreateColumnFamilies({ColumnFamilyDescriptor(name, options)}, &handles);
  *handle = s.ok() ? handles[0] : nullptr;
  return s;
}

Status Families::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                      const std::vector<std::string>& names,
                                      std::vector<ColumnFamilyHandle*>* handles) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) descriptors.emplace_back(name, options);
  return CreateColumnFamilies(descriptors, handles);
}

Status Families::CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& descriptors,
                                      std::vector<ColumnFamilyHandle*>* handles) {
  handles->clear();
  fiber::MutexLock one_at_a_time(db_.options_changes->changes_mutex());
  Status s;
  for (const ColumnFamilyDescriptor& descriptor : descriptors) {
    ColumnFamilyHandle* handle;
    s = CreateFamily(descriptor, &handle);
    if (!s.ok()) break;
    handles->push_back(handle);
  }
  // Those before one that failed exist.
  if (!handles->empty()) {
    std::vector<ColumnFamily*> created;
    for (const ColumnFamilyHandle* handle : *handles) {
      created.push_back(static_cast<const ColumnFamilyHandleImpl*>(handle)->family());
    }
    const Status persisted = db_.options_changes->PersistLiveOptions(&created);
    if (s.ok()) s = persisted;
  }
  return s;
}

// --- Drop

Status Families::DropFamily(ColumnFamilyHandle* handle) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = FamilyOf(handle, &family);
  if (!s.ok()) return s;
  if (family->is_default()) return Status::InvalidArgument("Can't drop default column family");
  {
    CommitQueue::Exclusive leadership(db_.commit.get());
    DBMutexLock lock(db_.mutex());
    s = db_.versions->DropColumnFamily(family->state, db_.mutex(), db_.directory.get());
    if (!s.ok()) return s;
    RemoveFamily(family);
    db_.work->UpdateStall(default_family_);
    db_.work->JobsChanged();  // of it nothing is to be waited for any more
    LogInfo(db_.options.info_log.get(), "Dropped column family [%s] (ID %u)",
            family->name().c_str(), family->id());
  }
  UnrefFamily(family, /*purge=*/true);
  return s;
}

void Families::RemoveFamily(ColumnFamily* family) {
  family->dropped.store(true, std::memory_order_release);
  db_.sink.Remove(family->id());
  {
    fiber::MutexLock live(&live_mutex_);
    families_.erase(std::lower_bound(
        families_.begin(), families_.end(), family,
        [](const ColumnFamily* a, const ColumnFamily* b) { return a->id() < b->id(); }));
  }
  // It holds nobody up any more.
  family->stall = StallDecision();
  family->stall_token.reset();
  family->pressure_token.reset();
  books_.Remove(family);
  FamiliesChanged();
}

Status Families::DropColumnFamily(ColumnFamilyHandle* handle) {
  return DropColumnFamilies({handle});
}

Status Families::DropColumnFamilies(const std::vector<ColumnFamilyHandle*>& handles) {
  fiber::MutexLock one_at_a_time(db_.options_changes->changes_mutex());
  Status s;
  std::vector<ColumnFamily*> dropped;
  for (ColumnFamilyHandle* handle : handles) {
    s = DropFamily(handle);
    if (!s.ok()) break;
    dropped.push_back(static_cast<const ColumnFamilyHandleImpl*>(handle)->family());
  }
  if (!dropped.empty()) {
    const Status persisted = db_.options_changes->PersistLiveOptions(&dropped);
    if (s.ok()) s = persisted;
  }
  return s;
}

std::vector<ColumnFamily*> Families::RefAll() {
  fiber::MutexLock lock(live_mutex());
  std::vector<ColumnFamily*> families = all();
  for (ColumnFamily* family : families) family->Ref();
  return families;
}

void Families::UnrefFamily(ColumnFamily* family, bool purge) {
  if (db_.Forked()) return;
  // The database's own reference ends with a drop: then the last one frees what is left.
  if (family->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!db_.files->AddUnreferenced(family)) return;
  if (purge) {
    db_.files->Purge();
  } else {
    db_.files->SchedulePurge();
  }
}

std::unique_ptr<ColumnFamily> Families::Disown(uint32_t id) {
  const auto it = owned_families_.find(id);
  std::unique_ptr<ColumnFamily> family = std::move(it->second);
  owned_families_.erase(it);
  return family;
}

uint64_t Families::FamilyVisits() {
  DBMutexLock lock(db_.mutex());
  return books_.visits();
}

}  // namespace cairn
