// Blocks in a persistent cache: of the user's own, and the library's.
#include <atomic>
#include <cstring>
#include <mutex>

#include "conformance.h"
#include "rocksdb/persistent_cache.h"

namespace conformance {
namespace {

constexpr int kKeys = 4000;

class KeepAll final : public PersistentCache {
 public:
  explicit KeepAll(bool compressed) : compressed_(compressed) {}

  Status Insert(const Slice& key, const char* data, const size_t size) override {
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    blocks_[key.ToString()] = std::string(data, size);
    return Status::OK();
  }
  Status Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) override {
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    const auto found = blocks_.find(key.ToString());
    if (fails || found == blocks_.end()) return Status::NotFound();
    data->reset(new char[found->second.size()]);
    std::memcpy(data->get(), found->second.data(), found->second.size());
    *size = found->second.size();
    return Status::OK();
  }
  bool IsCompressed() override { return compressed_; }
  StatsType Stats() override { return {}; }
  std::string GetPrintableOptions() const override { return "    kept: all\n"; }
  uint64_t NewId() override { return ++last_id_; }

  size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    return blocks_.size();
  }
  std::map<std::string, std::string> blocks() {
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    return blocks_;
  }

  std::atomic<bool> fails{false};

 private:
  const bool compressed_;
  std::mutex mutex_;  // style: RocksDB runs here, too
  std::map<std::string, std::string> blocks_;
  std::atomic<uint64_t> last_id_{0};
};

class PersistentCacheTest : public DBTest, public testing::WithParamInterface<bool> {
 protected:
  PersistentCacheTest() {
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
    options_.compression = kLZ4Compression;
    table_.block_size = 1024;
    table_.no_block_cache = true;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
  }
  void Fill(std::shared_ptr<PersistentCache> cache) {
    table_.persistent_cache = std::move(cache);
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
    Numbers numbers(11);
    for (int i = 0; i < kKeys; i++) {
      values_[Key(i)] = numbers.Bytes(60) + std::string(60, 'v');
      ASSERT_OK(Put(Key(i), values_[Key(i)]));
    }
    ASSERT_OK(Flush());
    Reopen();
  }
  void Reopen() {
    Open();
    ASSERT_OK(options_.statistics->Reset());
  }
  void ReadAll() {
    for (const auto& [key, value] : values_) ASSERT_EQ(value, Get(key));
  }
  uint64_t Count(uint32_t ticker) { return options_.statistics->getTickerCount(ticker); }

  BlockBasedTableOptions table_;
  std::map<std::string, std::string> values_;
};

INSTANTIATE_TEST_SUITE_P(Compressed, PersistentCacheTest, testing::Bool());

TEST_P(PersistentCacheTest, BlocksGoThereWhenTheyAreRead) {
  const auto cache = std::make_shared<KeepAll>(GetParam());
  Fill(cache);
  const size_t before = cache->size();
  ReadAll();
  const size_t blocks = cache->size() - before;
  EXPECT_GT(blocks, 300u);
  EXPECT_EQ(blocks, Count(PERSISTENT_CACHE_MISS));
  EXPECT_EQ(uint64_t{kKeys} - blocks, Count(PERSISTENT_CACHE_HIT));
  for (const auto& [key, bytes] : cache->blocks()) EXPECT_EQ(16u, key.size());
  // The keys are the same in the next life.
  Reopen();
  ReadAll();
  EXPECT_EQ(0u, Count(PERSISTENT_CACHE_MISS));
  EXPECT_EQ(uint64_t{kKeys}, Count(PERSISTENT_CACHE_HIT));
}

TEST_P(PersistentCacheTest, CompressedBlocksAreThoseOfTheFile) {
  const auto cache = std::make_shared<KeepAll>(GetParam());
  Fill(cache);
  ReadAll();
  size_t bytes = 0;
  for (const auto& [key, block] : cache->blocks()) bytes += block.size();
  if (GetParam()) {
    EXPECT_LT(bytes, kKeys * 120u);
  } else {
    EXPECT_GT(bytes, kKeys * 120u);
  }
}

TEST_P(PersistentCacheTest, WhatDoesNotFillCachesDoesNotFillIt) {
  const auto cache = std::make_shared<KeepAll>(GetParam());
  Fill(cache);
  const size_t before = cache->size();
  ReadOptions read;
  read.fill_cache = false;
  std::string value;
  for (int i = 0; i < 100; i++) ASSERT_OK(db_->Get(read, Key(i), &value));
  EXPECT_EQ(before, cache->size());
  EXPECT_EQ(100u, Count(PERSISTENT_CACHE_MISS));
}

TEST_P(PersistentCacheTest, OneThatFailsIsDoneWithout) {
  const auto cache = std::make_shared<KeepAll>(GetParam());
  Fill(cache);
  cache->fails = true;
  ReadAll();
  EXPECT_EQ(0u, Count(PERSISTENT_CACHE_HIT));
  EXPECT_EQ(uint64_t{kKeys}, Count(PERSISTENT_CACHE_MISS));
}

TEST_P(PersistentCacheTest, BehindABlockCache) {
  const auto cache = std::make_shared<KeepAll>(GetParam());
  table_.no_block_cache = false;
  table_.block_cache = NewLRUCache(8 << 20);
  Fill(cache);
  ReadAll();
  const uint64_t misses = Count(PERSISTENT_CACHE_MISS);
  EXPECT_GT(misses, 300u);
  EXPECT_EQ(0u, Count(PERSISTENT_CACHE_HIT));
  ReadAll();
  EXPECT_EQ(misses, Count(PERSISTENT_CACHE_MISS));
  EXPECT_EQ(0u, Count(PERSISTENT_CACHE_HIT));
}

TEST_P(PersistentCacheTest, TheLogTellsOfIt) {
  Fill(std::make_shared<KeepAll>(GetParam()));
  std::string log;
  ASSERT_OK(ReadFileToString(TheEnv(), dir_ + "/LOG", &log));
  EXPECT_NE(std::string::npos, log.find("  persistent_cache_options:\n    kept: all\n"));
}

TEST_P(PersistentCacheTest, TheLibrarysOwn) {
  std::shared_ptr<PersistentCache> cache;
  const std::string path = root_ + "/fast";
  ASSERT_OK(NewPersistentCache(TheEnv(), path, 256 << 20, nullptr, GetParam(), &cache));
  ASSERT_NE(nullptr, cache);
  EXPECT_TRUE(cache->IsCompressed());
  EXPECT_NE(std::string::npos, cache->GetPrintableOptions().find("cache_size: 268435456\n"));
  Fill(cache);
  ReadAll();
  ReadAll();
  EXPECT_EQ(1u, cache->Stats().size());
  EXPECT_EQ(1u, cache->Stats()[0].count("persistentcache.blockcachetier.cache_hits"));
  EXPECT_OK(TheEnv()->FileExists(path + "/cache"));
}

}  // namespace
}  // namespace conformance
