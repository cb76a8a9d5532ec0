// IOTrace, its format and TracedFileSystem. What a database tells is in
// test/conformance/io_trace_test.cc.
#include "trace/io_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/io_trace_reader.h"
#include "fs/memory_file_system.h"
#include "rocksdb/env.h"
#include "trace/io_trace_format.h"
#include "trace/trace_fields.h"
#include "trace/traced_file_system.h"

namespace cairn {
namespace {

class WriterOfIOTrace final : public TraceWriter {
 public:
  WriterOfIOTrace(std::vector<std::string>* entries, Status answer, bool* closed)
      : entries_(entries), answer_(std::move(answer)), closed_(closed) {}
  Status Write(const Slice& data) override {
    entries_->push_back(data.ToString());
    bytes_ += data.size();
    return answer_;
  }
  Status Close() override {
    *closed_ = true;
    return answer_;
  }
  uint64_t GetFileSize() override { return bytes_; }

 private:
  std::vector<std::string>* const entries_;
  const Status answer_;
  bool* const closed_;
  uint64_t bytes_ = 0;
};

class IOTraceTest : public ::testing::Test {
 protected:
  Status Start(const TraceOptions& options = TraceOptions(), const Status& answer = Status::OK()) {
    entries_.clear();
    closed_ = false;
    return trace_->Start(17, options,
                         std::make_unique<WriterOfIOTrace>(&entries_, answer, &closed_));
  }
  // The calls after the header, as "Append 000001.log OK length=3".
  std::vector<std::string> Calls() {
    std::vector<std::string> calls;
    for (size_t i = 1; i < entries_.size(); ++i) {
      TraceEntry entry;
      EXPECT_TRUE(DecodeTraceEntry(entries_[i], &entry).ok());
      IOTraceRecord call;
      const Status s = DecodeIOCall(entry, &call);
      EXPECT_TRUE(s.ok()) << s.ToString();
      EXPECT_LE(call.latency, call.access_timestamp);
      std::string text = call.file_operation + " " + call.file_name + " " + call.io_status;
      if (call.file_size.has_value()) text += " file_size=" + std::to_string(*call.file_size);
      if (call.length.has_value()) text += " length=" + std::to_string(*call.length);
      if (call.offset.has_value()) text += " offset=" + std::to_string(*call.offset);
      if (call.request.has_value()) text += " request=" + *call.request;
      calls.push_back(text);
    }
    return calls;
  }

  const std::shared_ptr<IOTrace> trace_ = std::make_shared<IOTrace>();
  const std::shared_ptr<FileSystem> memory_ = std::make_shared<MemoryFileSystem>();
  TracedFileSystem fs_{memory_, trace_};
  std::vector<std::string> entries_;
  bool closed_ = false;
};

TEST_F(IOTraceTest, CallsOfFilesAreTold) {
  const IOOptions io;
  ASSERT_TRUE(fs_.CreateDirIfMissing("/d", io, nullptr).ok());
  std::unique_ptr<FSWritableFile> early;  // open before the trace begins
  ASSERT_TRUE(fs_.NewWritableFile("/d/early", FileOptions(), &early, nullptr).ok());
  ASSERT_TRUE(Start().ok());
  IODebugContext context;
  context.SetRequestId("r7");
  ASSERT_TRUE(early->Append("abcdef", io, &context).ok());
  EXPECT_EQ(6u, early->GetFileSize(io, nullptr));
  ASSERT_TRUE(early->Sync(io, nullptr).ok());
  ASSERT_TRUE(early->Close(io, nullptr).ok());
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs_.NewRandomAccessFile("/d/early", FileOptions(), &file, nullptr).ok());
  char room[8];
  Slice read;
  ASSERT_TRUE(file->Read(2, 3, io, &read, room, nullptr).ok());
  EXPECT_EQ("cde", read.ToString());
  FSReadRequest requests[2];
  char rooms[2][4];
  for (int i = 0; i < 2; ++i) {
    requests[i].offset = i;
    requests[i].len = 2;
    requests[i].scratch = rooms[i];
  }
  ASSERT_TRUE(file->MultiRead(requests, 2, io, nullptr).ok());
  std::unique_ptr<FSSequentialFile> stream;
  ASSERT_TRUE(fs_.NewSequentialFile("/d/early", FileOptions(), &stream, nullptr).ok());
  ASSERT_TRUE(stream->Read(8, io, &read, room, nullptr).ok());
  EXPECT_TRUE(fs_.NewSequentialFile("/d/none", FileOptions(), &stream, nullptr).IsPathNotFound());
  uint64_t size = 0;
  ASSERT_TRUE(fs_.GetFileSize("/d/early", io, &size, nullptr).ok());
  std::vector<std::string> names;
  ASSERT_TRUE(fs_.GetChildren("/d", io, &names, nullptr).ok());
  ASSERT_TRUE(fs_.DeleteFile("/d/early", io, nullptr).ok());
  trace_->End();
  EXPECT_TRUE(closed_);
  ASSERT_TRUE(fs_.GetChildren("/d", io, &names, nullptr).ok());  // is not told any more
  const std::vector<std::string> calls = Calls();
  ASSERT_EQ(14u, calls.size());
  EXPECT_EQ("Append early OK length=6 request=r7", calls[0]);
  EXPECT_EQ("GetFileSize early OK file_size=6", calls[1]);
  EXPECT_EQ("Sync early OK", calls[2]);
  EXPECT_EQ("Close early OK", calls[3]);
  EXPECT_EQ("NewRandomAccessFile early OK", calls[4]);
  EXPECT_EQ("Read early OK length=3 offset=2", calls[5]);
  EXPECT_EQ("MultiRead early OK length=2 offset=0", calls[6]);
  EXPECT_EQ("MultiRead early OK length=2 offset=1", calls[7]);
  EXPECT_EQ("NewSequentialFile early OK", calls[8]);
  EXPECT_EQ("Read early OK length=6", calls[9]);
  EXPECT_THAT(calls[10], ::testing::StartsWith("NewSequentialFile none "));
  EXPECT_THAT(calls[10], ::testing::Not(::testing::HasSubstr(" OK")));
  EXPECT_EQ("GetFileSize early OK file_size=6", calls[11]);
  EXPECT_EQ("GetChildren d OK", calls[12]);
  EXPECT_EQ("DeleteFile early OK", calls[13]);
}

TEST_F(IOTraceTest, OneAtATimeAndUpToItsSize) {
  EXPECT_TRUE(trace_->Start(1, TraceOptions(), nullptr).IsInvalidArgument());
  EXPECT_FALSE(trace_->IsOn());
  TraceOptions small;
  small.max_trace_file_size = 39;
  ASSERT_TRUE(Start(small).ok());
  bool closed = false;
  std::vector<std::string> others;
  EXPECT_TRUE(trace_
                  ->Start(1, TraceOptions(),
                          std::make_unique<WriterOfIOTrace>(&others, Status::OK(), &closed))
                  .IsBusy());
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    fs_.GetChildren("/none", IOOptions(), &names, nullptr).PermitUncheckedError();
  }
  trace_->End();
  trace_->End();
  EXPECT_TRUE(others.empty());
  EXPECT_EQ(2u, entries_.size());  // the header has 38 bytes; the last one goes beyond
  ASSERT_TRUE(Start().ok());
}

// Calls do not fail with the writer; the header's failure is Start()'s, and the trace runs.
TEST_F(IOTraceTest, AFailingWriter) {
  EXPECT_TRUE(Start(TraceOptions(), Status::IOError("the writer's")).IsIOError());
  EXPECT_TRUE(trace_->IsOn());
  EXPECT_TRUE(fs_.CreateDir("/x", IOOptions(), nullptr).ok());
  trace_->End();
  EXPECT_EQ(2u, entries_.size());
}

TEST_F(IOTraceTest, DamagedEntriesAreRefused) {
  IOTraceRecord call;
  call.access_timestamp = 5;
  call.latency = 3;
  call.file_operation = "Read";
  call.file_name = "000001.sst";
  call.io_status = "OK";
  call.length = 10;
  call.request = "id";
  TraceEntry entry;
  entry.timestamp = 5;
  entry.type = kIOTracer;
  const std::string good = EncodeIOCall(call);
  IOTraceRecord read;
  for (size_t length = 0; length < good.size(); ++length) {
    entry.payload = good.substr(0, length);
    EXPECT_TRUE(DecodeIOCall(entry, &read).IsCorruption()) << length;
  }
  entry.payload = good + "x";
  EXPECT_TRUE(DecodeIOCall(entry, &read).IsCorruption());
  entry.payload = good;
  ASSERT_TRUE(DecodeIOCall(entry, &read).ok());
  EXPECT_EQ(10u, *read.length);
  EXPECT_FALSE(read.offset.has_value());
  EXPECT_EQ("id", *read.request);
  entry.payload[0] = 8 | 2;  // a field of tomorrow
  EXPECT_TRUE(DecodeIOCall(entry, &read).IsNotSupported());
  entry.payload = good;
  entry.type = kTraceGet;
  EXPECT_TRUE(DecodeIOCall(entry, &read).IsNotSupported());
}

}  // namespace
}  // namespace cairn
