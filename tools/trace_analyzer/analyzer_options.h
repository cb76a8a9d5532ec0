// What trace_analyzer is asked for: its flags, checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trace_analyzer {

// The numbers are RocksDB's trace_analyzer's: they stand in what it writes.
enum OperationType : uint8_t {
  kGet,
  kPut,
  kDelete,
  kSingleDelete,
  kRangeDelete,
  kMerge,
  kSeek,
  kSeekForPrev,
  kMultiGet,
  kPutEntity,
  kOperationTypes,
};

// As in names of files and in what is printed.
inline constexpr std::array<const char*, kOperationTypes> kOperationNames = {
    "get",          "put",       "delete",        "single_delete",
    "range_delete", "merge",     "iterator_Seek", "iterator_SeekForPrev",
    "multiget",     "put_entity"};

struct AnalyzerOptions {
  std::array<bool, kOperationTypes> analyzed{};
  uint64_t sample_every = 1;  // of each type, every so many'th operation is analysed

  std::string output_dir;
  std::string output_prefix;
  // <family>.txt there has all keys of the family, in hex, sorted, one a line. Empty: none.
  std::string key_space_dir;
  bool key_stats = false;
  bool access_count_stats = false;
  bool time_series = false;
  bool qps_stats = false;
  bool key_sizes = false;
  bool value_sizes = false;
  bool readable_trace = false;
  bool keys_in_readable_trace = true;
  size_t prefix_length = 0;     // 0: no reports of prefixes
  uint64_t value_interval = 8;  // bytes
  uint64_t ignored_count =
      0;  // keys with as many accesses, or fewer, are left out of distributions
  size_t top_k = 1;
  bool overall = true;
  // Pairs "first, then second" on the same key.
  std::vector<std::pair<OperationType, OperationType>> correlations;
};

}  // namespace trace_analyzer
