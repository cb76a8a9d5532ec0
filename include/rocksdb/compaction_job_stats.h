// CompactionJobStats: what one compaction read, wrote and dropped, for EventListener
// (listener.h), CompactFiles and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct CompactionJobStats {
  // How much of a key the prefixes below have, in bytes.
  static const size_t kMaxPrefixLength = 8;

  // As if it were new.
  void Reset();
  // Sums up the numbers; flags and prefixes stay.
  void Add(const CompactionJobStats& stats);

  // Microseconds, of the clock and of the processors.
  uint64_t elapsed_micros = 0;
  uint64_t cpu_micros = 0;

  // Blobs: values in blob files, and those files.
  uint64_t num_input_records = 0;
  uint64_t num_blobs_read = 0;
  size_t num_input_files = 0;
  size_t num_input_files_at_output_level = 0;
  uint64_t num_output_records = 0;
  size_t num_output_files = 0;
  size_t num_output_files_blob = 0;

  bool is_full_compaction = false;  // of all files of the column family
  bool is_manual_compaction = false;
  bool is_remote_compaction = false;  // some part ran elsewhere: see CompactionService

  // Bytes, of the files.
  uint64_t total_input_bytes = 0;
  uint64_t total_blob_bytes_read = 0;
  uint64_t total_output_bytes = 0;
  uint64_t total_output_bytes_blob = 0;

  // Entries that a newer one of their key hides, be it a value or a deletion.
  uint64_t num_records_replaced = 0;
  // Bytes of what was read, uncompressed; keys with their sequence numbers.
  uint64_t total_input_raw_key_bytes = 0;
  uint64_t total_input_raw_value_bytes = 0;
  // Deletions that were read, and those of them that went because they had nothing left to hide.
  // (Range tombstones are in neither.)
  uint64_t num_input_deletion_records = 0;
  uint64_t num_expired_deletion_records = 0;
  // Stays 0: a key that cannot be read fails the compaction.
  uint64_t num_corrupt_keys = 0;

  // Nanoseconds in calls of the file system, with report_bg_io_stats alone.
  uint64_t file_write_nanos = 0;
  uint64_t file_range_sync_nanos = 0;
  uint64_t file_fsync_nanos = 0;
  uint64_t file_prepare_write_nanos = 0;

  // The first bytes of the smallest and the largest user key that were written.
  std::string smallest_output_key_prefix;
  std::string largest_output_key_prefix;

  // SingleDeletes that went without having met a value, and those that met something else.
  uint64_t num_single_del_fallthru = 0;
  uint64_t num_single_del_mismatch = 0;

  // Of releases since 8. False: a compaction filter skipped keys without a look, so that
  // num_input_records is not all of them.
  bool has_accurate_num_input_records = true;
  // Files that were moved to another level as they are.
  size_t num_input_files_trivially_moved = 0;
  // Stay 0: files are not left out of a compaction by what they have.
  size_t num_filtered_input_files = 0;
  size_t num_filtered_input_files_at_output_level = 0;
  uint64_t total_skipped_input_bytes = 0;
};

}  // namespace ROCKSDB_NAMESPACE
