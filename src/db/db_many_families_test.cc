// Thousands of column families: what happens to one of them does not look at the others. Counted in
// families visited and bytes written, not in time.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/db_impl.h"
#include "db/testing/db_fixture.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "options/options_file.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::kDbName;

class DbManyFamiliesTest : public testing::DbTest {
 protected:
  void TearDown() override { Shut(); }

  Options ManyOptions() {
    Options options = SmallOptions();
    options.max_open_files = -1;
    options.disable_auto_compactions = true;
    return options;
  }
  void Shut() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  DBImpl* impl() { return static_cast<DBImpl*>(db_.get()); }
  static std::string Name(size_t i) { return "family" + std::to_string(i); }
  void CreateAll(size_t count, const Options& options) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(Name(i));
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_TRUE(db_->CreateColumnFamilies(options, names, &handles).ok());
    handles_.insert(handles_.end(), handles.begin(), handles.end());
  }
  void PutIn(size_t i, const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(WriteOptions(), handles_[i], key, value).ok());
  }
  std::string GetFrom(size_t i, const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), handles_[i], key, &value);
    return s.ok() ? value : s.ToString();
  }
  void Reopen(const Options& options) {
    std::vector<std::string> names;
    Shut();
    ASSERT_TRUE(DB::ListColumnFamilies(options, kDbName, &names).ok());
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options);
    const Status s = DB::Open(options, kDbName, families, &handles_, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    // As they were made: without the default one.
    delete handles_.front();
    handles_.erase(handles_.begin());
  }
  size_t Logs() {
    // (A flush returns before what it made obsolete is deleted; this waits for that.)
    EXPECT_TRUE(db_->DisableFileDeletions().ok());
    EXPECT_TRUE(db_->EnableFileDeletions(/*force=*/true).ok());
    return disk_.Files(FileType::kWalFile).size();
  }

  std::vector<ColumnFamilyHandle*> handles_;
};

// What creating, writing to, flushing and dropping one family costs does not grow with the number
// of the others.
TEST_F(DbManyFamiliesTest, OneFamilyCostsTheSameAmongMany) {
  const Options options = ManyOptions();
  Open(options);
  std::map<size_t, std::pair<uint64_t, uint64_t>> costs;  // by the number of the others
  size_t made = 0;
  for (const size_t others : {100, 1000}) {
    for (; made < others; made += 100) {
      std::vector<std::string> names;
      for (size_t i = 0; i < 100; ++i) names.push_back(Name(made + i));
      std::vector<ColumnFamilyHandle*> handles;
      ASSERT_TRUE(db_->CreateColumnFamilies(options, names, &handles).ok());
      handles_.insert(handles_.end(), handles.begin(), handles.end());
    }
    // (The two OPTIONS files are those of before.)
    for (int i = 0; i < 2; ++i) {
      ColumnFamilyHandle* handle = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(options, "first", &handle).ok());
      ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
      delete handle;
    }
    const uint64_t visits = impl()->FamilyVisits();
    const uint64_t bytes = impl()->OptionsBytes();
    for (int i = 0; i < 10; ++i) {
      ColumnFamilyHandle* handle = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(options, "one" + std::to_string(i), &handle).ok());
      ASSERT_TRUE(db_->Put(WriteOptions(), handle, "key", "value").ok());
      ASSERT_TRUE(db_->Flush(FlushOptions(), handle).ok());
      ASSERT_TRUE(db_->SetOptions(handle, {{"ttl", "1000"}}).ok());
      ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
      delete handle;
    }
    costs[others] = {impl()->FamilyVisits() - visits, impl()->OptionsBytes() - bytes};
  }
  EXPECT_LE(costs[1000].first, costs[100].first + 20);
  EXPECT_LE(costs[100].first, 400u);
  EXPECT_LE(costs[1000].second, costs[100].second * 3 / 2);
}

// All in memory, flushed one by one: each flush looks at its own family.
TEST_F(DbManyFamiliesTest, FlushesOfAllAreLinear) {
  constexpr size_t kFamilies = 600;
  const Options options = ManyOptions();
  Open(options);
  CreateAll(kFamilies, options);
  for (size_t i = 0; i < kFamilies; ++i) PutIn(i, "key", Name(i));
  const uint64_t visits = impl()->FamilyVisits();
  ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok());
  EXPECT_LE(impl()->FamilyVisits() - visits, kFamilies * 10);
  for (size_t i = 0; i < kFamilies; ++i) EXPECT_EQ(GetFrom(i, "key"), Name(i));
  // And so are those of many that are asked for one after the other.
  for (size_t i = 0; i < kFamilies; ++i) PutIn(i, "key", "again");
  const uint64_t between = impl()->FamilyVisits();
  for (size_t i = 0; i < kFamilies; ++i) {
    ASSERT_TRUE(db_->Flush(FlushOptions(), handles_[i]).ok());
  }
  EXPECT_LE(impl()->FamilyVisits() - between, kFamilies * 10);
  // Nothing keeps a log but the writes that are in it.
  EXPECT_LE(Logs(), 2u);
  Reopen(options);
  for (size_t i = 0; i < handles_.size(); ++i) EXPECT_EQ(GetFrom(i, "key"), "again");
}

// The LOG has no options of thousands of families.
TEST_F(DbManyFamiliesTest, TheInfoLogDumpsOptionsOfTheFirstOnes) {
  const Options options = ManyOptions();
  Open(options);
  CreateAll(60, options);
  std::string log;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), std::string(kDbName) + "/LOG", &log).ok());
  EXPECT_NE(log.find("Options for column family [family3]"), std::string::npos);
  EXPECT_EQ(log.find("Options for column family [family30]"), std::string::npos);
}

// Which logs are kept, against a model that looks at all families.
TEST_F(DbManyFamiliesTest, IdleFamiliesKeepNoLogs) {
  const Options options = ManyOptions();
  Open(options);
  CreateAll(20, options);
  Random64 random(301);
  std::map<size_t, std::string> unflushed;  // by family: the value
  std::vector<std::string> values(20);
  for (int step = 0; step < 300; ++step) {
    const size_t i = random.Uniform(20);
    if (random.OneIn(3)) {
      ASSERT_TRUE(db_->Flush(FlushOptions(), handles_[i]).ok());
      unflushed.erase(i);
      if (unflushed.empty()) {
        EXPECT_LE(Logs(), 2u) << step;
      }
    } else {
      values[i] = std::to_string(step);
      PutIn(i, "key", values[i]);
      unflushed[i] = values[i];
    }
    if (random.OneIn(40)) {
      // The process dies: what is in no table comes from the logs that are left.
      disk_.Freeze();
      Shut();
      disk_.faults->Heal();
      Reopen(options);
      unflushed.clear();
      ASSERT_EQ(handles_.size(), 20u);
      for (size_t f = 0; f < 20; ++f) {
        EXPECT_EQ(GetFrom(f, "key"), values[f].empty() ? "NotFound: " : values[f]) << step;
      }
    }
  }
}

// A write that fails after it was noted leaves no family that keeps logs for nothing.
TEST_F(DbManyFamiliesTest, AnOldLogGoesWhenItsOnlyFamilyIsDropped) {
  Options options = ManyOptions();
  Open(options);
  CreateAll(3, options);
  PutIn(0, "key", "value");
  for (int i = 0; i < 5; ++i) {
    PutIn(1, "key", std::to_string(i));
    ASSERT_TRUE(db_->Flush(FlushOptions(), handles_[1]).ok());
  }
  EXPECT_GE(Logs(), 2u);
  ASSERT_TRUE(db_->DropColumnFamily(handles_[0]).ok());
  PutIn(1, "key", "last");
  ASSERT_TRUE(db_->Flush(FlushOptions(), handles_[1]).ok());
  EXPECT_LE(Logs(), 2u);
}

// OPTIONS files that are written on in say what the families have.
TEST_F(DbManyFamiliesTest, TheOptionsFileFollowsEachChange) {
  Options options = ManyOptions();
  Open(options);
  CreateAll(40, options);
  Random64 random(17);
  std::map<std::string, size_t> wanted;
  for (size_t i = 0; i < 40; ++i) wanted[Name(i)] = options.write_buffer_size;
  for (int step = 0; step < 60; ++step) {
    const size_t i = random.Uniform(handles_.size());
    const uint64_t what = random.Uniform(4);
    if (what == 0) {
      wanted.erase(handles_[i]->GetName());
      ASSERT_TRUE(db_->DropColumnFamily(handles_[i]).ok());
      delete handles_[i];
      handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (what == 1) {
      Options other = options;
      other.write_buffer_size = (100 << 10) + static_cast<size_t>(step);
      ColumnFamilyHandle* handle = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(other, "new" + std::to_string(step), &handle).ok());
      handles_.push_back(handle);
      wanted[handle->GetName()] = other.write_buffer_size;
    } else if (what == 2) {
      const size_t size = (200 << 10) + static_cast<size_t>(step);
      wanted[handles_[i]->GetName()] = size;
      ASSERT_TRUE(db_->SetOptions(handles_[i], {{"write_buffer_size", std::to_string(size)}}).ok());
    } else if (random.OneIn(3)) {
      ASSERT_TRUE(db_->SetDBOptions({{"bytes_per_sync", std::to_string(1000 + step)}}).ok());
    } else if (random.OneIn(3)) {
      // A copier's files stay what they are.
      ASSERT_TRUE(db_->DisableFileDeletions().ok());
      const std::set<std::string> before = disk_.Names();
      const size_t size = (300 << 10) + static_cast<size_t>(step);
      wanted[handles_[i]->GetName()] = size;
      ASSERT_TRUE(db_->SetOptions(handles_[i], {{"write_buffer_size", std::to_string(size)}}).ok());
      const std::set<std::string> after = disk_.Names();
      for (const std::string& name : before) EXPECT_TRUE(after.contains(name)) << name;
      ASSERT_TRUE(db_->EnableFileDeletions().ok());
    }
    DBOptions db_options;
    std::vector<ColumnFamilyDescriptor> families;
    const Status s = LoadLatestOptions(kDbName, options.env, &db_options, &families);
    ASSERT_TRUE(s.ok()) << s.ToString();
    std::map<std::string, size_t> found;
    for (const auto& family : families) found[family.name] = family.options.write_buffer_size;
    found.erase("default");
    ASSERT_EQ(found, wanted) << step;
  }
}

}  // namespace
}  // namespace cairn
