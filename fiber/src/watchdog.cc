// See watchdog.h.
#include "watchdog.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "fiber/clock.h"
#include "safe_writer.h"
#include "stack.h"
#include "worker.h"

namespace fiber::detail {
namespace {

constexpr uint64_t kLeastPeriodNanos = 1000000;
constexpr uint64_t kReportPeriodNanos = 1000000000;

std::atomic<uint64_t> g_next_report{0};

// The stack whose fiber runs on the thread, null if there is none.
const Stack* running_on(uint32_t thread) {
  const Stack* found = nullptr;
  StackSlab::for_each_fiber([&](const Stack& stack) {
    if (stack.state.load(std::memory_order_relaxed) == Stack::kRunning &&
        stack.thread.load(std::memory_order_relaxed) == thread) {
      found = &stack;
    }
  });
  return found;
}

// False: too early after the last report.
bool report(const Worker& worker, const Stack& stack, uint64_t nanos) {
  const uint64_t now = now_nanos();
  uint64_t next = g_next_report.load(std::memory_order_relaxed);
  if (now < next || !g_next_report.compare_exchange_strong(next, now + kReportPeriodNanos,
                                                           std::memory_order_relaxed)) {
    return false;
  }
  SafeWriter out(2);
  out << "fiber: fiber " << stack.number.load(std::memory_order_relaxed);
  char name[FiberName::kMax + 1];
  stack.copy_name(name);
  if (name[0] != '\0') out << " \"" << name << "\"";
  out << " has computed for " << nanos / 1000000 << " ms without a suspension on worker "
      << uint64_t(worker.index()) << " (thread " << uint64_t{worker.thread_id()}
      << "); the worker's other fibers wait. fiber::yield() now and then, or a fiber::Thread.\n";
  return true;
}

}  // namespace

Watchdog::Watchdog(const WorkerGroup* group, uint64_t limit_nanos)
    : group_(group), limit_nanos_(limit_nanos) {
  // Without the thread nobody watches, and nothing else suffers.
  (void)Thread::create("fiber-watchdog", [this] { watch(); }, 0, &thread_);
}

Watchdog::~Watchdog() {
  stop_.set();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
  struct Seen {
    uint64_t switches = 0;
    uint64_t cpu_nanos = 0;  // of the worker's thread, when `switches` was seen first
    bool reported = false;
  };
  std::vector<Seen> seen(group_->workers.size());
  const uint64_t period = std::max(limit_nanos_ / 2, kLeastPeriodNanos);
  while (!stop_.wait_until(deadline_after(period))) {
    for (size_t i = 0; i < seen.size(); i++) {
      const Worker& worker = *group_->workers[i];
      Seen& last = seen[i];
      const uint64_t switches = worker.switches();
      const uint64_t cpu_nanos = os_read_cpu_clock(worker.cpu_clock());
      if (switches != last.switches || worker.asleep()) {
        last = {switches, cpu_nanos, false};
      } else if (!last.reported && cpu_nanos - last.cpu_nanos >= limit_nanos_) {
        const Stack* const stack = running_on(worker.thread_id());
        if (stack == nullptr) continue;
        last.reported = report(worker, *stack, cpu_nanos - last.cpu_nanos);
      }
    }
  }
}

}  // namespace fiber::detail
