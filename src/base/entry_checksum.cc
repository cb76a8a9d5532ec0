#include "base/entry_checksum.h"

#include "base/hash.h"

namespace cairn {

Status ChecksumMismatch(const std::string& what) {
  return Status::Corruption("ProtectionInfo mismatch", what);
}

// (Each hash is the seed of the next: a byte that moves from the key to the value is noticed.)
uint64_t EntryChecksum(ValueType type, const SliceParts& key, const SliceParts* value) {
  const uint64_t hash = HashParts64(key, type);
  return value == nullptr ? Hash64(nullptr, 0, hash) : HashParts64(*value, hash);
}

uint64_t EntryChecksum(ValueType type, const Slice& key, const Slice& value) {
  return Hash64(value.data(), value.size(), Hash64(key.data(), key.size(), type));
}

}  // namespace cairn
