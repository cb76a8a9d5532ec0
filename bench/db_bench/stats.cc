#include "db_bench/stats.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

#include "db_bench/flags.h"
#include "fiber/clock.h"
#include "fiber/io.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/thread_status.h"

namespace db_bench {

namespace {

const char* const kOpNames[kOpKinds] = {"read",   "write", "delete",    "seek",     "multiget",
                                        "update", "merge", "compact",   "compress", "uncompress",
                                        "crc",    "hash",  "multiscan", "op"};

uint64_t NextReport(uint64_t done) {
  uint64_t step = 100;
  for (uint64_t limit : {1000u, 5000u, 10000u, 50000u, 100000u, 500000u}) {
    if (done < limit) return done + step;
    step = limit == 1000    ? 500
           : limit == 5000  ? 1000
           : limit == 10000 ? 5000
           : limit == 50000 ? 10000
                            : 50000;
  }
  return done + 100000;
}

// What the background threads do.
void PrintThreadStatus(rocksdb::Env* env) {
  std::vector<rocksdb::ThreadStatus> threads;
  const rocksdb::Status s = env->GetThreadList(&threads);
  if (!s.ok()) Fail("GetThreadList error: " + s.ToString());
  std::fprintf(stderr, "\n%18s %10s %12s %20s %13s %45s %12s %s\n", "ThreadID", "ThreadType",
               "cfName", "Operation", "ElapsedTime", "Stage", "State", "OperationProperties");
  for (const rocksdb::ThreadStatus& thread : threads) {
    using Names = rocksdb::ThreadStatus;
    std::fprintf(stderr, "%18" PRIu64 " %10s %12s %20s %13s %45s %12s", thread.thread_id,
                 Names::GetThreadTypeName(thread.thread_type).c_str(), thread.cf_name.c_str(),
                 Names::GetOperationName(thread.operation_type).c_str(),
                 Names::MicrosToString(thread.op_elapsed_micros).c_str(),
                 Names::GetOperationStageName(thread.operation_stage).c_str(),
                 Names::GetStateName(thread.state_type).c_str());
    for (const auto& [name, value] :
         Names::InterpretOperationProperties(thread.operation_type, thread.op_properties)) {
      std::fprintf(stderr, " %s %" PRIu64 " |", name.c_str(), value);
    }
    std::fprintf(stderr, "\n");
  }
}

std::string LocalTime() {
  return rocksdb::Env::Default()->TimeToString(fiber::wall_micros() / 1000000);
}

}  // namespace

Reporter::Reporter(std::string path, uint64_t interval_seconds)
    : path_(std::move(path)), interval_nanos_(interval_seconds * 1000000000) {
  thread_ = std::make_unique<fiber::Thread>("db_bench_report", [this] { Run(); });
}

Reporter::~Reporter() {
  stop_.set();
  thread_->join();
}

void Reporter::Run() {
  const int fd = fiber::io::open(
      path_.c_str(), fiber::io::kWriteOnly | fiber::io::kCreate | fiber::io::kTruncate, 0644);
  if (fd < 0) {
    std::fprintf(stderr, "cannot write %s: error %d\n", path_.c_str(), -fd);
    return;
  }
  std::string line = "secs_elapsed,interval_qps\n";
  fiber::io::write(fd, line.data(), line.size());
  const uint64_t start = fiber::now_nanos();
  uint64_t last = 0;
  for (uint64_t tick = 1; !stop_.wait_until(start + tick * interval_nanos_); tick++) {
    const uint64_t total = total_.load(std::memory_order_relaxed);
    const uint64_t interval_seconds = interval_nanos_ / 1000000000;
    line = std::to_string(tick * interval_seconds) + "," +
           std::to_string((total - last) / interval_seconds) + "\n";
    fiber::io::write(fd, line.data(), line.size());
    last = total;
  }
  fiber::io::close(fd);
}

void Stats::Start(int id, Reporter* reporter) {
  id_ = id;
  reporter_ = reporter;
  next_report_ = FLAGS_stats_interval > 0 ? FLAGS_stats_interval : 100;
  start_nanos_ = fiber::now_nanos();
  finish_nanos_ = start_nanos_;
  last_report_nanos_ = start_nanos_;
  last_op_nanos_ = start_nanos_;
}

void Stats::Stop() {
  finish_nanos_ = fiber::now_nanos();
  seconds_ = static_cast<double>(finish_nanos_ - start_nanos_) * 1e-9;
}

void Stats::BeginNextOp() { last_op_nanos_ = fiber::now_nanos(); }

void Stats::FinishedOps(rocksdb::DB* db, int64_t ops, OpKind kind) {
  if (reporter_ != nullptr) {
    reporter_->Finished(ops);
  }
  if (FLAGS_histogram) {
    const uint64_t now = fiber::now_nanos();
    auto& histogram = histograms_[static_cast<int>(kind)];
    if (histogram == nullptr) histogram = std::make_unique<Histogram>();
    const uint64_t micros = (now - last_op_nanos_) / 1000;
    histogram->Add(micros);
    if (micros >= FLAGS_slow_usecs && FLAGS_stats_interval == 0) {
      std::fprintf(stderr, "long op: %" PRIu64 " micros%30s\r", micros, "");
    }
    last_op_nanos_ = now;
  }
  done_ += ops;
  if (done_ >= next_report_ && FLAGS_progress_reports) {
    PrintProgress(db);
  }
}

void Stats::PrintProgress(rocksdb::DB* db) {
  if (FLAGS_stats_interval == 0 && FLAGS_stats_interval_seconds == 0) {
    next_report_ = NextReport(done_);
    std::fprintf(stderr, "... finished %" PRIu64 " ops%30s\r", done_, "");
    return;
  }
  const uint64_t now = fiber::now_nanos();
  const auto since_report = static_cast<double>(now - last_report_nanos_) * 1e-9;
  if (FLAGS_stats_interval_seconds > 0 &&
      since_report < static_cast<double>(FLAGS_stats_interval_seconds)) {
    next_report_ +=
        FLAGS_stats_interval > 0 ? FLAGS_stats_interval : 1000;  // look at the clock again later
    return;
  }
  const auto since_start = static_cast<double>(now - start_nanos_) * 1e-9;
  const uint64_t ops = done_ - last_report_done_;
  std::fprintf(stderr,
               "%s  ... thread %d: (%" PRIu64 ",%" PRIu64
               ") ops and (%.1f,%.1f) ops/second in (%.6f,%.6f) seconds\n",
               LocalTime().c_str(), id_, ops, done_, static_cast<double>(ops) / since_report,
               static_cast<double>(done_) / since_start, since_report, since_start);
  std::string text;
  if (id_ == 0 && FLAGS_stats_per_interval > 0 && db != nullptr &&
      db->GetProperty("rocksdb.stats", &text)) {
    std::fprintf(stderr, "%s\n", text.c_str());
    for (int level = 0; FLAGS_show_table_properties && level < FLAGS_num_levels; level++) {
      const std::string property =
          "rocksdb.aggregated-table-properties-at-level" + std::to_string(level);
      if (db->GetProperty(property, &text) && text.find("# entries=0") == std::string::npos) {
        std::fprintf(stderr, "Level[%d]: %s\n", level, text.c_str());
      }
    }
  }
  if (id_ == 0 && FLAGS_thread_status_per_interval > 0 && db != nullptr) {
    PrintThreadStatus(db->GetEnv());
  }
  next_report_ += FLAGS_stats_interval > 0 ? FLAGS_stats_interval : 1000;
  last_report_done_ = done_;
  last_report_nanos_ = now;
}

void Stats::AddMessage(const std::string& message) {
  if (!message_.empty() && !message.empty()) message_ += " ";
  message_ += message;
}

void Stats::Merge(const Stats& other) {
  if (other.excluded_) return;
  for (int i = 0; i < kOpKinds; i++) {
    if (other.histograms_[i] == nullptr) continue;
    if (histograms_[i] == nullptr) histograms_[i] = std::make_unique<Histogram>();
    histograms_[i]->Merge(*other.histograms_[i]);
  }
  start_nanos_ = merged_any_ ? std::min(start_nanos_, other.start_nanos_) : other.start_nanos_;
  finish_nanos_ = std::max(finish_nanos_, other.finish_nanos_);
  merged_any_ = true;
  seconds_ += other.seconds_;
  done_ += other.done_;
  bytes_ += other.bytes_;
  if (message_.empty()) message_ = other.message_;  // they all say the same
}

double Stats::Elapsed() const {
  return static_cast<double>(std::max<uint64_t>(finish_nanos_ - start_nanos_, 1)) * 1e-9;
}

Throughput Stats::Measured() const {
  return {.operations = static_cast<double>(std::max<uint64_t>(done_, 1)) / Elapsed(),
          .megabytes = static_cast<double>(bytes_) / 1048576.0 / Elapsed()};
}

void Stats::Report(const std::string& name) {
  const uint64_t done = std::max<uint64_t>(done_, 1);
  const double elapsed = Elapsed();
  std::string extra;
  if (bytes_ > 0) {
    char rate[64];
    std::snprintf(rate, sizeof(rate), "%6.1f MB/s",
                  static_cast<double>(bytes_) / 1048576.0 / elapsed);
    extra = rate;
  }
  if (!message_.empty()) {
    if (!extra.empty()) extra += " ";
    extra += message_;
  }
  std::fprintf(stdout, "%-12s : %11.3f micros/op %ld ops/sec %.3f seconds %lu operations;%s%s\n",
               name.c_str(), seconds_ * 1e6 / static_cast<double>(done),
               static_cast<long>(static_cast<double>(done) / elapsed), elapsed,
               static_cast<unsigned long>(done), extra.empty() ? "" : " ", extra.c_str());
  for (int i = 0; i < kOpKinds; i++) {
    if (histograms_[i] != nullptr) {
      std::fprintf(stdout, "Microseconds per %s:\n%s\n", kOpNames[i],
                   histograms_[i]->ToString().c_str());
    }
  }
  std::fflush(stdout);
}

}  // namespace db_bench
