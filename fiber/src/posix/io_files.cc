// See io_files.h.
#include "io_files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <atomic>

namespace fiber::io {

namespace {

// Untouched pages of it cost nothing. Descriptors beyond are asked for each time.
constexpr int kTableSize = 1 << 16;
// Relaxed: a kind stands for itself, nothing else is read through it.
std::atomic<uint8_t> kinds[kTableSize];

// linux/magic.h lacks these.
constexpr long kCeph = 0x00c36400, kLustre = 0x0bd00bd0;

bool is_remote(int fd) {
  struct statfs info;
  if (::fstatfs(fd, &info) != 0) return false;
  switch (info.f_type) {
    case FUSE_SUPER_MAGIC:
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case V9FS_MAGIC:
    case AFS_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case kCeph:
    case kLustre:
      return true;
    default:
      return false;
  }
}

FileKind ask(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  struct stat info;
  if (flags < 0 || (flags & (O_DIRECT | O_SYNC | O_DSYNC)) != 0) return FileKind::kOther;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return FileKind::kOther;
  return is_remote(fd) ? FileKind::kBufferedRemote : FileKind::kBuffered;
}

bool in_table(int fd) { return fd >= 0 && fd < kTableSize; }

}  // namespace

FileKind file_kind(int fd) {
  if (in_table(fd)) {
    const auto kind = static_cast<FileKind>(kinds[fd].load(std::memory_order_relaxed));
    if (kind != FileKind::kUnknown) return kind;
  }
  return ask(fd);
}

bool is_stream(int fd) {
  struct stat info;
  return ::fstat(fd, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) &&
         !S_ISBLK(info.st_mode);
}

bool is_known_file(int fd) {
  if (!in_table(fd)) return false;
  const auto kind = static_cast<FileKind>(kinds[fd].load(std::memory_order_relaxed));
  return kind == FileKind::kBuffered || kind == FileKind::kBufferedRemote;
}

void remember_file(int fd) {
  if (in_table(fd)) {
    kinds[fd].store(static_cast<uint8_t>(ask(fd)), std::memory_order_relaxed);
  }
}

void forget_file(int fd) {
  if (in_table(fd)) {
    kinds[fd].store(static_cast<uint8_t>(FileKind::kUnknown), std::memory_order_relaxed);
  }
}

}  // namespace fiber::io
