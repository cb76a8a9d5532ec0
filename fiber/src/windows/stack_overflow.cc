// See stack_overflow.h. The system raises STATUS_STACK_OVERFLOW when a stack's last pages are
// touched (os_memory.cc); a frame that steps over them all is an access violation. A vectored
// handler names the fiber and hands on.
#include "stack_overflow.h"

#include <atomic>
#include <cstdlib>

#include "keep_loaded.h"
#include "safe_writer.h"
#include "stack.h"
#include "system.h"

namespace fiber::detail {
namespace {

void report(const Stack& stack) {
  SafeWriter out(2);
  out << "fiber: stack overflow in fiber " << stack.number.load(std::memory_order_relaxed);
  if (stack.name.text[0] != '\0') out << " \"" << stack.name.text << "\"";
  out << " (thread " << uint64_t{stack.thread.load(std::memory_order_relaxed)}
      << "): it used all of its " << (static_cast<uint64_t>(stack.top - stack.bottom) + 1023) / 1024
      << " KiB. Give the runtime more by RuntimeOptions::stack_size, or keep large arrays and deep "
         "recursion off the stack.\n";
}

LONG CALLBACK on_exception(EXCEPTION_POINTERS* info) {
  const EXCEPTION_RECORD& record = *info->ExceptionRecord;
  const void* at = nullptr;
  if (record.ExceptionCode == EXCEPTION_STACK_OVERFLOW) {
    at = reinterpret_cast<const void*>(info->ContextRecord->Rsp);
  } else if (record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record.NumberParameters >= 2) {
    at = reinterpret_cast<const void*>(record.ExceptionInformation[1]);
  } else {
    return EXCEPTION_CONTINUE_SEARCH;
  }
  bool in_guard = false;
  const Stack* const stack = StackSlab::stack_at(at, &in_guard);
  if (stack != nullptr && (in_guard || record.ExceptionCode == EXCEPTION_STACK_OVERFLOW))
    report(*stack);
  return EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

void install_overflow_report() {
  static std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  const char* wish = getenv("FIBER_OVERFLOW_REPORT");
  if (wish != nullptr && wish[0] == '0' && wish[1] == '\0') return;
  keep_loaded();
  (void)AddVectoredExceptionHandler(/*First=*/0, on_exception);
}

// Handlers run on the stack that overflowed, on what kStackReserveBytes keeps for them.
SignalStack::SignalStack() = default;
SignalStack::~SignalStack() = default;

}  // namespace fiber::detail
