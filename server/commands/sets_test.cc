// Sets as clients see them, and against a model over random commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::kWrongTypeReply;
using testing::LocalClient;
using testing::LocalServer;

class SetsTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(SetsTest, MembersAreAddedAndRemoved) {
  EXPECT_EQ("3 1", run_.Pipeline({"SADD s a b a c", "SADD s a d"}));
  EXPECT_EQ("[\"a\", \"b\", \"c\", \"d\"] 4", run_.Pipeline({"SMEMBERS s", "SCARD s"}));
  EXPECT_EQ("1 0 [1, 0, 1]",
            run_.Pipeline({"SISMEMBER s a", "SISMEMBER s x", "SMISMEMBER s a x d"}));
  EXPECT_EQ("2 [\"b\", \"c\"]", run_.Pipeline({"SREM s a a x d", "SMEMBERS s"}));
  EXPECT_EQ("2 0 [] [0] 0",
            run_.Pipeline({"SREM s b c", "EXISTS s", "SMEMBERS s", "SMISMEMBER s a", "SCARD s"}));
}

TEST_F(SetsTest, AMemberMovesUnlessItIsNotThere) {
  run_.Pipeline({"SADD a x y", "SADD b y z", "SET s 1"});
  EXPECT_EQ("1 1 0", run_.Pipeline({"SMOVE a b x", "SMOVE a b y", "EXISTS a"}));
  EXPECT_EQ("[\"x\", \"y\", \"z\"]", run_("SMEMBERS b"));
  EXPECT_EQ("0 1 0 0",
            run_.Pipeline({"SMOVE b c q", "SMOVE b b x", "SMOVE b b q", "SMOVE none s x"}));
  EXPECT_EQ(kWrongTypeReply, run_("SMOVE b s x"));
  EXPECT_EQ("1 [\"x\"]", run_.Pipeline({"SMOVE b c x", "SMEMBERS c"}));
}

TEST_F(SetsTest, PoppedMembersAreGone) {
  run_("SADD s a b c d e");
  std::set<std::string> popped;
  for (int i = 0; i < 2; ++i) popped.insert(run_("SPOP s"));
  EXPECT_EQ("3", run_("SCARD s"));
  EXPECT_EQ("[]", run_("SPOP s 0"));
  LocalClient run3(server_.get(), 3);
  const std::string rest = run3("SPOP s 10");
  EXPECT_EQ("~[", rest.substr(0, 2));
  for (const char member : std::string("abcde")) {
    const std::string name = "\"" + std::string(1, member) + "\"";
    EXPECT_NE(popped.contains(name), rest.find(name) != std::string::npos) << name;
  }
  EXPECT_EQ("0 nil []", run_.Pipeline({"EXISTS s", "SPOP s", "SPOP s 3"}));
  EXPECT_EQ("ERR value is out of range, must be positive", run_("SPOP s -1"));
}

TEST_F(SetsTest, RandomMembersOfASmallSetAreEquallyLikely) {
  for (int i = 0; i < 20; ++i) run_("SADD s m" + std::to_string(i));
  std::map<std::string, int> seen;
  for (int i = 0; i < 4000; ++i) ++seen[run_("SRANDMEMBER s")];
  std::string all = run_("SRANDMEMBER s -4000");
  for (size_t at = 0; (at = all.find("\"m", at)) != std::string::npos; ++at) {
    ++seen[all.substr(at, all.find('"', at + 1) + 1 - at)];
  }
  ASSERT_EQ(20, seen.size());
  // 400 each, with a deviation of about 20.
  for (const auto& [member, times] : seen) {
    EXPECT_GT(times, 250) << member;
    EXPECT_LT(times, 550) << member;
  }
  EXPECT_EQ("nil [] []", run_.Pipeline({"SRANDMEMBER no", "SRANDMEMBER no 3", "SRANDMEMBER s 0"}));
}

TEST_F(SetsTest, SetsAreIntersectedUnitedAndSubtracted) {
  run_.Pipeline({"SADD a 1 2 3 4", "SADD b 2 4 6", "SADD c 4 5"});
  EXPECT_EQ("[\"2\", \"4\"] [\"4\"] []",
            run_.Pipeline({"SINTER a b", "SINTER a b c", "SINTER a none"}));
  EXPECT_EQ("[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\"]", run_("SUNION a b c none"));
  EXPECT_EQ("[\"1\", \"3\"] [\"1\", \"2\", \"3\", \"4\"] []",
            run_.Pipeline({"SDIFF a b c", "SDIFF a", "SDIFF none a"}));
  EXPECT_EQ("2 1 0",
            run_.Pipeline({"SINTERCARD 2 a b", "SINTERCARD 2 a b LIMIT 1", "SINTERCARD 2 a none"}));
  run_("SET s x");
  EXPECT_EQ(kWrongTypeReply, run_("SINTER none s"));
  EXPECT_EQ(kWrongTypeReply, run_("SUNIONSTORE d a s"));
  EXPECT_EQ("ERR numkeys should be greater than 0", run_("SINTERCARD 0 a"));
  EXPECT_EQ("ERR Number of keys can't be greater than number of args", run_("SINTERCARD 3 a b"));
}

TEST_F(SetsTest, AResultReplacesWhateverTheKeyHeld) {
  run_.Pipeline({"SADD a 1 2", "SADD b 2 3", "SET d text", "EXPIRE a 1000"});
  EXPECT_EQ("3 +set -1", run_.Pipeline({"SUNIONSTORE d a b", "TYPE d", "TTL d"}));
  EXPECT_EQ("1 [\"2\"] -1", run_.Pipeline({"SINTERSTORE a a b", "SMEMBERS a", "TTL a"}));
  EXPECT_EQ("0 0", run_.Pipeline({"SDIFFSTORE d a a", "EXISTS d"}));
  EXPECT_EQ("0", run_("SINTERSTORE none none a"));
}

TEST_F(SetsTest, SkippingFarAheadFindsWhatIsThere) {
  std::vector<std::string> many{"SADD", "many"};
  for (int i = 0; i < 5000; ++i) many.push_back(std::to_string(100000 + i));
  EXPECT_EQ("5000", run_.Run(many));
  run_("SADD few 0 100007 104321 104999 2");
  EXPECT_EQ("[\"100007\", \"104321\", \"104999\"]", run_("SINTER many few"));
  EXPECT_EQ("[\"0\", \"2\"] 4997", run_.Pipeline({"SDIFF few many", "SDIFFSTORE d many few"}));
  EXPECT_EQ("5002", run_("SUNIONSTORE d few many"));
}

TEST_F(SetsTest, KeysOfSetsAreRenamedCopiedAndExpire) {
  run_("SADD s a b");
  EXPECT_EQ("+OK 1 1 [\"a\", \"b\"] [\"a\", \"b\", \"c\"]",
            run_.Pipeline({"RENAME s t", "COPY t u", "SADD u c", "SMEMBERS t", "SMEMBERS u"}));
  EXPECT_EQ("1 0 1 [\"x\"]",
            run_.Pipeline({"PEXPIREAT t 1", "EXISTS t", "SADD t x", "SMEMBERS t"}));
  EXPECT_EQ("+OK +QUEUED +QUEUED +QUEUED [1, [\"x\", \"y\"], 2]",
            run_.Pipeline({"MULTI", "SADD t y", "SMEMBERS t", "SUNIONSTORE v t", "EXEC"}));
}

TEST_F(SetsTest, OtherTypesAreRefused) {
  run_("SET s x");
  for (const char* const line :
       {"SADD s a", "SREM s a", "SISMEMBER s a", "SMISMEMBER s a", "SMEMBERS s", "SCARD s",
        "SPOP s", "SPOP s 1", "SRANDMEMBER s", "SSCAN s 0", "SMOVE s d a", "SDIFF s"}) {
    EXPECT_EQ(kWrongTypeReply, run_(line)) << line;
  }
}

std::string List(const std::set<std::string>& members) {
  std::string text;
  for (const std::string& member : members) text += (text.empty() ? "\"" : ", \"") + member + "\"";
  return "[" + text + "]";
}

// Commands by chance, in pipelines, on a few keys, and the same on sets of the standard library.
TEST_F(SetsTest, RandomCommandsAgreeWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  std::map<std::string, std::set<std::string>> model;
  auto run = std::make_unique<LocalClient>(server_.get());
  const auto combine = [&](uint64_t operation, const std::set<std::string>& a,
                           const std::set<std::string>& b) {
    std::set<std::string> result;
    const auto out = std::inserter(result, result.end());
    if (operation == 0) std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
    if (operation == 1) std::set_union(a.begin(), a.end(), b.begin(), b.end(), out);
    if (operation == 2) std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out);
    return result;
  };
  const std::string operations[] = {"SINTER", "SUNION", "SDIFF"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::string>> requests;
    std::string expected;
    const size_t length = 1 + random.Below(20);
    for (size_t i = 0; i < length; ++i) {
      const std::string key = "k" + std::to_string(random.Below(4));
      const std::string other = "k" + std::to_string(random.Below(4));
      const std::string to = "k" + std::to_string(random.Below(4));
      const std::string one = std::to_string(random.Below(60));
      const std::string two = std::to_string(random.Below(60));
      const uint64_t operation = random.Below(3);
      std::set<std::string>& set = model[key];
      std::string reply;
      switch (random.Below(8)) {
        case 0:
        case 1:
          requests.push_back({"SADD", key, one, two});
          reply =
              std::to_string((set.insert(one).second ? 1 : 0) + (set.insert(two).second ? 1 : 0));
          break;
        case 2:
          requests.push_back({"SREM", key, one, two});
          reply = std::to_string(set.erase(one) + set.erase(two));
          break;
        case 3:
          requests.push_back({"SMEMBERS", key});
          reply = List(set);
          break;
        case 4: {
          requests.push_back({"SMOVE", key, to, one});
          const bool there = set.erase(one) != 0;
          if (there) model[to].insert(one);
          reply = there ? "1" : "0";
          break;
        }
        case 5:
          requests.push_back({operations[operation], key, other});
          reply = List(combine(operation, set, model[other]));
          break;
        case 6:
          requests.push_back({operations[operation] + "STORE", to, key, other});
          model[to] = combine(operation, std::set<std::string>(set), model[other]);
          reply = std::to_string(model[to].size());
          break;
        default:
          requests.push_back({"SCARD", key});
          reply = std::to_string(set.size());
      }
      expected += (expected.empty() ? "" : " ") + reply;
    }
    ASSERT_EQ(expected, run->RunAll(requests)) << "round " << round;
    if (round % 20 == 0) {
      std::set<std::string>& set = model["k0"];
      while (!set.empty() && random.Below(8) != 0) {
        const std::string popped = (*run)("SPOP k0");
        ASSERT_EQ(1, set.erase(popped.substr(1, popped.size() - 2))) << popped;
      }
    }
    if (round % 60 == 59) {
      run.reset();
      server_.Reopen();
      run = std::make_unique<LocalClient>(server_.get());
    }
  }
}

}  // namespace
}  // namespace cairn::server
