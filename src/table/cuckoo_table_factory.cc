#include "table/cuckoo_table_factory.h"

#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "table/cuckoo_table_builder.h"
#include "table/cuckoo_table_reader.h"
#include "table/table_option_fields.h"

namespace cairn {

Status ValidateTableOptions(const CuckooTableOptions& o) {
  if (o.hash_table_ratio > 0 && o.hash_table_ratio <= 1) return Status::OK();
  return Status::InvalidArgument(
      "CuckooTableOptions::hash_table_ratio must be more than 0 and at most 1");
}

Status CuckooTableFactory::NewTableReader(const TableReaderOptions& options,
                                          std::unique_ptr<RandomAccessFileReader>&& file,
                                          uint64_t file_size,
                                          std::unique_ptr<TableReader>* table_reader) const {
  return CuckooTable::Open(options, std::move(file), file_size, table_reader);
}

TableBuilder* CuckooTableFactory::NewTableBuilder(const TableBuilderOptions& options,
                                                  FileWriter* file) const {
  return new CuckooTableBuilder(options_, options, file);
}

CuckooTableFactory::CuckooTableFactory(const CuckooTableOptions& options) : options_(options) {
  RegisterOptions(&options_, OptionTypeMap<CuckooTableOptions>());
}

Status CuckooTableFactory::ValidateOptions(const DBOptions& /*db_options*/,
                                           const ColumnFamilyOptions& /*cf_options*/) const {
  return ValidateTableOptions(options_);
}

std::string CuckooTableFactory::GetPrintableOptions() const {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    out.append("  ").append(name).append(": ").append(value).append("\n");
  };
  line("hash_table_ratio", std::to_string(options_.hash_table_ratio));
  line("max_search_depth", std::to_string(options_.max_search_depth));
  line("cuckoo_block_size", std::to_string(options_.cuckoo_block_size));
  line("identity_as_first_hash", std::to_string(options_.identity_as_first_hash));
  return out;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TableFactory* NewCuckooTableFactory(const CuckooTableOptions& options) {
  return new ::cairn::CuckooTableFactory(options);
}

}  // namespace ROCKSDB_NAMESPACE
