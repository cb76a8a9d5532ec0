// openandcompact: what a worker of remote compaction does, DB::OpenAndCompact, beside the open
// database. What a worker is given comes from the database alone: so a compaction of all its tables
// is begun, its job is run as a worker runs it, and the compaction is given up. The database stays
// as it is.

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fiber/thread_annotations.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"

namespace db_bench {

namespace {

bool IsToRun(const std::string& workload) {
  std::stringstream list(FLAGS_benchmarks);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == workload) return true;
  }
  return false;
}

// Runs the jobs that it gets while it is armed; all others are the database's. Schedule() and
// Wait() come from the threads of compactions, several at once.
class Worker final : public rocksdb::CompactionService {
 public:
  const char* Name() const override { return "openandcompact"; }

  // From now on until Disarm() jobs are run, by OpenAndCompact of `db`. `cancel`: and ended early.
  void Arm(rocksdb::DB* db, bool cancel) {
    fiber::MutexLock lock(&mutex_);
    db_ = db;
    cancel_ = cancel;
  }
  // The first failure of those that ran; how many there were.
  rocksdb::Status Disarm(int* jobs) {
    fiber::MutexLock lock(&mutex_);
    db_ = nullptr;
    *jobs = jobs_;
    jobs_ = 0;
    return status_;
  }

  rocksdb::CompactionServiceScheduleResponse Schedule(
      const rocksdb::CompactionServiceJobInfo& /*info*/, const std::string& input) override {
    fiber::MutexLock lock(&mutex_);
    if (db_ == nullptr) {
      return rocksdb::CompactionServiceScheduleResponse(
          rocksdb::CompactionServiceJobStatus::kUseLocal);
    }
    inputs_.push_back(input);
    return {std::to_string(inputs_.size() - 1), rocksdb::CompactionServiceJobStatus::kSuccess};
  }

  rocksdb::CompactionServiceJobStatus Wait(const std::string& job,
                                           std::string* /*result*/) override {
    rocksdb::DB* db = nullptr;
    std::string input;
    bool cancel = false;
    {
      fiber::MutexLock lock(&mutex_);
      db = db_;
      cancel = cancel_;
      input = inputs_[std::stoul(job)];
    }
    const rocksdb::Status s =
        RunJob(db, FLAGS_secondary_path + "/openandcompact_" + job, input, cancel);
    fiber::MutexLock lock(&mutex_);
    jobs_++;
    if (status_.ok()) status_ = s;
    return rocksdb::CompactionServiceJobStatus::kAborted;
  }

 private:
  static rocksdb::Status RunJob(rocksdb::DB* db, const std::string& folder,
                                const std::string& input, bool cancel) {
    const rocksdb::Options options = db->GetOptions();
    rocksdb::CompactionServiceOptionsOverride same;
    same.env = options.env;
    same.file_checksum_gen_factory = options.file_checksum_gen_factory;
    same.comparator = options.comparator;
    same.merge_operator = options.merge_operator;
    same.compaction_filter = options.compaction_filter;
    same.prefix_extractor = options.prefix_extractor;
    same.table_factory = options.table_factory;
    // (Who is canceled at once has not made it.)
    rocksdb::Status s = options.env->CreateDirIfMissing(folder);
    if (!s.ok()) return s;
    std::atomic<bool> canceled{false};
    rocksdb::OpenAndCompactOptions how;
    how.canceled = &canceled;
    std::unique_ptr<fiber::Thread> canceler;
    if (cancel) {
      canceler = std::make_unique<fiber::Thread>("canceler", [&canceled] {
        fiber::sleep_for(uint64_t{FLAGS_openandcompact_cancel_after_millseconds} * 1000 * 1000);
        canceled.store(true);
      });
    }
    std::string result;
    const uint64_t start = fiber::now_nanos();
    s = rocksdb::DB::OpenAndCompact(how, db->GetName(), folder, input, &result, same);
    const double micros = static_cast<double>(fiber::now_nanos() - start) / 1000;
    std::printf("OpenAndCompact() API call : %.3f micros/op %.3f seconds/op\n", micros,
                micros / 1e6);
    std::printf("OpenAndCompact status: %s\n", s.ToString().c_str());
    if (canceler != nullptr) {
      canceler->join();
      // It may have been done before.
      if (s.ok()) std::printf("Fail to cancel compaction\n");
      if (s.IsManualCompactionPaused()) s = rocksdb::Status::OK();
    }
    const rocksdb::Status removed = CountAndRemove(options.env, folder);
    return s.ok() ? removed : s;
  }

  static rocksdb::Status CountAndRemove(rocksdb::Env* env, const std::string& folder) {
    std::vector<rocksdb::Env::FileAttributes> files;
    rocksdb::Status s = env->GetChildrenFileAttributes(folder, &files);
    uint64_t tables = 0, bytes = 0;
    for (const auto& file : files) {
      if (file.name == "." || file.name == "..") continue;
      if (file.name.ends_with(".sst")) {
        tables++;
        bytes += file.size_bytes;
      }
      if (s.ok()) s = env->DeleteFile(folder + "/" + file.name);
    }
    if (s.ok()) s = env->DeleteDir(folder);
    const uint64_t average = tables == 0 ? 0 : bytes / tables;
    std::printf("Output: %" PRIu64 " files, average size: %" PRIu64 " bytes (%.2f MB)\n", tables,
                average, static_cast<double>(average) / 1048576.0);
    return s;
  }

  fiber::Mutex mutex_;
  rocksdb::DB* db_ FIBER_GUARDED_BY(mutex_) = nullptr;  // null: not armed
  std::vector<std::string> inputs_ FIBER_GUARDED_BY(mutex_);
  bool cancel_ FIBER_GUARDED_BY(mutex_) = false;
  int jobs_ FIBER_GUARDED_BY(mutex_) = 0;  // that ran
  rocksdb::Status status_ FIBER_GUARDED_BY(mutex_);
};

const std::shared_ptr<Worker>& TheWorker() {
  static const auto* const worker = new std::shared_ptr<Worker>(std::make_shared<Worker>());
  return *worker;
}

void OpenAndCompact(Client* client) {
  rocksdb::DB* db = client->shared->db;
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  std::vector<std::string> tables;
  uint64_t keys = 0;
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    for (const rocksdb::SstFileMetaData& table : level.files) {
      tables.push_back(table.name);
      keys += table.num_entries;
    }
  }
  if (tables.empty()) Fail("openandcompact: the database has no tables; write some, and flush");
  rocksdb::Status s = db->GetEnv()->CreateDirIfMissing(FLAGS_secondary_path);
  if (!s.ok()) Fail("cannot make --secondary_path", s);
  std::printf("\nInput files: %zu files, %" PRIu64 " keys\n", tables.size(), keys);
  static int runs = 0;  // by one client each, one after the other
  const bool cancel = FLAGS_openandcompact_test_cancel_on_odd && ++runs % 2 == 1;
  TheWorker()->Arm(db, cancel);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // the database's
  s = db->CompactFiles(options, tables, FLAGS_num_levels - 1);
  int jobs = 0;
  const rocksdb::Status worked = TheWorker()->Disarm(&jobs);
  if (jobs == 0) Fail("openandcompact: the compaction did not begin", s);
  if (!worked.ok()) Fail("OpenAndCompact", worked);
  client->stats.FinishedOps(db, 1, OpKind::kCompact);
}

std::string WhyNoWorker() {
  if (FLAGS_secondary_path.empty()) return "openandcompact needs --secondary_path";
  if (FLAGS_enable_blob_files || UsesTimestamps() || FLAGS_readonly) {
    return "openandcompact: without --enable_blob_files, --user_timestamp_size and --readonly";
  }
  return "";
}

}  // namespace

std::shared_ptr<rocksdb::CompactionService> RemoteJobs() {
  return IsToRun("openandcompact") ? TheWorker() : nullptr;
}

std::vector<NamedWorkload> RemoteWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back({.name = "openandcompact",
                 .help = "compact all tables as a worker of remote compaction does",
                 .run = OpenAndCompact,
                 .single_client = true,
                 .refusal = WhyNoWorker});
  return all;
}

}  // namespace db_bench
