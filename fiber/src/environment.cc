// See environment.h.
#include "environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fiber::detail {

uint64_t number_from_environment(const char* name, uint64_t min, uint64_t max, uint64_t fallback) {
  const char* text = getenv(name);
  if (text == nullptr) return fallback;
  const char* end = text + strlen(text);
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error == std::errc() && stop == end && number >= min && number <= max) return number;
  fprintf(stderr, "fiber: %s=%s ignored: not a number from %llu to %llu\n", name, text,
          static_cast<unsigned long long>(min), static_cast<unsigned long long>(max));
  return fallback;
}

}  // namespace fiber::detail
