#include "db/stats_on_disk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/string_util.h"
#include "db/families.h"
#include "db/options_changes.h"
#include "db/read_path.h"
#include "db/write_path.h"
#include "options/options_check.h"
#include "rocksdb/iterator.h"

namespace cairn {

namespace {

// Which release wrote the entries, and the oldest that can read them.
constexpr char kFormatKey[] = "__persistent_stats_format_version__";
constexpr char kCompatibleKey[] = "__persistent_stats_compatible_version__";
constexpr uint64_t kFormat = 1;

// In the order of time, as bytes, up to the year 2286.
std::string TimeOf(uint64_t seconds) {
  return StringPrintf("%010llu", static_cast<unsigned long long>(seconds));
}

// False: it is no ticker's.
bool ParseStatsKey(Slice key, uint64_t* seconds, Slice* ticker) {
  if (!ConsumeDecimalNumber(&key, seconds) || !key.starts_with("#")) return false;
  key.remove_prefix(1);
  *ticker = key;
  return true;
}

class DiskHistoryIterator final : public StatsHistoryIterator {
 public:
  DiskHistoryIterator(const Database& db, ColumnFamilyHandle* family, uint64_t start, uint64_t end)
      : db_(db), family_(family), end_(end) {
    Seek(start);
  }

  bool Valid() const override { return valid_; }
  void Next() override { Seek(seconds_ + 1); }
  uint64_t GetStatsTime() const override { return seconds_; }
  const std::map<std::string, uint64_t>& GetStatsMap() const override { return tickers_; }
  Status status() const override { return status_; }

 private:
  // Takes the first note of a time from `start` on: all of its entries.
  void Seek(uint64_t start) {
    valid_ = false;
    tickers_.clear();
    if (family_ == nullptr || !status_.ok()) return;
    ReadOptions options;
    options.total_order_seek = true;
    const std::unique_ptr<Iterator> entry(db_.reads->NewIterator(options, family_));
    constexpr uint64_t kLast = 9'999'999'999;  // of 10 digits
    for (entry->Seek(TimeOf(std::min(start, kLast))); entry->Valid(); entry->Next()) {
      uint64_t seconds = 0;
      Slice ticker;
      if (!ParseStatsKey(entry->key(), &seconds, &ticker) || seconds < start) continue;
      if (seconds >= end_ || (valid_ && seconds != seconds_)) break;
      valid_ = true;
      seconds_ = seconds;
      uint64_t count = 0;
      if (!ParseUint64(entry->value().ToStringView(), &count)) {
        status_ = Status::Corruption("the history of statistics has no number at",
                                     EscapeBytes(entry->key()));
        break;
      }
      tickers_[ticker.ToString()] = count;
    }
    if (status_.ok()) status_ = entry->status();
    valid_ = valid_ && status_.ok();
  }

  const Database& db_;
  ColumnFamilyHandle* const family_;  // null: there is none
  const uint64_t end_;
  bool valid_ = false;
  uint64_t seconds_ = 0;
  StatsHistory::Tickers tickers_;
  Status status_;
};

}  // namespace

Status StatsOnDisk::FamilyOptions(const DBOptions& db_options,
                                  const ColumnFamilyOptions& of_default,
                                  ColumnFamilyOptions* options) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  options->write_buffer_size = 2 * kMiB;
  options->target_file_size_base = 2 * kMiB;
  options->max_bytes_for_level_base = 10 * kMiB;
  options->soft_pending_compaction_bytes_limit = 256 * kMiB;
  options->hard_pending_compaction_bytes_limit = 1024 * kMiB;
  options->table_factory = of_default.table_factory;        // and so to its cache
  options->prefix_extractor = of_default.prefix_extractor;  // which the factory may want
  options->compression = kNoCompression;                    // which a table_factory may not go with
  if (db_options.allow_ingest_behind) options->compaction_style = kCompactionStyleUniversal;
  return CompleteOptions(db_options, options);
}

Status StatsOnDisk::Open() {
  Status s = FindOrMake();
  if (s.ok()) open_.store(true, std::memory_order_release);
  return s;
}

Status StatsOnDisk::FindOrMake() {
  for (ColumnFamily* family : db_.families->all()) {
    if (family->name() == kFamilyName) family_ = family;
  }
  const bool writes = db_.mode == OpenMode::kReadWrite;
  if (family_ == nullptr) return writes ? Create() : Status::OK();
  handle_ = std::make_unique<ColumnFamilyHandleImpl>(&db_, family_);
  if (!writes) return Status::OK();
  bool fits = false;
  Status s = CheckVersion(&fits);
  says_version_ = fits;
  if (!s.ok() || fits) return s;
  LogWarn(db_.options.info_log.get(),
          "The history of statistics begins anew: a later release has written it, or nobody knows "
          "which one");
  {
    fiber::MutexLock one_at_a_time(db_.options_changes->changes_mutex());
    s = db_.families->DropFamily(handle_.get());
  }
  handle_.reset();
  family_ = nullptr;
  return s.ok() ? Create() : s;
}

Status StatsOnDisk::Create() {
  ColumnFamilyDescriptor descriptor;
  descriptor.name = kFamilyName;
  Status s = FamilyOptions(db_.options, *db_.families->LiveOptions(), &descriptor.options);
  ColumnFamilyHandle* handle = nullptr;
  if (s.ok()) s = db_.families->CreateFamily(descriptor, &handle);
  if (!s.ok()) return s;
  handle_.reset(handle);
  family_ = static_cast<const ColumnFamilyHandleImpl*>(handle)->family();
  WriteBatch batch;
  s = Write(&batch);
  // (Writes are stalled: the first note says it.)
  return s.IsIncomplete() ? Status::OK() : s;
}

Status StatsOnDisk::CheckVersion(bool* fits) const {
  ReadOptions options;
  options.verify_checksums = true;
  uint64_t versions[2] = {0, 0};
  const char* const keys[2] = {kFormatKey, kCompatibleKey};
  *fits = true;
  for (int i = 0; i < 2; ++i) {
    PinnableSlice value;
    Status s = db_.reads->Get(options, handle_.get(), keys[i], &value);
    if (!s.ok() && !s.IsNotFound()) return s;
    if (s.IsNotFound() || !ParseUint64(value.ToStringView(), &versions[i])) *fits = false;
  }
  if (versions[0] > kFormat && versions[1] > kFormat) *fits = false;
  return Status::OK();
}

Status StatsOnDisk::Write(WriteBatch* batch) {
  Status s;
  if (!says_version_) {
    s = batch->Put(handle_.get(), kFormatKey, NumberToString(kFormat));
    if (s.ok()) s = batch->Put(handle_.get(), kCompatibleKey, NumberToString(kFormat));
  }
  WriteOptions options;
  options.low_pri = true;
  options.no_slowdown = true;
  if (s.ok()) s = db_.writes->Write(options, batch);
  if (s.ok()) says_version_ = true;
  return s;
}

Status StatsOnDisk::Note(uint64_t seconds, const StatsHistory::Tickers& counted) {
  WriteBatch batch;
  const std::string time = TimeOf(seconds) + "#";
  for (const auto& [name, count] : counted) {
    const std::string key = time + name;
    Status s = batch.Put(handle_.get(), key, NumberToString(count));
    if (!s.ok()) return s;
  }
  return Write(&batch);
}

std::unique_ptr<StatsHistoryIterator> StatsOnDisk::NewIterator(uint64_t start, uint64_t end) const {
  return std::make_unique<DiskHistoryIterator>(db_, handle_.get(), start, end);
}

}  // namespace cairn
