// Backups that leave out what another directory has, and their restores from several.
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "rocksdb/utilities/backup_engine.h"
#include "utilities/testing/backup_fixture.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kRestored;

// The first directory is the fixture's; a second one leaves out what the first has.
class BackupExcludeTest : public testing::BackupFixture {
 protected:
  void SetUp() override {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    Open(options);
    options_.schema_version = 2;
    OpenEngine();
    PutRange(0, 10, 1);
    MustCreate(/*flush=*/true);
    PutRange(10, 20, 1);
    Flush();
    OpenSecond();
  }
  void TearDown() override {
    second_.reset();
    BackupFixture::TearDown();
  }
  void OpenSecond() {
    BackupEngineOptions options = options_;
    options.backup_dir = "/second";
    options.backup_env = second_disk_.env.get();
    second_.reset();
    BackupEngine* made = nullptr;
    ASSERT_TRUE(BackupEngine::Open(options, disk_.env.get(), &made).ok());
    second_.reset(made);
  }
  // What the first directory's backups have.
  std::set<std::string> Known() const {
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos, /*include_file_details=*/true);
    std::set<std::string> paths;
    for (const BackupInfo& info : infos) {
      for (const BackupFileInfo& file : info.file_details) paths.insert(file.relative_filename);
    }
    return paths;
  }
  IOStatus CreateWithout(const std::set<std::string>& known) {
    CreateBackupOptions create;
    create.flush_before_backup = true;
    create.exclude_files_callback = [&](MaybeExcludeBackupFile* begin,
                                        MaybeExcludeBackupFile* end) {
      for (MaybeExcludeBackupFile* file = begin; file != end; ++file) {
        asked_.insert(file->info.relative_file);
        file->exclude_decision = known.contains(file->info.relative_file);
      }
    };
    return second_->CreateNewBackup(create, db_.get());
  }
  IOStatus RestoreSecond(const RestoreOptions& options) {
    return second_->RestoreDBFromLatestBackup(options, kRestored, kRestored);
  }
  RestoreOptions WithFirst() const {
    RestoreOptions options;
    options.alternate_dirs.push_front(engine_.get());
    return options;
  }

  testing::Disk second_disk_;
  std::unique_ptr<BackupEngine> second_;
  std::set<std::string> asked_;
};

TEST_F(BackupExcludeTest, RestoresFromBothDirectories) {
  ASSERT_TRUE(CreateWithout(Known()).ok());
  EXPECT_EQ(asked_.size(), 2u);  // both tables; nothing else can be left out
  const Contents expected = model_;
  for (const bool reopened : {false, true}) {
    SCOPED_TRACE(reopened);
    if (reopened) OpenSecond();
    BackupInfo info;
    ASSERT_TRUE(second_->GetLatestBackupInfo(&info, /*include_file_details=*/true).ok());
    ASSERT_EQ(info.excluded_files.size(), 1u);
    EXPECT_TRUE(Known().contains(info.excluded_files[0].relative_file));
    EXPECT_EQ(info.number_files, info.file_details.size());
    EXPECT_TRUE(second_->VerifyBackup(1, /*verify_with_checksum=*/true).ok());
    ASSERT_TRUE(RestoreSecond(WithFirst()).ok());
    ExpectDatabase(kRestored, expected);
  }
  // A table that is in the second directory by now is not asked for again.
  asked_.clear();
  ASSERT_TRUE(CreateWithout(Known()).ok());
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(BackupExcludeTest, ARestoreThatLacksAFileChangesNothing) {
  ASSERT_TRUE(CreateWithout(Known()).ok());
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kRestored, kRestored).ok());
  const Names before = NamesIn(disk_, kRestored);
  RestoreOptions nowhere;
  EXPECT_TRUE(RestoreSecond(nowhere).IsInvalidArgument());
  nowhere.mode = RestoreOptions::kVerifyChecksum;
  EXPECT_TRUE(RestoreSecond(nowhere).IsInvalidArgument());
  RestoreOptions null_engine;
  null_engine.alternate_dirs.push_front(nullptr);
  EXPECT_TRUE(RestoreSecond(null_engine).IsInvalidArgument());
  EXPECT_EQ(NamesIn(disk_, kRestored), before);
  // The file is of another size.
  std::string table;
  for (const std::string& path : Known()) {
    if (path.ends_with(".sst")) table = path;
  }
  const std::string bytes = Read(table);
  Write(table, bytes + "x");
  EXPECT_TRUE(RestoreSecond(WithFirst()).IsCorruption());
  EXPECT_EQ(NamesIn(disk_, kRestored), before);
  // What only its bytes tell is found while it is copied.
  std::string wrong = bytes;
  wrong[40] = static_cast<char>(wrong[40] ^ 1);
  Write(table, wrong);
  EXPECT_TRUE(RestoreSecond(WithFirst()).IsCorruption());
  Write(table, bytes);
  ASSERT_TRUE(RestoreSecond(WithFirst()).ok());
  ExpectDatabase(kRestored, model_);
}

TEST_F(BackupExcludeTest, WhatTheDatabaseHasNeedNotBeInABackup) {
  ASSERT_TRUE(CreateWithout(Known()).ok());
  ASSERT_TRUE(RestoreSecond(WithFirst()).ok());
  RestoreOptions keep;
  keep.mode = RestoreOptions::kKeepLatestDbSessionIdFiles;
  ASSERT_TRUE(RestoreSecond(keep).ok());
  ExpectDatabase(kRestored, model_);
}

TEST_F(BackupExcludeTest, Refusals) {
  CreateBackupOptions create;
  create.exclude_files_callback = [](MaybeExcludeBackupFile*, MaybeExcludeBackupFile*) {
    throw std::runtime_error("no list");
  };
  const IOStatus thrown = second_->CreateNewBackup(create, db_.get());
  EXPECT_TRUE(thrown.IsAborted());
  EXPECT_NE(thrown.ToString().find("no list"), std::string::npos);
  BackupInfo info;
  EXPECT_TRUE(second_->GetLatestBackupInfo(&info).IsNotFound());
  options_.schema_version = 1;
  OpenSecond();
  EXPECT_TRUE(CreateWithout({}).IsInvalidArgument());
  options_.schema_version = 2;
  options_.share_files_with_checksum = false;
  OpenSecond();
  EXPECT_TRUE(CreateWithout({}).IsInvalidArgument());
}

}  // namespace
}  // namespace cairn
