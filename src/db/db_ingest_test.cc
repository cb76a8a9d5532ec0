// IngestExternalFile on a disk that can fail: what is left when it does, and what no test against
// the public API alone shows.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "base/coding.h"
#include "db/testing/db_fixture.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn::testing {
namespace {

using fault::Rule;

class DbIngestTest : public DbTest {
 protected:
  // Keys from..to-1, of this version.
  std::string MakeFile(uint64_t from, uint64_t to, uint64_t version, const Options& options) {
    const std::string path = "/outside-" + std::to_string(files_++) + ".sst";
    SstFileWriter writer(EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (uint64_t i = from; i < to; ++i) {
      EXPECT_TRUE(writer.Put(Key(i), Value(version * 1000000 + i, 100)).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }
  std::string MakeFile(uint64_t from, uint64_t to, uint64_t version) {
    return MakeFile(from, to, version, SmallOptions());
  }
  Status Ingest(const std::string& path, const IngestExternalFileOptions& options = {}) {
    return db_->IngestExternalFile({path}, options);
  }
  void Expect(uint64_t from, uint64_t to, uint64_t version) {
    for (uint64_t i = from; i < to; ++i) model_[Key(i)] = Value(version * 1000000 + i, 100);
  }
  bool Exists(const std::string& path) const {
    return disk_.memory->FileExists(path, IOOptions(), nullptr).ok();
  }

  int files_ = 0;
};

TEST_F(DbIngestTest, FilesOfAnotherOrderAreRefused) {
  Options other = SmallOptions();
  other.comparator = ReverseBytewiseComparator();
  SstFileWriter writer(EnvOptions(), other);
  ASSERT_TRUE(writer.Open("/other.sst").ok());
  ASSERT_TRUE(writer.Put("b", "1").ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.Finish().ok());
  Open();
  const Status s = Ingest("/other.sst");
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("comparator"), std::string::npos) << s.ToString();
}

TEST_F(DbIngestTest, WhatIsNotSupportedIsRefused) {
  Open();
  const std::string path = MakeFile(0, 10, 1);
  IngestExternalFileOptions options;
  options.move_files = options.link_files = true;
  EXPECT_TRUE(Ingest(path, options).IsInvalidArgument());
  ExpectModel();
}

TEST_F(DbIngestTest, TheSequenceNumberIsWrittenIntoTheFileIfAsked) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  for (const uint32_t version : {5u, 6u}) {
    for (const bool link : {false, true}) {
      SCOPED_TRACE(std::to_string(version) + (link ? " linked" : ""));
      db_.reset();
      model_.clear();
      ASSERT_TRUE(DestroyDB(kDbName, options).ok());
      BlockBasedTableOptions table;
      table.format_version = version;
      options.table_factory.reset(NewBlockBasedTableFactory(table));
      Open(options);
      PutRange(0, 10, 1);
      const std::string path = MakeFile(5, 15, 2, options);
      IngestExternalFileOptions ingest;
      ingest.write_global_seqno = true;
      ingest.link_files = link;
      ASSERT_TRUE(Ingest(path, ingest).ok());
      Expect(5, 15, 2);
      ExpectModel();
      ReadOptions all_of_it;
      EXPECT_TRUE(db_->VerifyChecksum(all_of_it).ok());
      EXPECT_TRUE(db_->VerifyFileChecksums(all_of_it).ok());
      const SequenceNumber given = db_->GetLatestSequenceNumber();
      Open(options);
      ExpectModel();
      TablePropertiesCollection tables;
      ASSERT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
      int with_number = 0;
      for (const auto& [name, properties] : tables) {
        const auto& collected = properties->user_collected_properties;
        const auto number = collected.find("rocksdb.external_sst_file.global_seqno");
        if (number == collected.end()) continue;
        ++with_number;
        EXPECT_EQ(given, DecodeFixed64(number->second.data()));
        EXPECT_GT(properties->external_sst_file_global_seqno_offset, 0u);
      }
      EXPECT_EQ(1, with_number);
      // The caller's own file is that one only where it is linked; it cannot be ingested again.
      const Status again = Ingest(path);
      EXPECT_EQ(!link, again.ok()) << again.ToString();
    }
  }
}

// Runs what it was given before the first entry that it sees, and removes them all.
class RunsOnceFilter final : public CompactionFilter {
 public:
  const char* Name() const override { return "RunsOnce"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& /*value*/, std::string* /*new*/,
              bool* /*changed*/) const override {
    if (run != nullptr) std::exchange(run, nullptr)();
    return true;
  }

  mutable std::function<void()> run;
};

// Level 0 is ordered by sequence number to RocksDB before 7.10, as it is after the flush here.
TEST_F(DbIngestTest, AFileNewerThanAMemtableDoesNotMoveToLevel0) {
  RunsOnceFilter filter;
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.compaction_filter = &filter;
  Open(options);
  const std::string path = MakeFile(100, 110, 1, options);
  PutRange(0, 1, 1);
  const Snapshot* snapshot = nullptr;
  CompactRangeOptions change;
  change.change_level = true;
  change.target_level = 0;
  filter.run = [&] {
    snapshot = db_->GetSnapshot();  // so that the file gets a number
    PutRange(50, 51, 1);
    EXPECT_TRUE(Ingest(path).ok());
  };
  Status s = db_->CompactRange(change, nullptr, nullptr);
  db_->ReleaseSnapshot(snapshot);
  EXPECT_TRUE(s.IsAborted()) << s.ToString();
  EXPECT_NE(s.ToString().find("flush first"), std::string::npos) << s.ToString();
  // CompactRange flushes; the filter removes what it finds, and the file stays alone.
  change.bottommost_level_compaction = BottommostLevelCompaction::kSkip;
  s = db_->CompactRange(change, nullptr, nullptr);
  EXPECT_TRUE(s.ok()) << s.ToString();
  std::string files;
  EXPECT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &files));
  EXPECT_EQ("1", files);
}

TEST_F(DbIngestTest, LinkedFilesStayAndMovedOnesAreCopiedWhereThereAreNoLinks) {
  Open();
  const std::string linked = MakeFile(0, 10, 1);
  IngestExternalFileOptions options;
  options.link_files = true;
  ASSERT_TRUE(Ingest(linked, options).ok());
  EXPECT_TRUE(Exists(linked));
  Expect(0, 10, 1);

  Rule no_links;
  no_links.operations = fault::kRename;
  no_links.error = IOStatus::NotSupported("no links here");
  const auto rule = disk_.faults->AddRule(no_links);
  const std::string moved = MakeFile(20, 30, 2);
  options = IngestExternalFileOptions();
  options.move_files = true;
  options.failed_move_fall_back_to_copy = false;
  EXPECT_TRUE(Ingest(moved, options).IsNotSupported());
  ExpectModel();
  options.failed_move_fall_back_to_copy = true;
  ASSERT_TRUE(Ingest(moved, options).ok());
  EXPECT_FALSE(Exists(moved));
  EXPECT_GE(disk_.faults->Hits(rule), 2u);
  Expect(20, 30, 2);
  ExpectModel();
}

TEST_F(DbIngestTest, AFailedCopyLeavesNothing) {
  Open();
  PutRange(0, 50, 1);
  const std::string path = MakeFile(20, 300, 2);
  Flush();
  const auto before = disk_.Files(FileType::kTableFile);
  for (const uint32_t operations :
       {fault::kCreate, fault::kAppend, fault::kSync, fault::kDirSync}) {
    Rule failure;
    failure.operations = operations;
    failure.times = 1;
    failure.where = [](const std::string& name) {
      return name == kDbName || fault::KindOf(name) == fault::kTables;
    };
    const auto rule = disk_.faults->AddRule(failure);
    EXPECT_FALSE(Ingest(path).ok()) << operations;
    EXPECT_EQ(disk_.faults->Hits(rule), 1u) << operations;
    disk_.faults->RemoveRule(rule);
    EXPECT_EQ(disk_.Files(FileType::kTableFile), before) << operations;
    ExpectModel();
  }
  PutRange(0, 5, 3);
  ASSERT_TRUE(Ingest(path).ok());
  Expect(20, 300, 2);
  ExpectModel();
}

TEST_F(DbIngestTest, AFailedManifestLeavesAllOrNothing) {
  Open();
  PutRange(0, 50, 1);
  Flush();
  Rule failure;
  failure.operations = fault::kSync;
  failure.files = fault::kManifests;
  failure.times = 1;
  disk_.faults->AddRule(failure);
  const std::string path = MakeFile(20, 60, 2);
  EXPECT_FALSE(Ingest(path).ok());
  EXPECT_FALSE(db_->Put(WriteOptions(), "x", "y").ok()) << "the manifest's end is not known";
  ExpectModel();
  ASSERT_TRUE(db_->Resume().ok());
  PutRange(0, 5, 3);
  ExpectModel();
  ASSERT_TRUE(Ingest(path).ok());
  Expect(20, 60, 2);
  ExpectModel();
  Open();
  ExpectModel();
}

TEST_F(DbIngestTest, WhatWasWrittenBeforeSurvivesAPowerCutWithIt) {
  Open();
  PutRange(0, 20, 1);
  ASSERT_TRUE(Ingest(MakeFile(100, 120, 2)).ok());
  Expect(100, 120, 2);
  ASSERT_TRUE(db_->Put(WriteOptions(), "later", "lost").ok());
  disk_.Freeze();
  db_.reset();
  ASSERT_TRUE(disk_.faults->DropUnsynced().ok());
  disk_.faults->Heal();
  Open();
  model_.erase("later");
  ExpectModel();
}

TEST_F(DbIngestTest, ChecksumsOfFilesAreMadeOrCompared) {
  Options options = SmallOptions();
  options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open(options);
  ASSERT_TRUE(Ingest(MakeFile(0, 10, 1)).ok());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].file_checksum.size(), 4u);
  EXPECT_EQ(files[0].file_checksum_func_name, "FileChecksumCrc32c");

  IngestExternalFileArg arg;
  arg.column_family = db_->DefaultColumnFamily();
  arg.external_files = {MakeFile(20, 30, 1)};
  arg.files_checksums = {"abcd"};
  EXPECT_TRUE(db_->IngestExternalFiles({arg}).IsInvalidArgument()) << "of what function?";
  arg.files_checksum_func_names = {"FileChecksumCrc32c"};
  EXPECT_TRUE(db_->IngestExternalFiles({arg}).IsCorruption());
  arg.files_checksum_func_names = {"another"};
  EXPECT_TRUE(db_->IngestExternalFiles({arg}).IsInvalidArgument());
  arg.files_checksum_func_names = {"FileChecksumCrc32c"};
  arg.options.verify_file_checksum = false;
  ASSERT_TRUE(db_->IngestExternalFiles({arg}).ok());
  EXPECT_TRUE(db_->VerifyFileChecksums(ReadOptions()).IsCorruption()) << "it was taken as given";
}

TEST_F(DbIngestTest, AFileIsNotIngestedTwiceWithANumberOfItsOwn) {
  // As older releases leave them: with the sequence number in the file.
  const std::string path = MakeFile(0, 10, 1);
  std::string data;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &data).ok());
  const size_t at = data.find("external_sst_file.global_seqno");
  ASSERT_NE(at, std::string::npos);
  const size_t value = data.find(std::string(8, '\0'), at);
  ASSERT_NE(value, std::string::npos);
  data[value] = 5;
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path).ok());
  Open();
  const Status s = Ingest(path);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

// RocksDB 7.8.3 forgets the deletion in the compaction.
TEST_F(DbIngestTest, WhatWasDeletedStaysSoWhenFilesComeBehind) {
  Options options = SmallOptions();
  EXPECT_TRUE([&] {
    options.allow_ingest_behind = true;
    return TryOpen(options);
  }()
                  .IsInvalidArgument())
      << "universal style alone";
  options.compaction_style = kCompactionStyleUniversal;
  options.num_levels = 3;
  Open(options);
  PutRange(0, 10, 1);
  Delete(Key(20));
  Flush();
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(30), Key(35)).ok());
  Flush();
  Compact();
  IngestExternalFileOptions behind;
  behind.ingest_behind = true;
  ASSERT_TRUE(Ingest(MakeFile(5, 40, 2), behind).ok());
  EXPECT_EQ(FilesAtLevel(2), 1);
  Expect(10, 40, 2);
  for (uint64_t i = 30; i < 35; ++i) model_.erase(Key(i));
  model_.erase(Key(20));
  ExpectModel();
  Compact();
  ExpectModel();
  Open(options);
  ExpectModel();
}

TEST_F(DbIngestTest, ReadOnlyDatabasesTakeNothing) {
  Open();
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  EXPECT_TRUE(Ingest(MakeFile(0, 10, 1)).IsNotSupported());
}

}  // namespace
}  // namespace cairn::testing
