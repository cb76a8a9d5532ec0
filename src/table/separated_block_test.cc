#include "table/separated_block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/coding.h"
#include "table/block_builder.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::IKey;

Block::Ptr BlockOf(const Slice& bytes) {
  Block::Ptr block = Block::Allocate(bytes.size(), 0, 0);
  std::memcpy(block->mutable_data(), bytes.data(), bytes.size());
  return block;
}

std::string Usual(int restart_interval, bool hash_index, int entries) {
  BlockBuilder builder(restart_interval);
  if (hash_index) builder.EnableHashIndex(0.75);
  for (int i = 0; i < entries; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%07d", i * 3);
    std::string user_key = key;
    if (i % 5 == 0) user_key += std::string(200, 'k');  // lengths of two bytes
    builder.Add(IKey(user_key, 7), std::string(static_cast<size_t>(i * 37 % 300), 'v'));
    builder.AddToHashIndex(user_key);
  }
  return builder.Finish().ToString();
}

// The usual layout into the other one, as RocksDB 11 writes it.
std::string Separate(const std::string& usual) {
  const Block::Ptr block = BlockOf(usual);
  EXPECT_EQ(block->ParseRestarts(), nullptr);
  const char* const begin = block->data();
  const char* const limit = begin + block->restarts_offset();
  std::string keys, values, restarts;
  for (const char* p = begin; p < limit;) {
    uint32_t shared, other, value_size;
    const char* const k = block_internal::DecodeEntry(p, limit, &shared, &other, &value_size);
    const bool restart = restarts.size() / 4 < block->num_restarts() &&
                         DecodeFixed32(limit + restarts.size()) == static_cast<size_t>(p - begin);
    if (restart) PutFixed32(&restarts, static_cast<uint32_t>(keys.size()));
    PutVarint32(&keys, shared);
    PutVarint32(&keys, other);
    PutVarint32(&keys, value_size);
    if (restart) PutVarint32(&keys, static_cast<uint32_t>(values.size()));
    keys.append(k, other);
    values.append(k + other, value_size);
    p = k + other + value_size;
  }
  if (keys.empty()) PutFixed32(&restarts, 0);
  // What follows the restart points: hash index, if any, and the last word.
  const std::string rest(limit + restarts.size(), begin + usual.size());
  std::string result = keys + values + restarts + rest.substr(0, rest.size() - 4);
  PutFixed32(&result, static_cast<uint32_t>(keys.size()));
  PutFixed32(&result, DecodeFixed32(rest.data() + rest.size() - 4) | block_footer::kSeparateValues);
  return result;
}

TEST(SeparatedBlockTest, BecomesTheUsualLayout) {
  for (const int interval : {1, 2, 16}) {
    for (const bool hash_index : {false, true}) {
      for (const int entries : {0, 1, 2, 16, 17, 100}) {
        const std::string usual = Usual(interval, hash_index, entries);
        const Block::Ptr apart = BlockOf(Separate(usual));
        ASSERT_TRUE(HasSeparateValues(*apart));
        const Block::Ptr joined = Block::Allocate(apart->size(), 0, 0);
        ASSERT_EQ(JoinValues(*apart, joined.get()), nullptr);
        EXPECT_EQ(joined->contents().ToString(true), Slice(usual).ToString(true))
            << interval << " " << hash_index << " " << entries;
        EXPECT_FALSE(HasSeparateValues(*joined));
      }
    }
  }
}

TEST(SeparatedBlockTest, IsRefusedWhereNobodyJoinsIt) {
  const Block::Ptr apart = BlockOf(Separate(Usual(16, false, 20)));
  EXPECT_NE(apart->ParseRestarts(), nullptr);
  EXPECT_TRUE(apart->HasUnknownFeature());
}

TEST(SeparatedBlockTest, DamageIsFoundOrStaysInside) {
  const InternalKeyComparator icmp(BytewiseComparator());
  for (const bool hash_index : {false, true}) {
    const std::string good = Separate(Usual(4, hash_index, 30));
    int found = 0;
    for (size_t at = 0; at < good.size(); ++at) {
      for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ flip);
        const Block::Ptr apart = BlockOf(bad);
        if (!HasSeparateValues(*apart)) continue;
        const Block::Ptr joined = Block::Allocate(apart->size(), 0, 0);
        if (JoinValues(*apart, joined.get()) != nullptr || joined->ParseRestarts() != nullptr) {
          ++found;
          continue;
        }
        DataBlockIter it;
        it.Init(joined.get(), &icmp, true);
        for (it.SeekToFirst(); it.Valid(); it.Next()) {
          EXPECT_LE(it.value().data() + it.value().size(), joined->data() + joined->size());
        }
      }
    }
    EXPECT_GT(found, 100);
    for (size_t size = 0; size < good.size(); ++size) {
      // Ends as such a block does, but has lost its head.
      const Block::Ptr apart = BlockOf(Slice(good.data() + good.size() - size, size));
      if (!HasSeparateValues(*apart)) continue;
      const Block::Ptr joined = Block::Allocate(apart->size(), 0, 0);
      EXPECT_NE(JoinValues(*apart, joined.get()), nullptr) << size;
    }
  }
}

TEST(SeparatedBlockTest, EvenKeysAreAHint) {
  std::string bytes = Usual(1, false, 20);
  EncodeFixed32(bytes.data() + bytes.size() - 4,
                DecodeFixed32(bytes.data() + bytes.size() - 4) | block_footer::kEvenKeys);
  const Block::Ptr block = BlockOf(bytes);
  ASSERT_EQ(block->ParseRestarts(), nullptr);
  EXPECT_EQ(block->num_restarts(), 20u);
  const InternalKeyComparator icmp(BytewiseComparator());
  DataBlockIter it;
  it.Init(block.get(), &icmp, true);
  it.Seek(IKey("key0000030", kMaxSequenceNumber, kValueTypeForSeek));
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(ExtractUserKey(it.key()).ToString().substr(0, 10), "key0000030");
}

}  // namespace
}  // namespace cairn
