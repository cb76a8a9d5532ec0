#include "base/string_util.h"

#include <cctype>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace cairn {

void AppendNumberTo(std::string* text, uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  text->append(digits, static_cast<size_t>(end - digits));
}

std::string NumberToString(uint64_t number) {
  std::string text;
  AppendNumberTo(&text, number);
  return text;
}

bool ConsumeDecimalNumber(Slice* input, uint64_t* value) {
  const char* const begin = input->data();
  const auto [end, error] = std::from_chars(begin, begin + input->size(), *value);
  if (error != std::errc()) return false;
  input->remove_prefix(static_cast<size_t>(end - begin));
  return true;
}

namespace {

template <typename T>
bool ParseWhole(std::string_view text, T* value) {
  const char* const limit = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), limit, *value);
  return error == std::errc() && end == limit;
}

}  // namespace

bool ParseUint64(std::string_view text, uint64_t* value) { return ParseWhole(text, value); }
bool ParseInt64(std::string_view text, int64_t* value) { return ParseWhole(text, value); }
bool ParseDouble(std::string_view text, double* value) { return ParseWhole(text, value); }

bool ParseBool(std::string_view text, bool* value) {
  if (text == "true" || text == "1") {
    *value = true;
    return true;
  }
  if (text == "false" || text == "0") {
    *value = false;
    return true;
  }
  return false;
}

std::string EscapeBytes(const Slice& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i++) {
    const char c = bytes[i];
    if (c >= ' ' && c <= '~' && c != '\\') {
      text.push_back(c);
    } else {
      text += StringPrintf("\\x%02X", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::string BytesToHumanString(uint64_t bytes) {
  static const char* const kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1024 && unit < 4) {
    size /= 1024;
    unit++;
  }
  return StringPrintf("%.2f %s", size, kUnits[unit]);
}

std::string MicrosToHumanString(uint64_t micros) {
  const double value = static_cast<double>(micros);
  if (micros < 10'000) return StringPrintf("%llu us", static_cast<unsigned long long>(micros));
  if (micros < 10'000'000) return StringPrintf("%.3f ms", value / 1e3);
  if (micros < 60'000'000) return StringPrintf("%.3f sec", value / 1e6);
  const unsigned long long minutes = micros / 60'000'000;
  const double seconds = static_cast<double>(micros % 60'000'000) / 1e6;
  if (minutes < 60) return StringPrintf("%02llu:%06.3f M:S", minutes, seconds);
  return StringPrintf("%02llu:%02llu:%06.3f H:M:S", minutes / 60, minutes % 60, seconds);
}

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string StringPrintf(const char* format, ...) {
  va_list ap;
  va_start(ap, format);
  va_list again;
  va_copy(again, ap);
  const int length = std::vsnprintf(nullptr, 0, format, ap);
  va_end(ap);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace cairn
