// Tables with a compression dictionary: what is written is read back, is smaller, and does not need
// more memory than it may.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "table/dictionary_buffer.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

constexpr CompressionType kTypes[] = {kZlibCompression, kLZ4Compression, kLZ4HCCompression, kZSTD};

// Blocks that have much in common with each other, and little within themselves.
void FillAlike(Harness* h, uint64_t seed, int n = 2000) {
  Random64 random(seed);
  const std::string common = random.RandomBinaryString(2000);
  for (int i = 0; i < n; ++i) {
    char key[32];
    snprintf(key, sizeof(key), "key%06d", i);
    const std::string part = common.substr(random.Uniform(1800), 150);
    h->Put(key, static_cast<SequenceNumber>(i) + 1, part + std::to_string(random.Next()));
  }
  h->table_options.block_size = 1024;
}

TEST(DictionaryTest, TablesAreSmallerAndReadBack) {
  for (const CompressionType type : kTypes) {
    for (const uint32_t version : {2u, 5u, 7u}) {
      SCOPED_TRACE("type " + std::to_string(type) + " version " + std::to_string(version));
      Harness h;
      h.compression = type;
      h.table_options.format_version = version;
      h.table_options.verify_compression = version == 5;
      FillAlike(&h, 5);
      ASSERT_TRUE(h.Build().ok());
      const uint64_t without = h.file_size;
      h.compression_opts.max_dict_bytes = 16 << 10;
      ASSERT_TRUE(h.Build().ok());
      EXPECT_LT(h.file_size, without * 3 / 4);
      ASSERT_TRUE(h.Open().ok());
      h.CheckAll(version, 100);
      EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
      EXPECT_NE(h.properties.compression_options.find("max_dict_bytes=16384;"), std::string::npos);
    }
  }
}

TEST(DictionaryTest, ZstdTrainsAndFinalizesThem) {
  for (const bool trainer : {true, false}) {
    SCOPED_TRACE(trainer);
    Harness h;
    h.compression = kZSTD;
    FillAlike(&h, 7);
    ASSERT_TRUE(h.Build().ok());
    const uint64_t without = h.file_size;
    h.compression_opts.max_dict_bytes = 8 << 10;
    h.compression_opts.zstd_max_train_bytes = 200 << 10;
    h.compression_opts.use_zstd_dict_trainer = trainer;
    h.table_options.verify_compression = true;
    ASSERT_TRUE(h.Build().ok());
    EXPECT_LT(h.file_size, without * 3 / 4);
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(7, 100);
  }
}

TEST(DictionaryTest, TooLittleToTrainOnGoesWithoutOne) {
  Harness h;
  h.compression = kZSTD;
  FillAlike(&h, 8, 20);
  ASSERT_TRUE(h.Build("/plain.sst").ok());
  const uint64_t without = h.file_size;
  h.compression_opts.max_dict_bytes = 8 << 10;
  h.compression_opts.zstd_max_train_bytes = 1000;
  ASSERT_TRUE(h.Build().ok());
  // Nothing but the text of the options differs.
  EXPECT_LT(h.file_size, without + 20);
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(8, 50);
}

TEST(DictionaryTest, RandomTablesAgreeWithTheModel) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random64 random(seed);
    Harness h;
    h.compression = kTypes[random.Uniform(4)];
    h.table_options.block_size = 64 << random.Uniform(7);
    h.table_options.verify_compression = random.OneIn(2);
    if (random.OneIn(3)) {
      h.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      h.table_options.partition_filters = true;
      h.table_options.metadata_block_size = 256;
    }
    h.compression_opts.max_dict_bytes = 1 << random.Uniform(17);
    if (random.OneIn(2)) h.compression_opts.zstd_max_train_bytes = 1 << random.Uniform(20);
    h.compression_opts.use_zstd_dict_trainer = random.OneIn(2);
    if (random.OneIn(2)) h.compression_opts.max_dict_buffer_bytes = 1 << random.Uniform(18);
    h.compression_opts.parallel_threads = random.OneIn(3) ? 3 : 1;
    h.FillRandom(seed, static_cast<int>(random.Uniform(2500)), 1 + random.Uniform(300));
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(seed, 50);
    EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(DictionaryTest, ThreadsThatCompressWriteTheSameFile) {
  for (const CompressionType type : kTypes) {
    SCOPED_TRACE(static_cast<int>(type));
    std::string files[2];
    for (const bool parallel : {false, true}) {
      Harness h;
      h.compression = type;
      h.table_options.format_version = 5;
      h.table_options.verify_compression = true;
      FillAlike(&h, 9);
      h.compression_opts.max_dict_bytes = 4 << 10;
      h.compression_opts.max_dict_buffer_bytes = 100 << 10;  // it goes on after the dictionary
      h.compression_opts.parallel_threads = parallel ? 4 : 1;
      ASSERT_TRUE(h.Build().ok());
      ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &files[parallel]).ok());
      ASSERT_TRUE(h.Open().ok());
      h.CheckAll(9, 20);
    }
    EXPECT_TRUE(files[0] == files[1]);
  }
}

TEST(DictionaryTest, SnappyBzip2AndPlainTablesHaveNone) {
  for (const CompressionType type : {kNoCompression, kSnappyCompression, kBZip2Compression}) {
    Harness h;
    h.compression = type;
    h.table_options.format_version = 5;
    FillAlike(&h, 6, 300);
    ASSERT_TRUE(h.Build().ok());
    const uint64_t without = h.file_size;
    h.compression_opts.max_dict_bytes = 4 << 10;
    ASSERT_TRUE(h.Build().ok());
    EXPECT_LT(h.file_size, without + 20);
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(6, 20);
  }
}

TEST(DictionaryTest, ATableThatIsGivenUpGivesBackItsMemory) {
  Harness h;
  h.table_options.block_cache = NewLRUCache(8 << 20);
  BlockBasedTableFactory factory(h.table_options);
  for (const bool abandon : {false, true}) {
    std::unique_ptr<FileWriter> writer;
    ASSERT_TRUE(FileWriter::Open(&h.fs, "/t.sst", FileOptions(), &writer).ok());
    TableBuilderOptions options(h.icmp, kZSTD);
    options.compression_opts.max_dict_bytes = 1 << 10;
    std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(options, writer.get()));
    for (int i = 0; i < 6000; ++i) {
      builder->Add(testing::IKey("key" + std::to_string(10000 + i), 1), std::string(100, 'v'));
    }
    EXPECT_EQ(builder->FileSize(), 0u);
    EXPECT_GE(h.table_options.block_cache->GetPinnedUsage(), 600000u);
    if (abandon) {
      builder->Abandon();
      EXPECT_EQ(h.table_options.block_cache->GetPinnedUsage(), 0u);
    }
    builder.reset();
    EXPECT_EQ(h.table_options.block_cache->GetPinnedUsage(), 0u);
    writer->Abandon();
  }
}

TEST(DictionaryTest, TheCacheIsNotChargedWhereTheOptionsSaySo) {
  Harness h;
  h.table_options.block_cache = NewLRUCache(8 << 20);
  h.table_options.cache_usage_options
      .options_overrides[CacheEntryRole::kCompressionDictionaryBuildingBuffer]
      .charged = CacheEntryRoleOptions::Decision::kDisabled;
  BlockBasedTableFactory factory(h.table_options);
  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(&h.fs, "/t.sst", FileOptions(), &writer).ok());
  TableBuilderOptions options(h.icmp, kZSTD);
  options.compression_opts.max_dict_bytes = 1 << 10;
  std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(options, writer.get()));
  for (int i = 0; i < 1000; ++i) {
    builder->Add(testing::IKey("key" + std::to_string(10000 + i), 1), std::string(100, 'v'));
  }
  EXPECT_EQ(builder->FileSize(), 0u);
  EXPECT_EQ(h.table_options.block_cache->GetUsage(), 0u);
  builder->Abandon();
  writer->Abandon();
}

// --- The buffer

CompressionOptions WithDictionary(uint32_t max_dict_bytes, uint64_t max_buffer_bytes = 0) {
  CompressionOptions options;
  options.max_dict_bytes = max_dict_bytes;
  options.max_dict_buffer_bytes = max_buffer_bytes;
  return options;
}

// How many blocks of 1000 bytes it takes.
int Room(const CompressionOptions& options, uint64_t target_file_size,
         CacheReservation* memory = nullptr) {
  DictionaryBuffer buffer(options, target_file_size, memory);
  int n = 0;
  while (!buffer.Full() && n < 100000) {
    buffer.Add(std::string(1000, 'b'));
    ++n;
  }
  return n;
}

TEST(DictionaryBufferTest, IsFullAtTheSmallestLimit) {
  EXPECT_EQ(Room(WithDictionary(100), 50000), 50);
  EXPECT_EQ(Room(WithDictionary(100, 20000), 50000), 20);
  EXPECT_EQ(Room(WithDictionary(100, 70000), 50000), 50);
  EXPECT_EQ(Room(WithDictionary(100, 70000), 0), 70);
  EXPECT_EQ(Room(WithDictionary(100), 0), 100000);
  // Charged in pieces of 256 KiB, of which a strict cache has room for three.
  const auto strict = NewLRUCache(900 << 10, 0, /*strict_capacity_limit=*/true);
  CacheReservation memory(strict);
  EXPECT_NEAR(Room(WithDictionary(100), 0, &memory), 787, 3);
  EXPECT_EQ(strict->GetPinnedUsage(), 0u);
}

TEST(DictionaryBufferTest, SamplesComeFromAllOverTheTable) {
  DictionaryBuffer buffer(WithDictionary(1000), 0, nullptr);
  for (int i = 0; i < 100; ++i) buffer.Add(std::string(100, static_cast<char>(i)));
  const std::string dict = buffer.MakeDictionary(kLZ4Compression);
  EXPECT_EQ(dict.size(), 1000u);
  EXPECT_EQ(dict.front(), 0);
  EXPECT_GT(dict.back(), 85);
  for (size_t i = 100; i < dict.size(); i += 100) EXPECT_EQ(dict[i] - dict[i - 100], 10);
}

TEST(DictionaryBufferTest, FewBlocksAreTheDictionary) {
  DictionaryBuffer buffer(WithDictionary(1000), 0, nullptr);
  EXPECT_EQ(buffer.MakeDictionary(kZSTD), "");
  buffer.Add("one");
  buffer.Add("two");
  EXPECT_EQ(buffer.MakeDictionary(kZSTD), "onetwo");
  buffer.Add(std::string(2000, 'x'));
  EXPECT_EQ(buffer.MakeDictionary(kZlibCompression).size(), 1000u);
}

}  // namespace
}  // namespace cairn
