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

void BlockBasedTable::PinBlocks(const ReadOptions& options, std::span<const BlockHandle> handles,
                                std::span<BlockRef> blocks) {
  const BlockLookupScope scope(*trace_, {kPrefetch});
  const uint64_t begin = handles.front().offset;
  const uint64_t end = handles.back().offset + handles.back().size + kBlockTrailerSize;
  PrefetchOptions whole;
  whole.limits = ReadLimits(options);
  whole.of_blocks = true;
  PrefetchBuffer run(source_.file.get(), source_.file_size, whole);
  const bool at_once = handles.size() > 1 && options.read_tier != kBlockCacheTier;
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
