#include "trace/trace_fields.h"

#include "rocksdb/version.h"

namespace cairn {

std::string EncodeVersionHeader() {
  std::string payload;
  PutLengthPrefixedSlice(&payload, Slice(kTraceMagic.data(), kTraceMagic.size()));
  PutFixed32(&payload, ROCKSDB_MAJOR);
  PutFixed32(&payload, ROCKSDB_MINOR);
  return payload;
}

Status ParseVersionHeader(const TraceEntry& header, const char* what, uint32_t* major,
                          uint32_t* minor) {
  TraceFields fields(header.payload);
  std::string magic;
  fields.Take(&magic);
  fields.Take(major);
  fields.Take(minor);
  if (header.type != kTraceBegin || !fields.Finish() || magic != kTraceMagic) {
    return Status::Corruption("Corrupted trace file", std::string("it is no ") + what);
  }
  return Status::OK();
}

}  // namespace cairn
