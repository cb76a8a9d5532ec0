// The TableFactory that NewAdaptiveTableFactory returns: it opens each table by the factory of its
// format, and writes tables of one. Immutable once a database uses it: thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/table.h"

namespace cairn {

class AdaptiveTableFactory final : public TableFactory {
 public:
  // Null: with the defaults of its format, and `to_write` is the block-based one.
  AdaptiveTableFactory(std::shared_ptr<TableFactory> to_write,
                       std::shared_ptr<TableFactory> block_based,
                       std::shared_ptr<TableFactory> plain, std::shared_ptr<TableFactory> cuckoo);

  static const char* kClassName() { return "AdaptiveTableFactory"; }
  const char* Name() const override { return kClassName(); }
  std::string GetPrintableOptions() const override;
  Status NewTableReader(const TableReaderOptions& options,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                        std::unique_ptr<TableReader>* table_reader) const override;
  TableBuilder* NewTableBuilder(const TableBuilderOptions& options,
                                FileWriter* file) const override {
    return to_write_->NewTableBuilder(options, file);
  }
  bool IsDeleteRangeSupported() const override { return to_write_->IsDeleteRangeSupported(); }

  const TableFactory& to_write() const { return *to_write_; }

 private:
  std::shared_ptr<TableFactory> block_based_;
  std::shared_ptr<TableFactory> plain_;
  std::shared_ptr<TableFactory> cuckoo_;
  std::shared_ptr<TableFactory> to_write_;
};

}  // namespace cairn
