// What keys have while logs are replayed, for an inplace_callback (MemTableSink::Existing): the
// memtable that is filled, and the tables below. For this such a family's memtable is not flushed
// before all logs are read, however full it is: what recovery flushes is in no version yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/column_family.h"

namespace cairn {

class RecoveryLookup final : public OperandFolder {
 public:
  // Is the sink's for as long as it lives. All borrowed.
  RecoveryLookup(const std::vector<ColumnFamily*>* families, FamilyMemTables* sink);
  ~RecoveryLookup();
  RecoveryLookup(const RecoveryLookup&) = delete;
  RecoveryLookup& operator=(const RecoveryLookup&) = delete;

  static bool IsNeededFor(const ColumnFamily& family);

  // As in RocksDB, nothing is folded while logs are replayed.
  bool Fold(uint32_t, const Slice&, SequenceNumber, const Slice&, std::string*,
            ValueType*) override {
    return false;
  }
  Status Existing(uint32_t family, const Slice& key, SequenceNumber sequence,
                  std::string* value) override;

 private:
  const std::vector<ColumnFamily*>* const families_;
  FamilyMemTables* const sink_;
};

}  // namespace cairn
