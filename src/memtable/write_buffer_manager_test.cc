#include "rocksdb/write_buffer_manager.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "fiber/thread.h"
#include "memtable/memtable.h"
#include "memtable/memtable_list.h"
#include "memtable/write_buffer_client.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

constexpr size_t kKiB = 1024;

class TestClient final : public WriteBufferClient {
 public:
  explicit TestClient(WriteBufferManager* manager) : WriteBufferClient(manager) { Register(); }
  ~TestClient() override { Unregister(); }
  void Block() override {}
  void Signal() override { ++signals; }
  void RequestFlush() override { ++requests; }
  bool IsFlushing() const override { return flushing; }
  bool HasUnflushed() const override { return unflushed; }

  std::atomic<int> signals{0};
  int requests = 0;
  bool flushing = false;
  bool unflushed = true;
};

TEST(WriteBufferManagerTest, WantsFlushesBySevenEighthsOrByHalfOfAFullBuffer) {
  WriteBufferManager manager(800);
  EXPECT_TRUE(manager.enabled());
  EXPECT_FALSE(manager.cost_to_cache());
  manager.ReserveMem(700);
  EXPECT_FALSE(manager.ShouldFlush());
  manager.ReserveMem(1);
  EXPECT_TRUE(manager.ShouldFlush());
  manager.ScheduleFreeMem(301);
  EXPECT_EQ(manager.memory_usage(), 701u);
  EXPECT_EQ(manager.mutable_memtable_memory_usage(), 400u);
  EXPECT_FALSE(manager.ShouldFlush());
  manager.ReserveMem(99);  // all full, most of it written to
  EXPECT_TRUE(manager.ShouldFlush());
  manager.ScheduleFreeMem(100);  // more than half is on its way out
  EXPECT_FALSE(manager.ShouldFlush());
  EXPECT_FALSE(manager.ShouldStall()) << "not allowed";
  manager.FreeMem(401);
  EXPECT_EQ(manager.memory_usage(), 399u);
  manager.SetBufferSize(400);
  EXPECT_EQ(manager.buffer_size(), 400u);
  EXPECT_TRUE(manager.ShouldFlush());
  manager.SetBufferSize(0);
  EXPECT_FALSE(manager.enabled());
  EXPECT_FALSE(manager.ShouldFlush()) << "no limit";
}

TEST(WriteBufferManagerTest, ChargesTheCacheInDummyEntries) {
  std::shared_ptr<Cache> cache =
      NewLRUCache(64 << 20, 0, false, 0.5, nullptr, false, kDontChargeCacheMetadata);
  for (const size_t limit : {size_t{0}, size_t{1} << 20}) {
    WriteBufferManager manager(limit, cache);
    EXPECT_TRUE(manager.cost_to_cache());
    manager.ReserveMem(333 * kKiB);
    EXPECT_EQ(manager.dummy_entries_in_cache_usage(), 512 * kKiB);
    EXPECT_EQ(cache->GetPinnedUsage(), 512 * kKiB);
    manager.ReserveMem(512 * kKiB);
    EXPECT_EQ(cache->GetUsage(), 1024 * kKiB);
    manager.ScheduleFreeMem(500 * kKiB);
    EXPECT_EQ(cache->GetUsage(), 1024 * kKiB) << "not free yet";
    manager.FreeMem(40 * kKiB);
    EXPECT_EQ(cache->GetUsage(), 1024 * kKiB) << "a quarter is kept";
    manager.FreeMem(460 * kKiB);
    EXPECT_EQ(cache->GetUsage(), 512 * kKiB);
    manager.ScheduleFreeMem(345 * kKiB);
    manager.FreeMem(345 * kKiB);
    EXPECT_EQ(cache->GetUsage(), 0u);
    manager.ReserveMem(1);
  }
  EXPECT_EQ(cache->GetUsage(), 0u) << "a manager takes its entries with it";
}

TEST(WriteBufferManagerTest, AStrictCacheThatIsFullIsNoError) {
  std::shared_ptr<Cache> cache =
      NewLRUCache(600 * kKiB, 0, true, 0.5, nullptr, false, kDontChargeCacheMetadata);
  WriteBufferManager manager(0, cache);
  manager.ReserveMem(2048 * kKiB);
  EXPECT_EQ(manager.memory_usage(), 2048 * kKiB);
  EXPECT_EQ(manager.dummy_entries_in_cache_usage(), 512 * kKiB);
  manager.FreeMem(2048 * kKiB);
  EXPECT_EQ(manager.dummy_entries_in_cache_usage(), 0u);
}

TEST(WriteBufferManagerTest, AStallEndsWhenMemoryComesBack) {
  WriteBufferManager manager(1000, nullptr, /*allow_stall=*/true);
  TestClient a(&manager);
  TestClient b(&manager);
  manager.BeginWriteStall(&a);
  EXPECT_EQ(a.signals, 1) << "there is no reason to wait";
  EXPECT_FALSE(manager.IsStallActive());
  manager.ReserveMem(1000);
  EXPECT_TRUE(manager.ShouldStall());
  manager.BeginWriteStall(&a);
  manager.BeginWriteStall(&b);
  EXPECT_TRUE(manager.IsStallActive());
  EXPECT_EQ(a.signals, 1);
  manager.MaybeEndWriteStall();
  EXPECT_TRUE(manager.IsStallActive());
  manager.RemoveDBFromQueue(&b);
  EXPECT_EQ(b.signals, 1);
  EXPECT_EQ(a.signals, 1);
  manager.ScheduleFreeMem(1);
  manager.FreeMem(1);
  EXPECT_EQ(a.signals, 2);
  EXPECT_EQ(b.signals, 1);
  EXPECT_FALSE(manager.ShouldStall());
  manager.ReserveMem(1);
  manager.BeginWriteStall(&a);
  manager.SetAllowStall(false);
  EXPECT_EQ(a.signals, 3);
  EXPECT_FALSE(manager.ShouldStall());
  manager.ScheduleFreeMem(1000);
  manager.FreeMem(1000);
}

// No stall begins that nobody ends, whatever the interleaving of the two.
TEST(WriteBufferManagerTest, NoWakeUpIsLostBetweenBeginAndFree) {
  WriteBufferManager manager(1000, nullptr, /*allow_stall=*/true);
  TestClient client(&manager);
  for (int round = 1; round <= 500; ++round) {
    manager.ReserveMem(1000);
    fiber::Thread other("free", [&manager] { manager.FreeMem(1000); });
    manager.BeginWriteStall(&client);
    other.join();
    manager.ScheduleFreeMem(1000);
    ASSERT_EQ(client.signals, round);
    ASSERT_FALSE(manager.IsStallActive());
  }
}

TEST(WriteBufferManagerTest, TheLargestDatabaseIsAskedToFlush) {
  WriteBufferManager manager(8000, nullptr, /*allow_stall=*/true);
  TestClient small(&manager);
  TestClient large(&manager);
  WriteBufferCharge small_charge(&small);
  WriteBufferCharge large_charge(&large);
  small_charge.Allocated(1000);
  large_charge.Allocated(3000);
  EXPECT_EQ(manager.mutable_memtable_memory_usage(), 4000u);
  EXPECT_TRUE(WriteBufferManagerInternal::FlushLargest(&manager, &large));
  EXPECT_EQ(large.requests, 0) << "it does it itself";
  EXPECT_FALSE(WriteBufferManagerInternal::FlushLargest(&manager, &small));
  EXPECT_EQ(large.requests, 1);
  EXPECT_TRUE(WriteBufferManagerInternal::CanReleaseMemory(&manager));
  large_charge.StopWriting();
  EXPECT_EQ(large.active_bytes(), 0u);
  EXPECT_TRUE(WriteBufferManagerInternal::FlushLargest(&manager, &small));
  small.unflushed = large.unflushed = false;
  EXPECT_FALSE(WriteBufferManagerInternal::FlushLargest(&manager, &small));
  EXPECT_FALSE(WriteBufferManagerInternal::CanReleaseMemory(&manager)) << "only readers hold it";
  large.flushing = true;
  EXPECT_TRUE(WriteBufferManagerInternal::CanReleaseMemory(&manager));
}

TEST(WriteBufferManagerTest, MemtablesAreChargedWithAllThatTheyTake) {
  WriteBufferManager manager(1 << 20);
  const InternalKeyComparator comparator(BytewiseComparator());
  {
    TestClient client(&manager);
    std::unique_ptr<const SliceTransform> prefix(NewFixedPrefixTransform(2));
    ImmutableMemTables list;
    std::vector<MemTable*> tables;
    for (const MemTableKind kind : {MemTableKind::kSkipList, MemTableKind::kVector,
                                    MemTableKind::kHashSkipList, MemTableKind::kHashLinkList}) {
      MemTableOptions options;
      options.write_buffer_size = 256 * kKiB;
      options.kind = kind;
      options.prefix_extractor = prefix.get();
      options.hash.buckets = 1000;
      options.links.buckets = 1000;
      options.filter_bytes = 10000;
      options.filter_whole_keys = true;
      options.client = &client;
      MemTable* table = new MemTable(comparator, options, 0);
      for (SequenceNumber seq = 1; !table->ShouldFlush(); ++seq) {
        ASSERT_TRUE(
            table->Add(seq, kTypeValue, std::to_string(seq), std::string(200, 'v'), false).ok());
      }
      tables.push_back(table);
      size_t sum = 0;
      for (const MemTable* t : tables) sum += t->MemoryAllocated();
      EXPECT_EQ(manager.memory_usage(), sum);
    }
    const size_t all = manager.memory_usage();
    EXPECT_EQ(manager.mutable_memtable_memory_usage(), all);
    for (MemTable* table : tables) list.Add(table);
    EXPECT_EQ(manager.mutable_memtable_memory_usage(), 0u);
    EXPECT_EQ(manager.memory_usage(), all);
    std::vector<MemTable*> picked;
    list.PickMemtablesToFlush(UINT64_MAX, &picked);
    list.Remove(picked);
    EXPECT_EQ(manager.memory_usage(), 0u);
  }
}

}  // namespace
}  // namespace cairn
