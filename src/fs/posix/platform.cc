#include "fs/platform.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "fs/fiber_file_system.h"

namespace cairn {

namespace {

// strerror_r comes in two shapes; overloads take whichever the C library has.
[[maybe_unused]] const char* ErrorText(int /*result*/, const char* buf) { return buf; }
[[maybe_unused]] const char* ErrorText(const char* result, const char* /*buf*/) { return result; }

}  // namespace

const int kOpenDirectoryToIdentify = O_PATH | O_DIRECTORY;
const bool kMapsWrites = true;
static_assert(kSyncRangeWaitBefore == SYNC_FILE_RANGE_WAIT_BEFORE);
static_assert(kSyncRangeWrite == SYNC_FILE_RANGE_WRITE);

FileId IdOf(const fiber::io::FileStatus& file) { return {file.st_dev, file.st_ino, 0}; }

bool IsDirectory(const fiber::io::FileStatus& file) { return S_ISDIR(file.st_mode); }

bool IsSeparator(char c) { return c == '/'; }

size_t RootLength(const std::string& path) { return path.starts_with('/') ? 1 : 0; }

std::string WithoutTrailingSeparators(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string ComparablePath(const std::string& absolute) {
  // (Where ".." leads a symbolic link may decide.)
  if (absolute.find("/../") != std::string::npos) return absolute;
  // style: a name only, no system call
  return std::filesystem::path(absolute).lexically_normal().string();
}

IOStatus AbsolutePath(const std::string& path, std::string* output) {
  if (RootLength(path) > 0) {
    *output = path;
    return IOStatus::OK();
  }
  std::error_code error;
  // style: the name of the working directory only, which blocks on nothing
  *output = std::filesystem::current_path(error).string();
  if (error) {
    return IOErrorFromErrno("While getting the working directory for", path, error.value());
  }
  if (!path.empty()) *output += "/" + path;
  return IOStatus::OK();
}

IOStatus CheckName(const std::string& /*path*/) { return IOStatus::OK(); }

std::string ErrorMessage(int err) {
  char buf[128] = "unknown error";
  return ErrorText(strerror_r(err, buf, sizeof(buf)), buf);
}

std::string TestDirectory() {
  const char* const named = std::getenv("TEST_TMPDIR");
  if (named != nullptr && named[0] != '\0') return named;
  return "/tmp/cairntest-" + std::to_string(geteuid());
}

bool ToLocalTime(int64_t unix_seconds, struct tm* local) {
  const auto seconds = static_cast<time_t>(unix_seconds);
  if (localtime_r(&seconds, local) != nullptr) return true;
  *local = {};
  return false;
}

bool HostName(char* name, size_t size) {
  if (size == 0 || gethostname(name, size) != 0) return false;
  name[size - 1] = '\0';
  return true;
}

}  // namespace cairn
