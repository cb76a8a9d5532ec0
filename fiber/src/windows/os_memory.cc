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

namespace {

// Commits the top of an empty stack and lays the guard page below.
bool begin_stack(char* end) {
  char* const committed = end - kFirstStackBytes;
  DWORD before;
  return VirtualAlloc(committed - os_page_size(), kFirstStackBytes + os_page_size(), MEM_COMMIT,
                      PAGE_READWRITE) != nullptr &&
         VirtualProtect(committed - os_page_size(), os_page_size(), PAGE_READWRITE | PAGE_GUARD,
                        &before) != 0;
}

}  // namespace

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

bool os_prepare_stack(char* /*bottom*/, size_t /*guard*/, char* top) { return begin_stack(top); }

void os_release_stack(char* bottom, size_t usable) {
  // The committed part may reach into what stack.cc calls the guard, after an overflow that was
  // handled: that stays.
  if (!VirtualFree(bottom, usable, MEM_DECOMMIT) || !begin_stack(bottom + usable)) {
    // Nobody can use it any more, and the pool has no way to say so: its next fiber ends with a
    // fault in its first function.
    return;
  }
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
