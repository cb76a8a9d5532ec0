// Aggregation as a merge operator (utilities/agg_merge.h).
#include "rocksdb/utilities/agg_merge.h"

#include "conformance.h"
#include "rocksdb/merge_operator.h"

namespace conformance {
namespace {

class SumOfNumbers : public Aggregator {
 public:
  bool Aggregate(const std::vector<Slice>& values, std::string& result) const override {
    long sum = 0;
    for (const Slice& value : values) {
      char* end = nullptr;
      const std::string text = value.ToString();
      sum += std::strtol(text.c_str(), &end, 10);
      if (text.empty() || *end != '\0') return false;
    }
    result = std::to_string(sum);
    return true;
  }
};

// Shows the order, and how often it was called.
class InOrder : public Aggregator {
 public:
  explicit InOrder(bool in_parts) : in_parts_(in_parts) {}
  bool Aggregate(const std::vector<Slice>& values, std::string& result) const override {
    result = "(";
    for (const Slice& value : values) result += value.ToString() + " ";
    result += ")";
    return true;
  }
  bool DoPartialAggregate() const override { return in_parts_; }

 private:
  const bool in_parts_;
};

class AggMergeTest : public DBTest {
 protected:
  AggMergeTest() {
    static const bool registered = [] {
      EXPECT_OK(AddAggregator("sum", std::unique_ptr<Aggregator>(new SumOfNumbers)));
      EXPECT_OK(AddAggregator("order", std::unique_ptr<Aggregator>(new InOrder(false))));
      EXPECT_OK(AddAggregator("parts", std::unique_ptr<Aggregator>(new InOrder(true))));
      return true;
    }();
    EXPECT_TRUE(registered);
    options_.merge_operator = GetAggMergeOperator();
    options_.disable_auto_compactions = true;
  }

  std::string Encoded(const std::string& function, const std::string& payload) {
    std::string encoded;
    EXPECT_OK(EncodeAggFuncAndPayload(function, payload, encoded));
    return encoded;
  }
  Status Add(const std::string& key, const std::string& function, const std::string& payload) {
    return db_->Merge(WriteOptions(), key, Encoded(function, payload));
  }
  // Makes values of all operands.
  void Settle() {
    ASSERT_OK(Flush());
    CompactRangeOptions all;
    all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_OK(db_->CompactRange(all, nullptr, nullptr));
  }
  // "function:value", or "error[a][b]" with the operands' own texts.
  std::string Shown(const std::string& value) {
    Slice function, payload;
    if (!ExtractAggFuncAndValue(value, function, payload)) return "?" + value;
    if (function != kErrorFuncName) return function.ToString() + ":" + payload.ToString();
    std::vector<Slice> list;
    EXPECT_TRUE(ExtractList(payload, list));
    std::string text = "error";
    for (const Slice& item : list) text += "[" + Shown(item.ToString()) + "]";
    return text;
  }
  std::string Read(const std::string& key) {
    const std::string value = Get(key);
    return value == "NOT_FOUND" ? value : Shown(value);
  }
};

TEST_F(AggMergeTest, Encoding) {
  EXPECT_EQ(std::string("\x03sumpayload", 11), Encoded("sum", "payload"));
  EXPECT_EQ(std::string("\0x", 2), Encoded(kUnnamedFuncName, "x"));
  EXPECT_EQ("", kUnnamedFuncName);
  EXPECT_EQ("kErrorFuncName", kErrorFuncName);
  std::string encoded = "as it was";
  EXPECT_CODE(InvalidArgument, EncodeAggFuncAndPayload("nobody", "1", encoded));
  EXPECT_CODE(InvalidArgument, EncodeAggFuncAndPayload(kErrorFuncName, "1", encoded));
  EXPECT_EQ("as it was", encoded);
  EXPECT_CODE(InvalidArgument,
              AddAggregator(kErrorFuncName, std::unique_ptr<Aggregator>(new SumOfNumbers)));
  Slice function, value;
  EXPECT_TRUE(ExtractAggFuncAndValue(Slice("\x01z", 2), function, value));
  EXPECT_EQ("z", function.ToString());
  EXPECT_EQ("", value.ToString());
  EXPECT_FALSE(ExtractAggFuncAndValue(Slice("\x05z", 2), function, value));
  EXPECT_FALSE(ExtractAggFuncAndValue(Slice(), function, value));
  std::vector<Slice> list;
  EXPECT_TRUE(ExtractList(Slice("\x01z\x00\x02yx", 6), list));
  ASSERT_EQ(3u, list.size());
  EXPECT_EQ("yx", list[2].ToString());
  EXPECT_TRUE(ExtractList(Slice(), list));
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(ExtractList(Slice("\x01z\x03yx", 5), list));
}

TEST_F(AggMergeTest, TheOperatorIsOne) {
  EXPECT_EQ(GetAggMergeOperator(), GetAggMergeOperator());
  EXPECT_STREQ("AggMergeOperator.v1", GetAggMergeOperator()->Name());
  // The first function of a name stays.
  ASSERT_OK(AddAggregator("sum", std::unique_ptr<Aggregator>(new InOrder(true))));
  Open();
  ASSERT_OK(Add("k", "sum", "1"));
  EXPECT_EQ("sum:1", Read("k"));
}

TEST_F(AggMergeTest, Aggregates) {
  for (const bool flushed : {false, true}) {
    Open();
    const auto between = [&] {
      if (flushed) {
        ASSERT_OK(Flush());
      }
    };
    const std::string suffix = flushed ? "2" : "1";
    ASSERT_OK(Put("base" + suffix, Encoded(kUnnamedFuncName, "100")));
    ASSERT_OK(Add("base" + suffix, "sum", "20"));
    between();
    ASSERT_OK(Add("base" + suffix, "sum", "3"));
    ASSERT_OK(Add("new" + suffix, "sum", "7"));
    between();
    ASSERT_OK(Add("new" + suffix, "sum", "-9"));
    for (const char* value : {"1", "2", "3"}) {
      ASSERT_OK(Add("order" + suffix, "order", value));
      between();
    }
    EXPECT_EQ("sum:123", Read("base" + suffix));
    EXPECT_EQ("sum:-2", Read("new" + suffix));
    EXPECT_EQ("order:(1 2 3 )", Read("order" + suffix));
    Settle();
    EXPECT_EQ("sum:123", Read("base" + suffix));
    EXPECT_EQ("sum:-2", Read("new" + suffix));
    EXPECT_EQ("order:(1 2 3 )", Read("order" + suffix));
  }
}

TEST_F(AggMergeTest, AnotherFunctionGoesOnWithTheResult) {
  Open();
  ASSERT_OK(Add("k", "sum", "1"));
  ASSERT_OK(Add("k", "sum", "2"));
  ASSERT_OK(Add("k", "order", "x"));
  EXPECT_EQ("order:(3 x )", Read("k"));
  ASSERT_OK(Add("k", "order", "y"));
  Settle();
  EXPECT_EQ("order:(3 x y )", Read("k"));
  // What a compaction made is the first value.
  ASSERT_OK(Add("k", "order", "z"));
  EXPECT_EQ("order:((3 x y ) z )", Read("k"));
}

TEST_F(AggMergeTest, WhatCannotBeAggregatedIsAList) {
  Open();
  ASSERT_OK(Add("text", "sum", "1"));
  ASSERT_OK(Add("text", "sum", "one"));
  EXPECT_EQ("error[sum:1][sum:one]", Read("text"));
  ASSERT_OK(Add("unnamed", kUnnamedFuncName, "1"));
  ASSERT_OK(Add("unnamed", kUnnamedFuncName, "2"));
  EXPECT_EQ("error[:1][:2]", Read("unnamed"));
  // A name that nobody registered.
  ASSERT_OK(db_->Merge(WriteOptions(), "stranger",
                       std::string("\x04mean"
                                   "1",
                                   6)));
  EXPECT_EQ("error[mean:1]", Read("stranger"));
  ASSERT_OK(Put("below", Encoded("sum", "x")));
  ASSERT_OK(Add("below", "sum", "1"));
  EXPECT_EQ("error[sum:x][sum:1]", Read("below"));
  // Other keys go on, and so does this one, from what the list is.
  Settle();
  EXPECT_EQ("error[sum:x][sum:1]", Read("below"));
  ASSERT_OK(Add("fine", "sum", "4"));
  EXPECT_EQ("sum:4", Read("fine"));
  ASSERT_OK(Add("text", "sum", "5"));
  EXPECT_EQ("error[error[sum:1][sum:one]][sum:5]", Read("text"));
}

TEST_F(AggMergeTest, PartsAreAggregatedWhereTheFunctionAllowsIt) {
  const std::shared_ptr<MergeOperator> merge = GetAggMergeOperator();
  const auto part = [&](const std::vector<std::string>& operands) {
    const std::deque<Slice> list(operands.begin(), operands.end());
    std::string value;
    return merge->PartialMergeMulti("k", list, &value, nullptr) ? Shown(value) : "none";
  };
  EXPECT_EQ("parts:(1 2 )", part({Encoded("parts", "1"), Encoded("parts", "2")}));
  EXPECT_EQ("sum:3", part({Encoded("sum", "1"), Encoded("sum", "2")}));
  EXPECT_EQ("sum:3", part({Encoded(kUnnamedFuncName, "1"), Encoded("sum", "2")}));
  EXPECT_EQ("none", part({Encoded("order", "1"), Encoded("order", "2")}));
  EXPECT_EQ("none", part({Encoded("sum", "1"), Encoded("parts", "2")}));
  EXPECT_EQ("none", part({Encoded("sum", "1"), Encoded(kUnnamedFuncName, "2")}));
  EXPECT_EQ("none", part({Encoded("sum", "1"), Encoded("sum", "x")}));
  EXPECT_EQ("none", part({Encoded(kUnnamedFuncName, "1"), Encoded(kUnnamedFuncName, "2")}));
}

}  // namespace
}  // namespace conformance
