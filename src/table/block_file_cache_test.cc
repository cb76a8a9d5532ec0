// The cache of blocks in files: what goes in comes out, room, damage, a full disk, threads.
#include "table/block_file_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fiber/runtime.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"

namespace cairn {
namespace {

class BlockFileCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<BlockFileCache> Make(uint64_t size = 1 << 20) {
    auto cache = std::make_unique<BlockFileCache>(
        BlockFileCache::Options{faults_, "/fast", size, nullptr, false});
    const Status s = cache->Open();
    EXPECT_TRUE(s.ok()) << s.ToString();
    return cache;
  }

  static std::string Key(uint64_t i) {
    std::string key(16, '\0');
    EncodeFixed64(key.data(), i * 0x9e3779b97f4a7c15u);
    EncodeFixed64(key.data() + 8, i);
    return key;
  }
  static std::string Block(uint64_t i, size_t size = 4000) {
    Random64 random(i);
    std::string block(size, '\0');
    for (char& c : block) c = static_cast<char>(random.Next());
    return block;
  }
  static Status Put(BlockFileCache* cache, uint64_t i, size_t size = 4000) {
    const std::string block = Block(i, size);
    return cache->Insert(Key(i), block.data(), block.size());
  }
  // 1: it is there, as it was; 0: it is not; -1: it is another.
  static int Find(BlockFileCache* cache, uint64_t i, size_t size = 4000) {
    std::unique_ptr<char[]> data;
    size_t found = 0;
    const Status s = cache->Lookup(Key(i), &data, &found);
    if (!s.ok()) return s.IsNotFound() ? 0 : -1;
    return std::string(data.get(), found) == Block(i, size) ? 1 : -1;
  }
  std::vector<std::string> Files() {
    std::vector<std::string> names;
    (void)memory_->GetChildren("/fast/cache", IOOptions(), &names, nullptr);
    return names;
  }
  uint64_t BytesOnDisk() {
    uint64_t total = 0;
    for (const std::string& name : Files()) {
      uint64_t size = 0;
      (void)memory_->GetFileSize("/fast/cache/" + name, IOOptions(), &size, nullptr);
      total += size;
    }
    return total;
  }
  static double Stat(BlockFileCache* cache, const std::string& name) {
    return cache->Stats().at(0).at("persistentcache.blockcachetier." + name);
  }

  std::shared_ptr<MemoryFileSystem> memory_ =
      std::make_shared<MemoryFileSystem>(MemoryFileSystem::Durability::kUntracked);
  std::shared_ptr<fault::FaultInjectionFileSystem> faults_ =
      std::make_shared<fault::FaultInjectionFileSystem>(memory_);
};

TEST_F(BlockFileCacheTest, BlocksComeBackFromMemoryAndFromFiles) {
  const auto cache = Make();
  EXPECT_TRUE(cache->IsCompressed());
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(Put(cache.get(), i).ok());
    for (uint64_t k = 0; k <= i; k += 7) ASSERT_EQ(Find(cache.get(), k), 1) << i << " " << k;
  }
  EXPECT_EQ(Find(cache.get(), 100), 0);
  EXPECT_GE(Files().size(), 3u);
  // A second insertion changes nothing.
  ASSERT_TRUE(cache->Insert(Key(3), "other", 5).ok());
  EXPECT_EQ(Find(cache.get(), 3), 1);
  EXPECT_EQ(Stat(cache.get(), "cache_misses"), 1);
  EXPECT_EQ(Stat(cache.get(), "cache_errors"), 0);
  EXPECT_GT(Stat(cache.get(), "cache_hits_pct"), 99);
  EXPECT_EQ(Stat(cache.get(), "bytes_read"), 4000);
}

TEST_F(BlockFileCacheTest, BlocksOfAllSizesUpToAFile) {
  const auto cache = Make();
  std::vector<size_t> sizes = {1, 2, 4067, 4068, 4069, 100'000, 131'072 - 28};
  for (size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_TRUE(Put(cache.get(), i, sizes[i]).ok()) << sizes[i];
  }
  ASSERT_TRUE(Put(cache.get(), 50).ok());
  for (size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(Find(cache.get(), i, sizes[i]), 1) << sizes[i];
  }
  EXPECT_TRUE(Put(cache.get(), 60, 131'072 - 27).IsNotSupported());
  EXPECT_EQ(Find(cache.get(), 60), 0);
  EXPECT_EQ(Stat(cache.get(), "insert_dropped"), 1);
}

TEST_F(BlockFileCacheTest, TheOldestFileMakesRoom) {
  const auto cache = Make();
  for (uint64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(Put(cache.get(), i).ok());
    ASSERT_LE(BytesOnDisk(), uint64_t{1} << 20);
  }
  int there = 0;
  bool older_were_there = false;
  for (uint64_t i = 0; i < 2000; ++i) {
    const int found = Find(cache.get(), i);
    ASSERT_GE(found, 0);
    there += found;
    // Once one is there, all that came later are.
    if (older_were_there) {
      EXPECT_EQ(found, 1) << i;
    }
    older_were_there = older_were_there || found == 1;
  }
  EXPECT_GE(there, 190);
  EXPECT_LE(there, 262);
}

TEST_F(BlockFileCacheTest, DamageIsAMiss) {
  const auto cache = Make();
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Put(cache.get(), i).ok());
  const std::vector<std::string> files = Files();
  ASSERT_GE(files.size(), 3u);
  // Each block of one file gets a bit flipped; another file loses its second half.
  uint64_t size = 0;
  ASSERT_TRUE(memory_->GetFileSize("/fast/cache/0.rc", IOOptions(), &size, nullptr).ok());
  for (uint64_t at = 100; at < size; at += 4000) {
    ASSERT_TRUE(memory_->CorruptFile("/fast/cache/0.rc", at, 4).ok());
  }
  ASSERT_TRUE(memory_->TruncateFile("/fast/cache/1.rc", size / 2).ok());
  int there = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    const int found = Find(cache.get(), i);
    ASSERT_GE(found, 0) << i;
    there += found;
  }
  EXPECT_LE(there, 60);
  EXPECT_GE(there, 30);
  EXPECT_GE(Stat(cache.get(), "cache_errors"), 40);
  // What is lost may come again.
  EXPECT_EQ(Find(cache.get(), 0), 0);
  ASSERT_TRUE(Put(cache.get(), 0).ok());
  EXPECT_EQ(Find(cache.get(), 0), 1);
}

TEST_F(BlockFileCacheTest, ReadsThatFailAreMisses) {
  const auto cache = Make();
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Put(cache.get(), i).ok());
  faults_->FailNthOperation(1, fault::kRead, IOStatus::IOError("gone"), 5);
  int missed = 0;
  for (uint64_t i = 0; i < 10; ++i) missed += Find(cache.get(), i) == 0 ? 1 : 0;
  EXPECT_EQ(missed, 5);
}

TEST_F(BlockFileCacheTest, AFullDiskEndsInsertionsNotLookups) {
  const auto cache = Make();
  for (uint64_t i = 0; i < 60; ++i) ASSERT_TRUE(Put(cache.get(), i).ok());
  faults_->SetFreeBytes(10'000);
  Status s;
  uint64_t i = 60;
  for (; s.ok() && i < 200; ++i) s = Put(cache.get(), i);
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_TRUE(Put(cache.get(), 300).IsNoSpace());
  faults_->Heal();
  EXPECT_TRUE(Put(cache.get(), 300).IsNoSpace());
  int there = 0;
  for (uint64_t k = 0; k < i; ++k) {
    const int found = Find(cache.get(), k);
    ASSERT_GE(found, 0) << k;
    there += found;
  }
  EXPECT_GE(there, 32);
  EXPECT_EQ(Find(cache.get(), 0), 1);
}

TEST_F(BlockFileCacheTest, ItBeginsEmptyAndLeavesNothing) {
  ASSERT_TRUE(memory_->CreateDir("/fast", IOOptions(), nullptr).ok());
  ASSERT_TRUE(memory_->CreateDir("/fast/cache", IOOptions(), nullptr).ok());
  for (const char* name : {"7.rc", "a.rc", "other"}) {
    ASSERT_TRUE(WriteStringToFile(memory_.get(), "left", std::string("/fast/cache/") + name).ok());
  }
  auto cache = Make();
  EXPECT_EQ(Files(), std::vector<std::string>{"other"});
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Put(cache.get(), i).ok());
  EXPECT_GE(Files().size(), 3u);
  cache.reset();
  EXPECT_EQ(Files(), std::vector<std::string>{"other"});
  cache = Make();
  EXPECT_EQ(Find(cache.get(), 1), 0);
}

TEST_F(BlockFileCacheTest, FilesThatAreTakenAwayWhileItRuns) {
  const auto cache = Make();
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Put(cache.get(), i).ok());
  for (const std::string& name : Files()) {
    ASSERT_TRUE(memory_->DeleteFile("/fast/cache/" + name, IOOptions(), nullptr).ok());
  }
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_GE(Find(cache.get(), i), 0);
    ASSERT_TRUE(Put(cache.get(), i).ok());
    ASSERT_EQ(Find(cache.get(), i), 1);
  }
}

TEST_F(BlockFileCacheTest, WhatItIsMadeOf) {
  std::shared_ptr<PersistentCache> cache;
  Env* const env = Env::Default();
  EXPECT_TRUE(NewPersistentCache(env, "/x", 100 << 20, nullptr, false, nullptr).IsIOError());
  EXPECT_TRUE(
      NewPersistentCache(nullptr, "/x", 100 << 20, nullptr, false, &cache).IsInvalidArgument());
  EXPECT_TRUE(NewPersistentCache(env, "", 100 << 20, nullptr, false, &cache).IsInvalidArgument());
  EXPECT_TRUE(
      NewPersistentCache(env, "/x", (1 << 20) - 1, nullptr, false, &cache).IsInvalidArgument());
  EXPECT_FALSE(NewPersistentCache(env, "/no/such/parent", 1 << 20, nullptr, false, &cache).ok());
  EXPECT_EQ(cache, nullptr);
  const auto made = Make(64 << 20);
  const std::string text = made->GetPrintableOptions();
  for (const char* line : {"    path: /fast\n", "    cache_size: 67108864\n",
                           "    cache_file_size: 8388608\n", "    is_compressed: 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_NE(made->NewId(), made->NewId());
}

// Fibers of two workers insert, look up, and make each other's blocks go.
TEST_F(BlockFileCacheTest, FibersAtOnce) {
  const auto cache = Make();
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  std::atomic<int> wrong{0};
  const auto client = [&](uint64_t seed) {
    Random64 random(seed);
    for (int n = 0; n < 1500; ++n) {
      const uint64_t i = random.Uniform(600);
      const int found = Find(cache.get(), i);
      if (found < 0) ++wrong;
      if (found == 0) {
        const Status s = Put(cache.get(), i);
        if (!s.ok() && !s.IsTryAgain()) ++wrong;
      }
    }
  };
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      handles.push_back(fiber::spawn([&client, seed] { client(seed); }));
    }
    for (auto& handle : handles) handle.join();
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Stat(cache.get(), "cache_errors"), 0);
  EXPECT_LE(BytesOnDisk(), uint64_t{1} << 20);
}

}  // namespace
}  // namespace cairn
