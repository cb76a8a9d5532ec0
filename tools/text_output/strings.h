// Text that tools read: lists and names.
#pragma once

#include <string_view>
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

}  // namespace text_output
