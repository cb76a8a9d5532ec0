// What rocksdb/memtablerep.h only names, and memtables behind its interface: what the built-in
// factories make for factories of a user's own that wrap them. (The engine has something faster for
// the built-in kinds, src/memtable/.)
#pragma once

#include <cstddef>
#include <cstdint>

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

namespace cairn {

// A skip list that takes concurrent writers, of at most `max_height` levels, of which one entry in
// `branching` reaches the next.
MemTableRep* NewSkipListRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                            int max_height, uint32_t branching);
// Entries as they come, sorted when somebody reads. `count`: room for so many at once.
MemTableRep* NewVectorRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                          size_t count);
// Such a skip list for each of `buckets` hash values of the prefixes (null: of whole user keys),
// for one writer.
MemTableRep* NewHashRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                        const SliceTransform* prefix_extractor, size_t buckets, int max_height,
                        uint32_t branching);

}  // namespace cairn
