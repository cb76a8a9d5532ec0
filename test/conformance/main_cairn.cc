// The conformance tests' main() where they are compiled against Cairn. With --fibers each test, its
// fixture included, runs on a fiber, and what it starts beside itself are fibers; the library's
// background jobs call listeners, filters and the like on threads of their own in either case.
#include <cstring>
#include <memory>
#include <utility>

#include "conformance.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"

namespace conformance {

std::function<void()> Start(std::function<void()> function) {
  // Shared, as std::function wants to be copied.
  if (fiber::Runtime* const runtime = fiber::Runtime::current()) {
    auto handle = std::make_shared<fiber::JoinHandle>(runtime->spawn(std::move(function)));
    return [handle] { handle->join(); };
  }
  auto thread = std::make_shared<fiber::Thread>("conformance", std::move(function));
  return [thread] { thread->join(); };
}

const Comparator* TimestampComparator() { return BytewiseComparatorWithU64Ts(); }

}  // namespace conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bool fibers = false;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--fibers") != 0) {
      std::fprintf(stderr, "usage: conformance_cairn [--fibers] [--gtest_...]\n");
      return 2;
    }
    fibers = true;
  }
  if (!fibers) return RUN_ALL_TESTS();
  fiber::RuntimeOptions options;
  // Two, so that fibers of one test run at once.
  options.workers = 2;
  // Test bodies have the frames of programs made for threads.
  options.stack_size = size_t{512} << 10;
  fiber::Runtime runtime(options);
  return runtime.run([] { return RUN_ALL_TESTS(); });
}
