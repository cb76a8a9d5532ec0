// kCompactionStyleNone: files stay where they are until CompactFiles() moves them.
#include "conformance.h"

namespace conformance {
namespace {

class NoneStyleTest : public DBTest {
 protected:
  NoneStyleTest() {
    options_.compaction_style = kCompactionStyleNone;
    options_.level0_file_num_compaction_trigger = 2;
    options_.level0_slowdown_writes_trigger = 100;
    options_.level0_stop_writes_trigger = 100;
  }

  std::vector<std::string> Files(int level) {
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    std::vector<std::string> names;
    for (const SstFileMetaData& file : meta.levels[level].files) names.push_back(file.name);
    return names;
  }
  void MakeFiles(int count) {
    for (int i = 0; i < count; i++) {
      ASSERT_OK(Put(Key(i), "of " + std::to_string(i)));
      ASSERT_OK(Put("k", std::to_string(i)));
      ASSERT_OK(db_->Flush(FlushOptions()));
    }
  }
};

TEST_F(NoneStyleTest, NothingIsCompactedByItself) {
  Open();
  MakeFiles(6);
  EXPECT_EQ(6u, Files(0).size());
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ(6u, Files(0).size());
  uint64_t pending = 1;
  ASSERT_TRUE(db_->GetIntProperty(DB::Properties::kCompactionPending, &pending));
  EXPECT_EQ(0u, pending);
  Open();
  EXPECT_EQ(6u, Files(0).size());
  EXPECT_EQ("5", Get("k"));
}

TEST_F(NoneStyleTest, CompactFilesDoesWhatItIsTold) {
  Open();
  MakeFiles(4);
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), Files(0), 3));
  EXPECT_EQ(0u, Files(0).size());
  EXPECT_EQ(1u, Files(3).size());
  EXPECT_EQ("3", Get("k"));
  MakeFiles(2);
  std::vector<std::string> all = Files(0);
  for (const std::string& name : Files(3)) all.push_back(name);
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), all, 3));
  EXPECT_EQ(0u, Files(0).size());
  EXPECT_EQ("1", Get("k"));
  EXPECT_EQ("of 2", Get(Key(2)));
}

// A database of another style, and back.
TEST_F(NoneStyleTest, MayComeLater) {
  options_.compaction_style = kCompactionStyleLevel;
  options_.disable_auto_compactions = true;
  Open();
  MakeFiles(3);
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ(0u, Files(0).size());
  options_.compaction_style = kCompactionStyleNone;
  options_.disable_auto_compactions = false;
  Open();
  MakeFiles(5);
  EXPECT_EQ(5u, Files(0).size());
  options_.compaction_style = kCompactionStyleLevel;
  Open();
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ(0u, Files(0).size());
  EXPECT_EQ("4", Get("k"));
}

}  // namespace
}  // namespace conformance
