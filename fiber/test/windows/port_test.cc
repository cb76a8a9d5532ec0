// What only Windows has of the library: the table of descriptors, stacks that grow, objects of
// threads that somebody else started.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fiber/cpu.h"
#include "fiber/io.h"
#include "fiber/local.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/stats.h"
#include "port_testing.h"
#include "testing.h"
#include "win_error.h"

namespace fiber {
namespace {

TEST(DescriptorTest, TheSmallestFreeNumberIsTaken) {
  const std::string path = testing::scratch_path("numbers");
  const int one = io::open(path.c_str(), io::kCreate | io::kReadWrite);
  const int two = io::open(path.c_str(), io::kReadWrite);
  ASSERT_GE(one, 3);
  ASSERT_GT(two, one);
  EXPECT_NE(io::native_handle(one), nullptr);
  EXPECT_EQ(io::close(one), 0);
  EXPECT_EQ(io::native_handle(one), nullptr);
  EXPECT_EQ(io::open(path.c_str(), io::kReadOnly), one);
  EXPECT_EQ(io::close(one), 0);
  EXPECT_EQ(io::close(two), 0);
  EXPECT_EQ(io::unlink(path.c_str()), 0);
  EXPECT_EQ(io::close(-1), -EBADF);
  EXPECT_EQ(io::close(1 << 20), -EBADF);
}

TEST(DescriptorTest, ASocketIsNoFile) {
  const int fd = net::socket(net::kIpV4);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(net::recv(fd, nullptr, 0, net::kDontWait), -ENOTCONN);
  EXPECT_EQ(net::close(fd), 0);
}

TEST(ErrorTest, EveryErrorIsNegative) {
  for (unsigned long error = 0; error < 12000; error++) ASSERT_LT(detail::errno_of(error), 0);
  EXPECT_EQ(detail::errno_of(ERROR_DISK_FULL), -ENOSPC);
  EXPECT_EQ(detail::errno_of(ERROR_SHARING_VIOLATION), -EBUSY);
  EXPECT_EQ(detail::errno_of(ERROR_WRITE_PROTECT), -EROFS);
}

__attribute__((noinline)) int deep(int levels) {
  volatile char frame[2048];
  memset(const_cast<char*>(frame), levels, sizeof(frame));
  return levels == 0 ? frame[7] : deep(levels - 1) + (frame[5] & 0);
}

// A stack has little memory before it is used, takes what it needs, and can be used again.
TEST(GrowingStackTest, TakesWhatItUses) {
  for (int round = 0; round < 3; round++) {
    // Its end gives the stack's memory back.
    Runtime runtime({.stack_size = size_t{8} << 20});
    EXPECT_EQ(runtime.run([] { return deep(3000); }), 0);
    EXPECT_EQ(runtime.run([] { return deep(10); }), 0);
    if (round == 1) EXPECT_GE(stack_high_water(), size_t{6} << 20);
  }
  EXPECT_LT(stack_high_water(), size_t{1} << 20) << "nothing is left of it";
}

TEST(GrowingStackDeathTest, AnOverflowNamesTheFiber) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Runtime runtime;
        runtime.run([] {
          set_name("endless");
          return deep(1 << 30);
        });
      },
      "stack overflow in fiber .* .endless.");
}

// The registers that Windows' convention keeps and others do not.
TEST(ContextTest, VectorRegistersSurvive) {
  Runtime runtime;
  std::vector<JoinHandle> handles;
  for (int seed = 1; seed <= 4; seed++) {
    handles.push_back(runtime.spawn([seed] {
      double x[10];
      for (int i = 0; i < 10; i++) x[i] = seed * (i + 1);
      for (int round = 0; round < 200; round++) {
        double a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6], h = x[7],
               k = x[8], m = x[9];
        asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e));
        asm volatile("" : "+x"(f), "+x"(g), "+x"(h), "+x"(k), "+x"(m));
        yield();
        asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e));
        asm volatile("" : "+x"(f), "+x"(g), "+x"(h), "+x"(k), "+x"(m));
        ASSERT_EQ(a + b + c + d + e + f + g + h + k + m, seed * 55.0);
      }
    }));
  }
}

struct Counted {
  static inline std::atomic<int> alive{0};
  Counted() { alive++; }
  ~Counted() { alive--; }
};

DWORD WINAPI use_local(void* value) {
  (void)static_cast<local<Counted>*>(value)->get();
  (void)slot();
  return 0;
}

// Threads that this library did not start, by the C++ library and by Windows itself.
TEST(ForeignThreadTest, WhatAThreadOwnsEndsWithIt) {
  static local<Counted> value;
  for (int round = 0; round < 100; round++) {
    HANDLE thread = CreateThread(nullptr, 0, use_local, &value, 0, nullptr);
    ASSERT_NE(thread, nullptr);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    std::thread([] { (void)value.get(); }).join();
  }
  EXPECT_EQ(Counted::alive.load(), 0);
}

TEST(ForeignThreadTest, ExitActionsComeLast) {
  static std::vector<int> order;
  order.clear();
  std::thread([] {
    struct Noted {
      ~Noted() { order.push_back(1); }
    };
    static local<Noted> noted;
    detail::at_context_exit([] { order.push_back(2); });
    (void)noted.get();
  }).join();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace fiber
