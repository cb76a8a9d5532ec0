#include "os_descriptor.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "registered_files.h"

namespace fiber::detail {

bool os_is_tcp(int fd) {
  int protocol = 0;
  socklen_t size = sizeof(protocol);
  return ::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
         protocol == IPPROTO_TCP;
}

void os_end_waits(int fd) { (void)::shutdown(fd, SHUT_RDWR); }

void os_descriptor_closing(int fd) { RegisteredFiles::forget(fd); }

}  // namespace fiber::detail
