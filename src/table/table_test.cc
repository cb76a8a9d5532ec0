// Tables written and read back: every compression, checksum and format, every kind of damage.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fs/file_util.h"
#include "rocksdb/statistics.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;

TEST(TableTest, RoundTripOverFormatsChecksumsAndCompressions) {
  const CompressionType compressions[] = {kNoCompression,
                                          kSnappyCompression,
                                          kZlibCompression,
                                          kBZip2Compression,
                                          kLZ4Compression,
                                          kLZ4HCCompression,
                                          kZSTD};
  const ChecksumType checksums[] = {kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3};
  uint64_t seed = 1;
  for (uint32_t version = 2; version <= 7; ++version) {
    for (const CompressionType compression : compressions) {
      // All checksums with one compression, all compressions with one checksum.
      for (const ChecksumType checksum : checksums) {
        if (checksum != kXXH3 && compression != kSnappyCompression) continue;
        SCOPED_TRACE("version " + std::to_string(version) + " compression " +
                     std::to_string(compression) + " checksum " + std::to_string(checksum));
        Harness h;
        h.table_options.format_version = version;
        h.table_options.checksum = checksum;
        h.table_options.block_size = 512;
        h.table_options.block_restart_interval = static_cast<int>(1 + seed % 16);
        h.table_options.index_block_restart_interval = static_cast<int>(1 + seed % 3);
        h.compression = compression;
        h.FillRandom(++seed, 400);
        ASSERT_TRUE(h.Build().ok());
        ASSERT_TRUE(h.Open().ok());
        h.CheckAll(seed, 60);
        if (::testing::Test::HasFatalFailure()) return;
        EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
      }
    }
  }
}

TEST(TableTest, RandomTablesAgreeWithTheModel) {
  for (uint64_t seed = 100; seed < 112; ++seed) {
    Random64 random(seed);
    Harness h(random.Uniform(3) == 0 ? ReverseBytewiseComparator() : BytewiseComparator());
    h.table_options.block_size = 64 << random.Uniform(7);
    h.table_options.block_restart_interval = static_cast<int>(1 + random.Uniform(20));
    h.table_options.use_delta_encoding = random.Uniform(4) != 0;
    h.table_options.cache_index_and_filter_blocks = random.Uniform(2) == 0;
    h.table_options.index_shortening =
        static_cast<BlockBasedTableOptions::IndexShorteningMode>(random.Uniform(3));
    if (random.Uniform(3) == 0) h.table_options.no_block_cache = true;
    if (h.table_options.no_block_cache) h.table_options.cache_index_and_filter_blocks = false;
    h.FillRandom(seed, static_cast<int>(1 + random.Uniform(1500)), 1 + random.Uniform(300));
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(seed, 300);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(TableTest, ThreadsThatCompressWriteTheSameFile) {
  for (const CompressionType compression : {kSnappyCompression, kLZ4Compression, kZSTD}) {
    for (const int entries : {1, 40, 3000}) {  // less than a block; fewer blocks than fit in; many
      SCOPED_TRACE(std::to_string(compression) + ", " + std::to_string(entries));
      Harness h;
      h.table_options.format_version = 5;  // later ones have something random in them
      h.table_options.block_size = 400;
      h.table_options.verify_compression = entries == 40;
      h.compression = compression;
      h.FillRandom(static_cast<uint64_t>(entries), entries, 300);
      ASSERT_TRUE(h.Build("/serial.sst").ok());
      std::string serial;
      ASSERT_TRUE(ReadFileToString(&h.fs, "/serial.sst", &serial).ok());
      for (const uint32_t threads : {2u, 5u}) {
        h.compression_opts.parallel_threads = threads;
        ASSERT_TRUE(h.Build("/parallel.sst").ok());
        std::string parallel;
        ASSERT_TRUE(ReadFileToString(&h.fs, "/parallel.sst", &parallel).ok());
        EXPECT_TRUE(parallel == serial) << threads << " threads";
      }
      ASSERT_TRUE(h.Open("/parallel.sst").ok());
      h.CheckAll(static_cast<uint64_t>(entries), 100);
    }
  }
}

TEST(TableTest, ThreadsThatCompressEndWithATableThatIsGivenUp) {
  for (const bool abandon : {false, true}) {
    Harness h;
    BlockBasedTableFactory factory(h.table_options);
    std::unique_ptr<FileWriter> writer;
    ASSERT_TRUE(FileWriter::Open(&h.fs, "/t.sst", FileOptions(), &writer).ok());
    TableBuilderOptions options(h.icmp, kSnappyCompression);
    options.compression_opts.parallel_threads = 4;
    std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(options, writer.get()));
    for (int i = 0; i < 1000; ++i) {
      builder->Add(IKey("key" + std::to_string(10000 + i), 1, kTypeValue), std::string(100, 'v'));
    }
    if (abandon) builder->Abandon();
    builder.reset();
    writer->Abandon();
  }
}

TEST(TableTest, EmptyTable) {
  Harness h;
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(7, 5);
  EXPECT_EQ(h.table->GetTableProperties()->num_entries, 0u);
}

TEST(TableTest, ManyVersionsOfOneKeySpanBlocks) {
  Harness h;
  h.table_options.block_size = 256;
  for (SequenceNumber s = 1; s <= 400; ++s) h.Put("the key", s, "value " + std::to_string(s));
  h.Put("a", 500, "1");
  h.Put("z", 501, "2");
  ASSERT_TRUE(h.Build().ok());
  EXPECT_EQ(h.properties.index_key_is_user_key, 0u);
  ASSERT_TRUE(h.Open().ok());
  for (SequenceNumber s = 0; s <= 401; ++s) h.CheckGet("the key", s);
  h.CheckAll(3, 50);
}

TEST(TableTest, LargeValuesAndLongKeys) {
  Harness h;
  h.compression = kSnappyCompression;
  Random64 random(11);
  for (int i = 0; i < 40; ++i) {
    std::string value(random.Uniform(100000), '\0');
    for (char& c : value) c = static_cast<char>(random.Next());  // does not compress: stored raw
    h.Put(std::string(random.Uniform(3000), static_cast<char>('a' + i % 26)) + std::to_string(i),
          static_cast<SequenceNumber>(i) + 1, value);
  }
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(11, 50);
}

TEST(TableTest, PropertiesComeBack) {
  Harness h;
  h.compression = kZSTD;
  h.FillRandom(5, 1000);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  const auto p = h.table->GetTableProperties();
  EXPECT_EQ(p->num_entries, h.model.size());
  EXPECT_EQ(p->num_entries, h.properties.num_entries);
  EXPECT_EQ(p->num_deletions, h.properties.num_deletions);
  EXPECT_GT(p->num_deletions, 0u);
  EXPECT_EQ(p->raw_key_size, h.properties.raw_key_size);
  EXPECT_EQ(p->raw_value_size, h.properties.raw_value_size);
  EXPECT_EQ(p->data_size, h.properties.data_size);
  EXPECT_EQ(h.tail_size, h.file_size - p->data_size);
  EXPECT_EQ(p->compression_name, "ZSTD");
  EXPECT_EQ(p->comparator_name, "leveldb.BytewiseComparator");
  EXPECT_EQ(p->column_family_name, "default");
  EXPECT_EQ(p->db_session_id, h.session_id);
  EXPECT_EQ(p->orig_file_number, 12u);
  EXPECT_EQ(p->creation_time, 1234567u);
  EXPECT_NE(p->ToString().find("# entries=" + std::to_string(h.model.size())), std::string::npos);
}

TEST(TableTest, ValuesOfCachedBlocksArePinnedNotCopied) {
  Harness h;
  h.Put("k", 1, std::string(1000, 'v'));
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  auto get = [&](PinnableSlice* value) {
    GetContext context(BytewiseComparator(), "k", value);
    ASSERT_TRUE(h.table->Get(ReadOptions(), IKey("k", 9, kValueTypeForSeek), &context).ok());
    ASSERT_EQ(context.state(), GetContext::kFound);
  };
  PinnableSlice first, second;
  get(&first);
  get(&second);
  EXPECT_TRUE(first.IsPinned());
  EXPECT_EQ(first.data(), second.data());
  EXPECT_GT(h.factory->options().block_cache->GetPinnedUsage(), 0u);
  first.Reset();
  second.Reset();
  EXPECT_EQ(h.factory->options().block_cache->GetPinnedUsage(), 0u);
}

TEST(TableTest, CacheOnlyReadsSayIncomplete) {
  Harness h;
  h.FillRandom(9, 300);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  ReadOptions cache_only;
  cache_only.read_tier = kBlockCacheTier;
  const std::string user = ExtractUserKey(h.model.begin()->first).ToString();
  const std::string target = IKey(user, kMaxSequenceNumber, kValueTypeForSeek);
  {
    GetContext context(BytewiseComparator(), user, nullptr);
    EXPECT_TRUE(h.table->Get(cache_only, target, &context).IsIncomplete());
    EXPECT_TRUE(context.key_may_exist());
    std::unique_ptr<InternalIterator> it(h.table->NewIterator(cache_only));
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsIncomplete());
  }
  {
    ReadOptions no_fill;
    no_fill.fill_cache = false;
    GetContext context(BytewiseComparator(), user, nullptr);
    EXPECT_TRUE(h.table->Get(no_fill, target, &context).ok());
    GetContext again(BytewiseComparator(), user, nullptr);
    EXPECT_TRUE(h.table->Get(cache_only, target, &again).IsIncomplete());
  }
  GetContext fill(BytewiseComparator(), user, nullptr);
  EXPECT_TRUE(h.table->Get(ReadOptions(), target, &fill).ok());
  GetContext context(BytewiseComparator(), user, nullptr);
  EXPECT_TRUE(h.table->Get(cache_only, target, &context).ok());
  EXPECT_NE(context.state(), GetContext::kNotFound);
}

TEST(TableTest, IndexAndFilterLiveInTheCacheWhenAsked) {
  Harness h;
  h.FillRandom(10, 2000);
  h.table_options.cache_index_and_filter_blocks = true;
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  Cache* cache = h.factory->options().block_cache.get();
  EXPECT_EQ(cache->GetOccupancyCount(), 2u);
  EXPECT_EQ(cache->GetPinnedUsage(), 0u);
  cache->EraseUnRefEntries();
  h.CheckAll(10, 50);
  h.table.reset();

  h.table_options.pin_l0_filter_and_index_blocks_in_cache = true;
  h.level = 0;
  ASSERT_TRUE(h.Open().ok());
  cache = h.factory->options().block_cache.get();
  EXPECT_GT(cache->GetPinnedUsage(), 0u);
  cache->EraseUnRefEntries();
  EXPECT_EQ(cache->GetOccupancyCount(), 2u);
  h.CheckAll(10, 50);
  h.table.reset();
  EXPECT_EQ(cache->GetPinnedUsage(), 0u);
}

TEST(TableTest, PinnedDataStaysWithTheIterator) {
  Harness h;
  h.table_options.block_size = 200;
  h.table_options.use_delta_encoding = false;
  h.FillRandom(12, 300);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  ReadOptions options;
  options.pin_data = true;
  std::unique_ptr<InternalIterator> it(h.table->NewIterator(options));
  std::vector<std::pair<Slice, Slice>> seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSERT_TRUE(it->IsKeyPinned());
    ASSERT_TRUE(it->IsValuePinned());
    seen.emplace_back(it->key(), it->value());
  }
  h.factory->options().block_cache->EraseUnRefEntries();
  ASSERT_EQ(seen.size(), h.model.size());
  auto expected = h.model.begin();
  for (const auto& [key, value] : seen) {
    ASSERT_EQ(key.ToString(), expected->first);
    ASSERT_EQ(value.ToString(), expected->second);
    ++expected;
  }
}

TEST(TableTest, OffsetsGrowWithKeys) {
  Harness h;
  for (int i = 0; i < 1000; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "%06d", i);
    h.Put(key, 1, std::string(1000, 'x'));
  }
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  auto offset = [&](const char* key) {
    return h.table->ApproximateOffsetOf(ReadOptions(),
                                        IKey(key, kMaxSequenceNumber, kValueTypeForSeek));
  };
  EXPECT_EQ(offset("0"), 0u);
  EXPECT_NEAR(static_cast<double>(offset("000500")), 500 * 1010.0, 15000);
  EXPECT_NEAR(static_cast<double>(offset("z")), 1000 * 1010.0, 30000);
  std::vector<TableAnchor> anchors;
  ASSERT_TRUE(h.table->GetAnchors(4, &anchors).ok());
  ASSERT_EQ(anchors.size(), 4u);
  uint64_t bytes = 0;
  for (size_t i = 0; i < 4; ++i) {
    // Separators are shortened.
    const int key = std::atoi((anchors[i].user_key + "000000").substr(0, 6).c_str());
    EXPECT_NEAR(key, 250 * static_cast<int>(i + 1), 30);
    bytes += anchors[i].bytes;
  }
  EXPECT_EQ(bytes, h.table->GetTableProperties()->data_size);
  ASSERT_TRUE(h.table->GetAnchors(100000, &anchors).ok());
  EXPECT_EQ(anchors.size(), h.table->GetTableProperties()->num_data_blocks);
}

TEST(TableTest, ReadaheadSizesGiveTheSameEntries) {
  for (const bool for_compaction : {false, true}) {
    for (const size_t readahead : {size_t{0}, size_t{4096}, size_t{100000}}) {
      Harness h;
      h.compression = kLZ4Compression;
      h.table_options.block_size = 1000;
      h.FillRandom(20, 3000, 300);
      ASSERT_TRUE(h.Build().ok());
      ASSERT_TRUE(h.Open().ok());
      std::unique_ptr<InternalIterator> it(h.table->NewIterator(
          ReadOptions(), false, for_compaction ? readahead : 0, for_compaction));
      auto expected = h.model.begin();
      for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
        ASSERT_EQ(it->key().ToString(), expected->first);
      }
      EXPECT_EQ(expected, h.model.end());
      EXPECT_EQ(h.factory->options().block_cache->GetUsage() == 0, for_compaction);
    }
  }
}

// Flips each bit pattern of each byte of the file in turn. Whatever the damage: an error that names
// the file, or the very entries that were written.
void FlipEveryByte(Harness* h) {
  ASSERT_TRUE(h->Build().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h->fs, "/t.sst", &bytes).ok());
  int undetected = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const uint8_t mask : {uint8_t{1}, uint8_t{0x84}, uint8_t{0xff}}) {
      SCOPED_TRACE("byte " + std::to_string(at) + " of " + std::to_string(bytes.size()) + " xor " +
                   std::to_string(mask));
      ASSERT_TRUE(h->fs.CorruptFile("/t.sst", at, mask).ok());
      h->session_id.clear();
      Status s = h->Open();
      bool noticed = !s.ok();
      if (noticed) {
        EXPECT_NE(s.ToString().find("/t.sst"), std::string::npos) << s.ToString();
        EXPECT_TRUE(s.IsCorruption() || s.IsNotSupported() || s.IsInvalidArgument())
            << s.ToString();
      } else {
        std::unique_ptr<InternalIterator> it(h->table->NewIterator(ReadOptions()));
        auto expected = h->model.begin();
        for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
          ASSERT_NE(expected, h->model.end());
          ASSERT_EQ(it->key().ToString(true), Slice(expected->first).ToString(true));
          ASSERT_EQ(it->value().ToString(), expected->second);
        }
        s = it->status();
        noticed = !s.ok();
        if (noticed) {
          EXPECT_TRUE(s.IsCorruption()) << s.ToString();
          EXPECT_NE(s.ToString().find("/t.sst at offset"), std::string::npos) << s.ToString();
          EXPECT_FALSE(h->table->VerifyChecksum(ReadOptions()).ok());
        } else {
          ASSERT_EQ(expected, h->model.end());
        }
        for (const auto& [key, value] : h->model) {
          PinnableSlice found;
          const Slice user = ExtractUserKey(key);
          GetContext context(h->icmp.user_comparator(), user, &found);
          const Status got = h->table->Get(ReadOptions(), key, &context);
          if (!got.ok()) continue;
          if (ExtractValueType(key) == kTypeValue) {
            ASSERT_EQ(context.state(), GetContext::kFound);
            ASSERT_EQ(found.ToString(), value);
          } else {
            ASSERT_EQ(context.state(), GetContext::kDeleted);
          }
        }
      }
      if (!noticed) ++undetected;
      h->table.reset();
      ASSERT_TRUE(h->fs.CorruptFile("/t.sst", at, mask).ok());
    }
  }
  // Only the footer has bytes that do not matter (padding), or whose change does not (the version,
  // the checksum's name).
  EXPECT_LE(undetected, 3 * 53);
}

TEST(TableDamageTest, EveryByteFormat5) {
  Harness h;
  h.table_options.block_size = 150;
  h.FillRandom(30, 30, 20);
  FlipEveryByte(&h);
}

TEST(TableDamageTest, EveryByteFormat6Compressed) {
  Harness h;
  h.table_options.format_version = 6;
  h.table_options.checksum = kCRC32c;
  h.compression = kZSTD;
  h.table_options.block_size = 400;
  h.FillRandom(31, 30, 60);
  FlipEveryByte(&h);
}

// Without checksums damage may go unnoticed, but must not hurt.
TEST(TableDamageTest, UnverifiedDamageNeverCrashes) {
  for (const CompressionType compression : {kNoCompression, kSnappyCompression, kLZ4Compression,
                                            kZSTD, kZlibCompression, kBZip2Compression}) {
    Harness h;
    h.table_options.checksum = kNoChecksum;
    h.table_options.block_size = 300;
    h.compression = compression;
    h.FillRandom(32, 60, 40);
    ASSERT_TRUE(h.Build().ok());
    Random64 random(77);
    for (int round = 0; round < 300; ++round) {
      const uint64_t at = random.Uniform(h.file_size);
      const auto mask = static_cast<uint8_t>(1 + random.Uniform(255));
      ASSERT_TRUE(h.fs.CorruptFile("/t.sst", at, mask).ok());
      if (h.Open().ok()) {
        std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
        int steps = 0;
        for (it->SeekToFirst(); it->Valid() && steps < 1000; it->Next()) ++steps;
        for (it->SeekToLast(); it->Valid() && steps < 2000; it->Prev()) ++steps;
        for (const auto& [key, value] : h.model) {
          it->Seek(key);
          it->SeekForPrev(key);
          PinnableSlice found;
          const Slice user = ExtractUserKey(key);
          GetContext context(BytewiseComparator(), user, &found);
          (void)h.table->Get(ReadOptions(), key, &context);
        }
        it.reset();
        h.table.reset();
      }
      ASSERT_TRUE(h.fs.CorruptFile("/t.sst", at, mask).ok());
    }
  }
}

TEST(TableDamageTest, ADataBlockInTheCacheIsNotTakenForAnIndexPartition) {
  Harness h;
  h.table_options.checksum = kNoChecksum;
  h.table_options.block_cache = NewLRUCache(1 << 20);
  h.FillRandom(1, 500);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(1, 10);
  h.table.reset();

  // Now its index has two levels: the data blocks' handles are those of partitions.
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &bytes).ok());
  const size_t at = bytes.find("index.type");
  ASSERT_NE(at, std::string::npos);
  EncodeFixed32(bytes.data() + at + strlen("index.type"), 2);
  ASSERT_TRUE(WriteStringToFile(&h.fs, bytes, "/t.sst").ok());
  ASSERT_TRUE(h.Open().ok());
  const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
}

TEST(TableDamageTest, TruncatedFiles) {
  Harness h;
  h.FillRandom(33, 200);
  ASSERT_TRUE(h.Build().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &bytes).ok());
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    ASSERT_TRUE(WriteStringToFile(&h.fs, Slice(bytes.data(), size), "/cut.sst", false).ok());
    const Status s = h.Open("/cut.sst");
    EXPECT_TRUE(s.IsCorruption()) << size << " " << s.ToString();
  }
}

TEST(TableTest, RefusesWhatItCannotWrite) {
  Harness h;
  h.Put("k", 1, "v", kTypeRangeDeletion);
  EXPECT_TRUE(h.Build().IsNotSupported());
  Harness xpress;
  xpress.compression = kXpressCompression;
  xpress.Put("k", 1, "v");
  EXPECT_TRUE(xpress.Build().IsNotSupported());
  BlockBasedTableOptions o;
  EXPECT_TRUE(ValidateTableOptions(o).ok());
  o.format_version = 8;
  EXPECT_TRUE(ValidateTableOptions(o).IsInvalidArgument());
}

TEST(TableTest, RefusesAnotherComparator) {
  Harness h;
  h.Put("k", 1, "v");
  ASSERT_TRUE(h.Build().ok());
  h.icmp = InternalKeyComparator(ReverseBytewiseComparator());
  const Status s = h.Open();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

}  // namespace
}  // namespace cairn
