// DBOptions::db_paths: in which of several directories tables are.
#include "conformance.h"
#include "rocksdb/convenience.h"

namespace conformance {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

class DbPathsTest : public DBTest {
 protected:
  DbPathsTest() {
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
    options_.max_bytes_for_level_base = 100'000;
    options_.max_bytes_for_level_multiplier = 10;
    options_.write_buffer_size = 4 << 20;
  }
  std::string Dir(int i) const { return root_ + "/tables" + std::to_string(i); }
  // So many bytes are to be in each.
  void SetPaths(const std::vector<uint64_t>& sizes) {
    options_.db_paths.clear();
    for (const uint64_t size : sizes) {
      options_.db_paths.emplace_back(Dir(static_cast<int>(options_.db_paths.size())), size);
    }
  }
  // "2 0 1": tables in each directory. What the database says of them is where they are.
  std::string Tables() {
    std::map<std::string, int> told;
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const LiveFileMetaData& file : files) {
      ++told[file.db_path];
      EXPECT_OK(TheEnv()->FileExists(file.db_path + file.name));
    }
    std::string text;
    for (const DbPath& path : options_.db_paths) {
      std::vector<std::string> names;
      EXPECT_OK(TheEnv()->GetChildren(path.path, &names));
      const auto count = std::count_if(names.begin(), names.end(), [](const std::string& name) {
        return name.size() > 4 && name.substr(name.size() - 4) == ".sst";
      });
      EXPECT_EQ(told[path.path], count) << path.path;
      text += (text.empty() ? "" : " ") + std::to_string(count);
    }
    return text;
  }
  // Two tables of level 0 that overlap, of about `bytes` each.
  void TwoTables(int bytes = 2000) {
    for (int i = 0; i < 2; ++i) {
      for (int at = 0; at < bytes; at += 1000) {
        ASSERT_OK(Put(Key(at), Numbers(static_cast<uint64_t>(at)).Bytes(900)));
      }
      ASSERT_OK(Put("last", std::to_string(i)));
      ASSERT_OK(Flush());
    }
  }
};

class DbPathsAloneTest : public DbPathsTest {
 protected:
  // Two tables of level 0, which the database compacts by itself.
  void CompactTwo() {
    options_.disable_auto_compactions = false;
    options_.level0_file_num_compaction_trigger = 2;
    Open();
    TwoTables(6000);
    std::string pending, running, level0;
    for (int i = 0; i < 6000; ++i) {
      EXPECT_TRUE(db_->GetProperty("rocksdb.compaction-pending", &pending));
      EXPECT_TRUE(db_->GetProperty("rocksdb.num-running-compactions", &running));
      EXPECT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &level0));
      if (pending == "0" && running == "0" && level0 != "2") return;
      TheEnv()->SleepForMicroseconds(10'000);  // sleeps: between two looks
    }
    FAIL() << "nothing is compacted";
  }
  // The inputs are deleted a little later.
  void ExpectTables(const std::string& expected) {
    Open();
    EXPECT_EQ(expected, Tables());
    EXPECT_EQ("1", Get("last"));
  }
};

TEST_F(DbPathsAloneTest, ALevelGoesWhereItHasRoom) {
  SetPaths({200'000, kNoLimit});
  CompactTwo();
  ExpectTables("1 0");
}

TEST_F(DbPathsAloneTest, ALevelGoesOnWhereThereIsNoRoom) {
  SetPaths({199'999, 99'999, kNoLimit});
  CompactTwo();
  ExpectTables("0 0 1");
}

TEST_F(DbPathsAloneTest, ARunGoesWhereItHasRoom) {
  options_.compaction_style = kCompactionStyleUniversal;
  SetPaths({1'000, 1'000'000, kNoLimit});
  CompactTwo();
  ExpectTables("0 1 0");
}

TEST_F(DbPathsTest, FlushesGoToTheFirst) {
  SetPaths({0, 0, kNoLimit});
  Open();
  TwoTables();
  EXPECT_EQ("2 0 0", Tables());
  Open();
  EXPECT_EQ("1", Get("last"));
  EXPECT_EQ("2 0 0", Tables());
}

TEST_F(DbPathsTest, ManualCompactionsGoWhereTheyAreTold) {
  SetPaths({kNoLimit, kNoLimit, kNoLimit});
  Open();
  TwoTables();
  CompactRangeOptions compact;
  compact.target_path_id = 2;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
  EXPECT_EQ("0 0 1", Tables());
  ASSERT_OK(Put("later", "1"));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1 0 1", Tables());
  compact.target_path_id = 1;
  compact.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
  EXPECT_EQ("0 1 0", Tables());
  // By default: the first.
  ASSERT_OK(Put("last", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("1 0 0", Tables());
  Open();
  EXPECT_EQ("2", Get("last"));
  EXPECT_EQ("1", Get("later"));
  compact.target_path_id = 3;
  EXPECT_CODE(InvalidArgument, db_->CompactRange(compact, nullptr, nullptr));
}

TEST_F(DbPathsTest, ATableThatNothingOverlapsIsMovedOrWrittenAnewThere) {
  SetPaths({kNoLimit, kNoLimit});
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
  EXPECT_EQ("0 1", Tables());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(DbPathsTest, CompactFilesMustBeToldWhere) {
  SetPaths({kNoLimit, kNoLimit});
  Open();
  TwoTables();
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  const std::vector<std::string> names = {files[0].name, files[1].name};
  EXPECT_CODE(NotSupported, db_->CompactFiles(CompactionOptions(), names, 1));
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), names, 1, /*output_path_id=*/1));
  EXPECT_EQ("0 1", Tables());
  EXPECT_EQ("1", Get("last"));
}

TEST_F(DbPathsTest, MoreThanFourAreRefused) {
  SetPaths({1, 1, 1, 1, 1});
  EXPECT_CODE(NotSupported, TryOpen());
  SetPaths({1, 1, 1, 1});
  ASSERT_OK(TryOpen());
}

TEST_F(DbPathsTest, ADatabaseIsDestroyedWithThem) {
  SetPaths({kNoLimit, kNoLimit});
  Open();
  TwoTables();
  CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
  TwoTables();
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_));
  for (const DbPath& path : options_.db_paths) {
    std::vector<std::string> names;
    (void)TheEnv()->GetChildren(path.path, &names).ok();
    for (const std::string& name : names) {
      EXPECT_EQ(std::string::npos, name.find(".sst")) << path.path << "/" << name;
    }
  }
  options_.create_if_missing = false;
  EXPECT_FALSE(TryOpen().ok());
}

TEST_F(DbPathsTest, TheMetadataSayWhereEachTableIs) {
  SetPaths({kNoLimit, kNoLimit});
  Open();
  TwoTables();
  CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(&meta);
  std::multiset<std::string> paths;
  for (const LevelMetaData& level : meta.levels) {
    for (const SstFileMetaData& file : level.files) paths.insert(file.db_path);
  }
  EXPECT_EQ((std::multiset<std::string>{Dir(0), Dir(1)}), paths);
  TablePropertiesCollection properties;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&properties));
  for (const auto& [path, one] : properties) {
    EXPECT_OK(TheEnv()->FileExists(path));
  }
  EXPECT_EQ(2u, properties.size());
}

}  // namespace
}  // namespace conformance
