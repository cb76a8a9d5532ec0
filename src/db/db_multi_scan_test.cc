// DB::NewMultiScan: ranges of a whole database, against what an ordered map has.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/multi_scan.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;
using testing::Ts;

using Entries = std::vector<std::pair<std::string, std::string>>;

class DbMultiScanTest : public testing::DbTest {
 protected:
  // Each range's entries, as they are shown.
  static std::vector<Entries> Show(DB* db, const MultiScanArgs& args,
                                   const ReadOptions& options = {}) {
    std::vector<Entries> shown;
    const auto scans = db->NewMultiScan(options, db->DefaultColumnFamily(), args);
    for (auto scan : *scans) {
      shown.emplace_back();
      for (const auto& [key, value] : scan) {
        shown.back().emplace_back(key.ToString(), value.ToString());
      }
    }
    return shown;
  }
  Entries Expected(const ScanOptions& scan, bool reverse) const {
    Entries entries;
    for (const auto& [key, value] : model_) {
      if (Slice(key).compare(*scan.range.start) < 0) continue;
      if (scan.range.limit.has_value() && Slice(key).compare(*scan.range.limit) >= 0) continue;
      entries.emplace_back(key, value);
    }
    if (reverse) std::reverse(entries.begin(), entries.end());
    return entries;
  }
  // What the first exception says.
  std::string Refusal(const MultiScanArgs& args) {
    try {
      Show(db_.get(), args);
    } catch (const MultiScanException& e) {
      EXPECT_EQ(e.what(), e.status().ToString());
      return e.what();
    }
    return "none";
  }
};

TEST_F(DbMultiScanTest, RandomRangesShowWhatTheModelHas) {
  const uint64_t seed = 20261130;
  SCOPED_TRACE(SeedText(seed));
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  const std::string cut_from = Key(100), cut_to = Key(120);
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), cut_from, cut_to).ok());
  model_.erase(model_.lower_bound(cut_from), model_.lower_bound(cut_to));
  Random64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> ends;
    uint64_t at = random.Uniform(20);
    for (uint64_t n = 2 * (1 + random.Uniform(12)); n > 0; --n) {
      ends.push_back(Key(at));
      at += 1 + random.Uniform(30);
    }
    MultiScanArgs args(BytewiseComparator());
    args.reverse = random.OneIn(2);
    args.use_async_io = random.OneIn(2);
    args.io_coalesce_threshold = random.Uniform(3000);
    for (size_t i = 0; i < ends.size(); i += 2) args.insert(ends[i], ends[i + 1]);
    // (The last one open at its end: an iterator for each.)
    if (!args.reverse && random.OneIn(3)) args.insert(ends.back());
    ReadOptions read;
    read.async_io = random.OneIn(2);
    const std::vector<Entries> shown = Show(db_.get(), args, read);
    ASSERT_EQ(shown.size(), args.size());
    for (size_t i = 0; i < shown.size(); ++i) {
      ASSERT_EQ(shown[i], Expected(args.GetScanRanges()[i], args.reverse)) << round << " " << i;
    }
  }
}

TEST_F(DbMultiScanTest, AllRangesShowOneState) {
  Open();
  PutRange(0, 100, 1);
  Flush();
  const std::string ends[] = {Key(10), Key(12), Key(50), Key(52)};
  for (const bool mixed : {false, true}) {
    MultiScanArgs args(BytewiseComparator());
    args.insert(ends[0], ends[1]);
    args.insert(ends[2], ends[3]);
    if (mixed) args.insert(ends[3]);
    const auto scans = db_->NewMultiScan(ReadOptions(), db_->DefaultColumnFamily(), args);
    const std::string old = model_[ends[2]];
    Entries seen;
    bool first = true;
    for (auto scan : *scans) {
      if (std::exchange(first, false)) {
        PutRange(50, 60, mixed ? 3 : 2);
        Flush();
        continue;  // a range need not be gone through
      }
      for (const auto& [key, value] : scan) seen.emplace_back(key.ToString(), value.ToString());
    }
    ASSERT_EQ(seen.size(), mixed ? 50u : 2u);
    EXPECT_EQ(seen.front().second, old);
  }
}

TEST_F(DbMultiScanTest, SnapshotsBoundsOfOnesOwnAndUnpreparedValues) {
  Open();
  PutRange(0, 20, 1);
  const Contents before = model_;
  const Snapshot* const snapshot = db_->GetSnapshot();
  PutRange(0, 20, 2);
  const std::string from = Key(3), to = Key(6), elsewhere = Key(15);
  const Slice bound(elsewhere);
  ReadOptions options;
  options.snapshot = snapshot;
  options.iterate_lower_bound = &bound;  // the ranges are what counts
  options.iterate_upper_bound = &bound;
  options.allow_unprepared_value = true;
  MultiScanArgs args(BytewiseComparator());
  args.insert(from, to);
  const std::vector<Entries> shown = Show(db_.get(), args, options);
  ASSERT_EQ(shown.front().size(), 3u);
  EXPECT_EQ(shown.front()[0].second, before.at(from));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(DbMultiScanTest, WhatIsWrongIsThrown) {
  Open();
  PutRange(0, 10, 1);
  MultiScanArgs args(BytewiseComparator());
  EXPECT_EQ(Refusal(args), "Invalid argument: Empty MultiScanArgs");
  args.insert("k", "k");
  EXPECT_EQ(Refusal(args),
            "Invalid argument: Scan start key is large or equal than limit at index 0");
  MultiScanArgs unsorted(BytewiseComparator());
  unsorted.insert("x", "y");
  unsorted.insert("a", "b");
  EXPECT_EQ(Refusal(unsorted), "Invalid argument: Overlapping ranges at index 1");
  MultiScanArgs nothing(nullptr);
  nothing.insert("a", "b");
  EXPECT_EQ(Refusal(nothing), "Invalid argument: MultiScanArgs requires comparator");
  MultiScanArgs reverse(BytewiseComparator());
  reverse.reverse = true;
  reverse.insert("a");
  EXPECT_EQ(Refusal(reverse), "Invalid argument: Reverse MultiScan requires limit at index 0");

  MultiScanArgs all(BytewiseComparator());
  all.insert("k");
  const auto scans = db_->NewMultiScan(ReadOptions(), db_->DefaultColumnFamily(), all);
  auto scan = scans->begin();
  auto entry = (*scan).begin();
  for (int i = 0; i < 10; ++i) ++entry;
  EXPECT_TRUE(entry == nullptr);
  EXPECT_THROW(++entry, std::logic_error);
  EXPECT_THROW(*entry, std::logic_error);
  EXPECT_THROW(static_cast<void>(entry->first), std::logic_error);
  EXPECT_FALSE(scan == nullptr);
  ++scan;
  EXPECT_TRUE(scan == scans->end());
  EXPECT_THROW(++scan, std::logic_error);
  EXPECT_THROW(scans->begin(), MultiScanException) << "once";
}

TEST_F(DbMultiScanTest, AReadThatFailsIsThrown) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 200, 1);
  Flush();
  Open(options);  // nothing is cached
  fault::Rule rule;
  rule.files = fault::kTables;
  rule.operations = fault::kRead;
  disk_.faults->AddRule(rule);
  const std::string from = Key(50), to = Key(60);
  MultiScanArgs args(BytewiseComparator());
  args.insert(from, to);
  EXPECT_NE(Refusal(args).find("IO error"), std::string::npos) << Refusal(args);
  disk_.faults->Heal();
  EXPECT_EQ(Show(db_.get(), args).front().size(), 10u);
}

TEST_F(DbMultiScanTest, TimestampsAndOtherOrders) {
  for (const bool backwards : {false, true}) {
    db_.reset();
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    Options options = SmallOptions();
    options.comparator =
        backwards ? ReverseBytewiseComparatorWithU64Ts() : BytewiseComparatorWithU64Ts();
    Open(options);
    for (uint64_t time = 1; time <= 3; ++time) {
      for (uint64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Ts(time), std::to_string(time)).ok());
      }
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    }
    const std::string ends[] = {Key(10), Key(13), Key(50), Key(54)};
    MultiScanArgs args(options.comparator);
    if (backwards) {
      args.insert(ends[3], ends[2]);
      args.insert(ends[1], ends[0]);
    } else {
      args.insert(ends[0], ends[1]);
      args.insert(ends[2], ends[3]);
    }
    for (const bool reverse : {false, true}) {
      args.reverse = reverse;
      const std::string second = Ts(2);
      const Slice timestamp(second);
      ReadOptions read;
      read.timestamp = &timestamp;
      const std::vector<Entries> shown = Show(db_.get(), args, read);
      ASSERT_EQ(shown.size(), 2u);
      EXPECT_EQ(shown[0].size(), backwards ? 4u : 3u);
      EXPECT_EQ(shown[1].size(), backwards ? 3u : 4u);
      for (const Entries& entries : shown) {
        for (const auto& [key, value] : entries) EXPECT_EQ(value, "2") << key;
      }
      // (A range's start is in it, its limit is not.)
      const std::string low = Key(backwards ? 11 : 10), high = Key(backwards ? 13 : 12);
      const Entries& lower_range = backwards ? shown[1] : shown[0];
      EXPECT_EQ(lower_range.front().first, backwards != reverse ? high : low);
    }
  }
}

}  // namespace
}  // namespace cairn
