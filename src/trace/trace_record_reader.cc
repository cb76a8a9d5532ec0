#include "cairn/trace_record_reader.h"

#include <utility>

#include "trace/trace_format.h"

namespace cairn {

TraceRecordReader::TraceRecordReader(std::unique_ptr<TraceReader>&& file)
    : file_(std::move(file)) {}

TraceRecordReader::~TraceRecordReader() = default;

Status TraceRecordReader::ReadHeader() {
  TraceEntry header;
  Status s = file_->Read(&bytes_);
  if (s.IsIncomplete()) return Status::Corruption("the trace is empty");
  if (s.ok()) s = DecodeTraceEntry(bytes_, &header);
  if (s.ok()) s = ParseTraceHeader(header, &minor_version_);
  if (s.ok()) header_timestamp_ = header.timestamp;
  return s;
}

Status TraceRecordReader::Next(Record* record) {
  TraceEntry entry;
  Status s = file_->Read(&bytes_);
  if (s.ok()) s = DecodeTraceEntry(bytes_, &entry);
  if (!s.ok()) return s;
  record->type = entry.type;
  record->timestamp = entry.timestamp;
  record->operation.reset();
  if (entry.type == kTraceEnd) return s;
  s = DecodeTraceRecord(entry, minor_version_, &record->operation);
  return s.IsNotSupported() ? Status::OK() : s;
}

}  // namespace cairn
