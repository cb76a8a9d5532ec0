#include "cairn/trace_record_reader.h"

#include <utility>

#include "trace/trace_format.h"

namespace cairn {

TraceRecordReader::TraceRecordReader(std::unique_ptr<TraceReader>&& file)
    : file_(std::move(file)) {}

TraceRecordReader::~TraceRecordReader() = default;

Status TraceRecordReader::ReadHeader() {
  TraceEntry header;
  Status s = ReadFirstTraceEntry(file_.get(), &bytes_, &header);
  if (s.ok()) s = ParseTraceHeader(header, &minor_version_);
  if (s.ok()) header_timestamp_ = header.timestamp;
  return s;
}

Status TraceRecordReader::Next(Record* record) {
  TraceEntry entry;
  Status s = ReadTraceEntry(file_.get(), &bytes_, &entry);
  if (!s.ok()) return s;
  record->type = entry.type;
  record->timestamp = entry.timestamp;
  record->operation.reset();
  if (entry.type == kTraceEnd) return s;
  s = DecodeTraceRecord(entry, minor_version_, &record->operation);
  return s.IsNotSupported() ? Status::OK() : s;
}

}  // namespace cairn
