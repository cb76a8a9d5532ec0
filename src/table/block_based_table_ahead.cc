// What is read of a table before a lookup, or an iterator, comes to it: for MultiGet and for the
// ranges of a scan.
#include "base/perf.h"
#include "table/block_based_table_reader.h"
#include "table/block_based_table_trace.h"
#include "table/index_cursor.h"
#include "table/prefetch_buffer.h"

namespace cairn {

Status BlockBasedTable::LocateBlock(const ReadOptions& options, const Slice& internal_key,
                                    BlockHandle* handle) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  if (HasFilter()) {
    bool may_match;
    const Status s = AskFilter(options, internal_key, &may_match);
    if (!s.ok()) return s;
    if (!may_match) return Status::NotFound();
  }
  IndexCursor index(this, &options);
  index.Seek(internal_key);
  if (!index.Valid()) return index.status().ok() ? Status::NotFound() : index.status();
  *handle = index.handle();
  return Status::OK();
}

Status BlockBasedTable::LocateRange(const ReadOptions& options, const Slice& first,
                                    const Slice& limit, std::vector<BlockHandle>* handles) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  IndexCursor index(this, &options);
  for (index.Seek(first); index.Valid(); index.Next()) {
    if (!index.first_key().empty() &&
        icmp_.CompareToBound(ExtractUserKey(index.first_key()), limit) >= 0) {
      break;
    }
    handles->push_back(index.handle());
    if (icmp_.CompareToBound(SeparatorUserKey(index.key()), limit) >= 0) break;
  }
  return index.status();
}

bool BlockBasedTable::CanBeApproached() const {
  return index_ && !two_level_index_ && user_index_ == nullptr && index_format_.user_keys &&
         icmp_.timestamp_size() == 0 && tombstones_ == nullptr && own_cache_ != nullptr &&
         !secondary_ && !IsTraced() &&
         (lookup_by_ == LookupBy::kNothing || (lookup_by_ == LookupBy::kWholeKey && filter_));
}

bool BlockBasedTable::Approach(const ReadOptions& options, const Slice& internal_key,
                               LookupApproach* approach) {
  using Step = LookupApproach::Step;
  const Slice user_key = ExtractUserKey(internal_key);
  switch (approach->next) {
    case Step::kFilter:
      if (!CanBeApproached()) return false;
      if (HasFilter()) {
        approach->hash = BloomHash(user_key);
        filter_->reader.Prefetch(approach->hash);
      }
      approach->next = Step::kIndex;
      return true;
    case Step::kIndex: {
      if (HasFilter() && !filter_->reader.MayMatchHash(approach->hash)) {
        approach->excluded = true;
        const Perf perf;
        perf.Count(&PerfContext::bloom_sst_miss_count);
        Tick(BLOOM_FILTER_USEFUL);
        perf.CountAt(level_, &PerfContextByLevel::bloom_filter_useful);
        return false;
      }
      IndexBlockIter it;
      it.Init(index_.get(), &icmp_, bytewise_);
      approach->compared = it.SeekUncounted(internal_key);
      if (!it.Valid()) return false;
      approach->table = this;
      approach->handle = it.handle();
      const BlockCacheKey key(cache_prefix_, CachedBlock::kData, approach->handle.offset);
      approach->hash = own_cache_->PrefetchChain(key.slice());
      approach->next = Step::kChain;
      return true;
    }
    case Step::kChain:
      own_cache_->PrefetchEntry(approach->hash);
      approach->next = Step::kEntry;
      return true;
    case Step::kEntry: {
      const BlockCacheKey key(cache_prefix_, CachedBlock::kData, approach->handle.offset);
      Cache::Handle* const found = cache_->Lookup(key.slice(), source_.statistics);
      if (found == nullptr) return false;  // the lookup reads it
      approach->block.SetCached(cache_, found);
      approach->block->PrefetchHeader();
      approach->next = Step::kHeader;
      return true;
    }
    case Step::kHeader:
      TellOfHit(options, approach->handle, /*for_compaction=*/false, approach->block);
      if (bytewise_) approach->interval = approach->block->PrefetchInterval(user_key);
      return false;
  }
  return false;
}

void BlockBasedTable::PinBlocks(const ReadOptions& options, std::span<const BlockHandle> handles,
                                std::span<BlockRef> blocks) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  const uint64_t begin = handles.front().offset;
  const uint64_t end = handles.back().offset + handles.back().size + kBlockTrailerSize;
  PrefetchOptions whole;
  whole.limits = ReadLimits(options);
  whole.of_blocks = true;
  PrefetchBuffer run(source_.file.get(), source_.file_size, whole);
  // (What the persistent cache has is not read.)
  const bool at_once =
      handles.size() > 1 && options.read_tier != kBlockCacheTier && source_.persistent == nullptr;
  if (at_once) {
    const PerfTimer timer(Perf(), &PerfContext::block_read_time);
    if (!run.Fill(begin, static_cast<size_t>(end - begin)).ok()) return;
  }
  for (size_t i = 0; i < handles.size(); ++i) {
    const Status s = GetDataBlock(options, handles[i], /*for_compaction=*/false,
                                  at_once ? &run : nullptr, &blocks[i]);
    if (!s.ok()) blocks[i].Reset();
  }
}

}  // namespace cairn
