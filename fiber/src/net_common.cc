// The functions of net.h that stand on the others. (posix/net.cc and windows/net.cc have those.)
#include "fiber/net.h"

namespace fiber::net {

int listen_on(const Address& address, int backlog) {
  const int fd = socket(address.family());
  if (fd < 0) return fd;
  int error = address.family() != kUnix ? set_reuse_address(fd, true) : 0;
  if (error == 0) error = bind(fd, address);
  if (error == 0) error = listen(fd, backlog);
  if (error == 0) return fd;
  (void)close(fd);
  return error;
}

int connect_to(const Address& address, uint64_t deadline) {
  const int fd = socket(address.family());
  if (fd < 0) return fd;
  const int error = connect(fd, address, deadline);
  if (error == 0) return fd;
  (void)close(fd);
  return error;
}

ptrdiff_t send_all(int fd, const void* data, size_t size, uint64_t deadline) {
  size_t done = 0;
  while (done < size) {
    const ptrdiff_t n = send(fd, static_cast<const char*>(data) + done, size - done, 0, deadline);
    if (n < 0) return n;
    done += static_cast<size_t>(n);
  }
  return static_cast<ptrdiff_t>(done);
}

ptrdiff_t recv_exactly(int fd, void* data, size_t size, uint64_t deadline) {
  size_t done = 0;
  while (done < size) {
    const ptrdiff_t n = recv(fd, static_cast<char*>(data) + done, size - done, 0, deadline);
    if (n < 0) return n;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<ptrdiff_t>(done);
}

}  // namespace fiber::net
