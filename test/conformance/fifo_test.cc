// FIFO compaction: what goes, what stays, what is merged.
#include "conformance.h"

namespace conformance {
namespace {

class FifoTest : public DBTest {
 protected:
  FifoTest() {
    options_.compaction_style = kCompactionStyleFIFO;
    options_.num_levels = 1;
    options_.ttl = 0;
    options_.compaction_options_fifo.max_table_files_size = 100 << 10;
    options_.compaction_options_fifo.allow_compaction = false;
    options_.max_open_files = -1;
  }
  // A table of about 10 KiB with ten keys.
  void WriteTable(int number) {
    Numbers numbers(static_cast<uint64_t>(number));
    for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(10 * number + i), numbers.Bytes(1000)));
    ASSERT_OK(Flush());
  }
  void WriteTables(int from, int to) {
    for (int number = from; number < to; ++number) WriteTable(number);
  }
  // The deletion of a table may come a little after the flush that made it due.
  void AwaitTables(size_t most) {
    for (int i = 0; i < 10000 && FilesEndingIn(".sst").size() > most; ++i) {
      TheEnv()->SleepForMicroseconds(1000);
    }
    EXPECT_GE(most, FilesEndingIn(".sst").size());
  }
  bool Has(int number) { return Get(Key(10 * number)) != "NOT_FOUND"; }
};

TEST_F(FifoTest, NothingGoesWhileThereIsRoom) {
  Open();
  WriteTables(0, 8);
  EXPECT_EQ(8, FilesAtLevel(0));
  ASSERT_OK(Compact());
  EXPECT_EQ(8, FilesAtLevel(0));
  for (int number = 0; number < 8; ++number) EXPECT_TRUE(Has(number)) << number;
}

TEST_F(FifoTest, TheOldestTablesGo) {
  Open();
  WriteTables(0, 30);
  AwaitTables(9);
  EXPECT_FALSE(Has(0));
  EXPECT_FALSE(Has(19));
  for (int number = 23; number < 30; ++number) EXPECT_TRUE(Has(number)) << number;
  EXPECT_LE(7, FilesAtLevel(0));
}

TEST_F(FifoTest, WhatWentStaysAway) {
  Open();
  WriteTables(0, 30);
  AwaitTables(9);
  const std::string before = Contents();
  Open();
  EXPECT_EQ(before, Contents());
  EXPECT_FALSE(Has(0));
}

TEST_F(FifoTest, AnOlderVersionDoesNotComeBack) {
  Open();
  ASSERT_OK(Put("k", "old"));
  WriteTables(0, 3);
  ASSERT_OK(Put("k", "new"));
  WriteTables(3, 15);
  AwaitTables(9);
  const std::string value = Get("k");
  EXPECT_NE("old", value);
}

TEST_F(FifoTest, ManyTablesDoNotStopWrites) {
  options_.compaction_options_fifo.max_table_files_size = 100 << 20;
  options_.level0_slowdown_writes_trigger = 4;
  options_.level0_stop_writes_trigger = 6;
  Open();
  WriteTables(0, 12);
  EXPECT_EQ(12, FilesAtLevel(0));
  EXPECT_EQ(0u, IntProperty("rocksdb.is-write-stopped"));
  EXPECT_EQ(0u, IntProperty("rocksdb.actual-delayed-write-rate"));
}

TEST_F(FifoTest, SmallTablesAreMergedIfAllowed) {
  options_.compaction_options_fifo.max_table_files_size = 100 << 20;
  options_.compaction_options_fifo.allow_compaction = true;
  options_.level0_file_num_compaction_trigger = 4;
  Open();
  for (int number = 0; number < 12; ++number) {
    ASSERT_OK(Put(Key(number), "value" + std::to_string(number)));
    ASSERT_OK(Flush());
  }
  for (int i = 0; i < 10000 && FilesAtLevel(0) > 4; ++i) TheEnv()->SleepForMicroseconds(1000);
  EXPECT_GE(4, FilesAtLevel(0));
  for (int number = 0; number < 12; ++number) {
    EXPECT_EQ("value" + std::to_string(number), Get(Key(number)));
  }
}

TEST_F(FifoTest, TheLimitMayBeChanged) {
  Open();
  WriteTables(0, 9);
  EXPECT_EQ(9, FilesAtLevel(0));
  ASSERT_OK(db_->SetOptions({{"compaction_options_fifo", "{max_table_files_size=40000;}"}}));
  EXPECT_EQ(40000u, db_->GetOptions().compaction_options_fifo.max_table_files_size);
  WriteTable(9);
  AwaitTables(3);
  EXPECT_FALSE(Has(0));
  EXPECT_TRUE(Has(9));
}

TEST_F(FifoTest, SnapshotsKeepNothing) {
  Open();
  WriteTables(0, 2);
  const Snapshot* snapshot = db_->GetSnapshot();
  WriteTables(2, 30);
  AwaitTables(9);
  EXPECT_EQ("NOT_FOUND", Get(Key(0), snapshot));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(FifoTest, AnIteratorKeepsWhatItSees) {
  Open();
  WriteTables(0, 2);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  WriteTables(2, 30);
  int seen = 0;
  for (; it->Valid(); it->Next()) ++seen;
  EXPECT_OK(it->status());
  EXPECT_EQ(20, seen);
  it.reset();
  WriteTable(30);
  AwaitTables(9);
}

}  // namespace
}  // namespace conformance
