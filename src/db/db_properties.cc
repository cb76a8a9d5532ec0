// Properties and size estimates: what an operator or a tool asks of a running database.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>

#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "read/approximate_size.h"
#include "read/version_iterators.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
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

Cache* BlockCacheOf(const ColumnFamilyOptions& options) {
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr || table->no_block_cache ? nullptr : table->block_cache.get();
}

}  // namespace

bool DBImpl::IntProperty(const std::string& name, uint64_t* value) {
  fiber::MutexLock lock(&mutex_);
  const Version& version = *versions_->current();
  const MemTableListVersion& imm = *imm_.current();
  if (name == "num-immutable-mem-table") {
    *value = static_cast<uint64_t>(imm_.NumNotFlushed());
  } else if (name == "num-immutable-mem-table-flushed") {
    *value = 0;
  } else if (name == "mem-table-flush-pending") {
    *value = imm_.IsFlushPending();
  } else if (name == "num-running-flushes") {
    *value = static_cast<uint64_t>(running_flushes_);
  } else if (name == "compaction-pending") {
    *value = !live_options_->disable_auto_compactions && !compaction_blocked_ &&
             picker_->NeedsCompaction(version);
  } else if (name == "num-running-compactions") {
    *value = static_cast<uint64_t>(running_compactions_);
  } else if (name == "background-errors") {
    *value = background_errors_;
  } else if (name == "cur-size-active-mem-table") {
    *value = mem_->ApproximateMemoryUsage();
  } else if (name == "cur-size-all-mem-tables" || name == "size-all-mem-tables") {
    *value = mem_->ApproximateMemoryUsage() + imm.TotalMemoryUsage();
  } else if (name == "num-entries-active-mem-table") {
    *value = mem_->num_entries();
  } else if (name == "num-entries-imm-mem-tables") {
    *value = imm.TotalEntries();
  } else if (name == "num-deletes-active-mem-table") {
    *value = mem_->num_deletes();
  } else if (name == "num-deletes-imm-mem-tables") {
    *value = imm.TotalDeletes();
  } else if (name == "estimate-num-keys") {
    const uint64_t entries =
        mem_->num_entries() + imm.TotalEntries() + version.GetEstimatedActiveKeys();
    // A tombstone is an entry that hides another.
    const uint64_t hidden = 2 * (mem_->num_deletes() + imm.TotalDeletes());
    *value = entries > hidden ? entries - hidden : 0;
  } else if (name == "estimate-table-readers-mem") {
    *value = table_cache_->ApproximateMemoryUsage();
  } else if (name == "is-file-deletions-enabled") {
    // RocksDB's own reading: 0 means enabled, otherwise how often deletions were disabled.
    *value = static_cast<uint64_t>(deletions_disabled_);
  } else if (name == "num-snapshots") {
    *value = snapshots_.size();
  } else if (name == "oldest-snapshot-time") {
    *value = static_cast<uint64_t>(snapshots_.oldest_time());
  } else if (name == "oldest-snapshot-sequence") {
    *value = snapshots_.size() == 0 ? 0 : snapshots_.oldest();
  } else if (name == "num-live-versions") {
    *value = versions_->NumLiveVersions();
  } else if (name == "current-super-version-number") {
    *value = super_version_number_;
  } else if (name == "estimate-live-data-size") {
    *value = version.EstimateLiveDataSize();
  } else if (name == "min-log-number-to-keep") {
    *value = versions_->MinLogNumberToKeep();
  } else if (name == "min-obsolete-sst-number-to-keep") {
    *value = protected_files_.empty() ? UINT64_MAX : *protected_files_.begin();
  } else if (name == "total-sst-files-size" || name == "live-sst-files-size") {
    *value = 0;
    for (int level = 0; level < version.num_levels(); ++level) {
      *value += version.NumLevelBytes(level);
    }
  } else if (name == "base-level") {
    *value = static_cast<uint64_t>(version.base_level());
  } else if (name == "estimate-pending-compaction-bytes") {
    *value = version.estimated_compaction_needed_bytes();
  } else if (name == "actual-delayed-write-rate") {
    *value = write_controller_.NeedsDelay() ? write_controller_.delayed_write_rate() : 0;
  } else if (name == "is-write-stopped") {
    *value = write_controller_.IsStopped();
  } else if (name == "cairn-readahead-memory") {
    *value = ReadAhead::MemoryInUse();
  } else if (name == "block-cache-capacity" || name == "block-cache-usage" ||
             name == "block-cache-pinned-usage") {
    const Cache* cache = BlockCacheOf(*live_options_);
    if (cache == nullptr) return false;
    *value = name == "block-cache-capacity" ? cache->GetCapacity()
             : name == "block-cache-usage"  ? cache->GetUsage()
                                            : cache->GetPinnedUsage();
  } else {
    return false;
  }
  return true;
}

std::string DBImpl::StatsText() {
  fiber::MutexLock lock(&mutex_);
  const double uptime = static_cast<double>(fiber::now_nanos() - opened_at_nanos_) / 1e9;
  char text[400];
  snprintf(text, sizeof(text),
           "\n** DB Stats **\nUptime(secs): %.1f total\nWAL: %.2f GB in live logs\n"
           "Cumulative stall: %.3f seconds, write delay rate %" PRIu64 " bytes/s\n",
           uptime, static_cast<double>(wals_->closed_bytes()) / (1 << 30),
           static_cast<double>(stall_times_.total_micros()) / 1e6,
           write_controller_.NeedsDelay() ? write_controller_.delayed_write_rate() : 0);
  std::string stalls = "Write stalls:";
  for (const auto& [cause, count] : stall_times_.ToMap())
    stalls.append(" ").append(cause).append(": ").append(count).append(",");
  stalls.back() = '\n';
  return level_stats_.CompactionTable(*versions_->current(), kDefaultColumnFamilyName) + text +
         stalls;
}

bool DBImpl::AggregatedTableProperties(int only_level, std::string* value) {
  TableProperties sum;
  SuperVersionGuard sv(super_versions_.get());
  if (only_level >= sv->current->num_levels()) return false;
  for (int level = 0; level < sv->current->num_levels(); ++level) {
    if (only_level >= 0 && level != only_level) continue;
    for (const FileMetaData* file : sv->current->files(level)) {
      std::shared_ptr<const TableProperties> one;
      if (!table_cache_->GetTableProperties(file->TableId(level), &one).ok()) return false;
      sum.Add(*one);
    }
  }
  *value = sum.ToString();
  return true;
}

bool DBImpl::StringProperty(const std::string& name, std::string* value) {
  if (name == "stats" || name == "cfstats" || name == "cfstats-no-file-histogram" ||
      name == "dbstats") {
    *value = StatsText();
    return true;
  }
  const int table_level = LevelSuffix(name, "aggregated-table-properties-at-level");
  if (name == "aggregated-table-properties" || table_level >= 0) {
    return AggregatedTableProperties(table_level, value);
  }
  if (name == "options-statistics") {
    if (statistics_ == nullptr) return false;
    *value = statistics_->ToString();
    return true;
  }
  fiber::MutexLock lock(&mutex_);
  const Version& version = *versions_->current();
  if (name == "levelstats") {
    *value = LevelStats::FilesAndSizes(version);
    return true;
  }
  if (name == "sstables") {
    *value = version.DebugString();
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

bool DBImpl::GetProperty(ColumnFamilyHandle* family, const Slice& property, std::string* value) {
  value->clear();
  if (!CheckFamily(family).ok() || !property.starts_with(kPrefix)) return false;
  Slice rest = property;
  rest.remove_prefix(strlen(kPrefix));
  const std::string name = rest.ToString();
  uint64_t number;
  if (IntProperty(name, &number)) {
    *value = std::to_string(number);
    return true;
  }
  return StringProperty(name, value);
}

bool DBImpl::GetIntProperty(ColumnFamilyHandle* family, const Slice& property, uint64_t* value) {
  if (!CheckFamily(family).ok() || !property.starts_with(kPrefix)) return false;
  Slice rest = property;
  rest.remove_prefix(strlen(kPrefix));
  return IntProperty(rest.ToString(), value);
}

bool DBImpl::GetMapProperty(ColumnFamilyHandle* family, const Slice& property,
                            std::map<std::string, std::string>* value) {
  value->clear();
  if (!CheckFamily(family).ok()) return false;
  fiber::MutexLock lock(&mutex_);
  if (property == Slice("rocksdb.cf-write-stall-stats")) {
    *value = stall_times_.ToMap();
    return true;
  }
  if (property != Slice("rocksdb.cfstats")) return false;
  const Version& version = *versions_->current();
  for (int level = 0; level < version.num_levels(); ++level) {
    const std::string prefix = "compaction.L" + std::to_string(level) + ".";
    const JobStats& stats = level_stats_.level(level);
    (*value)[prefix + "NumFiles"] = std::to_string(version.NumLevelFiles(level));
    (*value)[prefix + "SizeBytes"] = std::to_string(version.NumLevelBytes(level));
    (*value)[prefix + "CompCount"] = std::to_string(stats.count);
    (*value)[prefix + "WriteGB"] =
        std::to_string(static_cast<double>(stats.bytes_written) / (1 << 30));
    (*value)[prefix + "KeyIn"] = std::to_string(stats.records_in);
    (*value)[prefix + "KeyDrop"] = std::to_string(stats.records_dropped);
  }
  return true;
}

bool DBImpl::GetAggregatedIntProperty(const Slice& property, uint64_t* value) {
  return GetIntProperty(DefaultColumnFamily(), property, value);
}

Status DBImpl::GetApproximateSizes(const SizeApproximationOptions& options,
                                   ColumnFamilyHandle* family, const Range* ranges, int n,
                                   uint64_t* sizes) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  if (!options.include_memtables && !options.include_files) {
    return Status::InvalidArgument("Invalid options: neither memtables nor files included");
  }
  SuperVersionGuard sv(super_versions_.get());
  for (int i = 0; i < n; ++i) {
    const InternalKey begin(ranges[i].start, kMaxSequenceNumber, kValueTypeForSeek);
    const InternalKey end(ranges[i].limit, kMaxSequenceNumber, kValueTypeForSeek);
    sizes[i] = 0;
    if (options.include_files) {
      sizes[i] += ApproximateSize(ReadOptions(), *sv->current, table_cache_.get(), begin.Encode(),
                                  end.Encode());
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

void DBImpl::GetApproximateMemTableStats(ColumnFamilyHandle* family, const Range& range,
                                         uint64_t* count, uint64_t* size) {
  *count = 0;
  *size = 0;
  if (!CheckFamily(family).ok()) return;
  const InternalKey begin(range.start, kMaxSequenceNumber, kValueTypeForSeek);
  const InternalKey end(range.limit, kMaxSequenceNumber, kValueTypeForSeek);
  SuperVersionGuard sv(super_versions_.get());
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

Status DBImpl::GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                        TablePropertiesCollection* properties) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  SuperVersionGuard sv(super_versions_.get());
  for (int level = 0; level < sv->current->num_levels(); ++level) {
    for (const FileMetaData* file : sv->current->files(level)) {
      std::shared_ptr<const TableProperties> one;
      s = table_cache_->GetTableProperties(file->TableId(level), &one);
      if (!s.ok()) return s;
      (*properties)[TableFileName(paths_, file->number, file->path_id)] = std::move(one);
    }
  }
  return s;
}

Status DBImpl::VerifyChecksum(const ReadOptions& options) {
  SuperVersionGuard sv(super_versions_.get());
  for (int level = 0; level < sv->current->num_levels(); ++level) {
    for (const FileMetaData* file : sv->current->files(level)) {
      Status s = table_cache_->VerifyChecksum(options, file->TableId(level));
      if (!s.ok()) return s;
    }
  }
  return Status::OK();
}

Status DBImpl::GetDbIdentity(std::string& identity) const {
  identity = versions_->db_id();
  return Status::OK();
}

Status DBImpl::GetDbSessionId(std::string& session_id) const {
  session_id = db_session_id_;
  return Status::OK();
}

}  // namespace cairn
