// Traces of operations: the bytes of the file, which this test's own code takes apart, so that both
// libraries have the same format, and what is traced.
#include <atomic>

#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "trace_fixture.h"

namespace conformance {
namespace {

class TraceTest : public TraceFixture {};

TEST_F(TraceTest, FileHasTheBytesOfTheFormat) {
  OpenWithFamily();
  ASSERT_OK(Put("a", "1"));
  const uint64_t before = TheEnv()->NowMicros();
  StartTrace();
  ASSERT_OK(Put("b", "2"));
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("NOT_FOUND", Get("none"));
  std::string value;
  EXPECT_CODE(NotFound, db_->Get(ReadOptions(), other_, "x", &value));
  std::vector<std::string> values;
  ColumnFamilyHandle* const first = db_->DefaultColumnFamily();
  db_->MultiGet(ReadOptions(), {first, other_}, {"a", "b"}, &values);
  const Slice keys[] = {"c", "d", "e"};
  PinnableSlice pinned[3];
  Status statuses[3];
  db_->MultiGet(ReadOptions(), other_, 3, keys, pinned, statuses);
  ColumnFamilyHandle* handles[] = {other_, first, other_};
  db_->MultiGet(ReadOptions(), 3, handles, keys, pinned, statuses);
  {
    const Slice lower("a"), upper("q");
    ReadOptions options;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->SeekToFirst();  // not traced without a bound
    it->SeekToLast();
    it->Seek("b");
    it->Next();
    it->SeekForPrev("bb");
    options.iterate_lower_bound = &lower;
    it.reset(db_->NewIterator(options, other_));
    it->Seek("s");
    it->SeekToFirst();
    options.iterate_upper_bound = &upper;
    it.reset(db_->NewIterator(options));
    it->SeekForPrev("t");
    it->SeekToLast();
  }
  WriteBatch batch;
  ASSERT_OK(batch.Delete("a"));
  ASSERT_OK(batch.Put(other_, "x", "y"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(db_->EndTrace());
  ASSERT_OK(Put("after", "the end"));
  const uint64_t after = TheEnv()->NowMicros();

  const std::vector<RawRecord> records = Parse(TraceBytes());
  const std::vector<std::pair<int, std::string>> expected = {
      {1, kHeader02},
      {3, WritePayload(PutBatch("b", "2"))},
      {4, GetPayload(0, "a")},
      {4, GetPayload(0, "none")},
      {4, GetPayload(1, "x")},
      {13, MultiGetPayload({0, 1}, {"a", "b"})},
      {13, MultiGetPayload({1, 1, 1}, {"c", "d", "e"})},
      {13, MultiGetPayload({1, 0, 1}, {"c", "d", "e"})},
      {5, SeekPayload(0, "b")},
      {6, SeekPayload(0, "bb")},
      {5, SeekPayload(1, "s", "a")},
      {5, SeekPayload(1, "a", "a")},
      {6, SeekPayload(0, "t", "a", "q")},
      {6, SeekPayload(0, "q", "a", "q")},
      {3, WritePayload(std::string(8, '\0') + Fixed32(2) + '\x00' + Prefixed("a") +
                       std::string("\x05\x01") + Prefixed("x") + Prefixed("y"))},
      {2, ""},
  };
  ASSERT_EQ(expected.size(), records.size());
  uint64_t last = before;
  for (size_t i = 0; i < records.size(); i++) {
    SCOPED_TRACE(i);
    EXPECT_EQ(expected[i].first, records[i].type);
    EXPECT_EQ(Slice(expected[i].second).ToString(true), Slice(records[i].payload).ToString(true));
    EXPECT_LE(last, records[i].timestamp);
    last = records[i].timestamp;
  }
  EXPECT_LE(last, after);
}

TEST_F(TraceTest, FiltersKeepOperationsOut) {
  Open();
  const auto types_with = [&](uint64_t filter) {
    TraceOptions options;
    options.filter = filter;
    StartTrace(options);
    EXPECT_OK(Put("a", "1"));
    Get("a");
    std::vector<std::string> values;
    db_->MultiGet(ReadOptions(), std::vector<Slice>{"a", "b"}, &values);
    {
      const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      it->Seek("a");
      it->SeekForPrev("a");
    }
    EXPECT_OK(db_->EndTrace());
    return Types();
  };
  EXPECT_EQ("3 4 13 5 6", types_with(kTraceFilterNone));
  EXPECT_EQ("3 13 5 6", types_with(kTraceFilterGet));
  EXPECT_EQ("4 13 5 6", types_with(kTraceFilterWrite));
  EXPECT_EQ("3 4 13 6", types_with(kTraceFilterIteratorSeek));
  EXPECT_EQ("3 4 13 5", types_with(kTraceFilterIteratorSeekForPrev));
  EXPECT_EQ("3 4 5 6", types_with(kTraceFilterMultiGet));
  EXPECT_EQ("5 6", types_with(kTraceFilterGet | kTraceFilterWrite | kTraceFilterMultiGet));
}

TEST_F(TraceTest, SamplingTakesOneOfSoMany) {
  Open();
  TraceOptions options;
  options.sampling_frequency = 3;
  options.filter = kTraceFilterGet;
  StartTrace(options);
  for (int i = 0; i < 10; i++) {
    ASSERT_OK(Put(Key(i), "v"));
    Get(Key(i));  // not counted
  }
  ASSERT_OK(db_->EndTrace());
  const std::vector<RawRecord> records = Parse(TraceBytes());
  ASSERT_EQ(5u, records.size());
  EXPECT_EQ(WritePayload(PutBatch(Key(2), "v")), records[1].payload);
  EXPECT_EQ(WritePayload(PutBatch(Key(5), "v")), records[2].payload);
  EXPECT_EQ(WritePayload(PutBatch(Key(8), "v")), records[3].payload);
}

TEST_F(TraceTest, NothingIsAddedAboveTheLargestSize) {
  Open();
  TraceOptions options;
  options.max_trace_file_size = 200;
  StartTrace(options);
  for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(db_->EndTrace());
  const std::vector<RawRecord> records = Parse(TraceBytes());
  // 105 bytes of header, 45 of each write.
  EXPECT_EQ(200u / 45, records.size() - 1);
  EXPECT_EQ(kTraceEnd, records.back().type);
}

TEST_F(TraceTest, OperationsThatFailAreTracedWhenTheyAreCalled) {
  Open();
  StartTrace();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  unlogged.sync = true;
  EXPECT_CODE(InvalidArgument, db_->Put(unlogged, "a", "1"));
  ReadOptions cache_only;
  cache_only.read_tier = kBlockCacheTier;
  PinnableSlice value;
  EXPECT_CODE(NotFound, db_->Get(cache_only, db_->DefaultColumnFamily(), "a", &value));
  std::string text;
  db_->KeyMayExist(ReadOptions(), "k", &text);
  ASSERT_OK(db_->EndTrace());
  EXPECT_EQ("3 4 4", Types());
}

TEST_F(TraceTest, EndNeedsABeginning) {
  Open();
  EXPECT_CODE(IOError, db_->EndTrace());
  StartTrace();
  EXPECT_OK(db_->EndTrace());
  EXPECT_CODE(IOError, db_->EndTrace());
}

TEST_F(TraceTest, SecondStartTakesTheFirstOnesPlace) {
  Open();
  std::string first, second;
  ASSERT_OK(db_->StartTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&first, nullptr)));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->StartTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&second, nullptr)));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(db_->EndTrace());
  EXPECT_CODE(IOError, db_->EndTrace());
  const std::vector<RawRecord> of_first = Parse(first), of_second = Parse(second);
  ASSERT_LE(2u, of_first.size());
  EXPECT_EQ(WritePayload(PutBatch("a", "1")), of_first[1].payload);
  if (of_first.size() > 2) {
    EXPECT_EQ(kTraceEnd, of_first[2].type);  // Cairn ends it
  }
  ASSERT_EQ(3u, of_second.size());
  EXPECT_EQ(WritePayload(PutBatch("b", "2")), of_second[1].payload);
}

TEST_F(TraceTest, WriterThatFailsHarmsNoOperation) {
  Open();
  std::string bytes;
  bool fails = true;
  ASSERT_OK(db_->StartTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&bytes, &fails)));
  EXPECT_OK(Put("a", "1"));
  EXPECT_EQ("1", Get("a"));
  EXPECT_CODE(IOError, db_->EndTrace());
  EXPECT_CODE(IOError, db_->EndTrace());
  fails = false;
  ASSERT_OK(db_->StartTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&bytes, &fails)));
  EXPECT_OK(Put("b", "2"));
  EXPECT_OK(db_->EndTrace());
  EXPECT_EQ(3u, Parse(bytes).size());
}

TEST_F(TraceTest, ClosedDatabaseLeavesATraceThatIsRead) {
  Open();
  StartTrace();
  for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key(i), "v"));
  const std::string contents = Contents();
  Shut();
  RemoveTree(dir_);
  Open();
  EXPECT_OK(Replay());
  EXPECT_EQ(contents, Contents());
}

TEST_F(TraceTest, OrderOfWritesIsKeptIfAsked) {
  for (const bool pipelined : {false, true}) {
    Recreate();
    options_.enable_pipelined_write = pipelined;
    Open();
    TraceOptions options;
    options.preserve_write_order = true;
    StartTrace(options);
    std::vector<Thread> threads;
    for (int t = 0; t < 4; t++) {
      threads.emplace_back([this, t] {
        for (int i = 0; i < 200; i++) {
          EXPECT_OK(Put("k" + std::to_string(i % 3), std::to_string(t) + "." + std::to_string(i)));
        }
      });
    }
    for (Thread& thread : threads) thread.join();
    EXPECT_EQ("NOT_FOUND", Get("none"));
    ASSERT_OK(db_->EndTrace());
    std::string logged, traced;
    std::unique_ptr<TransactionLogIterator> updates;
    ASSERT_OK(db_->GetUpdatesSince(1, &updates));
    for (; updates->Valid(); updates->Next()) {
      const std::string batch = updates->GetBatch().writeBatchPtr->Data();
      logged += batch.substr(12);
    }
    int writes = 0;
    for (const RawRecord& record : Parse(TraceBytes())) {
      if (record.type != kTraceWrite) continue;
      writes++;
      // (Neither has the sequence number.)
      EXPECT_EQ(std::string(8, '\0'), record.payload.substr(9, 8));
      traced += record.payload.substr(9 + 12);
    }
    EXPECT_EQ(800, writes);
    EXPECT_TRUE(logged == traced);
    const std::string contents = Contents();
    Recreate();
    Open();
    ASSERT_OK(Replay());
    EXPECT_EQ(contents, Contents());
  }
}

TEST_F(TraceTest, EachIsTracedOnceBesideOthers) {
  Open();
  StartTrace();
  std::vector<Thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 100; i++) {
        EXPECT_OK(Put(Key(t * 1000 + i), "v"));
        EXPECT_EQ("v", Get(Key(t * 1000 + i)));
      }
    });
  }
  for (Thread& thread : threads) thread.join();
  ASSERT_OK(db_->EndTrace());
  std::map<std::string, int> seen;
  for (const RawRecord& record : Parse(TraceBytes())) seen[record.payload]++;
  EXPECT_EQ(802u, seen.size());
  for (const auto& [payload, times] : seen) EXPECT_EQ(1, times);
}

TEST_F(TraceTest, TracesBeginAndEndBesideOperations) {
  Open();
  std::atomic<bool> stop{false};
  std::vector<Thread> threads;
  for (int t = 0; t < 2; t++) {
    threads.emplace_back([this, t, &stop] {
      const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      for (int i = 0; !stop; i++) {
        EXPECT_OK(Put(Key(t), std::to_string(i)));
        Get(Key(i % 2));
        it->Seek("key");
        TheEnv()->SleepForMicroseconds(1);
      }
    });
  }
  for (int i = 0; i < 50; i++) {
    std::string bytes;
    TraceOptions options;
    options.preserve_write_order = i % 2 == 1;
    ASSERT_OK(db_->StartTrace(options, std::make_unique<StringTraceWriter>(&bytes, nullptr)));
    ASSERT_OK(Put("mine", std::to_string(i)));
    ASSERT_OK(db_->EndTrace());
    const std::vector<RawRecord> records = Parse(bytes);
    EXPECT_EQ(kTraceBegin, records.front().type);
    EXPECT_EQ(kTraceEnd, records.back().type);
    EXPECT_EQ(1, std::count_if(records.begin(), records.end(), [&](const RawRecord& record) {
                return record.payload == WritePayload(PutBatch("mine", std::to_string(i)));
              }));
  }
  stop = true;
  for (Thread& thread : threads) thread.join();
}

TEST_F(TraceTest, CommitsAreWrites) {
  TransactionDB* db = nullptr;
  TransactionDBOptions transaction_options;
  ASSERT_OK(TransactionDB::Open(options_, transaction_options, dir_, &db));
  db_ = db;
  StartTrace();
  std::unique_ptr<Transaction> txn(db->BeginTransaction(WriteOptions()));
  ASSERT_OK(txn->Put("a", "1"));
  std::string value;
  EXPECT_OK(txn->Get(ReadOptions(), "a", &value));  // its own
  EXPECT_CODE(NotFound, txn->Get(ReadOptions(), "b", &value));
  ASSERT_OK(txn->Commit());
  txn.reset();
  ASSERT_OK(db_->EndTrace());
  EXPECT_EQ("3", Types().substr(Types().size() - 1));
  Shut();
  RemoveTree(dir_);
  Open();
  ASSERT_OK(Replay());
  EXPECT_EQ("a=1", Contents());
}

TEST_F(TraceTest, FileReaderBeginsAnewAndCloses) {
  WriteTrace({{10, kTraceBegin, kHeader02}, {11, kTraceGet, std::string(100'000, 'x')}});
  std::unique_ptr<TraceReader> reader;
  ASSERT_OK(NewFileTraceReader(TheEnv(), EnvOptions(), trace_, &reader));
  for (int i = 0; i < 2; i++) {
    std::string first, second, third;
    ASSERT_OK(reader->Read(&first));
    EXPECT_EQ((RawRecord{10, kTraceBegin, kHeader02}.Encode()), first);
    ASSERT_OK(reader->Read(&second));
    EXPECT_EQ(13u + 100'000, second.size());
    EXPECT_CODE(Incomplete, reader->Read(&third));
    ASSERT_OK(reader->Reset());
  }
  EXPECT_OK(reader->Close());
  EXPECT_CODE(IOError, reader->Reset());
  std::unique_ptr<TraceWriter> writer;
  EXPECT_FALSE(NewFileTraceWriter(TheEnv(), EnvOptions(), root_ + "/none/trace", &writer).ok());
  ASSERT_OK(NewFileTraceWriter(TheEnv(), EnvOptions(), trace_, &writer));
  EXPECT_EQ(0u, writer->GetFileSize());
  ASSERT_OK(writer->Write("some bytes"));
  EXPECT_EQ(10u, writer->GetFileSize());
  EXPECT_OK(writer->Close());
  EXPECT_EQ("some bytes", TraceBytes());
}

}  // namespace
}  // namespace conformance
