// The keys and values of a client.

#ifndef CAIRN_SIM_KEYS_H_
#define CAIRN_SIM_KEYS_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/namespace.h"
#include "base/random.h"

namespace cairn::sim {

// "c07/": what the keys of a client begin with.
inline std::string ClientPrefix(int id) {
  char text[8];
  std::snprintf(text, sizeof(text), "c%02d/", id);
  return text;
}

// "c07/042".
inline std::string NumberedKey(const std::string& prefix, uint64_t number) {
  char text[8];
  std::snprintf(text, sizeof(text), "%03d", static_cast<int>(number));
  return prefix + text;
}

// About `size` bytes; the number of the operation makes each value another one.
inline std::string DrawnValue(uint64_t operation, uint64_t size, Random64* random) {
  std::string value = std::to_string(operation) + ":";
  value += random->RandomString(std::min<uint64_t>(size, 64));
  while (value.size() < size) value += value;
  return value;
}

}  // namespace cairn::sim

#endif  // CAIRN_SIM_KEYS_H_
