// LookupApproach: how far a point lookup in a table has come before it is made.
//
// A lookup in what is cached waits for memory most of its time: for the filter's line, the block
// cache's chain and entry, the block's header, the interval that the key is in; each wait names the
// next address. The lookups of a batch may wait together: each takes a step, TableReader::Approach,
// which asks the processor for what its next step touches, and comes round again when the others
// have. (Interleaving lookups by prefetches: Chen, Ailamaki, Gibbons, Mowry, "Improving hash join
// performance through prefetching", ICDE 2004.) TableReader::Get then goes on from there.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "table/block_ref.h"
#include "table/format.h"

namespace cairn {

class TableReader;

struct LookupApproach {
  enum class Step : uint8_t { kFilter, kIndex, kChain, kEntry, kHeader };

  Step next = Step::kFilter;
  bool excluded = false;  // by the table's filter: it has no such key
  bool used = false;      // by a lookup
  // Whose lookup finds what follows; null: there is nothing yet.
  TableReader* table = nullptr;
  BlockHandle handle = {};  // of the block that the key may be in
  uint32_t compared = 0;    // keys, in the index
  BlockRef block = {};      // empty: it is not in the cache
  // Where in it the interval of restart points begins that the key may be in.
  uint32_t interval = RestartMarks::kUnknown;
  uint64_t hash = 0;  // of what is looked up next
};

}  // namespace cairn
