#include "cairn/io_trace_reader.h"

#include <utility>

#include "base/namespace.h"
#include "trace/io_trace_format.h"
#include "trace/trace_fields.h"

namespace cairn {

IOTraceReader::IOTraceReader(std::unique_ptr<TraceReader>&& file) : file_(std::move(file)) {}

IOTraceReader::~IOTraceReader() = default;

Status IOTraceReader::ReadHeader() {
  TraceEntry header;
  Status s = ReadFirstTraceEntry(file_.get(), &bytes_, &header);
  if (s.ok()) {
    s = ParseVersionHeader(header, "trace of a file system's calls", &major_version_,
                           &minor_version_);
  }
  if (s.ok()) header_timestamp_ = header.timestamp;
  return s;
}

Status IOTraceReader::Next(IOTraceRecord* call) {
  TraceEntry entry;
  Status s = ReadTraceEntry(file_.get(), &bytes_, &entry);
  return s.ok() ? DecodeIOCall(entry, call) : s;
}

}  // namespace cairn
