#include "compaction/courtesy.h"

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

// A quarter of a processor, against one client that never waits.
constexpr int kNice = 5;
constexpr uint64_t kBiteNanos = 250'000;
// A change of threads is worth it only for a while.
constexpr uint64_t kUrgentNanos = 5'000'000;

// Steps until `deadline`; false: there are no more.
bool RunUntil(const std::function<bool()>& step, uint64_t deadline) {
  do {
    if (!step()) return false;
  } while (fiber::now_nanos() < deadline);
  return true;
}

}  // namespace

bool Courtesy::RunUrgently(const std::function<bool()>& step) const {
  do {
    if (!RunUntil(step, fiber::now_nanos() + kUrgentNanos)) return false;
  } while (IsUrgent());
  return true;
}

bool Courtesy::RunPolitely(const std::function<bool()>& step) {
  bool more = true;
  const auto work = [&] {
    const uint64_t start = fiber::thread_cpu_nanos();
    while ((more = RunUntil(step, fiber::now_nanos() + kBiteNanos)) && !IsUrgent()) fiber::yield();
    cpu_nanos_elsewhere_ += fiber::thread_cpu_nanos() - start;
  };
  fiber::Thread thread;
  if (fiber::Thread::create("rocksdb:polite", work, kNice, &thread) != 0) return RunUrgently(step);
  thread.join();
  return more;
}

void Courtesy::Run(const std::function<bool()>& step) {
  for (bool more = true; more;) more = IsUrgent() ? RunUrgently(step) : RunPolitely(step);
}

}  // namespace cairn
