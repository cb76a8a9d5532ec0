#include "base/pages.h"

#include <windows.h>

namespace cairn {

const char* const kPreferredPages = "ordinary memory";

void* MapPages(size_t bytes, bool reserved, size_t page_size, std::string* why) {
  DWORD flags = MEM_RESERVE | MEM_COMMIT;
  if (reserved) {
    // One size only, and only for who holds SeLockMemoryPrivilege, enabled.
    const size_t large = GetLargePageMinimum();
    if (large != page_size) {
      *why = large == 0 ? "the processor has none"
                        : "the system has pages of " + std::to_string(large) + " bytes only";
      return nullptr;
    }
    flags |= MEM_LARGE_PAGES;
  }
  void* const start = VirtualAlloc(nullptr, bytes, flags, PAGE_READWRITE);
  if (start == nullptr) *why = "VirtualAlloc: error " + std::to_string(GetLastError());
  return start;
}

void UnmapPages(void* start, size_t /*bytes*/) { VirtualFree(start, 0, MEM_RELEASE); }

void PreferHugePages(void* /*start*/, size_t /*bytes*/) {}

}  // namespace cairn
