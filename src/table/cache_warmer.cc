#include "table/cache_warmer.h"

#include <cstring>
#include <utility>

#include "table/block_based_table_reader.h"
#include "table/cached_block.h"

namespace cairn {

namespace {

bool IsWanted(BlockBasedTableOptions::PrepopulateBlockCache mode, TableFileCreationReason reason) {
  using Mode = BlockBasedTableOptions::PrepopulateBlockCache;
  switch (reason) {
    case TableFileCreationReason::kFlush:
      return mode != Mode::kDisable;
    case TableFileCreationReason::kCompaction:
      return mode == Mode::kFlushAndCompaction;
    default:
      return false;
  }
}

const Cache::CacheItemHelper* HelperOf(CachedBlock kind) {
  switch (kind) {
    case CachedBlock::kData:
      return DataBlockHelper();
    case CachedBlock::kIndex:
      return IndexBlockHelper();
    case CachedBlock::kFilter:
      break;
  }
  return FilterBlockHelper();
}

}  // namespace

std::unique_ptr<CacheWarmer> CacheWarmer::Make(const BlockBasedTableOptions& table_options,
                                               const TableBuilderOptions& options,
                                               const InternalKeyComparator& icmp) {
  if (table_options.no_block_cache || table_options.block_cache == nullptr ||
      options.will_be_read_back || options.strip_timestamps ||
      !IsWanted(table_options.prepopulate_block_cache, options.reason)) {
    return nullptr;
  }
  TableProperties identity;
  identity.db_id = options.db_id;
  identity.db_session_id = options.db_session_id;
  identity.orig_file_number = options.cur_file_num;
  const auto prefix = CachePrefixOf(identity, options.cur_file_num, /*file_size=*/0,
                                    /*bare_keys=*/false);
  if (!prefix) return nullptr;
  return std::unique_ptr<CacheWarmer>(new CacheWarmer(table_options, options, icmp, *prefix));
}

CacheWarmer::CacheWarmer(const BlockBasedTableOptions& table_options,
                         const TableBuilderOptions& options, const InternalKeyComparator& icmp,
                         uint64_t prefix)
    : table_options_(table_options),
      prefix_(prefix),
      bytewise_(icmp.user_comparator() == BytewiseComparator()),
      secondary_(GoesToSecondary(table_options.block_cache.get(), options.use_secondary_cache)),
      protection_bytes_(options.block_protection_bytes),
      priority_(options.reason == TableFileCreationReason::kFlush ? Cache::Priority::LOW
                                                                  : Cache::Priority::BOTTOM),
      statistics_(options.statistics) {}

Block::Ptr CacheWarmer::Copy(const Slice& contents, uint64_t offset) const {
  Block::Ptr block =
      Block::Allocate(contents.size(), 0, offset, table_options_.block_cache->memory_allocator());
  if (block != nullptr) std::memcpy(block->mutable_data(), contents.data(), contents.size());
  return block;
}

void CacheWarmer::Insert(CachedBlock kind, uint64_t offset, void* value, size_t charge) {
  const BlockCacheKey key(prefix_, kind, offset);
  const Cache::Priority priority =
      kind != CachedBlock::kData && table_options_.cache_index_and_filter_blocks_with_high_priority
          ? Cache::Priority::HIGH
          : priority_;
  // Without a handle an insertion takes the value in any case.
  const Status s = InsertBlock(table_options_.block_cache.get(), secondary_, key.slice(), value,
                               HelperOf(kind), charge, nullptr, priority);
  if (s.ok()) {
    CountInsertion(statistics_, kind, charge);
  } else if (statistics_ != nullptr) {
    statistics_->recordTick(BLOCK_CACHE_ADD_FAILURES, 1);
  }
}

void CacheWarmer::AddData(const Slice& contents) { data_.push_back(Copy(contents, 0)); }

void CacheWarmer::PlaceData(uint64_t offset) {
  Block::Ptr block = std::move(data_.front());
  data_.pop_front();
  if (block == nullptr) return;
  block->set_file_offset(offset);
  if (block->ParseRestarts() != nullptr || block->Protect(protection_bytes_) != nullptr) return;
  if (bytewise_) block->MarkRestarts();
  const size_t charge = block->memory_usage();
  Insert(CachedBlock::kData, offset, block.release(), charge);
}

void CacheWarmer::AddIndex(const Slice& contents, const IndexFormat& format, uint64_t offset) {
  if (last_index_ != nullptr) {
    const uint64_t place = last_index_->block().file_offset();
    const size_t charge = last_index_->memory_usage();
    Insert(CachedBlock::kIndex, place, last_index_.release(), charge);
  }
  Block::Ptr block = Copy(contents, offset);
  if (block == nullptr) return;
  auto index = std::make_unique<IndexBlock>(std::move(block), format);
  if (index->Init(bytewise_) == nullptr && index->Protect(protection_bytes_) == nullptr) {
    last_index_ = std::move(index);
  }
}

void CacheWarmer::AddFilter(const Slice& contents, uint64_t offset) {
  if (last_filter_ != nullptr) {
    const uint64_t place = last_filter_->file_offset();
    auto filter = std::make_unique<FilterBlock>(std::move(last_filter_));
    const size_t charge = filter->memory_usage();
    Insert(CachedBlock::kFilter, place, filter.release(), charge);
  }
  last_filter_ = Copy(contents, offset);
}

}  // namespace cairn
