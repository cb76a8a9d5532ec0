// Universal compaction: sorted runs, when they are merged, and what stays.
#include "conformance.h"
#include "rocksdb/universal_compaction.h"

namespace conformance {
namespace {

class UniversalTest : public DBTest {
 protected:
  UniversalTest() {
    options_.compaction_style = kCompactionStyleUniversal;
    options_.level0_file_num_compaction_trigger = 4;
    options_.num_levels = 4;
    options_.write_buffer_size = 4 << 20;
  }
  void WriteRun(int number, int keys = 100) {
    Numbers numbers(static_cast<uint64_t>(number));
    for (int i = 0; i < keys; ++i) {
      const std::string key = Key(static_cast<int>(numbers.Below(500)));
      const std::string value = std::to_string(number) + numbers.Bytes(100);
      ASSERT_OK(Put(key, value));
      model_[key] = value;
    }
    ASSERT_OK(Flush());
  }
  int Files() {
    int files = 0;
    for (int level = 0; level < options_.num_levels; ++level) files += FilesAtLevel(level);
    return files;
  }
  int Runs() {
    int runs = FilesAtLevel(0);
    for (int level = 1; level < options_.num_levels; ++level) runs += FilesAtLevel(level) > 0;
    return runs;
  }
  void AwaitRuns(int most) {
    for (int i = 0; i < 10000 && Runs() > most; ++i) TheEnv()->SleepForMicroseconds(1000);
    EXPECT_GE(most, Runs());
  }
  void CheckAll() {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    auto at = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
      ASSERT_NE(at, model_.end());
      ASSERT_EQ(at->first, it->key().ToString());
      ASSERT_EQ(at->second, it->value().ToString());
    }
    ASSERT_OK(it->status());
    EXPECT_EQ(at, model_.end());
    for (const auto& entry : model_) ASSERT_EQ(entry.second, Get(entry.first));
  }

  std::map<std::string, std::string> model_;
};

TEST_F(UniversalTest, RunsAreMergedWhereThereAreTooMany) {
  Open();
  for (int i = 0; i < 20; ++i) WriteRun(i);
  AwaitRuns(4);
  CheckAll();
  Open();
  CheckAll();
}

TEST_F(UniversalTest, ACompactionOfAllLeavesOneRunInTheLastLevel) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 6; ++i) WriteRun(i);
  EXPECT_EQ(6, FilesAtLevel(0));
  ASSERT_OK(Compact());
  EXPECT_EQ(1, Runs());
  EXPECT_EQ(1, FilesAtLevel(3));
  CheckAll();
}

TEST_F(UniversalTest, OneLevelIsEnough) {
  options_.num_levels = 1;
  Open();
  for (int i = 0; i < 12; ++i) WriteRun(i);
  AwaitRuns(4);
  CheckAll();
  ASSERT_OK(Compact());
  EXPECT_EQ(1, FilesAtLevel(0));
  CheckAll();
}

TEST_F(UniversalTest, SpaceAmplificationIsLimited) {
  options_.compaction_options_universal.max_size_amplification_percent = 50;
  // No merges for the sake of similar sizes.
  options_.compaction_options_universal.min_merge_width = 100;
  Open();
  for (int i = 0; i < 16; ++i) WriteRun(i, 400);
  ASSERT_OK(db_->Flush(FlushOptions()));
  AwaitRuns(4);
  // About 500 keys of 100 bytes are alive.
  for (int i = 0; i < 5000 && IntProperty("rocksdb.total-sst-files-size") > 150'000; ++i) {
    TheEnv()->SleepForMicroseconds(1000);
  }
  EXPECT_GE(200'000u, IntProperty("rocksdb.total-sst-files-size"));
  CheckAll();
}

TEST_F(UniversalTest, KeysThatAreWrittenInOrderMayMove) {
  options_.compaction_options_universal.allow_trivial_move = true;
  Open();
  for (int file = 0; file < 12; ++file) {
    for (int i = 0; i < 100; ++i) {
      const std::string key = Key(file * 100 + i);
      ASSERT_OK(Put(key, "v"));
      model_[key] = "v";
    }
    ASSERT_OK(Flush());
  }
  AwaitRuns(5);
  CheckAll();
}

TEST_F(UniversalTest, StylesMayBeExchanged) {
  options_.compaction_style = kCompactionStyleLevel;
  options_.level_compaction_dynamic_level_bytes = false;
  Open();
  for (int i = 0; i < 6; ++i) WriteRun(i);
  ASSERT_OK(Compact());
  WriteRun(6);
  options_.compaction_style = kCompactionStyleUniversal;
  Open();
  CheckAll();
  for (int i = 7; i < 14; ++i) WriteRun(i);
  AwaitRuns(4);
  CheckAll();
  options_.compaction_style = kCompactionStyleLevel;
  Open();
  CheckAll();
  ASSERT_OK(Compact());
  CheckAll();
}

TEST_F(UniversalTest, DeletedKeysStayDeleted) {
  Open();
  for (int i = 0; i < 8; ++i) {
    WriteRun(i);
    for (int k = i; k < 500; k += 8) {
      ASSERT_OK(Delete(Key(k)));
      model_.erase(Key(k));
    }
  }
  ASSERT_OK(Flush());
  AwaitRuns(4);
  CheckAll();
  ASSERT_OK(Compact());
  CheckAll();
}

TEST_F(UniversalTest, TheOptionsMayBeChangedWhileOpen) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 8; ++i) WriteRun(i);
  EXPECT_EQ(8, FilesAtLevel(0));
  ASSERT_OK(db_->SetOptions({{"compaction_options_universal", "{size_ratio=10;max_merge_width=3;}"},
                             {"disable_auto_compactions", "false"}}));
  EXPECT_EQ(10u, db_->GetOptions().compaction_options_universal.size_ratio);
  EXPECT_EQ(3u, db_->GetOptions().compaction_options_universal.max_merge_width);
  AwaitRuns(5);
  CheckAll();
}

}  // namespace
}  // namespace conformance
