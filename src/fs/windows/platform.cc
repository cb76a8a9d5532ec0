#include "fs/platform.h"

#include <errno.h>
#include <string.h>
#include <windows.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace cairn {

namespace {

// What the system takes at most, in units of UTF-16: of a path, and of a name in a directory.
constexpr size_t kMaxPath = 32700;
constexpr size_t kMaxName = 255;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// False if it is no UTF-8.
bool ToWide(std::string_view text, std::wstring* wide) {
  wide->clear();
  if (text.empty()) return true;
  if (text.size() > 3 * kMaxPath) text = text.substr(0, 3 * kMaxPath);  // too long in any case
  const int bytes = static_cast<int>(text.size());
  const int units =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, nullptr, 0);
  if (units <= 0) return false;
  wide->resize(static_cast<size_t>(units));
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, wide->data(),
                             units) == units;
}

std::string ToUtf8(std::wstring_view wide) {
  const int units = static_cast<int>(wide.size());
  const int bytes =
      WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<size_t>(std::max(bytes, 0)), '\0');
  if (bytes > 0) {
    WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, text.data(), bytes, nullptr, nullptr);
  }
  return text;
}

// "CON", "con.txt", "COM1": these are devices in every directory.
bool IsDevice(std::string_view name) {
  std::string base;
  for (const char c : name.substr(0, name.find('.'))) base.push_back(Lower(c));
  while (base.ends_with(' ')) base.pop_back();
  for (const char* const device : {"con", "prn", "aux", "nul", "conin$", "conout$"}) {
    if (base == device) return true;
  }
  // Digits, or their raised forms in UTF-8.
  if (!base.starts_with("com") && !base.starts_with("lpt")) return false;
  const std::string_view number = std::string_view(base).substr(3);
  return (number.size() == 1 && number[0] >= '0' && number[0] <= '9') || number == "\xc2\xb9" ||
         number == "\xc2\xb2" || number == "\xc2\xb3";
}

// Why no entry of a directory can have that name; null if one can.
const char* WhatIsWrong(std::string_view name) {
  if (name == "." || name == "..") return nullptr;
  if (IsDevice(name)) return "the name is a device's";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("<>\"|?*").find(c) != name.npos) {
      return "the name has a character that Windows allows in no name";
    }
    // What stands behind it would be a stream of the file, or a path on another drive.
    if (c == ':') return "the name has a colon";
  }
  if (name.ends_with('.') || name.ends_with(' ')) {
    return "the name ends with a dot or a space, which Windows takes away";
  }
  std::wstring wide;
  if (name.size() > kMaxName && (!ToWide(name, &wide) || wide.size() > kMaxName)) {
    return "the name is longer than 255 characters";
  }
  return nullptr;
}

// Of "\\server\share\a" the length up to "a"; of "\\?\C:\a" and "\\?\UNC\server\share\a", too.
size_t ShareLength(const std::string& path) {
  size_t at = 2;
  size_t parts = 2;
  if (path.size() >= 4 && path[2] == '?' && IsSeparator(path[3])) {
    at = 4;
    parts = 1;
    std::string kind;
    for (const char c : path.substr(4, 4)) kind.push_back(Lower(c));
    if (kind.starts_with("unc") && (kind.size() == 3 || IsSeparator(kind[3]))) parts = 3;
  }
  for (; parts > 0; --parts) {
    while (at < path.size() && !IsSeparator(path[at])) ++at;
    if (at < path.size()) ++at;
  }
  return at;
}

}  // namespace

const int kOpenDirectoryToIdentify = fiber::io::kReadOnly | fiber::io::kDirectory;
const bool kMapsWrites = false;

FileId IdOf(const fiber::io::FileStatus& file) {
  return {file.st_dev, file.st_ino, file.st_ino_high};
}

bool IsDirectory(const fiber::io::FileStatus& file) {
  return (file.st_mode & fiber::io::kModeType) == fiber::io::kModeDirectory;
}

bool IsSeparator(char c) { return c == '/' || c == '\\'; }

size_t RootLength(const std::string& path) {
  if (path.size() >= 3 && IsSeparator(path[0]) && IsSeparator(path[1]) && !IsSeparator(path[2])) {
    return ShareLength(path);
  }
  if (path.size() >= 2 && IsLetter(path[0]) && path[1] == ':') {
    return path.size() >= 3 && IsSeparator(path[2]) ? 3 : 2;
  }
  return !path.empty() && IsSeparator(path[0]) ? 1 : 0;
}

std::string WithoutTrailingSeparators(std::string path) {
  const size_t root = RootLength(path);
  while (path.size() > root && IsSeparator(path.back())) path.pop_back();
  return path;
}

std::string ComparablePath(const std::string& absolute) {
  const size_t root = RootLength(absolute);
  std::string out;
  for (const char c : absolute.substr(0, root)) out.push_back(IsSeparator(c) ? '\\' : Lower(c));
  std::vector<std::string> names;
  for (size_t i = root; i < absolute.size();) {
    std::string name;
    for (; i < absolute.size() && !IsSeparator(absolute[i]); ++i)
      name.push_back(Lower(absolute[i]));
    ++i;
    if (name == "..") {
      // (Without looking: the system does it the same way, before any link.)
      if (!names.empty()) names.pop_back();
    } else if (!name.empty() && name != ".") {
      names.push_back(std::move(name));
    }
  }
  for (size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : "\\") + names[i];
  return out;
}

IOStatus AbsolutePath(const std::string& path, std::string* output) {
  const size_t root = RootLength(path);
  if (root > 2) {
    *output = path;
    return IOStatus::OK();
  }
  std::wstring wide;
  if (!ToWide(path.empty() ? "." : path, &wide)) {
    return IOStatus::InvalidArgument("the name is not UTF-8", path);
  }
  std::wstring full(kMaxPath + 1, L'\0');
  const DWORD units =
      GetFullPathNameW(wide.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
  if (units == 0 || units >= full.size()) {
    return IOStatus::IOError("While getting the working directory for",
                             path + ": error " + std::to_string(GetLastError()));
  }
  *output = ToUtf8(std::wstring_view(full).substr(0, units));
  return IOStatus::OK();
}

IOStatus CheckName(const std::string& path) {
  std::wstring wide;
  if (path.find('\0') != std::string::npos) {
    return IOStatus::InvalidArgument("the name has a zero byte", path);
  }
  if (!ToWide(path, &wide)) return IOStatus::InvalidArgument("the name is not UTF-8", path);
  if (wide.size() > kMaxPath) {
    return IOStatus::InvalidArgument("the path is longer than Windows allows", path);
  }
  // "\\.\PhysicalDrive0" and the like.
  if (path.size() >= 4 && IsSeparator(path[0]) && IsSeparator(path[1]) && path[2] == '.' &&
      IsSeparator(path[3])) {
    return IOStatus::InvalidArgument("the name is a device's", path);
  }
  for (size_t i = RootLength(path); i < path.size();) {
    const size_t begin = i;
    while (i < path.size() && !IsSeparator(path[i])) ++i;
    const char* const wrong = WhatIsWrong(std::string_view(path).substr(begin, i - begin));
    if (wrong != nullptr) return IOStatus::InvalidArgument(wrong, path);
    ++i;
  }
  return IOStatus::OK();
}

std::string ErrorMessage(int err) {
  char text[128] = "unknown error";
  (void)strerror_s(text, sizeof(text), err);
  return text;
}

std::string TestDirectory() {
  const wchar_t* const named = _wgetenv(L"TEST_TMPDIR");
  if (named != nullptr && named[0] != L'\0') return ToUtf8(named);
  wchar_t temp[MAX_PATH + 2];
  const DWORD units = GetTempPathW(MAX_PATH + 2, temp);
  return WithoutTrailingSeparators(ToUtf8(std::wstring_view(temp, units))) + "\\cairntest";
}

bool ToLocalTime(int64_t unix_seconds, struct tm* local) {
  const auto seconds = static_cast<time_t>(unix_seconds);
  if (localtime_s(local, &seconds) == 0) return true;
  *local = {};
  return false;
}

bool HostName(char* name, size_t size) {
  wchar_t wide[256];
  DWORD units = 256;
  if (!GetComputerNameExW(ComputerNameDnsHostname, wide, &units)) return false;
  const std::string text = ToUtf8(std::wstring_view(wide, units));
  if (text.size() >= size) return false;
  memcpy(name, text.c_str(), text.size() + 1);
  return true;
}

}  // namespace cairn
