#include "trace/operation_trace.h"

#include <string>
#include <utility>

#include "trace/trace_format.h"

namespace cairn {

Status OperationTrace::Start(Env* env, const TraceOptions& options,
                             std::unique_ptr<TraceWriter>&& writer) {
  if (writer == nullptr) return Status::InvalidArgument("StartTrace() without a TraceWriter");
  fiber::MutexLock lock(&mutex_);
  // Its error is nobody's: RocksDB drops what has been started before, too.
  if (writer_ != nullptr) Finish().PermitUncheckedError();
  writer_ = std::move(writer);
  options_ = options;
  env_ = env;
  passed_over_ = 0;
  error_ = Status::OK();
  on_.store(true, std::memory_order_relaxed);
  in_order_.store(options.preserve_write_order, std::memory_order_relaxed);
  Append(kTraceBegin, TraceHeaderText());
  return Status::OK();
}

Status OperationTrace::End() {
  fiber::MutexLock lock(&mutex_);
  if (writer_ == nullptr) return Status::IOError("No trace file to close");
  return Finish();
}

bool OperationTrace::HasBegun() {
  fiber::MutexLock lock(&mutex_);
  return writer_ != nullptr;
}

Status OperationTrace::Finish() {
  Append(kTraceEnd, Slice());
  // (What the writer has buffered may fail only now.)
  Status closed = writer_->Close();
  if (error_.ok()) error_ = std::move(closed);
  writer_.reset();
  on_.store(false, std::memory_order_relaxed);
  in_order_.store(false, std::memory_order_relaxed);
  return std::move(error_);
}

void OperationTrace::Append(TraceType type, const Slice& payload) {
  if (!error_.ok()) return;
  error_ = writer_->Write(EncodeTraceEntry(env_->NowMicros(), type, payload));
  if (error_.ok()) return;
  // Nobody need ask any more; End() tells of it.
  on_.store(false, std::memory_order_relaxed);
  in_order_.store(false, std::memory_order_relaxed);
}

bool OperationTrace::Wants(uint64_t filter) {
  if (writer_ == nullptr || !error_.ok() || (options_.filter & filter) != 0 ||
      writer_->GetFileSize() > options_.max_trace_file_size) {
    return false;
  }
  if (++passed_over_ < options_.sampling_frequency) return false;
  passed_over_ = 0;
  return true;
}

void OperationTrace::Get(uint32_t family, const Slice& key) {
  fiber::MutexLock lock(&mutex_);
  if (Wants(kTraceFilterGet)) Append(kTraceGet, EncodeTracedGet(family, key));
}

void OperationTrace::MultiGet(size_t num_keys, const uint32_t* families, const Slice* keys) {
  fiber::MutexLock lock(&mutex_);
  if (Wants(kTraceFilterMultiGet)) {
    Append(kTraceMultiGet, EncodeTracedMultiGet(num_keys, families, keys));
  }
}

void OperationTrace::Seek(TraceType type, uint32_t family, const Slice& target, const Slice* lower,
                          const Slice* upper) {
  fiber::MutexLock lock(&mutex_);
  const bool forward = type == kTraceIteratorSeek;
  if (Wants(forward ? kTraceFilterIteratorSeek : kTraceFilterIteratorSeekForPrev)) {
    Append(type, EncodeTracedSeek(family, target, lower, upper));
  }
}

void OperationTrace::WriteWhenCalled(const Slice& batch) {
  fiber::MutexLock lock(&mutex_);
  if (options_.preserve_write_order) return;
  if (Wants(kTraceFilterWrite)) Append(kTraceWrite, EncodeTracedWrite(batch));
}

void OperationTrace::WriteInOrder(const Slice& batch) {
  fiber::MutexLock lock(&mutex_);
  if (!options_.preserve_write_order || !Wants(kTraceFilterWrite)) return;
  // It has its sequence number by now, which those that are traced when they are called have not.
  std::string payload = EncodeTracedWrite(batch);
  payload.replace(payload.size() - batch.size(), sizeof(uint64_t), sizeof(uint64_t), '\0');
  Append(kTraceWrite, payload);
}

}  // namespace cairn
