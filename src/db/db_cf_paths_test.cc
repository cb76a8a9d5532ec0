// ColumnFamilyOptions::cf_paths: whose the directories are, and what a power cut leaves in them.
// (Which tables go where: test/conformance/cf_paths_test.cc.)
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_manager.h"

namespace cairn::testing {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

class DbCfPathsTest : public DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.create_missing_column_families = true;
    options_.disable_auto_compactions = true;
    of_family_ = options_;
    of_family_.cf_paths = {{"/family/one", kNoLimit}, {"/family/two", kNoLimit}};
  }
  void TearDown() override {
    CloseFamily();
    DbTest::TearDown();
  }

  void CloseFamily() {
    for (ColumnFamilyHandle* handle : std::exchange(handles_, {})) delete handle;
  }
  Status OpenFamily(const std::string& name = kDbName) {
    CloseFamily();
    db_.reset();
    return DB::Open(options_, name, {{kDefaultColumnFamilyName, options_}, {"family", of_family_}},
                    &handles_, &db_);
  }
  std::string GetThere(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), handles_[1], key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  Status PutThere(const std::string& key, const std::string& value) {
    WriteOptions sync;
    sync.sync = true;
    return db_->Put(sync, handles_[1], key, value);
  }
  Status FlushThere() { return db_->Flush(FlushOptions(), handles_[1]); }
  size_t TablesIn(const std::string& dir) {
    std::vector<std::string> names;
    disk_.memory->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(), [](const auto& name) { return name.ends_with(".sst"); }));
  }

  Options options_, of_family_;
  std::vector<ColumnFamilyHandle*> handles_;
};

TEST_F(DbCfPathsTest, NewDirectoriesSurviveWithWhatIsInThem) {
  of_family_.enable_blob_files = true;
  of_family_.min_blob_size = 100;
  options_.db_paths = {{"/tables", kNoLimit}};
  for (int step = 0; step < 5; ++step) {
    SCOPED_TRACE(step);
    const Status s = OpenFamily();
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (const auto& [key, value] : model_) EXPECT_EQ(GetThere(key), value);
    const std::string n = std::to_string(step);
    ASSERT_TRUE(PutThere("k" + n, n).ok());
    ASSERT_TRUE(PutThere("blob" + n, Value(7, 200)).ok());
    model_["k" + n] = n;
    model_["blob" + n] = Value(7, 200);
    if (step > 0) {
      ASSERT_TRUE(FlushThere().ok());
    }
    if (step > 1) {
      CompactRangeOptions into_the_second;
      into_the_second.target_path_id = step % 2;
      into_the_second.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      ASSERT_TRUE(db_->CompactRange(into_the_second, handles_[1], nullptr, nullptr).ok());
    }
    disk_.memory->CrashAndFreeze();
    CloseFamily();
    db_.reset();
    disk_.memory->DropUnsynced();
  }
  EXPECT_EQ(TablesIn("/tables"), 0u);
}

TEST_F(DbCfPathsTest, AFamilyMadeWhileOpenSurvivesToo) {
  Open(options_);
  handles_.resize(2);
  ASSERT_TRUE(db_->CreateColumnFamily(of_family_, "family", &handles_[1]).ok());
  ASSERT_TRUE(PutThere("a", "1").ok());
  ASSERT_TRUE(FlushThere().ok());
  disk_.memory->CrashAndFreeze();
  CloseFamily();
  db_.reset();
  disk_.memory->DropUnsynced();
  ASSERT_TRUE(OpenFamily().ok());
  EXPECT_EQ(GetThere("a"), "1");
  EXPECT_EQ(TablesIn("/family/one"), 1u);
}

// A file system that fails to list one directory.
class UnlistedDirectory final : public FileSystemWrapper {
 public:
  UnlistedDirectory(const std::shared_ptr<FileSystem>& target, std::string dir)
      : FileSystemWrapper(target), dir_(std::move(dir)) {}
  const char* Name() const override { return "UnlistedDirectory"; }
  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* dbg) override {
    if (dir == dir_ && fails_) return IOStatus::IOError(dir, "not listed");
    return FileSystemWrapper::GetChildren(dir, options, names, dbg);
  }
  void Mend() { fails_ = false; }

 private:
  const std::string dir_;
  bool fails_ = true;
};

TEST_F(DbCfPathsTest, ADirectoryThatCannotBeListedIsNotWrittenTo) {
  ASSERT_TRUE(OpenFamily().ok());
  ASSERT_TRUE(PutThere("a", "1").ok());
  ASSERT_TRUE(FlushThere().ok());
  Env* const before = options_.env;
  for (const char* dir : {"/family/two", "/family/one", kDbName}) {
    SCOPED_TRACE(dir);
    auto unlisted = std::make_shared<UnlistedDirectory>(disk_.faults, dir);
    const std::unique_ptr<Env> env = NewCompositeEnv(unlisted);
    options_.env = of_family_.env = env.get();
    const Status s = OpenFamily();
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    EXPECT_NE(s.ToString().find("not listed"), std::string::npos) << s.ToString();
    unlisted->Mend();
    const Status again = OpenFamily();
    ASSERT_TRUE(again.ok()) << again.ToString();
    EXPECT_EQ(GetThere("a"), "1");
    CloseFamily();
    db_.reset();
  }
  options_.env = of_family_.env = before;
  ASSERT_TRUE(OpenFamily().ok());
  EXPECT_EQ(GetThere("a"), "1");
}

TEST_F(DbCfPathsTest, WithoutThemTheTablesAreMissed) {
  ASSERT_TRUE(OpenFamily().ok());
  ASSERT_TRUE(PutThere("a", "1").ok());
  ASSERT_TRUE(FlushThere().ok());
  const std::vector<DbPath> paths = std::exchange(of_family_.cf_paths, {});
  const Status s = OpenFamily();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  of_family_.cf_paths = paths;
  ASSERT_TRUE(OpenFamily().ok());
  EXPECT_EQ(GetThere("a"), "1");
}

TEST_F(DbCfPathsTest, ADirectoryOfAnotherDatabaseIsRefused) {
  ASSERT_TRUE(OpenFamily().ok());
  ASSERT_TRUE(PutThere("a", "1").ok());
  ASSERT_TRUE(FlushThere().ok());
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/other", &other).ok());
  ColumnFamilyHandle* handle = nullptr;
  Status s = other->CreateColumnFamily(of_family_, "family", &handle);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("cf_paths /family/one"), std::string::npos) << s.ToString();
  // Nor the directory of a database itself; and the failures have left nothing behind.
  of_family_.cf_paths = {{"/free", kNoLimit}, {kDbName, kNoLimit}};
  s = other->CreateColumnFamily(of_family_, "family", &handle);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  of_family_.cf_paths = {{"/free", kNoLimit}};
  s = other->CreateColumnFamily(of_family_, "family", &handle);
  ASSERT_TRUE(s.ok()) << s.ToString();
  ASSERT_TRUE(other->Put(WriteOptions(), handle, "b", "2").ok());
  ASSERT_TRUE(other->Flush(FlushOptions(), handle).ok());
  EXPECT_EQ(TablesIn("/free"), 1u);
  delete handle;
  other.reset();
  EXPECT_EQ(GetThere("a"), "1");
  // Nor one with the files of a database that is gone.
  of_family_.cf_paths = {{"/free", kNoLimit}};
  ASSERT_TRUE(DestroyDB("/other", options_).ok());
  s = db_->CreateColumnFamily(of_family_, "another", &handle);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

TEST_F(DbCfPathsTest, AnImportedFamilyHasItsOwn) {
  ASSERT_TRUE(OpenFamily().ok());
  ASSERT_TRUE(PutThere("a", "1").ok());
  ASSERT_TRUE(FlushThere().ok());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1u);
  ExportImportFilesMetaData metadata;
  metadata.db_comparator_name = options_.comparator->Name();
  metadata.files = files;
  Options options = of_family_;
  options.cf_paths = {{"/imported", kNoLimit}};
  ColumnFamilyHandle* handle = nullptr;
  ImportColumnFamilyOptions import;
  import.move_files = true;
  Status s = db_->CreateColumnFamilyWithImport(options, "imported", import, metadata, &handle);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();  // they are the database's
  s = db_->CreateColumnFamilyWithImport(options, "imported", ImportColumnFamilyOptions(), metadata,
                                        &handle);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(TablesIn("/imported"), 1u);
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), handle, "a", &value).ok());
  delete handle;
}

TEST_F(DbCfPathsTest, WhatIsRefused) {
  Open(options_);
  ColumnFamilyHandle* handle = nullptr;
  Options five = of_family_;
  five.cf_paths = {{"/1", 1}, {"/2", 1}, {"/3", 1}, {"/4", 1}, {"/5", 1}};
  Status s = db_->CreateColumnFamily(five, "family", &handle);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  five.cf_paths.pop_back();
  s = db_->CreateColumnFamily(five, "family", &handle);
  EXPECT_TRUE(s.ok()) << s.ToString();
  delete handle;
  options_.best_efforts_recovery = true;
  s = OpenFamily();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  options_.best_efforts_recovery = false;
  options_.sst_file_manager.reset(NewSstFileManager(options_.env));
  s = OpenFamily();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
}

}  // namespace
}  // namespace cairn::testing
