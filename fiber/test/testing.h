// What the tests of this folder share: running one body on fibers and plain threads at once, scaled
// to the build.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "context.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "port_testing.h"
#if defined(FIBER_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace fiber::testing {

#if defined(FIBER_TSAN)
inline constexpr int kScaleDown = 20;
inline constexpr bool kThreadSanitizer = true;
#elif defined(FIBER_ASAN)
inline constexpr int kScaleDown = 4;
inline constexpr bool kThreadSanitizer = false;
#else
inline constexpr int kScaleDown = 1;
inline constexpr bool kThreadSanitizer = false;
#endif

inline constexpr uint64_t kMillisecond = 1000000;
inline constexpr uint64_t kSecond = 1000 * kMillisecond;

// What a simulation that cannot go on abandons is never freed.
struct WithoutLeakCheck {
#if defined(FIBER_ASAN)
  WithoutLeakCheck() { __lsan_disable(); }
  ~WithoutLeakCheck() { __lsan_enable(); }
#endif
};

// A deadline that only a hang reaches.
inline uint64_t far_deadline() { return deadline_after(120 * kSecond); }

// A path of a file that is not there, for this process and call alone.
inline std::string scratch_path(const std::string& what) {
  static std::atomic<int> number{0};
  const auto folder = std::filesystem::temp_directory_path();
  return (folder /
          ("fiber_" + what + "_" + std::to_string(process_id()) + "_" + std::to_string(number++)))
      .string();
}

// Calls body(i) with i = 0 .. fibers + threads - 1: the first on fibers of a runtime with `workers`
// workers, the others on plain threads, all at once. Returns when all are done.
inline void run_mixed(int workers, int fibers, int threads, const std::function<void(int)>& body) {
  Runtime runtime({.workers = workers, .name = "mixed"});
  std::vector<JoinHandle> handles;
  std::vector<Thread> plain;
  for (int i = 0; i < fibers; i++) handles.push_back(runtime.spawn([&body, i] { body(i); }));
  for (int i = 0; i < threads; i++) {
    plain.emplace_back("plain/" + std::to_string(i), [&body, i, fibers] { body(fibers + i); });
  }
}

// A fiber looks again and again, under a lock that is free, whether the other one of its worker has
// done something: ends only if it lets that one run.
template <class Lock, class Unlock>
void expect_turns(Lock lock, Unlock unlock) {
  Runtime runtime({.workers = 1});
  runtime.run([&] {
    bool done = false;
    JoinHandle other = spawn([&] {
      lock();
      done = true;
      unlock();
    });
    for (bool seen = false; !seen;) {
      lock();
      seen = done;
      unlock();
    }
  });
}

}  // namespace fiber::testing
