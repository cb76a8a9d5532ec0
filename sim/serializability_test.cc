// What the checker of transactions accepts and what it finds, each by a history of a few.
#include "sim/serializability.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cairn::sim {
namespace {

using Outcome = TransactionRecord::Outcome;

// Transactions that all overlap in time, unless told otherwise.
class SerializabilityTest : public ::testing::Test {
 protected:
  void SetUp() override { records_.reserve(16); }  // what Add() returns stays where it is
  TransactionRecord& Add(uint32_t id, std::vector<std::string> appends_to,
                         Outcome outcome = Outcome::kCommitted) {
    TransactionRecord record;
    record.id = id;
    for (uint32_t i = 0; i < appends_to.size(); ++i) {
      record.appends.push_back({appends_to[i], {id, i}});
    }
    record.outcome = outcome;
    record.begin = 1;
    record.end = 1000;
    records_.push_back(record);
    return records_.back();
  }
  static void Reads(TransactionRecord* record, const std::string& key, const std::string& list) {
    record->reads.push_back({key, *ListOf(list)});
  }
  std::string Check(const std::map<std::string, std::string>& lists, bool clean = true,
                    uint64_t durable = 0) {
    Restart restart;
    for (const auto& [key, list] : lists) restart.lists[key] = *ListOf(list);
    restart.clean = clean;
    restart.durable = durable;
    return CheckTransactions(before_, records_, restart);
  }
  void ExpectFound(const std::string& what, const std::string& said) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }

  Lists before_;
  std::vector<TransactionRecord> records_;
};

TEST_F(SerializabilityTest, ListsAreText) {
  const TokenList list = {{1, 0}, {12, 3}};
  EXPECT_EQ(TextOf(list), "1.0,12.3");
  EXPECT_EQ(ListOf("1.0,12.3"), list);
  EXPECT_EQ(ListOf(""), TokenList());
  for (const char* const text : {"1", "1.", "1.0,", ".1", "1.0;2.0", "x"}) {
    EXPECT_FALSE(ListOf(text) && TextOf(*ListOf(text)) == text) << text;
  }
}

TEST_F(SerializabilityTest, OneAfterTheOtherIsWell) {
  Add(1, {"a", "b"});
  Reads(&Add(2, {"b"}), "a", "1.0");
  Reads(&Add(3, {}), "b", "1.1,2.0");
  EXPECT_EQ(Check({{"a", "1.0"}, {"b", "1.1,2.0"}}), "");
}

TEST_F(SerializabilityTest, ALostUpdateIsACircle) {
  // Both append after what was there at first.
  before_["a"] = {{9, 0}};
  Reads(&Add(1, {"a"}), "a", "9.0");
  Reads(&Add(2, {"a"}), "a", "9.0");
  ExpectFound("no order explains", Check({{"a", "9.0,1.0,2.0"}}));
}

TEST_F(SerializabilityTest, WriteSkewIsACircle) {
  Reads(&Add(1, {"a"}), "b", "");
  Reads(&Add(2, {"b"}), "a", "");
  ExpectFound("no order explains", Check({{"a", "1.0"}, {"b", "2.0"}}));
}

TEST_F(SerializabilityTest, TwoReadersWhoDisagreeAreFound) {
  Add(1, {"a"});
  Add(2, {"b"});
  TransactionRecord& third = Add(3, {});
  Reads(&third, "a", "1.0");
  Reads(&third, "b", "");
  TransactionRecord& fourth = Add(4, {});
  Reads(&fourth, "a", "");
  Reads(&fourth, "b", "2.0");
  ExpectFound("no order explains", Check({{"a", "1.0"}, {"b", "2.0"}}));
}

TEST_F(SerializabilityTest, WhoBeginsLaterComesLater) {
  Add(1, {"a"}).end = 10;
  TransactionRecord& late = Add(2, {});
  late.begin = 20;
  Reads(&late, "a", "");
  ExpectFound("no order explains", Check({{"a", "1.0"}}));
}

TEST_F(SerializabilityTest, WhatWasNotCommittedIsNotSeen) {
  Add(1, {"a"}, Outcome::kAborted);
  EXPECT_EQ(Check({}), "");
  ExpectFound("which was not committed", Check({{"a", "1.0"}}));
  Reads(&Add(2, {}), "a", "1.0");
  ExpectFound("which was not committed", Check({}));
}

TEST_F(SerializabilityTest, APartIsFound) {
  Add(1, {"a", "a", "b"});
  ExpectFound("in part", Check({{"a", "1.0,1.1"}}));
  ExpectFound("in part", Check({{"a", "1.0"}, {"b", "1.2"}}));
  EXPECT_EQ(Check({{"a", "1.0,1.1"}, {"b", "1.2"}}), "");
  Reads(&Add(2, {}), "a", "1.0");
  ExpectFound("in part", Check({{"a", "1.0,1.1"}, {"b", "1.2"}}));
}

TEST_F(SerializabilityTest, WhatIsDurableStays) {
  Add(1, {"a"}).end = 10;
  ExpectFound("before the close", Check({}));
  EXPECT_EQ(Check({}, /*clean=*/false, /*durable=*/5), "");
  ExpectFound("durable", Check({}, /*clean=*/false, /*durable=*/20));
  records_[0].synced = true;
  ExpectFound("durable", Check({}, /*clean=*/false));
}

TEST_F(SerializabilityTest, WhatSurvivesHasItsPast) {
  Add(1, {"a"}).end = 10;
  TransactionRecord& second = Add(2, {"b"});
  second.begin = 20;
  ExpectFound("began after its end", Check({{"b", "2.0"}}, /*clean=*/false));
  second.begin = 1;
  EXPECT_EQ(Check({{"b", "2.0"}}, /*clean=*/false), "");
  // The first one read what the second then wrote: it came first.
  Reads(&records_[0], "b", "");
  ExpectFound("is there, but not transaction 1", Check({{"b", "2.0"}}, /*clean=*/false));
}

TEST_F(SerializabilityTest, WhatNobodyKnowsOfMayBeThere) {
  Add(1, {"a", "b"}, Outcome::kUnknown);
  EXPECT_EQ(Check({}), "");
  EXPECT_EQ(Check({{"a", "1.0"}, {"b", "1.1"}}), "");
  ExpectFound("is there in part", Check({{"a", "1.0"}}));
}

TEST_F(SerializabilityTest, ListsOfTwoBeginningsAreFound) {
  Add(1, {"a"});
  Add(2, {"a"});
  Reads(&Add(3, {}), "a", "2.0");
  ExpectFound("which no other saw", Check({{"a", "1.0,2.0"}}));
  before_["b"] = {{8, 0}};
  ExpectFound("after the restart b = 7.0", Check({{"a", "2.0,1.0"}, {"b", "7.0"}}));
}

}  // namespace
}  // namespace cairn::sim
