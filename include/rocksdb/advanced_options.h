// Column-family options that few need to change; ColumnFamilyOptions (options.h) adds the common
// ones. Names and defaults are RocksDB's 7.8.3. DB::Open refuses a setting that it cannot honour,
// naming it; fields marked "unsupported" must keep their default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/types.h"
#include "rocksdb/universal_compaction.h"

namespace ROCKSDB_NAMESPACE {

class SliceTransform;
class TableFactory;
class TablePropertiesCollectorFactory;
struct Options;

enum CompactionStyle : char {
  kCompactionStyleLevel = 0x0,
  kCompactionStyleUniversal = 0x1,  // runs of all keys, merged by size: see universal_compaction.h
  kCompactionStyleFIFO = 0x2,  // the oldest files go when there are too many bytes: a cache, a log
  kCompactionStyleNone = 0x3,  // only CompactFiles() compacts; CompactRange() does nothing
};

// Which file of a level is compacted first.
enum CompactionPri : char {
  kByCompensatedSize = 0x0,
  kOldestLargestSeqFirst = 0x1,
  kOldestSmallestSeqFirst = 0x2,
  // The file that overlaps the least of the next level, relative to its size.
  kMinOverlappingRatio = 0x3,
  kRoundRobin = 0x4,
};

// From this age on (seconds) a file has this temperature.
struct FileTemperatureAge {
  Temperature temperature = Temperature::kUnknown;
  uint64_t age = 0;
  bool operator==(const FileTemperatureAge& other) const {
    return temperature == other.temperature && age == other.age;
  }
};

// FIFO compaction; ColumnFamilyOptions::ttl drops files by age.
struct CompactionOptionsFIFO {
  // Bytes of all tables, above which the oldest go.
  uint64_t max_table_files_size = 1024 * 1024 * 1024;
  // Small tables are merged, from level0_file_num_compaction_trigger of them on.
  bool allow_compaction = false;
  // Of RocksDB 7 to 9, unsupported, must be 0: use file_temperature_age_thresholds.
  uint64_t age_for_warm = 0;
  // Unless 0 the limit in max_table_files_size's stead, and blob files count, too: with a table
  // goes its share of them. (Of RocksDB 11, like the next.)
  uint64_t max_data_files_size = 0;
  // Another way to merge small tables, for values in blob files: unsupported, must be false.
  bool use_kv_ratio_compaction = false;
  // A file whose newest entry is that old is rewritten with that temperature (of RocksDB 9). By
  // age, ascending; for num_levels = 1 alone. How old it is, is told by the file that came after
  // it: the newest file keeps its temperature.
  std::vector<FileTemperatureAge> file_temperature_age_thresholds;
  // Of RocksDB 9, without effect: a file that changes its temperature is always read and written.
  bool allow_trivial_copy_when_change_temperature = false;
  uint64_t trivial_copy_buffer_size = 4096;  // without effect

  CompactionOptionsFIFO() = default;
  CompactionOptionsFIFO(uint64_t _max_table_files_size, bool _allow_compaction)
      : max_table_files_size(_max_table_files_size), allow_compaction(_allow_compaction) {}
};

// Of ColumnFamilyOptions::verify_output_flags: what is looked at (the lower bits), where (the upper
// ones). Values are RocksDB's.
enum class VerifyOutputFlags : uint32_t {
  kVerifyNone = 0,
  kVerifyBlockChecksum = 1U << 0,
  kVerifyIteration = 1U << 1,     // entries are what was written
  kVerifyFileChecksum = 1U << 2,  // with DBOptions::file_checksum_gen_factory
  kEnableForLocalCompaction = 1U << 10,
  kEnableForRemoteCompaction = 1U << 11,
  kVerifyAll = 0xFFFFFFFFU,
};
constexpr VerifyOutputFlags operator|(VerifyOutputFlags a, VerifyOutputFlags b) {
  return static_cast<VerifyOutputFlags>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr VerifyOutputFlags operator&(VerifyOutputFlags a, VerifyOutputFlags b) {
  return static_cast<VerifyOutputFlags>(static_cast<uint32_t>(a) & static_cast<uint32_t>(b));
}
constexpr VerifyOutputFlags& operator|=(VerifyOutputFlags& a, VerifyOutputFlags b) {
  return a = a | b;
}
constexpr bool operator!(VerifyOutputFlags flags) { return static_cast<uint32_t>(flags) == 0; }

struct CompressionOptions {
  // "The codec's own default": ZSTD 3, zlib 6, LZ4 its fastest.
  static constexpr int kDefaultCompressionLevel = 32767;

  // zlib: negative for raw deflate, which is what the file format wants.
  int window_bits = -14;
  int level = kDefaultCompressionLevel;
  int strategy = 0;
  // Bytes of a dictionary for the data blocks of a table, stored in the table, made of samples of
  // these blocks: what repeats from block to block compresses better. The blocks are held in memory
  // until it is made (max_dict_buffer_bytes). 0: none. For zlib, LZ4, LZ4HC and ZSTD.
  uint32_t max_dict_bytes = 0;
  // ZSTD: bytes of samples that its trainer makes the dictionary of, some 100 times max_dict_bytes;
  // with too few of them there is none. 0: the samples are the dictionary.
  uint32_t zstd_max_train_bytes = 0;
  // Threads that compress one file, of which the job's own is one.
  uint32_t parallel_threads = 1;
  // Only for bottommost_compression_opts: they apply.
  bool enabled = false;
  // Bytes of blocks that wait for the dictionary, at most; also no more than the table's target
  // size (a flush: the memtable's data), nor than 256 MiB. They are charged to the block cache;
  // where a strict one takes no more, the dictionary is made of what there is. 0: no limit of its
  // own.
  uint64_t max_dict_buffer_bytes = 0;
  // Of zstd_max_train_bytes: ZSTD's trainer, which searches the samples for what repeats. false:
  // the dictionary has the beginning of the samples, and statistics of all; faster.
  bool use_zstd_dict_trainer = true;

  CompressionOptions() = default;
  CompressionOptions(int wbits, int _lev, int _strategy, uint32_t _max_dict_bytes,
                     uint32_t _zstd_max_train_bytes, uint32_t _parallel_threads, bool _enabled,
                     uint64_t _max_dict_buffer_bytes, bool _use_zstd_dict_trainer)
      : window_bits(wbits),
        level(_lev),
        strategy(_strategy),
        max_dict_bytes(_max_dict_bytes),
        zstd_max_train_bytes(_zstd_max_train_bytes),
        parallel_threads(_parallel_threads),
        enabled(_enabled),
        max_dict_buffer_bytes(_max_dict_buffer_bytes),
        use_zstd_dict_trainer(_use_zstd_dict_trainer) {}
};

enum class CacheTier : uint8_t {
  kVolatileTier = 0,
  kNonVolatileBlockTier = 0x01,
};

// What an inplace_callback did.
enum UpdateStatus {
  UPDATE_FAILED = 0,    // nothing: the value stays as it is
  UPDATED_INPLACE = 1,  // changed *existing_value and *existing_value_size
  UPDATED = 2,          // set *merged_value
};

enum class PrepopulateBlobCache : uint8_t {
  kDisable = 0x0,
  kFlushOnly = 0x1,
};

struct AdvancedColumnFamilyOptions {
  // --- Memtables ---
  // Memtables in memory, the one being written included; writes stop when all are full. At least 2.
  int max_write_buffer_number = 2;
  // Flush when this many are full.
  int min_write_buffer_number_to_merge = 1;
  // Flushed memtables kept for conflict checks of transactions, which look into the tables here,
  // and so need none. Without effect, like the next one.
  int max_write_buffer_number_to_maintain = 0;
  int64_t max_write_buffer_size_to_maintain = 0;  // without effect
  // A Put over a value of the memtable that is not shorter overwrites it there, so that memtables
  // grow, and are flushed, less. Who reads meanwhile sees the one or the other, whatever its
  // sequence number is: DB::GetSnapshot() is null. Needs allow_concurrent_memtable_write off.
  bool inplace_update_support = false;
  // Locks of values, by their keys' hashes. Of no effect without updates in place, like the
  // callback.
  size_t inplace_update_num_locks = 10000;
  // What a Put is to become, given what the key has (existing_value, null: nothing), in the
  // memtable or below: the bytes there changed and no longer than before, or *merged_value. Called
  // by one writer at a time, under a lock of the key: must not call the database.
  UpdateStatus (*inplace_callback)(char* existing_value, uint32_t* existing_value_size,
                                   Slice delta_value, std::string* merged_value) = nullptr;
  // When memtables are full, and of what they have less is worth keeping than this share of a
  // memtable (by a sample: what newer entries hide is not, nor what range tombstones do, unless a
  // snapshot needs it), that becomes a memtable again, in place of a table. It is flushed with the
  // next one, where it counts likewise; its logs are kept as long. Other flushes (of the user's,
  // for a limit of logs or memory, at the end) make tables as ever, and so they do with
  // atomic_flush and with user-defined timestamps. 0 or less: never. Changeable.
  double experimental_mempurge_threshold = 0.0;
  // Flushes of memtables that iterators find many hidden entries in, by one step or on average
  // (RocksDB 10). Hints without effect.
  uint32_t memtable_op_scan_flush_trigger = 0;
  uint32_t memtable_avg_op_scan_flush_trigger = 0;  // without effect
  // Bloom filter of a memtable, as a share of write_buffer_size, at most 0.25: of prefixes, where
  // there is a prefix_extractor, and of whole keys, if asked for.
  double memtable_prefix_bloom_size_ratio = 0.0;
  bool memtable_whole_key_filtering = false;
  // Huge pages for memtables, where the system has them; bytes of one; 0: none.
  size_t memtable_huge_page_size = 0;
  // A hint without effect.
  std::shared_ptr<const SliceTransform> memtable_insert_with_hint_prefix_extractor = nullptr;
  // Not 0: the Bloom filter that a plain table keeps in its file (PlainTableOptions in table.h) has
  // the bits of a key in one line of 64 bytes. Of other tables nothing.
  uint32_t bloom_locality = 0;
  // Bytes that a memtable's arena grows by; 0: an eighth of write_buffer_size, at most 1 MiB.
  size_t arena_block_size = 0;
  // Bytes of a checksum behind each entry of a memtable: 0 (none), 1, 2, 4 or 8. Gets, iterators
  // and the flush compare it, and say Corruption if memory changed; range tombstones are compared
  // by the flush alone. Of memtables made after it was set (SetOptions).
  uint32_t memtable_protection_bytes_per_key = 0;

  // --- Levels ---
  // Compression of each level; empty: `compression` everywhere. A level beyond the end uses the
  // last.
  std::vector<CompressionType> compression_per_level;
  int num_levels = 7;
  // Number of level-0 files at which writes are slowed down, and stopped; negative: never.
  int level0_slowdown_writes_trigger = 20;
  int level0_stop_writes_trigger = 36;
  // Bytes of a file of level 1; each level's are larger by the multiplier.
  uint64_t target_file_size_base = 64 * 1048576;
  int target_file_size_multiplier = 1;
  // A hint without effect: filter and index come on top of that. (Of RocksDB 11.)
  bool target_file_size_is_upper_bound = false;
  // Size levels from the last one upward, so that it always holds most data.
  bool level_compaction_dynamic_level_bytes = false;
  // A hint without effect.
  bool level_compaction_dynamic_file_size = true;
  // Each level may be this much larger than the one above.
  double max_bytes_for_level_multiplier = 10;
  std::vector<int> max_bytes_for_level_multiplier_additional = std::vector<int>(num_levels, 1);
  // Bytes of one compaction's input; 0: 25 times target_file_size_base.
  uint64_t max_compaction_bytes = 0;
  // A hint without effect.
  bool ignore_max_compaction_bytes_for_input = true;
  // Bytes waiting for compaction at which writes are slowed down, and stopped; 0: never.
  uint64_t soft_pending_compaction_bytes_limit = 64 * 1073741824ull;
  uint64_t hard_pending_compaction_bytes_limit = 256 * 1073741824ull;
  CompactionStyle compaction_style = kCompactionStyleLevel;
  CompactionPri compaction_pri = kMinOverlappingRatio;
  CompactionOptionsUniversal compaction_options_universal;
  CompactionOptionsFIFO compaction_options_fifo;

  // An iterator seeks instead of stepping on after this many versions of one key.
  uint64_t max_sequential_skip_in_iterations = 8;

  // SkipListFactory, VectorRepFactory, NewHashSkipListRepFactory or NewHashLinkListRepFactory.
  std::shared_ptr<MemTableRepFactory> memtable_factory = std::make_shared<SkipListFactory>();

  // Each makes a collector for every table that is written, which adds to its properties and may
  // have it compacted soon: see table_properties.h. Not null.
  using TablePropertiesCollectorFactories =
      std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>;
  TablePropertiesCollectorFactories table_properties_collector_factories;

  // A Merge() on top of so many operands in the memtable is applied when it is written: the value
  // is read and written whole. The database's batches then enter the memtables one by one. 0:
  // never.
  size_t max_successive_merges = 0;
  // A hint without effect: the limit is kept also where the value must be read from a table. (Of
  // RocksDB 9.)
  bool strict_max_successive_merges = false;
  // No filters for the last level: most lookups find their key there.
  bool optimize_filters_for_hits = false;
  // Check the order of keys while writing tables.
  bool check_flush_compaction_key_order = true;
  // Read every new table back, all of it, and compare it with what was written.
  bool paranoid_file_checks = false;
  // Of the tables of compactions alone, and what of it. (Of RocksDB 11.)
  VerifyOutputFlags verify_output_flags = VerifyOutputFlags::kVerifyNone;
  // Writes to the family are InvalidArgument: only files are ingested or imported. Not for the
  // default family. A log with writes to it fails the open. (Of RocksDB 10.)
  bool disallow_memtable_writes = false;
  // Without effect: files of each new version are always checked to be in order and apart.
  bool force_consistency_checks = true;
  // Time what compactions wait for files, for CompactionJobStats.
  bool report_bg_io_stats = false;
  // Seconds. `ttl`: data older than that go on to the next level (leveled), are rewritten
  // (universal), or go away (FIFO). `periodic_compaction_seconds`: a table older than that is
  // rewritten, so that a compaction filter sees it. 0: never. The default value means 30 days, but
  // never where data would go away, or where there is no filter to rewrite for.
  uint64_t ttl = 0xfffffffffffffffe;
  uint64_t periodic_compaction_seconds = 0xfffffffffffffffe;
  // Without effect: no blocks are compressed for statistics only.
  uint64_t sample_for_compression = 0;
  // FileOptions::temperature of new tables, which the MANIFEST keeps; kUnknown: none. What it means
  // is the FileSystem's. `last_level_temperature`: of what compactions write to level
  // num_levels - 1; `default_write_temperature` (of RocksDB 9): of all others, and where that is
  // unknown.
  Temperature bottommost_temperature = Temperature::kUnknown;  // without effect
  Temperature last_level_temperature = Temperature::kUnknown;
  Temperature default_write_temperature = Temperature::kUnknown;
  // A hint without effect, of statistics. (Of RocksDB 8.)
  Temperature default_temperature = Temperature::kUnknown;
  // Seconds; 0: off. Tells entries by their age, as far as samples of sequence numbers tell when
  // they were written (100 in the shorter of such times, at most one a second; tables carry them in
  // the property "rocksdb.seqno.time.map").
  //
  // preclude_last_level_data_seconds: compactions into the last level, in leveled and universal
  // style, leave what is younger, and what is newer than the oldest snapshot, in the level above,
  // unless that is level 0. With last_level_temperature that makes a hot and a cold tier. In
  // universal style what the last level has goes up again where all of the level above is compacted
  // along, and the last level does not count as a run for max_size_amplification_percent. What
  // grows old goes down when it is compacted next, for whatever reason; in leveled style a file of
  // which nothing is old enough is not compacted down by itself.
  //
  // preserve_internal_time_seconds: entries that are younger keep their sequence numbers in the
  // last level, so that their age is known when the other option is set later. The longer of the
  // two times counts for that.
  //
  // Both change with SetOptions(), and are 0 in a database that is opened for reading.
  uint64_t preclude_last_level_data_seconds = 0;
  uint64_t preserve_internal_time_seconds = 0;

  // False: timestamps (Comparator::timestamp_size) are in memtables and logs alone. A flush keeps
  // of each key its newest version, without timestamp, and raises the mark below which nobody may
  // read (DB::IncreaseFullHistoryTsLow) above the timestamps that were written. Of a key that is
  // written again the timestamp must not go back. Needs a comparator that comes with the library,
  // and neither atomic_flush nor allow_concurrent_memtable_write. Tables are then what they are
  // without timestamps: a family's keys may get them so, and lose them, from one opening to the
  // next. See doc/compatibility.md.
  bool persist_user_defined_timestamps = true;

  // --- Of releases since 8 ---
  // As DBOptions::allow_ingest_behind, of this family.
  bool cf_allow_ingest_behind = false;
  // Seconds that a table of the last level is old before its deletions are compacted away once no
  // snapshot needs them. Without effect: no table is rewritten for that alone.
  uint32_t bottommost_file_compaction_delay = 0;
  // A hint without effect: a MultiGet looks for its keys one after the other in memtables.
  bool memtable_batch_lookup_optimization = false;
  // In skip lists: the order of all entries that readers meet; the checksums of those that a search
  // meets, where there are some; of each entry of a block in memory a checksum of 0, 1, 2, 4 or 8
  // bytes, which those who read it compare. See doc/compatibility.md. In tables opened later.
  bool paranoid_memory_checks = false;
  bool memtable_verify_per_key_checksum_on_seek = false;
  uint8_t block_protection_bytes_per_key = 0;
  double read_triggered_compaction_threshold = 0.0;  // unsupported
  uint32_t min_tombstones_for_range_conversion = 0;  // unsupported
  bool enable_blob_direct_write = false;             // unsupported
  uint32_t blob_direct_write_partitions = 1;         // without effect

  // --- Blob files: where large values go when tables are written, so that compactions need not
  // write them again. A table only says where its value is. The options but blob_cache can be
  // changed while the database is open; what was written before is read as it is.
  bool enable_blob_files = false;
  // Values of so many bytes (uncompressed) and more go to blob files.
  uint64_t min_blob_size = 0;
  // A blob file is ended when it has reached so many bytes.
  uint64_t blob_file_size = 1ULL << 28;
  // Of each value by itself, whether it becomes smaller or not. One that is built in.
  CompressionType blob_compression_type = kNoCompression;
  // Compactions write the values of the oldest blob files anew, so that these can go. Without it
  // only a file goes that nothing refers to any more.
  bool enable_blob_garbage_collection = false;
  // The share of the blob files, the oldest, that this means. 0 to 1.
  double blob_garbage_collection_age_cutoff = 0.25;
  // Where so much of the oldest blob files is garbage (0 to 1), the tables that keep them are
  // compacted for that alone. 1: never. In leveled compactions only.
  double blob_garbage_collection_force_threshold = 1.0;
  // Bytes that compactions read of a blob file at once. 0: each value by itself.
  uint64_t blob_compaction_readahead_size = 0;
  // The first level whose tables' values go to blob files; flushes are level 0.
  int blob_file_starting_level = 0;
  // For values read from blob files; may be the block cache. Null: they are not cached.
  std::shared_ptr<Cache> blob_cache = nullptr;
  // Whether flushes put the values that they write there.
  PrepopulateBlobCache prepopulate_blob_cache = PrepopulateBlobCache::kDisable;

  AdvancedColumnFamilyOptions() = default;
  explicit AdvancedColumnFamilyOptions(const Options& options);
};

}  // namespace ROCKSDB_NAMESPACE
