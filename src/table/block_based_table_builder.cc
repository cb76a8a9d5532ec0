#include "table/block_based_table_builder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/coding.h"
#include "base/stop_watch.h"
#include "fiber/random.h"
#include "rocksdb/filter_policy.h"
#include "table/filter_policy.h"
#include "table/properties.h"

namespace cairn {

namespace {

// From so many bytes on a key or value may be more than there is memory for.
constexpr size_t kLargeEntry = 1 << 20;
// A block of so many bytes is not copied.
constexpr size_t kLargeBlock = 16 << 20;
// A block of so many bytes ends, whatever a FlushBlockPolicy says.
constexpr size_t kLongestBlock = size_t{1} << 30;

// As RocksDB prints it in the property "rocksdb.compression_options".
std::string CompressionOptionsText(const CompressionOptions& o) {
  char buf[256];
  std::snprintf(
      buf, sizeof(buf),
      "window_bits=%d; level=%d; strategy=%d; max_dict_bytes=%u; zstd_max_train_bytes=%u; "
      "enabled=%d; max_dict_buffer_bytes=%llu; use_zstd_dict_trainer=%d; ",
      o.window_bits, o.level, o.strategy, o.max_dict_bytes, o.zstd_max_train_bytes,
      o.enabled ? 1 : 0, static_cast<unsigned long long>(o.max_dict_buffer_bytes),
      o.use_zstd_dict_trainer ? 1 : 0);
  return buf;
}

bool IsBuiltin(const CompressionManager& manager) {
  return &manager == GetBuiltinV2CompressionManager().get();
}

}  // namespace

BlockBasedTableBuilder::BlockBasedTableBuilder(const BlockBasedTableOptions& table_options,
                                               const TableBuilderOptions& options,
                                               std::shared_ptr<MemoryCharges> charges,
                                               FileWriter* file)
    : table_options_(table_options),
      charges_(std::move(charges)),
      icmp_(options.icmp),
      bytewise_(icmp_.user_comparator() == BytewiseComparator()),
      compression_(options.compression_type),
      file_(file),
      statistics_(options.statistics),
      data_block_(table_options.block_restart_interval, table_options.use_delta_encoding),
      compression_opts_(options.compression_opts),
      compressor_(options.compression_type, options.compression_opts),
      manager_(options.compression_manager == nullptr || IsBuiltin(*options.compression_manager)
                   ? nullptr
                   : options.compression_manager),
      compresses_(options.compression_type != kNoCompression),
      strip_timestamps_(options.strip_timestamps && icmp_.timestamp_size() != 0),
      index_(table_options_, icmp_, strip_timestamps_),
      collectors_(options.collector_factories, {options.column_family_id, options.level},
                  options.info_log),
      block_limit_(table_options.block_size, table_options.block_size_deviation,
                   table_options.block_align),
      alignment_(table_options.block_align
                     ? std::min<uint64_t>(table_options.block_size, kLargestAlignment)
                     : 0) {
  if (const FilterRecipe recipe = ChooseFilter(table_options, options)) {
    filter_ = std::make_unique<FilterBuilder>(
        table_options_, recipe, table_options.whole_key_filtering, options.prefix_extractor,
        charges_->For(CacheEntryRole::kFilterConstruction));
  }
  MakePolicy();
  MakeCompressors(options);
  MakeUserIndex();
  warmer_ = CacheWarmer::Make(table_options_, options, icmp_);
  if (table_options.format_version >= 6) {
    // Nonzero: zero says that checksums do not depend on the offset, which these versions refuse.
    while (base_context_checksum_ == 0) {
      base_context_checksum_ = static_cast<uint32_t>(fiber::random_u64());
    }
  }
  if (manager_ == nullptr && !IsCompressionSupported(compression_)) {
    Fail(Status::NotSupported("compression type " +
                              std::to_string(static_cast<unsigned>(compression_)) + " for " +
                              file->file_name()));
  }

  // Where keys of other bytes may be equal a hash says nothing: blocks are searched as without it.
  if (table_options.data_block_index_type == BlockBasedTableOptions::kDataBlockBinaryAndHash &&
      !icmp_.user_comparator()->CanKeysWithDifferentByteContentsBeEqual() &&
      icmp_.timestamp_size() == 0) {
    const double ratio = table_options.data_block_hash_table_util_ratio;
    data_block_.EnableHashIndex(ratio > 0 ? ratio : 0.75);
  }
  const bool buffers = manager_ == nullptr
                           ? compression_opts_.max_dict_bytes > 0 && TakesDictionary(compression_)
                           : sample_bytes_ > 0;
  if (ok() && buffers) {
    buffer_ = std::make_unique<DictionaryBuffer>(
        compression_opts_, options.target_file_size,
        charges_->For(CacheEntryRole::kCompressionDictionaryBuildingBuffer));
  } else if (ok()) {
    StartPipeline();
  }

  TableProperties& p = properties_;
  p.orig_file_number = options.cur_file_num;
  p.column_family_id = options.column_family_id;
  p.column_family_name = options.column_family_name;
  p.creation_time = options.creation_time;
  p.oldest_key_time = options.oldest_key_time;
  p.file_creation_time = options.file_creation_time;
  p.db_id = options.db_id;
  p.db_session_id = options.db_session_id;
  p.db_host_id = options.db_host_id;
  p.filter_policy_name = filter_ != nullptr ? table_options.filter_policy->Name() : "";
  p.comparator_name = icmp_.user_comparator()->Name();
  p.merge_operator_name = options.merge_operator_name;
  p.prefix_extractor_name =
      options.prefix_extractor == nullptr ? "nullptr" : options.prefix_extractor->AsString();
  p.property_collectors_names = collectors_.names();
  p.compression_name = CompressionName();
  p.compression_options = CompressionOptionsText(options.compression_opts);
  if (manager_ != nullptr) {
    p.compression_options += "_compression_manager=" + manager_->GetId() + "; ";
    if (managed_ != nullptr) p.compression_options += "_compressor=" + managed_->GetId() + "; ";
  }
  p.index_value_is_delta_encoded = HasDeltaEncodedIndex(table_options) ? 1 : 0;
  p.udi_is_primary_index = table_options.use_udi_as_primary_index ? 1 : 0;
  p.user_defined_timestamps_persisted = strip_timestamps_ ? 0 : 1;
  p.data_block_restart_interval = static_cast<uint64_t>(table_options.block_restart_interval);
  p.index_block_restart_interval =
      static_cast<uint64_t>(table_options.index_block_restart_interval);
  auto& extra = p.user_collected_properties;
  extra = options.extra_properties;
  std::string index_type;
  // There is no hash index: such a table has the plain one, and says so.
  const bool hash = table_options.index_type == BlockBasedTableOptions::kHashSearch;
  PutFixed32(&index_type, static_cast<uint32_t>(hash ? BlockBasedTableOptions::kBinarySearch
                                                     : table_options.index_type));
  extra[kIndexTypeProperty] = index_type;
  extra[kWholeKeyFilteringProperty] = table_options.whole_key_filtering ? "1" : "0";
  extra[kPrefixFilteringProperty] = options.prefix_extractor == nullptr ? "0" : "1";
}

BlockBasedTableBuilder::~BlockBasedTableBuilder() = default;

void BlockBasedTableBuilder::Fail(const Status& s) {
  if (status_.ok()) status_ = s;
}

// What is by size is found without a call of a user's object for each entry.
void BlockBasedTableBuilder::MakePolicy() {
  const FlushBlockPolicyFactory* const factory = table_options_.flush_block_policy_factory.get();
  if (factory == nullptr || dynamic_cast<const FlushBlockBySizePolicyFactory*>(factory) != nullptr)
    return;
  policy_.reset(factory->NewFlushBlockPolicy(table_options_, data_block_seen_));
  if (policy_ == nullptr) {
    Fail(Status::InvalidArgument("flush_block_policy_factory made no policy", factory->Name()));
  }
}

void BlockBasedTableBuilder::MakeCompressors(const TableBuilderOptions& options) {
  if (manager_ == nullptr) return;
  FilterBuildingContext context(table_options_);
  context.info_log = options.info_log;
  context.column_family_name = options.column_family_name;
  context.level_at_creation = options.level;
  context.is_bottommost = options.is_bottommost;
  context.reason = options.reason;
  managed_ = manager_->GetCompressorForSST(context, compression_opts_, compression_);
  compresses_ = managed_ != nullptr;
  if (!compresses_) return;
  if (const uint32_t threads = managed_->GetRecommendedParallelThreads()) {
    compression_opts_.parallel_threads = threads;
  }
  if (table_options_.verify_compression) {
    std::shared_ptr<Decompressor> decompressor = managed_->GetOptimizedDecompressor();
    if (decompressor == nullptr) decompressor = manager_->GetDecompressor();
    Status s =
        DecompressionDict::OfManager(std::string(), std::move(decompressor), &verify_managed_);
    if (!s.ok()) return Fail(s);
  }
  if (table_options_.enable_index_compression) {
    (void)CompressorFor(CacheEntryRole::kIndexBlock, Compressor::DictDisabled{}, &managed_index_,
                        &index_compressor_);
  }
  Compressor::DictConfig guidance = managed_->GetDictGuidance(CacheEntryRole::kDataBlock);
  if (const auto* const sampling = std::get_if<Compressor::DictSampling>(&guidance)) {
    sample_bytes_ = sampling->max_sample_bytes;
    if (sample_bytes_ > 0) return;
  }
  Compressor::DictConfigArgs args = Compressor::DictDisabled{};
  if (auto* const given = std::get_if<Compressor::DictPreDefined>(&guidance)) {
    if (!given->dict_data.empty()) args = std::move(*given);
  }
  UseDataCompressor(std::move(args));
}

void BlockBasedTableBuilder::UseDataCompressor(Compressor::DictConfigArgs&& args) {
  (void)CompressorFor(CacheEntryRole::kDataBlock, std::move(args), &managed_data_,
                      &data_compressor_);
  const Compressor& used = managed_data_ != nullptr ? *managed_data_ : *managed_;
  std::string dict = used.GetSerializedDict().ToString();
  if (dict.empty()) return;
  managed_dict_ = dict;
  if (!table_options_.verify_compression) return;
  Status s =
      DecompressionDict::OfManager(std::move(dict), manager_->GetDecompressor(), &verify_dict_);
  if (!s.ok()) Fail(s);
}

BlockCompressor* BlockBasedTableBuilder::CompressorFor(CacheEntryRole role,
                                                       Compressor::DictConfigArgs&& dict,
                                                       std::unique_ptr<Compressor>* special,
                                                       std::unique_ptr<BlockCompressor>* made) {
  *special = managed_->MaybeCloneSpecialized(role, std::move(dict));
  *made = std::make_unique<BlockCompressor>(*special != nullptr ? special->get() : managed_.get());
  return made->get();
}

// Before format_version 7 the type that the options ask for. Since then the family of codecs, and
// the types that were used, in hexadecimal.
std::string BlockBasedTableBuilder::CompressionName() const {
  CompressionType type = compression_;
  if (manager_ != nullptr) {
    type = managed_ == nullptr ? kNoCompression : managed_->GetPreferredCompressionType();
  }
  if (table_options_.format_version < 7) {
    for (size_t i = types_.size(); manager_ != nullptr && i-- > 0;) {
      if (types_[i] && type != kZSTD) type = static_cast<CompressionType>(i);
    }
    return CompressionPropertyName(type);
  }
  std::string name;
  if (compresses_) name = manager_ != nullptr ? manager_->CompatibilityName() : "BuiltinV2";
  name += ';';
  for (size_t i = 0; i < types_.size(); ++i) {
    char digits[3];
    if (!types_[i]) continue;
    std::snprintf(digits, sizeof(digits), "%02X", static_cast<unsigned>(i));
    name += digits;
  }
  return name + ';';
}

void BlockBasedTableBuilder::MakeUserIndex() {
  const UserDefinedIndexFactory* const factory = table_options_.user_defined_index_factory.get();
  if (factory == nullptr) return;
  if (compression_opts_.parallel_threads > 1) {
    return Fail(Status::InvalidArgument(
        "user_defined_index_factory not supported with parallel compression"));
  }
  if (strip_timestamps_) {
    return Fail(Status::InvalidArgument(
        "user_defined_index_factory not supported with keys that lose their timestamps"));
  }
  Status s = UserIndexBuilder::Make(*factory, icmp_, &user_index_);
  if (!s.ok()) Fail(s);
}

bool BlockBasedTableBuilder::BlockEnds(const Slice& key, const Slice& value) {
  return policy_ == nullptr
             ? block_limit_.IsFull(data_block_, key, value)
             : policy_->Update(key, value) || data_block_.CurrentSize() >= kLongestBlock;
}

bool BlockBasedTableBuilder::SortsAfterLast(const Slice& key, size_t common) const {
  if (!bytewise_) return icmp_.Compare(last_key_, key) < 0;
  const size_t before = last_key_.size() - kInternalKeyFooterSize;
  const size_t now = key.size() - kInternalKeyFooterSize;
  if (common < std::min(before, now)) {
    return static_cast<unsigned char>(last_key_[common]) < static_cast<unsigned char>(key[common]);
  }
  if (before != now) return before < now;
  return ExtractInternalKeyFooter(last_key_) > ExtractInternalKeyFooter(key);
}

void BlockBasedTableBuilder::Add(const Slice& key, const Slice& value) {
  if (!ok()) return;
  if (key.size() < kInternalKeyFooterSize) {
    return Fail(Status::Corruption("internal key too short while writing " + file_->file_name()));
  }
  const ValueType type = ExtractValueType(key);
  switch (type) {
    case kTypeValue:
    case kTypeWideColumnEntity:
    case kTypeBlobIndex:
      break;
    case kTypeDeletion:
    case kTypeSingleDeletion:
    case kTypeDeletionWithTimestamp:
      ++properties_.num_deletions;
      break;
    case kTypeMerge:
      ++properties_.num_merge_operands;
      break;
    default:
      return Fail(Status::NotSupported("value type " + std::to_string(type) +
                                       " cannot be written to " + file_->file_name()));
  }
  // Found once, for the check of the order, the block and the copy.
  const size_t common = block_internal::MatchLength(last_key_.data(), key.data(),
                                                    std::min(last_key_.size(), key.size()));
  if (!last_key_.empty() && !SortsAfterLast(key, common)) {
    return Fail(Status::Corruption("out-of-order key while writing " + file_->file_name()));
  }
  if (BlockEnds(key, value)) {
    FlushDataBlock();
    if (!ok()) return;
  }
  if (value.size() >= kLargeEntry || key.size() >= kLargeEntry) [[unlikely]] {
    if (key.size() - kInternalKeyFooterSize + value.size() > kMaxEntrySize) {
      return Fail(Status::InvalidArgument("key and value together are too large for a table",
                                          file_->file_name()));
    }
    if (!data_block_.empty() && data_block_.SizeAfter(key, value) > kMaxBlockSize) FlushDataBlock();
    if (ok() && !data_block_.HasRoomFor(key, value)) {
      Fail(Status::MemoryLimit("no memory for a block of " + file_->file_name()));
    }
    if (!ok()) return;
  }
  if (index_entry_pending_) AddIndexEntry(&key);
  if (index_.stores_first_keys() && data_block_.empty()) [[unlikely]]
    index_.AddFirstKey(key);
  if (filter_ != nullptr) filter_->Add(icmp_.BareKey(ExtractUserKey(key)));
  if (icmp_.timestamp_size() != 0) [[unlikely]]
    NoteTimestamp(key);
  NoteSequence(key);
  if (user_index_ != nullptr && buffer_ == nullptr) [[unlikely]]
    user_index_->AddKey(key, value);
  AddToBlock(key, value, common);
  last_key_bytes_.Reserve(key.size(), common);
  std::memcpy(last_key_bytes_.data() + common, key.data() + common, key.size() - common);
  last_key_ = Slice(last_key_bytes_.data(), key.size());
  ++properties_.num_entries;
  properties_.raw_key_size += key.size();
  properties_.raw_value_size += value.size();
  collectors_.Add(key, value, offset_);
}

inline void BlockBasedTableBuilder::AddToBlock(const Slice& key, const Slice& value,
                                               size_t common) {
  if (strip_timestamps_) [[unlikely]] {
    bare_key_ = InternalKeyWithoutTimestamp(key, icmp_.timestamp_size());
    const size_t shorter = std::min(bare_key_.size(), last_bare_key_.size());
    common = block_internal::MatchLength(bare_key_.data(), last_bare_key_.data(), shorter);
    data_block_.AddKnowingPrefix(bare_key_, value, common);
    last_bare_key_.swap(bare_key_);
    return;
  }
  data_block_.AddKnowingPrefix(key, value, common);
  data_block_.AddToHashIndex(ExtractUserKey(key));
}

void BlockBasedTableBuilder::NoteTimestamp(const Slice& internal_key) {
  const Slice timestamp = icmp_.TimestampIn(ExtractUserKey(internal_key));
  const Comparator& comparator = *icmp_.user_comparator();
  if (min_timestamp_.empty() || comparator.CompareTimestamp(timestamp, min_timestamp_) < 0) {
    min_timestamp_.assign(timestamp.data(), timestamp.size());
  }
  if (max_timestamp_.empty() || comparator.CompareTimestamp(timestamp, max_timestamp_) > 0) {
    max_timestamp_.assign(timestamp.data(), timestamp.size());
  }
}

void BlockBasedTableBuilder::AddTombstone(const Slice& internal_key, const Slice& end_user_key) {
  if (!ok()) return;
  if (strip_timestamps_) {
    const size_t ts_size = icmp_.timestamp_size();
    tombstone_block_.Add(InternalKeyWithoutTimestamp(internal_key, ts_size),
                         StripTimestamp(end_user_key, ts_size));
  } else {
    tombstone_block_.Add(internal_key, end_user_key);
  }
  if (icmp_.timestamp_size() != 0) NoteTimestamp(internal_key);
  NoteSequence(internal_key);
  ++properties_.num_entries;
  ++properties_.num_deletions;
  ++properties_.num_range_deletions;
  properties_.raw_key_size += internal_key.size();
  properties_.raw_value_size += end_user_key.size();
  collectors_.Add(internal_key, end_user_key, offset_);
}

void BlockBasedTableBuilder::FlushDataBlock() {
  if (!ok() || data_block_.empty()) return;
  const Slice raw = data_block_.Finish();
  collectors_.AddBlock(raw.size());
  if (buffer_ != nullptr && raw.size() >= kLargeBlock && user_index_ == nullptr) EndBuffering();
  if (buffer_ != nullptr) {
    buffer_->Add(raw);
    if (buffer_->Full()) EndBuffering();
  } else {
    StoreDataBlock(raw);
  }
  data_block_.Reset();
  if (!ok()) return;
  index_entry_pending_ = true;
  ++properties_.num_data_blocks;
  properties_.data_size = offset_;
  estimated_before_block_ = offset_ + EstimatedInPipeline() + index_.EstimatedSize() +
                            (filter_ != nullptr ? filter_->EstimatedSize() : 0);
}

void BlockBasedTableBuilder::StoreDataBlock(const Slice& raw) {
  if (!ok()) return;
  if (warmer_ != nullptr) warmer_->AddData(raw);
  if (pipeline_ != nullptr && raw.size() >= kLargeBlock) {
    while (ok() && !pipeline_->Empty()) WriteOldestDataBlock();
    if (!ok()) return;
  } else if (pipeline_ != nullptr) {
    if (pipeline_->Full()) WriteOldestDataBlock();
    pipeline_->Submit(raw);
    raw_in_pipeline_ += raw.size();
    return;
  }
  BlockCompressor* compressor = dict_compressor_ != nullptr ? dict_compressor_.get() : &compressor_;
  if (data_compressor_ != nullptr) compressor = data_compressor_.get();
  StoredBlock stored;
  const Status s = CompressBlock(compressor, BuiltinType(), table_options_.verify_compression,
                                 DataVerifier(), raw, &stored, WantsDetailedTimes(statistics_));
  WriteDataBlock(s, stored);
}

void BlockBasedTableBuilder::WriteDataBlock(const Status& compressed, const StoredBlock& block) {
  BlockHandle handle;
  WriteStoredBlock(compressed, block, &handle);
  index_.AddHandle(handle);
  last_block_ = handle;
  if (ok() && warmer_ != nullptr) warmer_->PlaceData(handle.offset);
  if (alignment_ == 0 || !ok()) return;
  const uint64_t padding = (alignment_ - offset_ % alignment_) % alignment_;
  IOStatus io = padding == 0 ? IOStatus::OK() : file_->Pad(padding);
  if (!io.ok()) {
    if (io_status_.ok()) io_status_ = io;
    return Fail(io);
  }
  offset_ += padding;
}

void BlockBasedTableBuilder::StartPipeline() {
  if (!compresses_ || compression_opts_.parallel_threads <= 1) return;
  const auto compressor = [this] {
    if (manager_ == nullptr) {
      return std::make_unique<BlockCompressor>(compression_, compression_opts_, dict_.get());
    }
    return std::make_unique<BlockCompressor>(managed_data_ != nullptr ? managed_data_.get()
                                                                      : managed_.get());
  };
  pipeline_ = std::make_unique<CompressionPipeline>(
      BuiltinType(), compressor, table_options_.verify_compression,
      compression_opts_.parallel_threads, DataVerifier(), WantsDetailedTimes(statistics_));
}

void BlockBasedTableBuilder::EndBuffering() {
  const std::unique_ptr<DictionaryBuffer> buffer = std::move(buffer_);
  std::string dict;
  if (manager_ == nullptr) {
    dict = buffer->MakeDictionary(compression_);
  } else {
    UseDataCompressor(buffer->Samples(sample_bytes_));
  }
  if (!dict.empty()) {
    if (table_options_.verify_compression) {
      verify_dict_ = std::make_unique<DecompressionDict>(dict, /*for_zstd=*/true);
    }
    dict_ = std::make_unique<CompressionDict>(std::move(dict), compression_, compression_opts_);
    dict_compressor_ =
        std::make_unique<BlockCompressor>(compression_, compression_opts_, dict_.get());
  }
  StartPipeline();
  bool is_first = true;
  for (const std::string& block : buffer->blocks()) {
    if (user_index_ != nullptr && ok()) {
      Status s = user_index_->AddKeysOf(block, is_first ? nullptr : &last_block_);
      if (!s.ok()) Fail(Status::CopyAppendMessage(s, ": ", file_->file_name()));
    }
    is_first = false;
    StoreDataBlock(block);
  }
}

void BlockBasedTableBuilder::WriteOldestDataBlock() {
  const CompressionPipeline::Result oldest = pipeline_->Take();
  raw_in_pipeline_ -= oldest.raw_size;
  raw_written_ += oldest.raw_size;
  WriteDataBlock(oldest.status, oldest.block);
}

// As those before it were compressed.
uint64_t BlockBasedTableBuilder::EstimatedInPipeline() const {
  if (raw_written_ == 0) return raw_in_pipeline_;
  return static_cast<uint64_t>(static_cast<double>(raw_in_pipeline_) *
                               static_cast<double>(offset_) / static_cast<double>(raw_written_));
}

void BlockBasedTableBuilder::AddIndexEntry(const Slice* next_key) {
  index_entry_pending_ = false;
  index_.AddSeparator(last_key_, next_key);
  // (What is buffered comes when it is stored.)
  if (user_index_ != nullptr && buffer_ == nullptr) [[unlikely]]
    user_index_->AddBlock(last_key_, next_key, last_block_);
  if (next_key != nullptr && filter_ != nullptr && filter_->PartitionIsFull()) {
    filter_->EndPartition(index_.num_separators() - 1, icmp_.BareKey(ExtractUserKey(*next_key)));
  }
}

void BlockBasedTableBuilder::WriteBlock(const Slice& contents, bool compress, BlockHandle* handle) {
  if (!compress) return WriteRawBlock(contents, kNoCompression, handle);
  StoredBlock stored;
  BlockCompressor* const compressor =
      index_compressor_ != nullptr ? index_compressor_.get() : &compressor_;
  const Status s =
      CompressBlock(compressor, BuiltinType(), table_options_.verify_compression,
                    verify_managed_.get(), contents, &stored, WantsDetailedTimes(statistics_));
  WriteStoredBlock(s, stored, handle);
}

void BlockBasedTableBuilder::WriteStoredBlock(const Status& compressed, const StoredBlock& block,
                                              BlockHandle* handle) {
  if (!compressed.ok()) {
    return Fail(Status::CopyAppendMessage(compressed, "", InFileAt(file_->file_name(), offset_)));
  }
  if (statistics_ != nullptr) CountStoredBlock(block);
  WriteRawBlock(block.contents, block.type, handle);
}

void BlockBasedTableBuilder::CountStoredBlock(const StoredBlock& block) const {
  if (!compresses_) {
    statistics_->recordTick(NUMBER_BLOCK_COMPRESSION_BYPASSED, 1);
    statistics_->recordTick(BYTES_COMPRESSION_BYPASSED, block.raw_size);
    return;
  }
  if (WantsDetailedTimes(statistics_)) {
    statistics_->recordInHistogram(COMPRESSION_TIMES_NANOS, block.nanos);
  }
  if (block.type == kNoCompression) {
    statistics_->recordTick(NUMBER_BLOCK_NOT_COMPRESSED, 1);
    statistics_->recordTick(NUMBER_BLOCK_COMPRESSION_REJECTED, 1);
    statistics_->recordTick(BYTES_COMPRESSION_REJECTED, block.raw_size);
    return;
  }
  statistics_->recordTick(NUMBER_BLOCK_COMPRESSED, 1);
  statistics_->recordTick(BYTES_COMPRESSED_FROM, block.raw_size);
  statistics_->recordTick(BYTES_COMPRESSED_TO, block.contents.size());
  statistics_->recordInHistogram(BYTES_COMPRESSED, block.raw_size);
}

void BlockBasedTableBuilder::WriteRawBlock(const Slice& contents, CompressionType type,
                                           BlockHandle* handle) {
  if (!ok()) return;
  const StopWatch watch(statistics_, WRITE_RAW_BLOCK_MICROS);
  *handle = {offset_, contents.size()};
  if (type != kNoCompression) types_.set(type);
  const char type_byte = static_cast<char>(type);
  char trailer[kBlockTrailerSize];
  trailer[0] = type_byte;
  const uint32_t checksum =
      ComputeChecksum(table_options_.checksum, contents.data(), contents.size(), type_byte) +
      ChecksumContextModifier(base_context_checksum_, offset_);
  EncodeFixed32(trailer + 1, checksum);
  IOStatus io = file_->Append(contents);
  if (io.ok()) io = file_->Append(Slice(trailer, sizeof(trailer)));
  if (!io.ok()) {
    if (io_status_.ok()) io_status_ = io;
    return Fail(io);
  }
  offset_ += contents.size() + kBlockTrailerSize;
}

void BlockBasedTableBuilder::WriteFilter(std::map<std::string, BlockHandle>* metaindex) {
  properties_.num_filter_entries = filter_->num_entries();
  if (properties_.num_entries == properties_.num_range_deletions) return;
  BlockHandle handle;
  properties_.filter_size = filter_->Finish(
      index_,
      [this](const Slice& contents, BlockHandle* place) {
        WriteRawBlock(contents, kNoCompression, place);
        if (ok() && warmer_ != nullptr && table_options_.partition_filters) {
          warmer_->AddFilter(contents, place->offset);
        }
      },
      &handle);
  if (!filter_->status().ok()) return Fail(filter_->status());
  const char* const prefix =
      table_options_.partition_filters ? kPartitionedFilterPrefix : kFullFilterPrefix;
  (*metaindex)[std::string(prefix) + kBuiltinBloomName] = handle;
}

void BlockBasedTableBuilder::WriteIndex(BlockHandle* handle) {
  properties_.index_key_is_user_key = index_.user_keys() ? 1 : 0;
  const IndexBuilder::Sizes sizes = index_.Finish(
      [this](const Slice& contents, BlockHandle* place) {
        WriteBlock(contents, table_options_.enable_index_compression, place);
        if (ok() && warmer_ != nullptr &&
            table_options_.index_type == BlockBasedTableOptions::kTwoLevelIndexSearch) {
          const IndexFormat format = {index_.user_keys(), HasDeltaEncodedIndex(table_options_),
                                      /*has_first_key=*/false};
          warmer_->AddIndex(contents, format, place->offset);
        }
      },
      handle);
  properties_.index_size = sizes.all;
  properties_.index_partitions = sizes.partitions;
  properties_.top_level_index_size = sizes.top_level;
}

void BlockBasedTableBuilder::WriteUserIndex(std::map<std::string, BlockHandle>* metaindex) {
  Slice contents;
  Status s = user_index_->Finish(&contents);
  if (!s.ok()) return Fail(s);
  BlockHandle handle;
  WriteRawBlock(contents, kNoCompression, &handle);
  (*metaindex)[UserIndexBlockName(*table_options_.user_defined_index_factory)] = handle;
}

void BlockBasedTableBuilder::WriteProperties(BlockHandle* handle) {
  if (properties_.num_entries > 0) {
    properties_.key_smallest_seqno = smallest_sequence_;
    properties_.key_largest_seqno = largest_sequence_;
  }
  properties_.compression_name = CompressionName();
  collectors_.Finish(&properties_);
  if (icmp_.timestamp_size() != 0 && !strip_timestamps_) {
    properties_.user_collected_properties[kMinTimestampProperty] = min_timestamp_;
    properties_.user_collected_properties[kMaxTimestampProperty] = max_timestamp_;
  }
  // One restart point: the block is only ever read from its start.
  BlockBuilder builder(INT32_MAX);
  for (const auto& [name, value] : EncodeProperties(properties_)) builder.Add(name, value);
  WriteRawBlock(builder.Finish(), kNoCompression, handle);
}

Status BlockBasedTableBuilder::Finish() {
  finished_ = true;
  FlushDataBlock();
  if (ok() && buffer_ != nullptr) EndBuffering();
  while (ok() && pipeline_ != nullptr && !pipeline_->Empty()) WriteOldestDataBlock();
  if (index_entry_pending_) AddIndexEntry(nullptr);
  properties_.data_size = offset_;
  if (!ok()) return status_;

  std::map<std::string, BlockHandle> metaindex;
  if (filter_ != nullptr) WriteFilter(&metaindex);
  BlockHandle index_handle;
  WriteIndex(&index_handle);
  if (table_options_.format_version >= 6) metaindex[kIndexBlockName] = index_handle;
  if (user_index_ != nullptr && ok()) WriteUserIndex(&metaindex);
  if (const Slice dict = dict_ != nullptr ? Slice(dict_->raw()) : Slice(managed_dict_);
      !dict.empty()) {
    BlockHandle handle;
    WriteRawBlock(dict, kNoCompression, &handle);
    metaindex[kCompressionDictBlockName] = handle;
  }
  if (!tombstone_block_.empty()) {
    BlockHandle handle;
    WriteRawBlock(tombstone_block_.Finish(), kNoCompression, &handle);
    metaindex[kRangeDelBlockName] = handle;
  }
  BlockHandle properties_handle;
  WriteProperties(&properties_handle);
  metaindex[kPropertiesBlockName] = properties_handle;

  BlockBuilder metaindex_builder(1);
  for (const auto& [name, handle] : metaindex) {
    std::string value;
    handle.EncodeTo(&value);
    metaindex_builder.Add(name, value);
  }
  Footer footer;
  WriteRawBlock(metaindex_builder.Finish(), kNoCompression, &footer.metaindex_handle);
  if (!ok()) return status_;
  footer.format_version = table_options_.format_version;
  footer.checksum_type = table_options_.checksum;
  footer.index_handle = index_handle;
  footer.base_context_checksum = base_context_checksum_;
  std::string encoded;
  footer.EncodeTo(offset_, &encoded);
  const IOStatus io = file_->Append(encoded);
  if (!io.ok()) {
    if (io_status_.ok()) io_status_ = io;
    Fail(io);
    return status_;
  }
  offset_ += encoded.size();
  return status_;
}

void BlockBasedTableBuilder::Abandon() {
  finished_ = true;
  pipeline_.reset();
  buffer_.reset();
}

}  // namespace cairn
