// Aggregation as a merge operator: an operand says which function it is for, by a name, so that one
// column family has sums, maxima, lists and so on side by side.
//
//   AddAggregator("sum", std::make_unique<Sum>());
//   options.merge_operator = GetAggMergeOperator();
//   ...
//   std::string operand;
//   Status s = EncodeAggFuncAndPayload("sum", "20", operand);
//   if (s.ok()) s = db->Merge(WriteOptions(), "key", operand);
//   ...
//   Slice function, value;  // "sum", and what it made of all operands
//   bool ok = ExtractAggFuncAndValue(result, function, value);
//
// A value that is put is encoded alike; one with kUnnamedFuncName is of whatever function the
// operands behind it name. Where an operand names another function than those before it, these are
// aggregated first, and the result is the other function's first value.
//
// What cannot be aggregated (a name that is not registered, an error of the function, an operand
// that is none) fails no read: the value is then of kErrorFuncName, and all operands, encoded as
// they were, are its list (ExtractList()).
//
// The encoding is RocksDB's: the name with its length as a varint32, then the payload.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/merge_operator.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// A function. Thread-safe: called by reads, flushes and compactions at once.
class Aggregator {
 public:
  virtual ~Aggregator() = default;

  // `values`: payloads, the oldest first; valid during the call. False: they make no sense.
  virtual bool Aggregate(const std::vector<Slice>& values, std::string& result) const = 0;

  // Whether operands may be aggregated without those below them: aggregate(a, b, c) is then
  // aggregate(a, aggregate(b, c)).
  virtual bool DoPartialAggregate() const { return true; }
};

// Registers a function for the process, for ever. The first one of a name stays. InvalidArgument:
// null, or kErrorFuncName. Thread-safe; before the first value of it is merged.
Status AddAggregator(const std::string& function_name, std::unique_ptr<Aggregator>&& agg);

// The operator, always the same one ("AggMergeOperator.v1").
std::shared_ptr<MergeOperator> GetAggMergeOperator();

// Sets `output` to an operand, or value. InvalidArgument: the name is not registered, or
// kErrorFuncName.
Status EncodeAggFuncAndPayload(const Slice& function_name, const Slice& payload,
                               std::string& output);
// The two parts of `op`, whose bytes they are. False: it has no such encoding.
bool ExtractAggFuncAndValue(const Slice& op, Slice& func, Slice& value);

// What kErrorFuncName's value has: the value below, if there was one, and the operands, the oldest
// first. False: it ends within one; those before it are in the list.
bool ExtractList(const Slice& encoded_list, std::vector<Slice>& decoded_list);

// "", for values of whatever function comes next.
extern const std::string kUnnamedFuncName;
// "kErrorFuncName".
extern const std::string kErrorFuncName;

}  // namespace ROCKSDB_NAMESPACE
