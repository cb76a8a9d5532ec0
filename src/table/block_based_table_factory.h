// The TableFactory that NewBlockBasedTableFactory returns. Immutable once a database uses it:
// thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/table.h"
#include "table/memory_charges.h"

namespace cairn {

// InvalidArgument or NotSupported, naming the option, for what cannot be honoured. DB::Open asks.
[[nodiscard]] Status ValidateTableOptions(const BlockBasedTableOptions& options);

class BlockBasedTableFactory final : public TableFactory {
 public:
  explicit BlockBasedTableFactory(const BlockBasedTableOptions& options);

  static const char* kClassName() { return kBlockBasedTableName(); }
  const char* Name() const override { return kBlockBasedTableName(); }
  std::string GetPrintableOptions() const override;
  Status NewTableReader(const TableReaderOptions& options,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                        std::unique_ptr<TableReader>* table_reader) const override;
  TableBuilder* NewTableBuilder(const TableBuilderOptions& options,
                                FileWriter* file) const override;
  bool IsDeleteRangeSupported() const override { return true; }

  const BlockBasedTableOptions& options() const { return options_; }
  const std::shared_ptr<MemoryCharges>& charges() const { return charges_; }  // never null

  // The options, and the cache as kBlockCacheOpts().
  const void* GetOptionsPtr(const std::string& name) const override;
  // Options that were set from text become what a new factory makes of them.
  Status PrepareOptions(const ConfigOptions& config_options) override;
  Status ValidateOptions(const DBOptions& db_options,
                         const ColumnFamilyOptions& cf_options) const override;

 private:
  void Sanitize();

  BlockBasedTableOptions options_;
  std::shared_ptr<MemoryCharges> charges_;  // never null
};

}  // namespace cairn
