// Lists through sockets: what every command replies, who gets the element that clients wait for,
// and a long walk of random commands beside a model, with the server started anew in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::kWrongTypeReply;
using testing::TestClient;
using testing::TestServer;
using testing::WaitFor;

class ListsTest : public ::testing::Test {
 protected:
  std::string Do(std::string_view line) { return client_.Do(line); }
  // Until so many clients wait for others.
  void WaitForBlocked(size_t count) {
    const std::string wanted = "blocked_clients:" + std::to_string(count) + "\r\n";
    EXPECT_TRUE(WaitFor([&] { return Do("INFO clients").find(wanted) != std::string::npos; }))
        << Do("INFO clients");
  }

  TestServer server_;
  TestClient client_{server_};
};

TEST_F(ListsTest, BothEndsPushAndPop) {
  EXPECT_EQ(Do("RPUSH k b c"), ":2");
  EXPECT_EQ(Do("LPUSH k a z"), ":4");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["z" "a" "b" "c"])");
  EXPECT_EQ(Do("LLEN k"), ":4");
  EXPECT_EQ(Do("LPOP k"), R"("z")");
  EXPECT_EQ(Do("RPOP k 2"), R"(["c" "b"])");
  EXPECT_EQ(Do("LPOP k 0"), "[]");
  EXPECT_EQ(Do("LPOP k 10"), R"(["a"])");
  EXPECT_EQ(Do("EXISTS k"), ":0");
  EXPECT_EQ(Do("LPOP k"), "nil");
  EXPECT_EQ(Do("LPOP k 3"), "nil[]");
  EXPECT_EQ(Do("LPOP k -1"), "-ERR value is out of range, must be positive");
  EXPECT_EQ(Do("LPUSHX k a"), ":0");
  EXPECT_EQ(Do("RPUSHX k a"), ":0");
  EXPECT_EQ(Do("TYPE k"), "+none");
}

TEST_F(ListsTest, AnotherTypeIsRefused) {
  Do("SET s x");
  for (const char* line :
       {"LPUSH s a", "LPOP s", "LLEN s", "LRANGE s 0 -1", "LINDEX s 0", "LSET s 0 a", "LREM s 0 a",
        "LTRIM s 0 1", "LINSERT s BEFORE a b", "LPOS s a", "LMOVE s t LEFT LEFT", "LMPOP 1 s LEFT",
        "BLPOP s 0", "BLMOVE s t LEFT LEFT 0", "BLMPOP 0 1 s LEFT"}) {
    EXPECT_EQ(Do(line), "-" + std::string(kWrongTypeReply)) << line;
  }
  Do("RPUSH l a");
  EXPECT_EQ(Do("LMOVE l s LEFT LEFT"), "-" + std::string(kWrongTypeReply));
  EXPECT_EQ(Do("LRANGE l 0 -1"), R"(["a"])");
}

TEST_F(ListsTest, ElementsInBetween) {
  Do("RPUSH k a b c d e f g h");
  EXPECT_EQ(Do("LINSERT k BEFORE b x"), ":9");
  EXPECT_EQ(Do("LINSERT k AFTER g y"), ":10");
  EXPECT_EQ(Do("LINSERT k AFTER nowhere y"), ":-1");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["a" "x" "b" "c" "d" "e" "f" "g" "y" "h"])");
  EXPECT_EQ(Do("LINDEX k -2"), R"("y")");
  EXPECT_EQ(Do("LINDEX k 10"), "nil");
  EXPECT_EQ(Do("LSET k 1 b"), "+OK");
  EXPECT_EQ(Do("LSET k 10 b"), "-ERR index out of range");
  EXPECT_EQ(Do("LSET none 0 b"), "-ERR no such key");
  EXPECT_EQ(Do("LPOS k b COUNT 0"), "[:1 :2]");
  EXPECT_EQ(Do("LPOS k b RANK -1"), ":2");
  EXPECT_EQ(Do("LPOS k b RANK 3"), "nil");
  EXPECT_EQ(Do("LPOS k h MAXLEN 9"), "nil");
  EXPECT_EQ(Do("LREM k 1 b"), ":1");
  EXPECT_EQ(Do("LTRIM k 1 -3"), "+OK");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["b" "c" "d" "e" "f" "g"])");
  EXPECT_EQ(Do("LTRIM k 4 4"), "+OK");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["f"])");
  EXPECT_EQ(Do("LTRIM k 1 0"), "+OK");
  EXPECT_EQ(Do("EXISTS k"), ":0");
}

TEST_F(ListsTest, ATrimmedListKeepsItsTimeAndACopyItsElements) {
  Do("RPUSH k a b c d e");
  Do("EXPIRE k 1000");
  EXPECT_EQ(Do("COPY k copy"), ":1");
  EXPECT_EQ(Do("LTRIM k 1 1"), "+OK");
  EXPECT_EQ(Do("TTL k"), ":1000");
  EXPECT_EQ(Do("LPUSH k z"), ":2");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["z" "b"])");
  EXPECT_EQ(Do("RENAME copy other"), "+OK");
  EXPECT_EQ(Do("LRANGE other 0 -1"), R"(["a" "b" "c" "d" "e"])");
}

TEST_F(ListsTest, ElementsMoveBetweenLists) {
  Do("RPUSH a 1 2 3");
  EXPECT_EQ(Do("RPOPLPUSH a a"), R"("3")");
  EXPECT_EQ(Do("LMOVE a b LEFT RIGHT"), R"("3")");
  EXPECT_EQ(Do("LMOVE a b RIGHT LEFT"), R"("2")");
  EXPECT_EQ(Do("LRANGE b 0 -1"), R"(["2" "3"])");
  EXPECT_EQ(Do("LMOVE a a LEFT RIGHT"), R"("1")");
  EXPECT_EQ(Do("LMOVE a b LEFT LEFT"), R"("1")");
  EXPECT_EQ(Do("EXISTS a"), ":0");
  EXPECT_EQ(Do("LMOVE a b LEFT LEFT"), "nil");
  EXPECT_EQ(Do("LMOVE a b LEFT UP"), "-ERR syntax error");
  EXPECT_EQ(Do("LMPOP 2 a b RIGHT COUNT 2"), R"(["b" ["3" "2"]])");
  EXPECT_EQ(Do("LMPOP 1 a RIGHT"), "nil[]");
  EXPECT_EQ(Do("LMPOP 0 a RIGHT"), "-ERR numkeys should be greater than 0");
}

TEST_F(ListsTest, TransactionsSeeTheirOwnElements) {
  Do("RPUSH k a b c");
  Do("MULTI");
  for (const char* line : {"LPUSH k z", "LREM k 1 b", "LRANGE k 0 -1", "LMOVE k k LEFT RIGHT",
                           "BLPOP none 0", "BLMOVE none k LEFT LEFT 0", "LRANGE k 0 -1"}) {
    EXPECT_EQ(Do(line), "+QUEUED");
  }
  EXPECT_EQ(Do("EXEC"), R"([:4 :1 ["z" "a" "c"] "z" nil[] nil ["a" "c" "z"]])");
}

TEST_F(ListsTest, WaitersAreServedInTheOrderInWhichTheyCame) {
  std::vector<std::unique_ptr<TestClient>> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.push_back(std::make_unique<TestClient>(server_));
    waiters.back()->Send("BLPOP k 0");
    WaitForBlocked(waiters.size());
  }
  EXPECT_EQ(Do("RPUSH k 0 1 2"), ":3");
  // They have looked before the push is acknowledged.
  EXPECT_EQ(Do("EXISTS k"), ":0");
  Do("MULTI");
  Do("RPUSH k 3");
  Do("RPUSH k 4 5 6");
  EXPECT_EQ(Do("EXEC"), "[:1 :4]");
  EXPECT_EQ(Do("EXISTS k"), ":0");
  EXPECT_EQ(Do("RPUSH k 7 8"), ":2");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["8"])");
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(waiters[static_cast<size_t>(i)]->Receive(), "[\"k\" \"" + std::to_string(i) + "\"]");
  }
}

TEST_F(ListsTest, AnElementPassesThroughAllWhoMoveIt) {
  TestClient first(server_), second(server_), third(server_);
  third.Send("BLPOP c 0");
  second.Send("BLMOVE b c LEFT LEFT 0");
  first.Send("BRPOPLPUSH a b 0");
  WaitForBlocked(3);
  EXPECT_EQ(Do("RPUSH a x"), ":1");
  EXPECT_EQ(Do("EXISTS a b c"), ":0");
  EXPECT_EQ(first.Receive(), R"("x")");
  EXPECT_EQ(second.Receive(), R"("x")");
  EXPECT_EQ(third.Receive(), R"(["c" "x"])");
}

TEST_F(ListsTest, AClientThatGoesAwayTakesNothing) {
  TestClient gone(server_), there(server_);
  gone.Send("BLPOP k 0");
  WaitForBlocked(1);
  there.Send("BLPOP k 0");
  WaitForBlocked(2);
  gone.Close();
  EXPECT_EQ(Do("RPUSH k x"), ":1");
  EXPECT_EQ(there.Receive(), R"(["k" "x"])");
  EXPECT_EQ(Do("RPUSH k y"), ":1");
  EXPECT_EQ(Do("LRANGE k 0 -1"), R"(["y"])");
}

TEST_F(ListsTest, AClientThatGoesAwayBehindARequestTakesNothing) {
  TestClient gone(server_), there(server_);
  gone.Send("BLPOP k 0");
  WaitForBlocked(1);
  there.Send("BLPOP k 0");
  WaitForBlocked(2);
  // What it sent behind the command that waits hides the end from whoever only peeks.
  gone.Send("PING");
  gone.Close();
  EXPECT_EQ(Do("RPUSH k x"), ":1");
  EXPECT_EQ(there.Receive(), R"(["k" "x"])");
}

TEST_F(ListsTest, WaitingEndsByTimeOrByAnotherClient) {
  TestClient waiter(server_);
  EXPECT_EQ(waiter.Do("BLPOP k 0.01"), "nil[]");
  EXPECT_EQ(waiter.Do("BLMPOP 0.01 1 k LEFT"), "nil[]");
  EXPECT_EQ(waiter.Do("BLMOVE k k LEFT LEFT 0.01"), "nil[]");
  EXPECT_EQ(waiter.Do("BLPOP k -1"), "-ERR timeout is negative");
  EXPECT_EQ(waiter.Do("BLPOP k soon"), "-ERR timeout is not a float or out of range");
  const std::string id = waiter.Do("CLIENT ID").substr(1);
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  EXPECT_EQ(Do("CLIENT UNBLOCK " + id), ":1");
  EXPECT_EQ(waiter.Receive(), "nil[]");
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  EXPECT_EQ(Do("CLIENT UNBLOCK " + id + " ERROR"), ":1");
  EXPECT_EQ(waiter.Receive(), "-UNBLOCKED client unblocked via CLIENT UNBLOCK");
  EXPECT_EQ(Do("CLIENT UNBLOCK " + id), ":0");
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  EXPECT_EQ(Do("CLIENT KILL ID " + id), ":1");
  EXPECT_EQ(waiter.Receive(), "closed");
}

TEST_F(ListsTest, AKeyOfAnotherTypeIsWaitedOut) {
  TestClient waiter(server_);
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  Do("MULTI");
  Do("LPUSH k a");
  Do("DEL k");
  Do("SET k text");
  Do("EXEC");
  EXPECT_TRUE(waiter.Quiet());
  Do("DEL k");
  Do("LPUSH k b");
  EXPECT_EQ(waiter.Receive(), R"(["k" "b"])");
}

TEST_F(ListsTest, AWaiterThatMayNoLongerTakeLeavesTheElement) {
  TestClient waiter(server_), next(server_);
  EXPECT_EQ(Do("ACL SETUSER taker on nopass ~* +@all"), "+OK");
  EXPECT_EQ(waiter.Do("AUTH taker x"), "+OK");
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  next.Send("BLPOP k 0");
  WaitForBlocked(2);
  EXPECT_EQ(Do("ACL SETUSER taker -blpop"), "+OK");
  EXPECT_EQ(Do("RPUSH k x"), ":1");
  EXPECT_EQ(waiter.Receive(), "-NOPERM this user has no permissions to run the 'blpop' command");
  EXPECT_EQ(next.Receive(), R"(["k" "x"])");
}

TEST_F(ListsTest, AWaiterFollowsItsDatabase) {
  TestClient waiter(server_);
  waiter.Send("BLPOP k other 0");
  WaitForBlocked(1);
  EXPECT_EQ(Do("FLUSHALL"), "+OK");
  EXPECT_EQ(Do("SELECT 1"), "+OK");
  EXPECT_EQ(Do("RPUSH k x"), ":1");
  EXPECT_TRUE(waiter.Quiet());
  EXPECT_EQ(Do("SWAPDB 0 1"), "+OK");
  EXPECT_EQ(waiter.Receive(), R"(["k" "x"])");
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  EXPECT_EQ(Do("RPUSH elsewhere y"), ":1");
  EXPECT_EQ(Do("MOVE elsewhere 0"), ":1");
  EXPECT_EQ(Do("SELECT 0"), "+OK");
  EXPECT_EQ(Do("RENAME elsewhere k"), "+OK");
  EXPECT_EQ(waiter.Receive(), R"(["k" "y"])");
}

TEST_F(ListsTest, WaitersHoldNoShutdownUp) {
  TestClient waiter(server_);
  waiter.Send("BLPOP k 0");
  WaitForBlocked(1);
  client_.Close();
  server_.Stop();
  EXPECT_EQ(waiter.Receive(), "closed");
}

// Many clients push and wait at once: every element comes out once, and each waiter that is to get
// one gets one.
TEST_F(ListsTest, NothingIsLostOrTakenTwiceAmongManyClients) {
  constexpr int kWaiters = 16, kRounds = 100;
  std::vector<std::unique_ptr<TestClient>> waiters, pushers;
  for (int i = 0; i < kWaiters; ++i) {
    waiters.push_back(std::make_unique<TestClient>(server_));
    pushers.push_back(std::make_unique<TestClient>(server_));
  }
  std::vector<std::string> seen;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWaiters; ++i) {
      // Two keys, named in both orders.
      waiters[static_cast<size_t>(i)]->Send(i % 3 == 0   ? "BLPOP a b 0"
                                            : i % 3 == 1 ? "BRPOP b a 0"
                                                         : "BLMPOP 0 2 b a LEFT");
      pushers[static_cast<size_t>(i)]->Send((i % 2 == 0 ? "RPUSH a " : "LPUSH b ") +
                                            std::to_string(round * kWaiters + i));
    }
    for (int i = 0; i < kWaiters; ++i) {
      const std::string reply = waiters[static_cast<size_t>(i)]->Receive();
      const size_t end = reply.rfind('"');
      const size_t begin = reply.rfind('"', end - 1);
      seen.push_back(reply.substr(begin + 1, end - begin - 1));
      EXPECT_EQ(pushers[static_cast<size_t>(i)]->Receive()[0], ':');
    }
    ASSERT_EQ(Do("EXISTS a b"), ":0");
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), static_cast<size_t>(kWaiters * kRounds));
}

// The lists as they should be.
class Model {
 public:
  using List = std::deque<std::string>;

  List* Find(const std::string& key) {
    const auto it = lists_.find(key);
    return it == lists_.end() ? nullptr : &it->second;
  }
  List& Make(const std::string& key) { return lists_[key]; }
  void Tidy(const std::string& key) {
    const auto it = lists_.find(key);
    if (it != lists_.end() && it->second.empty()) lists_.erase(it);
  }

 private:
  std::map<std::string, List> lists_;
};

// A request as it is typed.
std::string Line(std::initializer_list<std::string> words) {
  std::string line;
  for (const std::string& word : words) line.append(line.empty() ? "" : " ").append(word);
  return line;
}

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

std::string TextOf(const Model::List& list) {
  std::string text = "[";
  for (const std::string& one : list) text += (text.size() == 1 ? "" : " ") + Quoted(one);
  return text + "]";
}

std::string Popped(Model::List* list, bool left) {
  const std::string one = left ? list->front() : list->back();
  if (left) {
    list->pop_front();
  } else {
    list->pop_back();
  }
  return one;
}

TEST_F(ListsTest, RandomCommandsDoWhatAModelDoes) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Choices choices(seed);
  const auto below = [&choices](uint64_t n) { return choices.Below(n); };
  const auto number = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  };
  auto client = std::make_unique<TestClient>(server_);
  Model model;
  constexpr int kSteps = 20000, kRestarts = 4;
  for (int step = 0; step < kSteps; ++step) {
    if (step % (kSteps / kRestarts) == kSteps / kRestarts - 1) {
      client->Close();
      client_.Close();
      server_.Restart();
      client = std::make_unique<TestClient>(server_);
    }
    const std::string key = "list" + std::to_string(below(3));
    const std::string other = "list" + std::to_string(below(3));
    // Few different ones, so that they are found again.
    const std::string element = "e" + std::to_string(below(6));
    Model::List* list = model.Find(key);
    const auto size = list == nullptr ? 0 : static_cast<int64_t>(list->size());
    const bool left = below(2) == 0;
    std::string line, wanted;
    switch (below(12)) {
      case 0:
      case 1:
      case 2: {
        line = (left ? "LPUSH " : "RPUSH ") + key;
        list = &model.Make(key);
        for (uint64_t n = 1 + below(8); n > 0; --n) {
          const std::string one = "e" + std::to_string(below(6));
          line += " " + one;
          left ? list->push_front(one) : list->push_back(one);
        }
        wanted = ":" + std::to_string(list->size());
        break;
      }
      case 3: {
        int64_t count = number(0, 9);
        line = (left ? "LPOP " : "RPOP ") + key + " " + std::to_string(count);
        Model::List popped;
        for (; count > 0 && size > 0 && !list->empty(); --count) {
          popped.push_back(Popped(list, left));
        }
        wanted = size == 0 ? "nil[]" : TextOf(popped);
        break;
      }
      case 4: {
        const int64_t index = number(-size - 1, size);
        line = Line({"LSET", key, std::to_string(index), element});
        const int64_t at = index < 0 ? index + size : index;
        wanted = size == 0              ? "-ERR no such key"
                 : at < 0 || at >= size ? "-ERR index out of range"
                                        : "+OK";
        if (wanted == "+OK") (*list)[static_cast<size_t>(at)] = element;
        break;
      }
      case 5: {
        line = Line({"LINSERT", key, left ? "BEFORE" : "AFTER", element, "new"});
        wanted = size == 0 ? ":0" : ":-1";
        if (size == 0) break;
        auto it = std::find(list->begin(), list->end(), element);
        if (it == list->end()) break;
        list->insert(left ? it : it + 1, "new");
        wanted = ":" + std::to_string(size + 1);
        break;
      }
      case 6: {
        const int64_t count = number(-3, 3);
        line = Line({"LREM", key, std::to_string(count), element});
        int64_t removed = 0;
        const int64_t limit = count == 0 ? INT64_MAX : std::abs(count);
        for (int64_t i = 0; list != nullptr && i < size && removed < limit; ++i) {
          const int64_t at = count < 0 ? size - 1 - i : i - removed;
          if ((*list)[static_cast<size_t>(at)] != element) continue;
          list->erase(list->begin() + at);
          ++removed;
        }
        wanted = ":" + std::to_string(removed);
        break;
      }
      case 7: {
        // Mostly little is cut off.
        const int64_t first = number(-size - 1, below(4) == 0 ? size : 2);
        const int64_t last = below(4) == 0 ? number(-size - 1, size) : -number(1, 3);
        line = "LTRIM " + key + " " + std::to_string(first) + " " + std::to_string(last);
        wanted = "+OK";
        if (size == 0) break;
        const int64_t from = std::max<int64_t>(first < 0 ? first + size : first, 0);
        const int64_t to = std::min((last < 0 ? last + size : last) + 1, size);
        if (from >= to) {
          list->clear();
        } else {
          *list = Model::List(list->begin() + from, list->begin() + to);
        }
        break;
      }
      case 8: {
        const bool to_left = below(2) == 0;
        line = Line({"LMOVE", key, other, left ? "LEFT" : "RIGHT", to_left ? "LEFT" : "RIGHT"});
        wanted = "nil";
        if (size == 0) break;
        const std::string one = Popped(list, left);
        Model::List& target = model.Make(other);
        to_left ? target.push_front(one) : target.push_back(one);
        wanted = Quoted(one);
        model.Tidy(other);
        break;
      }
      case 9: {
        line = Line({"LPOS", key, element, "COUNT", "0"});
        wanted = "[";
        for (int64_t i = 0; i < size; ++i) {
          if ((*list)[static_cast<size_t>(i)] != element) continue;
          wanted += (wanted.size() == 1 ? ":" : " :") + std::to_string(i);
        }
        wanted += "]";
        break;
      }
      case 10: {
        const int64_t index = number(-size - 1, size);
        line = "LINDEX " + key + " " + std::to_string(index);
        const int64_t at = index < 0 ? index + size : index;
        wanted = at < 0 || at >= size ? "nil" : Quoted((*list)[static_cast<size_t>(at)]);
        break;
      }
      default:
        line = "LRANGE " + key + " 0 -1";
        wanted = list == nullptr ? "[]" : TextOf(*list);
        break;
    }
    model.Tidy(key);
    ASSERT_EQ(client->Do(line), wanted) << line << " at step " << step;
    ASSERT_EQ(client->Do("LLEN " + key),
              ":" + std::to_string(model.Find(key) == nullptr ? 0 : model.Find(key)->size()))
        << line << " at step " << step;
  }
}

}  // namespace
}  // namespace cairn::server
