// Replies that wait for one another (outbox.h), seen from the clients' side.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fiber/thread.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::TestClient;
using testing::TestServer;

void OneWorker(ServerOptions& options) { options.workers = 1; }

TEST(OutboxTest, EveryClientGetsItsOwnReplies) {
  constexpr int kClients = 100, kRounds = 20;  // more than one outbox holds
  TestServer server(OneWorker);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(std::make_unique<TestClient>(server));
  for (int round = 0; round < kRounds; ++round) {
    const auto word = [round](int i) { return std::to_string(round) + "/" + std::to_string(i); };
    for (int i = 0; i < kClients; ++i) {
      TestClient& client = *clients[static_cast<size_t>(i)];
      client.Send("ECHO " + word(i));
      // Some do not wait for the reply.
      if (i % 3 == 0) client.Send("SET " + word(i) + " x");
    }
    for (int i = 0; i < kClients; ++i) {
      TestClient& client = *clients[static_cast<size_t>(i)];
      ASSERT_EQ(client.Receive(), "\"" + word(i) + "\"");
      if (i % 3 == 0) {
        ASSERT_EQ(client.Receive(), "+OK");
      }
    }
  }
}

// What the socket does not take at once is sent when the client reads, and in order; others do not
// notice.
TEST(OutboxTest, AClientThatDoesNotReadGetsAllInTheEnd) {
  constexpr int kRequests = 2000;
  TestServer server(OneWorker);
  TestClient lazy(server), other(server);
  const std::string value(12 << 10, 'v');
  ASSERT_EQ(other.Do({"SET", "big", value}), "+OK");
  fiber::Thread sends("sends", [&lazy] {
    for (int i = 0; i < kRequests; ++i) {
      lazy.Send("GET big");
      lazy.Send("ECHO " + std::to_string(i));
    }
  });
  for (int i = 0; i < 100; ++i) ASSERT_EQ(other.Do("PING"), "+PONG");
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(lazy.Receive(), "\"" + value + "\"");
    ASSERT_EQ(lazy.Receive(), "\"" + std::to_string(i) + "\"");
  }
  sends.join();
}

TEST(OutboxTest, AClientThatLeavesWithoutReadingHarmsNobody) {
  TestServer server(OneWorker);
  TestClient other(server);
  ASSERT_EQ(other.Do({"SET", "big", std::string(12 << 10, 'v')}), "+OK");
  for (int i = 0; i < 50; ++i) {
    TestClient leaves(server);
    for (int k = 0; k < 60; ++k) leaves.Send("GET big");
    leaves.Close();
    ASSERT_EQ(other.Do("PING"), "+PONG");
  }
  EXPECT_TRUE(testing::WaitFor([&] { return server->clients() == 1; }));
}

// A request that ran is answered, although the server is told to stop meanwhile.
TEST(OutboxTest, AShutdownSendsWhatWaits) {
  constexpr int kClients = 70;
  TestServer server(OneWorker);
  int answered = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < kClients; ++i) clients.push_back(std::make_unique<TestClient>(server));
    for (const auto& client : clients) client->Send("INCR n");
    server.Restart();
    for (const auto& client : clients) {
      const std::string reply = client->Receive();
      if (reply[0] == ':') {
        ++answered;
      } else {
        ASSERT_EQ(reply, "closed");
      }
    }
  }
  TestClient client(server);
  const std::string n = client.Do("GET n");
  EXPECT_EQ(n, answered == 0 ? "nil" : "\"" + std::to_string(answered) + "\"");
}

}  // namespace
}  // namespace cairn::server
