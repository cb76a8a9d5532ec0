#include "table/adaptive_table_factory.h"

#include <utility>

#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "table/flat_table.h"

namespace cairn {

AdaptiveTableFactory::AdaptiveTableFactory(std::shared_ptr<TableFactory> to_write,
                                           std::shared_ptr<TableFactory> block_based,
                                           std::shared_ptr<TableFactory> plain,
                                           std::shared_ptr<TableFactory> cuckoo)
    : block_based_(std::move(block_based)),
      plain_(std::move(plain)),
      cuckoo_(std::move(cuckoo)),
      to_write_(std::move(to_write)) {
  if (block_based_ == nullptr) block_based_.reset(NewBlockBasedTableFactory());
  if (plain_ == nullptr) plain_.reset(NewPlainTableFactory());
  if (cuckoo_ == nullptr) cuckoo_.reset(NewCuckooTableFactory());
  if (to_write_ == nullptr) to_write_ = block_based_;
}

Status AdaptiveTableFactory::NewTableReader(const TableReaderOptions& options,
                                            std::unique_ptr<RandomAccessFileReader>&& file,
                                            uint64_t file_size,
                                            std::unique_ptr<TableReader>* table_reader) const {
  uint64_t magic = 0;
  Status s = ReadTableMagic(*file, file_size, options.limits, &magic);
  if (!s.ok()) return s;
  const TableFactory* const factory = magic == kBlockBasedTableMagic ? block_based_.get()
                                      : magic == kPlainTableMagic    ? plain_.get()
                                      : magic == kCuckooTableMagic   ? cuckoo_.get()
                                                                     : nullptr;
  if (factory == nullptr) {
    return Status::Corruption("bad table magic number (of no known table format)",
                              file->file_name());
  }
  return factory->NewTableReader(options, std::move(file), file_size, table_reader);
}

std::string AdaptiveTableFactory::GetPrintableOptions() const {
  std::string out;
  const auto add = [&out](const char* what, const TableFactory& factory) {
    out.append("  ").append(what).append(factory.Name()).append(" options:\n");
    out.append(factory.GetPrintableOptions()).append("\n");
  };
  add("write factory: ", *to_write_);
  add("", *plain_);
  add("", *block_based_);
  add("", *cuckoo_);
  return out;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TableFactory* NewAdaptiveTableFactory(std::shared_ptr<TableFactory> table_factory_to_write,
                                      std::shared_ptr<TableFactory> block_based_table_factory,
                                      std::shared_ptr<TableFactory> plain_table_factory,
                                      std::shared_ptr<TableFactory> cuckoo_table_factory) {
  return new ::cairn::AdaptiveTableFactory(
      std::move(table_factory_to_write), std::move(block_based_table_factory),
      std::move(plain_table_factory), std::move(cuckoo_table_factory));
}

}  // namespace ROCKSDB_NAMESPACE
