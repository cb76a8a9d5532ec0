// The primary's side of a remote compaction: one part of a compaction is described to the user's
// CompactionService, waited for, and its tables are taken over under numbers of this database.
// Called by Subcompaction instead of merging itself. The worker's side is db/remote_worker.h.
//
// What a service or its worker does wrong changes nothing here: no table of a part is moved before
// all of them were found with the sizes that were told, and one that turns out bad afterwards takes
// all with it. So such errors are marked as passing (base/shortage.h): the compaction fails, and is
// tried again later.
//
// Thread safety: parts of one compaction may run at once. SUSPENDS as long as the user's Wait().
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/namespace.h"
#include "compaction/compaction.h"
#include "compaction/job_env.h"
#include "compaction/remote_messages.h"

namespace cairn {

struct RemotePart {
  const JobEnv& env;
  const Compaction& compaction;
  const std::optional<std::string>& begin;
  const std::optional<std::string>& end;
  int index = 0;                  // of the part in its compaction
  std::function<Status()> check;  // not OK: the database is closing, or the compaction is cancelled
};

// The database has a service, and the compaction is of a kind that workers can run: without blob
// files, whose garbage is counted where they are; without history to be trimmed; of tables that
// have their timestamps.
bool MayRunRemotely(const JobEnv& env, const Compaction& compaction);

// OK: *result has the tables, which are in the output directory of the compaction; the directory is
// not synced. *local: nothing was done, the part is to be run here.
[[nodiscard]] Status RunRemotely(const RemotePart& part, RemoteResult* result, bool* local);

}  // namespace cairn
