// A CompactionService of a simulated world: its workers open the database beside it, on the same
// disk, and some of them do not do what they should. Thread safe.

#ifndef CAIRN_SIM_REMOTE_SERVICE_H_
#define CAIRN_SIM_REMOTE_SERVICE_H_

#include <map>
#include <string>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace cairn::sim {

class RemoteService final : public rocksdb::CompactionService {
 public:
  using JobStatus = rocksdb::CompactionServiceJobStatus;

  // `made`: how many services the world had before. What workers cannot read from the OPTIONS file
  // they have of `options`.
  RemoteService(uint64_t seed, uint64_t made, const rocksdb::Options& options)
      : random_(seed), prefix_("/remote " + std::to_string(made) + " ") {
    overrides_.env = options.env;
    overrides_.comparator = options.comparator;
    overrides_.merge_operator = options.merge_operator;
    overrides_.compaction_filter = options.compaction_filter;
    overrides_.compaction_filter_factory = options.compaction_filter_factory;
    overrides_.prefix_extractor = options.prefix_extractor;
    overrides_.table_factory = options.table_factory;
    overrides_.sst_partitioner_factory = options.sst_partitioner_factory;
    overrides_.file_checksum_gen_factory = options.file_checksum_gen_factory;
    overrides_.table_properties_collector_factories = options.table_properties_collector_factories;
  }

  const char* Name() const override { return "RemoteService"; }

  rocksdb::CompactionServiceScheduleResponse Schedule(const rocksdb::CompactionServiceJobInfo& info,
                                                      const std::string& input) override {
    using Response = rocksdb::CompactionServiceScheduleResponse;
    fiber::MutexLock lock(&mutex_);
    // Families that come and go have filters of their own.
    if (info.cf_name.starts_with("of ") || random_.OneIn(4)) return Response(JobStatus::kUseLocal);
    if (random_.OneIn(20)) return Response(JobStatus::kFailure);
    const std::string id = prefix_ + std::to_string(jobs_.size());
    jobs_[id] = {info.db_name, input};
    return Response(id, JobStatus::kSuccess);
  }

  JobStatus Wait(const std::string& id, std::string* result) override {
    Job job;
    bool dies = false;
    {
      fiber::MutexLock lock(&mutex_);
      job = jobs_[id];
      if (random_.OneIn(20)) return JobStatus::kAborted;
      dies = random_.OneIn(20);
    }
    const rocksdb::Status s =
        rocksdb::DB::OpenAndCompact(job.database, id, job.input, result, overrides_);
    if (dies) result->resize(result->size() / 2);
    return s.ok() ? JobStatus::kSuccess : JobStatus::kFailure;
  }

 private:
  struct Job {
    std::string database, input;
  };

  fiber::Mutex mutex_;
  Random64 random_ FIBER_GUARDED_BY(mutex_);
  std::map<std::string, Job> jobs_ FIBER_GUARDED_BY(mutex_);
  const std::string prefix_;
  rocksdb::CompactionServiceOptionsOverride overrides_;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_REMOTE_SERVICE_H_
