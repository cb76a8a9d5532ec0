// poll, select and epoll_wait of fiber/posix/net.h, on plain threads and on fibers with every
// engine: who makes a descriptor ready is a fiber of the same workers.
#include <fcntl.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/posix.h"
#include "fiber/posix/net.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

class PosixPollTest : public NetTest {
 protected:
  void SetUp() override {
    NetTest::SetUp();
    for (auto& pair : pairs_) ASSERT_EQ(0, posix::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()));
  }
  void TearDown() override {
    run([this] {
      for (const auto& pair : pairs_) {
        for (const int fd : pair) posix::close(fd);
      }
    });
    NetTest::TearDown();
  }
  static void take(int fd) {
    char byte = 0;
    EXPECT_EQ(1, posix::read(fd, &byte, 1));
  }
  static void give(int fd) { EXPECT_EQ(1, posix::write(fd, "x", 1)); }

  std::array<std::array<int, 2>, 3> pairs_;
};

TEST_P(PosixPollTest, OneDescriptorIsWaitedFor) {
  Task gives = start([&] { give(pairs_[0][1]); });
  run([&] {
    pollfd entry = {pairs_[0][0], POLLIN, 0};
    EXPECT_EQ(1, posix::poll(&entry, 1, -1));
    EXPECT_EQ(POLLIN, entry.revents);
    take(pairs_[0][0]);
    entry.events = POLLOUT;
    EXPECT_EQ(1, posix::poll(&entry, 1, -1));
    EXPECT_EQ(POLLOUT, entry.revents);
  });
  gives.join();
}

// A program may ask again and again for what another one is to do.
TEST_P(PosixPollTest, WhoOnlyAsksLetsOthersRun) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN;
  ASSERT_EQ(0, ::epoll_ctl(epoll, EPOLL_CTL_ADD, pairs_[1][0], &event));
  run([&] {
    Task gives = start([&] { give(pairs_[0][1]); });
    pollfd entry = {pairs_[0][0], POLLIN, 0};
    while (posix::poll(&entry, 1, 0) == 0) continue;
    EXPECT_EQ(POLLIN, entry.revents);
    gives.join();
    gives = start([&] { give(pairs_[1][1]); });
    while (posix::epoll_wait(epoll, &event, 1, 0) == 0) continue;
    gives.join();
    gives = start([&] { give(pairs_[2][1]); });
    fd_set in;
    timeval none = {0, 0};
    do {
      FD_ZERO(&in);
      FD_SET(pairs_[2][0], &in);
    } while (posix::select(pairs_[2][0] + 1, &in, nullptr, nullptr, &none) == 0);
    gives.join();
    EXPECT_EQ(0, posix::close(epoll));
  });
}

TEST_P(PosixPollTest, OfSeveralTheFirstThatIsReadyEndsTheWait) {
  for (size_t which = 0; which < pairs_.size(); which++) {
    Task gives = start([&, which] { give(pairs_[which][1]); });
    run([&] {
      // Ignored, in two directions, and one twice.
      std::vector<pollfd> entries = {{-1, POLLIN, 7}, {pairs_[0][0], POLLPRI, 0}};
      for (const auto& pair : pairs_) entries.push_back({pair[0], POLLIN | POLLRDHUP, 0});
      EXPECT_EQ(1, posix::poll(entries.data(), entries.size(), -1));
      for (size_t i = 0; i < entries.size(); i++) {
        EXPECT_EQ(i == which + 2 ? POLLIN : 0, entries[i].revents) << i;
      }
      take(pairs_[which][0]);
    });
    gives.join();
  }
}

TEST_P(PosixPollTest, AHangUpIsReportedUnasked) {
  Task closes = start([&] { EXPECT_EQ(0, ::shutdown(pairs_[1][1], SHUT_RDWR)); });
  run([&] {
    pollfd entries[] = {{pairs_[0][0], POLLIN, 0}, {pairs_[1][0], 0, 0}};
    EXPECT_EQ(1, posix::poll(entries, 2, -1));
    EXPECT_EQ(POLLHUP, entries[1].revents);
  });
  closes.join();
}

TEST_P(PosixPollTest, TimeoutsAndBadDescriptorsAreAsTheSystemHasThem) {
  run([&] {
    constexpr int kMillis = 5;
    pollfd entries[] = {{pairs_[0][0], POLLIN, 0}, {pairs_[1][0], POLLIN, 0}};
    for (const nfds_t count : {0, 1, 2}) {
      const uint64_t begin = now_nanos();
      EXPECT_EQ(0, posix::poll(entries, count, kMillis));
      EXPECT_GE(now_nanos() - begin, kMillis * kMillisecond);
      EXPECT_EQ(0, posix::poll(entries, count, 0));
    }
    const timespec time = {0, kMillis * 1'000'000};
    EXPECT_EQ(0, posix::ppoll(entries, 2, &time, nullptr));
    const timespec wrong = {0, -1};
    errno = 0;
    EXPECT_EQ(-1, posix::ppoll(entries, 2, &wrong, nullptr));
    EXPECT_EQ(EINVAL, errno);
    pollfd bad = {1 << 29, POLLIN, 0};
    EXPECT_EQ(1, posix::poll(&bad, 1, -1));
    EXPECT_EQ(POLLNVAL, bad.revents);
    // A file is always ready.
    const int file = posix::open("/dev/null", O_RDWR);
    pollfd ready = {file, POLLIN | POLLOUT, 0};
    EXPECT_EQ(1, posix::poll(&ready, 1, -1));
    posix::close(file);
  });
}

TEST_P(PosixPollTest, SelectTellsWhatIsReadyAndHowLongItTook) {
  Task gives = start([&] { give(pairs_[1][1]); });
  run([&] {
    const int top = std::max({pairs_[0][0], pairs_[1][0], pairs_[2][0]}) + 1;
    fd_set in, out, except;
    FD_ZERO(&in);
    FD_ZERO(&except);
    for (const auto& pair : pairs_) FD_SET(pair[0], &in);
    FD_SET(pairs_[0][0], &except);
    timeval limit = {100, 0};
    EXPECT_EQ(1, posix::select(top, &in, nullptr, &except, &limit));
    EXPECT_FALSE(FD_ISSET(pairs_[0][0], &in));
    EXPECT_TRUE(FD_ISSET(pairs_[1][0], &in));
    EXPECT_FALSE(FD_ISSET(pairs_[2][0], &in));
    EXPECT_FALSE(FD_ISSET(pairs_[0][0], &except));
    EXPECT_LE(limit.tv_sec, 100);
    EXPECT_GT(limit.tv_sec, 0);
    // One descriptor counts once for each set.
    FD_ZERO(&out);
    FD_SET(pairs_[1][0], &out);
    EXPECT_EQ(2, posix::select(top, &in, &out, nullptr, nullptr));
    take(pairs_[1][0]);

    const uint64_t begin = now_nanos();
    limit = {0, 5000};
    EXPECT_EQ(0, posix::select(top, &in, nullptr, nullptr, &limit));
    EXPECT_GE(now_nanos() - begin, 5 * kMillisecond);
    EXPECT_EQ(0, limit.tv_sec);
    EXPECT_EQ(0, limit.tv_usec);
    EXPECT_FALSE(FD_ISSET(pairs_[1][0], &in));
    const timespec time = {0, 1'000'000};
    EXPECT_EQ(0, posix::pselect(0, nullptr, nullptr, nullptr, &time, nullptr));
    EXPECT_EQ(0, posix::select(0, nullptr, nullptr, nullptr, &limit));
  });
  gives.join();
  run([&] {
    const int closed = ::dup(pairs_[0][0]);
    ASSERT_EQ(0, posix::close(closed));
    fd_set in;
    FD_ZERO(&in);
    FD_SET(closed, &in);
    errno = 0;
    EXPECT_EQ(-1, posix::select(closed + 1, &in, nullptr, nullptr, nullptr));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::select(-1, nullptr, nullptr, nullptr, nullptr));
    EXPECT_EQ(EINVAL, errno);
  });
}

TEST_P(PosixPollTest, AnEpollInstanceIsWaitedFor) {
  constexpr int kRounds = 20;
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  for (const auto& pair : pairs_) {
    epoll_event event = {};
    event.events = EPOLLIN | (&pair == &pairs_[1] ? EPOLLET : 0u);
    event.data.fd = pair[0];
    ASSERT_EQ(0, ::epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event));
  }
  Task gives = start([&] {
    for (int i = 0; i < kRounds; i++) {
      for (const auto& pair : pairs_) give(pair[1]);
    }
  });
  run([&] {
    for (int taken = 0; taken < kRounds * 3;) {
      epoll_event events[3];
      const int count = posix::epoll_wait(epoll, events, 3, -1);
      ASSERT_GT(count, 0);
      for (int i = 0; i < count; i++) {
        char bytes[64];
        const ssize_t n = posix::recv(events[i].data.fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        EXPECT_GT(n, 0);
        taken += static_cast<int>(n);
      }
    }
    epoll_event event;
    const uint64_t begin = now_nanos();
    EXPECT_EQ(0, posix::epoll_wait(epoll, &event, 1, 5));
    EXPECT_GE(now_nanos() - begin, 5 * kMillisecond);
    EXPECT_EQ(0, posix::epoll_pwait(epoll, &event, 1, 0, nullptr));
    errno = 0;
    EXPECT_EQ(-1, posix::epoll_wait(pairs_[0][0], &event, 1, -1));
    EXPECT_EQ(EINVAL, errno);
    EXPECT_EQ(0, posix::close(epoll));
  });
  gives.join();
}

TEST_P(PosixPollTest, ManyWaitOnOneEpollInstance) {
  constexpr int kWaiters = 5, kEvents = 50;
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int counter = ::eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN;
  ASSERT_EQ(0, ::epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event));
  std::atomic<int> taken{0};
  std::vector<Task> waiters;
  for (int i = 0; i < kWaiters; i++) {
    waiters.push_back(start([&] {
      while (taken.load() < kEvents) {
        epoll_event got;
        EXPECT_EQ(1, posix::epoll_wait(epoll, &got, 1, -1));
        uint64_t one = 0;
        if (posix::read(counter, &one, sizeof(one)) < 0) {
          EXPECT_EQ(EAGAIN, errno);  // another was faster
        } else if (taken.fetch_add(1) + 1 == kEvents) {
          const uint64_t all = kWaiters * 2;  // the others shall see the end
          EXPECT_EQ(8, posix::write(counter, &all, sizeof(all)));
        }
      }
    }));
  }
  run([&] {
    for (int i = 0; i < kEvents; i++) {
      const uint64_t one = 1;
      EXPECT_EQ(8, posix::write(counter, &one, sizeof(one)));
      yield();
    }
  });
  for (Task& task : waiters) task.join();
  EXPECT_GE(taken.load(), kEvents);
  run([&] {
    posix::close(epoll);
    posix::close(counter);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, PosixPollTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
