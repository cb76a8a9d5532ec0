// Memory that clients size: what is too much is answered with an error, and the server goes on.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fiber/net.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::TestClient;
using testing::TestServer;

class MemoryTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kMemory = 24 << 20;
  static constexpr size_t kMaxReply = 1 << 20;

  MemoryTest()
      : server_([](ServerOptions& options) {
          options.max_client_memory = kMemory;
          options.max_reply_bytes = kMaxReply;
          options.engine.write_buffer_size = 4 << 20;
        }) {}
  ~MemoryTest() override {
    client_.Close();
    EXPECT_TRUE(
        testing::WaitFor([this] { return server_->state().keyspace().memory().used() == 0; }));
  }
  void ExpectRefused(const std::string& reply) { EXPECT_EQ(reply.substr(0, 5), "-OOM ") << reply; }

  TestServer server_;
  TestClient client_{server_};
};

TEST_F(MemoryTest, ValuesThatCommandsMakeAreCountedBeforeTheyAreMade) {
  // 512 MiB less a little: the memory of none of these is touched.
  ExpectRefused(client_.Do("SETRANGE a 536870900 x"));
  ExpectRefused(client_.Do("SETBIT a 4294967295 1"));
  ExpectRefused(client_.Do("BITFIELD a SET u8 4294967200 1"));
  EXPECT_EQ(client_.Do("EXISTS a"), ":0");
  EXPECT_EQ(client_.Do("SETRANGE a 1000000 x"), ":1000001");
  EXPECT_EQ(client_.Do("BITOP NOT b a"), ":1000001");
  // One that grows stops in time.
  std::string reply;
  const std::string piece(500'000, 'p');
  int times = 0;
  for (; times < 100; ++times) {
    reply = client_.Do({"APPEND", "grows", piece});
    if (reply[0] != ':') break;
  }
  ExpectRefused(reply);
  EXPECT_GT(times, 2);
  EXPECT_EQ(client_.Do("STRLEN grows"), ":" + std::to_string(times * piece.size()));
  EXPECT_EQ(client_.Do("SET a small"), "+OK");
}

TEST_F(MemoryTest, SmallWordsOfOnePipelineDoNotMakeALargeBatch) {
  // Together they are ten times what there is; each alone is not.
  constexpr int kCommands = 60;
  for (int i = 0; i < kCommands; ++i) {
    client_.Send("SETRANGE key" + std::to_string(i) + " 999999 x");
  }
  for (int i = 0; i < kCommands; ++i) EXPECT_EQ(client_.Receive(), ":1000000") << i;
  // One among them that is too large is alone in failing.
  client_.Send("SET before 1");
  client_.Send("SETRANGE huge 99999999 x");
  client_.Send("SET behind 1");
  EXPECT_EQ(client_.Receive(), "+OK");
  ExpectRefused(client_.Receive());
  EXPECT_EQ(client_.Receive(), "+OK");
  EXPECT_EQ(client_.Do("MGET before behind"), "[\"1\" \"1\"]");
}

TEST_F(MemoryTest, ATransactionThatIsTooLargeDoesNothing) {
  EXPECT_EQ(client_.Do("MULTI"), "+OK");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client_.Do("SETRANGE part" + std::to_string(i) + " 999999 x"), "+QUEUED");
  }
  ExpectRefused(client_.Do("EXEC"));
  EXPECT_EQ(client_.Do("DBSIZE"), ":0");
  // Nor can what is queued grow without end.
  EXPECT_EQ(client_.Do("MULTI"), "+OK");
  const std::string value(900'000, 'v');
  std::string reply;
  for (int i = 0; i < 100 && (i == 0 || reply == "+QUEUED"); ++i) {
    reply = client_.Do({"SET", "k", value});
  }
  ExpectRefused(reply);
  EXPECT_EQ(client_.Do("EXEC").substr(0, 10), "-EXECABORT");
  EXPECT_EQ(client_.Do("SET k v"), "+OK");
}

TEST_F(MemoryTest, RepliesHaveALimit) {
  std::vector<std::string> mget = {"MGET"};
  for (int i = 0; i < 4; ++i) {
    const std::string key = "large" + std::to_string(i);
    EXPECT_EQ(client_.Do("SETRANGE " + key + " 599999 x"), ":600000");
    mget.push_back(key);
  }
  EXPECT_EQ(client_.Do("RPUSH list " + std::string(1000, 'a') + " b"), ":2");
  ExpectRefused(client_.Do(mget));
  // One by one, in one pipeline or not, they may be read.
  for (int i = 1; i < 5; ++i) client_.Send({"GET", mget[static_cast<size_t>(i)]});
  for (int i = 1; i < 5; ++i) EXPECT_EQ(client_.Receive().size(), 600'002u);
  EXPECT_EQ(client_.Do("MULTI"), "+OK");
  EXPECT_EQ(client_.Do("SET done 1"), "+QUEUED");
  client_.Send(mget);
  EXPECT_EQ(client_.Receive(), "+QUEUED");
  ExpectRefused(client_.Do("EXEC"));
  EXPECT_EQ(client_.Do("EXISTS done"), ":0");
  // What a command would remove stays if its reply is too large.
  for (int i = 0; i < 4; ++i) client_.Do({"RPUSH", "list", std::string(400'000, 'e')});
  ExpectRefused(client_.Do("LPOP list 6"));
  EXPECT_EQ(client_.Do("LLEN list"), ":6");
}

TEST_F(MemoryTest, ARequestThatIsTooLargeIsRefusedAndEndsTheConnection) {
  EXPECT_EQ(client_.Do({"SET", "a", std::string(3'000'000, 'v')}), "+OK");
  ExpectRefused(client_.Do({"SET", "a", std::string(5'000'000, 'v')}));
  EXPECT_EQ(client_.Do("STRLEN a"), ":3000000");
  // The connection cannot be told from which byte on it goes on.
  TestClient greedy(server_);
  const std::string input =
      "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$40000000\r\n" + std::string(40'000'000, 'v') + "\r\n";
  (void)fiber::net::send_all(greedy.fd(), input.data(), input.size());
  ExpectRefused(greedy.Receive());
  EXPECT_EQ(greedy.Receive(), "closed");
  EXPECT_EQ(client_.Do("SET b small"), "+OK");
}

}  // namespace
}  // namespace cairn::server
