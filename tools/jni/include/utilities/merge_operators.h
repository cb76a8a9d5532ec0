// What RocksJava's sources take from RocksDB's private header of this name: the merge operators
// that come with the library, by name. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"

namespace ROCKSDB_NAMESPACE {

// Cairn's "stringappend" with any delimiter: one with a space or a semicolon cannot be said in an
// options text, through which the public API makes operators.
class StringAppendOperator final : public MergeOperator {
 public:
  explicit StringAppendOperator(std::string delimiter) : delimiter_(std::move(delimiter)) {}

  const char* Name() const override { return "StringAppendOperator"; }
  // For the OPTIONS file.
  std::string GetId() const override {
    return "{id=" + std::string(Name()) + ";delimiter=" + delimiter_ + ";}";
  }

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
    result->clear();
    bool first = true;
    for (const Slice& operand : operands) Append(operand, &first, result);
    return true;
  }

 private:
  void Append(const Slice& part, bool* first, std::string* text) const {
    if (!std::exchange(*first, false)) text->append(delimiter_);
    text->append(part.data(), part.size());
  }

  const std::string delimiter_;
};

class MergeOperators {
 public:
  // Null for a name that is none.
  static std::shared_ptr<MergeOperator> CreateFromStringId(const std::string& name) {
    std::shared_ptr<MergeOperator> result;
    const Status s = MergeOperator::CreateFromString(ConfigOptions(), name, &result);
    return s.ok() ? result : nullptr;
  }

  static std::shared_ptr<MergeOperator> CreateUInt64AddOperator() {
    return CreateFromStringId("uint64add");
  }
  static std::shared_ptr<MergeOperator> CreateStringAppendOperator(char delimiter) {
    return CreateStringAppendOperator(std::string(1, delimiter));
  }
  static std::shared_ptr<MergeOperator> CreateStringAppendOperator(const std::string& delimiter) {
    return std::make_shared<StringAppendOperator>(delimiter);
  }
};

}  // namespace ROCKSDB_NAMESPACE
