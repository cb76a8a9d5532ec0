#include "table/block_based_table_builder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "base/coding.h"
#include "fiber/random.h"
#include "table/properties.h"

namespace cairn {

namespace {

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

// format_version 7 names the codecs' family and the types in use, in hexadecimal.
std::string CompressionName(uint32_t format_version, CompressionType type) {
  if (format_version < 7) return CompressionPropertyName(type);
  char buf[32];
  if (type == kNoCompression) return ";;";
  std::snprintf(buf, sizeof(buf), "BuiltinV2;%02X;", static_cast<unsigned>(type));
  return buf;
}

}  // namespace

BlockBasedTableBuilder::BlockBasedTableBuilder(const BlockBasedTableOptions& table_options,
                                               const TableBuilderOptions& options, FileWriter* file)
    : table_options_(table_options),
      icmp_(options.icmp),
      bytewise_(icmp_.user_comparator() == BytewiseComparator()),
      compression_(options.compression_type),
      file_(file),
      statistics_(options.statistics),
      data_block_(table_options.block_restart_interval, table_options.use_delta_encoding),
      compressor_(options.compression_type, options.compression_opts),
      block_size_limit_(
          table_options.block_size *
          static_cast<uint64_t>(100 - std::clamp(table_options.block_size_deviation, 0, 100)) /
          100) {
  const int millibits = options.skip_filters || !table_options.whole_key_filtering
                            ? 0
                            : MillibitsPerKey(table_options.filter_policy.get());
  if (millibits > 0) filter_ = std::make_unique<BloomBuilder>(millibits);
  if (table_options.format_version >= 6) {
    // Nonzero: zero says that checksums do not depend on the offset, which these versions refuse.
    while (base_context_checksum_ == 0) {
      base_context_checksum_ = static_cast<uint32_t>(fiber::random_u64());
    }
  }
  if (!IsCompressionSupported(compression_)) {
    Fail(Status::NotSupported("compression type " +
                              std::to_string(static_cast<unsigned>(compression_)) + " for " +
                              file->file_name()));
  }

  if (ok() && compression_ != kNoCompression && options.compression_opts.parallel_threads > 1) {
    pipeline_ = std::make_unique<CompressionPipeline>(compression_, options.compression_opts,
                                                      table_options.verify_compression,
                                                      options.compression_opts.parallel_threads);
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
  p.merge_operator_name = "nullptr";
  p.prefix_extractor_name = "nullptr";
  p.property_collectors_names = "[]";
  p.compression_name = CompressionName(table_options.format_version, compression_);
  p.compression_options = CompressionOptionsText(options.compression_opts);
  p.index_value_is_delta_encoded = table_options.format_version >= 4 ? 1 : 0;
  auto& extra = p.user_collected_properties;
  std::string index_type;
  PutFixed32(&index_type, BlockBasedTableOptions::kBinarySearch);
  extra[kIndexTypeProperty] = index_type;
  extra[kWholeKeyFilteringProperty] = table_options.whole_key_filtering ? "1" : "0";
  extra[kPrefixFilteringProperty] = "0";
}

BlockBasedTableBuilder::~BlockBasedTableBuilder() = default;

void BlockBasedTableBuilder::Fail(const Status& s) {
  if (status_.ok()) status_ = s;
}

bool BlockBasedTableBuilder::BlockIsFull(const Slice& key, const Slice& value) const {
  if (data_block_.empty()) return false;
  const size_t size = data_block_.CurrentSize();
  if (size >= table_options_.block_size) return true;
  return table_options_.block_size_deviation > 0 && size > block_size_limit_ &&
         data_block_.SizeAfter(key, value) > table_options_.block_size;
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
      break;
    case kTypeDeletion:
    case kTypeSingleDeletion:
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
  if (BlockIsFull(key, value)) {
    FlushDataBlock();
    if (!ok()) return;
  }
  if (index_entry_pending_) AddIndexEntry(&key);
  if (filter_ != nullptr) filter_->AddKey(ExtractUserKey(key));
  data_block_.AddKnowingPrefix(key, value, common);
  last_key_bytes_.Reserve(key.size(), common);
  std::memcpy(last_key_bytes_.data() + common, key.data() + common, key.size() - common);
  last_key_ = Slice(last_key_bytes_.data(), key.size());
  ++properties_.num_entries;
  properties_.raw_key_size += key.size();
  properties_.raw_value_size += value.size();
}

void BlockBasedTableBuilder::FlushDataBlock() {
  if (!ok() || data_block_.empty()) return;
  const Slice raw = data_block_.Finish();
  if (pipeline_ != nullptr) {
    if (pipeline_->Full()) WriteOldestDataBlock();
    pipeline_->Submit(raw);
    raw_in_pipeline_ += raw.size();
  } else {
    BlockHandle handle;
    WriteBlock(raw, /*compress=*/true, &handle);
    data_handles_.push_back(handle);
  }
  data_block_.Reset();
  if (!ok()) return;
  index_entry_pending_ = true;
  ++properties_.num_data_blocks;
  properties_.data_size = offset_;
  estimated_before_block_ = offset_ + EstimatedInPipeline() + separators_.size() +
                            separator_ends_.size() * 8 +
                            (filter_ != nullptr ? filter_->EstimatedSize() : 0);
}

void BlockBasedTableBuilder::WriteOldestDataBlock() {
  const CompressionPipeline::Result oldest = pipeline_->Take();
  raw_in_pipeline_ -= oldest.raw_size;
  raw_written_ += oldest.raw_size;
  BlockHandle handle;
  WriteStoredBlock(oldest.status, oldest.block, &handle);
  data_handles_.push_back(handle);
}

// As those before it were compressed.
uint64_t BlockBasedTableBuilder::EstimatedInPipeline() const {
  if (raw_written_ == 0) return raw_in_pipeline_;
  return static_cast<uint64_t>(static_cast<double>(raw_in_pipeline_) *
                               static_cast<double>(offset_) / static_cast<double>(raw_written_));
}

void BlockBasedTableBuilder::AddIndexEntry(const Slice* next_key) {
  using Mode = BlockBasedTableOptions::IndexShorteningMode;
  index_entry_pending_ = false;
  std::string separator = last_key_.ToString();
  if (next_key != nullptr) {
    if (icmp_.CompareUserKey(ExtractUserKey(separator), ExtractUserKey(*next_key)) == 0) {
      // The two blocks hold versions of one key: only the sequence number tells them apart.
      separators_need_sequence_ = true;
    } else if (table_options_.index_shortening != Mode::kNoShortening) {
      icmp_.FindShortestSeparator(&separator, *next_key);
    }
  } else if (table_options_.index_shortening == Mode::kShortenSeparatorsAndSuccessor) {
    icmp_.FindShortSuccessor(&separator);
  }
  separators_.append(separator);
  separator_ends_.push_back(separators_.size());
}

void BlockBasedTableBuilder::WriteBlock(const Slice& contents, bool compress, BlockHandle* handle) {
  if (!compress) return WriteRawBlock(contents, kNoCompression, handle);
  StoredBlock stored;
  const Status s = CompressBlock(&compressor_, compression_, table_options_.verify_compression,
                                 contents, &stored);
  WriteStoredBlock(s, stored, handle);
}

void BlockBasedTableBuilder::WriteStoredBlock(const Status& compressed, const StoredBlock& block,
                                              BlockHandle* handle) {
  if (!compressed.ok()) {
    return Fail(Status::CopyAppendMessage(compressed, "", InFileAt(file_->file_name(), offset_)));
  }
  if (statistics_ != nullptr && compression_ != kNoCompression) {
    statistics_->recordTick(
        block.type == kNoCompression ? NUMBER_BLOCK_NOT_COMPRESSED : NUMBER_BLOCK_COMPRESSED, 1);
  }
  WriteRawBlock(block.contents, block.type, handle);
}

void BlockBasedTableBuilder::WriteRawBlock(const Slice& contents, CompressionType type,
                                           BlockHandle* handle) {
  if (!ok()) return;
  *handle = {offset_, contents.size()};
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

void BlockBasedTableBuilder::WriteIndex(BlockHandle* handle) {
  // Formats before 3 have the sequence number in every separator.
  const bool user_keys = table_options_.format_version >= 3 && !separators_need_sequence_;
  const bool delta_values = table_options_.format_version >= 4;
  BlockBuilder builder(table_options_.index_block_restart_interval, true, delta_values);
  size_t start = 0;
  std::string value;
  std::string delta;
  for (size_t i = 0; i < separator_ends_.size(); ++i) {
    const Slice separator(separators_.data() + start, separator_ends_[i] - start);
    start = separator_ends_[i];
    value.clear();
    delta.clear();
    data_handles_[i].EncodeTo(&value);
    if (i > 0) {
      PutVarsignedint64(&delta, static_cast<int64_t>(data_handles_[i].size) -
                                    static_cast<int64_t>(data_handles_[i - 1].size));
    }
    const Slice delta_slice(delta);
    builder.Add(user_keys ? ExtractUserKey(separator) : separator, value, &delta_slice);
  }
  properties_.index_key_is_user_key = user_keys ? 1 : 0;
  const Slice contents = builder.Finish();
  properties_.index_size = contents.size() + kBlockTrailerSize;
  WriteBlock(contents, table_options_.enable_index_compression, handle);
}

void BlockBasedTableBuilder::WriteProperties(BlockHandle* handle) {
  // One restart point: the block is only ever read from its start.
  BlockBuilder builder(INT32_MAX);
  for (const auto& [name, value] : EncodeProperties(properties_)) builder.Add(name, value);
  WriteRawBlock(builder.Finish(), kNoCompression, handle);
}

Status BlockBasedTableBuilder::Finish() {
  finished_ = true;
  FlushDataBlock();
  while (ok() && pipeline_ != nullptr && !pipeline_->Empty()) WriteOldestDataBlock();
  if (index_entry_pending_) AddIndexEntry(nullptr);
  properties_.data_size = offset_;
  if (!ok()) return status_;

  std::map<std::string, BlockHandle> metaindex;
  if (filter_ != nullptr) {
    properties_.num_filter_entries = filter_->num_entries();
    if (properties_.num_entries > 0) {
      const std::string filter = filter_->Finish();
      properties_.filter_size = filter.size();
      BlockHandle handle;
      WriteRawBlock(filter, kNoCompression, &handle);
      metaindex[std::string(kFullFilterPrefix) + kBuiltinBloomName] = handle;
    }
  }
  BlockHandle index_handle;
  WriteIndex(&index_handle);
  if (table_options_.format_version >= 6) metaindex[kIndexBlockName] = index_handle;
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
}

}  // namespace cairn
