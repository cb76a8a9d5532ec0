// SORT as clients see it; redis_check.py asks a redis-server.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::LocalClient;
using testing::LocalServer;

class SortTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(SortTest, ElementsAreSortedByTheirNumbersOrTexts) {
  run_.Pipeline({"SADD s 10 9 -1.5 100", "ZADD z 1 b 2 a 3 c"});
  EXPECT_EQ("[\"-1.5\", \"9\", \"10\", \"100\"] [\"100\", \"10\"]",
            run_.Pipeline({"SORT s", "SORT_RO s DESC LIMIT 0 2"}));
  EXPECT_EQ("[\"-1.5\", \"10\", \"100\", \"9\"] [\"b\", \"c\"]",
            run_.Pipeline({"SORT s ALPHA", "SORT z ALPHA LIMIT 1 5"}));
  EXPECT_EQ("[\"b\", \"a\", \"c\"] [\"c\", \"a\"]",
            run_.Pipeline({"SORT z BY nosort", "SORT z BY nosort DESC LIMIT 0 2"}));
  EXPECT_EQ("[]", run_("SORT none"));
  EXPECT_EQ("ERR One or more scores can't be converted into double", run_("SORT z"));
}

TEST_F(SortTest, OtherKeysSayTheOrderAndTheReply) {
  run_.Pipeline({"SADD s 1 2 3", "MSET w_1 30 w_2 20 w_3 10 n_1 one n_3 three", "HSET h_1 f b",
                 "HSET h_2 f a", "HSET h_3 f c"});
  EXPECT_EQ("[\"3\", \"2\", \"1\"] [\"2\", \"1\", \"3\"]",
            run_.Pipeline({"SORT s BY w_*", "SORT s BY h_*->f ALPHA"}));
  EXPECT_EQ("[\"3\", \"three\", \"c\", \"2\", nil, \"a\", \"1\", \"one\", \"b\"]",
            run_("SORT s BY w_* GET # GET n_* GET h_*->f"));
  EXPECT_EQ("[nil, nil, nil] [nil, nil, nil]",
            run_.Pipeline({"SORT s GET s*", "SORT s GET h_*->none"}));
}

TEST_F(SortTest, AResultIsStoredAsAList) {
  run_.Pipeline({"SADD s 3 1 2", "SET w_1 x", "SET d text", "EXPIRE d 1000"});
  EXPECT_EQ("3 +list -1 [\"3\", \"2\", \"1\"] [\"1\", \"2\"]",
            run_.Pipeline({"SORT s DESC STORE d", "TYPE d", "TTL d", "SORT d BY nosort",
                           "SORT d BY nosort DESC LIMIT 0 2"}));
  EXPECT_EQ("3 [\"x\", \"\", \"\"]", run_.Pipeline({"SORT d GET w_* STORE d", "SORT d BY nosort"}));
  EXPECT_EQ("0 0", run_.Pipeline({"SORT none STORE d", "EXISTS d"}));
  EXPECT_EQ("+OK +QUEUED +QUEUED [3, [\"1\", \"2\", \"3\"]]",
            run_.Pipeline({"MULTI", "SORT s STORE d", "SORT_RO d BY nosort", "EXEC"}));
  EXPECT_EQ("[\"s\", \"d\"]", run_("COMMAND GETKEYS SORT s BY store LIMIT 0 1 GET by STORE d"));
}

TEST_F(SortTest, WhatCannotBeSortedIsRefused) {
  run_.Pipeline({"SET s x", "HSET h f v", "SADD set 1"});
  for (const char* const line : {"SORT s", "SORT h", "SORT_RO h", "SORT s STORE d"}) {
    EXPECT_EQ("WRONGTYPE Operation against a key holding the wrong kind of value", run_(line));
  }
  for (const char* const line :
       {"SORT set LIMIT 1", "SORT set BY", "SORT_RO set STORE d", "SORT set GET", "SORT set UP"}) {
    EXPECT_EQ("ERR syntax error", run_(line)) << line;
  }
}

TEST_F(SortTest, LargeSetsAreSortedByLargeNumbersOfKeys) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  std::vector<std::pair<int, std::string>> model;
  std::vector<std::vector<std::string>> requests;
  for (int i = 0; i < 3000; ++i) {
    const std::string member = "m" + std::to_string(i);
    model.emplace_back(static_cast<int>(random.Below(500)), member);
    requests.push_back({"SADD", "s", member});
    requests.push_back({"SET", "w_" + member, std::to_string(model.back().first)});
  }
  run_.RunAll(requests);
  std::sort(model.begin(), model.end());
  const auto expect = [&](size_t first, size_t count, const std::string& line) {
    std::string text;
    for (size_t i = first; i < first + count; ++i) {
      text += (text.empty() ? "\"" : ", \"") + model[i].second + "\"";
    }
    EXPECT_EQ("[" + text + "]", run_(line)) << line;
  };
  expect(0, model.size(), "SORT s BY w_*");
  expect(100, 50, "SORT s BY w_* LIMIT 100 50");
  std::reverse(model.begin(), model.end());
  expect(2000, 10, "SORT_RO s BY w_* DESC LIMIT 2000 10");
}

}  // namespace
}  // namespace cairn::server
