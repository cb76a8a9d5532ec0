#include "trace/block_cache_trace.h"

#include <utility>

#include "base/hash.h"

namespace cairn {

bool IsOfPointLookup(TableReaderCaller caller) {
  return caller == kUserGet || caller == kUserMultiGet;
}

bool IsDataBlockOfPointLookup(TraceType block_type, TableReaderCaller caller) {
  return block_type == kBlockTraceDataBlock && IsOfPointLookup(caller);
}

Status BlockCacheTrace::Start(const BlockCacheTraceOptions& options,
                              std::unique_ptr<BlockCacheTraceWriter>&& writer) {
  if (writer == nullptr) {
    return Status::InvalidArgument("StartBlockCacheTrace() without a writer");
  }
  fiber::MutexLock lock(&mutex_);
  if (writer_ != nullptr) return Status::Busy("a trace of the block cache is running");
  writer_ = std::move(writer);
  options_ = options;
  last_get_id_.store(BlockCacheTraceRecord::kReservedGetId, std::memory_order_relaxed);
  on_.store(true, std::memory_order_relaxed);
  return writer_->WriteHeader();
}

void BlockCacheTrace::End() {
  fiber::MutexLock lock(&mutex_);
  on_.store(false, std::memory_order_relaxed);
  writer_.reset();
}

uint64_t BlockCacheTrace::NextGetId() {
  return last_get_id_.fetch_add(1, std::memory_order_relaxed) + 1;
}

void BlockCacheTrace::Write(const BlockCacheTraceRecord& record, const Slice& block_key,
                            const Slice& cf_name, const Slice& referenced_key) {
  fiber::MutexLock lock(&mutex_);
  if (writer_ == nullptr) return;
  // By the block, so that what is traced of one is its whole history.
  if (options_.sampling_frequency > 1 &&
      FastRange64(HashSlice64(block_key), options_.sampling_frequency) != 0) {
    return;
  }
  // A read does not fail because nobody can be told of it.
  writer_->WriteBlockAccess(record, block_key, cf_name, referenced_key).PermitUncheckedError();
}

}  // namespace cairn
