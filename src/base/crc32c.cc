// CRC32C by ISA-L, which picks the fastest routine of the processor at run time. Its function takes
// and gives the raw register, without the inversion at both ends that the checksum has.
#include "base/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <climits>

#include "cairn/compiler.h"

namespace cairn::crc32c {

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
