// Reads a block-based table (format.h).
//
// Opened by the factory, kept by the TableCache. After Open everything is constant but the block
// cache: thread-safe.
//
// The walk of a Get: filter -> index -> block cache or file -> data block -> GetContext. Index and
// filter live in the reader, checked and decoded once, unless cache_index_and_filter_blocks puts
// them into the block cache. The value of a cached block is handed out with the block's reference,
// not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/bloom.h"
#include "table/cache_ref.h"
#include "table/table_options.h"
#include "table/table_reader.h"

namespace cairn {

struct FilterBlock {
  explicit FilterBlock(Block::Ptr b) : block(std::move(b)), bloom(block->contents()) {}
  Block::Ptr block;
  BloomReader bloom;
};

inline void DeleteBlock(Block* block) { Block::Free()(block); }
inline void DeleteIndex(IndexBlock* index) { delete index; }
inline void DeleteFilter(FilterBlock* filter) { delete filter; }
using BlockRef = CacheRef<Block, &DeleteBlock>;
using IndexRef = CacheRef<IndexBlock, &DeleteIndex>;
using FilterRef = CacheRef<FilterBlock, &DeleteFilter>;

class BlockBasedTable final : public TableReader {
 public:
  // `table_options` with its block_cache set, or no_block_cache.
  [[nodiscard]] static Status Open(const BlockBasedTableOptions& table_options,
                                   const TableReaderOptions& options,
                                   std::unique_ptr<RandomAccessFileReader>&& file,
                                   uint64_t file_size, std::unique_ptr<TableReader>* table);
  ~BlockBasedTable() override;

  InternalIterator* NewIterator(const ReadOptions& options, bool skip_filters,
                                size_t compaction_readahead, bool for_compaction) override;
  Status Get(const ReadOptions& options, const Slice& internal_key, GetContext* context,
             bool skip_filters) override;
  Status LoadFilter(const ReadOptions& options) override;
  Status LoadIndex(const ReadOptions& options, const Slice& internal_key) override;
  Status LocateBlock(const ReadOptions& options, const Slice& internal_key,
                     BlockHandle* handle) override;
  bool CachesBlocks(const ReadOptions& options) const override {
    return cache_ != nullptr && options.fill_cache;
  }
  Status LoadBlocks(const ReadOptions& options, std::span<const BlockHandle> handles,
                    Cleanable* pins) override;
  bool FilterAndIndexArePinned() const override {
    return cache_ == nullptr || (index_ && !two_level_index_ && (filter_ || !use_filter_));
  }
  uint64_t ApproximateOffsetOf(const ReadOptions& options, const Slice& internal_key) override;
  std::shared_ptr<const TableProperties> GetTableProperties() const override { return properties_; }
  size_t ApproximateMemoryUsage() const override;
  Status VerifyChecksum(const ReadOptions& options) override;
  Status GetAnchors(size_t count, std::vector<TableAnchor>* anchors) override;

  // ---- For the cursors over this table.

  const InternalKeyComparator& icmp() const { return icmp_; }
  bool bytewise() const { return bytewise_; }
  bool two_level_index() const { return two_level_index_; }
  const BlockSource& source() const { return source_; }
  const BlockBasedTableOptions& table_options() const { return table_options_; }
  // What every entry's sequence number is to be taken for, or kDisableGlobalSequenceNumber.
  SequenceNumber global_seqno() const { return global_seqno_; }
  // The file offset behind the last data block, about (the properties' word).
  uint64_t end_of_data() const;
  bool index_has_user_keys() const { return index_format_.user_keys; }

  // The (top-level) index.
  [[nodiscard]] Status GetIndex(const ReadOptions& options, IndexRef* index) const;
  // One partition of a two-level index.
  [[nodiscard]] Status GetIndexPartition(const ReadOptions& options, const BlockHandle& handle,
                                         IndexRef* index) const;
  // `prefetch` may be null. `for_compaction`: what is read does not enter the cache.
  [[nodiscard]] Status GetDataBlock(const ReadOptions& options, const BlockHandle& handle,
                                    bool for_compaction, PrefetchBuffer* prefetch,
                                    BlockRef* block) const;

 private:
  BlockBasedTable(const BlockBasedTableOptions& table_options, const TableReaderOptions& options);

  struct MetaBlocks;
  Status ReadMetaindex(PrefetchBuffer* tail, MetaBlocks* meta);
  Status ReadProperties(const MetaBlocks& meta, PrefetchBuffer* tail);
  Status ReadDictionary(const MetaBlocks& meta, PrefetchBuffer* tail);
  Status CheckRangeDeletions(const MetaBlocks& meta, PrefetchBuffer* tail);
  Status SetGlobalSeqno(SequenceNumber largest_seqno);
  Status LoadIndexAndFilter(int level, PrefetchBuffer* tail);
  void MakeCachePrefix();

  void CacheKey(uint64_t offset, char* key) const {
    EncodeFixed64(key, cache_prefix_);
    EncodeFixed64(key + 8, offset);
  }
  Status ReadIndexBlock(const BlockHandle& handle, bool verify, const ReadLimits& limits,
                        PrefetchBuffer* prefetch, std::unique_ptr<IndexBlock>* index) const;
  Status ReadFilterBlock(bool verify, const ReadLimits& limits, PrefetchBuffer* prefetch,
                         std::unique_ptr<FilterBlock>* filter) const;
  Status GetIndexBlock(const ReadOptions& options, const BlockHandle& handle,
                       PrefetchBuffer* prefetch, IndexRef* index) const;
  Status GetFilter(const ReadOptions& options, PrefetchBuffer* prefetch, FilterRef* filter) const;
  // False: the key is not in this table.
  bool KeyMayMatch(const ReadOptions& options, const Slice& user_key) const;
  Status GetWithCursor(const ReadOptions& options, const Slice& internal_key,
                       GetContext* context) const;
  // Looks for the key in one block. *done: the lookup is decided, or the table has no such key.
  Status GetFromBlock(const ReadOptions& options, const BlockHandle& handle,
                      const Slice& internal_key, GetContext* context, bool* done) const;
  void Tick(uint32_t ticker, uint64_t count = 1) const {
    if (source_.statistics != nullptr) source_.statistics->recordTick(ticker, count);
  }

  const BlockBasedTableOptions table_options_;
  const InternalKeyComparator icmp_;
  const bool bytewise_;
  Cache* const cache_;  // may be null
  const uint64_t file_number_;
  BlockSource source_;
  uint64_t cache_prefix_ = 0;
  std::shared_ptr<const TableProperties> properties_;
  IndexFormat index_format_;
  bool two_level_index_ = false;
  bool use_filter_ = false;
  BlockHandle index_handle_;
  BlockHandle filter_handle_;
  SequenceNumber global_seqno_ = kDisableGlobalSequenceNumber;

  // Set when they are pinned here (owned, or a reference to the cache); else they are looked up in
  // the cache.
  IndexRef index_;
  FilterRef filter_;
};

}  // namespace cairn
