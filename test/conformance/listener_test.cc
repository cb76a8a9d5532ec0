// EventListener: which events come, in which order, and what they say.
#include "rocksdb/listener.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "conformance.h"

namespace conformance {
namespace {

using Mutex = std::mutex;  // style: RocksDB runs here, too
using Lock = std::unique_lock<Mutex>;

// Remembers everything, and lets a test wait for it: an event may come a little after the call that
// caused it has returned.
class Recorder final : public EventListener {
 public:
  const char* Name() const override { return "Recorder"; }

  void OnFlushBegin(DB* db, const FlushJobInfo& info) override {
    Add("flush begin", [&] {
      db_ = db;
      flush_begin = info;
    });
  }
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    Add("flush completed", [&] {
      db_ = db;
      flushes.push_back(info);
    });
  }
  void OnCompactionBegin(DB* db, const CompactionJobInfo& info) override {
    Add("compaction begin", [&] {
      db_ = db;
      compaction_begin = info;
    });
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) override {
    Add("compaction completed", [&] {
      db_ = db;
      compactions.push_back(info);
    });
  }
  void OnSubcompactionBegin(const SubcompactionJobInfo& info) override {
    Add("subcompaction begin", [&] { parts_begun.insert(info.subcompaction_job_id); });
  }
  void OnSubcompactionCompleted(const SubcompactionJobInfo& info) override {
    Add("subcompaction completed", [&] {
      EXPECT_OK(info.status);
      parts_done.insert(info.subcompaction_job_id);
    });
  }
  void OnTableFileCreationStarted(const TableFileCreationBriefInfo& info) override {
    Add("table started", [&] { started.push_back(info); });
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    Add("table created", [&] { created.push_back(info); });
  }
  void OnTableFileDeleted(const TableFileDeletionInfo& info) override {
    Add("table deleted", [&] { deleted.push_back(info); });
  }
  void OnMemTableSealed(const MemTableInfo& info) override {
    Add("sealed", [&] { sealed.push_back(info); });
  }
  void OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) override {
    Add("handle deleted", [&] { handles.push_back(handle->GetName()); });
  }
  void OnStallConditionsChanged(const WriteStallInfo& info) override {
    Add("stall", [&] { stalls.push_back(info); });
  }

  void Await(const std::string& event, size_t count) {
    Lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return Count(event) >= count; });
    EXPECT_TRUE(came) << event << " came " << Count(event) << " times";
  }
  // In their order, without those of other kinds.
  std::vector<std::string> Only(const std::set<std::string>& kinds) {
    const Lock lock(mutex_);
    std::vector<std::string> result;
    for (const std::string& event : events_) {
      if (kinds.count(event) != 0) result.push_back(event);
    }
    return result;
  }

  DB* db_ = nullptr;
  FlushJobInfo flush_begin;
  std::vector<FlushJobInfo> flushes;
  CompactionJobInfo compaction_begin;
  std::vector<CompactionJobInfo> compactions;
  std::set<int> parts_begun, parts_done;
  std::vector<TableFileCreationBriefInfo> started;
  std::vector<TableFileCreationInfo> created;
  std::vector<TableFileDeletionInfo> deleted;
  std::vector<MemTableInfo> sealed;
  std::vector<std::string> handles;
  std::vector<WriteStallInfo> stalls;

 private:
  size_t Count(const std::string& event) const {
    return static_cast<size_t>(std::count(events_.begin(), events_.end(), event));
  }
  void Add(const std::string& event, const std::function<void()>& remember) {
    const Lock lock(mutex_);
    remember();
    events_.push_back(event);
    changed_.notify_all();
  }

  Mutex mutex_;
  std::condition_variable changed_;  // style: RocksDB runs here, too
  std::vector<std::string> events_;
};

class ListenerTest : public DBTest {
 protected:
  ListenerTest() { options_.listeners.push_back(recorder_); }
  ~ListenerTest() override { Shut(); }

  // Two tables in level 0 that overlap.
  void TwoTables() {
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'a' + round)));
      ASSERT_OK(Flush());
    }
  }

  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

TEST_F(ListenerTest, AFlushIsToldOf) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Flush());
  recorder_->Await("flush completed", 1);
  EXPECT_EQ((std::vector<std::string>{"sealed", "flush begin", "table started", "table created",
                                      "flush completed"}),
            recorder_->Only(
                {"sealed", "flush begin", "table started", "table created", "flush completed"}));
  const FlushJobInfo& info = recorder_->flushes[0];
  EXPECT_EQ(db_, recorder_->db_);
  EXPECT_EQ(0u, info.cf_id);
  EXPECT_EQ("default", info.cf_name);
  EXPECT_EQ(FlushReason::kManualFlush, info.flush_reason);
  EXPECT_EQ(FlushReason::kManualFlush, recorder_->flush_begin.flush_reason);
  EXPECT_EQ(info.job_id, recorder_->flush_begin.job_id);
  EXPECT_EQ(std::vector<std::string>{info.file_path.substr(info.file_path.rfind('/') + 1)},
            FilesEndingIn(".sst"));
  EXPECT_EQ(2u, info.table_properties.num_entries);  // the tombstone hides nothing below
  EXPECT_LE(1u, info.smallest_seqno);
  EXPECT_EQ(3u, info.largest_seqno);
  EXPECT_FALSE(info.triggered_writes_slowdown);
  EXPECT_FALSE(info.triggered_writes_stop);
}

TEST_F(ListenerTest, ASealedMemtableIsDescribed) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Flush());
  recorder_->Await("sealed", 1);
  EXPECT_EQ("default", recorder_->sealed[0].cf_name);
  EXPECT_EQ(1u, recorder_->sealed[0].first_seqno);
  EXPECT_GE(1u, recorder_->sealed[0].earliest_seqno);
  EXPECT_EQ(3u, recorder_->sealed[0].num_entries);
  EXPECT_EQ(1u, recorder_->sealed[0].num_deletes);
}

TEST_F(ListenerTest, AFullMemtableIsTheReasonOfItsFlush) {
  options_.write_buffer_size = 64 << 10;
  Open();
  for (int i = 0; i < 1000; ++i) ASSERT_OK(Put(Key(i), std::string(200, 'v')));
  recorder_->Await("flush completed", 1);
  EXPECT_EQ(FlushReason::kWriteBufferFull, recorder_->flushes[0].flush_reason);
}

TEST_F(ListenerTest, WhatTheLogLacksIsFlushedAtTheEnd) {
  Open();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_OK(db_->Put(unlogged, "a", "1"));
  Shut();
  ASSERT_EQ(1u, recorder_->flushes.size());
  EXPECT_EQ(FlushReason::kShutDown, recorder_->flushes[0].flush_reason);
}

TEST_F(ListenerTest, AFlushForACompactionSaysSo) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Compact());
  recorder_->Await("flush completed", 1);
  EXPECT_EQ(FlushReason::kManualCompaction, recorder_->flushes[0].flush_reason);
}

TEST_F(ListenerTest, TablesAreCreatedForAReason) {
  options_.disable_auto_compactions = true;
  options_.avoid_flush_during_shutdown = true;
  Open();
  TwoTables();
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  ASSERT_EQ(3u, recorder_->started.size());
  ASSERT_EQ(3u, recorder_->created.size());
  for (size_t i = 0; i < 3; ++i) {
    const TableFileCreationInfo& info = recorder_->created[i];
    EXPECT_OK(info.status);
    EXPECT_EQ(recorder_->started[i].file_path, info.file_path);
    EXPECT_EQ(recorder_->started[i].job_id, info.job_id);
    EXPECT_EQ("default", info.cf_name);
    EXPECT_EQ(dir_, info.db_name);
    EXPECT_EQ(100u, info.table_properties.num_entries);
    EXPECT_EQ(i < 2 ? TableFileCreationReason::kFlush : TableFileCreationReason::kCompaction,
              info.reason);
    uint64_t size = 0;
    if (i == 2) {
      ASSERT_OK(TheEnv()->GetFileSize(info.file_path, &size));
      EXPECT_EQ(size, info.file_size);
    }
  }
  // And one by the recovery of what only the log has.
  ASSERT_OK(Put("z", "1"));
  Open();
  ASSERT_EQ(4u, recorder_->created.size());
  EXPECT_EQ(TableFileCreationReason::kRecovery, recorder_->created[3].reason);
}

TEST_F(ListenerTest, ACompactionIsToldOf) {
  options_.disable_auto_compactions = true;
  Open();
  TwoTables();
  const std::vector<std::string> inputs = FilesEndingIn(".sst");
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  const CompactionJobInfo& begin = recorder_->compaction_begin;
  const CompactionJobInfo& info = recorder_->compactions[0];
  EXPECT_EQ(db_, recorder_->db_);
  EXPECT_OK(info.status);
  EXPECT_EQ("default", info.cf_name);
  EXPECT_EQ(begin.job_id, info.job_id);
  EXPECT_EQ(CompactionReason::kManualCompaction, begin.compaction_reason);
  EXPECT_EQ(CompactionReason::kManualCompaction, info.compaction_reason);
  EXPECT_EQ(0, info.base_input_level);
  EXPECT_EQ(1, info.output_level);
  EXPECT_EQ(kNoCompression, info.compression);
  ASSERT_EQ(2u, begin.input_files.size());
  EXPECT_TRUE(begin.output_files.empty());
  ASSERT_EQ(2u, info.input_files.size());
  ASSERT_EQ(1u, info.output_files.size());
  std::set<std::string> names;
  for (const std::string& path : info.input_files) names.insert(path.substr(path.rfind('/') + 1));
  EXPECT_EQ(std::set<std::string>(inputs.begin(), inputs.end()), names);
  ASSERT_EQ(1u, info.output_file_infos.size());
  EXPECT_EQ(1, info.output_file_infos[0].level);
  ASSERT_EQ(1u, info.table_properties.count(info.output_files[0]));
  EXPECT_EQ(100u, info.table_properties.at(info.output_files[0])->num_entries);
  EXPECT_EQ(200u, info.stats.num_input_records);
  EXPECT_EQ(100u, info.stats.num_output_records);
  EXPECT_EQ(2u, info.stats.num_input_files);
  EXPECT_EQ(1u, info.stats.num_output_files);
  EXPECT_TRUE(info.stats.is_manual_compaction);
}

TEST_F(ListenerTest, ACompactionThatMovesATableTellsOfItAsAnOutput) {
  options_.disable_auto_compactions = true;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  const std::vector<std::string> table = FilesEndingIn(".sst");
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  EXPECT_EQ(table, FilesEndingIn(".sst"));
  const CompactionJobInfo& info = recorder_->compactions[0];
  EXPECT_OK(info.status);
  ASSERT_EQ(1u, info.input_files.size());
  ASSERT_EQ(1u, info.input_file_infos.size());
  EXPECT_EQ(0, info.input_file_infos[0].level);
  EXPECT_EQ(info.input_files, info.output_files);
  ASSERT_EQ(1u, info.output_file_infos.size());
  EXPECT_EQ(1, info.output_file_infos[0].level);
  EXPECT_EQ(info.input_file_infos[0].file_number, info.output_file_infos[0].file_number);
  ASSERT_EQ(1u, info.table_properties.count(info.output_files[0]));
  EXPECT_EQ(1u, info.table_properties.at(info.output_files[0])->num_entries);
  EXPECT_EQ(1u, info.stats.num_input_files);
  EXPECT_EQ(0u, info.stats.num_output_files);
}

TEST_F(ListenerTest, ACompactionTellsWhatItReadAndDropped) {
  options_.disable_auto_compactions = true;
  options_.report_bg_io_stats = true;
  options_.statistics = CreateDBStatistics();
  Open();
  // Something below, so that deletions stay until they come to the last level.
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "0"));
  ASSERT_OK(Put("zzzzzzzzzzzz", "0"));
  ASSERT_OK(Flush());
  for (int i = 0; i < 4; ++i) ASSERT_OK(Put(Key(i), "12"));
  ASSERT_OK(Delete(Key(5)));
  ASSERT_OK(Delete(Key(50)));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), Key(51)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  const CompactionJobStats& stats = recorder_->compactions[0].stats;
  EXPECT_EQ(18u, stats.num_input_records);
  EXPECT_EQ(10u, stats.num_output_records);
  EXPECT_EQ(5u, stats.num_records_replaced);  // four puts and what Key(5) had
  EXPECT_EQ(3u, stats.num_input_deletion_records);
  EXPECT_EQ(3u, stats.num_expired_deletion_records);
  EXPECT_EQ(1u, stats.num_single_del_fallthru);
  EXPECT_EQ(0u, stats.num_single_del_mismatch);
  EXPECT_EQ(0u, stats.num_corrupt_keys);
  EXPECT_EQ(17u * (9 + 8) + 12 + 8, stats.total_input_raw_key_bytes);
  EXPECT_EQ(11u + 4 * 2, stats.total_input_raw_value_bytes);
  EXPECT_EQ("key00000", stats.smallest_output_key_prefix);
  EXPECT_EQ("zzzzzzzz", stats.largest_output_key_prefix);
  EXPECT_TRUE(stats.is_full_compaction);
  EXPECT_LT(0u, stats.file_write_nanos);
  EXPECT_LT(0u, stats.file_fsync_nanos);
  EXPECT_EQ(0u, stats.num_blobs_read + stats.num_output_files_blob + stats.total_blob_bytes_read +
                    stats.total_output_bytes_blob);
  EXPECT_EQ(5u, options_.statistics->getTickerCount(COMPACTION_KEY_DROP_NEWER_ENTRY));
  EXPECT_EQ(3u, options_.statistics->getTickerCount(COMPACTION_KEY_DROP_OBSOLETE));
  CompactionJobStats sum;
  sum.Reset();
  sum.Add(stats);
  sum.Add(stats);
  EXPECT_EQ(36u, sum.num_input_records);
  EXPECT_EQ(10u, sum.num_records_replaced);
  EXPECT_EQ("", sum.smallest_output_key_prefix);
}

TEST_F(ListenerTest, FileOperationsOfACompactionAreNotTimedUnlessAskedFor) {
  options_.disable_auto_compactions = true;
  Open();
  TwoTables();
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  EXPECT_EQ(0u, recorder_->compactions[0].stats.file_write_nanos);
  EXPECT_EQ(0u, recorder_->compactions[0].stats.file_fsync_nanos);
}

TEST_F(ListenerTest, AnAutomaticCompactionNamesItsReason) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  TwoTables();
  recorder_->Await("compaction completed", 1);
  EXPECT_EQ(CompactionReason::kLevelL0FilesNum, recorder_->compactions[0].compaction_reason);
  EXPECT_FALSE(recorder_->compactions[0].stats.is_manual_compaction);
}

TEST_F(ListenerTest, AMoveIsACompactionToo) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(Put(Key(10 * i), "1"));
    ASSERT_OK(Put(Key(10 * i + 5), "1"));
    ASSERT_OK(Flush());
  }
  const std::vector<std::string> before = FilesEndingIn(".sst");
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  recorder_->Await("compaction completed", 1);
  const CompactionJobInfo& info = recorder_->compactions[0];
  EXPECT_OK(info.status);
  EXPECT_EQ(0, info.base_input_level);
  EXPECT_LT(0, info.output_level);
}

TEST_F(ListenerTest, DeletedTablesAreNamed) {
  options_.disable_auto_compactions = true;
  Open();
  TwoTables();
  const std::vector<std::string> inputs = FilesEndingIn(".sst");
  ASSERT_OK(Compact());
  recorder_->Await("table deleted", 2);
  std::set<std::string> names;
  for (const TableFileDeletionInfo& info : recorder_->deleted) {
    EXPECT_OK(info.status);
    EXPECT_EQ(dir_, info.db_name);
    names.insert(info.file_path.substr(info.file_path.rfind('/') + 1));
  }
  EXPECT_EQ(std::set<std::string>(inputs.begin(), inputs.end()), names);
}

TEST_F(ListenerTest, PartsOfACompactionAreToldOf) {
  options_.disable_auto_compactions = true;
  options_.max_subcompactions = 2;
  Open();
  TwoTables();
  ASSERT_OK(Compact());
  recorder_->Await("compaction completed", 1);
  EXPECT_FALSE(recorder_->parts_begun.empty());
  EXPECT_EQ(recorder_->parts_begun, recorder_->parts_done);
  EXPECT_EQ(recorder_->Only({"subcompaction begin"}).size(),
            recorder_->Only({"subcompaction completed"}).size());
}

TEST_F(ListenerTest, HandlesSayFarewell) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "another", &handle));
  recorder_->handles.clear();  // opening a database makes and drops one
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
  EXPECT_EQ(std::vector<std::string>{"another"}, recorder_->handles);
}

TEST_F(ListenerTest, StallsComeAndGo) {
  options_.disable_auto_compactions = true;
  options_.level0_file_num_compaction_trigger = 1;
  options_.level0_slowdown_writes_trigger = 2;
  options_.level0_stop_writes_trigger = 100;
  Open();
  // (Without automatic compactions level 0 stalls nobody.)
  TwoTables();
  ASSERT_OK(db_->SetOptions(
      {{"level0_file_num_compaction_trigger", "2"}, {"level0_slowdown_writes_trigger", "2"}}));
  EXPECT_TRUE(recorder_->stalls.empty());
  ASSERT_OK(db_->PauseBackgroundWork());
  ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "false"}}));
  recorder_->Await("stall", 1);
  EXPECT_EQ("default", recorder_->stalls[0].cf_name);
  EXPECT_EQ(WriteStallCondition::kNormal, recorder_->stalls[0].condition.prev);
  EXPECT_EQ(0, static_cast<int>(WriteStallCondition::kNormal)) << "RocksJava reads the number";
  EXPECT_EQ(WriteStallCondition::kDelayed, recorder_->stalls[0].condition.cur);
  ASSERT_OK(db_->ContinueBackgroundWork());
  recorder_->Await("stall", 2);
  EXPECT_EQ(WriteStallCondition::kDelayed, recorder_->stalls[1].condition.prev);
  EXPECT_EQ(WriteStallCondition::kNormal, recorder_->stalls[1].condition.cur);
}

TEST_F(ListenerTest, EachOfThemIsTold) {
  const auto other = std::make_shared<Recorder>();
  options_.listeners.push_back(other);
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  recorder_->Await("flush completed", 1);
  other->Await("flush completed", 1);
  EXPECT_EQ(recorder_->flushes[0].file_path, other->flushes[0].file_path);
}

TEST_F(ListenerTest, CallbacksMayUseTheDatabase) {
  class Reader final : public EventListener {
   public:
    void OnFlushCompleted(DB* db, const FlushJobInfo&) override {
      std::string value;
      read = db->Get(ReadOptions(), "a", &value).ok() && value == "1";
      written = db->Put(WriteOptions(), "b", "2").ok();
      done = true;
    }
    std::atomic<bool> read{false}, written{false}, done{false};
  };
  const auto reader = std::make_shared<Reader>();
  options_.listeners = {reader, recorder_};
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  recorder_->Await("flush completed", 1);
  EXPECT_TRUE(reader->done);
  EXPECT_TRUE(reader->read);
  EXPECT_TRUE(reader->written);
  EXPECT_EQ("2", Get("b"));
}

TEST_F(ListenerTest, FileOperationsAreTimedForThoseWhoAsk) {
  class Watcher final : public EventListener {
   public:
    explicit Watcher(bool asks) : asks_(asks) {}
    bool ShouldBeNotifiedOnFileIO() override { return asks_; }
    void OnFileReadFinish(const FileOperationInfo& info) override {
      EXPECT_EQ(FileOperationType::kRead, info.type);
      EXPECT_LE(0, info.duration.count());
      EXPECT_OK(info.status);
      if (Slice(info.path).ends_with(".sst")) ++table_reads;
    }
    void OnFileWriteFinish(const FileOperationInfo& info) override {
      EXPECT_OK(info.status);
      if (Slice(info.path).ends_with(".sst")) table_bytes += info.length;
      if (Slice(info.path).ends_with(".log")) log_bytes += info.length;
    }
    void OnFileSyncFinish(const FileOperationInfo& info) override {
      EXPECT_OK(info.status);
      ++syncs;
    }
    std::atomic<uint64_t> table_reads{0}, table_bytes{0}, log_bytes{0}, syncs{0};

   private:
    const bool asks_;
  };
  const auto asks = std::make_shared<Watcher>(true);
  const auto does_not = std::make_shared<Watcher>(false);
  options_.listeners = {asks, does_not};
  Open();
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  EXPECT_LE(100u * 100, asks->log_bytes);
  WriteOptions sync;
  sync.sync = true;
  const uint64_t syncs = asks->syncs;
  ASSERT_OK(db_->Put(sync, "z", "1"));
  EXPECT_LT(syncs, asks->syncs);
  ASSERT_OK(Flush());
  const std::string table = FilesEndingIn(".sst").at(0);
  uint64_t size = 0;
  ASSERT_OK(TheEnv()->GetFileSize(dir_ + "/" + table, &size));
  EXPECT_EQ(size, asks->table_bytes);
  Open();
  EXPECT_EQ(std::string(100, 'v'), Get(Key(5)));
  EXPECT_LT(0u, asks->table_reads);
  EXPECT_EQ(0u, does_not->table_reads + does_not->table_bytes + does_not->log_bytes);
}

}  // namespace
}  // namespace conformance
