// IngestExternalFile of tables that a database has made (allow_db_generated_files).
#include "db/testing/db_fixture.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn::testing {
namespace {

class DbIngestGeneratedTest : public DbTest {
 protected:
  DbIngestGeneratedTest() {
    generated_.allow_db_generated_files = true;
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
  }

  void OpenSource() {
    source_.reset();
    const Status s = DB::Open(options_, "/source", &source_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void PutThere(uint64_t i, const std::string& value) {
    ASSERT_TRUE(source_->Put(WriteOptions(), Key(i), value).ok());
    theirs_[Key(i)] = value;
  }
  void FlushThere() { ASSERT_TRUE(source_->Flush(FlushOptions()).ok()); }
  // From level 0.
  void CompactThere(int level) {
    ColumnFamilyMetaData meta;
    source_->GetColumnFamilyMetaData(&meta);
    std::vector<std::string> names;
    for (const auto& file : meta.levels[0].files) names.push_back(file.relative_filename);
    const Status s = source_->CompactFiles(CompactionOptions(), names, level);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Its tables, the oldest first.
  std::vector<std::string> TablesThere() const {
    ColumnFamilyMetaData meta;
    source_->GetColumnFamilyMetaData(&meta);
    std::vector<std::string> paths;
    for (auto level = meta.levels.rbegin(); level != meta.levels.rend(); ++level) {
      for (auto file = level->files.rbegin(); file != level->files.rend(); ++file) {
        paths.push_back("/source/" + file->relative_filename);
      }
    }
    return paths;
  }
  // Three levels, of which each hides something of those below; tombstones of all kinds.
  void FillSource() {
    OpenSource();
    for (uint64_t i = 0; i < 100; ++i) PutThere(i, "deep " + std::to_string(i));
    FlushThere();
    CompactThere(6);
    for (uint64_t i = 0; i < 100; i += 2) PutThere(i, "middle " + std::to_string(i));
    ASSERT_TRUE(source_->Delete(WriteOptions(), Key(11)).ok());
    theirs_.erase(Key(11));
    FlushThere();
    CompactThere(4);
    for (uint64_t i = 0; i < 100; i += 7) PutThere(i, "high " + std::to_string(i));
    ASSERT_TRUE(source_->DeleteRange(WriteOptions(), Key(20), Key(30)).ok());
    for (uint64_t i = 20; i < 30; ++i) theirs_.erase(Key(i));
    FlushThere();
    PutThere(25, "higher");
    PutThere(99, "higher");
    FlushThere();
  }
  Status Ingest(const std::vector<std::string>& paths) {
    return db_->IngestExternalFile(paths, generated_);
  }

  IngestExternalFileOptions generated_;
  Options options_;
  std::unique_ptr<DB> source_;
  Contents theirs_;
};

TEST_F(DbIngestGeneratedTest, AWholeDatabaseMoves) {
  FillSource();
  const std::vector<std::string> paths = TablesThere();
  ASSERT_EQ(4u, paths.size());
  Open(options_);
  Put("key of its own", "1");
  const Status s = Ingest(paths);
  ASSERT_TRUE(s.ok()) << s.ToString();
  model_.insert(theirs_.begin(), theirs_.end());
  ExpectModel();
  EXPECT_GE(db_->GetLatestSequenceNumber(), source_->GetLatestSequenceNumber());
  // What is written from now on is newer.
  Put(Key(0), "mine");
  Delete(Key(99));
  ExpectModel();
  Kill();
  Open(options_);
  ExpectModel();
  const SequenceNumber last = db_->GetLatestSequenceNumber();
  EXPECT_GE(last, source_->GetLatestSequenceNumber());
  Flush();
  ExpectModel();
  Compact();
  ExpectModel();
  // (The files of the source are copies'.)
  Contents found;
  const std::unique_ptr<Iterator> it(source_->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next())
    found[it->key().ToString()] = it->value().ToString();
  EXPECT_TRUE(found == theirs_);
}

TEST_F(DbIngestGeneratedTest, WithDynamicLevelsToo) {
  FillSource();
  Options dynamic = options_;
  dynamic.level_compaction_dynamic_level_bytes = true;
  Open(dynamic);
  const Status s = Ingest(TablesThere());
  ASSERT_TRUE(s.ok()) << s.ToString();
  model_ = theirs_;
  ExpectModel();
  Compact();
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, SnapshotsOfLaterSeeIt) {
  FillSource();
  Open(options_);
  ASSERT_TRUE(Ingest(TablesThere()).ok());
  const Snapshot* const snapshot = db_->GetSnapshot();
  Contents before = theirs_;
  for (uint64_t i = 0; i < 100; ++i) Put(Key(i), "later");
  ExpectContents(before, snapshot);
  Flush();
  Compact();
  ExpectContents(before, snapshot);
  db_->ReleaseSnapshot(snapshot);
  for (const auto& [key, value] : theirs_) model_.emplace(key, value);
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, WithoutTheOptionTheyAreRefused) {
  FillSource();
  Open(options_);
  const Status s = db_->IngestExternalFile(TablesThere(), IngestExternalFileOptions());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, WhatIsThereAlreadyIsNotHidden) {
  FillSource();
  const std::vector<std::string> paths = TablesThere();
  for (const char* where : {"memory", "table"}) {
    SCOPED_TRACE(where);
    Open(options_);
    Put(Key(50), "mine");
    if (std::string(where) == "table") Flush();
    const Status s = Ingest(paths);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find("overlaps with existing data"), std::string::npos) << s.ToString();
    ExpectModel();
    Kill();
    Open(options_);
    ExpectModel();
  }
}

TEST_F(DbIngestGeneratedTest, SnapshotsThatMustNotSeeItRefuseIt) {
  FillSource();
  Open(options_);
  Put("a", "1");
  const Snapshot* const snapshot = db_->GetSnapshot();
  Status s = Ingest(TablesThere());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  ExpectModel();
  generated_.snapshot_consistency = false;
  s = Ingest(TablesThere());
  EXPECT_TRUE(s.ok()) << s.ToString();
  db_->ReleaseSnapshot(snapshot);
  model_.insert(theirs_.begin(), theirs_.end());
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, TheOrderOfLevel0IsThatOfSequenceNumbers) {
  OpenSource();
  PutThere(1, "old");
  FlushThere();
  PutThere(1, "new");
  FlushThere();
  const std::vector<std::string> paths = TablesThere();
  ASSERT_EQ(2u, paths.size());
  options_.compaction_style = kCompactionStyleFIFO;  // all is on level 0
  options_.max_open_files = -1;
  Open(options_);
  Status s = Ingest({paths[1], paths[0]});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  ExpectModel();
  s = Ingest(paths);
  ASSERT_TRUE(s.ok()) << s.ToString();
  model_ = theirs_;
  ExpectModel();
  Open(options_);
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, FilesThatWereIngestedHaveNoNumbersOfTheirOwn) {
  OpenSource();
  PutThere(1, "below");
  FlushThere();
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  ASSERT_TRUE(writer.Put(Key(1), "above").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(source_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions()).ok());
  const std::vector<std::string> paths = TablesThere();
  ASSERT_EQ(2u, paths.size());
  Open(options_);
  Status s = Ingest(paths);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("was ingested before"), std::string::npos) << s.ToString();
  ExpectModel();
  s = Ingest({paths[1]});  // alone
  ASSERT_TRUE(s.ok()) << s.ToString();
  model_[Key(1)] = "above";
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, ValuesInBlobFilesStayWhereTheyAre) {
  options_.enable_blob_files = true;
  OpenSource();
  PutThere(1, "in a blob file");
  FlushThere();
  Open(options_);
  const Status s = Ingest(TablesThere());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, TheBottommostLevelHasRoomForOne) {
  FillSource();
  const std::vector<std::string> paths = TablesThere();
  Open(options_);
  generated_.fail_if_not_bottommost_level = true;
  EXPECT_TRUE(Ingest(paths).IsTryAgain());
  ExpectModel();
  const Status s = Ingest({paths[0]});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(FilesAtLevel(6), 1);
  for (uint64_t i = 0; i < 100; ++i) model_[Key(i)] = "deep " + std::to_string(i);
  ExpectModel();
}

TEST_F(DbIngestGeneratedTest, BehindComesOnlyWhatIsOlderThanAll) {
  FillSource();
  const std::vector<std::string> paths = TablesThere();
  options_.allow_ingest_behind = true;
  options_.compaction_style = kCompactionStyleUniversal;
  options_.num_levels = 8;
  Open(options_);
  generated_.ingest_behind = true;
  const Status s = Ingest({paths.back()});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  ExpectModel();
}

}  // namespace
}  // namespace cairn::testing
