// TableBuilder: writes one table file from entries in order.
//
// Made by a TableFactory, driven by flush and compaction. Not thread-safe. Exactly one of Finish()
// and Abandon() ends it.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/table_options.h"

namespace cairn {

class TableBuilder {
 public:
  TableBuilder() = default;
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;
  virtual ~TableBuilder() = default;

  // Appends one entry. REQUIRES: `internal_key` sorts after all keys before it; not finished. May
  // SUSPEND (the file). Errors are kept in status(). Range deletions go to AddTombstone().
  virtual void Add(const Slice& internal_key, const Slice& value) = 0;

  // Adds a range tombstone: `internal_key` has its start, in the order of internal keys among all
  // of them, before or after entries.
  virtual void AddTombstone(const Slice& internal_key, const Slice& end_user_key) = 0;

  // The property rocksdb.seqno.time.map (base/seqno_to_time_mapping.h). Before Finish(). Formats
  // that have no place for it leave it out.
  virtual void SetSeqnoToTimeMapping(std::string /*bytes*/) {}

  // The first error met, from whatever source; and the first error of the file.
  virtual Status status() const = 0;
  virtual IOStatus io_status() const = 0;

  // Writes what remains (index, filter, properties, footer). The caller syncs and closes the file.
  [[nodiscard]] virtual Status Finish() = 0;
  // Gives up: the file's contents are useless, the caller deletes it.
  virtual void Abandon() = 0;

  virtual uint64_t NumEntries() const = 0;
  virtual bool IsEmpty() const { return NumEntries() == 0; }
  // The last entry's key; empty if there is none. Good until the next Add.
  virtual Slice LastKey() const = 0;
  // Bytes written so far; after Finish() the size of the file.
  virtual uint64_t FileSize() const = 0;
  // FileSize() with an estimate of what is buffered (the block being filled).
  virtual uint64_t EstimatedFileSize() const = 0;
  // Bytes after the data blocks; 0 before Finish().
  virtual uint64_t TailSize() const = 0;
  // True when a properties collector wants the file compacted soon.
  virtual bool NeedCompact() const = 0;
  virtual TableProperties GetTableProperties() const = 0;
};

}  // namespace cairn
