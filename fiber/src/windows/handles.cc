// See handles.h.
#include "handles.h"

#include <algorithm>
#include <cerrno>

#include "fiber/io.h"
#include "os_descriptor.h"
#include "os_write.h"
#include "raw_lock.h"
#include "system.h"

namespace fiber {

namespace detail {

namespace {

constexpr int kFirst = 3;

HandleEntry g_entries[kMaxDescriptors];

RawLock g_lock;
// No number below is free.
int g_lowest FIBER_GUARDED_BY(g_lock) = kFirst;

void* standard_handle(int fd) {
  static constexpr DWORD kWhich[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  void* const handle = GetStdHandle(kWhich[fd]);
  return handle == INVALID_HANDLE_VALUE ? nullptr : handle;
}

}  // namespace

int make_handle(void* handle, HandleKind kind, bool append, int family) {
  RawLockGuard guard(&g_lock);
  for (int fd = g_lowest; fd < kMaxDescriptors; fd++) {
    HandleEntry& entry = g_entries[fd];
    if (entry.handle.load(std::memory_order_relaxed) != nullptr) continue;
    entry.kind = kind;
    entry.append = append;
    entry.overlapped = true;
    entry.family = static_cast<int16_t>(family);
    entry.bound.store(false, std::memory_order_relaxed);
    entry.shut.store(0, std::memory_order_relaxed);
    entry.position.store(0, std::memory_order_relaxed);
    entry.port.store(HandleEntry::kNotInPort, std::memory_order_relaxed);
    // Release: who learns the number without its maker's help finds the rest.
    entry.handle.store(handle, std::memory_order_release);
    g_lowest = fd + 1;
    return fd;
  }
  return -EMFILE;
}

HandleEntry* handle_entry(int fd) {
  if (fd < 0 || fd >= kMaxDescriptors) return nullptr;
  HandleEntry* const entry = &g_entries[fd];
  if (fd < kFirst) {
    // They may be changed at any time.
    entry->handle.store(standard_handle(fd), std::memory_order_relaxed);
    entry->port.store(HandleEntry::kRefused, std::memory_order_relaxed);
  }
  return entry->handle.load(std::memory_order_acquire) != nullptr ? entry : nullptr;
}

void* handle_of(int fd) {
  const HandleEntry* const entry = handle_entry(fd);
  return entry != nullptr ? entry->handle.load(std::memory_order_acquire) : nullptr;
}

void* take_handle(int fd) {
  if (fd < kFirst || fd >= kMaxDescriptors) return nullptr;
  RawLockGuard guard(&g_lock);
  void* const handle = g_entries[fd].handle.exchange(nullptr, std::memory_order_acq_rel);
  if (handle != nullptr) g_lowest = std::min(g_lowest, fd);
  return handle;
}

void os_write(int fd, const char* data, size_t size) {
  HandleEntry* const entry = handle_entry(fd);
  void* const handle = handle_of(fd);
  while (handle != nullptr && size > 0) {
    DWORD written = 0;
    if (entry->overlapped) {
      const ptrdiff_t n = io::write(fd, data, size);  // a report into a file: no handler's affair
      if (n <= 0) return;
      written = static_cast<DWORD>(n);
    } else if (!WriteFile(handle, data, static_cast<DWORD>(size), &written, nullptr) ||
               written == 0) {
      return;
    }
    data += written;
    size -= written;
  }
}

}  // namespace detail

void* io::native_handle(int fd) { return detail::handle_of(fd); }

}  // namespace fiber
