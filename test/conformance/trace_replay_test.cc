// The replay of traces of operations: of a database's own, and of some that this test writes.
#include <atomic>
#include <iterator>

#include "rocksdb/trace_record_result.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "trace_fixture.h"

namespace conformance {
namespace {

class TraceReplayTest : public TraceFixture {};

// What came of operations, as text.
class ResultText : public TraceRecordResult::Handler {
 public:
  Status Handle(const StatusOnlyTraceExecutionResult& result) override {
    return Add("status " + result.GetStatus().ToString(), result);
  }
  Status Handle(const SingleValueTraceExecutionResult& result) override {
    return Add("value " + result.GetStatus().ToString() + result.GetValue(), result);
  }
  Status Handle(const MultiValuesTraceExecutionResult& result) override {
    std::string all = "values";
    for (size_t i = 0; i < result.GetValues().size(); i++) {
      all += " " + result.GetMultiStatus().at(i).ToString() + result.GetValues()[i];
    }
    return Add(all, result);
  }
  Status Handle(const IteratorTraceExecutionResult& result) override {
    return Add(std::string("at ") + (result.GetValid() ? "" : "nothing ") +
                   result.GetKey().ToString() + "=" + result.GetValue().ToString() +
                   result.GetStatus().ToString(),
               result);
  }

  std::vector<std::string> texts;

 private:
  Status Add(const std::string& text, const TraceExecutionResult& result) {
    texts.push_back(std::to_string(result.GetTraceType()) + " " + text);
    EXPECT_LE(result.GetStartTimestamp(), result.GetEndTimestamp());
    EXPECT_EQ(result.GetEndTimestamp() - result.GetStartTimestamp(), result.GetLatency());
    return Status::OK();
  }
};

TEST_F(TraceReplayTest, ReplayDoesItAgain) {
  OpenWithFamily();
  StartTrace();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->Put(WriteOptions(), other_, "b", "2"));
  ASSERT_OK(Put("c", "3"));
  Get("a");
  Get("none");
  std::vector<std::string> values;
  db_->MultiGet(ReadOptions(), {db_->DefaultColumnFamily(), other_, other_}, {"a", "a", "b"},
                &values);
  {
    const Slice upper("c");
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek("a");
    it->Seek("b");
    it->SeekForPrev("b");
  }
  ASSERT_OK(Delete("c"));
  ASSERT_OK(db_->EndTrace());

  Recreate();
  OpenWithFamily();
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily(), other_}));
  ASSERT_OK(replayer->Prepare());
  EXPECT_EQ(Parse(TraceBytes()).front().timestamp, replayer->GetHeaderTimestamp());
  ResultText results;
  ASSERT_OK(replayer->Replay(ReplayOptions(1, 100.0),
                             [&](Status s, std::unique_ptr<TraceRecordResult>&& result) {
                               EXPECT_OK(s);
                               ASSERT_NE(nullptr, result);
                               EXPECT_OK(result->Accept(&results));
                             }));
  const std::vector<std::string> expected = {
      "3 status OK", "3 status OK",        "3 status OK",
      "4 value OK1", "4 value NotFound: ", "13 values OK1 NotFound:  OK2",
      "5 at a=1OK",  "5 at nothing =OK",   "6 at a=1OK",
      "3 status OK",
  };
  EXPECT_EQ(expected, results.texts);
  EXPECT_EQ("a=1", Contents());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), other_, "b", &value));
  EXPECT_EQ("2", value);
  EXPECT_CODE(Incomplete, replayer->Replay(ReplayOptions(), nullptr));
  ASSERT_OK(replayer->Prepare());
  EXPECT_OK(replayer->Replay(ReplayOptions(0, 100.0), nullptr));
}

TEST_F(TraceReplayTest, RecordsAreReadOneByOne) {
  OpenWithFamily();
  const Slice lower("a"), upper("z");
  StartTrace();
  ASSERT_OK(Put("k", "v"));
  Get("k");
  {
    ReadOptions options;
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options, other_));
    it->SeekForPrev("m");
  }
  std::vector<std::string> values;
  db_->MultiGet(ReadOptions(), {db_->DefaultColumnFamily(), other_}, {"x", "y"}, &values);
  ASSERT_OK(db_->EndTrace());

  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily(), other_}));
  std::unique_ptr<TraceRecord> record;
  EXPECT_CODE(Incomplete, replayer->Next(&record));
  EXPECT_CODE(Incomplete, replayer->Replay(ReplayOptions(), nullptr));
  ASSERT_OK(replayer->Prepare());
  for (const double wrong : {0.0, -1.0}) {
    EXPECT_CODE(InvalidArgument, replayer->Replay(ReplayOptions(1, wrong), nullptr));
  }

  ASSERT_OK(replayer->Next(&record));
  ASSERT_EQ(kTraceWrite, record->GetTraceType());
  EXPECT_EQ(PutBatch("k", "v"),
            static_cast<WriteQueryTraceRecord*>(record.get())->GetWriteBatchRep().ToString());
  ASSERT_OK(replayer->Next(&record));
  ASSERT_EQ(kTraceGet, record->GetTraceType());
  EXPECT_LE(replayer->GetHeaderTimestamp(), record->GetTimestamp());
  const auto* const get = static_cast<GetQueryTraceRecord*>(record.get());
  EXPECT_EQ(0u, get->GetColumnFamilyID());
  EXPECT_EQ("k", get->GetKey().ToString());
  ASSERT_OK(replayer->Next(&record));
  ASSERT_EQ(kTraceIteratorSeekForPrev, record->GetTraceType());
  const auto* const seek = static_cast<IteratorSeekQueryTraceRecord*>(record.get());
  EXPECT_EQ(IteratorSeekQueryTraceRecord::kSeekForPrev, seek->GetSeekType());
  EXPECT_EQ(other_->GetID(), seek->GetColumnFamilyID());
  EXPECT_EQ("m", seek->GetKey().ToString());
  EXPECT_EQ("a", seek->GetLowerBound().ToString());
  EXPECT_EQ("z", seek->GetUpperBound().ToString());
  ASSERT_OK(replayer->Next(&record));
  ASSERT_EQ(kTraceMultiGet, record->GetTraceType());
  const auto* const multi_get = static_cast<MultiGetQueryTraceRecord*>(record.get());
  EXPECT_EQ((std::vector<uint32_t>{0, other_->GetID()}), multi_get->GetColumnFamilyIDs());
  ASSERT_EQ(2u, multi_get->GetKeys().size());
  EXPECT_EQ("y", multi_get->GetKeys()[1].ToString());
  EXPECT_OK(replayer->Execute(record, nullptr));
  EXPECT_CODE(Incomplete, replayer->Next(&record));
  EXPECT_CODE(Incomplete, replayer->Next(&record));

  ASSERT_OK(replayer->Prepare());
  ASSERT_OK(replayer->Next(nullptr));
  ASSERT_OK(replayer->Next(&record));
  EXPECT_EQ(kTraceGet, record->GetTraceType());
}

TEST_F(TraceReplayTest, RecordsAreMadeByProgramsToo) {
  Open();
  ASSERT_OK(Put("a", "1"));
  const std::unique_ptr<TraceRecord::Handler> handler(
      TraceRecord::NewExecutionHandler(db_, {db_->DefaultColumnFamily()}));
  ResultText results;
  const auto run = [&](TraceRecord&& record) {
    std::unique_ptr<TraceRecordResult> result;
    Status s = record.Accept(handler.get(), &result);
    EXPECT_EQ(s.ok(), result != nullptr);
    if (result != nullptr) {
      EXPECT_OK(result->Accept(&results));
    }
    return s;
  };
  EXPECT_OK(run(WriteQueryTraceRecord(PutBatch("b", "2"), 7)));
  EXPECT_OK(run(GetQueryTraceRecord(0, std::string("b"), 7)));
  EXPECT_OK(run(
      IteratorSeekQueryTraceRecord(IteratorSeekQueryTraceRecord::kSeek, 0, std::string("aa"), 7)));
  EXPECT_OK(
      run(IteratorSeekQueryTraceRecord(IteratorSeekQueryTraceRecord::kSeekForPrev, 0,
                                       std::string("z"), std::string("a"), std::string("b"), 7)));
  EXPECT_OK(run(MultiGetQueryTraceRecord({0, 0}, std::vector<std::string>{"a", "c"}, 7)));
  const std::vector<std::string> expected = {"3 status OK", "4 value OK2", "5 at b=2OK",
                                             "6 at a=1OK", "13 values OK1 NotFound: "};
  EXPECT_EQ(expected, results.texts);
  EXPECT_CODE(Corruption, run(GetQueryTraceRecord(1, std::string("b"), 7)));
  EXPECT_CODE(Corruption, run(IteratorSeekQueryTraceRecord(IteratorSeekQueryTraceRecord::kSeek, 5,
                                                           std::string("aa"), 7)));
  EXPECT_CODE(Corruption,
              run(MultiGetQueryTraceRecord({0, 3}, std::vector<std::string>{"a", "c"}, 7)));
  EXPECT_CODE(InvalidArgument, run(MultiGetQueryTraceRecord({}, std::vector<std::string>{}, 7)));
  EXPECT_CODE(InvalidArgument,
              run(MultiGetQueryTraceRecord({0}, std::vector<std::string>{"a", "b"}, 7)));
}

TEST_F(TraceReplayTest, ReplayOnSeveralThreadsDoesAll) {
  Open();
  StartTrace();
  for (int i = 0; i < 500; i++) {
    ASSERT_OK(Put(Key(i), std::to_string(i)));
    Get(Key(i / 2));
  }
  ASSERT_OK(db_->EndTrace());
  const std::string contents = Contents();
  Recreate();
  Open();
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily()}));
  ASSERT_OK(replayer->Prepare());
  std::atomic<int> writes{0}, reads{0};
  ASSERT_OK(replayer->Replay(ReplayOptions(4, 1000.0),
                             [&](Status s, std::unique_ptr<TraceRecordResult>&& result) {
                               EXPECT_OK(s);
                               if (result == nullptr) return;
                               (result->GetTraceType() == kTraceWrite ? writes : reads)++;
                             }));
  EXPECT_EQ(500, writes);
  EXPECT_EQ(500, reads);
  EXPECT_EQ(contents, Contents());
  EXPECT_CODE(Incomplete, replayer->Replay(ReplayOptions(4, 1000.0), nullptr));
}

TEST_F(TraceReplayTest, ReplayKeepsTheTimesBetweenOperations) {
  Open();
  const uint64_t start = 1'000'000'000;
  WriteTrace({{start, kTraceBegin, kHeader02},
              {start + 400'000, kTraceWrite, WritePayload(PutBatch("a", "1"))},
              {start + 500'000, kTraceEnd, ""}});
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily()}));
  ASSERT_OK(replayer->Prepare());
  EXPECT_EQ(start, replayer->GetHeaderTimestamp());
  uint64_t before = TheEnv()->NowMicros();
  ASSERT_OK(replayer->Replay(ReplayOptions(1, 4.0), nullptr));
  EXPECT_LE(99'000u, TheEnv()->NowMicros() - before);
  ASSERT_OK(replayer->Prepare());
  before = TheEnv()->NowMicros();
  ASSERT_OK(replayer->Replay(ReplayOptions(2, 4.0), nullptr));
  EXPECT_LE(99'000u, TheEnv()->NowMicros() - before);
}

TEST_F(TraceReplayTest, OldVersionIsReplayed) {
  OpenWithFamily();
  const std::string put = PutBatch("a", "1");
  WriteTrace({{10, kTraceBegin, kHeader01},
              {11, kTraceWrite, put},
              {12, kTraceGet, Fixed32(0) + Prefixed("a")},
              {13, kTraceIteratorSeek, Fixed32(1) + Prefixed("a")},
              {14, kTraceIteratorSeekForPrev, Fixed32(0) + Prefixed("z")},
              {15, kTraceEnd, ""}});
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily(), other_}));
  ASSERT_OK(replayer->Prepare());
  ResultText results;
  ASSERT_OK(replayer->Replay(ReplayOptions(1, 100.0),
                             [&](Status s, std::unique_ptr<TraceRecordResult>&& result) {
                               EXPECT_OK(s);
                               ASSERT_NE(nullptr, result);
                               EXPECT_OK(result->Accept(&results));
                             }));
  const std::vector<std::string> expected = {"3 status OK", "4 value OK1", "5 at nothing =OK",
                                             "6 at a=1OK"};
  EXPECT_EQ(expected, results.texts);
  EXPECT_EQ("a=1", Contents());
}

TEST_F(TraceReplayTest, UnknownRecordsArePassedOver) {
  Open();
  WriteTrace({{10, kTraceBegin, kHeader02},
              {11, kTraceWrite, WritePayload(PutBatch("a", "1"))},
              {12, kBlockTraceDataBlock, "of another trace"},
              {13, 77, "of the future"},
              {14, kTraceWrite, WritePayload(PutBatch("b", "2"))},
              {15, kTraceEnd, ""},
              {16, kTraceWrite, WritePayload(PutBatch("c", "3"))}});
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(NewReplayer(&replayer, db_, {db_->DefaultColumnFamily()}));
  ASSERT_OK(replayer->Prepare());
  std::unique_ptr<TraceRecord> record;
  ASSERT_OK(replayer->Next(&record));
  EXPECT_CODE(NotSupported, replayer->Next(&record));
  EXPECT_EQ(nullptr, record);
  EXPECT_CODE(NotSupported, replayer->Next(&record));
  ASSERT_OK(replayer->Next(&record));
  for (const uint32_t threads : {1, 3}) {
    ASSERT_OK(replayer->Prepare());
    std::atomic<int> done{0}, unknown{0};
    ASSERT_OK(replayer->Replay(ReplayOptions(threads, 100.0),
                               [&](Status s, std::unique_ptr<TraceRecordResult>&& result) {
                                 EXPECT_EQ(s.IsNotSupported(), result == nullptr);
                                 (s.IsNotSupported() ? unknown : done)++;
                               }));
    EXPECT_EQ(2, done);
    EXPECT_EQ(2, unknown);
  }
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_F(TraceReplayTest, TraceThatWasCutIsReplayedToItsEnd) {
  Open();
  const std::vector<RawRecord> records = {{10, kTraceBegin, kHeader02},
                                          {11, kTraceWrite, WritePayload(PutBatch("a", "1"))},
                                          {12, kTraceGet, GetPayload(0, "a")},
                                          {13, kTraceEnd, ""}};
  std::string whole;
  std::set<size_t> ends;
  for (const RawRecord& record : records) {
    whole += record.Encode();
    ends.insert(whole.size());
  }
  const size_t header_end = *ends.begin();
  for (size_t size = 0; size <= whole.size(); size++) {
    SCOPED_TRACE(size);
    ASSERT_OK(WriteStringToFile(TheEnv(), whole.substr(0, size), trace_));
    const Status s = Replay();
    if (ends.count(size) > 0) {
      EXPECT_OK(s);
    } else if (size == 0) {
      EXPECT_TRUE(s.IsIncomplete()) << s.ToString();
    } else {
      EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    }
    if (size > header_end) {
      EXPECT_EQ(size < *std::next(ends.begin()) ? "NOT_FOUND" : "1", Get("a"));
    }
  }
}

TEST_F(TraceReplayTest, RecordLargerThanTheFileIsCorruption) {
  Open();
  std::string bytes = RawRecord{10, kTraceBegin, kHeader02}.Encode();
  PutNumber(&bytes, 11, 8);
  bytes += static_cast<char>(kTraceGet);
  bytes += Fixed32(0xffffffff) + std::string(5000, 'x');
  ASSERT_OK(WriteStringToFile(TheEnv(), bytes, trace_));
  EXPECT_CODE(Corruption, Replay());
  EXPECT_CODE(Corruption, Replay(2));
}

TEST_F(TraceReplayTest, WhatIsNoTraceIsRefused) {
  Open();
  EXPECT_FALSE(Replay().ok());  // no file
  WriteTrace({{10, kTraceBegin, "feedcafedeadbeee" + std::string(kHeader02 + 16)}});
  EXPECT_CODE(Corruption, Replay());
  WriteTrace({{10, kTraceGet, GetPayload(0, "a")}});
  EXPECT_CODE(Corruption, Replay());
  std::string header = kHeader02;
  WriteTrace({{10, kTraceBegin, header.replace(header.find("0.2"), 3, "0.x")}});
  EXPECT_CODE(Corruption, Replay());
}

#ifdef CAIRN_MAJOR
// (RocksDB's replay takes the marks for those of a log and stops at an assertion.)
TEST_F(TraceReplayTest, PreparedTransactionsAreReplayedByTheirCommits) {
  for (const TxnDBWritePolicy policy : {WRITE_COMMITTED, WRITE_PREPARED, WRITE_UNPREPARED}) {
    for (const bool in_order : {false, true}) {
      SCOPED_TRACE(testing::Message() << policy << in_order);
      Recreate();
      TransactionDB* db = nullptr;
      TransactionDBOptions transaction_options;
      transaction_options.write_policy = policy;
      ASSERT_OK(TransactionDB::Open(options_, transaction_options, dir_, &db));
      db_ = db;
      TraceOptions options;
      options.preserve_write_order = in_order;
      StartTrace(options);
      for (const std::string& name : std::vector<std::string>{"kept", "taken back"}) {
        const std::unique_ptr<Transaction> txn(db->BeginTransaction(WriteOptions()));
        ASSERT_OK(txn->SetName(name));
        ASSERT_OK(txn->Put(name, "2"));
        ASSERT_OK(txn->Prepare());
        ASSERT_OK(name == "kept" ? txn->Commit() : txn->Rollback());
      }
      ASSERT_OK(db_->EndTrace());
      const std::string contents = Contents();
      EXPECT_EQ("kept=2", contents);
      Recreate();
      Open();
      ASSERT_OK(Replay());
      EXPECT_EQ(contents, Contents());
    }
  }
}

TEST_F(TraceReplayTest, NewerVersionIsRefused) {
  Open();
  for (const char* const version : {"0.3", "1.0", "12.34"}) {
    std::string header = kHeader02;
    WriteTrace({{10, kTraceBegin, header.replace(header.find("0.2"), 3, version)}});
    EXPECT_CODE(NotSupported, Replay());
  }
}

// (RocksDB takes what there is.)
TEST_F(TraceReplayTest, PayloadThatIsDamagedIsCorruption) {
  Open();
  const std::vector<RawRecord> whole = {{11, kTraceWrite, WritePayload(PutBatch("a", "1"))},
                                        {11, kTraceGet, GetPayload(0, "a")},
                                        {11, kTraceIteratorSeek, SeekPayload(0, "a", "b", "c")},
                                        {11, kTraceMultiGet, MultiGetPayload({0, 0}, {"a", "b"})}};
  for (RawRecord record : whole) {
    WriteTrace({{10, kTraceBegin, kHeader02}, record});
    ASSERT_OK(Replay());
    const std::string payload = record.payload;
    for (size_t size = 0; size < payload.size(); size++) {
      SCOPED_TRACE(testing::Message() << record.type << " cut to " << size);
      record.payload = payload.substr(0, size);
      WriteTrace({{10, kTraceBegin, kHeader02}, record});
      EXPECT_CODE(Corruption, Replay());
      EXPECT_CODE(Corruption, Replay(2));
    }
    record.payload = payload + "x";
    WriteTrace({{10, kTraceBegin, kHeader02}, record});
    EXPECT_CODE(Corruption, Replay());
    record.payload = payload;
    record.payload[4] = 1;  // a field that nobody knows
    WriteTrace({{10, kTraceBegin, kHeader02}, record});
    EXPECT_CODE(Corruption, Replay());
  }
  std::string keys = MultiGetPayload({0, 0}, {"a", "b"});
  keys[8 + 3] = '\x7f';  // as many keys
  WriteTrace({{10, kTraceBegin, kHeader02}, {11, kTraceMultiGet, keys}});
  EXPECT_CODE(Corruption, Replay());
}

TEST_F(TraceReplayTest, EarliestErrorOfSeveralThreadsIsReturned) {
  Open();
  std::vector<RawRecord> records = {{10, kTraceBegin, kHeader02}};
  for (uint64_t i = 0; i < 100; i++) {
    records.push_back({11 + i, kTraceGet, GetPayload(i == 20 ? 9 : 0, "a")});
  }
  WriteTrace(records);
  EXPECT_CODE(Corruption, Replay());
  EXPECT_CODE(Corruption, Replay(4));
}

TEST_F(TraceReplayTest, NothingIsInvalidArgument) {
  Open();
  EXPECT_CODE(InvalidArgument, db_->StartTrace(TraceOptions(), nullptr));
  EXPECT_CODE(IOError, db_->EndTrace());
  std::unique_ptr<Replayer> replayer;
  ASSERT_OK(db_->NewDefaultReplayer({}, nullptr, &replayer));
  EXPECT_CODE(InvalidArgument, replayer->Prepare());
  EXPECT_CODE(InvalidArgument, replayer->Execute(nullptr, nullptr));
}
#endif

}  // namespace
}  // namespace conformance
