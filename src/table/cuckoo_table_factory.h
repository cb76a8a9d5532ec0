// The TableFactory that NewCuckooTableFactory returns. Immutable once a database uses it:
// thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/table.h"

namespace cairn {

// InvalidArgument, naming the option. DB::Open asks.
[[nodiscard]] Status ValidateTableOptions(const CuckooTableOptions& options);

class CuckooTableFactory final : public TableFactory {
 public:
  explicit CuckooTableFactory(const CuckooTableOptions& options);

  static const char* kClassName() { return kCuckooTableName(); }
  const char* Name() const override { return kCuckooTableName(); }
  std::string GetPrintableOptions() const override;
  Status NewTableReader(const TableReaderOptions& options,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                        std::unique_ptr<TableReader>* table_reader) const override;
  TableBuilder* NewTableBuilder(const TableBuilderOptions& options,
                                FileWriter* file) const override;

  Status ValidateOptions(const DBOptions& db_options,
                         const ColumnFamilyOptions& cf_options) const override;

 private:
  CuckooTableOptions options_;
};

}  // namespace cairn
