// The bytes of a trace of the file system's calls (DB::StartIOTrace), which are RocksDB's: entries
// as of a trace of operations (trace_format.h), without a footer; the header is that of
// trace_fields.h. The payload of a call, whose entry is of the type kIOTracer:
//
//   call := fields (fixed64) operation (string) latency (fixed64) status (string) file (string)
//           [file size (fixed64)] [length (fixed64)] [offset (fixed64)]
//           context (fixed64) [request id (string)]
//
// Bits 0, 1 and 2 of `fields` say which of the numbers follow, bit 0 of `context` whether the id
// does. A string is a varint32 length and its bytes.
//
// Thread safety: functions of their arguments. Nothing of what is decoded is trusted.
#pragma once

#include <string>

#include "base/namespace.h"
#include "cairn/io_trace_reader.h"
#include "rocksdb/status.h"
#include "trace/trace_format.h"

namespace cairn {

std::string EncodeIOCall(const IOTraceRecord& call);
// Corruption: its payload is damaged. NotSupported: the entry is no call, or has fields that are
// not known.
[[nodiscard]] Status DecodeIOCall(const TraceEntry& entry, IOTraceRecord* call);

}  // namespace cairn
