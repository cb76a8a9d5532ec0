// "rocksdb.stats" and its kin, and their copies in the LOG, under a simulated clock.
#include <functional>

#include "db/level_stats.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "rocksdb/stats_history.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class DbStatsTest : public testing::DbTest {
 protected:
  static bool Has(const std::string& text, const std::string& what) {
    return text.find(what) != std::string::npos;
  }
  std::string Log() {
    std::string text;
    EXPECT_TRUE(
        ReadFileToString(disk_.memory.get(), std::string(testing::kDbName) + "/LOG", &text).ok());
    return text;
  }
  static size_t Count(const std::string& text, const std::string& what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  }
};

TEST_F(DbStatsTest, CountsWritesFromTheOpeningAndFromTheLastReport) {
  Simulate([&] {
    Open();
    for (uint64_t i = 0; i < 7; ++i) Put(Key(i), Value(i, 100));
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("a", "1").ok());
    ASSERT_TRUE(batch.Delete("b").ok());
    WriteOptions synced, unlogged;
    synced.sync = true;
    unlogged.disableWAL = true;
    ASSERT_TRUE(db_->Write(synced, &batch).ok());
    ASSERT_TRUE(db_->Put(unlogged, "c", "1").ok());
    Sleep(100);
    std::string text = Property("dbstats");
    EXPECT_TRUE(Has(text, "** DB Stats **")) << text;
    EXPECT_TRUE(Has(text, "Cumulative writes: 9 writes, 10 keys, 9 commit groups, 1.0 writes per"))
        << text;
    EXPECT_TRUE(Has(text, "Interval writes: 9 writes, 10 keys")) << text;
    EXPECT_TRUE(Has(text, "Cumulative WAL: 8 writes, 1 syncs, 8.00 writes per sync")) << text;
    EXPECT_TRUE(Has(text, "Cumulative stall: 00:00:00.000 H:M:S, 0.0 percent")) << text;
    EXPECT_FALSE(Has(text, "Compaction Stats")) << text;
    Put("d", "1");
    Sleep(50);
    text = Property("stats");
    EXPECT_TRUE(Has(text, "Cumulative writes: 10 writes, 11 keys")) << text;
    EXPECT_TRUE(Has(text, "Interval writes: 1 writes, 1 keys, 1 commit groups")) << text;
    EXPECT_TRUE(Has(text, "50.0 interval")) << text;
  });
}

TEST_F(DbStatsTest, CountsFromAResetOn) {
  Simulate([&] {
    Open();
    for (uint64_t i = 0; i < 7; ++i) Put(Key(i), Value(i, 100));
    Flush();
    Sleep(100);
    ASSERT_TRUE(Has(Property("stats"), "Cumulative writes: 7 writes")) << Property("stats");
    ASSERT_TRUE(db_->ResetStats().ok());
    std::string text = Property("stats");
    EXPECT_TRUE(Has(text, "Uptime(secs): 0.0 total, 0.0 interval")) << text;
    EXPECT_TRUE(Has(text, "Cumulative writes: 0 writes, 0 keys, 0 commit groups")) << text;
    EXPECT_TRUE(Has(text, "Interval writes: 0 writes, 0 keys")) << text;
    EXPECT_TRUE(Has(text, "Flush(GB): cumulative 0.000, interval 0.000")) << text;
    Put("a", "1");
    Sleep(20);
    text = Property("stats");
    EXPECT_TRUE(Has(text, "Uptime(secs): 20.0 total, 20.0 interval")) << text;
    EXPECT_TRUE(Has(text, "Cumulative writes: 1 writes, 1 keys, 1 commit groups")) << text;
    EXPECT_TRUE(Has(text, "Interval writes: 1 writes, 1 keys, 1 commit groups")) << text;
    // The tables are there as before.
    EXPECT_TRUE(Has(Property("levelstats"), "  0        1 ")) << Property("levelstats");
  });
}

TEST_F(DbStatsTest, TellsFlushesAndCompactionsApart) {
  Simulate([&] {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    Open(options);
    PutRange(0, 200, 1);
    Flush();
    std::string text = Property("cfstats");
    EXPECT_TRUE(Has(text, "** Compaction Stats [default] **")) << text;
    EXPECT_TRUE(Has(text, "\nHigh ")) << text;
    EXPECT_FALSE(Has(text, "\n Low ")) << text;
    EXPECT_TRUE(Has(text, "  L0      1/0 ")) << text;
    EXPECT_FALSE(Has(text, "DB Stats")) << text;
    PutRange(100, 300, 2);
    Flush();
    Compact();
    text = Property("cfstats-no-file-histogram");
    EXPECT_TRUE(Has(text, "\n Low ")) << text;
    EXPECT_TRUE(Has(text, " Sum ")) << text;
    EXPECT_TRUE(Has(text, " Int ")) << text;
    EXPECT_TRUE(Has(text, "Cumulative compaction: 0.00 GB write")) << text;
    EXPECT_TRUE(Has(text, "AddFile(Total Files): cumulative 0, interval 0")) << text;
    EXPECT_TRUE(Has(text, "total-stops: 0")) << text;
    EXPECT_TRUE(Has(text, "Block cache LRUCache@")) << text;
  });
}

TEST_F(DbStatsTest, GoIntoTheLogAtTimes) {
  Simulate([&] {
    Options options = SmallOptions();
    options.stats_dump_period_sec = 60;
    Open(options);
    Put("a", "1");
    Sleep(59);
    EXPECT_EQ(Count(Log(), "DUMPING STATS"), 0u);
    Sleep(122);
    EXPECT_EQ(Count(Log(), "DUMPING STATS"), 3u);
    EXPECT_EQ(Count(Log(), "Cumulative writes: 1 writes, 1 keys"), 3u);
    EXPECT_EQ(Count(Log(), "** Compaction Stats [default] **"), 6u);
    ASSERT_TRUE(db_->SetDBOptions({{"stats_dump_period_sec", "0"}}).ok());
    Sleep(200);
    EXPECT_EQ(Count(Log(), "DUMPING STATS"), 3u);
    ASSERT_TRUE(db_->SetDBOptions({{"stats_dump_period_sec", "10"}}).ok());
    Sleep(11);
    EXPECT_GE(Count(Log(), "DUMPING STATS"), 4u);
  });
}

// "seconds since the start: keys written", of notes from `start` to before `end`.
std::string KeysWritten(DB* db, uint64_t opened, uint64_t start, uint64_t end) {
  std::unique_ptr<StatsHistoryIterator> it;
  EXPECT_TRUE(db->GetStatsHistory(start, end, &it).ok());
  std::string text;
  for (; it->Valid(); it->Next()) {
    text += (text.empty() ? "" : ", ") + std::to_string(it->GetStatsTime() - opened) + ": " +
            std::to_string(it->GetStatsMap().at("rocksdb.number.keys.written"));
  }
  EXPECT_TRUE(it->status().ok());
  return text;
}

TEST_F(DbStatsTest, TickersHaveAHistory) {
  Simulate([&] {
    Options options = SmallOptions();
    options.statistics = CreateDBStatistics();
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 60;
    Open(options);
    const uint64_t opened = fiber::wall_micros() / 1'000'000;
    Sleep(1);
    EXPECT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, nullptr).IsInvalidArgument());
    EXPECT_EQ("", KeysWritten(db_.get(), opened, 0, UINT64_MAX));
    for (uint64_t i = 0; i < 7; ++i) Put(Key(i), "v");
    Sleep(60);
    for (uint64_t i = 0; i < 3; ++i) Put(Key(i), "v");
    Sleep(120);
    EXPECT_EQ("60: 7, 120: 3, 180: 0", KeysWritten(db_.get(), opened, 0, UINT64_MAX));
    EXPECT_EQ("120: 3", KeysWritten(db_.get(), opened, opened + 61, opened + 180));
    EXPECT_EQ("", KeysWritten(db_.get(), opened, opened + 181, UINT64_MAX));
    ASSERT_TRUE(db_->SetDBOptions({{"stats_persist_period_sec", "0"}}).ok());
    Sleep(500);
    EXPECT_EQ("180: 0", KeysWritten(db_.get(), opened, opened + 121, UINT64_MAX));
    ASSERT_TRUE(db_->SetDBOptions({{"stats_persist_period_sec", "10"}}).ok());
    Put("a", "1");
    Sleep(11);
    EXPECT_TRUE(Has(KeysWritten(db_.get(), opened, 0, UINT64_MAX), ": 1"));
    // An iterator has what it stands on, and outlives the database.
    std::unique_ptr<StatsHistoryIterator> it;
    ASSERT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, &it).ok());
    Close();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(opened + 60, it->GetStatsTime());
    EXPECT_EQ(7u, it->GetStatsMap().at("rocksdb.number.keys.written"));
    EXPECT_EQ(-1, it->GetFormatVersion());
  });
}

TEST_F(DbStatsTest, TheHistoryForgetsTheOldest) {
  Simulate([&] {
    Options options = SmallOptions();
    options.statistics = CreateDBStatistics();
    options.stats_persist_period_sec = 1;
    options.stats_history_buffer_size = 100'000;
    Open(options);
    Sleep(200);
    std::unique_ptr<StatsHistoryIterator> it;
    ASSERT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, &it).ok());
    int notes = 0;
    uint64_t last = 0;
    for (; it->Valid(); it->Next(), ++notes) last = it->GetStatsTime();
    EXPECT_GT(notes, 2);
    EXPECT_LT(notes, 20);
    EXPECT_GE(last, fiber::wall_micros() / 1'000'000 - 2);
    ASSERT_TRUE(db_->SetDBOptions({{"stats_history_buffer_size", "0"}}).ok());
    Sleep(2);
    ASSERT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, &it).ok());
    EXPECT_FALSE(it->Valid());
  });
}

TEST_F(DbStatsTest, WithoutStatisticsThereIsNoHistory) {
  Simulate([&] {
    Options options = SmallOptions();
    options.stats_persist_period_sec = 1;
    Open(options);
    Sleep(10);
    std::unique_ptr<StatsHistoryIterator> it;
    ASSERT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, &it).ok());
    EXPECT_FALSE(it->Valid());
  });
}

TEST(NumberToHumanStringTest, CutsLongNumbers) {
  EXPECT_EQ(NumberToHumanString(9999), "9999");
  EXPECT_EQ(NumberToHumanString(10000), "10K");
  EXPECT_EQ(NumberToHumanString(9999999), "9999K");
  EXPECT_EQ(NumberToHumanString(10000000), "10M");
  EXPECT_EQ(NumberToHumanString(123456789012), "123G");
}

}  // namespace
}  // namespace cairn
