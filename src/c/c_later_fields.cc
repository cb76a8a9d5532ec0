// The C interface: fields of options that RocksDB has since releases 8 to 11.
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "c/c_objects.h"
#include "rocksdb/convenience.h"
#include "rocksdb/user_defined_index.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

namespace {

// A value of the enumeration that `number` stands for, of those from 0 to `last`.
template <typename E>
bool IsOne(int number, E last) {
  return number >= 0 && number <= static_cast<int>(last);
}

// Null before, and where there is none by that text.
void MakeIndexFactory(const char* value, size_t value_len, char** errptr,
                      std::shared_ptr<UserDefinedIndexFactory>* factory) {
  factory->reset();
  if (value == nullptr) return;
  ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  std::shared_ptr<UserDefinedIndexFactory> made;
  const Status s =
      UserDefinedIndexFactory::CreateFromString(config, std::string(value, value_len), &made);
  if (s.ok()) *factory = std::move(made);
  Report(errptr, s);
}

const char* NameOfIndexFactory(const UserDefinedIndexFactory* factory, size_t* name_len) {
  const char* const name = factory == nullptr ? nullptr : factory->Name();
  if (name_len != nullptr) *name_len = name == nullptr ? 0 : std::strlen(name);
  return name;
}

}  // namespace

extern "C" {

CAIRN_C_OPTION(options, unsigned char, async_wal_precreate)
CAIRN_C_OPTION(options, unsigned char, background_close_inactive_wals)
CAIRN_C_OPTION(options, uint32_t, blob_direct_write_partitions)
CAIRN_C_OPTION(options, uint8_t, block_protection_bytes_per_key)
CAIRN_C_OPTION(options, uint32_t, bottommost_file_compaction_delay)
CAIRN_C_OPTION(options, unsigned char, cf_allow_ingest_behind)
CAIRN_C_OPTION(options, unsigned char, compaction_verify_record_count)
CAIRN_C_OPTION(options, int, default_temperature)
CAIRN_C_OPTION(options, int, default_write_temperature)
CAIRN_C_OPTION(options, unsigned char, disallow_memtable_writes)
CAIRN_C_OPTION(options, unsigned char, enable_blob_direct_write)
CAIRN_C_OPTION(options, unsigned char, enforce_write_buffer_manager_during_recovery)
CAIRN_C_OPTION(options, unsigned char, fast_sst_open)
CAIRN_C_OPTION(options, uint64_t, follower_catchup_retry_count)
CAIRN_C_OPTION(options, uint64_t, follower_catchup_retry_wait_ms)
CAIRN_C_OPTION(options, uint64_t, follower_refresh_catchup_period_ms)
CAIRN_C_OPTION(options, uint64_t, max_compaction_trigger_wakeup_seconds)
CAIRN_C_OPTION(options, int, max_manifest_space_amp_pct)
CAIRN_C_OPTION(options, unsigned char, memtable_batch_lookup_optimization)
CAIRN_C_OPTION(options, uint32_t, memtable_max_range_deletions)
CAIRN_C_OPTION(options, unsigned char, memtable_verify_per_key_checksum_on_seek)
CAIRN_C_OPTION(options, int, metadata_write_temperature)
CAIRN_C_OPTION(options, uint32_t, min_tombstones_for_range_conversion)
CAIRN_C_OPTION(options, unsigned char, optimize_manifest_for_recovery)
CAIRN_C_OPTION(options, unsigned char, paranoid_memory_checks)
CAIRN_C_OPTION(options, unsigned char, prefix_seek_opt_in_only)
CAIRN_C_OPTION(options, int, read_io_executor_threads)
CAIRN_C_OPTION(options, unsigned char, reuse_manifest_on_open)
CAIRN_C_OPTION(options, unsigned char, strict_max_successive_merges)
CAIRN_C_OPTION(options, unsigned char, target_file_size_is_upper_bound)
CAIRN_C_OPTION(options, unsigned char, track_and_verify_wals)
CAIRN_C_OPTION(options, uint32_t, uncache_aggressiveness)
CAIRN_C_OPTION(options, unsigned char, use_direct_io_for_compaction_reads)
CAIRN_C_OPTION(options, unsigned char, verify_manifest_content_on_close)
CAIRN_C_OPTION(options, int, verify_output_flags)
CAIRN_C_OPTION(options, int, wal_write_temperature)
CAIRN_C_OPTION(options, double, read_triggered_compaction_threshold)

CAIRN_C_TABLE_OPTION(unsigned char, decouple_partitioned_filters)
CAIRN_C_TABLE_OPTION(unsigned char, fail_if_no_udi_on_open)
CAIRN_C_TABLE_OPTION(size_t, super_block_alignment_size)
CAIRN_C_TABLE_OPTION(size_t, super_block_alignment_space_overhead_ratio)
CAIRN_C_TABLE_OPTION(double, uniform_cv_threshold)
CAIRN_C_TABLE_OPTION(unsigned char, use_udi_as_primary_index)

CAIRN_C_OPTION(fifo_compaction_options, unsigned char, allow_trivial_copy_when_change_temperature)
CAIRN_C_OPTION(fifo_compaction_options, uint64_t, trivial_copy_buffer_size)
CAIRN_C_OPTION(universal_compaction_options, int, max_read_amp)
CAIRN_C_OPTION(universal_compaction_options, unsigned char, reduce_file_locking)

CAIRN_C_OPTION(flushoptions, unsigned char, force_atomic_flush)
CAIRN_C_OPTION(flushoptions, unsigned char, listener_wait)
CAIRN_C_OPTION(readoptions, unsigned char, auto_refresh_iterator_with_snapshot)
CAIRN_C_OPTION(readoptions, int, io_activity)
CAIRN_C_OPTION(writeoptions, int, io_activity)

CAIRN_C_OPTION(ingestexternalfileoptions, int, file_opening_threads)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, prefetch_lmax_index_and_filter_blocks)

void rocksdb_options_set_daily_offpeak_time_utc(rocksdb_options_t* opt, const char* v) {
  opt->rep.daily_offpeak_time_utc = v;
}
const char* rocksdb_options_get_daily_offpeak_time_utc(rocksdb_options_t* opt, size_t* size) {
  *size = opt->rep.daily_offpeak_time_utc.size();
  return opt->rep.daily_offpeak_time_utc.c_str();
}

// The functions of a set of values of an enumeration.
#define CAIRN_C_SET(field, Enum, last)                                                      \
  void rocksdb_options_##field##_add(rocksdb_options_t* opt, int value) {                   \
    if (IsOne(value, last)) opt->rep.field.Add(static_cast<Enum>(value));                   \
  }                                                                                         \
  void rocksdb_options_##field##_remove(rocksdb_options_t* opt, int value) {                \
    if (IsOne(value, last)) opt->rep.field.Remove(static_cast<Enum>(value));                \
  }                                                                                         \
  unsigned char rocksdb_options_##field##_contains(rocksdb_options_t* opt, int value) {     \
    return IsOne(value, last) && opt->rep.field.Contains(static_cast<Enum>(value)) ? 1 : 0; \
  }                                                                                         \
  size_t rocksdb_options_##field##_count(rocksdb_options_t* opt) {                          \
    return opt->rep.field.count();                                                          \
  }                                                                                         \
  void rocksdb_options_##field##_clear(rocksdb_options_t* opt) { opt->rep.field = {}; }
CAIRN_C_SET(calculate_sst_write_lifetime_hint_set, CompactionStyle, kCompactionStyleNone)
CAIRN_C_SET(checksum_handoff_file_types, FileType, kBlobFile)

void rocksdb_readoptions_set_merge_operand_count_threshold(rocksdb_readoptions_t* opt,
                                                           size_t threshold) {
  opt->rep.merge_operand_count_threshold = threshold;
}
void rocksdb_readoptions_clear_merge_operand_count_threshold(rocksdb_readoptions_t* opt) {
  opt->rep.merge_operand_count_threshold.reset();
}
size_t rocksdb_readoptions_get_merge_operand_count_threshold(rocksdb_readoptions_t* opt) {
  return opt->rep.merge_operand_count_threshold.value_or(0);
}
unsigned char rocksdb_readoptions_has_merge_operand_count_threshold(rocksdb_readoptions_t* opt) {
  return opt->rep.merge_operand_count_threshold.has_value() ? 1 : 0;
}

void rocksdb_readoptions_set_request_id(rocksdb_readoptions_t* opt, const char* request_id,
                                        size_t request_id_len) {
  opt->request_id.assign(request_id, request_id_len);
  opt->rep.request_id = &opt->request_id;
}
void rocksdb_readoptions_clear_request_id(rocksdb_readoptions_t* opt) {
  opt->rep.request_id = nullptr;
}
const char* rocksdb_readoptions_get_request_id(rocksdb_readoptions_t* opt, size_t* request_id_len) {
  const std::string* const id = opt->rep.request_id;
  *request_id_len = id == nullptr ? 0 : id->size();
  return id == nullptr ? nullptr : id->data();
}

void rocksdb_block_based_options_set_user_defined_index_factory_from_string(
    rocksdb_block_based_table_options_t* options, const char* value, size_t value_len,
    char** errptr) {
  MakeIndexFactory(value, value_len, errptr, &options->rep.user_defined_index_factory);
}
void rocksdb_block_based_options_clear_user_defined_index_factory(
    rocksdb_block_based_table_options_t* options) {
  options->rep.user_defined_index_factory.reset();
}
const char* rocksdb_block_based_options_get_user_defined_index_factory_name(
    const rocksdb_block_based_table_options_t* options, size_t* name_len) {
  return NameOfIndexFactory(options->rep.user_defined_index_factory.get(), name_len);
}
void rocksdb_readoptions_set_table_index_factory_from_string(rocksdb_readoptions_t* opt,
                                                             const char* value, size_t value_len,
                                                             char** errptr) {
  MakeIndexFactory(value, value_len, errptr, &opt->table_index_factory);
  opt->rep.table_index_factory = opt->table_index_factory.get();
}
void rocksdb_readoptions_clear_table_index_factory(rocksdb_readoptions_t* opt) {
  opt->table_index_factory.reset();
  opt->rep.table_index_factory = nullptr;
}
const char* rocksdb_readoptions_get_table_index_factory_name(const rocksdb_readoptions_t* opt,
                                                             size_t* name_len) {
  return NameOfIndexFactory(opt->table_index_factory.get(), name_len);
}

void rocksdb_envoptions_set_rate_limiter(rocksdb_envoptions_t* opt,
                                         rocksdb_ratelimiter_t* rate_limiter) {
  opt->rate_limiter = rate_limiter == nullptr ? nullptr : rate_limiter->rep;
  opt->rep.rate_limiter = opt->rate_limiter.get();
}

}  // extern "C"
