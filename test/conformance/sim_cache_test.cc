// A cache that pretends another one beside it (utilities/sim_cache.h).
#include "rocksdb/utilities/sim_cache.h"

#include "conformance.h"

namespace conformance {
namespace {

class SimCacheTest : public DBTest {
 protected:
  static std::shared_ptr<Cache> Lru(size_t capacity) {
    return NewLRUCache(capacity, 0, false, 0.5, nullptr, false, kDontChargeCacheMetadata);
  }
  static void DeleteInt(const Slice& /*key*/, void* value) { delete static_cast<int*>(value); }
  static Status Insert(Cache* cache, const std::string& key, size_t charge) {
    return cache->Insert(key, new int(7), charge, &DeleteInt);
  }
  static bool Has(Cache* cache, const std::string& key) {
    Cache::Handle* const handle = cache->Lookup(key, nullptr);
    if (handle != nullptr) cache->Release(handle);
    return handle != nullptr;
  }
};

TEST_F(SimCacheTest, CountsWhatALargerCacheWouldHave) {
  const std::shared_ptr<Cache> real = Lru(1000);
  const std::shared_ptr<SimCache> sim = NewSimCache(real, 3000, 0);
  ASSERT_NE(nullptr, sim);
  EXPECT_STREQ("SimCache", sim->Name());
  EXPECT_EQ(1000u, sim->GetCapacity());
  EXPECT_EQ(3000u, sim->GetSimCapacity());
  for (int i = 0; i < 30; ++i) ASSERT_OK(Insert(sim.get(), Key(i), 100));
  EXPECT_EQ(1000u, sim->GetUsage());
  EXPECT_EQ(3000u, sim->GetSimUsage());
  int found = 0;
  for (int i = 29; i >= 0; --i) found += Has(sim.get(), Key(i));
  EXPECT_EQ(10, found);
  EXPECT_EQ(30u, sim->get_hit_counter());
  EXPECT_EQ(0u, sim->get_miss_counter());
  // One more pushes the pretended one's oldest out.
  ASSERT_OK(Insert(sim.get(), Key(30), 100));
  found = 0;
  for (int i = 0; i <= 30; ++i) found += Has(sim.get(), Key(i));
  EXPECT_EQ(10, found);
  EXPECT_EQ(60u, sim->get_hit_counter());
  EXPECT_EQ(1u, sim->get_miss_counter());
  EXPECT_EQ("SimCache MISSes:  1\nSimCache HITs:    60\nSimCache HITRATE: 98.36\n",
            sim->ToString());
  sim->reset_counter();
  EXPECT_EQ(0u, sim->get_hit_counter());
  EXPECT_EQ("SimCache MISSes:  0\nSimCache HITs:    0\nSimCache HITRATE: 0.00\n", sim->ToString());
  sim->SetSimCapacity(500);
  EXPECT_EQ(500u, sim->GetSimCapacity());
  EXPECT_EQ(500u, sim->GetSimUsage());
  EXPECT_EQ(1000u, sim->GetUsage());
  EXPECT_NE(std::string::npos, sim->GetPrintableOptions().find("sim_cache_options"));
}

TEST_F(SimCacheTest, IsTheCacheThatItHas) {
  const std::shared_ptr<Cache> real = Lru(1000);
  const std::shared_ptr<SimCache> sim = NewSimCache(real, 100, 0);
  Cache::Handle* handle = nullptr;
  ASSERT_OK(sim->Insert("a", new int(5), 40, &DeleteInt, &handle));
  EXPECT_EQ(5, *static_cast<int*>(sim->Value(handle)));
  EXPECT_EQ(40u, sim->GetCharge(handle));
  EXPECT_EQ(40u, sim->GetPinnedUsage());
  EXPECT_TRUE(sim->Ref(handle));
  EXPECT_FALSE(sim->Release(handle));
  EXPECT_FALSE(sim->Release(handle));
  EXPECT_TRUE(Has(real.get(), "a"));
  size_t entries = 0;
  sim->ApplyToAllEntries(
      [&](const Slice& key, void* value, size_t charge, Cache::DeleterFn deleter) {
        ++entries;
        EXPECT_EQ("a", key.ToString());
        EXPECT_EQ(5, *static_cast<int*>(value));
        EXPECT_EQ(40u, charge);
        EXPECT_EQ(&DeleteInt, deleter);
      },
      {});
  EXPECT_EQ(1u, entries);
  sim->Erase("a");
  EXPECT_FALSE(Has(real.get(), "a"));
  EXPECT_EQ(0u, sim->GetSimUsage());
  ASSERT_OK(Insert(sim.get(), "b", 40));
  sim->EraseUnRefEntries();
  EXPECT_EQ(0u, sim->GetUsage());
  EXPECT_EQ(0u, sim->GetSimUsage());
  sim->SetCapacity(2000);
  EXPECT_EQ(2000u, real->GetCapacity());
  sim->SetStrictCapacityLimit(true);
  EXPECT_TRUE(real->HasStrictCapacityLimit());
  const uint64_t id = sim->NewId();
  EXPECT_NE(id, real->NewId());
  EXPECT_EQ(nullptr, NewSimCache(real, 100, 20));
}

TEST_F(SimCacheTest, OfACacheOfOnesOwn) {
  const std::shared_ptr<Cache> keys = Lru(200);
  const std::shared_ptr<SimCache> sim = NewSimCache(keys, Lru(1000), 0);
  ASSERT_OK(Insert(sim.get(), "a", 150));
  ASSERT_OK(Insert(sim.get(), "b", 150));
  EXPECT_EQ(150u, keys->GetUsage());
  EXPECT_TRUE(Has(sim.get(), "a"));
  EXPECT_EQ(1u, sim->get_miss_counter());
}

// A database's blocks: 64 fit the pretended cache, 4 the real one.
TEST_F(SimCacheTest, AsABlockCache) {
  BlockBasedTableOptions table;
  table.block_size = 1000;
  const std::shared_ptr<SimCache> sim = NewSimCache(Lru(5000), 1 << 20, 0);
  table.block_cache = sim;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  options_.statistics = CreateDBStatistics();
  Open();
  for (int i = 0; i < 50; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'v')));
  ASSERT_OK(Flush());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(1000u, Get(Key(i)).size());
  const uint64_t misses = sim->get_miss_counter();
  EXPECT_LE(50u, misses);
  EXPECT_LE(50000u, sim->GetSimUsage());
  EXPECT_GE(5000u, sim->GetUsage());
  const uint64_t hits = sim->get_hit_counter();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(1000u, Get(Key(i)).size());
  EXPECT_EQ(misses, sim->get_miss_counter());
  EXPECT_EQ(hits + 50, sim->get_hit_counter());
  EXPECT_LE(90u, options_.statistics->getTickerCount(BLOCK_CACHE_DATA_MISS));
  EXPECT_EQ(hits + 50, options_.statistics->getTickerCount(SIM_BLOCK_CACHE_HIT));
  EXPECT_LE(50u, options_.statistics->getTickerCount(SIM_BLOCK_CACHE_MISS));  // (reads beside)
  Shut();
}

TEST_F(SimCacheTest, LogsWhatIsAsked) {
  ASSERT_OK(TheEnv()->CreateDirIfMissing(dir_));
  const std::string path = dir_ + "/activity";
  const std::shared_ptr<SimCache> sim = NewSimCache(Lru(1000), 1000, 0);
  ASSERT_OK(Insert(sim.get(), "before", 1));
  ASSERT_OK(sim->StartActivityLogging(path, TheEnv()));
  ASSERT_OK(Insert(sim.get(), "ab", 12));
  EXPECT_TRUE(Has(sim.get(), "ab"));
  EXPECT_FALSE(Has(sim.get(), "cd"));
  sim->StopActivityLogging();
  EXPECT_FALSE(Has(sim.get(), "after"));
  EXPECT_OK(sim->GetActivityLoggingStatus());
  EXPECT_EQ("ADD - 6162 - 12\nLOOKUP - 6162\nLOOKUP - 6364\n", ReadFile("activity"));
  // A new one, that ends by itself.
  ASSERT_OK(sim->StartActivityLogging(path, TheEnv(), 40));
  for (int i = 0; i < 20; ++i) Has(sim.get(), "ab");
  EXPECT_OK(sim->GetActivityLoggingStatus());
  EXPECT_EQ("LOOKUP - 6162\nLOOKUP - 6162\nLOOKUP - 6162\n", ReadFile("activity"));
  sim->StopActivityLogging();
  EXPECT_FALSE(sim->StartActivityLogging(dir_ + "/no/such/dir", TheEnv()).ok());
}

}  // namespace
}  // namespace conformance
