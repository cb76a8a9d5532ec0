// A CompactionService whose workers run in the test's own process, and that does wrong what a test
// wants. Test-only. Thread-safe; what a test sets it sets before the database works.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace cairn::testing {

class RemoteService final : public CompactionService {
 public:
  struct Job {
    CompactionServiceJobInfo info;
    std::string input;
    std::string directory;  // the worker's
    Status worked;
  };
  using JobStatus = CompactionServiceJobStatus;

  const char* Name() const override { return "RemoteService"; }

  CompactionServiceScheduleResponse Schedule(const CompactionServiceJobInfo& info,
                                             const std::string& input) override {
    fiber::MutexLock lock(&mutex_);
    const std::string id = std::to_string(jobs_.size());
    jobs_.push_back({info, input, "/remote" + id, Status::OK()});
    return CompactionServiceScheduleResponse(id, schedules ? schedules(info) : JobStatus::kSuccess);
  }
  JobStatus Wait(const std::string& id, std::string* result) override {
    Job job = JobOf(id);
    if (waits) {
      const JobStatus status = waits(&job, result);
      if (status != JobStatus::kSuccess) return status;
    }
    job.worked = Work(job.input, job.directory, result);
    Keep(id, job);
    if (alters) alters(job, result);
    return job.worked.ok() ? JobStatus::kSuccess : JobStatus::kFailure;
  }
  void CancelAwaitingJobs() override {
    fiber::MutexLock lock(&mutex_);
    canceled_ = true;
    changed_.notify_all();
  }
  void OnInstallation(const std::string& /*id*/, JobStatus status) override {
    fiber::MutexLock lock(&mutex_);
    installations_.push_back(status);
  }

  // What a worker process does.
  Status Work(const std::string& input, const std::string& directory, std::string* result) const {
    return DB::OpenAndCompact(options, kDbName, directory, input, result, overrides);
  }

  // Of Wait(): until the database is closed.
  JobStatus WaitForTheEnd() {
    fiber::MutexLock lock(&mutex_);
    waiting_ = true;
    changed_.notify_all();
    while (!canceled_) changed_.wait(&mutex_);
    return JobStatus::kAborted;
  }
  // Until somebody does so.
  void AwaitWaiter() {
    fiber::MutexLock lock(&mutex_);
    while (!waiting_) changed_.wait(&mutex_);
  }

  std::vector<Job> jobs() const {
    fiber::MutexLock lock(&mutex_);
    return jobs_;
  }
  std::vector<JobStatus> installations() const {
    fiber::MutexLock lock(&mutex_);
    return installations_;
  }

  CompactionServiceOptionsOverride overrides;
  OpenAndCompactOptions options;
  // What Schedule() says; before the worker runs, what becomes of it; and what it has given out.
  std::function<JobStatus(const CompactionServiceJobInfo&)> schedules;
  std::function<JobStatus(Job*, std::string* result)> waits;
  std::function<void(const Job&, std::string* result)> alters;

 private:
  Job JobOf(const std::string& id) const {
    fiber::MutexLock lock(&mutex_);
    return jobs_[std::stoul(id)];
  }
  void Keep(const std::string& id, const Job& job) {
    fiber::MutexLock lock(&mutex_);
    jobs_[std::stoul(id)] = job;
  }

  mutable fiber::Mutex mutex_;
  fiber::CondVar changed_;
  std::vector<Job> jobs_ FIBER_GUARDED_BY(mutex_);
  std::vector<JobStatus> installations_ FIBER_GUARDED_BY(mutex_);
  bool canceled_ FIBER_GUARDED_BY(mutex_) = false;
  bool waiting_ FIBER_GUARDED_BY(mutex_) = false;
};

}  // namespace cairn::testing
