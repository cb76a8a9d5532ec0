// The checksum that goes with an entry from its WriteBatch into the memtable
// (protection_bytes_per_key, memtable_protection_bytes_per_key): of its type, key and value. Memory
// alone has it: it is part of no format.
#pragma once

#include <cstdint>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

// Corruption, in RocksDB's words first: `what` is not what it was.
Status ChecksumMismatch(const std::string& what);

// `value` null: the type has none, which is as an empty one.
uint64_t EntryChecksum(ValueType type, const SliceParts& key, const SliceParts* value);
uint64_t EntryChecksum(ValueType type, const Slice& key, const Slice& value);

// Puts into a checksum, or takes out of it again, what else an entry is known by.
inline uint64_t XorFamily(uint64_t checksum, uint32_t family) {
  return checksum ^ family * 0x9e3779b97f4a7c15u;
}
inline uint64_t XorSequence(uint64_t checksum, SequenceNumber sequence) {
  return checksum ^ sequence * 0xc2b2ae3d27d4eb4fu;
}

}  // namespace cairn
