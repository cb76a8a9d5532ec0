#include "utilities/ttl_values.h"

#include <atomic>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "base/coding.h"
#include "base/logging.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

// One job's filter: expiry, then the user's, which sees no times.
class TtlFilter final : public CompactionFilter {
 public:
  TtlFilter(int32_t ttl, const CompactionFilter* user, std::unique_ptr<CompactionFilter> owned)
      : ttl_(ttl), now_(TtlNow()), user_(user), owned_(std::move(owned)) {}

  const char* Name() const override { return "TtlCompactionFilter"; }
  bool IgnoreSnapshots() const override { return user_ == nullptr || user_->IgnoreSnapshots(); }
  Decision FilterV3(int level, const Slice& key, ValueType type, const Slice* existing_value,
                    const WideColumns* existing_columns, std::string* new_value,
                    std::vector<std::pair<std::string, std::string>>* new_columns,
                    std::string* skip_until) const override;

 private:
  const int32_t ttl_;  // seconds
  const uint32_t now_;
  const CompactionFilter* const user_;  // null: there is none
  const std::unique_ptr<CompactionFilter> owned_;
};

CompactionFilter::Decision TtlFilter::FilterV3(
    int level, const Slice& key, ValueType type, const Slice* existing_value,
    const WideColumns* existing_columns, std::string* new_value,
    std::vector<std::pair<std::string, std::string>>* new_columns, std::string* skip_until) const {
  // (An entity was written around this database: it has no time.)
  if (type != ValueType::kValue && type != ValueType::kMergeOperand) return Decision::kKeep;
  // Operands stay: one of them may be a part of a value that has not expired.
  if (type == ValueType::kValue && IsExpired(*existing_value, ttl_, now_)) return Decision::kRemove;
  // A value without a time stays for the reads, which will tell.
  if (user_ == nullptr || existing_value->size() < kTtlTimeBytes) return Decision::kKeep;

  const Slice shown = WithoutTtlTime(*existing_value);
  const Decision decision = user_->FilterV3(level, key, type, &shown, existing_columns, new_value,
                                            new_columns, skip_until);
  if (decision == Decision::kChangeValue) {
    // It is as old as it was.
    new_value->append(shown.data() + shown.size(), kTtlTimeBytes);
  }
  // Refused, as entities are: the job fails and says so.
  return decision == Decision::kChangeWideColumnEntity ? Decision::kUndetermined : decision;
}

class TtlFilterFactory final : public CompactionFilterFactory {
 public:
  TtlFilterFactory(int32_t ttl, const CompactionFilter* user,
                   std::shared_ptr<CompactionFilterFactory> user_factory)
      : ttl_(ttl), user_(user), user_factory_(std::move(user_factory)) {}

  const char* Name() const override { return "TtlCompactionFilterFactory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason reason) const override {
    return reason == TableFileCreationReason::kCompaction || UserWants(reason);
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override {
    // Flushes and recoveries only have the user's.
    const bool compaction = context.reason == TableFileCreationReason::kCompaction;
    const int32_t ttl = compaction ? ttl_.load(std::memory_order_relaxed) : 0;
    if (compaction && user_ != nullptr) return std::make_unique<TtlFilter>(ttl, user_, nullptr);
    std::unique_ptr<CompactionFilter> made;
    if (UserWants(context.reason)) made = user_factory_->CreateCompactionFilter(context);
    const CompactionFilter* const user = made.get();
    return std::make_unique<TtlFilter>(ttl, user, std::move(made));
  }

  void SetTtl(int32_t ttl) { ttl_.store(ttl, std::memory_order_relaxed); }

 private:
  bool UserWants(TableFileCreationReason reason) const {
    return user_factory_ != nullptr && user_factory_->ShouldFilterTableFileCreation(reason);
  }

  std::atomic<int32_t> ttl_;  // seconds; relaxed: a number of its own
  const CompactionFilter* const user_;
  const std::shared_ptr<CompactionFilterFactory> user_factory_;
};

// The user's operator on values without times; what it makes gets the present one.
class TtlMergeOperator final : public MergeOperator {
 public:
  explicit TtlMergeOperator(std::shared_ptr<MergeOperator> user) : user_(std::move(user)) {}

  const char* Name() const override { return "TtlMergeOperator"; }
  bool FullMergeV3(const MergeOperationInputV3& merge_in,
                   MergeOperationOutputV3* merge_out) const override;
  bool PartialMergeMulti(const Slice& key, const std::deque<Slice>& operand_list,
                         std::string* new_value, Logger* logger) const override;
  bool AllowSingleOperand() const override { return user_->AllowSingleOperand(); }
  bool ShouldMerge(const std::vector<Slice>& operands) const override {
    std::vector<Slice> shown;
    return Strip(operands, nullptr, &shown) && user_->ShouldMerge(shown);
  }

 private:
  // False: one of them has no time.
  template <class List>
  static bool Strip(const List& operands, Logger* logger, List* shown) {
    for (const Slice& operand : operands) {
      if (operand.size() < kTtlTimeBytes) {
        LogError(logger, "DBWithTTL: a merge operand has no time");
        return false;
      }
      shown->push_back(WithoutTtlTime(operand));
    }
    return true;
  }

  const std::shared_ptr<MergeOperator> user_;
};

bool TtlMergeOperator::FullMergeV3(const MergeOperationInputV3& merge_in,
                                   MergeOperationOutputV3* merge_out) const {
  std::vector<Slice> operands;
  if (!Strip(merge_in.operand_list, merge_in.logger, &operands)) return false;
  MergeOperationInputV3::ExistingValue existing = merge_in.existing_value;
  if (auto* const value = std::get_if<Slice>(&existing)) {
    if (value->size() < kTtlTimeBytes) {
      LogError(merge_in.logger, "DBWithTTL: the value under a merge has no time");
      return false;
    }
    *value = WithoutTtlTime(*value);
  }
  const MergeOperationInputV3 shown(merge_in.key, std::move(existing), operands, merge_in.logger);
  if (!user_->FullMergeV3(shown, merge_out)) return false;
  if (const auto* const whole = std::get_if<Slice>(&merge_out->new_value)) {
    merge_out->new_value = WithTtlTime(*whole);
  } else if (auto* const value = std::get_if<std::string>(&merge_out->new_value)) {
    AppendTtlTime(TtlNow(), value);
  } else {
    LogError(merge_in.logger, "DBWithTTL: a merge made an entity, which has no time");
    return false;
  }
  return true;
}

bool TtlMergeOperator::PartialMergeMulti(const Slice& key, const std::deque<Slice>& operand_list,
                                         std::string* new_value, Logger* logger) const {
  std::deque<Slice> operands;
  if (!Strip(operand_list, logger, &operands)) return false;
  if (!user_->PartialMergeMulti(key, operands, new_value, logger)) return false;
  AppendTtlTime(TtlNow(), new_value);
  return true;
}

}  // namespace

uint32_t TtlNow() { return static_cast<uint32_t>(fiber::wall_micros() / 1'000'000); }

void AppendTtlTime(uint32_t seconds, std::string* value) { PutFixed32(value, seconds); }

std::string WithTtlTime(const Slice& value) {
  std::string stored;
  stored.reserve(value.size() + kTtlTimeBytes);
  stored.assign(value.data(), value.size());
  AppendTtlTime(TtlNow(), &stored);
  return stored;
}

Status CheckTtlTime(const Slice& stored) {
  if (stored.size() < kTtlTimeBytes) {
    return Status::Corruption("DBWithTTL: a value is shorter than its time");
  }
  if (DecodeFixed32(stored.data() + stored.size() - kTtlTimeBytes) < kTtlFirstTime) {
    return Status::Corruption("DBWithTTL: a value has no time, or one before May 2013");
  }
  return Status::OK();
}

bool IsExpired(const Slice& stored, int32_t ttl, uint32_t now) {
  if (ttl <= 0 || stored.size() < kTtlTimeBytes) return false;
  const uint64_t written = DecodeFixed32(stored.data() + stored.size() - kTtlTimeBytes);
  return written + static_cast<uint64_t>(ttl) < now;
}

void AddTtl(ColumnFamilyOptions* options, int32_t ttl) {
  options->compaction_filter_factory = std::make_shared<TtlFilterFactory>(
      ttl, options->compaction_filter, std::move(options->compaction_filter_factory));
  // The factory's filters ask it.
  options->compaction_filter = nullptr;
  if (options->merge_operator != nullptr) {
    options->merge_operator = std::make_shared<TtlMergeOperator>(options->merge_operator);
  }
}

void ChangeTtl(const ColumnFamilyOptions& options, int32_t ttl) {
  auto* const factory = dynamic_cast<TtlFilterFactory*>(options.compaction_filter_factory.get());
  if (factory != nullptr) factory->SetTtl(ttl);
}

}  // namespace cairn
