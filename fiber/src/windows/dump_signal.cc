// dump_on_signal() of fiber/debug.h. Windows has no signals from outside but those of the console:
// Ctrl+Break, which the C runtime calls SIGBREAK. Its handler runs on a thread of its own.
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "dump.h"
#include "fiber/debug.h"
#include "futex.h"
#include "keep_loaded.h"
#include "safe_writer.h"
#include "system.h"

namespace fiber {
namespace {

BOOL WINAPI on_console_event(DWORD event) {
  if (event == CTRL_BREAK_EVENT) detail::dump_all(2, true);
  return FALSE;  // the handlers that were there before, or the default, which ends the process
}

}  // namespace

int dump_on_signal(int signal) {
  if (signal != SIGBREAK) return -EINVAL;
  static std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return 0;
  (void)detail::cycles_per_microsecond();
  detail::keep_loaded();
  return SetConsoleCtrlHandler(on_console_event, TRUE) ? 0 : -EINVAL;
}

namespace detail {

void install_default_dump_signal() {
  static std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  const char* wish = getenv("FIBER_DUMP_SIGNAL");
  if (wish == nullptr || *wish == '\0') return;
  const int signal = atoi(wish);
  if (signal != 0 && dump_on_signal(signal) != 0)
    SafeWriter(2) << "fiber: FIBER_DUMP_SIGNAL=" << wish << ": no such signal; ignored\n";
}

}  // namespace detail
}  // namespace fiber
