// block_cache_trace_analyzer: what a trace of the block cache (DB::StartBlockCacheTrace) says of
// it, by the flags, files and lines of RocksDB's tool of the name. Reads Cairn's traces and
// RocksDB's. Exit status: 0; 1 if something could not be read or written; 2 if a flag is wrong.
#include <gflags/gflags.h>

#include <cinttypes>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "block_cache_trace_analyzer/accesses.h"
#include "block_cache_trace_analyzer/cache_simulation.h"
#include "block_cache_trace_analyzer/reports.h"
#include "block_cache_trace_analyzer/summary.h"
#include "block_cache_trace_analyzer/text_trace.h"
#include "cairn/block_cache_trace_reader.h"
#include "fiber/clock.h"
#include "rocksdb/env.h"
#include "rocksdb/trace_reader_writer.h"
#include "text_output/output_file.h"
#include "text_output/strings.h"

DEFINE_string(block_cache_trace_path, "", "the trace's file");
DEFINE_bool(is_block_cache_human_readable_trace, false,
            "the file is one that --human_readable_trace_file_path wrote");
DEFINE_string(human_readable_trace_file_path, "",
              "a file that gets each access as a line of 21 numbers and names");
DEFINE_string(block_cache_analysis_result_dir, "",
              "directory for the files that are written; must exist");
DEFINE_string(
    block_cache_sim_config_path, "",
    "a file of caches that are simulated, one a line: name,num_shard_bits,ghost_capacity,"
    "capacity,...; names: lru, lru_priority, ghost_lru, ghost_lru_priority; sizes as 64M. Writes "
    "<seconds>_<accesses>_mrc: misses by capacity; <capacity>_<unit>_miss_ratio_timeline and "
    "..._miss_timeline, for units of 1, 60 and 3,600 seconds");
DEFINE_int32(block_cache_trace_downsample_ratio, 1,
             "the trace has one of so many blocks: simulated caches are so much smaller");
DEFINE_int32(cache_sim_warmup_seconds, 0,
             "accesses in the first so many seconds fill simulated caches and are not counted");
DEFINE_bool(mrc_only, false, "simulate caches, nothing else: it takes less memory");
DEFINE_bool(print_block_size_stats, false, "print histograms of the blocks' sizes");
DEFINE_bool(print_access_count_stats, false, "print histograms of the accesses of a block");
DEFINE_int32(analyze_bottom_k_access_count_blocks, 0,
             "with that: who accesses the blocks with the so many lowest counts");
DEFINE_int32(analyze_top_k_access_count_blocks, 0,
             "with that: the blocks with the so many highest counts");
DEFINE_string(timeline_labels, "",
              "<all_access|user_access_only>_<label>_<unit>_access_timeline for each of these "
              "labels, as cf_bt,all: of cf, sst, level, bt (type), caller, block, all");
DEFINE_string(reuse_distance_labels, "",
              "<label>_reuse_distance: bytes of other blocks between two accesses of one");
DEFINE_string(reuse_distance_buckets, "", "for that, as 1K,1M,1G");
DEFINE_string(reuse_interval_labels, "",
              "<label>_access_reuse_interval, _avg_reuse_interval, _avg_reuse_interval_naccesses: "
              "seconds between two accesses of a block");
DEFINE_string(reuse_interval_buckets, "", "for that, as 1,10,100");
DEFINE_string(reuse_lifetime_labels, "",
              "<label>_reuse_lifetime: seconds from a block's first access to its last");
DEFINE_string(reuse_lifetime_buckets, "", "for that, as 1,10,100");
DEFINE_string(analyze_callers, "",
              "percentage_of_accesses_summary, and by level and type of each of these: Get, "
              "MultiGet, Iterator, ApproximateSize, VerifyChecksum, SSTDumpTool, "
              "ExternalSSTIngestion, Repair, Prefetch, Compaction, CompactionRefill, Flush, "
              "SSTFileReader, Uncategorized");
DEFINE_string(access_count_buckets, "",
              "<cf|bt>_<all_access|user_access_only>_access_count_summary: how many blocks have so "
              "many accesses");
DEFINE_int32(analyze_blocks_reuse_k_reuse_window, 0,
             "<type>_<all_access|user_access_only>_<seconds>_reuse_blocks_timeline: how many of "
             "the blocks of one window of so many seconds come again in each later one");
DEFINE_string(analyze_get_spatial_locality_labels, "",
              "<label>_percent_ref_keys, _percent_accesses_on_ref_keys, "
              "_percent_data_size_on_ref_keys: how much of a data block is asked for");
DEFINE_string(analyze_get_spatial_locality_buckets, "", "for that, percents as 10,50,100");
DEFINE_string(skew_labels, "",
              "<label>_skewness: the part of the accesses that the most used labels have");
DEFINE_string(skew_buckets, "", "for that, percents of the labels as 1,10,50");

namespace block_cache_trace_analyzer {
namespace {

using rocksdb::Status;

int Fail(const char* what, const std::string& why) {
  std::fprintf(stderr, "block_cache_trace_analyzer: %s: %s\n", what, why.c_str());
  return 1;
}

// A report of labels, and the buckets that it wants.
struct LabelledReport {
  const char* flags;  // for a message
  const std::string& labels;
  const std::string& buckets;
  std::function<Status(const Reports& reports, const std::string& label, const Buckets& buckets)>
      write;
};

Status WriteSkewness(const Reports& reports, const std::string& label, const Buckets& buckets) {
  if (label.find("block") != std::string::npos) {
    for (const TraceType type : {rocksdb::kBlockTraceIndexBlock, rocksdb::kBlockTraceFilterBlock,
                                 rocksdb::kBlockTraceDataBlock}) {
      const Status s = reports.WriteSkewness(label, buckets, type);
      if (!s.ok()) return s;
    }
  }
  return reports.WriteSkewness(label, buckets, rocksdb::kTraceMax);
}

std::vector<LabelledReport> LabelledReports() {
  return {
      {"--reuse_distance_labels and --reuse_distance_buckets", FLAGS_reuse_distance_labels,
       FLAGS_reuse_distance_buckets,
       [](const Reports& r, const std::string& label, const Buckets& b) {
         return r.WriteReuseDistance(label, b);
       }},
      {"--reuse_interval_labels and --reuse_interval_buckets", FLAGS_reuse_interval_labels,
       FLAGS_reuse_interval_buckets,
       [](const Reports& r, const std::string& label, const Buckets& b) {
         return r.WriteReuseInterval(label, b);
       }},
      {"--reuse_lifetime_labels and --reuse_lifetime_buckets", FLAGS_reuse_lifetime_labels,
       FLAGS_reuse_lifetime_buckets,
       [](const Reports& r, const std::string& label, const Buckets& b) {
         return r.WriteReuseLifetime(label, b);
       }},
      {"--analyze_get_spatial_locality_labels and --analyze_get_spatial_locality_buckets",
       FLAGS_analyze_get_spatial_locality_labels, FLAGS_analyze_get_spatial_locality_buckets,
       [](const Reports& r, const std::string& label, const Buckets& b) {
         return r.WriteSpatialLocality(label, b);
       }},
      {"--skew_labels and --skew_buckets", FLAGS_skew_labels, FLAGS_skew_buckets, &WriteSkewness},
  };
}

bool AreLabels(const std::string& labels) {
  if (labels.empty()) return true;
  for (const std::string_view label : text_output::Split(labels, ',')) {
    if (!IsLabel(std::string(label))) return false;
  }
  return true;
}

// What is wrong with the flags; empty: nothing.
std::string CheckFlags() {
  if (FLAGS_block_cache_trace_path.empty()) {
    return "--block_cache_trace_path: which file? (--help has all flags)";
  }
  if (FLAGS_block_cache_trace_downsample_ratio < 1) {
    return "--block_cache_trace_downsample_ratio: at least 1";
  }
  if (FLAGS_cache_sim_warmup_seconds < 0) return "--cache_sim_warmup_seconds: 0, or seconds";
  if (FLAGS_analyze_blocks_reuse_k_reuse_window < 0) {
    return "--analyze_blocks_reuse_k_reuse_window: 0, or seconds";
  }
  if (FLAGS_analyze_bottom_k_access_count_blocks < 0 ||
      FLAGS_analyze_top_k_access_count_blocks < 0) {
    return "--analyze_bottom_k_access_count_blocks, --analyze_top_k_access_count_blocks: 0, or how "
           "many";
  }
  if (FLAGS_mrc_only && FLAGS_block_cache_sim_config_path.empty()) {
    return "--mrc_only wants caches: --block_cache_sim_config_path";
  }
  bool files = !FLAGS_block_cache_sim_config_path.empty() || !FLAGS_timeline_labels.empty() ||
               !FLAGS_analyze_callers.empty() || !FLAGS_access_count_buckets.empty() ||
               FLAGS_analyze_blocks_reuse_k_reuse_window > 0;
  constexpr const char* kLabels =
      "labels are of cf, sst, level, bt, caller, block, all, joined by _; commas between them";
  Buckets buckets;
  for (const LabelledReport& report : LabelledReports()) {
    if (report.labels.empty() != report.buckets.empty()) {
      return std::string(report.flags) + ": each wants the other";
    }
    if (!AreLabels(report.labels)) return std::string(report.flags) + ": " + kLabels;
    if (!report.buckets.empty() && !ParseBuckets(report.buckets, &buckets)) {
      return std::string(report.flags) + ": buckets are ascending numbers as 1K,1M";
    }
    files |= !report.labels.empty();
  }
  if (!AreLabels(FLAGS_timeline_labels)) return std::string("--timeline_labels: ") + kLabels;
  if (!FLAGS_access_count_buckets.empty() && !ParseBuckets(FLAGS_access_count_buckets, &buckets)) {
    return "--access_count_buckets: ascending numbers as 1,10,100";
  }
  for (const std::string_view name : text_output::Split(FLAGS_analyze_callers, ',')) {
    if (!FLAGS_analyze_callers.empty() &&
        CallerOfName(name) == rocksdb::kMaxBlockCacheLookupCaller) {
      return "--analyze_callers: \"" + std::string(name) + "\" is none (--help has them)";
    }
  }
  if (files && FLAGS_block_cache_analysis_result_dir.empty()) {
    return "--block_cache_analysis_result_dir: where do the files go?";
  }
  return "";
}

// The records of either kind of file.
class Source {
 public:
  Status Open() {
    rocksdb::Env* const env = rocksdb::Env::Default();
    if (FLAGS_is_block_cache_human_readable_trace) {
      Status s = rocksdb::ReadFileToString(env, FLAGS_block_cache_trace_path, &text_);
      rest_ = text_;
      return s;
    }
    std::unique_ptr<rocksdb::TraceReader> file;
    Status s = rocksdb::NewFileTraceReader(env, rocksdb::EnvOptions(), FLAGS_block_cache_trace_path,
                                           &file);
    if (!s.ok()) return s;
    reader_ = std::make_unique<cairn::BlockCacheTraceReader>(std::move(file));
    return reader_->ReadHeader();
  }
  // Incomplete: that was all.
  Status Next(BlockCacheTraceRecord* access) {
    if (reader_ != nullptr) {
      Status s;
      do {
        s = reader_->Next(access);
      } while (s.IsNotSupported());  // of another kind
      return s;
    }
    if (rest_.empty()) return Status::Incomplete("the trace has ended");
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++lines_;
    if (ParseAccess(line, access)) return Status::OK();
    return Status::Corruption("line " + std::to_string(lines_), "is no access of a block");
  }

 private:
  std::unique_ptr<cairn::BlockCacheTraceReader> reader_;  // null: text
  std::string text_;
  std::string_view rest_;
  uint64_t lines_ = 0;
};

struct Analysis {
  std::unique_ptr<CacheSimulation> simulation;  // may be null
  std::unique_ptr<Accesses> accesses;           // null: --mrc_only
  MissCounts counts;
  std::map<TableReaderCaller, MissCounts> callers;
  uint64_t first_second = 0, last_second = 0;
};

void PrintMisses(std::FILE* to, const Analysis& analysis, uint64_t seconds) {
  std::fprintf(to,
               "Running for %" PRIu64 " seconds: Processed %" PRIu64
               " records/second. Trace duration %" PRIu64 " seconds. Observed miss ratio %.2f\n",
               seconds, seconds > 0 ? analysis.counts.accesses() / seconds : 0,
               analysis.last_second - analysis.first_second, analysis.counts.MissRatio());
  for (const auto& [caller, counts] : analysis.callers) {
    std::fprintf(to, "Caller %s: Observed miss ratio %.2f\n", CallerName(caller),
                 counts.MissRatio());
  }
}

Status Read(Source* source, text_output::OutputFile* text, Analysis* analysis) {
  const uint64_t begin = fiber::now_nanos();
  const auto seconds = [&] { return (fiber::now_nanos() - begin) / 1000000000; };
  uint64_t told = 0;
  BlockCacheTraceRecord access;
  Status s;
  while ((s = source->Next(&access)).ok()) {
    const uint64_t second = access.access_timestamp / kMicrosInSecond;
    if (analysis->counts.accesses() == 0) analysis->first_second = second;
    analysis->last_second = std::max(analysis->last_second, second);
    analysis->counts.Count(access.access_timestamp, !access.is_cache_hit);
    analysis->callers[access.caller].Count(access.access_timestamp, !access.is_cache_hit);
    if (analysis->simulation != nullptr) analysis->simulation->Access(access);
    if (analysis->accesses != nullptr) {
      uint64_t key_id;
      const BlockInfo& block = analysis->accesses->Add(access, &key_id);
      if (text->IsOpen()) text->Write(TextOfAccess(access, block.id, key_id));
    }
    if (analysis->counts.accesses() % 65536 == 0 && seconds() >= told + 10) {
      told = seconds();
      PrintMisses(stderr, *analysis, told);
    }
  }
  PrintMisses(stdout, *analysis, seconds());
  PrintBreak();
  return s.IsIncomplete() ? Status::OK() : s;
}

Status WriteReports(const Reports& reports) {
  Status s;
  const auto note = [&](Status written) {
    if (s.ok()) s = std::move(written);
  };
  if (!FLAGS_timeline_labels.empty()) {
    for (const std::string_view view : text_output::Split(FLAGS_timeline_labels, ',')) {
      const std::string label(view);
      for (const uint64_t unit : {60, 3600}) {
        if (label.find("block") != std::string::npos) {
          note(reports.WriteAccessTimeline(label, unit, /*users=*/true));
        }
        note(reports.WriteAccessTimeline(label, unit, /*users=*/false));
      }
    }
  }
  if (!FLAGS_analyze_callers.empty()) {
    note(reports.WriteCallers());
    for (const std::string_view name : text_output::Split(FLAGS_analyze_callers, ',')) {
      note(reports.WriteCaller(CallerOfName(name)));
    }
  }
  Buckets buckets;
  if (ParseBuckets(FLAGS_access_count_buckets, &buckets)) {
    for (const bool users : {true, false}) note(reports.WriteAccessCounts(buckets, users));
  }
  for (const LabelledReport& report : LabelledReports()) {
    if (report.labels.empty()) continue;
    ParseBuckets(report.buckets, &buckets);
    for (const std::string_view label : text_output::Split(report.labels, ',')) {
      note(report.write(reports, std::string(label), buckets));
    }
  }
  if (FLAGS_analyze_blocks_reuse_k_reuse_window > 0) {
    for (const TraceType type : {rocksdb::kBlockTraceIndexBlock, rocksdb::kBlockTraceDataBlock,
                                 rocksdb::kBlockTraceFilterBlock}) {
      for (const bool users : {true, false}) {
        note(reports.WriteReuseTimeline(
            static_cast<uint64_t>(FLAGS_analyze_blocks_reuse_k_reuse_window), type, users));
      }
    }
  }
  return s;
}

void PrintReports(const Accesses& accesses) {
  PrintSummary(accesses);
  if (FLAGS_print_access_count_stats) {
    for (const bool users : {false, true}) {
      PrintBreak(3);
      PrintAccessCounts(accesses, users,
                        static_cast<uint32_t>(FLAGS_analyze_bottom_k_access_count_blocks),
                        static_cast<uint32_t>(FLAGS_analyze_top_k_access_count_blocks));
    }
  }
  if (FLAGS_print_block_size_stats) {
    PrintBreak(3);
    PrintBlockSizes(accesses);
  }
  PrintBreak(3);
}

int Main() {
  const std::string wrong = CheckFlags();
  if (!wrong.empty()) {
    std::fprintf(stderr, "block_cache_trace_analyzer: %s\n", wrong.c_str());
    return 2;
  }
  Analysis analysis;
  if (!FLAGS_block_cache_sim_config_path.empty()) {
    std::vector<CacheConfig> configs;
    const Status s = ReadCacheConfigs(FLAGS_block_cache_sim_config_path, &configs);
    if (s.IsInvalidArgument()) {
      Fail("--block_cache_sim_config_path", s.ToString());
      return 2;
    }
    if (!s.ok()) return Fail("the caches' configuration cannot be read", s.ToString());
    analysis.simulation = std::make_unique<CacheSimulation>(
        std::move(configs), static_cast<uint64_t>(FLAGS_block_cache_trace_downsample_ratio),
        static_cast<uint64_t>(FLAGS_cache_sim_warmup_seconds));
  }
  if (!FLAGS_mrc_only) {
    analysis.accesses = std::make_unique<Accesses>(!FLAGS_reuse_distance_labels.empty());
  }
  Source source;
  Status s = source.Open();
  if (!s.ok()) return Fail("the trace does not open", s.ToString());
  text_output::OutputFile text;
  if (!FLAGS_human_readable_trace_file_path.empty()) {
    s = text.Open(FLAGS_human_readable_trace_file_path);
    if (!s.ok()) return Fail("the readable trace does not open", s.ToString());
  }
  // What a killed process was writing last is cut: the rest tells as much as a whole trace.
  const Status read = Read(&source, &text, &analysis);
  if (!read.ok())
    Fail("the trace is damaged, what follows is of what comes before", read.ToString());
  s = text.Close();
  const Reports reports(FLAGS_block_cache_analysis_result_dir, analysis.accesses.get(),
                        analysis.simulation.get(), analysis.counts, analysis.first_second,
                        analysis.last_second);
  if (s.ok()) s = reports.WriteMissRatioCurve();
  for (const uint64_t unit : {1, 60, 3600}) {
    if (s.ok()) s = reports.WriteMissTimelines(unit);
  }
  if (analysis.accesses != nullptr) {
    if (s.ok()) s = WriteReports(reports);
    PrintReports(*analysis.accesses);
  }
  if (!s.ok()) return Fail("the reports are not complete", s.ToString());
  return read.ok() ? 0 : 1;
}

}  // namespace
}  // namespace block_cache_trace_analyzer

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "what a trace of the block cache (DB::StartBlockCacheTrace) says of it: who accesses which "
      "blocks, how often, how soon again, and what other caches would do.\n\n"
      "  block_cache_trace_analyzer --block_cache_trace_path=TRACE "
      "--block_cache_analysis_result_dir=OUT --timeline_labels=all,caller --skew_labels=block "
      "--skew_buckets=1,10,50");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc > 1) {
    std::fprintf(stderr, "block_cache_trace_analyzer: \"%s\" is not a flag\n", argv[1]);
    return 2;
  }
  return block_cache_trace_analyzer::Main();
}
