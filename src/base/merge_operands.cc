#include "base/merge_operands.h"

#include <utility>
#include <variant>

#include "base/perf.h"
#include "base/wide_column_serialization.h"

namespace cairn {

void MergeOperands::Push(const Slice& operand, bool pinned) {
  if (rep_ == nullptr) rep_ = std::make_unique<Rep>();
  if (pinned) {
    rep_->operands.push_back(operand);
  } else {
    rep_->operands.emplace_back(rep_->copies.emplace_back(operand.data(), operand.size()));
  }
}

bool MergeOperands::PushOlder(const Slice& operand, bool pinned) {
  Push(operand, pinned);
  rep_->newest_last = false;
  return just_collect_ || operator_ == nullptr || !operator_->ShouldMerge(rep_->operands);
}

void MergeOperands::PushNewer(const Slice& operand, bool pinned) {
  Push(operand, pinned);
  rep_->newest_last = true;
}

void MergeOperands::Truncate(size_t size) {
  if (rep_ == nullptr) return;
  rep_->operands.resize(size);
  if (size == 0) rep_->copies.clear();
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
  if (statistics != nullptr) statistics->recordInHistogram(READ_NUM_MERGE_OPERANDS, size());
  const PerfTimer timer(Perf(), &PerfContext::merge_operator_time_nanos);
  if (!operator_->FullMergeV3(input, &output)) {
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
    result->assign(part->data(), part->size());
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
  if (operator_ == nullptr || empty()) return false;
  if (size() == 1 && !operator_->AllowSingleOperand()) return false;
  const std::vector<Slice> ordered = OldestFirst();
  const PerfTimer timer(Perf(), &PerfContext::merge_operator_time_nanos);
  return operator_->PartialMergeMulti(key, std::deque<Slice>(ordered.begin(), ordered.end()),
                                      result, logger);
}

}  // namespace cairn
