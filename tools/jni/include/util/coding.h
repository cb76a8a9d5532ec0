// What RocksJava's sources take from RocksDB's private header of this name: numbers of 8 bytes,
// little end first.
#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

inline void PutFixed64(std::string* to, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) to->push_back(static_cast<char>(value >> shift));
}

// Takes it from the front of `from`; false if that is too short.
inline bool GetFixed64(Slice* from, uint64_t* value) {
  if (from->size() < 8) return false;
  *value = 0;
  for (int at = 7; at >= 0; --at) *value = *value << 8 | static_cast<uint8_t>((*from)[at]);
  from->remove_prefix(8);
  return true;
}

}  // namespace ROCKSDB_NAMESPACE
