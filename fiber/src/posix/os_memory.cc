// See os_memory.h.
#include "os_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <vector>

namespace fiber::detail {
namespace {

// Linux 6.13: makes pages fault without splitting the mapping. Not in Debian 12's headers.
constexpr int kMadvGuardInstall = 102;

std::atomic<bool> g_guard_markers{true};

}  // namespace

size_t os_page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

void* os_reserve_stacks(size_t bytes) {
  void* const slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED) return nullptr;
  // A huge page under a stack would make it resident as a whole. Refused only where there are none.
  (void)madvise(slab, bytes, MADV_NOHUGEPAGE);
  return slab;
}

bool os_prepare_stack(char* bottom, size_t guard, char* /*top*/) {
  if (g_guard_markers.load(std::memory_order_relaxed)) {
    int result;
    do {
      result = madvise(bottom, guard, kMadvGuardInstall);
    } while (result != 0 && errno == EINTR);
    if (result == 0) return true;
    if (errno == ENOMEM) return false;
    g_guard_markers.store(false, std::memory_order_relaxed);  // an older kernel
  }
  // Splits the mapping: fails when the process has too many (vm.max_map_count).
  return mprotect(bottom, guard, PROT_NONE) == 0;
}

void os_release_stack(char* bottom, size_t usable) {
  (void)madvise(bottom, usable, MADV_DONTNEED);  // a refusal costs memory only
}

size_t os_used_of_stack(char* bottom, size_t usable) {
  const size_t page = os_page_size();
  const size_t pages = usable / page;
  std::vector<unsigned char> resident(pages);
  if (mincore(bottom, pages * page, resident.data()) != 0) return 0;
  size_t untouched = 0;
  while (untouched < pages && (resident[untouched] & 1) == 0) untouched++;
  return (pages - untouched) * page;
}

}  // namespace fiber::detail
