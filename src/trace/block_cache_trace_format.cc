#include "trace/block_cache_trace_format.h"

#include "base/coding.h"
#include "trace/block_cache_trace.h"
#include "trace/trace_fields.h"

namespace cairn {

std::string EncodeBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                              const Slice& cf_name, const Slice& referenced_key) {
  std::string payload;
  payload.reserve(block_key.size() + cf_name.size() + referenced_key.size() + 80);
  PutLengthPrefixedSlice(&payload, block_key);
  PutFixed64(&payload, record.block_size);
  PutFixed64(&payload, record.cf_id);
  PutLengthPrefixedSlice(&payload, cf_name);
  PutFixed32(&payload, record.level);
  PutFixed64(&payload, record.sst_fd_number);
  payload.push_back(record.caller);
  payload.push_back(static_cast<char>(record.is_cache_hit));
  payload.push_back(static_cast<char>(record.no_insert));
  if (IsOfPointLookup(record.caller)) {
    PutFixed64(&payload, record.get_id);
    payload.push_back(static_cast<char>(record.get_from_user_specified_snapshot));
    PutLengthPrefixedSlice(&payload, referenced_key);
  }
  if (IsDataBlockOfPointLookup(record.block_type, record.caller)) {
    PutFixed64(&payload, record.referenced_data_size);
    PutFixed64(&payload, record.num_keys_in_block);
    payload.push_back(static_cast<char>(record.referenced_key_exist_in_block));
  }
  return payload;
}

Status DecodeBlockAccess(const TraceEntry& entry, BlockCacheTraceRecord* record) {
  switch (entry.type) {
    case kBlockTraceIndexBlock:
    case kBlockTraceFilterBlock:
    case kBlockTraceDataBlock:
    case kBlockTraceUncompressionDictBlock:
    case kBlockTraceRangeDeletionBlock:
      break;
    default:
      return Status::NotSupported("an entry is no access of a block");
  }
  *record = BlockCacheTraceRecord();
  record->access_timestamp = entry.timestamp;
  record->block_type = entry.type;
  TraceFields fields(entry.payload);
  fields.Take(&record->block_key);
  fields.Take(&record->block_size);
  fields.Take(&record->cf_id);
  fields.Take(&record->cf_name);
  fields.Take(&record->level);
  fields.Take(&record->sst_fd_number);
  char caller = kMaxBlockCacheLookupCaller;
  fields.Take(&caller);
  record->caller = static_cast<TableReaderCaller>(caller);
  fields.Take(&record->is_cache_hit);
  fields.Take(&record->no_insert);
  if (IsOfPointLookup(record->caller)) {
    fields.Take(&record->get_id);
    fields.Take(&record->get_from_user_specified_snapshot);
    fields.Take(&record->referenced_key);
  }
  if (IsDataBlockOfPointLookup(record->block_type, record->caller)) {
    fields.Take(&record->referenced_data_size);
    fields.Take(&record->num_keys_in_block);
    fields.Take(&record->referenced_key_exist_in_block);
  }
  if (!fields.Finish()) {
    return Status::Corruption("Corrupted trace file", "the payload of an access of a block");
  }
  return Status::OK();
}

}  // namespace cairn
