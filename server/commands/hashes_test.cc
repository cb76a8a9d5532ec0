// Hashes as clients see them, and against a model over random commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::LocalClient;
using testing::LocalServer;

class HashesTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(HashesTest, FieldsAreSetReadAndDeleted) {
  EXPECT_EQ("2", run_("HSET h a 1 b 2"));
  EXPECT_EQ("1", run_("HSET h a 3 c 4"));
  EXPECT_EQ("[\"a\", \"3\", \"b\", \"2\", \"c\", \"4\"]", run_("HGETALL h"));
  EXPECT_EQ("[\"3\", nil, \"4\", \"3\"]", run_("HMGET h a x c a"));
  EXPECT_EQ("3", run_("HLEN h"));
  EXPECT_EQ("1 0 1 0", run_.Pipeline({"HEXISTS h a", "HEXISTS h x", "HSTRLEN h a", "HSTRLEN h x"}));
  EXPECT_EQ("0 1", run_.Pipeline({"HSETNX h a 9", "HSETNX h d 5"}));
  EXPECT_EQ("2", run_("HDEL h a a d x"));
  EXPECT_EQ("[\"b\", \"c\"] [\"2\", \"4\"]", run_.Pipeline({"HKEYS h", "HVALS h"}));
  EXPECT_EQ("+OK", run_("HMSET h b 8"));
  EXPECT_EQ("\"8\"", run_("HGET h b"));
}

TEST_F(HashesTest, AFieldThatIsNamedTwiceCountsOnce) {
  EXPECT_EQ("1", run_("HSET h a 1 a 2"));
  EXPECT_EQ("1", run_("HLEN h"));
  EXPECT_EQ("\"2\"", run_("HGET h a"));
  EXPECT_EQ("1 0", run_.Pipeline({"HDEL h a a", "EXISTS h"}));
}

TEST_F(HashesTest, AnEmptiedHashIsGone) {
  run_("HSET h a 1 b 2");
  EXPECT_EQ("2", run_("HDEL h b a"));
  EXPECT_EQ("0 +none 0", run_.Pipeline({"EXISTS h", "TYPE h", "DBSIZE"}));
  EXPECT_EQ("1 [\"c\", \"3\"]", run_.Pipeline({"HSET h c 3", "HGETALL h"}));
}

TEST_F(HashesTest, AFieldMayBeEmptyAndBinary) {
  EXPECT_EQ("2", run_(R"(HSET h "" "" "\x00\xff" "\r\n")"));
  EXPECT_EQ("\"\"", run_("HGET h \"\""));
  EXPECT_EQ("\"\r\n\"", run_(R"(HGET h "\x00\xff")"));
  EXPECT_EQ("1", run_("HDEL h \"\""));
}

TEST_F(HashesTest, NumbersAreIncremented) {
  EXPECT_EQ("5 3", run_.Pipeline({"HINCRBY h n 5", "HINCRBY h n -2"}));
  EXPECT_EQ("\"3.1\"", run_("HINCRBYFLOAT h n 0.1"));
  EXPECT_EQ("ERR hash value is not an integer", run_("HINCRBY h n 1"));
  run_("HSET h max 9223372036854775807 text x third 0.1");
  EXPECT_EQ("ERR increment or decrement would overflow", run_("HINCRBY h max 1"));
  EXPECT_EQ("ERR hash value is not a float", run_("HINCRBYFLOAT h text 1"));
  EXPECT_EQ("ERR value is not a valid float", run_("HINCRBYFLOAT h n x"));
  EXPECT_EQ("ERR value is NaN or Infinity", run_("HINCRBYFLOAT h n inf"));
  EXPECT_EQ("\"0.3\"", run_("HINCRBYFLOAT h third 0.2"));
}

TEST_F(HashesTest, OtherTypesAreRefused) {
  run_("SET s x");
  for (const char* const line :
       {"HSET s a 1", "HGET s a", "HMGET s a", "HDEL s a", "HLEN s", "HGETALL s", "HSCAN s 0",
        "HINCRBY s a 1", "HRANDFIELD s", "HRANDFIELD s 2", "HSETNX s a 1"}) {
    EXPECT_EQ("WRONGTYPE Operation against a key holding the wrong kind of value", run_(line))
        << line;
  }
  run_("HSET h a 1");
  EXPECT_EQ("WRONGTYPE Operation against a key holding the wrong kind of value", run_("GET h"));
  EXPECT_EQ("ERR wrong number of arguments for 'hset' command", run_("HSET h a 1 b"));
  EXPECT_EQ("ERR wrong number of arguments for 'hmset' command", run_("HMSET h a 1 b"));
}

TEST_F(HashesTest, Version3HasMapsAndPairs) {
  LocalClient run(server_.get(), 3);
  run("HSET h a 1");
  EXPECT_EQ("%[\"a\", \"1\"] %[]", run.Pipeline({"HGETALL h", "HGETALL none"}));
  EXPECT_EQ("[[\"a\", \"1\"]]", run("HRANDFIELD h 3 WITHVALUES"));
  EXPECT_EQ("nil", run("HGET h x"));
}

TEST_F(HashesTest, AScanVisitsAllThatStays) {
  for (int i = 0; i < 1000; ++i) run_("HSET h f" + std::to_string(i) + " " + std::to_string(i));
  std::vector<std::string> seen;
  std::string cursor = "0";
  do {
    // [cursor, [field, value ...]]
    std::string reply = run_("HSCAN h " + cursor + " COUNT 64");
    const size_t end = reply.find('"', 2);
    cursor = reply.substr(2, end - 2);
    for (size_t at = end; (at = reply.find("\"f", at)) != std::string::npos; ++at) {
      seen.push_back(reply.substr(at + 1, reply.find('"', at + 1) - at - 1));
    }
    run_("HDEL h f" + std::to_string(seen.size()));
    run_("HSET h g" + std::to_string(seen.size()) + " 1");
  } while (cursor != "0");
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen.end(), std::adjacent_find(seen.begin(), seen.end()));
  EXPECT_GT(seen.size(), 950);
  EXPECT_EQ("[\"0\", [\"f77\", \"77\"]]", run_("HSCAN h 0 MATCH f77 COUNT 100"));
  EXPECT_EQ("ERR invalid cursor", run_("HSCAN h x"));
  EXPECT_EQ("ERR syntax error", run_("HSCAN h 0 COUNT 0"));
  EXPECT_EQ("[\"0\", []]", run_("HSCAN none 0"));
}

TEST_F(HashesTest, RandomFieldsAreDistinctUnlessTheCountIsNegative) {
  EXPECT_EQ("nil []", run_.Pipeline({"HRANDFIELD h", "HRANDFIELD h 5"}));
  for (const int size : {10, 3000}) {
    run_("DEL h");
    for (int i = 0; i < size; ++i) run_("HSET h f" + std::to_string(i) + " " + std::to_string(i));
    for (const int count : {1, 3, 9, 10, 11, 500}) {
      std::string reply = run_("HRANDFIELD h " + std::to_string(count) + " WITHVALUES");
      std::vector<std::string> seen;
      for (size_t at = 0; (at = reply.find("\"f", at)) != std::string::npos; ++at) {
        const std::string field = reply.substr(at + 1, reply.find('"', at + 1) - at - 1);
        seen.push_back(field);
        EXPECT_NE(std::string::npos, reply.find("\"" + field + "\", \"" + field.substr(1) + "\""));
      }
      EXPECT_EQ(std::min(count, size), static_cast<int>(seen.size()));
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen.end(), std::adjacent_find(seen.begin(), seen.end()));
      const std::string repeated = run_("HRANDFIELD h -" + std::to_string(count));
      EXPECT_EQ(count, std::count(repeated.begin(), repeated.end(), 'f'));
    }
  }
  EXPECT_EQ("ERR syntax error", run_("HRANDFIELD h 1 WITHSCORES"));
  EXPECT_EQ("ERR value is out of range", run_("HRANDFIELD h -1000000000000"));
}

TEST_F(HashesTest, EveryFieldOfALargeHashComesUp) {
  constexpr int kFields = 2000, kDraws = 20000;
  for (int i = 0; i < kFields; ++i) {
    run_.Run({"HSET", "h", "user:" + std::to_string(1000 + i), "1"});
  }
  std::map<std::string, int> seen;
  for (int i = 0; i < kDraws; ++i) ++seen[run_("HRANDFIELD h")];
  // Of 20,000 uniform draws from 2,000 each comes 10 times; one that never comes is one in 20,000.
  EXPECT_GT(seen.size(), kFields - 40);
  const auto most = std::max_element(
      seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_LT(most->second, 60) << most->first;
}

TEST_F(HashesTest, KeysOfHashesAreRenamedCopiedMovedAndExpire) {
  run_("HSET h a 1 b 2");
  EXPECT_EQ("+OK [\"a\", \"1\", \"b\", \"2\"] 0",
            run_.Pipeline({"RENAME h g", "HGETALL g", "EXISTS h"}));
  EXPECT_EQ("1", run_("COPY g c"));
  EXPECT_EQ("1 1", run_.Pipeline({"HSET g x 9", "HDEL c a"}));
  EXPECT_EQ("[\"a\", \"1\", \"b\", \"2\", \"x\", \"9\"] [\"b\", \"2\"]",
            run_.Pipeline({"HGETALL g", "HGETALL c"}));
  EXPECT_EQ("1 +OK 1", run_.Pipeline({"MOVE c 3", "SELECT 3", "HLEN c"}));
  run_("SELECT 0");
  EXPECT_EQ("1 1 10000",
            run_.Pipeline({"PEXPIREAT g 99999999999999", "HSET g y 1", "HINCRBY g z 10000"}));
  EXPECT_EQ("99999999999999", run_("PEXPIRETIME g"));
  EXPECT_EQ("1 0 1 1", run_.Pipeline({"PEXPIREAT g 1", "EXISTS g", "HSET g n 1", "HLEN g"}));
}

TEST_F(HashesTest, ATransactionSeesItsOwnWrites) {
  run_("HSET h a 1");
  EXPECT_EQ(
      "+OK +QUEUED +QUEUED +QUEUED +QUEUED +QUEUED [1, [\"a\", \"1\", \"b\", \"2\"], 1, 2, [\"2\", "
      "\"2\"]]",
      run_.Pipeline(
          {"MULTI", "HSET h b 2", "HGETALL h", "HDEL h a", "HINCRBY h c 2", "HVALS h", "EXEC"}));
}

TEST_F(HashesTest, AChangeOfAFieldIsSeenByWhoWatchesTheKey) {
  LocalClient other(server_.get());
  run_("HSET h a 1");
  run_.Pipeline({"WATCH h", "MULTI", "HGET h a"});
  other("HSET h a 2");
  EXPECT_EQ("nil", run_("EXEC"));
  run_.Pipeline({"WATCH h", "MULTI", "HGET h a"});
  EXPECT_EQ("[\"2\"]", run_("EXEC"));
}

TEST_F(HashesTest, ALargeValueIsReadWhole) {
  const std::string large(100000, 'v');
  run_.Run({"HSET", "h", "a", large, "b", "small"});
  EXPECT_EQ("[\"" + large + "\", \"small\"]", run_("HMGET h a b"));
  EXPECT_EQ("[\"a\", \"" + large + "\", \"b\", \"small\"]", run_("HGETALL h"));
  std::vector<std::string> request{"HDEL", "h"};
  for (int i = 0; i < 2000; ++i) request.push_back("f" + std::to_string(i));
  request.push_back("a");
  EXPECT_EQ("1", run_.Run(request));
}

// Commands by chance, in pipelines, on a few keys, and the same on maps.
TEST_F(HashesTest, RandomCommandsAgreeWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  std::map<std::string, std::map<std::string, std::string>> model;
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  auto run = std::make_unique<LocalClient>(server_.get());
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::string>> requests;
    std::string expected;
    const size_t length = 1 + random() % 20;
    for (size_t i = 0; i < length; ++i) {
      const std::string key = "k" + std::to_string(random() % 4);
      const std::string to = "k" + std::to_string(random() % 4);
      const std::string field = "f" + std::to_string(random() % 30);
      const std::string second = "f" + std::to_string(random() % 30);
      const std::string value = std::to_string(random());
      std::map<std::string, std::string>& hash = model[key];
      std::string reply;
      switch (random() % 9) {
        case 0: {
          requests.push_back({"HSET", key, field, value, second, "2"});
          const size_t before = hash.size();
          hash[field] = value;
          hash[second] = "2";
          reply = std::to_string(hash.size() - before);
          break;
        }
        case 1: {
          requests.push_back({"HDEL", key, field, second});
          const size_t before = hash.size();
          hash.erase(field);
          hash.erase(second);
          reply = std::to_string(before - hash.size());
          break;
        }
        case 2:
          requests.push_back({"HGET", key, field});
          reply = hash.contains(field) ? quoted(hash[field]) : "nil";
          break;
        case 3:
          requests.push_back({"HMGET", key, field, second});
          reply = "[" + (hash.contains(field) ? quoted(hash[field]) : "nil") + ", " +
                  (hash.contains(second) ? quoted(hash[second]) : "nil") + "]";
          break;
        case 4:
          requests.push_back({"HGETALL", key});
          reply = "[";
          for (const auto& [name, one] : hash) {
            reply += (reply == "[" ? "" : ", ") + quoted(name) + ", " + quoted(one);
          }
          reply += "]";
          break;
        case 5:
          requests.push_back({"HLEN", key});
          reply = std::to_string(hash.size());
          break;
        case 6:
          requests.push_back({"HSETNX", key, field, value});
          reply = hash.emplace(field, value).second ? "1" : "0";
          break;
        case 7:
          requests.push_back({"DEL", key});
          reply = hash.empty() ? "0" : "1";
          hash.clear();
          break;
        default:
          requests.push_back({"COPY", key, to, "REPLACE"});
          if (key == to) {
            reply = "ERR source and destination objects are the same";
          } else {
            reply = hash.empty() ? "0" : "1";
            if (!hash.empty()) model[to] = hash;
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
}

}  // namespace
}  // namespace cairn::server
