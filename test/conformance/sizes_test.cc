// GetApproximateSizes in its forms, and properties that are maps or sizes.
#include "conformance.h"

namespace conformance {
namespace {

class SizesTest : public DBTest {
 protected:
  SizesTest() { options_.disable_auto_compactions = true; }
  // Keys from..to-1 with values of 1000 random bytes.
  void Fill(int from, int to) {
    Numbers numbers(static_cast<uint64_t>(from));
    for (int i = from; i < to; ++i) ASSERT_OK(Put(Key(i), numbers.Bytes(1000)));
  }
  uint64_t Size(const SizeApproximationOptions& options, int from, int to) {
    const std::string begin = Key(from), end = Key(to);
    const Range range(begin, end);
    uint64_t size = 0;
    EXPECT_OK(db_->GetApproximateSizes(options, db_->DefaultColumnFamily(), &range, 1, &size));
    return size;
  }
  static SizeApproximationOptions Of(bool memory, bool files, double margin = -1) {
    SizeApproximationOptions options;
    options.include_memtables = memory;
    options.include_files = files;
    options.files_size_error_margin = margin;
    return options;
  }
};

TEST_F(SizesTest, OfFilesOrMemoryOrBoth) {
  Open();
  Fill(0, 200);
  ASSERT_OK(Flush());
  Fill(200, 400);
  const uint64_t files = Size(Of(false, true), 0, 400), memory = Size(Of(true, false), 0, 400);
  EXPECT_NEAR(205'000, static_cast<double>(files), 15'000);
  // (RocksDB estimates it from where its skip list, which is random, has its tall nodes: of 1,000
  // runs one told a quarter of what was there.)
  EXPECT_LE(20'000u, memory);
  EXPECT_GE(410'000u, memory);
  EXPECT_EQ(files + memory, Size(Of(true, true), 0, 400));
  EXPECT_GE(5'000u, Size(Of(false, true), 250, 400));
}

TEST_F(SizesTest, ByFlags) {
  Open();
  Fill(0, 100);
  ASSERT_OK(Flush());
  Fill(100, 200);
  const std::string begin = Key(0), middle = Key(100), end = Key(200);
  const Range ranges[] = {{begin, middle}, {middle, end}};
  uint64_t sizes[2] = {};
  using Flags = DB::SizeApproximationFlags;
  ASSERT_OK(db_->GetApproximateSizes(ranges, 2, sizes));
  EXPECT_NEAR(102'000, static_cast<double>(sizes[0]), 10'000);
  EXPECT_GE(5'000u, sizes[1]);
  ASSERT_OK(db_->GetApproximateSizes(db_->DefaultColumnFamily(), ranges, 2, sizes,
                                     Flags::INCLUDE_MEMTABLES));
  EXPECT_GE(5'000u, sizes[0]);
  EXPECT_LE(10'000u, sizes[1]);
  ASSERT_OK(
      db_->GetApproximateSizes(ranges, 2, sizes,
                               static_cast<Flags>(static_cast<uint8_t>(Flags::INCLUDE_FILES) |
                                                  static_cast<uint8_t>(Flags::INCLUDE_MEMTABLES))));
  EXPECT_LE(50'000u, sizes[0]);
  EXPECT_LE(10'000u, sizes[1]);
  EXPECT_CODE(InvalidArgument, db_->GetApproximateSizes(ranges, 2, sizes, Flags::NONE));
}

TEST_F(SizesTest, PartsAddUp) {
  Open();
  for (int file = 0; file < 10; ++file) {
    Fill(file * 100, file * 100 + 100);
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Compact());
  uint64_t sum = 0;
  for (int i = 0; i < 1000; i += 50) sum += Size(Of(false, true), i, i + 50);
  const uint64_t whole = Size(Of(false, true), 0, 1000);
  EXPECT_NEAR(static_cast<double>(whole), static_cast<double>(sum), 20'000);
  EXPECT_EQ(0u, Size(Of(false, true), 500, 500));
  EXPECT_EQ(0u, Size(Of(false, true), 2000, 3000));
}

TEST_F(SizesTest, AMarginAllowsAGuess) {
  options_.target_file_size_base = 50'000;
  Open();
  Fill(0, 1000);
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  const auto exact = static_cast<double>(Size(Of(false, true), 100, 800));
  for (const double margin : {0.01, 0.1, 0.5}) {
    EXPECT_NEAR(exact, static_cast<double>(Size(Of(false, true, margin), 100, 800)),
                exact * margin + 10'000);
  }
}

TEST_F(SizesTest, OfAColumnFamily) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  Numbers numbers(1);
  for (int i = 0; i < 100; ++i)
    ASSERT_OK(db_->Put(WriteOptions(), other, Key(i), numbers.Bytes(1000)));
  ASSERT_OK(db_->Flush(FlushOptions(), other));
  const std::string begin = Key(0), end = Key(100);
  const Range range(begin, end);
  uint64_t size = 0;
  ASSERT_OK(db_->GetApproximateSizes(other, &range, 1, &size));
  EXPECT_NEAR(102'000, static_cast<double>(size), 10'000);
  ASSERT_OK(db_->GetApproximateSizes(&range, 1, &size));
  EXPECT_EQ(0u, size);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(SizesTest, TheStatisticsOfAFamilyAreAMap) {
  Open();
  Fill(0, 100);
  ASSERT_OK(Flush());
  std::map<std::string, std::string> values;
  ASSERT_TRUE(db_->GetMapProperty(DB::Properties::kCFStats, &values));
  for (const char* const name :
       {"compaction.L0.NumFiles", "compaction.L0.SizeBytes", "compaction.Sum.NumFiles",
        "compaction.Sum.WriteGB", "io_stalls.level0_slowdown", "io_stalls.memtable_compaction"}) {
    EXPECT_EQ(1u, values.count(name)) << name;
  }
  EXPECT_EQ(1.0, std::atof(values["compaction.L0.NumFiles"].c_str()));
  EXPECT_NEAR(105'000, std::atof(values["compaction.L0.SizeBytes"].c_str()), 10'000);
  EXPECT_FALSE(db_->GetMapProperty("rocksdb.no-such", &values));
  EXPECT_FALSE(db_->GetMapProperty(DB::Properties::kNumFilesAtLevelPrefix + "0", &values));
}

TEST_F(SizesTest, SizesOfFilesFollowTheVersions) {
  Open();
  Fill(0, 100);
  ASSERT_OK(Flush());
  const uint64_t live = IntProperty("rocksdb.live-sst-files-size");
  EXPECT_NEAR(105'000, static_cast<double>(live), 10'000);
  EXPECT_EQ(live, IntProperty("rocksdb.total-sst-files-size"));
  // The iterator keeps its files, which are live no more.
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Fill(0, 100);
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_NEAR(105'000, static_cast<double>(IntProperty("rocksdb.live-sst-files-size")), 10'000);
  EXPECT_LE(200'000u, IntProperty("rocksdb.total-sst-files-size"));
  it.reset();
  const auto kept = [this] {
    return IntProperty("rocksdb.total-sst-files-size") - IntProperty("rocksdb.live-sst-files-size");
  };
  for (int i = 0; i < 5000 && kept() > 0; ++i) TheEnv()->SleepForMicroseconds(1000);
  EXPECT_EQ(0u, kept());
}

TEST_F(SizesTest, KeysAreEstimatedAlsoAfterReopening) {
  Open();
  Fill(0, 100);
  for (int i = 0; i < 30; ++i) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Flush());
  // Deletions count twice: they hide as many as they are.
  EXPECT_EQ(40u, IntProperty("rocksdb.estimate-num-keys"));
  Open();
  EXPECT_EQ(40u, IntProperty("rocksdb.estimate-num-keys"));
  CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(rewrite, nullptr, nullptr));
  EXPECT_EQ(70u, IntProperty("rocksdb.estimate-num-keys"));
  Open();
  EXPECT_EQ(70u, IntProperty("rocksdb.estimate-num-keys"));
}

TEST_F(SizesTest, TheCompressionRatioOfALevel) {
  options_.compression = kSnappyCompression;
  Open();
  EXPECT_EQ(-1.0, std::atof(Property("rocksdb.compression-ratio-at-level0").c_str()));
  for (int i = 0; i < 1000; ++i) ASSERT_OK(Put(Key(i), std::string(400, 'v')));
  ASSERT_OK(Flush());
  EXPECT_LT(3.0, std::atof(Property("rocksdb.compression-ratio-at-level0").c_str()));
  EXPECT_EQ(-1.0, std::atof(Property("rocksdb.compression-ratio-at-level1").c_str()));
  EXPECT_EQ("UNKNOWN", Property("rocksdb.compression-ratio-at-level99"));
}

}  // namespace
}  // namespace conformance
