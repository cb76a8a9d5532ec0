#include "wide_path.h"

#include <cerrno>
#include <cstring>
#include <cwchar>

#include "system.h"
#include "win_error.h"

namespace fiber::detail {

namespace {

constexpr size_t kLongestPath = 32000;
constexpr size_t kLongestName = 255;

bool begins_with(const std::wstring& path, const wchar_t* prefix) {
  return path.compare(0, wcslen(prefix), prefix) == 0;
}

// The devices of MS-DOS, in every folder, whatever follows a dot.
bool is_device(std::wstring_view name) {
  const std::wstring_view stem = name.substr(0, name.find(L'.'));
  auto is = [](std::wstring_view a, const wchar_t* b) {
    return a.size() == wcslen(b) && _wcsnicmp(a.data(), b, a.size()) == 0;
  };
  if (is(stem, L"CON") || is(stem, L"PRN") || is(stem, L"AUX") || is(stem, L"NUL") ||
      is(stem, L"CONIN$") || is(stem, L"CONOUT$")) {
    return true;
  }
  return stem.size() == 4 && stem[3] >= L'1' && stem[3] <= L'9' &&
         (is(stem.substr(0, 3), L"COM") || is(stem.substr(0, 3), L"LPT"));
}

int check_name(std::wstring_view name) {
  if (name.size() > kLongestName) return -ENAMETOOLONG;
  for (const wchar_t c : name) {
    if (c < 32 || wcschr(L"<>\"|?*:", c) != nullptr) return -EINVAL;
  }
  if (name == L"." || name == L"..") return 0;
  if (name.back() == L'.' || name.back() == L' ' || is_device(name)) return -EINVAL;
  return 0;
}

// Every name behind the drive or the share.
int check_names(std::wstring_view path) {
  size_t at = 0;
  if (path.size() >= 2 && path[1] == L':') at = 2;
  while (at < path.size()) {
    size_t end = path.find(L'\\', at);
    if (end == std::wstring_view::npos) end = path.size();
    if (end > at) {
      if (const int error = check_name(path.substr(at, end - at)); error != 0) return error;
    }
    at = end + 1;
  }
  return 0;
}

}  // namespace

int wide_path(const char* path, std::wstring* out) {
  const size_t size = strlen(path);
  if (size == 0) return -ENOENT;
  if (size > 4 * kLongestPath) return -ENAMETOOLONG;
  std::wstring wide(size, L'\0');
  const int length =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, static_cast<int>(size), wide.data(),
                          static_cast<int>(size));
  if (length <= 0) return -EILSEQ;
  wide.resize(static_cast<size_t>(length));
  for (wchar_t& c : wide) {
    if (c == L'/') c = L'\\';
  }
  if (wide.size() > kLongestPath) return -ENAMETOOLONG;
  if (begins_with(wide, L"\\\\?\\") || begins_with(wide, L"\\\\.\\")) {
    *out = std::move(wide);
    return 0;
  }
  if (const int error = check_names(wide); error != 0) return error;
  // Takes . and .. away, which mean nothing behind the prefix.
  std::wstring full(wide.size() + MAX_PATH, L'\0');
  for (;;) {
    const DWORD used =
        GetFullPathNameW(wide.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    if (used == 0) return last_error();
    const bool fits = used < full.size();
    full.resize(used);
    if (fits) break;
  }
  if (full.size() > kLongestPath) return -ENAMETOOLONG;
  const bool share = begins_with(full, L"\\\\");
  out->assign(share ? L"\\\\?\\UNC\\" : L"\\\\?\\");
  out->append(full, share ? 2 : 0);
  return 0;
}

std::string utf8(std::wstring_view wide) {
  std::string text(wide.size() * 3, '\0');
  const int length =
      WideCharToMultiByte(CP_UTF8, 0, wide.data(), static_cast<int>(wide.size()), text.data(),
                          static_cast<int>(text.size()), nullptr, nullptr);
  text.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return text;
}

}  // namespace fiber::detail
