// ColumnFamilyOptions::cf_paths: directories of one column family.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

constexpr uint64_t kRoom = uint64_t{1} << 40;

class CfPathsTest : public DBTest {
 protected:
  CfPathsTest() {
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
    of_family_ = options_;
    of_family_.cf_paths = {{Dir(0), kRoom}, {Dir(1), kRoom}};
  }
  ~CfPathsTest() override { CloseBoth(); }

  std::string Dir(int i) const { return root_ + "/family" + std::to_string(i); }
  std::vector<ColumnFamilyDescriptor> Families() const {
    return {{kDefaultColumnFamilyName, options_}, {"family", of_family_}};
  }
  Status TryOpenBoth() {
    CloseBoth();
    return DB::Open(options_, dir_, Families(), &handles_, &db_);
  }
  // The database with the family, which is new.
  void Create() {
    Open();
    handles_.resize(2);
    ASSERT_OK(db_->CreateColumnFamily(of_family_, "family", &handles_[1]));
    delete handles_[1];
    handles_.clear();
    Shut();
    ASSERT_OK(TryOpenBoth());
  }
  void CloseBoth() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    handles_.clear();
    Shut();
  }
  ColumnFamilyHandle* family() const { return handles_[1]; }
  Status PutThere(const std::string& key, const std::string& value) {
    return db_->Put(WriteOptions(), family(), key, value);
  }
  Status FlushThere() { return db_->Flush(FlushOptions(), family()); }
  std::string GetThere(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), family(), key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // Tables in the database's directory, and in the family's two.
  std::string Tables() {
    std::string text;
    for (const std::string& dir : {dir_, Dir(0), Dir(1)}) {
      const bool is_there = TheEnv()->FileExists(dir).ok();
      const size_t count = is_there ? FilesEndingIn(".sst", dir).size() : 0;
      text += (text.empty() ? "" : " ") + std::to_string(count);
    }
    return text;
  }

  Options of_family_;
  std::vector<ColumnFamilyHandle*> handles_;
};

TEST_F(CfPathsTest, OneFamilysTablesAreThere) {
  Create();
  ASSERT_OK(Put("a", "default"));
  ASSERT_OK(PutThere("a", "family"));
  ASSERT_OK(Flush());
  ASSERT_OK(FlushThere());
  EXPECT_EQ("1 1 0", Tables());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(2u, files.size());
  for (const LiveFileMetaData& file : files) {
    EXPECT_EQ(file.column_family_name == "family" ? Dir(0) : dir_, file.db_path);
    EXPECT_OK(TheEnv()->FileExists(file.db_path + file.name));
  }
  ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(family(), &meta);
  ASSERT_EQ(1u, meta.levels[0].files.size());
  EXPECT_EQ(Dir(0), meta.levels[0].files[0].db_path);
  TablePropertiesCollection properties;
  ASSERT_OK(db_->GetPropertiesOfAllTables(family(), &properties));
  ASSERT_EQ(1u, properties.size());
  EXPECT_OK(TheEnv()->FileExists(properties.begin()->first));
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("default", Get("a"));
  EXPECT_EQ("family", GetThere("a"));
  EXPECT_EQ("1 1 0", Tables());
}

TEST_F(CfPathsTest, CompactionsGoToTheFamilysPaths) {
  Create();
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(PutThere("a", std::to_string(i)));
    ASSERT_OK(FlushThere());
  }
  EXPECT_EQ("0 2 0", Tables());
  CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_OK(db_->CompactRange(compact, family(), nullptr, nullptr));
  EXPECT_EQ("0 0 1", Tables());
  EXPECT_EQ("1", GetThere("a"));
  EXPECT_CODE(InvalidArgument,
              db_->CompactRange(compact, db_->DefaultColumnFamily(), nullptr, nullptr));
  compact.target_path_id = 2;
  EXPECT_CODE(InvalidArgument, db_->CompactRange(compact, family(), nullptr, nullptr));
  ASSERT_OK(PutThere("a", "2"));
  ASSERT_OK(FlushThere());
  EXPECT_EQ("0 1 1", Tables());
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("2", GetThere("a"));
  EXPECT_EQ("0 1 1", Tables());
}

TEST_F(CfPathsTest, ALevelGoesOnWhereThereIsNoRoom) {
  of_family_.max_bytes_for_level_base = 100'000;
  of_family_.level0_file_num_compaction_trigger = 2;
  of_family_.cf_paths = {{Dir(0), 1'000}, {Dir(1), kRoom}};
  of_family_.disable_auto_compactions = false;
  Create();
  for (int i = 0; i < 2; ++i) {
    for (int at = 0; at < 6; ++at) ASSERT_OK(PutThere(Key(at), Numbers(7).Bytes(900)));
    ASSERT_OK(FlushThere());
  }
  std::string compacted;
  for (int i = 0; i < 6000 && compacted != "1"; ++i) {
    ASSERT_TRUE(db_->GetProperty(family(), "rocksdb.num-files-at-level1", &compacted));
    TheEnv()->SleepForMicroseconds(10'000);  // sleeps: between two looks
  }
  ASSERT_OK(TryOpenBoth());  // (the inputs are deleted)
  EXPECT_EQ("0 0 1", Tables());
  EXPECT_EQ(900u, GetThere(Key(3)).size());
}

TEST_F(CfPathsTest, BlobFilesAreInTheFirst) {
  of_family_.enable_blob_files = true;
  Create();
  ASSERT_OK(PutThere("a", "in a blob"));
  ASSERT_OK(FlushThere());
  EXPECT_EQ(0u, FilesEndingIn(".blob", dir_).size());
  EXPECT_EQ(1u, FilesEndingIn(".blob", Dir(0)).size());
  EXPECT_EQ("in a blob", GetThere("a"));
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("in a blob", GetThere("a"));
  EXPECT_EQ(1u, FilesEndingIn(".blob", Dir(0)).size());
}

TEST_F(CfPathsTest, ADroppedFamilysFilesGo) {
  Create();
  ASSERT_OK(PutThere("a", "1"));
  ASSERT_OK(FlushThere());
  ASSERT_OK(db_->DropColumnFamily(family()));
  EXPECT_EQ("1", GetThere("a"));
  EXPECT_EQ("0 1 0", Tables());
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family()));
  handles_.pop_back();
  EXPECT_EQ("0 0 0", Tables());
  // Another one may have its directories.
  handles_.resize(2);
  ASSERT_OK(db_->CreateColumnFamily(of_family_, "family", &handles_[1]));
  ASSERT_OK(PutThere("a", "2"));
  ASSERT_OK(FlushThere());
  EXPECT_EQ("0 1 0", Tables());
  EXPECT_EQ("2", GetThere("a"));
}

TEST_F(CfPathsTest, WhatAnotherLifeLeftIsDeleted) {
  Create();
  ASSERT_OK(PutThere("a", "1"));
  ASSERT_OK(FlushThere());
  CloseBoth();
  const std::string table = FilesEndingIn(".sst", Dir(0)).at(0);
  const std::string copy = Dir(0) + "/000999.sst";
  std::string bytes;
  ASSERT_OK(ReadFileToString(TheEnv(), Dir(0) + "/" + table, &bytes));
  ASSERT_OK(WriteStringToFile(TheEnv(), bytes, copy));
  ASSERT_OK(TryOpenBoth());
  EXPECT_EQ("0 1 0", Tables());
  EXPECT_EQ("1", GetThere("a"));
}

TEST_F(CfPathsTest, TwoFamiliesMayShareADirectory) {
  Create();
  ColumnFamilyHandle* other = nullptr;
  Options options = of_family_;
  options.cf_paths = {{Dir(0), kRoom}};
  ASSERT_OK(db_->CreateColumnFamily(options, "other", &other));
  ASSERT_OK(PutThere("a", "family"));
  ASSERT_OK(db_->Put(WriteOptions(), other, "a", "other"));
  ASSERT_OK(FlushThere());
  ASSERT_OK(db_->Flush(FlushOptions(), other));
  EXPECT_EQ("0 2 0", Tables());
  ASSERT_OK(db_->DropColumnFamily(other));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
  EXPECT_EQ("0 1 0", Tables());
  EXPECT_EQ("family", GetThere("a"));
}

TEST_F(CfPathsTest, TheDefaultFamilyMayHaveSome) {
  options_.cf_paths = {{Dir(0), kRoom}};
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("0 1 0", Tables());
  Open();
  EXPECT_EQ("1", Get("a"));
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_, {{kDefaultColumnFamilyName, options_}}));
  EXPECT_EQ("0 0 0", Tables());
}

TEST_F(CfPathsTest, AMissingFamilyIsCreatedWithThem) {
  options_.create_missing_column_families = true;
  ASSERT_OK(TryOpenBoth());
  ASSERT_OK(PutThere("a", "1"));
  ASSERT_OK(FlushThere());
  EXPECT_EQ("0 1 0", Tables());
}

TEST_F(CfPathsTest, IngestedFilesGoToTheFirst) {
  Create();
  const std::string file = root_ + "/outside.sst";
  SstFileWriter writer(EnvOptions(), of_family_);
  ASSERT_OK(writer.Open(file));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile(family(), {file}, IngestExternalFileOptions()));
  EXPECT_EQ("0 1 0", Tables());
  EXPECT_EQ("1", GetThere("a"));
}

TEST_F(CfPathsTest, ADatabaseIsDestroyedWithThem) {
  Create();
  ASSERT_OK(PutThere("a", "1"));
  ASSERT_OK(FlushThere());
  CloseBoth();
  ASSERT_OK(DestroyDB(dir_, options_, Families()));
  EXPECT_EQ("0 0 0", Tables());
}

TEST_F(CfPathsTest, AStyleThatDoesNotChooseHasOneAlone) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  of_family_.compaction_style = kCompactionStyleFIFO;
  EXPECT_CODE(NotSupported, db_->CreateColumnFamily(of_family_, "family", &handle));
}

}  // namespace
}  // namespace conformance
