// --trace_file and --block_cache_trace_file: a workload's traces, and `replay`, which does one
// again.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/workloads.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record_result.h"
#include "rocksdb/utilities/replayer.h"

namespace db_bench {

namespace {

void FailTrace(const char* what, const std::string& file, const rocksdb::Status& s) {
  Fail(std::string(what) + " of " + file + ": " + s.ToString());
}

std::unique_ptr<rocksdb::TraceWriter> NewTrace(rocksdb::DB* db, const std::string& file) {
  std::unique_ptr<rocksdb::TraceWriter> writer;
  const rocksdb::Status s =
      rocksdb::NewFileTraceWriter(db->GetEnv(), rocksdb::EnvOptions(), file, &writer);
  if (!s.ok()) FailTrace("the trace", file, s);
  return writer;
}

// (Its operations are on several threads, while a client's figures are its own: they are counted
// together, at the end.)
void ReplayTrace(Client* client) {
  rocksdb::DB* db = client->shared->db;
  std::unique_ptr<rocksdb::TraceReader> reader;
  rocksdb::Status s =
      rocksdb::NewFileTraceReader(db->GetEnv(), rocksdb::EnvOptions(), FLAGS_trace_file, &reader);
  std::unique_ptr<rocksdb::Replayer> replayer;
  if (s.ok()) {
    s = db->NewDefaultReplayer({db->DefaultColumnFamily()}, std::move(reader), &replayer);
  }
  if (s.ok()) s = replayer->Prepare();
  std::atomic<int64_t> done{0}, failed{0};
  if (s.ok()) {
    s = replayer->Replay(
        rocksdb::ReplayOptions(static_cast<uint32_t>(FLAGS_trace_replay_threads),
                               FLAGS_trace_replay_fast_forward),
        [&](rocksdb::Status of_one, std::unique_ptr<rocksdb::TraceRecordResult>&& /*result*/) {
          (of_one.ok() ? done : failed).fetch_add(1, std::memory_order_relaxed);
        });
  }
  if (!s.ok()) FailTrace("replay", FLAGS_trace_file, s);
  client->stats.FinishedOps(db, done, OpKind::kOther);
  client->stats.AddMessage("(" + std::to_string(done) + " operations of " + FLAGS_trace_file +
                           ", " + std::to_string(failed) + " of unknown kinds)");
}

std::string WhyNoReplay() {
  if (FLAGS_trace_file.empty()) return "Please set --trace_file to be replayed from";
  if (FLAGS_trace_replay_threads < 0) return "--trace_replay_threads must not be negative";
  if (!(FLAGS_trace_replay_fast_forward > 0)) return "--trace_replay_fast_forward must be above 0";
  return "";
}

}  // namespace

void StartTraces(rocksdb::DB* db, bool replays) {
  if (!FLAGS_trace_file.empty() && !replays) {
    const rocksdb::Status s =
        db->StartTrace(rocksdb::TraceOptions(), NewTrace(db, FLAGS_trace_file));
    if (!s.ok()) FailTrace("the trace", FLAGS_trace_file, s);
    std::printf("Tracing the workload to: [%s]\n", FLAGS_trace_file.c_str());
  }
  if (FLAGS_block_cache_trace_file.empty()) return;
  rocksdb::TraceOptions options;
  options.max_trace_file_size =
      static_cast<uint64_t>(FLAGS_block_cache_trace_max_trace_file_size_in_bytes);
  options.sampling_frequency = static_cast<uint64_t>(FLAGS_block_cache_trace_sampling_frequency);
  const rocksdb::Status s =
      db->StartBlockCacheTrace(options, NewTrace(db, FLAGS_block_cache_trace_file));
  if (!s.ok()) FailTrace("the trace", FLAGS_block_cache_trace_file, s);
  std::printf("Tracing block cache accesses to: [%s]\n", FLAGS_block_cache_trace_file.c_str());
}

void EndTraces(rocksdb::DB* db, bool replays) {
  rocksdb::Status s;
  if (!FLAGS_trace_file.empty() && !replays) {
    s = db->EndTrace();
    if (!s.ok()) FailTrace("the trace", FLAGS_trace_file, s);
  }
  if (FLAGS_block_cache_trace_file.empty()) return;
  s = db->EndBlockCacheTrace();
  if (!s.ok()) FailTrace("the trace", FLAGS_block_cache_trace_file, s);
}

std::vector<NamedWorkload> TraceWorkloads() {
  NamedWorkload replay{"replay", "do again what --trace_file tells, with its times", ReplayTrace};
  replay.single_client = true;
  replay.refusal = WhyNoReplay;
  return {replay};
}

}  // namespace db_bench
