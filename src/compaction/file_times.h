// FileTimes: what a compaction waits for the file system, for CompactionJobStats.
//
// Not thread-safe: on the context (thread or fiber) that made it.
#pragma once

#include "base/namespace.h"
#include "base/perf.h"
#include "rocksdb/compaction_job_stats.h"

namespace cairn {

// While it lives, file operations of the current context are timed, at the end added to *into.
class FileTimes {
 public:
  // `on`: report_bg_io_stats; else nothing is done.
  FileTimes(bool on, CompactionJobStats* into);
  ~FileTimes();
  FileTimes(const FileTimes&) = delete;
  FileTimes& operator=(const FileTimes&) = delete;

 private:
  // What was spent since, or before: the context's counters, times -1 or 1.
  void Count(bool subtract);

  CompactionJobStats* const into_;  // null: off
  PerfLevel level_ = kDisable;      // before
};

}  // namespace cairn
