// What rocksdb/memtablerep.h only names.
#pragma once

#include <cstddef>

#include "base/arena.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/memtablerep.h"

namespace ROCKSDB_NAMESPACE {

// A memtable's memory, which lives as long as that. Null: there is no memory for so much.
// Thread-safe.
class Allocator {
 public:
  explicit Allocator(cairn::ConcurrentArena* arena) : arena_(arena) {}
  char* Allocate(size_t bytes) { return arena_->Allocate(bytes); }
  char* AllocateAligned(size_t bytes) { return arena_->AllocateAligned(bytes); }

 private:
  cairn::ConcurrentArena* const arena_;
};

// The user's view of a key that is looked up. Borrows it.
class LookupKey {
 public:
  explicit LookupKey(const cairn::LookupKey& key) : key_(key) {}
  Slice memtable_key() const { return key_.memtable_key(); }
  Slice internal_key() const { return key_.internal_key(); }

 private:
  const cairn::LookupKey& key_;
};

}  // namespace ROCKSDB_NAMESPACE
