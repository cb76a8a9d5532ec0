// See stack_overflow.h.
#include "stack_overflow.h"

#include <signal.h>

#include <cstdlib>
#include <mutex>

#include "keep_loaded.h"
#include "safe_writer.h"
#include "stack.h"

namespace fiber::detail {
namespace {

// The handlers that were there before. Constant once ours are installed.
struct sigaction g_segv_before;
struct sigaction g_bus_before;

// Enough for our handler and for those after it; what the kernel saves (vector registers) comes on
// top.
constexpr size_t kSignalStackBytes = size_t{64} << 10;

void report(const Stack& stack) {
  SafeWriter out(2);
  out << "fiber: stack overflow in fiber " << stack.number.load(std::memory_order_relaxed);
  if (stack.name.text[0] != '\0') out << " \"" << stack.name.text << "\"";
  out << " (thread " << uint64_t{stack.thread.load(std::memory_order_relaxed)}
      << "): it used all of its " << (static_cast<uint64_t>(stack.top - stack.bottom) + 1023) / 1024
      << " KiB. Give the runtime more by RuntimeOptions::stack_size, or keep large arrays and deep "
         "recursion off the stack.\n";
}

void on_fault(int signal, siginfo_t* info, void* context) {
  bool in_guard = false;
  const Stack* const stack = StackSlab::stack_at(info->si_addr, &in_guard);
  if (stack != nullptr && in_guard) report(*stack);
  const struct sigaction& before = signal == SIGBUS ? g_bus_before : g_segv_before;
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler != SIG_DFL &&
             before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    // The default, at the faulting instruction: it faults once more when we return, and the core
    // file shows it. (A fault cannot be ignored; one that was sent by kill() is sent again.)
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (info->si_code <= 0) raise(signal);
  }
}

}  // namespace

void install_overflow_report() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* wish = getenv("FIBER_OVERFLOW_REPORT");
    if (wish != nullptr && wish[0] == '0' && wish[1] == '\0') return;
    keep_loaded();
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    // The old ones are read before the new ones can run.
    sigaction(SIGSEGV, nullptr, &g_segv_before);
    sigaction(SIGBUS, nullptr, &g_bus_before);
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
  });
}

SignalStack::SignalStack() {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  const long least = sysconf(_SC_SIGSTKSZ);
  const size_t size = kSignalStackBytes + (least > 0 ? static_cast<size_t>(least) : 0);
  // Not value-initialised: pages that no signal touches take no memory.
  std::unique_ptr<char[]> memory(new char[size]);
  stack_t mine = {};
  mine.ss_sp = memory.get();
  mine.ss_size = size;
  if (sigaltstack(&mine, nullptr) == 0) memory_ = std::move(memory);
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  stack_t now = {};
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_.get()) sigaltstack(&none, nullptr);
}

}  // namespace fiber::detail
