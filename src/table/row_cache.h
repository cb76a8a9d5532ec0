// RowCache: what single tables have for single keys, in the user's cache (DBOptions::row_cache).
//
// Called by the TableCache, in front of a table's filter, index and block. Thread-safe, as the
// cache is. A table never changes, and its number is not used again while a database is open, so
// that an entry stays true for ever: what belongs to a deleted table is evicted with time.
//
// A row's key: a number of this RowCache, the table's number, the moment (8 bytes each), the user
// key with its timestamp. The moment is 0 for lookups that see all that the table has, so that
// these share a row though each has another sequence number; otherwise it is the sequence number
// and 1. A row: what GetContext::SaveMatch() is to be offered, newest first, as records of
//   type (1 byte), sequence number (varint), timestamp, value (with their lengths)
// (Longer than other keys here have: blocks have 16 bytes, blobs 24 that begin with another
// number. So one cache may serve all.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "table/get_context.h"

namespace cairn {

class RowCache {
 public:
  // `statistics` is borrowed and may be null.
  RowCache(std::shared_ptr<Cache> cache, Statistics* statistics)
      : cache_(std::move(cache)), statistics_(statistics), id_(cache_->NewId()) {}

  // One lookup of one key in one table. All but the RowCache is borrowed.
  class Lookup {
   public:
    // `largest_seqno`: of the table.
    Lookup(const RowCache& rows, uint64_t table, SequenceNumber largest_seqno,
           const Slice& internal_key, GetContext* context);
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    // True: the row was there, and the context has it as if the table had been asked.
    bool Find();
    // The table was asked, and has told all to the context. Keeps that, if anything. REQUIRES: the
    // table has no range tombstones.
    void Keep();

   private:
    const RowCache& rows_;
    GetContext* const context_;
    const GetContext::State before_;
    const size_t operands_before_;
    char space_[128];
    std::unique_ptr<char[]> large_;  // the key, if it does not fit into `space_`
    Slice key_;
  };

 private:
  const std::shared_ptr<Cache> cache_;
  Statistics* const statistics_;
  const uint64_t id_;
};

}  // namespace cairn
