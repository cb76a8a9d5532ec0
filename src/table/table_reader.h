// TableReader: one open, immutable table file.
//
// Made by a TableFactory (table/block_based_table_reader.h is the only kind), kept by the
// TableCache, used by the read and compaction layers. Thread-safe: every method may run on many
// threads and fibers at once, and may SUSPEND where it reads the file.
#pragma once

#include <cstdint>
#include <memory>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/get_context.h"
#include "table/table_options.h"

namespace cairn {

class TableReader {
 public:
  TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  virtual ~TableReader() = default;

  // An iterator over internal keys; not positioned. The caller deletes it before this reader.
  // `options` is copied; the bounds in it only limit readahead, they are the caller's to enforce.
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

  // Bytes of the file before `internal_key`, about.
  virtual uint64_t ApproximateOffsetOf(const ReadOptions& options, const Slice& internal_key) = 0;

  virtual std::shared_ptr<const TableProperties> GetTableProperties() const = 0;

  // Memory held by this reader itself (pinned index and filter), in bytes.
  virtual size_t ApproximateMemoryUsage() const = 0;

  // Reads the whole file past the cache and verifies every block.
  [[nodiscard]] virtual Status VerifyChecksum(const ReadOptions& options) = 0;

  // A user key near the middle of the file, for splitting a compaction. NotFound for a table of one
  // block.
  [[nodiscard]] virtual Status ApproximateMiddleKey(std::string* user_key) = 0;
};

}  // namespace cairn
