// The user's compaction filter of one job: which one it is, and whether the job may go on with it.
// Used by the flush and by each part of a compaction. Not thread-safe.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

class Compaction;

class JobFilter {
 public:
  // Call one of the two, once. NotSupported: the filter does not ignore snapshots. The user's
  // factory is called: no lock may be held.
  //
  // The filter of the options, else one of its factory's.
  [[nodiscard]] Status ForCompaction(const JobEnv& env, const Compaction& compaction);
  // One of the factory's, whatever else there is: as RocksDB.
  [[nodiscard]] Status ForFlush(const JobEnv& env, const ColumnFamilyOptions& options,
                                TableFileCreationReason reason);

  // Null: nothing is filtered.
  const CompactionFilter* get() const { return filter_; }

 private:
  void Make(CompactionFilterFactory* factory, const CompactionFilter::Context& context);
  [[nodiscard]] Status Check() const;

  const CompactionFilter* filter_ = nullptr;
  std::unique_ptr<CompactionFilter> owned_;  // null where filter_ is the user's
};

}  // namespace cairn
