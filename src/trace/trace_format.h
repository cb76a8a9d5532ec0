// The bytes of a trace of operations (DB::StartTrace), which are RocksDB's. Used by OperationTrace,
// which writes them, and by the replayer.
//
//   trace   := header entry* [footer]        the footer is missing where a process was killed
//   entry   := timestamp (fixed64) type (1 byte) payload length (fixed32) payload
//   header  := an entry of kTraceBegin, whose payload is text: fields that end in a tab, namely the
//              magic, "Trace Version: 0.2" and "RocksDB Version: 7.8", then the columns and \n
//   footer  := an entry of kTraceEnd without a payload
//   payload := fields (fixed64) field*       version 0.2: which fields follow, as bits, in order
//
// Timestamps are microseconds since 1970. The fields, by their bits:
//
//   1  of a write: the batch                  2, 3        of a Get: family (fixed32), key
//   4, 5, 6, 7  of a seek: family (fixed32), key, lower bound, upper bound (each only if there is
//               one)
//   8, 9, 10    of a MultiGet: number of keys (fixed32), families (a string of fixed32), keys (a
//               string of strings)
//
// A string is a varint32 length and its bytes. In version 0.1 there are no bits: a write's payload
// is the batch alone, those of Get and seeks are family and key, and there is no MultiGet.
//
// Thread safety: functions of their arguments. Nothing of what is decoded is trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"

namespace cairn {

// What traces of both kinds have in their headers.
inline constexpr std::string_view kTraceMagic = "feedcafedeadbeef";
inline constexpr size_t kTraceEntryHeader = 8 + 1 + 4;  // bytes before the payload

struct TraceEntry {
  uint64_t timestamp = 0;
  TraceType type = kTraceMax;
  std::string payload;
};

std::string EncodeTraceEntry(uint64_t timestamp, TraceType type, const Slice& payload);
// Corruption: it is shorter than its header says, or longer.
[[nodiscard]] Status DecodeTraceEntry(const Slice& bytes, TraceEntry* entry);
// The next entry of a file. As TraceReader::Read(), and Corruption as the function above. `bytes`:
// room, for one call after the other. SUSPENDS.
[[nodiscard]] Status ReadTraceEntry(TraceReader* file, std::string* bytes, TraceEntry* entry);
// The first one; a file without any is Corruption.
[[nodiscard]] Status ReadFirstTraceEntry(TraceReader* file, std::string* bytes, TraceEntry* entry);
// Of the payload of an entry that begins so. `header`: kTraceEntryHeader bytes.
uint32_t TracePayloadLength(const char* header);

// The payloads.
std::string TraceHeaderText();
std::string EncodeTracedWrite(const Slice& batch);
std::string EncodeTracedGet(uint32_t family, const Slice& key);
// A bound that is null or empty is left out.
std::string EncodeTracedSeek(uint32_t family, const Slice& target, const Slice* lower,
                             const Slice* upper);
std::string EncodeTracedMultiGet(size_t num_keys, const uint32_t* families, const Slice* keys);

// What records and results keep of a key, a value or a batch.
PinnableSlice PinnedCopy(const Slice& bytes);

// *minor_version: of 0.1 or 0.2, for DecodeTraceRecord(). Corruption: it is no header.
// NotSupported: of a newer version.
[[nodiscard]] Status ParseTraceHeader(const TraceEntry& header, int* minor_version);
// The operation. NotSupported: the entry is none. Corruption: its payload is damaged.
[[nodiscard]] Status DecodeTraceRecord(const TraceEntry& entry, int minor_version,
                                       std::unique_ptr<TraceRecord>* record);

}  // namespace cairn
