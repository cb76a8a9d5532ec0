// BlockBasedTable: what it tells the trace of the block cache.
#include "table/block_based_table_trace.h"

#include <algorithm>
#include <limits>

#include "fiber/clock.h"
#include "fiber/local.h"
#include "table/block_based_table_reader.h"

namespace cairn {

namespace {

const BlockLookupPurpose*& CurrentPurpose() {
  static auto* const current = new fiber::local<const BlockLookupPurpose*>;  // never destroyed
  return current->get();
}

// Whom a read is for, by its options.
TableReaderCaller CallerOf(const ReadOptions& options) {
  switch (options.io_activity) {
    case Env::IOActivity::kCompaction:
      return kCompaction;
    case Env::IOActivity::kFlush:
      return kFlush;
    case Env::IOActivity::kDBOpen:
      return kPrefetch;
    case Env::IOActivity::kVerifyDBChecksum:
    case Env::IOActivity::kVerifyFileChecksums:
      return kUserVerifyChecksum;
    default:
      return kUserIterator;
  }
}

}  // namespace

BlockLookupScope::BlockLookupScope(const BlockCacheTrace& trace, const BlockLookupPurpose& purpose)
    : purpose_(purpose), is_said_(trace.IsOn()) {
  if (!is_said_) return;
  outer_ = CurrentPurpose();
  CurrentPurpose() = &purpose_;
}

BlockLookupScope::~BlockLookupScope() {
  if (is_said_) CurrentPurpose() = outer_;
}

const BlockLookupPurpose* BlockLookupScope::Current() { return CurrentPurpose(); }

BlockCacheTrace* NoBlockTrace() {
  static auto* const none = new BlockCacheTrace;  // lives as long as the program
  return none;
}

Status BlockBasedTable::TracedGet(const ReadOptions& options, const Slice& internal_key,
                                  GetContext* context, bool skip_filters) {
  uint64_t* const id = context->trace_id();
  if (*id == 0) *id = trace_->NextGetId();
  const BlockLookupScope scope(
      *trace_, {context->is_of_batch() ? kUserMultiGet : kUserGet, *id, internal_key});
  return GetUntraced(options, internal_key, context, skip_filters);
}

void BlockBasedTable::TraceLookup(const ReadOptions& options, CachedBlock kind,
                                  const BlockHandle& handle, bool hit, bool for_compaction,
                                  size_t size, const Block* data) const {
  if (cache_ == nullptr) return;  // nothing was looked up
  const BlockLookupPurpose* const purpose = BlockLookupScope::Current();
  BlockCacheTraceRecord record;
  record.access_timestamp = fiber::wall_micros();
  // (The top level of a filter in partitions has the index's format.)
  const bool is_filter = kind == CachedBlock::kFilter ||
                         (partitioned_filter_ && handle.offset == filter_handle_.offset);
  record.block_type = kind == CachedBlock::kData ? kBlockTraceDataBlock
                      : is_filter                ? kBlockTraceFilterBlock
                                                 : kBlockTraceIndexBlock;
  record.block_size = size;
  record.cf_id = properties_->column_family_id;
  record.level = level_ >= 0 ? static_cast<uint32_t>(level_) : std::numeric_limits<uint32_t>::max();
  record.sst_fd_number = file_number_;
  record.caller = for_compaction       ? kCompaction
                  : purpose != nullptr ? purpose->caller
                                       : CallerOf(options);
  record.is_cache_hit = hit;
  record.no_insert = for_compaction || !options.fill_cache;
  Slice referenced_key;
  if (purpose != nullptr && IsOfPointLookup(record.caller)) {
    record.get_id = purpose->get_id;
    record.get_from_user_specified_snapshot = options.snapshot != nullptr;
    referenced_key = purpose->internal_key;
  }
  DataBlockIter it;
  if (data != nullptr && IsDataBlockOfPointLookup(record.block_type, record.caller)) {
    // As many as restarts have in common, and half of those of the last one.
    const auto interval = static_cast<uint64_t>(std::max(1, table_options_.block_restart_interval));
    record.num_keys_in_block = data->num_restarts() * interval;
    if (record.num_keys_in_block > 0) record.num_keys_in_block -= (interval - 1) / 2;
    // What the lookup is about to do, once more: it says nothing of this itself.
    it.Init(data, &icmp_, bytewise_);
    const Slice user_key = ExtractUserKey(referenced_key);
    for (it.Seek(referenced_key); it.Valid(); it.Next()) {
      if (!icmp_.EqualBare(ExtractUserKey(it.key()), user_key)) break;
      record.referenced_key_exist_in_block = true;
      record.referenced_data_size += it.key().size() + it.value().size();
      if (ExtractValueType(it.key()) != kTypeMerge) break;
    }
  }
  const BlockCacheKey key(cache_prefix_, kind, handle.offset);
  trace_->Write(record, key.slice(), properties_->column_family_name, referenced_key);
}

}  // namespace cairn
