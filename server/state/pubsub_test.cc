// Publish and subscribe, through sockets: who gets what, in which order beside replies, and what
// becomes of those who are too slow.
#include "server/state/pubsub.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::TestClient;
using testing::TestServer;
using testing::WaitFor;

class PubSubTest : public ::testing::Test {
 protected:
  TestServer server_;
  TestClient one_{server_};
  TestClient two_{server_};
};

// A connection's message as TestClient shows it.
std::string Message(const std::string& channel, const std::string& text) {
  return "[\"message\" \"" + channel + "\" \"" + text + "\"]";
}
std::string Push(const std::string& channel, const std::string& text) {
  return ">" + Message(channel, text);
}

TEST_F(PubSubTest, ListenersGetWhatIsPublished) {
  EXPECT_EQ(":0", two_.Do("PUBLISH a nobody"));
  EXPECT_EQ(R"(["subscribe" "a" :1])", one_.Do("SUBSCRIBE a b a"));
  EXPECT_EQ(R"(["subscribe" "b" :2])", one_.Receive());
  EXPECT_EQ(R"(["subscribe" "a" :2])", one_.Receive());
  EXPECT_EQ(R"(["psubscribe" "a*" :3])", one_.Do("PSUBSCRIBE a* [bc]"));
  EXPECT_EQ(R"(["psubscribe" "[bc]" :4])", one_.Receive());
  EXPECT_EQ(":2", two_.Do("PUBLISH a first"));
  EXPECT_EQ(":2", two_.Do("PUBLISH b second"));
  EXPECT_EQ(":1", two_.Do("PUBLISH ab third"));
  EXPECT_EQ(":1", two_.Do("PUBLISH c \"\""));
  EXPECT_EQ(":0", two_.Do("PUBLISH d nobody"));
  EXPECT_EQ(Message("a", "first"), one_.Receive());
  EXPECT_EQ(R"(["pmessage" "a*" "a" "first"])", one_.Receive());
  EXPECT_EQ(Message("b", "second"), one_.Receive());
  EXPECT_EQ(R"(["pmessage" "[bc]" "b" "second"])", one_.Receive());
  EXPECT_EQ(R"(["pmessage" "a*" "ab" "third"])", one_.Receive());
  EXPECT_EQ(R"(["pmessage" "[bc]" "c" ""])", one_.Receive());
}

TEST_F(PubSubTest, UnsubscribeEndsOneOrAll) {
  one_.Do("SUBSCRIBE a b");
  one_.Receive();
  one_.Do("PSUBSCRIBE p*");
  EXPECT_EQ(R"(["unsubscribe" "a" :2])", one_.Do("UNSUBSCRIBE a"));
  EXPECT_EQ(R"(["unsubscribe" "none" :2])", one_.Do("UNSUBSCRIBE none"));
  EXPECT_EQ(":0", two_.Do("PUBLISH a x"));
  EXPECT_EQ(R"(["unsubscribe" "b" :1])", one_.Do("UNSUBSCRIBE"));
  EXPECT_EQ(R"(["unsubscribe" nil :1])", one_.Do("UNSUBSCRIBE"));
  EXPECT_EQ(R"(["punsubscribe" "p*" :0])", one_.Do("PUNSUBSCRIBE"));
  EXPECT_EQ(R"(["punsubscribe" nil :0])", one_.Do("PUNSUBSCRIBE"));
  EXPECT_EQ(":0", two_.Do("PUBLISH b x"));
  EXPECT_EQ(":0", two_.Do("PUBLISH p x"));
  EXPECT_EQ("nil", one_.Do("GET k"));
}

TEST_F(PubSubTest, WithVersion2ListenersRunFewCommands) {
  one_.Do("SUBSCRIBE a");
  EXPECT_EQ(
      "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
      "allowed in this context",
      one_.Do("GET k"));
  EXPECT_EQ(R"(["pong" ""])", one_.Do("PING"));
  EXPECT_EQ(R"(["pong" "x"])", one_.Do("PING x"));
  one_.Do("UNSUBSCRIBE a");
  EXPECT_EQ("nil", one_.Do("GET k"));
  EXPECT_EQ("+PONG", one_.Do("PING"));
  one_.Do("SUBSCRIBE a");
  EXPECT_EQ("+OK", one_.Do("QUIT"));
  EXPECT_EQ("closed", one_.Receive());
  EXPECT_TRUE(WaitFor([&] { return two_.Do("PUBLISH a x") == ":0"; }));
}

TEST_F(PubSubTest, WithVersion3MessagesAreBesideReplies) {
  one_.Do("HELLO 3");
  EXPECT_EQ(R"(>["subscribe" "a" :1])", one_.Do("SUBSCRIBE a"));
  EXPECT_EQ("nil", one_.Do("GET k"));
  EXPECT_EQ("+PONG", one_.Do("PING"));
  EXPECT_EQ(":1", two_.Do("PUBLISH a x"));
  EXPECT_EQ(Push("a", "x"), one_.Receive());
  // Its own message follows the reply.
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(":1", one_.Do("PUBLISH a " + std::to_string(i)));
    EXPECT_EQ(Push("a", std::to_string(i)), one_.Receive());
  }
  EXPECT_EQ(R"(>["unsubscribe" "a" :0])", one_.Do("UNSUBSCRIBE"));
  EXPECT_EQ(R"(>["unsubscribe" nil :0])", one_.Do("UNSUBSCRIBE"));
}

TEST_F(PubSubTest, ShardChannelsAreOthers) {
  one_.Do("HELLO 3");
  EXPECT_EQ(R"(>["subscribe" "a" :1])", one_.Do("SUBSCRIBE a"));
  EXPECT_EQ(R"(>["ssubscribe" "a" :1])", one_.Do("SSUBSCRIBE a"));
  EXPECT_EQ(R"(>["psubscribe" "*" :2])", one_.Do("PSUBSCRIBE *"));
  EXPECT_EQ(":1", two_.Do("SPUBLISH a x"));
  EXPECT_EQ(R"(>["smessage" "a" "x"])", one_.Receive());
  EXPECT_EQ("[\"a\"]", two_.Do("PUBSUB SHARDCHANNELS"));
  EXPECT_EQ(R"(["a" :1 "b" :0])", two_.Do("PUBSUB SHARDNUMSUB a b"));
  EXPECT_EQ(R"(>["sunsubscribe" "a" :0])", one_.Do("SUNSUBSCRIBE"));
  EXPECT_EQ(":0", two_.Do("SPUBLISH a x"));
}

TEST_F(PubSubTest, PubSubTellsWhoListens) {
  one_.Do("SUBSCRIBE a1 a2");
  one_.Receive();
  two_.Do("HELLO 3");
  two_.Do("SUBSCRIBE a1");
  two_.Do("PSUBSCRIBE x*");
  one_.Do("PSUBSCRIBE x*");
  EXPECT_EQ("[\"a1\"]", two_.Do("PUBSUB CHANNELS *1"));
  EXPECT_EQ("[]", two_.Do("PUBSUB CHANNELS x*"));
  EXPECT_EQ(R"(["a1" :2 "none" :0])", two_.Do("PUBSUB NUMSUB a1 none"));
  EXPECT_EQ("[]", two_.Do("PUBSUB NUMSUB"));
  EXPECT_EQ(":1", two_.Do("PUBSUB NUMPAT"));
  const std::string list = two_.Do("CLIENT LIST");
  EXPECT_NE(std::string::npos, list.find("flags=P db=0 sub=2 psub=1 ssub=0")) << list;
  EXPECT_NE(std::string::npos, list.find("sub=1 psub=1 ssub=0")) << list;
  const std::string info = two_.Do("INFO");
  for (const char* const line : {"pubsub_clients:2\r\n", "pubsub_channels:2\r\n",
                                 "pubsub_patterns:1\r\n", "pubsubshard_channels:0\r\n"}) {
    EXPECT_NE(std::string::npos, info.find(line)) << line;
  }
  one_.Close();
  EXPECT_TRUE(WaitFor([&] { return two_.Do("PUBSUB NUMSUB a1 a2") == R"(["a1" :1 "a2" :0])"; }));
}

TEST_F(PubSubTest, ResetEndsAllSubscriptions) {
  one_.Do("SUBSCRIBE a");
  one_.Do("PSUBSCRIBE b*");
  EXPECT_EQ("+RESET", one_.Do("RESET"));
  EXPECT_EQ(":0", two_.Do("PUBLISH a x"));
  EXPECT_EQ(":0", two_.Do("PUBLISH b x"));
  EXPECT_EQ("+PONG", one_.Do("PING"));
}

TEST_F(PubSubTest, TransactionsPublishWhatTheyHaveDone) {
  one_.Do("SUBSCRIBE a");
  TestClient three(server_);
  for (int i = 0; i < 100; ++i) {
    const std::string text = std::to_string(i);
    two_.Do("MULTI");
    two_.Do("PUBLISH a " + text);
    two_.Do("SET k " + text);
    two_.Send("EXEC");
    EXPECT_EQ(Message("a", text), one_.Receive());
    // Who has heard of it sees it.
    EXPECT_EQ("\"" + text + "\"", three.Do("GET k"));
    EXPECT_EQ("[:1 +OK]", two_.Receive());
  }
  two_.Do("MULTI");
  two_.Do("PUBLISH a x");
  EXPECT_EQ("+OK", two_.Do("DISCARD"));
  two_.Do("PUBLISH a y");
  EXPECT_EQ(Message("a", "y"), one_.Receive());
}

TEST_F(PubSubTest, TransactionsSubscribe) {
  one_.Do("MULTI");
  EXPECT_EQ("+QUEUED", one_.Do("SUBSCRIBE a"));
  EXPECT_EQ("+QUEUED", one_.Do("GET k"));
  EXPECT_EQ(":0", two_.Do("PUBLISH a x"));
  EXPECT_EQ(R"([["subscribe" "a" :1] nil])", one_.Do("EXEC"));
  EXPECT_EQ(":1", two_.Do("PUBLISH a x"));
  EXPECT_EQ(Message("a", "x"), one_.Receive());
  EXPECT_EQ('-', one_.Do("MULTI")[0]);
  EXPECT_EQ(R"(["unsubscribe" "a" :0])", one_.Do("UNSUBSCRIBE"));
  // A message to itself that has no place any more.
  one_.Do("MULTI");
  for (const char* const line : {"SUBSCRIBE a", "PUBLISH a x", "UNSUBSCRIBE a"}) one_.Do(line);
  EXPECT_EQ(R"([["subscribe" "a" :1] :1 ["unsubscribe" "a" :0]])", one_.Do("EXEC"));
  EXPECT_EQ("nil", one_.Do("GET k"));
  // With version 3 it follows the reply of EXEC.
  one_.Do("HELLO 3");
  one_.Do("SUBSCRIBE a");
  one_.Do("MULTI");
  for (const char* const line : {"PING x", "PUBLISH a y", "PING z"}) one_.Do(line);
  EXPECT_EQ(R"(["x" :1 "z"])", one_.Do("EXEC"));
  EXPECT_EQ(Push("a", "y"), one_.Receive());
}

TEST_F(PubSubTest, ClientReplyDoesNotSilenceMessages) {
  one_.Do("HELLO 3");
  one_.Send("CLIENT REPLY OFF");
  EXPECT_EQ(R"(>["subscribe" "a" :1])", one_.Do("SUBSCRIBE a"));
  one_.Send("PUBLISH a x");
  EXPECT_EQ(Push("a", "x"), one_.Receive());
  one_.Send("GET k");
  EXPECT_EQ(R"(>["unsubscribe" "a" :0])", one_.Do("UNSUBSCRIBE a"));
  EXPECT_EQ("+OK", one_.Do("CLIENT REPLY ON"));
}

TEST_F(PubSubTest, WhoWaitsForAnElementHearsMessages) {
  one_.Do("HELLO 3");
  one_.Do("SUBSCRIBE a");
  one_.Send("CLIENT REPLY SKIP");
  one_.Send("PUBLISH a own");
  one_.Send("BLPOP l 0");
  EXPECT_EQ(Push("a", "own"), one_.Receive());
  EXPECT_EQ(":1", two_.Do("PUBLISH a x"));
  EXPECT_EQ(Push("a", "x"), one_.Receive());
  EXPECT_EQ(":1", two_.Do("RPUSH l e"));
  EXPECT_EQ(R"(["l" "e"])", one_.Receive());
}

// Two publishers, whose requests are run by two workers, and a subscriber with replies of its own.
TEST_F(PubSubTest, RepliesAndEachPublishersMessagesStayInOrder) {
  constexpr int kMessages = 3000;
  TestClient publisher(server_);
  one_.Do("HELLO 3");
  one_.Do("SUBSCRIBE c0 c1");
  one_.Receive();
  one_.Do("PSUBSCRIBE c?");
  int next_by_pattern[2] = {0, 0}, next_ping = 0;
  int last_of_c0 = -1, next_of_c1 = 0;
  bool listens = true;
  const auto receive = [&] {
    const std::string text = one_.Receive();
    if (text[0] == '"') {
      ASSERT_EQ("\"" + std::to_string(next_ping) + "\"", text);
      next_ping += 4;
    } else if (text.starts_with(">[\"pmessage\"")) {
      const int from = text.find("\"c0\"") != std::string::npos ? 0 : 1;
      ASSERT_EQ(">[\"pmessage\" \"c?\" \"c" + std::to_string(from) + "\" \"" +
                    std::to_string(next_by_pattern[from]++) + "\"]",
                text);
    } else if (text.starts_with(">[\"message\" \"c1\"")) {
      ASSERT_EQ(Push("c1", std::to_string(next_of_c1++)), text);
    } else if (text.starts_with(">[\"message\" \"c0\"")) {
      ASSERT_TRUE(listens) << text;
      const int number = std::stoi(text.substr(std::string(">[\"message\" \"c0\" \"").size()));
      ASSERT_GT(number, last_of_c0);
      last_of_c0 = number;
    } else if (text.starts_with(">[\"unsubscribe\"")) {
      listens = false;
    } else if (text.starts_with(">[\"subscribe\"")) {
      listens = true;
    } else {
      FAIL() << text;
    }
  };
  // All that is under way at once is less than the sockets hold.
  constexpr int kPiece = 100;
  for (int i = 0; i < kMessages; i += kPiece) {
    for (int j = i; j < i + kPiece; ++j) {
      two_.Send("PUBLISH c0 " + std::to_string(j));
      publisher.Send("PUBLISH c1 " + std::to_string(j));
      if (j % 4 == 0) one_.Send("PING " + std::to_string(j));
      // It comes and goes, but for the pattern.
      if (j % 50 == 0) one_.Send("UNSUBSCRIBE c0");
      if (j % 50 == 25) one_.Send("SUBSCRIBE c0");
    }
    for (int j = 0; j < kPiece; ++j) {
      two_.Receive();
      publisher.Receive();
    }
    const int end = i + kPiece;
    while (!HasFatalFailure() && (next_by_pattern[0] < end || next_by_pattern[1] < end ||
                                  next_ping < end || next_of_c1 < end)) {
      receive();
    }
  }
}

TEST(SlowSubscriberTest, IsDroppedAndTheOthersGetAll) {
  constexpr size_t kLimit = 1 << 20;
  TestServer server([](ServerOptions& options) { options.max_push_bytes = kLimit; });
  TestClient slow(server), fast(server), publisher(server);
  slow.Do("SUBSCRIBE a");
  fast.Do("SUBSCRIBE a");
  const std::string text(10'000, 'x');
  const std::string message = Message("a", text);
  const size_t count = 10 * kLimit / text.size();
  size_t both = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string reply = publisher.Do({"PUBLISH", "a", text});
    both += reply == ":2" ? 1 : 0;
    ASSERT_TRUE(reply == ":1" || reply == ":2") << reply;
    ASSERT_EQ(message, fast.Receive());
  }
  EXPECT_LT(both, count);
  EXPECT_GE(both, kLimit / (text.size() + 128));
  EXPECT_TRUE(WaitFor([&] { return publisher.Do("PUBSUB NUMSUB a") == R"(["a" :1])"; }));
  EXPECT_EQ(1u, server->state().stats().dropped_subscribers());
  EXPECT_EQ(R"(["pong" ""])", fast.Do("PING"));
  // What it was sent before is whole but for the last.
  size_t seen = 0;
  slow.Receive();
  for (std::string got; (got = slow.Receive()) == message;) ++seen;
  EXPECT_LT(seen, both);
}

TEST(SlowSubscriberTest, FewerMessagesWaitForIt) {
  TestServer server;
  TestClient slow(server), publisher(server);
  slow.Do("SUBSCRIBE a");
  const std::string text(100'000, 'x');
  for (int i = 0; i < 100; ++i) EXPECT_EQ(":1", publisher.Do({"PUBLISH", "a", text}));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Message("a", text), slow.Receive());
  EXPECT_EQ(0u, server->state().stats().dropped_subscribers());
  // A listener that takes nothing does not keep the server from ending.
  for (int i = 0; i < 100; ++i) EXPECT_EQ(":1", publisher.Do({"PUBLISH", "a", text}));
  server.Stop();
}

TEST(ManySubscribersTest, ComeAndGoWhileMessagesCome) {
  TestServer server;
  TestClient publisher(server), steady(server);
  steady.Do("PSUBSCRIBE *");
  constexpr int kRounds = 60, kClients = 8;
  int published = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.push_back(std::make_unique<TestClient>(server));
      clients.back()->Send("SUBSCRIBE a b");
      publisher.Send("PUBLISH a x");
      ++published;
      if (i % 2 == 0) clients.back()->Send(i % 4 == 0 ? "UNSUBSCRIBE" : "RESET");
    }
  }
  for (int i = 0; i < published; ++i) {
    EXPECT_EQ(':', publisher.Receive()[0]);
    ASSERT_EQ(R"(["pmessage" "*" "a" "x"])", steady.Receive());
  }
  EXPECT_TRUE(WaitFor([&] { return publisher.Do("PUBSUB CHANNELS") == "[]"; }));
}

class ChannelRightsTest : public PubSubTest {
 protected:
  ChannelRightsTest() {
    EXPECT_EQ("+OK", two_.Do("ACL SETUSER bob on nopass +@all ~* resetchannels &news.* &me"));
    EXPECT_EQ("+OK", one_.Do("AUTH bob x"));
  }
  static constexpr char kDenied[] =
      "-NOPERM this user has no permissions to access one of the channels used as arguments";
};

TEST_F(ChannelRightsTest, AreLookedAtByName) {
  EXPECT_EQ(kDenied, one_.Do("SUBSCRIBE news.a other"));
  EXPECT_EQ("[]", two_.Do("PUBSUB CHANNELS"));
  EXPECT_EQ(kDenied, one_.Do("SSUBSCRIBE other"));
  EXPECT_EQ(kDenied, one_.Do("PUBLISH other x"));
  EXPECT_EQ(kDenied, one_.Do("SPUBLISH other x"));
  // A pattern must be one of the user's own.
  EXPECT_EQ(kDenied, one_.Do("PSUBSCRIBE news.a*"));
  EXPECT_EQ(kDenied, one_.Do("PSUBSCRIBE *"));
  EXPECT_EQ(":0", one_.Do("PUBLISH news.b x"));
  EXPECT_EQ(R"(["psubscribe" "news.*" :1])", one_.Do("PSUBSCRIBE news.*"));
  EXPECT_EQ(R"(["subscribe" "news.a" :2])", one_.Do("SUBSCRIBE news.a me"));
  EXPECT_EQ(R"(["subscribe" "me" :3])", one_.Receive());
  // To end it needs no right.
  EXPECT_EQ(R"(["unsubscribe" "other" :3])", one_.Do("UNSUBSCRIBE other"));
  const std::string log = two_.Do("ACL LOG 1");
  EXPECT_NE(std::string::npos, log.find("\"channel\"")) << log;
}

TEST_F(ChannelRightsTest, WhoMayHearLessIsDropped) {
  one_.Do("SUBSCRIBE news.a");
  EXPECT_EQ("+OK", two_.Do("ACL SETUSER bob &more"));
  EXPECT_EQ(R"(["pong" ""])", one_.Do("PING"));
  EXPECT_EQ("+OK", two_.Do("ACL SETUSER bob resetchannels &me"));
  EXPECT_EQ("closed", one_.Receive());
  EXPECT_TRUE(WaitFor([&] { return two_.Do("PUBLISH news.a x") == ":0"; }));
}

TEST_F(ChannelRightsTest, HoldWithinTransactions) {
  one_.Do("MULTI");
  EXPECT_EQ("+QUEUED", one_.Do("PUBLISH news.a x"));
  EXPECT_EQ("+QUEUED", one_.Do("SUBSCRIBE news.a"));
  EXPECT_EQ("+OK", two_.Do("ACL SETUSER bob resetchannels &me"));
  const std::string reply = one_.Do("EXEC");
  EXPECT_NE(std::string::npos, reply.find("NOPERM")) << reply;
  EXPECT_EQ("[]", two_.Do("PUBSUB CHANNELS"));
}

TEST(SubscriberTest, HoldsWhatAReplyMustPrecede) {
  int drops = 0;
  Subscriber subscriber(4096, [&drops] { ++drops; });
  const auto frame = std::make_shared<const std::string>("*1\r\n$1\r\nx\r\n");
  std::vector<Subscriber::Frame> frames;
  int version;
  subscriber.Hold();
  subscriber.Push(frame);
  subscriber.Take(&frames, &version);
  EXPECT_TRUE(frames.empty());
  subscriber.Release(3);
  EXPECT_TRUE(subscriber.Wait());
  subscriber.Take(&frames, &version);
  EXPECT_EQ(1u, frames.size());
  EXPECT_EQ(3, version);
  // What was taken counts until it is sent.
  int pushed = 0;
  while (drops == 0) {
    subscriber.Push(frame);
    ++pushed;
  }
  EXPECT_GT(pushed, 10);
  EXPECT_LT(pushed, 100);
  subscriber.Push(frame);
  EXPECT_EQ(1, drops);
  EXPECT_TRUE(subscriber.dropped());
  EXPECT_FALSE(subscriber.Wait());
}

TEST(SubscriberTest, SentMessagesMakeRoom) {
  Subscriber subscriber(4096, [] { FAIL() << "dropped"; });
  const auto frame = std::make_shared<const std::string>(std::string(1000, '*'));
  std::vector<Subscriber::Frame> frames;
  int version;
  for (int i = 0; i < 100; ++i) {
    subscriber.Push(frame);
    subscriber.Push(frame);
    subscriber.Take(&frames, &version);
    EXPECT_EQ(2u, frames.size());
    subscriber.Sent(frames);
    subscriber.Push(frame);
    EXPECT_EQ(1u, subscriber.TakeAll().size());
  }
}

}  // namespace
}  // namespace cairn::server
