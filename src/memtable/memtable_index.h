// What a memtable is ordered by when that is not the skip list: the vector, and the hashes of skip
// lists and of linked lists (rocksdb/memtablerep.h has what they are for).
//
// Called by MemTable only, which keeps the skip list itself for the default: its path has no
// virtual calls. Entries are SkipList nodes in all of them; index structures that grow with the
// entries live in the memtable's arena, so that its size is true.
//
// Thread safety: one writer, any number of readers beside it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/arena.h"
#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "memtable/skiplist.h"
#include "rocksdb/env.h"
#include "rocksdb/slice_transform.h"

namespace cairn {

class MemTableIndex {
 public:
  using Node = SkipList::Node;

  virtual ~MemTableIndex() = default;

  /// As in SkipList.
  virtual Node* AllocateNode(size_t key_size, size_t value_size) = 0;
  [[nodiscard]] virtual bool Insert(Node* node) = 0;
  virtual bool IsEmpty() const = 0;

  /// The first entry that is >= `internal_key` of those with its user key. Null, or one with
  /// another user key, if there is none.
  virtual const Node* Find(const Slice& internal_key) const = 0;

  /// Over all entries there were when it was first positioned. With `one_prefix`, a position
  /// reached by a Seek need only be right, and go on, within the prefix that was sought.
  virtual InternalIterator* NewIterator(bool one_prefix) const = 0;

  virtual uint64_t EstimateCountBefore(const Slice& internal_key) const = 0;

  /// Tells the info log how the entries lie, where that was asked for. Nobody writes any more.
  virtual void LogDistribution() const {}
};

/// Entries in the order of their insertion; sorted once somebody asks, and what was sorted is kept.
/// `expected`: room for so many from the start.
std::unique_ptr<MemTableIndex> NewVectorIndex(const InternalKeyComparator* comparator,
                                              ConcurrentArena* arena, size_t expected);

/// A skip list for each of `buckets` hash values of the keys' prefixes (of the whole key, where it
/// has none). A lookup, or a seek within a prefix, searches one list; total order sorts everything.
struct HashSkipListOptions {
  size_t buckets = 1;
  int max_height = 4;
  uint32_t branching = 4;
};
std::unique_ptr<MemTableIndex> NewHashSkipListIndex(const InternalKeyComparator* comparator,
                                                    ConcurrentArena* arena,
                                                    const SliceTransform* prefix_extractor,
                                                    const HashSkipListOptions& options);

/// The same with linked lists (chained_list.h).
struct HashLinkListOptions {
  size_t buckets = 1;
  uint32_t longest = 256;         // with more entries a list becomes a skip list
  int log_bucket_above = 0;       // a list that gets more entries is told of, once; 0: none
  bool log_distribution = false;  // see LogDistribution()
  Logger* info_log = nullptr;     // borrowed, may be null
};
std::unique_ptr<MemTableIndex> NewHashLinkListIndex(const InternalKeyComparator* comparator,
                                                    ConcurrentArena* arena,
                                                    const SliceTransform* prefix_extractor,
                                                    const HashLinkListOptions& options);

/// The cursor over a skip list.
InternalIterator* NewSkipListIterator(const SkipList* list);

}  // namespace cairn
