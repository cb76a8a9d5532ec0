// Properties and size estimates: what an operator or a tool asks of a running database.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "base/perf.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/properties.h"
#include "db/stats_reports.h"
#include "fiber/clock.h"
#include "fs/file_checksum.h"
#include "fs/file_names.h"
#include "read/approximate_size.h"
#include "read/version_iterators.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "table/block_cache_key.h"
#include "table/read_ahead.h"

namespace cairn {
namespace {

constexpr char kPrefix[] = "rocksdb.";

// The number that follows `prefix`, or -1.
int LevelSuffix(const std::string& name, const std::string& prefix) {
  if (name.compare(0, prefix.size(), prefix) != 0) return -1;
  const std::string digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 3 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return -1;
  }
  return std::stoi(digits);
}

// What is read while it lives counts as read to verify checksums.
class VerificationCount {
 public:
  explicit VerificationCount(Statistics* statistics)
      : statistics_(statistics), before_(Perf::State()->io.bytes_read) {}
  VerificationCount(const VerificationCount&) = delete;
  VerificationCount& operator=(const VerificationCount&) = delete;
  ~VerificationCount() {
    if (statistics_ == nullptr) return;
    statistics_->recordTick(VERIFY_CHECKSUM_READ_BYTES, Perf::State()->io.bytes_read - before_);
  }

 private:
  Statistics* const statistics_;
  const uint64_t before_;
};

}  // namespace

Cache* BlockCacheOf(const ColumnFamilyOptions& options) {
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr || table->no_block_cache ? nullptr : table->block_cache.get();
}

bool Properties::DatabaseIntProperty(const std::string& name, uint64_t* value) {
  if (name == "num-running-flushes") {
    *value = static_cast<uint64_t>(db_.jobs.flushes);
  } else if (name == "num-running-compactions") {
    *value = static_cast<uint64_t>(db_.jobs.compactions);
  } else if (name == "background-errors") {
    *value = db_.errors->count();
  } else if (name == "is-file-deletions-enabled") {
    // RocksDB's own reading: 0 means enabled, otherwise how often deletions were disabled.
    *value = static_cast<uint64_t>(db_.files->deletions_disabled());
  } else if (name == "num-snapshots") {
    *value = db_.snapshots.size();
  } else if (name == "oldest-snapshot-time") {
    *value = static_cast<uint64_t>(db_.snapshots.oldest_time());
  } else if (name == "oldest-snapshot-sequence") {
    *value = db_.snapshots.size() == 0 ? 0 : db_.snapshots.oldest();
  } else if (name == "min-log-number-to-keep") {
    *value = db_.versions->MinLogNumberToKeep();
  } else if (name == "min-obsolete-sst-number-to-keep") {
    *value =
        db_.files->protected_files().empty() ? UINT64_MAX : *db_.files->protected_files().begin();
  } else if (name == "actual-delayed-write-rate") {
    *value = db_.write_controller.NeedsDelay() ? db_.write_controller.delayed_write_rate() : 0;
  } else if (name == "is-write-stopped") {
    *value = db_.write_controller.IsStopped();
  } else if (name == "cairn-readahead-memory") {
    *value = ReadAhead::MemoryInUse();
  } else {
    return false;
  }
  return true;
}

void Properties::LoadTableCounters(const ColumnFamily& family) {
  // Where tables stay open anyway, of all of them.
  constexpr size_t kMost = 64;
  SuperVersionGuard sv(family.super_versions.get());
  std::vector<std::pair<FileMetaData*, TableFileId>> unknown;
  {
    DBMutexLock lock(db_.mutex());
    const size_t most = family.options->max_open_files < 0 ? SIZE_MAX : kMost;
    for (int level = 0; level < sv->current->num_levels(); ++level) {
      for (FileMetaData* file : sv->current->files(level)) {
        if (file->stats_known || unknown.size() >= most) continue;
        unknown.emplace_back(file, file->TableId(level));
      }
    }
  }
  for (const auto& [file, id] : unknown) {
    std::shared_ptr<const TableProperties> properties;
    if (!family.tables->GetTableProperties(id, &properties).ok()) continue;
    DBMutexLock lock(db_.mutex());
    sv->current->SetFileStats(file, properties->num_entries, properties->num_deletions,
                              properties->raw_key_size, properties->raw_value_size);
  }
}

void Properties::LoadTableCounters() {
  for (ColumnFamily* family : db_.families->RefAll()) {
    LoadTableCounters(*family);
    db_.families->UnrefFamily(family, /*purge=*/false);
  }
}

bool Properties::BlobIntProperty(const ColumnFamily& family, const std::string& name,
                                 uint64_t* value) {
  const BlobFileTotals totals = TotalsOf(family.current()->blob_files());
  const Cache* const cache = family.blobs->cache().get();
  if (name == "num-blob-files") {
    *value = totals.files;
  } else if (name == "total-blob-file-size") {
    *value = VersionSet::TotalBlobFileBytes(*family.state);
  } else if (name == "live-blob-file-size") {
    *value = totals.file_bytes;
  } else if (name == "live-blob-file-garbage-size") {
    *value = totals.garbage_bytes;
  } else if (name == "blob-cache-capacity" && cache != nullptr) {
    *value = cache->GetCapacity();
  } else if (name == "blob-cache-usage" && cache != nullptr) {
    *value = cache->GetUsage();
  } else if (name == "blob-cache-pinned-usage" && cache != nullptr) {
    *value = cache->GetPinnedUsage();
  } else {
    return false;
  }
  return true;
}

bool Properties::IntProperty(const ColumnFamily& family, const std::string& name, uint64_t* value) {
  if (name == "estimate-num-keys") LoadTableCounters(family);
  DBMutexLock lock(db_.mutex());
  if (DatabaseIntProperty(name, value)) return true;
  const Version& version = *family.current();
  const MemTable& mem = *family.mem;
  const MemTableListVersion& imm = *family.imm.current();
  if (name == "num-immutable-mem-table") {
    *value = static_cast<uint64_t>(family.imm.NumNotFlushed());
  } else if (name == "num-immutable-mem-table-flushed") {
    *value = 0;
  } else if (name == "mem-table-flush-pending") {
    *value = family.imm.IsFlushPending();
  } else if (name == "compaction-pending") {
    *value = !family.options->disable_auto_compactions && !family.compaction_blocked &&
             family.picker->NeedsCompaction(version);
  } else if (name == "cur-size-active-mem-table") {
    *value = mem.ApproximateMemoryUsage();
  } else if (name == "cur-size-all-mem-tables" || name == "size-all-mem-tables") {
    *value = mem.ApproximateMemoryUsage() + imm.TotalMemoryUsage();
  } else if (name == "num-entries-active-mem-table") {
    *value = mem.num_entries();
  } else if (name == "num-entries-imm-mem-tables") {
    *value = imm.TotalEntries();
  } else if (name == "num-deletes-active-mem-table") {
    *value = mem.num_deletes();
  } else if (name == "num-deletes-imm-mem-tables") {
    *value = imm.TotalDeletes();
  } else if (name == "estimate-num-keys") {
    const uint64_t entries =
        mem.num_entries() + imm.TotalEntries() + version.GetEstimatedActiveKeys();
    // A tombstone is an entry that hides another.
    const uint64_t hidden = 2 * (mem.num_deletes() + imm.TotalDeletes());
    *value = entries > hidden ? entries - hidden : 0;
  } else if (name == "estimate-table-readers-mem") {
    *value = 0;
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) {
        TableCache::Ref table;
        if (!family.tables->FindTable(file->TableId(level), &table, /*no_io=*/true).ok()) continue;
        *value += table->ApproximateMemoryUsage();
      }
    }
  } else if (name == "num-live-versions") {
    *value = VersionSet::NumLiveVersions(*family.state);
  } else if (name == "current-super-version-number") {
    *value = family.super_version_number;
  } else if (name == "estimate-live-data-size") {
    *value = version.EstimateLiveDataSize();
  } else if (name == "total-sst-files-size") {
    *value = VersionSet::TotalTableBytes(*family.state);
  } else if (name == "live-sst-files-size") {
    *value = 0;
    for (int level = 0; level < version.num_levels(); ++level) {
      *value += version.NumLevelBytes(level);
    }
  } else if (BlobIntProperty(family, name, value)) {
    // (done)
  } else if (name == "base-level") {
    *value = static_cast<uint64_t>(version.base_level());
  } else if (name == "estimate-pending-compaction-bytes") {
    *value = version.estimated_compaction_needed_bytes();
  } else if (name == "block-cache-capacity" || name == "block-cache-usage" ||
             name == "block-cache-pinned-usage") {
    const Cache* cache = BlockCacheOf(*family.options);
    if (cache == nullptr) return false;
    *value = name == "block-cache-capacity" ? cache->GetCapacity()
             : name == "block-cache-usage"  ? cache->GetUsage()
                                            : cache->GetPinnedUsage();
  } else {
    return false;
  }
  return true;
}

bool Properties::AggregatedTableProperties(const ColumnFamily& family, const std::string& name,
                                           TableProperties* sum) {
  const int only_level = LevelSuffix(name, "aggregated-table-properties-at-level");
  if (only_level < 0 && name != "aggregated-table-properties") return false;
  *sum = TableProperties();
  SuperVersionGuard sv(family.super_versions.get());
  if (only_level >= sv->current->num_levels()) return false;
  for (int level = 0; level < sv->current->num_levels(); ++level) {
    if (only_level >= 0 && level != only_level) continue;
    for (const FileMetaData* file : sv->current->files(level)) {
      std::shared_ptr<const TableProperties> one;
      if (!family.tables->GetTableProperties(file->TableId(level), &one).ok()) return false;
      sum->Add(*one);
    }
  }
  return true;
}

bool Properties::StringProperty(ColumnFamily* of, const std::string& name, std::string* value) {
  const ColumnFamily& family = *of;
  TableProperties sum;
  if (AggregatedTableProperties(family, name, &sum)) {
    *value = sum.ToString();
    return true;
  }
  if (name == "options-statistics") {
    if (db_.statistics == nullptr) return false;
    *value = db_.statistics->ToString();
    return true;
  }
  const int ratio_level = LevelSuffix(name, "compression-ratio-at-level");
  if (ratio_level >= 0) LoadTableCounters(family);
  DBMutexLock lock(db_.mutex());
  if (name == "stats" || name == "cfstats" || name == "cfstats-no-file-histogram") {
    *value = db_.stats->FamilyStatsText(of);
  }
  if (name == "stats" || name == "dbstats") *value += db_.stats->DatabaseStatsText();
  if (!value->empty()) return true;
  const Version& version = *family.current();
  if (name == "levelstats") {
    *value = LevelStats::FilesAndSizes(version);
    return true;
  }
  if (name == "blob-stats") {
    const BlobFileTotals totals = TotalsOf(version.blob_files());
    std::ostringstream out;
    out << "Number of blob files: " << totals.files
        << "\nTotal size of blob files: " << totals.file_bytes
        << "\nTotal size of garbage in blob files: " << totals.garbage_bytes
        << "\nBlob file space amplification: " << BlobSpaceAmplification(totals) << '\n';
    *value = out.str();
    return true;
  }
  if (name == "sstables") {
    *value = version.DebugString(/*hex_keys=*/true);
    return true;
  }
  if (ratio_level >= 0) {
    if (ratio_level >= version.num_levels()) return false;
    *value = std::to_string(version.CompressionRatioAtLevel(ratio_level));
    return true;
  }
  const int level = LevelSuffix(name, "num-files-at-level");
  if (level >= 0) {
    if (level >= version.num_levels()) return false;
    *value = std::to_string(version.NumLevelFiles(level));
    return true;
  }
  return false;
}

bool Properties::GetProperty(ColumnFamilyHandle* handle, const Slice& property,
                             std::string* value) {
  value->clear();
  ColumnFamily* family;
  if (!db_.families->FamilyOf(handle, &family).ok() || !property.starts_with(kPrefix)) return false;
  Slice rest = property;
  rest.remove_prefix(strlen(kPrefix));
  const std::string name = rest.ToString();
  uint64_t number;
  if (IntProperty(*family, name, &number)) {
    *value = std::to_string(number);
    return true;
  }
  return StringProperty(family, name, value);
}

bool Properties::GetIntProperty(ColumnFamilyHandle* handle, const Slice& property,
                                uint64_t* value) {
  ColumnFamily* family;
  if (!db_.families->FamilyOf(handle, &family).ok() || !property.starts_with(kPrefix)) return false;
  Slice rest = property;
  rest.remove_prefix(strlen(kPrefix));
  return IntProperty(*family, rest.ToString(), value);
}

bool Properties::GetMapProperty(ColumnFamilyHandle* handle, const Slice& property,
                                std::map<std::string, std::string>* value) {
  value->clear();
  ColumnFamily* family;
  if (!db_.families->FamilyOf(handle, &family).ok() || !property.starts_with(kPrefix)) return false;
  Slice name = property;
  name.remove_prefix(strlen(kPrefix));
  TableProperties sum;
  if (AggregatedTableProperties(*family, name.ToString(), &sum)) {
    for (const auto& [field, number] : sum.GetAggregatablePropertiesAsMap()) {
      (*value)[field] = std::to_string(number);
    }
    return true;
  }
  DBMutexLock lock(db_.mutex());
  if (property == Slice(DB::Properties::kCFWriteStallStats)) {
    *value = family->stall_times.ToMap();
    return true;
  }
  if (property != Slice("rocksdb.cfstats")) return false;
  *value = family->level_stats.ToMap(*family->current());
  value->merge(family->stall_times.ToOldMap());
  return true;
}

bool Properties::GetAggregatedIntProperty(const Slice& property, uint64_t* value) {
  if (db_.Forked() || !property.starts_with(kPrefix)) return false;
  Slice rest = property;
  rest.remove_prefix(strlen(kPrefix));
  const std::string name = rest.ToString();
  {
    DBMutexLock lock(db_.mutex());
    if (DatabaseIntProperty(name, value)) return true;
  }
  *value = 0;
  bool known = true;
  for (ColumnFamily* family : db_.families->RefAll()) {
    uint64_t of_family = 0;
    known = known && IntProperty(*family, name, &of_family);
    *value += of_family;
    db_.families->UnrefFamily(family, /*purge=*/false);
  }
  return known;
}

namespace {

// Before all versions of a key that the user gave.
InternalKey FirstOf(const ColumnFamily& family, const Slice& key) {
  return InternalKey(WithMaxTimestamp(key, family.icmp.timestamp_size()), kMaxSequenceNumber,
                     kValueTypeForSeek);
}

}  // namespace

Status Properties::GetApproximateSizes(const SizeApproximationOptions& options,
                                       ColumnFamilyHandle* handle, const Range* ranges, int n,
                                       uint64_t* sizes) {
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  if (!options.include_memtables && !options.include_files && !options.include_blob_files) {
    return Status::InvalidArgument("Invalid options: neither memtables nor files included");
  }
  SuperVersionGuard sv(family->super_versions.get());
  // What the values of a table take in blob files goes by its share of all tables.
  double blob_bytes_per_byte = 0;
  if (options.include_blob_files) {
    uint64_t tables = 0;
    for (int level = 0; level < sv->current->num_levels(); ++level) {
      tables += sv->current->NumLevelBytes(level);
    }
    const uint64_t blobs = TotalsOf(sv->current->blob_files()).file_bytes;
    if (tables != 0) blob_bytes_per_byte = static_cast<double>(blobs) / static_cast<double>(tables);
  }
  for (int i = 0; i < n; ++i) {
    const InternalKey begin = FirstOf(*family, ranges[i].start);
    const InternalKey end = FirstOf(*family, ranges[i].limit);
    sizes[i] = 0;
    if (options.include_files || options.include_blob_files) {
      const uint64_t bytes = ApproximateSize(ReadOptions(), *sv->current, family->tables.get(),
                                             begin.Encode(), end.Encode());
      if (options.include_files) sizes[i] += bytes;
      sizes[i] += static_cast<uint64_t>(static_cast<double>(bytes) * blob_bytes_per_byte);
    }
    if (options.include_memtables) {
      uint64_t count;
      uint64_t bytes;
      sv->mem->ApproximateRange(begin.Encode(), end.Encode(), &count, &bytes);
      sizes[i] += bytes;
      for (const MemTable* table : sv->imm->memtables()) {
        table->ApproximateRange(begin.Encode(), end.Encode(), &count, &bytes);
        sizes[i] += bytes;
      }
    }
  }
  return s;
}

void Properties::GetApproximateMemTableStats(ColumnFamilyHandle* handle, const Range& range,
                                             uint64_t* count, uint64_t* size) {
  *count = 0;
  *size = 0;
  ColumnFamily* family;
  if (!db_.families->FamilyOf(handle, &family).ok()) return;
  const InternalKey begin = FirstOf(*family, range.start);
  const InternalKey end = FirstOf(*family, range.limit);
  SuperVersionGuard sv(family->super_versions.get());
  std::vector<MemTable*> tables = sv->imm->memtables();
  tables.push_back(sv->mem);
  for (const MemTable* table : tables) {
    uint64_t entries;
    uint64_t bytes;
    table->ApproximateRange(begin.Encode(), end.Encode(), &entries, &bytes);
    *count += entries;
    *size += bytes;
  }
}

Status Properties::PropertiesOfTables(ColumnFamilyHandle* handle,
                                      const std::function<bool(const FileMetaData&)>& wanted,
                                      const Collect& collect) {
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  SuperVersionGuard sv(family->super_versions.get());
  for (int level = 0; level < sv->current->num_levels(); ++level) {
    for (const FileMetaData* file : sv->current->files(level)) {
      if (!wanted(*file)) continue;
      std::shared_ptr<const TableProperties> one;
      s = family->tables->GetTableProperties(file->TableId(level), &one);
      if (!s.ok()) return s;
      collect(level, TableFileName(family->paths, file->number, file->path_id), std::move(one));
    }
  }
  return s;
}

namespace {

auto Into(TablePropertiesCollection* properties) {
  return [properties](int /*level*/, const std::string& path,
                      std::shared_ptr<const TableProperties> one) {
    (*properties)[path] = std::move(one);
  };
}

bool IsAny(const FileMetaData& /*file*/) { return true; }

}  // namespace

Status Properties::GetPropertiesOfAllTables(ColumnFamilyHandle* handle,
                                            TablePropertiesCollection* properties) {
  return PropertiesOfTables(handle, IsAny, Into(properties));
}

Status Properties::GetPropertiesOfTablesByLevel(
    ColumnFamilyHandle* handle, std::vector<std::unique_ptr<TablePropertiesCollection>>* by_level) {
  ColumnFamily* family = nullptr;
  Status s = db_.families->FamilyOf(handle, &family);
  if (family == nullptr) return s;
  by_level->clear();
  for (int level = 0; level < family->num_levels; ++level) {
    by_level->push_back(std::make_unique<TablePropertiesCollection>());
  }
  return PropertiesOfTables(
      handle, IsAny,
      [by_level](int level, const std::string& path, std::shared_ptr<const TableProperties> one) {
        (*(*by_level)[static_cast<size_t>(level)])[path] = std::move(one);
      });
}

Status Properties::GetBlockCachePrefixes(std::vector<uint64_t>* prefixes) {
  prefixes->clear();
  return ForEachTable([&](const ColumnFamily& family, int level, const FileMetaData& file) {
    std::shared_ptr<const TableProperties> one;
    Status s = family.tables->GetTableProperties(file.TableId(level), &one);
    if (!s.ok()) return s;
    for (const bool bare_keys : {false, true}) {
      const auto prefix = CachePrefixOf(*one, file.number, file.file_size, bare_keys);
      if (prefix) prefixes->push_back(*prefix);
    }
    return s;
  });
}

Status Properties::GetCreationTimeOfOldestFile(uint64_t* creation_time) {
  if (db_.families->LiveOptions()->max_open_files != -1) {
    return Status::NotSupported("This API only works if max_open_files = -1");
  }
  *creation_time = UINT64_MAX;
  return ForEachTable([&](const ColumnFamily& family, int /*level*/, const FileMetaData& file) {
    if (family.dropped.load()) return Status::OK();
    *creation_time = std::min(*creation_time, file.file_creation_time);
    return Status::OK();
  });
}

Status Properties::GetPropertiesOfTablesInRange(ColumnFamilyHandle* handle, const Range* ranges,
                                                size_t n, TablePropertiesCollection* properties) {
  const Comparator* const comparator = handle->GetComparator();
  const auto is_in_one = [&](const FileMetaData& file) {
    return std::any_of(ranges, ranges + n, [&](const Range& range) {
      return comparator->Compare(file.largest.user_key(), range.start) >= 0 &&
             comparator->Compare(file.smallest.user_key(), range.limit) <= 0;
    });
  };
  return PropertiesOfTables(handle, is_in_one, Into(properties));
}

Status Properties::ForEachTable(
    const std::function<Status(const ColumnFamily&, int level, const FileMetaData&)>& visit) {
  if (db_.Forked()) return db_.ForkedStatus();
  Status s;
  for (ColumnFamily* family : db_.families->RefAll()) {
    {
      SuperVersionGuard sv(family->super_versions.get());
      for (int level = 0; level < sv->current->num_levels(); ++level) {
        for (const FileMetaData* file : sv->current->files(level)) {
          if (s.ok()) s = visit(*family, level, *file);
        }
      }
    }
    db_.families->UnrefFamily(family, /*purge=*/false);
  }
  return s;
}

Status Properties::ForEachBlobFile(
    const std::function<Status(const ColumnFamily&, const BlobFileAddition&)>& visit) {
  if (db_.Forked()) return db_.ForkedStatus();
  Status s;
  for (ColumnFamily* family : db_.families->RefAll()) {
    {
      SuperVersionGuard sv(family->super_versions.get());
      for (const auto& file : sv->current->blob_files()) {
        if (s.ok()) s = visit(*family, *file->file);
      }
    }
    db_.families->UnrefFamily(family, /*purge=*/false);
  }
  return s;
}

Status Properties::VerifyChecksum(const ReadOptions& read_options) {
  ReadOptions options = read_options;
  if (options.io_activity == Env::IOActivity::kUnknown) {
    options.io_activity = Env::IOActivity::kVerifyDBChecksum;
  }
  const VerificationCount count(db_.statistics);
  Status s = ForEachTable([&](const ColumnFamily& family, int level, const FileMetaData& file) {
    return family.tables->VerifyChecksum(options, file.TableId(level));
  });
  if (!s.ok()) return s;
  return ForEachBlobFile([&](const ColumnFamily& family, const BlobFileAddition& file) {
    return family.blobs->VerifyFile(options, file.number);
  });
}

Status Properties::VerifyFileChecksums(const ReadOptions& read_options) {
  ReadOptions options = read_options;
  if (options.io_activity == Env::IOActivity::kUnknown) {
    options.io_activity = Env::IOActivity::kVerifyFileChecksums;
  }
  FileChecksumGenFactory* const factory = db_.options.file_checksum_gen_factory.get();
  if (factory == nullptr) {
    return Status::InvalidArgument(
        "Cannot verify file checksum if options.file_checksum_gen_factory is null");
  }
  const auto verify = [&](const std::string& path, const std::string& checksum,
                          const std::string& func) {
    if (func.empty() || func == kUnknownFileChecksumFuncName) return Status::OK();
    return VerifyFileChecksum(db_.fs, path, db_.file_options, factory, checksum, func,
                              options.readahead_size, ReadLimits(options));
  };
  const VerificationCount count(db_.statistics);
  Status s = ForEachTable([&](const ColumnFamily& family, int /*level*/, const FileMetaData& file) {
    return verify(TableFileName(family.paths, file.number, file.path_id), file.file_checksum,
                  file.file_checksum_func_name);
  });
  if (!s.ok()) return s;
  return ForEachBlobFile([&](const ColumnFamily& family, const BlobFileAddition& file) {
    return verify(family.blobs->PathOf(file.number), file.checksum, file.checksum_func);
  });
}

Status Properties::GetDbIdentity(std::string& identity) const {
  if (db_.Forked()) return db_.ForkedStatus();
  identity = db_.versions->db_id();
  return Status::OK();
}

Status Properties::GetDbSessionId(std::string& session_id) const {
  session_id = db_.session_id;
  return Status::OK();
}

}  // namespace cairn
