// recvmmsg() and sendmmsg() of fiber/posix/net.h, on plain threads and on fibers with every engine:
// both ends are fibers of the same workers.
#include <fcntl.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/posix.h"
#include "fiber/posix/net.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

// Messages of one part each, and where their parts lie.
class Batch {
 public:
  Batch(size_t count, size_t size)
      : texts_(count, std::string(size, '.')), parts_(count), messages_(count) {
    for (size_t i = 0; i < count; i++) {
      parts_[i] = {texts_[i].data(), size};
      messages_[i] = {};
      messages_[i].msg_hdr.msg_iov = &parts_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  mmsghdr* get(size_t first = 0) { return messages_.data() + first; }
  unsigned count() const { return static_cast<unsigned>(messages_.size()); }
  std::string& text(size_t i) { return texts_[i]; }
  // What was received.
  std::string got(size_t i) const { return texts_[i].substr(0, messages_[i].msg_len); }
  unsigned size(size_t i) const { return messages_[i].msg_len; }

 private:
  std::vector<std::string> texts_;
  std::vector<iovec> parts_;
  std::vector<mmsghdr> messages_;
};

class PosixBatchTest : public NetTest {
 protected:
  void connect_pair(int type) { ASSERT_EQ(0, posix::socketpair(AF_UNIX, type, 0, fds_.data())); }
  void TearDown() override {
    run([this] {
      for (const int fd : fds_) {
        if (fd >= 0) EXPECT_EQ(0, posix::close(fd));
      }
    });
    NetTest::TearDown();
  }
  void give(const std::string& text) {
    EXPECT_EQ(static_cast<ssize_t>(text.size()), posix::send(fds_[1], text.data(), text.size(), 0));
  }

  // All of a batch: on a fiber in one call. On a thread one by one: where the process is stopped
  // meanwhile, Linux ends a call after the messages that came, and the next one with ERESTARTSYS.
  void receive_all(Batch* batch, int flags = 0) {
    const unsigned at_once = runtime_ ? batch->count() : 1;
    for (unsigned done = 0; done < batch->count(); done += at_once) {
      ASSERT_EQ(static_cast<int>(at_once),
                posix::recvmmsg(fds_[0], batch->get(done), at_once, flags, nullptr))
          << errno;
    }
  }

  std::array<int, 2> fds_ = {-1, -1};
};

TEST_P(PosixBatchTest, AllMessagesAreWaitedFor) {
  connect_pair(SOCK_DGRAM);
  Task gives = start([&] {
    for (const char* text : {"a", "bb", "ccc"}) {
      give(text);
      posix::sched_yield();
    }
  });
  run([&] {
    Batch batch(3, 8);
    receive_all(&batch);
    EXPECT_EQ("a", batch.got(0));
    EXPECT_EQ("bb", batch.got(1));
    EXPECT_EQ("ccc", batch.got(2));
  });
  gives.join();
}

TEST_P(PosixBatchTest, OneIsWaitedForWhereThatIsAskedAndTheRestTakenAsItIs) {
  connect_pair(SOCK_DGRAM);
  Task gives = start([&] { give("a"); });
  run([&] {
    Batch batch(3, 8);
    EXPECT_EQ(1, posix::recvmmsg(fds_[0], batch.get(), 3, MSG_WAITFORONE, nullptr));
    EXPECT_EQ("a", batch.got(0));
    errno = 0;
    EXPECT_EQ(-1, posix::recvmmsg(fds_[0], batch.get(), 3, MSG_DONTWAIT, nullptr));
    EXPECT_EQ(EAGAIN, errno);
    give("x");
    give("y");
    EXPECT_EQ(2, posix::recvmmsg(fds_[0], batch.get(), 3, MSG_DONTWAIT, nullptr));
    EXPECT_EQ("y", batch.got(1));
  });
  gives.join();
}

TEST_P(PosixBatchTest, MoreThanTheQueueHoldsIsSentWhileItIsTaken) {
  connect_pair(SOCK_DGRAM);
  constexpr size_t kMessages = 700;
  Task sends = start([&] {
    Batch batch(kMessages, 4);
    for (size_t i = 0; i < kMessages; i++) batch.text(i).replace(0, 4, std::to_string(1000 + i));
    unsigned done = 0;
    while (done < kMessages) {
      const int n = posix::sendmmsg(fds_[1], batch.get(done), batch.count() - done, 0);
      ASSERT_GT(n, 0);
      for (int i = 0; i < n; i++) EXPECT_EQ(4u, batch.size(done + static_cast<unsigned>(i)));
      done += static_cast<unsigned>(n);
    }
    EXPECT_EQ(kMessages, done);
  });
  run([&] {
    Batch batch(kMessages, 8);
    receive_all(&batch);
    for (size_t i = 0; i < kMessages; i++) EXPECT_EQ(std::to_string(1000 + i), batch.got(i));
  });
  sends.join();
}

TEST_P(PosixBatchTest, AStreamTakesEachMessageWholeAndFillsThoseThatWaitForAll) {
  connect_pair(SOCK_STREAM);
  constexpr size_t kSize = 300'000;
  Task sends = start([&] {
    Batch batch(3, kSize);
    for (size_t i = 0; i < 3; i++) batch.text(i).assign(kSize, static_cast<char>('a' + i));
    unsigned done = 0;
    // (The system's own, on a thread, may end a batch after a message that was taken in pieces.)
    while (done < 3) {
      const int n = posix::sendmmsg(fds_[1], batch.get(done), 3 - done, 0);
      ASSERT_GT(n, 0);
      for (int i = 0; i < n; i++) EXPECT_EQ(kSize, batch.size(done + static_cast<unsigned>(i)));
      done += static_cast<unsigned>(n);
    }
  });
  run([&] {
    Batch batch(2, kSize + kSize / 2);
    receive_all(&batch, MSG_WAITALL);
    EXPECT_EQ(std::string(kSize, 'a') + std::string(kSize / 2, 'b'), batch.got(0));
    EXPECT_EQ(std::string(kSize / 2, 'b') + std::string(kSize, 'c'), batch.got(1));
  });
  sends.join();
}

TEST_P(PosixBatchTest, ATimeIsLookedAtWhenSomethingCame) {
  connect_pair(SOCK_DGRAM);
  run([&] {
    Batch batch(3, 8);
    give("a");
    timespec none = {0, 0};
    EXPECT_EQ(1, posix::recvmmsg(fds_[0], batch.get(), 3, 0, &none));
    give("b");
    give("c");
    give("d");
    timespec enough = {100, 0};
    EXPECT_EQ(3, posix::recvmmsg(fds_[0], batch.get(), 3, 0, &enough));
    EXPECT_TRUE(enough.tv_sec == 99 || (enough.tv_sec == 100 && enough.tv_nsec == 0))
        << enough.tv_sec;
  });
}

TEST_P(PosixBatchTest, ThePatienceOfTheSocketEndsAWait) {
  connect_pair(SOCK_DGRAM);
  const timeval limit = {0, 2000};
  ASSERT_EQ(0, ::setsockopt(fds_[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
  run([&] {
    Batch batch(3, 8);
    errno = 0;
    EXPECT_EQ(-1, posix::recvmmsg(fds_[0], batch.get(), 3, 0, nullptr));
    EXPECT_EQ(EAGAIN, errno);
    give("a");
    EXPECT_EQ(1, posix::recvmmsg(fds_[0], batch.get(), 3, 0, nullptr));
  });
}

TEST_P(PosixBatchTest, Errors) {
  connect_pair(SOCK_STREAM);
  run([&] {
    Batch batch(2, 8);
    errno = 0;
    EXPECT_EQ(-1, posix::recvmmsg(-1, batch.get(), 2, 0, nullptr));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::sendmmsg(-1, batch.get(), 2, 0));
    EXPECT_EQ(EBADF, errno);
    timespec wrong = {0, 1'000'000'000};
    errno = 0;
    EXPECT_EQ(-1, posix::recvmmsg(fds_[0], batch.get(), 2, 0, &wrong));
    EXPECT_EQ(EINVAL, errno);
    EXPECT_EQ(0, posix::sendmmsg(fds_[1], batch.get(), 0, 0));
    ASSERT_EQ(0, ::shutdown(fds_[1], SHUT_WR));
    EXPECT_EQ(2, posix::recvmmsg(fds_[0], batch.get(), 2, 0, nullptr));
    EXPECT_EQ("", batch.got(0));
    errno = 0;
    EXPECT_EQ(-1, posix::sendmmsg(fds_[1], batch.get(), 2, MSG_NOSIGNAL));
    EXPECT_EQ(EPIPE, errno);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, PosixBatchTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
