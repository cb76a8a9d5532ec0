#include "options/options_check.h"

// (doc/compatibility.md, which is made by scripts/compatibility.py, has all options: one that is
// neither named here nor marked in the headers as without effect is honoured.)
#include <algorithm>
#include <bit>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "base/memtable_factory.h"
#include "base/task_limiter.h"
#include "base/timestamps.h"
#include "fiber/limits.h"
#include "fs/platform.h"
#include "fs/space_manager.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/write_buffer_manager.h"
#include "table/adaptive_table_factory.h"
#include "table/block_based_table_factory.h"
#include "table/compression.h"
#include "table/cuckoo_table_factory.h"
#include "table/plain_table_factory.h"

namespace cairn {
namespace {

// Collects the first complaint; later ones are dropped.
class Checker {
 public:
  // Refuses `name` if `is_set`: a feature that this version does not have.
  void Unsupported(bool is_set, const char* name, const std::string& instead = "") {
    if (is_set && status_.ok()) {
      status_ = Status::NotSupported(
          std::string("option ") + name + " is not supported by this version of Cairn", instead);
    }
  }
  // Refuses a value that makes no sense, as RocksDB does.
  void Invalid(bool is_bad, const std::string& why) {
    if (is_bad && status_.ok()) status_ = Status::InvalidArgument(why);
  }
  // Passes on what a lower layer says of its own options.
  void Add(const Status& s) {
    if (status_.ok()) status_ = s;
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

// What makes the tables. Null: none.
const TableFactory* FactoryToWrite(const ColumnFamilyOptions& o) {
  const auto* const adaptive = dynamic_cast<const AdaptiveTableFactory*>(o.table_factory.get());
  return adaptive != nullptr ? &adaptive->to_write() : o.table_factory.get();
}

void CheckTableFactory(const ColumnFamilyOptions& o, Checker* check) {
  const TableFactory* const factory = FactoryToWrite(o);
  const std::string name = factory == nullptr ? "" : factory->Name();
  if (name == TableFactory::kBlockBasedTableName()) return;
  const auto* const plain =
      factory == nullptr ? nullptr : std::as_const(*factory).GetOptions<PlainTableOptions>();
  const auto* const cuckoo =
      factory == nullptr ? nullptr : std::as_const(*factory).GetOptions<CuckooTableOptions>();
  if (plain != nullptr) check->Add(ValidateTableOptions(*plain, o.prefix_extractor.get()));
  if (cuckoo != nullptr) check->Add(ValidateTableOptions(*cuckoo));
  check->Unsupported(
      plain == nullptr && cuckoo == nullptr, "table_factory",
      "use NewBlockBasedTableFactory, NewPlainTableFactory, NewCuckooTableFactory or "
      "NewAdaptiveTableFactory");
  if (o.comparator != nullptr && o.comparator->timestamp_size() != 0) {
    check->Add(Status::NotSupported("table_factory " + name, "has no timestamps"));
  }
}

// Hours and minutes of a day, "23:30-04:00", or nothing.
bool IsTimeRange(std::string_view text) {
  if (text.empty()) return true;
  const auto number = [text](size_t at, int limit) {
    const auto digit = [text](size_t i) { return text[i] >= '0' && text[i] <= '9'; };
    return digit(at) && digit(at + 1) && (text[at] - '0') * 10 + text[at + 1] - '0' < limit;
  };
  return text.size() == 11 && text[2] == ':' && text[5] == '-' && text[8] == ':' && number(0, 24) &&
         number(3, 60) && number(6, 24) && number(9, 60);
}

void CheckDBOptions(const DBOptions& o, Checker* check) {
  check->Unsupported(o.sst_file_manager != nullptr &&
                         dynamic_cast<SpaceManager*>(o.sst_file_manager.get()) == nullptr,
                     "sst_file_manager", "use NewSstFileManager");
  check->Invalid(std::find(o.listeners.begin(), o.listeners.end(), nullptr) != o.listeners.end(),
                 "listeners must not be null");
  check->Unsupported(o.allow_mmap_writes && !kMapsWrites, "allow_mmap_writes",
                     "on this operating system");
  check->Invalid(!IsTimeRange(o.daily_offpeak_time_utc),
                 "daily_offpeak_time_utc should be set in the format HH:mm-HH:mm (e.g. "
                 "04:30-07:30)");
  check->Unsupported(o.db_paths.size() > 4, "db_paths", "of more than four directories");
  check->Invalid(!o.write_dbid_to_manifest && !o.write_identity_file,
                 "write_dbid_to_manifest and write_identity_file cannot both be false");
  check->Invalid(o.keep_log_file_num == 0, "keep_log_file_num must be greater than 0");
  // RocksDB's own words, which its users search for; so below.
  if (o.allow_mmap_reads && o.use_direct_reads) {
    check->Add(Status::NotSupported(
        "If memory mapped reads (allow_mmap_reads) are enabled then direct I/O reads "
        "(use_direct_reads) must be disabled. "));
  }
  if (o.allow_mmap_writes && o.use_direct_io_for_flush_and_compaction) {
    check->Add(Status::NotSupported(
        "If memory mapped writes (allow_mmap_writes) are enabled then direct I/O writes "
        "(use_direct_io_for_flush_and_compaction) must be disabled. "));
  }
  check->Invalid(o.atomic_flush && o.enable_pipelined_write,
                 "atomic_flush is incompatible with enable_pipelined_write");
  check->Invalid(o.atomic_flush && o.best_efforts_recovery,
                 "atomic_flush is currently incompatible with best-efforts recovery");
  check->Invalid(o.unordered_write && o.enable_pipelined_write,
                 "unordered_write is incompatible with enable_pipelined_write");
  check->Invalid(o.unordered_write && !o.allow_concurrent_memtable_write,
                 "unordered_write is incompatible with !allow_concurrent_memtable_write");
  check->Invalid(o.use_direct_io_for_flush_and_compaction && o.writable_file_max_buffer_size == 0,
                 "writes in direct IO require writable_file_max_buffer_size > 0");
}

// As in RocksDB: who inserts beside another could not tell which timestamp is the newest, and a
// flush of all families at once raises no marks.
void CheckUnpersistedTimestamps(const DBOptions& db, const ColumnFamilyOptions& o, Checker* check) {
  if (o.comparator == nullptr || !LacksTimestampsInTables(o)) return;
  const std::string_view name = o.comparator->Name();
  const auto refuse = [&](bool is_set, const std::string& what) {
    if (!is_set) return;
    check->Add(Status::NotSupported(
        "persist_user_defined_timestamps=false is not supported together with " + what));
  };
  refuse(!name.ends_with(kTimestampedName) ||
             o.comparator->timestamp_size() != kUnpersistedTimestampSize,
         "a comparator of one's own, " + std::string(name));
  refuse(db.atomic_flush, "atomic_flush");
  refuse(db.allow_concurrent_memtable_write, "allow_concurrent_memtable_write");
  refuse(ReservesLastLevel(db, o), "allow_ingest_behind");
  refuse(o.enable_blob_files, "enable_blob_files");
}

size_t HugePageSize(size_t asked) {
  return std::bit_ceil(std::clamp(asked, size_t{64} << 10, size_t{1} << 30));
}

bool IsHashMemTable(const MemTableRepFactory& factory) {
  const std::type_info& type = typeid(factory);
  return type == typeid(HashSkipListRepFactory) || type == typeid(HashLinkListRepFactory);
}

// One that the engine has something of its own for; others, and what extends these, make their own.
bool IsKnownMemTable(const MemTableRepFactory& factory) {
  const std::type_info& type = typeid(factory);
  return type == typeid(SkipListFactory) || type == typeid(VectorRepFactory) ||
         IsHashMemTable(factory);
}

// The texts are RocksDB's. Null: there is none.
const char* ErrorOfTemperatureAges(const ColumnFamilyOptions& o) {
  const std::vector<FileTemperatureAge>& ages =
      o.compaction_options_fifo.file_temperature_age_thresholds;
  if (ages.empty()) return nullptr;
  if (o.compaction_style != kCompactionStyleFIFO) {
    return "Option file_temperature_age_thresholds only supports FIFO compaction.";
  }
  if (o.num_levels > 1) {
    return "Option file_temperature_age_thresholds is only supported when num_levels = 1.";
  }
  const bool ascend =
      std::adjacent_find(ages.begin(), ages.end(),
                         [](const FileTemperatureAge& a, const FileTemperatureAge& b) {
                           return a.age >= b.age;
                         }) == ages.end();
  return ascend ? nullptr
                : "Option file_temperature_age_thresholds requires elements to be sorted in "
                  "increasing order with respect to `age` field.";
}

void CheckColumnFamilyOptions(const ColumnFamilyOptions& o, Checker* check) {
  check->Unsupported(o.compaction_options_fifo.age_for_warm != 0,
                     "compaction_options_fifo.age_for_warm", "use file_temperature_age_thresholds");
  if (const char* error = ErrorOfTemperatureAges(o)) check->Add(Status::NotSupported(error));
  check->Unsupported(o.compaction_options_fifo.use_kv_ratio_compaction,
                     "compaction_options_fifo.use_kv_ratio_compaction");
  check->Unsupported(o.compaction_thread_limiter != nullptr &&
                         dynamic_cast<TaskLimiter*>(o.compaction_thread_limiter.get()) == nullptr,
                     "compaction_thread_limiter", "use NewConcurrentTaskLimiter");
  check->Unsupported(o.cf_paths.size() > 4, "cf_paths", "of more than four directories");
  const bool chooses = o.compaction_style == kCompactionStyleLevel ||
                       o.compaction_style == kCompactionStyleUniversal;
  if (o.cf_paths.size() > 1 && !chooses) {
    check->Add(Status::NotSupported(
        "More than one CF paths are only supported in universal and level compaction styles. "));
  }
  check->Unsupported(o.inplace_update_support && o.memtable_factory != nullptr &&
                         !IsKnownMemTable(*o.memtable_factory),
                     "inplace_update_support", "with a memtable_factory of one's own");
  const uint32_t protection = o.memtable_protection_bytes_per_key;
  check->Unsupported(protection > 8 || std::popcount(protection) > 1,
                     "memtable_protection_bytes_per_key", "0, 1, 2, 4 or 8");
  const auto& collectors = o.table_properties_collector_factories;
  check->Invalid(std::find(collectors.begin(), collectors.end(), nullptr) != collectors.end(),
                 "table_properties_collector_factories must not be null");
  const uint32_t of_blocks = o.block_protection_bytes_per_key;
  if (of_blocks > 8 || std::popcount(of_blocks) > 1) {
    check->Add(
        Status::NotSupported("Block per key-value checksum protection only supports 0, 1, 2, 4 or "
                             "8 bytes per key."));
  }
  check->Unsupported(o.read_triggered_compaction_threshold != 0,
                     "read_triggered_compaction_threshold");
  check->Unsupported(o.min_tombstones_for_range_conversion != 0,
                     "min_tombstones_for_range_conversion");
  check->Unsupported(o.enable_blob_direct_write, "enable_blob_direct_write");
  const int runs = o.compaction_options_universal.max_read_amp;
  check->Unsupported(runs == 0, "compaction_options_universal.max_read_amp",
                     "0: use -1, or a number");
  if (runs < -1 || (runs > 0 && runs < o.level0_file_num_compaction_trigger)) {
    check->Add(
        Status::NotSupported("CompactionOptionsUniversal::max_read_amp should be -1, or at least "
                             "level0_file_num_compaction_trigger"));
  }
  check->Invalid(o.memtable_factory == nullptr, "memtable_factory must not be null");
  CheckTableFactory(o, check);
  check->Invalid(o.comparator == nullptr, "comparator must not be null");
  const TableFactory* const factory = FactoryToWrite(o);
  const auto* table =
      factory == nullptr ? nullptr : std::as_const(*factory).GetOptions<BlockBasedTableOptions>();
  check->Invalid(
      table != nullptr && o.prefix_extractor == nullptr &&
          table->index_type == BlockBasedTableOptions::kHashSearch,
      "Hash index is specified for block-based table, but prefix_extractor is not given");
  check->Invalid(table != nullptr && table->block_align && o.compression != kNoCompression,
                 "Enable block_align, but compression enabled");
  if (table != nullptr) check->Add(ValidateTableOptions(*table));
  const auto is_supported = [&](CompressionType type) { return SupportsCompression(o, type); };
  const Slice builtin = GetBuiltinV2CompressionManager()->CompatibilityName();
  check->Invalid(table != nullptr && table->format_version < 7 &&
                     o.compression_manager != nullptr &&
                     builtin != o.compression_manager->CompatibilityName(),
                 "Using a CompressionManager incompatible with built-in (custom "
                 "CompatibilityName()) is not supported for format_version < 7");
  check->Invalid(o.compression_per_level.empty() && !is_supported(o.compression),
                 "compression is not built in");
  check->Invalid(
      o.compression_opts.zstd_max_train_bytes > 0 && o.compression_opts.max_dict_bytes == 0,
      "The dictionary size limit (`CompressionOptions::max_dict_bytes`) should be nonzero if we're "
      "using zstd's dictionary generator.");
  check->Invalid(!IsCompressionSupported(o.blob_compression_type),
                 "blob_compression_type is not built in");
  const auto is_share = [](double v) { return v >= 0.0 && v <= 1.0; };
  check->Invalid(
      o.enable_blob_garbage_collection && !is_share(o.blob_garbage_collection_age_cutoff),
      "The age cutoff for blob garbage collection should be in the range [0.0, 1.0].");
  check->Invalid(
      o.enable_blob_garbage_collection && !is_share(o.blob_garbage_collection_force_threshold),
      "The garbage ratio threshold for forcing blob garbage collection should be in the range "
      "[0.0, 1.0].");
  check->Invalid(o.bottommost_compression != kDisableCompressionOption &&
                     !is_supported(o.bottommost_compression),
                 "bottommost_compression is not built in");
  for (const CompressionType type : o.compression_per_level) {
    check->Invalid(!is_supported(type), "compression_per_level is not built in");
  }
  check->Invalid(o.max_bytes_for_level_multiplier <= 0,
                 "max_bytes_for_level_multiplier must be greater than 0");
}

// RocksDB's limits for a size that a user may have mistyped.
constexpr size_t kMinWriteBuffer = size_t{64} << 10;
constexpr size_t kMaxWriteBuffer = size_t{64} << 30;

// As in RocksDB: a month where the user said nothing, but for FIFO style, where it would mean that
// data are lost, and for rewriting what no compaction filter looks at. Universal style, which has
// nowhere to send a file alone, rewrites instead.
void SanitizeAges(ColumnFamilyOptions* out) {
  constexpr uint64_t kAutomatic = 0xfffffffffffffffe;
  constexpr uint64_t kMonth = uint64_t{30} * 24 * 60 * 60;  // seconds
  const bool fifo = out->compaction_style == kCompactionStyleFIFO;
  if (out->ttl == kAutomatic) out->ttl = fifo ? 0 : kMonth;
  uint64_t& period = out->periodic_compaction_seconds;
  const bool said = period != kAutomatic;
  if (!said) period = !fifo && HasCompactionFilter(*out) ? kMonth : 0;
  const auto sooner = [](uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
  };
  if (fifo && said) out->ttl = sooner(out->ttl, period);
  if (out->compaction_style == kCompactionStyleUniversal) period = sooner(period, out->ttl);
}

}  // namespace

Status CheckOptions(const DBOptions& db_options, const ColumnFamilyOptions& cf_options) {
  Checker check;
  CheckDBOptions(db_options, &check);
  CheckColumnFamilyOptions(cf_options, &check);
  CheckUnpersistedTimestamps(db_options, cf_options, &check);
  if (!cf_options.cf_paths.empty()) {
    // (The one is told of the directories, the other looks into them, before any family is known.)
    check.Unsupported(db_options.sst_file_manager != nullptr, "sst_file_manager",
                      "together with cf_paths: use db_paths");
    check.Unsupported(db_options.best_efforts_recovery, "best_efforts_recovery",
                      "together with cf_paths: use db_paths");
  }
  check.Invalid(db_options.unordered_write && cf_options.max_successive_merges != 0,
                "max_successive_merges > 0 is incompatible with unordered_write");
  check.Invalid(cf_options.inplace_update_support && db_options.allow_concurrent_memtable_write,
                "In-place memtable updates (inplace_update_support) is not compatible with "
                "concurrent writes (allow_concurrent_memtable_write)");
  check.Invalid(db_options.allow_concurrent_memtable_write &&
                    cf_options.memtable_factory != nullptr &&
                    !cf_options.memtable_factory->IsInsertConcurrentlySupported(),
                "Memtable doesn't concurrent writes (allow_concurrent_memtable_write)");
  check.Invalid(
      ReservesLastLevel(db_options, cf_options) &&
          (cf_options.compaction_style != kCompactionStyleUniversal || cf_options.num_levels < 3),
      "allow_ingest_behind needs universal compaction and at least 3 levels");
  return check.status();
}

DBOptions SanitizeOptions(const DBOptions& options, const std::string& dbname) {
  DBOptions out = options;
  if (out.env == nullptr) out.env = Env::Default();
  // As in RocksDB: the database's own directory is not named, or the OPTIONS file of a copy would
  // lead a tool to the original's logs.
  out.wal_dir = WithoutTrailingSeparators(out.wal_dir);
  if (out.wal_dir == WithoutTrailingSeparators(dbname)) out.wal_dir.clear();
  if (out.max_background_jobs < 1) out.max_background_jobs = 1;
  // As in RocksDB. (And TableCache leaves some of them to others.)
  if (out.max_open_files != -1) {
    const uint64_t most =
        std::clamp<uint64_t>(fiber::descriptor_limit(), 20, std::numeric_limits<int>::max());
    out.max_open_files = std::clamp(out.max_open_files, 20, static_cast<int>(most));
  }
  if (out.db_paths.empty()) {
    out.db_paths.emplace_back(dbname, std::numeric_limits<uint64_t>::max());
  }
  if (out.compaction_readahead_size == 0) out.compaction_readahead_size = 2 << 20;
  if (out.write_buffer_manager == nullptr) {
    out.write_buffer_manager = std::make_shared<WriteBufferManager>(out.db_write_buffer_size);
  }
  if (out.delayed_write_rate == 0) out.delayed_write_rate = kDefaultDelayedWriteRate;
  // (With direct I/O it is refused.)
  if (out.writable_file_max_buffer_size == 0 && !out.use_direct_io_for_flush_and_compaction) {
    out.writable_file_max_buffer_size = 1 << 20;
  }
  // As in RocksDB, which streams no other.
  if (out.wal_compression != kZSTD) out.wal_compression = kNoCompression;
  // A log that goes to the archive is not written over.
  if (out.WAL_ttl_seconds > 0 || out.WAL_size_limit_MB > 0) out.recycle_log_file_num = 0;
  // As in RocksDB: the other modes stop at a damaged record, and the remains of an older log behind
  // the end of a recycled one look like one. Point-in-time recovery is among them since releases of
  // RocksDB up to 9 take the end of every recycled log for damage: after a kill they refuse the
  // database, or end the history too early.
  if (out.wal_recovery_mode != WALRecoveryMode::kSkipAnyCorruptedRecords) {
    out.recycle_log_file_num = 0;
  }
  return out;
}

ColumnFamilyOptions SanitizeOptions(const ColumnFamilyOptions& options) {
  ColumnFamilyOptions out = options;
  out.write_buffer_size = std::clamp(out.write_buffer_size, kMinWriteBuffer, kMaxWriteBuffer);
  out.max_write_buffer_number = std::max(out.max_write_buffer_number, 2);
  out.min_write_buffer_number_to_merge =
      std::clamp(out.min_write_buffer_number_to_merge, 1, out.max_write_buffer_number - 1);
  out.num_levels = std::max(out.num_levels, out.compaction_style == kCompactionStyleLevel ? 2 : 1);
  if (out.level0_file_num_compaction_trigger <= 0) out.level0_file_num_compaction_trigger = 1;
  // slowdown and stop never come before the compaction that would relieve them.
  out.level0_slowdown_writes_trigger =
      std::max(out.level0_slowdown_writes_trigger, out.level0_file_num_compaction_trigger);
  out.level0_stop_writes_trigger =
      std::max(out.level0_stop_writes_trigger, out.level0_slowdown_writes_trigger);
  if (out.compaction_style == kCompactionStyleUniversal) {
    // Universal compaction must merge only when there are more runs than its trigger: a stop before
    // that would have no end.
    out.level0_stop_writes_trigger =
        std::max(out.level0_stop_writes_trigger, out.level0_file_num_compaction_trigger + 1);
  }
  if (out.compaction_style == kCompactionStyleFIFO) {
    // Level 0 is where everything is.
    out.level0_slowdown_writes_trigger = out.level0_stop_writes_trigger =
        std::numeric_limits<int>::max();
  }
  SanitizeAges(&out);
  if (out.soft_pending_compaction_bytes_limit == 0) {
    out.soft_pending_compaction_bytes_limit = out.hard_pending_compaction_bytes_limit;
  } else if (out.hard_pending_compaction_bytes_limit > 0) {
    out.soft_pending_compaction_bytes_limit =
        std::min(out.soft_pending_compaction_bytes_limit, out.hard_pending_compaction_bytes_limit);
  }
  if (out.max_compaction_bytes == 0) out.max_compaction_bytes = out.target_file_size_base * 25;
  out.memtable_prefix_bloom_size_ratio =
      std::clamp(out.memtable_prefix_bloom_size_ratio, 0.0, 0.25);
  return out;
}

// As in RocksDB, also if the age is the default one, which means none here.
Status CheckFifoAge(const DBOptions& db_options, const ColumnFamilyOptions& options) {
  if (options.compaction_style != kCompactionStyleFIFO || options.ttl == 0 ||
      db_options.max_open_files == -1) {
    return Status::OK();
  }
  return Status::NotSupported("FIFO compaction only supported with max_open_files = -1.",
                              "or with ttl = 0");
}

const std::vector<DbPath>& TablePathsOf(const DBOptions& db_options,
                                        const ColumnFamilyOptions& options) {
  return options.cf_paths.empty() ? db_options.db_paths : options.cf_paths;
}

std::vector<std::string> TableDirectoriesOf(const DBOptions& db_options,
                                            const ColumnFamilyOptions& options,
                                            const std::string& dbname) {
  std::vector<std::string> directories;
  for (const DbPath& path : TablePathsOf(db_options, options)) directories.push_back(path.path);
  if (directories.empty()) directories.push_back(dbname);
  return directories;
}

Status CompleteOptions(const DBOptions& db_options, ColumnFamilyOptions* options) {
  if (Status s = CheckFifoAge(db_options, *options); !s.ok()) return s;
  *options = SanitizeOptions(*options);
  Status s = CheckOptions(db_options, *options);
  // As in RocksDB: a hash of lists that has no prefixes becomes a skip list.
  if (s.ok() && options->prefix_extractor == nullptr &&
      IsHashMemTable(*options->memtable_factory)) {
    options->memtable_factory = std::make_shared<SkipListFactory>();
  }
  return s;
}

// A memtable of which a huge page is a small part has its memory in transparent huge pages, where
// the system allows them.
constexpr size_t kTransparentHugePage = size_t{2} << 20;
constexpr size_t kHugePagesFrom = 16 * kTransparentHugePage;

MemTableOptions MakeMemTableOptions(const DBOptions& db_options,
                                    const ColumnFamilyOptions& cf_options) {
  MemTableOptions options;
  options.write_buffer_size = cf_options.write_buffer_size;
  options.arena_block_size = cf_options.arena_block_size;
  options.protection_bytes = cf_options.memtable_protection_bytes_per_key;
  options.check_order = cf_options.paranoid_memory_checks;
  options.check_on_seek = cf_options.memtable_verify_per_key_checksum_on_seek;
  options.max_range_tombstones = cf_options.memtable_max_range_deletions;
  const size_t shared = db_options.write_buffer_manager->buffer_size();
  if (options.arena_block_size == 0 && shared != 0) {
    // A block is what memory is charged by: a small part of what all memtables may have.
    constexpr size_t kPage = 4096;
    const size_t block = std::min(options.write_buffer_size / 8, shared / 64);
    options.arena_block_size = std::clamp(block / kPage * kPage, kPage, size_t{1} << 20);
  }
  if (cf_options.memtable_huge_page_size != 0) {
    options.huge_page_size = HugePageSize(cf_options.memtable_huge_page_size);
  } else if (options.arena_block_size == 0 && options.write_buffer_size >= kHugePagesFrom) {
    // Half of an insertion into a large memtable is waiting for memory, much of it for page tables.
    options.huge_page_size = kTransparentHugePage;
    options.reserved_huge_pages = false;
  }
  const MemTableRepFactory* const factory = cf_options.memtable_factory.get();
  if (!IsKnownMemTable(*factory)) {
    options.kind = MemTableKind::kUser;
    options.user_factory = cf_options.memtable_factory;
  } else if (const auto* vector = dynamic_cast<const VectorRepFactory*>(factory)) {
    options.kind = MemTableKind::kVector;
    // No more than could ever be filled.
    options.vector_reserve = std::min(vector->count(), cf_options.write_buffer_size / 64);
  } else if (const auto* hash = dynamic_cast<const HashSkipListRepFactory*>(factory)) {
    options.kind = MemTableKind::kHashSkipList;
    options.hash.buckets =
        std::min(hash->options().bucket_count, cf_options.write_buffer_size / 8 / sizeof(void*));
    options.hash.max_height = hash->options().skiplist_height;
    options.hash.branching = static_cast<uint32_t>(std::max(hash->options().branching_factor, 2));
  } else if (const auto* links = dynamic_cast<const HashLinkListRepFactory*>(factory)) {
    const HashLinkListRepOptions& of = links->options();
    options.kind = MemTableKind::kHashLinkList;
    options.links.buckets =
        std::min(of.bucket_count, cf_options.write_buffer_size / 8 / sizeof(void*));
    options.links.longest = of.threshold_use_skiplist;
    options.links.log_bucket_above = of.bucket_entries_logging_threshold;
    options.links.log_distribution = of.if_log_bucket_dist_when_flash;
    if (of.huge_page_tlb_size != 0 && cf_options.memtable_huge_page_size == 0) {
      options.huge_page_size = HugePageSize(of.huge_page_tlb_size);
      options.reserved_huge_pages = true;
    }
  }
  options.prefix_extractor = cf_options.prefix_extractor.get();
  options.filter_bytes = static_cast<size_t>(static_cast<double>(cf_options.write_buffer_size) *
                                             cf_options.memtable_prefix_bloom_size_ratio);
  options.filter_whole_keys = cf_options.memtable_whole_key_filtering;
  if (cf_options.inplace_update_support) {
    options.inplace_locks = std::max<size_t>(cf_options.inplace_update_num_locks, 1);
    options.inplace_callback = cf_options.inplace_callback;
    options.statistics = db_options.statistics.get();
  }
  options.info_log = db_options.info_log.get();
  return options;
}

}  // namespace cairn
