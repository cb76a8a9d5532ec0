// Column families that leave as files and come back: what is refused, and that errors, kills and
// power cuts leave the whole family or nothing of it.
#include <algorithm>
#include <functional>
#include <memory>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/db_ttl.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::Ts;
using testing::Value;

const char kExported[] = "/exported";
const char kFamily[] = "imported";

class ImportTest : public testing::DbTest {
 protected:
  void TearDown() override {
    handle_.reset();
    db_.reset();
  }
  static Options Quiet(Options options) {
    options.disable_auto_compactions = true;
    return options;
  }
  // Tables on levels 0 and 1, with deletions of all kinds.
  void FillSome() {
    PutRange(0, 60, 1);
    Compact();
    PutRange(30, 50, 2);
    Flush();
    for (uint64_t i = 40; i < 45; ++i) Delete(Key(i));
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(50), Key(55)).ok());
    for (uint64_t i = 50; i < 55; ++i) model_.erase(Key(i));
  }
  Status Export(const std::string& to = kExported, ColumnFamilyHandle* family = nullptr) {
    metadata_.reset();
    Checkpoint* made = nullptr;
    Status s = Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    ExportImportFilesMetaData* exported = nullptr;
    if (family == nullptr) family = db_->DefaultColumnFamily();
    if (s.ok()) s = checkpoint->ExportColumnFamily(family, to, &exported);
    metadata_.reset(exported);
    EXPECT_EQ(s.ok(), exported != nullptr);
    return s;
  }
  void MustExport() {
    const Status s = Export();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Status Import(bool move = false, const std::string& name = kFamily) {
    return Import({metadata_.get()}, move, name);
  }
  Status Import(const std::vector<const ExportImportFilesMetaData*>& metadatas, bool move = false,
                const std::string& name = kFamily) {
    ImportColumnFamilyOptions how;
    how.move_files = move;
    ColumnFamilyHandle* handle = nullptr;
    const Status s =
        db_->CreateColumnFamilyWithImport(family_options_, name, how, metadatas, &handle);
    handle_.reset(handle);
    EXPECT_EQ(s.ok(), handle != nullptr);
    return s;
  }
  // With whatever families there are; handle_ becomes that of the imported one, or null.
  Status Reopen(const Options& options) {
    handle_.reset();
    db_.reset();
    std::vector<std::string> names;
    Status s = DB::ListColumnFamilies(options, kDbName, &names);
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options);
    std::vector<ColumnFamilyHandle*> handles;
    if (s.ok()) s = DB::Open(options, kDbName, families, &handles, &db_);
    for (ColumnFamilyHandle* handle : handles) {
      if (handle->GetName() == kFamily) {
        handle_.reset(handle);
      } else {
        delete handle;
      }
    }
    return s;
  }
  Contents ContentsOf(ColumnFamilyHandle* family) {
    Contents contents;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), family));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      contents[it->key().ToString()] = it->value().ToString();
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return contents;
  }
  bool Lists(const std::string& family) {
    std::vector<std::string> names;
    EXPECT_TRUE(DB::ListColumnFamilies(SmallOptions(), kDbName, &names).ok());
    return std::count(names.begin(), names.end(), family) > 0;
  }
  bool Exists(const std::string& path) {
    return disk_.memory->FileExists(path, IOOptions(), nullptr).ok();
  }
  std::set<std::string> NamesIn(const std::string& dir) {
    std::vector<std::string> names;
    disk_.memory->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    return {names.begin(), names.end()};
  }
  // The directory has the tables of the families, and no other one.
  void ExpectNoOrphans() {
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    EXPECT_EQ(live.size(), disk_.Files(FileType::kTableFile).size());
  }
  void ExpectRefused(const Status& s, const std::string& says) {
    EXPECT_FALSE(s.ok()) << says;
    EXPECT_NE(s.ToString().find(says), std::string::npos) << s.ToString();
    EXPECT_FALSE(Lists(kFamily));
    ExpectNoOrphans();
  }

  Options family_options_ = Quiet(SmallOptions());
  std::unique_ptr<ExportImportFilesMetaData> metadata_;
  std::unique_ptr<ColumnFamilyHandle> handle_;
};

TEST_F(ImportTest, AllOfAFamilyComesAndStays) {
  Open(Quiet(SmallOptions()));
  FillSome();
  MustExport();
  EXPECT_FALSE(Exists("/exported.tmp"));
  for (const LiveFileMetaData& file : metadata_->files) {
    EXPECT_FALSE(file.smallest.empty());
    EXPECT_GT(file.epoch_number, 0u);
  }
  const Status s = Import();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ASSERT_TRUE(Reopen(Quiet(SmallOptions())).ok());
  ASSERT_NE(nullptr, handle_);
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), handle_.get(), nullptr, nullptr).ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ExpectModel();
}

TEST_F(ImportTest, MetadataWithoutInternalKeysDo) {
  Open(Quiet(SmallOptions()));
  FillSome();
  MustExport();
  for (LiveFileMetaData& file : metadata_->files) {
    file.smallest.clear();
    file.largest.clear();
    file.epoch_number = 0;
  }
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), handle_.get(), nullptr, nullptr).ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
}

TEST_F(ImportTest, FilesInSeveralDirectoriesAreExportedToOne) {
  Options options = Quiet(SmallOptions());
  options.db_paths.emplace_back("/tables", 1 << 20);
  Open(options);
  FillSome();
  MustExport();
  EXPECT_EQ(metadata_->files.size(), NamesIn(kExported).size());
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
}

TEST_F(ImportTest, SeveralFamiliesBecomeOneWhereTheirKeysAreApart) {
  Open(Quiet(SmallOptions()));
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(family_options_, "other", &made).ok());
  const std::unique_ptr<ColumnFamilyHandle> other(made);
  FillSome();
  Contents all = model_;
  for (uint64_t i = 100; i < 120; ++i) {
    all[Key(i)] = Value(i, 50);
    ASSERT_TRUE(db_->Put(WriteOptions(), made, Key(i), all[Key(i)]).ok());
  }
  MustExport();
  const std::unique_ptr<ExportImportFilesMetaData> first = std::move(metadata_);
  ASSERT_TRUE(Export("/second", made).ok());
  ExpectRefused(Import({first.get(), metadata_.get(), first.get()}), "overlapping ranges");
  ExpectRefused(Import(std::vector<const ExportImportFilesMetaData*>()), "empty");
  ExpectRefused(Import({first.get(), nullptr}), "null");
  const Status s = Import({metadata_.get(), first.get()});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(all, ContentsOf(handle_.get()));
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), handle_.get(), nullptr, nullptr).ok());
  EXPECT_EQ(all, ContentsOf(handle_.get()));
}

TEST_F(ImportTest, MetadataThatTheFilesContradictAreRefused) {
  Open(Quiet(SmallOptions()));
  FillSome();
  MustExport();
  const ExportImportFilesMetaData good = *metadata_;
  const auto with = [&](const std::function<void(LiveFileMetaData*)>& change) {
    *metadata_ = good;
    change(&metadata_->files.back());
    return Import();
  };
  ExpectRefused(with([](LiveFileMetaData* f) { f->level = 7; }), "num_levels");
  ExpectRefused(with([](LiveFileMetaData* f) { f->level = -1; }), "level -1");
  ExpectRefused(with([](LiveFileMetaData* f) { f->size += 1; }), "bytes");
  *metadata_ = good;
  metadata_->files.front().smallest_seqno = metadata_->files.front().largest_seqno = 1;
  ExpectRefused(Import(), "sequence number");
  ExpectRefused(with([](LiveFileMetaData* f) { f->smallest_seqno = f->largest_seqno + 1; }),
                "sequence number");
  ExpectRefused(with([](LiveFileMetaData* f) { f->largest_seqno = UINT64_MAX >> 8; }),
                "sequence number");
  ExpectRefused(with([](LiveFileMetaData* f) { f->smallest = "short"; }), "internal key");
  ExpectRefused(with([](LiveFileMetaData* f) { f->largest = f->smallest; }), "other keys");
  ExpectRefused(with([](LiveFileMetaData* f) {
                  f->smallest.clear();
                  f->smallestkey = "another";
                }),
                "other keys");
  ExpectRefused(with([](LiveFileMetaData* f) { f->name = "/no.sst"; }), "no.sst");
  ExpectRefused(with([](LiveFileMetaData* f) { f->oldest_blob_file_number = 5; }), "blob files");
  *metadata_ = good;
  metadata_->files.push_back(metadata_->files.back());
  ExpectRefused(Import(), "overlapping ranges");
  ExpectModel();
  *metadata_ = good;
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
}

TEST_F(ImportTest, ValuesInBlobFilesAreRefusedByName) {
  Options options = Quiet(SmallOptions());
  options.enable_blob_files = true;
  Open(options);
  PutRange(0, 10, 1);
  Status s = Export();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_FALSE(Exists(kExported));
  EXPECT_FALSE(Exists("/exported.tmp"));
  // RocksDB exports such tables all the same, without what they refer to; 7.8.3 does not even say
  // that they do.
  ColumnFamilyMetaData family;
  db_->GetColumnFamilyMetaData(&family);
  metadata_ = std::make_unique<ExportImportFilesMetaData>();
  metadata_->db_comparator_name = BytewiseComparator()->Name();
  LiveFileMetaData& file = metadata_->files.emplace_back();
  static_cast<SstFileMetaData&>(file) = family.levels[0].files[0];
  file.oldest_blob_file_number = 0;
  file.smallest.clear();
  s = Import();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  ExpectRefused(s, "blob files");
}

TEST_F(ImportTest, ValuesThatWereBroughtBackFromBlobFilesAreExported) {
  Options options = Quiet(SmallOptions());
  options.enable_blob_files = true;
  Open(options);
  FillSome();
  ASSERT_FALSE(disk_.Files(FileType::kBlobFile).empty());
  ASSERT_TRUE(Export().IsNotSupported());
  ASSERT_TRUE(db_->SetOptions({{"enable_blob_files", "false"},
                               {"enable_blob_garbage_collection", "true"},
                               {"blob_garbage_collection_age_cutoff", "1"}})
                  .ok());
  CompactRangeOptions range;
  range.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
  ASSERT_TRUE(db_->CompactRange(range, nullptr, nullptr).ok());
  MustExport();
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ExpectModel();
}

TEST_F(ImportTest, TheDatabasesOwnFilesAreNotMovedAway) {
  Open(Quiet(SmallOptions()));
  PutRange(0, 10, 1);
  Flush();
  metadata_ = std::make_unique<ExportImportFilesMetaData>();
  metadata_->db_comparator_name = BytewiseComparator()->Name();
  db_->GetLiveFilesMetaData(&metadata_->files);
  ExpectRefused(Import(/*move=*/true), "own files");
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ExpectModel();
}

TEST_F(ImportTest, ChecksumsAreMadeOrCompared) {
  Options options = Quiet(SmallOptions());
  options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open(options);
  FillSome();
  MustExport();
  metadata_->files[0].file_checksum = "wrong";
  ExpectRefused(Import(), "checksum");
  metadata_->files[0].file_checksum.clear();
  metadata_->files[0].file_checksum_func_name.clear();
  ASSERT_TRUE(Import().ok());
  EXPECT_TRUE(db_->VerifyFileChecksums(ReadOptions()).ok());
}

TEST_F(ImportTest, AFamilyOfADatabaseWithTtlComesWithItsTimes) {
  DBWithTTL* opened = nullptr;
  ASSERT_TRUE(DBWithTTL::Open(Quiet(SmallOptions()), kDbName, &opened, 1000).ok());
  db_.reset(opened);
  PutRange(0, 10, 1);
  MustExport();
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), handle_.get(), nullptr, nullptr).ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
}

TEST_F(ImportTest, TimestampsComeAlong) {
  Open(Quiet(SmallOptions()));
  family_options_.comparator = BytewiseComparatorWithU64Ts();
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(family_options_, "stamped", &made).ok());
  const std::unique_ptr<ColumnFamilyHandle> stamped(made);
  const WriteOptions writing;
  ASSERT_TRUE(db_->Put(writing, made, "a", Ts(1), "a1").ok());
  ASSERT_TRUE(db_->Put(writing, made, "b", Ts(1), "b1").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), made).ok());
  ASSERT_TRUE(db_->Put(writing, made, "a", Ts(2), "a2").ok());
  ASSERT_TRUE(db_->DeleteRange(writing, made, "b", "c", Ts(2)).ok());
  ASSERT_TRUE(Export(kExported, made).ok());
  for (const bool told : {true, false}) {
    for (LiveFileMetaData& file : metadata_->files) {
      if (!told) file.smallest.clear();
    }
    const Status s = Import(/*move=*/false, told ? "told" : "found");
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (const uint64_t at : {1, 2}) {
      const std::string bytes = Ts(at);
      const Slice timestamp(bytes);
      ReadOptions reading;
      reading.timestamp = &timestamp;
      std::string value;
      ASSERT_TRUE(db_->Get(reading, handle_.get(), "a", &value).ok());
      EXPECT_EQ("a" + std::to_string(at), value);
      EXPECT_EQ(at == 1, db_->Get(reading, handle_.get(), "b", &value).ok());
    }
  }
  family_options_.comparator = BytewiseComparator();
  EXPECT_TRUE(Import().IsInvalidArgument());
}

TEST_F(ImportTest, ASecondaryGoesOn) {
  Open(Quiet(SmallOptions()));
  FillSome();
  Options options = Quiet(SmallOptions());
  options.max_open_files = -1;
  std::unique_ptr<DB> secondary;
  ASSERT_TRUE(DB::OpenAsSecondary(options, kDbName, "/secondary", &secondary).ok());
  MustExport();
  ASSERT_TRUE(Import().ok());
  PutRange(0, 3, 9);
  const Status s = secondary->TryCatchUpWithPrimary();
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::string value;
  ASSERT_TRUE(secondary->Get(ReadOptions(), Key(1), &value).ok());
  EXPECT_EQ(model_[Key(1)], value);
}

// --- Errors, kills and power cuts at each operation

class ImportFaultsTest : public ImportTest {
 protected:
  enum class End { kError, kKill, kPowerCut };

  fault::RuleId FailFrom(uint64_t nth, uint32_t operations, End end) {
    fault::Rule rule;
    rule.operations = operations;
    rule.where = [](const std::string& path) { return !path.ends_with("/LOG"); };
    rule.after = nth - 1;
    rule.times = end == End::kError ? 1 : UINT64_MAX;
    return disk_.faults->AddRule(rule);
  }
  // Another database with other numbers, into which /exported is imported.
  void MakeBoth() {
    Open(Quiet(SmallOptions()));
    FillSome();
    MustExport();
    db_.reset();
    ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
    Open(Quiet(SmallOptions()));
    exported_ = std::exchange(model_, {});
    PutRange(90, 99, 5);
    Flush();
    PutRange(95, 99, 6);
    ASSERT_TRUE(db_->FlushWAL(/*sync=*/true).ok());
    WaitUntilIdle();
  }
  // Does `check` after a fault at each operation of an import in turn, until there is none.
  void ImportAtEachOperation(End end, bool move) {
    MakeBoth();
    const std::set<std::string> files = NamesIn(kExported);
    int failures = 0;
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE("operation " + std::to_string(nth));
      const fault::RuleId rule =
          FailFrom(nth, end == End::kError ? fault::kAll : fault::kWrites, end);
      const Status s = Import(move);
      const bool hit = disk_.faults->Hits(rule) > 0;
      ASSERT_TRUE(s.ok() || hit) << s.ToString();
      if (!s.ok()) ++failures;
      if (end == End::kError) {
        disk_.faults->Heal();
        CheckAfterError(s);
      } else {
        if (end == End::kKill) disk_.Freeze();
        handle_.reset();
        db_.reset();
        disk_.faults->Heal();
        if (end == End::kPowerCut) {
          ASSERT_TRUE(disk_.faults->DropUnsynced().ok());
        }
        const Status opened = Reopen(Quiet(SmallOptions()));
        ASSERT_TRUE(opened.ok()) << opened.ToString();
        ASSERT_TRUE(!s.ok() || handle_ != nullptr);
      }
      if (handle_ != nullptr) {
        EXPECT_EQ(exported_, ContentsOf(handle_.get()));
      }
      ExpectNoOrphans();
      ExpectModel();
      // The files are as they were, unless they were moved.
      if (handle_ == nullptr) {
        EXPECT_EQ(files, NamesIn(kExported));
      }
      if (!hit || (handle_ != nullptr && move)) break;
      if (handle_ != nullptr) {
        ASSERT_TRUE(db_->DropColumnFamily(handle_.get()).ok());
        handle_.reset();
      }
      ASSERT_LT(nth, 1000u);
    }
    EXPECT_GT(failures, 5);
  }
  void CheckAfterError(const Status& s) {
    const Status resumed = db_->Resume();
    ASSERT_TRUE(resumed.ok()) << resumed.ToString();
    EXPECT_EQ(s.ok(), Lists(kFamily));
    // It goes on.
    PutRange(95, 97, 7);
  }

  Contents exported_;
};

TEST_F(ImportFaultsTest, AnErrorAnywhere) { ImportAtEachOperation(End::kError, /*move=*/false); }
TEST_F(ImportFaultsTest, AnErrorAnywhereInAMove) {
  ImportAtEachOperation(End::kError, /*move=*/true);
}
TEST_F(ImportFaultsTest, AKillAnywhere) { ImportAtEachOperation(End::kKill, /*move=*/false); }
TEST_F(ImportFaultsTest, APowerCutAnywhere) {
  ImportAtEachOperation(End::kPowerCut, /*move=*/false);
}
TEST_F(ImportFaultsTest, APowerCutAnywhereInAMove) {
  ImportAtEachOperation(End::kPowerCut, /*move=*/true);
}

TEST_F(ImportFaultsTest, APowerCutRightAfterTheCall) {
  MakeBoth();
  ASSERT_TRUE(db_->Put(WriteOptions(), "last", "1").ok());
  model_["last"] = "1";
  ASSERT_TRUE(Import().ok());
  disk_.Freeze();
  handle_.reset();
  db_.reset();
  disk_.faults->Heal();
  ASSERT_TRUE(disk_.faults->DropUnsynced().ok());
  ASSERT_TRUE(Reopen(Quiet(SmallOptions())).ok());
  ASSERT_NE(nullptr, handle_);
  EXPECT_EQ(exported_, ContentsOf(handle_.get()));
  ExpectModel();
}

TEST_F(ImportFaultsTest, AnExportLeavesAllOrNothing) {
  Open(Quiet(SmallOptions()));
  FillSome();
  Flush();
  WaitUntilIdle();
  int failures = 0;
  for (uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE("operation " + std::to_string(nth));
    const fault::RuleId rule = FailFrom(nth, fault::kAll, End::kError);
    const Status s = Export();
    const bool hit = disk_.faults->Hits(rule) > 0;
    disk_.faults->Heal();
    ASSERT_TRUE(s.ok() || hit) << s.ToString();
    EXPECT_FALSE(Exists("/exported.tmp"));
    EXPECT_EQ(s.ok(), Exists(kExported));
    if (!hit) break;
    ++failures;
    ASSERT_TRUE(db_->Resume().ok());
    for (const std::string& name : NamesIn(kExported)) {
      ASSERT_TRUE(
          disk_.memory->DeleteFile(std::string(kExported) + "/" + name, IOOptions(), nullptr).ok());
    }
    if (Exists(kExported)) {
      ASSERT_TRUE(disk_.memory->DeleteDir(kExported, IOOptions(), nullptr).ok());
    }
    ASSERT_LT(nth, 100u);
  }
  EXPECT_GT(failures, 5);
  ASSERT_TRUE(Import().ok());
  EXPECT_EQ(model_, ContentsOf(handle_.get()));
}

}  // namespace
}  // namespace cairn
