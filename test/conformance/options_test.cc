// Option sets under which the same data must come back, and options in text and in files.
#include "conformance.h"

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

class OptionsTest : public DBTest {
 protected:
  // Writes, flushes, compacts, reopens, and reads all back.
  void RoundTrip() {
    options_.write_buffer_size = 128 << 10;
    Open();
    Numbers numbers(11);
    std::map<std::string, std::string> model;
    for (int i = 0; i < 3000; i++) {
      const std::string key = Key(static_cast<int>(numbers.Below(1500)));
      // Some compress well, some not at all.
      const std::string value = i % 3 == 0 ? numbers.Bytes(100) : std::string(100, 'a' + i % 26);
      ASSERT_OK(Put(key, value));
      model[key] = value;
      if (i % 10 == 0) {
        const std::string gone = Key(static_cast<int>(numbers.Below(1500)));
        ASSERT_OK(Delete(gone));
        model.erase(gone);
      }
    }
    for (int pass = 0; pass < 3; pass++) {
      for (int i = 0; i < 1500; i++) {
        const auto it = model.find(Key(i));
        ASSERT_EQ(it == model.end() ? "NOT_FOUND" : it->second, Get(Key(i))) << Key(i);
      }
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      it->SeekToFirst();
      for (const auto& [key, value] : model) {
        ASSERT_TRUE(it->Valid()) << it->status().ToString();
        ASSERT_EQ(key, it->key().ToString());
        ASSERT_EQ(value, it->value().ToString());
        it->Next();
      }
      ASSERT_FALSE(it->Valid());
      it.reset();
      if (pass == 0) {
        ASSERT_OK(Flush());
      }
      if (pass == 1) {
        ASSERT_OK(Compact());
        Open();
      }
    }
    EXPECT_OK(db_->VerifyChecksum());
  }
  void RoundTrip(const BlockBasedTableOptions& table) {
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    RoundTrip();
  }
};

TEST_F(OptionsTest, NoCompression) { RoundTrip(); }
TEST_F(OptionsTest, Snappy) {
  options_.compression = kSnappyCompression;
  RoundTrip();
}
TEST_F(OptionsTest, Zlib) {
  options_.compression = kZlibCompression;
  RoundTrip();
}
TEST_F(OptionsTest, BZip2) {
  options_.compression = kBZip2Compression;
  RoundTrip();
}
TEST_F(OptionsTest, LZ4) {
  options_.compression = kLZ4Compression;
  RoundTrip();
}
TEST_F(OptionsTest, LZ4HC) {
  options_.compression = kLZ4HCCompression;
  RoundTrip();
}
TEST_F(OptionsTest, ZSTD) {
  options_.compression = kZSTD;
  RoundTrip();
}

TEST_F(OptionsTest, CompressionShrinksFiles) {
  uint64_t sizes[2];
  for (int i = 0; i < 2; i++) {
    dir_ = root_ + "/db" + std::to_string(i);
    options_.compression = i == 0 ? kNoCompression : kLZ4Compression;
    Open();
    for (int k = 0; k < 1000; k++) ASSERT_OK(Put(Key(k), std::string(200, 'v')));
    ASSERT_OK(Flush());
    sizes[i] = IntProperty("rocksdb.total-sst-files-size");
  }
  EXPECT_LT(sizes[1] * 3, sizes[0]);
}

TEST_F(OptionsTest, DifferentCompressionsMeetInOneDatabase) {
  for (CompressionType type : {kSnappyCompression, kLZ4Compression, kZSTD, kZlibCompression,
                               kBZip2Compression, kNoCompression}) {
    options_.compression = type;
    Open();
    ASSERT_OK(Put("key" + std::to_string(type), std::string(1000, 'v')));
    ASSERT_OK(Flush());
  }
  for (int type : {0, 1, 2, 3, 4, 7})
    EXPECT_EQ(std::string(1000, 'v'), Get("key" + std::to_string(type)));
}

TEST_F(OptionsTest, CompressionsPerLevel) {
  options_.compression_per_level = {kNoCompression, kSnappyCompression, kZSTD};
  options_.bottommost_compression = kLZ4Compression;
  RoundTrip();
}

TEST_F(OptionsTest, CompressionThatIsNotBuiltInIsRefused) {
  options_.compression = kXpressCompression;
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(OptionsTest, Checksums) {
  for (ChecksumType type : {kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3}) {
    SCOPED_TRACE(static_cast<int>(type));
    dir_ = root_ + "/checksum" + std::to_string(type);
    BlockBasedTableOptions table;
    table.checksum = type;
    RoundTrip(table);
  }
}

TEST_F(OptionsTest, FormatVersions) {
  options_.compression = kZlibCompression;
  for (uint32_t version : {2, 3, 4, 5}) {
    SCOPED_TRACE(version);
    dir_ = root_ + "/version" + std::to_string(version);
    BlockBasedTableOptions table;
    table.format_version = version;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    RoundTrip(table);
  }
}

TEST_F(OptionsTest, UnknownFormatVersionIsRefused) {
  BlockBasedTableOptions table;
  table.format_version = 99;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(OptionsTest, SmallBlocksAndRestarts) {
  BlockBasedTableOptions table;
  table.block_size = 128;
  table.block_restart_interval = 1;
  table.index_block_restart_interval = 4;
  RoundTrip(table);
}

TEST_F(OptionsTest, LargeBlocksWithoutDeltaEncoding) {
  BlockBasedTableOptions table;
  table.block_size = 64 << 10;
  table.use_delta_encoding = false;
  table.index_shortening = BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
  RoundTrip(table);
}

TEST_F(OptionsTest, IndexesAndFiltersInTheCache) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(64 << 10, 0, false);  // too small for all
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  RoundTrip(table);
  Shut();
}

TEST_F(OptionsTest, NoBlockCache) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  RoundTrip(table);
}

TEST_F(OptionsTest, NoBlockCacheAndACacheIsInvalidArgument) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.cache_index_and_filter_blocks = true;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(OptionsTest, BloomFilters) {
  for (double bits : {1.0, 5.5, 10.0, 20.0}) {
    SCOPED_TRACE(bits);
    dir_ = root_ + "/bloom" + std::to_string(static_cast<int>(bits));
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewBloomFilterPolicy(bits));
    RoundTrip(table);
  }
}

TEST_F(OptionsTest, FewOpenFiles) {
  options_.max_open_files = 20;
  options_.target_file_size_base = 8 << 10;
  RoundTrip();
}

TEST_F(OptionsTest, DynamicLevelSizes) {
  options_.level_compaction_dynamic_level_bytes = true;
  options_.target_file_size_base = 32 << 10;
  options_.max_bytes_for_level_base = 128 << 10;
  RoundTrip();
}

TEST_F(OptionsTest, FewLevels) {
  options_.num_levels = 2;
  RoundTrip();
}

TEST_F(OptionsTest, WritesWithoutConcurrency) {
  options_.allow_concurrent_memtable_write = false;
  options_.enable_write_thread_adaptive_yield = false;
  RoundTrip();
}

TEST_F(OptionsTest, PipelinedWrites) {
  options_.enable_pipelined_write = true;
  RoundTrip();
}

TEST_F(OptionsTest, RecycledLogs) {
  // (Where the option has an effect, with kSkipAnyCorruptedRecords, RocksDB 7.8.3's recovery of
  // this never ends.)
  options_.recycle_log_file_num = 2;
  RoundTrip();
}

TEST_F(OptionsTest, LogsAreRecycledInTheModeThatPassesOverDamageAlone) {
  options_.recycle_log_file_num = 2;
  for (const auto mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
        WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kSkipAnyCorruptedRecords}) {
    options_.wal_recovery_mode = mode;
    Open();
    EXPECT_EQ(mode == WALRecoveryMode::kSkipAnyCorruptedRecords ? 2u : 0u,
              db_->GetDBOptions().recycle_log_file_num);
  }
}

// The type of a log's first record is its seventh byte.
TEST_F(OptionsTest, CompressedLogsBeginWithARecordThatSaysSo) {
  for (const auto& [compression, compressed] :
       {std::pair{kZSTD, true}, std::pair{kNoCompression, false}}) {
    options_.wal_compression = compression;
    Open();
    for (int i = 0; i < 50; i++) ASSERT_OK(Put(Key(i), std::string(1000, 'x')));
    EXPECT_EQ(compression, db_->GetDBOptions().wal_compression);
    const std::vector<std::string> logs = FilesEndingIn(".log");
    ASSERT_FALSE(logs.empty());
    const std::string log = ReadFile(logs.back());
    ASSERT_LT(11u, log.size());
    EXPECT_EQ(compressed, log[6] == 9);
    EXPECT_EQ(compressed, log.size() < 20'000);
    Open();
    for (int i = 0; i < 50; i++) EXPECT_EQ(std::string(1000, 'x'), Get(Key(i)));
  }
}

TEST_F(OptionsTest, OtherCompressionsOfLogsAreNone) {
  options_.wal_compression = kSnappyCompression;
  Open();
  EXPECT_EQ(kNoCompression, db_->GetDBOptions().wal_compression);
}

TEST_F(OptionsTest, SeveralWriteBuffersBeforeAFlush) {
  options_.max_write_buffer_number = 5;
  options_.min_write_buffer_number_to_merge = 3;
  RoundTrip();
}

TEST_F(OptionsTest, OptimizedForSmallDatabases) {
  options_.OptimizeForSmallDb();
  RoundTrip();
}

TEST_F(OptionsTest, OptimizedForPointLookups) {
  options_.OptimizeForPointLookup(8);
  RoundTrip();
}

TEST_F(OptionsTest, FilesInMemory) {
  std::unique_ptr<Env> env(NewMemEnv(Env::Default()));
  options_.env = env.get();
  dir_ = "/in-memory";
  RoundTrip();
  EXPECT_FALSE(TheEnv()->FileExists("/in-memory").ok());
  EXPECT_OK(env->FileExists("/in-memory/CURRENT"));
  Shut();
}

TEST_F(OptionsTest, OneCacheForTwoDatabases) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  DB* other = nullptr;
  ASSERT_OK(DB::Open(options_, root_ + "/other", &other));
  ASSERT_OK(Put("key", "one"));
  ASSERT_OK(other->Put(WriteOptions(), "key", "two"));
  ASSERT_OK(Flush());
  ASSERT_OK(other->Flush(FlushOptions()));
  std::string value;
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ("one", Get("key"));
    ASSERT_OK(other->Get(ReadOptions(), "key", &value));
    EXPECT_EQ("two", value);
  }
  delete other;
  Shut();
}

TEST_F(OptionsTest, UsersLoggerGetsTheLog) {
  class Collector : public Logger {
   public:
    using Logger::Logv;
    void Logv(const char* format, va_list ap) override {
      char line[2000];
      std::vsnprintf(line, sizeof(line), format, ap);
      text += std::string(line) + "\n";
    }
    std::string text;
  };
  auto logger = std::make_shared<Collector>();
  options_.info_log = logger;
  options_.info_log_level = INFO_LEVEL;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  Shut();
  EXPECT_NE(std::string::npos, logger->text.find("EVENT_LOG_v1 {\"time_micros\": "))
      << logger->text;
  EXPECT_NE(std::string::npos, logger->text.find("\"event\": \"flush_started\""));
  EXPECT_NE(std::string::npos, logger->text.find("\"event\": \"flush_finished\""));
  EXPECT_NE(std::string::npos, logger->text.find("\"event\": \"table_file_creation\""));
  EXPECT_FALSE(TheEnv()->FileExists(dir_ + "/LOG").ok());
}

// --- Text and files ---

TEST_F(OptionsTest, DefaultsAreRocksDBs) {
  const Options options;
  EXPECT_EQ(size_t{64} << 20, options.write_buffer_size);
  EXPECT_EQ(2, options.max_write_buffer_number);
  EXPECT_EQ(kSnappyCompression, options.compression);
  EXPECT_EQ(kDisableCompressionOption, options.bottommost_compression);
  EXPECT_EQ(4, options.level0_file_num_compaction_trigger);
  EXPECT_EQ(20, options.level0_slowdown_writes_trigger);
  EXPECT_EQ(36, options.level0_stop_writes_trigger);
  EXPECT_EQ(uint64_t{256} << 20, options.max_bytes_for_level_base);
  EXPECT_EQ(uint64_t{64} << 20, options.target_file_size_base);
  EXPECT_EQ(-1, options.max_open_files);
  EXPECT_EQ(2, options.max_background_jobs);
  EXPECT_EQ(WALRecoveryMode::kPointInTimeRecovery, options.wal_recovery_mode);
  EXPECT_TRUE(options.allow_concurrent_memtable_write);
  EXPECT_FALSE(options.create_if_missing);
  EXPECT_TRUE(options.paranoid_checks);
  EXPECT_STREQ("BlockBasedTable", options.table_factory->Name());
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table);
  EXPECT_EQ(4096u, table->block_size);
  EXPECT_EQ(5u, table->format_version);
  EXPECT_EQ(kXXH3, table->checksum);
  const ReadOptions read;
  EXPECT_TRUE(read.verify_checksums);
  EXPECT_TRUE(read.fill_cache);
  const WriteOptions write;
  EXPECT_FALSE(write.sync);
  EXPECT_FALSE(write.disableWAL);
}

TEST_F(OptionsTest, FromText) {
  Options options;
  ConfigOptions config;
  ASSERT_OK(GetOptionsFromString(config, Options(),
                                 "create_if_missing=true;max_open_files=77;write_buffer_size=1M;"
                                 "compression=kLZ4Compression;"
                                 "block_based_table_factory={block_size=8K;format_version=4;}",
                                 &options));
  EXPECT_TRUE(options.create_if_missing);
  EXPECT_EQ(77, options.max_open_files);
  EXPECT_EQ(size_t{1} << 20, options.write_buffer_size);
  EXPECT_EQ(kLZ4Compression, options.compression);
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table);
  EXPECT_EQ(8192u, table->block_size);
  EXPECT_EQ(4u, table->format_version);
  EXPECT_TRUE(
      GetOptionsFromString(config, Options(), "no_such_option=1", &options).IsInvalidArgument());
  EXPECT_FALSE(GetOptionsFromString(config, Options(), "max_open_files=many", &options).ok());
}

TEST_F(OptionsTest, ToTextAndBack) {
  DBOptions db, db_back;
  db.max_open_files = 123;
  db.use_fsync = true;
  db.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
  std::string text;
  ASSERT_OK(GetStringFromDBOptions(ConfigOptions(), db, &text));
  ASSERT_OK(GetDBOptionsFromString(ConfigOptions(), DBOptions(), text, &db_back));
  EXPECT_EQ(123, db_back.max_open_files);
  EXPECT_TRUE(db_back.use_fsync);
  EXPECT_EQ(WALRecoveryMode::kAbsoluteConsistency, db_back.wal_recovery_mode);
  ColumnFamilyOptions cf, cf_back;
  cf.compression = kZSTD;
  cf.max_bytes_for_level_multiplier = 5;
  cf.compression_per_level = {kNoCompression, kZSTD};
  ASSERT_OK(GetStringFromColumnFamilyOptions(ConfigOptions(), cf, &text));
  ASSERT_OK(
      GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(), text, &cf_back));
  EXPECT_EQ(kZSTD, cf_back.compression);
  EXPECT_EQ(5, cf_back.max_bytes_for_level_multiplier);
  EXPECT_EQ(cf.compression_per_level, cf_back.compression_per_level);
}

TEST_F(OptionsTest, FromTheOptionsFile) {
  options_.max_open_files = 55;
  options_.write_buffer_size = 3 << 20;
  options_.comparator = ReverseBytewiseComparator();
  BlockBasedTableOptions table;
  table.block_size = 16 << 10;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dir_, &db_options, &families));
  EXPECT_EQ(55, db_options.max_open_files);
  ASSERT_EQ(1u, families.size());
  EXPECT_EQ("default", families[0].name);
  EXPECT_EQ(size_t{3} << 20, families[0].options.write_buffer_size);
  EXPECT_EQ(ReverseBytewiseComparator(), families[0].options.comparator);
  const auto* loaded = families[0].options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, loaded);
  EXPECT_EQ(16384u, loaded->block_size);
  std::string file;
  ASSERT_OK(GetLatestOptionsFileName(dir_, TheEnv(), &file));
  EXPECT_EQ(FilesStartingWith("OPTIONS-").back(), file);
  EXPECT_OK(CheckOptionsCompatibility(ConfigOptions(), dir_, db_options, families));
  families[0].options.comparator = BytewiseComparator();
  EXPECT_FALSE(CheckOptionsCompatibility(ConfigOptions(), dir_, db_options, families).ok());
  EXPECT_FALSE(LoadLatestOptions(ConfigOptions(), root_ + "/none", &db_options, &families).ok());
}

// --- Cache ---

void DeleteNothing(const Slice&, void*) {}

TEST(CacheTest, InsertsLooksUpAndErases) {
  std::shared_ptr<Cache> cache =
      NewLRUCache(1000, 0, false, 0.5, nullptr, false, kDontChargeCacheMetadata);
  int values[3] = {10, 11, 12};
  ASSERT_OK(cache->Insert("a", &values[0], 100, &DeleteNothing));
  ASSERT_OK(cache->Insert("b", &values[1], 200, &DeleteNothing));
  Cache::Handle* handle = cache->Lookup("a");
  ASSERT_NE(nullptr, handle);
  EXPECT_EQ(&values[0], cache->Value(handle));
  EXPECT_EQ(100u, cache->GetCharge(handle));
  EXPECT_EQ(100u, cache->GetPinnedUsage());
  EXPECT_EQ(300u, cache->GetUsage());
  cache->Erase("a");
  EXPECT_EQ(nullptr, cache->Lookup("a"));
  EXPECT_EQ(&values[0], cache->Value(handle));
  cache->Release(handle);
  EXPECT_EQ(200u, cache->GetUsage());
  EXPECT_EQ(nullptr, cache->Lookup("none"));
  EXPECT_EQ(1000u, cache->GetCapacity());
  EXPECT_NE(cache->NewId(), cache->NewId());
}

TEST(CacheTest, EvictsTheLeastRecentlyUsed) {
  std::shared_ptr<Cache> cache =
      NewLRUCache(300, 0, false, 0.0, nullptr, false, kDontChargeCacheMetadata);
  int value = 0;
  for (const char* key : {"a", "b", "c"})
    ASSERT_OK(cache->Insert(key, &value, 100, &DeleteNothing));
  cache->Release(cache->Lookup("a"));
  ASSERT_OK(cache->Insert("d", &value, 100, &DeleteNothing));
  Cache::Handle* handle = cache->Lookup("b");
  EXPECT_EQ(nullptr, handle);
  for (const char* key : {"a", "c", "d"}) {
    handle = cache->Lookup(key);
    ASSERT_NE(nullptr, handle) << key;
    cache->Release(handle);
  }
  cache->SetCapacity(100);
  EXPECT_LE(cache->GetUsage(), 100u);
}

TEST(CacheTest, StrictLimitIsAnErrorAndSoftOneIsNot) {
  std::shared_ptr<Cache> cache =
      NewLRUCache(100, 0, true, 0.0, nullptr, false, kDontChargeCacheMetadata);
  int value = 0;
  Cache::Handle *a = nullptr, *b = nullptr;
  ASSERT_OK(cache->Insert("a", &value, 100, &DeleteNothing, &a));
  EXPECT_TRUE(cache->Insert("b", &value, 100, &DeleteNothing, &b).IsMemoryLimit());
  EXPECT_EQ(nullptr, b);
  cache->SetStrictCapacityLimit(false);
  ASSERT_OK(cache->Insert("b", &value, 100, &DeleteNothing, &b));
  EXPECT_EQ(200u, cache->GetUsage());
  cache->Release(a);
  cache->Release(b);
  EXPECT_LE(cache->GetUsage(), 100u);
}

}  // namespace
}  // namespace conformance
