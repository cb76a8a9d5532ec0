// A trace of the block cache in a file, or in what else a TraceWriter makes of it:
// NewBlockCacheTraceWriter, BlockCacheTraceReader. Each is one caller's at a time.
#include <memory>
#include <string>
#include <utility>

#include "cairn/block_cache_trace_reader.h"
#include "rocksdb/block_cache_trace_writer.h"
#include "trace/block_cache_trace_format.h"
#include "trace/trace_fields.h"
#include "trace/trace_format.h"

namespace cairn {
namespace {

class BlockTraceWriter final : public BlockCacheTraceWriter {
 public:
  BlockTraceWriter(SystemClock* clock, const BlockCacheTraceWriterOptions& options,
                   std::unique_ptr<TraceWriter>&& file)
      : clock_(clock), options_(options), file_(std::move(file)) {}
  ~BlockTraceWriter() override { file_->Close().PermitUncheckedError(); }

  Status WriteBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                          const Slice& cf_name, const Slice& referenced_key) override {
    if (file_->GetFileSize() > options_.max_trace_file_size) return Status::OK();
    return file_->Write(
        EncodeTraceEntry(record.access_timestamp, record.block_type,
                         EncodeBlockAccess(record, block_key, cf_name, referenced_key)));
  }
  Status WriteHeader() override {
    return file_->Write(EncodeTraceEntry(clock_->NowMicros(), kTraceBegin, EncodeVersionHeader()));
  }

 private:
  SystemClock* const clock_;
  const BlockCacheTraceWriterOptions options_;
  const std::unique_ptr<TraceWriter> file_;
};

}  // namespace

BlockCacheTraceReader::BlockCacheTraceReader(std::unique_ptr<TraceReader>&& file)
    : file_(std::move(file)) {}

BlockCacheTraceReader::~BlockCacheTraceReader() = default;

Status BlockCacheTraceReader::ReadHeader() {
  TraceEntry header;
  Status s = ReadFirstTraceEntry(file_.get(), &bytes_, &header);
  if (s.ok())
    s = ParseVersionHeader(header, "trace of a block cache", &major_version_, &minor_version_);
  if (s.ok()) header_timestamp_ = header.timestamp;
  return s;
}

Status BlockCacheTraceReader::Next(BlockCacheTraceRecord* access) {
  TraceEntry entry;
  Status s = ReadTraceEntry(file_.get(), &bytes_, &entry);
  return s.ok() ? DecodeBlockAccess(entry, access) : s;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

const uint64_t BlockCacheTraceRecord::kReservedGetId = 0;

std::unique_ptr<BlockCacheTraceWriter> NewBlockCacheTraceWriter(
    SystemClock* clock, const BlockCacheTraceWriterOptions& trace_options,
    std::unique_ptr<TraceWriter>&& trace_writer) {
  return std::make_unique<cairn::BlockTraceWriter>(clock, trace_options, std::move(trace_writer));
}

}  // namespace ROCKSDB_NAMESPACE
