// EntryAges: which entries of a compaction are young, as far as the times tell at which samples of
// sequence numbers were taken (base/seqno_to_time_mapping.h): those of the inputs, and the open
// database's. What is not known to be old is young.
//
// Young entries of a family with preserve_internal_time_seconds keep their sequence numbers at the
// bottom, so that they go on telling their age. With preclude_last_level_data_seconds a compaction
// into the last level leaves young entries, and those that a snapshot may see as newer than what it
// sees, in the level above, the proximal one: see Placement in compaction.h for when it may.
//
// Thread safety: a plain value; AgesOf may be called from anywhere, without the mutex. SUSPENDS.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "base/seqno_to_time_mapping.h"
#include "compaction/compaction.h"
#include "compaction/job_env.h"
#include "rocksdb/options.h"
#include "rocksdb/types.h"

namespace cairn {

struct EntryAges {
  SeqnoToTimeMapping times;
  // Larger sequence numbers are kept.
  SequenceNumber preserve_after = kMaxSequenceNumber;
  // Entries with larger ones go to the proximal level. kMaxSequenceNumber, where there is none.
  SequenceNumber proximal_after = kMaxSequenceNumber;
  // Entries up to this one are old enough for the last level, whether it is compacted or not.
  // kMaxSequenceNumber: nothing is kept out of it.
  SequenceNumber last_level_through = kMaxSequenceNumber;
};

// How long (seconds) the family wants to know when what was written; 0: it does not.
uint64_t SecondsOfTimes(const ColumnFamilyOptions& options);

// The largest sequence number that was written at least so many seconds before `now` (Unix
// seconds), and that the oldest snapshot sees (kMaxSequenceNumber: there is none).
SequenceNumber OldThrough(const SeqnoToTimeMapping& times, uint64_t now, uint64_t seconds,
                          SequenceNumber oldest_snapshot);

// Now. Opens the inputs, if anybody asks for ages.
EntryAges AgesOf(const JobEnv& env, const Compaction& compaction);

}  // namespace cairn
