// A flush without a table (experimental_mempurge_threshold): what is worth keeping of immutable
// memtables becomes one memtable again. Called by db/ from a background thread, in place of a
// FlushJob.
//
// What is kept is what a flush keeps, so that readers see no difference; but values stay in the
// memtable, where a flush may move them to blob files, and compaction filters are not asked: what
// they decide, they decide once, when a table is made. Not for families with timestamps.
//
// Thread safety: one caller; runs without the database mutex.
#pragma once

#include <utility>
#include <vector>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "memtable/memtable.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

class MemTablePurge {
 public:
  // `memtables`: oldest first, immutable, referenced by the caller.
  MemTablePurge(const JobEnv& env, const ColumnFamilyOptions& cf_options,
                std::vector<MemTable*> memtables)
      : env_(env), cf_options_(cf_options), memtables_(std::move(memtables)) {}

  // Whether by a sample less than the threshold's share of a memtable is worth keeping. Always, if
  // that is more than all memtables have.
  bool IsWorthwhile() const;

  // Fills `purged`, an empty memtable that nobody else knows. Aborted: it does not fit, or there is
  // nothing to keep, or the database closes. After any error it is of no use, and the memtables are
  // to be flushed.
  [[nodiscard]] Status Run(MemTable* purged) const;

 private:
  // Bytes of the sampled entries, and of those that are worth keeping.
  struct Payload {
    uint64_t all = 0, useful = 0;
  };
  class Readers;
  Payload SampleOf(size_t memtable, const Readers& readers) const;
  [[nodiscard]] Status CheckRoom(const MemTable& purged) const;

  const JobEnv& env_;
  const ColumnFamilyOptions& cf_options_;
  const std::vector<MemTable*> memtables_;
};

}  // namespace cairn
