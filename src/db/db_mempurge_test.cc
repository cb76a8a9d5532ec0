// experimental_mempurge_threshold: what is worth keeping of full memtables becomes one again.
#include "db/testing/db_fixture.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::Value;

class DbMempurgeTest : public testing::DbTest {
 protected:
  Options PurgingOptions() {
    Options options = SmallOptions();
    options.experimental_mempurge_threshold = 1.0;
    options.max_write_buffer_number = 4;
    options.max_total_wal_size = uint64_t{1} << 30;
    options.disable_auto_compactions = true;
    MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
        .PermitUncheckedError();
    return options;
  }
  // About 20 memtables of ten keys.
  void Overwrite(int rounds = 20) {
    for (int round = 0; round < rounds; ++round) {
      for (uint64_t i = 0; i < 120; ++i) {
        Put(Key(i % 10), Value(static_cast<uint64_t>(round) * 1000 + i, 500));
      }
    }
    WaitUntilIdle();
  }
  size_t Tables() const { return disk_.Files(FileType::kTableFile).size(); }
  size_t Logs() const { return disk_.Files(FileType::kWalFile).size(); }
};

TEST_F(DbMempurgeTest, OverwritesOfFewKeysReachNoTable) {
  for (const char* kind : {"skip_list", "vector", "prefix_hash:16", "hash_linkedlist:16"}) {
    SCOPED_TRACE(kind);
    disk_ = testing::Disk();
    model_.clear();
    Options options = PurgingOptions();
    if (std::string(kind) != "skip_list") {
      options.allow_concurrent_memtable_write = false;
      ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                      ConfigOptions(), options,
                      std::string("prefix_extractor=fixed:3;memtable_factory=") + kind, &options)
                      .ok());
    }
    options.memtable_protection_bytes_per_key = 8;
    options.env = disk_.env.get();
    Open(options);
    Overwrite();
    ExpectModel();
    EXPECT_EQ(Tables(), 0u);
    EXPECT_EQ(Property("num-immutable-mem-table"), "1");
    EXPECT_EQ(Property("mem-table-flush-pending"), "0");
    EXPECT_GE(Logs(), 10u) << "what is in no table is in them";
    Kill();
    Open(options);
    ExpectModel();
    Overwrite(5);
    // Who asks for a flush gets tables.
    Flush();
    WaitUntilIdle();
    ExpectModel();
    EXPECT_GE(Tables(), 1u);
    EXPECT_EQ(Property("num-immutable-mem-table"), "0");
    EXPECT_EQ(Logs(), 1u);
    Close();
    Open(options);
    ExpectModel();
    db_.reset();
  }
}

TEST_F(DbMempurgeTest, TheLogTellsWhatWasFound) {
  Open(PurgingOptions());
  Overwrite(3);
  std::string log;
  ASSERT_TRUE(ReadFileToString(disk_.env.get(), std::string(testing::kDbName) + "/LOG", &log).ok());
  EXPECT_NE(log.find("Mempurge sampling [CF default] - found garbage ratio from sampling: 0."),
            std::string::npos);
  EXPECT_NE(log.find("Mempurge lasted"), std::string::npos);
}

TEST_F(DbMempurgeTest, WhatIsWorthKeepingIsFlushed) {
  Options options = PurgingOptions();
  options.experimental_mempurge_threshold = 0.5;
  Open(options);
  PutRange(0, 3000, 1);  // all different
  WaitUntilIdle();
  EXPECT_GE(Tables(), 3u);
  EXPECT_EQ(Property("num-immutable-mem-table"), "0");
  ExpectModel();
  // More than the threshold's share of one memtable, though most is hidden.
  const size_t tables = Tables();
  for (uint64_t version = 2; version < 12; ++version) PutRange(0, 300, version);
  WaitUntilIdle();
  EXPECT_GT(Tables(), tables);
  ExpectModel();
}

TEST_F(DbMempurgeTest, ItChangesWhileTheDatabaseIsOpen) {
  Options options = PurgingOptions();
  options.experimental_mempurge_threshold = 0;
  Open(options);
  Overwrite(5);
  const size_t tables = Tables();
  EXPECT_GT(tables, 0u);
  ASSERT_TRUE(db_->SetOptions({{"experimental_mempurge_threshold", "2.5"}}).ok());
  EXPECT_EQ(db_->GetOptions().experimental_mempurge_threshold, 2.5);
  Overwrite(5);
  EXPECT_EQ(Tables(), tables);
  ASSERT_TRUE(db_->SetOptions({{"experimental_mempurge_threshold", "0"}}).ok());
  Overwrite(5);
  EXPECT_GT(Tables(), tables);
  ExpectModel();
}

TEST_F(DbMempurgeTest, SnapshotsAndIteratorsSeeWhatTheySaw) {
  Open(PurgingOptions());
  std::vector<std::pair<const Snapshot*, Contents>> snapshots;
  std::vector<std::pair<std::unique_ptr<Iterator>, Contents>> iterators;
  for (int i = 0; i < 6; ++i) {
    for (uint64_t k = 0; k < 300; ++k) {
      Put(Key(k % 12), Value(static_cast<uint64_t>(i) * 10'000 + k, 400));
      if (k == 100) snapshots.emplace_back(db_->GetSnapshot(), model_);
      if (k == 200) iterators.emplace_back(db_->NewIterator(ReadOptions()), model_);
      if (k % 50 == 0) Delete(Key(k % 12));
    }
  }
  WaitUntilIdle();
  EXPECT_EQ(Tables(), 0u);
  for (auto& [snapshot, contents] : snapshots) {
    EXPECT_EQ(Scan(snapshot), contents);
    for (const auto& [key, value] : contents) EXPECT_EQ(Get(key, snapshot), value);
  }
  for (auto& [iterator, contents] : iterators) {
    Contents seen;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      seen[iterator->key().ToString()] = iterator->value().ToString();
    }
    EXPECT_TRUE(iterator->status().ok());
    EXPECT_EQ(seen, contents);
  }
  iterators.clear();
  for (auto& [snapshot, contents] : snapshots) db_->ReleaseSnapshot(snapshot);
  Overwrite(5);
  ExpectModel();
  EXPECT_EQ(Tables(), 0u);
}

TEST_F(DbMempurgeTest, LimitsOfLogsAndMemoryMakeTables) {
  Options options = PurgingOptions();
  options.max_total_wal_size = 300'000;
  Open(options);
  Overwrite();
  EXPECT_GT(Tables(), 0u);
  EXPECT_LE(Logs(), 8u);
  ExpectModel();
  // Memory that a purged memtable holds stalls nobody for ever.
  for (const bool stalls : {false, true}) {
    db_.reset();
    disk_ = testing::Disk();
    model_.clear();
    options = PurgingOptions();
    options.write_buffer_manager =
        std::make_shared<WriteBufferManager>(300'000, nullptr, /*allow_stall=*/stalls);
    Open(options);
    ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(options, "other", &other).ok());
    for (uint64_t i = 0; i < 4000; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), i % 3 == 0 ? other : db_->DefaultColumnFamily(),
                           Key(i % 7), Value(i, 500))
                      .ok());
    }
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
    db_.reset();
  }
}

TEST_F(DbMempurgeTest, NotWhereFlushesAreOfAllFamiliesOrHaveTimestamps) {
  Options options = PurgingOptions();
  options.atomic_flush = true;
  Open(options);
  Overwrite(5);
  EXPECT_GT(Tables(), 0u);
  ExpectModel();
  db_.reset();
  disk_ = testing::Disk();
  options = PurgingOptions();
  options.comparator = BytewiseComparatorWithU64Ts();
  options.merge_operator = nullptr;
  Open(options);
  std::string timestamp(8, '\1');
  for (uint64_t i = 0; i < 600; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i % 10), timestamp, Value(i, 500)).ok());
  }
  WaitUntilIdle();
  EXPECT_GT(Tables(), 0u);
}

// The next memtable alone is not enough for a flush, and the purged one counts.
TEST_F(DbMempurgeTest, WithSeveralMemtablesToMerge) {
  Options options = PurgingOptions();
  options.min_write_buffer_number_to_merge = 3;
  Open(options);
  Overwrite();
  EXPECT_EQ(Tables(), 0u);
  ExpectModel();
  Kill();
  Open(options);
  ExpectModel();
}

// A family whose memtables were purged, and another whose flush says which logs it does not need.
TEST_F(DbMempurgeTest, AnotherFamilysFlushKeepsTheLogs) {
  Options options = PurgingOptions();
  Open(options);
  ColumnFamilyHandle* other = nullptr;
  options.experimental_mempurge_threshold = 0;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "other", &other).ok());
  Overwrite(4);
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), other, Key(i), Value(i, 300)).ok());
  }
  ASSERT_TRUE(db_->Flush(FlushOptions(), other).ok());
  Overwrite(2);
  ASSERT_TRUE(db_->SyncWAL().ok());
  EXPECT_GT(Logs(), 3u);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
  disk_.Freeze();
  db_.reset();
  disk_.faults->Heal();
  ASSERT_TRUE(disk_.faults->DropUnsynced().ok());
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_TRUE(DB::Open(DBOptions(options), testing::kDbName,
                       {{"default", PurgingOptions()}, {"other", options}}, &handles, &db_)
                  .ok());
  ExpectModel();
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), handles[1], Key(999), &value).ok());
  EXPECT_EQ(value, Value(999, 300));
  for (ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  }
}

// Of everything, with power cuts: what was synced is there, and nothing that was hidden.
TEST_F(DbMempurgeTest, RandomWorkloadsWithPowerCuts) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(testing::SeedText(seed));
    Random64 random(seed);
    disk_ = testing::Disk();
    model_.clear();
    Options options = PurgingOptions();
    const double thresholds[] = {0.2, 0.5, 1, 10};
    options.experimental_mempurge_threshold = thresholds[random.Uniform(4)];
    options.min_write_buffer_number_to_merge = static_cast<int>(1 + random.Uniform(2));
    options.disable_auto_compactions = random.OneIn(2);
    if (random.OneIn(3)) options.max_total_wal_size = 400'000;
    for (int life = 0; life < 3; ++life) {
      Open(options);
      ExpectModel();
      std::vector<std::pair<const Snapshot*, Contents>> snapshots;
      for (int i = 0; i < 1500; ++i) {
        const std::string key = Key(random.Uniform(20));
        WriteOptions write;
        write.sync = random.OneIn(60);
        Status s;
        switch (random.Uniform(20)) {
          case 0:
            s = db_->Delete(write, key);
            model_.erase(key);
            break;
          case 1: {
            const uint64_t from = random.Uniform(20), to = from + random.Uniform(8);
            s = db_->DeleteRange(write, Key(from), Key(to));
            model_.erase(model_.lower_bound(Key(from)), model_.lower_bound(Key(to)));
            break;
          }
          case 2:
          case 3: {
            const std::string operand = std::to_string(i);
            s = db_->Merge(write, key, operand);
            std::string& value = model_[key];
            value += (value.empty() ? "" : ",") + operand;
            break;
          }
          default: {
            const std::string value = Value(static_cast<uint64_t>(i), 20 + random.Uniform(400));
            s = db_->Put(write, key, value);
            model_[key] = value;
          }
        }
        ASSERT_TRUE(s.ok()) << s.ToString();
        if (random.OneIn(300)) snapshots.emplace_back(db_->GetSnapshot(), model_);
        if (random.OneIn(700)) Flush();
        if (random.OneIn(200)) ExpectModel();
        if (!snapshots.empty() && random.OneIn(200)) {
          EXPECT_EQ(Scan(snapshots.back().first), snapshots.back().second);
          db_->ReleaseSnapshot(snapshots.back().first);
          snapshots.pop_back();
        }
      }
      for (auto& [snapshot, contents] : snapshots) {
        EXPECT_EQ(Scan(snapshot), contents);
        db_->ReleaseSnapshot(snapshot);
      }
      ExpectModel();
      if (random.OneIn(3)) {
        Close();
        continue;
      }
      ASSERT_TRUE(db_->SyncWAL().ok());
      disk_.Freeze();
      db_.reset();
      disk_.faults->Heal();
      ASSERT_TRUE(disk_.faults->DropUnsyncedRandomly(seed).ok());
    }
  }
}

}  // namespace
}  // namespace cairn
