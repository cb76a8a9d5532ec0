#include "base/option_values.h"

#include <algorithm>
#include <cstdio>

#include "base/string_util.h"

namespace cairn {

namespace {

// What is nested in text is read by functions that call one another.
constexpr int kMaxDepth = 32;

int SuffixShift(char c) {
  switch (c) {
    case 'k':
    case 'K':
      return 10;
    case 'm':
    case 'M':
      return 20;
    case 'g':
    case 'G':
      return 30;
    case 't':
    case 'T':
      return 40;
    default:
      return -1;
  }
}

}  // namespace

Status SplitOptions(std::string_view text, OptionMap* map) {
  map->clear();
  std::string_view rest = Trim(text);
  // The whole may stand in braces.
  while (rest.size() >= 2 && rest.front() == '{' && rest.back() == '}') {
    rest = Trim(rest.substr(1, rest.size() - 2));
  }
  while (!rest.empty()) {
    const size_t equals = rest.find('=');
    if (equals == std::string_view::npos) {
      return Status::InvalidArgument("Mismatched key value pair, '=' expected", std::string(rest));
    }
    const std::string key(Trim(rest.substr(0, equals)));
    if (key.empty()) return Status::InvalidArgument("Empty key found");
    rest.remove_prefix(equals + 1);
    // The value ends at the first ';' outside braces.
    size_t end = 0;
    for (int depth = 0; end < rest.size(); ++end) {
      if (rest[end] == '\\' && end + 1 < rest.size()) {
        ++end;
      } else if (rest[end] == '{') {
        if (++depth > kMaxDepth) return Status::InvalidArgument("Braces are nested too deep", key);
      } else if (rest[end] == '}') {
        if (--depth < 0) return Status::InvalidArgument("Mismatched curly braces", key);
      } else if (rest[end] == ';' && depth == 0) {
        break;
      }
      if (end + 1 == rest.size() && depth != 0) {
        return Status::InvalidArgument("Mismatched curly braces", key);
      }
    }
    end = std::min(end, rest.size());
    std::string_view value = Trim(rest.substr(0, end));
    if (value.size() >= 2 && value.front() == '{' && value.back() == '}') {
      value = Trim(value.substr(1, value.size() - 2));
    }
    (*map)[key] = std::string(value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    rest = Trim(rest);
  }
  return Status::OK();
}

std::string EscapeOptionString(std::string_view raw) {
  std::string r;
  for (const char c : raw) {
    switch (c) {
      case '\n':
        r.append("\\n");
        break;
      case '\r':
        r.append("\\r");
        break;
      case '\\':
      case '#':
      case ':':
        r.push_back('\\');
        r.push_back(c);
        break;
      default:
        r.push_back(c);
    }
  }
  return r;
}

std::string UnescapeOptionString(std::string_view escaped) {
  std::string r;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\' || i + 1 == escaped.size()) {
      r.push_back(escaped[i]);
      continue;
    }
    const char c = escaped[++i];
    r.push_back(c == 'n' ? '\n' : c == 'r' ? '\r' : c);
  }
  return r;
}

bool ParseUnsigned(std::string_view text, uint64_t* value) {
  const int shift = text.empty() ? -1 : SuffixShift(text.back());
  if (shift > 0) text.remove_suffix(1);
  uint64_t v;
  if (!ParseUint64(text, &v)) return false;
  if (shift > 0) {
    if ((v << shift) >> shift != v) return false;
    v <<= shift;
  }
  *value = v;
  return true;
}

bool ParseSigned(std::string_view text, int64_t* value) {
  const bool negative = !text.empty() && text.front() == '-';
  uint64_t v;
  if (!ParseUnsigned(negative ? text.substr(1) : text, &v) || v > INT64_MAX) return false;
  *value = negative ? -static_cast<int64_t>(v) : static_cast<int64_t>(v);
  return true;
}

std::string FormatValue(bool v) { return v ? "true" : "false"; }

std::string FormatValue(double v) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%f", v);
  return buffer;
}

std::string FormatValue(const std::string& v) { return EscapeOptionString(v); }

bool ParseValue(const std::string& text, bool* v) { return ParseBool(text, v); }

bool ParseValue(const std::string& text, double* v) { return ParseDouble(text, v); }

bool ParseValue(const std::string& text, std::string* v) {
  *v = UnescapeOptionString(text);
  return true;
}

}  // namespace cairn
