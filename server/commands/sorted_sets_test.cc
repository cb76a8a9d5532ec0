// Sorted sets as clients see them, and against a model over random commands. redis_check.py asks
// the same of a redis-server.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::kWrongTypeReply;
using testing::LocalClient;
using testing::LocalServer;
using testing::TestClient;
using testing::TestServer;
using testing::WaitFor;

class SortedSetsTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(SortedSetsTest, MembersAreOrderedByScoreThenName) {
  EXPECT_EQ("4", run_("ZADD z 2 b 1 c 1 a -inf first"));
  EXPECT_EQ("[\"first\", \"a\", \"c\", \"b\"] 4", run_.Pipeline({"ZRANGE z 0 -1", "ZCARD z"}));
  EXPECT_EQ("[\"b\", \"2\", \"c\", \"1\"]", run_("ZREVRANGE z 0 1 WITHSCORES"));
  EXPECT_EQ("\"-inf\" nil [\"1\", nil, \"2\"]",
            run_.Pipeline({"ZSCORE z first", "ZSCORE z x", "ZMSCORE z a x b"}));
  EXPECT_EQ("1 2 nil nil",
            run_.Pipeline({"ZRANK z a", "ZREVRANK z a", "ZRANK z x", "ZRANK none a"}));
  EXPECT_EQ("[1, \"1\"] nil ERR syntax error",
            run_.Pipeline({"ZRANK z a WITHSCORE", "ZRANK z x WITHSCORE", "ZRANK z a WITHSCORES"}));
  EXPECT_EQ("2 [\"c\", \"b\"] 2 0",
            run_.Pipeline({"ZREM z first a a x", "ZRANGE z 0 -1", "ZREM z b c", "EXISTS z"}));
}

TEST_F(SortedSetsTest, OptionsSayWhatZAddMayChange) {
  run_("ZADD z 1 a 2 b");
  EXPECT_EQ("1 [\"1\", \"2\", \"9\"]", run_.Pipeline({"ZADD z NX 9 a 9 c", "ZMSCORE z a b c"}));
  EXPECT_EQ("0 2", run_.Pipeline({"ZADD z XX 5 a 5 d", "ZADD z XX CH 6 a 6 b"}));
  EXPECT_EQ("1 \"7\" 1 \"3\"", run_.Pipeline({"ZADD z GT CH 7 a 5 b", "ZSCORE z a",
                                              "ZADD z LT CH 3 a 8 b", "ZSCORE z a"}));
  EXPECT_EQ("\"5\" \"4.5\" nil nil \"1\"",
            run_.Pipeline({"ZADD z INCR 2 a", "ZINCRBY z -0.5 a", "ZADD z NX INCR 1 a",
                           "ZADD z GT INCR -1 a", "ZINCRBY z 1 new"}));
  EXPECT_EQ("4 [\"6\", \"8\"]", run_.Pipeline({"ZADD z CH 1 a 5 b 6 a 8 b", "ZMSCORE z a b"}));
  EXPECT_EQ("[\"new\", \"a\", \"b\", \"c\"]", run_("ZRANGE z 0 -1"));
}

TEST_F(SortedSetsTest, WhatIsNoScoreChangesNothing) {
  EXPECT_EQ("ERR value is not a valid float", run_("ZADD z 1 a nan b"));
  EXPECT_EQ("ERR value is not a valid float", run_("ZADD z 1 a x b"));
  EXPECT_EQ("ERR syntax error", run_("ZADD z 1 a 2"));
  EXPECT_EQ("ERR INCR option supports a single increment-element pair",
            run_("ZADD z INCR 1 a 2 b"));
  EXPECT_EQ("0", run_("EXISTS z"));
  run_("ZADD z inf a");
  EXPECT_EQ("ERR resulting score is not a number (NaN)", run_("ZINCRBY z -inf a"));
  EXPECT_EQ("[\"a\", \"inf\"]", run_("ZRANGE z 0 -1 WITHSCORES"));
}

TEST_F(SortedSetsTest, RangesAreByRankScoreOrName) {
  run_("ZADD z 1 a 2 b 2 c 3 d 4 e");
  EXPECT_EQ("[\"b\", \"c\"] [\"d\", \"c\", \"b\"]",
            run_.Pipeline({"ZRANGE z (1 2 BYSCORE", "ZRANGE z 3 (1 BYSCORE REV"}));
  EXPECT_EQ("[\"c\", \"d\"] [\"d\"]",
            run_.Pipeline({"ZRANGEBYSCORE z 2 +inf LIMIT 1 2", "ZREVRANGEBYSCORE z 3 3"}));
  EXPECT_EQ("[\"e\"]", run_("ZRANGEBYSCORE z 4 +inf LIMIT 0 -9223372036854775808"));
  EXPECT_EQ("[\"d\", \"e\"] [] [\"e\"] []",
            run_.Pipeline({"ZRANGE z -2 -1", "ZRANGE z 3 2", "ZRANGE z 0 0 REV", "ZRANGE z 9 12"}));
  EXPECT_EQ("3 2 0", run_.Pipeline({"ZCOUNT z 2 3", "ZCOUNT z (2 inf", "ZCOUNT z 3 2"}));
  EXPECT_EQ("ERR min or max is not a float", run_("ZCOUNT z 1 x"));
  run_("ZADD n 0 a 0 aa 0 b 0 c 0 \"\"");
  EXPECT_EQ("[\"\", \"a\", \"aa\"] [\"aa\", \"b\"] [\"c\", \"b\"]",
            run_.Pipeline({"ZRANGEBYLEX n - (b", "ZRANGE n (a [b BYLEX",
                           "ZREVRANGEBYLEX n + [aa LIMIT 0 2"}));
  EXPECT_EQ("5 3 0", run_.Pipeline({"ZLEXCOUNT n - +", "ZLEXCOUNT n [aa [c", "ZLEXCOUNT n + -"}));
  EXPECT_EQ("ERR min or max not valid string range item", run_("ZRANGEBYLEX n a b"));
}

TEST_F(SortedSetsTest, RangesAreStoredAndRemoved) {
  run_.Pipeline({"ZADD z 1 a 2 b 3 c 4 d 5 e", "SET d text", "EXPIRE d 1000"});
  EXPECT_EQ("2 +zset -1 [\"c\", \"3\", \"d\", \"4\"]",
            run_.Pipeline({"ZRANGESTORE d z (2 5 BYSCORE LIMIT 0 2", "TYPE d", "TTL d",
                           "ZRANGE d 0 -1 WITHSCORES"}));
  EXPECT_EQ("2 [\"d\", \"e\"]", run_.Pipeline({"ZRANGESTORE z2 z 0 1 REV", "ZRANGE z2 0 -1"}));
  EXPECT_EQ("0 0", run_.Pipeline({"ZRANGESTORE z2 z 7 8", "EXISTS z2"}));
  EXPECT_EQ("1 1 1 0 [\"a\", \"d\"]",
            run_.Pipeline({"ZREMRANGEBYSCORE z 3 3", "ZREMRANGEBYRANK z -1 -1",
                           "ZREMRANGEBYLEX z [b [b", "ZREMRANGEBYSCORE z 3 (4", "ZRANGE z 0 -1"}));
  EXPECT_EQ("2 0", run_.Pipeline({"ZREMRANGEBYRANK z 0 -1", "EXISTS z"}));
}

TEST_F(SortedSetsTest, TheFirstAndTheLastAreTaken) {
  run_("ZADD z 1 a 2 b 3 c 4 d 5 e");
  EXPECT_EQ("[\"a\", \"1\"] [\"e\", \"5\", \"d\", \"4\"] [] []",
            run_.Pipeline({"ZPOPMIN z", "ZPOPMAX z 2", "ZPOPMIN z 0", "ZPOPMAX none"}));
  EXPECT_EQ("[\"z\", [[\"b\", \"2\"], [\"c\", \"3\"]]] 0 nil",
            run_.Pipeline({"ZMPOP 2 none z MIN COUNT 7", "EXISTS z", "ZMPOP 2 none z MAX"}));
  EXPECT_EQ("ERR value is out of range, must be positive", run_("ZPOPMIN z -1"));
  EXPECT_EQ("ERR count should be greater than 0", run_("ZMPOP 1 z MIN COUNT 0"));
  LocalClient run3(server_.get(), 3);
  run3("ZADD z 1 a 2.5 b");
  EXPECT_EQ("[[\"a\", 1]] [\"b\", 2.5]", run3.Pipeline({"ZPOPMIN z 1", "ZPOPMIN z"}));
}

TEST_F(SortedSetsTest, SetsAreCombinedWithWeights) {
  run_.Pipeline({"ZADD a 1 x 2 y 3 z", "ZADD b 10 y 20 z 30 w", "SADD s x w"});
  EXPECT_EQ("[\"x\", \"1\", \"y\", \"12\", \"z\", \"23\", \"w\", \"30\"]",
            run_("ZUNION 2 a b WITHSCORES"));
  EXPECT_EQ("[\"y\", \"2\", \"z\", \"3\"] [\"y\", \"24\", \"z\", \"46\"]",
            run_.Pipeline(
                {"ZINTER 2 a b AGGREGATE MIN WITHSCORES", "ZINTER 2 a b WEIGHTS 2 2 WITHSCORES"}));
  EXPECT_EQ("[\"x\"] [\"x\", \"2\"] 1",
            run_.Pipeline({"ZDIFF 2 a b", "ZINTER 2 a s WITHSCORES", "ZINTERCARD 2 a b LIMIT 1"}));
  EXPECT_EQ("4 [\"z\", \"w\"] 2 +zset [\"w\", \"1\", \"x\", \"1\"]",
            run_.Pipeline({"ZUNIONSTORE a 3 a b s WEIGHTS 1 1 0", "ZRANGE a -2 -1",
                           "ZDIFFSTORE s 2 s none", "TYPE s", "ZRANGE s 0 -1 WITHSCORES"}));
  EXPECT_EQ("ERR at least 1 input key is needed for 'zunion' command", run_("ZUNION 0 a"));
  EXPECT_EQ("ERR weight value is not a float", run_("ZUNION 1 a WEIGHTS x"));
}

TEST_F(SortedSetsTest, RandomMembersAndScansComeWithTheirScores) {
  run_.Pipeline({"ZADD z 1.5 a", "ZADD many 1 a 2 b 3 c 4 d 5 e 6 f 7 g 8 h 9 i 10 j 11 k 12 l"});
  EXPECT_EQ("\"a\" [\"a\", \"1.5\"] [\"a\", \"a\"]",
            run_.Pipeline({"ZRANDMEMBER z", "ZRANDMEMBER z 5 WITHSCORES", "ZRANDMEMBER z -2"}));
  LocalClient run3(server_.get(), 3);
  EXPECT_EQ("[[\"a\", 1.5]]", run3("ZRANDMEMBER z 1 WITHSCORES"));
  EXPECT_EQ("[\"0\", [\"a\", \"1.5\"]]", run_("ZSCAN z 0"));
  EXPECT_EQ("[\"0\", [\"k\", \"11\"]]", run_("ZSCAN many 0 MATCH k* COUNT 100"));
}

TEST_F(SortedSetsTest, KeysAreCopiedRenamedAndExpire) {
  run_("ZADD z 1 a 2 b");
  EXPECT_EQ("1 1 [\"a\", \"b\"] [\"b\", \"a\"]",
            run_.Pipeline({"COPY z y", "ZADD y CH 3 a", "ZRANGE z 0 -1", "ZRANGE y 0 -1"}));
  EXPECT_EQ("+OK [\"a\", \"b\"] 0", run_.Pipeline({"RENAME z w", "ZRANGE w 0 -1", "EXISTS z"}));
  EXPECT_EQ("1 0 1 [\"x\"]",
            run_.Pipeline({"PEXPIREAT w 1", "EXISTS w", "ZADD w 1 x", "ZRANGE w 0 -1"}));
  EXPECT_EQ("+OK +QUEUED +QUEUED [1, [\"x\", \"y\"]]",
            run_.Pipeline({"MULTI", "ZADD w 2 y", "ZRANGE w 0 -1", "EXEC"}));
}

TEST_F(SortedSetsTest, OtherTypesAreRefused) {
  run_.Pipeline({"SET s x", "SADD set a", "ZADD z 1 a"});
  for (const char* const line :
       {"ZADD s 1 a", "ZINCRBY set 1 a", "ZREM s a", "ZSCORE s a", "ZMSCORE s a", "ZCARD set",
        "ZRANK s a", "ZRANGE s 0 -1", "ZRANGESTORE d s 0 -1", "ZCOUNT s 0 1", "ZLEXCOUNT s - +",
        "ZREMRANGEBYRANK s 0 1", "ZPOPMIN s", "ZMPOP 2 none s MIN", "ZRANDMEMBER s", "ZSCAN s 0",
        "ZUNION 2 z s", "ZDIFFSTORE d 1 s", "SINTER z"}) {
    EXPECT_EQ(kWrongTypeReply, run_(line)) << line;
  }
}

// A sorted set of the standard library.
class Model {
 public:
  bool Set(const std::string& member, int score) {
    return scores_.insert_or_assign(member, score).second;
  }
  int Get(const std::string& member) const {
    const auto it = scores_.find(member);
    return it == scores_.end() ? 0 : it->second;
  }
  bool Remove(const std::string& member) { return scores_.erase(member) != 0; }
  size_t size() const { return scores_.size(); }
  std::vector<std::pair<int, std::string>> Ordered() const {
    std::vector<std::pair<int, std::string>> all;
    for (const auto& [member, score] : scores_) all.emplace_back(score, member);
    std::sort(all.begin(), all.end());
    return all;
  }
  // Of ranks first ... last, as they are from there on.
  std::string List(size_t first, size_t last, bool backward) const {
    auto all = Ordered();
    if (backward) std::reverse(all.begin(), all.end());
    std::string text;
    for (size_t i = first; i <= last && i < all.size(); ++i) {
      text += text.empty() ? "" : ", ";
      text += "\"" + all[i].second + "\", \"" + std::to_string(all[i].first) + "\"";
    }
    return "[" + text + "]";
  }

 private:
  std::map<std::string, int> scores_;
};

// Larger sets than redis_check.py has, so that ranges leave the memory for tables; across restarts.
TEST_F(SortedSetsTest, RandomCommandsAgreeWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  std::map<std::string, Model> models;
  auto run = std::make_unique<LocalClient>(server_.get());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::string>> requests;
    std::string expected;
    const size_t length = 1 + random.Below(30);
    for (size_t i = 0; i < length; ++i) {
      const std::string key = "k" + std::to_string(random.Below(2));
      Model& model = models[key];
      const std::string member = "m" + std::to_string(random.Below(400));
      const std::string other = "m" + std::to_string(random.Below(400));
      const int score = static_cast<int>(random.Below(100)) - 50;
      const std::string by = std::to_string(score);
      const size_t first = random.Below(200), last = first + random.Below(10);
      std::string reply;
      switch (random.Below(9)) {
        case 0:
        case 1:
        case 2: {
          requests.push_back({"ZADD", key, by, member, std::to_string(score + 1), other});
          const int added =
              (model.Set(member, score) ? 1 : 0) + (model.Set(other, score + 1) ? 1 : 0);
          reply = std::to_string(added);
          break;
        }
        case 3:
          requests.push_back({"ZINCRBY", key, by, member});
          model.Set(member, model.Get(member) + score);
          reply = "\"" + std::to_string(model.Get(member)) + "\"";
          break;
        case 4:
          requests.push_back({"ZREM", key, member});
          reply = model.Remove(member) ? "1" : "0";
          break;
        case 5:
        case 6: {
          const bool backward = random.OneIn(2);
          requests.push_back({backward ? "ZREVRANGE" : "ZRANGE", key, std::to_string(first),
                              std::to_string(last), "WITHSCORES"});
          reply = model.List(first, last, backward);
          break;
        }
        case 7: {
          requests.push_back({"ZCOUNT", key, by, std::to_string(score + 10)});
          const auto all = model.Ordered();
          reply = std::to_string(std::count_if(all.begin(), all.end(), [&](const auto& one) {
            return one.first >= score && one.first <= score + 10;
          }));
          break;
        }
        default: {
          const std::string least = model.List(0, 0, false);
          requests.push_back({"ZPOPMIN", key});
          if (model.size() != 0) model.Remove(model.Ordered()[0].second);
          reply = least;
        }
      }
      expected += (expected.empty() ? "" : " ") + reply;
    }
    ASSERT_EQ(expected, run->RunAll(requests)) << "round " << round;
    if (round % 50 == 49) {
      run.reset();
      server_.Reopen();
      run = std::make_unique<LocalClient>(server_.get());
    }
  }
  for (const auto& [key, model] : models) {
    EXPECT_EQ(std::to_string(model.size()), (*run)("ZCARD " + key));
    EXPECT_EQ(model.List(0, 400, false), (*run)("ZRANGE " + key + " 0 -1 WITHSCORES"));
    EXPECT_EQ(std::to_string(model.size()), (*run)("ZLEXCOUNT " + key + " - +"));
  }
}

TEST(WaitingForMembersTest, ThoseWhoCameFirstAreServedFirst) {
  TestServer server;
  TestClient client(server), first(server), second(server), third(server);
  const auto wait_for_blocked = [&client](size_t count) {
    const std::string wanted = "blocked_clients:" + std::to_string(count) + "\r\n";
    EXPECT_TRUE(
        WaitFor([&] { return client.Do("INFO clients").find(wanted) != std::string::npos; }));
  };
  first.Send("BZPOPMIN none z 0");
  wait_for_blocked(1);
  second.Send("BZMPOP 0 2 none z MAX COUNT 2");
  wait_for_blocked(2);
  EXPECT_EQ(third.Do("HELLO 3").substr(0, 1), "{");
  third.Send("BZPOPMAX z 0");
  wait_for_blocked(3);
  // One who waits for members is not served by elements.
  EXPECT_EQ(client.Do("RPUSH z x"), ":1");
  EXPECT_EQ(client.Do("DEL z"), ":1");
  EXPECT_EQ(client.Do("ZADD z 1 a 2 b 3 c 4 d"), ":4");
  EXPECT_EQ(client.Do("EXISTS z"), ":0");
  EXPECT_EQ(first.Receive(), R"(["z" "a" "1"])");
  EXPECT_EQ(second.Receive(), R"(["z" [["d" "4"] ["c" "3"]]])");
  EXPECT_EQ(third.Receive(), R"(["z" "b" ,2])");

  EXPECT_EQ(client.Do("BZPOPMIN z 0.01"), "nil[]");
  EXPECT_EQ(client.Do("BZMPOP 0.01 1 z MIN"), "nil[]");
  EXPECT_EQ(client.Do("SET z text"), "+OK");
  EXPECT_EQ(client.Do("BZPOPMAX z 0"), "-" + std::string(kWrongTypeReply));
  EXPECT_EQ(client.Do("MULTI"), "+OK");
  EXPECT_EQ(client.Do("BZPOPMAX none 0"), "+QUEUED");
  EXPECT_EQ(client.Do("EXEC"), "[nil[]]");
}

}  // namespace
}  // namespace cairn::server
