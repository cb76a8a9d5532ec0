// Writes a plain table (plain_table_format.h) through a FileWriter. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/table.h"
#include "table/flat_table.h"
#include "table/plain_table_format.h"

namespace cairn {

class PlainTableBuilder final : public FlatTableBuilder {
 public:
  // `file` is borrowed and empty.
  PlainTableBuilder(const PlainTableOptions& table_options, const TableBuilderOptions& options,
                    FileWriter* file);

  void Add(const Slice& internal_key, const Slice& value) override;
  Status Finish() override;
  uint64_t EstimatedFileSize() const override { return offset_; }

 private:
  void WriteFilterAndIndex();

  const PlainTableOptions table_options_;
  const SliceTransform* const extractor_;
  const uint32_t bloom_locality_;
  PlainKeyWriter keys_;
  std::unique_ptr<PlainIndexBuilder> index_;  // null: the file gets none
  std::vector<uint32_t> hashes_;              // of the filter
  std::string row_;
};

}  // namespace cairn
