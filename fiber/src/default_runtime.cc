#include "fiber/default_runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "environment.h"
#include "fiber/cpu.h"
#include "fiber/fork.h"
#include "fiber/mutex.h"
#include "keep_loaded.h"
#include "sim_hooks.h"
#include "stack.h"

namespace fiber {
namespace {

constexpr uint64_t kMaxWorkers = RuntimeOptions::kMaxWorkers;
constexpr uint64_t kMinStackSize = uint64_t{16} << 10;
constexpr uint64_t kMaxStackSize = uint64_t{1} << 30;
constexpr uint64_t kDefaultStackSize = uint64_t{256} << 10;

constinit std::atomic<uint64_t> g_stack_size{kDefaultStackSize};

}  // namespace

void set_default_stack_size(size_t bytes) {
  g_stack_size.store(std::clamp<uint64_t>(bytes, kMinStackSize, kMaxStackSize));
}

RuntimeOptions default_runtime_options() {
  // Never destroyed: static destructors may be the first to ask.
  static const RuntimeOptions* const options = [] {
    RuntimeOptions made;
    made.workers = static_cast<int>(detail::number_from_environment(
        "FIBER_WORKERS", 1, kMaxWorkers, std::min<uint64_t>(hardware_concurrency(), kMaxWorkers)));
    made.stack_size = detail::number_from_environment("FIBER_STACK_SIZE", kMinStackSize,
                                                      kMaxStackSize, g_stack_size.load());
    return new RuntimeOptions(made);
  }();
  return *options;
}

Runtime& default_runtime() {
  if (detail::simulator() != nullptr) return detail::simulated_default_runtime();
  // Never destroyed: its fibers may outlive main(). A forked process makes its own.
  struct Made {
    Runtime runtime{default_runtime_options()};
    const uint32_t generation = process_generation();
    Made* const before = nullptr;
  };
  static constinit std::atomic<Made*> current{nullptr};
  static Mutex making;
  Made* made = current.load(std::memory_order_acquire);
  if (made != nullptr && made->generation == process_generation()) return made->runtime;
  MutexLock lock(&making);
  made = current.load(std::memory_order_acquire);
  if (made == nullptr || made->generation != process_generation()) {
#if defined(FIBER_ASAN)
    if (made == nullptr) (void)atexit(detail::StackPool::show_to_leak_checker);
#endif
    detail::keep_loaded();  // nobody joins its workers
    made = new Made{.before = made};
    current.store(made, std::memory_order_release);
  }
  return made->runtime;
}

}  // namespace fiber
