#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/builtin_merge_operator.h"
#include "base/merge_operands.h"

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
  ASSERT_TRUE(operands.Merge("k", nullptr, nullptr, nullptr, &result).ok());
  EXPECT_EQ(result, "k:1:2:3");
  const Slice base("b");
  ASSERT_TRUE(operands.Merge("k", &base, nullptr, nullptr, &result).ok());
  EXPECT_EQ(result, "k:b:1:2:3");
  ASSERT_TRUE(operands.MergePartially("k", nullptr, &result));
  EXPECT_EQ(result, "((12)3)");
  operands.Truncate(1);
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result)) << "a single one";
  ASSERT_TRUE(operands.Merge("k", nullptr, nullptr, nullptr, &result).ok());
  EXPECT_EQ(result, "k:3");
  operands.Clear();
  operands.PushNewer("1", false);
  operands.PushNewer("2", false);
  ASSERT_TRUE(operands.Merge("k", nullptr, nullptr, nullptr, &result).ok());
  EXPECT_EQ(result, "k:1:2");
  operands.PushNewer("never", false);
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result));
}

TEST(MergeOperandsTest, WithoutAnOperatorTheyCannotBeApplied) {
  MergeOperands operands(nullptr);
  EXPECT_TRUE(operands.PushOlder("1", true));
  std::string result;
  EXPECT_TRUE(operands.Merge("k", nullptr, nullptr, nullptr, &result).IsInvalidArgument());
  EXPECT_FALSE(operands.MergePartially("k", nullptr, &result));
}

TEST(MergeOperatorTest, NamesAndTexts) {
  for (const char* name : {"put", "put_v1", "uint64add", "stringappend", "stringappendtest", "max",
                           "sortlist", "bytesxor"}) {
    const auto found = BuiltinMergeOperator(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_NE(BuiltinMergeOperator(found->Name()), nullptr) << name;
  }
  EXPECT_EQ(BuiltinMergeOperator(""), nullptr);
  EXPECT_EQ(BuiltinMergeOperator("Joiner"), nullptr);
  EXPECT_EQ(FormatMergeOperatorText(*BuiltinMergeOperator("max")), "MaxOperator");
  EXPECT_EQ(FormatMergeOperatorText(*BuiltinMergeOperator("stringappend", "|")),
            "{id=StringAppendOperator;delimiter=|;}");
}

TEST(MergeOperatorTest, AMalformedListOrNumberIsNoCrash) {
  const auto merge = [](const char* name, const Slice* base, const char* operand) {
    const auto op = BuiltinMergeOperator(name);
    MergeOperands operands(op.get());
    operands.PushOlder(operand, true);
    std::string result;
    const Status s = operands.Merge("k", base, nullptr, nullptr, &result);
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
