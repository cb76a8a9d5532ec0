// The history of statistics in a column family (persist_stats_to_disk), under a simulated clock.
#include "db/stats_on_disk.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "rocksdb/stats_history.h"

namespace cairn {
namespace {

using testing::Key;

class DbStatsOnDiskTest : public testing::DbTest {
 protected:
  static uint64_t Now() { return fiber::wall_micros() / 1'000'000; }

  Options Persisting() {
    Options options = SmallOptions();
    options.statistics = CreateDBStatistics();
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 60;
    options.persist_stats_to_disk = true;
    return options;
  }
  // Counted by a ticker that the history itself does not move.
  void Find(int times) {
    for (int i = 0; i < times; ++i) EXPECT_EQ("1", Get("found"));
  }
  // "seconds since the start: keys found in memtables", of notes from `start` to before `end`.
  std::string Finds(uint64_t opened, uint64_t start = 0, uint64_t end = UINT64_MAX) {
    std::unique_ptr<StatsHistoryIterator> it;
    EXPECT_TRUE(db_->GetStatsHistory(start, end, &it).ok());
    std::string text;
    for (; it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ", ") + std::to_string(it->GetStatsTime() - opened) + ": " +
              std::to_string(it->GetStatsMap().at("rocksdb.memtable.hit"));
      EXPECT_GT(it->GetStatsMap().size(), 100u);
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return text;
  }
  void OpenBoth(const Options& options, ColumnFamilyHandle** stats) {
    std::vector<ColumnFamilyHandle*> handles;
    const Status s = DB::Open(
        options, testing::kDbName,
        {{kDefaultColumnFamilyName, options}, {StatsOnDisk::kFamilyName, ColumnFamilyOptions()}},
        &handles, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ASSERT_EQ(2u, handles.size());
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handles[0]).ok());
    *stats = handles[1];
  }
};

TEST_F(DbStatsOnDiskTest, NotesSurviveAnOpening) {
  Simulate([&] {
    Open(Persisting());
    const uint64_t opened = Now();
    Put("found", "1");
    Sleep(1);
    EXPECT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, nullptr).IsInvalidArgument());
    EXPECT_EQ("", Finds(opened));
    Find(7);
    Sleep(60);
    Find(3);
    Sleep(120);
    EXPECT_EQ("60: 7, 120: 3, 180: 0", Finds(opened));
    EXPECT_EQ("120: 3", Finds(opened, opened + 61, opened + 180));
    EXPECT_EQ("", Finds(opened, opened + 181));
    EXPECT_EQ("", Finds(opened, UINT64_MAX));
    ASSERT_TRUE(db_->SetDBOptions({{"stats_history_buffer_size", "0"}}).ok());  // of the other one
    Close();
    Open(Persisting());
    const uint64_t reopened = Now() - opened;
    Put("found", "1");
    Find(5);
    Sleep(61);
    EXPECT_EQ("60: 7, 120: 3, 180: 0, " + std::to_string(reopened + 60) + ": 5", Finds(opened));
    Kill();
    // Without the option there is a history in memory, and the other one stays.
    Options in_memory = Persisting();
    in_memory.persist_stats_to_disk = false;
    Open(in_memory);
    Sleep(61);
    EXPECT_EQ("60: 0", Finds(Now() - 61));
    Close();
    ASSERT_TRUE(TryOpenReadOnly(Persisting()).ok());
    EXPECT_EQ("60: 7, 120: 3, 180: 0, " + std::to_string(reopened + 60) + ": 5", Finds(opened));
    db_.reset();
  });
}

TEST_F(DbStatsOnDiskTest, ReadersFindWhatThereIs) {
  Simulate([&] {
    Open();
    Close();
    ASSERT_TRUE(TryOpenReadOnly(Persisting()).ok());
    EXPECT_EQ("", Finds(0));
    Open(Persisting());
    const uint64_t opened = Now();
    Put("found", "1");
    Find(2);
    Sleep(61);
    std::unique_ptr<DB> secondary;
    ASSERT_TRUE(DB::OpenAsSecondary(Persisting(), testing::kDbName, "/secondary", &secondary).ok());
    std::swap(db_, secondary);
    EXPECT_EQ("60: 2", Finds(opened));
    std::swap(db_, secondary);
    Find(4);
    Sleep(60);
    ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
    std::swap(db_, secondary);
    EXPECT_EQ("60: 2, 120: 4", Finds(opened));
    std::swap(db_, secondary);
    secondary.reset();
  });
}

TEST_F(DbStatsOnDiskTest, BeginsAnewWhereALaterReleaseHasWritten) {
  const auto write_versions = [&](const char* format, const char* compatible) {
    ColumnFamilyHandle* stats = nullptr;
    OpenBoth(Persisting(), &stats);
    for (const auto& [key, value] : {std::pair("__persistent_stats_format_version__", format),
                                     {"__persistent_stats_compatible_version__", compatible}}) {
      const Status s = *value == '\0' ? db_->Delete(WriteOptions(), stats, key)
                                      : db_->Put(WriteOptions(), stats, key, value);
      ASSERT_TRUE(s.ok()) << s.ToString();
    }
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(stats).ok());
    Open(Persisting());
  };
  Simulate([&] {
    for (const auto& [format, compatible, kept] : {std::tuple("1", "1", true),
                                                   {"2", "1", true},
                                                   {"1", "2", true},
                                                   {"2", "2", false},
                                                   {"", "1", false},
                                                   {"1", "", false},
                                                   {"one", "1", false}}) {
      SCOPED_TRACE(std::string(format) + "/" + compatible);
      Open(Persisting());
      const uint64_t opened = Now();
      Put("found", "1");
      Find(1);
      Sleep(61);
      EXPECT_EQ("60: 1", Finds(opened, opened));
      write_versions(format, compatible);
      EXPECT_EQ(kept ? "60: 1" : "", Finds(opened, opened));
      Sleep(61);
      EXPECT_NE("", Finds(opened, opened + 61));
      Open(Persisting());  // what was made anew is kept
      EXPECT_NE("", Finds(opened, opened + 61));
    }
  });
}

TEST_F(DbStatsOnDiskTest, WhatAStallKeepsOutIsInTheNextNote) {
  Simulate([&] {
    Options options = Persisting();
    options.max_write_buffer_number = 2;
    Open(options);
    const uint64_t opened = Now();
    Put("found", "1");
    Find(3);
    ASSERT_TRUE(db_->PauseBackgroundWork().ok());
    WriteOptions impatient;
    impatient.no_slowdown = true;
    Status s;
    for (int i = 0; i < 10'000 && s.ok(); ++i) {
      s = db_->Put(impatient, Key(static_cast<uint64_t>(i)), std::string(1000, 'v'));
    }
    ASSERT_TRUE(s.IsIncomplete()) << s.ToString();
    Sleep(61);
    EXPECT_EQ("", Finds(opened));
    EXPECT_TRUE(db_->ContinueBackgroundWork().ok());
    WaitForCompactions();
    Sleep(60);
    EXPECT_EQ("120: 3", Finds(opened));
  });
}

TEST_F(DbStatsOnDiskTest, ItDoesNotKeepLogs) {
  Simulate([&] {
    Open(Persisting());
    for (uint64_t i = 0; i < 6; ++i) {
      Sleep(60);
      PutRange(0, 50, i);
      Flush();
    }
    WaitUntilIdle();
    EXPECT_LE(disk_.Files(FileType::kWalFile).size(), 2u);
    ExpectModel();
    Kill();
    Open(Persisting());
    ExpectModel();
    std::unique_ptr<StatsHistoryIterator> it;
    ASSERT_TRUE(db_->GetStatsHistory(0, UINT64_MAX, &it).ok());
    int notes = 0;
    for (; it->Valid(); it->Next()) ++notes;
    EXPECT_GE(notes, 5);
  });
}

// (The clock runs before the family is there.)
TEST_F(DbStatsOnDiskTest, NothingIsNotedWhileADatabaseIsOpened) {
  Simulate([&] {
    Options options = Persisting();
    options.stats_persist_period_sec = 1;
    fault::Rule slow;
    slow.operations = fault::kAppend;
    slow.files = fault::kManifests;
    slow.where = [](const std::string&) {
      Sleep(5);
      return false;
    };
    const auto rule = disk_.faults->AddRule(slow);
    Open(options);
    disk_.faults->RemoveRule(rule);
    ExpectModel();  // nothing, nor anything of the history
    const uint64_t opened = Now();
    Put("found", "1");
    Find(2);
    Sleep(3);
    EXPECT_NE(std::string::npos, Finds(opened).find(": 2")) << Finds(opened);
    ExpectModel();
  });
}

TEST_F(DbStatsOnDiskTest, ADamagedNoteIsCorruption) {
  Simulate([&] {
    ColumnFamilyHandle* stats = nullptr;
    OpenBoth(Persisting(), &stats);
    const auto put = [&](const char* key, const char* value) {
      ASSERT_TRUE(db_->Put(WriteOptions(), stats, key, value).ok());
    };
    put("0000000060#a", "1");
    put("0000000060#b", "18446744073709551615");
    put("0000000061", "no ticker");
    put("0000000120#a", "many");
    put("rubbish", "1");
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(stats).ok());
    std::unique_ptr<StatsHistoryIterator> it;
    ASSERT_TRUE(db_->GetStatsHistory(60, 61, &it).ok());
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(60u, it->GetStatsTime());
    EXPECT_EQ((StatsHistory::Tickers{{"a", 1}, {"b", UINT64_MAX}}), it->GetStatsMap());
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
    ASSERT_TRUE(db_->GetStatsHistory(60, 121, &it).ok());
    ASSERT_TRUE(it->Valid());
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsCorruption());
    EXPECT_NE(std::string::npos, it->status().ToString().find("0000000120#a"));
    EXPECT_TRUE(db_->GetStatsHistory(61, 121, &it).IsCorruption());
  });
}

}  // namespace
}  // namespace cairn
