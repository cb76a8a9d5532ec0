// CompactFiles: compactions whose inputs the caller chooses.
#include "conformance.h"
#include "rocksdb/listener.h"
#include "rocksdb/table_properties.h"

namespace conformance {
namespace {

class CompactFilesTest : public DBTest {
 protected:
  CompactFilesTest() {
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
    options_.num_levels = 5;
  }
  void AddFile(int from, int to, const std::string& value) {
    for (int i = from; i < to; ++i) ASSERT_OK(Put(Key(i), value));
    ASSERT_OK(Flush());
  }
  // Their names, of a level; all levels: -1.
  std::vector<std::string> Names(int level) {
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    std::vector<std::string> names;
    for (const LevelMetaData& l : meta.levels) {
      for (const SstFileMetaData& file : l.files) {
        if (level < 0 || l.level == level) names.push_back(file.name);
      }
    }
    return names;
  }
  Status CompactAll(int output_level, const CompactionOptions& options = CompactionOptions()) {
    return db_->CompactFiles(options, Names(-1), output_level);
  }
};

TEST_F(CompactFilesTest, TheirEntriesMoveToTheLevel) {
  Open();
  AddFile(0, 50, "1");
  AddFile(25, 75, "2");
  std::vector<std::string> made;
  CompactionJobInfo info;
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), Names(0), 2, -1, &made, &info));
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ(1, FilesAtLevel(2));
  ASSERT_EQ(1u, made.size());
  EXPECT_TRUE(Slice(made[0]).ends_with(".sst"));
  EXPECT_OK(TheEnv()->FileExists(made[0]));
  EXPECT_OK(info.status);
  EXPECT_EQ(2, info.output_level);
  EXPECT_EQ(2u, info.input_files.size());
  EXPECT_EQ(100u, info.stats.num_input_records);
  EXPECT_EQ(75u, info.stats.num_output_records);
  EXPECT_EQ("1", Get(Key(24)));
  EXPECT_EQ("2", Get(Key(25)));
  EXPECT_EQ("2", Get(Key(74)));
}

TEST_F(CompactFilesTest, ALimitMakesSeveralFiles) {
  Open();
  Numbers numbers(1);
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), numbers.Bytes(2000)));
  ASSERT_OK(Flush());
  CompactionOptions options;
  options.compression = kNoCompression;
  options.output_file_size_limit = 40'000;
  ASSERT_OK(CompactAll(3, options));
  EXPECT_LE(4, FilesAtLevel(3));
  EXPECT_GE(7, FilesAtLevel(3));
  EXPECT_EQ(2000u, Get(Key(57)).size());
}

TEST_F(CompactFilesTest, TheCompressionIsTheCallers) {
  Open();
  AddFile(0, 100, std::string(500, 'v'));
  CompactionOptions options;
  options.compression = kZSTD;
  ASSERT_OK(CompactAll(1, options));
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ("ZSTD", all.begin()->second->compression_name);
  // The column family's.
  options.compression = kDisableCompressionOption;
  ASSERT_OK(CompactAll(2, options));
  all.clear();
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ("NoCompression", all.begin()->second->compression_name);
}

TEST_F(CompactFilesTest, WhatCannotBeIsRefused) {
  Open();
  AddFile(0, 10, "1");
  EXPECT_CODE(InvalidArgument, db_->CompactFiles(CompactionOptions(), {}, 1));
  EXPECT_CODE(InvalidArgument, db_->CompactFiles(CompactionOptions(), {"/999999.sst"}, 1));
  EXPECT_CODE(InvalidArgument, CompactAll(5));
  ASSERT_OK(CompactAll(2));
  EXPECT_CODE(InvalidArgument, CompactAll(1));
  EXPECT_EQ(1, FilesAtLevel(2));
  EXPECT_EQ("1", Get(Key(5)));
}

TEST_F(CompactFilesTest, OlderFilesThatOverlapComeAlong) {
  Open();
  AddFile(0, 50, "1");
  ASSERT_OK(CompactAll(1));
  AddFile(25, 75, "2");
  AddFile(100, 110, "3");
  // The newest of level 0, and with it what it overlaps.
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), Names(0), 1));
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ("1", Get(Key(24)));
  EXPECT_EQ("2", Get(Key(25)));
  EXPECT_EQ("3", Get(Key(105)));
  ASSERT_OK(CompactAll(4));
  EXPECT_EQ(1, FilesAtLevel(4));
  EXPECT_EQ("2", Get(Key(25)));
}

TEST_F(CompactFilesTest, SnapshotsKeepWhatTheySee) {
  Open();
  AddFile(0, 10, "1");
  const Snapshot* const snapshot = db_->GetSnapshot();
  AddFile(0, 5, "2");
  for (int i = 5; i < 10; ++i) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactAll(4));
  EXPECT_EQ("1", Get(Key(3), snapshot));
  EXPECT_EQ("1", Get(Key(7), snapshot));
  EXPECT_EQ("2", Get(Key(3)));
  EXPECT_EQ("NOT_FOUND", Get(Key(7)));
  db_->ReleaseSnapshot(snapshot);
  ASSERT_OK(CompactAll(4));
  EXPECT_EQ("2", Get(Key(3)));
  EXPECT_EQ("NOT_FOUND", Get(Key(7)));
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ(5u, all.begin()->second->num_entries);
}

TEST_F(CompactFilesTest, NotWhileManualCompactionsAreDisabled) {
  Open();
  AddFile(0, 10, "1");
  db_->DisableManualCompaction();
  EXPECT_CODE(Incomplete, CompactAll(1));
  db_->EnableManualCompaction();
  ASSERT_OK(CompactAll(1));
}

}  // namespace
}  // namespace conformance
