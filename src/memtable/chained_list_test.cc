// A linked list that becomes a skip list, against a set; and readers beside its writer.
#include "memtable/chained_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/random.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

std::string ChainKey(const std::string& user_key, SequenceNumber sequence) {
  return InternalKey(user_key, sequence, kTypeValue).Encode().ToString();
}

class ChainedListTest : public ::testing::TestWithParam<const Comparator*> {
 protected:
  ChainedListTest() : comparator_(GetParam()) {}

  SkipList::Node* NewChainNode(const std::string& internal_key) {
    SkipList::Node* const node = SkipList::AllocateNode(&arena_, internal_key.size(), 1,
                                                        SkipList::kMaxHeight, SkipList::kBranching);
    std::memcpy(node->key_data(), internal_key.data(), internal_key.size());
    node->key_data()[internal_key.size()] = 'v';
    return node;
  }

  struct InOrder {
    const InternalKeyComparator* comparator;
    bool operator()(const std::string& a, const std::string& b) const {
      return comparator->Compare(a, b) < 0;
    }
  };

  const InternalKeyComparator comparator_;
  ConcurrentArena arena_{ArenaOptions()};
};

INSTANTIATE_TEST_SUITE_P(Orders, ChainedListTest,
                         ::testing::Values(BytewiseComparator(), ReverseBytewiseComparator()),
                         [](const auto& order) {
                           return order.param == BytewiseComparator() ? "Bytewise" : "Reverse";
                         });

TEST_P(ChainedListTest, AgreesWithASetBeforeAndAfterItBecomesASkipList) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  for (const uint32_t longest : {0u, 3u, 10u, 200u, 1u << 30}) {
    ChainedList list(&comparator_, &arena_, longest);
    std::set<std::string, InOrder> model(InOrder{&comparator_});
    EXPECT_EQ(list.First(), nullptr);
    EXPECT_EQ(list.Last(), nullptr);
    bool skips = false;
    for (int i = 0; i < 400; ++i) {
      std::string user_key;
      for (uint64_t n = random.Uniform(12); n > 0; --n) {
        user_key.push_back(static_cast<char>('a' + random.Uniform(3)));
      }
      const std::string key = ChainKey(user_key, random.Uniform(50));
      // Whatever comes to a full list makes it a skip list, be it refused as one that is there.
      skips = skips || model.size() >= std::max(longest, 3u);
      ASSERT_EQ(list.Insert(NewChainNode(key)), model.insert(key).second);
      ASSERT_EQ(list.count(), model.size());
      ASSERT_EQ(list.is_skip_list(), skips);
      const std::string target = ChainKey(user_key, random.Uniform(50));
      const auto at = model.lower_bound(target);
      const SkipList::Node* const found = list.FindGreaterOrEqual(target);
      ASSERT_EQ(found == nullptr ? "none" : found->key().ToString(),
                at == model.end() ? "none" : *at);
      const SkipList::Node* const before = list.FindLessThan(target);
      ASSERT_EQ(before == nullptr ? "none" : before->key().ToString(),
                at == model.begin() ? "none" : *std::prev(at));
      ASSERT_EQ(list.First()->key().ToString(), *model.begin());
      ASSERT_EQ(list.Last()->key().ToString(), *std::prev(model.end()));
      if (!list.is_skip_list()) {
        ASSERT_EQ(list.EstimateCountBefore(target),
                  static_cast<uint64_t>(std::distance(model.begin(), at)));
      }
    }
    auto expected = model.begin();
    for (const SkipList::Node* node = list.First(); node != nullptr; node = node->Next(0)) {
      ASSERT_EQ(node->key().ToString(), *expected);
      ++expected;
    }
    EXPECT_EQ(expected, model.end());
  }
}

// Who walks along the list while it becomes a skip list sees all that there was, and its order.
TEST_P(ChainedListTest, WhoIsUnderWayGoesOn) {
  for (int round = 0; round < 20; ++round) {
    ChainedList list(&comparator_, &arena_, /*longest=*/20);
    constexpr int kEntries = 100;
    std::atomic<int> told{0};
    std::vector<std::unique_ptr<fiber::Thread>> readers;
    for (int r = 0; r < 2; ++r) {
      readers.push_back(std::make_unique<fiber::Thread>("walk", [&] {
        for (int n = 0; n < kEntries;) {
          n = told.load(std::memory_order_acquire);
          int seen = 0;
          const SkipList::Node* last = nullptr;
          for (const SkipList::Node* node = list.First(); node != nullptr; node = node->Next(0)) {
            if (last != nullptr) {
              ASSERT_LT(comparator_.Compare(last->key(), node->key()), 0);
            }
            last = node;
            ++seen;
          }
          ASSERT_GE(seen, n);
          if (n > 0) {
            const std::string key = ChainKey(std::to_string((n - 1) * 37 % kEntries), 1);
            const SkipList::Node* const found = list.FindGreaterOrEqual(key);
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(found->key().ToString(), key);
          }
        }
      }));
    }
    for (int i = 0; i < kEntries; ++i) {
      ASSERT_TRUE(list.Insert(NewChainNode(ChainKey(std::to_string(i * 37 % kEntries), 1))));
      told.store(i + 1, std::memory_order_release);
    }
    for (auto& reader : readers) reader->join();
    EXPECT_TRUE(list.is_skip_list());
  }
}

}  // namespace
}  // namespace cairn
