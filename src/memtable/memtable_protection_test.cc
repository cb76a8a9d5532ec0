// Checksums behind a memtable's entries (memtable_protection_bytes_per_key): each bit that memory
// forgets is missed by whoever reads.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/entry_checksum.h"
#include "memtable/memtable.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice_transform.h"

namespace cairn {

// Sees where a memtable keeps what it shows nobody.
class MemTablePeer {
 public:
  // Both ends of each range.
  static std::vector<Slice> TombstoneEnds(const MemTable& table) {
    fiber::MutexLock lock(&table.tombstone_mutex_);
    std::vector<Slice> ends;
    for (const auto& one : table.tombstones_) {
      ends.push_back(one.start);
      ends.push_back(one.end);
    }
    return ends;
  }
};

namespace {

class MemTableProtectionTest : public ::testing::TestWithParam<std::tuple<MemTableKind, size_t>> {
 protected:
  MemTableProtectionTest()
      : comparator_(BytewiseComparator()), extractor_(NewFixedPrefixTransform(1)) {
    MemTableOptions options;
    options.kind = std::get<0>(GetParam());
    options.prefix_extractor = extractor_.get();
    options.hash.buckets = 7;
    options.links.buckets = 2;
    options.links.longest = 3;
    options.protection_bytes = std::get<1>(GetParam());
    table_ = new MemTable(comparator_, options, 0);
    Add(3, kTypeValue, "a", "first");
    Add(4, kTypeValue, "b", "second");
    Add(5, kTypeDeletion, "c", "");
    Add(6, kTypeMerge, "d", "operand");
    Add(7, kTypeRangeDeletion, "x", "z");
  }
  ~MemTableProtectionTest() override { table_->Unref(); }

  void Add(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value) {
    ASSERT_TRUE(table_->Add(seq, type, key, value, /*allow_concurrent=*/false).ok());
  }

  // How many entries a walk sees, and how it ends.
  static Status Walk(InternalIterator* iter, int* seen) {
    *seen = 0;
    for (iter->SeekToFirst(); iter->Valid(); iter->Next()) ++*seen;
    return iter->status();
  }
  Status Get(const std::string& key, std::string* value) const {
    Slice found;
    Status s;
    const bool decided = table_->Get(LookupKey(key, 100), &found, &s);
    *value = found.ToString();
    return decided ? s : Status::NotFound();
  }

  const InternalKeyComparator comparator_;
  const std::unique_ptr<const SliceTransform> extractor_;
  MemTable* table_;
};

INSTANTIATE_TEST_SUITE_P(
    KindsAndBytes, MemTableProtectionTest,
    ::testing::Combine(::testing::Values(MemTableKind::kSkipList, MemTableKind::kVector,
                                         MemTableKind::kHashSkipList, MemTableKind::kHashLinkList),
                       ::testing::Values(1, 2, 4, 8)));

TEST_P(MemTableProtectionTest, WhatIsIntactReadsAsEver) {
  std::string value;
  EXPECT_TRUE(Get("a", &value).ok());
  EXPECT_EQ(value, "first");
  EXPECT_TRUE(Get("c", &value).IsNotFound());
  int seen;
  std::unique_ptr<InternalIterator> iter(table_->NewIterator());
  EXPECT_TRUE(Walk(iter.get(), &seen).ok());
  EXPECT_EQ(seen, 4);
  iter.reset(table_->NewTraversal());
  EXPECT_TRUE(Walk(iter.get(), &seen).ok());
  EXPECT_EQ(seen, 4);
  EXPECT_TRUE(table_->VerifyRangeTombstones().ok());
}

// (One byte of a checksum misses one of 256 damages that are large; of one bit it misses none here,
// which are always the same.)
TEST_P(MemTableProtectionTest, EachBitIsMissed) {
  std::unique_ptr<InternalIterator> probe(table_->NewIterator());
  probe->SeekToFirst();
  probe->Next();
  ASSERT_TRUE(probe->Valid());
  ASSERT_EQ(ExtractUserKey(probe->key()).ToString(), "b");
  // The value, and the checksum itself. (A key that changed is in the wrong place, too.)
  char* const from = const_cast<char*>(probe->value().data());
  const size_t bytes = probe->value().size() + std::get<1>(GetParam());
  int missed = 0;
  for (size_t at = 0; at < bytes; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      from[at] ^= static_cast<char>(1 << bit);
      std::string value;
      missed += Get("b", &value).IsCorruption();
      int seen;
      std::unique_ptr<InternalIterator> iter(table_->NewIterator());
      EXPECT_EQ(Walk(iter.get(), &seen).IsCorruption(), Get("b", &value).IsCorruption());
      iter.reset(table_->NewTraversal());
      EXPECT_EQ(Walk(iter.get(), &seen).IsCorruption(), Get("b", &value).IsCorruption());
      // Others are as they were, and an iterator that is moved elsewhere goes on.
      EXPECT_TRUE(Get("a", &value).ok());
      from[at] ^= static_cast<char>(1 << bit);
    }
  }
  // Of one byte a hash may agree by chance, in a 256th of the cases.
  const int trials = static_cast<int>(bytes) * 8;
  EXPECT_GE(missed, std::get<1>(GetParam()) == 1 ? trials - 4 : trials);
  std::string value;
  EXPECT_TRUE(Get("b", &value).ok());
}

TEST_P(MemTableProtectionTest, AnIteratorStopsThereAndGoesOnElsewhere) {
  std::unique_ptr<InternalIterator> iter(table_->NewIterator());
  iter->SeekToFirst();
  iter->Next();
  char* const at = const_cast<char*>(iter->value().data());
  *at ^= 4;
  iter->SeekToFirst();
  ASSERT_TRUE(iter->Valid());
  iter->Next();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsCorruption());
  iter->SeekToLast();
  EXPECT_TRUE(iter->Valid());
  EXPECT_TRUE(iter->status().ok());
  iter->Seek(LookupKey("b", 100).internal_key());
  EXPECT_TRUE(iter->status().IsCorruption());
  *at ^= 4;
  iter->SeekForPrev(LookupKey("c", 100).internal_key());
  EXPECT_TRUE(iter->Valid());
}

TEST_P(MemTableProtectionTest, MergeOperandsAndTombstones) {
  std::unique_ptr<InternalIterator> iter(table_->NewIterator());
  iter->SeekToLast();
  ASSERT_EQ(ExtractUserKey(iter->key()).ToString(), "d");
  char* const at = const_cast<char*>(iter->value().data());
  *at ^= 1;
  std::string value;
  EXPECT_TRUE(Get("d", &value).IsCorruption());
  *at ^= 1;
  for (const Slice& end : MemTablePeer::TombstoneEnds(*table_)) {
    *const_cast<char*>(end.data()) ^= 1;
    EXPECT_TRUE(table_->VerifyRangeTombstones().IsCorruption());
    *const_cast<char*>(end.data()) ^= 1;
  }
  EXPECT_TRUE(table_->VerifyRangeTombstones().ok());
}

// (The checked search finds what the usual one does, forward and backward.)
TEST(MemTableSearchTest, CheckedSearchesFindTheSame) {
  const InternalKeyComparator comparator(BytewiseComparator());
  MemTableOptions options;
  MemTable* const plain = new MemTable(comparator, options, 0);
  options.check_order = true;
  options.check_on_seek = true;
  options.protection_bytes = 8;
  MemTable* const checked = new MemTable(comparator, options, 0);
  for (uint64_t i = 0; i < 1000; ++i) {
    const std::string key = std::to_string(i * 7919 % 1000 * 2 + 10000);
    for (MemTable* const table : {plain, checked}) {
      ASSERT_TRUE(table->Add(i + 1, kTypeValue, key, std::to_string(i), false).ok());
    }
  }
  const std::unique_ptr<InternalIterator> a(plain->NewIterator());
  const std::unique_ptr<InternalIterator> b(checked->NewIterator());
  const auto expect_same = [&] {
    ASSERT_TRUE(b->status().ok());
    ASSERT_EQ(a->Valid(), b->Valid());
    if (!a->Valid()) return;
    ASSERT_EQ(a->key().ToString(), b->key().ToString());
    ASSERT_EQ(a->value().ToString(), b->value().ToString());
  };
  for (uint64_t i = 9999; i < 12003; ++i) {
    const LookupKey target(std::to_string(i), i % 3 == 0 ? 500 : 5000);
    a->Seek(target.internal_key());
    b->Seek(target.internal_key());
    expect_same();
    a->SeekForPrev(target.internal_key());
    b->SeekForPrev(target.internal_key());
    expect_same();
    if (a->Valid() && i % 2 == 0) {
      a->Next();
      b->Next();
      expect_same();
    } else if (a->Valid()) {
      a->Prev();
      b->Prev();
      expect_same();
    }
    Slice found[2];
    Status s[2];
    ASSERT_EQ(plain->Get(target, &found[0], &s[0]), checked->Get(target, &found[1], &s[1]));
    ASSERT_EQ(found[0].ToString(), found[1].ToString());
  }
  a->SeekToFirst();
  b->SeekToFirst();
  expect_same();
  a->SeekToLast();
  b->SeekToLast();
  expect_same();
  plain->Unref();
  checked->Unref();
}

TEST_P(MemTableProtectionTest, WhatDoesNotArriveAsItWasIsNotAdded) {
  const uint64_t right = EntryChecksum(kTypeValue, "new", "value");
  const uint64_t wrong = right + 1;
  EXPECT_TRUE(table_->Add(10, kTypeValue, "new", "value", false, nullptr, &wrong).IsCorruption());
  std::string value;
  EXPECT_TRUE(Get("new", &value).IsNotFound());
  EXPECT_TRUE(table_->Add(10, kTypeValue, "new", "value", false, nullptr, &right).ok());
  EXPECT_TRUE(Get("new", &value).ok());
  EXPECT_TRUE(table_->Add(11, kTypeRangeDeletion, "p", "q", false, nullptr, &wrong).IsCorruption());
  EXPECT_EQ(table_->num_range_tombstones(), 1u);
}

}  // namespace
}  // namespace cairn
