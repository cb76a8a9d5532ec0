// Text that tools read: lists and sizes.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

namespace text_output {

// What stands between the separators; one piece of text without any, which may be empty.
inline std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

// A number that may end in K, M, G or T (1,024 each): "10K" is 10240. False: it is none, or too
// large.
inline bool ParseSize(std::string_view text, uint64_t* number) {
  int shift = 0;
  if (!text.empty()) {
    const size_t unit = std::string_view("KMGTkmgt").find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit % 4 + 1);
      text.remove_suffix(1);
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (*number > UINT64_MAX >> shift) return false;
  *number <<= shift;
  return true;
}

}  // namespace text_output
