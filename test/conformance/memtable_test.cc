// Kinds of memtable, prefixes, and the write buffer manager, as RocksDB has them.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_buffer_manager.h"

namespace conformance {
namespace {

class MemTableTest : public DBTest {
 protected:
  void UseKind(const std::string& kind) {
    options_.allow_concurrent_memtable_write = false;
    options_.write_buffer_size = 256 << 10;
    if (kind == "vector") options_.memtable_factory = std::make_shared<VectorRepFactory>();
    if (kind == "hash") {
      options_.memtable_factory.reset(NewHashSkipListRepFactory(1000));
      options_.prefix_extractor.reset(NewFixedPrefixTransform(5));
    }
    if (kind == "links" || kind == "few_links") {
      options_.memtable_factory.reset(
          kind == "links" ? NewHashLinkListRepFactory(1000)
                          : NewHashLinkListRepFactory(10, 0, 30, true, /*threshold=*/10));
      options_.prefix_extractor.reset(NewFixedPrefixTransform(5));
    }
  }
  // A flush is done, or waits for its turn. (In this order: one may end meanwhile.)
  bool HasBegunToFlush() {
    return IntProperty("rocksdb.num-immutable-mem-table") > 0 || FilesAtLevel(0) > 0;
  }
};

class MemTableKindTest : public MemTableTest, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, MemTableKindTest,
                         testing::Values("vector", "hash", "links", "few_links"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(MemTableKindTest, ReadsWhatWasWritten) {
  UseKind(GetParam());
  Open();
  const std::string kind = GetParam();
  EXPECT_STREQ(kind == "hash"     ? "HashSkipListRepFactory"
               : kind == "vector" ? "VectorRepFactory"
                                  : "HashLinkListRepFactory",
               db_->GetOptions().memtable_factory->Name());
  std::map<std::string, std::string> model;
  Numbers numbers(301);
  for (int i = 0; i < 5000; ++i) {
    const std::string key = Key(static_cast<int>(numbers.Below(900)));
    if (numbers.Below(4) == 0) {
      ASSERT_OK(Delete(key));
      model.erase(key);
    } else {
      ASSERT_OK(Put(key, std::to_string(i) + std::string(100, 'v')));
      model[key] = std::to_string(i) + std::string(100, 'v');
    }
    if (i == 2500) Open();
  }
  ReadOptions total;
  total.total_order_seek = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(total));
  auto expected = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    ASSERT_NE(model.end(), expected);
    ASSERT_EQ(expected->first, it->key().ToString());
    ASSERT_EQ(expected->second, it->value().ToString());
  }
  ASSERT_OK(it->status());
  EXPECT_EQ(model.end(), expected);
  it.reset();
  for (int i = 0; i < 900; ++i) {
    const auto found = model.find(Key(i));
    ASSERT_EQ(found == model.end() ? "NOT_FOUND" : found->second, Get(Key(i)));
  }
  ASSERT_OK(Flush());
  for (const auto& [key, value] : model) ASSERT_EQ(value, Get(key));
}

TEST_P(MemTableKindTest, RefusesConcurrentWriters) {
  UseKind(GetParam());
  options_.allow_concurrent_memtable_write = true;
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(MemTableTest, AHashWithoutPrefixesBecomesASkipList) {
  options_.allow_concurrent_memtable_write = false;
  for (MemTableRepFactory* hash : {NewHashSkipListRepFactory(), NewHashLinkListRepFactory()}) {
    options_.memtable_factory.reset(hash);
    Open();
    EXPECT_STREQ("SkipListFactory", db_->GetOptions().memtable_factory->Name());
    ASSERT_OK(Put("a", "1"));
    EXPECT_EQ("1", Get("a"));
  }
}

// A bucket with more entries than the lists may have, at snapshots, with deletions and merges.
TEST_F(MemTableTest, LinkedListsBecomeSkipLists) {
  UseKind("few_links");
  options_.merge_operator = nullptr;
  Open();
  std::vector<const Snapshot*> snapshots;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 8; ++i) {
      const std::string key = "samep" + std::to_string((i * 5 + round) % 11);
      if ((i + round) % 5 == 0) {
        ASSERT_OK(Delete(key));
      } else {
        ASSERT_OK(Put(key, std::to_string(round)));
      }
    }
    ASSERT_OK(Put("other" + std::to_string(round), "v"));
    snapshots.push_back(db_->GetSnapshot());
  }
  // Each of the states, by gets and within the prefix.
  const auto state = [this](const Snapshot* snapshot) {
    std::string seen;
    for (int i = 0; i < 11; ++i) seen += Get("samep" + std::to_string(i), snapshot) + " ";
    ReadOptions read;
    read.snapshot = snapshot;
    read.prefix_same_as_start = true;
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    for (it->Seek("samep"); it->Valid(); it->Next()) {
      seen += it->key().ToString() + "=" + it->value().ToString() + " ";
    }
    EXPECT_OK(it->status());
    return seen;
  };
  std::vector<std::string> before;
  for (const Snapshot* snapshot : snapshots) before.push_back(state(snapshot));
  EXPECT_EQ(before.size(), std::set<std::string>(before.begin(), before.end()).size());
  ReadOptions total;
  total.total_order_seek = true;
  const std::string all = Contents(total);
  ASSERT_OK(Flush());
  for (size_t i = 0; i < snapshots.size(); ++i) {
    EXPECT_EQ(before[i], state(snapshots[i])) << i;
    db_->ReleaseSnapshot(snapshots[i]);
  }
  EXPECT_EQ(all, Contents(total));
}

// The log of a database whose buckets are long tells of them, and how they lie.
TEST_F(MemTableTest, TheLogTellsOfLongLists) {
  UseKind("few_links");
  for (const bool tells : {true, false}) {
    Shut();
    ASSERT_OK(DestroyDB(dir_, options_));
    options_.memtable_factory.reset(
        NewHashLinkListRepFactory(10, 0, tells ? 5 : 0, tells, /*threshold=*/10));
    Open();
    for (int i = 0; i < 40; ++i) ASSERT_OK(Put("samep" + std::to_string(i), "v"));
    ASSERT_OK(Flush());
    const std::string log = ReadFile("LOG");
    EXPECT_EQ(tells, log.find("has more than 5 entries") != std::string::npos);
    EXPECT_EQ(tells,
              log.find("hashLinkedList Entry distribution among buckets") != std::string::npos);
  }
}

TEST_F(MemTableTest, ThePrefixOfTheStart) {
  for (const char* kind : {"", "hash", "links"}) {
    UseKind(kind);
    options_.prefix_extractor.reset(NewFixedPrefixTransform(2));
    options_.memtable_prefix_bloom_size_ratio = 0.1;
    Open();
    for (const char* key : {"aa1", "aa2", "ab1", "ab2", "ba1"}) ASSERT_OK(Put(key, "v"));
    for (int flushed = 0; flushed < 2; ++flushed) {
      ReadOptions read;
      read.prefix_same_as_start = true;
      std::unique_ptr<Iterator> it(db_->NewIterator(read));
      const auto forward = [&it] {
        std::string seen;
        for (; it->Valid(); it->Next()) seen += it->key().ToString() + " ";
        EXPECT_OK(it->status());
        return seen;
      };
      it->Seek("ab");
      EXPECT_EQ("ab1 ab2 ", forward());
      it->Seek("aa2");
      EXPECT_EQ("aa2 ", forward());
      it->Seek("ac");
      EXPECT_EQ("", forward());
      if (std::string(kind).empty()) {  // RocksDB's hash does not go back
        it->SeekForPrev("ab9");
        std::string seen;
        for (; it->Valid(); it->Prev()) seen += it->key().ToString() + " ";
        EXPECT_EQ("ab2 ab1 ", seen);
      }
      it.reset();
      // All there is, in total order.
      read = ReadOptions();
      read.total_order_seek = true;
      it.reset(db_->NewIterator(read));
      it->Seek("ab");
      EXPECT_EQ("ab1 ab2 ba1 ", forward());
      it->SeekToFirst();
      EXPECT_EQ("aa1 aa2 ab1 ab2 ba1 ", forward());
      it.reset();
      ASSERT_OK(Flush());
    }
    Shut();
    ASSERT_OK(DestroyDB(dir_, options_));
  }
}

TEST_F(MemTableTest, FiltersHideNothing) {
  options_.memtable_prefix_bloom_size_ratio = 0.02;
  options_.memtable_whole_key_filtering = true;
  Open();
  for (int i = 0; i < 3000; i += 2) ASSERT_OK(Put(Key(i), std::to_string(i)));
  for (int i = 0; i < 3000; ++i)
    EXPECT_EQ(i % 2 == 0 ? std::to_string(i) : "NOT_FOUND", Get(Key(i)));
  options_.memtable_prefix_bloom_size_ratio = 0.9;
  Open();
  EXPECT_EQ(0.25, db_->GetOptions().memtable_prefix_bloom_size_ratio);
  options_.memtable_prefix_bloom_size_ratio = -1;
  Open();
  EXPECT_EQ(0.0, db_->GetOptions().memtable_prefix_bloom_size_ratio);
}

TEST_F(MemTableTest, FactoriesFromText) {
  const std::pair<const char*, const char*> kTexts[] = {
      {"vector", "VectorRepFactory"},
      {"vector:1024", "VectorRepFactory"},
      {"VectorRepFactory", "VectorRepFactory"},
      {"{id=VectorRepFactory;count=5}", "VectorRepFactory"},
      {"prefix_hash", "HashSkipListRepFactory"},
      {"prefix_hash:1000", "HashSkipListRepFactory"},
      {"HashSkipListRepFactory", "HashSkipListRepFactory"},
      {"{id=HashSkipListRepFactory;bucket_count=5;skiplist_height=3;branching_factor=2}",
       "HashSkipListRepFactory"},
      {"hash_linkedlist", "HashLinkListRepFactory"},
      {"skip_list", "SkipListFactory"},
      {"skip_list:16", "SkipListFactory"},
      {"SkipListFactory", "SkipListFactory"},
      {"somebody.else", "SkipListFactory"}};
  for (const auto& [text, name] : kTexts) {
    ColumnFamilyOptions parsed;
    ASSERT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                               std::string("memtable_factory=") + text, &parsed));
    EXPECT_STREQ(name, parsed.memtable_factory->Name()) << text;
    // And back.
    std::string printed;
    ASSERT_OK(GetStringFromColumnFamilyOptions(ConfigOptions(), parsed, &printed));
    ColumnFamilyOptions again;
    ASSERT_OK(
        GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(), printed, &again));
    EXPECT_STREQ(name, again.memtable_factory->Name()) << printed;
  }
  ColumnFamilyOptions parsed;
  EXPECT_FALSE(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                                "memtable_factory=cuckoo", &parsed)
                   .ok());
}

TEST_F(MemTableTest, PrefixExtractorsFromText) {
  ColumnFamilyOptions base;
  base.prefix_extractor.reset(NewFixedPrefixTransform(9));
  const std::pair<const char*, const char*> kTexts[] = {
      {"fixed:3", "rocksdb.FixedPrefix.3"},
      {"rocksdb.FixedPrefix.3", "rocksdb.FixedPrefix.3"},
      {"{id=rocksdb.FixedPrefix.3}", "rocksdb.FixedPrefix.3"},
      {"capped:4", "rocksdb.CappedPrefix.4"},
      {"rocksdb.CappedPrefix.4", "rocksdb.CappedPrefix.4"},
      {"rocksdb.Noop", "rocksdb.Noop"},
      {"bogus", "rocksdb.FixedPrefix.9"},
      {"nullptr", ""},
      {"", ""}};
  for (const auto& [text, id] : kTexts) {
    ColumnFamilyOptions parsed;
    ASSERT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), base,
                                               std::string("prefix_extractor=") + text, &parsed));
    EXPECT_EQ(id, parsed.prefix_extractor == nullptr ? "" : parsed.prefix_extractor->GetId())
        << text;
  }
}

TEST_F(MemTableTest, PrefixExtractorsTakePrefixes) {
  std::unique_ptr<const SliceTransform> fixed(NewFixedPrefixTransform(3));
  EXPECT_STREQ("rocksdb.FixedPrefix", fixed->Name());
  EXPECT_EQ("rocksdb.FixedPrefix.3", fixed->AsString());
  EXPECT_EQ("abc", fixed->Transform("abcd").ToString());
  EXPECT_FALSE(fixed->InDomain("ab"));
  EXPECT_TRUE(fixed->InDomain("abc"));
  EXPECT_TRUE(fixed->SameResultWhenAppended("abc"));
  EXPECT_FALSE(fixed->SameResultWhenAppended("ab"));
  size_t length = 0;
  EXPECT_TRUE(fixed->FullLengthEnabled(&length));
  EXPECT_EQ(3u, length);
  std::unique_ptr<const SliceTransform> capped(NewCappedPrefixTransform(3));
  EXPECT_EQ("rocksdb.CappedPrefix.3", capped->GetId());
  EXPECT_EQ("ab", capped->Transform("ab").ToString());
  EXPECT_EQ("abc", capped->Transform("abcd").ToString());
  EXPECT_TRUE(capped->InDomain(""));
  std::unique_ptr<const SliceTransform> noop(NewNoopTransform());
  EXPECT_EQ("abcd", noop->Transform("abcd").ToString());
}

TEST_F(MemTableTest, KindAndPrefixInTheOptionsFile) {
  UseKind("hash");
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dir_, &db_options, &families));
  EXPECT_STREQ("HashSkipListRepFactory", families[0].options.memtable_factory->Name());
  ASSERT_NE(nullptr, families[0].options.prefix_extractor);
  EXPECT_EQ("rocksdb.FixedPrefix.5", families[0].options.prefix_extractor->GetId());
}

TEST_F(MemTableTest, TheManagerLimitsAndCounts) {
  auto cache = NewLRUCache(64 << 20, 0, false, 0.5, nullptr, false, kDontChargeCacheMetadata);
  auto manager = std::make_shared<WriteBufferManager>(1 << 20, cache);
  options_.write_buffer_manager = manager;
  options_.arena_block_size = 64 << 10;
  options_.disable_auto_compactions = true;
  Open();
  EXPECT_EQ(manager.get(), db_->GetDBOptions().write_buffer_manager.get());
  for (int i = 0; i < 5000; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'v')));
  EXPECT_TRUE(HasBegunToFlush());
  EXPECT_GT(manager->memory_usage(), 0u);
  EXPECT_GE(manager->memory_usage(), manager->mutable_memtable_memory_usage());
  EXPECT_GE(manager->dummy_entries_in_cache_usage(), manager->memory_usage());
  ASSERT_OK(Flush());
  EXPECT_LT(manager->mutable_memtable_memory_usage(), 100u << 10);
  Shut();
  EXPECT_EQ(0u, manager->memory_usage());
  EXPECT_EQ(0u, manager->mutable_memtable_memory_usage());
  EXPECT_EQ(0u, manager->dummy_entries_in_cache_usage());
}

TEST_F(MemTableTest, AFlushGivesBackWhatTheManagerCounted) {
  auto manager = std::make_shared<WriteBufferManager>(256 << 20);
  options_.write_buffer_manager = manager;
  Open();
  const size_t empty = manager->memory_usage();
  for (int i = 0; i < 4000; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'v')));
  EXPECT_LE(empty + 4'000'000, manager->memory_usage());
  // Who reads keeps the memtable.
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  ASSERT_OK(Flush());
  EXPECT_LE(4'000'000u, manager->memory_usage());
  EXPECT_GE(empty + 1'500'000, manager->mutable_memtable_memory_usage());
  it.reset();
  for (int i = 0; i < 5000 && manager->memory_usage() > empty + 1'500'000; ++i) {
    TheEnv()->SleepForMicroseconds(1000);
  }
  EXPECT_GE(empty + 1'500'000, manager->memory_usage());
}

TEST_F(MemTableTest, TheRulesOfTheManager) {
  WriteBufferManager manager(800);
  manager.ReserveMem(701);
  EXPECT_TRUE(manager.ShouldFlush());
  manager.ScheduleFreeMem(301);
  EXPECT_FALSE(manager.ShouldFlush());
  EXPECT_EQ(701u, manager.memory_usage());
  EXPECT_EQ(400u, manager.mutable_memtable_memory_usage());
  manager.ReserveMem(99);
  EXPECT_TRUE(manager.ShouldFlush());
  EXPECT_FALSE(manager.ShouldStall());
  WriteBufferManager stalling(1000, nullptr, true);
  stalling.ReserveMem(1000);
  EXPECT_TRUE(stalling.ShouldStall());
  EXPECT_FALSE(stalling.IsStallActive());
  stalling.FreeMem(1);
  EXPECT_FALSE(stalling.ShouldStall());
}

TEST_F(MemTableTest, DbWriteBufferSizeIsAManagerOfItsOwn) {
  options_.db_write_buffer_size = 1 << 20;
  options_.arena_block_size = 64 << 10;
  options_.disable_auto_compactions = true;
  Open();
  ASSERT_NE(nullptr, db_->GetDBOptions().write_buffer_manager);
  EXPECT_EQ(size_t{1} << 20, db_->GetDBOptions().write_buffer_manager->buffer_size());
  for (int i = 0; i < 5000; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'v')));
  EXPECT_TRUE(HasBegunToFlush());
}

}  // namespace
}  // namespace conformance
