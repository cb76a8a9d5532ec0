// RepairDB: which damage it mends, what it keeps of the order of writes, and what it leaves behind.
// What the public API shows of it beside RocksDB is in test/conformance/repair_test.cc.
#include <algorithm>
#include <functional>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::Value;

// Adds numbers in decimal.
class Sum final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    const int base = existing == nullptr ? 0 : std::stoi(existing->ToString());
    *result = std::to_string(base + std::stoi(value.ToString()));
    return true;
  }
  const char* Name() const override { return "Sum"; }
};

class DbRepairTest : public testing::DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
  }
  void TearDown() override { Shut(); }

  void Shut() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  void OpenAll(const std::vector<std::string>& names) {
    Shut();
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    const Status s = DB::Open(options_, kDbName, families, &handles_, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const Status s = DB::ListColumnFamilies(options_, kDbName, &names);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return names;
  }
  std::string GetFrom(size_t family, const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), handles_[family], key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }

  // The memtable becomes a table of this level.
  void FlushTo(int level) {
    Flush();
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    const Status s = db_->CompactFiles(CompactionOptions(), {meta.levels[0].files[0].name}, level);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::map<std::string, std::string> ReadFiles() {
    std::map<std::string, std::string> files;
    for (const std::string& name : disk_.Names()) {
      const std::string path = std::string(kDbName) + "/" + name;
      ReadFileToString(disk_.memory.get(), path, &files[path]).PermitUncheckedError();
    }
    return files;
  }

  Contents ReadTables() {
    Contents tables;
    for (const std::string& path : disk_.Files(FileType::kTableFile)) {
      EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &tables[path]).ok());
    }
    return tables;
  }

  void Remove(const std::string& path) {
    ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok()) << path;
  }
  void RemoveAll(FileType type) {
    for (const std::string& path : disk_.Files(type)) Remove(path);
  }
  // Nothing says any more which tables there are.
  void LoseManifest() {
    RemoveAll(FileType::kDescriptorFile);
    RemoveAll(FileType::kCurrentFile);
  }
  void CutTo(const std::string& path, uint64_t size) {
    std::string data;
    ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &data).ok()) << path;
    ASSERT_LE(size, data.size());
    data.resize(size);
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok());
  }
  std::vector<std::string> Lost() {
    std::vector<std::string> names;
    disk_.memory->GetChildren(std::string(kDbName) + "/lost", IOOptions(), &names, nullptr)
        .PermitUncheckedError();
    return names;
  }
  void Repair() {
    const Status s = RepairDB(kDbName, options_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void RepairAndOpen() {
    Repair();
    options_.create_if_missing = false;
    Open(options_);
  }

  Options options_;
  std::vector<ColumnFamilyHandle*> handles_;
};

// Tables of any format are read as what they are, without their prefix extractor.
TEST_F(DbRepairTest, KeepsPlainTables) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(3));
  options_.table_factory.reset(NewPlainTableFactory());
  Open(options_);
  PutRange(0, 100, 1);
  Flush();
  PutRange(50, 60, 2);
  Shut();
  for (const FileType type : {FileType::kDescriptorFile, FileType::kCurrentFile}) {
    for (const std::string& file : disk_.Files(type)) {
      ASSERT_TRUE(disk_.memory->DeleteFile(file, IOOptions(), nullptr).ok());
    }
  }
  const Status s = RepairDB(kDbName, options_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open(options_);
  for (const auto& [key, value] : model_) EXPECT_EQ(Get(key), value);
}

TEST_F(DbRepairTest, ADatabaseWithoutManifestAndCurrentHasAllOfItsTablesAndLogs) {
  Open(options_);
  FillAllLevels();
  const SequenceNumber last = db_->GetLatestSequenceNumber();
  Close();
  LoseManifest();
  EXPECT_TRUE(TryOpen(options_).IsCorruption());
  RepairAndOpen();
  ExpectModel();
  EXPECT_GE(db_->GetLatestSequenceNumber(), last);
  Put("more", "1");
  Flush();
  Compact();
  ExpectModel();
  Open(options_);
  ExpectModel();
}

TEST_F(DbRepairTest, LevelsOfOverlappingTablesKeepTheirOrder) {
  // Many tables whose sequence numbers lie within one another's, on several levels.
  options_.disable_auto_compactions = false;
  Open(options_);
  for (uint64_t round = 0; round < 12; ++round) {
    for (uint64_t i = 0; i < 300; ++i) {
      Put(Key((i * 37 + round * 11) % 700), Value(round * 1000 + i, 200));
      if (i % 9 == 0) Delete(Key((i * 53 + round) % 700));
    }
    Flush();
  }
  WaitForCompactions();
  ASSERT_GT(FilesAtLevel(1) + FilesAtLevel(2) + FilesAtLevel(3), 3);
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  Compact();
  ExpectModel();
}

TEST_F(DbRepairTest, ATableThatReachesDeepIsNotTakenForNewer) {
  Open(options_);
  Put("k", "old");
  Put("x", "1");
  FlushTo(6);
  Put("k", "new");
  Put("l", "new");
  FlushTo(1);
  Put("x", "2");
  const Snapshot* const kept = db_->GetSnapshot();
  Put("x", "3");
  FlushTo(5);
  // "x" goes past the newer "k": the deepest table has the greatest sequence number.
  ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(&meta);
  ASSERT_EQ(meta.levels[5].files.size() + meta.levels[6].files.size(), 2u);
  const Status s = db_->CompactFiles(
      CompactionOptions(), {meta.levels[5].files[0].name, meta.levels[6].files[0].name}, 6);
  ASSERT_TRUE(s.ok()) << s.ToString();
  ASSERT_EQ(FilesAtLevel(1), 1);
  db_->ReleaseSnapshot(kept);
  ExpectModel();
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  EXPECT_EQ(FilesAtLevel(5), 1);
  EXPECT_EQ(FilesAtLevel(6), 1);
  Compact();
  ExpectModel();
}

TEST_F(DbRepairTest, FlushedTablesGoToLevelZeroInTheirOrder) {
  Open(options_);
  for (uint64_t version = 1; version < 6; ++version) {
    PutRange(0, 50, version);
    Flush();
  }
  Close();
  LoseManifest();
  RepairAndOpen();
  EXPECT_EQ(FilesAtLevel(0), 5);
  ExpectModel();
}

TEST_F(DbRepairTest, RangeTombstonesStandWhereTheyStood) {
  Open(options_);
  PutRange(0, 100, 1);
  Flush();
  Compact();
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(20), Key(60)).ok());
  for (uint64_t i = 20; i < 60; ++i) model_.erase(Key(i));
  Flush();
  PutRange(30, 40, 2);
  Flush();
  PutRange(50, 52, 3);
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(80), Key(90)).ok());
  for (uint64_t i = 80; i < 90; ++i) model_.erase(Key(i));
  ExpectModel();
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  Compact();
  ExpectModel();
}

// Who reads a key looks no deeper than the first tombstone over it (seed 757867903).
TEST_F(DbRepairTest, AKeyStaysAboveATombstoneThatIsOlder) {
  Open(options_);
  PutRange(10, 70, 1);
  FlushTo(3);
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(20), Key(60)).ok());
  for (uint64_t i = 20; i < 60; ++i) model_.erase(Key(i));
  FlushTo(2);
  PutRange(40, 41, 2);
  FlushTo(1);
  PutRange(25, 26, 3);  // gives the tombstone's table a newer sequence number
  FlushTo(2);
  for (const int level : {1, 2, 3}) ASSERT_EQ(FilesAtLevel(level), 1) << level;
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  EXPECT_EQ(model_[Key(40)], Get(Key(40)));
  EXPECT_EQ(model_[Key(25)], Get(Key(25)));
}

TEST_F(DbRepairTest, AnyDamageOfManifestOrCurrentIsMended) {
  Open(options_);
  FillAllLevels();
  Close();
  const Contents expected = model_;
  const std::string manifest = disk_.Files(FileType::kDescriptorFile).back();
  const std::string current = std::string(kDbName) + "/CURRENT";
  const uint64_t size = disk_.Size(manifest);
  std::vector<std::function<void()>> damages = {
      [&] { Remove(current); },
      [&] { CutTo(current, 3); },
      [&] { CutTo(current, 0); },
      [&] { Remove(disk_.Files(FileType::kDescriptorFile).back()); },
      [&] { Remove(std::string(kDbName) + "/IDENTITY"); },
  };
  for (uint64_t cut = 0; cut < size; cut += 1 + size / 40) {
    damages.push_back([&, cut] {
      const std::string newest = disk_.Files(FileType::kDescriptorFile).back();
      CutTo(newest, std::min(cut, disk_.Size(newest)));
    });
  }
  for (size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    damages[i]();
    RepairAndOpen();
    ExpectContents(expected);
    Close();
    if (HasFailure()) break;
  }
}

TEST_F(DbRepairTest, ADamagedTableGoesToLostAndTheOthersStay) {
  Open(options_);
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 100, 2);
  Flush();
  Close();
  const std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
  ASSERT_EQ(tables.size(), 2u);
  // (What can be read of it is saved: db_repair_salvage_test.cc.)
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), tables[1], &bytes).ok());
  for (size_t at = 100; at < bytes.size(); at += 500) {
    ASSERT_TRUE(disk_.memory->CorruptFile(tables[1], at, 1).ok());
  }
  RepairAndOpen();
  Contents expected(model_.begin(), model_.find(Key(50)));
  ExpectContents(expected);
  const std::vector<std::string> lost = Lost();
  const std::string name = tables[1].substr(tables[1].rfind('/') + 1);
  EXPECT_TRUE(std::find(lost.begin(), lost.end(), name) != lost.end());
}

TEST_F(DbRepairTest, AMissingTableIsMissedByNobody) {
  Open(options_);
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 100, 2);
  Flush();
  Close();
  Remove(disk_.Files(FileType::kTableFile)[0]);
  RepairAndOpen();
  ExpectContents(Contents(model_.find(Key(50)), model_.end()));
}

TEST_F(DbRepairTest, OfADamagedLogIsTakenWhatCanBeRead) {
  options_.write_buffer_size = 1 << 20;
  Open(options_);
  PutRange(0, 100, 1, 1000);
  Close();
  const std::string log = disk_.Files(FileType::kWalFile)[0];
  // In the middle of the second block.
  ASSERT_TRUE(disk_.memory->CorruptFile(log, 50000, 4).ok());
  CutTo(log, disk_.Size(log) - 10);
  RepairAndOpen();
  const Contents found = Scan();
  EXPECT_LT(found.size(), 99u);
  EXPECT_GT(found.size(), 50u);
  for (const auto& [key, value] : found) EXPECT_EQ(model_[key], value);
  EXPECT_TRUE(found.contains(Key(0)));
  EXPECT_TRUE(found.contains(Key(98)));   // behind the damage
  EXPECT_FALSE(found.contains(Key(99)));  // torn
}

TEST_F(DbRepairTest, OperandsThatATableHasDoNotCountTwice) {
  options_.merge_operator = std::make_shared<Sum>();
  Open(options_);
  std::string log, data;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), "sum", "1").ok());
    ASSERT_TRUE(db_->Merge(WriteOptions(), Key(i), "1").ok());
    if (i == 6) {
      log = disk_.Files(FileType::kWalFile)[0];
      ASSERT_TRUE(ReadFileToString(disk_.memory.get(), log, &data).ok());
      Flush();
    }
  }
  Close();
  // It was not deleted yet.
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, log, /*sync=*/true).ok());
  ASSERT_EQ(disk_.Files(FileType::kWalFile).size(), 2u);
  LoseManifest();
  RepairAndOpen();
  EXPECT_EQ(Get("sum"), "10");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Get(Key(i)), "1");
  Compact();
  EXPECT_EQ(Get("sum"), "10");
}

TEST_F(DbRepairTest, AnInterruptedRepairIsRepeated) {
  options_.merge_operator = std::make_shared<Sum>();
  Open(options_);
  FillAllLevels();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(db_->Merge(WriteOptions(), "sum", "1").ok());
  model_["sum"] = "10";
  Close();
  LoseManifest();
  const std::map<std::string, std::string> files = ReadFiles();
  options_.create_if_missing = false;
  bool repaired = false;
  for (uint64_t n = 1; !repaired && n < 500; ++n) {
    SCOPED_TRACE(n);
    for (const std::string& name : disk_.Names()) {
      if (name != "lost") Remove(std::string(kDbName) + "/" + name);
    }
    for (const auto& [path, data] : files) {
      ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok());
    }
    // It dies before operation number n that changes something.
    disk_.faults->FailNthOperation(n, fault::kWrites, IOStatus::IOError("injected"), UINT64_MAX);
    repaired = RepairDB(kDbName, options_).ok();
    disk_.faults->Heal();
    if (n % 2 == 0 || !TryOpen(options_).ok()) RepairAndOpen();
    ExpectModel();
    Close();
    if (HasFailure()) break;
  }
  EXPECT_TRUE(repaired);
}

TEST_F(DbRepairTest, FamiliesComeFromTheTables) {
  options_.create_missing_column_families = true;
  OpenAll({"default", "one", "two"});
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), handles_[i], "k", std::to_string(i)).ok());
  }
  ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), handles_[1], "logged", "1").ok());
  Shut();
  LoseManifest();
  Repair();
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "one", "two"}));
  OpenAll({"default", "one", "two"});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(GetFrom(i, "k"), std::to_string(i));
  EXPECT_EQ(GetFrom(1, "logged"), "1");
  // Ids are not given a second time.
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "three", &made).ok());
  EXPECT_EQ(made->GetID(), 3u);
  handles_.push_back(made);
}

TEST_F(DbRepairTest, FamiliesThatAreNotAskedForGoToLost) {
  options_.create_missing_column_families = true;
  OpenAll({"default", "one", "two"});
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), handles_[i], "k", std::to_string(i)).ok());
  }
  ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok());
  Shut();
  Status s = RepairDB(kDbName, options_, {{"default", options_}, {"two", options_}});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "two"}));
  OpenAll({"default", "two"});
  EXPECT_EQ(GetFrom(1, "k"), "2");
  Shut();
  EXPECT_TRUE(RepairDB(kDbName, options_, {{"two", options_}}).IsInvalidArgument());
}

TEST_F(DbRepairTest, WhatTheManifestStillSaysIsUsed) {
  options_.create_missing_column_families = true;
  OpenAll({"default", "empty", "logged", "dropped"});
  ASSERT_TRUE(db_->Put(WriteOptions(), handles_[2], "k", "v").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), handles_[3], "k", "v").ok());
  ASSERT_TRUE(db_->DropColumnFamily(handles_[3]).ok());
  Shut();
  Remove(std::string(kDbName) + "/CURRENT");
  Repair();
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "empty", "logged"}));
  OpenAll({"default", "empty", "logged"});
  EXPECT_EQ(GetFrom(2, "k"), "v");
}

TEST_F(DbRepairTest, TablesThatTheManifestDeletedStayAway) {
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  const std::string old = disk_.Files(FileType::kTableFile)[0];
  std::string data;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), old, &data).ok());
  for (uint64_t i = 0; i < 10; ++i) Delete(Key(i));
  Flush();
  Compact();
  Close();
  // The power went before it was deleted.
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, old, /*sync=*/true).ok());
  Remove(std::string(kDbName) + "/CURRENT");
  RepairAndOpen();
  ExpectModel();
  // But if what replaced it is lost it is the best there is.
  Close();
  LoseManifest();
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, old, /*sync=*/true).ok());
  for (const std::string& table : disk_.Files(FileType::kTableFile)) {
    if (table != old) Remove(table);
  }
  RepairAndOpen();
  EXPECT_EQ(Scan().size(), 20u);
}

// Killed before a compaction's inputs were deleted, and without a MANIFEST.
TEST_F(DbRepairTest, InputsThatAreStillThereShowNoKeyTwice) {
  Open(options_);
  PutRange(0, 40, 0);
  Flush();
  PutRange(0, 40, 1);
  Flush();
  Compact();  // all have sequence number 0 now
  const Contents inputs = ReadTables();
  PutRange(10, 20, 2);
  Flush();
  Compact();
  const Contents first_outputs = ReadTables();
  PutRange(15, 30, 3);
  Flush();
  Compact();
  Close();
  for (const auto& old : {inputs, first_outputs}) {
    for (const auto& [path, data] : old) {
      ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok());
    }
  }
  LoseManifest();
  RepairAndOpen();
  ExpectModel();  // in both directions
  Compact();
  ExpectModel();
}

// What the operands became has the sequence number of the last of them, on a level that is not the
// deepest.
TEST_F(DbRepairTest, OperandsOfInputsThatAreStillThereCountOnce) {
  options_.merge_operator = std::make_shared<Sum>();
  Open(options_);
  ASSERT_TRUE(db_->Put(WriteOptions(), Key(0), "0").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), Key(100), "0").ok());
  FlushTo(4);
  std::vector<std::string> names;
  for (int table = 0; table < 3; ++table) {
    for (int i = 1; i < 10; ++i) {
      if (table == 0) {
        ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "100").ok());
      } else {
        ASSERT_TRUE(db_->Merge(WriteOptions(), Key(i), "1").ok());
      }
    }
    Flush();
  }
  ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(&meta);
  for (const auto& file : meta.levels[0].files) names.push_back(file.name);
  ASSERT_EQ(names.size(), 3u);
  const Contents inputs = ReadTables();
  ASSERT_TRUE(db_->CompactFiles(CompactionOptions(), names, 2).ok());
  Close();
  for (const auto& [path, data] : inputs) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok());
  }
  LoseManifest();
  RepairAndOpen();
  for (int i = 1; i < 10; ++i) EXPECT_EQ(Get(Key(i)), "102") << i;
  Compact();
  for (int i = 1; i < 10; ++i) EXPECT_EQ(Get(Key(i)), "102") << i;
}

// One family keeps the logs. Of the other one a compaction made the sequence numbers 0, so what the
// old logs have of the same keys would pass for newer; and a table is lost that came later.
TEST_F(DbRepairTest, OldLogsGiveBackOnlyWhatALostTableMayHaveHad) {
  options_.merge_operator = std::make_shared<Sum>();
  Open(options_);
  ColumnFamilyHandle* keeper = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "keeper", &keeper).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), keeper, "not", "flushed").ok());
  for (const char* value : {"old", "new"}) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), value).ok());
      ASSERT_TRUE(db_->Merge(WriteOptions(), "sum" + Key(i), "1").ok());
    }
    Flush();
  }
  Compact();
  ASSERT_EQ(disk_.Files(FileType::kTableFile).size(), 1u);
  const std::string deepest = disk_.Files(FileType::kTableFile)[0];
  for (int i = 0; i < 10; i += 2) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "newest").ok());
    ASSERT_TRUE(db_->Merge(WriteOptions(), "sum" + Key(i), "1").ok());
  }
  Flush();
  delete keeper;
  disk_.Freeze();  // a close would flush
  db_.reset();
  disk_.faults->Heal();
  ASSERT_GE(disk_.Files(FileType::kWalFile).size(), 3u);
  for (const std::string& table : disk_.Files(FileType::kTableFile)) {
    if (table != deepest) Remove(table);
  }
  ASSERT_TRUE(RepairDB(kDbName, options_, {{"default", options_}, {"keeper", options_}}).ok());
  OpenAll({"default", "keeper"});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(GetFrom(0, Key(i)), i % 2 == 0 ? "newest" : "new") << i;
    EXPECT_EQ(GetFrom(0, "sum" + Key(i)), i % 2 == 0 ? "3" : "2") << i;
  }
  EXPECT_EQ(GetFrom(1, "not"), "flushed");
}

TEST_F(DbRepairTest, ALogUnderTheNameOfAnotherIsTakenForWhatItIs) {
  options_.merge_operator = std::make_shared<Sum>();
  Open(options_);
  ColumnFamilyHandle* keeper = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "keeper", &keeper).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "first", "").ok());
  Flush();  // (The very first log does not say whom it follows.)
  ASSERT_TRUE(db_->Put(WriteOptions(), keeper, "not", "flushed").ok());
  for (int n = 0; n < 4; ++n) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(db_->Merge(WriteOptions(), Key(i), "1").ok());
    }
    Flush();
  }
  Compact();
  ASSERT_TRUE(db_->Put(WriteOptions(), "last", "").ok());
  delete keeper;
  disk_.Freeze();
  db_.reset();
  disk_.faults->Heal();
  const std::vector<std::string> logs = disk_.Files(FileType::kWalFile);
  ASSERT_GE(logs.size(), 4u);
  const std::map<std::string, std::string> files = ReadFiles();
  const std::vector<ColumnFamilyDescriptor> families{{"default", options_}, {"keeper", options_}};
  for (size_t a = 0; a < logs.size(); ++a) {
    for (size_t b = a + 1; b < logs.size(); ++b) {
      SCOPED_TRACE(logs[a] + " and " + logs[b]);
      Shut();
      for (const std::string& name : disk_.Names()) {
        disk_.memory->DeleteFile(std::string(kDbName) + "/" + name, IOOptions(), nullptr)
            .PermitUncheckedError();
      }
      for (const auto& [path, data] : files) {
        const std::string& to = path == logs[a] ? logs[b] : path == logs[b] ? logs[a] : path;
        ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, to, /*sync=*/true).ok());
      }
      const Status s = DB::Open(options_, kDbName, families, &handles_, &db_);
      EXPECT_TRUE(s.IsCorruption()) << s.ToString();
      EXPECT_NE(s.ToString().find("another log than its name says"), std::string::npos)
          << s.ToString();
      ASSERT_TRUE(RepairDB(kDbName, options_, families).ok());
      OpenAll({"default", "keeper"});
      for (int i = 0; i < 10; ++i) EXPECT_EQ(GetFrom(0, Key(i)), "4") << i;
      EXPECT_EQ(GetFrom(1, "not"), "flushed");
    }
  }
}

// Two tables of two families were swapped, and are still those that the MANIFEST means.
TEST_F(DbRepairTest, SwappedTablesOfTwoFamiliesGoBack) {
  Open(options_);
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "default").ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), other, Key(i), "another").ok());
  }
  Flush();
  ASSERT_TRUE(db_->Flush(FlushOptions(), other).ok());
  delete other;
  Close();
  std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
  ASSERT_EQ(tables.size(), 2u);
  const std::map<std::string, std::string> files = ReadFiles();
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), files.at(tables[i]), tables[1 - i],
                                  /*sync=*/true)
                    .ok());
  }
  ASSERT_TRUE(RepairDB(kDbName, options_, {{"default", options_}, {"other", options_}}).ok());
  OpenAll({"default", "other"});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(GetFrom(0, Key(i)), "default");
    EXPECT_EQ(GetFrom(1, Key(i)), "another");
  }
}

TEST_F(DbRepairTest, IngestedTablesAreNewerThanWhatWasThere) {
  for (const bool with_manifest : {true, false}) {
    SCOPED_TRACE(with_manifest);
    options_.create_if_missing = true;
    Open(options_);
    PutRange(0, 20, 1);
    Flush();
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_);
    ASSERT_TRUE(writer.Open("/outside.sst").ok());
    for (uint64_t i = 5; i < 15; ++i) {
      ASSERT_TRUE(writer.Put(Key(i), "ingested").ok());
      model_[Key(i)] = "ingested";
    }
    ASSERT_TRUE(writer.Finish().ok());
    ASSERT_TRUE(
        db_->IngestExternalFile({"/outside.sst"}, rocksdb::IngestExternalFileOptions()).ok());
    PutRange(10, 12, 3);
    Close();
    if (with_manifest) {
      Remove(std::string(kDbName) + "/CURRENT");
    } else {
      LoseManifest();
    }
    RepairAndOpen();
    ExpectModel();
    Compact();
    ExpectModel();
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options_).ok());
    model_.clear();
  }
}

TEST_F(DbRepairTest, LogsAndTablesMayLieElsewhere) {
  options_.wal_dir = "/logs";
  options_.db_paths = {{"/tables", 0}};
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  PutRange(10, 30, 2);
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  EXPECT_TRUE(disk_.memory->FileExists("/logs/lost", IOOptions(), nullptr).ok());
}

TEST_F(DbRepairTest, TablesAreFoundInAllTheirDirectories) {
  options_.db_paths = {{"/newer", 0}, {"/older", UINT64_MAX}};
  options_.disable_auto_compactions = true;
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  CompactRangeOptions into_the_second;
  into_the_second.target_path_id = 1;
  ASSERT_TRUE(db_->CompactRange(into_the_second, nullptr, nullptr).ok());
  PutRange(10, 30, 2);
  Flush();
  PutRange(20, 40, 3);
  Close();
  LoseManifest();
  RepairAndOpen();
  ExpectModel();
  std::set<std::string> paths;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) paths.insert(file.db_path);
  EXPECT_EQ((std::set<std::string>{"/newer", "/older"}), paths);
  Close();
  // One that is damaged goes to the remains of its own directory.
  std::vector<std::string> names;
  ASSERT_TRUE(disk_.memory->GetChildren("/older", IOOptions(), &names, nullptr).ok());
  for (const std::string& name : names) {
    if (!name.ends_with(".sst")) continue;
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "no table", "/older/" + name, true).ok());
  }
  LoseManifest();
  RepairAndOpen();
  EXPECT_EQ("NOT_FOUND", Get(Key(0)));
  EXPECT_EQ(model_[Key(10)], Get(Key(10)));
  EXPECT_TRUE(disk_.memory->FileExists("/older/lost", IOOptions(), nullptr).ok());
}

TEST_F(DbRepairTest, AnOpenDatabaseIsRefused) {
  Open(options_);
  Put("k", "v");
  EXPECT_TRUE(RepairDB(kDbName, options_).IsIOError());
  ExpectModel();
  Close();
  RepairAndOpen();
  ExpectModel();
}

TEST_F(DbRepairTest, AnotherComparatorIsAMistakeAndChangesNothing) {
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  Close();
  const std::set<std::string> before = disk_.Names();
  Options reversed = options_;
  reversed.comparator = rocksdb::ReverseBytewiseComparator();
  EXPECT_TRUE(RepairDB(kDbName, reversed).IsInvalidArgument());
  EXPECT_EQ(disk_.Names().count("lost"), 0u);
  Open(options_);
  ExpectModel();
}

TEST_F(DbRepairTest, NothingBecomesAnEmptyDatabase) {
  Repair();
  options_.create_if_missing = false;
  Open(options_);
  EXPECT_TRUE(Scan().empty());
  Put("k", "v");
  Open(options_);
  ExpectModel();
}

}  // namespace
}  // namespace cairn
