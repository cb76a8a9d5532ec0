#include "read/run_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "read/testing/vector_iterator.h"

namespace cairn {
namespace {

std::string Key(const std::string& user_key, SequenceNumber seq) {
  std::string key;
  AppendInternalKey(&key, ParsedInternalKey(user_key, seq, kTypeValue));
  return key;
}

// Few letters, zeros and 0xff among them, around the width of a column: prefixes of one another,
// equal columns and equal user keys are common.
std::string RandomUserKey(Random64* random) {
  static constexpr char kLetters[] = {'\0', 'a', '\xff'};
  std::string key(random->Uniform(3) * 6 + random->Uniform(3), 'p');
  for (size_t i = random->Uniform(5); i > 0; --i) key.push_back(kLetters[random->Uniform(3)]);
  return key;
}

void ExpectEqual(InternalIterator* iter, const VectorIterator::Entries& all, size_t from) {
  for (size_t i = from; i < all.size(); ++i) {
    ASSERT_TRUE(iter->Valid()) << i;
    ASSERT_EQ(Slice(all[i].first).ToString(true), iter->key().ToString(true)) << i;
    ASSERT_EQ(all[i].second, iter->value().ToString());
    Slice key, value;
    ASSERT_EQ(i + 1 < all.size(), iter->NextEntry(&key, &value));
    if (i + 1 < all.size()) {
      ASSERT_EQ(key, iter->key());
      ASSERT_EQ(value, iter->value());
    }
  }
  ASSERT_FALSE(iter->Valid());
  ASSERT_TRUE(iter->status().ok());
}

TEST(RunMergerTest, ShowsAllEntriesInOrder) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    const InternalKeyComparator icmp(comparator);
    for (int round = 0; round < 300; ++round) {
      const size_t n = 1 + random.Uniform(12);
      VectorIterator::Entries all;
      std::vector<InternalIterator*> children;
      SequenceNumber seq = 0;
      for (size_t c = 0; c < n; ++c) {
        VectorIterator::Entries entries;
        for (size_t i = random.Uniform(40); i > 0; --i) {
          ++seq;
          entries.emplace_back(Key(RandomUserKey(&random), seq), std::to_string(seq));
        }
        all.insert(all.end(), entries.begin(), entries.end());
        children.push_back(new VectorIterator(icmp, std::move(entries)));
      }
      std::sort(all.begin(), all.end(), [&icmp](const auto& a, const auto& b) {
        return icmp.Compare(a.first, b.first) < 0;
      });
      const std::unique_ptr<InternalIterator> iter(NewRunMerger(&icmp, std::move(children)));
      iter->SeekToFirst();
      ASSERT_NO_FATAL_FAILURE(ExpectEqual(iter.get(), all, 0));
      const std::string target = Key(RandomUserKey(&random), random.Uniform(seq + 2));
      size_t from = 0;
      while (from < all.size() && icmp.Compare(all[from].first, target) < 0) ++from;
      iter->Seek(target);
      ASSERT_NO_FATAL_FAILURE(ExpectEqual(iter.get(), all, from));
    }
  }
}

TEST(RunMergerTest, KeysThatDifferBehindTheLastColumnAreInOrder) {
  const InternalKeyComparator icmp(BytewiseComparator());
  const std::string prefix(500000, 'k');
  auto* a = new VectorIterator(icmp, {{Key(prefix + "1", 1), "1"}, {Key(prefix + "3", 1), "3"}});
  auto* b = new VectorIterator(icmp, {{Key(prefix + "2", 1), "2"}, {Key("l", 1), "l"}});
  const std::unique_ptr<InternalIterator> iter(NewRunMerger(&icmp, {a, b}));
  std::string seen;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) seen += iter->value().ToString();
  EXPECT_EQ("123l", seen);
}

TEST(RunMergerTest, TheSameKeyOfTwoRunsComesTwiceTheEarlierRunsFirst) {
  const InternalKeyComparator icmp(BytewiseComparator());
  std::vector<InternalIterator*> children;
  for (const char* value : {"1", "2", "3"}) {
    children.push_back(new VectorIterator(icmp, {{Key("k", 7), value}}));
  }
  const std::unique_ptr<InternalIterator> iter(NewRunMerger(&icmp, std::move(children)));
  std::string seen;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) seen += iter->value().ToString();
  EXPECT_EQ("123", seen);
}

TEST(RunMergerTest, AChildsErrorEndsIt) {
  const InternalKeyComparator icmp(BytewiseComparator());
  auto* a = new VectorIterator(icmp, {{Key("a", 1), ""}, {Key("c", 1), ""}});
  auto* b = new VectorIterator(icmp, {{Key("b", 1), ""}, {Key("d", 1), ""}});
  b->FailAt(1, Status::Corruption("broken"));
  const std::unique_ptr<InternalIterator> iter(NewRunMerger(&icmp, {a, b}));
  iter->SeekToFirst();
  ASSERT_TRUE(iter->Valid());
  iter->Next();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(ExtractUserKey(iter->key()), "b");
  iter->Next();
  EXPECT_FALSE(iter->Valid()) << "c must not be shown: what is before it is unknown";
  EXPECT_TRUE(iter->status().IsCorruption());
}

TEST(RunMergerTest, RefusesToMoveBackwards) {
  const InternalKeyComparator icmp(BytewiseComparator());
  auto* a = new VectorIterator(icmp, {{Key("a", 1), ""}});
  auto* b = new VectorIterator(icmp, {{Key("b", 1), ""}});
  const std::unique_ptr<InternalIterator> iter(NewRunMerger(&icmp, {a, b}));
  iter->SeekToLast();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsNotSupported());
}

}  // namespace
}  // namespace cairn
