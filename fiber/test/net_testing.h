// What the tests of net.h share: the modes every test runs in, a listening socket and connected
// pairs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine_modes.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "port_testing.h"
#include "testing.h"

namespace fiber::testing {

class NetTest : public ::testing::TestWithParam<EngineMode> {
 protected:
  void SetUp() override {
    FIBER_SKIP_WHERE_REFUSED(GetParam());
    runtime_ = GetParam().make_runtime();
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
    if (kUnixSockets) {
      SCOPED_TRACE("Unix");
      ASSERT_NO_FATAL_FAILURE(unix_pair(fds));
      body(fds);
    }
  }

  std::unique_ptr<Runtime> runtime_;
};

}  // namespace fiber::testing
