// The bytes of a trace of the block cache (DB::StartBlockCacheTrace), which are RocksDB's: entries
// as of a trace of operations (trace_format.h), without a footer, with the header
// of trace_fields.h. The payloads:
//
//   access  := block key (string) block size (fixed64) family's id (fixed64) family's name (string)
//              level (fixed32) file number (fixed64) caller (1 byte) hit (1 byte) no_insert (1
//              byte) [get id (fixed64) from a snapshot (1 byte) referenced key (string)]
//              [referenced bytes (fixed64) keys in the block (fixed64) key exists (1 byte)]
//
// The first brackets are there in records of Get and MultiGet, the second in those of data blocks
// among them. The entry's type is the block's. A string is a varint32 length and its bytes.
//
// Thread safety: functions of their arguments. Nothing of what is decoded is trusted.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "trace/trace_format.h"

namespace cairn {

// `record` without its strings, which come beside it.
std::string EncodeBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                              const Slice& cf_name, const Slice& referenced_key);

// Corruption: its payload is damaged. NotSupported: the entry is no access of a block.
[[nodiscard]] Status DecodeBlockAccess(const TraceEntry& entry, BlockCacheTraceRecord* record);

}  // namespace cairn
