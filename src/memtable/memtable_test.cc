#include "memtable/memtable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "memtable/memtable_list.h"

namespace cairn {
namespace {

class MemTableTest : public ::testing::Test {
 protected:
  MemTableTest() : comparator_(BytewiseComparator()), table_(new MemTable(comparator_, {}, 0)) {}
  ~MemTableTest() override { table_->Unref(); }

  void Put(SequenceNumber seq, const std::string& key, const std::string& value) {
    ASSERT_TRUE(table_->Add(seq, kTypeValue, key, value, false).ok());
  }
  // The value, "DELETED", "ABSENT" or the error.
  std::string Get(const std::string& key, SequenceNumber snapshot) {
    Slice value;
    Status s;
    if (!table_->Get(LookupKey(key, snapshot), &value, &s)) return "ABSENT";
    return s.ok() ? value.ToString() : s.IsNotFound() ? "DELETED" : s.ToString();
  }

  const InternalKeyComparator comparator_;
  MemTable* table_;
};

TEST_F(MemTableTest, ShowsTheNewestEntryAtASnapshot) {
  Put(1, "a", "one");
  Put(3, "a", "three");
  ASSERT_TRUE(table_->Add(5, kTypeDeletion, "a", "", false).ok());
  ASSERT_TRUE(table_->Add(7, kTypeSingleDeletion, "b", "", false).ok());
  EXPECT_EQ(Get("a", 0), "ABSENT");
  EXPECT_EQ(Get("a", 1), "one");
  EXPECT_EQ(Get("a", 2), "one");
  EXPECT_EQ(Get("a", 4), "three");
  EXPECT_EQ(Get("a", 5), "DELETED");
  EXPECT_EQ(Get("b", 7), "DELETED");
  EXPECT_EQ(Get("aa", 9), "ABSENT");
  EXPECT_EQ(Get("", 9), "ABSENT");
  Put(8, "", "empty key");
  EXPECT_EQ(Get("", 9), "empty key");
  SequenceNumber seq = 0;
  Slice value;
  Status s;
  EXPECT_TRUE(table_->Get(LookupKey("a", 4), &value, &s, &seq));
  EXPECT_EQ(seq, 3u);
}

// Keys come behind all others while a reader looks for the last one before a target: what it finds
// is never behind the target.
TEST_F(MemTableTest, SeeksBackwardBesideInsertionsStayBeforeTheirTarget) {
  constexpr uint64_t kKeys = 60'000;
  const auto key = [](uint64_t i) { return std::to_string(1'000'000 + i); };
  Put(1, key(0), "value");
  std::atomic<uint64_t> last{0};  // that is there
  fiber::Thread writer("writer", [&] {
    for (uint64_t i = 1; i < kKeys; ++i) {
      Put(i + 1, key(i), "value");
      last.store(i, std::memory_order_release);
    }
  });
  const std::unique_ptr<InternalIterator> it(table_->NewIterator());
  bool is_before = true;
  for (uint64_t there = 0; there + 1 < kKeys && is_before;) {
    there = last.load(std::memory_order_acquire);
    const std::string target = key(there) + "~";
    it->SeekForPrev(LookupKey(target, kMaxSequenceNumber).internal_key());
    is_before = it->Valid() && ExtractUserKey(it->key()) == Slice(key(there));
    EXPECT_TRUE(is_before) << (it->Valid() ? it->key().ToString(true) : "nothing");
  }
  writer.join();
}

TEST_F(MemTableTest, CountsWhatItHolds) {
  EXPECT_TRUE(table_->IsEmpty());
  EXPECT_EQ(table_->GetFirstSequenceNumber(), 0u);
  Put(4, "a", "value");
  Put(5, "b", "value");
  ASSERT_TRUE(table_->Add(6, kTypeDeletion, "a", "", true).ok());
  EXPECT_FALSE(table_->IsEmpty());
  EXPECT_EQ(table_->num_entries(), 3u);
  EXPECT_EQ(table_->num_deletes(), 1u);
  EXPECT_EQ(table_->data_size(), 3 * 9 + 2 * 5u);
  EXPECT_EQ(table_->GetFirstSequenceNumber(), 4u);
}

TEST_F(MemTableTest, MergeOperandsAreCollectedDownToTheirBase) {
  const auto get = [this](const std::string& key, SequenceNumber at, bool* decided) {
    MergeOperands operands(nullptr);
    Slice value;
    Status s;
    *decided = table_->Get(LookupKey(key, at), &value, &s, nullptr, &operands);
    std::string text;
    for (const Slice& operand : operands.OldestFirst()) text += operand.ToString();
    if (!*decided) return text;
    return s.ToString() + " " + value.ToString() + " " + text;
  };
  ASSERT_TRUE(table_->Add(1, kTypeMerge, "a", "1", false).ok());
  ASSERT_TRUE(table_->Add(2, kTypeValue, "a", "base", false).ok());
  ASSERT_TRUE(table_->Add(3, kTypeMerge, "a", "3", false).ok());
  ASSERT_TRUE(table_->Add(4, kTypeMerge, "a", "4", false).ok());
  ASSERT_TRUE(table_->Add(5, kTypeDeletion, "b", "", false).ok());
  ASSERT_TRUE(table_->Add(6, kTypeMerge, "b", "6", false).ok());
  EXPECT_EQ(table_->num_deletes(), 1u);
  bool decided;
  EXPECT_EQ(get("a", 9, &decided), "OK base 34");
  EXPECT_EQ(get("a", 3, &decided), "OK base 3");
  EXPECT_EQ(get("b", 9, &decided), "NotFound:   6");
  EXPECT_EQ(get("a", 1, &decided), "1");
  EXPECT_FALSE(decided) << "its base may be in an older memtable";
  Slice value;
  Status s;
  EXPECT_TRUE(table_->Get(LookupKey("a", 9), &value, &s));
  EXPECT_TRUE(s.IsMergeInProgress());
}

TEST_F(MemTableTest, RefusesWhatItDoesNotStore) {
  EXPECT_TRUE(table_->Add(1, kTypeBlobIndex, "a", "b", false).IsNotSupported());
  EXPECT_TRUE(table_->Add(1, kTypeValue, "a", "b", false).ok());
  EXPECT_TRUE(table_->Add(1, kTypeValue, "a", "b", false).IsTryAgain());
  EXPECT_TRUE(table_->Add(1, kTypeValue, "a", "b", true).IsTryAgain());
  EXPECT_EQ(table_->num_entries(), 1u);
}

TEST_F(MemTableTest, WantsAFlushAtItsSize) {
  MemTableOptions options;
  options.write_buffer_size = 1 << 20;
  MemTable* small = new MemTable(comparator_, options, 0);
  EXPECT_FALSE(small->ShouldFlush());
  size_t added = 0;
  for (SequenceNumber seq = 1; !small->ShouldFlush(); ++seq) {
    ASSERT_TRUE(
        small->Add(seq, kTypeValue, std::to_string(seq), std::string(1000, 'v'), false).ok());
    added += 1000;
    ASSERT_LT(added, size_t{2} << 20);
  }
  EXPECT_GT(added, size_t{700} << 10);
  EXPECT_LE(small->MemoryAllocated(), options.write_buffer_size * 5 / 4);
  small->Unref();
}

TEST_F(MemTableTest, IteratesBothWays) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  std::map<std::string, std::string> model;
  for (SequenceNumber seq = 1; seq <= 2000; ++seq) {
    const std::string key = std::to_string(random.Next());
    const std::string value = std::to_string(seq);
    Put(seq, key, value);
    model[key] = value;
  }
  std::unique_ptr<InternalIterator> iter(table_->NewIterator());
  EXPECT_FALSE(iter->Valid());
  iter->SeekToFirst();
  for (const auto& [key, value] : model) {
    ASSERT_TRUE(iter->Valid());
    ASSERT_EQ(ExtractUserKey(iter->key()), key);
    ASSERT_EQ(iter->value(), value);
    iter->Next();
  }
  EXPECT_FALSE(iter->Valid());
  iter->SeekToLast();
  for (auto it = model.rbegin(); it != model.rend(); ++it) {
    ASSERT_TRUE(iter->Valid());
    ASSERT_EQ(ExtractUserKey(iter->key()), it->first);
    iter->Prev();
  }
  EXPECT_FALSE(iter->Valid());
  for (int i = 0; i < 500; ++i) {
    const std::string target = std::to_string(random.Next());
    iter->Seek(LookupKey(target, kMaxSequenceNumber).internal_key());
    auto it = model.lower_bound(target);
    ASSERT_EQ(iter->Valid(), it != model.end());
    if (iter->Valid()) {
      ASSERT_EQ(ExtractUserKey(iter->key()), it->first);
    }
    iter->SeekForPrev(InternalKey(target, 0, kTypeDeletion).Encode());
    ASSERT_EQ(iter->Valid(), it != model.begin());
    if (iter->Valid()) {
      ASSERT_EQ(ExtractUserKey(iter->key()), std::prev(it)->first);
    }
  }
  EXPECT_TRUE(iter->IsKeyPinned());
}

TEST_F(MemTableTest, TakesConcurrentWriters) {
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("add", [this, t] {
      MemTableCounters counters;
      for (int i = 0; i < kEach; ++i) {
        const SequenceNumber seq = 1 + static_cast<SequenceNumber>(i) * kThreads + t;
        ASSERT_TRUE(
            table_->Add(seq, kTypeValue, std::to_string(i), std::to_string(t), true, &counters)
                .ok());
      }
      table_->AddCounters(counters);
    }));
  }
  for (auto& t : threads) t->join();
  EXPECT_EQ(table_->num_entries(), uint64_t{kThreads * kEach});
  EXPECT_EQ(table_->GetFirstSequenceNumber(), 1u);
  for (int i = 0; i < kEach; ++i) EXPECT_EQ(Get(std::to_string(i), kMaxSequenceNumber), "3");
}

class MemTableListTest : public MemTableTest {
 protected:
  MemTable* NewTable(SequenceNumber seq, const std::string& key, const std::string& value) {
    MemTable* m = new MemTable(comparator_, {}, 0);
    EXPECT_TRUE(m->Add(seq, kTypeValue, key, value, false).ok());
    return m;
  }
  std::string GetFrom(const MemTableListVersion* list, const std::string& key) {
    Slice value;
    Status s;
    return list->Get(LookupKey(key, kMaxSequenceNumber), &value, &s) ? value.ToString() : "ABSENT";
  }
};

TEST_F(MemTableListTest, AVersionOutlivesTheFlushOfItsMemtables) {
  ImmutableMemTables list;
  EXPECT_FALSE(list.IsFlushPending());
  list.Add(NewTable(1, "k", "old"));
  list.Add(NewTable(2, "k", "new"));
  EXPECT_TRUE(list.IsFlushPending());
  EXPECT_EQ(list.NumNotFlushed(), 2);
  MemTableListVersion* version = list.current();
  version->Ref();
  EXPECT_EQ(GetFrom(version, "k"), "new");

  std::vector<MemTable*> picked;
  list.PickMemtablesToFlush(UINT64_MAX, &picked);
  ASSERT_EQ(picked.size(), 2u);
  EXPECT_LT(picked[0]->GetID(), picked[1]->GetID()) << "oldest first";
  EXPECT_FALSE(list.IsFlushPending());
  list.Remove(picked);
  EXPECT_EQ(list.NumNotFlushed(), 0);
  EXPECT_EQ(GetFrom(list.current(), "k"), "ABSENT");
  EXPECT_EQ(GetFrom(version, "k"), "new");
  version->Unref();
}

TEST_F(MemTableListTest, FlushesFinishInOrder) {
  ImmutableMemTables list;
  list.Add(NewTable(1, "a", "1"));
  const uint64_t first_id = list.NewestID();
  list.Add(NewTable(2, "b", "2"));
  std::vector<MemTable*> first;
  list.PickMemtablesToFlush(first_id, &first);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(list.IsFlushInProgress());
  std::vector<MemTable*> second;
  list.PickMemtablesToFlush(UINT64_MAX, &second);
  EXPECT_TRUE(second.empty());
  list.RollbackFlush(first);
  EXPECT_TRUE(list.IsFlushPending());
  list.PickMemtablesToFlush(UINT64_MAX, &second);
  EXPECT_EQ(second.size(), 2u);
  list.Add(NewTable(3, "c", "3"));
  list.Remove(second);
  EXPECT_EQ(list.NumNotFlushed(), 1);
  EXPECT_EQ(list.NumFlushNotStarted(), 1);
  EXPECT_TRUE(list.IsFlushPending());
  EXPECT_EQ(GetFrom(list.current(), "c"), "3");
}

TEST_F(MemTableListTest, WaitsForEnoughMemtablesUnlessAsked) {
  ImmutableMemTables list(/*min_to_merge=*/2);
  list.Add(NewTable(1, "a", "1"));
  EXPECT_FALSE(list.IsFlushPending());
  list.FlushRequested();
  EXPECT_TRUE(list.IsFlushPending());
  std::vector<MemTable*> picked;
  list.PickMemtablesToFlush(UINT64_MAX, &picked);
  list.Remove(picked);
  EXPECT_FALSE(list.IsFlushPending());
  list.Add(NewTable(2, "b", "2"));
  EXPECT_FALSE(list.IsFlushPending());
  list.Add(NewTable(3, "c", "3"));
  EXPECT_TRUE(list.IsFlushPending());
}

}  // namespace
}  // namespace cairn
