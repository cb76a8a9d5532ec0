#include "memtable/skiplist.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/random.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "memtable/skiplist_traversal.h"

namespace cairn {
namespace {

std::string Key(const std::string& user_key, SequenceNumber seq) {
  std::string key;
  AppendInternalKey(&key, ParsedInternalKey(user_key, seq, kTypeValue));
  return key;
}

class SkipListTest : public ::testing::TestWithParam<const Comparator*> {
 protected:
  SkipListTest() : comparator_(GetParam()), arena_(4096), list_(&comparator_, &arena_) {}

  SkipList::Node* Make(const std::string& internal_key, const std::string& value) {
    SkipList::Node* node = list_.AllocateNode(internal_key.size(), value.size());
    std::memcpy(node->key_data(), internal_key.data(), internal_key.size());
    std::memcpy(node->key_data() + internal_key.size(), value.data(), value.size());
    return node;
  }
  bool Insert(const std::string& internal_key, const std::string& value) {
    return list_.Insert(Make(internal_key, value), &hint_);
  }

  const InternalKeyComparator comparator_;
  ConcurrentArena arena_;
  SkipList list_;
  SkipList::Splice hint_;
};

INSTANTIATE_TEST_SUITE_P(Orders, SkipListTest,
                         ::testing::Values(BytewiseComparator(), ReverseBytewiseComparator()),
                         [](const auto& order) {
                           return order.param == BytewiseComparator() ? "Bytewise" : "Reverse";
                         });

struct Before {
  const InternalKeyComparator* comparator;
  bool operator()(const std::string& a, const std::string& b) const {
    return comparator->Compare(a, b) < 0;
  }
};

TEST_P(SkipListTest, EmptyListHasNothing) {
  EXPECT_EQ(list_.First(), nullptr);
  EXPECT_EQ(list_.Last(), nullptr);
  EXPECT_EQ(list_.FindGreaterOrEqual(Key("a", 1)), nullptr);
  EXPECT_EQ(list_.FindLessThan(Key("a", 1)), nullptr);
  EXPECT_FALSE(list_.Contains(Key("a", 1)));
}

TEST_P(SkipListTest, RefusesADuplicate) {
  EXPECT_TRUE(Insert(Key("a", 1), "x"));
  EXPECT_FALSE(Insert(Key("a", 1), "y"));
  EXPECT_FALSE(list_.InsertConcurrently(Make(Key("a", 1), "z")));
  EXPECT_TRUE(Insert(Key("a", 2), "w"));
  EXPECT_EQ(list_.First()->value(), "w") << "the newer entry comes first";
  EXPECT_EQ(list_.Last()->value(), "x");
}

// Keys of all lengths, many with long common prefixes: every branch of the word-wise comparison.
TEST_P(SkipListTest, AgreesWithAMap) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  std::map<std::string, std::string, Before> model(Before{&comparator_});
  const auto random_key = [&random] {
    std::string key(random.Uniform(30), 'a');
    for (size_t i = 0; i < key.size(); ++i) {
      if (random.OneIn(6)) key[i] = static_cast<char>(random.Next());
    }
    return Key(key, random.Uniform(5) + 1);
  };
  for (int i = 0; i < 5000; ++i) {
    const std::string key = random_key();
    const std::string value = std::to_string(i);
    const bool concurrent = random.OneIn(3);
    const bool inserted =
        concurrent ? list_.InsertConcurrently(Make(key, value)) : Insert(key, value);
    EXPECT_EQ(inserted, model.emplace(key, value).second);
  }
  const SkipList::Node* node = list_.First();
  for (const auto& [key, value] : model) {
    ASSERT_NE(node, nullptr);
    ASSERT_EQ(node->key(), key);
    ASSERT_EQ(node->value(), value);
    ASSERT_TRUE(list_.Contains(key));
    node = node->Next(0);
  }
  EXPECT_EQ(node, nullptr);
  EXPECT_EQ(list_.Last()->key(), model.rbegin()->first);
  for (int i = 0; i < 5000; ++i) {
    const std::string key = random_key();
    auto it = model.lower_bound(key);
    const SkipList::Node* found = list_.FindGreaterOrEqual(key);
    ASSERT_EQ(found == nullptr, it == model.end());
    if (found != nullptr) {
      ASSERT_EQ(found->key(), it->first);
    }
    const SkipList::Node* before = list_.FindLessThan(key);
    ASSERT_EQ(before == nullptr, it == model.begin());
    if (before != nullptr) {
      ASSERT_EQ(before->key(), std::prev(it)->first);
    }
  }
}

TEST_P(SkipListTest, TakesAscendingAndDescendingRuns) {
  const auto key = [](int i) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "key%08d", i);
    return Key(buffer, 1);
  };
  for (int i = 1000; i < 2000; ++i) ASSERT_TRUE(Insert(key(i), ""));
  for (int i = 999; i >= 0; --i) ASSERT_TRUE(Insert(key(i), ""));
  for (int i = 2000; i < 4000; i += 2) ASSERT_TRUE(Insert(key(i), ""));
  for (int i = 2001; i < 4000; i += 2) ASSERT_TRUE(Insert(key(i), ""));
  int count = 0;
  std::string last;
  for (const SkipList::Node* n = list_.First(); n != nullptr; n = n->Next(0), ++count) {
    if (count > 0) {
      ASSERT_LT(comparator_.Compare(last, n->key()), 0);
    }
    last = n->key().ToString();
  }
  EXPECT_EQ(count, 4000);
  // The sample has 32 nodes at least: four standard deviations are a factor of three.
  const uint64_t estimate = list_.EstimateCountBefore(key(2000));
  EXPECT_GT(estimate, 2000u / 3);
  EXPECT_LT(estimate, 2000u * 3);
  EXPECT_EQ(list_.EstimateCountBefore(list_.First()->key()), 0u);
}

// Readers run beside concurrent inserters and must see each inserter's keys appear as a prefix,
// sorted, with intact values.
TEST_P(SkipListTest, ReadersSeeConsistentEntriesDuringConcurrentInserts) {
  constexpr int kWriters = 4;
  constexpr int kPerWriter = 3000;
  std::atomic<int> progress[kWriters] = {};
  std::atomic<bool> done{false};
  const auto value_of = [](const std::string& key) { return "value of " + key; };
  const auto key_of = [](int writer, int i) {
    // Scattered, so that the inserters meet.
    return Key(std::to_string((static_cast<uint64_t>(i) * 2654435761u + writer) % 1000003) + "-" +
                   std::to_string(writer) + "-" + std::to_string(i),
               1);
  };
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.push_back(std::make_unique<fiber::Thread>("insert", [&, w] {
      for (int i = 0; i < kPerWriter; ++i) {
        const std::string key = key_of(w, i);
        ASSERT_TRUE(list_.InsertConcurrently(Make(key, value_of(key))));
        progress[w].store(i + 1, std::memory_order_release);
      }
    }));
  }
  fiber::Thread reader("read", [&] {
    Random64 random(7);
    while (!done.load(std::memory_order_acquire)) {
      const int w = static_cast<int>(random.Uniform(kWriters));
      const int seen = progress[w].load(std::memory_order_acquire);
      if (seen == 0) continue;
      const std::string key = key_of(w, static_cast<int>(random.Uniform(seen)));
      const SkipList::Node* node = list_.FindGreaterOrEqual(key);
      ASSERT_NE(node, nullptr);
      ASSERT_EQ(node->key(), key);
      ASSERT_EQ(node->value(), value_of(key));
      std::string last = key;
      for (int step = 0; step < 20 && (node = node->Next(0)) != nullptr; ++step) {
        ASSERT_LT(comparator_.Compare(last, node->key()), 0);
        last = node->key().ToString();
        ASSERT_EQ(node->value(), value_of(last));
      }
    }
  });
  for (auto& t : threads) t->join();
  done.store(true, std::memory_order_release);
  reader.join();
  int count = 0;
  for (const SkipList::Node* n = list_.First(); n != nullptr; n = n->Next(0)) ++count;
  EXPECT_EQ(count, kWriters * kPerWriter);
}

TEST_P(SkipListTest, ATraversalShowsEveryEntryInOrder) {
  Random64 random(17);
  std::unique_ptr<InternalIterator> it(NewSkipListTraversal(&list_));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  SequenceNumber seq = 0;
  for (const uint64_t size : {1, 2, 3, 10, 63, 64, 65, 130, 1000, 5000, 30'000}) {
    while (seq < size) {
      ++seq;
      const std::string key = Key(std::to_string(random.Uniform(10'000)), seq);
      ASSERT_TRUE(Insert(key, std::to_string(seq)));
    }
    it->SeekToFirst();
    const SkipList::Node* node = list_.First();
    for (; node != nullptr; node = node->Next(0)) {
      ASSERT_TRUE(it->Valid()) << "before " << node->value().ToString() << " of " << size;
      ASSERT_EQ(it->key(), node->key());
      ASSERT_EQ(it->value(), node->value());
      it->Next();
    }
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
  }
  it->SeekToFirst();
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsNotSupported());
}

TEST_P(SkipListTest, ATraversalBesideInsertionsMissesNothingThatWasThere) {
  constexpr uint64_t kBefore = 5000;
  for (uint64_t i = 0; i < kBefore; ++i) ASSERT_TRUE(Insert(Key(std::to_string(2 * i), 1), "old"));
  std::atomic<bool> done{false};
  fiber::Thread writer("writer", [&] {
    for (uint64_t i = 0; i < 20'000; ++i) {
      EXPECT_TRUE(list_.InsertConcurrently(Make(Key(std::to_string(2 * i + 1), 2), "new")));
    }
    done = true;
  });
  bool last = false;
  do {
    last = done;
    std::unique_ptr<InternalIterator> it(NewSkipListTraversal(&list_));
    uint64_t old = 0;
    std::string previous;
    Slice key, value;
    it->SeekToFirst();
    key = it->key();
    value = it->value();
    do {
      old += value == "old" ? 1 : 0;
      if (!previous.empty()) {
        ASSERT_LT(comparator_.Compare(previous, key), 0);
      }
      previous = key.ToString();
    } while (it->NextEntry(&key, &value));
    EXPECT_EQ(old, kBefore);
  } while (!last);
  writer.join();
}

}  // namespace
}  // namespace cairn
