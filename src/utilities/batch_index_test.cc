// The index of a WriteBatchWithIndex against a model: random updates and rollbacks in several
// orders and families, cursors that stand in it meanwhile, and what its tree does with keys that
// begin alike.
#include "utilities/batch_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.h"
#include "base/timestamps.h"
#include "batch/write_batch_internal.h"
#include "fiber/random.h"
#include "rocksdb/db.h"

namespace cairn {
namespace {

std::string SeedText(uint64_t seed) { return "seed " + std::to_string(seed); }

// Orders by length, then backward: prefixes tell nothing of it. Keys of equal letters in other case
// are equal.
class OddComparator final : public Comparator {
 public:
  const char* Name() const override { return "OddComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (size_t i = a.size(); i-- > 0;) {
      const int x = tolower(static_cast<unsigned char>(a[i]));
      const int y = tolower(static_cast<unsigned char>(b[i]));
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

struct Update {
  uint32_t family;
  WriteType type;
  std::string key;
  std::string value;
};

// A batch, its index, and what the index must show: worked out from the list of updates.
class Indexed {
 public:
  Indexed(const Comparator* comparator, bool overwrite)
      : batch(0, 0, 0, comparator->timestamp_size()),
        index(&batch, comparator, overwrite),
        comparator_(comparator) {}

  void Add(const Update& u) {
    ASSERT_TRUE(index.Reserve());
    const size_t offset = batch.GetDataSize();
    // Families by number, without handles.
    const Slice key(u.key), value(u.value);
    ASSERT_TRUE(Append(u).ok());
    index.Add(u.family, nullptr, key, u.type, offset);
    updates_.push_back(u);
    ends_.push_back(batch.GetDataSize());
  }
  void TruncateTo(size_t updates) {
    const size_t size = updates == 0 ? 12 : ends_[updates - 1];
    updates_.resize(updates);
    ends_.resize(updates);
    const std::string shorter = batch.Data().substr(0, size);
    ASSERT_TRUE(WriteBatchInternal::SetContents(&batch, shorter).ok());
    index.Truncate(size);
  }
  size_t updates() const { return updates_.size(); }

  // Of a family: in order of the keys, of one key the newest first.
  std::vector<Update> Model(uint32_t family) const {
    std::vector<Update> out;
    for (const Update& u : updates_) {
      if (u.family != family) continue;
      const auto same = [&](const Update& o) {
        return CompareBare(comparator_, o.key, u.key) == 0;
      };
      const auto newest = std::find_if(out.begin(), out.end(), same);
      if (index.overwrites() && newest != out.end() && u.type != kMergeRecord) {
        *newest = u;
      } else {
        const auto at = std::find_if(out.begin(), out.end(), [&](const Update& o) {
          return CompareBare(comparator_, o.key, u.key) >= 0;
        });
        out.insert(at, u);
      }
    }
    return out;
  }

  void Check(uint32_t family, Random64* random) const {
    const std::vector<Update> model = Model(family);
    BatchIndex::Cursor it(&index, family);
    size_t i = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next(), ++i) {
      ASSERT_LT(i, model.size());
      ASSERT_TRUE(Same(model[i], it.Entry())) << i;
    }
    ASSERT_EQ(model.size(), i);
    for (it.SeekToLast(); it.Valid(); it.Prev()) {
      ASSERT_TRUE(Same(model[--i], it.Entry())) << i;
    }
    ASSERT_EQ(0u, i);
    for (int n = 0; n < 20 && !model.empty(); ++n) {
      std::string key = model[random->Uniform(model.size())].key;
      if (random->Uniform(3) == 0) key += "b";
      if (random->Uniform(3) == 0 && !key.empty()) key.pop_back();
      CheckSeek(family, model, key);
    }
    const auto stat = index.stats().find(family);
    ASSERT_EQ(model.empty(), stat == index.stats().end());
    if (!model.empty()) {
      ASSERT_EQ(model.size(), stat->second.entry_count);
    }
    ASSERT_EQ(updates_.size(), index.size());
  }

  WriteBatch batch;
  BatchIndex index;

 private:
  Status Append(const Update& u) {
    class Handle final : public ColumnFamilyHandle {
     public:
      Handle(uint32_t id, const Comparator* order) : id_(id), order_(order) {}
      const std::string& GetName() const override { return name_; }
      uint32_t GetID() const override { return id_; }
      Status GetDescriptor(ColumnFamilyDescriptor*) override { return Status::NotSupported(); }
      const Comparator* GetComparator() const override { return order_; }

     private:
      const uint32_t id_;
      const Comparator* const order_;
      const std::string name_;
    };
    Handle handle(u.family, comparator_);
    switch (u.type) {
      case kMergeRecord:
        return batch.Merge(&handle, u.key, u.value);
      case kDeleteRecord:
        return batch.Delete(&handle, u.key);
      case kSingleDeleteRecord:
        return batch.SingleDelete(&handle, u.key);
      default:
        return batch.Put(&handle, u.key, u.value);
    }
  }
  static bool Same(const Update& u, const WriteEntry& entry) {
    return u.type == entry.type && entry.key == u.key && entry.value == u.value;
  }
  void CheckSeek(uint32_t family, const std::vector<Update>& model, const std::string& key) const {
    const auto first = std::find_if(model.begin(), model.end(), [&](const Update& u) {
      return CompareBare(comparator_, u.key, key) >= 0;
    });
    BatchIndex::Cursor it(&index, family);
    it.Seek(key);
    ASSERT_EQ(first != model.end(), it.Valid());
    if (it.Valid()) {
      ASSERT_TRUE(Same(*first, it.Entry()));
    }
    const bool found = first != model.end() && CompareBare(comparator_, first->key, key) == 0;
    WriteEntry entry;
    ASSERT_EQ(found, index.Newest(family, key, &entry));
    if (found) {
      ASSERT_TRUE(Same(*first, entry));
    }
    const auto beyond = std::find_if(model.begin(), model.end(), [&](const Update& u) {
      return CompareBare(comparator_, u.key, key) > 0;
    });
    it.SeekForPrev(key);
    ASSERT_EQ(beyond != model.begin(), it.Valid());
    if (it.Valid()) {
      ASSERT_TRUE(Same(*std::prev(beyond), it.Entry()));
    }
  }

  const Comparator* const comparator_;
  std::vector<Update> updates_;
  std::vector<size_t> ends_;  // of each update in the batch
};

void RunRandom(const Comparator* comparator, bool overwrite, uint64_t seed) {
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Indexed indexed(comparator, overwrite);
  const std::string beginning(random.Uniform(12), 'a');
  for (int i = 0; i < 1500; ++i) {
    Update u;
    u.family = static_cast<uint32_t>(random.Uniform(3) * 70);
    constexpr WriteType kTypes[] = {kPutRecord, kPutRecord, kMergeRecord, kDeleteRecord,
                                    kSingleDeleteRecord};
    u.type = kTypes[random.Uniform(5)];
    u.key = random.Uniform(40) == 0 ? "" : beginning;
    for (size_t n = random.Uniform(5); n > 0; --n) u.key += "abAB"[random.Uniform(4)];
    if (u.type == kPutRecord || u.type == kMergeRecord) u.value = std::to_string(i);
    ASSERT_NO_FATAL_FAILURE(indexed.Add(u));
    if (random.Uniform(200) == 0) {
      indexed.TruncateTo(random.Uniform(indexed.updates() + 1));
    }
    if (i % 100 == 99) {
      for (const uint32_t family : {0u, 70u, 140u, 1u}) {
        ASSERT_NO_FATAL_FAILURE(indexed.Check(family, &random)) << "update " << i;
      }
    }
  }
}

TEST(BatchIndexTest, BehavesLikeTheModel) {
  for (int round = 0; round < 6; ++round) {
    RunRandom(BytewiseComparator(), round % 2 == 0, fiber::random_u64());
  }
}

TEST(BatchIndexTest, BehavesLikeTheModelInReverseOrder) {
  RunRandom(ReverseBytewiseComparator(), true, fiber::random_u64());
  RunRandom(ReverseBytewiseComparator(), false, fiber::random_u64());
}

// Keys of which the batch has more than the index shows.
TEST(BatchIndexTest, BehavesLikeTheModelOverTimestamps) {
  for (const Comparator* order :
       {BytewiseComparatorWithU64Ts(), ReverseBytewiseComparatorWithU64Ts()}) {
    RunRandom(order, true, fiber::random_u64());
    RunRandom(order, false, fiber::random_u64());
  }
}

TEST(BatchIndexTest, BehavesLikeTheModelInAnOrderWhereDifferentKeysAreEqual) {
  const OddComparator odd;
  RunRandom(&odd, true, fiber::random_u64());
  RunRandom(&odd, false, fiber::random_u64());
}

// Enough entries for three levels, with rollbacks over all of them.
TEST(BatchIndexTest, LargeTreesKeepTheirOrder) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  for (const bool ascending : {true, false}) {
    Random64 random(seed);
    Indexed indexed(BytewiseComparator(), true);
    std::map<std::string, std::string> model, saved;
    size_t saved_at = 0;
    for (int i = 0; i < 40'000; ++i) {
      const std::string key =
          "key" + std::to_string(ascending ? 1'000'000 + i : random.Uniform(1'000'000));
      const std::string value = std::to_string(i);
      ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kPutRecord, key, value}));
      model[key] = value;
      if (i == 20'000) {
        saved = model;
        saved_at = indexed.updates();
      }
      if (i == 30'000) {
        indexed.TruncateTo(saved_at);
        model = saved;
      }
    }
    BatchIndex::Cursor it(&indexed.index, 0);
    it.SeekToFirst();
    for (const auto& [key, value] : model) {
      ASSERT_TRUE(it.Valid());
      ASSERT_EQ(key, it.key());
      ASSERT_EQ(value, it.Entry().value);
      it.Next();
    }
    ASSERT_FALSE(it.Valid());
  }
}

// Keys that were made to take the common beginning down byte by byte.
TEST(BatchIndexTest, ShrinkingBeginnings) {
  Indexed indexed(BytewiseComparator(), false);
  Random64 random(1);
  std::map<std::string, bool> keys;
  for (int length = 300; length > 0; --length) {
    for (int i = 0; i < 3; ++i) {
      const std::string key = std::string(static_cast<size_t>(length), 'p') + std::to_string(i);
      keys[key] = true;
      ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kDeleteRecord, key, ""}));
    }
  }
  ASSERT_NO_FATAL_FAILURE(indexed.Check(0, &random));
  BatchIndex::Cursor it(&indexed.index, 0);
  it.SeekToFirst();
  for (const auto& [key, there] : keys) {
    ASSERT_TRUE(it.Valid() && there);
    ASSERT_EQ(key, it.key());
    it.Next();
  }
}

// A cursor per entry of the model stands there while the tree splits under it.
TEST(BatchIndexTest, CursorsStayAtTheirEntries) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Indexed indexed(BytewiseComparator(), true);
  std::vector<std::string> keys;
  std::vector<BatchIndex::Cursor> cursors;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = std::to_string(random.Uniform(100'000));
    ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kPutRecord, key, "v" + std::to_string(i)}));
    if (i % 20 == 0) {
      keys.push_back(key);
      cursors.emplace_back(&indexed.index, 0);
      cursors.back().Seek(key);
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(cursors[i].Valid());
    ASSERT_EQ(keys[i], cursors[i].key());
    WriteEntry newest;
    ASSERT_TRUE(indexed.index.Newest(0, keys[i], &newest));
    ASSERT_EQ(newest.value, cursors[i].Entry().value);
  }
}

TEST(BatchIndexTest, CursorsOfWhatWasTakenBackAreOver) {
  Indexed indexed(BytewiseComparator(), true);
  ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kPutRecord, "a", "1"}));
  ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kPutRecord, "b", "2"}));
  BatchIndex::Cursor it(&indexed.index, 0);
  it.Seek("b");
  ASSERT_TRUE(it.Valid());
  indexed.TruncateTo(1);
  EXPECT_FALSE(it.Valid());
  it.Next();
  it.Prev();
  EXPECT_FALSE(it.Valid());
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  indexed.batch.Clear();
  indexed.index.Clear();
  EXPECT_FALSE(it.Valid());
}

TEST(BatchIndexTest, CountsUpdatesAndOverwrittenSingleDeletes) {
  Indexed indexed(BytewiseComparator(), true);
  for (const WriteType type : {kPutRecord, kSingleDeleteRecord, kPutRecord, kPutRecord}) {
    ASSERT_NO_FATAL_FAILURE(indexed.Add({0, type, "a", type == kPutRecord ? "v" : std::string()}));
  }
  BatchIndex::Cursor it(&indexed.index, 0);
  it.SeekToFirst();
  EXPECT_EQ(4u, it.updates());
  EXPECT_TRUE(it.overwrote_single_delete());
  EXPECT_EQ(1u, indexed.index.stats().at(0).overwritten_sd_count);
  EXPECT_EQ(1u, indexed.index.stats().at(0).entry_count);
  indexed.TruncateTo(2);
  it.SeekToFirst();
  EXPECT_EQ(2u, it.updates());
  EXPECT_FALSE(it.overwrote_single_delete());
  EXPECT_EQ(0u, indexed.index.stats().at(0).overwritten_sd_count);
}

TEST(BatchIndexTest, GroupsOfOneKey) {
  Indexed indexed(BytewiseComparator(), false);
  for (int i = 0; i < 100; ++i) {
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_NO_FATAL_FAILURE(indexed.Add({0, kPutRecord, key, std::to_string(i)}));
    }
  }
  BatchIndex::Cursor it(&indexed.index, 0);
  it.SeekForPrev("b");
  EXPECT_EQ("0", it.Entry().value);
  it.ToNewest();
  EXPECT_EQ("99", it.Entry().value);
  it.NextKey();
  EXPECT_EQ("c", it.key());
  EXPECT_EQ("99", it.Entry().value);
  it.PrevKey();
  it.PrevKey();
  EXPECT_EQ("a", it.key());
  EXPECT_EQ("99", it.Entry().value);
  it.PrevKey();
  EXPECT_FALSE(it.Valid());
}

}  // namespace
}  // namespace cairn
