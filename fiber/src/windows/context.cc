#include "context.h"

#include <cstring>

#include "os_memory.h"
#include "stack_layout.h"

namespace fiber::detail {

void* prepare_stack(void* bottom, void* top, void (*entry)(void*), void* argument) {
  const uintptr_t page = os_page_size();
  const uintptr_t end = (reinterpret_cast<uintptr_t>(top) + page - 1) & ~(page - 1);
  // Above the frame the shadow space of fiber_context_entry, whose return address is 0: the end of
  // every backtrace. The stack pointer is 16-aligned in fiber_context_entry.
  uintptr_t address = (reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15}) - 64;
  address -= kSavedWords * sizeof(void*);
  void** const frame = reinterpret_cast<void**>(address);
  memset(frame, 0, kSavedWords * sizeof(void*) + 64);
  frame[kSavedDeallocation] = static_cast<char*>(bottom) - kStackReserveBytes;
  frame[kSavedLimit] = reinterpret_cast<void*>(end - kFirstStackBytes);
  frame[kSavedBase] = reinterpret_cast<void*>(end);
  frame[kSavedExceptionList] = reinterpret_cast<void*>(~uintptr_t{0});  // none
  frame[kSavedR12] = reinterpret_cast<void*>(entry);
  frame[kSavedRbx] = argument;
  frame[kSavedReturn] = reinterpret_cast<void*>(&fiber_context_entry);
  return frame;
}

void describe_thread_context(Context* /*context*/) {}  // there are no sanitizers to tell

}  // namespace fiber::detail
