// Commands of ldb that show many entries, or load them: dump, idump, load, dump_wal, manifest_dump.
#include <cinttypes>
#include <limits>
#include <memory>
#include <string>

#include "base/histogram.h"
#include "base/internal_key.h"
#include "base/string_util.h"
#include "base/timestamps.h"
#include "fs/file_names.h"
#include "rocksdb/utilities/debug.h"
#include "toolkit/blob_dump.h"
#include "toolkit/console.h"
#include "toolkit/ldb_commands.h"
#include "toolkit/manifest_dump.h"
#include "toolkit/table_file.h"
#include "toolkit/wal_dump.h"

namespace cairn {
namespace {

// Counts entries that have what stands before the delimiter in common, as long as they come one
// behind the other.
class PrefixCounts {
 public:
  explicit PrefixCounts(char delimiter) : delimiter_(delimiter) {}
  // `size`: bytes of key and value.
  void Add(const Slice& user_key, uint64_t size) {
    const std::string key = user_key.ToString();
    const std::string prefix = key.substr(0, key.find(delimiter_));
    if (count_ != 0 && prefix != prefix_) Show();
    prefix_ = prefix;
    ++count_;
    size_ += size;
  }
  void Show() {
    Write(prefix_ + StringPrintf(" => count:%" PRIu64 "\tsize:%" PRIu64 "\n", count_, size_));
    count_ = size_ = 0;
  }

 private:
  const char delimiter_;
  std::string prefix_;
  uint64_t count_ = 0, size_ = 0;
};

// How many entries were written when, in buckets of as many seconds each.
class TimeBuckets {
 public:
  TimeBuckets(int first, int end, int width) : first_(first), end_(end), width_(width) {
    counts_.resize(static_cast<size_t>((int64_t{end} - first + width - 1) / width));
  }
  // REQUIRES: first <= seconds < end
  void Add(int seconds) { ++counts_[static_cast<size_t>((int64_t{seconds} - first_) / width_)]; }
  void Show() const {
    int64_t from = first_;
    for (const uint64_t count : counts_) {
      const int64_t to = std::min<int64_t>(from + width_, end_);
      Print("Keys in range %s to %s : %" PRIu64 "\n", TimeText(static_cast<int>(from)).c_str(),
            TimeText(static_cast<int>(to)).c_str(), count);
      from = to;
    }
  }

 private:
  const int first_, end_, width_;
  std::vector<uint64_t> counts_;
};

class DumpCommand final : public ToolCommand {
 public:
  explicit DumpCommand(const CommandLine& line)
      : ToolCommand(line, true,
                    {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_FROM, ARG_TO, ARG_MAX_KEYS,
                     "count_only", "count_delim", "stats", ARG_TTL_START, ARG_TTL_END, "bucket",
                     ARG_TIMESTAMP, ARG_PATH, ARG_DECODE_BLOB_INDEX, ARG_DUMP_UNCOMPRESSED_BLOBS}),
        from_(Bound(ARG_FROM, is_key_hex_)),
        to_(Bound(ARG_TO, is_key_hex_)) {
    ParseIntOption(option_map_, ARG_MAX_KEYS, max_keys_, exec_state_);
    ParseIntOption(option_map_, ARG_TTL_START, start_time_, exec_state_);
    ParseIntOption(option_map_, ARG_TTL_END, end_time_, exec_state_);
    ParseIntOption(option_map_, "bucket", bucket_, exec_state_);
    if (end_time_ < start_time_) Fail("Error: End time can't be less than start time");
    ParseStringOption(option_map_, ARG_PATH, &path_);
    if (!path_.empty() && !db_path_.empty()) Fail("--db and --path: only one of them");
  }

  bool NoDBOpen() override { return !path_.empty(); }

  void DoCommand() override {
    if (!path_.empty()) {
      DumpFile();
    } else {
      DumpDatabase();
    }
  }

 private:
  void DumpFile() {
    FileSystem* const fs = options_.env->GetFileSystem().get();
    uint64_t number;
    FileType type;
    if (!ParseFileName(path_.substr(path_.rfind('/') + 1), &number, &type)) {
      Fail("Can't parse file type: " + path_);
      return;
    }
    switch (type) {
      case FileType::kWalFile:
        Check(DumpWal(fs, path_, {.header = true, .values = true}));
        break;
      case FileType::kTableFile:
        PrintTable(options_, path_,
                   {.hex = is_key_hex_,
                    .properties = true,
                    .decode_blob_index = HasFlag(ARG_DECODE_BLOB_INDEX),
                    .from = from_.value_or(""),
                    .to = to_.value_or("")});
        break;
      case FileType::kDescriptorFile:
        Check(DumpManifest(fs, path_, {.hex = is_key_hex_, .comparator = options_.comparator}),
              "Error in processing file " + path_ + " ");
        break;
      case FileType::kBlobFile:
        Check(DumpBlobFile(fs, path_,
                           {.hex_keys = is_key_hex_,
                            .hex_values = is_value_hex_,
                            .uncompressed = HasFlag(ARG_DUMP_UNCOMPRESSED_BLOBS)}));
        break;
      default:
        Fail("File type not supported: " + path_);
        break;
    }
  }

  void DumpDatabase() {
    std::string stats;
    if (HasFlag("stats") && db_->GetProperty("rocksdb.stats", &stats)) Write(stats + "\n");
    const bool count_only = HasFlag("count_only");
    std::string delimiter = ".";
    const bool by_prefix =
        ParseStringOption(option_map_, "count_delim", &delimiter) || HasFlag("count_delim");
    const bool times = is_db_ttl_ && timestamp_ && !count_only && !by_prefix;
    if (times) {
      Print("Dumping key-values from %s to %s\n", TimeText(start_time_).c_str(),
            TimeText(end_time_).c_str());
    }
    const bool bucketed = is_db_ttl_ && bucket_ > 0 && bucket_ < end_time_ - start_time_;
    TimeBuckets buckets(start_time_, end_time_, bucketed ? bucket_ : kLastTime);
    PrefixCounts prefixes(delimiter[0]);
    Histogram sizes;
    uint64_t count = 0;
    int left = max_keys_;
    // (Where there are timestamps: the newest of each key.)
    ReadOptions options;
    options.total_order_seek = true;
    const std::string newest =
        WithMaxTimestamp(Slice(), GetCfHandle()->GetComparator()->timestamp_size());
    const Slice newest_slice(newest);
    if (!newest.empty()) options.timestamp = &newest_slice;
    EntryScan scan(db_, db_ttl_, GetCfHandle(), options);
    for (scan.Seek(from_); scan.Valid() && left != 0; scan.Next()) {
      if (to_.has_value() && scan.key().compare(*to_) >= 0) break;
      if (is_db_ttl_ && (scan.seconds() < start_time_ || scan.seconds() >= end_time_)) continue;
      if (left > 0) --left;
      ++count;
      if (bucketed) buckets.Add(scan.seconds());
      if (by_prefix) prefixes.Add(scan.key(), scan.key().size() + scan.value().size());
      if (count_only) sizes.Add(scan.value().size());
      if (count_only || by_prefix) continue;
      Write((times ? TimeText(scan.seconds()) + " " : "") + ShowKey(scan.key()) +
            TimestampText(scan.timestamp()) + DELIM + ShowValue(scan.value()) + "\n");
    }
    if (!Check(scan.status())) return;
    if (bucketed) {
      buckets.Show();
    } else if (by_prefix) {
      prefixes.Show();
    } else {
      Print("Keys in range: %" PRIu64 "\n", count);
    }
    if (count_only) Write("Value size distribution: \n" + sizes.ToString() + "\n");
  }

  const std::optional<std::string> from_, to_;
  int max_keys_ = -1;
  int start_time_ = kFirstTime, end_time_ = kLastTime, bucket_ = 0;
  std::string path_;
};

class InternalDumpCommand final : public ToolCommand {
 public:
  explicit InternalDumpCommand(const CommandLine& line)
      : ToolCommand(line, true,
                    {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_FROM, ARG_TO, ARG_MAX_KEYS,
                     "count_only", "count_delim", "stats", "input_key_hex", ARG_DECODE_BLOB_INDEX}),
        from_(Bound(ARG_FROM, HasFlag("input_key_hex"))),
        to_(Bound(ARG_TO, HasFlag("input_key_hex"))) {
    ParseIntOption(option_map_, ARG_MAX_KEYS, max_keys_, exec_state_);
  }

  void DoCommand() override {
    std::string stats;
    if (HasFlag("stats") && db_->GetProperty(GetCfHandle(), "rocksdb.stats", &stats)) {
      Write(stats + "\n");
    }
    std::string delimiter = ".";
    const bool by_prefix =
        ParseStringOption(option_map_, "count_delim", &delimiter) || HasFlag("count_delim");
    const size_t most = max_keys_ > 0 ? static_cast<size_t>(max_keys_) : SIZE_MAX;
    std::vector<KeyVersion> versions;
    if (!Check(GetAllKeyVersions(db_, GetCfHandle(), from_.value_or(""), to_.value_or(""), most,
                                 &versions))) {
      return;
    }
    PrefixCounts prefixes(delimiter[0]);
    const Comparator* const comparator = GetCfHandle()->GetComparator();
    const size_t ts_size = comparator->timestamp_size();
    uint64_t count = 0;
    for (const KeyVersion& version : versions) {
      // The end is not in the range.
      if (to_.has_value() && StripTimestamp(version.user_key, ts_size) == *to_) break;
      ++count;
      if (by_prefix) {
        prefixes.Add(version.user_key, version.user_key.size() + version.value.size());
      } else if (!HasFlag("count_only")) {
        const auto type = static_cast<ValueType>(version.type);
        const InternalKey key(version.user_key, version.sequence, type);
        Write(InternalKeyText(key.Encode(), is_key_hex_, comparator) +
              EntryValueText(type, version.value, HasFlag(ARG_DECODE_BLOB_INDEX), is_value_hex_) +
              "\n");
      }
    }
    if (by_prefix) {
      prefixes.Show();
    } else {
      Print("Internal keys in range: %" PRIu64 "\n", count);
    }
  }

 private:
  const std::optional<std::string> from_, to_;
  int max_keys_ = -1;
};

class LoadCommand final : public ToolCommand {
 public:
  explicit LoadCommand(const CommandLine& line)
      : ToolCommand(line, false,
                    {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_FROM, ARG_TO, ARG_CREATE_IF_MISSING,
                     "disable_wal", "bulk_load", "compact"}) {}

  void OverrideBaseOptions() override {
    ToolCommand::OverrideBaseOptions();
    if (HasFlag("bulk_load")) options_.PrepareForBulkLoad();
  }

  void DoCommand() override {
    WriteOptions write;
    write.disableWAL = HasFlag("disable_wal");
    uint64_t bad_lines = 0;
    InputLines input;
    std::string line, key, value;
    Status s;
    while (s.ok() && input.Next(&line)) {
      if (ParseKeyValue(line, &key, &value, is_key_hex_, is_value_hex_)) {
        s = db_->Put(write, GetCfHandle(), key, value);
      } else if (!Slice(line).starts_with("Keys in range:")) {
        ++bad_lines;
      }
    }
    if (bad_lines > 0) Print("Warning: %" PRIu64 " bad lines ignored.\n", bad_lines);
    if (!Check(s, "Load failed: ")) return;
    // What skipped the log must not be lost with the process.
    if (write.disableWAL) s = db_->Flush(FlushOptions(), GetCfHandle());
    if (!Check(s, "Load failed: ") || !HasFlag("compact")) return;
    Check(db_->CompactRange(CompactRangeOptions(), GetCfHandle(), nullptr, nullptr),
          "Compaction failed: ");
  }
};

class DumpWalCommand final : public ToolCommand {
 public:
  explicit DumpWalCommand(const CommandLine& line)
      : ToolCommand(line, true, {"walfile", "write_committed", "header", "print_value"}) {
    write_committed_ = ParseBooleanOption(option_map_, "write_committed", true);
    if (!ParseStringOption(option_map_, "walfile", &path_)) {
      Fail("Argument walfile must be specified.");
    }
  }
  bool NoDBOpen() override { return true; }
  void DoCommand() override {
    Check(DumpWal(options_.env->GetFileSystem().get(), path_,
                  {.header = HasFlag("header"),
                   .values = HasFlag("print_value"),
                   .write_committed = write_committed_}));
  }

 private:
  std::string path_;
  bool write_committed_ = true;
};

class ManifestDumpCommand final : public ToolCommand {
 public:
  explicit ManifestDumpCommand(const CommandLine& line)
      : ToolCommand(line, false, {"verbose", ARG_PATH, ARG_HEX, "json"}) {
    ParseStringOption(option_map_, ARG_PATH, &path_);
    if (HasFlag(ARG_PATH)) {
      Fail("--path: missing pathname");
    } else if (path_.empty() && db_path_.empty()) {
      Fail("--db or --path must be specified");
    }
  }
  bool NoDBOpen() override { return true; }

  void DoCommand() override {
    if (path_.empty() && !FindManifest()) return;
    const bool verbose = HasFlag("verbose");
    if (verbose) Write("Processing Manifest file " + path_ + "\n");
    const Status s = DumpManifest(options_.env->GetFileSystem().get(), path_,
                                  {.verbose = verbose,
                                   .hex = is_key_hex_,
                                   .json = HasFlag("json"),
                                   .comparator = options_.comparator});
    if (!Check(s, "Error in processing file " + path_ + " ")) return;
    if (verbose) Write("Processing Manifest file " + path_ + " done\n");
  }

 private:
  // The only one of the database; where there are several a person must choose.
  bool FindManifest() {
    std::vector<std::string> names;
    const Status s = options_.env->GetChildren(db_path_, &names);
    if (!s.ok()) {
      Fail(s.ToString() + ": Failed to list the content of " + db_path_);
      return false;
    }
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (!ParseFileName(name, &number, &type) || type != FileType::kDescriptorFile) continue;
      if (!path_.empty()) {
        Fail("Multiple MANIFEST files found; use --path to select one");
        return false;
      }
      path_ = db_path_ + (db_path_.back() == '/' ? "" : "/") + name;
    }
    if (path_.empty()) Fail("No MANIFEST found in " + db_path_);
    return !path_.empty();
  }

  std::string path_;
};

// The tombstones of ranges in a family's tables.
class ListRangeDeletesCommand final : public ToolCommand {
 public:
  explicit ListRangeDeletesCommand(const CommandLine& line)
      : ToolCommand(line, true, {ARG_MAX_KEYS}) {
    ParseIntOption(option_map_, ARG_MAX_KEYS, left_, exec_state_);
  }

  void DoCommand() override {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(GetCfHandle(), &metadata);
    const bool any = left_ > 0;
    for (const LevelMetaData& level : metadata.levels) {
      for (const SstFileMetaData& file : level.files) {
        if (left_ <= 0) break;
        if (!Check(Show(file.db_path + file.name))) return;
      }
    }
    if (any && left_ <= 0) Print("(results may not be complete)\n");
    Print("\n");
  }

 private:
  [[nodiscard]] Status Show(const std::string& path) {
    Write("=== file : " + path + " ===\n");
    std::unique_ptr<TableFile> table;
    const Status s = TableFile::Open(options_, path, /*quiet=*/true, &table);
    if (!s.ok()) return s;
    const RangeTombstones* const tombstones = table->reader()->range_tombstones();
    if (tombstones == nullptr) return s;
    for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
      for (const SequenceNumber sequence : fragment.sequences) {
        if (left_-- <= 0) return s;
        Print("start: %s end: %s seq: %" PRIu64 "\n", fragment.start.ToString(true).c_str(),
              fragment.end.ToString(true).c_str(), sequence);
      }
    }
    return s;
  }

  int left_ = 1000;
};

}  // namespace

std::span<const CommandEntry> DumpCommands() {
  static constexpr CommandEntry kCommands[] = {
      {"dump_wal",
       " --walfile=<write_ahead_log_file_path> [--header]  [--print_value]  "
       "[--write_committed=true|false] ",
       MakeCommand<DumpWalCommand>},
      {"dump",
       " [--from] [--to]  [--ttl] [--max_keys=<N>] [--timestamp] [--count_only] "
       "[--count_delim=<char>] [--stats] [--bucket=<N>] [--start_time=<N>:- is inclusive] "
       "[--end_time=<N>:- is exclusive] [--path=<path_to_a_file>] [--decode_blob_index] "
       "[--dump_uncompressed_blobs] ",
       MakeCommand<DumpCommand>},
      {"load", " [--create_if_missing] [--disable_wal] [--bulk_load] [--compact]",
       MakeCommand<LoadCommand>},
      {"manifest_dump", " [--verbose] [--json] [--path=<path_to_manifest_file>]",
       MakeCommand<ManifestDumpCommand>},
      {"idump",
       " [--from] [--to]  [--input_key_hex] [--max_keys=<N>] [--count_only] "
       "[--count_delim=<char>] [--stats] [--decode_blob_index] ",
       MakeCommand<InternalDumpCommand>},
      {"list_file_range_deletes", " [--max_keys=<N>] : print tombstones in SST files.",
       MakeCommand<ListRangeDeletesCommand>},
  };
  return kCommands;
}

}  // namespace cairn
