// MergeOperator's defaults, and the operators that come with the library.
#include "rocksdb/merge_operator.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/builtin_merge_operator.h"
#include "base/coding.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

bool MergeOperator::FullMerge(const Slice& /*key*/, const Slice* /*existing_value*/,
                              const std::deque<std::string>& /*operand_list*/,
                              std::string* /*new_value*/, Logger* /*logger*/) const {
  return false;
}

bool MergeOperator::FullMergeV2(const MergeOperationInput& merge_in,
                                MergeOperationOutput* merge_out) const {
  std::deque<std::string> operands;
  for (const Slice& operand : merge_in.operand_list) {
    operands.emplace_back(operand.data(), operand.size());
  }
  return FullMerge(merge_in.key, merge_in.existing_value, operands, &merge_out->new_value,
                   merge_in.logger);
}

bool MergeOperator::FullMergeV3(const MergeOperationInputV3& merge_in,
                                MergeOperationOutputV3* merge_out) const {
  const auto* const columns = std::get_if<WideColumns>(&merge_in.existing_value);
  const bool has_default =
      columns != nullptr && !columns->empty() && columns->front().name().empty();
  const Slice* existing = std::get_if<Slice>(&merge_in.existing_value);
  const Slice no_default;
  if (columns != nullptr) existing = has_default ? &columns->front().value() : &no_default;

  // What is given may have memory to reuse.
  auto* const given = std::get_if<std::string>(&merge_out->new_value);
  std::string& value = given != nullptr ? *given : merge_out->new_value.emplace<std::string>();
  value.clear();
  Slice operand(nullptr, 0);
  MergeOperationOutput out(value, operand);
  if (!FullMergeV2(
          MergeOperationInput(merge_in.key, existing, merge_in.operand_list, merge_in.logger),
          &out)) {
    merge_out->op_failure_scope = out.op_failure_scope;
    return false;
  }
  if (columns == nullptr) {
    if (operand.data() != nullptr) merge_out->new_value = operand;
    return true;
  }
  if (operand.data() != nullptr) value.assign(operand.data(), operand.size());
  MergeOperationOutputV3::NewColumns merged;
  merged.reserve(columns->size() + 1);
  merged.emplace_back(std::string(), std::move(value));
  for (size_t i = has_default ? 1 : 0; i < columns->size(); ++i) {
    merged.emplace_back((*columns)[i].name().ToString(), (*columns)[i].value().ToString());
  }
  merge_out->new_value = std::move(merged);
  return true;
}

bool MergeOperator::PartialMerge(const Slice& /*key*/, const Slice& /*left_operand*/,
                                 const Slice& /*right_operand*/, std::string* /*new_value*/,
                                 Logger* /*logger*/) const {
  return false;
}

bool MergeOperator::PartialMergeMulti(const Slice& key, const std::deque<Slice>& operand_list,
                                      std::string* new_value, Logger* logger) const {
  if (operand_list.empty()) return false;
  std::string left = operand_list.front().ToString();
  for (size_t i = 1; i < operand_list.size(); ++i) {
    std::string combined;
    if (!PartialMerge(key, left, operand_list[i], &combined, logger)) return false;
    left = std::move(combined);
  }
  *new_value = std::move(left);
  return true;
}

bool AssociativeMergeOperator::FullMergeV2(const MergeOperationInput& merge_in,
                                           MergeOperationOutput* merge_out) const {
  std::string value;
  Slice below;
  const Slice* existing = merge_in.existing_value;
  for (const Slice& operand : merge_in.operand_list) {
    std::string result;
    if (!Merge(merge_in.key, existing, operand, &result, merge_in.logger)) return false;
    value = std::move(result);
    below = value;
    existing = &below;
  }
  merge_out->new_value = std::move(value);
  return true;
}

bool AssociativeMergeOperator::PartialMerge(const Slice& key, const Slice& left_operand,
                                            const Slice& right_operand, std::string* new_value,
                                            Logger* logger) const {
  return Merge(key, &left_operand, right_operand, new_value, logger);
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {
namespace {

// The last operand is the value.
class PutOperator final : public MergeOperator {
 public:
  explicit PutOperator(const char* nickname) : nickname_(nickname) {}
  const char* Name() const override { return "PutOperator"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    out->existing_operand = in.operand_list.back();
    return true;
  }
  bool PartialMerge(const Slice& /*key*/, const Slice& /*left*/, const Slice& right,
                    std::string* result, Logger* /*logger*/) const override {
    result->assign(right.data(), right.size());
    return true;
  }

 protected:
  const char* NickName() const override { return nickname_; }

 private:
  const char* const nickname_;
};

// Little-endian 64-bit numbers; what has another size counts as 0.
class UInt64AddOperator final : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "UInt64AddOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    result->clear();
    PutFixed64(result, (existing == nullptr ? 0 : Number(*existing)) + Number(value));
    return true;
  }

 protected:
  const char* NickName() const override { return "uint64add"; }

 private:
  static uint64_t Number(const Slice& text) {
    return text.size() == sizeof(uint64_t) ? DecodeFixed64(text.data()) : 0;
  }
};

// What is there, and the operands, with a delimiter between them.
class StringAppendOperator final : public MergeOperator {
 public:
  StringAppendOperator(std::string delimiter, bool is_test)
      : delimiter_(std::move(delimiter)), is_test_(is_test) {
    static const auto& kOptions = *new std::unordered_map<std::string, OptionTypeInfo>{
        {"delimiter", {0, OptionType::kString}}};
    RegisterOptions("Delimiter", &delimiter_, &kOptions);
  }
  const char* Name() const override {
    return is_test_ ? "StringAppendTESTOperator" : "StringAppendOperator";
  }
  const std::string& delimiter() const { return delimiter_; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    std::string* const text = &out->new_value;
    text->clear();
    bool first = true;
    if (in.existing_value != nullptr) Append(*in.existing_value, &first, text);
    for (const Slice& operand : in.operand_list) Append(operand, &first, text);
    return true;
  }
  bool PartialMergeMulti(const Slice& /*key*/, const std::deque<Slice>& operands,
                         std::string* result, Logger* /*logger*/) const override {
    if (is_test_) return false;  // its purpose: operands that stay apart
    result->clear();
    bool first = true;
    for (const Slice& operand : operands) Append(operand, &first, result);
    return true;
  }

 protected:
  const char* NickName() const override { return is_test_ ? "stringappendtest" : "stringappend"; }

 private:
  void Append(const Slice& part, bool* first, std::string* text) const {
    if (!std::exchange(*first, false)) text->append(delimiter_);
    text->append(part.data(), part.size());
  }

  std::string delimiter_;
  const bool is_test_;
};

// The bytewise greatest of the value and the operands.
class MaxOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "MaxOperator"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    Slice greatest = in.existing_value != nullptr ? *in.existing_value : Slice();
    for (const Slice& operand : in.operand_list) {
      if (greatest.compare(operand) < 0) greatest = operand;
    }
    out->new_value.assign(greatest.data(), greatest.size());
    return true;
  }
  bool PartialMerge(const Slice& /*key*/, const Slice& left, const Slice& right,
                    std::string* result, Logger* /*logger*/) const override {
    const Slice& greatest = left.compare(right) < 0 ? right : left;
    result->assign(greatest.data(), greatest.size());
    return true;
  }

 protected:
  const char* NickName() const override { return "max"; }
};

// Byte by byte; the shorter one is padded with zeros.
class BytesXorOperator final : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "BytesXOR"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    result->assign(value.data(), value.size());
    if (existing == nullptr) return true;
    result->resize(std::max(existing->size(), value.size()), '\0');
    for (size_t i = 0; i < existing->size(); ++i) {
      (*result)[i] = static_cast<char>((*result)[i] ^ (*existing)[i]);
    }
    return true;
  }

 protected:
  const char* NickName() const override { return "bytesxor"; }
};

// Sorted lists of integers, "1,5,9", become one.
class SortListOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "MergeSortOperator"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    Numbers numbers;
    if (in.existing_value != nullptr && !Add(*in.existing_value, &numbers)) return false;
    return AddAll(in.operand_list, &numbers) && Print(numbers, &out->new_value);
  }
  bool PartialMergeMulti(const Slice& /*key*/, const std::deque<Slice>& operands,
                         std::string* result, Logger* /*logger*/) const override {
    Numbers numbers;
    return AddAll(operands, &numbers) && Print(numbers, result);
  }

 protected:
  const char* NickName() const override { return "sortlist"; }

 private:
  using Numbers = std::vector<int>;

  template <class List>
  static bool AddAll(const List& operands, Numbers* numbers) {
    return std::all_of(operands.begin(), operands.end(),
                       [numbers](const Slice& operand) { return Add(operand, numbers); });
  }
  static bool Add(const Slice& list, Numbers* numbers) {
    Numbers added;
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at < end) {
      int number;
      const auto [stopped, error] = std::from_chars(at, end, number);
      if (error != std::errc() || (stopped != end && *stopped != ',')) return false;
      added.push_back(number);
      at = stopped == end ? end : stopped + 1;
    }
    if (!std::is_sorted(added.begin(), added.end())) return false;
    Numbers merged(numbers->size() + added.size());
    std::merge(numbers->begin(), numbers->end(), added.begin(), added.end(), merged.begin());
    *numbers = std::move(merged);
    return true;
  }
  static bool Print(const Numbers& numbers, std::string* text) {
    text->clear();
    for (const int number : numbers) {
      if (!text->empty()) text->push_back(',');
      text->append(std::to_string(number));
    }
    return true;
  }
};

}  // namespace

std::shared_ptr<MergeOperator> BuiltinMergeOperator(const std::string& id,
                                                    const std::string& delimiter) {
  const std::shared_ptr<MergeOperator> all[] = {
      std::make_shared<PutOperator>("put"),
      std::make_shared<PutOperator>("put_v1"),
      std::make_shared<UInt64AddOperator>(),
      std::make_shared<StringAppendOperator>(delimiter, false),
      std::make_shared<StringAppendOperator>(delimiter, true),
      std::make_shared<MaxOperator>(),
      std::make_shared<BytesXorOperator>(),
      std::make_shared<SortListOperator>(),
  };
  for (const auto& candidate : all) {
    if (candidate->IsInstanceOf(id)) return candidate;
  }
  return nullptr;
}

}  // namespace cairn
