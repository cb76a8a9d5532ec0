// The raw ring: probing, queues that are too small for the work, degraded setup flags.
#include "engine_ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace fiber::detail {
namespace {

struct CountedOp : RingOp {
  int32_t result = -1;
  int completions = 0;
  CountedOp() {
    done = [](RingOp* op, int32_t value) {
      auto* self = static_cast<CountedOp*>(op);
      self->result = value;
      ++self->completions;
    };
  }
};

class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ring_support().error != 0) GTEST_SKIP() << "io_uring refused: " << ring_support().error;
    char path[] = "/tmp/fiber_ring_XXXXXX";
    fd_ = ::mkstemp(path);
    ASSERT_GE(fd_, 0);
    ::unlink(path);
  }
  void TearDown() override {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd_ = -1;
};

TEST_F(RingTest, MoreOperationsThanBothQueuesHoldAllCompleteOnce) {
  std::unique_ptr<Ring> ring;
  ASSERT_EQ(Ring::create({.entries = 4, .completions = 8}, &ring), 0);
  constexpr int kOps = 5000;
  std::vector<CountedOp> ops(kOps);
  std::vector<uint32_t> data(kOps);
  for (int i = 0; i < kOps; ++i) {
    data[i] = static_cast<uint32_t>(i * 2654435761u);
    io_uring_prep_write(&ops[i].sqe, fd_, &data[i], sizeof(data[i]), i * sizeof(data[i]));
    ring->push(&ops[i]);
  }
  EXPECT_EQ(ring->pending(), static_cast<unsigned>(kOps));
  while (ring->pending() != 0) ring->wait(UINT64_MAX);
  std::vector<uint32_t> back(kOps);
  ASSERT_EQ(::pread(fd_, back.data(), kOps * sizeof(uint32_t), 0),
            static_cast<ssize_t>(kOps * sizeof(uint32_t)));
  EXPECT_EQ(back, data);
  for (const CountedOp& op : ops) {
    ASSERT_EQ(op.completions, 1);
    ASSERT_EQ(op.result, static_cast<int32_t>(sizeof(uint32_t)));
  }
}

TEST_F(RingTest, WorksWithEverySetOfSetupFlagsThatOlderKernelsTake) {
  constexpr unsigned kCoop =
      IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
  for (unsigned flags : {ring_support().setup_flags, kCoop | IORING_SETUP_SINGLE_ISSUER, kCoop,
                         unsigned{IORING_SETUP_SUBMIT_ALL}, 0u}) {
    SCOPED_TRACE(flags);
    std::unique_ptr<Ring> ring;
    const int error = Ring::create({.entries = 4, .completions = 8, .setup_flags = flags}, &ring);
    if (error == -EINVAL) continue;  // newer than this kernel
    ASSERT_EQ(error, 0);
    std::vector<CountedOp> ops(100);
    char byte = 'x';
    for (CountedOp& op : ops) {
      io_uring_prep_write(&op.sqe, fd_, &byte, 1, 0);
      ring->push(&op);
      ring->submit();
    }
    while (ring->pending() != 0) ring->wait(UINT64_MAX);
    for (const CountedOp& op : ops) ASSERT_EQ(op.completions, 1);
  }
}

TEST_F(RingTest, WaitReturnsAtTheTimeout) {
  std::unique_ptr<Ring> ring;
  ASSERT_EQ(Ring::create({}, &ring), 0);
  EXPECT_EQ(ring->wait(1000000), 0u);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  CountedOp read;
  char byte = 0;
  io_uring_prep_read(&read.sqe, ends[0], &byte, 1, -1);
  ring->push(&read);
  EXPECT_EQ(ring->wait(1000000), 0u);
  EXPECT_EQ(ring->pending(), 1u);
  ASSERT_EQ(::write(ends[1], "y", 1), 1);
  while (ring->pending() != 0) ring->wait(UINT64_MAX);
  EXPECT_EQ(read.result, 1);
  EXPECT_EQ(byte, 'y');
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(RingTest, ErrorsArriveAsResults) {
  std::unique_ptr<Ring> ring;
  ASSERT_EQ(Ring::create({}, &ring), 0);
  CountedOp ops[2];
  char byte;
  io_uring_prep_read(&ops[0].sqe, -1, &byte, 1, 0);
  std::memset(&ops[1].sqe, 0, sizeof(ops[1].sqe));
  ops[1].sqe.opcode = 255;
  for (CountedOp& op : ops) ring->push(&op);
  while (ring->pending() != 0) ring->wait(UINT64_MAX);
  EXPECT_EQ(ops[0].result, -EBADF);
  EXPECT_EQ(ops[1].result, -EINVAL);
}

}  // namespace
}  // namespace fiber::detail
