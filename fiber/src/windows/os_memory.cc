// See os_memory.h. A stack grows as the system's own do: below what is committed lies a page with
// PAGE_GUARD, whose first touch commits it and moves the guard one page down. The system does that
// for the stack that the thread information block tells of, which the switch (context_x86_64.S)
// keeps right. Near the bottom of the slot the touch is a STATUS_STACK_OVERFLOW instead, and what
// is left there is for its handlers: so the guard of stack.cc is part of the stack here, as far as
// the system knows, and a fiber has all of its usable bytes.
#include "os_memory.h"

#include <atomic>

#include "stack_layout.h"
#include "system.h"

namespace fiber::detail {

size_t os_page_size() {
  static const size_t size = [] {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return static_cast<size_t>(info.dwPageSize);
  }();
  return size;
}

void* os_reserve_stacks(size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_READWRITE);
}

bool os_prepare_stack(char* /*bottom*/, size_t /*guard*/, char* top) {
  char* const guard = top - kFirstStackBytes - os_page_size();
  DWORD before;
  return VirtualAlloc(guard, kFirstStackBytes + os_page_size(), MEM_COMMIT, PAGE_READWRITE) !=
             nullptr &&
         VirtualProtect(guard, os_page_size(), PAGE_READWRITE | PAGE_GUARD, &before) != 0;
}

void os_release_stack(char* bottom, size_t usable) {
  // The pages that an empty stack has stay committed, so that this cannot fail for want of memory.
  // What lies below them goes; the page in between is, or was, the guard.
  char* const guard = bottom + usable - kFirstStackBytes - os_page_size();
  if (guard > bottom) (void)VirtualFree(bottom, static_cast<size_t>(guard - bottom), MEM_DECOMMIT);
  DWORD before;
  (void)VirtualProtect(guard, os_page_size(), PAGE_READWRITE | PAGE_GUARD, &before);
}

size_t os_used_of_stack(char* bottom, size_t usable) {
  // From the bottom up: what is reserved only, the guard page, what has been used.
  for (char* at = bottom; at < bottom + usable;) {
    MEMORY_BASIC_INFORMATION region;
    if (VirtualQuery(at, &region, sizeof(region)) == 0) return 0;
    if (region.State == MEM_COMMIT && (region.Protect & PAGE_GUARD) == 0)
      return static_cast<size_t>(bottom + usable - at);
    at = static_cast<char*>(region.BaseAddress) + region.RegionSize;
  }
  return 0;
}

}  // namespace fiber::detail
