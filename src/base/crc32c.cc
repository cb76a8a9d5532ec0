// CRC32C by ISA-L, which picks the fastest routine of the processor at run time. Its function takes
// and gives the raw register, without the inversion at both ends that the checksum has.
#include "base/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <climits>

#include "cairn/compiler.h"

namespace cairn::crc32c {

namespace {

// A checksum is a polynomial over GF(2) modulo this one, the coefficient of x^0 in the highest bit.
constexpr uint32_t kModulus = 0x82f63b78;

constexpr uint32_t Product(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    product ^= b & (0 - (a >> 31));
    b = (b >> 1) ^ (kModulus & (0 - (b & 1)));
  }
  return product;
}

// x^(8 * 2^i) for each i: what so many more bytes multiply a checksum by.
constexpr auto kShifts = [] {
  std::array<uint32_t, 8 * sizeof(size_t)> shifts{};
  shifts[0] = uint32_t{1} << (31 - 8);
  for (size_t i = 1; i < shifts.size(); ++i) shifts[i] = Product(shifts[i - 1], shifts[i - 1]);
  return shifts;
}();

}  // namespace

uint32_t Combine(uint32_t of_a, uint32_t of_b, size_t length_of_b) {
  for (size_t i = 0; length_of_b != 0; ++i, length_of_b >>= 1) {
    if ((length_of_b & 1) != 0) of_a = Product(of_a, kShifts[i]);
  }
  return of_a ^ of_b;
}

uint32_t Extend(uint32_t init, const char* data, size_t n) {
  uint32_t crc = ~init;
  while (n > 0) {
    // Its length is an int.
    const size_t part = std::min<size_t>(n, INT_MAX);
    crc = crc32_iscsi(reinterpret_cast<unsigned char*>(const_cast<char*>(data)),
                      static_cast<int>(part), crc);
    data += part;
    n -= part;
  }
  compiler::EndWideRegisters();
  return ~crc;
}

}  // namespace cairn::crc32c
