// Backups on disks that fail, are full, or lose power, and by processes that are killed, at every
// operation in turn: what was a backup is one afterwards, and the next run leaves no garbage.
#include <functional>

#include "utilities/testing/backup_fixture.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kRestored;

class BackupFaultsTest : public testing::BackupFixture {
 protected:
  enum class End { kError, kKill, kPowerCut };

  // Two tables and a log, one backup of it, and more of both.
  void MakeOne() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    Open(options);
    PutRange(0, 60, 1);
    OpenEngine();
    MustCreate(/*flush=*/true);
    first_ = model_;
    PutRange(30, 90, 2);
    Flush();
    PutRange(80, 99, 3);
  }
  // The nth operation fails, or all from it on. Hits(): how many did.
  static fault::RuleId FailFrom(const testing::Disk& disk, uint64_t nth, uint32_t operations,
                                End end, std::function<bool(const std::string&)> where = nullptr) {
    fault::Rule rule;
    rule.operations = operations;
    rule.where = std::move(where);
    rule.after = nth - 1;
    rule.times = end == End::kError ? 1 : UINT64_MAX;
    return disk.faults->AddRule(rule);
  }
  // The process that was cut off is gone, and the disk is well.
  void Recover(End end) {
    engine_.reset();
    backups_.faults->Heal();
    if (end == End::kPowerCut) {
      ASSERT_TRUE(backups_.faults->DropUnsynced().ok());
    }
    OpenEngine();
  }
  // Calls `run` with a fault at each operation in turn, until there is none; `check` afterwards,
  // with an engine that was opened anew.
  void AtEachOperation(End end, const std::function<IOStatus()>& run,
                       const std::function<void(bool ok)>& check) {
    int failures = 0;
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE("operation " + std::to_string(nth));
      const fault::RuleId rule =
          FailFrom(backups_, nth, end == End::kError ? fault::kAll : fault::kWrites, end);
      IOStatus s = TryOpenEngine();
      if (s.ok()) s = run();
      const bool hit = backups_.faults->Hits(rule) > 0;
      ASSERT_TRUE(s.ok() || hit) << s.ToString();
      ASSERT_NO_FATAL_FAILURE(Recover(end));
      ASSERT_NO_FATAL_FAILURE(check(s.ok()));
      ASSERT_LT(nth, 1000u);
      failures += !s.ok();
      if (!hit) break;
    }
    EXPECT_GT(failures, 5);
  }
  void CreateAtEachOperation(End end) {
    MakeOne();
    const Names before = Everything();
    AtEachOperation(
        end, [this] { return Create(); },
        [&](bool ok) {
          EXPECT_TRUE(Corrupted().empty());
          ExpectBackup(1, first_);
          // It may have been one before an error.
          EXPECT_TRUE(!ok || Good().contains(2));
          if (Good().contains(2)) {
            ExpectBackup(2, model_);
            ASSERT_TRUE(engine_->DeleteBackup(2).ok());
          }
          ASSERT_TRUE(engine_->GarbageCollect().ok());
          EXPECT_EQ(before, Everything());
          EXPECT_TRUE(db_->EnableFileDeletions(false).ok());
        });
  }

  Contents first_;
};

TEST_F(BackupFaultsTest, AnErrorAnywhere) { CreateAtEachOperation(End::kError); }
TEST_F(BackupFaultsTest, AKillAnywhere) { CreateAtEachOperation(End::kKill); }
TEST_F(BackupFaultsTest, APowerCutAnywhere) { CreateAtEachOperation(End::kPowerCut); }

TEST_F(BackupFaultsTest, APowerCutRightAfterTheCall) {
  MakeOne();
  MustCreate();
  Recover(End::kPowerCut);
  ExpectBackup(1, first_);
  ExpectBackup(2, model_);
}

class BackupDeletionTest : public BackupFaultsTest {
 protected:
  // Of the older of two, which has a table that the other one does not need.
  void DeleteAtEachOperation(End end) {
    MakeOne();
    Compact();
    MustCreate();
    BackupID oldest = 1, latest = 2;
    AtEachOperation(
        end, [&] { return engine_->DeleteBackup(oldest); },
        [&](bool ok) {
          EXPECT_TRUE(Corrupted().empty());
          ExpectBackup(latest, model_);
          const bool is_there = Good().contains(oldest);
          EXPECT_FALSE(ok && is_there);
          ASSERT_TRUE(engine_->GarbageCollect().ok());
          if (is_there) return;
          for (const std::string& path : Everything()) {
            EXPECT_NE(0u, path.find("private/" + std::to_string(oldest))) << path;
          }
          EXPECT_EQ(1u, NamesIn(backups_, Path("shared_checksum")).size());
          // One more to delete.
          oldest = latest;
          PutRange(0, 5, 10 + latest);
          Compact();
          MustCreate();
          ++latest;
        });
  }
};

TEST_F(BackupDeletionTest, AnErrorAnywhere) { DeleteAtEachOperation(End::kError); }
TEST_F(BackupDeletionTest, AKillAnywhere) { DeleteAtEachOperation(End::kKill); }
TEST_F(BackupDeletionTest, APowerCutAnywhere) { DeleteAtEachOperation(End::kPowerCut); }

TEST_F(BackupFaultsTest, AFullDisk) {
  MakeOne();
  const Names before = Everything();
  int full = 0;
  for (uint64_t bytes = 0;; bytes += 700) {
    SCOPED_TRACE(bytes);
    backups_.faults->SetFreeBytes(bytes);
    const IOStatus s = Create();
    backups_.faults->SetFreeBytes(UINT64_MAX);
    ASSERT_LT(bytes, 1000000u);
    ExpectBackup(1, first_);
    if (s.ok()) break;
    ++full;
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    EXPECT_EQ(before, Everything()) << "the room is free again";
  }
  EXPECT_GT(full, 5);
  ExpectBackup(2, model_);
}

TEST_F(BackupFaultsTest, ADatabaseThatCannotBeRead) {
  MakeOne();
  const Names before = Everything();
  int failures = 0;
  for (uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    const fault::RuleId rule =
        FailFrom(disk_, nth, fault::kReads | fault::kMetadata, End::kError,
                 [](const std::string& path) { return path.starts_with("/db/"); });
    const IOStatus s = Create();
    const bool hit = disk_.faults->Hits(rule) > 0;
    disk_.faults->RemoveRule(rule);
    ASSERT_LT(nth, 1000u);
    if (s.ok()) {
      ASSERT_TRUE(engine_->DeleteBackup(*Good().rbegin()).ok());
    }
    failures += !s.ok();
    EXPECT_EQ(before, Everything());
    if (!hit) break;
  }
  EXPECT_GT(failures, 5);
  ExpectBackup(1, first_);
}

class RestoreFaultsTest : public BackupFaultsTest {
 protected:
  // Of another database than the one that is there.
  void RestoreAtEachOperation(End end) {
    MakeOne();
    MustCreate();
    int failures = 0;
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE("operation " + std::to_string(nth));
      ExpectBackup(1, first_);
      const fault::RuleId rule =
          FailFrom(disk_, nth, fault::kWrites, end,
                   [](const std::string& path) { return path.starts_with(kRestored); });
      const IOStatus s = engine_->RestoreDBFromBackup(2, kRestored, kRestored);
      const bool hit = disk_.faults->Hits(rule) > 0;
      disk_.faults->RemoveRule(rule);
      ASSERT_LT(nth, 1000u);
      ASSERT_TRUE(s.ok() || hit) << s.ToString();
      failures += !s.ok();
      if (!hit) break;
      // No mixture of both.
      Options options = SmallOptions();
      options.create_if_missing = false;
      std::unique_ptr<DB> other;
      if (!DB::Open(options, kRestored, &other).ok()) continue;
      other.swap(db_);
      const Contents found = Scan();
      other.swap(db_);
      EXPECT_TRUE(found == first_ || found == model_) << found.size();
    }
    EXPECT_GT(failures, 10);
    ExpectDatabase(kRestored, model_);
  }
};

TEST_F(RestoreFaultsTest, AnErrorAnywhere) { RestoreAtEachOperation(End::kError); }
TEST_F(RestoreFaultsTest, AKillAnywhere) { RestoreAtEachOperation(End::kKill); }

TEST_F(RestoreFaultsTest, APowerCutRightAfterTheCall) {
  MakeOne();
  MustCreate();
  ASSERT_TRUE(engine_->RestoreDBFromBackup(2, kRestored, kRestored).ok());
  Close();
  ASSERT_TRUE(disk_.faults->DropUnsynced().ok());
  Open();
  ExpectDatabase(kRestored, model_);
}

}  // namespace
}  // namespace cairn
