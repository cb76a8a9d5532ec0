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
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "cache/primary_cache.h"
#include "rocksdb/cache.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "table/block.h"
#include "table/block_cache_key.h"
#include "table/block_fetcher.h"
#include "table/block_ref.h"
#include "table/cache_ref.h"
#include "table/cached_block.h"
#include "table/filter_policy.h"
#include "table/memory_charges.h"
#include "table/table_options.h"
#include "table/table_reader.h"
#include "table/user_index.h"
#include "trace/block_cache_trace.h"

namespace cairn {

struct FilterBlock {
  explicit FilterBlock(Block::Ptr b) : block(std::move(b)), reader(block->contents()) {}
  size_t memory_usage() const { return block->memory_usage() + sizeof(FilterBlock); }
  Block::Ptr block;
  FilterReader reader;
};

inline void DeleteIndex(IndexBlock* index) { delete index; }
inline void DeleteFilter(FilterBlock* filter) { delete filter; }
using IndexRef = CacheRef<IndexBlock, &DeleteIndex>;
using FilterRef = CacheRef<FilterBlock, &DeleteFilter>;

class BlockBasedTable final : public TableReader {
 public:
  // `table_options` with its block_cache set, or no_block_cache. `charges`: never null.
  // MemoryLimit: the reader's memory is charged to the cache, which has no room for it.
  [[nodiscard]] static Status Open(const BlockBasedTableOptions& table_options,
                                   const TableReaderOptions& options,
                                   std::shared_ptr<MemoryCharges> charges,
                                   std::unique_ptr<RandomAccessFileReader>&& file,
                                   uint64_t file_size, std::unique_ptr<TableReader>* table);
  ~BlockBasedTable() override;

  InternalIterator* NewIterator(const ReadOptions& options, bool skip_filters,
                                size_t compaction_readahead, bool for_compaction) override;
  Status Get(const ReadOptions& options, const Slice& internal_key, GetContext* context,
             bool skip_filters) override {
    if (IsTraced()) [[unlikely]]
      return TracedGet(options, internal_key, context, skip_filters);
    return GetUntraced(options, internal_key, context, skip_filters);
  }
  bool Approach(const ReadOptions& options, const Slice& internal_key,
                LookupApproach* approach) override;
  void AddMissingParts(const Slice& internal_key, std::vector<MetaPart>* parts) override;
  Status LoadPart(const ReadOptions& options, const MetaPart& part, Cleanable* pins) override;
  Status LocateBlock(const ReadOptions& options, const Slice& internal_key,
                     BlockHandle* handle) override;
  bool CachesBlocks(const ReadOptions& options) const override {
    return cache_ != nullptr && options.fill_cache;
  }
  Status LocateRange(const ReadOptions& options, const Slice& first, const Slice& limit,
                     std::vector<BlockHandle>* handles) override;
  void PinBlocks(const ReadOptions& options, std::span<const BlockHandle> handles,
                 std::span<BlockRef> blocks) override;
  bool HasFilter() const override { return lookup_by_ != LookupBy::kNothing; }
  const RangeTombstones* range_tombstones() const override { return tombstones_.get(); }
  bool has_bare_keys() const override { return bare_keys_; }
  bool MayHoldOperands() const override { return properties_->num_merge_operands != 0; }
  bool FilterAndIndexArePinned() const override {
    if (cache_ == nullptr || partitions_pinned_) return true;
    return index_ && !two_level_index_ && (filter_ || !use_filter_);
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
  const MemoryCharges& charges() const { return *charges_; }
  // What every entry's sequence number is to be taken for, or kDisableGlobalSequenceNumber.
  SequenceNumber global_seqno() const { return global_seqno_; }
  uint64_t file_number() const { return file_number_; }
  // Of a key of the (lowest) index.
  Slice SeparatorUserKey(const Slice& separator) const {
    return index_format_.user_keys ? separator : ExtractUserKey(separator);
  }
  // The file offset behind the last data block, about (the properties' word).
  uint64_t end_of_data() const;

  // Whether the table may hold what a seek to `internal_key` is for, as far as prefixes tell: an
  // entry at or behind it (`forward`), or at or before it, with its prefix. With auto_prefix_mode,
  // or prefixes that are no longer those of the options: any entry between it and the upper bound.
  // An error says nothing. SUSPENDS.
  // *asked: the filter was.
  bool PrefixMayMatch(const ReadOptions& options, const Slice& internal_key, bool forward,
                      bool* asked) const;

  // Whether such a read finds the data blocks by the user-defined index, which the table has.
  bool UsesUserIndex(const ReadOptions& options) const {
    return user_index_ != nullptr &&
           (table_options_.use_udi_as_primary_index || options.table_index_factory != nullptr);
  }
  // REQUIRES: UsesUserIndex(options). InvalidArgument: it is another one than was asked for.
  [[nodiscard]] Status NewUserIndexCursor(const ReadOptions& options,
                                          std::unique_ptr<UserIndexCursor>* cursor) const;
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
  BlockBasedTable(const BlockBasedTableOptions& table_options, const TableReaderOptions& options,
                  std::shared_ptr<MemoryCharges> charges);

  struct MetaBlocks;
  Status ReadMetaindex(PrefetchBuffer* tail, MetaBlocks* meta);
  Status ReadProperties(const MetaBlocks& meta, PrefetchBuffer* tail, bool expects_bare_keys,
                        const std::shared_ptr<CompressionManager>& compression_manager);
  // Whether keys lack the timestamps that the comparator's have. InvalidArgument: the table is of
  // another comparator.
  Status TakeComparator(const TableProperties& properties, bool expects_bare_keys);
  // What a data block of bare keys is read as.
  Status PadDataBlock(Block::Ptr* block) const;
  // How the index and the filters are to be read. `offset`: of the properties, for a message.
  Status TakeIndexFormat(const TableProperties& properties, uint64_t offset);
  Status ReadDictionary(const MetaBlocks& meta, PrefetchBuffer* tail);
  Status ReadTombstones(const MetaBlocks& meta, PrefetchBuffer* tail);
  void ChoosePrefixExtractor(const SliceTransform* present);
  void FindFilter(const MetaBlocks& meta);
  // What stays with this reader (MetadataCacheOptions).
  struct Pinning {
    bool top_level, partitions, unpartitioned;
  };
  Pinning ChoosePinning(const TableReaderOptions& options) const;
  Status LoadIndexAndFilter(const Pinning& pin, PrefetchBuffer* tail);
  Status PinPartitions(PrefetchBuffer* tail);
  void MakeCachePrefixes();
  Status LoadUserIndex(const MetaBlocks& meta, PrefetchBuffer* tail, Logger* info_log);

  // A data block was found in the cache.
  void TellOfHit(const ReadOptions& options, const BlockHandle& handle, bool for_compaction,
                 const BlockRef& block) const;
  // The second half of a lookup in the cache, which had nothing: reads the block, into the cache if
  // it is to be there.
  Status LoadDataBlock(const ReadOptions& options, const BlockHandle& handle, bool for_compaction,
                       PrefetchBuffer* prefetch, const Slice& cache_key, BlockRef* block) const;
  Status LoadIndexBlock(const ReadOptions& options, const BlockHandle& handle,
                        PrefetchBuffer* prefetch, const Slice& cache_key, IndexRef* index) const;
  Status LoadFilter(const ReadOptions& options, const BlockHandle& handle, PrefetchBuffer* prefetch,
                    const Slice& cache_key, FilterRef* filter) const;
  // Past the cache: read, checked, in the usual layout and parsed.
  Status ReadDataBlock(const BlockHandle& handle, bool verify_checksum, PrefetchBuffer* prefetch,
                       Block::Ptr* block, const ReadLimits& limits, Persistence persistence) const;
  Status ReadDataBlockOnce(const BlockHandle& handle, bool verify_checksum,
                           PrefetchBuffer* prefetch, Block::Ptr* block, const ReadLimits& limits,
                           Persistence persistence) const;
  Status ReadIndexBlock(const BlockHandle& handle, bool verify, const ReadLimits& limits,
                        PrefetchBuffer* prefetch, std::unique_ptr<IndexBlock>* index,
                        Persistence persistence = Persistence::kNone) const;
  Status ReadIndexBlockOnce(const BlockHandle& handle, bool verify, const ReadLimits& limits,
                            PrefetchBuffer* prefetch, std::unique_ptr<IndexBlock>* index,
                            Persistence persistence) const;
  Status ReadFilterBlock(const BlockHandle& handle, bool verify, const ReadLimits& limits,
                         PrefetchBuffer* prefetch, std::unique_ptr<FilterBlock>* filter,
                         Persistence persistence = Persistence::kNone) const;
  Persistence PersistenceFor(const ReadOptions& options, bool for_compaction) const {
    return options.fill_cache && !for_compaction ? Persistence::kLookupAndInsert
                                                 : Persistence::kLookup;
  }
  // `get`: Status(Persistence). What a persistent cache has may make no sense, while the file is
  // as good as ever.
  template <typename Get>
  Status ReadTwice(Persistence persistence, const Get& get) const {
    const Status s = get(persistence);
    const bool asked = source_.persistent != nullptr && persistence != Persistence::kNone;
    return (s.IsCorruption() || s.IsNotSupported()) && asked ? get(Persistence::kNone) : s;
  }
  Status GetIndexBlock(const ReadOptions& options, const BlockHandle& handle,
                       PrefetchBuffer* prefetch, IndexRef* index) const;
  // A whole filter or a partition of it.
  Status GetFilter(const ReadOptions& options, const BlockHandle& handle, PrefetchBuffer* prefetch,
                   FilterRef* filter) const;
  // Of a partitioned filter.
  Status GetFilterTop(const ReadOptions& options, IndexRef* top) const;
  // False: there is none.
  bool FindFilterPartition(IndexBlock* top, const Slice& internal_key, BlockHandle* handle) const;
  Status VerifyFilterPartitions(const ReadOptions& options) const;
  // Whether `bytes`, a key or a prefix, are in the filter, or in the partition of `internal_key`.
  // True also with an error. REQUIRES: use_filter_
  Status AskFilterFor(const ReadOptions& options, const Slice& internal_key, const Slice& bytes,
                      bool* may_match) const;
  // *may_match false: the key is not in this table. True also with an error.
  Status AskFilter(const ReadOptions& options, const Slice& internal_key, bool* may_match) const;
  // The same; an error says nothing.
  bool KeyMayMatch(const ReadOptions& options, const Slice& internal_key) const;
  Status GetUntraced(const ReadOptions& options, const Slice& internal_key, GetContext* context,
                     bool skip_filters);
  // These three come twice so that the usual ones have no timers.
  // Get() of what the table's range tombstones leave.
  template <bool kTimed>
  Status GetEntry(const ReadOptions& options, const Slice& internal_key, GetContext* context,
                  bool skip_filters);
  template <bool kTimed>
  Status GetWithCursor(const ReadOptions& options, const Slice& internal_key, GetContext* context,
                       uint32_t* compared) const;
  // Looks for the key in one block; `approach`, if not null, may have it already. *done: the lookup
  // is decided, or the table has no such key. *compared grows by how many keys were compared.
  template <bool kTimed>
  Status GetFromBlock(const ReadOptions& options, const BlockHandle& handle,
                      const Slice& internal_key, GetContext* context, bool* done,
                      uint32_t* compared, LookupApproach* approach = nullptr) const;
  // Whether lookups may be approached: filter and index are here, each key lies in one block, and
  // nothing but the cache is asked for that.
  bool CanBeApproached() const;
  // Goes on from there, as GetEntry().
  Status GetApproached(const ReadOptions& options, const Slice& internal_key, GetContext* context);
  // The filter let a key through, and `context` knows why.
  void CountPassed(const Status& s, const GetContext& context) const;
  Status BadEntry(const BlockHandle& handle, GetContext* context) const;
  Status Decided(const BlockHandle& handle, ValueType type, const GetContext& context) const;
  Status GetVersion(const BlockHandle& handle, const Slice& internal_key, DataBlockIter* it,
                    GetContext* context, bool* done, Cleanable* pinner) const;
  // Goes on from a merge operand, as far as the block has the key's entries.
  Status GetBelowOperand(const BlockHandle& handle, DataBlockIter* it, GetContext* context,
                         bool* done) const;
  // Looks for a block in the cache, and, with `secondary`, in the secondary cache behind it: `make`
  // (Status(Block::Ptr, void** entry, size_t* charge)) makes an entry of the block that was saved
  // there. `offset`: of the block in the file.
  template <typename Make>
  Cache::Handle* LookupBlock(const Slice& cache_key, uint64_t offset, bool secondary,
                             const Cache::CacheItemHelper* helper, Cache::Priority priority,
                             const Make& make) const {
    if (!secondary) [[likely]]
      return cache_->Lookup(cache_key, source_.statistics);
    const auto create = [&](const void* saved, size_t size, void** entry, size_t* charge) {
      Block::Ptr block;
      Status s = RestoreBlock(saved, size, offset, &block, source_.allocator);
      return s.ok() ? make(std::move(block), entry, charge) : s;
    };
    return cache_->Lookup(cache_key, helper, create, priority, /*wait=*/true, source_.statistics);
  }
  Cache::Priority MetadataPriority() const {
    return table_options_.cache_index_and_filter_blocks_with_high_priority ? Cache::Priority::HIGH
                                                                           : Cache::Priority::LOW;
  }
  // ---- The trace of the block cache (block_based_table_trace.cc).

  // Whether lookups in the cache are told of.
  bool IsTraced() const { return trace_->IsOn(); }
  Status TracedGet(const ReadOptions& options, const Slice& internal_key, GetContext* context,
                   bool skip_filters);
  // A block was looked up, and found (`hit`), or read. `size`: in bytes, in memory; `data`: it, if
  // it is a data block.
  void TraceLookup(const ReadOptions& options, CachedBlock kind, const BlockHandle& handle,
                   bool hit, bool for_compaction, size_t size, const Block* data) const;

  void Tick(uint32_t ticker, uint64_t count = 1) const {
    if (source_.statistics != nullptr) source_.statistics->recordTick(ticker, count);
  }

  const BlockBasedTableOptions table_options_;
  const std::shared_ptr<MemoryCharges> charges_;
  CacheCharge charge_;  // for this reader
  const InternalKeyComparator icmp_;
  const bool bytewise_;
  const bool hash_index_is_usable_;      // keys of different bytes differ
  Cache* const cache_;                   // may be null
  const PrimaryCache* const own_cache_;  // the same, if it is one of ours
  const bool secondary_;                 // there may be a secondary cache, and it is used
  const uint8_t protection_bytes_;       // see TableReaderOptions
  const uint64_t file_number_;
  const int level_;               // where the file was when it was opened; negative: not known
  BlockCacheTrace* const trace_;  // never null
  BlockSource source_;
  uint64_t cache_prefix_ = 0;
  std::shared_ptr<const TableProperties> properties_;
  bool bare_keys_ = false;           // see bare_keys.h
  IndexFormat stored_index_format_;  // in the file
  IndexFormat index_format_;         // in memory
  bool two_level_index_ = false;
  bool use_filter_ = false;  // there is one that is of use
  bool partitioned_filter_ = false;
  // What of a key is looked up in the filter before the key is.
  enum class LookupBy : uint8_t { kNothing, kWholeKey, kPrefix };
  LookupBy lookup_by_ = LookupBy::kNothing;
  bool whole_keys_in_filter_ = false;
  // How the filter's prefixes were taken; null: it has none, or that is not known.
  const SliceTransform* prefix_extractor_ = nullptr;
  std::shared_ptr<const SliceTransform> own_prefix_extractor_;  // not the options'
  BlockHandle index_handle_;
  BlockHandle filter_handle_;
  std::unique_ptr<const RangeTombstones> tombstones_;  // null: none
  SequenceNumber global_seqno_ = kDisableGlobalSequenceNumber;

  std::unique_ptr<const UserIndex> user_index_;  // null: none

  // Set when they are pinned here (owned, or a reference to the cache); else they are looked up in
  // the cache.
  IndexRef index_;
  FilterRef filter_;     // a whole one
  IndexRef filter_top_;  // a partitioned one's
  // The partitions, by their places in the file, ascending. All, or none.
  std::vector<std::pair<uint64_t, IndexRef>> index_partitions_;
  std::vector<std::pair<uint64_t, FilterRef>> filter_partitions_;
  bool partitions_pinned_ = false;  // and with them the top levels
};

}  // namespace cairn
