// CRC32C (Castagnoli), of blocks and of records of the write-ahead log. Uses the processor's
// instruction where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::crc32c {

// The checksum of A+B, given that of A (`init`) and the n bytes of B.
uint32_t Extend(uint32_t init, const char* data, size_t n);

inline uint32_t Value(const char* data, size_t n) { return Extend(0, data, n); }

// The checksum of A+B, given those of A and of B and the length of B in bytes. Takes as long as
// that of some KiB, whatever the length is.
uint32_t Combine(uint32_t of_a, uint32_t of_b, size_t length_of_b);

inline constexpr uint32_t kMaskDelta = 0xa282ead8ul;

// Checksums are stored masked, because the checksum of bytes that contain their own checksum is
// weak.
inline uint32_t Mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kMaskDelta; }

inline uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace cairn::crc32c
