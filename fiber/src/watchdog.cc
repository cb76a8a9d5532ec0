// See watchdog.h.
#include "watchdog.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "backtrace.h"
#include "dump.h"
#include "environment.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "place.h"
#include "safe_writer.h"
#include "stack.h"
#include "worker.h"

namespace fiber::detail {
namespace {

constexpr uint64_t kLeastPeriodNanos = 1000000;
constexpr uint64_t kReportPeriodNanos = 1000000000;
constexpr size_t kMaxPlaceFrames = 8;
constexpr int kMaxTries = 20;

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

void write_report(SafeWriter* out, const Worker& worker, const Stack& stack, uint64_t nanos) {
  *out << "fiber: fiber " << stack.number.load(std::memory_order_relaxed);
  char name[FiberName::kMax + 1];
  stack.copy_name(name);
  if (name[0] != '\0') *out << " \"" << name << "\"";
  *out << " has computed for " << nanos / 1000000 << " ms without a suspension on worker "
       << uint64_t(worker.index()) << " (thread " << uint64_t{worker.thread_id()}
       << "); the worker's other fibers wait. fiber::yield() now and then, or a fiber::Thread.\n";
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
  write_report(&out, worker, stack, nanos);
  return true;
}

// The places that have been told, in the whole process.
struct Told {
  Mutex lock;  // of place_of(), too
  const bool possible = prepare_places();
  std::set<uintptr_t> functions FIBER_GUARDED_BY(lock);
  std::set<std::string> names FIBER_GUARDED_BY(lock);
};
// Never destroyed: a watchdog may outlive the statics.
Told& told() {
  static Told* const told = new Told;
  return *told;
}

// A place is a function; where it cannot be found out, a fiber's name. False: the worker has not
// answered (the kernel keeps it waiting, say), to be tried again; not if it is the `last` try.
bool report_place(const Worker& worker, const Stack& stack, uint64_t nanos, bool last) {
  Told& all = told();
  MutexLock lock(&all.lock);
  uintptr_t frames[kMaxFrames];
  const size_t count =
      all.possible ? place_of(worker.thread_id(), stack, frames, kMaxPlaceFrames) : 0;
  if (count != 0) {
    const char *name = nullptr, *module = nullptr;
    uintptr_t offset = 0;
    const bool known = find_symbol(frames[0] - 1, &name, &offset, &module);
    if (!all.functions.insert(known ? frames[0] - 1 - offset : frames[0]).second) return true;
  } else {
    if (all.possible && !last) return false;
    char name[FiberName::kMax + 1];
    stack.copy_name(name);
    if (!all.names.insert(name).second) return true;
  }
  SafeWriter out(2);
  write_report(&out, worker, stack, nanos);
  for (size_t i = 0; i < count; i++) write_address(&out, frames[i], true);
  return true;
}

}  // namespace

void forget_told_places() {
  MutexLock lock(&told().lock);
  told().functions.clear();
  told().names.clear();
}

uint64_t asked_watch_nanos() {
  constexpr uint64_t kHourMillis = 3600 * 1000;
  return number_from_environment("FIBER_WATCH_MS", 1, kHourMillis, 0) * 1000000;
}

Watchdog::Watchdog(const WorkerGroup* group, uint64_t limit_nanos, bool by_place)
    : group_(group), limit_nanos_(limit_nanos), by_place_(by_place) {
  if (by_place) (void)told();
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
    int tries = 0;
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
        last = {.switches = switches, .cpu_nanos = cpu_nanos};
      } else if (!last.reported && cpu_nanos - last.cpu_nanos >= limit_nanos_) {
        const Stack* const stack = running_on(worker.thread_id());
        if (stack == nullptr) continue;
        if (by_place_) {
          last.reported =
              report_place(worker, *stack, cpu_nanos - last.cpu_nanos, ++last.tries == kMaxTries);
        } else {
          last.reported = report(worker, *stack, cpu_nanos - last.cpu_nanos);
        }
      }
    }
  }
}

}  // namespace fiber::detail
