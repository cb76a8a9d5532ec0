// See fiber/debug.h.
#include "fiber/debug.h"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>

#include "backtrace.h"
#include "dump.h"
#include "registry.h"
#include "safe_writer.h"
#include "stack.h"
#include "worker.h"

namespace fiber {

void detail::write_address(detail::SafeWriter* out, uintptr_t address, bool demangle) {
  *out << "    ";
  out->hex(address);
  const char* name = nullptr;
  const char* module = nullptr;
  uintptr_t offset = 0;
  // A return address belongs to the call before it.
  if (detail::find_symbol(address - 1, &name, &offset, &module)) {
    int status = -1;
    char* readable = demangle ? abi::__cxa_demangle(name, nullptr, nullptr, &status) : nullptr;
    *out << " " << (status == 0 ? readable : name) << "+";
    out->hex(offset + 1);
    free(readable);  // null in a signal handler, where free(nullptr) does nothing
  } else if (module != nullptr) {
    *out << " " << module << "+";
    out->hex(offset + 1);
  }
  *out << "\n";
}

namespace {

using detail::SafeWriter;
using detail::Stack;
using detail::StackSlab;
using detail::Worker;

const char* state_name(uint32_t state) {
  switch (state) {
    case Stack::kRunning:
      return "running";
    case Stack::kReady:
      return "ready";
    default:
      return "waiting";
  }
}

void write_fiber(SafeWriter* out, const Stack& stack, bool demangle) {
  char name[detail::FiberName::kMax + 1];
  stack.copy_name(name);
  const uint32_t state = stack.state.load(std::memory_order_relaxed);
  *out << "fiber " << stack.number.load(std::memory_order_relaxed);
  if (name[0] != '\0') *out << " \"" << name << "\"";
  *out << " " << state_name(state);
  const uint64_t since = stack.since.load(std::memory_order_relaxed);
  if (since != 0) {
    *out << " for " << (detail::cycles() - since) / detail::cycles_per_microsecond() << " us";
  }
  *out << ", thread " << uint64_t{stack.thread.load(std::memory_order_relaxed)} << ", stack ";
  out->hex(reinterpret_cast<uintptr_t>(stack.bottom)) << "-";
  out->hex(reinterpret_cast<uintptr_t>(stack.top)) << "\n";
  if (state == Stack::kRunning) return;
  uintptr_t frames[detail::kMaxFrames];
  const size_t count = detail::backtrace_of(stack, stack.context, frames);
  for (size_t i = 0; i < count; i++) detail::write_address(out, frames[i], demangle);
}

void write_worker(const Worker* worker, void* argument) {
  auto* out = static_cast<SafeWriter*>(argument);
  const Stats stats = worker->stats();
  uint64_t started = 0;
  StackSlab::for_each_fiber([&](const Stack& stack) {
    if (stack.thread.load(std::memory_order_relaxed) == worker->thread_id()) started++;
  });
  *out << "worker " << uint64_t(worker->index()) << ", thread " << uint64_t{worker->thread_id()}
       << (worker->asleep() ? ", asleep" : ", awake") << ": " << started << " fibers, "
       << (stats.live > started ? stats.live - started : 0) << " not started, " << stats.io_pending
       << " operations pending, " << stats.switches << " switches\n";
}

}  // namespace

void detail::dump_all(int fd, bool demangle) {
  SafeWriter out(fd);
  out << "fiber::dump\n";
  if (!detail::visit_workers(write_worker, &out)) out << "workers: cannot be listed now\n";
  StackSlab::for_each_fiber([&](const Stack& stack) { write_fiber(&out, stack, demangle); });
  out << "end of fiber::dump\n";
}

void dump(int fd) { detail::dump_all(fd, true); }

}  // namespace fiber
