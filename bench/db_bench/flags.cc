#include "db_bench/flags.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "db_bench/workloads.h"
#include "rocksdb/version.h"

namespace db_bench {

void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

#define FLAG(type, name, value, help) DEFINE_##type(name, value, help);
#include "db_bench/supported_flags.inc"
#undef FLAG

#define UNSUPPORTED(type, name, value, why) \
  DEFINE_##type(name, value, "RocksDB's, not supported by Cairn: " why);
#include "db_bench/unsupported_flags.inc"
#undef UNSUPPORTED

const std::vector<size_t>& FamiliesByPercent() {
  static const auto* const all = [] {
    auto* families = new std::vector<size_t>;
    std::stringstream list(FLAGS_column_family_distribution);
    size_t family = 0;
    for (std::string share; std::getline(list, share, ','); family++) {
      const bool number = !share.empty() && share.size() <= 3 &&
                          share.find_first_not_of("0123456789") == std::string::npos;
      if (!number) Fail("--column_family_distribution: '" + share + "' is no share in percent");
      families->insert(families->end(), static_cast<size_t>(std::stoi(share)), family);
    }
    if (family > 0 &&
        (families->size() != 100 || family != static_cast<size_t>(FLAGS_num_column_families))) {
      Fail("--column_family_distribution: a share for each family, 100 together");
    }
    return families;
  }();
  return *all;
}

namespace {

const struct {
  const char* name;
  const char* why;
} kUnsupported[] = {
#define UNSUPPORTED(type, name, value, why) {#name, why},
#include "db_bench/unsupported_flags.inc"
#undef UNSUPPORTED
};

[[noreturn]] void Refuse(const std::string& message) { Fail("ERROR: " + message); }

void RefuseUnsupported() {
  for (const auto& flag : kUnsupported) {
    gflags::CommandLineFlagInfo info;
    if (gflags::GetCommandLineFlagInfo(flag.name, &info) &&
        info.current_value != info.default_value) {
      Refuse(std::string("flag --") + flag.name + "=" + info.current_value +
             " is not supported by Cairn's db_bench: " + flag.why);
    }
  }
}

void CheckRanges() {
  if (FLAGS_num <= 0) Refuse("--num must be positive");
  if (FLAGS_threads <= 0) Refuse("--threads must be positive");
  if (FLAGS_fiber_workers < 0) Refuse("--fiber_workers must not be negative");
  if (FLAGS_key_size < 4) Refuse("--key_size must be at least 4");
  if (FLAGS_block_cache_trace_sampling_frequency < 1 ||
      FLAGS_block_cache_trace_max_trace_file_size_in_bytes < 1) {
    Refuse("--block_cache_trace_{sampling_frequency,max_trace_file_size_in_bytes} must be above 0");
  }
  if (FLAGS_value_size < 0) Refuse("--value_size must not be negative");
  if (FLAGS_batch_size <= 0) Refuse("--batch_size must be positive");
  if (FLAGS_multiread_stride < 0) Refuse("--multiread_stride must not be negative");
  if (FLAGS_value_size_distribution_type != "fixed" &&
      FLAGS_value_size_distribution_type != "uniform" &&
      FLAGS_value_size_distribution_type != "normal") {
    Refuse("--value_size_distribution_type: there are fixed, uniform and normal");
  }
  if (FLAGS_value_size_min < 0 || FLAGS_value_size_max < FLAGS_value_size_min) {
    Refuse("--value_size_min must be from 0 to --value_size_max");
  }
  if (!(FLAGS_overwrite_probability >= 0 && FLAGS_overwrite_probability <= 1)) {
    Refuse("--overwrite_probability must be from 0 to 1");
  }
  if (FLAGS_overwrite_window_size == 0) Refuse("--overwrite_window_size must be positive");
  if (FLAGS_disposable_entries_value_size < 0 || FLAGS_persistent_entries_value_size < 0) {
    Refuse("--disposable_entries_value_size and --persistent_entries_value_size: not negative");
  }
  if (FLAGS_persistent_entries_batch_size > 0 && FLAGS_disposable_entries_batch_size == 0) {
    Refuse("--persistent_entries_batch_size needs --disposable_entries_batch_size");
  }
  if (FLAGS_use_existing_keys && !FLAGS_use_existing_db) {
    Refuse("--use_existing_keys needs --use_existing_db");
  }
  if (FLAGS_use_existing_keys && (FLAGS_num_column_families > 1 || FLAGS_user_timestamp_size > 0)) {
    Refuse("--use_existing_keys: one family, without timestamps");
  }
  FamiliesByPercent();
  if (FLAGS_fault_injection_read_after_reads < 0) {
    Refuse("--fault_injection_read_after_reads must not be negative");
  }
  if (FLAGS_same_value_percentage < 0 || FLAGS_same_value_percentage > 100) {
    Refuse("--same_value_percentage must be from 0 to 100");
  }
  if (FLAGS_bgwriter_num < 0 || FLAGS_seek_nexts_to_delete < 0 || FLAGS_num_deletion_threads < 0) {
    Refuse("--bgwriter_num, --seek_nexts_to_delete and --num_deletion_threads: not negative");
  }
  if (!(FLAGS_read_random_exp_range >= 0)) Refuse("--read_random_exp_range must not be negative");
  if (FLAGS_writes_before_delete_range < 0 || FLAGS_writes_per_range_tombstone < 0 ||
      FLAGS_range_tombstone_width <= 0 || FLAGS_max_num_range_tombstones < 0) {
    Refuse(
        "--writes_before_delete_range, --writes_per_range_tombstone and "
        "--max_num_range_tombstones must not be negative, --range_tombstone_width positive");
  }
  if (FLAGS_sine_write_rate && FLAGS_sine_write_rate_interval_milliseconds == 0) {
    Refuse("--sine_write_rate_interval_milliseconds must be positive");
  }
  if (FLAGS_seek_missing_prefix && (FLAGS_prefix_size <= 8 || FLAGS_key_size <= 8)) {
    Refuse("--seek_missing_prefix needs --prefix_size and --key_size above 8");
  }
  if (FLAGS_keys_per_prefix < 0 || FLAGS_keys_per_prefix > FLAGS_num) {
    Refuse("--keys_per_prefix must be from 0 to --num");
  }
  if (FLAGS_keys_per_prefix > 0 &&
      (FLAGS_prefix_size <= 0 || FLAGS_key_size - FLAGS_prefix_size < 4 ||
       FLAGS_use_existing_keys)) {
    Refuse("--keys_per_prefix needs --prefix_size, 4 bytes below --key_size, and new keys");
  }
  if (FLAGS_ingest_external_file_batch_size <= 0 || FLAGS_ingest_external_file_num_batches <= 0) {
    Refuse("--ingest_external_file_batch_size and _num_batches must be positive");
  }
  if (FLAGS_num_low_pri_threads < 0 || FLAGS_num_high_pri_threads < 0 ||
      FLAGS_num_bottom_pri_threads < 0) {
    Refuse("--num_{low,high,bottom}_pri_threads must not be negative");
  }
  if (FLAGS_max_compaction_trigger_wakeup_seconds < 60) {
    Refuse("--max_compaction_trigger_wakeup_seconds must be at least 60");
  }
  if (FLAGS_log_readahead_size < 0 || FLAGS_skip_list_lookahead < 0 || FLAGS_bloom_locality < 0 ||
      FLAGS_memtable_insert_with_hint_prefix_size < 0) {
    Refuse(
        "--log_readahead_size, --skip_list_lookahead, --bloom_locality and "
        "--memtable_insert_with_hint_prefix_size must not be negative");
  }
  if (FLAGS_max_manifest_file_size <= 0) Refuse("--max_manifest_file_size must be positive");
  if (FLAGS_random_access_max_buffer_size < 0) {
    Refuse("--random_access_max_buffer_size must not be negative");
  }
  if (FLAGS_num_column_families <= 0) Refuse("--num_column_families must be positive");
  if (FLAGS_user_timestamp_size != 0 && FLAGS_user_timestamp_size != 8) {
    Refuse("--user_timestamp_size must be 0 or 8");
  }
  if (FLAGS_use_uint64_comparator && (FLAGS_key_size != 8 || FLAGS_user_timestamp_size > 0)) {
    Refuse("--use_uint64_comparator needs --key_size=8, without --user_timestamp_size");
  }
  if (FLAGS_numdistinct <= 0) Refuse("--numdistinct must be positive");
  if (FLAGS_merge_keys == 0) Refuse("--merge_keys must not be 0");
  if (FLAGS_use_secondary_db &&
      (FLAGS_readonly || FLAGS_transaction_db || FLAGS_optimistic_transaction_db)) {
    Refuse("--use_secondary_db: not with --readonly or a database of transactions");
  }
  if (FLAGS_secondary_update_interval < 0) {
    Refuse("--secondary_update_interval must not be negative");
  }
  if (FLAGS_transaction_db && FLAGS_optimistic_transaction_db) {
    Refuse("--transaction_db and --optimistic_transaction_db: one of them");
  }
  if (FLAGS_ops_between_duration_checks <= 0)
    Refuse("--ops_between_duration_checks must be positive");
}

}  // namespace

void ParseFlags(int* argc, char*** argv) {
  gflags::SetUsageMessage("[FLAGS...]\n" + WorkloadsHelp());
  gflags::SetVersionString("of Cairn");
  gflags::ParseCommandLineFlags(argc, argv, /*remove_flags=*/true);
  if (*argc > 1) {
    Refuse(std::string("unexpected argument '") + (*argv)[1] + "'");
  }
  if (FLAGS_build_info) {
    std::printf("%s\n", rocksdb::GetRocksBuildInfoAsString("db_bench", /*verbose=*/true).c_str());
    std::exit(0);
  }
  RefuseUnsupported();
  CheckRanges();
}

}  // namespace db_bench
