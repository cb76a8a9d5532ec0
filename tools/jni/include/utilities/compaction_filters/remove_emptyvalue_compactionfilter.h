// What RocksJava's sources take from RocksDB's private header of this name. Cairn has such a filter
// of its own behind the name, but it belongs to the library, and Java wants one that it can delete.
#pragma once

#include <string>

#include "rocksdb/compaction_filter.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

// Drops the entries whose values are empty. Thread-safe.
class RemoveEmptyValueCompactionFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "RemoveEmptyValueCompactionFilter"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& existing_value,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    return existing_value.empty();
  }
};

}  // namespace ROCKSDB_NAMESPACE
