// Runs one picked Compaction: merges its input files into new files of the output level. Called by
// db/ from a background thread (or by CompactRange's). Does not touch the manifest: on success
// compaction->edit() holds the deletions of the inputs and the additions of the outputs, and the
// caller hands it to LogAndApply.
//
// Thread safety: one caller; runs without the database mutex. SUSPENDS.
#pragma once

#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "compaction/compaction.h"
#include "compaction/job_env.h"

namespace cairn {

class CompactionIterator;

class CompactionJob {
 public:
  CompactionJob(const JobEnv& env, Compaction* compaction);

  // Outputs are complete, synced and checked, and the directory is synced, when this returns OK. On
  // failure (also ShutdownInProgress, Incomplete for a canceled manual compaction) all outputs were
  // deleted and the edit is untouched.
  [[nodiscard]] Status Run();

  const JobStats& stats() const { return stats_; }

 private:
  [[nodiscard]] Status CheckStopped() const;
  std::vector<InternalIterator*> OpenInputs(const ReadOptions& read_options);
  [[nodiscard]] Status WriteOutputs(CompactionIterator* kept);

  const JobEnv& env_;
  Compaction* const compaction_;
  std::vector<FileMetaData> outputs_;
  JobStats stats_;
};

}  // namespace cairn
