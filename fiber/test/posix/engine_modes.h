// The modes that the suites of io.h, flight.h and net.h run in: on plain threads, or on fibers with
// each engine there is, one worker and several, and io_uring also where it is out of the ordinary.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine_factory.h"
#include "engine_ring.h"
#include "engine_uring.h"
#include "fiber/runtime.h"

namespace fiber::testing {

struct EngineMode {
  const char* name;
  // Else on plain threads, and there is no runtime.
  bool fibers;
  Engine engine;
  int workers;
  // Null, or makes an io_uring engine that is out of the ordinary.
  std::unique_ptr<detail::IoEngine> (*make_engine)() = nullptr;

  static const std::vector<EngineMode>& all();
  static std::string name_of(const ::testing::TestParamInfo<EngineMode>& info) {
    return info.param.name;
  }

  // 0, or the errno with which the kernel refuses the io_uring that this mode needs.
  int refused() const {
    return fibers && engine == Engine::kIoUring ? detail::ring_support().error : 0;
  }

  // Null where the mode is of threads.
  std::unique_ptr<Runtime> make_runtime() const {
    if (!fibers) return nullptr;
    detail::uring_engine_for_tests = make_engine;
    auto runtime = std::make_unique<Runtime>(RuntimeOptions{.workers = workers, .engine = engine});
    detail::uring_engine_for_tests = nullptr;
    return runtime;
  }
};

inline void PrintTo(const EngineMode& mode, std::ostream* out) { *out << mode.name; }

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

inline const std::vector<EngineMode>& EngineMode::all() {
  static const std::vector<EngineMode> modes = {
      {"Thread", false, Engine::kAuto, 0},
      {"IoUring", true, Engine::kIoUring, 1},
      {"IoUringThreeWorkers", true, Engine::kIoUring, 3},
      {"IoUringTinyRing", true, Engine::kIoUring, 2, make_tiny_ring},
      {"IoUringOldKernel", true, Engine::kIoUring, 2, make_old_ring},
      {"IoUringFailing", true, Engine::kIoUring, 2, make_failing_ring},
      {"Epoll", true, Engine::kEpoll, 1},
      {"EpollThreeWorkers", true, Engine::kEpoll, 3},
  };
  return modes;
}

}  // namespace fiber::testing

// At the head of a suite's SetUp.
#define FIBER_SKIP_WHERE_REFUSED(mode)                     \
  if (const int refused_error = (mode).refused()) {        \
    GTEST_SKIP() << "io_uring refused: " << refused_error; \
  }
