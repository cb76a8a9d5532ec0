// The workloads by name. A workload is a function that each client runs; REQUIRES: a database,
// opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db_bench/runner.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/options.h"

namespace db_bench {

struct NamedWorkload {
  const char* name;
  const char* help;
  Workload run;
  bool fresh_db = false;         // starts from an empty database
  bool single_client = false;    // whatever --threads says
  bool has_own_threads = false;  // one client, which starts --threads of them itself
  int extra_clients = 0;         // background clients next to --threads
  // Why the workload cannot run with these flags; null or empty: it can.
  std::string (*refusal)() = nullptr;
  // What looks at the database when all clients ended; it ends the program where it finds a fault.
  void (*after)(rocksdb::DB* db) = nullptr;
};

// The compaction filter of timeseries; null: --expire_style asks for none.
const rocksdb::CompactionFilter* ExpiredSamples();
// A refusal of those that merge.
std::string NoMergeOperator();

std::vector<NamedWorkload> WriteWorkloads();
std::vector<NamedWorkload> ReadWorkloads();
std::vector<NamedWorkload> DeterministicWorkloads();
std::vector<NamedWorkload> MergeWorkloads();
std::vector<NamedWorkload> MixedWorkloads();
std::vector<NamedWorkload> TransactionWorkloads();
std::vector<NamedWorkload> UpkeepWorkloads();
std::vector<NamedWorkload> TimeSeriesWorkloads();
std::vector<NamedWorkload> TraceWorkloads();
std::vector<NamedWorkload> IngestWorkloads();
std::vector<NamedWorkload> DisposableWorkloads();
std::vector<NamedWorkload> RemoteWorkloads();
std::vector<NamedWorkload> CpuWorkloads();
std::vector<NamedWorkload> ScanWorkloads();
std::vector<NamedWorkload> CoroutineWorkloads();
// What openandcompact gets its jobs from: an option of the database. Null: it is not to run.
std::shared_ptr<rocksdb::CompactionService> RemoteJobs();
// Ends the program unless the database has the entries of --truth_db, and no others.
void VerifyAgainstTruth(rocksdb::DB* db);
// Prints the history of the tickers (DB::GetStatsHistory).
void PrintStatsHistory(rocksdb::DB* db);
// Around a workload: the traces of --trace_file, unless it is the one that is replayed, and of
// --block_cache_trace_file. They end the program where they fail.
void StartTraces(rocksdb::DB* db, bool replays);
void EndTraces(rocksdb::DB* db, bool replays);
// Null if there is none of that name.
const NamedWorkload* FindWorkload(const std::string& name);
// The names and what they do, for --help.
std::string WorkloadsHelp();

}  // namespace db_bench
