// What the tests of remote compaction share: a database whose compactions go to workers in the same
// process, tables that overlap, and what must hold after a compaction that failed. Test-only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/testing/db_fixture.h"
#include "db/testing/remote_service.h"
#include "fiber/mutex.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"

namespace cairn::testing {

using JobStatus = CompactionServiceJobStatus;

// "a+b" of "a" and "b".
class Appender final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result = (existing == nullptr ? "" : existing->ToString() + "+") + value.ToString();
    return true;
  }
  const char* Name() const override { return "Appender"; }
};

// Keeps what the last compaction told.
class LastCompaction final : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& info) override {
    fiber::MutexLock lock(&mutex_);
    info_ = info;
  }
  CompactionJobInfo info() {
    fiber::MutexLock lock(&mutex_);
    return info_;
  }

 private:
  fiber::Mutex mutex_;
  CompactionJobInfo info_ FIBER_GUARDED_BY(mutex_);
};

class RemoteCompactionTest : public DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
    options_.compaction_service = service_;
    options_.listeners = {told_};
    options_.merge_operator = std::make_shared<Appender>();
    service_->overrides.env = disk_.env.get();
    service_->overrides.merge_operator = options_.merge_operator;
  }
  void OpenDb() { Open(options_); }
  // With tables of which a compaction has several parts.
  void OpenForParts() {
    options_.max_subcompactions = 4;
    options_.target_file_size_base = 16 << 10;
    OpenDb();
    FillOverlapping(6, 1500);
  }

  // Tables that overlap: overwrites, deletions and merges between them.
  void FillOverlapping(int rounds = 4, uint64_t keys = 300) {
    for (int round = 0; round < rounds; ++round) {
      const auto version = static_cast<uint64_t>(round);
      PutRange(version * 20, keys, version + 1);
      for (uint64_t i = version; i < keys; i += 9) Delete(Key(i));
      for (uint64_t i = version; i < keys; i += 13) Append(Key(i), std::to_string(round));
      Flush();
    }
  }
  void Append(const std::string& key, const std::string& operand) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), key, operand).ok());
    std::string& value = model_[key];
    value += (value.empty() ? "" : "+") + operand;
  }
  void DeleteRange(uint64_t from, uint64_t to) {
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(from), Key(to)).ok());
    model_.erase(model_.lower_bound(Key(from)), model_.lower_bound(Key(to)));
  }
  Status TryCompact() { return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr); }

  std::set<std::string> TablesIn(const std::string& directory) const {
    std::vector<std::string> names;
    disk_.memory->GetChildren(directory, IOOptions(), &names, nullptr).PermitUncheckedError();
    std::set<std::string> tables;
    for (const std::string& name : names) {
      if (name.ends_with(".sst")) tables.insert(name);
    }
    return tables;
  }
  // Nothing but what the database knows lies in its directory.
  void ExpectNoStrayTables() {
    // (What is not needed any more is gone when this returns.)
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions(/*force=*/true).ok());
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    std::set<std::string> known;
    for (const LiveFileMetaData& file : live) known.insert(file.relative_filename);
    EXPECT_EQ(known, TablesIn(kDbName));
  }
  // The compaction that failed has left all as it was, and the next one works.
  void ExpectUnharmed() {
    ExpectNoStrayTables();
    ExpectModel();
    service_->schedules = nullptr;
    service_->waits = nullptr;
    service_->alters = nullptr;
    Put("one more", "value");
    Flush();
    const Status s = TryCompact();
    ASSERT_TRUE(s.ok()) << s.ToString();
    ExpectModel();
    ExpectNoStrayTables();
    ASSERT_FALSE(service_->installations().empty());
    EXPECT_EQ(JobStatus::kSuccess, service_->installations().back());
  }
  // The input of a job, whose compaction then runs here.
  std::string TakeInput() {
    service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
      return JobStatus::kUseLocal;
    };
    EXPECT_TRUE(TryCompact().ok());
    const std::vector<RemoteService::Job> jobs = service_->jobs();
    EXPECT_FALSE(jobs.empty());
    return jobs.empty() ? "" : jobs[0].input;
  }

  const std::shared_ptr<RemoteService> service_ = std::make_shared<RemoteService>();
  const std::shared_ptr<LastCompaction> told_ = std::make_shared<LastCompaction>();
  Options options_;
};

}  // namespace cairn::testing
