// Files that go or change their level without being read: DeleteFilesInRanges, PromoteL0,
// SuggestCompactRange, CompactRange with change_level.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"

namespace conformance {
namespace {

class MoveFilesTest : public DBTest {
 protected:
  MoveFilesTest() {
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
    options_.num_levels = 7;
  }
  // A file of keys from..to-1 on level 0.
  void AddFile(int from, int to, const std::string& value = "1") {
    for (int i = from; i < to; ++i) ASSERT_OK(Put(Key(i), value));
    ASSERT_OK(Flush());
  }
  int CountKeys() {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_OK(it->status());
    return count;
  }
  Status ChangeLevel(int target) {
    CompactRangeOptions options;
    options.change_level = true;
    options.target_level = target;
    return db_->CompactRange(options, nullptr, nullptr);
  }
  Status DeleteFiles(int from, int to, bool include_end = true) {
    const std::string begin = Key(from), end = Key(to);
    const Slice first(begin), last(end);
    return DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &first, &last, include_end);
  }
  // Files of ten keys each: 0 to 9, 10 to 19, ... on one level.
  void FillLevel1(int files) {
    for (int i = 0; i < files; ++i) AddFile(i * 10, i * 10 + 10);
    ASSERT_OK(experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 1));
    ASSERT_EQ(files, FilesAtLevel(1));
  }
};

TEST_F(MoveFilesTest, PromotedFilesAreWhereTheyWereSent) {
  Open();
  for (int i = 0; i < 4; ++i) AddFile(i * 10, i * 10 + 10);
  EXPECT_CODE(InvalidArgument, experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 0));
  EXPECT_CODE(InvalidArgument, experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 7));
  ASSERT_OK(experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 2));
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ(4, FilesAtLevel(2));
  EXPECT_EQ(40, CountKeys());
  AddFile(5, 8, "2");
  EXPECT_CODE(InvalidArgument, experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 2));
  EXPECT_CODE(InvalidArgument, experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 3));
  ASSERT_OK(experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 1));
  EXPECT_EQ(1, FilesAtLevel(1));
  Open();
  EXPECT_EQ("2", Get(Key(5)));
  EXPECT_EQ("1", Get(Key(4)));
  EXPECT_EQ(40, CountKeys());
}

TEST_F(MoveFilesTest, OverlappingFilesAreNotPromoted) {
  Open();
  AddFile(0, 10);
  AddFile(9, 20);
  EXPECT_CODE(InvalidArgument, experimental::PromoteL0(db_, db_->DefaultColumnFamily(), 1));
  EXPECT_EQ(2, FilesAtLevel(0));
}

TEST_F(MoveFilesTest, FilesWithinARangeAreGone) {
  Open();
  FillLevel1(5);
  ASSERT_OK(DeleteFiles(5, 35));
  EXPECT_EQ(3, FilesAtLevel(1)) << "those of 10 to 19 and of 20 to 29";
  EXPECT_EQ(30, CountKeys());
  EXPECT_EQ("NOT_FOUND", Get(Key(15)));
  EXPECT_EQ("1", Get(Key(35)));
  Open();
  EXPECT_EQ(30, CountKeys());
  ASSERT_OK(DeleteFilesInRange(db_, db_->DefaultColumnFamily(), nullptr, nullptr));
  EXPECT_EQ(0, CountKeys());
}

TEST_F(MoveFilesTest, TheEndOfARangeIsPartOfItOrNot) {
  Open();
  FillLevel1(3);
  ASSERT_OK(DeleteFiles(0, 9, false));
  EXPECT_EQ(3, FilesAtLevel(1));
  ASSERT_OK(DeleteFiles(0, 9, true));
  EXPECT_EQ(2, FilesAtLevel(1));
  const std::string keys[] = {Key(10), Key(19), Key(20), Key(25)};
  const Slice slices[] = {keys[0], keys[1], keys[2], keys[3]};
  const RangePtr ranges[] = {{&slices[0], &slices[1]}, {&slices[2], &slices[3]}};
  ASSERT_OK(DeleteFilesInRanges(db_, db_->DefaultColumnFamily(), ranges, 2));
  EXPECT_EQ(1, FilesAtLevel(1));
  EXPECT_EQ("1", Get(Key(20)));
}

TEST_F(MoveFilesTest, AFileIsDeletedByItsNameWhereNothingLiesBelow) {
  options_.WAL_ttl_seconds = 1000;
  Open();
  AddFile(0, 10, "1");
  AddFile(0, 20, "2");
  const std::vector<std::string> names = FilesEndingIn(".sst");
  ASSERT_EQ(2u, names.size());
  EXPECT_CODE(InvalidArgument, db_->DeleteFile("x"));
  EXPECT_CODE(InvalidArgument, db_->DeleteFile("CURRENT"));
  EXPECT_CODE(InvalidArgument, db_->DeleteFile("999999.sst"));
  EXPECT_CODE(InvalidArgument, db_->DeleteFile(names[1]));  // not the oldest of level 0
  ASSERT_OK(db_->DeleteFile("/" + names[0]));
  EXPECT_EQ(1, FilesAtLevel(0));
  EXPECT_EQ("2", Get(Key(5)));
  ASSERT_OK(Compact());
  AddFile(0, 5, "3");
  EXPECT_CODE(InvalidArgument, db_->DeleteFile(FilesEndingIn(".sst")[1]));  // not the last level
  ASSERT_OK(db_->DeleteFile(FilesEndingIn(".sst")[0]));
  EXPECT_EQ(5, CountKeys());
  EXPECT_EQ(1u, FilesEndingIn(".sst").size());
  const std::vector<std::string> logs = FilesEndingIn(".log");
  ASSERT_FALSE(logs.empty());
  EXPECT_CODE(NotSupported, db_->DeleteFile(logs[0]));
  const std::vector<std::string> archived = FilesEndingIn(".log", dir_ + "/archive");
  ASSERT_FALSE(archived.empty());
  ASSERT_OK(db_->DeleteFile("/archive/" + archived[0]));
  EXPECT_EQ(archived.size() - 1, FilesEndingIn(".log", dir_ + "/archive").size());
  Open();
  EXPECT_EQ(5, CountKeys());
}

TEST_F(MoveFilesTest, MemoryAndLevel0AreLeftAlone) {
  Open();
  AddFile(0, 10);
  ASSERT_OK(Put(Key(50), "1"));
  ASSERT_OK(DeleteFilesInRange(db_, db_->DefaultColumnFamily(), nullptr, nullptr));
  EXPECT_EQ(11, CountKeys());
  EXPECT_EQ(1, FilesAtLevel(0));
}

TEST_F(MoveFilesTest, TheResultOfACompactionChangesItsLevel) {
  Open();
  AddFile(0, 10);
  AddFile(5, 20);
  ASSERT_OK(ChangeLevel(4));
  EXPECT_EQ(1, FilesAtLevel(4));
  EXPECT_EQ(20, CountKeys());
  AddFile(10, 30, "2");
  EXPECT_CODE(InvalidArgument, ChangeLevel(7));
  ASSERT_OK(ChangeLevel(2));
  EXPECT_EQ(1, FilesAtLevel(2));
  EXPECT_EQ(0, FilesAtLevel(4));
  ASSERT_OK(ChangeLevel(-1));
  EXPECT_EQ(1, FilesAtLevel(1)) << "the highest that can hold it";
  EXPECT_EQ(30, CountKeys());
  EXPECT_EQ("2", Get(Key(15)));
  Open();
  EXPECT_EQ(1, FilesAtLevel(1));
  EXPECT_EQ(30, CountKeys());
}

TEST_F(MoveFilesTest, ASuggestedRangeIsCompactedSoon) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 100;
  Open();
  AddFile(0, 10);
  ASSERT_OK(Compact());
  ASSERT_OK(ChangeLevel(3));
  AddFile(5, 8, "2");
  ASSERT_EQ(1, FilesAtLevel(0));
  const std::string begin = Key(0), end = Key(100);
  const Slice first(begin), last(end);
  ASSERT_OK(experimental::SuggestCompactRange(db_, &first, &last));
  for (int i = 0; i < 5000 && FilesAtLevel(0) > 0; ++i) TheEnv()->SleepForMicroseconds(1000);
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ("2", Get(Key(5)));
  EXPECT_EQ(10, CountKeys());
}

}  // namespace
}  // namespace conformance
