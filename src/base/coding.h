// The integers and strings of the file formats: little-endian fixed32/fixed64, varints of 7 bits a
// byte (low bits first, the high bit says "more"), zigzag for signed ones, and strings with a
// varint32 length before them.
//
// Decoders of untrusted bytes (Get...) never read past the given end and say no instead.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/namespace.h"
#include "cairn/compiler.h"
#include "rocksdb/slice.h"

namespace cairn {

inline constexpr int kMaxVarint32Length = 5;
inline constexpr int kMaxVarint64Length = 10;

namespace coding_detail {
template <typename T>
inline T LittleEndian(T value) {
  if constexpr (std::endian::native == std::endian::little) {
    return value;
  } else {
    return compiler::ByteSwap(value);
  }
}
template <typename T>
inline void Store(char* to, T value) {
  value = LittleEndian(value);
  std::memcpy(to, &value, sizeof(value));
}
template <typename T>
inline T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return LittleEndian(value);
}
}  // namespace coding_detail

inline void EncodeFixed16(char* to, uint16_t value) { coding_detail::Store(to, value); }
inline void EncodeFixed32(char* to, uint32_t value) { coding_detail::Store(to, value); }
inline void EncodeFixed64(char* to, uint64_t value) { coding_detail::Store(to, value); }
inline uint16_t DecodeFixed16(const char* from) { return coding_detail::Load<uint16_t>(from); }
inline uint32_t DecodeFixed32(const char* from) { return coding_detail::Load<uint32_t>(from); }
inline uint64_t DecodeFixed64(const char* from) { return coding_detail::Load<uint64_t>(from); }

// Write at `to`, which has room for kMaxVarint..Length bytes; return the byte after the last one
// written.
char* EncodeVarint32(char* to, uint32_t value);
char* EncodeVarint64(char* to, uint64_t value);

// Bytes of a varint: 1 to 10.
inline int VarintLength(uint64_t value) {
  return value == 0 ? 1 : (63 - std::countl_zero(value)) / 7 + 1;
}

// Zigzag: small absolute values become small unsigned ones.
inline uint64_t ZigzagEncode(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t ZigzagDecode(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// --- Appending ---
void PutFixed16(std::string* dst, uint16_t value);
void PutFixed32(std::string* dst, uint32_t value);
void PutFixed64(std::string* dst, uint64_t value);
void PutVarint32(std::string* dst, uint32_t value);
void PutVarint64(std::string* dst, uint64_t value);
void PutVarsignedint64(std::string* dst, int64_t value);
void PutLengthPrefixedSlice(std::string* dst, const Slice& value);
// The parts joined, with one length.
void PutLengthPrefixedSliceParts(std::string* dst, const SliceParts& parts);

// --- Taking from the front of *input ---
// False if the bytes are not there or make no sense; *input is unspecified then.
bool GetFixed16(Slice* input, uint16_t* value);
bool GetFixed32(Slice* input, uint32_t* value);
bool GetFixed64(Slice* input, uint64_t* value);
bool GetVarint32(Slice* input, uint32_t* value);
bool GetVarint64(Slice* input, uint64_t* value);
bool GetVarsignedint64(Slice* input, int64_t* value);
// *result points into the input.
bool GetLengthPrefixedSlice(Slice* input, Slice* result);

// --- Parsing between pointers ---
// The byte after the varint, or null if there is none within [p, limit).
const char* GetVarint32PtrSlow(const char* p, const char* limit, uint32_t* value);
const char* GetVarint64PtrSlow(const char* p, const char* limit, uint64_t* value);
inline const char* GetVarint32Ptr(const char* p, const char* limit, uint32_t* value) {
  if (p < limit && static_cast<signed char>(*p) >= 0) {
    *value = static_cast<unsigned char>(*p);
    return p + 1;
  }
  return GetVarint32PtrSlow(p, limit, value);
}
inline const char* GetVarint64Ptr(const char* p, const char* limit, uint64_t* value) {
  if (p < limit && static_cast<signed char>(*p) >= 0) {
    *value = static_cast<unsigned char>(*p);
    return p + 1;
  }
  return GetVarint64PtrSlow(p, limit, value);
}
inline const char* GetVarsignedint64Ptr(const char* p, const char* limit, int64_t* value) {
  uint64_t raw = 0;
  p = GetVarint64Ptr(p, limit, &raw);
  if (p != nullptr) *value = ZigzagDecode(raw);
  return p;
}

// The string behind a varint32 length at `data`. Only for memory that we wrote ourselves: the
// length is believed.
inline Slice GetLengthPrefixedSlice(const char* data) {
  uint32_t length = 0;
  const char* p = GetVarint32Ptr(data, data + kMaxVarint32Length, &length);
  return Slice(p, length);
}

}  // namespace cairn
