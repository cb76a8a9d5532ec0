// The user's iterator and point lookups over memtables and real tables, against a model of all
// versions.
#include "read/db_iterator.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "read/merging_iterator.h"
#include "read/point_lookup.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/vector_iterator.h"
#include "rocksdb/snapshot.h"

namespace cairn {
namespace {

class FixedSnapshot final : public Snapshot {
 public:
  explicit FixedSnapshot(SequenceNumber sequence) : sequence_(sequence) {}
  SequenceNumber GetSequenceNumber() const override { return sequence_; }
  int64_t GetUnixTime() const override { return 0; }
  uint64_t GetTimestamp() const override { return 0; }

 private:
  const SequenceNumber sequence_;
};

DBIteratorEnv EnvOf(LsmFixture* lsm, uint64_t max_skip = 8) {
  DBIteratorEnv env = lsm->iterator_env();
  env.max_sequential_skip = max_skip;
  return env;
}

std::string Scan(Iterator* iter, bool forward = true) {
  std::string out;
  for (forward ? iter->SeekToFirst() : iter->SeekToLast(); iter->Valid();
       forward ? iter->Next() : iter->Prev()) {
    out += iter->key().ToString() + "=" + iter->value().ToString() + " ";
  }
  if (!iter->status().ok()) out += iter->status().ToString();
  return out;
}

std::string Get(LsmFixture* lsm, const std::string& key, SequenceNumber snapshot,
                const ReadOptions& options = {}) {
  SuperVersionGuard sv(lsm->slots());
  PinnableSlice value;
  const Status s = PointLookup({options, *sv.get(), lsm->tables(), snapshot}, key, {&value});
  return s.ok() ? value.ToString() : s.IsNotFound() ? "NOT FOUND" : s.ToString();
}

TEST(DBIteratorTest, ShowsTheNewestVisibleEntryOfEachKey) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "a", "a1");
  lsm.Add(kTypeValue, "b", "b1");
  lsm.Add(kTypeValue, "c", "c1");
  lsm.FlushToLevel(1, 1);
  lsm.Add(kTypeValue, "b", "b2");
  const SequenceNumber middle = lsm.Add(kTypeDeletion, "a");
  lsm.FlushToLevel0();
  lsm.Add(kTypeSingleDeletion, "c");
  lsm.SwitchMemtable();
  lsm.Add(kTypeValue, "d", "d1");
  lsm.Install();

  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), ReadOptions()));
  EXPECT_FALSE(iter->Valid());
  EXPECT_EQ(Scan(iter.get()), "b=b2 d=d1 ");
  EXPECT_EQ(Scan(iter.get(), false), "d=d1 b=b2 ");
  FixedSnapshot snapshot(middle);
  ReadOptions at_middle;
  at_middle.snapshot = &snapshot;
  iter.reset(NewDBIterator(EnvOf(&lsm), at_middle));
  EXPECT_EQ(Scan(iter.get()), "b=b2 c=c1 ");
  EXPECT_EQ(Scan(iter.get(), false), "c=c1 b=b2 ");
  FixedSnapshot first(3);
  at_middle.snapshot = &first;
  iter.reset(NewDBIterator(EnvOf(&lsm), at_middle));
  EXPECT_EQ(Scan(iter.get()), "a=a1 b=b1 c=c1 ");
}

TEST(DBIteratorTest, RefreshGoesToASnapshotAndBack) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "a", "1");
  const FixedSnapshot first(lsm.last_sequence());
  lsm.Add(kTypeValue, "a", "2");
  lsm.Add(kTypeValue, "b", "2");
  const FixedSnapshot second(lsm.last_sequence());
  lsm.FlushToLevel0();
  lsm.Add(kTypeDeletion, "a", "");
  lsm.Install();
  ReadOptions at_first;
  at_first.snapshot = &first;
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), at_first));
  EXPECT_EQ(Scan(iter.get()), "a=1 ");
  ASSERT_TRUE(iter->Refresh(&second).ok());
  EXPECT_FALSE(iter->Valid());
  EXPECT_EQ(Scan(iter.get()), "a=2 b=2 ");
  ASSERT_TRUE(iter->Refresh().ok());
  EXPECT_EQ(Scan(iter.get()), "b=2 ");
  EXPECT_EQ(Scan(iter.get(), false), "b=2 ");
  ASSERT_TRUE(iter->Refresh(&first).ok());
  EXPECT_EQ(Scan(iter.get(), false), "a=1 ");

  ReadOptions tailing;
  tailing.tailing = true;
  iter.reset(NewDBIterator(EnvOf(&lsm), tailing));
  EXPECT_TRUE(iter->Refresh(&first).IsNotSupported());
  EXPECT_TRUE(iter->Refresh().ok());
}

TEST(DBIteratorTest, ATailingIteratorStepsOntoWhatWasPutBetweenItsRuns) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "b", "1");
  lsm.Add(kTypeValue, "d", "1");
  lsm.Add(kTypeValue, "f", "1");
  lsm.FlushToLevel0();
  lsm.Install();
  ReadOptions tailing;
  tailing.tailing = true;
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), tailing));
  iter->Seek("b");
  lsm.Add(kTypeValue, "c", "2");
  lsm.Add(kTypeDeletion, "d", "");
  iter->Next();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "c");
  iter->Next();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "f");
  lsm.Add(kTypeValue, "e", "3");
  iter->Prev();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "e");
  lsm.Add(kTypeValue, "d", "4");
  lsm.FlushToLevel0();
  lsm.Install();
  iter->Prev();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "d");
  // The key that it stands on goes away.
  lsm.Add(kTypeDeletion, "d", "");
  iter->Prev();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "c");
  iter->Next();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "e");
}

TEST(DBIteratorTest, RefreshSeesWhatIsNew) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "a", "1");
  lsm.Install();
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), ReadOptions()));
  lsm.Add(kTypeValue, "a", "2");
  lsm.FlushToLevel0();
  lsm.Install();
  lsm.Add(kTypeValue, "b", "3");
  EXPECT_EQ(Scan(iter.get()), "a=1 ");
  std::string before, after;
  ASSERT_TRUE(iter->GetProperty("rocksdb.iterator.super-version-number", &before).ok());
  ASSERT_TRUE(iter->Refresh().ok());
  EXPECT_FALSE(iter->Valid());
  EXPECT_EQ(Scan(iter.get()), "a=2 b=3 ");
  ASSERT_TRUE(iter->GetProperty("rocksdb.iterator.super-version-number", &after).ok());
  EXPECT_NE(before, after);
  EXPECT_FALSE(iter->GetProperty("rocksdb.iterator.unknown", &after).ok());
}

TEST(DBIteratorTest, AMergeOperandWithoutAnOperatorIsAnError) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "a", "1");
  lsm.Add(kTypeValue, "c", "3");
  lsm.FlushToLevel0();
  lsm.AddFileWith(kTypeMerge, "b", "operand");
  lsm.Install();
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), ReadOptions()));
  iter->SeekToFirst();
  ASSERT_TRUE(iter->Valid());
  iter->Next();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsInvalidArgument());
  iter->SeekToLast();
  ASSERT_TRUE(iter->Valid());
  iter->Prev();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsInvalidArgument());
  EXPECT_EQ(Get(&lsm, "b", lsm.last_sequence()),
            "Invalid argument: merge_operator is not properly initialized.");
  EXPECT_EQ(Get(&lsm, "c", lsm.last_sequence()), "3");
}

TEST(DBIteratorTest, AnUnreadBlockIsIncompleteForTheCacheOnlyTier) {
  LsmFixture lsm;
  for (int i = 0; i < 200; ++i) lsm.Add(kTypeValue, "key" + std::to_string(1000 + i), "value");
  lsm.FlushToLevel(1, 3);
  lsm.Install();
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), cached));
  iter->SeekToFirst();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsIncomplete()) << iter->status().ToString();
  {
    SuperVersionGuard sv(lsm.slots());
    PinnableSlice value;
    EXPECT_TRUE(
        PointLookup({cached, *sv.get(), lsm.tables(), lsm.last_sequence()}, "key1100", {&value})
            .IsIncomplete());
  }
  std::unique_ptr<Iterator> reader(NewDBIterator(EnvOf(&lsm), ReadOptions()));
  const std::string all = Scan(reader.get());
  EXPECT_EQ(Scan(iter.get()), all) << "now they are in the cache";
  EXPECT_EQ(Get(&lsm, "key1100", lsm.last_sequence(), cached), "value");
}

TEST(DBIteratorTest, AReadErrorIsShownAndNotTakenForTheEnd) {
  LsmFixture lsm;
  for (int i = 0; i < 300; ++i) lsm.Add(kTypeValue, "key" + std::to_string(1000 + i), "value");
  lsm.FlushToLevel(1, 3);
  lsm.Install();
  for (bool forward : {true, false}) {
    int shown = 0;
    std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), [] {
      ReadOptions options;
      options.fill_cache = false;
      return options;
    }()));
    forward ? iter->SeekToFirst() : iter->SeekToLast();
    while (iter->Valid()) {
      if (++shown == 20)
        lsm.fs()->FailNthOperation(1, fault::kRead, IOStatus::IOError("bad sector"), 1000000);
      forward ? iter->Next() : iter->Prev();
    }
    EXPECT_GE(shown, 20);
    EXPECT_LT(shown, 300);
    EXPECT_TRUE(iter->status().IsIOError()) << iter->status().ToString();
    lsm.fs()->Heal();
    std::string all = Scan(iter.get(), forward);
    EXPECT_EQ(std::count(all.begin(), all.end(), ' '), 300) << "it recovers with a new seek";
  }
}

TEST(DBIteratorTest, GivesUpAfterTooManyHiddenEntries) {
  LsmFixture lsm;
  lsm.Add(kTypeValue, "a", "1");
  for (int i = 0; i < 50; ++i) lsm.Add(kTypeDeletion, "b" + std::to_string(i));
  lsm.Add(kTypeValue, "c", "1");
  lsm.Install();
  ReadOptions options;
  options.max_skippable_internal_keys = 10;
  std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm), options));
  iter->SeekToFirst();
  ASSERT_TRUE(iter->Valid());
  iter->Next();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsIncomplete());
  iter->SeekToLast();
  ASSERT_TRUE(iter->Valid());
  iter->Prev();
  EXPECT_TRUE(iter->status().IsIncomplete());
}

// All versions of all keys: what any reader at any sequence number must see.
class Model {
 public:
  explicit Model(const Comparator* comparator) : entries_(Less{comparator}) {}
  void Add(const std::string& key, SequenceNumber seq, std::optional<std::string> value) {
    entries_[key][seq] = std::move(value);
  }
  using View = std::vector<std::pair<std::string, std::string>>;
  View At(SequenceNumber seq) const {
    View view;
    for (const auto& [key, versions] : entries_) {
      auto it = versions.upper_bound(seq);
      if (it == versions.begin()) continue;
      --it;
      if (it->second) view.emplace_back(key, *it->second);
    }
    return view;
  }

 private:
  struct Less {
    const Comparator* comparator;
    bool operator()(const std::string& a, const std::string& b) const {
      return comparator->Compare(a, b) < 0;
    }
  };
  std::map<std::string, std::map<SequenceNumber, std::optional<std::string>>, Less> entries_;
};

struct Shape {
  const Comparator* comparator;
  uint64_t max_skip;
  int keys;
};

class RandomReadsTest : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, RandomReadsTest,
                         ::testing::Values(Shape{BytewiseComparator(), 8, 200},
                                           Shape{BytewiseComparator(), 0, 20},
                                           Shape{BytewiseComparator(), 2, 10},
                                           Shape{ReverseBytewiseComparator(), 3, 50}));

// A whole tree (memtable, immutable, level 0, two deeper levels) read at random snapshots within
// random bounds.
TEST_P(RandomReadsTest, AgreeWithTheModel) {
  const Shape shape = GetParam();
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  LsmFixture lsm(shape.comparator);
  Model model(shape.comparator);
  const auto random_key = [&] { return "key" + std::to_string(random.Uniform(shape.keys)); };
  const auto fill = [&](int n) {
    for (int i = 0; i < n; ++i) {
      const std::string key = random_key();
      if (random.OneIn(3)) {
        const ValueType type = random.OneIn(2) ? kTypeDeletion : kTypeSingleDeletion;
        model.Add(key, lsm.Add(type, key), std::nullopt);
      } else {
        const std::string value(random.Uniform(300), static_cast<char>('a' + random.Uniform(26)));
        model.Add(key, lsm.Add(kTypeValue, key, value), value);
      }
    }
  };
  fill(400);
  lsm.FlushToLevel(2, 5);
  fill(200);
  lsm.FlushToLevel(1, 3);
  for (int i = 0; i < 3; ++i) {
    fill(60);
    lsm.FlushToLevel0();
  }
  fill(60);
  lsm.SwitchMemtable();
  fill(60);
  lsm.Install();
  const auto compare = [&](const std::string& a, const std::string& b) {
    return shape.comparator->Compare(a, b);
  };

  for (int round = 0; round < 40; ++round) {
    const FixedSnapshot snapshot(random.OneIn(3) ? lsm.last_sequence()
                                                 : random.Uniform(lsm.last_sequence() + 1));
    const std::string lower = random_key(), upper = random_key();
    const Slice lower_slice(lower), upper_slice(upper);
    ReadOptions options;
    options.snapshot = &snapshot;
    options.pin_data = random.OneIn(2);
    if (random.OneIn(2)) options.iterate_lower_bound = &lower_slice;
    if (random.OneIn(2)) options.iterate_upper_bound = &upper_slice;

    const Model::View all = model.At(snapshot.GetSequenceNumber());
    for (const auto& [key, value] : all) {
      ASSERT_EQ(Get(&lsm, key, snapshot.GetSequenceNumber()), value);
    }
    Model::View view;
    for (const auto& entry : all) {
      if (options.iterate_lower_bound != nullptr && compare(entry.first, lower) < 0) continue;
      if (options.iterate_upper_bound != nullptr && compare(entry.first, upper) >= 0) continue;
      view.push_back(entry);
    }
    std::unique_ptr<Iterator> iter(NewDBIterator(EnvOf(&lsm, shape.max_skip), options));
    // Position in `view`; its size: not valid.
    size_t at = view.size();
    for (int step = 0; step < 150; ++step) {
      const uint64_t action = random.Uniform(at == view.size() ? 4 : 12);
      const std::string target = random_key();
      std::string trace = "action " + std::to_string(action) + " target " + target;
      if (action == 0) {
        iter->SeekToFirst();
        at = 0;
      } else if (action == 1) {
        iter->SeekToLast();
        at = view.empty() ? 0 : view.size() - 1;
      } else if (action == 2) {
        iter->Seek(target);
        for (at = 0; at < view.size() && compare(view[at].first, target) < 0; ++at) {
        }
      } else if (action == 3) {
        iter->SeekForPrev(target);
        for (at = 0; at < view.size() && compare(view[at].first, target) <= 0; ++at) {
        }
        at = at == 0 ? view.size() : at - 1;
      } else if (action < 8) {
        iter->Next();
        ++at;
      } else {
        iter->Prev();
        at = at == 0 ? view.size() : at - 1;
      }
      ASSERT_TRUE(iter->status().ok()) << iter->status().ToString();
      ASSERT_EQ(iter->Valid(), at < view.size()) << trace;
      if (at < view.size()) {
        ASSERT_EQ(iter->key(), view[at].first) << trace;
        ASSERT_EQ(iter->value(), view[at].second) << trace;
      }
    }
  }

  // MultiGet agrees with Get.
  std::vector<std::string> keys;
  for (int i = 0; i < shape.keys + 5; ++i) keys.push_back("key" + std::to_string(i));
  std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  SuperVersionGuard sv(lsm.slots());
  MultiGetLookup({ReadOptions(), *sv.get(), lsm.tables(), lsm.last_sequence()}, keys.size(),
                 slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string expected = Get(&lsm, keys[i], lsm.last_sequence());
    EXPECT_EQ(statuses[i].ok() ? values[i].ToString() : "NOT FOUND", expected);
  }
}

// Entries of sequence number 0 (as compaction leaves them) are last versions: no key may be lost or
// shown twice.
TEST(DBIteratorTest, EntriesOfSequenceZero) {
  const InternalKeyComparator icmp(BytewiseComparator());
  const auto key = [](const std::string& user_key, SequenceNumber seq,
                      ValueType type = kTypeValue) {
    std::string k;
    AppendInternalKey(&k, ParsedInternalKey(user_key, seq, type));
    return k;
  };
  auto* bottom = new VectorIterator(
      icmp, {{key("a", 0), "a0"}, {key("b", 0), "b0"}, {key("c", 0), "c0"}, {key("d", 0), "d0"}});
  auto* top = new VectorIterator(icmp, {{key("b", 5), "b5"}, {key("c", 6, kTypeDeletion), ""}});
  DBIteratorEnv env;
  env.icmp = &icmp;
  std::unique_ptr<Iterator> iter(
      NewDBIterator(env, ReadOptions(), NewMergingIterator(&icmp, {top, bottom}), 10));
  EXPECT_EQ(Scan(iter.get()), "a=a0 b=b5 d=d0 ");
  EXPECT_EQ(Scan(iter.get(), false), "d=d0 b=b5 a=a0 ");
  iter->Seek("b");
  iter->Prev();
  ASSERT_TRUE(iter->Valid());
  EXPECT_EQ(iter->key(), "a");
  iter->Next();
  EXPECT_EQ(iter->value(), "b5");
  iter->Next();
  EXPECT_EQ(iter->value(), "d0");
}

}  // namespace
}  // namespace cairn
