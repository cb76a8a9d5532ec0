// The TableFactory that NewPlainTableFactory returns. Immutable once a database uses it:
// thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"

namespace cairn {

// InvalidArgument, naming the option, for what RocksDB does not survive. DB::Open asks.
[[nodiscard]] Status ValidateTableOptions(const PlainTableOptions& options,
                                          const SliceTransform* prefix_extractor);

class PlainTableFactory final : public TableFactory {
 public:
  explicit PlainTableFactory(const PlainTableOptions& options);

  static const char* kClassName() { return kPlainTableName(); }
  const char* Name() const override { return kPlainTableName(); }
  std::string GetPrintableOptions() const override;
  Status NewTableReader(const TableReaderOptions& options,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                        std::unique_ptr<TableReader>* table_reader) const override;
  TableBuilder* NewTableBuilder(const TableBuilderOptions& options,
                                FileWriter* file) const override;

  Status ValidateOptions(const DBOptions& db_options,
                         const ColumnFamilyOptions& cf_options) const override;

 private:
  PlainTableOptions options_;
};

}  // namespace cairn
