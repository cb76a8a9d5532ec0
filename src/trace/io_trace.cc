#include "trace/io_trace.h"

#include <utility>

#include "trace/io_trace_format.h"
#include "trace/trace_fields.h"

namespace cairn {

Status IOTrace::Start(uint64_t micros, const TraceOptions& options,
                      std::unique_ptr<TraceWriter>&& writer) {
  if (writer == nullptr) return Status::InvalidArgument("StartIOTrace() without a writer");
  fiber::MutexLock lock(&mutex_);
  if (writer_ != nullptr) return Status::Busy("a trace of the file system's calls is running");
  writer_ = std::move(writer);
  max_bytes_ = options.max_trace_file_size;
  on_.store(true, std::memory_order_relaxed);
  return writer_->Write(EncodeTraceEntry(micros, kTraceBegin, EncodeVersionHeader()));
}

void IOTrace::End() {
  fiber::MutexLock lock(&mutex_);
  on_.store(false, std::memory_order_relaxed);
  if (writer_ != nullptr) writer_->Close().PermitUncheckedError();
  writer_.reset();
}

void IOTrace::Write(const IOTraceRecord& call) {
  fiber::MutexLock lock(&mutex_);
  if (writer_ == nullptr || writer_->GetFileSize() > max_bytes_) return;
  // A call does not fail because nobody can be told of it.
  writer_->Write(EncodeTraceEntry(call.access_timestamp, kIOTracer, EncodeIOCall(call)))
      .PermitUncheckedError();
}

}  // namespace cairn
