#include "base/shortage.h"

#include <cerrno>

namespace cairn {

bool IsShortage(int err) {
  switch (err) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case EINTR:
    case EAGAIN:
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
      return true;
    default:
      return false;
  }
}

bool IsShortage(const Status& s) {
  if (s.ok()) return false;
  return s.IsNoSpace() || s.IsMemoryLimit() || status_to_io_status(Status(s)).GetRetryable();
}

IOStatus NoMemory(const std::string& file) {
  return status_to_io_status(Status::MemoryLimit("no memory for the bytes of", file));
}

}  // namespace cairn
