#include "rocksdb/utilities/agg_merge.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/namespace.h"
#include "fiber/mutex.h"

namespace cairn {
namespace {

// The functions by their names. What is registered stays.
class Aggregators {
 public:
  static Aggregators& All() {
    static Aggregators& all = *new Aggregators;
    return all;
  }

  void Add(const std::string& name, std::unique_ptr<Aggregator> function) {
    fiber::MutexLock lock(&mutex_);
    functions_.emplace(name, std::move(function));
  }
  // Null: none.
  const Aggregator* Find(const Slice& name) const {
    fiber::MutexLock lock(&mutex_);
    const auto it = functions_.find(name.ToString());
    return it == functions_.end() ? nullptr : it->second.get();
  }

 private:
  mutable fiber::Mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Aggregator>> functions_ FIBER_GUARDED_BY(mutex_);
};

std::string Encode(const Slice& function, const Slice& payload) {
  std::string encoded;
  PutLengthPrefixedSlice(&encoded, function);
  encoded.append(payload.data(), payload.size());
  return encoded;
}

// Takes operands one after the other, the oldest first.
class Aggregation {
 public:
  // False: no result can be had.
  bool Add(const Slice& operand) {
    Slice function, payload;
    if (!ExtractAggFuncAndValue(operand, function, payload)) return false;
    if (!is_named_) {
      // Values without a name are of the first function that has one.
      is_named_ = !function.empty();
      function_ = function;
    } else if (function != function_) {
      std::string so_far;
      if (!Aggregate(&so_far)) return false;
      below_ = std::move(so_far);
      values_.assign(1, below_);
      function_ = function;
    }
    values_.push_back(payload);
    return true;
  }

  bool Finish(std::string* result) const {
    std::string value;
    if (!is_named_ || !Aggregate(&value)) return false;
    *result = Encode(function_, value);
    return true;
  }

 private:
  bool Aggregate(std::string* result) const {
    const Aggregator* const function = Aggregators::All().Find(function_);
    return function != nullptr && function->Aggregate(values_, *result);
  }

  bool is_named_ = false;
  Slice function_;             // in an operand
  std::vector<Slice> values_;  // in operands, but the first may be below_
  std::string below_;
};

class AggMergeOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "AggMergeOperator.v1"; }
  bool AllowSingleOperand() const override { return true; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    Aggregation all;
    bool ok = in.existing_value == nullptr || all.Add(*in.existing_value);
    for (const Slice& operand : in.operand_list) ok = ok && all.Add(operand);
    if (ok && all.Finish(&out->new_value)) return true;
    out->new_value.clear();
    PutLengthPrefixedSlice(&out->new_value, kErrorFuncName);
    if (in.existing_value != nullptr) PutLengthPrefixedSlice(&out->new_value, *in.existing_value);
    for (const Slice& operand : in.operand_list) PutLengthPrefixedSlice(&out->new_value, operand);
    return true;
  }

  // Of one function alone, which allows it.
  bool PartialMergeMulti(const Slice& /*key*/, const std::deque<Slice>& operand_list,
                         std::string* new_value, Logger* /*logger*/) const override {
    Aggregation all;
    Slice only;
    for (const Slice& operand : operand_list) {
      Slice function, payload;
      if (!ExtractAggFuncAndValue(operand, function, payload)) return false;
      if (!only.empty() && function != only) return false;
      only = function;
      if (!only.empty()) {
        const Aggregator* const known = Aggregators::All().Find(only);
        if (known == nullptr || !known->DoPartialAggregate()) return false;
      }
      if (!all.Add(operand)) return false;
    }
    return all.Finish(new_value);
  }
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status AddAggregator(const std::string& function_name, std::unique_ptr<Aggregator>&& agg) {
  if (function_name == kErrorFuncName) {
    return Status::InvalidArgument("No function may have the name", kErrorFuncName);
  }
  if (agg == nullptr) return Status::InvalidArgument("The function is null", function_name);
  cairn::Aggregators::All().Add(function_name, std::move(agg));
  return Status::OK();
}

std::shared_ptr<MergeOperator> GetAggMergeOperator() {
  static const auto& instance =
      *new std::shared_ptr<MergeOperator>(std::make_shared<cairn::AggMergeOperator>());
  return instance;
}

Status EncodeAggFuncAndPayload(const Slice& function_name, const Slice& payload,
                               std::string& output) {
  if (function_name == kErrorFuncName) {
    return Status::InvalidArgument("No operand may be of the function", kErrorFuncName);
  }
  if (!function_name.empty() && cairn::Aggregators::All().Find(function_name) == nullptr) {
    return Status::InvalidArgument("Function name not registered", function_name);
  }
  output = cairn::Encode(function_name, payload);
  return Status::OK();
}

bool ExtractAggFuncAndValue(const Slice& op, Slice& func, Slice& value) {
  value = op;
  return cairn::GetLengthPrefixedSlice(&value, &func);
}

bool ExtractList(const Slice& encoded_list, std::vector<Slice>& decoded_list) {
  decoded_list.clear();
  Slice rest = encoded_list;
  Slice item;
  while (!rest.empty() && cairn::GetLengthPrefixedSlice(&rest, &item)) {
    decoded_list.push_back(item);
  }
  return rest.empty();
}

}  // namespace ROCKSDB_NAMESPACE
