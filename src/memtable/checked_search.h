// A search in a skip list that trusts nothing of what it meets
// (ColumnFamilyOptions::paranoid_memory_checks, memtable_verify_per_key_checksum_on_seek): each
// node that it looks at is checked, also those that only lead to others, and the prefixes beside
// the links, which nothing protects, are not used. So a wrong byte is Corruption, where else it
// might hide what is there.
//
// Thread safety: like any reader's of the list.
#pragma once

#include <memory>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "memtable/skiplist.h"
#include "rocksdb/status.h"

namespace cairn {

// What is asked of a node.
class SkipListCheck {
 public:
  virtual ~SkipListCheck() = default;
  // Whether it must come behind the one before it.
  virtual bool compares_order() const = 0;
  // OK, or what is wrong with the node by itself.
  [[nodiscard]] virtual Status Check(const SkipList::Node& node) const = 0;
};

// *at: the first node whose key is >= `internal_key`; *before, if it is not null: the one before
// that. Null: there is none. Corruption: what the check says.
[[nodiscard]] Status FindChecked(const SkipList& list, const InternalKeyComparator& order,
                                 const SkipListCheck& check, const Slice& internal_key,
                                 const SkipList::Node** at, const SkipList::Node** before);

// As NewSkipListIterator; where something is wrong it ends with Corruption. Borrows the list and
// the order.
std::unique_ptr<InternalIterator> NewCheckedSkipListIterator(
    const SkipList* list, const InternalKeyComparator* order,
    std::unique_ptr<const SkipListCheck> check);

}  // namespace cairn
