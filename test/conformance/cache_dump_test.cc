// The blocks of a block cache as a file, and back (utilities/cache_dump_load.h).
#include "rocksdb/utilities/cache_dump_load.h"

#include "conformance.h"
#include "map_cache.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace conformance {
namespace {

class CacheDumpTest : public DBTest {
 protected:
  static constexpr int kEntries = 400;

  CacheDumpTest() {
    options_.disable_auto_compactions = true;
    table_.block_size = 1000;
    table_.cache_index_and_filter_blocks = true;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    dump_.clock = SystemClock::Default().get();
  }
  static std::shared_ptr<Cache> NewCache(size_t capacity, std::shared_ptr<SecondaryCache> next) {
    LRUCacheOptions options;
    options.capacity = capacity;
    options.num_shard_bits = 0;
    options.secondary_cache = std::move(next);
    return NewLRUCache(options);
  }
  void OpenWith(std::shared_ptr<Cache> cache) {
    table_.block_cache = cache;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
  }
  void Fill() {
    for (int i = 0; i < kEntries; ++i) ASSERT_OK(Put(Key(i), std::string(500, 'a' + i % 26)));
    ASSERT_OK(Flush());
  }
  void ReadAll() {
    for (int i = 0; i < kEntries; ++i) ASSERT_EQ(std::string(500, 'a' + i % 26), Get(Key(i)));
  }
  IOStatus Dump(const std::shared_ptr<Cache>& cache, const std::vector<DB*>& filter) {
    std::unique_ptr<CacheDumpWriter> writer;
    EXPECT_OK(NewToFileCacheDumpWriter(FileSystem::Default(), FileOptions(), file_, &writer));
    std::unique_ptr<CacheDumper> dumper;
    EXPECT_OK(NewDefaultCacheDumper(dump_, cache, std::move(writer), &dumper));
    EXPECT_OK(dumper->SetDumpFilter(filter));
    return dumper->DumpCacheEntriesToWriter();
  }
  IOStatus Load(const std::shared_ptr<SecondaryCache>& into) {
    std::unique_ptr<CacheDumpReader> reader;
    EXPECT_OK(NewFromFileCacheDumpReader(FileSystem::Default(), FileOptions(), file_, &reader));
    std::unique_ptr<CacheDumpedLoader> loader;
    EXPECT_OK(NewDefaultCacheDumpedLoader(dump_, table_, into, std::move(reader), &loader));
    return loader->RestoreCacheEntriesToSecondaryCache();
  }
  std::string Bytes() {
    std::string bytes;
    EXPECT_OK(ReadFileToString(TheEnv(), file_, &bytes));
    return bytes;
  }
  static uint32_t Number(const std::string& bytes, size_t at) {
    uint32_t n = 0;
    for (int i = 3; i >= 0; --i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
    return n;
  }
  // The types of the file's units.
  std::vector<int> Types() {
    const std::string bytes = Bytes();
    std::vector<int> types;
    size_t at = 0;
    while (at + 4 <= bytes.size()) {
      EXPECT_EQ(16u, Number(bytes, at));
      EXPECT_EQ(types.size(), Number(bytes, at + 4));
      at += 20;
      const uint32_t size = Number(bytes, at);
      types.push_back(bytes[at + 4 + 8]);
      at += 4 + size;
    }
    EXPECT_EQ(at, bytes.size());
    return types;
  }

  const std::string file_ = root_ + "/dump";
  BlockBasedTableOptions table_;
  CacheDumpOptions dump_;
};

constexpr int kHeader = 1;
constexpr int kFooter = 2;
constexpr int kData = 3;
constexpr int kFilter = 4;
constexpr int kIndex = 11;

TEST_F(CacheDumpTest, BlocksComeBack) {
  OpenWith(NewCache(8 << 20, nullptr));
  Fill();
  ReadAll();
  ASSERT_OK(Dump(table_.block_cache, {db_}));
  const std::vector<int> types = Types();
  const auto count = [&](int type) { return std::count(types.begin(), types.end(), type); };
  EXPECT_EQ(kHeader, types.front());
  EXPECT_EQ(kFooter, types.back());
  EXPECT_LT(kEntries / 3, count(kData));
  EXPECT_EQ(1, count(kIndex));
  EXPECT_EQ(1, count(kFilter));
  EXPECT_EQ(types.size(), static_cast<size_t>(count(kData) + 4));
  Shut();
  const auto secondary = std::make_shared<MapCache>();
  ASSERT_OK(Load(secondary));
  EXPECT_EQ(types.size() - 2, static_cast<size_t>(secondary->inserted()));
  options_.statistics = CreateDBStatistics();
  OpenWith(NewCache(8 << 20, secondary));
  ReadAll();
  EXPECT_LT(kEntries / 3, secondary->found());
  EXPECT_LT(kEntries / 3u, options_.statistics->getTickerCount(SECONDARY_CACHE_HITS));
  Shut();
}

TEST_F(CacheDumpTest, OfOneDatabaseAmongOthers) {
  const std::shared_ptr<Cache> cache = NewCache(8 << 20, nullptr);
  OpenWith(cache);
  Fill();
  ReadAll();
  DB* const first = std::exchange(db_, nullptr);
  const std::string dir = std::exchange(dir_, root_ + "/other");
  OpenWith(cache);
  ASSERT_OK(Put("a", std::string(100, 'b')));
  ASSERT_OK(Flush());
  EXPECT_EQ(std::string(100, 'b'), Get("a"));
  ASSERT_OK(Dump(cache, {db_}));
  EXPECT_EQ(5u, Types().size());
  ASSERT_OK(Dump(cache, {first}));
  const size_t of_first = Types().size();
  EXPECT_LT(kEntries / 3u, of_first);
  ASSERT_OK(Dump(cache, {first, db_}));
  EXPECT_EQ(of_first + 3, Types().size());
  delete first;
}

TEST_F(CacheDumpTest, WhatIsMissingOrDamaged) {
  OpenWith(NewCache(8 << 20, nullptr));
  Fill();
  ReadAll();
  EXPECT_CODE(InvalidArgument, Dump(nullptr, {db_}));
  dump_.clock = nullptr;
  EXPECT_CODE(InvalidArgument, Dump(table_.block_cache, {db_}));
  dump_.clock = SystemClock::Default().get();
  std::unique_ptr<CacheDumper> dumper;
  ASSERT_OK(NewDefaultCacheDumper(dump_, table_.block_cache, nullptr, &dumper));
  EXPECT_CODE(InvalidArgument, dumper->DumpCacheEntriesToWriter());
  std::unique_ptr<CacheDumpedLoader> loader;
  ASSERT_OK(
      NewDefaultCacheDumpedLoader(dump_, table_, std::make_shared<MapCache>(), nullptr, &loader));
  EXPECT_CODE(InvalidArgument, loader->RestoreCacheEntriesToSecondaryCache());
  ASSERT_OK(Dump(table_.block_cache, {db_}));
  EXPECT_CODE(InvalidArgument, Load(nullptr));
  const std::string whole = Bytes();
  for (const size_t size : {whole.size() - 1, whole.size() / 2, size_t{30}, size_t{3}, size_t{0}}) {
    EXPECT_OK(WriteStringToFile(TheEnv(), whole.substr(0, size), file_));
    EXPECT_FALSE(Load(std::make_shared<MapCache>()).ok()) << size;
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  EXPECT_OK(WriteStringToFile(TheEnv(), damaged, file_));
  EXPECT_FALSE(Load(std::make_shared<MapCache>()).ok());
  EXPECT_OK(WriteStringToFile(TheEnv(), whole, file_));
  EXPECT_OK(Load(std::make_shared<MapCache>()));
  std::unique_ptr<CacheDumpReader> reader;
  EXPECT_FALSE(
      NewFromFileCacheDumpReader(FileSystem::Default(), FileOptions(), file_ + "no", &reader).ok());
  Shut();
}

}  // namespace
}  // namespace conformance
