#include "base/merge_operands.h"

#include <utility>
#include <variant>

#include "base/allocation.h"
#include "base/perf.h"
#include "base/wide_column_serialization.h"
#include "fiber/clock.h"

namespace cairn {

void MergeOperands::Push(const Slice& operand, bool pinned) {
  if (rep_ == nullptr) rep_ = std::make_unique<Rep>();
  if (pinned) {
    rep_->operands.push_back(operand);
  } else {
    std::string& copy = rep_->copies.emplace_back();
    if (!AssignIfPossible(&copy, operand.data(), operand.size())) rep_->lacks_memory = true;
    rep_->operands.emplace_back(copy);
  }
}

bool MergeOperands::PushOlder(const Slice& operand, bool pinned) {
  Push(operand, pinned);
  rep_->newest_last = false;
  if (goes_on_ != nullptr) return (*goes_on_)(operand);
  return just_collect_ || operator_ == nullptr || !operator_->ShouldMerge(rep_->operands);
}

Slice MergeOperands::Keep(const Slice& value) {
  if (rep_ == nullptr) rep_ = std::make_unique<Rep>();
  rep_->copies.emplace_back();
  if (!AssignIfPossible(&rep_->copies.back(), value.data(), value.size())) {
    rep_->copies.pop_back();
    return Slice(nullptr, 0);
  }
  return rep_->copies.back();
}

void MergeOperands::PushNewer(const Slice& operand, bool pinned) {
  Push(operand, pinned);
  rep_->newest_last = true;
}

void MergeOperands::Truncate(size_t size) {
  if (rep_ == nullptr) return;
  rep_->operands.resize(size);
  if (size > 0) return;
  rep_->copies.clear();
  rep_->lacks_memory = false;
}

std::vector<Slice> MergeOperands::OldestFirst() const {
  if (rep_ == nullptr) return {};
  if (rep_->newest_last) return rep_->operands;
  return std::vector<Slice>(rep_->operands.rbegin(), rep_->operands.rend());
}

Status MergeOperands::Merge(const Slice& key, const MergeBase& base, Statistics* statistics,
                            Logger* logger, std::string* result, ValueType* type,
                            bool* must_keep) const {
  using Input = MergeOperator::MergeOperationInputV3;
  using Output = MergeOperator::MergeOperationOutputV3;
  if (operator_ == nullptr) {
    // RocksDB's own words.
    return Status::InvalidArgument("merge_operator is not properly initialized.");
  }
  const auto no_memory = [&key] {
    return Status::MemoryLimit("no memory to merge the operands of key", key.ToString(true));
  };
  if (lacks_memory()) return no_memory();
  Input::ExistingValue existing;
  if (base.type == kTypeValue) {
    existing = base.value;
  } else if (base.type == kTypeWideColumnEntity) {
    const Status s = DecodeWideColumns(base.value, &existing.emplace<WideColumns>());
    if (!s.ok()) return Status::CopyAppendMessage(s, " of key ", key.ToString(/*hex=*/true));
  }
  const std::vector<Slice> operands = OldestFirst();
  const Input input(key, std::move(existing), operands, logger);
  Output output;
  result->clear();
  std::get<std::string>(output.new_value).swap(*result);  // its memory
  uint64_t start = 0;
  if (statistics != nullptr) {
    statistics->recordInHistogram(READ_NUM_MERGE_OPERANDS, size());
    start = fiber::now_nanos();
  }
  const PerfTimer timer(Perf(), &PerfContext::merge_operator_time_nanos);
  size_t bytes = base.value.size();
  for (const Slice& operand : operands) bytes += operand.size();
  bool merged = false;
  if (!WithMemory(bytes, [&] { merged = operator_->FullMergeV3(input, &output); })) {
    return no_memory();
  }
  if (statistics != nullptr) {
    statistics->recordTick(MERGE_OPERATION_TOTAL_TIME, fiber::now_nanos() - start);
  }
  if (!merged) {
    if (statistics != nullptr) statistics->recordTick(NUMBER_MERGE_FAILURES, 1);
    if (must_keep != nullptr) {
      *must_keep = output.op_failure_scope == MergeOperator::OpFailureScope::kMustMerge;
    }
    return Status::Corruption(Status::SubCode::kMergeOperatorFailed);
  }
  *type = kTypeValue;
  if (auto* const value = std::get_if<std::string>(&output.new_value)) {
    result->swap(*value);
  } else if (const auto* const part = std::get_if<Slice>(&output.new_value)) {
    if (!AssignIfPossible(result, part->data(), part->size())) return no_memory();
  } else {
    *type = kTypeWideColumnEntity;
    WideColumns columns;
    for (const auto& [name, column] : std::get<Output::NewColumns>(output.new_value)) {
      columns.emplace_back(name, column);
    }
    result->clear();
    return EncodeWideColumns(std::move(columns), result);
  }
  return Status::OK();
}

bool MergeOperands::MergePartially(const Slice& key, Logger* logger, std::string* result) const {
  if (operator_ == nullptr || empty() || lacks_memory()) return false;
  if (size() == 1 && !operator_->AllowSingleOperand()) return false;
  const std::vector<Slice> ordered = OldestFirst();
  const PerfTimer timer(Perf(), &PerfContext::merge_operator_time_nanos);
  size_t bytes = 0;
  for (const Slice& operand : ordered) bytes += operand.size();
  bool merged = false;
  // (Without memory they stay apart.)
  return WithMemory(bytes,
                    [&] {
                      merged = operator_->PartialMergeMulti(
                          key, std::deque<Slice>(ordered.begin(), ordered.end()), result, logger);
                    }) &&
         merged;
}

}  // namespace cairn
