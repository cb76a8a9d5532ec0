// The socket calls of fiber/posix/net.h keep POSIX's and Linux's contract on plain threads and on
// fibers with every engine: both sides of each wait are fibers of the same workers.
#include "fiber/posix/net.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/posix.h"
#include "fiber/simulation.h"
#include "net_testing.h"

namespace fiber::testing {
namespace {

class PosixNetTest : public NetTest {
 protected:
  // A listening socket on the loopback, and its address.
  static int listen_on_loopback(sockaddr_in* address, int backlog = 16) {
    const int fd = posix::socket(AF_INET, SOCK_STREAM, 0);
    *address = {};
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(*address);
    EXPECT_EQ(0, ::bind(fd, generic(address), size));
    EXPECT_EQ(0, ::listen(fd, backlog));
    EXPECT_EQ(0, ::getsockname(fd, generic(address), &size));
    return fd;
  }
  template <class Address>
  static sockaddr* generic(Address* address) {
    return reinterpret_cast<sockaddr*>(address);
  }
  static bool is_blocking(int fd) { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0; }
  static void set_blocking(int fd, bool on) {
    const int flags = ::fcntl(fd, F_GETFL);
    ASSERT_EQ(0, ::fcntl(fd, F_SETFL, on ? flags & ~O_NONBLOCK : flags | O_NONBLOCK));
  }
  static void set_patience(int fd, int option, long micros) {
    const timeval limit = {0, micros};
    ASSERT_EQ(0, ::setsockopt(fd, SOL_SOCKET, option, &limit, sizeof(limit)));
  }
  // Connected sockets, blocking ones.
  static void pair(int fds[2], int type = SOCK_STREAM) {
    ASSERT_EQ(0, posix::socketpair(AF_UNIX, type, 0, fds));
  }
  static void close_both(const int fds[2]) {
    EXPECT_EQ(0, posix::close(fds[0]));
    EXPECT_EQ(0, posix::close(fds[1]));
  }
  static std::string pattern(size_t size) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; i++) text[i] = static_cast<char>('a' + i % 23 + i / 4096 % 3);
    return text;
  }
};

constexpr size_t kLarge = 1 << 20;

TEST_P(PosixNetTest, AServerAndItsClientsTransferAllOfWhatTheySend) {
  sockaddr_in address;
  const int listener = listen_on_loopback(&address);
  const std::string sent = pattern(kLarge);
  constexpr int kClients = 3;
  std::vector<Task> clients;
  for (int i = 0; i < kClients; i++) {
    clients.push_back(start([&] {
      const int fd = posix::socket(AF_INET, SOCK_STREAM, 0);
      ASSERT_EQ(0, posix::connect(fd, generic(&address), sizeof(address)));
      EXPECT_TRUE(is_blocking(fd));
      // A blocking send takes everything, a receive that waits for all gives everything.
      EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::send(fd, sent.data(), kLarge, 0));
      std::string back(kLarge, '\0');
      EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::recv(fd, back.data(), kLarge, MSG_WAITALL));
      EXPECT_TRUE(sent == back);
      EXPECT_EQ(0, ::shutdown(fd, SHUT_WR));
      EXPECT_EQ(0, posix::recv(fd, back.data(), kLarge, 0));
      EXPECT_EQ(0, posix::close(fd));
    }));
  }
  std::vector<Task> servers;
  run([&] {
    for (int i = 0; i < kClients; i++) {
      sockaddr_in peer = {};
      socklen_t size = sizeof(peer);
      const int fd = posix::accept(listener, generic(&peer), &size);
      ASSERT_GE(fd, 0);
      EXPECT_EQ(htonl(INADDR_LOOPBACK), peer.sin_addr.s_addr);
      EXPECT_TRUE(is_blocking(fd));
      servers.push_back(start([fd] {
        std::string got(kLarge, '\0');
        EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::recv(fd, got.data(), kLarge, MSG_WAITALL));
        EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::write(fd, got.data(), kLarge));
        EXPECT_EQ(0, posix::read(fd, got.data(), kLarge));
        EXPECT_EQ(0, posix::close(fd));
      }));
    }
  });
  for (Task& task : servers) task.join();
  for (Task& task : clients) task.join();
  run([&] { EXPECT_EQ(0, posix::close(listener)); });
}

TEST_P(PosixNetTest, ADescriptorIsBlockingOrNotAsTheProgramMadeIt) {
  run([&] {
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(pair(fds));
    char byte = 0;
    errno = 0;
    EXPECT_EQ(-1, posix::recv(fds[0], &byte, 1, MSG_DONTWAIT));
    EXPECT_EQ(EAGAIN, errno);
    EXPECT_TRUE(is_blocking(fds[0]));
    set_blocking(fds[0], false);
    for (int i = 0; i < 3; i++) {
      errno = 0;
      iovec part = {&byte, 1};
      msghdr message = {};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      EXPECT_EQ(-1, i == 0   ? posix::recv(fds[0], &byte, 1, 0)
                    : i == 1 ? posix::read(fds[0], &byte, 1)
                             : posix::recvmsg(fds[0], &message, MSG_WAITALL));
      EXPECT_EQ(EAGAIN, errno);
    }
    // It sends what there is room for.
    const std::string text(16 << 20, 'x');
    const ssize_t some = posix::send(fds[0], text.data(), text.size(), 0);
    EXPECT_GT(some, 0);
    EXPECT_LT(some, static_cast<ssize_t>(text.size()));
    errno = 0;
    EXPECT_EQ(-1, posix::write(fds[0], text.data(), text.size()));
    EXPECT_EQ(EAGAIN, errno);
    EXPECT_FALSE(is_blocking(fds[0]));
    close_both(fds);

    sockaddr_in address;
    const int listener = listen_on_loopback(&address);
    set_blocking(listener, false);
    errno = 0;
    EXPECT_EQ(-1, posix::accept(listener, nullptr, nullptr));
    EXPECT_EQ(EAGAIN, errno);
    const int fd = posix::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    EXPECT_EQ(FD_CLOEXEC, ::fcntl(fd, F_GETFD));
    if (posix::connect(fd, generic(&address), sizeof(address)) != 0) {
      EXPECT_EQ(EINPROGRESS, errno);
    }
    pollfd ready = {fd, POLLOUT, 0};
    EXPECT_EQ(1, posix::poll(&ready, 1, -1));
    set_blocking(listener, true);
    const int plain = posix::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    EXPECT_FALSE(is_blocking(plain));
    EXPECT_EQ(FD_CLOEXEC, ::fcntl(plain, F_GETFD));
    posix::close(plain);
    posix::close(fd);
    posix::close(listener);
  });
}

TEST_P(PosixNetTest, TimeoutsOfTheSocketAreObeyed) {
  run([&] {
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(pair(fds));
    constexpr long kMicros = 20'000;
    set_patience(fds[0], SO_RCVTIMEO, kMicros);
    set_patience(fds[0], SO_SNDTIMEO, kMicros);
    char byte = 0;
    const uint64_t begin = now_nanos();
    errno = 0;
    EXPECT_EQ(-1, posix::recv(fds[0], &byte, 1, 0));
    EXPECT_EQ(EAGAIN, errno);
    EXPECT_GE(now_nanos() - begin, kMicros * 1000u / 2);  // the system counts in ticks
    const std::string text(16 << 20, 'x');
    const ssize_t some = posix::send(fds[0], text.data(), text.size(), 0);
    EXPECT_GT(some, 0);
    EXPECT_LT(some, static_cast<ssize_t>(text.size()));
    errno = 0;
    EXPECT_EQ(-1, posix::send(fds[0], text.data(), text.size(), 0));
    EXPECT_EQ(EAGAIN, errno);
    // What has come until then counts.
    EXPECT_EQ(2, posix::send(fds[1], "ab", 2, 0));
    char four[4] = {};
    EXPECT_EQ(2, posix::recv(fds[0], four, 4, MSG_WAITALL));
    close_both(fds);

    sockaddr_in address;
    const int listener = listen_on_loopback(&address);
    set_patience(listener, SO_RCVTIMEO, kMicros);
    errno = 0;
    EXPECT_EQ(-1, posix::accept(listener, nullptr, nullptr));
    EXPECT_EQ(EAGAIN, errno);
    posix::close(listener);
  });
}

TEST_P(PosixNetTest, ErrorsAreMinusOneAndErrno) {
  run([&] {
    sockaddr_in address;
    posix::close(listen_on_loopback(&address));
    const int fd = posix::socket(AF_INET, SOCK_STREAM, 0);
    errno = 0;
    EXPECT_EQ(-1, posix::connect(fd, generic(&address), sizeof(address)));
    EXPECT_EQ(ECONNREFUSED, errno);
    EXPECT_TRUE(is_blocking(fd));
    posix::close(fd);
    const int fresh = posix::socket(AF_INET, SOCK_STREAM, 0);
    char byte = 0;
    errno = 0;
    EXPECT_EQ(-1, posix::recv(fresh, &byte, 1, 0));
    EXPECT_EQ(ENOTCONN, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::accept(fresh, nullptr, nullptr));
    EXPECT_EQ(EINVAL, errno);
    posix::close(fresh);
    errno = 0;
    EXPECT_EQ(-1, posix::send(fd, &byte, 1, 0));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::accept(-1, nullptr, nullptr));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::connect(-1, generic(&address), sizeof(address)));
    EXPECT_EQ(EBADF, errno);
    const int file = posix::open("/dev/null", O_RDWR);
    errno = 0;
    EXPECT_EQ(-1, posix::recv(file, &byte, 1, 0));
    EXPECT_EQ(ENOTSOCK, errno);
    EXPECT_EQ(0, posix::read(file, &byte, 1));
    EXPECT_EQ(1, posix::write(file, &byte, 1));
    posix::close(file);
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(pair(fds));
    posix::close(fds[1]);
    errno = 0;
    EXPECT_EQ(-1, posix::send(fds[0], &byte, 1, MSG_NOSIGNAL));
    EXPECT_EQ(EPIPE, errno);
    posix::close(fds[0]);
    addrinfo hints = {}, *found = nullptr;
    hints.ai_flags = AI_NUMERICHOST;
    EXPECT_EQ(EAI_NONAME, posix::getaddrinfo("no number", nullptr, &hints, &found));
    ASSERT_EQ(0, posix::getaddrinfo("127.0.0.1", "80", &hints, &found));
    char host[64];
    EXPECT_EQ(0, posix::getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof(host), nullptr,
                                    0, NI_NUMERICHOST));
    EXPECT_STREQ("127.0.0.1", host);
    ::freeaddrinfo(found);
  });
}

TEST_P(PosixNetTest, DatagramsHaveTheirBoundsAndSenders) {
  int fds[2];
  sockaddr_in addresses[2];
  for (int i = 0; i < 2; i++) {
    fds[i] = posix::socket(AF_INET, SOCK_DGRAM, 0);
    addresses[i] = {};
    addresses[i].sin_family = AF_INET;
    addresses[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(sockaddr_in);
    ASSERT_EQ(0, ::bind(fds[i], generic(&addresses[i]), size));
    ASSERT_EQ(0, ::getsockname(fds[i], generic(&addresses[i]), &size));
  }
  Task answers = start([&] {
    for (ssize_t expected : {3, 0, 5}) {
      char text[64];
      sockaddr_in from = {};
      socklen_t size = sizeof(from);
      const int flags = expected == 5 ? MSG_WAITALL : 0;  // without effect on a datagram
      const ssize_t n = posix::recvfrom(fds[1], text, sizeof(text), flags, generic(&from), &size);
      EXPECT_EQ(expected, n);
      EXPECT_EQ(sizeof(from), size);
      EXPECT_EQ(addresses[0].sin_port, from.sin_port);
      EXPECT_EQ(n, posix::sendto(fds[1], text, static_cast<size_t>(n), 0, generic(&from), size));
    }
  });
  run([&] {
    ASSERT_EQ(0, posix::connect(fds[0], generic(&addresses[1]), sizeof(sockaddr_in)));
    for (const char* text : {"abc", "", "hello"}) {
      const size_t size = std::strlen(text);
      EXPECT_EQ(static_cast<ssize_t>(size), posix::send(fds[0], text, size, 0));
      char back[64];
      EXPECT_EQ(static_cast<ssize_t>(size), posix::recv(fds[0], back, sizeof(back), 0));
    }
  });
  answers.join();
  run([&] { close_both(fds); });
}

// Such a socket is writable all the time for poll(2).
TEST_P(PosixNetTest, ASenderToAFullUnixSocketWaitsUntilItIsRead) {
  const std::string path = scratch_path("dgram");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  const int reader = posix::socket(AF_UNIX, SOCK_DGRAM, 0);
  const int writer = posix::socket(AF_UNIX, SOCK_DGRAM, 0);
  ASSERT_EQ(0, ::bind(reader, generic(&address), sizeof(address)));
  constexpr int kMessages = 600;  // more than its queue holds
  Task sends = start([&] {
    for (int i = 0; i < kMessages; i++) {
      EXPECT_EQ(4, posix::sendto(writer, &i, sizeof(i), 0, generic(&address), sizeof(address)));
    }
  });
  run([&] {
    for (int i = 0; i < kMessages; i++) {
      int got = -1;
      EXPECT_EQ(4, posix::recv(reader, &got, sizeof(got), 0));
      EXPECT_EQ(i, got);
    }
  });
  sends.join();
  run([&] {
    posix::close(reader);
    posix::close(writer);
    posix::unlink(path.c_str());
  });
}

TEST_P(PosixNetTest, MessagesInManyPartsArriveWhole) {
  int fds[2];
  ASSERT_NO_FATAL_FAILURE(pair(fds));
  const std::string sent = pattern(kLarge);
  constexpr size_t kParts = 7;
  // `text` in parts of unequal size, an empty one among them.
  const auto parts_of = [](const std::string& text) {
    std::vector<iovec> parts;
    size_t done = 0;
    for (size_t i = 0; i < kParts; i++) {
      const size_t size = i + 1 == kParts ? text.size() - done : i * 1000;
      parts.push_back({const_cast<char*>(text.data()) + done, size});
      done += size;
    }
    return parts;
  };
  Task sends = start([&] {
    std::vector<iovec> parts = parts_of(sent);
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = kParts;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &fds[0], sizeof(int));
    EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::sendmsg(fds[0], &message, 0));
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::sendmsg(fds[0], &message, 0));
    EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::writev(fds[0], parts.data(), kParts));
  });
  run([&] {
    std::string got(kLarge, '\0');
    std::vector<iovec> parts = parts_of(got);
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = kParts;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    // A message with a descriptor ends with the piece that carries it.
    const ssize_t first = posix::recvmsg(fds[1], &message, MSG_WAITALL);
    ASSERT_GT(first, 0);
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    ASSERT_NE(nullptr, head);
    int passed = -1;
    std::memcpy(&passed, CMSG_DATA(head), sizeof(passed));
    EXPECT_EQ(0, posix::close(passed));
    const auto rest = static_cast<ssize_t>(kLarge) - first;
    EXPECT_EQ(rest, posix::recv(fds[1], got.data() + first, kLarge - static_cast<size_t>(first),
                                MSG_WAITALL));
    EXPECT_TRUE(sent == got);
    std::fill(got.begin(), got.end(), '\0');
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    EXPECT_EQ(static_cast<ssize_t>(kLarge), posix::recvmsg(fds[1], &message, MSG_WAITALL));
    EXPECT_TRUE(sent == got);
    std::string again;
    while (again.size() < kLarge) {
      parts = parts_of(got);
      const ssize_t n = posix::readv(fds[1], parts.data(), kParts);
      ASSERT_GT(n, 0);
      again.append(got, 0, static_cast<size_t>(n));
    }
    EXPECT_TRUE(sent == again);
  });
  sends.join();
  run([&] { close_both(fds); });
}

TEST_P(PosixNetTest, ManyMayAcceptFromOneListener) {
  sockaddr_in address;
  const int listener = listen_on_loopback(&address);
  constexpr int kAcceptors = 40, kConnections = 120;  // more than the pool has threads
  std::atomic<int> accepted{0};
  std::vector<Task> acceptors;
  for (int i = 0; i < kAcceptors; i++) {
    acceptors.push_back(start([&] {
      for (int k = 0; k < kConnections / kAcceptors; k++) {
        const int fd = posix::accept(listener, nullptr, nullptr);
        EXPECT_GE(fd, 0);
        accepted.fetch_add(1);
        EXPECT_EQ(1, posix::send(fd, "x", 1, 0));
        EXPECT_EQ(0, posix::close(fd));
      }
    }));
  }
  run([&] {
    for (int i = 0; i < kConnections; i++) {
      const int fd = posix::socket(AF_INET, SOCK_STREAM, 0);
      ASSERT_EQ(0, posix::connect(fd, generic(&address), sizeof(address)));
      char byte = 0;
      EXPECT_EQ(1, posix::recv(fd, &byte, 1, 0));
      EXPECT_EQ(0, posix::close(fd));
    }
  });
  for (Task& task : acceptors) task.join();
  EXPECT_EQ(kConnections, accepted.load());
  run([&] { posix::close(listener); });
}

TEST_P(PosixNetTest, AFullUnixBacklogIsWaitedFor) {
  const std::string path = scratch_path("backlog");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  const int listener = posix::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(0, ::bind(listener, generic(&address), sizeof(address)));
  ASSERT_EQ(0, ::listen(listener, 0));
  constexpr int kClients = 4;
  std::vector<Task> clients;
  for (int i = 0; i < kClients; i++) {
    clients.push_back(start([&] {
      const int fd = posix::socket(AF_UNIX, SOCK_STREAM, 0);
      EXPECT_EQ(0, posix::connect(fd, generic(&address), sizeof(address)));
      EXPECT_TRUE(is_blocking(fd));
      posix::close(fd);
    }));
  }
  run([&] {
    for (int i = 0; i < kClients; i++) {
      const int fd = posix::accept(listener, nullptr, nullptr);
      EXPECT_GE(fd, 0);
      posix::close(fd);
    }
  });
  for (Task& task : clients) task.join();
  run([&] {
    posix::close(listener);
    posix::unlink(path.c_str());
  });
}

// More readers wait than the pool has threads, and their writers come last.
TEST_P(PosixNetTest, ManyWaitForPipes) {
  constexpr int kPipes = 50;
  constexpr size_t kBytes = 200'000;  // more than a pipe holds
  int ends[kPipes][2];
  std::vector<Task> tasks;
  for (auto& pipe : ends) {
    ASSERT_EQ(0, ::pipe(pipe));
    tasks.push_back(start([&pipe] {
      std::string got;
      std::string buffer(5000, '\0');
      while (got.size() < kBytes) {
        const ssize_t n = posix::read(pipe[0], buffer.data(), buffer.size());
        ASSERT_GT(n, 0);
        got.append(buffer, 0, static_cast<size_t>(n));
      }
      EXPECT_TRUE(pattern(kBytes) == got);
      EXPECT_EQ(0, posix::read(pipe[0], buffer.data(), buffer.size()));
    }));
  }
  for (auto& pipe : ends) {
    tasks.push_back(start([&pipe] {
      std::string text = pattern(kBytes);
      EXPECT_EQ(3000, posix::write(pipe[1], text.data(), 3000));
      iovec parts[] = {{text.data() + 3000, 10}, {text.data() + 3010, kBytes - 3110}};
      EXPECT_EQ(static_cast<ssize_t>(kBytes - 3100), posix::writev(pipe[1], parts, 2));
      iovec last[] = {{text.data() + kBytes - 100, 50}, {text.data() + kBytes - 50, 50}};
      EXPECT_EQ(100, posix::writev(pipe[1], last, 2));
      EXPECT_EQ(0, posix::close(pipe[1]));
    }));
  }
  for (Task& task : tasks) task.join();
  run([&] {
    for (auto& pipe : ends) posix::close(pipe[0]);
  });
}

// What an engine knows of a number is not taken for the file that dup2() gives it.
TEST_P(PosixNetTest, ANumberMayComeToMeanAnotherSocket) {
  int first[2], second[2];
  ASSERT_NO_FATAL_FAILURE(pair(first));
  ASSERT_NO_FATAL_FAILURE(pair(second));
  const auto exchange = [&](int reader, int writer, const char* text) {
    Task reads = start([&] {
      char byte = 0;
      EXPECT_EQ(1, posix::read(reader, &byte, 1));
      EXPECT_EQ(*text, byte);
    });
    run([&] { EXPECT_EQ(1, posix::write(writer, text, 1)); });
    reads.join();
  };
  for (const char* text : {"a", "b"}) exchange(first[0], first[1], text);
  run([&] { EXPECT_EQ(first[0], posix::dup2(second[0], first[0])); });
  for (const char* text : {"c", "d"}) exchange(first[0], second[1], text);
  run([&] { EXPECT_EQ(first[0], posix::dup3(second[1], first[0], O_CLOEXEC)); });
  for (const char* text : {"e", "f"}) exchange(first[0], second[0], text);
  run([&] {
    EXPECT_EQ(first[0], posix::dup2(first[0], first[0]));
    close_both(first);
    close_both(second);
  });
}

TEST_P(PosixNetTest, OnAFiberWhatCannotBeKeptIsRefused) {
  if (!GetParam().fibers) GTEST_SKIP() << "a plain thread makes the system call";
  run([&] {
    int fds[2];
    ASSERT_NO_FATAL_FAILURE(pair(fds));
    char two[2];
    errno = 0;
    EXPECT_EQ(-1, posix::recv(fds[0], two, 2, MSG_WAITALL | MSG_PEEK));
    EXPECT_EQ(EOPNOTSUPP, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::send(fds[0], two, 2, MSG_FASTOPEN));
    EXPECT_EQ(EOPNOTSUPP, errno);
    sigset_t mask;
    ::sigemptyset(&mask);
    errno = 0;
    EXPECT_EQ(-1, posix::ppoll(nullptr, 0, nullptr, &mask));
    EXPECT_EQ(ENOTSUP, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::pselect(0, nullptr, nullptr, nullptr, nullptr, &mask));
    EXPECT_EQ(ENOTSUP, errno);
    epoll_event event;
    errno = 0;
    EXPECT_EQ(-1, posix::epoll_pwait(fds[0], &event, 1, -1, &mask));
    EXPECT_EQ(ENOTSUP, errno);
    close_both(fds);
  });
}

TEST_P(PosixNetTest, OnAFiberACloseEndsTheWaitsOfOthers) {
  if (!GetParam().fibers) GTEST_SKIP() << "a plain thread makes the system call";
  sockaddr_in address;
  const int listener = listen_on_loopback(&address);
  int fds[2];
  ASSERT_NO_FATAL_FAILURE(pair(fds));
  Task receiver = start([&] {
    char byte = 0;
    EXPECT_EQ(-1, posix::recv(fds[0], &byte, 1, 0));
    EXPECT_EQ(EBADF, errno);
  });
  Task acceptor = start([&] {
    EXPECT_EQ(-1, posix::accept(listener, nullptr, nullptr));
    EXPECT_EQ(EBADF, errno);
  });
  run([&] {
    // Both wait: else the numbers could mean other files when they come. (In a simulation nobody
    // else makes any, and its engine does not count.)
    do yield();
    while (!Simulation::inside() && runtime_->stats().io_pending < 2);
    EXPECT_EQ(0, posix::close(fds[0]));
    EXPECT_EQ(0, posix::close(listener));
  });
  receiver.join();
  acceptor.join();
  run([&] { posix::close(fds[1]); });
}

INSTANTIATE_TEST_SUITE_P(Modes, PosixNetTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
