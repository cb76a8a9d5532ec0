#include "base/coding.h"

namespace cairn {

char* EncodeVarint64(char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

char* EncodeVarint32(char* to, uint32_t value) { return EncodeVarint64(to, value); }

void PutFixed16(std::string* dst, uint16_t value) {
  char bytes[sizeof(value)];
  EncodeFixed16(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

void PutFixed32(std::string* dst, uint32_t value) {
  char bytes[sizeof(value)];
  EncodeFixed32(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

void PutFixed64(std::string* dst, uint64_t value) {
  char bytes[sizeof(value)];
  EncodeFixed64(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

void PutVarint32(std::string* dst, uint32_t value) { PutVarint64(dst, value); }

void PutVarint64(std::string* dst, uint64_t value) {
  char bytes[kMaxVarint64Length];
  dst->append(bytes, static_cast<size_t>(EncodeVarint64(bytes, value) - bytes));
}

void PutVarsignedint64(std::string* dst, int64_t value) { PutVarint64(dst, ZigzagEncode(value)); }

void PutLengthPrefixedSlice(std::string* dst, const Slice& value) {
  PutVarint32(dst, static_cast<uint32_t>(value.size()));
  dst->append(value.data(), value.size());
}

void PutLengthPrefixedSliceParts(std::string* dst, const SliceParts& parts) {
  size_t total = 0;
  for (int i = 0; i < parts.num_parts; i++) total += parts.parts[i].size();
  PutVarint32(dst, static_cast<uint32_t>(total));
  for (int i = 0; i < parts.num_parts; i++) {
    dst->append(parts.parts[i].data(), parts.parts[i].size());
  }
}

bool GetFixed16(Slice* input, uint16_t* value) {
  if (input->size() < sizeof(*value)) return false;
  *value = DecodeFixed16(input->data());
  input->remove_prefix(sizeof(*value));
  return true;
}

bool GetFixed32(Slice* input, uint32_t* value) {
  if (input->size() < sizeof(*value)) return false;
  *value = DecodeFixed32(input->data());
  input->remove_prefix(sizeof(*value));
  return true;
}

bool GetFixed64(Slice* input, uint64_t* value) {
  if (input->size() < sizeof(*value)) return false;
  *value = DecodeFixed64(input->data());
  input->remove_prefix(sizeof(*value));
  return true;
}

const char* GetVarint64PtrSlow(const char* p, const char* limit, uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift <= 63 && p < limit; shift += 7) {
    const uint64_t byte = static_cast<unsigned char>(*p++);
    // The tenth byte has room for one bit: more would not fit into 64.
    if (shift == 63 && byte > 1) return nullptr;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

const char* GetVarint32PtrSlow(const char* p, const char* limit, uint32_t* value) {
  uint32_t result = 0;
  for (int shift = 0; shift <= 28 && p < limit; shift += 7) {
    const uint32_t byte = static_cast<unsigned char>(*p++);
    if (shift == 28 && byte > 15) return nullptr;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

bool GetVarint32(Slice* input, uint32_t* value) {
  const char* const limit = input->data() + input->size();
  const char* const p = GetVarint32Ptr(input->data(), limit, value);
  if (p == nullptr) return false;
  *input = Slice(p, static_cast<size_t>(limit - p));
  return true;
}

bool GetVarint64(Slice* input, uint64_t* value) {
  const char* const limit = input->data() + input->size();
  const char* const p = GetVarint64Ptr(input->data(), limit, value);
  if (p == nullptr) return false;
  *input = Slice(p, static_cast<size_t>(limit - p));
  return true;
}

bool GetVarsignedint64(Slice* input, int64_t* value) {
  uint64_t raw = 0;
  if (!GetVarint64(input, &raw)) return false;
  *value = ZigzagDecode(raw);
  return true;
}

bool GetLengthPrefixedSlice(Slice* input, Slice* result) {
  uint32_t length = 0;
  if (!GetVarint32(input, &length) || input->size() < length) return false;
  *result = Slice(input->data(), length);
  input->remove_prefix(length);
  return true;
}

}  // namespace cairn
