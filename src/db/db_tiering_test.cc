// Tiers by age, in a world whose clock is simulated: samples of sequence numbers and what tables
// tell of them, preserve_internal_time_seconds, preclude_last_level_data_seconds. What a compaction
// writes where: compaction/placement_test.cc.
#include <algorithm>
#include <map>

#include "base/random.h"
#include "base/seqno_to_time_mapping.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

constexpr int kLast = 6;
constexpr int kProximal = 5;

class DbTieringTest : public testing::DbTest {
 protected:
  Options Tiered(CompactionStyle style, uint64_t preclude, uint64_t preserve = 0) {
    Options options = SmallOptions();
    options.compaction_style = style;
    options.num_levels = kLast + 1;
    options.level0_file_num_compaction_trigger = 100;
    options.preclude_last_level_data_seconds = preclude;
    options.preserve_internal_time_seconds = preserve;
    options.level_compaction_dynamic_level_bytes = true;  // the last level is the first in use
    options.last_level_temperature = Temperature::kCold;
    options.statistics = CreateDBStatistics();
    return options;
  }
  static uint64_t NowSeconds() { return fiber::wall_micros() / 1'000'000; }
  void CompactAnew() {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(options, nullptr, nullptr).ok());
  }
  // All that there is into the last level, as far as it may go there.
  void CompactDown() {
    std::vector<LiveFileMetaData> all;
    db_->GetLiveFilesMetaData(&all);
    std::vector<std::string> names;
    for (const LiveFileMetaData& file : all) names.push_back(file.name);
    const Status s = db_->CompactFiles(CompactionOptions(), names, kLast);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::vector<LiveFileMetaData> TablesOfLevel(int level) {
    std::vector<LiveFileMetaData> all, of_level;
    db_->GetLiveFilesMetaData(&all);
    for (const LiveFileMetaData& file : all) {
      if (file.level == level) of_level.push_back(file);
    }
    return of_level;
  }
  SequenceNumber LargestOfLevel(int level) {
    SequenceNumber largest = 0;
    for (const auto& file : TablesOfLevel(level)) largest = std::max(largest, file.largest_seqno);
    return largest;
  }
  // Of all tables together.
  std::vector<SeqnoTimePair> TimesInTables() {
    TablePropertiesCollection all;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
    std::vector<SeqnoTimePair> pairs;
    for (const auto& [name, properties] : all) {
      EXPECT_TRUE(SeqnoToTimeMapping::Decode(properties->seqno_to_time_mapping, &pairs).ok());
    }
    return SeqnoToTimeMapping(pairs).pairs();
  }
  uint64_t Ticks(Tickers ticker) { return db_->GetOptions().statistics->getTickerCount(ticker); }
};

// --- Samples

TEST_F(DbTieringTest, SamplesAreTakenAHundredTimesInThePeriod) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleLevel, 0, /*preserve=*/1000));
    const uint64_t start = NowSeconds();
    for (int i = 0; i < 50; ++i) {
      Put(Key(static_cast<uint64_t>(i)), "v");
      Sleep(10);
    }
    Flush();
    const std::vector<SeqnoTimePair> pairs = TimesInTables();
    EXPECT_GE(pairs.size(), 48u);
    EXPECT_LE(pairs.size(), 51u);
    for (const SeqnoTimePair& pair : pairs) {
      const auto nth = static_cast<int64_t>(pair.sequence);  // written at start + 10 * (nth - 1)
      const auto since = static_cast<int64_t>(pair.seconds - start);
      EXPECT_LE(std::abs(since - 10 * nth), 11) << nth;
    }
  });
}

TEST_F(DbTieringTest, TablesHaveAHundredPairsAtMost) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleLevel, 0, /*preserve=*/100));
    for (int i = 0; i < 150; ++i) {
      Put(Key(static_cast<uint64_t>(i)), "v");
      Sleep(1);
    }
    Flush();
    const std::vector<SeqnoTimePair> pairs = TimesInTables();
    EXPECT_LE(pairs.size(), 100u);
    EXPECT_GE(pairs.size(), 90u);
    // But for one, what is older than the period is forgotten.
    EXPECT_GE(pairs[1].seconds + 101, NowSeconds());
  });
}

TEST_F(DbTieringTest, NobodyAsksAndNothingIsNoted) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleLevel, 0));
    for (uint64_t i = 0; i < 20; ++i) {
      Put(Key(i), "v");
      Sleep(5);
    }
    Flush();
    EXPECT_TRUE(TimesInTables().empty());
    ASSERT_TRUE(db_->SetOptions({{"preserve_internal_time_seconds", "500"}}).ok());
    const uint64_t set_at = NowSeconds();
    Put("x", "v");
    Flush();
    const std::vector<SeqnoTimePair> pairs = TimesInTables();
    ASSERT_EQ(pairs.size(), 1u) << "noted at once: what comes later is younger";
    EXPECT_EQ(pairs[0], (SeqnoTimePair{20, set_at}));
    ASSERT_TRUE(db_->SetOptions({{"preserve_internal_time_seconds", "0"}}).ok());
    Sleep(100);
    Put("y", "v");
    Flush();
    EXPECT_EQ(TimesInTables(), pairs);
  });
}

// The shortest time of all families says how often, the longest how far back.
TEST_F(DbTieringTest, FamiliesShareTheSamples) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleLevel, 0, /*preserve=*/10'000));  // every 100 seconds
    ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(
        db_->CreateColumnFamily(Tiered(kCompactionStyleUniversal, 1000), "other", &other).ok());
    for (uint64_t i = 0; i < 300; ++i) {
      Put(Key(i), "v");
      Sleep(10);
    }
    ASSERT_TRUE(db_->Put(WriteOptions(), other, "a", "1").ok());
    Flush();
    const size_t pairs = TimesInTables().size();
    EXPECT_LE(pairs, 100u);
    EXPECT_GE(pairs, 99u) << "300 samples, thinned";
    const Status s = db_->DropColumnFamily(other);
    EXPECT_TRUE(s.ok()) << s.ToString();
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
    CompactAnew();
    // Every 100 seconds again.
    for (uint64_t i = 0; i < 60; ++i) {
      Put(Key(i), "w");
      Sleep(10);
    }
    Flush();
    const std::vector<LiveFileMetaData> newest = TablesOfLevel(0);
    ASSERT_EQ(newest.size(), 1u);
    TablePropertiesCollection all;
    ASSERT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
    std::vector<SeqnoTimePair> of_newest;
    for (const auto& [name, properties] : all) {
      if (name.ends_with(newest[0].name)) {
        ASSERT_TRUE(SeqnoToTimeMapping::Decode(properties->seqno_to_time_mapping, &of_newest).ok());
      }
    }
    EXPECT_GE(of_newest.size(), 6u);
    EXPECT_LE(of_newest.size(), 8u);
  });
}

TEST_F(DbTieringTest, ADatabaseOpenedAgainKnowsWhatItsTablesKnow) {
  Simulate([&] {
    const Options options = Tiered(kCompactionStyleLevel, 0, /*preserve=*/1000);
    Open(options);
    for (uint64_t i = 0; i < 30; ++i) {
      Put(Key(i), "v");
      Sleep(10);
    }
    Flush();
    const std::vector<SeqnoTimePair> before = TimesInTables();
    Put("in the log", "v");
    Kill();
    Sleep(20);
    Open(options);
    const uint64_t opened_at = NowSeconds();
    Put("after", "v");
    Flush();
    const std::vector<SeqnoTimePair> after = TimesInTables();
    // What was replayed lies between the two.
    ASSERT_GT(after.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
    EXPECT_EQ(after.back(), (SeqnoTimePair{31, opened_at}));
  });
}

TEST_F(DbTieringTest, AReaderIgnoresTheOptions) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleUniversal, 100, 200));
    Put("a", "1");
    Close();
    ASSERT_TRUE(TryOpenReadOnly(Tiered(kCompactionStyleUniversal, 100, 200)).ok());
    EXPECT_EQ(db_->GetOptions().preclude_last_level_data_seconds, 0u);
    EXPECT_EQ(db_->GetOptions().preserve_internal_time_seconds, 0u);
    EXPECT_EQ(Get("a"), "1");
  });
}

// --- preserve_internal_time_seconds

TEST_F(DbTieringTest, YoungEntriesKeepTheirNumbersAtTheBottom) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleLevel, 0, /*preserve=*/1000));
    PutRange(0, 20, 1);
    Flush();
    CompactAnew();
    EXPECT_EQ(LargestOfLevel(kLast), 20u);
    Sleep(500);
    PutRange(20, 30, 2);
    Flush();
    Sleep(600);
    CompactAnew();
    CompactAnew();
    const std::vector<LiveFileMetaData> files = TablesOfLevel(kLast);
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].smallest_seqno, 0u);
    EXPECT_EQ(files[0].largest_seqno, 30u);
    Sleep(500);
    CompactAnew();
    EXPECT_EQ(LargestOfLevel(kLast), 0u);
    ExpectModel();
  });
}

// --- preclude_last_level_data_seconds

TEST_F(DbTieringTest, DataGoToTheLastLevelWhenTheyAreOld) {
  for (const CompactionStyle style : {kCompactionStyleUniversal, kCompactionStyleLevel}) {
    SCOPED_TRACE(style);
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    model_.clear();
    Simulate([&] {
      Open(Tiered(style, 1000));
      PutRange(0, 50, 1);
      Flush();
      CompactDown();
      EXPECT_EQ(FilesAtLevel(kLast), 0);
      EXPECT_EQ(FilesAtLevel(kProximal), 1);
      Sleep(600);
      PutRange(50, 80, 2);
      PutRange(0, 10, 3);
      Flush();
      Sleep(600);
      CompactDown();
      EXPECT_EQ(FilesAtLevel(kLast), 1);
      EXPECT_EQ(FilesAtLevel(kProximal), 1);
      EXPECT_EQ(TablesOfLevel(kLast)[0].temperature, Temperature::kCold);
      EXPECT_EQ(TablesOfLevel(kProximal)[0].temperature, Temperature::kUnknown);
      EXPECT_EQ(TablesOfLevel(kLast)[0].num_entries, 40u);
      EXPECT_EQ(TablesOfLevel(kProximal)[0].num_entries, 40u);
      ExpectModel();
      Sleep(600);
      CompactDown();
      EXPECT_EQ(FilesAtLevel(kLast), 1);
      EXPECT_EQ(FilesAtLevel(kProximal), 0);
      EXPECT_EQ(LargestOfLevel(kLast), 0u);
      ExpectModel();
    });
  }
}

// The other tier is read as it is.
TEST_F(DbTieringTest, ReadsTellTheTiersApart) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleUniversal, 1000));
    PutRange(0, 50, 1);
    Sleep(1100);
    PutRange(50, 100, 1);
    Flush();
    Compact();
    ReadOptions options;
    options.fill_cache = false;
    std::string value;
    const uint64_t last = Ticks(LAST_LEVEL_READ_COUNT), others = Ticks(NON_LAST_LEVEL_READ_COUNT);
    ASSERT_TRUE(db_->Get(options, Key(3), &value).ok());
    EXPECT_GT(Ticks(LAST_LEVEL_READ_COUNT), last);
    EXPECT_EQ(Ticks(NON_LAST_LEVEL_READ_COUNT), others);
    ASSERT_TRUE(db_->Get(options, Key(70), &value).ok());
    EXPECT_GT(Ticks(NON_LAST_LEVEL_READ_COUNT), others);
  });
}

TEST_F(DbTieringTest, AFamilyMayBeginToAskLater) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleUniversal, 0, /*preserve=*/1000));
    PutRange(0, 50, 1);
    Flush();
    CompactAnew();
    EXPECT_EQ(FilesAtLevel(kLast), 1);
    // It goes up again: its numbers were preserved.
    ASSERT_TRUE(db_->SetOptions({{"preclude_last_level_data_seconds", "1000"}}).ok());
    CompactAnew();
    EXPECT_EQ(FilesAtLevel(kLast), 0);
    EXPECT_EQ(FilesAtLevel(kProximal), 1);
    ASSERT_TRUE(db_->SetOptions({{"preclude_last_level_data_seconds", "0"}}).ok());
    CompactAnew();
    EXPECT_EQ(FilesAtLevel(kLast), 1);
    ExpectModel();
  });
}

TEST_F(DbTieringTest, WhatASnapshotDoesNotSeeStaysAbove) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleUniversal, 100));
    PutRange(0, 30, 1);
    const testing::Contents seen = model_;
    const Snapshot* const snapshot = db_->GetSnapshot();
    PutRange(10, 40, 2);
    for (uint64_t i = 0; i < 10; i += 2) Delete(Key(i));
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(20), Key(25)).ok());
    for (uint64_t i = 20; i < 25; ++i) model_.erase(Key(i));
    Sleep(500);
    Flush();
    Compact();
    EXPECT_EQ(LargestOfLevel(kLast), 0u);
    EXPECT_EQ(TablesOfLevel(kLast)[0].num_entries, 30u);
    EXPECT_EQ(FilesAtLevel(kProximal), 1);
    ExpectModel();
    ExpectContents(seen, snapshot);
    db_->ReleaseSnapshot(snapshot);
    Compact();
    EXPECT_EQ(FilesAtLevel(kProximal), 0);
    ExpectModel();
  });
}

// In leveled style a level of young data is over its target for long.
TEST_F(DbTieringTest, YoungDataAreNotCompactedInCircles) {
  Simulate([&] {
    Options options = Tiered(kCompactionStyleLevel, 1000);
    options.level0_file_num_compaction_trigger = 2;
    options.level_compaction_dynamic_level_bytes = true;
    options.max_bytes_for_level_base = 64 << 10;
    options.max_bytes_for_level_multiplier = 2;
    Open(options);
    PutRange(0, 3000, 1);
    Flush();
    WaitForCompactions();
    EXPECT_EQ(FilesAtLevel(kLast), 0);
    EXPECT_GT(FilesAtLevel(kProximal), 4);
    const uint64_t written = Ticks(COMPACT_WRITE_BYTES);
    Sleep(500);
    WaitForCompactions();
    EXPECT_EQ(Ticks(COMPACT_WRITE_BYTES), written);
    ExpectModel();
    // Then they go down by themselves, as long as there are too many.
    Sleep(600);
    WaitForCompactions();
    EXPECT_GT(FilesAtLevel(kLast), 0);
    ExpectModel();
  });
}

TEST_F(DbTieringTest, AgesOutliveAnOpening) {
  Simulate([&] {
    const Options options = Tiered(kCompactionStyleUniversal, 1000);
    Open(options);
    PutRange(0, 30, 1);
    Sleep(300);
    PutRange(30, 60, 1);
    Flush();
    Compact();
    EXPECT_EQ(FilesAtLevel(kLast), 0);
    Kill();
    Sleep(300);
    Open(options);
    Sleep(500);
    Compact();
    EXPECT_EQ(TablesOfLevel(kLast)[0].num_entries, 30u);
    EXPECT_EQ(TablesOfLevel(kProximal)[0].num_entries, 30u);
    ExpectModel();
  });
}

TEST_F(DbTieringTest, BlobsFollowTheirEntries) {
  Simulate([&] {
    Options options = Tiered(kCompactionStyleUniversal, 1000);
    options.enable_blob_files = true;
    options.min_blob_size = 50;
    options.enable_blob_garbage_collection = true;
    options.blob_garbage_collection_age_cutoff = 1.0;
    Open(options);
    PutRange(0, 50, 1, 200);
    Sleep(1100);
    PutRange(25, 75, 2, 200);
    Flush();
    Compact();
    EXPECT_EQ(TablesOfLevel(kLast)[0].num_entries, 25u);
    EXPECT_EQ(TablesOfLevel(kProximal)[0].num_entries, 50u);
    ExpectModel();
    Sleep(1100);
    Compact();
    EXPECT_EQ(TablesOfLevel(kLast)[0].num_entries, 75u);
    ExpectModel();
    EXPECT_EQ(Property("num-blob-files"), "1");
  });
}

TEST_F(DbTieringTest, StatisticsTellOfBothLevels) {
  Simulate([&] {
    Open(Tiered(kCompactionStyleUniversal, 1000));
    PutRange(0, 400, 1);
    Sleep(1100);
    PutRange(400, 800, 1);
    Flush();
    Compact();
    std::map<std::string, std::string> stats;
    ASSERT_TRUE(db_->GetMapProperty("rocksdb.cfstats", &stats));
    EXPECT_GT(std::stod(stats["compaction.L5.WriteGB"]), 0);
    EXPECT_GT(std::stod(stats["compaction.L6.WriteGB"]), 0);
    EXPECT_EQ(std::stod(stats["compaction.L5.CompCount"]), 0);
  });
}

// --- All of it

// Random writes, snapshots, flushes, compactions, openings and leaps of the clock, against a map;
// after a compaction of everything the levels hold what ages and snapshots say.
TEST_F(DbTieringTest, Model) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    model_.clear();
    Simulate([&] {
      Random64 rng(seed);
      const bool universal = rng.OneIn(2);
      const uint64_t preclude = 100 + rng.Uniform(900);
      const uint64_t period = (preclude + 99) / 100;
      Options options = Tiered(universal ? kCompactionStyleUniversal : kCompactionStyleLevel,
                               preclude, rng.OneIn(2) ? 0 : rng.Uniform(3000));
      options.level0_file_num_compaction_trigger = 4;
      options.target_file_size_base = 8 << 10;
      options.max_bytes_for_level_base = 32 << 10;
      options.max_subcompactions = 1 + static_cast<uint32_t>(rng.Uniform(3));
      options.level_compaction_dynamic_level_bytes = rng.OneIn(2);
      options.enable_blob_files = rng.OneIn(3);
      options.min_blob_size = 200;
      options.enable_blob_garbage_collection = rng.OneIn(2);
      Open(options);
      // By sequence number: when it was written, and when that was known to be over. (In seconds. A
      // database that is opened again knows what its tables say, and what time it is.)
      std::vector<uint64_t> written_at = {0}, known_at = {0};
      uint64_t flushed_at = 0;
      const auto note = [&] {
        written_at.resize(db_->GetLatestSequenceNumber() + 1, NowSeconds());
        known_at.resize(written_at.size(), NowSeconds());
      };
      const auto note_opening = [&] {
        note();
        for (uint64_t& time : known_at) {
          if (time + 2 * period >= flushed_at) time = NowSeconds();
        }
      };
      struct Seen {
        const Snapshot* snapshot;
        testing::Contents contents;
      };
      std::vector<Seen> snapshots;
      const auto release = [&] {
        for (const Seen& seen : snapshots) db_->ReleaseSnapshot(seen.snapshot);
        snapshots.clear();
      };
      for (int step = 0; step < 400 && !HasFailure(); ++step) {
        const uint64_t what = rng.Uniform(100);
        const uint64_t at = rng.Uniform(300);
        if (what < 45) {
          PutRange(at, at + 1 + rng.Uniform(30), rng.Uniform(900), 20 + rng.Uniform(400));
        } else if (what < 55) {
          Delete(Key(at));
        } else if (what < 60) {
          const uint64_t end = at + 1 + rng.Uniform(20);
          ASSERT_TRUE(
              db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(at), Key(end)).ok());
          for (uint64_t i = at; i < end; ++i) model_.erase(Key(i));
        } else if (what < 75) {
          Sleep(1 + rng.Uniform(preclude / 3));
        } else if (what < 82) {
          Flush();
          flushed_at = NowSeconds();
        } else if (what < 85) {
          if (snapshots.size() < 3) snapshots.push_back({db_->GetSnapshot(), model_});
        } else if (what < 87) {
          release();
        } else if (what < 89) {
          release();
          if (rng.OneIn(2)) {
            Close();
          } else {
            Kill();
          }
          if (rng.OneIn(3)) Sleep(rng.Uniform(preclude));
          Open(options);
          note_opening();
        } else if (what < 93) {
          ExpectContents(model_);
          for (const Seen& seen : snapshots) ExpectContents(seen.contents, seen.snapshot);
        } else if (what < 96) {
          Compact();
        } else {
          Flush();
          Compact();
          flushed_at = NowSeconds();
          if (universal) {
            const SequenceNumber oldest = snapshots.empty()
                                              ? kMaxSequenceNumber
                                              : snapshots.front().snapshot->GetSequenceNumber();
            for (const LiveFileMetaData& file : TablesOfLevel(kLast)) {
              EXPECT_LE(file.largest_seqno, oldest);
              if (file.largest_seqno == 0) continue;
              EXPECT_GE(NowSeconds() - written_at[file.largest_seqno], preclude);
            }
            for (const LiveFileMetaData& file : TablesOfLevel(kProximal)) {
              if (file.smallest_seqno > oldest) continue;
              EXPECT_LE(NowSeconds() - known_at[file.smallest_seqno], preclude + 3 * period + 2);
            }
          }
          ExpectContents(model_);
        }
        note();
      }
      release();
      WaitForCompactions();
      ExpectModel();
    });
  }
}

}  // namespace
}  // namespace cairn
