// For whom the current fiber, or thread, looks up blocks of a table, as far as the calls below do
// not tell it themselves. Used while a trace of the block cache is on; else nobody asks.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/table_reader_caller.h"
#include "trace/block_cache_trace.h"

namespace cairn {

struct BlockLookupPurpose {
  TableReaderCaller caller = kUncategorized;
  // Of Get and MultiGet.
  uint64_t get_id = 0;
  Slice internal_key = {};
};

// While it lives, lookups are for this purpose; one within another counts.
class BlockLookupScope {
 public:
  // Nothing is said where `trace` is off.
  BlockLookupScope(const BlockCacheTrace& trace, const BlockLookupPurpose& purpose);
  BlockLookupScope(const BlockLookupScope&) = delete;
  BlockLookupScope& operator=(const BlockLookupScope&) = delete;
  ~BlockLookupScope();

  // Null: nobody has said.
  static const BlockLookupPurpose* Current();

 private:
  const BlockLookupPurpose purpose_;
  const bool is_said_;
  const BlockLookupPurpose* outer_ = nullptr;
};

// What is never on: for readers that have no trace.
BlockCacheTrace* NoBlockTrace();

}  // namespace cairn
