// The ordered index of a memtable: a skiplist over internal keys, whose nodes hold key and value
// inline.
//
// Called by MemTable only. Memory comes from a ConcurrentArena that outlives the list; nothing is
// ever removed, so a pointer to a node, and to its key and value bytes, stays good for as long as
// the arena does.
//
// Thread safety: any number of readers without a lock, at any time. Insert() needs exclusion from
// all other writers; InsertConcurrently() runs beside other InsertConcurrently() calls. The two
// kinds must not overlap.
//
// Invariants:
//   1. A node's key and value bytes are written before the node is linked, and never change after.
//   2. A node is linked from level 0 upward with release stores; a reader that finds it by an
//      acquire load sees its bytes and its own links. Level 0 holds every node; a level holds a
//      subset of the level below.
//   3. The height of the list only grows. A reader that sees an old height merely searches more.
//   4. Beside each link stands the prefix of the key that it leads to (bytewise order only), so
//      that a search need not touch a node in order to pass it by: what it touches are the
//      predecessors, and each node of a large list is a cache miss. The prefix is stored after the
//      pointer and read before it, and a link only ever changes to a node that comes earlier. So
//      the node that the pointer shows is never later than the one that the prefix tells of:
//      "before" is always true, "not before" may be stale while somebody inserts, and is then only
//      a hint.
//
// A node grows downward from its pointer for the upper links, so that what a search reads shares a
// cache line:
//
//   ... link[2] | link[1] | link[0] | key size | value size | internal key | value
//       16        16      ^ 16        4          4
//                         the node's address
#ifndef CAIRN_MEMTABLE_SKIPLIST_H_
#define CAIRN_MEMTABLE_SKIPLIST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/arena.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class SkipList {
 public:
  static constexpr int kMaxHeight = 12;
  static constexpr uint32_t kBranching = 4;  // one node in kBranching reaches the next level

  struct Node;
  struct Link {
    std::atomic<Node*> next{nullptr};
    // The first eight bytes of the next node's user key as a big-endian number, zeros for what it
    // lacks; the largest number for null. Unused in other orders than the bytewise one.
    std::atomic<uint64_t> prefix{UINT64_MAX};
  };

  struct Node {
    Link link0;
    uint32_t key_size;    // of the internal key, bytes
    uint32_t value_size;  // bytes

    char* key_data() { return reinterpret_cast<char*>(this + 1); }
    const char* key_data() const { return reinterpret_cast<const char*>(this + 1); }
    Slice key() const { return Slice(key_data(), key_size); }
    Slice value() const { return Slice(key_data() + key_size, value_size); }

    Link* link(int level) { return &link0 - level; }
    const Link* link(int level) const { return &link0 - level; }
    Node* Next(int level) const { return link(level)->next.load(std::memory_order_acquire); }
  };

  // Where a key belongs: on each level below `height`, prev[level] < key <= next[level]. prev is
  // never null; next null means the end of the list. Brackets of higher levels enclose those of
  // lower ones. The two need not be neighbours any more.
  struct Splice {
    int height = 0;           // levels that hold a bracket; 0: none
    bool was_useful = false;  // the last insertion began at it, not at the top of the list
    Node* prev[kMaxHeight + 1];
    Node* next[kMaxHeight + 1];
  };

  /// `comparator` and `arena` are borrowed and must outlive the list. `max_height`: of all nodes
  /// that will be inserted.
  SkipList(const InternalKeyComparator* comparator, ConcurrentArena* arena,
           int max_height = kMaxHeight);

  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  /// A node with room for the given sizes (bytes), not linked yet; the caller fills key_data():
  /// internal key, then value, and hands it to exactly one of the insertions. Null: there is no
  /// memory for one so large. Thread-safe.
  Node* AllocateNode(size_t key_size, size_t value_size);
  /// The same for a list of at most `max_height` levels, of which one node in `branching` reaches
  /// the next. REQUIRES: 1 <= max_height <= kMaxHeight, branching > 1
  static Node* AllocateNode(ConcurrentArena* arena, size_t key_size, size_t value_size,
                            int max_height, uint32_t branching);

  /// Links `node`. False if an entry with the same internal key exists (the node is then leaked to
  /// the arena). Insert remembers in `hint`, if there is one, where it was: ascending (or otherwise
  /// local) insertions cost O(1) comparisons. One hint per list, empty at first.
  [[nodiscard]] bool Insert(Node* node, Splice* hint);
  [[nodiscard]] bool Insert(Node* node);
  [[nodiscard]] bool InsertConcurrently(Node* node);

  /// For linked lists of such nodes, which may become a skip list (memtable/chained_list.h): links
  /// `next` behind a node that is nowhere linked yet, and keeps its height in the prefix.
  static void Chain(Node* node, Node* next);
  /// Links the nodes of such a list on the upper levels, too. Readers of the list may go on.
  /// REQUIRES: this one is empty, nobody else knows it, and no node is higher than it may be.
  void AdoptChain(Node* first);

  /// Brings what an insertion of these user keys will read into the processor's caches, for all of
  /// them at once: one search waits for memory at every step, several that take turns wait for each
  /// other's. Only a matter of speed. Thread-safe like a reader.
  void Prefetch(const Slice* user_keys, size_t count) const;
  static constexpr size_t kPrefetchKeys = 16;  // at most are worth giving at once

  /// The first node whose key is >= `internal_key`, or null.
  const Node* FindGreaterOrEqual(const Slice& internal_key) const;
  /// The last node whose key is < `internal_key`, or null.
  const Node* FindLessThan(const Slice& internal_key) const;
  const Node* First() const { return head_->Next(0); }
  const Node* Last() const;
  /// For traversals: the node before the first, which holds no entry and is on every level below
  /// height().
  const Node* head() const { return head_; }
  int height() const { return height_.load(std::memory_order_relaxed); }

  /// True if an entry with exactly this internal key exists.
  bool Contains(const Slice& internal_key) const;

  /// Number of entries whose key is < `internal_key`, estimated from a sample of some dozens; exact
  /// if there are fewer.
  uint64_t EstimateCountBefore(const Slice& internal_key) const;

 private:
  class BytewiseOrder;
  class GeneralOrder;
  class Descent;

  // Neighbours on level 0: before < sought <= at. `before` may be the head, `at` null.
  struct Place {
    Node* before;
    Node* at;
  };

  // What a link says: its node, and where by the prefix that node lies. kNotBefore may be stale
  // while others insert (invariant 4).
  enum class Side { kBefore, kNotBefore, kUnknown };
  struct Ahead {
    Node* next;
    Side side;
  };

  template <class F>
  auto WithOrder(const Slice& internal_key, F&& f) const;
  template <class Order>
  static Ahead Look(const Order& order, const Node* node, int level);
  template <class Order>
  Place Find(const Order& order) const;
  // `kExact`: no prefix is stale, because nobody else inserts.
  template <bool kExact, class Order>
  static void FindBracket(const Order& order, Node* before, const Node* after, int level,
                          Node** prev, Node** next);
  template <class Order>
  bool HintHolds(const Order& order, Splice* splice, int level) const;
  template <bool kExact, class Order>
  void FindBrackets(const Order& order, Splice* splice, int max_height, bool use_hint) const;
  template <bool kConcurrent, class Order>
  bool InsertIn(const Order& order, Node* node, Splice* splice, bool use_hint);

  static void LowerPrefix(Link* link, uint64_t prefix);
  static Node* NewNode(ConcurrentArena* arena, size_t key_size, size_t value_size, int height);
  static int RandomHeight();
  // An unlinked node keeps its height where its level-0 link will be.
  static int StashedHeight(const Node* unlinked);
  void RaiseHeight(int height);

  const InternalKeyComparator* const comparator_;
  ConcurrentArena* const arena_;
  const bool bytewise_;
  Node* const head_;
  std::atomic<int> height_{1};  // relaxed: see invariant 3
};

}  // namespace cairn

#endif  // CAIRN_MEMTABLE_SKIPLIST_H_
