// net.h, what moves over connections: echo, big and empty sends, half-close, messages,
// backpressure.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

using NetTransferTest = NetTest;

std::string pattern(size_t size) {
  std::string data(size, '\0');
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<char>((i * 2654435761u) >> 13);
  return data;
}

TEST_P(NetTransferTest, WhatIsSentArrives) {
  run([&] {
    for_each_kind([&](int* fds) {
      char buffer[16] = {};
      EXPECT_EQ(net::send(fds[0], "hello", 5), 5);
      EXPECT_EQ(net::recv(fds[1], buffer, sizeof(buffer)), 5);
      EXPECT_EQ(std::string(buffer), "hello");
      net::close(fds[0]);
      EXPECT_EQ(net::recv(fds[1], buffer, sizeof(buffer)), 0);
      net::close(fds[1]);
    });
  });
}

TEST_P(NetTransferTest, ManyConnectionsEchoAtOnce) {
  constexpr int kConnections = 40;
  const int rounds = std::max(3, 60 / kScaleDown);
  const int listener = net::listen_on(net::Address::loopback_v4(0));
  ASSERT_GE(listener, 0);
  net::Address address;
  ASSERT_EQ(net::local_address(listener, &address), 0);
  std::vector<Task> tasks;
  tasks.push_back(start([&] {
    std::vector<Task> servers;
    for (int i = 0; i < kConnections; ++i) {
      const int fd = net::accept(listener, nullptr, far_deadline());
      EXPECT_GE(fd, 0);
      servers.push_back(start([fd] {
        char buffer[100];
        for (;;) {
          const ptrdiff_t n = net::recv(fd, buffer, sizeof(buffer), 0, far_deadline());
          EXPECT_GE(n, 0);
          if (n <= 0) break;
          EXPECT_EQ(net::send_all(fd, buffer, static_cast<size_t>(n), far_deadline()), n);
        }
        EXPECT_EQ(net::close(fd), 0);
      }));
    }
    for (Task& server : servers) server.join();
  }));
  for (int c = 0; c < kConnections; ++c) {
    tasks.push_back(start([&, c] {
      const int fd = net::connect_to(address, far_deadline());
      ASSERT_GE(fd, 0);
      EXPECT_EQ(net::set_nodelay(fd, true), 0);
      for (int i = 0; i < rounds; ++i) {
        const std::string sent = std::to_string(c) + "/" + std::to_string(i) +
                                 std::string(static_cast<size_t>(i % 200), 'x');
        std::string back(sent.size(), '\0');
        ASSERT_EQ(net::send_all(fd, sent.data(), sent.size()), static_cast<ptrdiff_t>(sent.size()));
        ASSERT_EQ(net::recv_exactly(fd, back.data(), back.size(), far_deadline()),
                  static_cast<ptrdiff_t>(back.size()));
        ASSERT_EQ(back, sent);
      }
      EXPECT_EQ(net::close(fd), 0);
    }));
  }
  for (Task& task : tasks) task.join();
  EXPECT_EQ(net::close(listener), 0);
}

TEST_P(NetTransferTest, AnEmptySendAndAnEmptyReceiveReturnAtOnce) {
  run([&] {
    for_each_kind([&](int* fds) {
      char byte = 0;
      EXPECT_EQ(net::send(fds[0], "", 0), 0);
      EXPECT_EQ(net::recv(fds[1], &byte, 0), 0);
      EXPECT_EQ(net::send_all(fds[0], "", 0), 0);
      EXPECT_EQ(net::recv_exactly(fds[1], &byte, 0), 0);
      net::close(fds[0]);
      net::close(fds[1]);
    });
  });
}

TEST_P(NetTransferTest, TenMegabytesPassASlowReader) {
  const std::string sent = pattern(size_t{10} << 20);
  for_each_kind([&](int* fds) {
    std::atomic<size_t> taken{0};
    Task sender = start([&] {
      size_t done = 0;
      while (done < sent.size()) {
        const ptrdiff_t n =
            net::send(fds[0], sent.data() + done, sent.size() - done, 0, far_deadline());
        ASSERT_GT(n, 0);
        done += static_cast<size_t>(n);
        taken = done;
      }
      EXPECT_EQ(net::shutdown(fds[0], net::kShutSend), 0);
    });
    run([&] {
      std::string got;
      std::vector<char> buffer(97 << 10);
      for (size_t turn = 0;; ++turn) {
        const ptrdiff_t n =
            net::recv(fds[1], buffer.data(), 1 + turn * 7919 % buffer.size(), 0, far_deadline());
        ASSERT_GE(n, 0);
        if (n == 0) break;
        got.append(buffer.data(), static_cast<size_t>(n));
        if (turn % 8 == 0) yield();
      }
      EXPECT_TRUE(got == sent) << got.size();
    });
    sender.join();
    EXPECT_EQ(taken, sent.size());
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

TEST_P(NetTransferTest, ASenderWaitsWhileThePeerDoesNotRead) {
  for_each_kind([&](int* fds) {
    const std::string chunk(64 << 10, 'b');
    size_t filled = 0;
    run([&] {
      for (;;) {
        const ptrdiff_t n =
            net::send(fds[0], chunk.data(), chunk.size(), 0, deadline_after(20 * kMillisecond));
        if (n < 0) {
          EXPECT_EQ(n, -ETIMEDOUT);
          break;
        }
        filled += static_cast<size_t>(n);
        ASSERT_LT(filled, size_t{1} << 30) << "no backpressure";
      }
    });
    EXPECT_GT(filled, 0u);
    // Nothing of the send that timed out came through: what arrives is what was taken.
    Task sender = start([&] { EXPECT_EQ(net::send_all(fds[0], "end", 3, far_deadline()), 3); });
    run([&] {
      std::vector<char> buffer(filled);
      ASSERT_EQ(net::recv_exactly(fds[1], buffer.data(), filled, far_deadline()),
                static_cast<ptrdiff_t>(filled));
      EXPECT_EQ(std::count(buffer.begin(), buffer.end(), 'b'), static_cast<ptrdiff_t>(filled));
      char end[4] = {};
      ASSERT_EQ(net::recv_exactly(fds[1], end, 3, far_deadline()), 3);
      EXPECT_STREQ(end, "end");
    });
    sender.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

TEST_P(NetTransferTest, AfterAHalfCloseTheOtherDirectionGoesOn) {
  for_each_kind([&](int* fds) {
    Task server = start([&] {
      char buffer[64];
      size_t total = 0;
      ptrdiff_t n;
      while ((n = net::recv(fds[1], buffer, sizeof(buffer), 0, far_deadline())) > 0)
        total += static_cast<size_t>(n);
      EXPECT_EQ(n, 0);
      const std::string answer = std::to_string(total);
      EXPECT_EQ(net::send_all(fds[1], answer.data(), answer.size()),
                static_cast<ptrdiff_t>(answer.size()));
      EXPECT_EQ(net::shutdown(fds[1], net::kShutSend), 0);
    });
    run([&] {
      EXPECT_EQ(net::send_all(fds[0], pattern(1000).data(), 1000), 1000);
      EXPECT_EQ(net::shutdown(fds[0], net::kShutSend), 0);
      EXPECT_EQ(net::send(fds[0], "x", 1), -EPIPE);
      char answer[8] = {};
      EXPECT_EQ(net::recv_exactly(fds[0], answer, sizeof(answer), far_deadline()), 4);
      EXPECT_STREQ(answer, "1000");
    });
    server.join();
    net::close(fds[0]);
    net::close(fds[1]);
  });
}

TEST_P(NetTransferTest, PeekingAndPartialReadsLeaveTheRest) {
  run([&] {
    for_each_kind([&](int* fds) {
      char buffer[64] = {};
      EXPECT_EQ(net::recv(fds[1], buffer, 1, net::kDontWait), -EAGAIN);
      ASSERT_EQ(net::send(fds[0], "abcdef", 6), 6);
      EXPECT_EQ(net::recv(fds[1], buffer, sizeof(buffer), net::kPeek, far_deadline()), 6);
      EXPECT_EQ(net::recv(fds[1], buffer, sizeof(buffer), net::kPeek, far_deadline()), 6);
      EXPECT_EQ(net::recv(fds[1], buffer, 2, 0, far_deadline()), 2);
      EXPECT_EQ(net::recv(fds[1], buffer, 4, 0, far_deadline()), 4);
      EXPECT_EQ(net::recv(fds[1], buffer, 1, 0, deadline_after(kMillisecond)), -ETIMEDOUT);
      EXPECT_EQ(net::recv(fds[1], buffer, 1, kWaitAll), -EINVAL);
      net::close(fds[0]);
      net::close(fds[1]);
    });
  });
}

// More waits than the completion queue has places: none of them keeps the others from moving.
TEST_P(NetTransferTest, ThousandsOfIdleConnectionsHinderNobody) {
  if (!GetParam().fibers) GTEST_SKIP() << "a thread each";
  // Only the kernel's poll knows them all in a simulation: their number squared.
  const size_t pairs = 3000 / (Simulation::inside() ? 20 : kScaleDown);
  std::vector<int> fds(2 * pairs);
  for (size_t i = 0; i < pairs; ++i) ASSERT_EQ(net::socket_pair(&fds[2 * i]), 0) << i;
  std::atomic<size_t> ended{0};
  std::vector<Task> idle;
  for (size_t i = 1; i < pairs; ++i) {
    idle.push_back(start([&, i] {
      char byte;
      EXPECT_EQ(net::recv(fds[2 * i], &byte, 1, 0, far_deadline()), 1);
      ++ended;
    }));
  }
  Task echo = start([&] {
    char byte;
    while (net::recv(fds[1], &byte, 1, 0, far_deadline()) == 1)
      EXPECT_EQ(net::send(fds[1], &byte, 1), 1);
  });
  run([&] {
    for (int i = 0; i < 100; ++i) {
      char byte = static_cast<char>(i);
      ASSERT_EQ(net::send(fds[0], &byte, 1), 1);
      ASSERT_EQ(net::recv(fds[0], &byte, 1, 0, far_deadline()), 1);
      ASSERT_EQ(byte, static_cast<char>(i));
    }
    EXPECT_EQ(ended, 0u);
    net::shutdown(fds[0], net::kShutSend);
    for (size_t i = 1; i < pairs; ++i) ASSERT_EQ(net::send(fds[2 * i + 1], "x", 1), 1);
  });
  echo.join();
  for (Task& task : idle) task.join();
  EXPECT_EQ(ended, pairs - 1);
  for (int fd : fds) EXPECT_EQ(net::close(fd), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, NetTransferTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
