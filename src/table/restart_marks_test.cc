// Marks of restart points: a search that begins with them ends where one without them does.
#include "table/restart_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "rocksdb/comparator.h"
#include "table/block.h"
#include "table/block_builder.h"

namespace cairn {
namespace {

Block::Ptr BlockWithBytes(const std::string& bytes) {
  Block::Ptr block = Block::Allocate(bytes.size(), 0, 0);
  std::memcpy(block->mutable_data(), bytes.data(), bytes.size());
  return block;
}

std::string InternalKeyWith(const std::string& user_key, SequenceNumber sequence) {
  std::string key = user_key;
  AppendInternalKeyFooter(&key, sequence, kTypeValue);
  return key;
}

// Up to `longest` bytes of few different ones, zeros and 255s among them: keys that are prefixes of
// each other, and that differ in one byte far behind.
std::string RandomKey(Random64* random, const std::string& head, size_t longest) {
  static constexpr char kBytes[] = {'\0', '\xff', 'a', 'b'};
  std::string key = head;
  for (size_t n = random->Uniform(longest + 1); n > 0; --n) key += kBytes[random->Uniform(4)];
  return key;
}

class RestartMarksTest : public ::testing::Test {
 protected:
  void Build(const std::set<std::string>& keys, int interval, size_t value_size) {
    BlockBuilder builder(interval);
    builder.Reset();
    entries_.clear();
    for (const std::string& key : keys) {
      for (SequenceNumber sequence : {9, 5}) {
        entries_.push_back(InternalKeyWith(key, sequence));
        builder.Add(entries_.back(), std::string(value_size, 'v'));
      }
    }
    raw_ = builder.Finish().ToString();
  }

  // Of the bytes that were built, or what became of them.
  Block::Ptr MarkedBlock() const {
    Block::Ptr block = BlockWithBytes(raw_);
    EXPECT_EQ(block->ParseRestarts(), nullptr);
    block->MarkRestarts();
    return block;
  }

  void ExpectSearchesEndWhereTheyShould(const std::vector<std::string>& targets) {
    const Block::Ptr block = MarkedBlock();
    DataBlockIter it;
    it.Init(block.get(), &icmp_, /*bytewise=*/true);
    for (const std::string& target : targets) {
      it.Seek(target);
      const auto expected =
          std::find_if(entries_.begin(), entries_.end(),
                       [&](const std::string& entry) { return icmp_.Compare(entry, target) >= 0; });
      ASSERT_FALSE(it.corrupt());
      ASSERT_EQ(it.Valid(), expected != entries_.end()) << Slice(target).ToString(true);
      if (it.Valid()) {
        ASSERT_EQ(it.key().ToString(true), Slice(*expected).ToString(true));
      }
      it.SeekForPrev(target);
      const bool is_there = expected != entries_.end() && *expected == target;
      ASSERT_EQ(it.Valid(), is_there || expected != entries_.begin());
      if (it.Valid()) {
        ASSERT_EQ(it.key().ToString(true),
                  Slice(is_there ? *expected : *(expected - 1)).ToString(true));
      }
    }
  }

  const InternalKeyComparator icmp_{BytewiseComparator()};
  std::vector<std::string> entries_;
  std::string raw_;
};

TEST_F(RestartMarksTest, RandomKeysAreFoundAsWithoutThem) {
  Random64 random(17);
  for (int round = 0; round < 300; ++round) {
    std::string head(random.Uniform(3) == 0 ? random.Uniform(40) : 0, 'h');
    std::set<std::string> keys;
    const size_t wanted = 1 + random.Uniform(120);
    for (size_t i = 0; i < wanted; ++i) keys.insert(RandomKey(&random, head, 9));
    Build(keys, static_cast<int>(1 + random.Uniform(16)), random.Uniform(30));
    std::vector<std::string> targets = entries_;
    for (int i = 0; i < 200; ++i) {
      std::string target = RandomKey(&random, head, 9);
      if (random.Uniform(5) == 0) target = target.substr(0, random.Uniform(target.size() + 1));
      targets.push_back(InternalKeyWith(target, random.Uniform(12)));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSearchesEndWhereTheyShould(targets)) << "round " << round;
  }
}

// Blocks of more than 64 KiB, whose offsets the marks cannot hold.
TEST_F(RestartMarksTest, LargeBlocks) {
  Random64 random(23);
  for (const size_t entries : {6, 40, 300}) {
    std::set<std::string> keys;
    while (keys.size() < entries) keys.insert(RandomKey(&random, "k", 12));
    Build(keys, 4, 20000);
    ASSERT_NO_FATAL_FAILURE(ExpectSearchesEndWhereTheyShould(entries_));
  }
}

// With few restart points the marks say all, but for a restart point's own key.
TEST_F(RestartMarksTest, TheySaveTheBinarySearch) {
  std::set<std::string> keys;
  for (int i = 0; i < 12; ++i) keys.insert("key" + std::to_string(100 + i));
  Build(keys, 4, 100);  // 24 entries, 6 restart points
  const Block::Ptr block = MarkedBlock();
  ASSERT_EQ(block->num_restarts(), 6u);
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const RestartMarks::Range range = block->NarrowRestarts(ExtractUserKey(entries_[i]));
    const uint32_t interval = i / 4;
    if (i % 4 < 2 && interval > 0) {  // a restart point's user key: the sequence number decides
      EXPECT_EQ(range.low, interval - 1) << i;
      EXPECT_EQ(range.high, interval) << i;
    } else {
      EXPECT_EQ(range.low, interval) << i;
      EXPECT_EQ(range.high, interval) << i;
      EXPECT_NE(range.offset, RestartMarks::kUnknown) << i;
    }
  }
}

// Damaged restart points: no marks, and the search says that the block is corrupt, or ends.
TEST_F(RestartMarksTest, DamageIsLeftToTheSearch) {
  std::set<std::string> keys;
  for (int i = 0; i < 60; ++i) keys.insert("key" + std::to_string(100 + i));
  Build(keys, 8, 30);
  const std::string sound = raw_;
  Random64 random(5);
  for (int round = 0; round < 4000; ++round) {
    raw_ = sound;
    for (size_t n = 1 + random.Uniform(3); n > 0; --n) {
      raw_[random.Uniform(raw_.size())] = static_cast<char>(random.Uniform(256));
    }
    Block::Ptr block = BlockWithBytes(raw_);
    if (block->ParseRestarts() != nullptr) continue;
    block->MarkRestarts();
    DataBlockIter it;
    it.Init(block.get(), &icmp_, /*bytewise=*/true);
    for (const std::string& target : entries_) it.Seek(target);  // stays within the block
  }
}

}  // namespace
}  // namespace cairn
