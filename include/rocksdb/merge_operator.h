// MergeOperator: what DB::Merge means. A merge writes an operand; the operator combines a key's
// operands with the value below them when the key is read, flushed or compacted.
//
// Thread safety: all methods from any thread at once. They must be deterministic, and must not
// call the database.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class Logger;
struct ConfigOptions;

class MergeOperator : public Customizable {
 public:
  // Where a failure of the operator matters.
  enum class OpFailureScope {
    kDefault,    // as kTryMerge
    kTryMerge,   // reads of the key fail, and so do flushes and compactions that meet it
    kMustMerge,  // reads of the key fail; flushes and compactions leave its entries as they are
    kOpFailureScopeMax,
  };

  struct MergeOperationInput {
    explicit MergeOperationInput(const Slice& _key, const Slice* _existing_value,
                                 const std::vector<Slice>& _operand_list, Logger* _logger)
        : key(_key),
          existing_value(_existing_value),
          operand_list(_operand_list),
          logger(_logger) {}

    const Slice& key;
    const Slice* existing_value;             // null: the key has none
    const std::vector<Slice>& operand_list;  // oldest first
    Logger* logger;                          // may be null
  };

  struct MergeOperationOutput {
    explicit MergeOperationOutput(std::string& _new_value, Slice& _existing_operand)
        : new_value(_new_value), existing_operand(_existing_operand) {}

    std::string& new_value;
    // May be set to an operand or the existing value instead: the result without a copy.
    Slice& existing_operand;
    OpFailureScope op_failure_scope = OpFailureScope::kDefault;
  };

  ~MergeOperator() override = default;

  static const char* Type() { return "MergeOperator"; }
  // Sets *result to the operator that `id` names: "put", "put_v1", "uint64add", "stringappend",
  // "stringappendtest", "max", "sortlist", "bytesxor", or their class names; null for "" and
  // "nullptr". A name that is not known leaves *result as it is: OK with
  // ignore_unsupported_options (the default), else NotSupported.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 std::shared_ptr<MergeOperator>* result);

  // The older form of FullMergeV2, which calls it by default.
  virtual bool FullMerge(const Slice& key, const Slice* existing_value,
                         const std::deque<std::string>& operand_list, std::string* new_value,
                         Logger* logger) const;

  // Applies the operands, in order, to the existing value. False: it cannot be done; the data are
  // taken to be corrupt.
  virtual bool FullMergeV2(const MergeOperationInput& merge_in,
                           MergeOperationOutput* merge_out) const;

  struct MergeOperationInputV3 {
    // The key has none, a plain one, or an entity.
    using ExistingValue = std::variant<std::monostate, Slice, WideColumns>;
    using OperandList = std::vector<Slice>;

    explicit MergeOperationInputV3(const Slice& _key, ExistingValue&& _existing_value,
                                   const OperandList& _operand_list, Logger* _logger)
        : key(_key),
          existing_value(std::move(_existing_value)),
          operand_list(_operand_list),
          logger(_logger) {}

    const Slice& key;
    ExistingValue existing_value;
    const OperandList& operand_list;  // oldest first
    Logger* logger;                   // may be null
  };

  struct MergeOperationOutputV3 {
    using NewColumns = std::vector<std::pair<std::string, std::string>>;
    // A plain value, an entity (columns in any order), or an operand or the existing value, without
    // a copy.
    using NewValue = std::variant<std::string, NewColumns, Slice>;

    NewValue new_value;
    OpFailureScope op_failure_scope = OpFailureScope::kDefault;
  };

  // What the engine calls, for plain values and entities. By default FullMergeV2, on the existing
  // value or, of an entity, on the default column (empty if it has none); an entity stays one, with
  // its other columns as they are.
  virtual bool FullMergeV3(const MergeOperationInputV3& merge_in,
                           MergeOperationOutputV3* merge_out) const;

  // Makes one operand of two neighbours, which has the same effect. False: not possible (and not
  // an error): both are kept.
  virtual bool PartialMerge(const Slice& key, const Slice& left_operand, const Slice& right_operand,
                            std::string* new_value, Logger* logger) const;
  // The same of two or more, oldest first. By default PartialMerge, from the oldest on.
  virtual bool PartialMergeMulti(const Slice& key, const std::deque<Slice>& operand_list,
                                 std::string* new_value, Logger* logger) const;

  // PartialMergeMulti may be called with a single operand.
  virtual bool AllowSingleOperand() const { return false; }

  // Asked by lookups: whether these operands, newest first, make the value without those below.
  virtual bool ShouldMerge(const std::vector<Slice>& /*operands*/) const { return false; }
};

// For an operation whose operands look like values, such as addition.
class AssociativeMergeOperator : public MergeOperator {
 public:
  // Applies one operand to the existing value (null: none). False: the data are corrupt.
  virtual bool Merge(const Slice& key, const Slice* existing_value, const Slice& value,
                     std::string* new_value, Logger* logger) const = 0;

 private:
  bool FullMergeV2(const MergeOperationInput& merge_in,
                   MergeOperationOutput* merge_out) const override;
  bool PartialMerge(const Slice& key, const Slice& left_operand, const Slice& right_operand,
                    std::string* new_value, Logger* logger) const override;
};

}  // namespace ROCKSDB_NAMESPACE
