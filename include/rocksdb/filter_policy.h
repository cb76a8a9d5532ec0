// FilterPolicy: how a table file answers "is this key certainly absent?" without reading its data.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/advanced_options.h"
#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

struct BlockBasedTableOptions;
struct ConfigOptions;
class Logger;

// Of a table that is made. (Filters are the library's own; a CompressionManager is told.)
struct FilterBuildingContext {
  explicit FilterBuildingContext(const BlockBasedTableOptions& options) : table_options(options) {}

  const BlockBasedTableOptions& table_options;
  CompactionStyle compaction_style = kCompactionStyleLevel;  // always
  int num_levels = -1;                                       // not known
  Logger* info_log = nullptr;
  std::string column_family_name;
  int level_at_creation = -1;  // -1: not known
  bool is_bottommost = false;
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
};

// Immutable, hence thread-safe. Only those made below can be used: the format of a filter is the
// library's.
class FilterPolicy : public Customizable {
 public:
  ~FilterPolicy() override;

  static const char* Type() { return "FilterPolicy"; }
  // "bloomfilter:10:false", "ribbonfilter:10:0" (NewRibbonFilterPolicy's arguments), or what is
  // registered under an id (utilities/object_registry.h). Null for "" and "nullptr".
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<const FilterPolicy>* result);

  // The name in files; equal names can read each other's filters.
  virtual const char* CompatibilityName() const = 0;
};

// A Bloom filter of about bits_per_key bits for each key; 10 gives 1% false positives. Rounded to a
// thousandth; below 0.5: no filter. The second argument is ignored. The caller owns it, usually at
// once in a shared_ptr.
extern const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                bool IGNORED_use_block_based_builder = false);

// A Ribbon filter with the false positives of such a Bloom filter, in about 30% less space; it
// takes three to four times as long to make, and 20 bytes of memory for each key meanwhile. Levels
// above bloom_before_level get Bloom filters; a flush counts as level -1. So 0: only flushes do;
// -1: none; INT_MAX: all. With FIFO style and without compactions all but INT_MAX means none. Few
// keys get the kind that is smaller. The policy has the option bloom_before_level, which
// DB::SetOptions changes as table_factory.filter_policy.bloom_before_level: for new tables of that
// family.
extern const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                                 int bloom_before_level = 0);

}  // namespace ROCKSDB_NAMESPACE
