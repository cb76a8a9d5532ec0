// Iterators over several column families: their keys in one order, the columns of one key together.
// Over the families' own iterators, which see one state of the database; ReadPath makes both. Where
// one of these has failed, there is nothing but its error. Not thread-safe, and the comparator must
// outlive them.
#pragma once

#include <memory>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/attribute_groups.h"
#include "rocksdb/comparator.h"
#include "rocksdb/iterator.h"

namespace cairn {

// The columns of all families that have the key; of the same name the later family's.
std::unique_ptr<Iterator> MakeCoalescingIterator(const Comparator* comparator,
                                                 std::vector<std::unique_ptr<Iterator>> iterators);

// The columns of each family apart. `families` are those of the iterators, and borrowed.
std::unique_ptr<AttributeGroupIterator> MakeAttributeGroupIterator(
    const Comparator* comparator, std::vector<std::unique_ptr<Iterator>> iterators,
    std::vector<ColumnFamilyHandle*> families);

}  // namespace cairn
