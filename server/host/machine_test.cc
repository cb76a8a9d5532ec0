// Whether a peer has hung up.
#include "server/host/machine.h"

#include <gtest/gtest.h>

#include "fiber/net.h"

namespace cairn::server {
namespace {

namespace net = fiber::net;

class HangUpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const int listener = net::listen_on(net::Address::loopback_v4(0));
    ASSERT_GE(listener, 0);
    net::Address address;
    ASSERT_EQ(net::local_address(listener, &address), 0);
    client_ = net::connect_to(address);
    ASSERT_GE(client_, 0);
    server_ = net::accept(listener);
    ASSERT_GE(server_, 0);
    net::close(listener);
  }
  void TearDown() override { net::close(server_); }

  int client_ = -1;
  int server_ = -1;
};

TEST_F(HangUpTest, APeerThatIsThereHasNot) {
  EXPECT_FALSE(HasHungUp(server_));
  ASSERT_EQ(net::send_all(client_, "x", 1), 1);
  char byte;
  ASSERT_EQ(net::recv(server_, &byte, 1, net::kPeek), 1);
  EXPECT_FALSE(HasHungUp(server_));
  net::close(client_);
}

TEST_F(HangUpTest, AnEndIsSeen) {
  net::close(client_);
  char byte;
  EXPECT_EQ(net::recv(server_, &byte, 1), 0);
  EXPECT_TRUE(HasHungUp(server_));
}

TEST_F(HangUpTest, AResetIsSeen) {
  // Who closes without having read what there is resets the connection.
  ASSERT_EQ(net::send_all(server_, "x", 1), 1);
  char byte;
  ASSERT_EQ(net::recv(client_, &byte, 1, net::kPeek), 1);
  net::close(client_);
  EXPECT_LE(net::recv(server_, &byte, 1), 0);
  EXPECT_TRUE(HasHungUp(server_));
}

}  // namespace
}  // namespace cairn::server
