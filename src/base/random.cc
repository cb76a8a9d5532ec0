#include "base/random.h"

namespace cairn {

std::string Random64::RandomBinaryString(size_t n) {
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>(Next());
  return text;
}

std::string Random64::RandomString(size_t n) {
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>(' ' + Uniform(95));  // ' ' to '~'
  return text;
}

}  // namespace cairn
