#include "manifest/version_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

#include "cairn/fault_injection.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "manifest/manifest_reader.h"
#include "manifest/testing/librocksdb_manifest.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

constexpr char kDb[] = "/db";

std::string FromHex(const std::string& hex) {
  std::string r;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    r.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return r;
}

std::vector<ColumnFamilyDescriptor> DefaultFamily(const ColumnFamilyOptions& options = {}) {
  return {ColumnFamilyDescriptor("default", options)};
}

class VersionSetTest : public ::testing::Test {
 protected:
  VersionSetTest()
      : memory_(std::make_shared<MemoryFileSystem>()),
        faults_(std::make_shared<fault::FaultInjectionFileSystem>(memory_)) {
    EXPECT_TRUE(CreateDirDurably(memory_.get(), kDb).ok());
    EXPECT_TRUE(memory_->NewDirectory(kDb, IOOptions(), &directory_, nullptr).ok());
  }
  ~VersionSetTest() override { CloseSet(); }

  void CloseSet() {
    if (set_ == nullptr) return;
    mutex_.lock();
    (void)set_->Close(&mutex_);
    set_.reset();
    mutex_.unlock();
  }

  void NewSet() {
    CloseSet();
    set_ = std::make_unique<VersionSet>(kDb, &db_options_, faults_.get(), FileOptions());
  }

  Status Create() {
    NewSet();
    return set_->NewDB(options_, directory_.get());
  }

  Status Open(bool read_only = false) {
    NewSet();
    return set_->Recover(DefaultFamily(options_), read_only);
  }

  Status Log(VersionEdit* edit, bool new_descriptor = false) {
    mutex_.lock();
    Status s = set_->LogAndApply(set_->family(uint32_t{0}), edit, &mutex_, directory_.get(),
                                 new_descriptor);
    mutex_.unlock();
    return s;
  }

  // Adds a file numbered by the set to `level`; its bounds follow from the number.
  Status AddFile(int level, uint64_t* number = nullptr) {
    const uint64_t n = set_->NewFileNumber();
    if (number != nullptr) *number = n;
    char key[32];
    std::snprintf(key, sizeof(key), "%08llu", static_cast<unsigned long long>(n));
    VersionEdit edit;
    FileMetaData f = MakeFile(n, key, key);
    f.epoch_number = kUnknownEpochNumber;  // LogAndApply gives one
    edit.AddFile(level, f);
    return Log(&edit);
  }

  size_t TotalFiles() const {
    std::vector<uint64_t> live;
    set_->AddLiveFiles(&live);
    return live.size();
  }

  std::string ManifestPath() const { return DescriptorFileName(kDb, set_->manifest_file_number()); }

  std::shared_ptr<MemoryFileSystem> memory_;
  std::shared_ptr<fault::FaultInjectionFileSystem> faults_;
  std::unique_ptr<FSDirectory> directory_;
  DBOptions db_options_;
  ColumnFamilyOptions options_;
  fiber::Mutex mutex_;
  std::unique_ptr<VersionSet> set_;
};

TEST_F(VersionSetTest, ANewDatabaseRecoversEmpty) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(set_->LastSequence(), 0u);
  EXPECT_EQ(set_->manifest_file_number(), 1u);
  EXPECT_EQ(set_->NewFileNumber(), 2u);
  EXPECT_EQ(set_->db_id().size(), 36u);
  EXPECT_EQ(TotalFiles(), 0u);
}

TEST_F(VersionSetTest, EditsSurviveReopening) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  const std::string id = set_->db_id();
  uint64_t first, second;
  ASSERT_TRUE(AddFile(0, &first).ok());
  ASSERT_TRUE(AddFile(1, &second).ok());
  VersionEdit edit;
  edit.SetLogNumber(9);
  edit.SetLastSequence(100000);
  edit.DeleteFile(0, first);
  ASSERT_TRUE(Log(&edit).ok());
  EXPECT_EQ(set_->family(uint32_t{0})->log_number(), 9u);
  EXPECT_EQ(set_->MinLogNumberToKeep(), 9u);

  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(set_->db_id(), id);
  EXPECT_EQ(set_->LastSequence(), 100000u);
  EXPECT_EQ(set_->family(uint32_t{0})->log_number(), 9u);
  EXPECT_EQ(set_->MinLogNumberToKeep(), 9u);
  EXPECT_EQ(set_->family(uint32_t{0})->current()->NumLevelFiles(0), 0);
  ASSERT_EQ(set_->family(uint32_t{0})->current()->NumLevelFiles(1), 1);
  EXPECT_EQ(set_->family(uint32_t{0})->current()->files(1)[0]->number, second);
  EXPECT_GE(set_->NewFileNumber(), second);
  EXPECT_GT(set_->family(uint32_t{0})->NewEpochNumber(),
            set_->family(uint32_t{0})->current()->files(1)[0]->epoch_number);
}

TEST_F(VersionSetTest, EachOpenAndEachFullManifestStartsANewOne) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  db_options_.max_manifest_file_size = 600;
  ASSERT_TRUE(AddFile(0).ok());
  const uint64_t first = set_->manifest_file_number();
  EXPECT_NE(first, 1u);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(AddFile(0).ok());
  EXPECT_GT(set_->manifest_file_number(), first);
  std::vector<ObsoleteFile> tables;
  std::vector<std::string> manifests;
  set_->GetObsoleteFiles(&tables, &manifests, UINT64_MAX);
  EXPECT_TRUE(tables.empty());
  ASSERT_GE(manifests.size(), 2u);
  EXPECT_EQ(manifests[0], "MANIFEST-000001");
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(TotalFiles(), 21u);
}

TEST_F(VersionSetTest, AFileIsObsoleteWhenNoVersionHoldsIt) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  uint64_t number;
  ASSERT_TRUE(AddFile(1, &number).ok());
  Version* reader = set_->family(uint32_t{0})->current();
  reader->Ref();
  VersionEdit move;
  move.DeleteFile(1, number);
  move.AddFile(2, *reader->FindFileByNumber(number));
  ASSERT_TRUE(Log(&move).ok());
  std::vector<ObsoleteFile> tables;
  std::vector<std::string> manifests;
  reader->Unref();  // the file only moved
  set_->GetObsoleteFiles(&tables, &manifests, UINT64_MAX);
  EXPECT_TRUE(tables.empty());

  reader = set_->family(uint32_t{0})->current();
  reader->Ref();
  VersionEdit remove;
  remove.DeleteFile(2, number);
  ASSERT_TRUE(Log(&remove).ok());
  set_->GetObsoleteFiles(&tables, &manifests, UINT64_MAX);
  EXPECT_TRUE(tables.empty());
  EXPECT_EQ(TotalFiles(), 1u);  // held by the reader
  reader->Unref();
  set_->GetObsoleteFiles(&tables, &manifests, number);
  EXPECT_TRUE(tables.empty());  // not below the least pending output
  set_->GetObsoleteFiles(&tables, &manifests, number + 1);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].number, number);
}

TEST_F(VersionSetTest, AFailedWriteChangesNothingAndForcesANewManifest) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  ASSERT_TRUE(AddFile(0).ok());
  for (const uint32_t op : {fault::kAppend, fault::kSync}) {
    const uint64_t manifest = set_->manifest_file_number();
    const size_t files = TotalFiles();
    faults_->FailNthOperation(1, op, IOStatus::IOError("injected"));
    EXPECT_TRUE(AddFile(0).IsIOError());
    EXPECT_TRUE(set_->manifest_write_failed());
    EXPECT_EQ(TotalFiles(), files);
    std::vector<ObsoleteFile> tables;
    std::vector<std::string> manifests;
    set_->GetObsoleteFiles(&tables, &manifests, UINT64_MAX);
    EXPECT_TRUE(tables.empty());  // what was not installed is the caller's
    faults_->Heal();
    ASSERT_TRUE(AddFile(0).ok());
    EXPECT_FALSE(set_->manifest_write_failed());
    EXPECT_GT(set_->manifest_file_number(), manifest);
    const size_t expected = TotalFiles();
    ASSERT_TRUE(Open().ok());
    EXPECT_EQ(TotalFiles(), expected);
    ASSERT_TRUE(AddFile(0).ok());
  }
}

// Every single operation of an edit that starts a new MANIFEST fails once; afterwards either the
// old or the new state is there, never anything else.
TEST_F(VersionSetTest, AFailureAnywhereInARotationLeavesARecoverableDatabase) {
  ASSERT_TRUE(Create().ok());
  for (uint64_t nth = 1;; ++nth) {
    ASSERT_TRUE(Open().ok());
    const size_t before = TotalFiles();
    faults_->FailNthOperation(nth, fault::kWrites, IOStatus::NoSpace("injected"));
    const Status s = AddFile(0);
    faults_->Heal();
    ASSERT_TRUE(Open(/*read_only=*/true).ok()) << nth;
    const size_t after = TotalFiles();
    if (s.ok()) {
      EXPECT_EQ(after, before + 1);
      break;
    }
    EXPECT_TRUE(after == before || after == before + 1) << nth;
    ASSERT_LT(nth, 30u);
  }
}

TEST_F(VersionSetTest, APowerCutLosesNoAcknowledgedEdit) {
  ASSERT_TRUE(Create().ok());
  for (uint64_t round = 1; round <= 20; ++round) {
    ASSERT_TRUE(Open().ok()) << round;
    EXPECT_EQ(TotalFiles(), round - 1);
    ASSERT_TRUE(AddFile(0).ok());
    memory_->CrashAndFreeze();
    CloseSet();
    memory_->DropUnsynced();
    directory_.reset();
    ASSERT_TRUE(memory_->NewDirectory(kDb, IOOptions(), &directory_, nullptr).ok());
  }
}

TEST_F(VersionSetTest, ATornTailIsDroppedWhereverItIsTorn) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  ASSERT_TRUE(AddFile(0).ok());
  const std::string path = ManifestPath();
  std::string before, after;
  ASSERT_TRUE(ReadFileToString(memory_.get(), path, &before).ok());
  ASSERT_TRUE(AddFile(0).ok());
  CloseSet();
  ASSERT_TRUE(ReadFileToString(memory_.get(), path, &after).ok());
  ASSERT_GT(after.size(), before.size());
  for (size_t size = before.size(); size < after.size(); ++size) {
    for (const bool zeros : {false, true}) {
      std::string torn = after.substr(0, size);
      if (zeros) torn = before + std::string(size - before.size(), '\0');
      ASSERT_TRUE(WriteStringToFile(memory_.get(), torn, path).ok());
      const Status s = Open(/*read_only=*/true);
      ASSERT_TRUE(s.ok()) << size << " " << s.ToString();
      EXPECT_EQ(TotalFiles(), 1u);
    }
  }
  ASSERT_TRUE(WriteStringToFile(memory_.get(), after, path).ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(TotalFiles(), 2u);
}

TEST_F(VersionSetTest, EveryFlippedBitIsCorruptionNamingFileAndOffset) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(AddFile(i).ok());
  const std::string path = ManifestPath();
  CloseSet();
  std::string sound;
  ASSERT_TRUE(ReadFileToString(memory_.get(), path, &sound).ok());
  for (size_t i = 0; i < sound.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = sound;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      ASSERT_TRUE(WriteStringToFile(memory_.get(), bad, path).ok());
      const Status s = Open(/*read_only=*/true);
      ASSERT_TRUE(s.IsCorruption()) << "byte " << i << " bit " << bit << ": " << s.ToString();
      EXPECT_NE(s.ToString().find(path), std::string::npos) << s.ToString();
      EXPECT_NE(s.ToString().find("offset"), std::string::npos) << s.ToString();
    }
  }
}

TEST_F(VersionSetTest, EveryFlippedBitOfALongRecordIsFound) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  VersionEdit edit;
  for (int i = 0; i < 1500; ++i) {
    edit.AddFile(0, MakeFile(set_->NewFileNumber(), "a" + std::string(20, 'x'), "b"));
  }
  ASSERT_TRUE(Log(&edit).ok());
  const std::string path = ManifestPath();
  CloseSet();
  std::string sound;
  ASSERT_TRUE(ReadFileToString(memory_.get(), path, &sound).ok());
  ASSERT_GT(sound.size(), 2u * 32768);  // fragments over several blocks
  // The headers of all fragments lie at block starts; the rest is sampled.
  for (size_t i = 0; i < sound.size(); i += i % 32768 < 16 ? 1 : 997) {
    std::string bad = sound;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    ASSERT_TRUE(WriteStringToFile(memory_.get(), bad, path).ok());
    ASSERT_TRUE(Open(/*read_only=*/true).IsCorruption()) << i;
  }
}

TEST_F(VersionSetTest, ADamagedCurrentIsReported) {
  ASSERT_TRUE(Create().ok());
  const std::string current = CurrentFileName(kDb);
  for (const char* text : {"", "MANIFEST-000001", "MANIFEST-00000x\n", "000001.log\n", "\n"}) {
    ASSERT_TRUE(WriteStringToFile(memory_.get(), text, current).ok());
    const Status s = Open();
    EXPECT_TRUE(s.IsCorruption()) << text << s.ToString();
    EXPECT_NE(s.ToString().find(current), std::string::npos);
  }
  ASSERT_TRUE(WriteStringToFile(memory_.get(), "MANIFEST-000099\n", current).ok());
  const Status s = Open();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("MANIFEST-000099"), std::string::npos);
  ASSERT_TRUE(memory_->DeleteFile(current, IOOptions(), nullptr).ok());
  EXPECT_FALSE(Open().ok());
}

TEST_F(VersionSetTest, AnotherComparatorIsRefused) {
  ASSERT_TRUE(Create().ok());
  options_.comparator = ReverseBytewiseComparator();
  const Status s = Open();
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(s.ToString().find("does not match existing comparator leveldb.BytewiseComparator"),
            std::string::npos)
      << s.ToString();
}

TEST_F(VersionSetTest, IdentityIsWrittenAgainWhenLost) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  const std::string id = set_->db_id();
  ASSERT_TRUE(memory_->DeleteFile(IdentityFileName(kDb), IOOptions(), nullptr).ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(set_->db_id(), id);  // the MANIFEST has it
  std::string text;
  ASSERT_TRUE(ReadIdentityFile(memory_.get(), kDb, &text).ok());
  EXPECT_EQ(text, id);
}

TEST_F(VersionSetTest, TheManifestHasTheIdentityIfTheOptionSaysSo) {
  db_options_.write_dbid_to_manifest = false;
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  const std::string first = set_->db_id();
  EXPECT_EQ(first.size(), 36u);
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(set_->db_id(), first);  // of the file IDENTITY
  ASSERT_TRUE(memory_->DeleteFile(IdentityFileName(kDb), IOOptions(), nullptr).ok());
  ASSERT_TRUE(Open().ok());
  const std::string second = set_->db_id();
  EXPECT_EQ(second.size(), 36u);
  EXPECT_NE(second, first);
  // From the next MANIFEST on.
  db_options_.write_dbid_to_manifest = true;
  ASSERT_TRUE(Open().ok());
  VersionEdit nothing;
  ASSERT_TRUE(Log(&nothing, /*new_descriptor=*/true).ok());
  ASSERT_TRUE(memory_->DeleteFile(IdentityFileName(kDb), IOOptions(), nullptr).ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(set_->db_id(), second);
  db_options_.write_dbid_to_manifest = false;
  ASSERT_TRUE(Open().ok());
  VersionEdit again;
  ASSERT_TRUE(Log(&again, /*new_descriptor=*/true).ok());
  ASSERT_TRUE(memory_->DeleteFile(IdentityFileName(kDb), IOOptions(), nullptr).ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_NE(set_->db_id(), second);
}

TEST_F(VersionSetTest, AMarkOfTimestampsThatGoesBackIsPassedOver) {
  options_.comparator = BytewiseComparatorWithU64Ts();
  const std::string lower("\1\0\0\0\0\0\0\0", 8), higher("\0\1\0\0\0\0\0\0", 8);
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  // As two raises at once write them.
  for (const std::string* low : {&higher, &lower}) {
    VersionEdit edit;
    edit.SetFullHistoryTsLow(*low);
    ASSERT_TRUE(Log(&edit).ok());
    EXPECT_EQ(higher, set_->family(uint32_t{0})->history_low());
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Open().ok());
    EXPECT_EQ(higher, set_->family(uint32_t{0})->history_low());
    VersionEdit nothing;
    ASSERT_TRUE(Log(&nothing, /*new_descriptor=*/true).ok());
  }
}

TEST_F(VersionSetTest, FewerLevelsThanTheDatabaseHasIsRefused) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  ASSERT_TRUE(AddFile(6).ok());
  options_.num_levels = 4;
  EXPECT_TRUE(Open().IsInvalidArgument());
}

TEST_F(VersionSetTest, ReadsWhatLibrocksdbWrote) {
  ASSERT_TRUE(
      WriteStringToFile(memory_.get(), FromHex(kLibrocksdbManifestHex), DescriptorFileName(kDb, 5))
          .ok());
  ASSERT_TRUE(SetCurrentFile(memory_.get(), kDb, 5, directory_.get()).ok());
  std::vector<std::string> names;
  ASSERT_TRUE(VersionSet::ListColumnFamilies(kDb, memory_.get(), &names).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"default", "two"}));

  Status s = Open();
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(s.ToString().find("Column families not opened: two"), std::string::npos);

  s = Open(/*read_only=*/true);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(set_->db_id(), "d770106e-516f-437d-a600-99764172f178");
  EXPECT_EQ(set_->LastSequence(), 17u);
  EXPECT_EQ(set_->max_column_family(), 2u);
  ASSERT_EQ(set_->family(uint32_t{0})->current()->NumLevelFiles(0), 1);
  ASSERT_EQ(set_->family(uint32_t{0})->current()->NumLevelFiles(1) +
                set_->family(uint32_t{0})->current()->NumLevelFiles(6),
            1);
  const FileMetaData* flushed = set_->family(uint32_t{0})->current()->files(0)[0];
  EXPECT_EQ(flushed->number, 24u);
  EXPECT_EQ(flushed->file_checksum_func_name, "Unknown");
  EXPECT_NE(flushed->unique_id, kNullUniqueId);
  EXPECT_EQ(flushed->epoch_number, 3u);
  EXPECT_EQ(set_->family(uint32_t{0})->current()->FindFileByNumber(14)->epoch_number, 2u);

  NewSet();
  std::vector<ColumnFamilyDescriptor> both = DefaultFamily();
  both.emplace_back("two", ColumnFamilyOptions());
  ASSERT_TRUE(set_->Recover(both, false).ok());
  EXPECT_EQ(set_->family(2)->current()->files(0)[0]->number, 20u);
  // A snapshot of all of it, and back.
  ASSERT_TRUE(AddFile(0).ok());
  NewSet();
  ASSERT_TRUE(set_->Recover(both, false).ok());
  EXPECT_EQ(set_->family(2)->current()->files(0)[0]->number, 20u);
  EXPECT_EQ(TotalFiles(), 4u);
}

TEST_F(VersionSetTest, WritersAreServedOneByOneInOrder) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Open().ok());
  constexpr int kThreads = 8, kEdits = 40;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("writer", [&] {
      for (int i = 0; i < kEdits; ++i) {
        if (!AddFile(0).ok()) ++failures;
      }
    }));
  }
  for (auto& t : threads) t->join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(TotalFiles(), size_t{kThreads} * kEdits);
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(TotalFiles(), size_t{kThreads} * kEdits);
}

}  // namespace
}  // namespace cairn
