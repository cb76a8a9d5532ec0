// The worker's side of remote compaction (DB::OpenAndCompact): opens another process's database for
// as long as one part of a compaction takes, and merges what the primary asks for into tables of an
// output directory. The primary's side is compaction/remote_part.h.
//
// It takes no lock and writes nothing outside of that directory. The inputs are being compacted at
// the primary, so that they stay where they are while it lives. What else its MANIFEST says may be
// newer than what the primary has picked, which is no harm: whether a tombstone is needed is asked
// of the levels below, from where keys only go deeper, or away. It must not be older, as what a
// machine sees of another's files may be: a key that has come to a level below since would be
// missed.
//
// Thread safety: any number of calls, each with an output directory of its own. SUSPENDS.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

// As the arguments of DB::OpenAndCompact. All borrowed.
struct RemoteWork {
  const OpenAndCompactOptions& options;
  const std::string& name;
  const std::string& output_directory;
  const CompactionServiceOptionsOverride& overrides;
};

[[nodiscard]] Status RunRemoteWorker(const RemoteWork& work, const std::string& input,
                                     std::string* output);

}  // namespace cairn
