// CompactionFilter: the application looks at entries while tables are written, and drops or changes
// them: expired data, say.
//
// Set ColumnFamilyOptions::compaction_filter to one filter for all compactions, or
// compaction_filter_factory to get a new one for each job: see the two classes. A compaction asks
// `compaction_filter` if there is one, else the factory; a flush and the recovery of a log only ask
// the factory.
//
// What is shown to a filter is the newest version of each key among a job's inputs, if that is a
// value or an entity: not its older versions, no tombstones, and nothing of a file that is moved to
// the next level as it is (CompactRange moves none where there is a filter). Snapshots protect
// nothing from a filter: an entry that it removes or changes is gone for the snapshots that see it,
// too. That something is looked at by a certain time only CompactRange sees to; data at the bottom
// are not looked at again by themselves.
//
// Filters run on the threads of flushes and compactions, without a lock held: they may read the
// database. A filter that writes to it may wait for ever, for the very job that it is part of.
// Exceptions must not leave a filter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/types.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class Slice;
class SliceTransform;
class Status;
struct ConfigOptions;

// Thread safety: a filter in `compaction_filter` is called from several threads at once; one that a
// factory made by one thread at a time.
class CompactionFilter : public Customizable {
 public:
  enum ValueType {
    kValue,
    kMergeOperand,
    kBlobIndex,         // never shown: a value in a blob file is shown as kValue
    kWideColumnEntity,  // to FilterV3 only
  };

  enum class Decision {
    // The entry stays as it is.
    kKeep,
    // It goes: a tombstone takes its place, which stays as long as any other. A merge operand goes
    // without one.
    kRemove,
    // Its value becomes *new_value; an entity becomes a plain value.
    kChangeValue,
    // It goes, without a tombstone, and so does all in the job's inputs with keys before
    // *skip_until, without being read. What lies under it in other files shows again, and snapshots
    // lose it, too. As kKeep where *skip_until is not after the key.
    kRemoveAndSkipUntil,
    // Not for applications: the job fails with NotSupported.
    kChangeBlobIndex,
    kIOError,
    // As kRemove, with the tombstone of a SingleDelete: for keys that are written once and removed
    // so.
    kPurge,
    // It becomes an entity of *new_columns (FilterV3). Not for merge operands: the job fails with
    // NotSupported.
    kChangeWideColumnEntity,
    // Not for applications: the job fails with NotSupported.
    kUndetermined,
  };

  enum class BlobDecision { kKeep, kChangeValue, kCorruption, kIOError };

  // The job that a filter is made for.
  struct Context {
    // A compaction whose input is every table file.
    bool is_full_compaction;
    // A compaction that the user asked for.
    bool is_manual_compaction;
    // The lowest level of the compaction's input files; kUnknownStartLevel: it is none.
    int input_start_level = kUnknownStartLevel;
    // Of the files being written.
    uint32_t column_family_id;
    // Why they are.
    TableFileCreationReason reason;
    // By path, of all of a compaction's input files.
    TablePropertiesCollection input_table_properties;

    static constexpr int kUnknownStartLevel = -1;
  };

  ~CompactionFilter() override = default;

  static const char* Type() { return "CompactionFilter"; }
  // What was registered under `name` (utilities/object_registry.h) to live for ever; null for "".
  // An unknown name leaves *result as it is: OK with ignore_unsupported_options (the default), else
  // NotSupported.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& name,
                                 const CompactionFilter** result);

  // Whether the value goes. If it stays and *value_changed is set to true, it becomes *new_value.
  // `level`: the lowest of the compaction's inputs; 0 in a flush.
  virtual bool Filter(int /*level*/, const Slice& /*key*/, const Slice& /*existing_value*/,
                      std::string* /*new_value*/, bool* /*value_changed*/) const {
    return false;
  }

  // Whether the merge operand goes. Only those newer than every snapshot are shown.
  virtual bool FilterMergeOperand(int /*level*/, const Slice& /*key*/,
                                  const Slice& /*operand*/) const {
    return false;
  }

  // By default it asks the two above for values and merge operands. A filter that overrides it
  // needs neither.
  virtual Decision FilterV2(int level, const Slice& key, ValueType value_type,
                            const Slice& existing_value, std::string* new_value,
                            std::string* /*skip_until*/) const {
    if (value_type == ValueType::kMergeOperand) {
      return FilterMergeOperand(level, key, existing_value) ? Decision::kRemove : Decision::kKeep;
    }
    if (value_type != ValueType::kValue) return Decision::kKeep;
    bool value_changed = false;
    if (Filter(level, key, existing_value, new_value, &value_changed)) return Decision::kRemove;
    return value_changed ? Decision::kChangeValue : Decision::kKeep;
  }

  // What is called for all that is shown; by default it asks FilterV2, and keeps entities. Of a
  // value or a merge operand *existing_value is set, of an entity *existing_columns, sorted by
  // name; the other is null. The decision's result goes to *new_value or *new_columns (name and
  // value, in any order; Corruption, which fails the job: two names are the same).
  virtual Decision FilterV3(int level, const Slice& key, ValueType value_type,
                            const Slice* existing_value, const WideColumns* /*existing_columns*/,
                            std::string* new_value,
                            std::vector<std::pair<std::string, std::string>>* /*new_columns*/,
                            std::string* skip_until) const {
    if (value_type == ValueType::kWideColumnEntity) return Decision::kKeep;
    return FilterV2(level, key, value_type, *existing_value, new_value, skip_until);
  }

  // Never called: of the deprecated stacked BlobDB, which is not here.
  virtual BlobDecision PrepareBlobOutput(const Slice& /*key*/, const Slice& /*existing_value*/,
                                         std::string* /*new_value*/) const {
    return BlobDecision::kKeep;
  }
  virtual bool IsStackedBlobDbInternalCompactionFilter() const { return false; }
  // What to do with an entry whose value is in a blob file, which is not read for this. As
  // FilterV2, but for kUndetermined: then the value is read, and FilterV3 decides.
  virtual Decision FilterBlobByKey(int /*level*/, const Slice& /*key*/, std::string* /*new_value*/,
                                   std::string* /*skip_until*/) const {
    return Decision::kUndetermined;
  }

  // False is not supported any more: the jobs fail with NotSupported.
  virtual bool IgnoreSnapshots() const { return true; }

  // Stands in the OPTIONS file.
  const char* Name() const override = 0;
};

// Makes a filter for each job: for each part of a compaction that is divided (max_subcompactions),
// for each flush, for each memtable that a recovery writes.
//
// Thread safety: called from several threads at once.
class CompactionFilterFactory : public Customizable {
 public:
  ~CompactionFilterFactory() override = default;

  static const char* Type() { return "CompactionFilterFactory"; }
  // What was registered under `name`; as CompactionFilter's.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& name,
                                 std::shared_ptr<CompactionFilterFactory>* result);

  // Whether jobs that write tables for this reason shall be filtered.
  virtual bool ShouldFilterTableFileCreation(TableFileCreationReason reason) const {
    return reason == TableFileCreationReason::kCompaction;
  }

  // Null: nothing is filtered.
  virtual std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) = 0;

  // Stands in the OPTIONS file.
  const char* Name() const override = 0;
};

}  // namespace ROCKSDB_NAMESPACE
