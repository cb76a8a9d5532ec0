// LCS as clients see it; redis_check.py asks a redis-server.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::LocalClient;
using testing::LocalServer;

class LcsTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(LcsTest, TheLongestCommonSubsequenceIsFound) {
  run_.Pipeline({"SET a ohmytext", "SET b mynewtext", "SET empty \"\"", "SADD set x"});
  EXPECT_EQ("\"mytext\" 6 \"\" 0",
            run_.Pipeline({"LCS a b", "LCS a b LEN", "LCS a none", "LCS a empty LEN"}));
  EXPECT_EQ("[\"matches\", [[[4, 7], [5, 8]], [[2, 3], [0, 1]]], \"len\", 6]", run_("LCS a b IDX"));
  EXPECT_EQ("[\"matches\", [[[4, 7], [5, 8], 4]], \"len\", 6]",
            run_("LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN"));
  LocalClient run3(server_.get(), 3);
  EXPECT_EQ("%[\"matches\", [], \"len\", 6]", run3("LCS a b IDX MINMATCHLEN 5"));
  EXPECT_EQ("ERR If you want both the length and indexes, please just use IDX.",
            run_("LCS a b IDX LEN"));
  EXPECT_EQ("ERR The specified keys must contain string values", run_("LCS a set"));
}

TEST_F(LcsTest, ATableThatIsTooLargeIsRefused) {
  run_.Run({"SET", "large", std::string(20000, 'x')});
  EXPECT_EQ("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
            run_("LCS large large"));
  run_("SET small xyz");
  EXPECT_EQ("\"x\"", run_("LCS large small"));
}

bool IsSubsequence(const std::string& part, const std::string& whole) {
  size_t at = 0;
  for (const char c : whole) at += at < part.size() && part[at] == c ? 1 : 0;
  return at == part.size();
}

TEST_F(LcsTest, RandomStringsAgreeWithASimpleTable) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  for (int round = 0; round < 100; ++round) {
    std::string a, b;
    for (uint64_t i = random.Below(60); i > 0; --i) a.push_back("abc"[random.Below(3)]);
    for (uint64_t i = random.Below(60); i > 0; --i) b.push_back("abc"[random.Below(3)]);
    std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 1; i <= a.size(); ++i) {
      for (size_t j = 1; j <= b.size(); ++j) {
        table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                           : std::max(table[i - 1][j], table[i][j - 1]);
      }
    }
    run_.RunAll({{"SET", "a", a}, {"SET", "b", b}});
    EXPECT_EQ(std::to_string(table[a.size()][b.size()]), run_("LCS a b LEN"));
    std::string common = run_("LCS a b");
    common = common.substr(1, common.size() - 2);
    EXPECT_EQ(table[a.size()][b.size()], common.size()) << a << " " << b;
    EXPECT_TRUE(IsSubsequence(common, a) && IsSubsequence(common, b)) << common;
  }
}

}  // namespace
}  // namespace cairn::server
