// Any bytes as a record of a trace of operations, in both versions, of one of the block cache, and
// of one of a file system's calls: read or refused; what is read encodes to a record that says the
// same.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/trace_record.h"
#include "trace/block_cache_trace_format.h"
#include "trace/io_trace_format.h"
#include "trace/trace_fields.h"
#include "trace/trace_format.h"

namespace cairn::fuzz {

namespace {

std::string PayloadOf(const TraceRecord& record) {
  switch (record.GetTraceType()) {
    case kTraceWrite:
      return EncodeTracedWrite(
          static_cast<const WriteQueryTraceRecord&>(record).GetWriteBatchRep());
    case kTraceGet: {
      const auto& get = static_cast<const GetQueryTraceRecord&>(record);
      return EncodeTracedGet(get.GetColumnFamilyID(), get.GetKey());
    }
    case kTraceMultiGet: {
      const auto& gets = static_cast<const MultiGetQueryTraceRecord&>(record);
      const std::vector<Slice> keys = gets.GetKeys();
      const std::vector<uint32_t> families = gets.GetColumnFamilyIDs();
      FUZZ_CHECK(keys.size() == families.size());
      return EncodeTracedMultiGet(keys.size(), families.data(), keys.data());
    }
    default: {
      const auto& seek = static_cast<const IteratorSeekQueryTraceRecord&>(record);
      const Slice lower = seek.GetLowerBound();
      const Slice upper = seek.GetUpperBound();
      return EncodeTracedSeek(seek.GetColumnFamilyID(), seek.GetKey(), &lower, &upper);
    }
  }
}

void ReadRecord(const TraceEntry& entry, int version) {
  std::unique_ptr<TraceRecord> record;
  const Status s = DecodeTraceRecord(entry, version, &record);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported() || s.IsInvalidArgument());
  FUZZ_CHECK(s.ok() == (record != nullptr));
  if (record == nullptr) return;
  FUZZ_CHECK(record->GetTraceType() == entry.type);
  FUZZ_CHECK(record->GetTimestamp() == entry.timestamp);
  TraceEntry again = entry;
  again.payload = PayloadOf(*record);
  std::unique_ptr<TraceRecord> same;
  FUZZ_CHECK(DecodeTraceRecord(again, 2, &same).ok());
  FUZZ_CHECK(PayloadOf(*same) == again.payload);
}

std::string PayloadOf(const BlockCacheTraceRecord& access) {
  return EncodeBlockAccess(access, access.block_key, access.cf_name, access.referenced_key);
}

void ReadAccess(const TraceEntry& entry) {
  BlockCacheTraceRecord access;
  const Status s = DecodeBlockAccess(entry, &access);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  if (!s.ok()) return;
  FUZZ_CHECK(access.block_type == entry.type);
  TraceEntry again = entry;
  again.payload = PayloadOf(access);
  // (A flag is any byte but 0, and a length may take more bytes than it needs.)
  FUZZ_CHECK(again.payload.size() <= entry.payload.size());
  BlockCacheTraceRecord same;
  FUZZ_CHECK(DecodeBlockAccess(again, &same).ok());
  FUZZ_CHECK(PayloadOf(same) == again.payload);
}

void ReadCall(const TraceEntry& entry) {
  IOTraceRecord call;
  const Status s = DecodeIOCall(entry, &call);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  if (!s.ok()) return;
  FUZZ_CHECK(call.access_timestamp == entry.timestamp);
  TraceEntry again = entry;
  again.payload = EncodeIOCall(call);
  IOTraceRecord same;
  FUZZ_CHECK(DecodeIOCall(again, &same).ok());
  FUZZ_CHECK(EncodeIOCall(same) == again.payload);
}

}  // namespace

}  // namespace cairn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  const fuzz::ExactCopy copy({reinterpret_cast<const char*>(data), size});
  TraceEntry entry;
  // (The length that a mutation has wrong is all that would be seen of most.)
  std::string bytes(copy.view());
  if (DecodeTraceEntry(bytes, &entry).ok()) {
    FUZZ_CHECK(EncodeTraceEntry(entry.timestamp, entry.type, entry.payload) == bytes);
  } else if (bytes.size() >= kTraceEntryHeader) {
    bytes = EncodeTraceEntry(0, static_cast<TraceType>(bytes[8]), bytes.substr(kTraceEntryHeader));
    FUZZ_CHECK(DecodeTraceEntry(bytes, &entry).ok());
  }
  int version = 0;
  const Status s = ParseTraceHeader(entry, &version);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  FUZZ_CHECK(!s.ok() || version <= 2);
  for (const int of : {1, 2}) fuzz::ReadRecord(entry, of);
  uint32_t major, minor;
  const Status with_versions = ParseVersionHeader(entry, "trace", &major, &minor);
  FUZZ_CHECK(with_versions.ok() || with_versions.IsCorruption());
  fuzz::ReadAccess(entry);
  fuzz::ReadCall(entry);
  return 0;
}
