#include "trace/io_trace_format.h"

#include "base/coding.h"
#include "trace/trace_fields.h"

namespace cairn {
namespace {

constexpr uint64_t kFileSize = 1 << 0, kLength = 1 << 1, kOffset = 1 << 2;
constexpr uint64_t kKnownFields = kFileSize | kLength | kOffset;
constexpr uint64_t kRequestId = 1 << 0;  // IODebugContext::kRequestID

void TakeIf(bool present, TraceFields* fields, std::optional<uint64_t>* number) {
  if (present) fields->Take(&number->emplace());
}

}  // namespace

std::string EncodeIOCall(const IOTraceRecord& call) {
  std::string payload;
  payload.reserve(call.file_operation.size() + call.io_status.size() + call.file_name.size() + 64);
  PutFixed64(&payload, (call.file_size.has_value() ? kFileSize : 0) |
                           (call.length.has_value() ? kLength : 0) |
                           (call.offset.has_value() ? kOffset : 0));
  PutLengthPrefixedSlice(&payload, call.file_operation);
  PutFixed64(&payload, call.latency);
  PutLengthPrefixedSlice(&payload, call.io_status);
  PutLengthPrefixedSlice(&payload, call.file_name);
  for (const auto* number : {&call.file_size, &call.length, &call.offset}) {
    if (number->has_value()) PutFixed64(&payload, **number);
  }
  PutFixed64(&payload, call.request.has_value() ? kRequestId : 0);
  if (call.request.has_value()) PutLengthPrefixedSlice(&payload, *call.request);
  return payload;
}

Status DecodeIOCall(const TraceEntry& entry, IOTraceRecord* call) {
  if (entry.type != kIOTracer) {
    return Status::NotSupported("an entry is no call of a file system");
  }
  *call = IOTraceRecord();
  call->access_timestamp = entry.timestamp;
  TraceFields fields(entry.payload);
  uint64_t present = 0;
  uint64_t context = 0;
  fields.Take(&present);
  fields.Take(&call->file_operation);
  fields.Take(&call->latency);
  fields.Take(&call->io_status);
  fields.Take(&call->file_name);
  TakeIf((present & kFileSize) != 0, &fields, &call->file_size);
  TakeIf((present & kLength) != 0, &fields, &call->length);
  TakeIf((present & kOffset) != 0, &fields, &call->offset);
  const bool known_numbers = (present & ~kKnownFields) == 0;
  if (known_numbers) fields.Take(&context);
  if (fields.ok() && (!known_numbers || (context & ~kRequestId) != 0)) {
    return Status::NotSupported("a call of a file system has fields that are not known");
  }
  if ((context & kRequestId) != 0) fields.Take(&call->request.emplace());
  if (!fields.Finish()) {
    return Status::Corruption("Corrupted trace file", "the payload of a call of a file system");
  }
  return Status::OK();
}

}  // namespace cairn
