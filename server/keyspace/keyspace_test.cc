// The keyspace below the commands: transactions that see their own writes, what compactions drop,
// namespaces, cursors, locks and watches.
#include "server/keyspace/keyspace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/expiry_filter.h"
#include "server/keyspace/transaction.h"
#include "server/testing/files.h"

namespace cairn::server {
namespace {

using rocksdb::PinnableSlice;
using rocksdb::Status;

class KeyspaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.directory = testing::MakeScratchDirectory("keyspace");
    options_.engine.create_if_missing = true;
    options_.engine.compression = rocksdb::kNoCompression;
    options_.databases = 4;
    Open();
  }
  void TearDown() override {
    keyspace_.reset();
    EXPECT_TRUE(rocksdb::DestroyDB(options_.directory, options_.engine).ok());
  }
  void Open() {
    keyspace_.reset();
    const Status s = Keyspace::Open(options_, &keyspace_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Compact() {
    ASSERT_TRUE(keyspace_->db()->Flush(rocksdb::FlushOptions()).ok());
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(keyspace_->db()->CompactRange(all, nullptr, nullptr).ok());
  }
  template <class Body>
  void Write(const Body& body) {
    LockSet locks(&keyspace_->locks());
    locks.AddAll();
    locks.Lock();
    Transaction transaction(keyspace_.get(), &locks);
    body(transaction);
    const Status s = transaction.Commit(rocksdb::WriteOptions());
    EXPECT_TRUE(s.ok()) << s.ToString();
  }
  // A hash without its commands.
  uint64_t MakeHash(uint32_t ns, const std::string& key, int fields, uint64_t expires_at = 0) {
    Entry entry;
    Write([&](Transaction& transaction) {
      transaction.NewCollection(ns, key, Type::kHash, &entry);
      entry.count = static_cast<uint64_t>(fields);
      entry.expires_at = expires_at;
      for (int i = 0; i < fields; ++i) {
        transaction.Put(ElementKey(entry.id, "field" + std::to_string(i)), "value");
      }
      transaction.PutEntry(ns, key, entry);
    });
    return entry.id;
  }
  size_t Pairs() {
    const std::unique_ptr<rocksdb::Iterator> it(
        keyspace_->db()->NewIterator(rocksdb::ReadOptions()));
    size_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      if (it->key()[0] != kSettingTag) ++count;
    }
    EXPECT_TRUE(it->status().ok());
    return count;
  }
  uint32_t ns(int database = 0) { return keyspace_->NamespaceOf(database); }

  KeyspaceOptions options_;
  std::unique_ptr<Keyspace> keyspace_;
};

TEST(EncodingTest, ScoresAndIndexesAreOrderedAsTheirBytes) {
  const double scores[] = {-HUGE_VAL, -1e300, -1, -1e-300, 0, 1e-300, 0.5, 1, 2, 1e300, HUGE_VAL};
  std::string before;
  for (const double score : scores) {
    const std::string key = ScoreKey(7, score, "");
    EXPECT_LT(before, key) << score;
    EXPECT_EQ(score, ScoreOfOrdered(DecodeBigEndian64(key.data() + 9)));
    before = key;
  }
  EXPECT_EQ(ScoreKey(7, 0.0, "m"), ScoreKey(7, -0.0, "m"));
  EXPECT_LT(ListKey(7, -1), ListKey(7, 0));
  EXPECT_LT(ListKey(7, INT64_MIN), ListKey(7, INT64_MAX));
  EXPECT_EQ("b", BehindPrefix("a\xff"));
  EXPECT_EQ("", BehindPrefix("\xff\xff"));
}

TEST(EncodingTest, EntriesComeBackAndOthersAreRefused) {
  for (const Type type : {Type::kString, Type::kList, Type::kSet, Type::kSortedSet, Type::kHash}) {
    for (const uint64_t expires_at : {uint64_t{0}, uint64_t{1700000000000}}) {
      Entry entry;
      entry.type = type;
      entry.expires_at = expires_at;
      if (type == Type::kString) {
        entry.value = "value";
      } else {
        entry.id = 12;
        entry.head = type == Type::kList ? -3 : 0;
        entry.tail = type == Type::kList ? 4 : 0;
        entry.count = 7;
      }
      const std::string bytes = EncodeEntry(entry);
      Entry decoded;
      ASSERT_TRUE(DecodeEntry(bytes, &decoded));
      EXPECT_EQ(type, decoded.type);
      EXPECT_EQ(expires_at, decoded.expires_at);
      EXPECT_EQ(entry.value, decoded.value);
      EXPECT_EQ(entry.id, decoded.id);
      EXPECT_EQ(entry.count, decoded.count);
      EXPECT_EQ(entry.head, decoded.head);
      for (size_t size = 0; type != Type::kString && size < bytes.size(); ++size) {
        EXPECT_FALSE(DecodeEntry(rocksdb::Slice(bytes.data(), size), &decoded));
      }
    }
  }
  Entry decoded;
  EXPECT_FALSE(DecodeEntry("\x77garbage", &decoded));
}

TEST_F(KeyspaceTest, ATransactionSeesItsOwnWritesInOrder) {
  Write([&](Transaction& transaction) {
    for (int i = 0; i < 20; i += 2) transaction.Put("k" + std::to_string(10 + i), "old");
  });
  std::map<std::string, std::string> model;
  for (int i = 0; i < 20; i += 2) model["k" + std::to_string(10 + i)] = "old";
  Write([&](Transaction& transaction) {
    const auto put = [&](const std::string& key, const std::string& value) {
      transaction.Put(key, value);
      model[key] = value;
    };
    put("k11", "new");
    put("k12", "new");
    put("k09", "new");
    put("k99", "new");
    for (const char* key : {"k10", "k13", "k28", "k11"}) {
      transaction.Delete(key);
      model.erase(key);
    }
    PinnableSlice value;
    EXPECT_TRUE(transaction.Get("k10", &value).IsNotFound());
    ASSERT_TRUE(transaction.Get("k12", &value).ok());
    EXPECT_EQ("new", value.ToString());
    value.Reset();
    ASSERT_TRUE(transaction.Get("k14", &value).ok());
    EXPECT_EQ("old", value.ToString());

    const auto range = transaction.NewRange("k", "l");
    std::vector<std::string> forward, backward, expected;
    for (const auto& [key, text] : model) expected.push_back(key + "=" + text);
    const auto here = [&] { return std::string(range->key()) + "=" + std::string(range->value()); };
    for (range->SeekToFirst(); range->Valid(); range->Next()) forward.push_back(here());
    for (range->SeekToLast(); range->Valid(); range->Prev())
      backward.insert(backward.begin(), here());
    EXPECT_EQ(expected, forward);
    EXPECT_EQ(expected, backward);
    // Turning round at every place.
    for (size_t i = 0; i + 1 < expected.size(); ++i) {
      range->Seek(expected[i].substr(0, 3));
      ASSERT_TRUE(range->Valid());
      EXPECT_EQ(expected[i], here());
      range->Next();
      EXPECT_EQ(expected[i + 1], here());
      range->Prev();
      ASSERT_TRUE(range->Valid());
      EXPECT_EQ(expected[i], here());
      range->Next();
      range->Next();
      EXPECT_EQ(i + 2 < expected.size(), range->Valid());
    }
    range->SeekForPrev("k13");
    EXPECT_EQ("k12=new", here());
    range->SeekForPrev("k08");
    EXPECT_FALSE(range->Valid());
    range->Seek("kz");
    EXPECT_FALSE(range->Valid());
  });
}

TEST_F(KeyspaceTest, PrefetchedPairsAreFoundOnceInAnyOrder) {
  Write([&](Transaction& transaction) {
    for (int i = 0; i < 5; ++i) transaction.Put("k" + std::to_string(i), std::to_string(i));
  });
  Transaction transaction(keyspace_.get(), nullptr);
  transaction.Prefetch({"k1", "k3", "none", "k1"});
  for (const char* key : {"k3", "k1", "k1", "none", "k1", "k4", "k3"}) {
    PinnableSlice value;
    const Status s = transaction.Get(key, &value);
    if (std::string(key) == "none") {
      EXPECT_TRUE(s.IsNotFound());
    } else {
      ASSERT_TRUE(s.ok()) << key << ": " << s.ToString();
      EXPECT_EQ(std::string(key).substr(1), value.ToString());
    }
  }
}

TEST_F(KeyspaceTest, PrefetchedPairsComeSomeAtATimeAndShowOneState) {
  constexpr int kKeys = 300;
  const auto write_all = [this](const std::string& value) {
    Write([&](Transaction& transaction) {
      for (int i = 0; i < kKeys; ++i) transaction.Put("k" + std::to_string(i), value);
    });
  };
  for (const size_t size : {1, 40'000}) {
    const std::string value(size, 'v');
    write_all(value);
    Transaction transaction(keyspace_.get(), nullptr);
    std::vector<std::string> keys;
    for (int i = 0; i < kKeys; ++i) keys.push_back("k" + std::to_string(i));
    transaction.Prefetch(keys, 8);
    write_all("later");
    size_t most = 0;
    for (int i = 0; i < kKeys; ++i) {
      PinnableSlice found;
      ASSERT_TRUE(transaction.Get(keys[static_cast<size_t>(i)], &found).ok());
      ASSERT_EQ(found.ToString(), value) << i;
      most = std::max(most, transaction.prefetched_bytes());
    }
    // Of large ones there are never more in memory than were read before their size was known, or
    // than some megabytes.
    EXPECT_LE(most, size_t{4} << 20);
  }
}

TEST_F(KeyspaceTest, SharesOfTheMemoryAreGivenBack) {
  MemoryBudget budget(4 << 20);
  {
    MemoryShare one(&budget), two(&budget);
    EXPECT_TRUE(one.Set(60 << 10));  // small amounts are free
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_TRUE(one.Set(3 << 20));
    EXPECT_FALSE(two.Set(2 << 20));
    EXPECT_EQ(budget.left(), uint64_t{1} << 20);
    EXPECT_TRUE(one.Set(1 << 20));
    EXPECT_TRUE(two.Set(2 << 20));
    EXPECT_FALSE(two.Set(UINT64_MAX / 2));
    EXPECT_EQ(budget.left(), uint64_t{1} << 20);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(KeyspaceTest, CompactionsDropWhatExpiredAndWhatBelongsToNobody) {
  const uint64_t now = keyspace_->NowMillis();
  const uint64_t long_ago = now - 2 * ExpiryFilterFactory::kGraceMillis;
  Write([&](Transaction& transaction) {
    transaction.PutString(ns(), "stays", "value", 0);
    transaction.PutString(ns(), "later", "value", now + 3'600'000);
    transaction.PutString(ns(), "just", "value", now - 10);  // the clock might be set back
    transaction.PutString(ns(), "expired", "value", long_ago);
  });
  MakeHash(ns(), "kept", 10);
  MakeHash(ns(), "deleted", 10);
  MakeHash(ns(), "replaced by a string", 10);
  MakeHash(ns(), "replaced by a hash", 10);
  MakeHash(ns(), "expired hash", 10, long_ago);
  MakeHash(ns(1), "flushed", 10);
  const uint64_t moved = MakeHash(ns(), "moved", 10);
  MakeHash(ns(), "replaced by a hash", 3);
  Write([&](Transaction& transaction) {
    transaction.DeleteEntry(ns(), "deleted");
    transaction.PutString(ns(), "replaced by a string", "value", 0);
    Entry entry;
    PinnableSlice bytes;
    ASSERT_TRUE(transaction.Find(ns(), "moved", &entry, &bytes).ok());
    transaction.DeleteEntry(ns(), "moved");
    transaction.PutEntry(ns(), "is here", entry);
    transaction.MoveCollection(moved, ns(), "is here");
    ASSERT_TRUE(transaction.FlushDatabase(1).ok());
  });
  Compact();
  // Three strings and the one that replaced a hash; three hashes of 10, 3 and 10 fields, each with
  // an entry and an owner.
  EXPECT_EQ(4u + (10 + 2) + (3 + 2) + (10 + 2), Pairs());
  Open();
  Compact();
  EXPECT_EQ(4u + (10 + 2) + (3 + 2) + (10 + 2), Pairs());
}

TEST_F(KeyspaceTest, NamespacesSurviveAndAreExchanged) {
  Write([&](Transaction& transaction) { transaction.PutString(ns(0), "a", "in 0", 0); });
  Write([&](Transaction& transaction) { transaction.PutString(ns(1), "a", "in 1", 0); });
  Write([&](Transaction& transaction) { transaction.SwapDatabases(0, 1); });
  const auto value_in = [&](int database) {
    Transaction transaction(keyspace_.get(), nullptr);
    Entry entry;
    PinnableSlice bytes;
    const Status s = transaction.Find(ns(database), "a", &entry, &bytes);
    return s.ok() ? std::string(entry.value) : s.ToString();
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ("in 1", value_in(0));
    EXPECT_EQ("in 0", value_in(1));
    Compact();
    Open();
  }
  // In one transaction: what is written behind the flush is in the fresh namespace, and stays.
  Write([&](Transaction& transaction) {
    ASSERT_TRUE(transaction.FlushDatabase(0).ok());
    transaction.PutString(transaction.NamespaceOf(0), "b", "new", 0);
    ASSERT_TRUE(transaction.FlushDatabase(2).ok());
    EXPECT_NE(transaction.NamespaceOf(0), transaction.NamespaceOf(2));
  });
  EXPECT_EQ("NotFound: ", value_in(0));
  Compact();
  Open();
  Transaction transaction(keyspace_.get(), nullptr);
  Entry entry;
  PinnableSlice bytes;
  EXPECT_TRUE(transaction.Find(ns(0), "b", &entry, &bytes).ok());
  EXPECT_EQ(2u, Pairs());
}

TEST_F(KeyspaceTest, NumbersOfCollectionsAreNeverUsedAgain) {
  const uint64_t first = keyspace_->NextId();
  EXPECT_EQ(first + 1, keyspace_->NextId());
  Open();
  EXPECT_GT(keyspace_->NextId(), first + 1);
}

TEST_F(KeyspaceTest, OtherDatabasesAreLeftAlone) {
  keyspace_.reset();
  ASSERT_TRUE(rocksdb::DestroyDB(options_.directory, options_.engine).ok());
  {
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(rocksdb::DB::Open(options_.engine, options_.directory, &db).ok());
    ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "somebody's", "data").ok());
  }
  const Status s = Keyspace::Open(options_, &keyspace_);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

TEST_F(KeyspaceTest, CursorsAreRememberedUntilManyOthersCame) {
  const uint64_t first = keyspace_->RememberCursor("here");
  EXPECT_NE(0u, first);
  EXPECT_EQ("here", keyspace_->CursorPosition(first));
  EXPECT_EQ("", keyspace_->CursorPosition(first + 1));
  for (int i = 0; i < 20000; ++i) keyspace_->RememberCursor("there");
  EXPECT_EQ("", keyspace_->CursorPosition(first));
}

TEST_F(KeyspaceTest, LocksKeepWritersOfAKeyApartAndWatchersAreTold) {
  Watcher watcher;
  keyspace_->locks().Watch(ns(), "counter", &watcher);
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = 2;
  {
    fiber::Runtime runtime(runtime_options);
    std::vector<fiber::JoinHandle> writers;
    for (int i = 0; i < 16; ++i) {
      writers.push_back(runtime.spawn([&] {
        LockSet locks(&keyspace_->locks());
        for (int k = 0; k < 50; ++k) {
          locks.Add(ns(), "counter");
          locks.Add(ns(), "other" + std::to_string(k));
          locks.Lock();
          Transaction transaction(keyspace_.get(), &locks);
          Entry entry;
          PinnableSlice bytes;
          const Status s = transaction.Find(ns(), "counter", &entry, &bytes);
          const int value = s.ok() ? std::stoi(std::string(entry.value)) : 0;
          transaction.PutString(ns(), "counter", std::to_string(value + 1), 0);
          EXPECT_TRUE(transaction.Commit(rocksdb::WriteOptions()).ok());
          locks.Unlock();
        }
      }));
    }
    for (auto& writer : writers) writer.join();
  }
  Transaction transaction(keyspace_.get(), nullptr);
  Entry entry;
  PinnableSlice bytes;
  ASSERT_TRUE(transaction.Find(ns(), "counter", &entry, &bytes).ok());
  EXPECT_EQ("800", entry.value);
  EXPECT_TRUE(watcher.changed.load());
  keyspace_->locks().Unwatch(ns(), "counter", &watcher);
  EXPECT_FALSE(keyspace_->locks().watched());
}

}  // namespace
}  // namespace cairn::server
