// What Windows has its own types for: text and times. For the folders windows/ alone.
#pragma once

#include <windows.h>

#include <cstdint>
#include <string>

namespace bench {

// Of UTF-8.
inline std::wstring Wide(const std::string& text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(text.size(), L'\0');
  const int units = MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), size);
  wide.resize(static_cast<size_t>(units));
  return wide;
}

// A duration; the system's is in units of 100 ns.
inline double Seconds(const FILETIME& time) {
  return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 1e-7;
}

}  // namespace bench
