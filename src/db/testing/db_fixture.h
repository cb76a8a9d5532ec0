// What the tests of db/ share: a disk in memory that can fail and lose power, a database on it with
// small buffers, and helpers that read and compare all of it. Test-only. A DbTest is used by one
// thread but for db().
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/wide_columns.h"

namespace cairn::testing {

using Contents = std::map<std::string, std::string>;

inline const char kDbName[] = "/db";

// What SCOPED_TRACE shows when a check fails.
inline std::string SeedText(uint64_t seed) { return "seed " + std::to_string(seed); }

// "key000007"; fixed width, so that numbers sort.
inline std::string Key(uint64_t i) {
  char text[24];
  snprintf(text, sizeof(text), "key%06llu", static_cast<unsigned long long>(i));
  return text;
}

// `size` bytes that depend on `seed` alone and do not compress away.
inline std::string Value(uint64_t seed, size_t size) {
  Random64 random(seed);
  std::string out = std::to_string(seed) + ":";
  while (out.size() < size) out.push_back(static_cast<char>('!' + random.Uniform(90)));
  out.resize(std::max(size, std::to_string(seed).size() + 1));
  return out;
}

// "name:value,name:value".
inline std::string Text(const WideColumns& columns) {
  std::string text;
  for (const WideColumn& column : columns) {
    text += (text.empty() ? "" : ",") + column.name().ToString() + ":" + column.value().ToString();
  }
  return text;
}

// A memory file system under a fault injecting one, and the Env over both.
struct Disk {
  std::shared_ptr<MemoryFileSystem> memory = std::make_shared<MemoryFileSystem>();
  std::shared_ptr<fault::FaultInjectionFileSystem> faults =
      std::make_shared<fault::FaultInjectionFileSystem>(memory);
  std::unique_ptr<Env> env = NewCompositeEnv(faults);

  std::set<std::string> Names() const {
    std::vector<std::string> names;
    memory->GetChildren(kDbName, IOOptions(), &names, nullptr).PermitUncheckedError();
    return {names.begin(), names.end()};
  }
  // Full paths of the files of one type, sorted.
  std::vector<std::string> Files(FileType wanted) const {
    std::vector<std::string> out;
    for (const std::string& name : Names()) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) && type == wanted) {
        out.push_back(std::string(kDbName) + "/" + name);
      }
    }
    return out;
  }
  uint64_t Size(const std::string& path) const {
    uint64_t size = 0;
    EXPECT_TRUE(memory->GetFileSize(path, IOOptions(), &size, nullptr).ok()) << path;
    return size;
  }
  // From now on nothing reaches the disk: as if the process were dead. Heal() ends it.
  void Freeze() { faults->SetFilesystemActive(false); }
};

class DbTest : public ::testing::Test {
 protected:
  // Small enough that a few hundred writes flush, and a few flushes compact.
  Options SmallOptions() {
    Options options;
    options.env = disk_.env.get();
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;  // the least that is accepted
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 128 << 10;
    options.level0_file_num_compaction_trigger = 2;
    options.compression = kNoCompression;
    options.max_bgerror_resume_count = 0;  // after a full disk the test says when to go on
    BlockBasedTableOptions table;
    table.block_size = 1024;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }

  void TearDown() override { db_.reset(); }

  // In a simulated world: where the body sleeps, all others go on until they wait for something.
  // The database does not survive it.
  void Simulate(const std::function<void()>& body) {
    const fiber::SimulationResult result = fiber::Simulation(1).run([&] {
      body();
      db_.reset();
    });
    ASSERT_TRUE(result.ok()) << result.report;
  }
  // In a simulated world.
  static void Sleep(uint64_t seconds) { fiber::sleep_for(seconds * 1'000'000'000); }
  // False: in a minute it has not come true. (Where nothing can be waited for.)
  static bool Await(const std::function<bool()>& condition) {
    for (int i = 0; i < 60'000; ++i) {
      if (condition()) return true;
      fiber::sleep_for(1'000'000);  // sleeps: between two looks
    }
    return condition();
  }

  Status TryOpen(const Options& options) {
    db_.reset();
    return DB::Open(options, kDbName, &db_);
  }
  Status TryOpenReadOnly(const Options& options) {
    db_.reset();
    return DB::OpenForReadOnly(options, kDbName, &db_);
  }
  void Open(const Options& options) {
    const Status s = TryOpen(options);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Open() { Open(SmallOptions()); }
  void Close() {
    const Status s = db_->Close();
    EXPECT_TRUE(s.ok()) << s.ToString();
    db_.reset();
  }
  // The process dies: what it had handed to the file system stays, nothing else.
  void Kill() {
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
  }

  void Put(const std::string& key, const std::string& value) {
    const Status s = db_->Put(WriteOptions(), key, value);
    ASSERT_TRUE(s.ok()) << s.ToString();
    model_[key] = value;
  }
  void Delete(const std::string& key) {
    const Status s = db_->Delete(WriteOptions(), key);
    ASSERT_TRUE(s.ok()) << s.ToString();
    model_.erase(key);
  }
  // Puts keys from..to-1 with values of `size` bytes that carry `version`.
  void PutRange(uint64_t from, uint64_t to, uint64_t version, size_t size = 100) {
    for (uint64_t i = from; i < to; ++i) Put(Key(i), Value(version * 1000000 + i, size));
  }
  void Flush() {
    const Status s = db_->Flush(FlushOptions());
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // No flush begins before DieBeforeFlushes(): each log stays needed.
  void HoldFlushes() { ASSERT_TRUE(db_->PauseBackgroundWork().ok()); }
  // The memtable is full, as it were: a new one and a new log begin.
  void BeginLog() {
    FlushOptions no_wait;
    no_wait.wait = false;
    no_wait.allow_write_stall = true;
    ASSERT_TRUE(db_->Flush(no_wait).ok());
  }
  void DieBeforeFlushes() {
    disk_.Freeze();
    ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
    Kill();
  }
  void Compact() {
    const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }

  // The value, or "NOT_FOUND", or the error's text.
  std::string Get(const std::string& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status s = db_->Get(options, key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }
  // All that an iterator sees; backwards too, which must be the same.
  Contents Scan(const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    Contents forward;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      EXPECT_TRUE(forward.emplace(it->key().ToString(), it->value().ToString()).second)
          << it->key().ToString() << " again";
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    Contents backward;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      backward.emplace(it->key().ToString(), it->value().ToString());
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_TRUE(forward == backward) << forward.size() << " and " << backward.size() << " keys";
    return forward;
  }
  // The database holds exactly `expected`, by iterator and by Get.
  void ExpectContents(const Contents& expected, const Snapshot* snapshot = nullptr) {
    const Contents found = Scan(snapshot);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_TRUE(found == expected) << "the iterator differs from the model";
    for (const auto& [key, value] : expected) ASSERT_EQ(Get(key, snapshot), value) << key;
  }
  void ExpectModel() { ExpectContents(model_); }

  std::string Property(const std::string& name) {
    std::string value;
    EXPECT_TRUE(db_->GetProperty("rocksdb." + name, &value)) << name;
    return value;
  }
  int FilesAtLevel(int level) {
    return std::stoi(Property("num-files-at-level" + std::to_string(level)));
  }
  // Until no flush or compaction runs or waits.
  void WaitForCompactions() {
    ASSERT_TRUE(Await([this] {
      uint64_t busy = 0;
      for (const char* property : {"compaction-pending", "num-running-compactions",
                                   "mem-table-flush-pending", "num-running-flushes"}) {
        uint64_t value = 0;
        EXPECT_TRUE(db_->GetIntProperty(std::string("rocksdb.") + property, &value));
        busy += value;
      }
      return busy == 0;
    }));
  }
  // The same, and what they made obsolete is gone: from here on nothing touches the disk by itself,
  // so that "the nth operation" is the test's own.
  void WaitUntilIdle() {
    WaitForCompactOptions wait;
    wait.wait_for_purge = true;
    const Status s = db_->WaitForCompact(wait);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Two level-0 files, files below and a filled memtable, with overwrites and deletions between
  // them.
  void FillAllLevels() {
    PutRange(0, 400, 1);
    Flush();
    Compact();
    PutRange(100, 200, 2);
    for (uint64_t i = 0; i < 400; i += 7) Delete(Key(i));
    Flush();
    PutRange(150, 250, 3);
    Flush();
    PutRange(180, 300, 4);
    for (uint64_t i = 3; i < 400; i += 11) Delete(Key(i));
  }

  Disk disk_;
  std::unique_ptr<DB> db_;
  Contents model_;  // what Put and Delete above wrote
};

}  // namespace cairn::testing
