#include "rocksdb/compaction_job_stats.h"

namespace ROCKSDB_NAMESPACE {

void CompactionJobStats::Reset() { *this = CompactionJobStats(); }

void CompactionJobStats::Add(const CompactionJobStats& stats) {
  elapsed_micros += stats.elapsed_micros;
  cpu_micros += stats.cpu_micros;
  num_input_records += stats.num_input_records;
  num_blobs_read += stats.num_blobs_read;
  num_input_files += stats.num_input_files;
  num_input_files_at_output_level += stats.num_input_files_at_output_level;
  num_output_records += stats.num_output_records;
  num_output_files += stats.num_output_files;
  num_output_files_blob += stats.num_output_files_blob;
  total_input_bytes += stats.total_input_bytes;
  total_blob_bytes_read += stats.total_blob_bytes_read;
  total_output_bytes += stats.total_output_bytes;
  total_output_bytes_blob += stats.total_output_bytes_blob;
  num_records_replaced += stats.num_records_replaced;
  total_input_raw_key_bytes += stats.total_input_raw_key_bytes;
  total_input_raw_value_bytes += stats.total_input_raw_value_bytes;
  num_input_deletion_records += stats.num_input_deletion_records;
  num_expired_deletion_records += stats.num_expired_deletion_records;
  num_corrupt_keys += stats.num_corrupt_keys;
  file_write_nanos += stats.file_write_nanos;
  file_range_sync_nanos += stats.file_range_sync_nanos;
  file_fsync_nanos += stats.file_fsync_nanos;
  file_prepare_write_nanos += stats.file_prepare_write_nanos;
  num_single_del_fallthru += stats.num_single_del_fallthru;
  num_single_del_mismatch += stats.num_single_del_mismatch;
  num_input_files_trivially_moved += stats.num_input_files_trivially_moved;
  num_filtered_input_files += stats.num_filtered_input_files;
  num_filtered_input_files_at_output_level += stats.num_filtered_input_files_at_output_level;
  total_skipped_input_bytes += stats.total_skipped_input_bytes;
}

}  // namespace ROCKSDB_NAMESPACE
