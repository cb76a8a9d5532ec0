#include "features.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace interop {
namespace {

// ---- What the C interface takes as callbacks

void Nothing(void*) {}

const char* AppendName(void*) { return "interop.Append"; }

char* Copy(const std::string& value, unsigned char* success, size_t* size) {
  char* const result = static_cast<char*>(std::malloc(value.size() + 1));
  std::copy(value.begin(), value.end(), result);
  *size = value.size();
  *success = 1;
  return result;
}

// As workload.h's Replay: operands follow what is there, with commas between.
char* FullMerge(void*, const char*, size_t, const char* existing, size_t existing_size,
                const char* const* operands, const size_t* sizes, int count, unsigned char* success,
                size_t* size) {
  std::string value;
  if (existing != nullptr) value.assign(existing, existing_size);
  for (int i = 0; i < count; ++i) {
    if (i > 0 || existing != nullptr) value += ',';
    value.append(operands[i], sizes[i]);
  }
  return Copy(value, success, size);
}

char* PartialMerge(void*, const char*, size_t, const char* const* operands, const size_t* sizes,
                   int count, unsigned char* success, size_t* size) {
  std::string value;
  for (int i = 0; i < count; ++i) {
    if (i > 0) value += ',';
    value.append(operands[i], sizes[i]);
  }
  return Copy(value, success, size);
}

void FreeValue(void*, const char* value, size_t) { std::free(const_cast<char*>(value)); }

const char* ReverseName(void*) { return "interop.Reverse"; }

int ReverseCompare(void*, const char* a, size_t a_size, const char* b, size_t b_size) {
  const int c = std::memcmp(a, b, std::min(a_size, b_size));
  if (c != 0) return -c;
  return a_size < b_size ? 1 : (a_size > b_size ? -1 : 0);
}

// ---- Shorthands

constexpr int kSnappy = 1, kZlib = 2, kBzip2 = 3, kLz4 = 4, kLz4hc = 5, kZstd = 7;

template <int type>
void Compression(Setup* s) {
  s->engine.options_set_compression(s->options, type);
}

template <int type>
void Dictionary(Setup* s) {
  Compression<type>(s);
  // Window bits, level, strategy: the defaults.
  s->engine.options_set_compression_options(s->options, -14, 32767, 0, 4 << 10);
}

template <int version>
void FormatVersion(Setup* s) {
  s->engine.block_based_options_set_format_version(s->table, version);
}

template <int kind>
void Checksum(Setup* s) {
  s->engine.block_based_options_set_checksum(s->table, kind);
}

void Bloom(Setup* s) {
  s->engine.block_based_options_set_filter_policy(s->table,
                                                  s->engine.filterpolicy_create_bloom_full(10));
}

void Prefix(Setup* s) {
  s->prefix = 7;
  s->engine.options_set_prefix_extractor(s->options,
                                         s->engine.slicetransform_create_fixed_prefix(s->prefix));
}

void Partitioned(Setup* s) {
  s->engine.block_based_options_set_index_type(
      s->table, rocksdb_block_based_table_index_type_two_level_index_search);
  s->engine.block_based_options_set_partition_filters(s->table, 1);
  s->engine.block_based_options_set_metadata_block_size(s->table, 512);
}

void Universal(Setup* s) {
  s->engine.options_set_compaction_style(s->options, 1);
  rocksdb_universal_compaction_options_t* const universal =
      s->engine.universal_compaction_options_create();
  s->engine.universal_compaction_options_set_max_merge_width(universal, 4);
  s->engine.options_set_universal_compaction_options(s->options, universal);
  s->engine.universal_compaction_options_destroy(universal);
}

void Fifo(Setup* s) {
  s->engine.options_set_compaction_style(s->options, 2);
  rocksdb_fifo_compaction_options_t* const fifo = s->engine.fifo_compaction_options_create();
  // Nothing goes.
  s->engine.fifo_compaction_options_set_max_table_files_size(fifo, uint64_t{1} << 40);
  s->engine.options_set_fifo_compaction_options(s->options, fifo);
  s->engine.fifo_compaction_options_destroy(fifo);
}

void PerLevel(Setup* s) {
  const int levels[] = {0, kLz4, kZlib, kZstd, kSnappy, kZstd, kZstd};
  s->engine.options_set_compression_per_level(s->options, levels, 7);
}

void Bottommost(Setup* s) {
  Compression<kLz4>(s);
  s->engine.options_set_bottommost_compression(s->options, kZstd);
  s->engine.options_set_bottommost_compression_options(s->options, -14, 5, 0, 2 << 10, 1);
}

void Reverse(Setup* s) {
  s->reverse = true;
  s->comparator = s->engine.comparator_create(nullptr, Nothing, ReverseCompare, ReverseName);
  s->engine.options_set_comparator(s->options, s->comparator);
}

void Merge(Setup* s) {
  s->shape.merge = true;
  s->engine.options_set_merge_operator(
      s->options, s->engine.mergeoperator_create(nullptr, Nothing, FullMerge, PartialMerge,
                                                 FreeValue, AppendName));
}

// What the C interface has no function for, or a release none. The options stay as they are else.
void Text(Setup* s, const char* text) {
  char* error = nullptr;
  s->engine.get_options_from_string(s->options, text, s->options, &error);
  if (error == nullptr) return;
  std::fprintf(stderr, "%s: %s\n", text, error);
  std::exit(1);
}

void Blobs(Setup* s, int compression = rocksdb_no_compression) {
  const Engine& engine = s->engine;
  engine.options_set_enable_blob_files(s->options, 1);
  engine.options_set_min_blob_size(s->options, 40);
  engine.options_set_blob_file_size(s->options, 64 << 10);
  engine.options_set_blob_compression_type(s->options, compression);
}

template <int type>
void CompressedBlobs(Setup* s) {
  Blobs(s, type);
}

// The oldest ones are written anew, those that hold so many percent of the values.
void CollectBlobs(Setup* s, int percent) {
  s->engine.options_set_enable_blob_gc(s->options, 1);
  s->engine.options_set_blob_gc_age_cutoff(s->options, percent / 100.0);
}

// One of the engines puts values in blob files, and the other takes them back into tables.
void BlobsOfOne(Setup* s, bool of_cairn) {
  Blobs(s, kLz4);
  CollectBlobs(s, 100);
  s->engine.options_set_enable_blob_files(s->options, s->engine.cairn == of_cairn);
}

void CompressedLogs(Setup* s) { s->engine.options_set_wal_compression(s->options, kZstd); }

// As much of it in one database as goes together.
void Together(Setup* s) {
  Merge(s);
  s->shape.ranges = s->shape.single_deletes = s->families = true;
  Partitioned(s);
  Prefix(s);
  Dictionary<kZstd>(s);
  s->engine.block_based_options_set_filter_policy(s->table,
                                                  s->engine.filterpolicy_create_ribbon(10));
  CompressedLogs(s);
}

// Keys end in a number of 8 bytes, little-endian, as those of BytewiseComparatorWithU64Ts().
constexpr size_t kStampBytes = 8;
int CompareStamps(void*, const char* a, size_t, const char* b, size_t) {
  for (size_t i = kStampBytes; i-- > 0;) {
    const auto x = static_cast<unsigned char>(a[i]), y = static_cast<unsigned char>(b[i]);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}
int CompareBare(void*, const char* a, size_t a_size, unsigned char a_has, const char* b,
                size_t b_size, unsigned char b_has) {
  if (a_has != 0) a_size -= kStampBytes;
  if (b_has != 0) b_size -= kStampBytes;
  const int order = std::memcmp(a, b, std::min(a_size, b_size));
  if (order != 0) return order;
  return a_size < b_size ? -1 : static_cast<int>(a_size > b_size);
}
int CompareStamped(void* state, const char* a, size_t a_size, const char* b, size_t b_size) {
  const int order = CompareBare(state, a, a_size, 1, b, b_size, 1);
  if (order != 0) return order;
  return -CompareStamps(state, a + a_size - kStampBytes, kStampBytes, b + b_size - kStampBytes,
                        kStampBytes);
}

// Ordered as by BytewiseComparatorWithU64Ts().
void Stamped(Setup* s) {
  s->stamped = true;
  s->comparator = s->engine.comparator_with_ts_create(
      nullptr, [](void*) {}, CompareStamped, CompareStamps, CompareBare,
      [](void*) { return "leveldb.BytewiseComparator.u64ts"; }, kStampBytes);
  s->engine.options_set_comparator(s->options, s->comparator);
}

// Tables do not have the timestamps.
void StampedInMemory(Setup* s) {
  Stamped(s);
  s->history = s->trims = false;
  s->engine.options_set_allow_concurrent_memtable_write(s->options, 0);
  Text(s, "persist_user_defined_timestamps=false");
}

// (Cairn refuses it.)
void SeparateValues(Setup* s) {
  if (s->engine.cairn) return;
  s->engine.block_based_options_set_separate_key_value_in_data_block(s->table, 1);
}
bool HasSeparateValues(const Engine& e) {
  return e.block_based_options_set_separate_key_value_in_data_block != nullptr;
}
}  // namespace

Setup::Setup(const Engine& the_engine)
    : engine(the_engine),
      options(engine.options_create()),
      table(engine.block_based_options_create()) {}

Setup::~Setup() {
  engine.options_destroy(options);
  engine.block_based_options_destroy(table);
  if (comparator != nullptr) engine.comparator_destroy(comparator);
}

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
      {"defaults", "the release's defaults", [](Setup* s) { s->defaults = true; }},
      {"small", "small memtables and files, all levels", [](Setup*) {}},
      {"format-2", "format version 2", FormatVersion<2>},
      {"format-3", "format version 3", FormatVersion<3>},
      {"format-4", "format version 4", FormatVersion<4>},
      {"format-5", "format version 5", FormatVersion<5>},
      {"format-6", "format version 6", FormatVersion<6>},
      {"format-7", "format version 7", FormatVersion<7>},
      {"families", "column families, one of them dropped", [](Setup* s) { s->families = true; }},
      {"atomic-flush", "atomic flush of column families",
       [](Setup* s) {
         s->families = s->atomic_flush = true;
         s->engine.options_set_atomic_flush(s->options, 1);
       }},
      {"merge", "merge operands", Merge},
      {"single-delete", "single deletions", [](Setup* s) { s->shape.single_deletes = true; }},
      {"delete-range", "range deletions", [](Setup* s) { s->shape.ranges = true; }},
      {"entities", "wide columns", [](Setup* s) { s->entities = true; }},
      {"none", "no compression", Compression<0>},
      {"snappy", "Snappy", Compression<kSnappy>},
      {"zlib", "zlib", Compression<kZlib>},
      {"bzip2", "bzip2", Compression<kBzip2>},
      {"lz4", "LZ4", Compression<kLz4>},
      {"lz4hc", "LZ4HC", Compression<kLz4hc>},
      {"zstd", "ZSTD", Compression<kZstd>},
      {"zlib-dictionary", "zlib with dictionaries", Dictionary<kZlib>},
      {"lz4-dictionary", "LZ4 with dictionaries", Dictionary<kLz4>},
      {"lz4hc-dictionary", "LZ4HC with dictionaries", Dictionary<kLz4hc>},
      {"zstd-dictionary", "ZSTD with dictionaries", Dictionary<kZstd>},
      {"zstd-trained", "ZSTD with trained dictionaries",
       [](Setup* s) {
         Dictionary<kZstd>(s);
         s->engine.options_set_compression_options_zstd_max_train_bytes(s->options, 64 << 10);
       }},
      {"zstd-finalized", "ZSTD with finalized dictionaries",
       [](Setup* s) {
         Dictionary<kZstd>(s);
         s->engine.options_set_compression_options_zstd_max_train_bytes(s->options, 64 << 10);
         s->engine.options_set_compression_options_use_zstd_dict_trainer(s->options, 0);
       }},
      {"parallel", "compression by several threads",
       [](Setup* s) {
         Compression<kZstd>(s);
         s->engine.options_set_compression_options_parallel_threads(s->options, 3);
       }},
      {"per-level", "a compression for each level", PerLevel},
      {"bottommost", "a compression with dictionaries for the last level", Bottommost},
      {"checksum-none", "no block checksums", Checksum<0>},
      {"crc32c", "CRC32C", Checksum<1>},
      {"xxhash", "xxHash", Checksum<2>},
      {"xxhash64", "xxHash64", Checksum<3>},
      {"xxh3", "XXH3", Checksum<4>},
      {"bloom", "Bloom filters", Bloom},
      {"ribbon", "Ribbon filters",
       [](Setup* s) {
         s->engine.block_based_options_set_filter_policy(s->table,
                                                         s->engine.filterpolicy_create_ribbon(10));
       }},
      {"ribbon-hybrid", "Bloom filters above Ribbon filters",
       [](Setup* s) {
         s->engine.block_based_options_set_filter_policy(
             s->table, s->engine.filterpolicy_create_ribbon_hybrid(10, 1));
       }},
      {"prefix-bloom", "Bloom filters of prefixes and keys",
       [](Setup* s) {
         Prefix(s);
         Bloom(s);
         s->engine.options_set_memtable_prefix_bloom_size_ratio(s->options, 0.1);
       }},
      {"prefix-only", "Bloom filters of prefixes alone",
       [](Setup* s) {
         Prefix(s);
         Bloom(s);
         s->engine.block_based_options_set_whole_key_filtering(s->table, 0);
       }},
      {"partitioned", "partitioned indexes and filters",
       [](Setup* s) {
         Partitioned(s);
         Bloom(s);
       }},
      {"partitioned-ribbon", "partitioned Ribbon filters of prefixes",
       [](Setup* s) {
         Partitioned(s);
         Prefix(s);
         s->engine.block_based_options_set_filter_policy(s->table,
                                                         s->engine.filterpolicy_create_ribbon(10));
       }},
      {"hash-index", "hash indexes of tables",
       [](Setup* s) {
         Prefix(s);
         if (s->engine.cairn) return;
         s->engine.block_based_options_set_index_type(
             s->table, rocksdb_block_based_table_index_type_hash_search);
       },
       Feature::Support::kReads},
      {"first-keys", "indexes with first keys",
       [](Setup* s) { s->engine.block_based_options_set_index_type(s->table, 3); }},
      {"data-hash-index", "hash indexes of data blocks",
       [](Setup* s) {
         s->engine.block_based_options_set_data_block_index_type(
             s->table, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
         s->engine.block_based_options_set_data_block_hash_ratio(s->table, 0.75);
       }},
      {"restarts", "restart intervals of 1 and 8, no delta encoding",
       [](Setup* s) {
         s->engine.block_based_options_set_block_restart_interval(s->table, 1);
         s->engine.block_based_options_set_index_block_restart_interval(s->table, 8);
         s->engine.block_based_options_set_use_delta_encoding(s->table, 0);
       }},
      {"large-blocks", "blocks of 128 KiB",
       [](Setup* s) { s->engine.block_based_options_set_block_size(s->table, 128 << 10); }},
      {"separate-values", "values apart from keys in data blocks", SeparateValues,
       Feature::Support::kReads, "-", HasSeparateValues},
      {"separate-values-hash", "the same with hash indexes, in large blocks",
       [](Setup* s) {
         SeparateValues(s);
         s->engine.block_based_options_set_data_block_index_type(
             s->table, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
         s->engine.block_based_options_set_block_size(s->table, 16 << 10);
         s->engine.block_based_options_set_block_restart_interval(s->table, 3);
       },
       Feature::Support::kReads, "-", HasSeparateValues},
      {"even-keys", "index blocks marked for evenly spread keys",
       [](Setup* s) {
         if (s->engine.cairn) return;
         // (However they are spread.)
         s->own_table = false;
         Text(s,
              "block_based_table_factory={block_size=512;index_block_search_type=kAuto;"
              "uniform_cv_threshold=1000;}");
       },
       Feature::Support::kReads, "-", HasSeparateValues},
      {"ingested", "ingested files of SstFileWriter", [](Setup* s) { s->ingest = true; }},
      {"ingested-merge", "the same with operands and a reverse order",
       [](Setup* s) {
         s->ingest = true;
         Merge(s);
         Reverse(s);
       }},
      {"wal-compression", "compressed logs", CompressedLogs},
      {"recycled-logs", "recycled logs",
       [](Setup* s) { s->engine.options_set_recycle_log_file_num(s->options, 3); }},
      {"tracked-logs", "logs tracked in the MANIFEST",
       [](Setup* s) { s->engine.options_set_track_and_verify_wals_in_manifest(s->options, 1); }},
      {"chained-logs", "logs that name the one before",
       [](Setup* s) { Text(s, "track_and_verify_wals=true"); }},
      {"manual-wal-flush", "logs flushed by the writer",
       [](Setup* s) {
         s->flush_wal = true;
         s->engine.options_set_manual_wal_flush(s->options, 1);
       }},
      {"pipelined", "pipelined writes",
       [](Setup* s) { s->engine.options_set_enable_pipelined_write(s->options, 1); }},
      {"universal", "universal compaction", Universal},
      {"fifo", "FIFO compaction", Fifo},
      {"static-levels", "level sizes that are not dynamic",
       [](Setup* s) { s->engine.options_set_level_compaction_dynamic_level_bytes(s->options, 0); }},
      {"comparator", "an order of the user's", Reverse},
      {"together", "much of it in one database", Together},
      {"blobs", "blob files", [](Setup* s) { Blobs(s); }},
      {"blobs-snappy", "blob files with Snappy", CompressedBlobs<kSnappy>},
      {"blobs-zlib", "blob files with zlib", CompressedBlobs<kZlib>},
      {"blobs-bzip2", "blob files with bzip2", CompressedBlobs<kBzip2>},
      {"blobs-lz4", "blob files with LZ4", CompressedBlobs<kLz4>},
      {"blobs-lz4hc", "blob files with LZ4HC", CompressedBlobs<kLz4hc>},
      {"blobs-zstd", "blob files with ZSTD", CompressedBlobs<kZstd>},
      {"blobs-all", "blob files of all values, the empty ones, too",
       [](Setup* s) {
         Blobs(s, kZstd);
         s->engine.options_set_min_blob_size(s->options, 0);
       }},
      {"blobs-large", "blob files of values of 4 KiB and more",
       [](Setup* s) {
         Blobs(s);
         s->engine.options_set_min_blob_size(s->options, 4 << 10);
       }},
      {"blobs-level", "blob files from level 5 on",
       [](Setup* s) {
         Blobs(s, kLz4);
         s->engine.options_set_level_compaction_dynamic_level_bytes(s->options, 1);
         s->engine.options_set_blob_file_starting_level(s->options, 5);
       }},
      {"blobs-collected", "blob files, the older half collected",
       [](Setup* s) {
         Blobs(s, kLz4);
         CollectBlobs(s, 50);
       }},
      {"blobs-forced", "blob files, collected once a tenth is garbage",
       [](Setup* s) {
         Blobs(s);
         CollectBlobs(s, 100);
         s->engine.options_set_blob_gc_force_threshold(s->options, 0.1);
       }},
      {"blobs-of-cairn", "blob files of Cairn, taken back by RocksDB",
       [](Setup* s) { BlobsOfOne(s, true); }},
      {"blobs-of-rocksdb", "blob files of RocksDB, taken back by Cairn",
       [](Setup* s) { BlobsOfOne(s, false); }},
      {"blobs-merge", "blob files and merge operands",
       [](Setup* s) {
         Blobs(s);
         CollectBlobs(s, 50);
         Merge(s);
       }},
      {"blobs-deletions", "blob files, deletions of ranges and single ones",
       [](Setup* s) {
         Blobs(s);
         CollectBlobs(s, 50);
         s->shape.ranges = s->shape.single_deletes = true;
       }},
      {"blobs-families", "blob files of column families that are flushed together",
       [](Setup* s) {
         Blobs(s, kSnappy);
         s->families = s->atomic_flush = true;
         s->engine.options_set_atomic_flush(s->options, 1);
       }},
      {"blobs-entities", "blob files and wide columns",
       [](Setup* s) {
         Blobs(s);
         CollectBlobs(s, 50);
         s->entities = true;
       }},
      {"blobs-universal", "blob files and universal compaction",
       [](Setup* s) {
         Blobs(s, kZstd);
         CollectBlobs(s, 50);
         Universal(s);
       }},
      {"blobs-fifo", "blob files and FIFO compaction",
       [](Setup* s) {
         Blobs(s, kZlib);
         Fifo(s);
       }},
      {"blobs-ingested", "blob files and ingested files",
       [](Setup* s) {
         Blobs(s);
         CollectBlobs(s, 50);
         s->ingest = true;
       }},
      {"blobs-partitioned", "blob files, partitioned indexes and filters",
       [](Setup* s) {
         Blobs(s, kLz4);
         Partitioned(s);
         Bloom(s);
       }},
      {"timestamps", "timestamps", Stamped},
      {"timestamps-families", "timestamps of column families",
       [](Setup* s) {
         Stamped(s);
         s->families = true;
       }},
      {"timestamps-single", "timestamps and single deletions",
       [](Setup* s) {
         Stamped(s);
         s->shape.single_deletes = true;
       }},
      {"timestamps-ingested", "timestamps, ingested files of SstFileWriter",
       [](Setup* s) {
         Stamped(s);
         s->ingest = true;
       }},
      {"timestamps-partitioned", "timestamps, partitioned indexes and filters",
       [](Setup* s) {
         Stamped(s);
         Partitioned(s);
         Bloom(s);
       }},
      {"timestamps-prefix", "timestamps, Bloom filters of prefixes",
       [](Setup* s) {
         Stamped(s);
         Bloom(s);
         s->engine.options_set_prefix_extractor(s->options,
                                                s->engine.slicetransform_create_fixed_prefix(7));
       }},
      {"timestamps-universal", "timestamps and universal compaction",
       [](Setup* s) {
         Stamped(s);
         Universal(s);
       }},
      {"timestamps-history", "timestamps of which nothing is dropped",
       [](Setup* s) {
         Stamped(s);
         s->trims = false;
       }},
      {"timestamps-blobs", "timestamps and blob files that are collected",
       [](Setup* s) {
         Stamped(s);
         // (RocksDB cannot read a blob whose key has lost its timestamp in a compaction, not even
         // one of its own: "Key mismatch when reading blob".)
         s->trims = false;
         Blobs(s, kLz4);
         CollectBlobs(s, 50);
       }},
      {"timestamps-blobs-trimmed", "blobs whose keys have lost their timestamps in tables",
       [](Setup* s) {
         Stamped(s);
         Blobs(s, kLz4);
       },
       Feature::Support::kSalvages},
      {"timestamps-logs", "timestamps, logs compressed and recycled",
       [](Setup* s) {
         Stamped(s);
         CompressedLogs(s);
         s->engine.options_set_recycle_log_file_num(s->options, 3);
       }},
      {"timestamps-memory", "timestamps in memtables and logs alone", StampedInMemory},
      {"plain-tables", "plain tables",
       [](Setup* s) {
         Prefix(s);
         if (s->engine.cairn) return;
         s->own_table = false;
         s->engine.options_set_plain_table_factory(s->options, 0, 10, 0.75, 16, 0, 0, 0, 1);
       },
       Feature::Support::kRefuses, "not a block-based table"},
  };
  return features;
}

const Feature* FindFeature(const std::string& name) {
  for (const Feature& feature : Features()) {
    if (name == feature.name) return &feature;
  }
  return nullptr;
}

}  // namespace interop
