#include "table/plain_table_builder.h"

#include "base/coding.h"
#include "table/plain_table_factory.h"

namespace cairn {

PlainTableBuilder::PlainTableBuilder(const PlainTableOptions& table_options,
                                     const TableBuilderOptions& options, FileWriter* file)
    : FlatTableBuilder(options, file),
      table_options_(table_options),
      extractor_(options.prefix_extractor),
      bloom_locality_(options.bloom_locality),
      keys_(table_options.encoding_type, table_options.user_key_len, table_options.index_sparseness,
            options.prefix_extractor) {
  Fail(ValidateTableOptions(table_options, extractor_));
  TableProperties& p = properties_;
  p.fixed_key_len = table_options.user_key_len;
  p.format_version = table_options.encoding_type == kPlain ? 0 : 1;
  p.prefix_extractor_name = extractor_ == nullptr ? "nullptr" : extractor_->AsString();
  std::string& encoding = p.user_collected_properties[PlainTablePropertyNames::kEncodingType];
  encoding.clear();
  PutFixed32(&encoding, static_cast<uint32_t>(table_options.encoding_type));
  if (table_options.store_index_in_file) {
    index_ = std::make_unique<PlainIndexBuilder>(
        extractor_ != nullptr, table_options.hash_table_ratio, table_options.index_sparseness);
    p.user_collected_properties[PlainTablePropertyNames::kBloomVersion] = "1";
  }
}

void PlainTableBuilder::Add(const Slice& key, const Slice& value) {
  ParsedInternalKey parsed;
  if (!Begin(key, &parsed)) return;
  if (key.size() + value.size() > kMaxPlainTableSize - offset_) {
    return Fail(Status::NotSupported("plain tables have less than 2 GiB", file_->file_name()));
  }
  row_.clear();
  const uint32_t offset = static_cast<uint32_t>(offset_);
  if (const char* error = keys_.Append(key, parsed, &row_)) {
    return Fail(Status::NotSupported(error, file_->file_name()));
  }
  if (index_ != nullptr) {
    const Slice prefix = PlainPrefix(extractor_, parsed.user_key);
    hashes_.push_back(PlainHash(extractor_ == nullptr ? parsed.user_key : prefix));
    // The writer and the index count alike: where one is due, the other has a whole key.
    index_->Add(prefix, offset, /*has_whole_key=*/true);
  }
  PutVarint32(&row_, static_cast<uint32_t>(value.size()));
  Append(row_);
  Append(value);
  Count(key, value, parsed.type);
}

void PlainTableBuilder::WriteFilterAndIndex() {
  const auto bits = static_cast<uint64_t>(table_options_.bloom_bits_per_key);
  if (bits > 0) {
    uint32_t blocks;
    const std::string filter =
        PlainBloom::Make(hashes_, hashes_.size() * bits, bloom_locality_, &blocks);
    std::string& number =
        properties_.user_collected_properties[PlainTablePropertyNames::kNumBloomBlocks];
    number.clear();
    PutVarint32(&number, blocks);
    properties_.filter_size = filter.size();
    AppendBlock(kPlainBloomBlockName, filter);
  }
  const std::string index = index_->Finish();
  properties_.index_size = index.size();
  AppendBlock(kPlainIndexBlockName, index);
}

Status PlainTableBuilder::Finish() {
  finished_ = true;
  properties_.data_size = offset_;
  if (ok() && index_ != nullptr && properties_.num_entries > 0) WriteFilterAndIndex();
  if (ok()) FinishTail(kPlainTableMagicOfVersion0, /*format_version=*/0);
  // (Its own reader would not open it.)
  if (ok() && offset_ > kMaxPlainTableSize) {
    Fail(Status::NotSupported("plain tables have less than 2 GiB", file_->file_name()));
  }
  return status();
}

}  // namespace cairn
