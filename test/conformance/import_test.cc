// Column families exported by Checkpoint::ExportColumnFamily and created from such files.
#include "conformance.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/checkpoint.h"

namespace conformance {
namespace {

class ImportTest : public DBTest {
 protected:
  ImportTest() { options_.disable_auto_compactions = true; }
  ~ImportTest() override { ShutAll(); }

  void ShutAll() {
    for (ColumnFamilyHandle* handle : handles_) EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    handles_.clear();
    Shut();
  }
  ColumnFamilyHandle* Create(const std::string& name) {
    ColumnFamilyHandle* handle = nullptr;
    EXPECT_OK(db_->CreateColumnFamily(options_, name, &handle));
    if (handle != nullptr) handles_.push_back(handle);
    return handle;
  }
  Status TryExport(ColumnFamilyHandle* family, const std::string& to) {
    metadata_.reset();
    Checkpoint* made = nullptr;
    Status s = Checkpoint::Create(db_, &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    ExportImportFilesMetaData* exported = nullptr;
    if (s.ok()) s = checkpoint->ExportColumnFamily(family, to, &exported);
    metadata_.reset(exported);
    return s;
  }
  void Export(ColumnFamilyHandle* family) { ASSERT_OK(TryExport(family, to_)); }
  Status TryImport(const std::string& name, bool move = false) {
    ImportColumnFamilyOptions how;
    how.move_files = move;
    imported_ = nullptr;
    Status s = db_->CreateColumnFamilyWithImport(options_, name, how, *metadata_, &imported_);
    EXPECT_EQ(s.ok(), imported_ != nullptr);
    if (imported_ != nullptr) handles_.push_back(imported_);
    return s;
  }
  void Import(const std::string& name, bool move = false) { ASSERT_OK(TryImport(name, move)); }
  void OpenAnother(const std::string& name) {
    ShutAll();
    dir_ = root_ + "/" + name;
    Open();
  }
  void ReopenWith(const std::string& family) {
    ShutAll();
    ASSERT_OK(DB::Open(options_, dir_, {{kDefaultColumnFamilyName, options_}, {family, options_}},
                       &handles_, &db_));
    imported_ = handles_.back();
  }
  std::string ContentsOf(ColumnFamilyHandle* family) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), family));
    return BothWays(it.get());
  }
  std::string GetOf(ColumnFamilyHandle* family, const std::string& key,
                    const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status s = db_->Get(options, family, key, &value);
    return s.IsNotFound() ? "NOT_FOUND" : s.ok() ? value : s.ToString();
  }
  void PutIn(ColumnFamilyHandle* family, const std::string& key, const std::string& value) {
    ASSERT_OK(db_->Put(WriteOptions(), family, key, value));
  }
  void FlushOf(ColumnFamilyHandle* family) { ASSERT_OK(db_->Flush(FlushOptions(), family)); }
  // What was to be imported is not there, and nothing of it.
  void ExpectNothing(const std::string& family, const std::vector<std::string>& tables) {
    std::vector<std::string> names;
    EXPECT_OK(DB::ListColumnFamilies(options_, dir_, &names));
    EXPECT_EQ(0, std::count(names.begin(), names.end(), family));
    EXPECT_EQ(tables, FilesEndingIn(".sst"));
  }
  // On levels 0 and 1, with entries that hide older ones.
  void FillTwoLevels(ColumnFamilyHandle* family) {
    for (const char* key : {"a", "b", "c", "d"}) PutIn(family, key, "1");
    FlushOf(family);
    ASSERT_OK(db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr));
    PutIn(family, "b", "2");
    ASSERT_OK(db_->Delete(WriteOptions(), family, "c"));
    FlushOf(family);
    PutIn(family, "b", "3");
    ASSERT_OK(db_->DeleteRange(WriteOptions(), family, "d", "e"));
    PutIn(family, "e", "3");
  }

  std::vector<ColumnFamilyHandle*> handles_;
  ColumnFamilyHandle* imported_ = nullptr;
  std::unique_ptr<ExportImportFilesMetaData> metadata_;
  const std::string to_ = root_ + "/exported";
};

TEST_F(ImportTest, AFamilyComesUnderAnotherName) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  Import("two");
  EXPECT_EQ("two", imported_->GetName());
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(imported_));
  PutIn(imported_, "a", "9");
  PutIn(family, "b", "8");
  EXPECT_EQ("a=9,b=3,e=3", ContentsOf(imported_));
  EXPECT_EQ("a=1,b=8,e=3", ContentsOf(family));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), imported_, nullptr, nullptr));
  EXPECT_EQ("a=9,b=3,e=3", ContentsOf(imported_));
  EXPECT_EQ("NOT_FOUND", GetOf(imported_, "c"));
  EXPECT_EQ("", Contents());
}

TEST_F(ImportTest, WhatIsWrittenInAnotherDatabaseIsNewerThanWhatCame) {
  Open();
  for (int i = 0; i < 50; ++i) ASSERT_OK(Put("noise", std::to_string(i)));
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  const SequenceNumber there = db_->GetLatestSequenceNumber();
  OpenAnother("other");
  ASSERT_OK(Put("x", "1"));
  EXPECT_LT(db_->GetLatestSequenceNumber(), there);
  Import("one");
  EXPECT_EQ(there, db_->GetLatestSequenceNumber());
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(imported_));
  ASSERT_OK(db_->Delete(WriteOptions(), imported_, "a"));
  PutIn(imported_, "b", "4");
  EXPECT_EQ("b=4,e=3", ContentsOf(imported_));
  ASSERT_OK(Put("y", "2"));
  EXPECT_EQ("x=1,y=2", Contents());
  ReopenWith("one");
  EXPECT_EQ("b=4,e=3", ContentsOf(imported_));
  EXPECT_EQ("x=1,y=2", Contents());
}

TEST_F(ImportTest, TheSequenceNumberNeverGoesBack) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  for (int i = 0; i < 50; ++i) ASSERT_OK(Put("noise", std::to_string(i)));
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  Import("two");
  EXPECT_EQ(before, db_->GetLatestSequenceNumber());
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(imported_));
}

TEST_F(ImportTest, TheNewestOfSeveralFilesOfLevel0Wins) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  for (const char* value : {"1", "2", "3", "4"}) {
    PutIn(family, "k", value);
    PutIn(family, value, value);
    FlushOf(family);
  }
  Export(family);
  ASSERT_EQ(4u, metadata_->files.size());
  std::reverse(metadata_->files.begin(), metadata_->files.end());
  std::swap(metadata_->files[0], metadata_->files[2]);
  Import("two");
  EXPECT_EQ("1=1,2=2,3=3,4=4,k=4", ContentsOf(imported_));
  EXPECT_EQ("4", GetOf(imported_, "k"));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), imported_, nullptr, nullptr));
  EXPECT_EQ("4", GetOf(imported_, "k"));
}

TEST_F(ImportTest, TheMetadataTellOfTheFiles) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  EXPECT_EQ(BytewiseComparator()->Name(), metadata_->db_comparator_name);
  ASSERT_EQ(3u, metadata_->files.size());
  std::vector<std::string> names;
  int level1 = 0;
  for (const LiveFileMetaData& file : metadata_->files) {
    EXPECT_EQ(to_, file.db_path);
    uint64_t size = 0;
    EXPECT_OK(TheEnv()->GetFileSize(to_ + file.name, &size));
    EXPECT_EQ(size, file.size);
    EXPECT_LE(file.smallest_seqno, file.largest_seqno);
    names.push_back(file.name.substr(1));
    if (file.level == 1) {
      ++level1;
      EXPECT_EQ("a", file.smallestkey);
      EXPECT_EQ("d", file.largestkey);
    }
  }
  EXPECT_EQ(1, level1);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, FilesEndingIn(".sst", to_));
}

TEST_F(ImportTest, CopiedFilesStayAndMovedOnesGo) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  Import("two");
  EXPECT_EQ(3u, FilesEndingIn(".sst", to_).size());
  Import("three", /*move=*/true);
  EXPECT_EQ(0u, FilesEndingIn(".sst", to_).size());
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(imported_));
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(family));
}

TEST_F(ImportTest, WhatExistsIsNotExportedTo) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(TheEnv()->CreateDir(to_));
  EXPECT_CODE(InvalidArgument, TryExport(db_->DefaultColumnFamily(), to_));
  EXPECT_EQ(nullptr, metadata_);
  EXPECT_CODE(InvalidArgument, TryExport(db_->DefaultColumnFamily(), dir_));
  EXPECT_EQ(nullptr, metadata_);
  EXPECT_FALSE(TryExport(db_->DefaultColumnFamily(), root_ + "/no/such").ok());
  EXPECT_EQ(nullptr, metadata_);
  EXPECT_EQ("a=1", Contents());
}

TEST_F(ImportTest, AnotherComparatorIsRefused) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Export(db_->DefaultColumnFamily());
  const auto tables = FilesEndingIn(".sst");
  metadata_->db_comparator_name = "another";
  EXPECT_CODE(InvalidArgument, TryImport("two"));
  ExpectNothing("two", tables);
  options_.comparator = ReverseBytewiseComparator();
  metadata_->db_comparator_name = BytewiseComparator()->Name();
  EXPECT_CODE(InvalidArgument, TryImport("two"));
  ExpectNothing("two", tables);
}

TEST_F(ImportTest, AMissingFileLeavesNothing) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  const auto tables = FilesEndingIn(".sst");
  std::string kept;
  const std::string path = to_ + metadata_->files.back().name;
  ASSERT_OK(ReadFileToString(TheEnv(), path, &kept));
  ASSERT_OK(TheEnv()->DeleteFile(path));
  EXPECT_FALSE(TryImport("two").ok());
  ExpectNothing("two", tables);
  EXPECT_FALSE(TryImport("two", /*move=*/true).ok());
  ExpectNothing("two", tables);
  EXPECT_EQ(2u, FilesEndingIn(".sst", to_).size());
  ASSERT_OK(WriteStringToFile(TheEnv(), kept, path));
  Import("two");
  EXPECT_EQ("a=1,b=3,e=3", ContentsOf(imported_));
}

TEST_F(ImportTest, AFileOfAnotherSizeLeavesNothing) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  FillTwoLevels(family);
  Export(family);
  const auto tables = FilesEndingIn(".sst");
  const std::string path = to_ + metadata_->files.front().name;
  std::string whole;
  ASSERT_OK(ReadFileToString(TheEnv(), path, &whole));
  ASSERT_OK(WriteStringToFile(TheEnv(), whole.substr(0, whole.size() - 10), path));
  EXPECT_FALSE(TryImport("two").ok());
  ExpectNothing("two", tables);
  ASSERT_OK(WriteStringToFile(TheEnv(), whole + "0123456789", path));
  metadata_->files.front().size += 10;
  EXPECT_FALSE(TryImport("two").ok());
  ExpectNothing("two", tables);
  ASSERT_OK(WriteStringToFile(TheEnv(), std::string(whole.size(), 'x'), path));
  metadata_->files.front().size -= 10;
  EXPECT_FALSE(TryImport("two").ok());
  ExpectNothing("two", tables);
  ASSERT_OK(WriteStringToFile(TheEnv(), whole, path));
  Import("two");
}

TEST_F(ImportTest, AnEmptyFamilyHasNothingToImport) {
  Open();
  Export(Create("one"));
  EXPECT_TRUE(metadata_->files.empty());
  EXPECT_OK(TheEnv()->FileExists(to_));
  EXPECT_CODE(InvalidArgument, TryImport("two"));
  ExpectNothing("two", {});
}

TEST_F(ImportTest, ANameThatIsTakenIsRefused) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Export(db_->DefaultColumnFamily());
  const auto tables = FilesEndingIn(".sst");
  Create("two");
  EXPECT_CODE(InvalidArgument, TryImport("two"));
  EXPECT_CODE(InvalidArgument, TryImport(kDefaultColumnFamilyName));
  EXPECT_EQ(tables, FilesEndingIn(".sst"));
  EXPECT_EQ("", ContentsOf(handles_[0]));
}

TEST_F(ImportTest, ADatabaseOpenForReadingNeitherGivesNorTakes) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Export(db_->DefaultColumnFamily());
  ShutAll();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  auto kept = std::move(metadata_);
  EXPECT_FALSE(TryExport(db_->DefaultColumnFamily(), root_ + "/second").ok());
  metadata_ = std::move(kept);
  EXPECT_CODE(NotSupported, TryImport("two"));
}

TEST_F(ImportTest, FilesOfAnSstFileWriterComeAtTheLevelThatIsSaid) {
  Open();
  ASSERT_OK(Put("a", "0"));
  const std::string path = root_ + "/file.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Put("b", "2"));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  metadata_ = std::make_unique<ExportImportFilesMetaData>();
  metadata_->db_comparator_name = BytewiseComparator()->Name();
  LiveFileMetaData file;
  file.name = "/file.sst";
  file.db_path = root_;
  file.level = 3;
  file.smallestkey = "a";
  file.largestkey = "b";
  metadata_->files.push_back(file);
  Import("two");
  EXPECT_EQ("a=1,b=2", ContentsOf(imported_));
  ASSERT_OK(db_->Delete(WriteOptions(), imported_, "a"));
  EXPECT_EQ("b=2", ContentsOf(imported_));
  std::string files;
  EXPECT_TRUE(db_->GetProperty(imported_, "rocksdb.num-files-at-level3", &files));
  EXPECT_EQ("1", files);
}

TEST_F(ImportTest, IngestedFilesKeepTheirPlaceInTime) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  PutIn(family, "a", "1");
  PutIn(family, "b", "1");
  FlushOf(family);
  const std::string path = root_ + "/file.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", "2"));
  ASSERT_OK(writer.Put("b", "2"));
  ASSERT_OK(writer.Finish());
  IngestExternalFileOptions ingest;
  ingest.write_global_seqno = false;
  ASSERT_OK(db_->IngestExternalFile(family, {path}, ingest));
  PutIn(family, "b", "3");
  Export(family);
  OpenAnother("other");
  Import("one");
  EXPECT_EQ("a=2,b=3", ContentsOf(imported_));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), imported_, nullptr, nullptr));
  EXPECT_EQ("a=2,b=3", ContentsOf(imported_));
}

TEST_F(ImportTest, TombstonesOfRangesCoverWhatTheyDid) {
  Open();
  ColumnFamilyHandle* const family = Create("one");
  for (int i = 0; i < 100; ++i) PutIn(family, Key(i), "1");
  FlushOf(family);
  const Snapshot* const snapshot = db_->GetSnapshot();  // keeps what is covered
  ASSERT_OK(db_->DeleteRange(WriteOptions(), family, Key(10), Key(90)));
  PutIn(family, Key(50), "2");
  FlushOf(family);
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr));
  Export(family);
  db_->ReleaseSnapshot(snapshot);
  Import("two");
  EXPECT_EQ(ContentsOf(family), ContentsOf(imported_));
  EXPECT_EQ("1", GetOf(imported_, Key(9)));
  EXPECT_EQ("NOT_FOUND", GetOf(imported_, Key(10)));
  EXPECT_EQ("2", GetOf(imported_, Key(50)));
  EXPECT_EQ("1", GetOf(imported_, Key(90)));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), imported_, nullptr, nullptr));
  EXPECT_EQ(ContentsOf(family), ContentsOf(imported_));
}

TEST_F(ImportTest, ADroppedFamilyThatWasImportedLeavesNothing) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Export(db_->DefaultColumnFamily());
  const auto tables = FilesEndingIn(".sst");
  Import("two");
  EXPECT_EQ(tables.size() + 1, FilesEndingIn(".sst").size());
  ASSERT_OK(db_->DropColumnFamily(imported_));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(imported_));
  handles_.clear();
  ExpectNothing("two", tables);
  Import("two");
  EXPECT_EQ("a=1", ContentsOf(imported_));
}

}  // namespace
}  // namespace conformance
