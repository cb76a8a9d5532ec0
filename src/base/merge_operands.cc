#include "base/merge_operands.h"

#include <utility>

#include "base/perf.h"

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

Status MergeOperands::Merge(const Slice& key, const Slice* base, Statistics* statistics,
                            Logger* logger, std::string* result, bool* must_keep) const {
  if (operator_ == nullptr) {
    // RocksDB's own words.
    return Status::InvalidArgument("merge_operator is not properly initialized.");
  }
  const std::vector<Slice> operands = OldestFirst();
  result->clear();
  Slice existing(nullptr, 0);
  const MergeOperator::MergeOperationInput input(key, base, operands, logger);
  MergeOperator::MergeOperationOutput output(*result, existing);
  if (statistics != nullptr) statistics->recordInHistogram(READ_NUM_MERGE_OPERANDS, size());
  const PerfTimer timer(Perf(), &PerfContext::merge_operator_time_nanos);
  if (!operator_->FullMergeV2(input, &output)) {
    if (statistics != nullptr) statistics->recordTick(NUMBER_MERGE_FAILURES, 1);
    if (must_keep != nullptr) {
      *must_keep = output.op_failure_scope == MergeOperator::OpFailureScope::kMustMerge;
    }
    return Status::Corruption(Status::SubCode::kMergeOperatorFailed);
  }
  if (existing.data() != nullptr) result->assign(existing.data(), existing.size());
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
