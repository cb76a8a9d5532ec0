// What the tests of net.h share: the modes every test runs in, a listening socket and connected
// pairs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine_factory.h"
#include "engine_ring.h"
#include "engine_uring.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber::testing {

struct NetMode {
  const char* name;
  bool fibers;
  Engine engine;
  int workers;
  // Null, or makes an io_uring engine that is out of the ordinary.
  std::unique_ptr<detail::IoEngine> (*make_engine)() = nullptr;
};

inline void PrintTo(const NetMode& mode, std::ostream* out) { *out << mode.name; }

class NetTest : public ::testing::TestWithParam<NetMode> {
 public:
  static std::string name(const ::testing::TestParamInfo<NetMode>& info) { return info.param.name; }
  static const std::vector<NetMode>& modes();

 protected:
  void SetUp() override {
    const NetMode& mode = GetParam();
    if (!mode.fibers) return;
    if (mode.engine == Engine::kIoUring && detail::ring_support().error != 0) {
      GTEST_SKIP() << "io_uring refused: " << detail::ring_support().error;
    }
    detail::uring_engine_for_tests = mode.make_engine;
    runtime_ =
        std::make_unique<Runtime>(RuntimeOptions{.workers = mode.workers, .engine = mode.engine});
    detail::uring_engine_for_tests = nullptr;
  }
  void TearDown() override { runtime_.reset(); }

  // Something that runs beside the test: a fiber of the runtime, or a thread. Joined by its end.
  class Task {
   public:
    Task(Runtime* runtime, std::function<void()> body) {
      if (runtime != nullptr) {
        handle_ = runtime->spawn(std::move(body));
      } else {
        thread_ = std::make_unique<Thread>("net_test", std::move(body));
      }
    }
    void join() {
      if (handle_.joinable()) handle_.join();
      thread_.reset();
    }

   private:
    JoinHandle handle_;
    std::unique_ptr<Thread> thread_;
  };
  Task start(std::function<void()> body) { return Task(runtime_.get(), std::move(body)); }

  // Runs the body on a fiber, or here.
  void run(const std::function<void()>& body) {
    if (runtime_) {
      runtime_->run([&] { body(); });
    } else {
      body();
    }
  }

  // A connected pair of TCP sockets. Each is the test's to close.
  static void tcp_pair(int fds[2]) {
    const int listener = net::listen_on(net::Address::loopback_v4(0));
    ASSERT_GE(listener, 0);
    net::Address address;
    ASSERT_EQ(net::local_address(listener, &address), 0);
    fds[0] = net::connect_to(address, far_deadline());
    ASSERT_GE(fds[0], 0);
    fds[1] = net::accept(listener, nullptr, far_deadline());
    ASSERT_GE(fds[1], 0);
    ASSERT_EQ(net::close(listener), 0);
  }
  static void unix_pair(int fds[2]) { ASSERT_EQ(net::socket_pair(fds), 0); }

  // The tests that hold for every kind of pair.
  static void for_each_kind(const std::function<void(int* fds)>& body) {
    int fds[2] = {-1, -1};
    {
      SCOPED_TRACE("TCP");
      ASSERT_NO_FATAL_FAILURE(tcp_pair(fds));
      body(fds);
    }
    {
      SCOPED_TRACE("Unix");
      ASSERT_NO_FATAL_FAILURE(unix_pair(fds));
      body(fds);
    }
  }

  std::unique_ptr<Runtime> runtime_;
};

// Queues that are full all the time.
inline std::unique_ptr<detail::IoEngine> make_tiny_ring() {
  return std::make_unique<detail::UringEngine>(detail::RingOptions{.entries = 2, .completions = 4});
}
// As on kernels before 6.7, and with none of the newer setup flags.
inline std::unique_ptr<detail::IoEngine> make_old_ring() {
  return std::make_unique<detail::UringEngine>(detail::RingOptions{.setup_flags = 0}, false);
}
// Setting up the ring fails when it is wanted.
inline std::unique_ptr<detail::IoEngine> make_failing_ring() {
  return std::make_unique<detail::UringEngine>(detail::RingOptions{.entries = 1 << 30});
}

inline const std::vector<NetMode>& NetTest::modes() {
  static const std::vector<NetMode> all = {
      {"Thread", false, Engine::kAuto, 0},
      {"IoUring", true, Engine::kIoUring, 1},
      {"IoUringTwoWorkers", true, Engine::kIoUring, 2},
      {"IoUringTiny", true, Engine::kIoUring, 1, make_tiny_ring},
      {"IoUringOld", true, Engine::kIoUring, 2, make_old_ring},
      {"IoUringFailing", true, Engine::kIoUring, 1, make_failing_ring},
      {"Epoll", true, Engine::kEpoll, 1},
      {"EpollTwoWorkers", true, Engine::kEpoll, 2},
  };
  return all;
}

}  // namespace fiber::testing
