// Databases whose tables have parts of the user's own: an index, compression, a cache on a disk.
#include "db/testing/db_fixture.h"
#include "rocksdb/advanced_compression.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/object_registry.h"
#include "table/testing/list_index.h"
#include "table/testing/run_lengths.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

class DbTablePluginsTest : public DbTest {
 protected:
  static std::string Number(int i, int round) {
    return std::to_string(round) + ":" + std::string(100 + i % 50, static_cast<char>('a' + i % 9));
  }
  // Several versions of many keys, in levels, and a snapshot between them.
  void Write(int rounds, int first = 0) {
    for (int round = first; round < first + rounds; ++round) {
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Number(i, round)).ok());
      }
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    }
  }
  void CheckAll(int round, const ReadOptions& read = ReadOptions()) {
    std::string value;
    for (int i = 0; i < 500; ++i) {
      const Status s = db_->Get(read, Key(i), &value);
      ASSERT_TRUE(s.ok()) << i << s.ToString();
      ASSERT_EQ(value, Number(i, round)) << i;
    }
    std::unique_ptr<Iterator> it(db_->NewIterator(read));
    int n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      ASSERT_EQ(it->value().ToString(), Number(n, round));
      ++n;
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(n, 500);
    for (it->SeekToLast(); it->Valid(); it->Prev()) --n;
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(n, 0);
  }
  std::string OptionsText() {
    std::string text;
    const auto files = disk_.Files(FileType::kOptionsFile);
    EXPECT_FALSE(files.empty());
    if (!files.empty()) {
      EXPECT_TRUE(ReadFileToString(disk_.memory.get(), files.back(), &text).ok());
    }
    return text;
  }
};

TEST_F(DbTablePluginsTest, IndexOfTheUser) {
  Options options = SmallOptions();
  BlockBasedTableOptions table;
  table.block_size = 300;
  const auto factory = std::make_shared<ListIndexFactory>();
  table.user_defined_index_factory = factory;
  ReadOptions by_index;
  by_index.table_index_factory = factory.get();
  for (const bool primary : {false, true}) {
    SCOPED_TRACE(primary);
    table.use_udi_as_primary_index = primary;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    Open(options);
    Write(3);
    const Snapshot* const snapshot = db_->GetSnapshot();
    Write(2, 3);
    CheckAll(4);
    CheckAll(4, by_index);
    by_index.snapshot = snapshot;
    CheckAll(2, by_index);
    ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
    CheckAll(2, by_index);
    by_index.snapshot = nullptr;
    CheckAll(4, by_index);
    db_->ReleaseSnapshot(snapshot);
  }
  EXPECT_NE(OptionsText().find("user_defined_index_factory=cairn.ListIndex"), std::string::npos);
  // Without it, too.
  table.use_udi_as_primary_index = false;
  table.user_defined_index_factory = nullptr;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  CheckAll(4);
  CheckAll(4, by_index);
}

TEST_F(DbTablePluginsTest, CompressionOfTheUser) {
  static RunLengthsPlan plan;
  ObjectLibrary::Default()->AddFactory<CompressionManager>(
      "cairn_run_lengths",
      [](const std::string&, std::unique_ptr<CompressionManager>* made, std::string*) {
        made->reset(new RunLengthsManager(&plan));
        return made->get();
      });
  RunLengthsPlan own;
  own.sample_bytes = 200;
  Options options = SmallOptions();
  BlockBasedTableOptions table;
  table.block_size = 1000;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.disable_auto_compactions = true;
  options.compression = kRunLengths;
  options.compression_manager = std::make_shared<RunLengthsManager>(&own);
  Status s = TryOpen(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();  // before format_version 7
  table.format_version = 7;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.bottommost_compression = kCustomCompressionFE;
  s = TryOpen(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  options.bottommost_compression = kDisableCompressionOption;
  Open(options);
  Write(2);
  EXPECT_GT(own.compressed, 10);
  CheckAll(1);
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  CheckAll(1);
  EXPECT_NE(OptionsText().find("compression_manager=cairn_run_lengths"), std::string::npos);

  // The built-in types from now on, and, for the tables that are there, what is registered.
  ASSERT_TRUE(
      db_->SetOptions({{"compression_manager", "BuiltinV2"}, {"compression", "kLZ4Compression"}})
          .ok());
  const int compressed = own.compressed;
  Write(1, 2);
  CheckAll(2);
  EXPECT_EQ(own.compressed, compressed);
  EXPECT_FALSE(db_->SetOptions({{"compression_manager", "nobody"}}).ok());
  options.compression_manager = nullptr;
  options.compression = kLZ4Compression;
  options.table_factory.reset(NewBlockBasedTableFactory(table));  // with an empty block cache
  Open(options);
  CheckAll(2);
  EXPECT_GT(plan.decompressed, 0);
}

TEST_F(DbTablePluginsTest, APersistentCacheOfASmallDisk) {
  Options options = SmallOptions();
  options.statistics = CreateDBStatistics();
  BlockBasedTableOptions table;
  table.block_size = 1000;
  table.block_cache = NewLRUCache(20 << 10, 0);
  ASSERT_TRUE(
      NewPersistentCache(disk_.env.get(), "/fast", 1 << 20, nullptr, false, &table.persistent_cache)
          .ok());
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  Write(4);
  for (int round = 0; round < 3; ++round) CheckAll(3);
  EXPECT_GT(options.statistics->getTickerCount(PERSISTENT_CACHE_HIT), 100u);
  // A full disk, then reads of it that fail: nobody hears of it.
  disk_.faults->SetFileFilter([](const std::string& path) { return path.starts_with("/fast"); });
  disk_.faults->FailRandomly(1, fault::kRead | fault::kAppend | fault::kCreate | fault::kOpen, 3,
                             IOStatus::NoSpace("full"));
  for (int round = 0; round < 3; ++round) CheckAll(3);
  disk_.faults->Heal();
  disk_.faults->SetFileFilter(nullptr);
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  CheckAll(3);
}

}  // namespace
}  // namespace cairn
