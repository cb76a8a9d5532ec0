// dump_on_signal() of fiber/debug.h.
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "dump.h"
#include "fiber/debug.h"
#include "futex.h"
#include "keep_loaded.h"
#include "safe_writer.h"

namespace fiber {
namespace {

// The handlers that dump_on_signal() replaced. Constant once the signal's handler is installed.
struct sigaction g_before[NSIG];

void on_signal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  detail::dump_all(2, false);
  const struct sigaction& before = g_before[signal];
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    if (before.sa_sigaction != nullptr) before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
  errno = saved;
}

}  // namespace

int dump_on_signal(int signal) {
  if (signal <= 0 || signal >= NSIG) return -EINVAL;
  (void)detail::cycles_per_microsecond();  // measured now, not in the handler
  struct sigaction now;
  if (sigaction(signal, nullptr, &now) != 0) return -errno;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal) return 0;
  detail::keep_loaded();
  g_before[signal] = now;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(signal, &action, nullptr) == 0 ? 0 : -errno;
}

namespace detail {

void install_default_dump_signal() {
  static std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  if (const char* wish = getenv("FIBER_DUMP_SIGNAL"); wish != nullptr && *wish != '\0') {
    const int signal = atoi(wish);
    if (signal != 0 && dump_on_signal(signal) != 0)
      SafeWriter(2) << "fiber: FIBER_DUMP_SIGNAL=" << wish << ": no such signal; ignored\n";
    return;
  }
#ifndef NDEBUG
  struct sigaction now;
  if (sigaction(SIGQUIT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
      now.sa_handler == SIG_DFL) {
    (void)dump_on_signal(SIGQUIT);
  }
#endif
}

}  // namespace detail
}  // namespace fiber
