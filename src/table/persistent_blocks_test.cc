// Tables whose blocks lie in a persistent cache, too: of the user's own, which may fail or lie.
#include "table/persistent_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "fiber/mutex.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

// Keeps all, in memory.
class MapCache final : public PersistentCache {
 public:
  explicit MapCache(bool compressed) : compressed_(compressed) {}

  Status Insert(const Slice& key, const char* data, size_t size) override {
    const fiber::MutexLock lock(&mu_);
    ++inserted;
    blocks[key.ToString()] = std::string(data, size);
    return fails ? Status::IOError("no") : Status::OK();
  }
  Status Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) override {
    const fiber::MutexLock lock(&mu_);
    ++asked;
    if (fails) return Status::IOError("no");
    const auto at = blocks.find(key.ToString());
    if (at == blocks.end()) return Status::NotFound();
    std::string bytes = at->second;
    if (lie) lie(&bytes);
    data->reset(new char[bytes.size()]);
    std::memcpy(data->get(), bytes.data(), bytes.size());
    *size = bytes.size();
    return Status::OK();
  }
  bool IsCompressed() override { return compressed_; }
  StatsType Stats() override { return {}; }
  std::string GetPrintableOptions() const override { return "    of a test: 1\n"; }
  uint64_t NewId() override {
    const fiber::MutexLock lock(&mu_);
    return ++last_id_;
  }

  std::map<std::string, std::string> blocks;
  uint64_t inserted = 0, asked = 0;
  bool fails = false;
  std::function<void(std::string*)> lie;

 private:
  const bool compressed_;
  fiber::Mutex mu_;
  uint64_t last_id_ = 0;
};

class PersistentBlocksTest : public ::testing::TestWithParam<bool> {
 protected:
  PersistentBlocksTest() : cache_(std::make_shared<MapCache>(GetParam())) {
    h_.table_options.persistent_cache = cache_;
    h_.table_options.block_size = 500;
    h_.table_options.no_block_cache = true;
    h_.compression = kZSTD;
    h_.statistics = CreateDBStatistics();
    h_.FillRandom(3, 400);
    EXPECT_TRUE(h_.Build().ok());
    EXPECT_TRUE(h_.Open().ok());
  }

  uint64_t Hits() const { return h_.statistics->getTickerCount(PERSISTENT_CACHE_HIT); }
  uint64_t Misses() const { return h_.statistics->getTickerCount(PERSISTENT_CACHE_MISS); }
  void GetAll() {
    for (const auto& [key, value] : h_.model) {
      h_.CheckGet(ExtractUserKey(key).ToString(), kMaxSequenceNumber);
    }
  }
  // No data block can be read from the file any more.
  void DamageTheFile() {
    for (uint64_t at = 0; at < h_.properties.data_size; ++at) {
      ASSERT_TRUE(h_.fs.CorruptFile("/t.sst", at, 0xff).ok());
    }
  }

  Harness h_;
  std::shared_ptr<MapCache> cache_;
};

INSTANTIATE_TEST_SUITE_P(Compressed, PersistentBlocksTest, ::testing::Bool());

TEST_P(PersistentBlocksTest, WhatIsReadIsThereTheNextTime) {
  GetAll();
  const uint64_t blocks = cache_->inserted;
  EXPECT_GT(blocks, 20u);
  EXPECT_EQ(blocks, cache_->blocks.size());
  EXPECT_EQ(Misses(), blocks);
  EXPECT_GT(Hits(), blocks);
  for (const auto& [key, bytes] : cache_->blocks) EXPECT_EQ(key.size(), 16u);
  // A table keeps its keys over reopening, so that nothing of the file is read for its blocks.
  ASSERT_TRUE(h_.Open().ok());
  DamageTheFile();
  GetAll();
  EXPECT_EQ(Misses(), blocks);
  EXPECT_EQ(cache_->inserted, blocks);
}

TEST_P(PersistentBlocksTest, TheBytesAreTheFilesOrTheBlocks) {
  GetAll();
  std::string file;
  ASSERT_TRUE(ReadFileToString(&h_.fs, "/t.sst", &file).ok());
  int in_file = 0;
  for (const auto& [key, bytes] : cache_->blocks) {
    in_file += file.find(bytes) != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(in_file, GetParam() ? static_cast<int>(cache_->blocks.size()) : 0);
}

TEST_P(PersistentBlocksTest, TheBlockCacheComesFirst) {
  h_.table_options.no_block_cache = false;
  h_.table_options.block_cache = NewLRUCache(1 << 20);
  ASSERT_TRUE(h_.Open().ok());
  GetAll();
  const uint64_t asked = cache_->asked;
  EXPECT_EQ(asked, cache_->inserted);
  GetAll();
  EXPECT_EQ(cache_->asked, asked);
  h_.CheckAll(3, 20);
}

TEST_P(PersistentBlocksTest, WhatDoesNotFillTheCacheIsOnlyLookedUp) {
  ReadOptions options;
  options.fill_cache = false;
  const auto scan = [&] {
    const std::unique_ptr<InternalIterator> it(h_.table->NewIterator(options));
    size_t n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++n;
    EXPECT_TRUE(it->status().ok());
    EXPECT_EQ(n, h_.model.size());
  };
  scan();
  EXPECT_EQ(cache_->inserted, 0u);
  EXPECT_GT(cache_->asked, 0u);
  options.fill_cache = true;
  options.verify_checksums = false;
  scan();
  EXPECT_EQ(cache_->inserted, 0u);
  // It reads the file.
  const uint64_t asked = cache_->asked;
  EXPECT_TRUE(h_.table->VerifyChecksum(ReadOptions()).ok());
  EXPECT_EQ(cache_->asked, asked);
}

TEST_P(PersistentBlocksTest, OneThatFailsIsDoneWithout) {
  cache_->fails = true;
  h_.CheckAll(3, 30);
  EXPECT_EQ(Hits(), 0u);
  EXPECT_GT(Misses(), 0u);
}

TEST_P(PersistentBlocksTest, LiesThatShowAreMisses) {
  GetAll();
  const std::function<void(std::string*)> lies[] = {
      [](std::string* bytes) { bytes->clear(); },
      [](std::string* bytes) { bytes->resize(3); },
      [](std::string* bytes) { bytes->assign(bytes->size(), '\0'); },
      [](std::string* bytes) { bytes->assign(bytes->size(), '\xff'); },
      [](std::string* bytes) { bytes->back() = static_cast<char>(bytes->back() ^ 0x40); },
  };
  for (const auto& lie : lies) {
    cache_->lie = lie;
    GetAll();
    h_.CheckAll(3, 10);
  }
}

// A flipped bit anywhere: the checksum tells, where there is one.
TEST_P(PersistentBlocksTest, EveryFlippedBitIsAMiss) {
  if (!GetParam()) GTEST_SKIP() << "uncompressed blocks have no checksum";
  GetAll();
  size_t at = 0;
  cache_->lie = [&](std::string* bytes) {
    char& c = (*bytes)[at++ % bytes->size()];
    c = static_cast<char>(c ^ 8);
  };
  const uint64_t hits = Hits();
  for (int round = 0; round < 3; ++round) GetAll();
  EXPECT_EQ(Hits(), hits);
}

TEST_P(PersistentBlocksTest, PartitionsOfIndexAndFilter) {
  h_.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  h_.table_options.partition_filters = true;
  h_.table_options.metadata_block_size = 128;
  ASSERT_TRUE(h_.Build().ok());
  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(3, 30);
  const uint64_t blocks = cache_->blocks.size();
  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(3, 30);
  EXPECT_EQ(cache_->blocks.size(), blocks);
  EXPECT_GT(Hits(), blocks);
  cache_->lie = [](std::string* bytes) { bytes->assign(bytes->size(), '\xff'); };
  if (GetParam()) h_.CheckAll(3, 30);
}

TEST(PersistentCacheOptionTest, AnotherKeySpaceThanTheBlockCachesIsAskedFor) {
  BlockBasedTableOptions options;
  auto cache = std::make_shared<MapCache>(true);
  options.persistent_cache = cache;
  options.block_cache = NewLRUCache(1 << 20);
  EXPECT_TRUE(ValidateTableOptions(options).ok());
  cache->lie = [](std::string* bytes) { *bytes = "b"; };
  Status s = ValidateTableOptions(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  cache->lie = [](std::string* bytes) { *bytes = "?"; };
  s = ValidateTableOptions(options);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  cache->fails = true;
  EXPECT_TRUE(ValidateTableOptions(options).ok());
  const std::string text = BlockBasedTableFactory(options).GetPrintableOptions();
  EXPECT_NE(text.find("  persistent_cache_options:\n    of a test: 1\n"), std::string::npos);
}

}  // namespace
}  // namespace cairn
