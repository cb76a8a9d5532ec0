// The history of statistics in a column family of its own (persist_stats_to_disk).
#include "rocksdb/stats_history.h"
#include "conformance.h"

namespace conformance {
namespace {

constexpr char kStats[] = "___rocksdb_stats_history___";
constexpr char kFormat[] = "__persistent_stats_format_version__";
constexpr char kCompatible[] = "__persistent_stats_compatible_version__";

class StatsHistoryTest : public DBTest {
 protected:
  StatsHistoryTest() {
    options_.statistics = CreateDBStatistics();
    options_.persist_stats_to_disk = true;
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
  }
  ~StatsHistoryTest() override { Let(); }

  Status TryOpenBoth() {
    Let();
    Shut();
    std::vector<ColumnFamilyHandle*> handles;
    Status s = DB::Open(options_, dir_, {{kDefaultColumnFamilyName, options_}, {kStats, options_}},
                        &handles, &db_);
    if (!s.ok()) return s;
    stats_ = handles[1];
    return db_->DestroyColumnFamilyHandle(handles[0]);
  }
  void Let() {
    if (stats_ == nullptr) return;
    EXPECT_OK(db_->DestroyColumnFamilyHandle(stats_));
    stats_ = nullptr;
  }
  void PutThere(const std::string& key, const std::string& value) {
    ASSERT_OK(db_->Put(WriteOptions(), stats_, key, value));
  }
  std::string GetThere(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), stats_, key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // "60: a=1 b=2, 120: a=3"
  std::string History(uint64_t start, uint64_t end) {
    std::unique_ptr<StatsHistoryIterator> it;
    EXPECT_OK(db_->GetStatsHistory(start, end, &it));
    std::string text;
    for (; it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ", ") + std::to_string(it->GetStatsTime()) + ":";
      for (const auto& [name, count] : it->GetStatsMap()) {
        text += " " + name + "=" + std::to_string(count);
      }
    }
    EXPECT_OK(it->status());
    return text;
  }

  ColumnFamilyHandle* stats_ = nullptr;
};

TEST_F(StatsHistoryTest, TheFamilyIsMadeAndSaysItsVersion) {
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ("", History(0, 1'000));
  EXPECT_TRUE(db_->GetStatsHistory(0, 1'000, nullptr).IsInvalidArgument());
  Shut();
  std::vector<std::string> families;
  ASSERT_OK(DB::ListColumnFamilies(options_, dir_, &families));
  EXPECT_EQ((std::vector<std::string>{kDefaultColumnFamilyName, kStats}), families);
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("1", GetThere(kFormat));
  EXPECT_EQ("1", GetThere(kCompatible));
  EXPECT_EQ("a=1", Contents());
}

TEST_F(StatsHistoryTest, NamedItIsMadeAsWell) {
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ(kStats, stats_->GetName());
  EXPECT_EQ("1", GetThere(kFormat));
  // Others are not.
  Let();
  Shut();
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_CODE(InvalidArgument,
              DB::Open(options_, dir_,
                       {{kDefaultColumnFamilyName, options_}, {kStats, options_}, {"x", options_}},
                       &handles, &db_));
  options_.create_missing_column_families = true;
  ASSERT_OK(DB::Open(options_, dir_,
                     {{kDefaultColumnFamilyName, options_}, {kStats, options_}, {"x", options_}},
                     &handles, &db_));
  EXPECT_EQ(3u, handles.size());
  for (ColumnFamilyHandle* handle : handles) EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
}

TEST_F(StatsHistoryTest, NotesAreEntries) {
  ASSERT_OK(TryOpenBoth());
  PutThere("0000000060#rocksdb.a", "1");
  PutThere("0000000060#rocksdb.b", "18446744073709551615");
  PutThere("0000000120#rocksdb.a", "3");
  PutThere("0000000300#rocksdb.a#more", "4");
  for (const char* step : {"in memory", "flushed", "opened again"}) {
    SCOPED_TRACE(step);
    EXPECT_EQ("60: rocksdb.a=1 rocksdb.b=18446744073709551615, 120: rocksdb.a=3", History(0, 200));
    EXPECT_EQ("120: rocksdb.a=3", History(61, 200));
    EXPECT_EQ("120: rocksdb.a=3, 300: rocksdb.a#more=4", History(120, 1'000));
    EXPECT_EQ("", History(121, 200));
    EXPECT_EQ("", History(301, 1'000));
    if (stats_ != nullptr) {
      ASSERT_OK(db_->Flush(FlushOptions(), stats_));
      Let();
    } else {
      Open();
    }
  }
}

TEST_F(StatsHistoryTest, WithoutTheOptionItIsInMemoryAndTheFamilyStays) {
  ASSERT_OK(TryOpenBoth());
  PutThere("0000000060#rocksdb.a", "1");
  Let();
  options_.persist_stats_to_disk = false;
  Open();
  EXPECT_EQ("", History(0, 1'000));
  options_.persist_stats_to_disk = true;
  Open();
  EXPECT_EQ("60: rocksdb.a=1", History(0, 1'000));
}

TEST_F(StatsHistoryTest, WhatALaterReleaseHasWrittenIsDropped) {
  struct {
    const char* format;
    const char* compatible;
    bool kept;
  } const cases[] = {{"1", "1", true},  {"2", "1", true}, {"1", "2", true},
                     {"2", "2", false}, {"", "1", false}, {"1", "", false}};
  for (const auto& one : cases) {
    SCOPED_TRACE(std::string(one.format) + "/" + one.compatible);
    ASSERT_OK(TryOpenBoth());
    PutThere("0000000060#rocksdb.a", "1");
    const auto set = [&](const char* key, const std::string& value) {
      if (!value.empty()) return PutThere(key, value);
      ASSERT_OK(db_->Delete(WriteOptions(), stats_, key));
    };
    set(kFormat, one.format);
    set(kCompatible, one.compatible);
    const uint32_t id = stats_->GetID();
    Let();
    Open();
    EXPECT_EQ(one.kept ? "60: rocksdb.a=1" : "", History(0, 1'000));
    ASSERT_OK(TryOpenBoth());
    EXPECT_EQ(one.kept, stats_->GetID() == id);
    EXPECT_EQ(one.kept ? one.format : "1", GetThere(kFormat));
    EXPECT_EQ(one.kept ? one.compatible : "1", GetThere(kCompatible));
    set(kFormat, "1");
    set(kCompatible, "1");
    Let();
  }
}

TEST_F(StatsHistoryTest, WithoutStatisticsThereIsAnEmptyOne) {
  options_.statistics = nullptr;
  options_.stats_persist_period_sec = 1;
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("1", GetThere(kFormat));
  EXPECT_EQ("", History(0, 1'000));
}

// It is written to rarely, and would be the last to let go of its logs.
TEST_F(StatsHistoryTest, ItDoesNotKeepLogs) {
  ASSERT_OK(TryOpenBoth());
  for (int i = 0; i < 6; ++i) {
    PutThere("000000006" + std::to_string(i) + "#rocksdb.a", "1");
    ASSERT_OK(Put(Key(i), "1"));
    ASSERT_OK(Flush());
  }
  size_t logs = 0;
  for (int i = 0; i < 6000; ++i) {
    logs = FilesEndingIn(".log").size();
    if (logs <= 2) break;
    TheEnv()->SleepForMicroseconds(10'000);  // sleeps: between two looks
  }
  EXPECT_LE(logs, 2u);
}

TEST_F(StatsHistoryTest, NotesAreWritten) {
  options_.stats_persist_period_sec = 1;
  Open();
  constexpr uint64_t kEnd = 100'000'000'000;
  int64_t now = 0;
  ASSERT_OK(TheEnv()->GetCurrentTime(&now));
  std::string history;
  for (int i = 0; i < 6000 && history.empty(); ++i) {
    ASSERT_OK(Put(Key(i), "1"));
    TheEnv()->SleepForMicroseconds(10'000);  // sleeps: between two looks
    history = History(static_cast<uint64_t>(now), kEnd);
  }
  EXPECT_NE(std::string::npos, history.find(" rocksdb.number.keys.written=")) << history;
  options_.stats_persist_period_sec = 0;
  Open();
  EXPECT_EQ(0u, History(static_cast<uint64_t>(now), kEnd).find(history));
}

}  // namespace
}  // namespace conformance
