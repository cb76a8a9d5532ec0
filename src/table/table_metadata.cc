// BlockBasedTable: its index and its filter, whole or in partitions.
//
// A partitioned filter (RocksDB's) is a block of the index's format, whose entries are the last key
// of each partition and where that one lies, and the partitions, each a filter of its own.
//
// Where they are kept: without cache_index_and_filter_blocks the reader owns an index or filter
// that is whole, and the top levels of those in partitions; partitions are always in the block
// cache. With it all of them are. What is pinned (MetadataCacheOptions) is there, too, and charged
// to it, but the reader keeps a reference, so that it is neither evicted nor looked up. What is to
// be pinned and is refused by a strict cache the reader owns.

#include <algorithm>

#include "base/perf.h"
#include "base/stop_watch.h"
#include "table/bare_keys.h"
#include "table/block_based_table_reader.h"
#include "table/block_based_table_trace.h"

namespace cairn {

Status BlockBasedTable::ReadIndexBlock(const BlockHandle& handle, bool verify,
                                       const ReadLimits& limits, PrefetchBuffer* prefetch,
                                       std::unique_ptr<IndexBlock>* index,
                                       Persistence persistence) const {
  return ReadTwice(persistence, [&](Persistence of_this) {
    return ReadIndexBlockOnce(handle, verify, limits, prefetch, index, of_this);
  });
}

Status BlockBasedTable::ReadIndexBlockOnce(const BlockHandle& handle, bool verify,
                                           const ReadLimits& limits, PrefetchBuffer* prefetch,
                                           std::unique_ptr<IndexBlock>* index,
                                           Persistence persistence) const {
  Block::Ptr block;
  Status s = ReadBlock(source_, handle, BlockKind::kIndex, verify, nullptr, prefetch, &block,
                       limits, persistence);
  if (!s.ok()) return s;
  auto result = std::make_unique<IndexBlock>(std::move(block), stored_index_format_);
  const char* error = result->Init(bytewise_);
  if (error == nullptr && bare_keys_) [[unlikely]] {
    Block::Ptr padded;
    error = AddTimestampsToIndex(*result, icmp_.timestamp_size(), source_.allocator, &padded);
    if (error == nullptr && padded == nullptr)
      return Status::MemoryLimit("no memory for a block" + source_.Where(handle.offset));
    if (error == nullptr) {
      result = std::make_unique<IndexBlock>(std::move(padded), index_format_);
      error = result->Init(bytewise_);
    }
  }
  if (error == nullptr) error = result->Protect(protection_bytes_);
  if (error != nullptr) return BlockCorruption(source_, handle.offset, error);
  *index = std::move(result);
  return s;
}

Status BlockBasedTable::ReadFilterBlock(const BlockHandle& handle, bool verify,
                                        const ReadLimits& limits, PrefetchBuffer* prefetch,
                                        std::unique_ptr<FilterBlock>* filter,
                                        Persistence persistence) const {
  Block::Ptr block;
  Status s = ReadBlock(source_, handle, BlockKind::kFilter, verify, nullptr, prefetch, &block,
                       limits, persistence);
  if (s.ok()) *filter = std::make_unique<FilterBlock>(std::move(block));
  return s;
}

// ---- Pinning

namespace {

// `fallback`: what the older options say.
bool IsPinned(PinningTier tier, PinningTier fallback, bool flushed) {
  if (tier == PinningTier::kFallback) tier = fallback;
  return tier == PinningTier::kAll || (tier == PinningTier::kFlushedAndSimilar && flushed);
}

// Null: it is not there.
template <typename Ref>
auto* FindPinned(const std::vector<std::pair<uint64_t, Ref>>& partitions, uint64_t offset) {
  const auto at = std::lower_bound(
      partitions.begin(), partitions.end(), offset,
      [](const auto& partition, uint64_t wanted) { return partition.first < wanted; });
  return at != partitions.end() && at->first == offset ? at->second.get() : nullptr;
}

template <typename Ref>
void SortByPlace(std::vector<std::pair<uint64_t, Ref>>* partitions) {
  std::sort(partitions->begin(), partitions->end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace

BlockBasedTable::Pinning BlockBasedTable::ChoosePinning(const TableReaderOptions& options) const {
  const MetadataCacheOptions& pinning = table_options_.metadata_cache_options;
  const bool flushed = options.level == 0 && source_.file_size <= options.max_flushed_file_size;
  const PinningTier top =
      table_options_.pin_top_level_index_and_filter ? PinningTier::kAll : PinningTier::kNone;
  const PinningTier rest = table_options_.pin_l0_filter_and_index_blocks_in_cache
                               ? PinningTier::kFlushedAndSimilar
                               : PinningTier::kNone;
  return {IsPinned(pinning.top_level_index_pinning, top, flushed),
          IsPinned(pinning.partition_pinning, rest, flushed),
          IsPinned(pinning.unpartitioned_pinning, rest, flushed)};
}

namespace {

// What a strict cache has no room for is the reader's own: whether a table opens, and with it
// whether a flush or compaction goes on, does not depend on what others have in the cache.
template <typename Get>
Status CachedIfItFits(const Get& get) {
  ReadOptions options;
  Status s = get(options);
  if (!s.IsMemoryLimit()) return s;
  options.fill_cache = false;
  return get(options);
}

}  // namespace

Status BlockBasedTable::LoadIndexAndFilter(const Pinning& pin, PrefetchBuffer* tail) {
  if (!table_options_.cache_index_and_filter_blocks || cache_ == nullptr) {
    std::unique_ptr<IndexBlock> index;
    Status s = ReadIndexBlock(index_handle_, true, tail->limits(), tail, &index);
    if (!s.ok()) return s;
    index_.SetOwned(index.release());
    if (partitioned_filter_) {
      s = ReadIndexBlock(filter_handle_, true, tail->limits(), tail, &index);
      if (s.ok()) filter_top_.SetOwned(index.release());
    } else if (use_filter_) {
      std::unique_ptr<FilterBlock> filter;
      s = ReadFilterBlock(filter_handle_, true, tail->limits(), tail, &filter);
      if (s.ok()) filter_.SetOwned(filter.release());
    }
    return s.ok() && pin.partitions ? PinPartitions(tail) : s;
  }
  // Into the cache at once: the tail has been read, and damage shows at opening.
  IndexRef index;
  Status s = CachedIfItFits([&](const ReadOptions& options) {
    return GetIndexBlock(options, index_handle_, tail, &index);
  });
  if (!s.ok()) return s;
  FilterRef filter;
  IndexRef filter_top;
  if (use_filter_) {
    s = CachedIfItFits([&](const ReadOptions& options) {
      return partitioned_filter_ ? GetIndexBlock(options, filter_handle_, tail, &filter_top)
                                 : GetFilter(options, filter_handle_, tail, &filter);
    });
  }
  if (!s.ok()) return s;
  if (two_level_index_ ? pin.top_level : pin.unpartitioned) index_ = std::move(index);
  if (pin.unpartitioned) filter_ = std::move(filter);
  if (pin.top_level) filter_top_ = std::move(filter_top);
  return pin.partitions ? PinPartitions(tail) : s;
}

Status BlockBasedTable::PinPartitions(PrefetchBuffer* tail) {
  if (cache_ == nullptr || (!two_level_index_ && !partitioned_filter_)) return Status::OK();
  // Both tops have the same format.
  const auto for_each = [&](Status found, const IndexRef& top, const BlockHandle& place,
                            const auto& pin) {
    if (!found.ok()) return found;
    IndexBlockIter it;
    it.Init(top.get(), &icmp_, bytewise_);
    for (it.SeekToFirst(); found.ok() && it.Valid(); it.Next()) found = pin(it.handle());
    if (found.ok() && it.corrupt()) {
      found = BlockCorruption(source_, place.offset, "bad entry in index block");
    }
    return found;
  };
  Status s;
  if (partitioned_filter_) {
    IndexRef top;
    s = CachedIfItFits([&](const ReadOptions& options) { return GetFilterTop(options, &top); });
    s = for_each(s, top, filter_handle_, [&](const BlockHandle& handle) {
      FilterRef filter;
      Status read = CachedIfItFits(
          [&](const ReadOptions& options) { return GetFilter(options, handle, tail, &filter); });
      if (read.ok()) filter_partitions_.emplace_back(handle.offset, std::move(filter));
      return read;
    });
  }
  if (s.ok() && two_level_index_) {
    IndexRef top;
    s = CachedIfItFits([&](const ReadOptions& options) { return GetIndex(options, &top); });
    s = for_each(s, top, index_handle_, [&](const BlockHandle& handle) {
      IndexRef index;
      Status read = CachedIfItFits(
          [&](const ReadOptions& options) { return GetIndexBlock(options, handle, tail, &index); });
      if (read.ok()) index_partitions_.emplace_back(handle.offset, std::move(index));
      return read;
    });
  }
  SortByPlace(&filter_partitions_);
  SortByPlace(&index_partitions_);
  partitions_pinned_ =
      index_ && (!use_filter_ || (partitioned_filter_ ? static_cast<bool>(filter_top_)
                                                      : static_cast<bool>(filter_)));
  return s;
}

// ---- Blocks of the index and the filter

Status BlockBasedTable::GetIndexBlock(const ReadOptions& options, const BlockHandle& handle,
                                      PrefetchBuffer* prefetch, IndexRef* index) const {
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::read_index_block_nanos);
  const BlockCacheKey key(cache_prefix_, CachedBlock::kIndex, handle.offset);
  const Slice cache_key = key.slice();
  if (cache_ != nullptr) {
    Cache::Handle* const h =
        LookupBlock(cache_key, handle.offset, secondary_, IndexBlockHelper(), MetadataPriority(),
                    [this](Block::Ptr restored, void** entry, size_t* charge) {
                      auto block = std::make_unique<IndexBlock>(std::move(restored), index_format_);
                      const char* error = block->Init(bytewise_);
                      if (error == nullptr) error = block->Protect(protection_bytes_);
                      if (error != nullptr) return Status::Corruption(error);
                      *charge = block->memory_usage();
                      *entry = block.release();
                      return Status::OK();
                    });
    if (h != nullptr) {
      Tick(BLOCK_CACHE_HIT);
      Tick(BLOCK_CACHE_INDEX_HIT);
      index->SetCached(cache_, h);
      Tick(BLOCK_CACHE_BYTES_READ, index->get()->memory_usage());
      if (PerfContext* const counters = perf.counters()) {
        counters->block_cache_hit_count += 1;
        counters->block_cache_index_hit_count += 1;
        counters->block_cache_read_byte += index->get()->memory_usage();
        counters->block_cache_index_read_byte += index->get()->memory_usage();
        perf.CountAt(level_, &PerfContextByLevel::block_cache_hit_count);
      }
      if (IsTraced()) [[unlikely]] {
        TraceLookup(options, CachedBlock::kIndex, handle, /*hit=*/true, /*for_compaction=*/false,
                    index->get()->memory_usage(), nullptr);
      }
      return Status::OK();
    }
  }
  if (options.read_tier == kBlockCacheTier) return Status::Incomplete("index block is not cached");
  Status s = LoadIndexBlock(options, handle, prefetch, cache_key, index);
  if (IsTraced()) [[unlikely]] {
    TraceLookup(options, CachedBlock::kIndex, handle, /*hit=*/false, /*for_compaction=*/false,
                *index ? index->get()->memory_usage() : 0, nullptr);
  }
  return s;
}

Status BlockBasedTable::LoadIndexBlock(const ReadOptions& options, const BlockHandle& handle,
                                       PrefetchBuffer* prefetch, const Slice& cache_key,
                                       IndexRef* index) const {
  if (cache_ != nullptr) {
    Perf().CountAt(level_, &PerfContextByLevel::block_cache_miss_count);
    Tick(BLOCK_CACHE_MISS);
    Tick(BLOCK_CACHE_INDEX_MISS);
  }
  std::unique_ptr<IndexBlock> read;
  Status s;
  {
    const StopWatch watch(source_.statistics, READ_BLOCK_GET_MICROS);
    s = ReadIndexBlock(handle, options.verify_checksums, ReadLimits(options), prefetch, &read,
                       PersistenceFor(options, /*for_compaction=*/false));
  }
  if (!s.ok()) return s;
  if (cache_ == nullptr || !options.fill_cache) {
    index->SetOwned(read.release());
    return s;
  }
  const size_t charge = read->memory_usage();
  Cache::Handle* h = nullptr;
  s = InsertBlock(cache_, secondary_, cache_key, read.get(), IndexBlockHelper(), charge, &h,
                  MetadataPriority());
  if (!s.ok()) {
    Tick(BLOCK_CACHE_ADD_FAILURES);
    return s;
  }
  (void)read.release();  // the cache has it
  CountInsertion(source_.statistics, CachedBlock::kIndex, charge);
  index->SetCached(cache_, h);
  return s;
}

Status BlockBasedTable::GetIndex(const ReadOptions& options, IndexRef* index) const {
  if (index_) [[likely]] {
    index->SetBorrowed(index_.get());
    return Status::OK();
  }
  return GetIndexBlock(options, index_handle_, nullptr, index);
}

Status BlockBasedTable::GetIndexPartition(const ReadOptions& options, const BlockHandle& handle,
                                          IndexRef* index) const {
  if (IndexBlock* const pinned = FindPinned(index_partitions_, handle.offset)) {
    index->SetBorrowed(pinned);
    return Status::OK();
  }
  return GetIndexBlock(options, handle, nullptr, index);
}

Status BlockBasedTable::GetFilter(const ReadOptions& options, const BlockHandle& handle,
                                  PrefetchBuffer* prefetch, FilterRef* filter) const {
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::read_filter_block_nanos);
  const BlockCacheKey key(cache_prefix_, CachedBlock::kFilter, handle.offset);
  const Slice cache_key = key.slice();
  if (cache_ != nullptr) {
    Cache::Handle* const h =
        LookupBlock(cache_key, handle.offset, secondary_, FilterBlockHelper(), MetadataPriority(),
                    [](Block::Ptr restored, void** entry, size_t* charge) {
                      auto block = std::make_unique<FilterBlock>(std::move(restored));
                      *charge = block->memory_usage();
                      *entry = block.release();
                      return Status::OK();
                    });
    if (h != nullptr) {
      Tick(BLOCK_CACHE_HIT);
      Tick(BLOCK_CACHE_FILTER_HIT);
      filter->SetCached(cache_, h);
      Tick(BLOCK_CACHE_BYTES_READ, filter->get()->memory_usage());
      if (PerfContext* const counters = perf.counters()) {
        counters->block_cache_hit_count += 1;
        counters->block_cache_filter_hit_count += 1;
        counters->block_cache_read_byte += filter->get()->memory_usage();
        counters->block_cache_filter_read_byte += filter->get()->memory_usage();
        perf.CountAt(level_, &PerfContextByLevel::block_cache_hit_count);
      }
      if (IsTraced()) [[unlikely]] {
        TraceLookup(options, CachedBlock::kFilter, handle, /*hit=*/true, /*for_compaction=*/false,
                    filter->get()->memory_usage(), nullptr);
      }
      return Status::OK();
    }
  }
  if (options.read_tier == kBlockCacheTier) return Status::Incomplete("filter block is not cached");
  Status s = LoadFilter(options, handle, prefetch, cache_key, filter);
  if (IsTraced()) [[unlikely]] {
    TraceLookup(options, CachedBlock::kFilter, handle, /*hit=*/false, /*for_compaction=*/false,
                *filter ? filter->get()->memory_usage() : 0, nullptr);
  }
  return s;
}

Status BlockBasedTable::LoadFilter(const ReadOptions& options, const BlockHandle& handle,
                                   PrefetchBuffer* prefetch, const Slice& cache_key,
                                   FilterRef* filter) const {
  if (cache_ != nullptr) {
    Perf().CountAt(level_, &PerfContextByLevel::block_cache_miss_count);
    Tick(BLOCK_CACHE_MISS);
    Tick(BLOCK_CACHE_FILTER_MISS);
  }
  std::unique_ptr<FilterBlock> read;
  Status s;
  {
    const StopWatch watch(source_.statistics, READ_BLOCK_GET_MICROS);
    s = ReadFilterBlock(handle, options.verify_checksums, ReadLimits(options), prefetch, &read,
                        PersistenceFor(options, /*for_compaction=*/false));
  }
  if (!s.ok()) return s;
  if (cache_ == nullptr || !options.fill_cache) {
    filter->SetOwned(read.release());
    return s;
  }
  const size_t charge = read->memory_usage();
  Cache::Handle* h = nullptr;
  s = InsertBlock(cache_, secondary_, cache_key, read.get(), FilterBlockHelper(), charge, &h,
                  MetadataPriority());
  if (!s.ok()) {
    Tick(BLOCK_CACHE_ADD_FAILURES);
    return s;
  }
  (void)read.release();  // the cache has it
  CountInsertion(source_.statistics, CachedBlock::kFilter, charge);
  filter->SetCached(cache_, h);
  return s;
}

// ---- The filter's answer

Status BlockBasedTable::GetFilterTop(const ReadOptions& options, IndexRef* top) const {
  if (filter_top_) [[likely]] {
    top->SetBorrowed(filter_top_.get());
    return Status::OK();
  }
  return GetIndexBlock(options, filter_handle_, nullptr, top);
}

bool BlockBasedTable::FindFilterPartition(IndexBlock* top, const Slice& internal_key,
                                          BlockHandle* handle) const {
  IndexBlockIter it;
  it.Init(top, &icmp_, bytewise_);
  it.Seek(internal_key);
  // A key behind the last one may still have its hash there: RocksDB asks the last partition.
  if (!it.Valid() && !it.corrupt()) it.SeekToLast();
  if (!it.Valid()) return false;
  *handle = it.handle();
  return true;
}

namespace {

bool Ask(const FilterReader& filter, const Slice& bytes) {
  const bool may_match = filter.MayMatch(bytes);
  Perf().Count(may_match ? &PerfContext::bloom_sst_hit_count : &PerfContext::bloom_sst_miss_count);
  return may_match;
}

}  // namespace

Status BlockBasedTable::AskFilterFor(const ReadOptions& options, const Slice& internal_key,
                                     const Slice& bytes, bool* may_match) const {
  *may_match = true;
  if (filter_) [[likely]] {
    *may_match = Ask(filter_->reader, bytes);
    return Status::OK();
  }
  BlockHandle handle = filter_handle_;
  if (partitioned_filter_) {
    IndexRef top;
    Status s = GetFilterTop(options, &top);
    if (!s.ok()) return s;
    if (!FindFilterPartition(top.get(), internal_key, &handle)) return s;
    if (const FilterBlock* const pinned = FindPinned(filter_partitions_, handle.offset)) {
      *may_match = Ask(pinned->reader, bytes);
      return s;
    }
  }
  FilterRef filter;
  Status s = GetFilter(options, handle, nullptr, &filter);
  if (s.ok()) *may_match = Ask(filter->reader, bytes);
  return s;
}

Status BlockBasedTable::AskFilter(const ReadOptions& options, const Slice& internal_key,
                                  bool* may_match) const {
  const Slice user_key = icmp_.BareKey(ExtractUserKey(internal_key));
  if (lookup_by_ == LookupBy::kWholeKey) [[likely]] {
    return AskFilterFor(options, internal_key, user_key, may_match);
  }
  if (lookup_by_ == LookupBy::kPrefix && prefix_extractor_->InDomain(user_key)) {
    return AskFilterFor(options, internal_key, prefix_extractor_->Transform(user_key), may_match);
  }
  *may_match = true;
  return Status::OK();
}

bool BlockBasedTable::KeyMayMatch(const ReadOptions& options, const Slice& internal_key) const {
  bool may_match;
  // Without the filter the answer is found in the data.
  return !AskFilter(options, internal_key, &may_match).ok() || may_match;
}

namespace {

// Whether all keys from one with `prefix` up to `upper_bound` have that prefix.
bool AllHavePrefix(const SliceTransform& extractor, const Comparator& comparator,
                   const Slice& prefix, const Slice& upper_bound) {
  if (!extractor.InDomain(upper_bound)) return false;
  // (Neither has a timestamp.)
  if (comparator.CompareWithoutTimestamp(prefix, false, extractor.Transform(upper_bound), false) ==
      0) {
    return true;
  }
  // The bound may be the first key behind all that have the prefix.
  size_t length;
  return extractor.FullLengthEnabled(&length) && upper_bound.size() == length &&
         comparator.IsSameLengthImmediateSuccessor(prefix, upper_bound);
}

}  // namespace

bool BlockBasedTable::PrefixMayMatch(const ReadOptions& options, const Slice& internal_key,
                                     bool forward, bool* asked) const {
  const Slice user_key = icmp_.BareKey(ExtractUserKey(internal_key));
  if (!prefix_extractor_->InDomain(user_key)) return true;
  const Slice prefix = prefix_extractor_->Transform(user_key);
  if (!forward) {
    // The entry may be in the partition before; only our own writer puts its prefix into this one.
    if (partitioned_filter_) return true;
    if (options.auto_prefix_mode || own_prefix_extractor_ != nullptr) return true;
  } else if (options.auto_prefix_mode || own_prefix_extractor_ != nullptr) {
    if (options.iterate_upper_bound == nullptr ||
        !AllHavePrefix(*prefix_extractor_, *icmp_.user_comparator(), prefix,
                       *options.iterate_upper_bound)) {
      return true;
    }
  }
  bool may_match;
  const bool known = AskFilterFor(options, internal_key, prefix, &may_match).ok();
  if (known) {
    *asked = true;
    Tick(BLOOM_FILTER_PREFIX_CHECKED);
    if (!may_match) Tick(BLOOM_FILTER_PREFIX_USEFUL);
  }
  return !known || may_match;
}

// ---- Reading ahead of a Get

void BlockBasedTable::AddMissingParts(const Slice& internal_key, std::vector<MetaPart>* parts) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  ReadOptions in_memory;
  in_memory.read_tier = kBlockCacheTier;
  if (HasFilter()) {
    bool may_match;
    if (AskFilter(in_memory, internal_key, &may_match).IsIncomplete()) {
      MetaPart next{partitioned_filter_ ? MetaPart::kIndex : MetaPart::kFilter, filter_handle_};
      IndexRef filter_top;
      if (partitioned_filter_ && GetFilterTop(in_memory, &filter_top).ok() &&
          FindFilterPartition(filter_top.get(), internal_key, &next.handle)) {
        next.kind = MetaPart::kFilter;
      }
      parts->push_back(next);
    }
    if (!may_match) return;
  }
  IndexRef top;
  if (GetIndex(in_memory, &top).IsIncomplete()) {
    parts->push_back({MetaPart::kIndex, index_handle_});
  } else if (top && two_level_index_) {
    IndexBlockIter it;
    it.Init(top.get(), &icmp_, bytewise_);
    it.Seek(internal_key);
    IndexRef partition;
    if (it.Valid() && GetIndexPartition(in_memory, it.handle(), &partition).IsIncomplete()) {
      parts->push_back({MetaPart::kIndex, it.handle()});
    }
  }
}

Status BlockBasedTable::LoadPart(const ReadOptions& options, const MetaPart& part,
                                 Cleanable* pins) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  if (part.kind == MetaPart::kFilter) {
    FilterRef filter;
    Status s = GetFilter(options, part.handle, nullptr, &filter);
    if (s.ok()) filter.TransferTo(pins);
    return s;
  }
  IndexRef index;
  Status s = GetIndexBlock(options, part.handle, nullptr, &index);
  if (s.ok()) index.TransferTo(pins);
  return s;
}

Status BlockBasedTable::VerifyFilterPartitions(const ReadOptions& options) const {
  if (!partitioned_filter_) return Status::OK();
  IndexRef top;
  Status s = GetFilterTop(options, &top);
  if (!s.ok()) return s;
  IndexBlockIter it;
  it.Init(top.get(), &icmp_, bytewise_);
  for (it.SeekToFirst(); s.ok() && it.Valid(); it.Next()) {
    Block::Ptr block;
    s = ReadBlock(source_, it.handle(), BlockKind::kFilter, true, nullptr, nullptr, &block,
                  ReadLimits(options));
  }
  if (s.ok() && it.corrupt()) {
    s = BlockCorruption(source_, filter_handle_.offset, "bad entry in the filter's index");
  }
  return s;
}

}  // namespace cairn
