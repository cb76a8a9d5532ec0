#include "base/pages.h"

#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace cairn {

const char* const kPreferredPages = "transparent ones";

void* MapPages(size_t bytes, bool reserved, size_t page_size, std::string* why) {
  constexpr int kPageSizeShift = 26;  // MAP_HUGE_SHIFT
  const int huge = reserved ? MAP_HUGETLB | std::countr_zero(page_size) << kPageSizeShift : 0;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | huge;
  // style: memory, not a file: it does not block
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (start != MAP_FAILED) return start;
  *why = std::strerror(errno);
  return nullptr;
}

void UnmapPages(void* start, size_t bytes) {
  ::munmap(start, bytes);  // style: memory, not a file: it does not block
}

void PreferHugePages(void* start, size_t bytes) {
  ::madvise(start, bytes, MADV_HUGEPAGE);  // what it refuses stays ordinary memory
}

}  // namespace cairn
