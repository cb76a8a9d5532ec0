// Options that are good alone and not together: which combinations DB::Open, CreateColumnFamily and
// SetOptions refuse, and with which code. The codes in the table are RocksDB's.
#include <limits>

#include "conformance.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"

namespace conformance {
namespace {

// What is set, on top of the defaults.
struct Setting {
  Options options;
  BlockBasedTableOptions table;
};

struct Combination {
  const char* name;
  Status::Code code;
  std::function<void(Setting*)> set;
};

const Status::Code kFine = Status::kOk;
const Status::Code kInvalid = Status::kInvalidArgument;
const Status::Code kUnsupported = Status::kNotSupported;

std::vector<Combination> OfDatabase() {
  return {
      {"atomic_flush, enable_pipelined_write", kInvalid,
       [](Setting* s) {
         s->options.atomic_flush = true;
         s->options.enable_pipelined_write = true;
       }},
      {"atomic_flush, unordered_write", kFine,
       [](Setting* s) {
         s->options.atomic_flush = true;
         s->options.unordered_write = true;
       }},
      {"atomic_flush, manual_wal_flush", kFine,
       [](Setting* s) {
         s->options.atomic_flush = true;
         s->options.manual_wal_flush = true;
       }},
      {"unordered_write, enable_pipelined_write", kInvalid,
       [](Setting* s) {
         s->options.unordered_write = true;
         s->options.enable_pipelined_write = true;
       }},
      {"unordered_write, no allow_concurrent_memtable_write", kInvalid,
       [](Setting* s) {
         s->options.unordered_write = true;
         s->options.allow_concurrent_memtable_write = false;
       }},
      {"unordered_write", kFine, [](Setting* s) { s->options.unordered_write = true; }},
      {"enable_pipelined_write, no allow_concurrent_memtable_write", kFine,
       [](Setting* s) {
         s->options.enable_pipelined_write = true;
         s->options.allow_concurrent_memtable_write = false;
       }},
      {"enable_pipelined_write, manual_wal_flush", kFine,
       [](Setting* s) {
         s->options.enable_pipelined_write = true;
         s->options.manual_wal_flush = true;
       }},
      {"two_write_queues, unordered_write", kFine,
       [](Setting* s) {
         s->options.two_write_queues = true;
         s->options.unordered_write = true;
       }},
      {"keep_log_file_num 0", kInvalid, [](Setting* s) { s->options.keep_log_file_num = 0; }},
      {"use_direct_io_for_flush_and_compaction, writable_file_max_buffer_size 0", kInvalid,
       [](Setting* s) {
         s->options.use_direct_io_for_flush_and_compaction = true;
         s->options.writable_file_max_buffer_size = 0;
       }},
      {"writable_file_max_buffer_size 0", kFine,
       [](Setting* s) { s->options.writable_file_max_buffer_size = 0; }},
      {"recycle_log_file_num, kAbsoluteConsistency", kFine,
       [](Setting* s) {
         s->options.recycle_log_file_num = 2;
         s->options.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
       }},
      {"recycle_log_file_num, WAL_ttl_seconds", kFine,
       [](Setting* s) {
         s->options.recycle_log_file_num = 2;
         s->options.WAL_ttl_seconds = 10;
       }},
      {"max_open_files 0", kFine, [](Setting* s) { s->options.max_open_files = 0; }},
      {"max_background_jobs 0", kFine, [](Setting* s) { s->options.max_background_jobs = 0; }},
      {"delayed_write_rate 0", kFine, [](Setting* s) { s->options.delayed_write_rate = 0; }},
      {"max_subcompactions 0", kFine, [](Setting* s) { s->options.max_subcompactions = 0; }},
      {"max_write_batch_group_size_bytes 0", kFine,
       [](Setting* s) { s->options.max_write_batch_group_size_bytes = 0; }},
      {"max_manifest_file_size 0", kFine,
       [](Setting* s) { s->options.max_manifest_file_size = 0; }},
      {"strict_bytes_per_sync without bytes_per_sync", kFine,
       [](Setting* s) { s->options.strict_bytes_per_sync = true; }},
  };
}

std::vector<Combination> OfFamily() {
  return {
      {"max_successive_merges, unordered_write", kInvalid,
       [](Setting* s) {
         s->options.max_successive_merges = 2;
         s->options.unordered_write = true;
       }},
      {"FIFO, max_open_files 100", kUnsupported,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.max_open_files = 100;
       }},
      {"FIFO, ttl 0, max_open_files 100", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.ttl = 0;
         s->options.max_open_files = 100;
       }},
      {"FIFO, ttl 5, max_open_files 100", kUnsupported,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.ttl = 5;
         s->options.max_open_files = 100;
       }},
      {"FIFO, ttl 5", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.ttl = 5;
       }},
      {"FIFO, ttl 0, periodic_compaction_seconds, max_open_files 100", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.ttl = 0;
         s->options.periodic_compaction_seconds = 5;
         s->options.max_open_files = 100;
       }},
      {"FIFO, allow_compaction, ttl", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleFIFO;
         s->options.compaction_options_fifo.allow_compaction = true;
         s->options.ttl = 5;
       }},
      {"universal, ttl, max_open_files 100", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleUniversal;
         s->options.ttl = 5;
         s->options.max_open_files = 100;
       }},
      {"universal, periodic_compaction_seconds, max_open_files 100", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleUniversal;
         s->options.periodic_compaction_seconds = 5;
         s->options.max_open_files = 100;
       }},
      {"leveled, ttl, max_open_files 100", kFine,
       [](Setting* s) {
         s->options.ttl = 5;
         s->options.max_open_files = 100;
       }},
      {"vector memtable, allow_concurrent_memtable_write", kInvalid,
       [](Setting* s) { s->options.memtable_factory.reset(new VectorRepFactory()); }},
      {"vector memtable, unordered_write", kInvalid,
       [](Setting* s) {
         s->options.memtable_factory.reset(new VectorRepFactory());
         s->options.unordered_write = true;
       }},
      {"vector memtable, no allow_concurrent_memtable_write", kFine,
       [](Setting* s) {
         s->options.memtable_factory.reset(new VectorRepFactory());
         s->options.allow_concurrent_memtable_write = false;
       }},
      {"hash memtable without prefixes, no allow_concurrent_memtable_write", kFine,
       [](Setting* s) {
         s->options.memtable_factory.reset(NewHashSkipListRepFactory());
         s->options.allow_concurrent_memtable_write = false;
       }},
      {"zstd trainer without max_dict_bytes", kInvalid,
       [](Setting* s) {
         s->options.compression = kZSTD;
         s->options.compression_opts.zstd_max_train_bytes = 1 << 20;
       }},
      {"zstd finalizer without max_dict_bytes", kInvalid,
       [](Setting* s) {
         s->options.compression = kZSTD;
         s->options.compression_opts.zstd_max_train_bytes = 1 << 20;
         s->options.compression_opts.use_zstd_dict_trainer = false;
       }},
      {"zstd trainer without max_dict_bytes, bottommost", kFine,
       [](Setting* s) {
         s->options.bottommost_compression = kZSTD;
         s->options.bottommost_compression_opts.zstd_max_train_bytes = 1 << 20;
         s->options.bottommost_compression_opts.enabled = true;
       }},
      {"zstd trainer without max_dict_bytes, no compression", kInvalid,
       [](Setting* s) {
         s->options.compression = kNoCompression;
         s->options.compression_opts.zstd_max_train_bytes = 1 << 20;
       }},
      {"compression not built in", kInvalid,
       [](Setting* s) { s->options.compression = kXpressCompression; }},
      {"compression_per_level not built in", kInvalid,
       [](Setting* s) { s->options.compression_per_level = {kNoCompression, kXpressCompression}; }},
      {"compression not built in, compression_per_level is", kFine,
       [](Setting* s) {
         s->options.compression = kXpressCompression;
         s->options.compression_per_level = {kNoCompression, kSnappyCompression};
       }},
      {"num_levels 1, leveled", kFine, [](Setting* s) { s->options.num_levels = 1; }},
      {"num_levels 0, universal", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleUniversal;
         s->options.num_levels = 0;
       }},
      {"max_write_buffer_number 1", kFine,
       [](Setting* s) { s->options.max_write_buffer_number = 1; }},
      {"min_write_buffer_number_to_merge above max_write_buffer_number", kFine,
       [](Setting* s) { s->options.min_write_buffer_number_to_merge = 9; }},
      {"level0 triggers out of order", kFine,
       [](Setting* s) {
         s->options.level0_file_num_compaction_trigger = 30;
         s->options.level0_slowdown_writes_trigger = 20;
         s->options.level0_stop_writes_trigger = 10;
       }},
      {"level0_file_num_compaction_trigger 0", kFine,
       [](Setting* s) { s->options.level0_file_num_compaction_trigger = 0; }},
      {"soft_pending above hard", kFine,
       [](Setting* s) {
         s->options.soft_pending_compaction_bytes_limit = 100;
         s->options.hard_pending_compaction_bytes_limit = 10;
       }},
      {"dynamic levels, universal", kFine,
       [](Setting* s) {
         s->options.compaction_style = kCompactionStyleUniversal;
         s->options.level_compaction_dynamic_level_bytes = true;
       }},
      {"memtable_prefix_bloom_size_ratio 3", kFine,
       [](Setting* s) { s->options.memtable_prefix_bloom_size_ratio = 3; }},
      {"optimize_filters_for_hits without filters", kFine,
       [](Setting* s) { s->options.optimize_filters_for_hits = true; }},
  };
}

std::vector<Combination> OfTables() {
  return {
      {"filters in the cache, no cache", kInvalid,
       [](Setting* s) {
         s->table.no_block_cache = true;
         s->table.cache_index_and_filter_blocks = true;
       }},
      {"pinned filters of level 0, no cache", kInvalid,
       [](Setting* s) {
         s->table.no_block_cache = true;
         s->table.pin_l0_filter_and_index_blocks_in_cache = true;
       }},
      {"pin_top_level_index_and_filter, no cache", kFine,
       [](Setting* s) {
         s->table.no_block_cache = true;
         s->table.pin_top_level_index_and_filter = true;
       }},
      {"no_block_cache and a cache", kFine,
       [](Setting* s) {
         s->table.no_block_cache = true;
         s->table.block_cache = NewLRUCache(1 << 20);
       }},
      {"hash in data blocks, util ratio 0", kInvalid,
       [](Setting* s) {
         s->table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
         s->table.data_block_hash_table_util_ratio = 0;
       }},
      {"hash in data blocks, util ratio -1", kInvalid,
       [](Setting* s) {
         s->table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
         s->table.data_block_hash_table_util_ratio = -1;
       }},
      {"hash in data blocks, util ratio 2", kFine,
       [](Setting* s) {
         s->table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
         s->table.data_block_hash_table_util_ratio = 2;
       }},
      {"util ratio 0 without the hash", kFine,
       [](Setting* s) { s->table.data_block_hash_table_util_ratio = 0; }},
      {"hash index without prefixes", kInvalid,
       [](Setting* s) { s->table.index_type = BlockBasedTableOptions::kHashSearch; }},
      {"partitioned filters, binary index", kFine,
       [](Setting* s) {
         s->table.partition_filters = true;
         s->table.filter_policy.reset(NewBloomFilterPolicy(10));
       }},
      {"partitioned filters without filters", kFine,
       [](Setting* s) {
         s->table.partition_filters = true;
         s->table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
       }},
      {"block_size above 32 bits", kInvalid,
       [](Setting* s) { s->table.block_size = size_t{1} << 33; }},
      {"block_size_deviation 200", kFine, [](Setting* s) { s->table.block_size_deviation = 200; }},
      {"block_size_deviation -1", kFine, [](Setting* s) { s->table.block_size_deviation = -1; }},
      {"block_restart_interval 0", kFine, [](Setting* s) { s->table.block_restart_interval = 0; }},
      {"index_block_restart_interval 0", kFine,
       [](Setting* s) { s->table.index_block_restart_interval = 0; }},
      {"metadata_block_size 0", kFine, [](Setting* s) { s->table.metadata_block_size = 0; }},
      {"initial_auto_readahead_size above max_auto_readahead_size", kFine,
       [](Setting* s) {
         s->table.initial_auto_readahead_size = 1 << 20;
         s->table.max_auto_readahead_size = 1 << 10;
       }},
      {"block_align with compression", kInvalid,
       [](Setting* s) {
         s->table.block_align = true;
         s->options.compression = kSnappyCompression;
       }},
      {"format_version 99", kInvalid, [](Setting* s) { s->table.format_version = 99; }},
      {"filters charged, no cache", kInvalid,
       [](Setting* s) {
         s->table.no_block_cache = true;
         s->table.cache_usage_options.options_overrides.insert(
             {CacheEntryRole::kFilterConstruction, {CacheEntryRoleOptions::Decision::kEnabled}});
       }},
      {"data blocks charged", kUnsupported,
       [](Setting* s) {
         s->table.cache_usage_options.options_overrides.insert(
             {CacheEntryRole::kDataBlock, {CacheEntryRoleOptions::Decision::kEnabled}});
       }},
  };
}

class OptionCombinationsTest : public DBTest {
 protected:
  static Setting Defaults() {
    Setting setting;
    setting.options.create_if_missing = true;
    return setting;
  }
  static Options Complete(const Setting& setting) {
    Options options = setting.options;
    options.table_factory.reset(NewBlockBasedTableFactory(setting.table));
    return options;
  }
  static std::string Named(Status::Code code) {
    switch (code) {
      case Status::kOk:
        return "OK";
      case Status::kInvalidArgument:
        return "InvalidArgument";
      case Status::kNotSupported:
        return "NotSupported";
      default:
        return "another code";
    }
  }
};

TEST_F(OptionCombinationsTest, OpenRefusesThem) {
  int n = 0;
  const auto try_all = [&](const std::vector<Combination>& table, bool flush) {
    for (const Combination& combination : table) {
      Setting setting = Defaults();
      combination.set(&setting);
      dir_ = root_ + "/" + std::to_string(n++);
      options_ = Complete(setting);
      const Status s = TryOpen();
      EXPECT_EQ(Named(combination.code), Named(s.code()))
          << combination.name << ": " << s.ToString();
      if (s.ok()) {
        EXPECT_OK(Put("key", "value")) << combination.name;
        if (flush) {
          EXPECT_OK(Flush()) << combination.name;
        }
        EXPECT_EQ("value", Get("key")) << combination.name;
      }
      Shut();
    }
  };
  try_all(OfDatabase(), /*flush=*/false);
  try_all(OfFamily(), /*flush=*/false);
  try_all(OfTables(), /*flush=*/true);
}

// What a family is refused for depends on the database's options, too. (RocksDB looks at the
// options of tables only when a database is opened: it makes families that it then does not open.)
TEST_F(OptionCombinationsTest, CreateColumnFamilyRefusesThem) {
  int n = 0;
  for (const Combination& combination : OfFamily()) {
    Setting setting = Defaults();
    combination.set(&setting);
    // The database alone is fine.
    Setting plain = Defaults();
    plain.options = Options(DBOptions(setting.options), ColumnFamilyOptions());
    dir_ = root_ + "/" + std::to_string(n++);
    options_ = Complete(plain);
    ASSERT_OK(TryOpen()) << combination.name;
    ColumnFamilyHandle* handle = nullptr;
    const Status s = db_->CreateColumnFamily(Complete(setting), "family", &handle);
    EXPECT_EQ(Named(combination.code), Named(s.code())) << combination.name << ": " << s.ToString();
    if (s.ok()) {
      EXPECT_OK(db_->Put(WriteOptions(), handle, "key", "value")) << combination.name;
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    Shut();
  }
}

TEST_F(OptionCombinationsTest, SetOptionsRefusesThem) {
  options_.unordered_write = true;
  Open();
  EXPECT_CODE(InvalidArgument, db_->SetOptions({{"max_successive_merges", "2"}}));
  EXPECT_EQ(0u, db_->GetOptions().max_successive_merges);
  Shut();
  options_ = Complete(Defaults());
  options_.compaction_style = kCompactionStyleFIFO;
  options_.ttl = 0;
  options_.max_open_files = 100;
  dir_ = root_ + "/fifo";
  Open();
  EXPECT_CODE(NotSupported, db_->SetOptions({{"ttl", "5"}}));
}

}  // namespace
}  // namespace conformance
