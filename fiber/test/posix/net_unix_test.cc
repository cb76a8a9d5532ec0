// net.h where it is POSIX's: full backlogs, no descriptors left, Unix sockets and what they carry.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/net.h"
#include "fiber/sanitizers.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

using NetUnixTest = NetTest;

std::string path_of_test() {
  static std::atomic<int> number{0};
  return "/tmp/fiber_net_" + std::to_string(::getpid()) + "_" + std::to_string(number++);
}

TEST_P(NetUnixTest, AFullTcpBacklogIsWaitedForUntilTheDeadline) {
  run([&] {
    const int listener = net::listen_on(net::Address::loopback_v4(0), 0);
    ASSERT_GE(listener, 0);
    net::Address address;
    ASSERT_EQ(net::local_address(listener, &address), 0);
    std::vector<int> waiting;
    int last = 0;
    while (waiting.size() < 20) {
      last = net::connect_to(address, deadline_after(50 * kMillisecond));
      if (last < 0) break;
      waiting.push_back(last);
    }
    EXPECT_EQ(last, -ETIMEDOUT);
    EXPECT_FALSE(waiting.empty());
    for (int fd : waiting) net::close(fd);
    net::close(listener);
  });
}

TEST_P(NetUnixTest, AFullUnixBacklogIsWaitedForUntilThereIsRoom) {
  const std::string path = path_of_test();
  net::Address address;
  ASSERT_EQ(net::Address::unix_path(path, &address), 0);
  const int listener = net::listen_on(address, 0);
  ASSERT_GE(listener, 0);
  std::vector<int> waiting;
  run([&] {
    int last = 0;
    while (waiting.size() < 20) {
      last = net::connect_to(address, deadline_after(2 * kMillisecond));
      if (last < 0) break;
      waiting.push_back(last);
    }
    EXPECT_EQ(last, -ETIMEDOUT);
  });
  Task late = start([&] {
    const int fd = net::connect_to(address, far_deadline());
    EXPECT_GE(fd, 0);
    net::close(fd);
  });
  run([&] {
    for (size_t i = 0; i <= waiting.size(); ++i) {
      const int fd = net::accept(listener, nullptr, far_deadline());
      EXPECT_GE(fd, 0);
      net::close(fd);
    }
  });
  late.join();
  for (int fd : waiting) net::close(fd);
  net::close(listener);
  ::unlink(path.c_str());
}

TEST_P(NetUnixTest, WithoutDescriptorsAcceptFailsAndTheConnectionStays) {
#if defined(FIBER_ASAN)
  GTEST_SKIP() << "without descriptors the sanitizer cannot check a pointer, and calls it invalid";
#endif
  const int listener = net::listen_on(net::Address::loopback_v4(0));
  ASSERT_GE(listener, 0);
  net::Address address;
  ASSERT_EQ(net::local_address(listener, &address), 0);
  int client = -1;
  run([&] {
    // Engines make what they need with the first wait.
    EXPECT_EQ(net::accept(listener, nullptr, deadline_after(kMillisecond)), -ETIMEDOUT);
    client = net::connect_to(address, far_deadline());
    ASSERT_GE(client, 0);
  });
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  run([&] {
    EXPECT_EQ(net::accept(listener, nullptr, far_deadline()), -EMFILE);
    EXPECT_EQ(net::socket(AF_INET), -EMFILE);
  });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  run([&] {
    const int fd = net::accept(listener, nullptr, far_deadline());
    EXPECT_GE(fd, 0);
    net::close(fd);
    net::close(client);
    net::close(listener);
  });
}

TEST_P(NetUnixTest, MessagesCarryPartsAndDescriptors) {
  int fds[2];
  ASSERT_NO_FATAL_FAILURE(unix_pair(fds));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Task receiver = start([&] {
    char head[3] = {}, tail[8] = {};
    iovec parts[2] = {{head, 2}, {tail, 7}};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    ASSERT_EQ(net::recvmsg(fds[1], &message, 0, far_deadline()), 5);
    EXPECT_STREQ(head, "ab");
    EXPECT_STREQ(tail, "cde");
    const cmsghdr* c = CMSG_FIRSTHDR(&message);
    ASSERT_NE(c, nullptr);
    ASSERT_EQ(c->cmsg_type, SCM_RIGHTS);
    int passed;
    std::memcpy(&passed, CMSG_DATA(c), sizeof(passed));
    EXPECT_EQ(::fcntl(passed, F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(::write(passed, "p", 1), 1);
    ::close(passed);
  });
  run([&] {
    char a[] = "abc", b[] = "de";
    iovec parts[2] = {{a, 3}, {b, 2}};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &ends[1], sizeof(int));
    ASSERT_EQ(net::sendmsg(fds[0], &message, 0, far_deadline()), 5);
  });
  receiver.join();
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'p');
  ::close(ends[0]);
  ::close(ends[1]);
  net::close(fds[0]);
  net::close(fds[1]);
}

// A receive that stops at a passed descriptor is short although more is there.
TEST_P(NetUnixTest, AUnixStreamWithADescriptorInItIsReadToItsEnd) {
  run([&] {
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(unix_pair(fds));
    char text[] = "middle";
    iovec part = {text, 6};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &fds[0], sizeof(int));
    // The receiver's engine knows the socket before it has this in it.
    char buffer[64];
    ASSERT_EQ(net::recv(fds[1], buffer, sizeof(buffer), 0, deadline_after(kMillisecond)),
              -ETIMEDOUT);
    ASSERT_EQ(net::send(fds[0], "first", 5), 5);
    ASSERT_EQ(net::sendmsg(fds[0], &message), 6);
    ASSERT_EQ(net::send(fds[0], "last", 4), 4);
    size_t total = 0;
    while (total < 15) {
      const ssize_t n = net::recv(fds[1], buffer, sizeof(buffer), 0, far_deadline());
      ASSERT_GT(n, 0);
      total += static_cast<size_t>(n);
    }
    EXPECT_EQ(total, 15u);
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, NetUnixTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
