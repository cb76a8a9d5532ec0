// TrackedWals alone, and how VersionSet keeps it in the MANIFEST.
#include "manifest/tracked_wals.h"

#include <gtest/gtest.h>

#include "fiber/mutex.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "manifest/version_set.h"

namespace cairn {
namespace {

VersionEdit Adds(std::vector<WalAddition> wals) {
  VersionEdit edit;
  for (const WalAddition& wal : wals) edit.AddWal(wal);
  return edit;
}
VersionEdit Deletes(uint64_t before) {
  VersionEdit edit;
  edit.DeleteWalsBefore(before);
  return edit;
}

TEST(TrackedWals, ASizeNeverShrinksAndWhatWasGivenUpStaysAway) {
  TrackedWals wals;
  ASSERT_TRUE(wals.Apply(Adds({{5, 100}, {7, std::nullopt}})).ok());
  ASSERT_TRUE(wals.Apply(Adds({{5, 80}, {7, 10}, {7, 30}})).ok());
  using Wals = std::vector<WalAddition>;
  EXPECT_EQ(wals.Additions().wal_additions(), (Wals{{5, 100}, {7, 30}}));
  EXPECT_FALSE(wals.IsNews({5, 100}));
  EXPECT_FALSE(wals.IsNews({5, std::nullopt}));
  EXPECT_TRUE(wals.IsNews({5, 101}));
  EXPECT_TRUE(wals.IsNews({6, std::nullopt}));
  ASSERT_TRUE(wals.Apply(Deletes(6)).ok());
  ASSERT_TRUE(wals.Apply(Adds({{5, 200}})).ok());
  ASSERT_TRUE(wals.Apply(Deletes(2)).ok());
  EXPECT_EQ(wals.kept_from(), 6u);
  EXPECT_EQ(wals.Additions().wal_additions(), (Wals{{7, 30}}));
  EXPECT_FALSE(wals.IsNews({5, 300}));
}

TEST(TrackedWals, ALogThatIsMadeTwiceIsDamage) {
  TrackedWals wals;
  ASSERT_TRUE(wals.Apply(Adds({{5, std::nullopt}})).ok());
  EXPECT_TRUE(wals.Apply(Adds({{5, std::nullopt}})).IsCorruption());
}

TEST(TrackedWals, AnEditSurvivesItsEncoding) {
  for (const VersionEdit& edit : {Adds({{5, 100}, {7, std::nullopt}, {1u << 20, 0}}), Deletes(9)}) {
    std::string record;
    ASSERT_TRUE(edit.EncodeTo(&record));
    VersionEdit read;
    ASSERT_TRUE(read.DecodeFrom(record).ok());
    EXPECT_EQ(read.wal_additions(), edit.wal_additions());
    EXPECT_EQ(read.wal_deletion_before(), edit.wal_deletion_before());
    for (size_t size = 1; size < record.size(); ++size) {
      EXPECT_TRUE(read.DecodeFrom(Slice(record.data(), size)).IsCorruption() ||
                  read.wal_additions().size() < edit.wal_additions().size())
          << size << " of " << record.size();
    }
  }
}

TEST(TrackedWals, MissesALogAndALogsEnd) {
  MemoryFileSystem fs;
  ASSERT_TRUE(CreateDirDurably(&fs, "/logs").ok());
  ASSERT_TRUE(WriteStringToFile(&fs, std::string(100, 'x'), LogFileName("/logs", 5), false).ok());
  TrackedWals wals;
  EXPECT_TRUE(wals.Check(&fs, "/logs", {}).ok());
  ASSERT_TRUE(wals.Apply(Adds({{5, 100}, {6, std::nullopt}})).ok());
  EXPECT_TRUE(wals.Check(&fs, "/logs", {5}).ok()) << "what was never synced may be gone";
  Status s = wals.Check(&fs, "/logs", {6});
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_EQ(s.ToString(), "Corruption: Missing WAL with log number: 5.: /logs/000005.log");
  ASSERT_TRUE(wals.Apply(Adds({{5, 101}})).ok());
  s = wals.Check(&fs, "/logs", {5});
  EXPECT_EQ(
      s.ToString(),
      "Corruption: Size mismatch: WAL (log number: 5) in MANIFEST is 101 bytes , but actually "
      "is 100 bytes on disk.: /logs/000005.log");
  EXPECT_FALSE(wals.Check(&fs, "/logs", {5, 6}).ok());
  ASSERT_TRUE(wals.Apply(Deletes(6)).ok());
  EXPECT_TRUE(wals.Check(&fs, "/logs", {}).ok());
}

class TrackedWalsInManifest : public ::testing::Test {
 protected:
  TrackedWalsInManifest() {
    EXPECT_TRUE(CreateDirDurably(&fs_, "/db").ok());
    EXPECT_TRUE(fs_.NewDirectory("/db", IOOptions(), &directory_, nullptr).ok());
    options_.track_and_verify_wals_in_manifest = true;
    NewSet();
    EXPECT_TRUE(set_->NewDB(ColumnFamilyOptions(), directory_.get()).ok());
    Recover();
  }
  ~TrackedWalsInManifest() override { CloseSet(); }

  void CloseSet() {
    if (set_ == nullptr) return;
    mutex_.lock();
    EXPECT_TRUE(set_->Close(&mutex_).ok());
    set_.reset();
    mutex_.unlock();
  }
  void NewSet() {
    CloseSet();
    set_ = std::make_unique<VersionSet>("/db", &options_, &fs_, FileOptions());
  }
  void Recover() {
    NewSet();
    const Status s = set_->Recover({{"default", ColumnFamilyOptions()}}, /*read_only=*/false);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Track(std::vector<WalAddition> wals) {
    mutex_.lock();
    const Status s = set_->TrackWals(wals, &mutex_, directory_.get());
    mutex_.unlock();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // The family needs no log below this.
  void GiveUpBelow(uint64_t number, bool new_descriptor = false) {
    VersionEdit edit;
    edit.SetLogNumber(number);
    mutex_.lock();
    const Status s = set_->LogAndApply(set_->family(uint32_t{0}), &edit, &mutex_, directory_.get(),
                                       new_descriptor);
    mutex_.unlock();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::string Tracked() const {
    std::string text;
    const VersionEdit additions = set_->tracked_wals().Additions();
    for (const WalAddition& wal : additions.wal_additions()) {
      text += std::to_string(wal.number) + ":" + std::to_string(wal.synced_bytes.value_or(0)) + " ";
    }
    return text + "from " + std::to_string(set_->tracked_wals().kept_from());
  }

  MemoryFileSystem fs_;
  std::unique_ptr<FSDirectory> directory_;
  DBOptions options_;
  fiber::Mutex mutex_;
  std::unique_ptr<VersionSet> set_;
};

TEST_F(TrackedWalsInManifest, SurviveReopeningAndGoWithTheLogs) {
  Track({{4, 100}, {5, 200}});
  EXPECT_EQ(Tracked(), "4:100 5:200 from 0");
  Recover();
  EXPECT_EQ(Tracked(), "4:100 5:200 from 0");
  GiveUpBelow(5);
  EXPECT_EQ(Tracked(), "5:200 from 5");
  Recover();
  EXPECT_EQ(Tracked(), "5:200 from 5");
  // One whose sync was late.
  Track({{4, 100}});
  EXPECT_EQ(Tracked(), "5:200 from 5");
}

TEST_F(TrackedWalsInManifest, GoOnToTheNextManifest) {
  Track({{4, 100}, {5, 200}, {6, 300}});
  GiveUpBelow(5, /*new_descriptor=*/true);
  Recover();
  EXPECT_EQ(Tracked(), "5:200 6:300 from 5");
  options_.max_manifest_file_size = 1;  // each write begins a new one
  Track({{7, 400}});
  Recover();
  EXPECT_EQ(Tracked(), "5:200 6:300 7:400 from 5");
  GiveUpBelow(7);
  Recover();
  EXPECT_EQ(Tracked(), "7:400 from 7");
}

TEST_F(TrackedWalsInManifest, EndWithTheOption) {
  Track({{4, 100}, {5, 200}});
  options_.track_and_verify_wals_in_manifest = false;
  Recover();
  EXPECT_EQ(Tracked(), "4:100 5:200 from 0") << "it reads them";
  GiveUpBelow(6, /*new_descriptor=*/true);
  options_.track_and_verify_wals_in_manifest = true;
  Recover();
  EXPECT_EQ(Tracked(), "from 0");
}

}  // namespace
}  // namespace cairn
