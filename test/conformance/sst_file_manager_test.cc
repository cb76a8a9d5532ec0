// SstFileManager: the sizes of files, a limit for them, and their deletion at a rate.
#include "rocksdb/sst_file_manager.h"

#include "conformance.h"

namespace conformance {
namespace {

constexpr int64_t kSlow = 1;  // bytes per second: nothing is deleted while a test lasts

class SstFileManagerTest : public DBTest {
 protected:
  SstFileManagerTest() {
    options_.disable_auto_compactions = true;
    Manage(0);
  }

  // From the next opening on.
  void Manage(int64_t rate, double ratio = 1e9, uint64_t chunk = 0) {
    manager_.reset(NewSstFileManager(TheEnv(), nullptr, "", rate, true, nullptr, ratio, chunk));
    options_.sst_file_manager = manager_;
  }
  // A table of two keys that later ones overlap.
  void AddTable(size_t size = 1000) {
    ASSERT_OK(Put("a", numbers_.Bytes(size)));
    ASSERT_OK(Put("b", numbers_.Bytes(size)));
    ASSERT_OK(Flush());
  }
  uint64_t SizeOf(const std::vector<std::string>& names) {
    uint64_t total = 0;
    for (const std::string& name : names) total += ReadFile(name).size();
    return total;
  }
  // Until nothing waits for its deletion.
  void WaitForEmptyTrash() {
    for (int i = 0; i < 60000 && manager_->GetTotalTrashSize() > 0; ++i)
      TheEnv()->SleepForMicroseconds(1000);
    EXPECT_EQ(0u, manager_->GetTotalTrashSize());
  }
  static bool IsSpaceLimit(const Status& s) {
    return s.IsIOError() && s.subcode() == Status::kSpaceLimit;
  }

  std::shared_ptr<SstFileManager> manager_;
  Numbers numbers_{7};
};

TEST_F(SstFileManagerTest, HasItsDefaults) {
  manager_.reset(NewSstFileManager(TheEnv()));
  EXPECT_EQ(0, manager_->GetDeleteRateBytesPerSecond());
  EXPECT_EQ(0.25, manager_->GetMaxTrashDBRatio());
  EXPECT_EQ(0u, manager_->GetTotalSize());
  EXPECT_EQ(0u, manager_->GetTotalTrashSize());
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReachedIncludingCompactions());
  EXPECT_TRUE(manager_->GetTrackedFiles().empty());
  manager_->SetDeleteRateBytesPerSecond(5);
  manager_->SetMaxTrashDBRatio(0.5);
  EXPECT_EQ(5, manager_->GetDeleteRateBytesPerSecond());
  EXPECT_EQ(0.5, manager_->GetMaxTrashDBRatio());
}

TEST_F(SstFileManagerTest, KnowsTheTablesAndTheirSizes) {
  Open();
  AddTable();
  AddTable();
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  ASSERT_EQ(2u, tables.size());
  EXPECT_EQ(SizeOf(tables), manager_->GetTotalSize());
  const auto files = manager_->GetTrackedFiles();
  EXPECT_EQ(2u, files.size());
  for (const std::string& table : tables) {
    ASSERT_EQ(1u, files.count(dir_ + "/" + table)) << table;
    EXPECT_EQ(ReadFile(table).size(), files.at(dir_ + "/" + table));
  }
  ASSERT_OK(Compact());
  EXPECT_EQ(1u, manager_->GetTrackedFiles().size());
  EXPECT_EQ(SizeOf(FilesEndingIn(".sst")), manager_->GetTotalSize());
}

TEST_F(SstFileManagerTest, KnowsBlobFiles) {
  options_.enable_blob_files = true;
  options_.min_blob_size = 100;
  Open();
  AddTable();
  const std::vector<std::string> blobs = FilesEndingIn(".blob");
  ASSERT_EQ(1u, blobs.size());
  EXPECT_EQ(1u, manager_->GetTrackedFiles().count(dir_ + "/" + blobs[0]));
  EXPECT_EQ(SizeOf(blobs) + SizeOf(FilesEndingIn(".sst")), manager_->GetTotalSize());
}

TEST_F(SstFileManagerTest, LearnsAtTheOpeningWhatIsThere) {
  Open();
  AddTable();
  AddTable();
  Shut();
  const uint64_t size = manager_->GetTotalSize();
  EXPECT_LT(2000u, size);  // what is closed counts on
  Manage(0);
  EXPECT_EQ(0u, manager_->GetTotalSize());
  Open();
  EXPECT_EQ(size, manager_->GetTotalSize());
  Open();
  EXPECT_EQ(size, manager_->GetTotalSize());
}

TEST_F(SstFileManagerTest, ServesSeveralDatabases) {
  Open();
  AddTable();
  const uint64_t one = manager_->GetTotalSize();
  DB* other = nullptr;
  ASSERT_OK(DB::Open(options_, root_ + "/other", &other));
  ASSERT_OK(other->Put(WriteOptions(), "k", numbers_.Bytes(5000)));
  ASSERT_OK(other->Flush(FlushOptions()));
  EXPECT_LT(one + 5000, manager_->GetTotalSize());
  // What one of them takes stops the other, too.
  manager_->SetMaxAllowedSpaceUsage(one + 5000);
  EXPECT_TRUE(manager_->IsMaxAllowedSpaceReached());
  ASSERT_OK(Put("a", "1"));
  Flush().PermitUncheckedError();
  EXPECT_TRUE(IsSpaceLimit(Put("b", "1")));
  delete other;
  RemoveTree(root_ + "/other");
}

TEST_F(SstFileManagerTest, AFlushAtTheLimitStopsWritesUntilResume) {
  Open();
  AddTable();
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  manager_->SetMaxAllowedSpaceUsage(1);
  EXPECT_TRUE(manager_->IsMaxAllowedSpaceReached());
  EXPECT_TRUE(manager_->IsMaxAllowedSpaceReachedIncludingCompactions());
  ASSERT_OK(Put("c", "before"));  // nobody has looked yet
  const Status flushed = Flush();
  EXPECT_TRUE(flushed.ok() || IsSpaceLimit(flushed)) << flushed.ToString();
  const Status refused = Put("d", "1");
  EXPECT_TRUE(IsSpaceLimit(refused)) << refused.ToString();
  EXPECT_EQ("before", Get("c"));
  manager_->SetMaxAllowedSpaceUsage(0);
  // By itself, or when it is told to: RocksDB's Resume() is Busy while it looks for room.
  Status s = Status::Busy();
  for (int i = 0; i < 60000 && !s.ok(); ++i) {
    s = db_->Resume();
    if (s.ok()) s = Put("d", "2");
    if (!s.ok()) TheEnv()->SleepForMicroseconds(1000);
  }
  ASSERT_OK(s);
  ASSERT_OK(Flush());
  Open();
  EXPECT_EQ("before", Get("c"));
  EXPECT_EQ("2", Get("d"));
}

TEST_F(SstFileManagerTest, ACompactionWithoutRoomDoesNotBegin) {
  options_.statistics = CreateDBStatistics();
  Open();
  AddTable();
  AddTable();
  const uint64_t size = manager_->GetTotalSize();
  manager_->SetMaxAllowedSpaceUsage(size + size / 2);
  const Status s = Compact();
  EXPECT_TRUE(s.IsCompactionTooLarge()) << s.ToString();
  EXPECT_EQ(2, FilesAtLevel(0));
  EXPECT_LT(0u, options_.statistics->getTickerCount(COMPACTION_CANCELLED));
  ASSERT_OK(Put("c", "1"));  // it was no error of the database
  // The buffer is room that compactions leave to others.
  manager_->SetMaxAllowedSpaceUsage(size * 3);
  manager_->SetCompactionBufferSize(size * 2);
  EXPECT_TRUE(Compact().IsCompactionTooLarge());
  manager_->SetCompactionBufferSize(0);
  ASSERT_OK(Compact());
  EXPECT_EQ(0, FilesAtLevel(0));
}

TEST_F(SstFileManagerTest, AnAutomaticCompactionWaitsForRoom) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  manager_->SetMaxAllowedSpaceUsage(7000);  // two tables have room, and no third
  AddTable();
  AddTable();
  TheEnv()->SleepForMicroseconds(1000);
  EXPECT_EQ(2, FilesAtLevel(0));
  ASSERT_OK(Put("c", "1"));
  manager_->SetMaxAllowedSpaceUsage(0);
  for (int i = 0; i < 60000 && FilesAtLevel(0) > 0; ++i) TheEnv()->SleepForMicroseconds(1000);
  EXPECT_EQ(0, FilesAtLevel(0));
}

TEST_F(SstFileManagerTest, WithARateFilesBecomeTrash) {
  Manage(kSlow);
  options_.statistics = CreateDBStatistics();
  Open();
  AddTable();
  AddTable();
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  ASSERT_OK(Compact());
  // The first is deleted, and the pause for it lasts for the test.
  EXPECT_EQ(1u, FilesEndingIn(".sst").size());
  EXPECT_LE(2u, options_.statistics->getTickerCount(FILES_MARKED_TRASH));
  EXPECT_EQ(0u, options_.statistics->getTickerCount(FILES_DELETED_IMMEDIATELY));
  EXPECT_TRUE(manager_->GetTrackedFiles().count(dir_ + "/" + tables[1] + ".trash") == 1 ||
              manager_->GetTrackedFiles().count(dir_ + "/" + tables[0] + ".trash") == 1);
  EXPECT_LT(0u, manager_->GetTotalTrashSize());
  EXPECT_LE(1u, FilesEndingIn(".sst.trash").size());
  EXPECT_NE("NOT_FOUND", Get("a"));
}

TEST_F(SstFileManagerTest, TrashIsDeletedInTime) {
  Manage(1 << 30);
  Open();
  AddTable();
  AddTable();
  ASSERT_OK(Compact());
  WaitForEmptyTrash();
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
  EXPECT_EQ(SizeOf(FilesEndingIn(".sst")), manager_->GetTotalSize());
}

TEST_F(SstFileManagerTest, LargeTrashIsShortenedChunkByChunk) {
  Manage(1 << 30, 1e9, /*chunk=*/1000);
  Open();
  AddTable(50'000);
  AddTable(50'000);
  ASSERT_OK(Compact());
  WaitForEmptyTrash();
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
  EXPECT_EQ(SizeOf(FilesEndingIn(".sst")), manager_->GetTotalSize());
}

TEST_F(SstFileManagerTest, TooMuchTrashIsDeletedAtOnce) {
  Manage(kSlow, /*ratio=*/0);
  options_.statistics = CreateDBStatistics();
  Open();
  for (int i = 0; i < 4; ++i) {
    AddTable();
    AddTable();
    ASSERT_OK(Compact());
  }
  // (The first goes to the trash, which was empty.)
  EXPECT_LT(0u, options_.statistics->getTickerCount(FILES_DELETED_IMMEDIATELY));
  EXPECT_GE(2u, FilesEndingIn(".trash").size());
}

TEST_F(SstFileManagerTest, ARateOfZeroIsNoRate) {
  Manage(kSlow);
  options_.statistics = CreateDBStatistics();
  Open();
  manager_->SetDeleteRateBytesPerSecond(0);
  AddTable();
  AddTable();
  ASSERT_OK(Compact());
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
  EXPECT_LE(2u, options_.statistics->getTickerCount(FILES_DELETED_IMMEDIATELY));
}

TEST_F(SstFileManagerTest, AnOpeningDeletesTheTrashOfEarlierLives) {
  Manage(kSlow);
  Open();
  AddTable();
  AddTable();
  ASSERT_OK(Compact());
  EXPECT_FALSE(FilesEndingIn(".trash").empty());
  Shut();
  Manage(0);
  EXPECT_FALSE(FilesEndingIn(".trash").empty());
  WriteFile("000099.sst0.trash", "from a name that was there twice");
  Open();
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
  EXPECT_EQ(SizeOf(FilesEndingIn(".sst")), manager_->GetTotalSize());
  Shut();
  WriteFile("000099.sst.trash", "again");
  options_.sst_file_manager = nullptr;
  Open();
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
}

TEST_F(SstFileManagerTest, TrashThatIsFoundIsDeletedAtTheRate) {
  Open();
  AddTable();
  Shut();
  WriteFile("000098.sst.trash", std::string(100, 'x'));
  WriteFile("000099.sst.trash", std::string(100, 'x'));
  Manage(kSlow);
  options_.statistics = nullptr;
  Open();
  EXPECT_LE(1u, FilesEndingIn(".trash").size());
  EXPECT_LE(100u, manager_->GetTotalTrashSize());
  manager_->SetDeleteRateBytesPerSecond(0);
}

TEST_F(SstFileManagerTest, ObsoleteLogsBecomeTrashToo) {
  Manage(kSlow);
  Open();
  for (int i = 0; i < 3; ++i) AddTable();
  Shut();  // (the logs are removed in the background)
  EXPECT_FALSE(FilesEndingIn(".log.trash").empty());
}

TEST_F(SstFileManagerTest, DeletesTheFilesOfTheTrashDirectory) {
  const std::string trash = root_ + "/trash";
  ASSERT_OK(TheEnv()->CreateDirIfMissing(trash));
  ASSERT_OK(WriteStringToFile(TheEnv(), "x", trash + "/one"));
  Status s = Status::Aborted();
  manager_.reset(NewSstFileManager(TheEnv(), nullptr, trash, 0, false, &s));
  EXPECT_OK(s);
  EXPECT_EQ(1u, FilesEndingIn("one", trash).size());
  manager_.reset(NewSstFileManager(TheEnv(), nullptr, trash, 0, true, &s));
  EXPECT_OK(s);
  EXPECT_TRUE(FilesEndingIn("one", trash).empty());
  manager_.reset(NewSstFileManager(TheEnv(), nullptr, root_ + "/none", 0, true, &s));
  EXPECT_TRUE(s.IsNotFound() || s.IsPathNotFound() || s.IsIOError()) << s.ToString();
}

TEST_F(SstFileManagerTest, DestroyDBLeavesTheDeletionToTheManager) {
  Manage(1 << 30);
  Open();
  AddTable();
  Shut();
  // Keeps the directory: RocksDB's manager syncs it once a table is deleted, and counts the table
  // for good where DestroyDB() was faster.
  ASSERT_OK(WriteStringToFile(TheEnv(), "", dir_ + "/keep"));
  ASSERT_OK(DestroyDB(dir_, options_));
  WaitForEmptyTrash();
  EXPECT_EQ(0u, manager_->GetTotalSize());
  std::vector<std::string> left;
  ASSERT_OK(TheEnv()->GetChildren(dir_, &left));
  for (const std::string& name : left) EXPECT_FALSE(Slice(name).ends_with(".sst")) << name;
}

}  // namespace
}  // namespace conformance
