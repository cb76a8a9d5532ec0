#include "os_descriptor.h"

#include "handles.h"
#include "os_net.h"

namespace fiber::detail {

bool os_is_tcp(int fd) {
  const HandleEntry* const entry = handle_entry(fd);
  return entry != nullptr && entry->kind == HandleKind::kSocket && entry->family != AF_UNIX;
}

void os_end_waits(int fd) {
  void* const handle = handle_of(fd);
  if (handle != nullptr) (void)CancelIoEx(handle, nullptr);
}

void os_descriptor_closing(int /*fd*/) {}

}  // namespace fiber::detail
