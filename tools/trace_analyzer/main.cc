// trace_analyzer: what a trace of operations (DB::StartTrace) says of a workload, by the flags,
// files and lines of RocksDB's tool of the name. Reads Cairn's traces and RocksDB's. Exit status:
// 0; 1 if something could not be read or written; 2 if a flag is wrong.
#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cairn/trace_record_reader.h"
#include "rocksdb/env.h"
#include "rocksdb/trace_reader_writer.h"
#include "text_output/output_file.h"
#include "trace_analyzer/analyzer_options.h"
#include "trace_analyzer/reports.h"
#include "trace_analyzer/statistics.h"

DEFINE_string(trace_path, "", "the trace's file");
DEFINE_string(output_dir, "", "directory for the files that are written; must exist");
DEFINE_string(output_prefix, "trace", "what the names of these files begin with");
DEFINE_bool(analyze_get, false, "analyse Get");
DEFINE_bool(analyze_put, false, "analyse Put");
DEFINE_bool(analyze_delete, false, "analyse Delete");
DEFINE_bool(analyze_single_delete, false, "analyse SingleDelete");
DEFINE_bool(analyze_range_delete, false, "analyse DeleteRange: each as two keys");
DEFINE_bool(analyze_merge, false, "analyse Merge");
DEFINE_bool(analyze_iterator, false, "analyse Seek and SeekForPrev of iterators");
DEFINE_bool(analyze_multiget, false, "analyse MultiGet: each key as a query");
DEFINE_bool(analyze_put_entity, false, "analyse PutEntity");
DEFINE_bool(output_key_stats, false,
            "<prefix>-<type>-<family>-accessed_key_stats.txt: [family value_size key_id accesses "
            "success_ratio]; with --output_qps_stats ...-accessed_unique_key_num_change.txt: [keys "
            "ratio] by seconds; with --key_space_dir ...-whole_key_stats.txt: [line accesses]");
DEFINE_bool(output_access_count_stats, false,
            "...-accessed_key_count_distribution.txt: how many keys have so many accesses");
DEFINE_bool(output_time_series, false, "...-time_series.txt: [type second key_id]");
DEFINE_bool(output_qps_stats, false,
            "<prefix>-qps_stats.txt: queries by seconds, a column for each type and their sum; "
            "<prefix>-cf_qps_stats.txt: a column for each family; ...-qps_stats.txt");
DEFINE_int32(output_prefix_cut, 0,
             "bytes of a prefix; more than 0: ...-accessed_key_prefix_cut.txt: [first_key_id "
             "accesses keys accesses_per_key success_ratio prefix]; with --output_qps_stats "
             "...-accessed_top_k_qps_prefix_cut.txt; with --key_space_dir "
             "...-whole_key_prefix_cut.txt: [line prefix]");
DEFINE_bool(output_key_distribution, false, "...-accessed_key_size_distribution.txt: [size keys]");
DEFINE_bool(output_value_distribution, false,
            "...-accessed_value_size_distribution.txt, of Put, PutEntity and Merge");
DEFINE_int32(value_interval, 8, "bytes from one line of that to the next");
DEFINE_bool(convert_to_human_readable_trace, false,
            "<prefix>-human_readable_trace.txt: [key type family value_size microseconds]");
DEFINE_bool(no_key, false, "without the keys in that file");
DEFINE_string(
    key_space_dir, "",
    "directory with files <family id>.txt of all keys, in hex as 0x6B, sorted, one a line");
DEFINE_string(print_correlation, "",
              "pairs as [get,put][put,get]: how often the second came after the first on the same "
              "key, and after how long; both have to be analysed");
DEFINE_int32(print_top_k_access, 1, "how many of the keys and prefixes most used are printed");
DEFINE_int32(output_ignore_count, 0,
             "keys with as many accesses or fewer are left out of distributions");
DEFINE_double(sample_ratio, 1.0, "of each type, the part that is analysed: more than 0, at most 1");
DEFINE_bool(print_overall_stats, true, "print the sums of the whole trace");
DEFINE_bool(no_print, false, "print nothing");
DEFINE_bool(try_process_corrupted_trace, false,
            "after damage in the trace analyse what was read before it");

namespace trace_analyzer {
namespace {

int Fail(const char* what, const std::string& why) {
  std::fprintf(stderr, "trace_analyzer: %s: %s\n", what, why.c_str());
  return 1;
}

bool ParseType(std::string_view name, OperationType* type) {
  for (int i = 0; i < kOperationTypes; i++) {
    if (name != kOperationNames[i]) continue;
    *type = static_cast<OperationType>(i);
    return true;
  }
  return false;
}

bool ParseCorrelations(std::string_view text, AnalyzerOptions* options) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const size_t end = text.find(']');
    OperationType first, second;
    if (text.front() != '[' || end == std::string_view::npos || comma > end ||
        !ParseType(text.substr(1, comma - 1), &first) ||
        !ParseType(text.substr(comma + 1, end - comma - 1), &second)) {
      return false;
    }
    options->correlations.emplace_back(first, second);
    text.remove_prefix(end + 1);
  }
  return true;
}

// What is wrong with the flags; null: nothing.
const char* OptionsFromFlags(AnalyzerOptions* options) {
  options->analyzed[kGet] = FLAGS_analyze_get;
  options->analyzed[kPut] = FLAGS_analyze_put;
  options->analyzed[kDelete] = FLAGS_analyze_delete;
  options->analyzed[kSingleDelete] = FLAGS_analyze_single_delete;
  options->analyzed[kRangeDelete] = FLAGS_analyze_range_delete;
  options->analyzed[kMerge] = FLAGS_analyze_merge;
  options->analyzed[kSeek] = options->analyzed[kSeekForPrev] = FLAGS_analyze_iterator;
  options->analyzed[kMultiGet] = FLAGS_analyze_multiget;
  options->analyzed[kPutEntity] = FLAGS_analyze_put_entity;
  options->output_dir = FLAGS_output_dir;
  options->output_prefix = FLAGS_output_prefix;
  options->key_space_dir = FLAGS_key_space_dir;
  options->key_stats = FLAGS_output_key_stats;
  options->access_count_stats = FLAGS_output_access_count_stats;
  options->time_series = FLAGS_output_time_series;
  options->qps_stats = FLAGS_output_qps_stats;
  options->key_sizes = FLAGS_output_key_distribution;
  options->value_sizes = FLAGS_output_value_distribution;
  options->readable_trace = FLAGS_convert_to_human_readable_trace;
  options->keys_in_readable_trace = !FLAGS_no_key;
  options->overall = FLAGS_print_overall_stats;

  if (FLAGS_trace_path.empty()) return "--trace_path: which file? (--help has all flags)";
  if (FLAGS_output_prefix_cut < 0) return "--output_prefix_cut: 0, or bytes";
  if (FLAGS_value_interval < 1) return "--value_interval: at least 1";
  if (FLAGS_print_top_k_access < 0) return "--print_top_k_access: 0, or how many";
  if (FLAGS_output_ignore_count < 0) return "--output_ignore_count: 0, or how many";
  if (!(FLAGS_sample_ratio > 0 && FLAGS_sample_ratio <= 1)) {
    return "--sample_ratio: more than 0, at most 1";
  }
  if (!ParseCorrelations(FLAGS_print_correlation, options)) {
    return "--print_correlation: pairs as [get,put][put,get], of get, put, delete, single_delete, "
           "range_delete, merge, iterator_Seek, iterator_SeekForPrev, multiget, put_entity";
  }
  options->prefix_length = static_cast<size_t>(FLAGS_output_prefix_cut);
  options->value_interval = static_cast<uint64_t>(FLAGS_value_interval);
  options->top_k = static_cast<size_t>(FLAGS_print_top_k_access);
  options->ignored_count = static_cast<uint64_t>(FLAGS_output_ignore_count);
  options->sample_every =
      static_cast<uint64_t>(std::min(1 / FLAGS_sample_ratio, 1e15));  // as RocksDB's, rounded down
  const bool files = options->key_stats || options->access_count_stats || options->time_series ||
                     options->qps_stats || options->key_sizes || options->value_sizes ||
                     options->readable_trace || options->prefix_length > 0;
  if (files && options->output_dir.empty()) return "--output_dir: where do the files go?";
  return nullptr;
}

int Main() {
  AnalyzerOptions options;
  if (const char* wrong = OptionsFromFlags(&options)) {
    std::fprintf(stderr, "trace_analyzer: %s\n", wrong);
    return 2;
  }
  std::unique_ptr<rocksdb::TraceReader> file;
  rocksdb::Status s = rocksdb::NewFileTraceReader(rocksdb::Env::Default(), rocksdb::EnvOptions(),
                                                  FLAGS_trace_path, &file);
  if (!s.ok()) return Fail("the trace does not open", s.ToString());
  text_output::OutputFile readable;
  if (options.readable_trace) {
    s = readable.Open(options.output_dir + "/" + options.output_prefix +
                      "-human_readable_trace.txt");
    if (!s.ok()) return Fail("a file of the output does not open", s.ToString());
  }
  Statistics statistics(options, &readable);
  cairn::TraceRecordReader reader(std::move(file));
  s = statistics.Read(&reader);
  const bool damaged = !s.ok();
  if (damaged) {
    Fail("the trace is damaged", s.ToString());
    if (!FLAGS_try_process_corrupted_trace) {
      std::fprintf(stderr, "--try_process_corrupted_trace analyses what comes before that.\n");
      return 1;
    }
  }
  s = readable.Close();
  statistics.NumberKeys();
  Reports reports(options, statistics);
  if (s.ok()) s = reports.WriteFiles();
  if (!s.ok()) return Fail("the reports are not complete", s.ToString());
  if (!FLAGS_no_print) reports.Print();
  return 0;
}

}  // namespace
}  // namespace trace_analyzer

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "what a trace of operations (DB::StartTrace) says of a workload: by keys, prefixes, sizes "
      "and "
      "seconds.\n\n  trace_analyzer --trace_path=TRACE --analyze_get --analyze_put "
      "--output_dir=OUT --output_qps_stats --output_key_stats");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc > 1) {
    std::fprintf(stderr, "trace_analyzer: \"%s\" is not a flag\n", argv[1]);
    return 2;
  }
  return trace_analyzer::Main();
}
