// SimpleSecondaryIndex: a column's values, whole, as they are. An entry's key is the value behind
// its length (varint32), and the primary key; its value is empty.
//
// Thread safety: see rocksdb/utilities/secondary_index.h.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/utilities/secondary_index.h"

namespace ROCKSDB_NAMESPACE {

class SimpleSecondaryIndex : public SecondaryIndex {
 public:
  explicit SimpleSecondaryIndex(std::string primary_column_name);

  void SetPrimaryColumnFamily(ColumnFamilyHandle* column_family) override;
  void SetSecondaryColumnFamily(ColumnFamilyHandle* column_family) override;
  ColumnFamilyHandle* GetPrimaryColumnFamily() const override;
  ColumnFamilyHandle* GetSecondaryColumnFamily() const override;

  Slice GetPrimaryColumnName() const override;

  Status UpdatePrimaryColumnValue(
      const Slice& primary_key, const Slice& primary_column_value,
      std::optional<std::variant<Slice, std::string>>* updated_column_value) const override;
  Status GetSecondaryKeyPrefix(
      const Slice& primary_key, const Slice& primary_column_value,
      std::variant<Slice, std::string>* secondary_key_prefix) const override;
  Status FinalizeSecondaryKeyPrefix(
      std::variant<Slice, std::string>* secondary_key_prefix) const override;
  Status GetSecondaryValue(
      const Slice& primary_key, const Slice& primary_column_value,
      const Slice& original_column_value,
      std::optional<std::variant<Slice, std::string>>* secondary_value) const override;

 private:
  std::string primary_column_name_;
  ColumnFamilyHandle* primary_column_family_ = nullptr;
  ColumnFamilyHandle* secondary_column_family_ = nullptr;
};

}  // namespace ROCKSDB_NAMESPACE
