// How a connection receives: what many small arguments cost is counted, in receives and in steps of
// the parser, not timed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::TestClient;
using testing::TestServer;

std::string Encode(const std::vector<std::string>& words) {
  std::string request = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return request;
}

// A receive takes what the socket has, which depends on who runs when: a few kilobytes at the
// least, unless the client is that slow.
void ExpectFewReceives(TestServer& server, TestClient& client, const std::string& input,
                       const std::string& reply) {
  const uint64_t before = server->state().stats().Sum().receives;
  fiber::Thread sender("sender", [&] {
    EXPECT_EQ(fiber::net::send_all(client.fd(), input.data(), input.size()),
              static_cast<ptrdiff_t>(input.size()));
  });
  EXPECT_EQ(client.Receive(), reply);
  sender.join();
  const uint64_t receives = server->state().stats().Sum().receives - before;
  EXPECT_LE(receives, 64 + input.size() / 4096) << input.size() << " bytes";
}

TEST(ConnectionTest, ManySmallArgumentsAreReceivedInLargePieces) {
  TestServer server;
  TestClient client(server);
  std::vector<std::string> set = {"MSET"}, del = {"DEL"};
  for (int i = 0; i < 20'000; ++i) {
    set.push_back("k" + std::to_string(i));
    del.push_back(set.back());
    set.push_back("v");
  }
  ExpectFewReceives(server, client, Encode(set), "+OK");
  ExpectFewReceives(server, client, Encode(del), ":20000");
  // A large argument among them, and an inline command.
  std::vector<std::string> mixed(set.begin(), set.begin() + 4001);
  mixed[2000] = std::string(1 << 20, 'x');
  mixed[1999] = "large";
  ExpectFewReceives(server, client, Encode(mixed), "+OK");
  EXPECT_EQ(client.Do("STRLEN large"), ":1048576");
  std::string inline_request = "EXISTS";
  for (int i = 0; i < 10'000; ++i) inline_request += " none";
  ExpectFewReceives(server, client, inline_request + "\r\n", ":0");
}

TEST(ConnectionTest, APipelineIsReceivedInLargePieces) {
  TestServer server;
  TestClient client(server);
  constexpr int kRequests = 20'000;
  const std::string request = Encode({"SETEX", "key", "100", std::string(100, 'v')});
  std::string input;
  for (int i = 0; i < kRequests; ++i) input += request;
  const uint64_t before = server->state().stats().Sum().receives;
  fiber::Thread sender("sender", [&] {
    EXPECT_EQ(fiber::net::send_all(client.fd(), input.data(), input.size()),
              static_cast<ptrdiff_t>(input.size()));
  });
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(client.Receive(), "+OK");
  sender.join();
  EXPECT_LE(server->state().stats().Sum().receives - before, 64 + input.size() / 4096);
}

}  // namespace
}  // namespace cairn::server
