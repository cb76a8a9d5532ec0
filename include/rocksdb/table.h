// Table files: the settings of the block-based format, and the factory that
// ColumnFamilyOptions::table_factory holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "rocksdb/cache.h"
#include "rocksdb/customizable.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace cairn {
// Internal: the readers and writers of table files, and what they need.
class FileWriter;
class RandomAccessFileReader;
class TableBuilder;
class TableReader;
struct TableBuilderOptions;
struct TableReaderOptions;
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;
class FilterPolicy;
class FlushBlockPolicyFactory;
class PersistentCache;
class UserDefinedIndexFactory;

// Of blocks; the values are on disk, in the footer.
enum ChecksumType : char {
  kNoChecksum = 0x0,
  kCRC32c = 0x1,
  kxxHash = 0x2,
  kxxHash64 = 0x3,
  kXXH3 = 0x4,
};

// Of which tables metadata blocks stay in the cache as long as the table is open.
enum class PinningTier {
  kFallback,  // as the older options say
  kNone,
  // Level-0 tables of up to one and a half times write_buffer_size: what flushes make, and the
  // like.
  kFlushedAndSimilar,
  kAll,
};

// For metadata that are in the block cache: all with cache_index_and_filter_blocks, else only the
// partitions of an index or filter. A pinned block is charged to the cache, and never evicted.
struct MetadataCacheOptions {
  // The top levels of indexes and filters that are in partitions. Older option:
  // pin_top_level_index_and_filter, kAll or kNone.
  PinningTier top_level_index_pinning = PinningTier::kFallback;
  // Their partitions. Older option: pin_l0_filter_and_index_blocks_in_cache, kFlushedAndSimilar or
  // kNone.
  PinningTier partition_pinning = PinningTier::kFallback;
  // Indexes and filters that are whole. Older option: as that of the partitions.
  PinningTier unpartitioned_pinning = PinningTier::kFallback;
};

struct CacheEntryRoleOptions {
  enum class Decision { kEnabled, kDisabled, kFallback };
  Decision charged = Decision::kFallback;
  bool operator==(const CacheEntryRoleOptions& other) const { return charged == other.charged; }
};

// Which memory that is none of its blocks counts as a part of the block cache, which then holds
// fewer of them. Kinds: kCompressionDictionaryBuildingBuffer (by default charged: blocks that wait
// for a dictionary), kFilterConstruction (of tables being written), kBlockBasedTableReader (open
// tables: their indexes and filters, unless these are blocks of the cache; where a strict cache has
// no room the table does not open: MemoryLimit), and, Cairn's own, kMisc (what iterators read ahead
// into in the background: where there is no room they read less). Memtables: see
// WriteBufferManager. kFileMetadata is unsupported. `options` decides for the kinds that
// options_overrides does not.
struct CacheUsageOptions {
  CacheEntryRoleOptions options;
  std::map<CacheEntryRole, CacheEntryRoleOptions> options_overrides;
};

struct BlockBasedTableOptions {
  static const char* kName() { return "BlockTableOptions"; }

  // Where data blocks end (flush_block_policy.h). Null, the default: by block_size and
  // block_size_deviation.
  std::shared_ptr<FlushBlockPolicyFactory> flush_block_policy_factory;

  // Keep index and filter blocks in the block cache, where they are charged and may be evicted,
  // instead of in the table reader. Partitions are there in any case. A table's are read into it
  // when the table is opened.
  bool cache_index_and_filter_blocks = false;
  // They enter the cache with Cache::Priority::HIGH.
  bool cache_index_and_filter_blocks_with_high_priority = true;
  // See MetadataCacheOptions.
  bool pin_l0_filter_and_index_blocks_in_cache = false;
  bool pin_top_level_index_and_filter = true;
  MetadataCacheOptions metadata_cache_options;

  enum IndexType : char {
    kBinarySearch = 0x00,
    kHashSearch = 0x01,  // without effect: tables get kBinarySearch; needs a prefix_extractor
    kTwoLevelIndexSearch = 0x02,       // in partitions, read as they are wanted
    kBinarySearchWithFirstKey = 0x03,  // the keys are written for RocksDB, and not used
  };
  IndexType index_type = kBinarySearch;

  enum BlockSearchType : char {
    kBinary = 0x00,
    kInterpolation = 0x01,
    kAuto = 0x02,
  };
  // A hint without effect: index blocks are searched by halves. (Of RocksDB 11.)
  BlockSearchType index_block_search_type = kBinary;

  enum DataBlockIndexType : char {
    kDataBlockBinarySearch = 0,
    // A lookup hashes its key to the place in the block. For comparators that take keys of
    // different bytes for different, and blocks of up to 64 KiB and 254 restart intervals.
    kDataBlockBinaryAndHash = 1,
  };
  DataBlockIndexType data_block_index_type = kDataBlockBinarySearch;
  // Keys for each bucket of the hash index; 0: 0.75.
  double data_block_hash_table_util_ratio = 0.75;

  ChecksumType checksum = kXXH3;

  // No block cache at all; block_cache must be null then.
  bool no_block_cache = false;
  // Null: one of 8 MiB for this factory alone.
  std::shared_ptr<Cache> block_cache = nullptr;
  // Blocks on a faster disk than the tables' (rocksdb/persistent_cache.h). Null: none. It must not
  // keep its blocks in block_cache: InvalidArgument.
  std::shared_ptr<PersistentCache> persistent_cache = nullptr;
  // Unsupported, must be null.
  std::shared_ptr<Cache> block_cache_compressed = nullptr;

  // Bytes of a data block before compression, about.
  uint64_t block_size = 4 * 1024;
  // A block ends early if the next entry would not fit and it is full but for this many percent.
  int block_size_deviation = 10;
  // Every so many keys one is stored whole, to binary-search among.
  int block_restart_interval = 16;
  int index_block_restart_interval = 1;
  // Bytes of a partition of the index, or of the filter, about.
  uint64_t metadata_block_size = 4096;
  CacheUsageOptions cache_usage_options;
  // The filter in partitions. Of no effect without kTwoLevelIndexSearch.
  bool partition_filters = false;
  // Filters get the sizes in which memory for blocks comes, some more and some less than their bits
  // for each key, so that none of it lies idle.
  bool optimize_filters_for_memory = false;
  // Store only the end of a key that differs from the one before.
  bool use_delta_encoding = true;
  // Null: no filters. See filter_policy.h.
  std::shared_ptr<const FilterPolicy> filter_policy = nullptr;
  // Filters hold whole keys. With a prefix_extractor they hold prefixes, too.
  bool whole_key_filtering = true;
  // Of each filter that is made it is checked that it has all keys, and that these are the ones
  // that were added. Corruption ends the flush or the compaction.
  bool detect_filter_construct_corruption = false;
  // Decompress every block that was compressed and compare.
  bool verify_compression = false;
  // Without effect: what reads use of the blocks that they read is not estimated.
  uint32_t read_amp_bytes_per_bit = 0;

  // Of new files, 2 to 7; 5 is what RocksDB 7.8.3 reads at most. All of these are read.
  uint32_t format_version = 5;

  bool enable_index_compression = true;
  // Keys and values of a data block apart (RocksDB 11; such tables are read): unsupported.
  bool separate_key_value_in_data_block = false;
  // Data blocks begin at a multiple of block_size (a power of 2), of 4096 if that is less, and none
  // crosses one unless it is larger: fewer pages for a read, and larger files. Refused with a
  // compression.
  bool block_align = false;

  enum class IndexShorteningMode : char {
    kNoShortening,
    kShortenSeparators,
    kShortenSeparatorsAndSuccessor,  // and the last key of the file
  };
  IndexShorteningMode index_shortening = IndexShorteningMode::kShortenSeparators;

  // Bytes that sequential reads are read ahead at most, and at first, and after how many reads of a
  // file.
  size_t max_auto_readahead_size = 256 * 1024;

  // Whether the blocks of a new table come into the block cache when they are written,
  // uncompressed, instead of when they are read: where a read is dear (remote storage, direct I/O)
  // what was written last needs none. Those of flushes, at low priority; or those of compactions,
  // too, at the bottom priority. So do the partitions of the index and of the filter; what is not
  // partitioned comes in when the table is opened, at the end of the same job, if it is to be
  // cached at all. No effect on tables that are read back to be compared (paranoid_file_checks,
  // verify_output_flags), which then means the file, nor on those that are kept without timestamps.
  // kFlushAndCompaction is RocksDB 11's.
  enum class PrepopulateBlockCache : char { kDisable, kFlushOnly, kFlushAndCompaction };
  PrepopulateBlockCache prepopulate_block_cache = PrepopulateBlockCache::kDisable;

  size_t initial_auto_readahead_size = 8 * 1024;
  uint64_t num_file_reads_for_auto_readahead = 2;

  // --- Of releases since 8 ---
  // A hint without effect: partitions of filters end where those of the index do.
  bool decouple_partitioned_filters = true;
  // Hints without effect: how blocks lie in huge pages of the storage, and when an index block
  // counts as uniform.
  size_t super_block_alignment_size = 0;
  size_t super_block_alignment_space_overhead_ratio = 128;  // without effect
  double uniform_cv_threshold = -1;                         // without effect
  // Tables get an index of the user's own as well (rocksdb/user_defined_index.h). Null: they do
  // not. With compression_opts.parallel_threads > 1, or keys that lose their timestamps:
  // InvalidArgument.
  std::shared_ptr<UserDefinedIndexFactory> user_defined_index_factory = nullptr;
  // A table that has none of it does not open: Corruption. Else the usual index is used.
  bool fail_if_no_udi_on_open = false;
  // All reads use it, compactions' too, and a table without it does not open. InvalidArgument
  // without the factory, and with partitions of index or filters.
  bool use_udi_as_primary_index = false;
};

// Makes readers and builders of table files. Only Cairn's own can be used; the methods are
// internal.
class TableFactory : public Customizable {
 public:
  ~TableFactory() override = default;

  static const char* Type() { return "TableFactory"; }
  // One of those below by its name, "{id=BlockBasedTable;block_size=16K}" with members of its
  // options, or one that is registered (utilities/object_registry.h). Where *factory is of that
  // class already, its options stand in for those that the text lacks. See
  // utilities/customizable_util.h for errors.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<TableFactory>* factory);
  static const char* kBlockCacheOpts() { return "BlockCache"; }
  static const char* kBlockBasedTableName() { return "BlockBasedTable"; }
  static const char* kPlainTableName() { return "PlainTable"; }
  static const char* kCuckooTableName() { return "CuckooTable"; }

  // Opens the table in `file`, of file_size bytes. Corruption or NotSupported name the file.
  // SUSPENDS.
  virtual Status NewTableReader(const ::cairn::TableReaderOptions& options,
                                std::unique_ptr<::cairn::RandomAccessFileReader>&& file,
                                uint64_t file_size,
                                std::unique_ptr<::cairn::TableReader>* table_reader) const = 0;

  // Writes a table to `file`, which is borrowed. The caller owns the builder.
  virtual ::cairn::TableBuilder* NewTableBuilder(const ::cairn::TableBuilderOptions& options,
                                                 ::cairn::FileWriter* file) const = 0;

  virtual bool IsDeleteRangeSupported() const { return false; }
};

// The caller owns it, usually at once in a shared_ptr.
extern TableFactory* NewBlockBasedTableFactory(
    const BlockBasedTableOptions& table_options = BlockBasedTableOptions());

// --- Plain tables: rows one after the other, for databases that lie in memory or are mapped
// (allow_mmap_reads; else a table that is open is in memory as a whole, see
// "rocksdb.estimate-table-readers-mem"). Lookups take a hash index, made when a table is opened or
// kept in the file. No compression, no checksums, no range deletions, no timestamps; a file has
// less than 2 GiB. Iterators go forward only: SeekToLast(), SeekForPrev() and Prev() end with
// NotSupported. With a prefix_extractor they find what has the prefix of the key sought, and with
// total_order_seek nothing: InvalidArgument.

// How keys are written; kPrefix leaves out what a key shares with those before it that have the
// same prefix, and needs a prefix_extractor.
enum EncodingType : char {
  kPlain,
  kPrefix,
};

struct PlainTablePropertyNames {
  static const std::string kEncodingType;
  static const std::string kBloomVersion;
  static const std::string kNumBloomBlocks;
};

const uint32_t kPlainTableVariableLength = 0;

struct PlainTableOptions {
  static const char* kName() { return "PlainTableOptions"; }

  // Bytes that each key has (a key of another size is refused when a table is written), or
  // kPlainTableVariableLength.
  uint32_t user_key_len = kPlainTableVariableLength;
  // Of the Bloom filter of prefixes, or, without a prefix_extractor, of keys. 0: none.
  int bloom_bits_per_key = 10;
  // Prefixes for each bucket of the hash table. 0: there is one bucket, and so binary search.
  // Without a prefix_extractor tables open with 0 only.
  double hash_table_ratio = 0.75;
  // Of the keys with one prefix every so many are in the index. 0: all are.
  size_t index_sparseness = 16;
  // A hint without effect.
  size_t huge_page_tlb_size = 0;
  EncodingType encoding_type = kPlain;
  // No index is made: only iterators from SeekToFirst() on.
  bool full_scan_mode = false;
  // The index and the Bloom filter are kept in the file, so that it opens without reading all of
  // it. Readers take their settings from there, then.
  bool store_index_in_file = false;
};

// The caller owns it.
extern TableFactory* NewPlainTableFactory(const PlainTableOptions& options = PlainTableOptions());

// --- Cuckoo tables: a hash table of keys of one size and values of one size, in memory or mapped
// as plain tables are, for lookups; an iterator sorts what it finds first. Of each key a table
// holds one version, a value or a deletion: a flush that has two, as a snapshot keeps them, may
// fail with NotSupported. No merges, no SingleDelete, and else as with plain tables.

struct CuckooTablePropertyNames {
  static const std::string kEmptyKey;
  static const std::string kValueLength;
  static const std::string kNumHashFunc;
  static const std::string kCuckooBlockSize;
  static const std::string kHashTableSize;
  static const std::string kIsLastLevel;
  static const std::string kIdentityAsFirstHash;
  static const std::string kUseModuleHash;
  static const std::string kUserKeyLength;
};

struct CuckooTableOptions {
  static const char* kName() { return "CuckooTableOptions"; }

  // Entries for each bucket, more than 0 and at most 1: with less there are fewer collisions.
  double hash_table_ratio = 0.9;
  // How many entries are moved at most so that one more finds its place.
  uint32_t max_search_depth = 100;
  // So many buckets that follow one another are tried for each hash function.
  uint32_t cuckoo_block_size = 5;
  // The first 8 bytes of a key are its first hash.
  bool identity_as_first_hash = false;
  // The number of buckets is no power of 2.
  bool use_module_hash = true;
};

// The caller owns it.
extern TableFactory* NewCuckooTableFactory(
    const CuckooTableOptions& options = CuckooTableOptions());

// Opens tables of all formats, each by its factory, and writes those of one: for a database that
// changes its format. Null: a factory with its defaults; and block-based tables are written. The
// caller owns it.
extern TableFactory* NewAdaptiveTableFactory(
    std::shared_ptr<TableFactory> table_factory_to_write = nullptr,
    std::shared_ptr<TableFactory> block_based_table_factory = nullptr,
    std::shared_ptr<TableFactory> plain_table_factory = nullptr,
    std::shared_ptr<TableFactory> cuckoo_table_factory = nullptr);

}  // namespace ROCKSDB_NAMESPACE
