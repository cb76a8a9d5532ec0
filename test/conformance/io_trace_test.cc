// Traces of the file system's calls: which are told, and the bytes of the file.
#include <map>

#include "trace_fixture.h"

namespace conformance {
namespace {

// The payload of a call, taken apart as this test knows it.
struct TracedCall {
  std::string operation;
  uint64_t latency = 0;
  std::string status;
  std::string file;
  std::map<std::string, uint64_t> numbers;  // "size", "length", "offset"
};

class IOTraceConformanceTest : public TraceFixture {
 protected:
  Status StartIO(const TraceOptions& options = TraceOptions()) {
    std::unique_ptr<TraceWriter> writer;
    Status s = NewFileTraceWriter(TheEnv(), EnvOptions(), trace_, &writer);
    return s.ok() ? db_->StartIOTrace(options, std::move(writer)) : s;
  }
  static TracedCall ParseCall(const RawRecord& record) {
    const std::string& bytes = record.payload;
    size_t at = 0;
    const auto number = [&] {
      at += 8;
      return NumberAt(bytes, at - 8, 8);
    };
    const auto string = [&] {
      size_t length = 0, byte = 0;  // seven bits in each, the low ones first
      int shift = 0;
      do {
        byte = static_cast<unsigned char>(bytes.at(at++));
        length |= (byte & 127) << shift;
        shift += 7;
      } while (byte >= 128);
      at += length;
      return bytes.substr(at - length, length);
    };
    EXPECT_EQ(kIOTracer, record.type);
    TracedCall call;
    const uint64_t fields = number();
    call.operation = string();
    call.latency = number();
    call.status = string();
    call.file = string();
    if ((fields & 1) != 0) call.numbers["size"] = number();
    if ((fields & 2) != 0) call.numbers["length"] = number();
    if ((fields & 4) != 0) call.numbers["offset"] = number();
    EXPECT_LT(fields, 8u);
    EXPECT_EQ(0u, number());  // no request's id
    EXPECT_EQ(bytes.size(), at);
    return call;
  }
  std::vector<TracedCall> Calls() {
    const std::vector<RawRecord> records = Parse(TraceBytes());
    std::vector<TracedCall> calls;
    for (size_t i = 1; i < records.size(); i++) calls.push_back(ParseCall(records[i]));
    return calls;
  }
  static bool EndsIn(const std::string& name, const std::string& end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
  }
};

TEST_F(IOTraceConformanceTest, WhatAFlushAndAReadDoIsTold) {
  Open();
  ASSERT_OK(StartIO());
  ASSERT_OK(Put("key", std::string(1000, 'v')));
  ASSERT_OK(db_->Flush(FlushOptions()));
  EXPECT_EQ(1000u, Get("key").size());
  ASSERT_OK(db_->EndIOTrace());
  std::vector<LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  ASSERT_EQ(1u, tables.size());
  const std::string table = tables[0].name.substr(1);

  uint64_t appended = 0, logged = 0;
  std::map<std::string, int> of_table;
  for (const TracedCall& call : Calls()) {
    EXPECT_EQ(std::string::npos, call.file.find('/')) << call.file;
    EXPECT_GT(60000000000u, call.latency);
    if (EndsIn(call.file, ".log") && call.operation == "Append") {
      logged += call.numbers.at("length");
      EXPECT_EQ(0u, call.numbers.count("size"));
    }
    if (call.file != table) continue;
    EXPECT_EQ("OK", call.status);
    ++of_table[call.operation];
    if (call.operation == "Append") appended += call.numbers.at("length");
    if (call.operation == "Read") {
      EXPECT_EQ(1u, call.numbers.count("offset"));
      EXPECT_LT(0u, call.numbers.at("length"));
    }
  }
  EXPECT_LT(1000u, logged);
  EXPECT_EQ(tables[0].size, appended);
  // (That it is opened is told by Cairn; RocksDB 7.8.3 does not tell it of all files.)
  EXPECT_EQ(1, of_table["Close"]);
  EXPECT_LT(0, of_table["Read"]);
}

TEST_F(IOTraceConformanceTest, TheHeader) {
  Open();
  ASSERT_OK(StartIO());
  ASSERT_OK(db_->EndIOTrace());
  const std::vector<RawRecord> records = Parse(TraceBytes());
  ASSERT_EQ(1u, records.size());
  EXPECT_EQ(kTraceBegin, records[0].type);
  EXPECT_EQ(Prefixed("feedcafedeadbeef") + Fixed32(7) + Fixed32(8), records[0].payload);
}

TEST_F(IOTraceConformanceTest, OneRunsAtATime) {
  Open();
  ASSERT_OK(db_->EndIOTrace());
  ASSERT_OK(StartIO());
  std::string others;
  EXPECT_TRUE(
      db_->StartIOTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&others, nullptr))
          .IsBusy());
  EXPECT_EQ("", others);
  ASSERT_OK(db_->EndIOTrace());
  ASSERT_OK(db_->EndIOTrace());
  ASSERT_OK(StartIO());
  Shut();  // ends it, too
  EXPECT_LE(1u, Parse(TraceBytes()).size());
}

TEST_F(IOTraceConformanceTest, ItsSizeIsLimited) {
  Open();
  TraceOptions options;
  options.max_trace_file_size = 10;
  ASSERT_OK(StartIO(options));
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(db_->EndIOTrace());
  EXPECT_EQ(1u, Parse(TraceBytes()).size());
}

// The operations go on; only the header's failure is told.
TEST_F(IOTraceConformanceTest, AWriterThatFails) {
  Open();
  std::string bytes;
  bool fails = true;
  EXPECT_TRUE(db_->StartIOTrace(TraceOptions(), std::make_unique<StringTraceWriter>(&bytes, &fails))
                  .IsIOError());
  EXPECT_OK(Put("key", "value"));
  EXPECT_OK(db_->Flush(FlushOptions()));
  EXPECT_EQ("value", Get("key"));
  EXPECT_OK(db_->EndIOTrace());
  EXPECT_EQ("", bytes);
}

// What lay open before is told, too.
TEST_F(IOTraceConformanceTest, FilesThatWereOpen) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  EXPECT_EQ("value", Get("key"));
  ASSERT_OK(StartIO());
  EXPECT_EQ("value", Get("key"));
  ASSERT_OK(db_->EndIOTrace());
  int reads = 0;
  for (const TracedCall& call : Calls()) {
    EXPECT_NE("NewRandomAccessFile", call.operation);
    reads += EndsIn(call.file, ".sst") && call.operation == "Read";
  }
  EXPECT_EQ(1, reads);
}

}  // namespace
}  // namespace conformance
