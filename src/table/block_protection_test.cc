// Blocks whose entries have checksums: cursors do what those over others do, and no wrong byte is
// believed.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "rocksdb/comparator.h"
#include "table/block.h"
#include "table/block_builder.h"

namespace cairn {
namespace {

Block::Ptr BlockWith(const std::string& bytes) {
  Block::Ptr block = Block::Allocate(bytes.size(), 0, 0);
  std::memcpy(block->mutable_data(), bytes.data(), bytes.size());
  return block;
}

std::string InternalKeyOf(int i, SequenceNumber sequence = 7) {
  char text[16];
  snprintf(text, sizeof(text), "key%05d", i);
  std::string key(text);
  AppendInternalKeyFooter(&key, sequence, kTypeValue);
  return key;
}

// Keys 0, 2, 4 ...
std::string DataBlockOf(int entries, int interval, bool hash_index = false) {
  BlockBuilder builder(interval);
  if (hash_index) builder.EnableHashIndex(0.75);
  builder.Reset();
  Random64 random(3);
  for (int i = 0; i < entries; ++i) {
    const std::string key = InternalKeyOf(2 * i);
    builder.Add(key, std::string(random.Uniform(40), static_cast<char>('a' + i)));
    builder.AddToHashIndex(ExtractUserKey(key));
  }
  return builder.Finish().ToString();
}

std::pair<std::string, std::string> At(const DataBlockIter& it) {
  return it.Valid() ? std::pair(it.key().ToString(), it.value().ToString())
                    : std::pair<std::string, std::string>();
}

// `at`: what a cursor shows.
template <typename Cursor, typename At>
void ExpectSameBothWays(Cursor* a, Cursor* b, const At& at) {
  a->SeekToFirst();
  b->SeekToFirst();
  for (; a->Valid(); a->Next(), b->Next()) ASSERT_EQ(at(*a), at(*b));
  EXPECT_FALSE(b->Valid() || b->corrupt());
  a->SeekToLast();
  b->SeekToLast();
  for (; a->Valid(); a->Prev(), b->Prev()) ASSERT_EQ(at(*a), at(*b));
  EXPECT_FALSE(b->Valid() || b->corrupt());
}

class BlockProtectionTest : public ::testing::TestWithParam<int> {
 protected:
  uint8_t bytes() const { return static_cast<uint8_t>(GetParam()); }

  const InternalKeyComparator icmp_{BytewiseComparator()};
};

TEST_P(BlockProtectionTest, CursorsDoTheSame) {
  for (const int entries : {1, 2, 16, 17, 100}) {
    for (const int interval : {1, 2, 16}) {
      const std::string raw = DataBlockOf(entries, interval);
      const Block::Ptr plain = BlockWith(raw);
      const Block::Ptr guarded = BlockWith(raw);
      ASSERT_EQ(plain->ParseRestarts(), nullptr);
      ASSERT_EQ(guarded->ParseRestarts(), nullptr);
      const size_t before = guarded->memory_usage();
      ASSERT_EQ(guarded->Protect(bytes()), nullptr);
      EXPECT_GE(guarded->memory_usage(), before + static_cast<size_t>(entries) * bytes());
      EXPECT_TRUE(guarded->IsAsItWas());
      DataBlockIter a, b;
      a.Init(plain.get(), &icmp_, true);
      b.Init(guarded.get(), &icmp_, true);
      EXPECT_FALSE(b.Valid());
      ExpectSameBothWays(&a, &b, At);
      Random64 random(5);
      for (int i = -1; i <= 2 * entries + 1; ++i) {
        const std::string target = InternalKeyOf(i, random.Uniform(15));
        a.Seek(target);
        b.Seek(target);
        ASSERT_EQ(At(a), At(b)) << i;
        a.SeekForPrev(target);
        b.SeekForPrev(target);
        ASSERT_EQ(At(a), At(b)) << i;
        for (int step = 0; step < 20 && a.Valid(); ++step) {
          ASSERT_TRUE(b.Valid());
          const bool forward = random.Uniform(2) == 0;
          forward ? a.Next() : a.Prev();
          forward ? b.Next() : b.Prev();
          ASSERT_EQ(At(a), At(b));
        }
        EXPECT_FALSE(b.corrupt());
      }
    }
  }
}

TEST_P(BlockProtectionTest, AnEmptyBlockStaysEmpty) {
  const Block::Ptr block = BlockWith(DataBlockOf(0, 16));
  ASSERT_EQ(block->ParseRestarts(), nullptr);
  ASSERT_EQ(block->Protect(bytes()), nullptr);
  EXPECT_TRUE(block->IsAsItWas());
  DataBlockIter it;
  it.Init(block.get(), &icmp_, true);
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  it.SeekToLast();
  EXPECT_FALSE(it.Valid());
  it.Seek(InternalKeyOf(1));
  EXPECT_FALSE(it.Valid() || it.corrupt());
}

TEST_P(BlockProtectionTest, TheHashIndexGoes) {
  const Block::Ptr block = BlockWith(DataBlockOf(20, 4, /*hash_index=*/true));
  ASSERT_EQ(block->ParseRestarts(), nullptr);
  ASSERT_TRUE(block->has_hash_index());
  ASSERT_EQ(block->Protect(bytes()), nullptr);
  EXPECT_FALSE(block->has_hash_index());
  DataBlockIter it;
  it.Init(block.get(), &icmp_, true);
  it.Seek(InternalKeyOf(6));
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.key().ToString(), InternalKeyOf(6));
}

TEST_P(BlockProtectionTest, WhatIsDamagedBeforeIsTold) {
  const std::string good = DataBlockOf(40, 8);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0xff);
    const Block::Ptr block = BlockWith(bad);
    if (block->ParseRestarts() != nullptr) continue;
    block->Protect(bytes());  // an error, or a block of other entries
  }
}

// One byte of an entry is another one: what a cursor shows is right all the same, or it says that
// the block is corrupt. With one byte of checksum the chance that it is not seen is 1/256.
TEST_P(BlockProtectionTest, NoWrongByteIsBelieved) {
  const std::string raw = DataBlockOf(20, 4);
  const Block::Ptr block = BlockWith(raw);
  ASSERT_EQ(block->ParseRestarts(), nullptr);
  const auto end = static_cast<size_t>(block->restarts_offset());
  std::map<std::string, std::string> model;
  DataBlockIter it;
  it.Init(block.get(), &icmp_, true);
  for (it.SeekToFirst(); it.Valid(); it.Next()) model.insert(At(it));
  ASSERT_EQ(block->Protect(bytes()), nullptr);
  int believed = 0, seen = 0;
  for (size_t at = 0; at < raw.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      char* const byte = block->mutable_data() + at;
      *byte = static_cast<char>(*byte ^ change);
      if (at < end) believed += block->IsAsItWas();
      it.Init(block.get(), &icmp_, true);
      for (int i = 0; i < 41; ++i) {
        const std::string target = InternalKeyOf(i);
        it.Init(block.get(), &icmp_, true);
        it.Seek(target);
        if (it.corrupt()) {
          EXPECT_FALSE(it.Valid());
          ++seen;
          continue;
        }
        const auto expected = model.lower_bound(target);
        believed += it.Valid() ? expected == model.end() ||
                                     At(it) != std::pair(expected->first, expected->second)
                               : expected != model.end();
      }
      // Both ways.
      size_t forward = 0, backward = 0;
      for (it.SeekToFirst(); it.Valid(); it.Next()) ++forward;
      believed += !it.corrupt() && (forward != model.size() || at < end);
      it.Init(block.get(), &icmp_, true);
      for (it.SeekToLast(); it.Valid(); it.Prev()) ++backward;
      believed += !it.corrupt() && backward != model.size();
      *byte = static_cast<char>(*byte ^ change);
    }
  }
  EXPECT_TRUE(block->IsAsItWas());
  EXPECT_GT(seen, 0);
  if (bytes() >= 4) {
    EXPECT_EQ(believed, 0);
  } else {
    EXPECT_LT(believed, seen / (bytes() == 1 ? 50 : 5'000) + 1);
  }
}

class IndexProtectionTest
    : public ::testing::TestWithParam<std::tuple<int, bool, bool, int, bool>> {
 protected:
  IndexFormat format() const {
    IndexFormat format;
    format.user_keys = std::get<1>(GetParam());
    format.delta_values = std::get<2>(GetParam());
    format.has_first_key = std::get<4>(GetParam());
    return format;
  }
  std::string Separator(int i) const {
    std::string key = InternalKeyOf(i);
    if (format().user_keys) key.resize(key.size() - 8);
    return key;
  }
  // Blocks of 100 bytes and more, one behind the other, up to keys 0, 2, 4 ...
  std::string Raw(int entries) const {
    BlockBuilder builder(std::get<3>(GetParam()), /*use_delta_encoding=*/true,
                         format().delta_values);
    builder.Reset();
    BlockHandle handle, last;
    for (int i = 0; i < entries; ++i) {
      handle.size = 100 + static_cast<uint64_t>(i) % 7;
      std::string whole, delta;
      handle.EncodeTo(&whole);
      PutVarsignedint64(&delta, static_cast<int64_t>(handle.size - last.size));
      if (format().has_first_key) {
        PutLengthPrefixedSlice(&whole, InternalKeyOf(2 * i));
        PutLengthPrefixedSlice(&delta, InternalKeyOf(2 * i));
      }
      const Slice as_delta(delta);
      builder.Add(Separator(2 * i), whole, format().delta_values ? &as_delta : nullptr);
      last = handle;
      handle.offset += handle.size + kBlockTrailerSize;
    }
    return builder.Finish().ToString();
  }
  static std::pair<std::string, uint64_t> At(const IndexBlockIter& it) {
    if (!it.Valid()) return {};
    return {it.key().ToString() + it.first_key().ToString(),
            it.handle().offset * 1000 + it.handle().size};
  }

  const InternalKeyComparator icmp_{BytewiseComparator()};
};

TEST_P(IndexProtectionTest, CursorsDoTheSameAndNoWrongByteIsBelieved) {
  const auto bytes = static_cast<uint8_t>(std::get<0>(GetParam()));
  const std::string raw = Raw(20);
  IndexBlock plain(BlockWith(raw), format());
  Block::Ptr owned = BlockWith(raw);
  char* const data = owned->mutable_data();
  IndexBlock guarded(std::move(owned), format());
  ASSERT_EQ(plain.Init(true), nullptr);
  ASSERT_EQ(guarded.Init(true), nullptr);
  const auto end = static_cast<size_t>(guarded.block().restarts_offset());
  ASSERT_EQ(guarded.Protect(bytes), nullptr);
  EXPECT_FALSE(guarded.has_prefixes());
  EXPECT_TRUE(guarded.IsAsItWas());
  IndexBlockIter a, b;
  a.Init(&plain, &icmp_, true);
  b.Init(&guarded, &icmp_, true);
  ExpectSameBothWays(&a, &b, At);
  std::vector<std::pair<std::string, uint64_t>> expected;
  for (int i = 0; i <= 41; ++i) {
    a.Seek(InternalKeyOf(i));
    b.Seek(InternalKeyOf(i));
    ASSERT_EQ(At(a), At(b)) << i;
    expected.push_back(At(a));
  }
  int believed = 0, seen = 0;
  for (size_t at = 0; at < end; ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      data[at] = static_cast<char>(data[at] ^ change);
      believed += guarded.IsAsItWas();
      for (int i = 0; i <= 41; ++i) {
        b.Init(&guarded, &icmp_, true);
        b.Seek(InternalKeyOf(i));
        if (b.corrupt()) {
          ++seen;
        } else {
          believed += At(b) != expected[static_cast<size_t>(i)];
        }
      }
      data[at] = static_cast<char>(data[at] ^ change);
    }
  }
  EXPECT_GT(seen, 0);
  EXPECT_LE(believed, bytes == 8 ? 0 : seen / 50);
}

INSTANTIATE_TEST_SUITE_P(BytesPerKey, BlockProtectionTest, ::testing::Values(1, 2, 4, 8));
INSTANTIATE_TEST_SUITE_P(Formats, IndexProtectionTest,
                         ::testing::Combine(::testing::Values(1, 8), ::testing::Bool(),
                                            ::testing::Bool(), ::testing::Values(1, 4),
                                            ::testing::Bool()));

}  // namespace
}  // namespace cairn
