// FilterPolicy: how a table file answers "is this key certainly absent?" without reading its data.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Immutable, hence thread-safe. Only those made below can be used: the format of a filter is the
// library's.
class FilterPolicy : public Customizable {
 public:
  ~FilterPolicy() override;

  static const char* Type() { return "FilterPolicy"; }

  // The name in files; equal names can read each other's filters.
  virtual const char* CompatibilityName() const = 0;
};

// A Bloom filter of about bits_per_key bits for each key; 10 gives 1% false positives. Rounded to a
// thousandth; below 0.5: no filter. The second argument is ignored. The caller owns it, usually at
// once in a shared_ptr.
extern const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                bool IGNORED_use_block_based_builder = false);

// RocksDB's Ribbon filter saves memory for time. Cairn writes a Bloom filter of the same rate in
// its place, which every reader understands.
extern const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                                 int bloom_before_level = 0);

}  // namespace ROCKSDB_NAMESPACE
