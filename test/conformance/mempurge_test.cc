// experimental_mempurge_threshold: what is left of overwritten entries stays in memory.
#include "conformance.h"

namespace conformance {
namespace {

class MempurgeTest : public DBTest {
 protected:
  MempurgeTest() {
    options_.experimental_mempurge_threshold = 1.0;
    options_.write_buffer_size = 256 << 10;
    options_.max_write_buffer_number = 4;
    options_.max_total_wal_size = uint64_t{1} << 30;
    options_.disable_auto_compactions = true;
  }
  // About ten memtables of a few keys.
  void Overwrite(int round) {
    for (int i = 0; i < 2500; i++) {
      const std::string value = std::to_string(round) + "." + std::to_string(i);
      ASSERT_OK(Put(Key(i % 20), value + std::string(1000, 'v')));
    }
  }
  std::string Last(int round, int key) {
    return std::to_string(round) + "." + std::to_string(2480 + key) + std::string(1000, 'v');
  }
  void Check(int round) {
    for (int key = 0; key < 20; key++) EXPECT_EQ(Last(round, key), Get(Key(key))) << key;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int entries = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
    EXPECT_OK(it->status());
    EXPECT_EQ(20, entries);
  }
};

TEST_F(MempurgeTest, OverwritesOfFewKeysReachNoTable) {
  Open();
  Overwrite(1);
  EXPECT_EQ(0, FilesAtLevel(0));
  Check(1);
  Overwrite(2);
  EXPECT_EQ(0, FilesAtLevel(0));
  Check(2);
  Open();  // out of the logs
  Check(2);
  ASSERT_OK(Flush());
  EXPECT_LE(1, FilesAtLevel(0));
  Check(2);
}

TEST_F(MempurgeTest, ItChangesWhileTheDatabaseIsOpen) {
  Open();
  Overwrite(1);
  EXPECT_EQ(0, FilesAtLevel(0));
  ASSERT_OK(db_->SetOptions({{"experimental_mempurge_threshold", "0"}}));
  Overwrite(2);
  ASSERT_OK(Flush());
  EXPECT_LE(1, FilesAtLevel(0));
  Check(2);
}

TEST_F(MempurgeTest, ASnapshotSeesWhatItSaw) {
  Open();
  Overwrite(1);
  const Snapshot* const snapshot = db_->GetSnapshot();
  Overwrite(2);
  for (int key = 0; key < 20; key++) EXPECT_EQ(Last(1, key), Get(Key(key), snapshot)) << key;
  Check(2);
  db_->ReleaseSnapshot(snapshot);
  Overwrite(3);
  Check(3);
}

}  // namespace
}  // namespace conformance
