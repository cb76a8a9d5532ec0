#include "server/resp/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace cairn::server {

namespace {

// "[a-z]" at pattern[0]: whether it has `c`, and how long it is. An open one ends with the pattern.
bool MatchesClass(std::string_view pattern, char c, bool ignore_case, size_t* length) {
  size_t i = 1;
  const bool negated = i < pattern.size() && pattern[i] == '^';
  if (negated) ++i;
  const auto fold = [ignore_case](char x) {
    return static_cast<unsigned char>(ignore_case ? Lower(x) : x);
  };
  bool matches = false;
  for (;; ++i) {
    if (i >= pattern.size()) break;
    if (pattern[i] == ']') {
      ++i;
      break;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      ++i;
      matches = matches || fold(pattern[i]) == fold(c);
    } else if (i + 2 < pattern.size() && pattern[i + 1] == '-') {
      const auto [low, high] = std::minmax(fold(pattern[i]), fold(pattern[i + 2]));
      matches = matches || (low <= fold(c) && fold(c) <= high);
      i += 2;
    } else {
      matches = matches || fold(pattern[i]) == fold(c);
    }
  }
  *length = std::min(i, pattern.size());
  return matches != negated;
}

// Whether all of the text is a number, which may be too large or too small: result_out_of_range.
// Takes a plus sign away from it.
std::errc FindDouble(std::string_view* text, double* value) {
  if (text->size() > 1 && (*text)[0] == '+' && (*text)[1] != '-') text->remove_prefix(1);
  if (text->empty()) return std::errc::invalid_argument;
  const char* const text_end = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), text_end, *value);
  return end == text_end ? error : std::errc::invalid_argument;
}

}  // namespace

bool ParseInteger(std::string_view text, int64_t* value) {
  if (text.empty() || text.size() > 20) return false;
  const size_t digits = text[0] == '-' ? 1 : 0;
  if (digits == text.size() || (text[digits] == '0' && text.size() > 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseUnsigned(std::string_view text, uint64_t* value) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseDouble(std::string_view text, double* value) {
  return FindDouble(&text, value) == std::errc() && !std::isnan(*value);
}

bool ParseLongDouble(std::string_view text, long double* value) {
  double nearly = 0;
  const std::errc error = FindDouble(&text, &nearly);
  if (error != std::errc() && error != std::errc::result_out_of_range) return false;
  // std::from_chars() of libstdc++ finds but a double on some systems (mingw-w64). strtold(), which
  // also takes what is no number to Redis, gets what was seen to be one. (Nobody here sets a locale
  // with another decimal point.)
  *value = std::strtold(std::string(text).c_str(), nullptr);
  if (std::isnan(*value)) return false;
  return error == std::errc() || (!std::isinf(*value) && *value != 0);
}

std::string FormatLongDouble(long double value) {
  // The largest has 4933 digits before the point.
  std::string text(5120, '\0');
  constexpr int kDigits = 17;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                        std::chars_format::fixed, kDigits)
                              .ptr;
  text.resize(static_cast<size_t>(end - text.data()));
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view other) {
  return std::equal(text.begin(), text.end(), other.begin(), other.end(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

bool MatchesPattern(std::string_view pattern, std::string_view text, bool ignore_case) {
  // Where to go on when what follows the last * does not match: so the time is bounded by the
  // product of the lengths, however many stars there are.
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, star_text = 0;
  for (;;) {
    bool matches = false;
    size_t length = 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (t == text.size() && p == pattern.size()) return true;
    if (p < pattern.size() && t < text.size()) {
      const char c = pattern[p];
      if (c == '?') {
        matches = true;
      } else if (c == '[') {
        matches = MatchesClass(pattern.substr(p), text[t], ignore_case, &length);
      } else {
        const bool escaped = c == '\\' && p + 1 < pattern.size();
        length = escaped ? 2 : 1;
        const char wanted = escaped ? pattern[p + 1] : c;
        matches = wanted == text[t] || (ignore_case && Lower(wanted) == Lower(text[t]));
      }
    }
    if (matches) {
      p += length;
      ++t;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
}

std::string LiteralPrefix(std::string_view pattern) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[') break;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    prefix.push_back(pattern[i]);
  }
  return prefix;
}

}  // namespace cairn::server
