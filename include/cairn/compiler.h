// What compilers have, each by names of its own: byte order, products of 128 bits, prefetching,
// arithmetic that says when it overflows. The one place for them: src/, server/ and tools/ use
// these, and so does whoever includes this; scripts/check_style.py refuses a compiler's own names
// elsewhere. With GCC and clang each is the builtin and nothing more.
//
// Thread safety: plain functions of their arguments.
#pragma once

#include <bit>
#include <cstdint>

#if !defined(__GNUC__)
#include <intrin.h>
#include <stdlib.h>

#include <__msvc_int128.hpp>
#include <limits>
#endif

namespace cairn::compiler {

#if defined(__GNUC__)

using Int128 = __int128;
using Uint128 = unsigned __int128;

constexpr uint16_t ByteSwap(uint16_t value) { return __builtin_bswap16(value); }
constexpr uint32_t ByteSwap(uint32_t value) { return __builtin_bswap32(value); }
constexpr uint64_t ByteSwap(uint64_t value) { return __builtin_bswap64(value); }

// 1 if an odd number of bits is set, else 0.
constexpr uint32_t Parity(uint64_t bits) { return static_cast<uint32_t>(__builtin_parityll(bits)); }

// The upper 64 bits of the product.
constexpr uint64_t MultiplyHigh(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((Uint128{a} * b) >> 64);
}

// A hint that what lies there is read, or written, soon. Any address may be given.
inline void Prefetch(const void* address) { __builtin_prefetch(address); }
inline void PrefetchForWrite(const void* address) { __builtin_prefetch(address, 1); }

// `*result` = a + b, or a * b, modulo 2^64. Returns whether the exact one is another.
constexpr bool AddOverflows(int64_t a, int64_t b, int64_t* result) {
  return __builtin_add_overflow(a, b, result);
}
constexpr bool MultiplyOverflows(int64_t a, int64_t b, int64_t* result) {
  return __builtin_mul_overflow(a, b, result);
}

// The compiler takes what `address` points to for used here.
inline void Use(const void* address) { asm volatile("" : : "r"(address) : "memory"); }

// To be called behind code that is not compiled from C++ and may have used the processor's wide
// registers without ending that (VZEROUPPER): from then on each SSE instruction of the thread waits
// for the one before it, and code full of them takes several times as long.
inline void EndWideRegisters() {
#if defined(__x86_64__)
#if defined(__AVX__)
  __builtin_ia32_vzeroupper();
#else
  if (__builtin_cpu_supports("avx")) asm volatile("vzeroupper" : : : "memory");
#endif
#endif
}

#else  // cl.exe

using Int128 = std::_Signed128;
using Uint128 = std::_Unsigned128;

inline uint16_t ByteSwap(uint16_t value) { return _byteswap_ushort(value); }
inline uint32_t ByteSwap(uint32_t value) { return _byteswap_ulong(value); }
inline uint64_t ByteSwap(uint64_t value) { return _byteswap_uint64(value); }

constexpr uint32_t Parity(uint64_t bits) { return static_cast<uint32_t>(std::popcount(bits) & 1); }

inline uint64_t MultiplyHigh(uint64_t a, uint64_t b) { return __umulh(a, b); }

inline void Prefetch(const void* address) {
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
}
inline void PrefetchForWrite(const void* address) { Prefetch(address); }

constexpr bool AddOverflows(int64_t a, int64_t b, int64_t* result) {
  *result = static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  return b < 0 ? *result > a : *result < a;
}
inline bool MultiplyOverflows(int64_t a, int64_t b, int64_t* result) {
  int64_t high;
  *result = _mul128(a, b, &high);
  return high != *result >> 63;
}

inline void Use(const void* address) {
  static const void* volatile used;
  used = address;
}

inline void EndWideRegisters() {}

#endif

}  // namespace cairn::compiler
