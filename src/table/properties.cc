#include "table/properties.h"

#include <cstring>
#include <vector>

#include "base/coding.h"
#include "base/seqno_to_time_mapping.h"
#include "rocksdb/unique_id.h"

namespace cairn {

namespace {

using N = TablePropertiesNames;

// The numbers and texts of TableProperties by their names on disk. `optional` ones are written only
// when they are not what a reader takes them for where they are missing.
struct NumberField {
  const std::string& name;
  uint64_t TableProperties::* field;
  bool optional;
};
struct TextField {
  const std::string& name;
  std::string TableProperties::* field;
};

const NumberField* NumberFields(size_t* count) {
  using P = TableProperties;
  static const NumberField fields[] = {
      {N::kColumnFamilyId, &P::column_family_id, false},
      {N::kCreationTime, &P::creation_time, false},
      {N::kDataSize, &P::data_size, false},
      {N::kDeletedKeys, &P::num_deletions, false},
      {N::kFileCreationTime, &P::file_creation_time, true},
      {N::kFilterSize, &P::filter_size, false},
      {N::kFixedKeyLen, &P::fixed_key_len, false},
      {N::kFormatVersion, &P::format_version, false},
      {N::kIndexKeyIsUserKey, &P::index_key_is_user_key, false},
      {N::kIndexPartitions, &P::index_partitions, true},
      {N::kIndexSize, &P::index_size, false},
      {N::kIndexValueIsDeltaEncoded, &P::index_value_is_delta_encoded, false},
      {N::kMergeOperands, &P::num_merge_operands, false},
      {N::kNumDataBlocks, &P::num_data_blocks, false},
      {N::kNumEntries, &P::num_entries, false},
      {N::kNumFilterEntries, &P::num_filter_entries, false},
      {N::kNumRangeDeletions, &P::num_range_deletions, false},
      {N::kOldestKeyTime, &P::oldest_key_time, false},
      {N::kOriginalFileNumber, &P::orig_file_number, false},
      {N::kRawKeySize, &P::raw_key_size, false},
      {N::kRawValueSize, &P::raw_value_size, false},
      {N::kFastCompressionEstimatedDataSize, &P::fast_compression_estimated_data_size, true},
      {N::kSlowCompressionEstimatedDataSize, &P::slow_compression_estimated_data_size, true},
      {N::kTopLevelIndexSize, &P::top_level_index_size, true},
      {N::kUserDefinedTimestampsPersisted, &P::user_defined_timestamps_persisted, true},
      {N::kUDIIsPrimaryIndex, &P::udi_is_primary_index, true},
      {N::kNumDataBlocksCompressionRejected, &P::num_data_blocks_compression_rejected, true},
      {N::kNumDataBlocksCompressionBypassed, &P::num_data_blocks_compression_bypassed, true},
      {N::kNumUniformBlocks, &P::num_uniform_blocks, true},
      {N::kNewestKeyTime, &P::newest_key_time, true},
      {N::kTailStartOffset, &P::tail_start_offset, true},
      {N::kKeyLargestSeqno, &P::key_largest_seqno, true},
      {N::kKeySmallestSeqno, &P::key_smallest_seqno, true},
      {N::kDataBlockRestartInterval, &P::data_block_restart_interval, true},
      {N::kIndexBlockRestartInterval, &P::index_block_restart_interval, true},
      {N::kSeparateKeyValueInDataBlock, &P::separate_key_value_in_data_block, true},
  };
  *count = sizeof(fields) / sizeof(fields[0]);
  return fields;
}

const TextField* TextFields(size_t* count) {
  using P = TableProperties;
  static const TextField fields[] = {
      {N::kColumnFamilyName, &P::column_family_name},
      {N::kComparator, &P::comparator_name},
      {N::kCompression, &P::compression_name},
      {N::kCompressionOptions, &P::compression_options},
      {N::kDbHostId, &P::db_host_id},
      {N::kDbId, &P::db_id},
      {N::kDbSessionId, &P::db_session_id},
      {N::kFilterPolicy, &P::filter_policy_name},
      {N::kMergeOperator, &P::merge_operator_name},
      {N::kPrefixExtractorName, &P::prefix_extractor_name},
      {N::kPropertyCollectors, &P::property_collectors_names},
      {N::kSequenceNumberTimeMapping, &P::seqno_to_time_mapping},
  };
  *count = sizeof(fields) / sizeof(fields[0]);
  return fields;
}

}  // namespace

std::map<std::string, std::string> EncodeProperties(const TableProperties& properties) {
  std::map<std::string, std::string> entries = properties.user_collected_properties;
  size_t count;
  const NumberField* numbers = NumberFields(&count);
  const TableProperties missing;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = properties.*numbers[i].field;
    entries.erase(numbers[i].name);  // a collector's must not be taken for ours
    if (numbers[i].optional && value == missing.*numbers[i].field) continue;
    std::string encoded;
    PutVarint64(&encoded, value);
    entries[numbers[i].name] = std::move(encoded);
  }
  const TextField* texts = TextFields(&count);
  for (size_t i = 0; i < count; ++i) {
    const std::string& value = properties.*texts[i].field;
    entries.erase(texts[i].name);
    if (!value.empty()) entries[texts[i].name] = value;
  }
  return entries;
}

Status DecodeProperties(const Block& block, TableProperties* properties) {
  Status status;
  std::map<std::string, const NumberField*> numbers;
  std::map<std::string, const TextField*> texts;
  size_t count;
  const NumberField* number_fields = NumberFields(&count);
  for (size_t i = 0; i < count; ++i) numbers[number_fields[i].name] = &number_fields[i];
  const TextField* text_fields = TextFields(&count);
  for (size_t i = 0; i < count; ++i) texts[text_fields[i].name] = &text_fields[i];

  const bool sound = ForEachEntry(block, [&](const Slice& key, const Slice& value) {
    const std::string name = key.ToString();
    if (auto number = numbers.find(name); number != numbers.end()) {
      Slice input = value;
      uint64_t decoded;
      if (!GetVarint64(&input, &decoded)) {
        status = Status::Corruption("bad value of table property " + name);
        return false;
      }
      properties->*number->second->field = decoded;
    } else if (auto text = texts.find(name); text != texts.end()) {
      properties->*text->second->field = value.ToString();
    } else {
      properties->user_collected_properties[name] = value.ToString();
      if (name == kExternalGlobalSeqnoProperty && value.size() == sizeof(uint64_t)) {
        properties->external_sst_file_global_seqno_offset =
            block.file_offset() + static_cast<uint64_t>(value.data() - block.data());
      }
    }
    return true;
  });
  if (!sound) return Status::Corruption("bad entry in the properties block");
  return status;
}

Status FindGlobalSeqno(const TableProperties& properties, SequenceNumber largest_seqno,
                       const std::string& file_name, SequenceNumber* global) {
  const auto& extra = properties.user_collected_properties;
  const auto version = extra.find(kExternalVersionProperty);
  const auto seqno = extra.find(kExternalGlobalSeqnoProperty);
  auto bad = [&](const char* what) {
    return Status::Corruption(std::string(what) + ": " + file_name);
  };
  if (version == extra.end()) {
    return seqno == extra.end() ? Status::OK()
                                : bad("global sequence number in a table that was not ingested");
  }
  if (version->second.size() != 4) return bad("bad external file version");
  if (DecodeFixed32(version->second.data()) < 2) {
    return seqno == extra.end() ? Status::OK()
                                : bad("global sequence number in an external file of version 1");
  }
  SequenceNumber stored = 0;
  if (seqno != extra.end()) {
    if (seqno->second.size() != 8) return bad("bad global sequence number");
    stored = DecodeFixed64(seqno->second.data());
  }
  SequenceNumber number = stored;
  if (largest_seqno < kMaxSequenceNumber) {
    // The MANIFEST knows better; a number in the file must agree.
    if (stored != 0 && stored != largest_seqno)
      return bad("global sequence number differs from the MANIFEST's");
    number = largest_seqno;
  }
  if (number > kMaxSequenceNumber) return bad("global sequence number out of range");
  // (That entries have 0 is what was written.)
  if (number != 0) *global = number;
  return Status::OK();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

namespace {

void Append(std::string* out, const char* name, const std::string& value,
            const std::string& prop_delim, const std::string& kv_delim) {
  out->append(name);
  out->append(kv_delim);
  out->append(value);
  out->append(prop_delim);
}

// "5->1700000000,9->1700000060,": which sequence numbers were written when.
std::string TimesText(const std::string& mapping) {
  std::vector<cairn::SeqnoTimePair> pairs;
  if (!cairn::SeqnoToTimeMapping::Decode(mapping, &pairs).ok()) return "N/A";
  return cairn::ToString(pairs);
}

}  // namespace

size_t TableProperties::ApproximateMemoryUsage() const {
  size_t usage = sizeof(*this);
  for (const std::string* text :
       {&db_id, &db_session_id, &db_host_id, &column_family_name, &filter_policy_name,
        &comparator_name, &merge_operator_name, &prefix_extractor_name, &property_collectors_names,
        &compression_name, &compression_options, &seqno_to_time_mapping}) {
    usage += text->capacity();
  }
  for (const auto* properties : {&user_collected_properties, &readable_properties}) {
    for (const auto& [name, value] : *properties) {
      usage += sizeof(name) + name.capacity() + sizeof(value) + value.capacity();
    }
  }
  return usage;
}

namespace {

// 0, with *present false: there is no such number.
uint64_t CollectedNumber(const UserCollectedProperties& properties, const std::string& name,
                         bool* present) {
  const auto found = properties.find(name);
  *present = found != properties.end();
  uint64_t number = 0;
  if (*present) {
    Slice bytes = found->second;
    if (!cairn::GetVarint64(&bytes, &number)) number = 0;
  }
  return number;
}

}  // namespace

uint64_t GetDeletedKeys(const UserCollectedProperties& props) {
  bool present;
  return CollectedNumber(props, TablePropertiesNames::kDeletedKeys, &present);
}

uint64_t GetMergeOperands(const UserCollectedProperties& props, bool* property_present) {
  return CollectedNumber(props, TablePropertiesNames::kMergeOperands, property_present);
}

std::string TableProperties::ToString(const std::string& prop_delim,
                                      const std::string& kv_delim) const {
  std::string out;
  auto number = [&](const char* name, uint64_t value) {
    Append(&out, name, std::to_string(value), prop_delim, kv_delim);
  };
  auto average = [&](const char* name, uint64_t sum) {
    const double value =
        num_entries == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(num_entries);
    Append(&out, name, std::to_string(value), prop_delim, kv_delim);
  };
  auto text = [&](const char* name, const std::string& value) {
    Append(&out, name, value.empty() ? "N/A" : value, prop_delim, kv_delim);
  };
  number("# data blocks", num_data_blocks);
  number("# entries", num_entries);
  number("# deletions", num_deletions);
  number("# merge operands", num_merge_operands);
  number("# range deletions", num_range_deletions);
  number("raw key size", raw_key_size);
  average("raw average key size", raw_key_size);
  number("raw value size", raw_value_size);
  average("raw average value size", raw_value_size);
  number("data block size", data_size);
  const std::string index_name = "index block size (user-key? " +
                                 std::to_string(index_key_is_user_key) + ", delta-value? " +
                                 std::to_string(index_value_is_delta_encoded) + ")";
  number(index_name.c_str(), index_size);
  if (index_partitions != 0) {
    number("# index partitions", index_partitions);
    number("top-level index size", top_level_index_size);
  }
  number("filter block size", filter_size);
  number("# entries for filter", num_filter_entries);
  number("(estimated) table size", data_size + index_size + filter_size);
  text("filter policy name", filter_policy_name);
  text("prefix extractor name", prefix_extractor_name);
  text("column family ID",
       column_family_id == kUnknownColumnFamily ? "" : std::to_string(column_family_id));
  text("column family name", column_family_name);
  text("comparator name", comparator_name);
  text("merge operator name", merge_operator_name);
  text("property collectors names", property_collectors_names);
  text("SST file compression algo", compression_name);
  text("SST file compression options", compression_options);
  number("creation time", creation_time);
  number("time stamp of earliest key", oldest_key_time);
  number("file creation time", file_creation_time);
  number("slow compression estimated data size", slow_compression_estimated_data_size);
  number("fast compression estimated data size", fast_compression_estimated_data_size);
  Append(&out, "DB identity", db_id, prop_delim, kv_delim);
  Append(&out, "DB session identity", db_session_id, prop_delim, kv_delim);
  Append(&out, "DB host id", db_host_id, prop_delim, kv_delim);
  number("original file number", orig_file_number);
  std::string id;
  text("unique ID",
       GetUniqueIdFromTableProperties(*this, &id).ok() ? UniqueIdToHumanString(id) : "");
  Append(&out, "Sequence number to time mapping", TimesText(seqno_to_time_mapping), prop_delim,
         kv_delim);
  if (user_defined_timestamps_persisted == 0) {
    text("user defined timestamps persisted", "false");
  }
  return out;
}

void TableProperties::Add(const TableProperties& tp) {
  data_size += tp.data_size;
  index_size += tp.index_size;
  index_partitions += tp.index_partitions;
  top_level_index_size += tp.top_level_index_size;
  index_key_is_user_key += tp.index_key_is_user_key;
  index_value_is_delta_encoded += tp.index_value_is_delta_encoded;
  filter_size += tp.filter_size;
  raw_key_size += tp.raw_key_size;
  raw_value_size += tp.raw_value_size;
  num_data_blocks += tp.num_data_blocks;
  num_entries += tp.num_entries;
  num_filter_entries += tp.num_filter_entries;
  num_deletions += tp.num_deletions;
  num_merge_operands += tp.num_merge_operands;
  num_range_deletions += tp.num_range_deletions;
  slow_compression_estimated_data_size += tp.slow_compression_estimated_data_size;
  fast_compression_estimated_data_size += tp.fast_compression_estimated_data_size;
}

std::map<std::string, uint64_t> TableProperties::GetAggregatablePropertiesAsMap() const {
  return {
      {"data_size", data_size},
      {"index_size", index_size},
      {"index_partitions", index_partitions},
      {"top_level_index_size", top_level_index_size},
      {"filter_size", filter_size},
      {"raw_key_size", raw_key_size},
      {"raw_value_size", raw_value_size},
      {"num_data_blocks", num_data_blocks},
      {"num_entries", num_entries},
      {"num_filter_entries", num_filter_entries},
      {"num_deletions", num_deletions},
      {"num_merge_operands", num_merge_operands},
      {"num_range_deletions", num_range_deletions},
      {"slow_compression_estimated_data_size", slow_compression_estimated_data_size},
      {"fast_compression_estimated_data_size", fast_compression_estimated_data_size},
  };
}

}  // namespace ROCKSDB_NAMESPACE
