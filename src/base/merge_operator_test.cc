#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/builtin_merge_operator.h"
#include "base/merge_operands.h"
#include "base/wide_column_serialization.h"

namespace cairn {
namespace {

// Joins; operands of one byte only make a value if there are three of them.
class Joiner : public MergeOperator {
 public:
  const char* Name() const override { return "Joiner"; }
  bool FullMerge(const Slice& key, const Slice* existing, const std::deque<std::string>& operands,
                 std::string* result, Logger* /*logger*/) const override {
    *result = key.ToString() + (existing != nullptr ? ":" + existing->ToString() : "");
    for (const std::string& operand : operands) *result += ":" + operand;
    return true;
  }
  bool PartialMerge(const Slice& /*key*/, const Slice& left, const Slice& right,
                    std::string* result, Logger* /*logger*/) const override {
    if (right == Slice("never")) return false;
    *result = "(" + left.ToString() + right.ToString() + ")";
    return true;
  }
  bool ShouldMerge(const std::vector<Slice>& operands) const override {
    return operands.size() == 3;
  }
};

TEST(MergeOperandsTest, TheyAreAppliedOldestFirst) {
  const Joiner joiner;
  MergeOperands operands(&joiner);
  EXPECT_TRUE(operands.empty());
  EXPECT_TRUE(operands.PushOlder("3", true));
  EXPECT_TRUE(operands.PushOlder("2", false));
  EXPECT_FALSE(operands.PushOlder("1", false)) << "three are enough";
  std::string result;
  ValueType type;
  ASSERT_TRUE(operands.Merge("k", {}, nullptr, nullptr, &result, &type).ok());
  EXPECT_EQ(result, "k:1:2:3");
  const Slice base("b");
  ASSERT_TRUE(operands.Merge("k", {base, kTypeValue}, nullptr, nullptr, &result, &type).ok());
  EXPECT_EQ(result, "k:b:1:2:3");
  ASSERT_TRUE(operands.MergePartially("k", nullptr, &result));
  EXPECT_EQ(result, "((12)3)");
  operands.Truncate(1);
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result)) << "a single one";
  ASSERT_TRUE(operands.Merge("k", {}, nullptr, nullptr, &result, &type).ok());
  EXPECT_EQ(result, "k:3");
  operands.Clear();
  operands.PushNewer("1", false);
  operands.PushNewer("2", false);
  ASSERT_TRUE(operands.Merge("k", {}, nullptr, nullptr, &result, &type).ok());
  EXPECT_EQ(result, "k:1:2");
  operands.PushNewer("never", false);
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result));
}

TEST(MergeOperandsTest, WithoutAnOperatorTheyCannotBeApplied) {
  MergeOperands operands(nullptr);
  EXPECT_TRUE(operands.PushOlder("1", true));
  std::string result;
  ValueType type;
  EXPECT_TRUE(operands.Merge("k", {}, nullptr, nullptr, &result, &type).IsInvalidArgument());
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result));
}

// "name=value,..." of an entity, or the plain value.
std::string Shown(ValueType type, const std::string& result) {
  if (type != kTypeWideColumnEntity) return result;
  WideColumns columns;
  const Status s = DecodeWideColumns(result, &columns);
  std::string text = s.ok() ? "" : s.ToString();
  for (const WideColumn& column : columns) {
    text += column.name().ToString() + "=" + column.value().ToString() + ",";
  }
  return text;
}

TEST(MergeOperandsTest, OfAnEntityTheDefaultColumnChanges) {
  const Joiner joiner;
  MergeOperands operands(&joiner);
  operands.PushOlder("2", true);
  operands.PushOlder("1", true);
  std::string result;
  ValueType type;
  const auto merged = [&](const WideColumns& columns) {
    std::string entity;
    EXPECT_TRUE(EncodeWideColumns(columns, &entity).ok());
    const Status s =
        operands.Merge("k", {entity, kTypeWideColumnEntity}, nullptr, nullptr, &result, &type);
    return s.ok() ? Shown(type, result) : s.ToString();
  };
  EXPECT_EQ(merged({{"", "b"}, {"c", "d"}}), "=k:b:1:2,c=d,");
  EXPECT_EQ(merged({{"c", "d"}, {"a", ""}}), "=k::1:2,a=,c=d,") << "an empty value below";
  EXPECT_EQ(merged({}), "=k::1:2,");
  Status s = operands.Merge("k", {"x", kTypeWideColumnEntity}, nullptr, nullptr, &result, &type);
  EXPECT_TRUE(s.IsCorruption() || s.IsNotSupported()) << s.ToString();
}

// Sees whole entities: an operand "name=value" sets a column, "plain" makes a plain value of all,
// "first" takes the first operand, "twice" names a column twice.
class ColumnSetter : public MergeOperator {
 public:
  const char* Name() const override { return "ColumnSetter"; }
  bool FullMergeV3(const MergeOperationInputV3& in, MergeOperationOutputV3* out) const override {
    std::vector<std::pair<std::string, std::string>> columns;
    if (const auto* const value = std::get_if<Slice>(&in.existing_value)) {
      columns.emplace_back("was", value->ToString());
    } else if (const auto* const existing = std::get_if<WideColumns>(&in.existing_value)) {
      for (const WideColumn& column : *existing) {
        columns.emplace_back(column.name().ToString(), column.value().ToString());
      }
    }
    for (const Slice& operand : in.operand_list) {
      const std::string text = operand.ToString();
      if (text == "bad") {
        out->op_failure_scope = OpFailureScope::kMustMerge;
        return false;
      }
      if (text == "plain") {
        out->new_value = std::string("plain of ") + std::to_string(columns.size());
        return true;
      }
      if (text == "first") {
        out->new_value = in.operand_list.front();
        return true;
      }
      const size_t at = text.find('=');
      columns.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    out->new_value = std::move(columns);
    return true;
  }
};

TEST(MergeOperandsTest, AnOperatorMayMakeEntities) {
  const ColumnSetter setter;
  std::string result;
  const auto merged = [&](const MergeBase& base, const std::vector<std::string>& newest_last,
                          bool* must_keep = nullptr) {
    MergeOperands operands(&setter);
    for (const std::string& operand : newest_last) operands.PushNewer(operand, true);
    ValueType type;
    const Status s = operands.Merge("k", base, nullptr, nullptr, &result, &type, must_keep);
    return s.ok() ? Shown(type, result) : s.ToString();
  };
  std::string entity;
  ASSERT_TRUE(EncodeWideColumns({{"m", "1"}}, &entity).ok());
  EXPECT_EQ(merged({}, {"z=2", "a=1"}), "a=1,z=2,");
  EXPECT_EQ(merged({"v", kTypeValue}, {"a=1"}), "a=1,was=v,");
  EXPECT_EQ(merged({entity, kTypeWideColumnEntity}, {"a=1"}), "a=1,m=1,");
  EXPECT_EQ(merged({entity, kTypeWideColumnEntity}, {"plain"}), "plain of 1");
  EXPECT_EQ(merged({"", kTypeSingleDeletion}, {"first"}), "first");
  EXPECT_EQ(merged({entity, kTypeWideColumnEntity}, {"m=2"}),
            "Corruption: Wide columns out of order");
  bool must_keep = false;
  EXPECT_EQ(merged({}, {"bad"}, &must_keep), "Corruption: Merge operator failed");
  EXPECT_TRUE(must_keep);
}

TEST(MergeOperatorTest, Names) {
  for (const char* name : {"put", "put_v1", "uint64add", "stringappend", "stringappendtest", "max",
                           "sortlist", "bytesxor"}) {
    const auto found = BuiltinMergeOperator(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_NE(BuiltinMergeOperator(found->Name()), nullptr) << name;
  }
  EXPECT_EQ(BuiltinMergeOperator(""), nullptr);
  EXPECT_EQ(BuiltinMergeOperator("Joiner"), nullptr);
}

TEST(MergeOperatorTest, AMalformedListOrNumberIsNoCrash) {
  const auto merge = [](const char* name, const Slice* base, const char* operand) {
    const auto op = BuiltinMergeOperator(name);
    MergeOperands operands(op.get());
    operands.PushOlder(operand, true);
    std::string result;
    MergeBase stands_on;
    if (base != nullptr) stands_on = {*base, kTypeValue};
    ValueType type;
    const Status s = operands.Merge("k", stands_on, nullptr, nullptr, &result, &type);
    EXPECT_TRUE(s.ok() || s.subcode() == Status::SubCode::kMergeOperatorFailed) << s.ToString();
    return s.ok() ? result : s.ToString();
  };
  const Slice words("one,two");
  const Slice numbers("1,2");
  EXPECT_EQ(merge("sortlist", &words, "1"), "Corruption: Merge operator failed");
  EXPECT_EQ(merge("sortlist", &numbers, "2,1"), "Corruption: Merge operator failed");
  EXPECT_EQ(merge("sortlist", &numbers, "99999999999"), "Corruption: Merge operator failed");
  EXPECT_EQ(merge("sortlist", nullptr, "3"), "3");
  EXPECT_EQ(merge("uint64add", &words, "123456789"), std::string(8, '\0'));
}

}  // namespace
}  // namespace cairn
