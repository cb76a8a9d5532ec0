// The trace of the block cache without a database: bytes that are read again, or are refused.
#include "trace/block_cache_trace.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "cairn/block_cache_trace_reader.h"
#include "rocksdb/env.h"
#include "trace/block_cache_trace_format.h"
#include "trace/trace_fields.h"

namespace cairn {
namespace {

// The records of a trace, each in a string.
class ListedTrace final : public TraceReader, public TraceWriter {
 public:
  explicit ListedTrace(std::vector<std::string>* entries) : entries_(entries) {}
  Status Read(std::string* data) override {
    if (at_ == entries_->size()) return Status::Incomplete("the end");
    *data = (*entries_)[at_++];
    return Status::OK();
  }
  Status Write(const Slice& data) override {
    entries_->push_back(data.ToString());
    return Status::OK();
  }
  Status Close() override { return Status::OK(); }
  Status Reset() override {
    at_ = 0;
    return Status::OK();
  }
  uint64_t GetFileSize() override { return 0; }

 private:
  std::vector<std::string>* const entries_;
  size_t at_ = 0;
};

BlockCacheTraceRecord MakeAccess(TraceType type, TableReaderCaller caller) {
  return {123456, "block", type, 4096,  7,  "family", 3,
          99,     caller,  true, false, 42, true,     "key\1\0\0\0\0\0\0",
          120,    16,      true};
}

std::string Encoded(const BlockCacheTraceRecord& access) {
  return EncodeTraceEntry(
      access.access_timestamp, access.block_type,
      EncodeBlockAccess(access, access.block_key, access.cf_name, access.referenced_key));
}

TEST(BlockCacheTraceFormatTest, WhatIsWrittenIsRead) {
  std::vector<std::string> entries;
  {
    BlockCacheTrace trace;
    ASSERT_TRUE(trace
                    .Start(BlockCacheTraceOptions(),
                           NewBlockCacheTraceWriter(SystemClock::Default().get(),
                                                    BlockCacheTraceWriterOptions(),
                                                    std::make_unique<ListedTrace>(&entries)))
                    .ok());
    for (const TraceType type : {kBlockTraceIndexBlock, kBlockTraceFilterBlock,
                                 kBlockTraceDataBlock, kBlockTraceRangeDeletionBlock}) {
      for (const TableReaderCaller caller : {kUserGet, kUserMultiGet, kUserIterator, kPrefetch}) {
        const BlockCacheTraceRecord access = MakeAccess(type, caller);
        trace.Write(access, access.block_key, access.cf_name, access.referenced_key);
      }
    }
    trace.End();
    trace.Write(BlockCacheTraceRecord(), "late", "late", "late");
  }
  ASSERT_EQ(17u, entries.size());
  BlockCacheTraceReader reader(std::make_unique<ListedTrace>(&entries));
  ASSERT_TRUE(reader.ReadHeader().ok());
  EXPECT_LT(0u, reader.major_version());
  EXPECT_LT(0u, reader.header_timestamp());
  for (size_t i = 1; i < entries.size(); ++i) {
    BlockCacheTraceRecord access;
    ASSERT_TRUE(reader.Next(&access).ok());
    EXPECT_EQ(entries[i], Encoded(access));
    EXPECT_EQ("block", access.block_key);
    EXPECT_EQ(99u, access.sst_fd_number);
    EXPECT_EQ(IsOfPointLookup(access.caller) ? 42u : 0u, access.get_id);
    EXPECT_EQ(IsDataBlockOfPointLookup(access.block_type, access.caller) ? 120u : 0u,
              access.referenced_data_size);
  }
  BlockCacheTraceRecord none;
  EXPECT_TRUE(reader.Next(&none).IsIncomplete());
}

TEST(BlockCacheTraceFormatTest, AnyCutAndAnyMoreIsRefused) {
  const BlockCacheTraceRecord access = MakeAccess(kBlockTraceDataBlock, kUserGet);
  TraceEntry entry;
  entry.type = access.block_type;
  const std::string whole =
      EncodeBlockAccess(access, access.block_key, access.cf_name, access.referenced_key);
  BlockCacheTraceRecord read;
  for (size_t length = 0; length < whole.size(); ++length) {
    entry.payload = whole.substr(0, length);
    EXPECT_TRUE(DecodeBlockAccess(entry, &read).IsCorruption()) << length;
  }
  entry.payload = whole;
  EXPECT_TRUE(DecodeBlockAccess(entry, &read).ok());
  entry.payload = whole + "x";
  EXPECT_TRUE(DecodeBlockAccess(entry, &read).IsCorruption());
  entry.payload = whole;
  entry.type = kTraceGet;
  EXPECT_TRUE(DecodeBlockAccess(entry, &read).IsNotSupported());
}

TEST(BlockCacheTraceFormatTest, HeadersOfOtherFilesAreRefused) {
  const std::string good = EncodeTraceEntry(1, kTraceBegin, EncodeVersionHeader());
  for (const std::string& header :
       {std::string(), good.substr(0, 20), EncodeTraceEntry(1, kTraceBegin, TraceHeaderText()),
        EncodeTraceEntry(1, kTraceEnd, EncodeVersionHeader()),
        EncodeTraceEntry(1, kTraceBegin, EncodeVersionHeader() + "x")}) {
    std::vector<std::string> entries = {header};
    BlockCacheTraceReader reader(std::make_unique<ListedTrace>(&entries));
    EXPECT_TRUE(reader.ReadHeader().IsCorruption());
  }
  std::vector<std::string> nothing;
  BlockCacheTraceReader reader(std::make_unique<ListedTrace>(&nothing));
  EXPECT_TRUE(reader.ReadHeader().IsCorruption());
}

TEST(BlockCacheTraceTest, NoWriterIsRefused) {
  BlockCacheTrace trace;
  EXPECT_FALSE(trace.IsOn());
  EXPECT_TRUE(trace.Start(BlockCacheTraceOptions(), nullptr).IsInvalidArgument());
  EXPECT_FALSE(trace.IsOn());
  EXPECT_NE(trace.NextGetId(), trace.NextGetId());
}

}  // namespace
}  // namespace cairn
