// Files that the rings hold references of: that they are used, that nobody sees it, and that a
// close is one.
#include "registered_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "engine_ring.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "testing.h"

namespace fiber {
namespace {

using detail::RegisteredFiles;
using testing::far_deadline;

// More than it takes to get a slot.
constexpr int kOften = 3 * RegisteredFiles::kUses;

class RegisteredFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (detail::ring_support().error != 0) GTEST_SKIP() << "io_uring refused";
  }
  // Names a file whose every byte is `c`; its descriptor is the lowest free number.
  static int file_of(char c) {
    const int fd = ::memfd_create("registered", MFD_CLOEXEC);
    const std::string data(64, c);
    EXPECT_EQ(::pwrite(fd, data.data(), data.size(), 0), 64);
    return fd;
  }
  static void echo(int from, int to, int times) {
    for (int i = 0; i < times; i++) {
      const char sent = static_cast<char>(i);
      char got = 0;
      ASSERT_EQ(net::send(from, &sent, 1), 1);
      ASSERT_EQ(net::recv(to, &got, 1, 0, far_deadline()), 1);
      ASSERT_EQ(got, sent);
    }
  }
};

// By hand, on a ring without a worker.
class Table {
 public:
  Table() {
    EXPECT_EQ(io_uring_queue_init(8, &ring, 0), 0);
    files =
        RegisteredFiles::create(&ring, [](void* woken) { *static_cast<int*>(woken) += 1; }, &woken);
  }
  ~Table() {
    files.reset();
    io_uring_queue_exit(&ring);
  }
  // Whether a read of `fd` names a slot; it is made, and must give `c`.
  bool read(int fd, char c) {
    char got = 0;
    io_uring_sqe* const sqe = io_uring_get_sqe(&ring);
    io_uring_prep_read(sqe, fd, &got, 1, 0);
    files->apply(sqe);
    const bool fixed = (sqe->flags & IOSQE_FIXED_FILE) != 0;
    EXPECT_EQ(io_uring_submit_and_wait(&ring, 1), 1);
    io_uring_cqe* cqe = nullptr;
    EXPECT_EQ(io_uring_peek_cqe(&ring, &cqe), 0);
    EXPECT_EQ(cqe->res, 1);
    io_uring_cqe_seen(&ring, cqe);
    EXPECT_EQ(got, c);
    return fixed;
  }
  io_uring ring;
  int woken = 0;
  std::unique_ptr<RegisteredFiles> files;
};

TEST_F(RegisteredFilesTest, OnlyWhatWasAskedForAndIsUsedOften) {
  Table table;
  if (table.files == nullptr) GTEST_SKIP() << "no sparse tables";
  const int fd = file_of('a');
  for (int i = 0; i < kOften; i++) EXPECT_FALSE(table.read(fd, 'a')) << i;
  io::keep_registered(fd);
  for (int i = 0; i < kOften; i++) EXPECT_EQ(table.read(fd, 'a'), i >= RegisteredFiles::kUses) << i;
  EXPECT_EQ(io::close(fd), 0);
  const int other = file_of('b');
  ASSERT_EQ(other, fd) << "the number is used again";
  for (int i = 0; i < kOften; i++) EXPECT_FALSE(table.read(other, 'b')) << i;
  EXPECT_EQ(io::close(other), 0);
}

TEST_F(RegisteredFilesTest, ACloseElsewhereWakesTheRingAndTakesTheSlotBack) {
  Table table;
  if (table.files == nullptr) GTEST_SKIP() << "no sparse tables";
  const int file = file_of('a');
  io::keep_registered(file);
  for (int i = 0; i < kOften; i++) (void)table.read(file, 'a');
  Thread("close", [file] { EXPECT_EQ(io::close(file), 0); }).join();
  EXPECT_EQ(table.woken, 1);
  EXPECT_TRUE(table.files->must_drop());
  table.files->drop_closed();
  EXPECT_FALSE(table.files->must_drop());
  const int other = file_of('b');
  io::keep_registered(other);
  for (int i = 0; i < kOften; i++)
    EXPECT_EQ(table.read(other, 'b'), i >= RegisteredFiles::kUses) << i;
  EXPECT_EQ(io::close(other), 0);
}

// The peer sees the end at once, although a ring held the socket.
TEST_F(RegisteredFilesTest, ACloseOnTheSameWorkerReachesThePeer) {
  Runtime runtime({.workers = 1, .engine = Engine::kIoUring});
  runtime.run([] {
    for (int round = 0; round < 5; round++) {
      int fds[2];
      ASSERT_EQ(net::socket_pair(fds), 0);
      io::keep_registered(fds[0]);
      io::keep_registered(fds[1]);
      echo(fds[0], fds[1], kOften);
      ASSERT_EQ(net::close(fds[0]), 0);
      char byte;
      EXPECT_EQ(net::recv(fds[1], &byte, 1, 0, far_deadline()), 0);
      ASSERT_EQ(net::close(fds[1]), 0);
    }
  });
}

TEST_F(RegisteredFilesTest, ACloseOnAThreadReachesThePeerThoughTheWorkerSleeps) {
  Runtime runtime({.workers = 2, .engine = Engine::kIoUring});
  for (int round = 0; round < 5; round++) {
    int fds[2];
    ASSERT_EQ(net::socket_pair(fds), 0);
    io::keep_registered(fds[0]);
    // On both workers, one after the other.
    for (int worker = 0; worker < 2; worker++)
      runtime.spawn({.worker = worker}, [&] { echo(fds[0], fds[1], kOften); }).join();
    ASSERT_EQ(net::close(fds[0]), 0);
    char byte;
    EXPECT_EQ(net::recv(fds[1], &byte, 1, 0, far_deadline()), 0);
    ASSERT_EQ(net::close(fds[1]), 0);
  }
}

TEST_F(RegisteredFilesTest, NumbersThatAreUsedAgainMeanTheNewSocket) {
  Runtime runtime({.workers = 2, .engine = Engine::kIoUring});
  std::vector<JoinHandle> fibers;
  for (int f = 0; f < 20; f++) {
    fibers.push_back(runtime.spawn([] {
      for (int round = 0; round < 10; round++) {
        int fds[2];
        ASSERT_EQ(net::socket_pair(fds), 0);
        io::keep_registered(fds[0]);
        io::keep_registered(fds[1]);
        echo(fds[0], fds[1], kOften / 2);
        yield();
        echo(fds[1], fds[0], kOften / 2);
        ASSERT_EQ(net::close(fds[0]), 0);
        ASSERT_EQ(net::close(fds[1]), 0);
      }
    }));
  }
  for (JoinHandle& fiber : fibers) fiber.join();
}

}  // namespace
}  // namespace fiber
