// TableReader: one open, immutable table file.
//
// Made by a TableFactory (table/block_based_table_reader.h is the only kind), kept by the
// TableCache, used by the read and compaction layers. Thread-safe: every method may run on many
// threads and fibers at once, and may SUSPEND where it reads the file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "rocksdb/cleanable.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/block_ref.h"
#include "table/format.h"
#include "table/get_context.h"
#include "table/lookup_approach.h"
#include "table/table_options.h"

namespace cairn {

// A user key that lies at or behind the last key of its part of the table, and before the first one
// of the next (or is that one's user key, where a user key's versions span both).
struct TableAnchor {
  std::string user_key;
  uint64_t bytes = 0;  // of the part, in the file
};

// A block of a table's filter or index.
struct MetaPart {
  enum Kind : uint8_t { kFilter, kIndex } kind;  // how it is decoded
  BlockHandle handle;
};

class TableReader {
 public:
  TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  virtual ~TableReader() = default;

  // An iterator over internal keys; not positioned. The caller deletes it before this reader.
  // `options` is copied; what lies beyond the bounds in it need not be shown, nor read: the caller
  // enforces them. They may be changed before each seek.
  // `compaction_readahead`: bytes to read at once (0: none asked for). `for_compaction`: read in
  // one sweep, blocks that are not cached stay out of the cache.
  virtual InternalIterator* NewIterator(const ReadOptions& options, bool skip_filters = false,
                                        size_t compaction_readahead = 0,
                                        bool for_compaction = false) = 0;

  // Looks up the newest entry at or below the sequence in `internal_key` and offers it to
  // `context`. OK whether or not there is one; Incomplete when only the cache may be read and a
  // block is missing (the context is marked, too).
  [[nodiscard]] virtual Status Get(const ReadOptions& options, const Slice& internal_key,
                                   GetContext* context, bool skip_filters = false) = 0;

  // Takes the next step of `approach` towards what a Get of this key, without timestamps, touches,
  // of what is in memory; nothing is read. False: that was the last one. A Get whose context has
  // the approach finds it.
  virtual bool Approach(const ReadOptions& /*options*/, const Slice& /*internal_key*/,
                        LookupApproach* /*approach*/) {
    return false;
  }

  // Adds what a Get of this key would read of the filter and the index, as far as memory tells.
  // What it adds once that is loaded comes next; nothing: a data block does.
  virtual void AddMissingParts(const Slice& internal_key, std::vector<MetaPart>* parts) = 0;
  // Reads a part into the cache; `pins` keeps it there.
  [[nodiscard]] virtual Status LoadPart(const ReadOptions& options, const MetaPart& part,
                                        Cleanable* pins) = 0;
  // The data block that a Get would look into first. NotFound: none, the table has no such key.
  // Incomplete with ReadTier::kBlockCacheTier if what tells it is not in memory.
  [[nodiscard]] virtual Status LocateBlock(const ReadOptions& options, const Slice& internal_key,
                                           BlockHandle* handle) = 0;
  // Whether a block that was read is found again by who looks into its table.
  virtual bool CachesBlocks(const ReadOptions& options) const = 0;

  // Adds the data blocks that may have keys from the internal key `first` on and below `limit`, a
  // user key without a timestamp; in the order of the file.
  [[nodiscard]] virtual Status LocateRange(const ReadOptions& options, const Slice& first,
                                           const Slice& limit,
                                           std::vector<BlockHandle>* handles) = 0;
  // Gets data blocks, which follow one another in the file, maybe with others between: out of the
  // cache (with ReadTier::kBlockCacheTier only there), else all of them with one read. What cannot
  // be had stays empty. REQUIRES: both are of one size, and not empty
  virtual void PinBlocks(const ReadOptions& options, std::span<const BlockHandle> handles,
                         std::span<BlockRef> blocks) = 0;

  // Whether a filter is asked before a data block.
  virtual bool HasFilter() const = 0;
  // Its keys lack the timestamps that it shows them with: the smallest one (bare_keys.h).
  virtual bool has_bare_keys() const = 0;
  // It has merge operands, by its properties.
  virtual bool MayHoldOperands() const = 0;

  // Null: it has none. Not cut at the table's bounds (ClipToTable).
  virtual const RangeTombstones* range_tombstones() const = 0;

  // This reader holds both in memory, or has no cache to read them into.
  virtual bool FilterAndIndexArePinned() const = 0;

  // Bytes of the file before `internal_key`, about.
  virtual uint64_t ApproximateOffsetOf(const ReadOptions& options, const Slice& internal_key) = 0;

  virtual std::shared_ptr<const TableProperties> GetTableProperties() const = 0;

  // Memory held by this reader itself (pinned index and filter), in bytes.
  virtual size_t ApproximateMemoryUsage() const = 0;

  // Reads the whole file past the cache and verifies every block.
  [[nodiscard]] virtual Status VerifyChecksum(const ReadOptions& options) = 0;

  // Splits the data into up to `count` parts of about equal size, in key order: for splitting a
  // compaction. Empty for a table without data blocks. REQUIRES: count > 0
  [[nodiscard]] virtual Status GetAnchors(size_t count, std::vector<TableAnchor>* anchors) = 0;
};

}  // namespace cairn
