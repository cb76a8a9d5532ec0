// DB::GetAsync and MultiGetAsync: the answers of Get and MultiGet, in the call where memory has
// them, else from a fiber.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "rocksdb/iostats_context.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class Note final : public DB::AsyncCallback {
 public:
  bool EnableStats() const override { return true; }
  void OnComplete(const PerfContext* perf, const IOStatsContext* iostats) override {
    EXPECT_NE(nullptr, perf);
    EXPECT_NE(nullptr, iostats);
    perf_ = *perf;
    io_ = *iostats;
    EXPECT_FALSE(over_.is_set());
    on_fiber_ = fiber::in_fiber();
    runtime_ = fiber::Runtime::current();
    over_.set();
  }
  bool over() const { return over_.is_set(); }
  void Wait() { over_.wait(); }
  bool on_fiber() const { return on_fiber_; }
  const fiber::Runtime* runtime() const { return runtime_; }
  const PerfContext& perf() const { return perf_; }
  const IOStatsContext& io() const { return io_; }

 private:
  PerfContext perf_;
  IOStatsContext io_;
  fiber::Event over_;
  bool on_fiber_ = false;
  const fiber::Runtime* runtime_ = nullptr;
};

class DbAsyncTest : public testing::DbTest {
 protected:
  void SetUp() override {
    Options options = SmallOptions();
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    options.statistics = statistics_;
    Open(options);
    for (uint64_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 300)).ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), "memory", "here").ok());
    std::string value;
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(0), &value).ok());
  }

  const std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
};

TEST_F(DbAsyncTest, AGetFromMemoryIsOverInTheCall) {
  Note note;
  Status status = Status::Corruption("not set");
  std::string value;
  db_->GetAsync(ReadOptions(), "memory", &value, status, note);
  EXPECT_TRUE(note.over());
  EXPECT_FALSE(note.on_fiber());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ("here", value);
}

TEST_F(DbAsyncTest, AGetFromAFileIsOverLater) {
  const uint64_t before = statistics_->getTickerCount(NUMBER_KEYS_READ);
  for (uint64_t i = 0; i < 100; i += 9) {
    Note notes[3];
    Status statuses[3];
    const std::string key = Key(i);
    PinnableSlice pinned;
    std::string value, other;
    db_->GetAsync(ReadOptions(), db_->DefaultColumnFamily(), key, &pinned, statuses[0], notes[0]);
    db_->GetAsync(ReadOptions(), db_->DefaultColumnFamily(), key, &value, statuses[1], notes[1]);
    db_->GetAsync(ReadOptions(), key, &other, nullptr, statuses[2], notes[2]);
    for (int n = 0; n < 3; ++n) {
      notes[n].Wait();
      EXPECT_TRUE(notes[n].on_fiber());
      EXPECT_TRUE(statuses[n].ok()) << statuses[n].ToString();
    }
    EXPECT_EQ(Value(i, 300), pinned.ToString());
    EXPECT_EQ(Value(i, 300), value);
    EXPECT_EQ(Value(i, 300), other);
  }
  // The look at memory before does not count.
  EXPECT_EQ(before + 36, statistics_->getTickerCount(NUMBER_KEYS_READ));
}

TEST_F(DbAsyncTest, OnAFiberItStaysInItsRuntime) {
  fiber::Runtime runtime;
  runtime.run([&] {
    Note note;
    Status status;
    std::string value;
    const std::string key = Key(7);
    db_->GetAsync(ReadOptions(), key, &value, status, note);
    EXPECT_FALSE(note.over());
    note.Wait();
    EXPECT_EQ(&runtime, note.runtime());
    EXPECT_EQ(Value(7, 300), value);
  });
}

TEST_F(DbAsyncTest, ACallbackSeesWhatItsOperationDid) {
  SetPerfLevel(kEnableTimeExceptForMutex);
  get_perf_context()->Reset();
  get_perf_context()->EnablePerLevelPerfContext();
  Status status, other_status;
  std::string value, other_value;
  Note in_memory, in_file;
  db_->GetAsync(ReadOptions(), "memory", &value, status, in_memory);
  const std::string key = Key(3);
  db_->GetAsync(ReadOptions(), key, &other_value, other_status, in_file);
  in_file.Wait();
  EXPECT_EQ(4u, in_memory.perf().get_read_bytes);
  EXPECT_EQ(1u, in_memory.perf().get_from_memtable_count);
  EXPECT_EQ(0u, in_memory.perf().block_read_count);
  EXPECT_EQ(0u, in_memory.io().bytes_read);
  EXPECT_EQ(300u, in_file.perf().get_read_bytes);
  EXPECT_EQ(1u, in_file.perf().get_from_memtable_count);  // the look at memory does not count
  EXPECT_EQ(1u, in_file.perf().block_read_count);
  EXPECT_GT(in_file.perf().get_from_output_files_time, 0u);
  EXPECT_GE(in_file.io().bytes_read, 300u);
  ASSERT_NE(nullptr, in_file.perf().level_to_perf_context);
  EXPECT_EQ(1u, in_file.perf().level_to_perf_context->at(0).user_key_return_count);
  // Nothing of it is the caller's.
  EXPECT_EQ(0u, get_perf_context()->get_read_bytes);
  get_perf_context()->ClearPerLevelPerfContext();
  SetPerfLevel(kEnableCount);
}

TEST_F(DbAsyncTest, ManyKeys) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < 110; i += 5) texts.push_back(Key(i));
  texts.push_back("memory");
  const std::vector<Slice> keys(texts.begin(), texts.end());
  std::vector<ColumnFamilyHandle*> families(keys.size(), db_->DefaultColumnFamily());
  for (const bool async_io : {false, true}) {
    ReadOptions options;
    options.async_io = async_io;
    std::vector<PinnableSlice> values(keys.size()), expected(keys.size());
    std::vector<Status> statuses(keys.size()), expected_statuses(keys.size());
    Note note;
    db_->MultiGetAsync(options, keys.size(), families.data(), keys.data(), values.data(),
                       statuses.data(), note);
    note.Wait();
    EXPECT_TRUE(note.on_fiber());
    db_->MultiGet(options, keys.size(), families.data(), keys.data(), expected.data(),
                  expected_statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(expected_statuses[i].ToString(), statuses[i].ToString());
      EXPECT_EQ(expected[i].ToString(), values[i].ToString());
    }
  }
  // All of it in memory.
  Note note;
  const Slice one[] = {"memory"};
  PinnableSlice value;
  Status status;
  db_->MultiGetAsync(ReadOptions(), 1, families.data(), one, &value, &status,
                     /*sorted_input=*/true, note);
  EXPECT_TRUE(note.over());
  EXPECT_EQ("here", value);
}

// Of a family without timestamps.
TEST_F(DbAsyncTest, ATimestampThatThereIsNot) {
  std::string value, timestamp = "old";
  Status status;
  Note note;
  db_->GetAsync(ReadOptions(), "memory", &value, &timestamp, status, note);
  EXPECT_TRUE(note.over());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ("here", value);
  EXPECT_EQ("", timestamp);
  const Slice at("12345678");
  ReadOptions options;
  options.timestamp = &at;
  const Slice keys[] = {"memory", "b"};
  ColumnFamilyHandle* families[] = {db_->DefaultColumnFamily(), db_->DefaultColumnFamily()};
  PinnableSlice values[2];
  std::string timestamps[2];
  Status statuses[2];
  Note other;
  db_->MultiGetAsync(options, 2, families, keys, values, timestamps, statuses, other);
  EXPECT_TRUE(other.over());
  EXPECT_TRUE(statuses[0].IsInvalidArgument());
  EXPECT_TRUE(statuses[1].IsInvalidArgument());
}

TEST_F(DbAsyncTest, ThousandsAtOnce) {
  constexpr size_t kReads = 3000;
  struct Count final : DB::AsyncCallback {
    void OnComplete(const PerfContext*, const IOStatsContext*) override { left.count_down(); }
    fiber::Latch left{kReads};
  } count;
  std::vector<std::string> keys, values(kReads);
  std::vector<Status> statuses(kReads);
  for (size_t i = 0; i < kReads; ++i) keys.push_back(Key(i % 100));
  for (size_t i = 0; i < kReads; ++i) {
    db_->GetAsync(ReadOptions(), keys[i], &values[i], statuses[i], count);
  }
  count.left.wait();
  for (size_t i = 0; i < kReads; ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    ASSERT_EQ(Value(i % 100, 300), values[i]);
  }
}

}  // namespace
}  // namespace cairn
