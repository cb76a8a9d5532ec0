// Shortages that pass: each error of that kind comes, wherever the database works with files, and
// goes, and the database goes on without Resume(). A strict cache that has no room, and a process
// that has no descriptor left, hold up what the user asks for, not flush, compaction and recovery.
#include <atomic>
#include <cerrno>
#include <functional>

#include "db/testing/db_fixture.h"
#include "db/testing/error_listener.h"
#include "fs/testing/temp_dir.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"

// Not every system has them.
#ifndef EDQUOT
#define EDQUOT ENOSPC
#endif

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

struct Shortage {
  const char* name;
  IOStatus error;
};

std::vector<Shortage> Shortages() {
  // What a file system of the user's may say.
  IOStatus retryable = IOStatus::IOError("the network is away");
  retryable.SetRetryable(true);
  return {{"EMFILE", fault::ErrorOf(EMFILE)},
          {"ENFILE", fault::ErrorOf(ENFILE)},
          {"ENOMEM", fault::ErrorOf(ENOMEM)},
          {"ENOBUFS", fault::ErrorOf(ENOBUFS)},
          {"EINTR", fault::ErrorOf(EINTR)},
          {"EAGAIN", fault::ErrorOf(EAGAIN)},
          {"ENOSPC", fault::ErrorOf(ENOSPC)},
          {"EDQUOT", fault::ErrorOf(EDQUOT)},
          {"retryable", retryable}};
}

class DbShortageTest : public testing::DbTest {
 protected:
  Options WithListener() {
    Options options = SmallOptions();
    listener_ = std::make_shared<testing::ErrorListener>();
    options.listeners = {listener_};
    options.max_bgerror_resume_count = INT_MAX;
    options.bgerror_resume_retry_interval = 1000;
    options.avoid_flush_during_shutdown = true;
    return options;
  }
  void Restart() {
    disk_ = testing::Disk();
    model_.clear();
  }
  // Until a write succeeds, which is tried whenever a listener was told something.
  void AwaitWrites() {
    listener_->Await([&] {
      if (!db_->Put(WriteOptions(), "healed", "v").ok()) return false;
      model_["healed"] = "v";
      return true;
    });
  }
  void ExpectHealed() {
    Put("after", "v");
    Flush();
    ExpectModel();
    Kill();
    Open();
    ExpectModel();
    Close();
  }

  std::shared_ptr<testing::ErrorListener> listener_;
};

TEST_F(DbShortageTest, TheDatabaseGoesOnByItselfWhereverAShortageStruck) {
  struct Place {
    const char* name;
    uint32_t operations;
    uint32_t files;
    std::function<Status()> meet;
  };
  const auto put = [this] { return db_->Put(WriteOptions(), "refused", "v"); };
  const auto put_synced = [this] {
    WriteOptions sync;
    sync.sync = true;
    return db_->Put(sync, "refused", "v");
  };
  const auto flush = [this] { return db_->Flush(FlushOptions()); };
  const Place places[] = {
      {"the creation of a table", fault::kCreate, fault::kTables, flush},
      {"a write of a table", fault::kAppend, fault::kTables, flush},
      {"a sync of a table", fault::kSync, fault::kTables, flush},
      {"the opening of a new table", fault::kOpen, fault::kTables, flush},
      {"a sync of the directory", fault::kDirSync, fault::kAnyFile, flush},
      {"the creation of a log", fault::kCreate, fault::kLogs, flush},
      {"a write of the log", fault::kAppend, fault::kLogs, put},
      {"a sync of the log", fault::kSync, fault::kLogs, put_synced},
      {"a write of the MANIFEST", fault::kAppend, fault::kManifests, flush},
      {"a sync of the MANIFEST", fault::kSync, fault::kManifests, flush},
  };
  for (const Place& place : places) {
    for (const Shortage& shortage : Shortages()) {
      SCOPED_TRACE(std::string(shortage.name) + " at " + place.name);
      Restart();
      Open(WithListener());
      PutRange(0, 20, 1);
      fault::Rule rule;
      rule.operations = place.operations;
      rule.files = place.files;
      rule.error = shortage.error;
      const fault::RuleId id = disk_.faults->AddRule(rule);
      const Status s = place.meet();
      EXPECT_FALSE(s.ok());
      EXPECT_EQ(shortage.error.IsNoSpace(), s.IsNoSpace()) << s.ToString();
      EXPECT_EQ(Get(Key(3)), model_[Key(3)]) << "reads go on";
      ASSERT_GT(disk_.faults->Hits(id), 0u);
      disk_.faults->RemoveRule(id);
      AwaitWrites();
      EXPECT_EQ(Get("refused"), "NOT_FOUND");
      ASSERT_NO_FATAL_FAILURE(ExpectHealed());
    }
  }
}

TEST_F(DbShortageTest, ARotationOfTheManifestThatMeetsAShortage) {
  const std::pair<uint32_t, uint32_t> places[] = {
      {fault::kCreate, fault::kManifests},
      {fault::kCreate, fault::kTemporaryFiles},
      {fault::kRename, fault::kAnyFile},
  };
  for (const auto& [operations, files] : places) {
    Restart();
    Options options = WithListener();
    options.max_manifest_file_size = 1;
    Open(options);
    PutRange(0, 20, 1);
    fault::Rule rule;
    rule.operations = operations;
    rule.files = files;
    rule.error = fault::ErrorOf(EMFILE);
    const fault::RuleId id = disk_.faults->AddRule(rule);
    EXPECT_TRUE(db_->Flush(FlushOptions()).IsIOError());
    ASSERT_GT(disk_.faults->Hits(id), 0u);
    disk_.faults->RemoveRule(id);
    AwaitWrites();
    ASSERT_NO_FATAL_FAILURE(ExpectHealed());
  }
}

TEST_F(DbShortageTest, ACompactionThatMeetsAShortageIsTriedAgainAndStopsNobody) {
  const std::pair<uint32_t, const char*> places[] = {
      {fault::kOpen, "opening an input"},     {fault::kRead, "reading an input"},
      {fault::kCreate, "creating an output"}, {fault::kAppend, "writing an output"},
      {fault::kSync, "syncing an output"},
  };
  for (const auto& [operation, name] : places) {
    for (const Shortage& shortage : Shortages()) {
      SCOPED_TRACE(std::string(shortage.name) + " while " + name);
      Restart();
      Options options = WithListener();
      options.disable_auto_compactions = true;
      Open(options);
      PutRange(0, 60, 1);
      Flush();
      PutRange(30, 90, 2);
      Flush();
      // Nothing of the tables is in memory.
      Close();
      options = WithListener();
      options.disable_auto_compactions = true;
      Open(options);
      fault::Rule rule;
      rule.operations = operation;
      rule.files = fault::kTables;
      rule.error = shortage.error;
      const fault::RuleId id = disk_.faults->AddRule(rule);
      ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"}}).ok());
      listener_->Await([&] { return listener_->errors().size() >= 2; });
      EXPECT_EQ(BackgroundErrorReason::kCompaction, listener_->errors()[0].reason);
      // A full disk is no place for writes; but all else they do not depend on.
      if (!shortage.error.IsNoSpace()) Put("meanwhile", "v");
      disk_.faults->RemoveRule(id);
      AwaitWrites();
      // (One may have been under way that met it before.)
      listener_->Await([&] { return db_->WaitForCompact(WaitForCompactOptions()).ok(); });
      EXPECT_LT(FilesAtLevel(0), 2) << "but for what a recovery flushed";
      ASSERT_NO_FATAL_FAILURE(ExpectHealed());
    }
  }
}

TEST_F(DbShortageTest, AManualCompactionThatMeetsAShortageFailsAloneAndSucceedsLater) {
  Open(WithListener());
  PutRange(0, 60, 1);
  Flush();
  fault::Rule rule;
  rule.operations = fault::kCreate;
  rule.files = fault::kTables;
  rule.error = fault::ErrorOf(ENOMEM);
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  const fault::RuleId id = disk_.faults->AddRule(rule);
  EXPECT_TRUE(db_->CompactRange(force, nullptr, nullptr).IsIOError());
  Put("meanwhile", "v");
  disk_.faults->RemoveRule(id);
  EXPECT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  ASSERT_NO_FATAL_FAILURE(ExpectHealed());
}

TEST_F(DbShortageTest, ClosingAndPausingDoNotWaitForAShortage) {
  Options options = WithListener();
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 60, 1);
  Flush();
  PutRange(30, 90, 2);
  Flush();
  fault::Rule rule;
  rule.operations = fault::kCreate;
  rule.files = fault::kTables;
  rule.error = fault::ErrorOf(EMFILE);
  disk_.faults->AddRule(rule);
  ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"}}).ok());
  listener_->Await([&] { return !listener_->errors().empty(); });
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  Close();
  disk_.faults->Heal();
  Open();
  ExpectModel();
}

TEST_F(DbShortageTest, WhatCouldNotBeDeletedIsDeletedLater) {
  Open(WithListener());
  fault::Rule rule;
  rule.operations = fault::kDelete;
  rule.error = fault::ErrorOf(EAGAIN);
  const fault::RuleId id = disk_.faults->AddRule(rule);
  PutRange(0, 60, 1);
  Flush();
  PutRange(30, 90, 2);
  Flush();
  ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
  Compact();
  ASSERT_GT(disk_.faults->Hits(id), 0u);
  disk_.faults->RemoveRule(id);
  Put("more", "v");
  Flush();
  Compact();  // a purge ends it
  std::vector<std::string> live;
  uint64_t manifest_size = 0;
  ASSERT_TRUE(db_->GetLiveFiles(live, &manifest_size, /*flush_memtable=*/false).ok());
  size_t tables = 0;
  for (const std::string& name : live) tables += name.ends_with(".sst") ? 1 : 0;
  EXPECT_EQ(disk_.Files(FileType::kTableFile).size(), tables);
  EXPECT_EQ(disk_.Files(FileType::kWalFile).size(), 1u);
  ExpectModel();
}

// --- A strict cache without room

class DbStrictCacheTest : public DbShortageTest {
 protected:
  // All of the cache is somebody else's.
  void FillCache() {
    cache_ = NewLRUCache(8 << 20, 0, /*strict_capacity_limit=*/true);
    static char value = 0;
    const auto keep = [](const Slice&, void*) {};
    ASSERT_TRUE(cache_->Insert("other", &value, 256 << 10, keep, &others_).ok());
    cache_->SetCapacity(cache_->GetUsage());
  }
  void GiveRoom() {
    cache_->SetCapacity(8 << 20);
    cache_->Release(std::exchange(others_, nullptr), true);
  }
  void TearDown() override {
    DbShortageTest::TearDown();
    if (others_ != nullptr) GiveRoom();
  }
  Options WithCache(bool partitions, bool pinned, bool charged) {
    Options options = WithListener();
    options.max_open_files = 20;
    BlockBasedTableOptions table;
    table.block_size = 1024;
    table.metadata_block_size = 256;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.block_cache = cache_;
    table.cache_index_and_filter_blocks = true;
    if (partitions) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    if (pinned) {
      table.metadata_cache_options = {PinningTier::kAll, PinningTier::kAll, PinningTier::kAll};
    }
    if (charged) {
      table.cache_usage_options.options.charged = CacheEntryRoleOptions::Decision::kEnabled;
    }
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }

  std::shared_ptr<Cache> cache_;
  Cache::Handle* others_ = nullptr;
};

TEST_F(DbStrictCacheTest, FlushCompactionAndRecoveryNeedNoRoomInIt) {
  for (int mode = 0; mode < 8; ++mode) {
    const bool partitions = (mode & 1) != 0, pinned = (mode & 2) != 0, charged = (mode & 4) != 0;
    SCOPED_TRACE("partitions " + std::to_string(partitions) + ", pinned " + std::to_string(pinned) +
                 ", charged " + std::to_string(charged));
    Restart();
    FillCache();
    Options options = WithCache(partitions, pinned, charged);
    options.max_subcompactions = 2;
    Open(options);
    for (uint64_t round = 0; round < 30; ++round) PutRange(round * 10, round * 10 + 100, round);
    Flush();
    ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
    PutRange(0, 50, 99);
    Kill();
    Open(options);
    PutRange(50, 80, 100);
    Flush();
    Compact();
    EXPECT_TRUE(listener_->errors().empty()) << listener_->errors()[0].status.ToString();
    EXPECT_EQ(0, FilesAtLevel(0));
    std::string value;
    const Status s = db_->Get(ReadOptions(), Key(7), &value);
    EXPECT_TRUE(s.IsMemoryLimit()) << "a reader's block does not fit: " << s.ToString();
    GiveRoom();
    ExpectModel();
    Close();
  }
}

// --- A process without descriptors

// As many files as a process with so many descriptors could have open.
class DbDescriptorsTest : public DbShortageTest {
 protected:
  void LimitOpenFiles(int most) {
    fault::Rule rule;
    rule.operations = fault::kOpen | fault::kCreate;
    rule.where = [this, most](const std::string&) {
      const bool hit =
          disk_.faults->OpenReadableFiles() + disk_.faults->OpenWritableFiles() >= most;
      refused_ += hit;
      return hit;
    };
    rule.error = fault::ErrorOf(EMFILE);
    disk_.faults->AddRule(rule);
  }

  std::atomic<uint64_t> refused_{0};
};

TEST_F(DbDescriptorsTest, EveryFileFindsOneAsLongAsATableIsIdle) {
  Options options = WithListener();
  options.max_open_files = 5000;
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
  Open(options);
  LimitOpenFiles(12);
  for (uint64_t i = 0; i < 40; ++i) {
    PutRange(i * 5, i * 5 + 5, i);
    Flush();
    EXPECT_EQ(Get(Key(i)), model_[Key(i)]);
  }
  EXPECT_GT(refused_.load(), 0u);
  for (const auto& [key, value] : model_) EXPECT_EQ(Get(key), value) << key;
  EXPECT_TRUE(listener_->errors().empty());
  // An iterator needs all at once.
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_TRUE(it->status().IsIOError()) << it->status().ToString();
  it.reset();
  disk_.faults->Heal();
  ExpectModel();
}

}  // namespace
}  // namespace cairn
