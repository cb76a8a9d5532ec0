// net.h when things go wrong: deadlines, closing under a wait, peers that reset or are not there,
// full backlogs, no descriptors left.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "descriptor.h"
#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/sanitizers.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

using NetFaultTest = NetTest;

// Until somebody waits on the descriptor (or is about to).
void await_wait(int fd) {
  while (detail::descriptor(fd)->waits.load() == 0) yield();
  for (int i = 0; i < 100; ++i) yield();
}

// --- deadlines

TEST_P(NetFaultTest, ADeadlineEndsTheWait) {
  run([&] {
    for_each_kind([&](int* fds) {
      char byte;
      for (uint64_t wait : {uint64_t{0}, kMillisecond, 3 * kMillisecond}) {
        const uint64_t deadline = deadline_after(wait);
        EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, deadline), -ETIMEDOUT);
        EXPECT_GE(now_nanos(), deadline);
        io::IoVec part = {&byte, 1};
        net::Message message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        EXPECT_EQ(net::recvmsg(fds[0], &message, 0, deadline_after(wait)), -ETIMEDOUT);
      }
      // What is there counts, however late it is asked for.
      EXPECT_EQ(net::send(fds[1], "x", 1, 0, 0), 1);
      EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 1);
      EXPECT_EQ(net::send(fds[1], "y", 1, 0, 0), 1);
      ptrdiff_t n;
      while ((n = net::recv(fds[0], &byte, 1, 0, 0)) == -ETIMEDOUT) yield();
      EXPECT_EQ(n, 1);
      net::close(fds[0]);
      net::close(fds[1]);
    });
    const int listener = net::listen_on(net::Address::loopback_v4(0));
    EXPECT_EQ(net::accept(listener, nullptr, deadline_after(kMillisecond)), -ETIMEDOUT);
    EXPECT_EQ(net::accept(listener, nullptr, 0), -ETIMEDOUT);
    net::close(listener);
  });
}

// Deadlines that pass at about the time when the data comes: a byte is received or it is still
// there, never lost.
TEST_P(NetFaultTest, ACancelledReceiveLosesNothing) {
  constexpr int kBytes = 3000 / kScaleDown;
  for_each_kind([&](int* fds) {
    Task sender = start([&] {
      for (int i = 0; i < kBytes; ++i) {
        const char byte = static_cast<char>(i);
        ASSERT_EQ(net::send(fds[0], &byte, 1, 0, far_deadline()), 1);
        if (i % 3 == 0) sleep_for(20000);
      }
    });
    run([&] {
      int got = 0, timeouts = 0;
      while (got < kBytes) {
        char byte = 77;
        const ptrdiff_t n = net::recv(fds[1], &byte, 1, 0,
                                      deadline_after(static_cast<uint64_t>(timeouts % 40) * 1000));
        if (n == -ETIMEDOUT) {
          ASSERT_EQ(byte, 77) << "written to after the call";
          ++timeouts;
          continue;
        }
        ASSERT_EQ(n, 1);
        ASSERT_EQ(byte, static_cast<char>(got));
        ++got;
      }
    });
    sender.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

// --- closing

TEST_P(NetFaultTest, ClosingSendsAWaitingReceiverAway) {
  for_each_kind([&](int* fds) {
    Task receiver = start([&] {
      char byte;
      EXPECT_EQ(net::recv(fds[0], &byte, 1), -ECANCELED);
    });
    run([&] {
      await_wait(fds[0]);
      EXPECT_EQ(net::close(fds[0]), 0);
    });
    receiver.join();
    EXPECT_EQ(net::close(fds[1]), 0);
  });
}

TEST_P(NetFaultTest, ClosingSendsAWaitingSenderAway) {
  for_each_kind([&](int* fds) {
    const std::string chunk(size_t{1} << 20, 'c');
    Task sender = start([&] {
      ptrdiff_t n;
      while ((n = net::send(fds[0], chunk.data(), chunk.size())) > 0) {
      }
      EXPECT_TRUE(n == -ECANCELED || n == -EBADF) << n;
    });
    run([&] {
      // Nobody reads: it comes to wait for good.
      size_t idle = 0;
      while (idle < 200) {
        idle = detail::descriptor(fds[0])->waits.load() != 0 ? idle + 1 : 0;
        yield();
      }
      EXPECT_EQ(net::close(fds[0]), 0);
    });
    sender.join();
    EXPECT_EQ(net::close(fds[1]), 0);
  });
}

TEST_P(NetFaultTest, ClosingSendsWaitingAcceptorsAway) {
  const int tcp = net::listen_on(net::Address::loopback_v4(0));
  const std::string path = scratch_path("net");
  net::Address name;
  ASSERT_EQ(net::Address::unix_path(path, &name), 0);
  std::vector<int> listeners = {tcp};
  if (kUnixSockets) listeners.push_back(net::listen_on(name));
  for (int listener : listeners) {
    ASSERT_GE(listener, 0);
    std::vector<Task> acceptors;
    for (int i = 0; i < 3; ++i) {
      acceptors.push_back(start([&] { EXPECT_EQ(net::accept(listener), -ECANCELED); }));
    }
    // From a plain thread, whatever the mode.
    while (detail::descriptor(listener)->waits.load() < 3) yield();
    EXPECT_EQ(net::close(listener), 0);
    for (Task& task : acceptors) task.join();
    EXPECT_EQ(net::accept(listener), -EBADF);
  }
  (void)io::unlink(path.c_str());
}

// A close between two calls of another: whatever its instant, the next call is told, and does not
// find a file that is about to go, where it would wait for good.
TEST_P(NetFaultTest, ACloseMayComeBetweenTwoCalls) {
  constexpr int kRounds = 600 / kScaleDown;
  for (int round = 0; round < kRounds; ++round) {
    // A sanitizer opens pipes to look at a pointer, and they get the lowest numbers: some are free
    // below the socket's, so that none of them has its number when it was closed.
    int lower[16];
    for (int& fd : lower) ASSERT_GE(fd = net::socket(net::kIpV4), 0);
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(round % 2 == 0 ? unix_pair(fds) : tcp_pair(fds));
    for (const int fd : lower) ASSERT_EQ(net::close(fd), 0);
    std::atomic<int> calls{0};
    Task caller = start([&] {
      char byte = 'c';
      ptrdiff_t n;
      do {
        calls.fetch_add(1);
        n = round % 3 == 0 ? net::recv(fds[0], &byte, 1) : net::send(fds[0], &byte, 1);
        yield();  // the closer may have no other worker
      } while (n > 0);
      EXPECT_TRUE(n == -ECANCELED || n == -EBADF) << n;
    });
    run([&] {
      while (calls.load() <= round % 5) {
        if (round % 3 == 0) net::send(fds[1], "r", 1);
        yield();
      }
      EXPECT_EQ(net::close(fds[0]), 0);
    });
    caller.join();
    EXPECT_EQ(net::close(fds[1]), 0);
  }
}

// A number comes back for another file while engines still know the old one.
TEST_P(NetFaultTest, ANumberMayMeanAnotherSocketSoon) {
  run([&] {
    for (int round = 0; round < 200; ++round) {
      int fds[2];
      if (round % 2 == 0) {
        ASSERT_NO_FATAL_FAILURE(unix_pair(fds));
      } else {
        ASSERT_NO_FATAL_FAILURE(tcp_pair(fds));
      }
      Task echo = start([&] {
        char byte;
        while (net::recv(fds[1], &byte, 1, 0, far_deadline()) == 1) net::send(fds[1], &byte, 1);
      });
      for (int i = 0; i < 3; ++i) {
        char byte = 'n';
        ASSERT_EQ(net::send(fds[0], &byte, 1), 1);
        ASSERT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 1);
      }
      ASSERT_EQ(net::close(fds[0]), 0);
      echo.join();
      ASSERT_EQ(net::close(fds[1]), 0);
    }
  });
}

TEST_P(NetFaultTest, WhatIsNoSocketIsAnError) {
  run([&] {
    char byte = 0;
    for (int fd : {-1, 1 << 19, 1 << 22}) {
      EXPECT_EQ(net::recv(fd, &byte, 1), -EBADF);
      EXPECT_EQ(net::send(fd, &byte, 1), -EBADF);
      EXPECT_EQ(net::accept(fd), -EBADF);
      EXPECT_EQ(net::connect(fd, net::Address::loopback_v4(1)), -EBADF);
      EXPECT_EQ(net::close(fd), -EBADF);
    }
    const std::string path = scratch_path("no_socket");
    const int file = io::open(path.c_str(), io::kCreate | io::kReadWrite);
    EXPECT_EQ(net::recv(file, &byte, 1), -ENOTSOCK);
    EXPECT_EQ(net::send(file, &byte, 1), -ENOTSOCK);
    EXPECT_EQ(net::accept(file), -ENOTSOCK);
    EXPECT_EQ(net::close(file), 0);
    EXPECT_EQ(io::unlink(path.c_str()), 0);
    const int fresh = net::socket(net::kIpV4);
    EXPECT_EQ(net::recv(fresh, &byte, 1), -ENOTCONN);
    EXPECT_LT(net::send(fresh, &byte, 1), 0);
    EXPECT_EQ(net::accept(fresh), -EINVAL);
    EXPECT_EQ(net::close(fresh), 0);
    EXPECT_LT(net::socket(12345), 0);
  });
}

// --- peers

TEST_P(NetFaultTest, APeersResetEndsTheWait) {
  int fds[2];
  ASSERT_NO_FATAL_FAILURE(tcp_pair(fds));
  Task receiver = start([&] {
    char byte;
    EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), -ECONNRESET);
    if (!kResetIsToldOnce) {
      EXPECT_LT(net::send(fds[0], "x", 1), 0);
      return;
    }
    EXPECT_EQ(net::send(fds[0], "x", 1), -EPIPE);
    EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 0);
  });
  run([&] {
    await_wait(fds[0]);
    reset_connection(fds[1]);
  });
  receiver.join();
  net::close(fds[0]);

  ASSERT_NO_FATAL_FAILURE(tcp_pair(fds));
  const std::string much(size_t{32} << 20, 'm');
  Task sender = start([&] {
    const ptrdiff_t n = net::send_all(fds[0], much.data(), much.size(), far_deadline());
    EXPECT_TRUE(n == -ECONNRESET || n == -EPIPE) << n;
  });
  run([&] {
    char some[1000];
    EXPECT_EQ(net::recv_exactly(fds[1], some, sizeof(some), far_deadline()), 1000);
    reset_connection(fds[1]);
  });
  sender.join();
  net::close(fds[0]);
}

TEST_P(NetFaultTest, NobodyListens) {
  run([&] {
    // Bound, so that nobody else listens there by chance.
    const int bound = net::socket(net::kIpV4);
    ASSERT_EQ(net::bind(bound, net::Address::loopback_v4(0)), 0);
    net::Address address;
    ASSERT_EQ(net::local_address(bound, &address), 0);
    EXPECT_EQ(net::connect_to(address, far_deadline()), -ECONNREFUSED);
    net::close(bound);
    net::Address nowhere;
    ASSERT_EQ(net::Address::unix_path("/nonexistent/socket", &nowhere), 0);
    if (kUnixSockets) EXPECT_EQ(net::connect_to(nowhere), -ENOENT);
    EXPECT_EQ(net::connect_to(net::Address()), -EAFNOSUPPORT);
  });
}

// --- shutting down under a wait

TEST_P(NetFaultTest, AShutdownEndsWhatWaits) {
  for_each_kind([&](int* fds) {
    Task receiver = start([&] {
      char byte;
      EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 0);
      EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 0) << "from then on";
    });
    run([&] {
      await_wait(fds[0]);
      EXPECT_EQ(net::shutdown(fds[0], net::kShutBoth), 0);
    });
    receiver.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

TEST_P(NetFaultTest, AShutdownEndsASendThatNobodyReads) {
  for_each_kind([&](int* fds) {
    Task sender = start([&] {
      const std::vector<char> data(size_t{1} << 20);
      ptrdiff_t n = 1;
      while (n > 0) n = net::send(fds[0], data.data(), data.size(), 0, far_deadline());
      EXPECT_EQ(n, -EPIPE);
    });
    run([&] {
      // Some part of it lies in the buffers of both ends.
      char byte;
      EXPECT_EQ(net::recv(fds[1], &byte, 1, net::kPeek, far_deadline()), 1);
      await_wait(fds[0]);
      EXPECT_EQ(net::shutdown(fds[0], net::kShutBoth), 0);
    });
    sender.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

TEST_P(NetFaultTest, TheOtherDirectionsShutdownDisturbsNoReceive) {
  for_each_kind([&](int* fds) {
    Task receiver = start([&] {
      char byte = 0;
      EXPECT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 1);
      EXPECT_EQ(byte, 'x');
    });
    run([&] {
      await_wait(fds[0]);
      EXPECT_EQ(net::shutdown(fds[0], net::kShutSend), 0);
      char byte;
      EXPECT_EQ(net::recv(fds[1], &byte, 1, 0, far_deadline()), 0);
      EXPECT_EQ(net::send(fds[1], "x", 1), 1);
    });
    receiver.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, NetFaultTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

// --- addresses

TEST(NetAddressTest, TextAndBack) {
  net::Address a;
  ASSERT_EQ(net::Address::parse("127.0.0.1", 80, &a), 0);
  EXPECT_EQ(a.to_string(), "127.0.0.1:80");
  EXPECT_EQ(a.port(), 80);
  ASSERT_EQ(net::Address::parse("::1", 443, &a), 0);
  EXPECT_EQ(a.to_string(), "[::1]:443");
  EXPECT_EQ(a.family(), net::kIpV6);
  EXPECT_EQ(net::Address::parse("localhost", 1, &a), -EINVAL);
  EXPECT_EQ(net::Address::parse("", 1, &a), -EINVAL);
  EXPECT_EQ(net::Address::parse("fe80::1%nonexistent", 1, &a), -EINVAL);
  EXPECT_EQ(a.port(), 443) << "a failed call changes nothing";
  ASSERT_EQ(net::Address::unix_path("/run/x", &a), 0);
  EXPECT_EQ(a.to_string(), "/run/x");
  ASSERT_EQ(net::Address::unix_path(std::string("\0name", 5), &a), 0);
  EXPECT_EQ(a.to_string(), "@name");
  EXPECT_EQ(net::Address::unix_path("", &a), -EINVAL);
  EXPECT_EQ(net::Address::unix_path(std::string(108, 'p'), &a), -ENAMETOOLONG);
  EXPECT_EQ(net::Address().to_string(), "");
}

TEST(NetAddressTest, BothEndsKnowEachOther) {
  for (const net::Address& any : {net::Address::loopback_v4(0), net::Address::loopback_v6(0)}) {
    const int listener = net::listen_on(any);
    if (listener == -EADDRNOTAVAIL || listener == -EAFNOSUPPORT) continue;  // no IPv6 here
    ASSERT_GE(listener, 0);
    net::Address address, here, there, peer;
    ASSERT_EQ(net::local_address(listener, &address), 0);
    const int client = net::connect_to(address, far_deadline());
    ASSERT_GE(client, 0);
    const int server = net::accept(listener, &peer, far_deadline());
    ASSERT_GE(server, 0);
    ASSERT_EQ(net::local_address(client, &here), 0);
    ASSERT_EQ(net::peer_address(client, &there), 0);
    EXPECT_EQ(there.to_string(), address.to_string());
    EXPECT_EQ(peer.to_string(), here.to_string());
    for (int fd : {client, server, listener}) net::close(fd);
  }
}

}  // namespace
}  // namespace fiber::testing
