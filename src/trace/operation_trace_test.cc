// What a database traces with, without a database: errors of the writer, and what is written then.
#include "trace/operation_trace.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/env.h"
#include "trace/trace_format.h"

namespace cairn {
namespace {

struct WriterState {
  int writes = 0;
  int fails_at = -1;  // the write of this number
  int closes = 0;
  bool close_fails = false;
  bool deleted = false;
  std::string bytes;
};

class StateTraceWriter final : public TraceWriter {
 public:
  explicit StateTraceWriter(WriterState* state) : state_(state) {}
  ~StateTraceWriter() override { state_->deleted = true; }
  Status Write(const Slice& data) override {
    if (state_->writes++ == state_->fails_at) return Status::NoSpace("of this write");
    state_->bytes.append(data.data(), data.size());
    return Status::OK();
  }
  Status Close() override {
    ++state_->closes;
    return state_->close_fails ? Status::IOError("of the close") : Status::OK();
  }
  uint64_t GetFileSize() override { return state_->bytes.size(); }

 private:
  WriterState* const state_;
};

Status StartWith(OperationTrace* trace, WriterState* state,
                 const TraceOptions& options = TraceOptions()) {
  return trace->Start(Env::Default(), options, std::make_unique<StateTraceWriter>(state));
}

TEST(OperationTraceTest, AsksForNothingUnlessItIsOn) {
  OperationTrace trace;
  EXPECT_FALSE(trace.IsOn());
  EXPECT_FALSE(trace.in_order().load());
  trace.Get(0, "key");  // it was on when it was asked
  trace.WriteInOrder("batch");
  trace.WriteWhenCalled("batch");
  EXPECT_TRUE(trace.End().IsIOError());
  WriterState state;
  TraceOptions options;
  options.preserve_write_order = true;
  ASSERT_TRUE(StartWith(&trace, &state, options).ok());
  EXPECT_TRUE(trace.IsOn());
  EXPECT_TRUE(trace.in_order().load());
  EXPECT_TRUE(trace.HasBegun());
  EXPECT_TRUE(trace.End().ok());
  EXPECT_FALSE(trace.IsOn());
  EXPECT_FALSE(trace.in_order().load());
  EXPECT_FALSE(trace.HasBegun());
  EXPECT_EQ(1, state.closes);
  EXPECT_TRUE(state.deleted);
  EXPECT_EQ(2, state.writes);  // header, footer
}

TEST(OperationTraceTest, FirstErrorEndsItAndIsTold) {
  for (int fails_at = 0; fails_at < 4; ++fails_at) {
    OperationTrace trace;
    WriterState state;
    state.fails_at = fails_at;
    state.close_fails = true;
    ASSERT_TRUE(StartWith(&trace, &state).ok());
    trace.Get(0, "a");
    trace.Get(0, "b");
    EXPECT_EQ(fails_at > 2, trace.IsOn());
    EXPECT_TRUE(trace.HasBegun());
    trace.Get(0, "c");
    Status s = trace.End();
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    EXPECT_EQ(fails_at + 1, state.writes);
    EXPECT_TRUE(state.deleted);
    EXPECT_TRUE(trace.End().IsIOError());
    WriterState next;
    ASSERT_TRUE(StartWith(&trace, &next).ok());
    trace.Get(0, "a");
    EXPECT_TRUE(trace.End().ok());
    EXPECT_EQ(3, next.writes);
  }
}

TEST(OperationTraceTest, FailedCloseIsTold) {
  OperationTrace trace;
  WriterState state;
  state.close_fails = true;
  ASSERT_TRUE(StartWith(&trace, &state).ok());
  EXPECT_TRUE(trace.End().IsIOError());
  EXPECT_EQ(1, state.closes);
}

TEST(OperationTraceTest, SecondStartEndsTheFirst) {
  OperationTrace trace;
  WriterState first, second;
  ASSERT_TRUE(StartWith(&trace, &first).ok());
  ASSERT_TRUE(StartWith(&trace, &second).ok());
  EXPECT_TRUE(first.deleted);
  EXPECT_EQ(2, first.writes);
  EXPECT_FALSE(second.deleted);
  EXPECT_TRUE(trace.Start(Env::Default(), TraceOptions(), nullptr).IsInvalidArgument());
  EXPECT_TRUE(trace.IsOn());  // the second goes on
  EXPECT_TRUE(trace.End().ok());
}

TEST(OperationTraceTest, WritesAreTracedInOneOfTwoPlaces) {
  for (const bool in_order : {false, true}) {
    OperationTrace trace;
    WriterState state;
    TraceOptions options;
    options.preserve_write_order = in_order;
    ASSERT_TRUE(StartWith(&trace, &state, options).ok());
    const std::string batch = std::string(8, '\7') + "a batch";
    trace.WriteWhenCalled(batch);
    EXPECT_EQ(in_order ? 1 : 2, state.writes);
    trace.WriteInOrder(batch);
    EXPECT_EQ(2, state.writes);
    EXPECT_TRUE(trace.End().ok());
    EXPECT_NE(std::string::npos,
              state.bytes.find((in_order ? std::string(8, '\0') : std::string(8, '\7')) + "a bat"));
  }
}

TEST(TraceFormatTest, HeadersOfOtherVersions) {
  const auto parse = [](const std::string& version, int* minor) {
    TraceEntry header;
    header.type = kTraceBegin;
    header.payload = TraceHeaderText();
    header.payload.replace(header.payload.find("0.2"), 3, version);
    return ParseTraceHeader(header, minor);
  };
  int minor = 0;
  EXPECT_TRUE(parse("0.2", &minor).ok());
  EXPECT_EQ(2, minor);
  EXPECT_TRUE(parse("0.1", &minor).ok());
  EXPECT_EQ(1, minor);
  for (const char* const newer : {"0.3", "1.0", "0.999999", "10.1"}) {
    EXPECT_TRUE(parse(newer, &minor).IsNotSupported()) << newer;
  }
  for (const char* const none : {"", ".", "0.", ".2", "0.2.1", "0.9999999", "a.b", "0 2", "-0.1"}) {
    EXPECT_TRUE(parse(none, &minor).IsCorruption()) << none;
  }
}

}  // namespace
}  // namespace cairn
