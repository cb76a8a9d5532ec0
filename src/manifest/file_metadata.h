// What the MANIFEST records about one table file, and what the running database adds to it.
//
// A FileMetaData is made once (by flush, compaction or recovery), handed to VersionEdit::AddFile by
// value, and from then on lives on the heap, shared by every Version that holds the file. `refs`
// counts those Versions.
//
// Thread safety: the fields above the line in the struct are constant once the file is part of a
// Version. Those below are guarded by the database mutex.
#pragma once

#include <cstdint>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "blob/blob_format.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/file_checksum.h"
#include "table/table_cache.h"
#include "table/unique_id.h"

namespace cairn {

// Epochs order level-0 files: a larger epoch is newer. 0 says that the MANIFEST had none (see
// VersionBuilder).
inline constexpr uint64_t kUnknownEpochNumber = 0;
// Files ingested behind all others share this epoch; ordinary epochs start above it.
inline constexpr uint64_t kReservedEpochNumberForFileIngestedBehind = 1;
// A creation or ancestor time that is not known.
inline constexpr uint64_t kUnknownFileTime = 0;

// The place for a file's open reader (see TableSlot). Belongs to one FileMetaData: a copy of the
// metadata starts empty.
struct OwnTableSlot {
  OwnTableSlot() = default;
  OwnTableSlot(const OwnTableSlot&) {}
  OwnTableSlot& operator=(const OwnTableSlot&) { return *this; }
  mutable TableSlot slot;  // thread-safe by itself
};

struct FileMetaData {
  uint64_t number = 0;
  uint32_t path_id = 0;    // index into DBOptions::db_paths
  uint64_t file_size = 0;  // bytes; must equal the size on disk exactly
  InternalKey smallest;    // inclusive bounds, internal keys
  InternalKey largest;
  SequenceNumber smallest_seqno = kMaxSequenceNumber;
  SequenceNumber largest_seqno = 0;
  uint64_t epoch_number = kUnknownEpochNumber;
  uint64_t oldest_ancester_time = kUnknownFileTime;  // Unix seconds; RocksDB's spelling
  uint64_t file_creation_time = kUnknownFileTime;    // Unix seconds
  Temperature temperature = Temperature::kUnknown;
  // The table asked for it when it was written; SuggestCompactRange sets it later, with the mutex.
  bool marked_for_compaction = false;
  // See rocksdb/file_checksum.h.
  std::string file_checksum = kUnknownFileChecksum;
  std::string file_checksum_func_name = kUnknownFileChecksumFuncName;
  uint64_t tail_size = 0;                        // bytes after the data blocks; 0: not recorded
  uint64_t compensated_range_deletion_size = 0;  // bytes
  std::string min_timestamp, max_timestamp;      // user-defined timestamps; empty: none
  // False: the table has bare keys, and the family's keys have timestamps (base/timestamps.h). The
  // bounds here have the smallest one then; in the MANIFEST they have none.
  bool user_defined_timestamps_persisted = true;
  // The oldest blob file that it refers to; kNoBlobFile: it refers to none.
  uint64_t oldest_blob_file_number = kNoBlobFile;
  UniqueId unique_id = kNullUniqueId;  // null: the table does not say, or its writer did not

  // Not in the MANIFEST. The writer of the table sets them; after a reopen they stay 0 until
  // somebody reads the table's properties and calls Version::SetFileStats.
  uint64_t num_entries = 0;
  uint64_t num_deletions = 0;
  uint64_t raw_key_size = 0;       // bytes
  uint64_t raw_value_size = 0;     // bytes
  bool has_no_tombstones = false;  // of ranges, as its writer knows

  OwnTableSlot table;  // filled by the table cache when all tables stay open

  // What the table cache needs to find or open this file on `level`.
  TableFileId TableId(int level = -1) const {
    return {.number = number,
            .file_size = file_size,
            .level = level,
            .path_id = path_id,
            .tail_size = tail_size,
            .largest_seqno = largest_seqno,
            .slot = &table.slot,
            .unique_id = &unique_id,
            .temperature = temperature,
            .expects_bare_keys = !user_defined_timestamps_persisted};
  }

  // False: the table is known to have no range tombstones.
  bool MayHaveTombstones() const { return !has_no_tombstones && table.slot.MayHaveTombstones(); }

  // ---- Guarded by the database mutex.
  bool being_compacted = false;
  uint64_t compensated_file_size = 0;  // bytes: file_size, made larger where tombstones prevail
  bool stats_known = false;            // the four counters above are filled in
  int refs = 0;                        // Versions that hold this file

  // The family's keys have timestamps, and the bounds none yet: these get some, and the table is
  // one with bare keys. And back, where the family's keys have none any more. (In version_edit.cc.)
  void AddTimestamps();
  void RemoveTimestamps();

  // Widens the bounds and sequence range by one entry. Call it in key order: the first call sets
  // `smallest`.
  void UpdateBoundaries(const Slice& internal_key, SequenceNumber seqno) {
    if (smallest.Encode().empty()) smallest.DecodeFrom(internal_key);
    largest.DecodeFrom(internal_key);
    if (seqno < smallest_seqno) smallest_seqno = seqno;
    if (seqno > largest_seqno) largest_seqno = seqno;
  }
};

// Orders of level-0 files, newest first. By sequence is what a MANIFEST without epochs implies.
inline bool NewestFirstBySequence(const FileMetaData* a, const FileMetaData* b) {
  if (a->largest_seqno != b->largest_seqno) return a->largest_seqno > b->largest_seqno;
  if (a->smallest_seqno != b->smallest_seqno) return a->smallest_seqno > b->smallest_seqno;
  return a->number > b->number;
}
inline bool NewestFirstByEpoch(const FileMetaData* a, const FileMetaData* b) {
  if (a->epoch_number != b->epoch_number) return a->epoch_number > b->epoch_number;
  return NewestFirstBySequence(a, b);
}

}  // namespace cairn
