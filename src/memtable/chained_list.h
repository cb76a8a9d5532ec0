// A bucket of the hash of linked lists: entries linked in their order, which become a skip list
// once there are many. For a few entries it costs no more than the links; a search passes them one
// by one.
//
// Entries are SkipList nodes, whose lowest links the list uses. A skip list is the same links with
// more above them, so that nothing is copied when the one becomes the other, and who is under way
// in the list goes on in it.
//
// Thread safety: one writer, any number of readers beside it, as in SkipList. A reader that saw the
// list before it became a skip list may miss what was inserted since; who saw a sequence number
// published sees all up to it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arena.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "memtable/skiplist.h"
#include "rocksdb/slice.h"

namespace cairn {

class ChainedList {
 public:
  using Node = SkipList::Node;

  // The comparator and the arena are borrowed, and outlive this; what it needs lies in the arena.
  // `longest`: the entry that comes when there are so many makes it a skip list; at least 3.
  ChainedList(const InternalKeyComparator* comparator, ConcurrentArena* arena, uint32_t longest);

  ChainedList(const ChainedList&) = delete;
  ChainedList& operator=(const ChainedList&) = delete;

  // As in SkipList. Nodes are of SkipList::AllocateNode with kMaxHeight.
  [[nodiscard]] bool Insert(Node* node);
  const Node* FindGreaterOrEqual(const Slice& internal_key) const;
  const Node* FindLessThan(const Slice& internal_key) const;
  const Node* First() const;
  const Node* Last() const;
  uint64_t EstimateCountBefore(const Slice& internal_key) const;

  // The writer's.
  uint32_t count() const { return count_; }
  bool is_skip_list() const { return list_.load(std::memory_order_relaxed) != nullptr; }

 private:
  const SkipList* list() const { return list_.load(std::memory_order_acquire); }
  const Node* chain() const { return first_.load(std::memory_order_acquire); }
  // The last node that is < `internal_key` (null: none), and the one behind it.
  void Bracket(const Slice& internal_key, const Node** before, const Node** at) const;
  void BecomeSkipList();

  const InternalKeyComparator* const comparator_;
  ConcurrentArena* const arena_;
  const uint32_t longest_;
  uint32_t count_ = 0;
  std::atomic<Node*> first_{nullptr};
  std::atomic<SkipList*> list_{nullptr};
};

}  // namespace cairn
