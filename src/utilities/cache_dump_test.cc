// Dumps of a block cache: what units are taken for damaged, limits of a dump, and the way into our
// own secondary cache. (The rest is in test/conformance.)
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/utilities/cache_dump_load.h"
#include "utilities/cache_dump.h"

namespace cairn {
namespace {

TEST(CacheDumpUnits, EachChangeIsFound) {
  DumpUnit unit;
  unit.micros = 123456789;
  unit.type = DumpUnitType::kIndex;
  unit.key = "key";
  unit.value = "some value";
  std::string metadata, packet;
  EncodeDumpUnit(unit, 7, &metadata, &packet);
  EXPECT_EQ(metadata.size(), 16u);
  DumpUnit read;
  ASSERT_TRUE(DecodeDumpUnit(metadata, packet, 7, &read).ok());
  EXPECT_EQ(read.micros, unit.micros);
  EXPECT_EQ(read.type, DumpUnitType::kIndex);
  EXPECT_EQ(read.key, "key");
  EXPECT_EQ(read.value, "some value");
  EXPECT_TRUE(DecodeDumpUnit(metadata, packet, 8, &read).IsCorruption());
  for (std::string* const part : {&metadata, &packet}) {
    for (size_t i = 0; i < part->size(); ++i) {
      (*part)[i] = static_cast<char>((*part)[i] ^ 4);
      const Status s = DecodeDumpUnit(metadata, packet, 7, &read);
      EXPECT_TRUE(s.IsCorruption()) << i;
      EXPECT_NE(s.ToString().find("unit 7"), std::string::npos);
      (*part)[i] = static_cast<char>((*part)[i] ^ 4);
    }
    const std::string whole = *part;
    for (size_t size = 0; size < whole.size(); ++size) {
      part->resize(size);
      EXPECT_TRUE(DecodeDumpUnit(metadata, packet, 7, &read).IsCorruption()) << size;
    }
    *part = whole;
  }
  // Parts that do not fit, with checksums that do: sizes of the key, and of the value.
  for (const size_t at : {size_t{8 + 1}, size_t{8 + 1 + 4}}) {
    std::string changed = packet;
    changed[at] = static_cast<char>(changed[at] + 1);
    metadata.clear();
    PutFixed32(&metadata, 7);
    PutFixed32(&metadata, crc32c::Value(changed.data(), changed.size()));
    PutFixed64(&metadata, changed.size());
    EXPECT_TRUE(DecodeDumpUnit(metadata, changed, 7, &read).IsCorruption());
  }
}

using Pieces = std::vector<std::string>;

class ToPieces final : public CacheDumpWriter {
 public:
  explicit ToPieces(Pieces* pieces) : pieces_(pieces) {}
  IOStatus WriteMetadata(const Slice& metadata) override { return Add(metadata); }
  IOStatus WritePacket(const Slice& data) override { return Add(data); }
  IOStatus Close() override { return IOStatus::OK(); }

 private:
  IOStatus Add(const Slice& piece) {
    pieces_->push_back(piece.ToString());
    return IOStatus::OK();
  }
  Pieces* const pieces_;
};

class FromPieces final : public CacheDumpReader {
 public:
  explicit FromPieces(Pieces pieces) : pieces_(std::move(pieces)) {}
  IOStatus ReadMetadata(std::string* metadata) override { return Next(metadata); }
  IOStatus ReadPacket(std::string* data) override { return Next(data); }

 private:
  IOStatus Next(std::string* piece) {
    if (at_ == pieces_.size()) return IOStatus::Corruption("no more pieces");
    *piece = pieces_[at_++];
    return IOStatus::OK();
  }
  const Pieces pieces_;
  size_t at_ = 0;
};

class CacheDumpsTest : public ::testing::Test {
 protected:
  CacheDumpsTest() : env_(NewMemEnv(nullptr)) {
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.compression = kNoCompression;
    table_.block_size = 1000;
    dump_.clock = SystemClock::Default().get();
  }
  void Open(const std::shared_ptr<Cache>& cache) {
    db_.reset();
    table_.block_cache = cache;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    options_.statistics = CreateDBStatistics();
    DB* db = nullptr;
    ASSERT_TRUE(DB::Open(options_, "/db", &db).ok());
    db_.reset(db);
  }
  void ReadAll() {
    for (int i = 0; i < 100; ++i) {
      std::string value;
      ASSERT_TRUE(db_->Get(ReadOptions(), std::to_string(i), &value).ok());
      ASSERT_EQ(value, std::string(1100, static_cast<char>('a' + i % 26)));
    }
  }
  void Fill() {
    Open(NewLRUCache(1 << 20));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), std::to_string(i),
                           std::string(1100, static_cast<char>('a' + i % 26)))
                      .ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    ReadAll();
  }
  Pieces Dump() {
    Pieces pieces;
    std::unique_ptr<CacheDumper> dumper;
    EXPECT_TRUE(NewDefaultCacheDumper(dump_, table_.block_cache,
                                      std::make_unique<ToPieces>(&pieces), &dumper)
                    .ok());
    EXPECT_TRUE(dumper->DumpCacheEntriesToWriter().ok());
    return pieces;
  }
  Status Load(const Pieces& pieces, const std::shared_ptr<SecondaryCache>& into) {
    std::unique_ptr<CacheDumpedLoader> loader;
    EXPECT_TRUE(NewDefaultCacheDumpedLoader(dump_, table_, into,
                                            std::make_unique<FromPieces>(pieces), &loader)
                    .ok());
    return loader->RestoreCacheEntriesToSecondaryCache();
  }

  const std::unique_ptr<Env> env_;
  Options options_;
  BlockBasedTableOptions table_;
  CacheDumpOptions dump_;
  std::unique_ptr<DB> db_;
};

TEST_F(CacheDumpsTest, EndsAtItsLimits) {
  Fill();
  const size_t all = Dump().size();
  EXPECT_GE(all, 2u * 102);  // of blocks of two entries each, and more
  dump_.max_size_bytes = 5000;
  const size_t few = Dump().size();
  EXPECT_GT(few, 4u);
  EXPECT_LT(few, 20u);
  dump_.max_size_bytes = 0;
  dump_.deadline = std::chrono::microseconds(1);  // long ago
  EXPECT_EQ(Dump().size(), 4u) << "the header and the footer";
}

TEST_F(CacheDumpsTest, OurOwnSecondaryCacheTakesBlocksAtOnce) {
  Fill();
  const Pieces pieces = Dump();
  const std::shared_ptr<SecondaryCache> secondary = NewCompressedSecondaryCache(1 << 20, 0);
  ASSERT_TRUE(Load(pieces, secondary).ok());
  LRUCacheOptions cache;
  cache.capacity = 1 << 20;
  cache.secondary_cache = secondary;
  Open(NewLRUCache(cache));
  ReadAll();
  EXPECT_GE(options_.statistics->getTickerCount(SECONDARY_CACHE_HITS), 90u);
}

TEST_F(CacheDumpsTest, OfAnotherKindAreRefused) {
  const std::shared_ptr<SecondaryCache> secondary = NewCompressedSecondaryCache(1 << 20, 0);
  const auto load = [&](const std::string& header, DumpUnitType type) {
    DumpUnit unit;
    unit.type = type;
    unit.key = "header";
    unit.value = header;
    Pieces pieces(2);
    EncodeDumpUnit(unit, 0, pieces.data(), pieces.data() + 1);
    return Load(pieces, secondary);
  };
  const std::string magic = "feedcafedeadbeef\tCache dump format version: ";
  const Status rocksdb =
      load(magic + "0.1\tRocksDB Version: 7.8\tFormat: dump_unit_metadata", DumpUnitType::kHeader);
  EXPECT_TRUE(rocksdb.IsNotSupported());
  EXPECT_NE(rocksdb.ToString().find("RocksDB"), std::string::npos);
  EXPECT_TRUE(
      load(magic + "0.2\tRocksDB Version: 7.8\tFormat: Cairn's blocks, as for a secondary cache",
           DumpUnitType::kHeader)
          .IsNotSupported());
  EXPECT_TRUE(load("something", DumpUnitType::kHeader).IsCorruption());
  EXPECT_TRUE(load(magic, DumpUnitType::kData).IsCorruption());
}

}  // namespace
}  // namespace cairn
