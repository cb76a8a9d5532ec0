#include "table/block_based_table_reader.h"

#include <algorithm>
#include <map>

#include "base/builtin_slice_transform.h"
#include "base/coding.h"
#include "base/logging.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "cache/secondary_adapter.h"
#include "table/bare_keys.h"
#include "table/block_based_table_iterator.h"
#include "table/block_based_table_trace.h"
#include "table/index_cursor.h"
#include "table/properties.h"
#include "table/properties_block.h"
#include "table/separated_block.h"
#include "table/table_compression.h"

namespace cairn {

namespace {

// How much of the file's end is read at opening when the size of the tail is not known: index and
// filter take about 1/50 of a file of small values.
constexpr uint64_t kMinTailRead = 16 << 10;
constexpr uint64_t kMaxTailRead = 4 << 20;
constexpr uint64_t kTailShare = 40;

// VerifyChecksum and compactions read in pieces of this size unless told otherwise.
constexpr size_t kSweepReadahead = 2 << 20;

Status NamedStatus(const Status& s, const RandomAccessFileReader& file) {
  const std::string message =
      std::string(s.getState() == nullptr ? "" : s.getState()) + ": " + file.file_name();
  if (s.IsCorruption()) return Status::Corruption(message);
  if (s.IsNotSupported()) return Status::NotSupported(message);
  return s;
}

}  // namespace

// The entries of the metaindex.
struct BlockBasedTable::MetaBlocks {
  std::map<std::string, BlockHandle> handles;
  const BlockHandle* Find(const std::string& name) const {
    const auto it = handles.find(name);
    return it == handles.end() ? nullptr : &it->second;
  }
};

BlockBasedTable::BlockBasedTable(const BlockBasedTableOptions& table_options,
                                 const TableReaderOptions& options,
                                 std::shared_ptr<MemoryCharges> charges)
    : table_options_(table_options),
      charges_(std::move(charges)),
      charge_(charges_->For(CacheEntryRole::kBlockBasedTableReader)),
      icmp_(options.icmp),
      bytewise_(options.icmp.user_comparator() == BytewiseComparator()),
      hash_index_is_usable_(!icmp_.user_comparator()->CanKeysWithDifferentByteContentsBeEqual() &&
                            icmp_.timestamp_size() == 0),
      cache_(table_options.no_block_cache ? nullptr : table_options.block_cache.get()),
      own_cache_(dynamic_cast<const PrimaryCache*>(cache_)),
      secondary_(GoesToSecondary(cache_, options.use_secondary_cache)),
      protection_bytes_(options.block_protection_bytes),
      file_number_(options.file_number),
      level_(options.level),
      trace_(options.block_trace != nullptr ? options.block_trace : NoBlockTrace()) {
  source_.statistics = options.statistics;
  if (cache_ != nullptr) source_.allocator = cache_->memory_allocator();
}

BlockBasedTable::~BlockBasedTable() = default;

// ---- Opening

Status BlockBasedTable::Open(const BlockBasedTableOptions& table_options,
                             const TableReaderOptions& options,
                             std::shared_ptr<MemoryCharges> charges,
                             std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                             std::unique_ptr<TableReader>* table) {
  table->reset();
  if (file_size < kFooterSize) {
    return Status::Corruption("file is too short (" + std::to_string(file_size) +
                              " bytes) to be a table: " + file->file_name());
  }
  std::unique_ptr<BlockBasedTable> t(
      new BlockBasedTable(table_options, options, std::move(charges)));
  t->source_.file = std::move(file);
  t->source_.file_size = file_size;

  uint64_t tail_size = options.tail_size;
  if (tail_size < kFooterSize || tail_size > file_size) {
    tail_size = std::clamp(file_size / kTailShare, kMinTailRead, kMaxTailRead);
  }
  tail_size = std::min(tail_size, file_size);
  PrefetchOptions opening;
  opening.limits = options.limits;
  opening.statistics = options.statistics;
  opening.use = PrefetchUse::kTableOpening;
  PrefetchBuffer tail(t->source_.file.get(), file_size, opening);
  Status s = tail.Fill(file_size - tail_size, static_cast<size_t>(tail_size));
  if (!s.ok()) return s;
  Slice footer;
  IOStatus io;
  if (!tail.Read(file_size - kFooterSize, kFooterSize, &footer, &io) ||
      footer.size() != kFooterSize) {
    return io.ok()
               ? Status::Corruption("file is shorter than recorded (" + std::to_string(file_size) +
                                    " bytes): " + t->source_.file->file_name())
               : Status(io);
  }
  s = t->source_.footer.DecodeFrom(footer, file_size - kFooterSize);
  if (!s.ok()) {
    if (s.IsCorruption() && options.statistics != nullptr) {
      options.statistics->recordTick(SST_FOOTER_CORRUPTION_COUNT, 1);
    }
    return NamedStatus(s, *t->source_.file);
  }

  MetaBlocks meta;
  s = t->ReadMetaindex(&tail, &meta);
  if (s.ok()) {
    s = t->ReadProperties(meta, &tail, options.expects_bare_keys, options.compression_manager);
  }
  if (s.ok()) s = t->ReadDictionary(meta, &tail);
  if (s.ok()) {
    s = FindGlobalSeqno(*t->properties_, options.largest_seqno, t->source_.file->file_name(),
                        &t->global_seqno_);
  }
  if (s.ok()) s = t->ReadTombstones(meta, &tail);
  if (!s.ok()) return s;

  if (const BlockHandle* handle = meta.Find(kIndexBlockName)) {
    t->index_handle_ = *handle;
  } else {
    t->index_handle_ = t->source_.footer.index_handle;
  }
  if (t->source_.footer.format_version >= 6 && t->index_handle_.IsNull()) {
    return Status::Corruption("no index in the metaindex: " + t->source_.file->file_name());
  }
  if (table_options.filter_policy != nullptr && !options.skip_filters) {
    t->ChoosePrefixExtractor(options.prefix_extractor);
    t->FindFilter(meta);
  }
  t->MakeCachePrefixes();
  const BlockLookupScope at_opening(*t->trace_, {kPrefetch});
  s = t->LoadIndexAndFilter(t->ChoosePinning(options), &tail);
  if (s.ok()) s = t->LoadUserIndex(meta, &tail, options.info_log);
  if (!s.ok()) return s;
  if (!t->charge_.Set(t->ApproximateMemoryUsage()) && !options.for_job) {
    return Status::MemoryLimit("the block cache has no room for the reader of",
                               t->source_.file->file_name());
  }
  *table = std::move(t);
  return Status::OK();
}

Status BlockBasedTable::ReadMetaindex(PrefetchBuffer* tail, MetaBlocks* meta) {
  const BlockHandle& handle = source_.footer.metaindex_handle;
  Block::Ptr block;
  Status s =
      ReadBlock(source_, handle, BlockKind::kMetadata, /*verify=*/true, nullptr, tail, &block);
  if (!s.ok()) return s;
  if (const char* error = block->ParseRestarts())
    return BlockCorruption(source_, handle.offset, error);
  bool handles_good = true;
  const bool sound = ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    Slice input = value;
    BlockHandle h;
    if (!h.DecodeFrom(&input).ok()) return handles_good = false;
    meta->handles[key.ToString()] = h;
    return true;
  });
  if (!sound || !handles_good)
    return BlockCorruption(source_, handle.offset, "bad entry in metaindex block");
  return Status::OK();
}

Status BlockBasedTable::ReadProperties(
    const MetaBlocks& meta, PrefetchBuffer* tail, bool expects_bare_keys,
    const std::shared_ptr<CompressionManager>& compression_manager) {
  const BlockHandle* handle = meta.Find(kPropertiesBlockName);
  if (handle == nullptr) handle = meta.Find(kOldPropertiesBlockName);
  if (handle == nullptr) {
    return Status::Corruption("table without properties: " + source_.file->file_name());
  }
  auto properties = std::make_shared<TableProperties>();
  Status s = ReadPropertiesBlock(source_, *handle, tail, properties.get());
  if (!s.ok()) return s;
  s = TakeComparator(*properties, expects_bare_keys);
  if (s.ok()) s = TakeIndexFormat(*properties, handle->offset);
  if (!s.ok()) return s;
  if (source_.footer.format_version >= 7) {
    s = FindDecompressor(properties->compression_name, compression_manager, &source_.by_manager);
    if (!s.ok()) return NamedStatus(s, *source_.file);
  }
  properties_ = std::move(properties);
  return Status::OK();
}

Status BlockBasedTable::TakeComparator(const TableProperties& properties, bool expects_bare_keys) {
  const std::string& of_table = properties.comparator_name;
  const char* const name = icmp_.user_comparator()->Name();
  const bool stripped = properties.user_defined_timestamps_persisted == 0;
  // One that was made before its family's keys got timestamps, and one that lacks those which they
  // do not have any more.
  const bool is_older = expects_bare_keys && (of_table.empty() || IsNameOfBare(of_table, name));
  const bool is_newer = stripped && IsNameOfBare(name, of_table);
  if (!of_table.empty() && of_table != name && !is_older && !is_newer) {
    return Status::InvalidArgument("table is sorted by comparator " + of_table + ", not " + name +
                                   ": " + source_.file->file_name());
  }
  bare_keys_ = icmp_.timestamp_size() != 0 && (stripped || is_older);
  return Status::OK();
}

Status BlockBasedTable::TakeIndexFormat(const TableProperties& properties, uint64_t offset) {
  const auto& extra = properties.user_collected_properties;
  const auto index_type = extra.find(kIndexTypeProperty);
  if (index_type == extra.end() || index_type->second.size() != 4) {
    return BlockCorruption(source_, offset, "no index type in the table properties");
  }
  const uint32_t type = DecodeFixed32(index_type->second.data());
  if (type > BlockBasedTableOptions::kBinarySearchWithFirstKey) {
    return Status::NotSupported("index type " + std::to_string(type) + ": " +
                                source_.file->file_name());
  }
  // A hash index is a binary-search index with more in other blocks.
  two_level_index_ = type == BlockBasedTableOptions::kTwoLevelIndexSearch;
  index_format_.user_keys = properties.index_key_is_user_key != 0;
  index_format_.delta_values = properties.index_value_is_delta_encoded != 0;
  index_format_.has_first_key = type == BlockBasedTableOptions::kBinarySearchWithFirstKey;
  stored_index_format_ = index_format_;
  if (bare_keys_) index_format_ = FormatWithTimestamps(stored_index_format_);
  const auto whole_key = extra.find(kWholeKeyFilteringProperty);
  whole_keys_in_filter_ = whole_key == extra.end() || whole_key->second != "0";
  return Status::OK();
}

Status BlockBasedTable::ReadTombstones(const MetaBlocks& meta, PrefetchBuffer* tail) {
  const BlockHandle* handle = meta.Find(kRangeDelBlockName);
  if (handle == nullptr) return Status::OK();
  Block::Ptr block;
  Status s = ReadBlock(source_, *handle, BlockKind::kMetadata, true, nullptr, tail, &block);
  if (!s.ok()) return s;
  if (const char* error = block->ParseRestarts())
    return BlockCorruption(source_, handle->offset, error);
  std::vector<RangeTombstone> tombstones;
  bool good = true;
  const bool sound = ForEachEntry(*block, [&](const Slice& key, const Slice& end) {
    ParsedInternalKey parsed;
    good = ParseInternalKey(key, &parsed).ok() && parsed.type == kTypeRangeDeletion;
    if (!good) return false;
    const SequenceNumber sequence =
        global_seqno_ != kDisableGlobalSequenceNumber ? global_seqno_ : parsed.sequence;
    const size_t lacking = bare_keys_ ? icmp_.timestamp_size() : 0;
    tombstones.push_back(MakeRangeTombstone(icmp_, WithMinTimestamp(parsed.user_key, lacking),
                                            WithMinTimestamp(end, lacking), sequence));
    return true;
  });
  if (!sound || !good)
    return BlockCorruption(source_, handle->offset, "bad entry in range deletion block");
  if (!tombstones.empty()) {
    tombstones_ = std::make_unique<const RangeTombstones>(icmp_, std::move(tombstones));
  }
  return Status::OK();
}

Status BlockBasedTable::ReadDictionary(const MetaBlocks& meta, PrefetchBuffer* tail) {
  const BlockHandle* handle = meta.Find(kCompressionDictBlockName);
  if (handle == nullptr) return Status::OK();
  Block::Ptr block;
  Status s = ReadBlock(source_, *handle, BlockKind::kDictionary, true, nullptr, tail, &block);
  if (!s.ok()) return s;
  if (block->size() == 0) return Status::OK();
  std::string raw = block->contents().ToString();
  if (source_.by_manager != nullptr) {
    s = source_.by_manager->WithDictionary(std::move(raw), &source_.dict);
    return s.ok() ? s : NamedStatus(s, *source_.file);
  }
  source_.dict = std::make_unique<DecompressionDict>(std::move(raw), /*for_zstd=*/true);
  return Status::OK();
}

Status BlockBasedTable::LoadUserIndex(const MetaBlocks& meta, PrefetchBuffer* tail,
                                      Logger* info_log) {
  const UserDefinedIndexFactory* const factory = table_options_.user_defined_index_factory.get();
  if (factory == nullptr) return Status::OK();
  const std::string name = UserIndexBlockName(*factory);
  const BlockHandle* const handle = meta.Find(name);
  if (handle == nullptr) {
    Tick(SST_USER_DEFINED_INDEX_LOAD_FAIL_COUNT);
    const bool is_needed =
        table_options_.fail_if_no_udi_on_open || table_options_.use_udi_as_primary_index;
    const std::string& file = source_.file->file_name();
    (is_needed ? LogError : LogWarn)(info_log, "Failed to find the UDI block %s in file %s",
                                     name.c_str(), file.c_str());
    return is_needed ? Status::Corruption("Cannot find the meta block " + name, file)
                     : Status::OK();
  }
  // It knows keys without timestamps, if they have some now.
  if (handle->size == 0 || bare_keys_) return Status::OK();
  auto index = std::make_unique<UserIndex>();
  index->name = factory->Name();
  Status s = ReadBlock(source_, *handle, BlockKind::kMetadata, /*verify_checksum=*/true, nullptr,
                       tail, &index->block);
  if (!s.ok()) return s;
  UserDefinedIndexOption option;
  option.comparator = icmp_.user_comparator();
  Slice contents = index->block->contents();
  s = factory->NewReader(option, contents, index->reader);
  if (s.ok() && index->reader == nullptr) {
    s = Status::Corruption("Failed to create UDI reader for " + index->name + " in file " +
                           source_.file->file_name());
  }
  if (s.ok()) user_index_ = std::move(index);
  return s;
}

Status BlockBasedTable::NewUserIndexCursor(const ReadOptions& options,
                                           std::unique_ptr<UserIndexCursor>* cursor) const {
  if (!table_options_.use_udi_as_primary_index &&
      user_index_->name != options.table_index_factory->Name()) {
    return Status::InvalidArgument(
        "Bad index name: " + std::string(options.table_index_factory->Name()) +
        ". Only supported UDI is " + user_index_->name);
  }
  std::unique_ptr<UserDefinedIndexIterator> it = user_index_->reader->NewIterator(options);
  if (it == nullptr) return Status::Corruption("Could not create UDI iterator");
  *cursor = std::make_unique<UserIndexCursor>(std::move(it));
  return Status::OK();
}

void BlockBasedTable::MakeCachePrefixes() {
  const auto known = [&](bool bare_keys) {
    return CachePrefixOf(*properties_, file_number_, source_.file_size, bare_keys);
  };
  if (cache_ != nullptr) {
    const auto prefix = known(bare_keys_);
    cache_prefix_ = prefix ? *prefix : cache_->NewId();
  }
  PersistentCache* const persistent = table_options_.persistent_cache.get();
  if (persistent == nullptr) return;
  // It has blocks before they get timestamps.
  const auto prefix = known(/*bare_keys=*/false);
  source_.persistent_prefix = prefix ? *prefix : persistent->NewId();
  source_.persistent = persistent;
}

// A table that says nothing of prefixes has none.
void BlockBasedTable::ChoosePrefixExtractor(const SliceTransform* present) {
  const auto& extra = properties_->user_collected_properties;
  const auto filtering = extra.find(kPrefixFilteringProperty);
  if (present == nullptr || filtering == extra.end() || filtering->second != "1") return;
  const std::string& name = properties_->prefix_extractor_name;
  if (present->AsString() == name) {
    prefix_extractor_ = present;
  } else {
    own_prefix_extractor_ = BuiltinSliceTransform(name);
    prefix_extractor_ = own_prefix_extractor_.get();
  }
}

void BlockBasedTable::FindFilter(const MetaBlocks& meta) {
  if (whole_keys_in_filter_ && table_options_.whole_key_filtering) {
    lookup_by_ = LookupBy::kWholeKey;
  } else if (prefix_extractor_ != nullptr && own_prefix_extractor_ == nullptr) {
    lookup_by_ = LookupBy::kPrefix;
  }
  if (lookup_by_ == LookupBy::kNothing && prefix_extractor_ == nullptr) return;
  const BlockHandle* handle = meta.Find(std::string(kFullFilterPrefix) + kBuiltinBloomName);
  if (handle == nullptr) {
    handle = meta.Find(std::string(kPartitionedFilterPrefix) + kBuiltinBloomName);
    partitioned_filter_ = handle != nullptr;
  }
  use_filter_ = handle != nullptr;
  if (use_filter_) {
    filter_handle_ = *handle;
  } else {
    lookup_by_ = LookupBy::kNothing;
    prefix_extractor_ = nullptr;
  }
}

// ---- Data blocks

Status BlockBasedTable::ReadDataBlock(const BlockHandle& handle, bool verify_checksum,
                                      PrefetchBuffer* prefetch, Block::Ptr* block,
                                      const ReadLimits& limits, Persistence persistence) const {
  return ReadTwice(persistence, [&](Persistence of_this) {
    return ReadDataBlockOnce(handle, verify_checksum, prefetch, block, limits, of_this);
  });
}

Status BlockBasedTable::ReadDataBlockOnce(const BlockHandle& handle, bool verify_checksum,
                                          PrefetchBuffer* prefetch, Block::Ptr* block,
                                          const ReadLimits& limits, Persistence persistence) const {
  Status s = ReadBlock(source_, handle, BlockKind::kData, verify_checksum, source_.dict.get(),
                       prefetch, block, limits, persistence);
  if (!s.ok()) return s;
  const char* error = nullptr;
  if (HasSeparateValues(**block)) [[unlikely]] {
    Block::Ptr joined = Block::Allocate((*block)->size(), 0, handle.offset, source_.allocator);
    if (joined == nullptr)
      return Status::MemoryLimit("no memory for a block" + source_.Where(handle.offset));
    error = JoinValues(**block, joined.get());
    *block = std::move(joined);
  }
  if (error == nullptr) error = (*block)->ParseRestarts();
  if (error == nullptr && bare_keys_) s = PadDataBlock(block);
  if (error == nullptr && s.ok()) error = (*block)->Protect(protection_bytes_);
  if (error == nullptr) return s;
  if ((*block)->HasUnknownFeature())
    return Status::NotSupported(error + source_.Where(handle.offset));
  return BlockCorruption(source_, handle.offset, error);
}

Status BlockBasedTable::PadDataBlock(Block::Ptr* block) const {
  const uint64_t offset = (*block)->file_offset();
  Block::Ptr padded;
  const char* const error =
      AddTimestamps(**block, icmp_.timestamp_size(), source_.allocator, &padded);
  if (error != nullptr) return BlockCorruption(source_, offset, error);
  if (padded == nullptr)
    return Status::MemoryLimit("no memory for a block" + source_.Where(offset));
  *block = std::move(padded);
  return Status::OK();
}

void BlockBasedTable::TellOfHit(const ReadOptions& options, const BlockHandle& handle,
                                bool for_compaction, const BlockRef& block) const {
  const Perf perf;
  if (PerfContext* const counters = perf.counters()) [[likely]] {
    counters->block_cache_hit_count += 1;
    counters->block_cache_read_byte += block->memory_usage();
    perf.CountAt(level_, &PerfContextByLevel::block_cache_hit_count);
  }
  if (source_.statistics != nullptr) {
    Tick(BLOCK_CACHE_HIT);
    Tick(BLOCK_CACHE_DATA_HIT);
    Tick(BLOCK_CACHE_BYTES_READ, block->memory_usage());
  }
  if (IsTraced()) [[unlikely]] {
    TraceLookup(options, CachedBlock::kData, handle, /*hit=*/true, for_compaction,
                block->memory_usage(), block.get());
  }
}

Status BlockBasedTable::GetDataBlock(const ReadOptions& options, const BlockHandle& handle,
                                     bool for_compaction, PrefetchBuffer* prefetch,
                                     BlockRef* block) const {
  const BlockCacheKey key(cache_prefix_, CachedBlock::kData, handle.offset);
  const Slice cache_key = key.slice();
  if (cache_ != nullptr) {
    // What a compaction reads once does not come up for it.
    Cache::Handle* const h = LookupBlock(cache_key, handle.offset, secondary_ && !for_compaction,
                                         DataBlockHelper(), Cache::Priority::LOW,
                                         [this](Block::Ptr restored, void** entry, size_t* charge) {
                                           const char* error = restored->ParseRestarts();
                                           if (error == nullptr)
                                             error = restored->Protect(protection_bytes_);
                                           if (error != nullptr) return Status::Corruption(error);
                                           if (bytewise_) restored->MarkRestarts();
                                           *charge = restored->memory_usage();
                                           *entry = restored.release();
                                           return Status::OK();
                                         });
    if (h != nullptr) {
      block->SetCached(cache_, h);
      TellOfHit(options, handle, for_compaction, *block);
      if (prefetch != nullptr) prefetch->Skip(handle.offset, handle.size + kBlockTrailerSize);
      return Status::OK();
    }
  }
  if (options.read_tier == kBlockCacheTier) return Status::Incomplete("data block is not cached");
  Status s = LoadDataBlock(options, handle, for_compaction, prefetch, cache_key, block);
  if (IsTraced()) [[unlikely]] {
    TraceLookup(options, CachedBlock::kData, handle, /*hit=*/false, for_compaction,
                *block ? (*block)->memory_usage() : 0, block->get());
  }
  return s;
}

Status BlockBasedTable::LoadDataBlock(const ReadOptions& options, const BlockHandle& handle,
                                      bool for_compaction, PrefetchBuffer* prefetch,
                                      const Slice& cache_key, BlockRef* block) const {
  if (cache_ != nullptr) {
    Perf().CountAt(level_, &PerfContextByLevel::block_cache_miss_count);
    Tick(BLOCK_CACHE_MISS);
    Tick(BLOCK_CACHE_DATA_MISS);
  }
  Block::Ptr read;
  Status s;
  {
    const StopWatch watch(source_.statistics,
                          for_compaction ? READ_BLOCK_COMPACTION_MICROS : READ_BLOCK_GET_MICROS);
    s = ReadDataBlock(handle, options.verify_checksums, prefetch, &read, ReadLimits(options),
                      PersistenceFor(options, for_compaction));
  }
  if (!s.ok()) return s;
  if (cache_ == nullptr || !options.fill_cache || for_compaction) {
    block->SetOwned(read.release());
    return s;
  }
  if (bytewise_) read->MarkRestarts();
  const size_t charge = read->memory_usage();
  Cache::Handle* h = nullptr;
  s = InsertBlock(cache_, secondary_, cache_key, read.get(), DataBlockHelper(), charge, &h,
                  Cache::Priority::LOW);
  if (!s.ok()) {
    Tick(BLOCK_CACHE_ADD_FAILURES);
    return s;
  }
  (void)read.release();  // the cache has it
  CountInsertion(source_.statistics, CachedBlock::kData, charge);
  block->SetCached(cache_, h);
  return s;
}

// ---- Lookups

Status BlockBasedTable::BadEntry(const BlockHandle& handle, GetContext* context) const {
  context->MarkCorrupt();
  return BlockCorruption(source_, handle.offset, "bad entry in data block");
}

// `context` was offered an entry of that type, and wants no more.
inline Status BlockBasedTable::Decided(const BlockHandle& handle, ValueType type,
                                       const GetContext& context) const {
  if (context.state() != GetContext::kUnsupported) [[likely]]
    return Status::OK();
  return Status::NotSupported("value type " + std::to_string(type) + source_.Where(handle.offset));
}

template <bool kTimed>
Status BlockBasedTable::GetFromBlock(const ReadOptions& options, const BlockHandle& handle,
                                     const Slice& internal_key, GetContext* context, bool* done,
                                     uint32_t* compared, LookupApproach* approach) const {
  *done = true;
  Status s;
  BlockRef block;
  uint32_t interval = RestartMarks::kUnknown;
  if (approach != nullptr && approach->block) {
    block = std::move(approach->block);
    interval = approach->interval;
  } else {
    const PerfTimerIf<kTimed> getting(&PerfContext::new_table_block_iter_nanos);
    s = GetDataBlock(options, handle, /*for_compaction=*/false, nullptr, &block);
  }
  if (!s.ok()) {
    if (s.IsIncomplete()) context->MarkKeyMayExist();
    return s;
  }
  DataBlockIter it;
  it.Init(block.get(), &icmp_, bytewise_);
  // Where a key's versions may lie in two blocks, the entry behind this block's versions is needed.
  if (block->has_hash_index() && hash_index_is_usable_ && index_format_.user_keys) {
    if (!it.SeekByHash(internal_key)) return s;
  } else {
    const PerfTimerIf<kTimed> timer(&PerfContext::block_seek_nanos);
    *compared += it.SeekUncounted(internal_key, interval);
  }
  if (!it.Valid()) [[unlikely]] {
    if (it.corrupt()) return BadEntry(handle, context);
    // Without sequence numbers in the index no key has versions in two blocks.
    *done = index_format_.user_keys && icmp_.timestamp_size() == 0;
    return s;
  }
  if (icmp_.timestamp_size() != 0) [[unlikely]] {
    Cleanable pinner;
    block.TransferTo(&pinner);
    return GetVersion(handle, internal_key, &it, context, done, &pinner);
  }
  const Slice found = it.key();
  if (!icmp_.EqualUserKey(ExtractUserKey(found), context->user_key())) return s;
  SequenceNumber sequence;
  ValueType type;
  UnpackSequenceAndType(ExtractInternalKeyFooter(found), &sequence, &type);
  if (global_seqno_ != kDisableGlobalSequenceNumber) [[unlikely]] {
    sequence = global_seqno_;
    if (sequence > ExtractSequence(internal_key))
      return s;  // newer than the snapshot; the only version here
  }
  Cleanable pinner;
  block.TransferTo(&pinner);
  if (context->SaveMatch(sequence, type, it.value(), &pinner)) [[unlikely]] {
    return GetBelowOperand(handle, &it, context, done);
  }
  return Decided(handle, type, *context);
}

// With timestamps, `it` standing on the first entry of the block that is not before `internal_key`,
// whose bytes `pinner` keeps. What follows may have been written later, and be invisible.
Status BlockBasedTable::GetVersion(const BlockHandle& handle, const Slice& internal_key,
                                   DataBlockIter* it, GetContext* context, bool* done,
                                   Cleanable* pinner) const {
  const Slice sought = ExtractUserKey(internal_key);
  for (; it->Valid(); it->Next()) {
    const Slice user_key = ExtractUserKey(it->key());
    if (!icmp_.EqualBare(user_key, sought)) return Status::OK();
    SequenceNumber sequence;
    ValueType type;
    UnpackSequenceAndType(ExtractInternalKeyFooter(it->key()), &sequence, &type);
    if (global_seqno_ != kDisableGlobalSequenceNumber) sequence = global_seqno_;
    if (sequence > ExtractSequence(internal_key)) continue;
    context->OfferTimestamp(icmp_.TimestampIn(user_key));
    if (context->SaveMatch(sequence, type, it->value(), pinner)) continue;
    return Decided(handle, type, *context);
  }
  if (it->corrupt()) return BadEntry(handle, context);
  *done = false;  // the versions may go on in the next block
  return Status::OK();
}

// `it` stands on a merge operand that `context` has taken.
Status BlockBasedTable::GetBelowOperand(const BlockHandle& handle, DataBlockIter* it,
                                        GetContext* context, bool* done) const {
  for (it->Next(); it->Valid(); it->Next()) {
    const Slice key = it->key();
    if (!icmp_.EqualUserKey(ExtractUserKey(key), context->user_key())) return Status::OK();
    SequenceNumber sequence;
    ValueType type;
    UnpackSequenceAndType(ExtractInternalKeyFooter(key), &sequence, &type);
    // The block is not kept: the value is copied.
    if (context->SaveMatch(sequence, type, it->value(), nullptr)) continue;
    return Decided(handle, type, *context);
  }
  if (it->corrupt()) return BadEntry(handle, context);
  *done = index_format_.user_keys;
  return Status::OK();
}

template <bool kTimed>
Status BlockBasedTable::GetWithCursor(const ReadOptions& options, const Slice& internal_key,
                                      GetContext* context, uint32_t* compared) const {
  IndexCursor index(this, &options);
  for (index.Seek(internal_key); index.Valid(); index.Next()) {
    bool done;
    Status s =
        GetFromBlock<kTimed>(options, index.handle(), internal_key, context, &done, compared);
    if (!s.ok() || done) return s;
  }
  if (index.status().IsIncomplete()) context->MarkKeyMayExist();
  return index.status();
}

inline void BlockBasedTable::CountPassed(const Status& s, const GetContext& context) const {
  const Perf perf;
  if ((source_.statistics == nullptr && !perf.counts_levels()) || s.IsIncomplete()) return;
  const bool found = context.state() != GetContext::kNotFound;
  Tick(BLOOM_FILTER_FULL_POSITIVE);
  perf.CountAt(level_, &PerfContextByLevel::bloom_filter_full_positive);
  if (found) {
    Tick(BLOOM_FILTER_FULL_TRUE_POSITIVE);
    if (lookup_by_ == LookupBy::kPrefix) Tick(BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
    perf.CountAt(level_, &PerfContextByLevel::bloom_filter_full_true_positive);
  }
}

Status BlockBasedTable::GetApproached(const ReadOptions& options, const Slice& internal_key,
                                      GetContext* context) {
  LookupApproach* const approach = context->approach();
  approach->used = true;
  const Perf perf;
  if (HasFilter()) perf.Count(&PerfContext::bloom_sst_hit_count);
  uint32_t compared = approach->compared;
  bool done;  // always: see CanBeApproached()
  Status s = GetFromBlock</*kTimed=*/false>(options, approach->handle, internal_key, context, &done,
                                            &compared, approach);
  perf.Count(&PerfContext::user_key_comparison_count, compared);
  if (HasFilter()) CountPassed(s, *context);
  return s;
}

template <bool kTimed>
Status BlockBasedTable::GetEntry(const ReadOptions& options, const Slice& internal_key,
                                 GetContext* context, bool skip_filters) {
  if (!kTimed && context->approach() != nullptr && context->approach()->table == this) [[unlikely]]
    return GetApproached(options, internal_key, context);
  if (HasFilter() && !skip_filters && !KeyMayMatch(options, internal_key)) {
    Tick(BLOOM_FILTER_USEFUL);
    Perf().CountAt(level_, &PerfContextByLevel::bloom_filter_useful);
    return Status::OK();
  }
  Status s;
  uint32_t compared = 0;
  if (index_ && !two_level_index_ && !UsesUserIndex(options)) [[likely]] {
    IndexBlockIter it;
    it.Init(index_.get(), &icmp_, bytewise_);
    PerfTimerIf<kTimed> timer(&PerfContext::block_seek_nanos);
    compared = it.SeekUncounted(internal_key);
    timer.Stop();
    for (; it.Valid(); it.Next()) {
      bool done;
      s = GetFromBlock<kTimed>(options, it.handle(), internal_key, context, &done, &compared);
      if (!s.ok() || done) break;
    }
    if (it.corrupt()) {
      s = BlockCorruption(source_, index_handle_.offset, "bad entry in index block");
    }
  } else {
    s = GetWithCursor<kTimed>(options, internal_key, context, &compared);
  }
  const Perf perf;
  perf.Count(&PerfContext::user_key_comparison_count, compared);
  if (HasFilter() && !skip_filters) CountPassed(s, *context);
  return s;
}

Status BlockBasedTable::GetUntraced(const ReadOptions& options, const Slice& internal_key,
                                    GetContext* context, bool skip_filters) {
  if (tombstones_ == nullptr || options.ignore_range_deletions) [[likely]] {
    return Perf().timed() ? GetEntry<true>(options, internal_key, context, skip_filters)
                          : GetEntry<false>(options, internal_key, context, skip_filters);
  }
  // The key is within the table's bounds.
  Slice timestamp;
  const SequenceNumber covering = tombstones_->Covering(ExtractUserKey(internal_key),
                                                        ExtractSequence(internal_key), &timestamp);
  context->SetCovering(covering, timestamp);
  Status s = Perf().timed() ? GetEntry<true>(options, internal_key, context, skip_filters)
                            : GetEntry<false>(options, internal_key, context, skip_filters);
  if (s.ok() && covering != 0 && !context->key_may_exist() && context->undecided()) {
    context->MarkCovered();
  }
  context->SetCovering(0);
  return s;
}

InternalIterator* BlockBasedTable::NewIterator(const ReadOptions& options, bool skip_filters,
                                               size_t compaction_readahead, bool for_compaction) {
  if (for_compaction && compaction_readahead == 0) compaction_readahead = kSweepReadahead;
  const bool ask_prefix = prefix_extractor_ != nullptr && !skip_filters && !for_compaction &&
                          (!options.total_order_seek || options.auto_prefix_mode);
  return new BlockBasedTableIterator(this, options, compaction_readahead, for_compaction,
                                     ask_prefix);
}

uint64_t BlockBasedTable::end_of_data() const {
  return properties_->data_size != 0 && properties_->data_size <= source_.file_size
             ? properties_->data_size
             : source_.file_size;
}

uint64_t BlockBasedTable::ApproximateOffsetOf(const ReadOptions& options,
                                              const Slice& internal_key) {
  const BlockLookupScope scope(*trace_, {kUserApproximateSize});
  IndexCursor index(this, &options);
  index.Seek(internal_key);
  if (index.Valid()) return index.handle().offset;
  return properties_->data_size != 0 ? properties_->data_size
                                     : source_.footer.metaindex_handle.offset;
}

size_t BlockBasedTable::ApproximateMemoryUsage() const {
  size_t size = sizeof(*this) + sizeof(TableProperties);
  // What is pinned in the cache is charged there.
  if (index_ && !index_.cached()) size += index_->memory_usage();
  if (filter_ && !filter_.cached()) size += filter_->block->memory_usage();
  if (filter_top_ && !filter_top_.cached()) size += filter_top_->memory_usage();
  if (source_.dict != nullptr) size += source_.dict->memory_usage();
  if (user_index_ != nullptr) size += user_index_->reader->ApproximateMemoryUsage();
  return size;
}

Status BlockBasedTable::VerifyChecksum(const ReadOptions& read_options) {
  const BlockLookupScope scope(*trace_, {kUserVerifyChecksum});
  ReadOptions options = read_options;
  options.verify_checksums = true;
  options.fill_cache = false;
  MetaBlocks meta;
  Status s = ReadMetaindex(nullptr, &meta);
  Block::Ptr block;
  for (const auto& [name, handle] : meta.handles) {
    // The properties were verified at opening, with care for ingested files; the index follows
    // below.
    if (!s.ok() || name == kPropertiesBlockName) continue;
    s = ReadBlock(source_, handle, BlockKind::kMetadata, true, nullptr, nullptr, &block,
                  ReadLimits(options));
  }
  if (s.ok()) {
    s = ReadBlock(source_, index_handle_, BlockKind::kIndex, true, nullptr, nullptr, &block,
                  ReadLimits(options));
  }
  if (s.ok()) s = VerifyFilterPartitions(options);
  if (!s.ok()) return s;

  PrefetchOptions ahead;
  ahead.fixed = options.readahead_size != 0 ? options.readahead_size : kSweepReadahead;
  ahead.limits = ReadLimits(options);
  PrefetchBuffer prefetch(source_.file.get(), source_.file_size, ahead);
  IndexCursor index(this, &options);
  for (index.SeekToFirst(); index.Valid(); index.Next()) {
    const BlockHandle handle = index.handle();
    s = ReadDataBlock(handle, true, &prefetch, &block, ahead.limits, Persistence::kNone);
    if (!s.ok()) return s;
    DataBlockIter it;
    it.Init(block.get(), &icmp_, bytewise_);
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
    }
    if (it.corrupt()) return BlockCorruption(source_, handle.offset, "bad entry in data block");
  }
  return index.status();
}

Status BlockBasedTable::GetAnchors(size_t count, std::vector<TableAnchor>* anchors) {
  anchors->clear();
  const BlockLookupScope scope(*trace_, {kCompaction});
  ReadOptions options;
  options.fill_cache = false;  // a compaction needs no room in the cache
  IndexCursor index(this, &options);
  const uint64_t per_anchor = std::max<uint64_t>(1, properties_->data_size / count);
  TableAnchor part;
  for (index.SeekToFirst(); index.Valid(); index.Next()) {
    const Slice key = index_format_.user_keys ? index.key() : ExtractUserKey(index.key());
    part.user_key.assign(key.data(), key.size());
    part.bytes += index.handle().size + kBlockTrailerSize;
    if (part.bytes >= per_anchor && anchors->size() + 1 < count) {
      anchors->push_back(std::move(part));
      part = TableAnchor();
    }
  }
  if (part.bytes > 0) anchors->push_back(std::move(part));
  return index.status();
}

}  // namespace cairn
