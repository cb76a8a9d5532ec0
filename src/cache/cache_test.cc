// What all our caches promise: tests for each of them.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "cache/testing/cache_fixture.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

enum class Kind { kLru, kClock };

class CacheTest : public testing::CacheFixture, public ::testing::WithParamInterface<Kind> {
 protected:
  CacheTest() { Make(10); }
  std::shared_ptr<Cache> New(size_t capacity, bool strict, int bits,
                             CacheMetadataChargePolicy policy) {
    if (GetParam() == Kind::kClock) {
      return HyperClockCacheOptions(capacity, /*estimated_entry_charge=*/1, bits, strict, nullptr,
                                    policy)
          .MakeSharedCache();
    }
    return NewLRUCache(LRUCacheOptions(capacity, bits, strict, 0.5, nullptr, false, policy));
  }
  void Make(size_t capacity, bool strict = false, int bits = 0) {
    Use(New(capacity, strict, bits, kDontChargeCacheMetadata));
  }
};

TEST_P(CacheTest, FindsWhatWasInserted) {
  EXPECT_EQ(Lookup("a"), 0u);
  ASSERT_TRUE(Insert("a", 1).ok());
  ASSERT_TRUE(Insert("b", 2).ok());
  EXPECT_EQ(Lookup("a"), 1u);
  EXPECT_EQ(Lookup("b"), 2u);
  EXPECT_EQ(cache_->GetUsage(), 2u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 2u);
}

TEST_P(CacheTest, InsertionReplacesAndDeletesTheOldValue) {
  ASSERT_TRUE(Insert("a", 1).ok());
  ASSERT_TRUE(Insert("a", 2).ok());
  EXPECT_EQ(Lookup("a"), 2u);
  EXPECT_EQ(testing::deleted, 1);
  EXPECT_EQ(testing::last_deleted, 1u);
  EXPECT_EQ(cache_->GetUsage(), 1u);
}

TEST_P(CacheTest, ErasedEntryLivesUntilItsLastRelease) {
  Cache::Handle* h = nullptr;
  ASSERT_TRUE(Insert("a", 1, 3, &h).ok());
  ASSERT_NE(h, nullptr);
  EXPECT_TRUE(cache_->Ref(h));
  cache_->Erase("a");
  EXPECT_EQ(Lookup("a"), 0u);
  EXPECT_EQ(cache_->GetUsage(), 3u);
  EXPECT_EQ(cache_->GetPinnedUsage(), 3u);
  EXPECT_FALSE(cache_->Release(h));
  EXPECT_EQ(testing::deleted, 0);
  EXPECT_TRUE(cache_->Release(h));
  EXPECT_EQ(testing::deleted, 1);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  cache_->Erase("a");  // nothing there
}

TEST_P(CacheTest, PinnedEntriesAreNotEvicted) {
  Cache::Handle* h = nullptr;
  ASSERT_TRUE(Insert("pinned", 7, 1, &h).ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 1).ok());
  EXPECT_EQ(Lookup("pinned"), 7u);
  EXPECT_EQ(cache_->GetPinnedUsage(), 1u);
  cache_->Release(h);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

TEST_P(CacheTest, SoftLimitLetsPinnedEntriesExceedTheCapacity) {
  std::vector<Cache::Handle*> handles(20);
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(Insert("k" + std::to_string(i), 1u + i, 1, &handles[i]).ok());
  EXPECT_EQ(cache_->GetUsage(), 20u);
  // Without a handle it cannot stay.
  ASSERT_TRUE(Insert("more", 99).ok());
  EXPECT_EQ(Lookup("more"), 0u);
  EXPECT_EQ(testing::last_deleted, 99u);
  for (Cache::Handle* h : handles) cache_->Release(h);
  EXPECT_LE(cache_->GetUsage(), 10u);
}

TEST_P(CacheTest, StrictLimitRefusesAndLeavesTheValueToTheCaller) {
  Make(10, /*strict=*/true);
  EXPECT_TRUE(cache_->HasStrictCapacityLimit());
  std::vector<Cache::Handle*> handles(10);
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(Insert("k" + std::to_string(i), 1u + i, 1, &handles[i]).ok());
  Cache::Handle* h = handles[0];
  EXPECT_TRUE(Insert("more", 99, 1, &h).IsMemoryLimit());
  EXPECT_EQ(h, nullptr);
  EXPECT_EQ(testing::deleted, 0);
  cache_->Release(handles[3]);
  EXPECT_TRUE(Insert("more", 99, 1, &h).ok());
  EXPECT_EQ(Lookup("k3"), 0u);
  cache_->Release(h);
  for (int i = 0; i < 10; ++i) {
    if (i != 3) cache_->Release(handles[i]);
  }
  cache_->SetStrictCapacityLimit(false);
  EXPECT_FALSE(cache_->HasStrictCapacityLimit());
}

TEST_P(CacheTest, ShrinkingEvicts) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 1).ok());
  cache_->SetCapacity(4);
  EXPECT_EQ(cache_->GetCapacity(), 4u);
  EXPECT_LE(cache_->GetUsage(), 4u);
}

TEST_P(CacheTest, ReleaseCanErase) {
  Cache::Handle* h = nullptr;
  ASSERT_TRUE(Insert("a", 1, 1, &h).ok());
  Cache::Handle* second = cache_->Lookup("a");
  EXPECT_FALSE(cache_->Release(h, /*erase_if_last_ref=*/true));
  EXPECT_TRUE(cache_->Release(second, /*erase_if_last_ref=*/true));
  EXPECT_EQ(testing::deleted, 1);
  EXPECT_EQ(Lookup("a"), 0u);
}

TEST_P(CacheTest, WalksAllEntriesAndErasesTheUnreferenced) {
  Make(1000, false, 2);
  Cache::Handle* h = nullptr;
  std::map<std::string, size_t> expected;
  for (int i = 0; i < 100; ++i) {
    const std::string key =
        "key" + std::string(static_cast<size_t>(i), 'x');  // some longer than what is inline
    expected[key] = static_cast<size_t>(i % 3 + 1);
    ASSERT_TRUE(Insert(key, 1, expected[key], i == 50 ? &h : nullptr).ok());
  }
  std::map<std::string, size_t> seen;
  cache_->ApplyToAllEntries([&](const Slice& key, void*, size_t charge,
                                Cache::DeleterFn) { seen[key.ToString()] = charge; },
                            {});
  EXPECT_EQ(seen, expected);
  cache_->EraseUnRefEntries();
  EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
  EXPECT_EQ(testing::deleted, 99);
  cache_->Release(h);
}

TEST_P(CacheTest, ChargesItsBookkeepingUnlessToldNotTo) {
  cache_ = New(1 << 20, false, 0, kFullChargeCacheMetadata);
  Cache::Handle* h = nullptr;
  ASSERT_TRUE(Insert("a", 1, 100, &h).ok());
  EXPECT_EQ(cache_->GetCharge(h), 100u);
  EXPECT_GT(cache_->GetUsage(h), 100u);
  EXPECT_EQ(cache_->GetUsage(), cache_->GetUsage(h));
  EXPECT_EQ(cache_->GetDeleter(h), &testing::Deleter);
  cache_->Release(h);
}

// Counts its live objects, and is recognisably broken after its death.
struct Counted {
  explicit Counted(uint64_t k) : key(k), canary(~k) { live.fetch_add(1); }
  ~Counted() {
    key = canary = 0xdeaddeaddeaddead;
    live.fetch_sub(1);
  }
  uint64_t key, canary;
  static inline std::atomic<int64_t> live{0};
};

// Every value names its key; whoever finds an entry checks that, while others replace, evict and
// erase.
TEST_P(CacheTest, ConcurrentUsersNeverSeeAnothersValue) {
  constexpr int kThreads = 4;
  constexpr int kOps = 20000;
  constexpr uint64_t kKeys = 300;
  const uint64_t seed = 20260801;
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto cache = New(100, false, 1, kDontChargeCacheMetadata);
  std::atomic<int> wrong{0};
  {
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.push_back(std::make_unique<fiber::Thread>("cache", [&, t] {
        Random64 random(seed + static_cast<uint64_t>(t));
        std::vector<Cache::Handle*> held;
        for (int i = 0; i < kOps; ++i) {
          const uint64_t k = random.Uniform(kKeys);
          const Slice key(reinterpret_cast<const char*>(&k), sizeof(k));
          const uint64_t action = random.Uniform(100);
          if (action < 2) {
            cache->Erase(key);
          } else if (Cache::Handle* h = cache->Lookup(key)) {
            const auto* value = static_cast<Counted*>(cache->Value(h));
            if (value->key != k || value->canary != ~k) wrong.fetch_add(1);
            if (action < 10 && held.size() < 8) {
              held.push_back(h);
            } else {
              cache->Release(h, action < 12);
            }
          } else {
            auto* value = new Counted(k);
            const Status s = cache->Insert(
                key, value, 1, [](const Slice&, void* v) { delete static_cast<Counted*>(v); },
                action % 2 == 0 ? &h : nullptr);
            if (s.ok() && action % 2 == 0) cache->Release(h);
          }
          if (held.size() == 8) {
            for (Cache::Handle* h : held) cache->Release(h);
            held.clear();
          }
        }
        for (Cache::Handle* h : held) cache->Release(h);
      }));
    }
    for (auto& t : threads) t->join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache->GetPinnedUsage(), 0u);
  EXPECT_LE(cache->GetUsage(), 100u);
  EXPECT_EQ(Counted::live.load(), static_cast<int64_t>(cache->GetOccupancyCount()));
  cache.reset();
  EXPECT_EQ(Counted::live.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CacheTest, ::testing::Values(Kind::kLru, Kind::kClock),
                         [](const auto& info) {
                           return info.param == Kind::kLru ? "Lru" : "Clock";
                         });

}  // namespace
}  // namespace cairn
