// What happens to files because of their age, in a world whose clock is simulated: ttl,
// periodic_compaction_seconds, FIFO compaction. Which files are picked: fifo_picker_test.cc,
// leveled_picker_test.cc.
#include <functional>

#include "db/testing/db_fixture.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/options_util.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class DbAgesTest : public testing::DbTest {
 protected:
  Options Ages(uint64_t ttl, uint64_t period) {
    Options options = SmallOptions();
    options.level0_file_num_compaction_trigger = 100;
    options.ttl = ttl;
    options.periodic_compaction_seconds = period;
    return options;
  }
  uint64_t Tables() { return disk_.Files(FileType::kTableFile).size(); }
};

TEST_F(DbAgesTest, AnIdleFifoForgetsWhatIsExpired) {
  Simulate([&] {
    Options options = Ages(100, 0);
    options.compaction_style = kCompactionStyleFIFO;
    Open(options);
    Put("a", "1");
    Flush();
    Sleep(60);
    Put("b", "2");
    Flush();
    Sleep(30);
    EXPECT_EQ(Get("a"), "1");
    Sleep(20);
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    EXPECT_EQ(Get("b"), "2");
    EXPECT_EQ(Tables(), 1u);
    Sleep(60);
    EXPECT_EQ(Get("b"), "NOT_FOUND");
    EXPECT_EQ(Tables(), 0u);
  });
}

TEST_F(DbAgesTest, TtlMovesOldDataDown) {
  Simulate([&] {
    Open(Ages(100, 0));
    PutRange(0, 20, 1);
    Flush();
    Compact();
    PutRange(0, 20, 2);
    Flush();
    EXPECT_EQ(FilesAtLevel(0), 1);
    Sleep(90);
    EXPECT_EQ(FilesAtLevel(0), 1);
    Sleep(20);
    WaitForCompactions();
    EXPECT_EQ(FilesAtLevel(0), 0);
    ExpectModel();
  });
}

TEST_F(DbAgesTest, TheLastLevelIsRewrittenNowAndThen) {
  Simulate([&] {
    Open(Ages(0, 100));
    PutRange(0, 20, 1);
    Flush();
    Compact();
    WaitForCompactions();
    const std::vector<std::string> before = disk_.Files(FileType::kTableFile);
    Sleep(90);
    EXPECT_EQ(disk_.Files(FileType::kTableFile), before);
    Sleep(20);
    WaitForCompactions();
    const std::vector<std::string> after = disk_.Files(FileType::kTableFile);
    EXPECT_EQ(after.size(), before.size());
    EXPECT_NE(after, before);
    Sleep(60);
    EXPECT_EQ(disk_.Files(FileType::kTableFile), after) << "young again";
    ExpectModel();
  });
}

TEST_F(DbAgesTest, UniversalRewritesToo) {
  Simulate([&] {
    Options options = Ages(100, 0);
    options.compaction_style = kCompactionStyleUniversal;
    Open(options);
    PutRange(0, 20, 1);
    Flush();
    PutRange(0, 20, 2);
    Flush();
    EXPECT_EQ(Tables(), 2u);
    Sleep(110);
    WaitForCompactions();
    EXPECT_EQ(Tables(), 1u);
    ExpectModel();
  });
}

TEST_F(DbAgesTest, ATtlThatIsSetLaterCounts) {
  Simulate([&] {
    Options options = Ages(0, 0);
    options.compaction_style = kCompactionStyleFIFO;
    Open(options);
    Put("a", "1");
    Flush();
    Sleep(500);
    EXPECT_EQ(Get("a"), "1");
    ASSERT_TRUE(db_->SetOptions({{"ttl", "100"}}).ok());
    Sleep(2);
    EXPECT_EQ(Get("a"), "NOT_FOUND");
  });
}

TEST_F(DbAgesTest, AFifoOfBoundedSizeKeepsTheNewest) {
  Options options = Ages(0, 0);
  options.compaction_style = kCompactionStyleFIFO;
  options.compaction_options_fifo.max_table_files_size = 100 << 10;
  Open(options);
  for (uint64_t i = 0; i < 4000; ++i) Put(Key(i), Value(i, 200));
  Flush();
  WaitUntilIdle();  // what is on the disk counts
  uint64_t bytes = 0;
  for (const std::string& table : disk_.Files(FileType::kTableFile)) bytes += disk_.Size(table);
  EXPECT_LE(bytes, uint64_t{100} << 10);
  EXPECT_EQ(Get(Key(0)), "NOT_FOUND");
  EXPECT_EQ(Get(Key(3999)), model_[Key(3999)]);
  // What is there is the end of what was written.
  const testing::Contents found = Scan();
  ASSERT_FALSE(found.empty());
  testing::Contents expected(model_.find(found.begin()->first), model_.end());
  EXPECT_TRUE(found == expected) << found.size() << " and " << expected.size();
  Kill();
  Open(options);
  EXPECT_TRUE(Scan() == expected);
}

TEST_F(DbAgesTest, AFifosFilesBecomeCold) {
  Simulate([&] {
    const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
    Options options = Ages(0, 0);
    options.statistics = statistics;
    options.compaction_style = kCompactionStyleFIFO;
    options.num_levels = 1;
    options.default_write_temperature = Temperature::kHot;
    options.last_level_temperature = Temperature::kIce;  // is of no account here
    options.compaction_options_fifo.file_temperature_age_thresholds = {{Temperature::kWarm, 100},
                                                                       {Temperature::kCool, 200}};
    Open(options);
    const auto temperatures = [this] {
      std::vector<LiveFileMetaData> files;
      db_->GetLiveFilesMetaData(&files);
      std::map<std::string, Temperature> by_first_key;
      for (const LiveFileMetaData& file : files) by_first_key[file.smallestkey] = file.temperature;
      return by_first_key;
    };
    using Temperatures = std::map<std::string, Temperature>;
    Put("a", "1");
    Flush();
    Sleep(60);
    Put("b", "2");
    Flush();
    Sleep(90);
    EXPECT_EQ(temperatures(), (Temperatures{{"a", Temperature::kHot}, {"b", Temperature::kHot}}));
    Sleep(20);
    WaitForCompactions();
    EXPECT_EQ(temperatures(), (Temperatures{{"a", Temperature::kWarm}, {"b", Temperature::kHot}}));
    EXPECT_EQ(statistics->getTickerCount(FIFO_CHANGE_TEMPERATURE_COMPACTIONS), 1u);
    // That it was written anew has not made it younger.
    Sleep(100);
    WaitForCompactions();
    EXPECT_EQ(temperatures(), (Temperatures{{"a", Temperature::kCool}, {"b", Temperature::kHot}}));
    EXPECT_EQ(statistics->getTickerCount(FIFO_CHANGE_TEMPERATURE_COMPACTIONS), 2u);
    Open(options);
    EXPECT_EQ(temperatures(), (Temperatures{{"a", Temperature::kCool}, {"b", Temperature::kHot}}));
    ExpectModel();
    EXPECT_GT(statistics->getTickerCount(COOL_FILE_READ_COUNT), 0u);
    EXPECT_EQ(statistics->getTickerCount(ICE_FILE_READ_COUNT), 0u);
  });
}

TEST_F(DbAgesTest, TemperatureAgesThatAreNoneAreRefused) {
  Options options = Ages(0, 0);
  options.compaction_options_fifo.file_temperature_age_thresholds = {{Temperature::kWarm, 100}};
  EXPECT_TRUE(TryOpen(options).IsNotSupported()) << "leveled";
  options.compaction_style = kCompactionStyleFIFO;
  EXPECT_TRUE(TryOpen(options).IsNotSupported()) << "several levels";
  options.num_levels = 1;
  Open(options);
  EXPECT_FALSE(db_->SetOptions({{"compaction_options_fifo",
                                 "{file_temperature_age_thresholds={{temperature=kWarm;age=20}:"
                                 "{temperature=kCold;age=10}}}"}})
                   .ok())
      << "descending";
  ASSERT_TRUE(db_->SetOptions({{"compaction_options_fifo",
                                "{file_temperature_age_thresholds={{temperature=kCool;age=10}:"
                                "{temperature=kIce;age=20}}}"}})
                  .ok());
  const std::vector<FileTemperatureAge> expected = {{Temperature::kCool, 10},
                                                    {Temperature::kIce, 20}};
  EXPECT_EQ(db_->GetOptions().compaction_options_fifo.file_temperature_age_thresholds, expected);
  Close();
  // As text and back, through the OPTIONS file.
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions config;
  config.env = disk_.env.get();
  ASSERT_TRUE(LoadLatestOptions(config, testing::kDbName, &db_options, &families).ok());
  EXPECT_EQ(families[0].options.compaction_options_fifo.file_temperature_age_thresholds, expected);
}

}  // namespace
}  // namespace cairn
