#include "read/merging_iterator.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
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

TEST(MergingIteratorTest, OfNothingAndOfOne) {
  const InternalKeyComparator icmp(BytewiseComparator());
  std::unique_ptr<InternalIterator> none(NewMergingIterator(&icmp, {}));
  none->SeekToFirst();
  EXPECT_FALSE(none->Valid());
  EXPECT_TRUE(none->status().ok());
  auto* child = new VectorIterator(icmp, {{Key("a", 1), "1"}});
  std::unique_ptr<InternalIterator> one(NewMergingIterator(&icmp, {child}));
  EXPECT_EQ(one.get(), child);
}

TEST(MergingIteratorTest, AChildsErrorEndsIt) {
  const InternalKeyComparator icmp(BytewiseComparator());
  auto* a = new VectorIterator(icmp, {{Key("a", 1), ""}, {Key("c", 1), ""}});
  auto* b = new VectorIterator(icmp, {{Key("b", 1), ""}, {Key("d", 1), ""}});
  b->FailAt(1, Status::Corruption("broken"));
  std::unique_ptr<InternalIterator> iter(NewMergingIterator(&icmp, {a, b}));
  iter->SeekToFirst();
  ASSERT_TRUE(iter->Valid());
  iter->Next();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(ExtractUserKey(iter->key()), "b");
  iter->Next();
  EXPECT_FALSE(iter->Valid()) << "c must not be shown: what is before it is unknown";
  EXPECT_TRUE(iter->status().IsCorruption());
  iter->SeekToLast();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsCorruption());
  iter->Seek(Key("b", 1));
  EXPECT_TRUE(iter->Valid()) << "a new seek begins anew";
  EXPECT_TRUE(iter->status().ok());
}

// Random walks in both directions against a sorted map.
TEST(MergingIteratorTest, WalksLikeAMap) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    const InternalKeyComparator icmp(comparator);
    const auto before = [&icmp](const std::string& a, const std::string& b) {
      return icmp.Compare(a, b) < 0;
    };
    for (int round = 0; round < 30; ++round) {
      const size_t n = 1 + random.Uniform(9);
      std::map<std::string, std::string, decltype(before)> model(before);
      std::vector<InternalIterator*> children;
      SequenceNumber seq = 0;
      for (size_t c = 0; c < n; ++c) {
        VectorIterator::Entries entries;
        for (size_t i = random.Uniform(40); i > 0; --i) {
          const std::string key = Key(std::to_string(random.Uniform(60)), ++seq);
          entries.emplace_back(key, std::to_string(seq));
          model[key] = std::to_string(seq);
        }
        children.push_back(new VectorIterator(icmp, std::move(entries)));
      }
      std::unique_ptr<InternalIterator> iter(NewMergingIterator(&icmp, std::move(children)));
      auto it = model.end();
      for (int step = 0; step < 400; ++step) {
        const std::string target = Key(std::to_string(random.Uniform(60)), random.Uniform(seq + 2));
        const uint64_t action = random.Uniform(it == model.end() ? 4 : 12);
        if (action == 0) {
          iter->SeekToFirst();
          it = model.begin();
        } else if (action == 1) {
          iter->SeekToLast();
          it = model.empty() ? model.end() : std::prev(model.end());
        } else if (action == 2) {
          iter->Seek(target);
          it = model.lower_bound(target);
        } else if (action == 3) {
          iter->SeekForPrev(target);
          it = model.upper_bound(target);
          it = it == model.begin() ? model.end() : std::prev(it);
        } else {
          const bool forward = action < 8;
          Slice key, value;
          if (forward) {
            ++it;
          } else {
            it = it == model.begin() ? model.end() : std::prev(it);
          }
          if (random.OneIn(2)) {
            const bool more =
                forward ? iter->NextEntry(&key, &value) : iter->PrevEntry(&key, &value);
            ASSERT_EQ(more, iter->Valid());
            if (more) {
              ASSERT_EQ(key, iter->key());
              ASSERT_EQ(value, iter->value());
            }
          } else if (forward) {
            iter->Next();
          } else {
            iter->Prev();
          }
        }
        ASSERT_EQ(iter->Valid(), it != model.end());
        ASSERT_TRUE(iter->status().ok());
        if (iter->Valid()) {
          ASSERT_EQ(iter->key(), it->first);
          ASSERT_EQ(iter->value(), it->second);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn
