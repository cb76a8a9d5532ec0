// See io_blocking.h: the operations of io.h on descriptors, for a thread that may wait. Those on
// names are in io_names.cc.
#include "io_blocking.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "descriptor.h"
#include "fiber/clock.h"
#include "handles.h"
#include "io_operation.h"
#include "system.h"
#include "win_error.h"

namespace fiber::io::blocking {

using detail::HandleEntry;
using detail::HandleKind;
using detail::IoOperation;

namespace {

// A read or write of the table's descriptor, which cannot be closed meanwhile.
ptrdiff_t transfer(IoOperation::Kind kind, int fd, void* data, size_t size, uint64_t offset) {
  detail::DescriptorUse use(detail::descriptor(fd));
  if (use.was_closing()) return -EBADF;
  const HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (entry->kind == HandleKind::kDirectory) return -EISDIR;
  if (offset > INT64_MAX && offset != IoOperation::kAppend) return -EINVAL;
  size = std::min(size, kMaxTransfer);
  if (!entry->overlapped) {  // a standard handle, which has no positions
    DWORD bytes = 0;
    void* const handle = detail::handle_of(fd);
    const BOOL ok = kind == IoOperation::Kind::kRead
                        ? ReadFile(handle, data, static_cast<DWORD>(size), &bytes, nullptr)
                        : WriteFile(handle, data, static_cast<DWORD>(size), &bytes, nullptr);
    if (ok) return bytes;
    const DWORD error = GetLastError();
    // The end of a pipe.
    return kind == IoOperation::Kind::kRead && error == ERROR_BROKEN_PIPE ? 0
                                                                          : detail::errno_of(error);
  }
  IoOperation operation;
  operation.kind = kind;
  operation.fd = fd;
  operation.data = data;
  operation.size = size;
  operation.offset =
      entry->append && kind == IoOperation::Kind::kWrite ? IoOperation::kAppend : offset;
  return static_cast<ptrdiff_t>(detail::perform_on_thread(
      &operation, kNoDeadline,
      [](void* u) { return static_cast<detail::DescriptorUse*>(u)->closing(); }, &use));
}

// Windows gathers and scatters whole pages only: part after part.
ptrdiff_t transfer_parts(IoOperation::Kind kind, int fd, const IoVec* parts, int count,
                         uint64_t offset) {
  if (count < 0) return -EINVAL;
  size_t done = 0;
  for (int i = 0; i < count; i++) {
    if (parts[i].iov_len == 0) continue;
    const ptrdiff_t n = transfer(kind, fd, parts[i].iov_base, parts[i].iov_len, offset + done);
    if (n < 0) return done > 0 ? static_cast<ptrdiff_t>(done) : n;
    done += static_cast<size_t>(n);
    if (static_cast<size_t>(n) < parts[i].iov_len) break;
  }
  return static_cast<ptrdiff_t>(done);
}

BOOL set_information(void* handle, FILE_INFO_BY_HANDLE_CLASS which, void* info, size_t size) {
  return SetFileInformationByHandle(handle, which, info, static_cast<DWORD>(size));
}

// A lock on a byte that no file has: Windows' locks hinder reads and writes of what they cover.
constexpr DWORD kLockHigh = 0x40000000;

int64_t unix_seconds(const LARGE_INTEGER& time) {
  constexpr int64_t kUnixEpoch = 116444736000000000;
  return (time.QuadPart - kUnixEpoch) / 10000000;
}

}  // namespace

int close(int fd) {
  detail::HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  const HandleKind kind = entry->kind;
  void* const handle = detail::take_handle(fd);
  if (handle == nullptr) return -EBADF;
  if (kind == HandleKind::kSocket)
    return closesocket(reinterpret_cast<SOCKET>(handle)) == 0
               ? 0
               : detail::errno_of(static_cast<DWORD>(WSAGetLastError()));
  return CloseHandle(handle) ? 0 : detail::last_error();
}

ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset) {
  return transfer(IoOperation::Kind::kRead, fd, data, size, offset);
}

ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  return transfer(IoOperation::Kind::kWrite, fd, const_cast<void*>(data), size, offset);
}

ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset) {
  return transfer_parts(IoOperation::Kind::kRead, fd, parts, count, offset);
}

ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset) {
  return transfer_parts(IoOperation::Kind::kWrite, fd, parts, count, offset);
}

ptrdiff_t read(int fd, void* data, size_t size) {
  HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  const ptrdiff_t n = pread(fd, data, size, entry->position.load(std::memory_order_relaxed));
  if (n > 0) entry->position.fetch_add(static_cast<uint64_t>(n), std::memory_order_relaxed);
  return n;
}

ptrdiff_t write(int fd, const void* data, size_t size) {
  HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  const ptrdiff_t n = pwrite(fd, data, size, entry->position.load(std::memory_order_relaxed));
  if (n > 0) entry->position.fetch_add(static_cast<uint64_t>(n), std::memory_order_relaxed);
  return n;
}

// There is no such read: nobody asks (may_read_cached).
ptrdiff_t pread_cached(int /*fd*/, void* /*data*/, size_t /*size*/, uint64_t /*offset*/) {
  return -EOPNOTSUPP;
}
ptrdiff_t preadv_cached(int /*fd*/, const IoVec* /*parts*/, int /*count*/, uint64_t /*offset*/) {
  return -EOPNOTSUPP;
}

int fsync(int fd) {
  const HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (FlushFileBuffers(detail::handle_of(fd))) return 0;
  const DWORD error = GetLastError();
  // Not every file system flushes directories; NTFS journals their changes in any case.
  if (entry->kind == HandleKind::kDirectory &&
      (error == ERROR_ACCESS_DENIED || error == ERROR_INVALID_FUNCTION ||
       error == ERROR_NOT_SUPPORTED || error == ERROR_INVALID_HANDLE)) {
    return 0;
  }
  return detail::errno_of(error);
}

int fdatasync(int fd) { return fsync(fd); }

int sync_file_range(int fd, uint64_t /*offset*/, uint64_t /*length*/, unsigned /*flags*/) {
  return detail::handle_of(fd) != nullptr ? -EOPNOTSUPP : -EBADF;
}

int fallocate(int fd, int mode, uint64_t offset, uint64_t length) {
  void* const handle = detail::handle_of(fd);
  if (handle == nullptr) return -EBADF;
  if ((mode & ~kKeepSize) != 0) return -EOPNOTSUPP;
  if (length == 0 || offset > INT64_MAX || length > INT64_MAX - offset) return -EINVAL;
  FILE_STANDARD_INFO now;
  if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &now, sizeof(now)))
    return detail::last_error();
  const auto end = static_cast<int64_t>(offset + length);
  // Setting less than there is would cut the file.
  if (end > now.AllocationSize.QuadPart) {
    FILE_ALLOCATION_INFO wish;
    wish.AllocationSize.QuadPart = end;
    if (!set_information(handle, FileAllocationInfo, &wish, sizeof(wish)))
      return detail::last_error();
  }
  if ((mode & kKeepSize) != 0 || end <= now.EndOfFile.QuadPart) return 0;
  return set_size(fd, static_cast<uint64_t>(end));
}

int set_size(int fd, uint64_t length) {
  void* const handle = detail::handle_of(fd);
  if (handle == nullptr) return -EBADF;
  if (length > INT64_MAX) return -EINVAL;
  FILE_END_OF_FILE_INFO end;
  end.EndOfFile.QuadPart = static_cast<int64_t>(length);
  if (set_information(handle, FileEndOfFileInfo, &end, sizeof(end))) return 0;
  // Of a descriptor that may not write.
  return GetLastError() == ERROR_ACCESS_DENIED ? -EINVAL : detail::last_error();
}

int fadvise(int fd, uint64_t /*offset*/, uint64_t /*length*/, int /*advice*/) {
  return detail::handle_of(fd) != nullptr ? -EOPNOTSUPP : -EBADF;
}

int file_status(int fd, FileStatus* out) {
  void* const handle = detail::handle_of(fd);
  if (handle == nullptr) return -EBADF;
  *out = {};
  if (GetFileType(handle) != FILE_TYPE_DISK) return 0;
  FILE_STANDARD_INFO size;
  FILE_BASIC_INFO basic;
  if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &size, sizeof(size)) ||
      !GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof(basic))) {
    return detail::last_error();
  }
  FILE_ID_INFO id;
  if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof(id))) {
    out->st_dev = id.VolumeSerialNumber;
    static_assert(sizeof(id.FileId) == 16);
    uint64_t halves[2];
    memcpy(halves, &id.FileId, sizeof(halves));
    out->st_ino = halves[0];
    out->st_ino_high = halves[1];
  } else {
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(handle, &info)) return detail::last_error();
    out->st_dev = info.dwVolumeSerialNumber;
    out->st_ino = uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow;
  }
  const bool read_only = (basic.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
  out->st_mode =
      (size.Directory ? kModeDirectory | 0111 : kModeRegular) | (read_only ? 0444U : 0666U);
  out->st_nlink = size.NumberOfLinks;
  out->st_size = size.Directory ? 0 : size.EndOfFile.QuadPart;
  out->st_blocks = (size.AllocationSize.QuadPart + 511) / 512;
  out->st_blksize = 4096;
  out->st_atime = unix_seconds(basic.LastAccessTime);
  out->st_mtime = unix_seconds(basic.LastWriteTime);
  out->st_ctime = unix_seconds(basic.ChangeTime);
  out->st_mtime_nanos = static_cast<uint32_t>(basic.LastWriteTime.QuadPart % 10000000 * 100);
  return 0;
}

int lock_file(int fd) {
  void* const handle = detail::handle_of(fd);
  if (handle == nullptr) return -EBADF;
  OVERLAPPED at = {};
  at.OffsetHigh = kLockHigh;
  if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at))
    return 0;
  const DWORD error = GetLastError();
  return error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? -EAGAIN
                                                                    : detail::errno_of(error);
}

int unlock_file(int fd) {
  void* const handle = detail::handle_of(fd);
  if (handle == nullptr) return -EBADF;
  OVERLAPPED at = {};
  at.OffsetHigh = kLockHigh;
  if (UnlockFileEx(handle, 0, 1, 0, &at) || GetLastError() == ERROR_NOT_LOCKED) return 0;
  return detail::last_error();
}

}  // namespace fiber::io::blocking
