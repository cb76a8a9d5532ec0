#include "options/mutable_options.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "options/options_table.h"

namespace cairn {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kMutableDBOptions[] = {
    "max_background_jobs",
    "max_background_compactions",
    "max_background_flushes",
    "max_subcompactions",
    "max_open_files",
    "max_total_wal_size",
    "delayed_write_rate",
    "bytes_per_sync",
    "wal_bytes_per_sync",
    "strict_bytes_per_sync",
    "writable_file_max_buffer_size",
    "compaction_readahead_size",
    "avoid_flush_during_shutdown",
    "delete_obsolete_files_period_micros",
    "stats_dump_period_sec",
    "stats_persist_period_sec",
    "stats_history_buffer_size",
    "verify_manifest_content_on_close",
};

// Those of features that the engine does not have are here too: a value that means "off" is taken,
// any other is refused as it is at opening.
constexpr std::string_view kMutableColumnFamilyOptions[] = {
    "write_buffer_size",
    "max_write_buffer_number",
    "arena_block_size",
    "memtable_prefix_bloom_size_ratio",
    "memtable_whole_key_filtering",
    "memtable_huge_page_size",
    "memtable_protection_bytes_per_key",
    "experimental_mempurge_threshold",
    "memtable_op_scan_flush_trigger",
    "memtable_avg_op_scan_flush_trigger",
    "max_successive_merges",
    "strict_max_successive_merges",
    "memtable_max_range_deletions",
    "uncache_aggressiveness",
    "min_tombstones_for_range_conversion",
    "inplace_update_num_locks",
    "disable_auto_compactions",
    "soft_pending_compaction_bytes_limit",
    "hard_pending_compaction_bytes_limit",
    "level0_file_num_compaction_trigger",
    "level0_slowdown_writes_trigger",
    "level0_stop_writes_trigger",
    "max_compaction_bytes",
    "ignore_max_compaction_bytes_for_input",
    "target_file_size_base",
    "target_file_size_multiplier",
    "max_bytes_for_level_base",
    "max_bytes_for_level_multiplier",
    "max_bytes_for_level_multiplier_additional",
    "ttl",
    "periodic_compaction_seconds",
    "compaction_options_universal",
    "compaction_options_fifo",
    "max_sequential_skip_in_iterations",
    "check_flush_compaction_key_order",
    "paranoid_file_checks",
    "verify_output_flags",
    "target_file_size_is_upper_bound",
    "block_protection_bytes_per_key",
    "paranoid_memory_checks",
    "memtable_verify_per_key_checksum_on_seek",
    "bottommost_file_compaction_delay",
    "read_triggered_compaction_threshold",
    "last_level_temperature",
    "default_write_temperature",
    "preclude_last_level_data_seconds",
    "preserve_internal_time_seconds",
    "report_bg_io_stats",
    "compression",
    "compression_per_level",
    "compression_manager",
    "compression_opts",
    "bottommost_compression",
    "bottommost_compression_opts",
    "sample_for_compression",
    "enable_blob_files",
    "min_blob_size",
    "blob_file_size",
    "blob_compression_type",
    "enable_blob_garbage_collection",
    "blob_garbage_collection_age_cutoff",
    "blob_garbage_collection_force_threshold",
    "blob_compaction_readahead_size",
    "blob_file_starting_level",
    "prepopulate_blob_cache",
    "block_based_table_factory",
    "table_factory",
};

bool Has(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename S>
Status Refusal(std::string_view head, const std::string& name) {
  const auto fields = OptionFields<S>();
  const bool known = std::any_of(fields.begin(), fields.end(),
                                 [&](const OptionField<S>& field) { return field.name == head; });
  // (RocksDB's codes.)
  if constexpr (std::is_same_v<S, DBOptions>) {
    return Status::NotFound(known ? "Option not changeable" : "Could not find option", name);
  }
  return known ? Status::InvalidArgument("Option not changeable", name)
               : Status::InvalidArgument("Could not find option", name);
}

// The members that a nested value names must be mutable, too.
Status CheckTableMembers(const std::string& name, const std::string& value) {
  OptionMap members;
  Status s = SplitOptions(value, &members);
  if (!s.ok()) return Status::InvalidArgument("Error parsing option " + name, value);
  for (const auto& [member, ignored] : members) {
    if (!Has(MutableTableOptions(), member)) {
      return Refusal<BlockBasedTableOptions>(member, std::string(name).append(".").append(member));
    }
  }
  return s;
}

template <typename S>
Status Apply(const OptionMap& map, Names names, S* options) {
  if (map.empty()) return Status::InvalidArgument("empty input");
  S changed = *options;
  for (const auto& [name, given] : map) {
    // "head.member=x" is "head={member=x}".
    const size_t dot = name.find('.');
    std::string head = name.substr(0, dot);
    const std::string value = dot == std::string::npos ? given : name.substr(dot + 1) + "=" + given;
    if (!Has(names, head)) return Refusal<S>(head, name);
    if (head == "table_factory") head = "block_based_table_factory";
    if (head == "block_based_table_factory") {
      Status s = CheckTableMembers(head, value);
      if (!s.ok()) return s;
      if constexpr (std::is_same_v<S, ColumnFamilyOptions>) {
        // Tables of other formats have nothing that changes, nor does the format.
        if (changed.table_factory->template GetOptions<BlockBasedTableOptions>() == nullptr) {
          return Status::InvalidArgument("Option not changeable", name);
        }
      }
    }
    if (SetOption(&changed, head, value) != SetResult::kSet) {
      return Status::InvalidArgument("Error parsing option " + name, given);
    }
  }
  *options = std::move(changed);
  return Status::OK();
}

}  // namespace

Status SetMutableOptions(const OptionMap& map, DBOptions* options) {
  return Apply(map, kMutableDBOptions, options);
}

Status SetMutableOptions(const OptionMap& map, ColumnFamilyOptions* options) {
  return Apply(map, kMutableColumnFamilyOptions, options);
}

}  // namespace cairn
