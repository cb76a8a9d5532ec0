// The C interface: what jobs and tables tell of themselves.
#include <iterator>

#include "c/c_listener_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Show;

// The opaque types of parts are never defined: a pointer to one is a pointer to the part.
#define CAIRN_C_PART(object, part, type, field)                           \
  type rocksdb_##object##_##field(const rocksdb_##object##_t* info) {     \
    return static_cast<type>(reinterpret_cast<const part*>(info)->field); \
  }
#define CAIRN_C_PART_TEXT(object, part, field)                                             \
  const char* rocksdb_##object##_##field(const rocksdb_##object##_t* info, size_t* size) { \
    return Show(reinterpret_cast<const part*>(info)->field, size);                         \
  }
#define CAIRN_C_PROPERTY(field) CAIRN_C_PART(table_properties, TableProperties, uint64_t, field)
#define CAIRN_C_PROPERTY_TEXT(field) CAIRN_C_PART_TEXT(table_properties, TableProperties, field)
#define CAIRN_C_PROPERTY_MAP(field)                                                                \
  size_t rocksdb_table_properties_##field##_count(const rocksdb_table_properties_t* props) {       \
    return PropertiesOf(props).field.size();                                                       \
  }                                                                                                \
  const char* rocksdb_table_properties_##field##_key_at(const rocksdb_table_properties_t* props,   \
                                                        size_t pos, size_t* key_len) {             \
    return Show(At(PropertiesOf(props).field, pos).first, key_len);                                \
  }                                                                                                \
  const char* rocksdb_table_properties_##field##_value_at(const rocksdb_table_properties_t* props, \
                                                          size_t pos, size_t* value_len) {         \
    return Show(At(PropertiesOf(props).field, pos).second, value_len);                             \
  }
#define CAIRN_C_JOB_STATS(type, field) \
  CAIRN_C_PART(compaction_job_stats, CompactionJobStats, type, field)
#define CAIRN_C_JOB_STATS_TEXT(field) \
  CAIRN_C_PART_TEXT(compaction_job_stats, CompactionJobStats, field)

// rocksdb_<object>_<name>(): a part of what is told, and a list of parts.
#define CAIRN_C_TOLD_PART(object, part, name, field)                                  \
  const rocksdb_##part* rocksdb_##object##_##name(const rocksdb_##object##_t* info) { \
    return reinterpret_cast<const rocksdb_##part*>(&info->rep.field);                 \
  }
#define CAIRN_C_TOLD_LIST(object, part, list, one)                                      \
  size_t rocksdb_##object##_##list##_count(const rocksdb_##object##_t* info) {          \
    return info->rep.list.size();                                                       \
  }                                                                                     \
  const rocksdb_##part* rocksdb_##object##_##one##_at(const rocksdb_##object##_t* info, \
                                                      size_t pos) {                     \
    return pos < info->rep.list.size()                                                  \
               ? reinterpret_cast<const rocksdb_##part*>(&info->rep.list[pos])          \
               : nullptr;                                                               \
  }

namespace {

const TableProperties& PropertiesOf(const rocksdb_table_properties_t* props) {
  return *reinterpret_cast<const TableProperties*>(props);
}
const rocksdb_table_properties_t* InC(const TableProperties* props) {
  return reinterpret_cast<const rocksdb_table_properties_t*>(props);
}

// The entry number `pos` of a map.
template <typename Map>
const typename Map::value_type& At(const Map& map, size_t pos) {
  return *std::next(map.begin(), static_cast<std::ptrdiff_t>(pos));
}

}  // namespace

extern "C" {

CAIRN_C_PROPERTY(orig_file_number)
CAIRN_C_PROPERTY(data_size)
CAIRN_C_PROPERTY(index_size)
CAIRN_C_PROPERTY(index_partitions)
CAIRN_C_PROPERTY(top_level_index_size)
CAIRN_C_PROPERTY(index_key_is_user_key)
CAIRN_C_PROPERTY(index_value_is_delta_encoded)
CAIRN_C_PROPERTY(filter_size)
CAIRN_C_PROPERTY(raw_key_size)
CAIRN_C_PROPERTY(raw_value_size)
CAIRN_C_PROPERTY(num_data_blocks)
CAIRN_C_PROPERTY(num_entries)
CAIRN_C_PROPERTY(num_filter_entries)
CAIRN_C_PROPERTY(num_deletions)
CAIRN_C_PROPERTY(num_merge_operands)
CAIRN_C_PROPERTY(num_range_deletions)
CAIRN_C_PROPERTY(format_version)
CAIRN_C_PROPERTY(fixed_key_len)
CAIRN_C_PROPERTY(column_family_id)
CAIRN_C_PROPERTY(creation_time)
CAIRN_C_PROPERTY(oldest_key_time)
CAIRN_C_PROPERTY(file_creation_time)
CAIRN_C_PROPERTY(slow_compression_estimated_data_size)
CAIRN_C_PROPERTY(fast_compression_estimated_data_size)
CAIRN_C_PROPERTY(external_sst_file_global_seqno_offset)
CAIRN_C_PROPERTY(user_defined_timestamps_persisted)
CAIRN_C_PROPERTY_TEXT(db_id)
CAIRN_C_PROPERTY_TEXT(db_session_id)
CAIRN_C_PROPERTY_TEXT(db_host_id)
CAIRN_C_PROPERTY_TEXT(column_family_name)
CAIRN_C_PROPERTY_TEXT(filter_policy_name)
CAIRN_C_PROPERTY_TEXT(comparator_name)
CAIRN_C_PROPERTY_TEXT(merge_operator_name)
CAIRN_C_PROPERTY_TEXT(prefix_extractor_name)
CAIRN_C_PROPERTY_TEXT(property_collectors_names)
CAIRN_C_PROPERTY_TEXT(compression_name)
CAIRN_C_PROPERTY_TEXT(compression_options)
CAIRN_C_PROPERTY_TEXT(seqno_to_time_mapping)
CAIRN_C_PROPERTY_MAP(user_collected_properties)
CAIRN_C_PROPERTY_MAP(readable_properties)
CAIRN_C_JOB_STATS(uint64_t, elapsed_micros)
CAIRN_C_JOB_STATS(uint64_t, cpu_micros)
CAIRN_C_JOB_STATS(uint64_t, num_input_records)
CAIRN_C_JOB_STATS(uint64_t, num_blobs_read)
CAIRN_C_JOB_STATS(size_t, num_input_files)
CAIRN_C_JOB_STATS(size_t, num_input_files_at_output_level)
CAIRN_C_JOB_STATS(uint64_t, num_output_records)
CAIRN_C_JOB_STATS(size_t, num_output_files)
CAIRN_C_JOB_STATS(size_t, num_output_files_blob)
CAIRN_C_JOB_STATS(unsigned char, is_full_compaction)
CAIRN_C_JOB_STATS(unsigned char, is_manual_compaction)
CAIRN_C_JOB_STATS(unsigned char, is_remote_compaction)
CAIRN_C_JOB_STATS(uint64_t, total_input_bytes)
CAIRN_C_JOB_STATS(uint64_t, total_blob_bytes_read)
CAIRN_C_JOB_STATS(uint64_t, total_output_bytes)
CAIRN_C_JOB_STATS(uint64_t, total_output_bytes_blob)
CAIRN_C_JOB_STATS(uint64_t, num_records_replaced)
CAIRN_C_JOB_STATS(uint64_t, total_input_raw_key_bytes)
CAIRN_C_JOB_STATS(uint64_t, total_input_raw_value_bytes)
CAIRN_C_JOB_STATS(uint64_t, num_input_deletion_records)
CAIRN_C_JOB_STATS(uint64_t, num_expired_deletion_records)
CAIRN_C_JOB_STATS(uint64_t, num_corrupt_keys)
CAIRN_C_JOB_STATS(uint64_t, file_write_nanos)
CAIRN_C_JOB_STATS(uint64_t, file_range_sync_nanos)
CAIRN_C_JOB_STATS(uint64_t, file_fsync_nanos)
CAIRN_C_JOB_STATS(uint64_t, file_prepare_write_nanos)
CAIRN_C_JOB_STATS_TEXT(smallest_output_key_prefix)
CAIRN_C_JOB_STATS_TEXT(largest_output_key_prefix)
CAIRN_C_JOB_STATS(uint64_t, num_single_del_fallthru)
CAIRN_C_JOB_STATS(uint64_t, num_single_del_mismatch)
CAIRN_C_PART(compaction_file_info, CompactionFileInfo, int, level)
CAIRN_C_PART(compaction_file_info, CompactionFileInfo, uint64_t, file_number)
CAIRN_C_PART(compaction_file_info, CompactionFileInfo, uint64_t, oldest_blob_file_number)
CAIRN_C_PART_TEXT(blob_file_addition_info, BlobFileAdditionInfo, blob_file_path)
CAIRN_C_PART(blob_file_addition_info, BlobFileAdditionInfo, uint64_t, blob_file_number)
CAIRN_C_PART(blob_file_addition_info, BlobFileAdditionInfo, uint64_t, total_blob_count)
CAIRN_C_PART(blob_file_addition_info, BlobFileAdditionInfo, uint64_t, total_blob_bytes)
CAIRN_C_PART_TEXT(blob_file_garbage_info, BlobFileGarbageInfo, blob_file_path)
CAIRN_C_PART(blob_file_garbage_info, BlobFileGarbageInfo, uint64_t, blob_file_number)
CAIRN_C_PART(blob_file_garbage_info, BlobFileGarbageInfo, uint64_t, garbage_blob_count)
CAIRN_C_PART(blob_file_garbage_info, BlobFileGarbageInfo, uint64_t, garbage_blob_bytes)
CAIRN_C_TOLD(flushjobinfo, uint32_t, cf_id, cf_id)
CAIRN_C_TOLD(flushjobinfo, uint64_t, file_number, file_number)
CAIRN_C_TOLD(flushjobinfo, uint64_t, oldest_blob_file_number, oldest_blob_file_number)
CAIRN_C_TOLD(flushjobinfo, uint64_t, thread_id, thread_id)
CAIRN_C_TOLD(flushjobinfo, int, job_id, job_id)
CAIRN_C_TOLD(flushjobinfo, uint32_t, flush_reason, flush_reason)
CAIRN_C_TOLD(flushjobinfo, uint32_t, blob_compression_type, blob_compression_type)
CAIRN_C_TOLD_PART(flushjobinfo, table_properties_t, table_properties, table_properties)
CAIRN_C_TOLD_LIST(flushjobinfo, blob_file_addition_info_t, blob_file_addition_infos,
                  blob_file_addition_info)
CAIRN_C_TOLD(compactionjobinfo, uint32_t, cf_id, cf_id)
CAIRN_C_TOLD(compactionjobinfo, uint64_t, thread_id, thread_id)
CAIRN_C_TOLD(compactionjobinfo, int, job_id, job_id)
CAIRN_C_TOLD(compactionjobinfo, int, num_l0_files, num_l0_files)
CAIRN_C_TOLD(compactionjobinfo, uint32_t, compression, compression)
CAIRN_C_TOLD(compactionjobinfo, uint32_t, blob_compression_type, blob_compression_type)
CAIRN_C_TOLD_PART(compactionjobinfo, compaction_job_stats_t, stats, stats)
CAIRN_C_TOLD_LIST(compactionjobinfo, compaction_file_info_t, input_file_infos, input_file_info)
CAIRN_C_TOLD_LIST(compactionjobinfo, compaction_file_info_t, output_file_infos, output_file_info)
CAIRN_C_TOLD_LIST(compactionjobinfo, blob_file_addition_info_t, blob_file_addition_infos,
                  blob_file_addition_info)
CAIRN_C_TOLD_LIST(compactionjobinfo, blob_file_garbage_info_t, blob_file_garbage_infos,
                  blob_file_garbage_info)
CAIRN_C_TOLD(subcompactionjobinfo, uint32_t, cf_id, cf_id)
CAIRN_C_TOLD(subcompactionjobinfo, int, job_id, job_id)
CAIRN_C_TOLD(subcompactionjobinfo, int, subcompaction_job_id, subcompaction_job_id)
CAIRN_C_TOLD(subcompactionjobinfo, uint32_t, compaction_reason, compaction_reason)
CAIRN_C_TOLD(subcompactionjobinfo, uint32_t, compression, compression)
CAIRN_C_TOLD_PART(subcompactionjobinfo, compaction_job_stats_t, stats, stats)
CAIRN_C_TOLD_TEXT(externalfileingestioninfo, external_file_path, external_file_path)
CAIRN_C_TOLD(externalfileingestioninfo, uint64_t, global_seqno, global_seqno)
CAIRN_C_TOLD_PART(externalfileingestioninfo, table_properties_t, table_properties, table_properties)
CAIRN_C_TOLD_TEXT(memtableinfo, newest_udt, newest_udt)

unsigned char rocksdb_compactionjobinfo_aborted(const rocksdb_compactionjobinfo_t* info) {
  return info->rep.status.IsShutdownInProgress() || info->rep.status.IsIncomplete() ||
                 info->rep.status.IsManualCompactionPaused()
             ? 1
             : 0;
}

size_t rocksdb_compactionjobinfo_table_properties_count(const rocksdb_compactionjobinfo_t* info) {
  return info->rep.table_properties.size();
}
const char* rocksdb_compactionjobinfo_table_properties_key_at(
    const rocksdb_compactionjobinfo_t* info, size_t pos, size_t* key_len) {
  return Show(At(info->rep.table_properties, pos).first, key_len);
}
const rocksdb_table_properties_t* rocksdb_compactionjobinfo_table_properties_value_at(
    const rocksdb_compactionjobinfo_t* info, size_t pos) {
  return InC(At(info->rep.table_properties, pos).second.get());
}
const rocksdb_table_properties_t* rocksdb_compactionjobinfo_table_properties_for_file(
    const rocksdb_compactionjobinfo_t* info, const char* file_name, size_t file_name_len) {
  const auto found = info->rep.table_properties.find(std::string(file_name, file_name_len));
  return found == info->rep.table_properties.end() ? nullptr : InC(found->second.get());
}

void rocksdb_status_ptr_get_error(rocksdb_status_ptr_t* status, char** errptr) {
  cairn::Report(errptr, *status->rep);
}

rocksdb_compactionjobinfo_t* rocksdb_compactionjobinfo_create() {
  auto owned = std::make_unique<CompactionJobInfo>();
  const CompactionJobInfo& rep = *owned;
  return new rocksdb_compactionjobinfo_t{rep, std::move(owned)};
}
void rocksdb_compactionjobinfo_destroy(rocksdb_compactionjobinfo_t* info) { delete info; }

}  // extern "C"
