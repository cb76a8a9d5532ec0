#include "server/host/files.h"

#include <cstring>

#include "fiber/io.h"
#include "server/host/machine.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

Status Failed(const char* what, const std::string& name, ptrdiff_t error) {
  return Status::IOError(std::string("cannot ") + what + " " + name,
                         std::strerror(static_cast<int>(-error)));
}

}  // namespace

Status ReadFile(const std::string& name, std::string* text) {
  text->clear();
  const int fd = fiber::io::open(name.c_str(), fiber::io::kReadOnly);
  if (fd < 0) return Failed("open", name, fd);
  char buffer[4096];
  ptrdiff_t n;
  while ((n = fiber::io::read(fd, buffer, sizeof(buffer))) > 0) {
    text->append(buffer, static_cast<size_t>(n));
  }
  fiber::io::close(fd);
  return n < 0 ? Failed("read", name, n) : Status::OK();
}

Status ReplaceFile(const std::string& name, std::string_view text) {
  const std::string temporary = name + ".tmp";
  fiber::io::unlink(temporary.c_str());
  const int fd = fiber::io::open(
      temporary.c_str(), fiber::io::kWriteOnly | fiber::io::kCreate | fiber::io::kExclusive, 0600);
  if (fd < 0) return Failed("make", temporary, fd);
  ptrdiff_t n = 0;
  for (std::string_view rest = text; n >= 0 && !rest.empty();) {
    n = fiber::io::write(fd, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<size_t>(n));
  }
  if (n >= 0) n = fiber::io::fsync(fd);
  fiber::io::close(fd);
  if (n >= 0) n = fiber::io::rename(temporary.c_str(), name.c_str());
  if (n < 0) {
    fiber::io::unlink(temporary.c_str());
    return Failed("write", name, n);
  }
  // The new name outlives a power cut, too.
  const size_t length = FolderLength(name);
  const std::string folder = length == 0 ? "." : name.substr(0, length);
  const int folder_fd =
      fiber::io::open(folder.c_str(), fiber::io::kReadOnly | fiber::io::kDirectory);
  if (folder_fd < 0) return Failed("open", folder, folder_fd);
  n = fiber::io::fsync(folder_fd);
  fiber::io::close(folder_fd);
  return n < 0 ? Failed("sync", folder, n) : Status::OK();
}

}  // namespace cairn::server
