#include "table/plain_table_factory.h"

#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "table/plain_table_builder.h"
#include "table/plain_table_reader.h"
#include "table/table_option_fields.h"

namespace cairn {

Status ValidateTableOptions(const PlainTableOptions& o, const SliceTransform* prefix_extractor) {
  const auto invalid = [](const char* what) {
    return Status::InvalidArgument(std::string("PlainTableOptions::") + what);
  };
  if (o.bloom_bits_per_key < 0) return invalid("bloom_bits_per_key must not be negative");
  if (!(o.hash_table_ratio >= 0)) return invalid("hash_table_ratio must not be negative");
  if (o.encoding_type != kPlain && o.encoding_type != kPrefix) {
    return invalid("encoding_type is unknown");
  }
  if (o.encoding_type == kPrefix && prefix_extractor == nullptr) {
    return invalid("encoding_type kPrefix needs a prefix_extractor");
  }
  if (o.encoding_type == kPrefix && o.index_sparseness == 0) {
    return invalid("index_sparseness must not be 0 with encoding_type kPrefix");
  }
  return Status::OK();
}

Status PlainTableFactory::NewTableReader(const TableReaderOptions& options,
                                         std::unique_ptr<RandomAccessFileReader>&& file,
                                         uint64_t file_size,
                                         std::unique_ptr<TableReader>* table_reader) const {
  return PlainTable::Open(options_, options, std::move(file), file_size, table_reader);
}

TableBuilder* PlainTableFactory::NewTableBuilder(const TableBuilderOptions& options,
                                                 FileWriter* file) const {
  return new PlainTableBuilder(options_, options, file);
}

PlainTableFactory::PlainTableFactory(const PlainTableOptions& options) : options_(options) {
  RegisterOptions(&options_, OptionTypeMap<PlainTableOptions>());
}

Status PlainTableFactory::ValidateOptions(const DBOptions& /*db_options*/,
                                          const ColumnFamilyOptions& cf_options) const {
  return ValidateTableOptions(options_, cf_options.prefix_extractor.get());
}

std::string PlainTableFactory::GetPrintableOptions() const {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    out.append("  ").append(name).append(": ").append(value).append("\n");
  };
  line("user_key_len", std::to_string(options_.user_key_len));
  line("bloom_bits_per_key", std::to_string(options_.bloom_bits_per_key));
  line("hash_table_ratio", std::to_string(options_.hash_table_ratio));
  line("index_sparseness", std::to_string(options_.index_sparseness));
  line("huge_page_tlb_size", std::to_string(options_.huge_page_tlb_size));
  line("encoding_type", std::to_string(static_cast<int>(options_.encoding_type)));
  line("full_scan_mode", std::to_string(options_.full_scan_mode));
  line("store_index_in_file", std::to_string(options_.store_index_in_file));
  return out;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TableFactory* NewPlainTableFactory(const PlainTableOptions& options) {
  return new ::cairn::PlainTableFactory(options);
}

}  // namespace ROCKSDB_NAMESPACE
