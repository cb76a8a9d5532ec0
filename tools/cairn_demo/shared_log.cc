#include "cairn_demo/shared_log.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "fiber/io.h"

namespace demo {

SharedLog* AttachSharedLog(int fd) {
  // style: memory, not a file
  void* memory = mmap(nullptr, sizeof(SharedLog), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    std::perror("cairn_demo: mmap");
    return nullptr;
  }
  return static_cast<SharedLog*>(memory);
}

SharedLog* CreateSharedLog(int* fd) {
  *fd = memfd_create("cairn_demo", 0);
  if (*fd < 0) {
    std::perror("cairn_demo: memfd_create");
    return nullptr;
  }
  const int result = fiber::io::ftruncate(*fd, sizeof(SharedLog));
  if (result < 0) {
    std::fprintf(stderr, "cairn_demo: ftruncate: %s\n", std::strerror(-result));
    return nullptr;
  }
  SharedLog* log = AttachSharedLog(*fd);
  return log == nullptr ? nullptr : new (log) SharedLog();
}

void ReleaseSharedLog(SharedLog* log, int fd) {
  munmap(log, sizeof(SharedLog));  // style: no file I/O
  if (fd >= 0) fiber::io::close(fd);
}

}  // namespace demo
