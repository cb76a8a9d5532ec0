// A database's memtables as its user chooses them: the kinds, the filter, huge pages, and a write
// buffer manager that several databases share.
#include <algorithm>
#include <atomic>

#include "db/db_impl.h"
#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

class DbMemTableTest : public DbTest, public ::testing::WithParamInterface<const char*> {
 protected:
  Options KindOptions() {
    Options options = SmallOptions();
    options.allow_concurrent_memtable_write = false;
    const std::string kind = GetParam();
    if (kind.starts_with("Vector"))
      options.memtable_factory = std::make_shared<VectorRepFactory>(100);
    if (kind.starts_with("Hash")) {
      options.memtable_factory.reset(NewHashSkipListRepFactory(50));
      options.prefix_extractor.reset(NewFixedPrefixTransform(5));
    }
    if (kind.ends_with("Filter")) {
      options.memtable_prefix_bloom_size_ratio = 0.1;
      options.memtable_whole_key_filtering = true;
      if (options.prefix_extractor == nullptr) {
        options.prefix_extractor.reset(NewCappedPrefixTransform(5));
      }
    }
    if (kind.ends_with("HugePages")) options.memtable_huge_page_size = 2 << 20;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, DbMemTableTest,
                         ::testing::Values("SkipListFilter", "Vector", "VectorFilter", "Hash",
                                           "HashFilter", "SkipListHugePages"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(DbMemTableTest, HoldsADatabaseOverFlushesAndReopenings) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Open(KindOptions());
  const Snapshot* snapshot = nullptr;
  Contents at_snapshot;
  for (int i = 0; i < 4000; ++i) {
    const std::string key = Key(random.Uniform(700));
    if (random.OneIn(5)) {
      Delete(key);
    } else {
      Put(key, Value(static_cast<uint64_t>(i), 60));
    }
    if (i % 500 == 100) ExpectModel();
    if (i == 1500) {
      snapshot = db_->GetSnapshot();
      at_snapshot = model_;
    }
    if (i == 2500) {
      ExpectContents(at_snapshot, snapshot);
      db_->ReleaseSnapshot(snapshot);
    }
    if (i % 1300 == 1299) {
      Close();
      Open(KindOptions());
    }
  }
  ExpectModel();
  Flush();
  ExpectModel();
}

TEST_P(DbMemTableTest, FindsAllOfAPrefix) {
  Options options = KindOptions();
  Open(options);
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 300; ++i) Put(Key(random.Uniform(100000)), "v");
    if (round % 2 == 1) Flush();
    for (int i = 0; i < 30; ++i) {
      ReadOptions read;
      read.prefix_same_as_start = options.prefix_extractor != nullptr;
      std::unique_ptr<Iterator> it(db_->NewIterator(read));
      const std::string prefix = Key(random.Uniform(100000)).substr(0, 5);  // "key01"
      std::vector<std::string> expected, seen;
      for (auto m = model_.lower_bound(prefix); m != model_.end() && m->first.starts_with(prefix);
           ++m)
        expected.push_back(m->first);
      for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next())
        seen.push_back(it->key().ToString());
      ASSERT_EQ(seen, expected);
      ASSERT_TRUE(!read.prefix_same_as_start || !it->Valid()) << "beyond the prefix";
      ASSERT_TRUE(it->status().ok());
      if (expected.empty()) continue;
      seen.clear();
      for (it->SeekForPrev(prefix + "~"); it->Valid() && it->key().starts_with(prefix); it->Prev())
        seen.push_back(it->key().ToString());
      std::reverse(seen.begin(), seen.end());
      ASSERT_EQ(seen, expected);
    }
  }
}

class DbMemoryTest : public DbTest {
 protected:
  // A second and a third database, on disks of their own.
  struct Other {
    Disk disk;
    std::unique_ptr<DB> db;
  };
  void OpenOther(Other* other, Options options) {
    options.env = other->disk.env.get();
    const Status s = DB::Open(options, kDbName, &other->db);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Big enough that only the manager asks for flushes.
  Options ManagedOptions(std::shared_ptr<WriteBufferManager> manager) {
    Options options = SmallOptions();
    options.write_buffer_size = 16 << 20;
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
    options.write_buffer_manager = std::move(manager);
    return options;
  }
  // A flush is done, or waits for its turn. (In this order: one may end meanwhile.)
  bool HasBegunToFlush() {
    return Property("num-immutable-mem-table") != "0" || FilesAtLevel(0) > 0;
  }
  static uint64_t MemoryOf(DB* db) {
    uint64_t value = 0;
    EXPECT_TRUE(db->GetIntProperty("rocksdb.size-all-mem-tables", &value));
    return value;
  }
  static Status PutTo(DB* db, int i, size_t size = 1000) {
    return db->Put(WriteOptions(), Key(static_cast<uint64_t>(i)),
                   Value(static_cast<uint64_t>(i), size));
  }
};

TEST_F(DbMemoryTest, DatabasesShareOneLimit) {
  auto manager = std::make_shared<WriteBufferManager>(1 << 20);
  {
    Other others[2];
    Open(ManagedOptions(manager));
    for (Other& other : others) OpenOther(&other, ManagedOptions(manager));
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(PutTo(db_.get(), i).ok());
      for (Other& other : others) ASSERT_TRUE(PutTo(other.db.get(), i).ok());
    }
    EXPECT_TRUE(HasBegunToFlush());
    EXPECT_EQ(manager->buffer_size(), size_t{1} << 20);
    EXPECT_EQ(db_->GetDBOptions().write_buffer_manager.get(), manager.get());
    db_.reset();
    EXPECT_GT(manager->memory_usage(), 0u);
  }
  EXPECT_EQ(manager->memory_usage(), 0u);
  EXPECT_EQ(manager->mutable_memtable_memory_usage(), 0u);
}

// What the manager says is what the memtables' arenas took.
TEST_F(DbMemoryTest, TheManagerCountsTrue) {
  auto cache = NewLRUCache(64 << 20, 0, false, 0.5, nullptr, false, kDontChargeCacheMetadata);
  auto manager = std::make_shared<WriteBufferManager>(size_t{0}, cache);
  Other other;
  Options options = ManagedOptions(manager);
  options.write_buffer_size = 1 << 20;
  Open(options);
  OpenOther(&other, options);
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());  // immutable memtables stay
  for (int i = 0; i < 1500; ++i) {
    ASSERT_TRUE(PutTo(db_.get(), i).ok());
    if (i < 200) {
      ASSERT_TRUE(PutTo(other.db.get(), i).ok());
    }
  }
  // In use is what was taken less the rest of the last block of each memtable, and of its shards.
  const uint64_t in_use = MemoryOf(db_.get()) + MemoryOf(other.db.get());
  EXPECT_GE(manager->memory_usage(), in_use);
  EXPECT_LE(manager->memory_usage(), in_use + 3 * (128 << 10));
  EXPECT_LT(manager->mutable_memtable_memory_usage(), manager->memory_usage());
  EXPECT_GE(cache->GetPinnedUsage(), manager->memory_usage());
  EXPECT_LE(cache->GetPinnedUsage(), manager->memory_usage() + (256 << 10));
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  Flush();
  ASSERT_TRUE(other.db->Flush(FlushOptions()).ok());
  {
    // An iterator keeps a flushed memtable, and its charge.
    ASSERT_TRUE(PutTo(db_.get(), 1).ok());
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    Flush();
    EXPECT_GT(manager->memory_usage(), manager->mutable_memtable_memory_usage());
    EXPECT_EQ(it->key(), Slice(Key(0)));
  }
  Close();
  ASSERT_TRUE(other.db->Close().ok());
  EXPECT_EQ(manager->memory_usage(), 0u) << "closed, though not destroyed";
  EXPECT_EQ(cache->GetUsage(), 0u);
}

TEST_F(DbMemoryTest, AnIdleDatabaseGivesItsMemoryToABusyOne) {
  auto manager = std::make_shared<WriteBufferManager>(1 << 20);
  Other idle;
  Open(ManagedOptions(manager));
  OpenOther(&idle, ManagedOptions(manager));
  for (int i = 0; i < 700; ++i) ASSERT_TRUE(PutTo(idle.db.get(), i).ok());
  const uint64_t held = MemoryOf(idle.db.get());
  ASSERT_GT(held, uint64_t{600} << 10);
  // Each write finds the limit passed until the idle one has flushed.
  int written = 0;
  for (; MemoryOf(idle.db.get()) > held / 2; ++written) {
    ASSERT_TRUE(PutTo(db_.get(), written % 10000).ok());
    ASSERT_LT(written, 3000000);
  }
  EXPECT_LE(FilesAtLevel(0), 2 + written / 100) << "the busy one flushed scraps instead";
  std::string value;
  ASSERT_TRUE(idle.db->Get(ReadOptions(), Key(5), &value).ok());
  EXPECT_EQ(value, Value(5, 1000));
}

TEST_F(DbMemoryTest, AStallHoldsTheLimit) {
  auto manager = std::make_shared<WriteBufferManager>(512 << 10, nullptr, /*allow_stall=*/true);
  Other other;
  Options options = ManagedOptions(manager);
  options.statistics = CreateDBStatistics();
  Open(options);
  OpenOther(&other, ManagedOptions(manager));
  std::vector<std::unique_ptr<fiber::Thread>> writers;
  std::atomic<size_t> most{0};
  for (int t = 0; t < 4; ++t) {
    writers.push_back(std::make_unique<fiber::Thread>("write", [&, t] {
      DB* const db = t % 2 == 0 ? db_.get() : other.db.get();
      for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(PutTo(db, t * 1000 + i).ok());
        const size_t now = manager->memory_usage();
        size_t seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
      }
    }));
  }
  for (auto& writer : writers) writer->join();
  // A group that was let in may still take a block of memory for each of the two databases.
  EXPECT_LE(most.load(), size_t{(512 + 256) << 10});
  for (int i : {0, 999, 2500})
    EXPECT_EQ(Get(Key(static_cast<uint64_t>(i))), Value(static_cast<uint64_t>(i), 1000));
  std::string value;
  EXPECT_TRUE(other.db->Get(ReadOptions(), Key(3999), &value).ok());
}

TEST_F(DbMemoryTest, AStalledWriterThatMustNotWaitIsSentBack) {
  auto manager = std::make_shared<WriteBufferManager>(512 << 10, nullptr, /*allow_stall=*/true);
  Open(ManagedOptions(manager));
  Put("a", "1");
  manager->ReserveMem(1 << 20);  // somebody else's
  WriteOptions write;
  write.no_slowdown = true;
  EXPECT_TRUE(db_->Write(write, std::make_unique<WriteBatch>().get()).ok()) << "nothing to write";
  EXPECT_TRUE(db_->Put(write, "a", "2").IsIncomplete());
  std::atomic<bool> done{false};
  fiber::Thread writer("write", [&] {
    // Its own memtable is flushed meanwhile, and the rest is nobody's to give: it goes through.
    EXPECT_TRUE(db_->Put(WriteOptions(), "a", "3").ok());
    done.store(true);
  });
  writer.join();
  EXPECT_TRUE(done.load());
  manager->ScheduleFreeMem(1 << 20);
  manager->FreeMem(1 << 20);
  EXPECT_TRUE(db_->Put(write, "a", "4").ok());
  EXPECT_EQ(Get("a"), "4");
}

// Flushed memtables stay in memory as long as an iterator reads them. Nobody waits for that.
TEST_F(DbMemoryTest, AStallDoesNotWaitForAnIterator) {
  auto manager = std::make_shared<WriteBufferManager>(256 << 10, nullptr, /*allow_stall=*/true);
  Open(ManagedOptions(manager));
  std::vector<std::unique_ptr<Iterator>> iterators;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(PutTo(db_.get(), i).ok());
    if (i % 50 == 49) {
      iterators.emplace_back(db_->NewIterator(ReadOptions()));
      iterators.back()->SeekToFirst();
    }
  }
  EXPECT_GT(manager->memory_usage(), manager->buffer_size());
  int n = 0;
  for (auto& it = iterators.back(); it->Valid(); it->Next()) ++n;
  EXPECT_EQ(n, 1000);
  iterators.clear();
  Flush();
  ASSERT_TRUE(PutTo(db_.get(), 1).ok());
  EXPECT_LT(manager->memory_usage(), manager->buffer_size());
}

TEST_F(DbMemoryTest, ALimitOfOneDatabaseNeedsNoManager) {
  Options options = ManagedOptions(nullptr);
  options.db_write_buffer_size = 512 << 10;
  Open(options);
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(PutTo(db_.get(), i).ok());
  EXPECT_TRUE(HasBegunToFlush());
  EXPECT_EQ(db_->GetDBOptions().write_buffer_manager->buffer_size(), size_t{512} << 10);
  EXPECT_EQ(Get(Key(17)), Value(17, 1000));
}

TEST_F(DbMemoryTest, AFailedFlushStopsStalledWritersAndResumeHelps) {
  auto manager = std::make_shared<WriteBufferManager>(256 << 10, nullptr, /*allow_stall=*/true);
  Open(ManagedOptions(manager));
  disk_.faults->SetFilesystemActive(false, IOStatus::IOError("disk gone"));
  Status s;
  for (int i = 0; i < 5000 && s.ok(); ++i) {
    WriteOptions write;
    write.disableWAL = true;
    s = db_->Put(write, Key(static_cast<uint64_t>(i)), Value(1, 1000));
  }
  EXPECT_FALSE(s.ok()) << "it wrote on without a disk";
  disk_.faults->Heal();
  s = db_->Resume();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  EXPECT_EQ(Get(Key(0)), Value(1, 1000));
}

TEST_F(DbMemoryTest, KindsThatTakeOneWriterRefuseConcurrentOnes) {
  for (MemTableRepFactory* factory :
       {static_cast<MemTableRepFactory*>(new VectorRepFactory), NewHashSkipListRepFactory()}) {
    Options options = SmallOptions();
    options.memtable_factory.reset(factory);
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find("allow_concurrent_memtable_write"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn
