// See io_blocking.h: the operations of io.h on names.
//
// Files are opened with every kind of sharing, so that open ones are renamed and deleted as
// elsewhere. Renaming over a file and deleting one have POSIX's meaning where the file system knows
// it (NTFS of Windows 10, 1709 and 1809): the name is free at once, who has the old file open keeps
// it. Elsewhere a target that is open refuses, and a deleted name lasts until its last handle goes.
// Scanners of the system open files for a moment without asking anybody: what they refuse is tried
// again for a while.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "handles.h"
#include "io_blocking.h"
#include "system.h"
#include "wide_path.h"
#include "win_error.h"

namespace fiber::io::blocking {

namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// Pauses of 1, 2, 4 ... ms: a second in all.
constexpr int kTries = 11;
bool worth_another_try(DWORD error) {
  return error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED ||
         error == ERROR_LOCK_VIOLATION;
}
template <class Call>
int patiently(Call call) {
  for (int i = 0;; i++) {
    const DWORD error = call();
    if (error == ERROR_SUCCESS) return 0;
    if (!worth_another_try(error) || i + 1 == kTries) return detail::errno_of(error);
    Sleep(DWORD{1} << i);
  }
}

// A handle for a moment.
class Opened {
 public:
  Opened(const std::wstring& path, DWORD access)
      : handle_(CreateFileW(path.c_str(), access, kShareAll, nullptr, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr)) {}
  ~Opened() {
    if (ok()) CloseHandle(handle_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  bool ok() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }

 private:
  const HANDLE handle_;
};

// Whether the file system knows no such call: then the older one has its turn.
bool unknown_call(DWORD error) {
  return error == ERROR_INVALID_PARAMETER || error == ERROR_INVALID_FUNCTION ||
         error == ERROR_NOT_SUPPORTED || error == ERROR_CALL_NOT_IMPLEMENTED;
}

// Numbers of newer headers than mingw's.
constexpr auto kFileDispositionInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
constexpr auto kFileRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
constexpr DWORD kDelete = 0x1, kPosixDelete = 0x2, kIgnoreReadOnly = 0x10;
constexpr DWORD kReplace = 0x1, kPosixRename = 0x2, kReplaceReadOnly = 0x40;

DWORD delete_once(const std::wstring& path, bool directory) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return GetLastError();
  if (((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) != directory)
    return directory ? ERROR_DIRECTORY : ERROR_CANNOT_MAKE;
  {
    const Opened file(path, DELETE);
    if (file.ok()) {
      DWORD flags = kDelete | kPosixDelete | kIgnoreReadOnly;
      if (SetFileInformationByHandle(file.get(), kFileDispositionInfoEx, &flags, sizeof(flags)))
        return ERROR_SUCCESS;
      if (const DWORD error = GetLastError(); !unknown_call(error)) return error;
    }
  }
  if (directory) return RemoveDirectoryW(path.c_str()) ? ERROR_SUCCESS : GetLastError();
  if (DeleteFileW(path.c_str())) return ERROR_SUCCESS;
  const DWORD error = GetLastError();
  if (error != ERROR_ACCESS_DENIED || (attributes & FILE_ATTRIBUTE_READONLY) == 0) return error;
  // POSIX asks for a right to the folder only.
  SetFileAttributesW(path.c_str(), attributes & ~DWORD{FILE_ATTRIBUTE_READONLY});
  return DeleteFileW(path.c_str()) ? ERROR_SUCCESS : GetLastError();
}

struct RenameInfo {
  DWORD flags;
  HANDLE root;
  DWORD bytes;
  wchar_t name[1];
};

DWORD rename_once(const std::wstring& from, const std::wstring& to) {
  {
    const Opened file(from, DELETE);
    if (file.ok()) {
      const size_t name_bytes = to.size() * sizeof(wchar_t);
      std::string memory(sizeof(RenameInfo) + name_bytes, '\0');
      auto* const info = reinterpret_cast<RenameInfo*>(memory.data());
      info->flags = kReplace | kPosixRename | kReplaceReadOnly;
      info->bytes = static_cast<DWORD>(name_bytes);
      memcpy(info->name, to.data(), name_bytes);
      if (SetFileInformationByHandle(file.get(), kFileRenameInfoEx, info,
                                     static_cast<DWORD>(memory.size()))) {
        return ERROR_SUCCESS;
      }
      if (const DWORD error = GetLastError(); !unknown_call(error)) return error;
    }
  }
  if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING)) return ERROR_SUCCESS;
  return GetLastError();
}

DWORD access_of(int flags) {
  switch (flags & 3) {
    case kReadOnly:
      return GENERIC_READ;
    case kWriteOnly:
      return GENERIC_WRITE | FILE_READ_ATTRIBUTES;
    default:
      return GENERIC_READ | GENERIC_WRITE;
  }
}

DWORD disposition_of(int flags) {
  if ((flags & kCreate) == 0) return (flags & kTruncate) != 0 ? TRUNCATE_EXISTING : OPEN_EXISTING;
  if ((flags & kExclusive) != 0) return CREATE_NEW;
  // CREATE_ALWAYS would take the attributes of a file that is there away.
  return OPEN_ALWAYS;
}

}  // namespace

int open(const char* path, int flags, Mode mode) {
  constexpr int kBinary = 0x8000, kNoInherit = 0x80;
  constexpr int kKnown = 3 | kAppend | kCreate | kTruncate | kExclusive | kDirect | kDataSync |
                         kDirectory | kBinary | kNoInherit;
  if ((flags & ~kKnown) != 0 || (flags & 3) == 3) return -EINVAL;
  const bool writes = (flags & 3) != kReadOnly;
  if ((flags & kTruncate) != 0 && !writes) return -EINVAL;
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  DWORD attributes = FILE_FLAG_OVERLAPPED;
  if ((flags & kDirect) != 0) attributes |= FILE_FLAG_NO_BUFFERING;
  if ((flags & kDataSync) != 0) attributes |= FILE_FLAG_WRITE_THROUGH;
  if (!writes && (flags & kCreate) == 0) attributes |= FILE_FLAG_BACKUP_SEMANTICS;  // directories
  if ((flags & kCreate) != 0 && (mode & 0200) == 0) attributes |= FILE_ATTRIBUTE_READONLY;
  HANDLE handle = INVALID_HANDLE_VALUE;
  auto try_open = [&](DWORD access) -> DWORD {
    handle = CreateFileW(wide.c_str(), access, kShareAll, nullptr, disposition_of(flags),
                         attributes, nullptr);
    return handle != INVALID_HANDLE_VALUE ? ERROR_SUCCESS : GetLastError();
  };
  const DWORD found = GetFileAttributesW(wide.c_str());
  const bool directory =
      found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
  if (directory && (flags & (kCreate | kExclusive)) == (kCreate | kExclusive)) return -EEXIST;
  if (directory && (writes || (flags & kCreate) != 0)) return -EISDIR;
  if ((flags & kDirectory) != 0 && !directory)
    return found == INVALID_FILE_ATTRIBUTES ? -ENOENT : -ENOTDIR;
  // To flush a directory takes the right to write to it.
  DWORD error = directory ? try_open(GENERIC_READ | GENERIC_WRITE) : ERROR_ACCESS_DENIED;
  if (error != ERROR_SUCCESS) error = try_open(access_of(flags));
  if (error == ERROR_SHARING_VIOLATION) {
    // Somebody who does not share has it for a moment.
    if (const int refused = patiently([&] { return try_open(access_of(flags)); }); refused != 0)
      return refused;
  } else if (error != ERROR_SUCCESS) {
    return detail::errno_of(error);
  }
  const int fd = detail::make_handle(
      handle, directory ? detail::HandleKind::kDirectory : detail::HandleKind::kFile,
      (flags & kAppend) != 0);
  if (fd < 0) {
    CloseHandle(handle);
    return fd;
  }
  if ((flags & kTruncate) != 0 && (flags & kCreate) != 0) {
    if (const int cut = set_size(fd, 0); cut != 0) {
      (void)close(fd);
      return cut;
    }
  }
  return fd;
}

int statfs_free(const char* path, uint64_t* bytes) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return detail::last_error();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) wide.resize(wide.rfind(L'\\') + 1);
  ULARGE_INTEGER available;
  if (!GetDiskFreeSpaceExW(wide.c_str(), &available, nullptr, nullptr)) return detail::last_error();
  *bytes = available.QuadPart;
  return 0;
}

int rename(const char* from, const char* to) {
  std::wstring wide_from, wide_to;
  if (const int error = detail::wide_path(from, &wide_from); error != 0) return error;
  if (const int error = detail::wide_path(to, &wide_to); error != 0) return error;
  const DWORD source = GetFileAttributesW(wide_from.c_str());
  if (source == INVALID_FILE_ATTRIBUTES) return detail::last_error();
  const DWORD target = GetFileAttributesW(wide_to.c_str());
  if (target != INVALID_FILE_ATTRIBUTES && (target & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    if ((source & FILE_ATTRIBUTE_DIRECTORY) == 0) return -EISDIR;
    // An empty folder gives way, as POSIX has it; Windows replaces none.
    if (const int error = rmdir(to); error != 0) return error;
  }
  return patiently([&] { return rename_once(wide_from, wide_to); });
}

int unlink(const char* path) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  const int result = patiently([&] {
    const DWORD error = delete_once(wide, /*directory=*/false);
    return error;
  });
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  return result == -EACCES && attributes != INVALID_FILE_ATTRIBUTES &&
                 (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0
             ? -EISDIR
             : result;
}

int rmdir(const char* path) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  return patiently([&] { return delete_once(wide, /*directory=*/true); });
}

int link(const char* existing, const char* created) {
  std::wstring wide_existing, wide_created;
  if (const int error = detail::wide_path(existing, &wide_existing); error != 0) return error;
  if (const int error = detail::wide_path(created, &wide_created); error != 0) return error;
  return CreateHardLinkW(wide_created.c_str(), wide_existing.c_str(), nullptr)
             ? 0
             : detail::last_error();
}

int mkdir(const char* path, Mode /*mode*/) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  return CreateDirectoryW(wide.c_str(), nullptr) ? 0 : detail::last_error();
}

int status(const char* path, FileStatus* out) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  // Links are followed: not by `Opened`.
  const HANDLE handle = CreateFileW(wide.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return detail::last_error();
  const int fd = detail::make_handle(handle, detail::HandleKind::kOther, false);
  if (fd < 0) {
    CloseHandle(handle);
    return fd;
  }
  const int result = blocking::file_status(fd, out);
  (void)close(fd);
  return result;
}

int access(const char* path, int mode) {
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return detail::last_error();
  const bool read_only =
      (attributes & FILE_ATTRIBUTE_READONLY) != 0 && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  return (mode & kMayWrite) != 0 && read_only ? -EACCES : 0;
}

int list_dir(const char* path, std::vector<std::string>* names) {
  names->clear();
  std::wstring wide;
  if (const int error = detail::wide_path(path, &wide); error != 0) return error;
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return detail::last_error();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) return -ENOTDIR;
  wide += wide.back() == L'\\' ? L"*" : L"\\*";
  WIN32_FIND_DATAW entry;
  const HANDLE search = FindFirstFileExW(wide.c_str(), FindExInfoBasic, &entry,
                                         FindExSearchNameMatch, nullptr, FIND_FIRST_EX_LARGE_FETCH);
  if (search == INVALID_HANDLE_VALUE) {
    // An empty root has not even "." and "..".
    return GetLastError() == ERROR_FILE_NOT_FOUND ? 0 : detail::last_error();
  }
  do {
    const std::wstring_view name = entry.cFileName;
    if (name != L"." && name != L"..") names->push_back(detail::utf8(name));
  } while (FindNextFileW(search, &entry));
  const DWORD error = GetLastError();
  FindClose(search);
  return error == ERROR_NO_MORE_FILES ? 0 : detail::errno_of(error);
}

}  // namespace fiber::io::blocking
