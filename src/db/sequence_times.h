// SequenceTimes: when what was written to an open database, as far as families ask for it
// (preserve_internal_time_seconds, preclude_last_level_data_seconds): a sample of (sequence number,
// Unix seconds), as RocksDB takes it.
//
// A sample is taken by the clock (BackgroundWork::StartClock), 100 times in the shortest time that
// some family asks for, at most once a second; and at once where a family begins to ask. What is
// older than the longest such time goes, but for the newest of it. The tables of those families say
// what was known before the database was opened. Jobs get the sample of the moment that they begin
// at; readers need none.
//
// Guards: the mutex. A sample that was given out never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/namespace.h"
#include "base/seqno_to_time_mapping.h"
#include "db/database.h"
#include "rocksdb/types.h"

namespace cairn {

class SequenceTimes final : public Part {
 public:
  using Part::Part;

  // At opening, before logs are replayed: what the families' tables say. One that cannot be read,
  // or says what it cannot know, is told of in the LOG. Opens tables: without the mutex. SUSPENDS.
  void LoadFromTables(const std::vector<ColumnFamily*>& families);
  // FamilyBooks has other times to keep: what is kept follows. From when logs were replayed.
  void BooksChanged() FIBER_REQUIRES(database_mutex);
  // Nanoseconds between two samples; 0: nobody asks.
  uint64_t Period() const FIBER_REQUIRES(database_mutex);
  // Now. What has grown old since may go down.
  void Sample() FIBER_REQUIRES(database_mutex);

  // For a job of the family; null: it does not ask.
  std::shared_ptr<const SeqnoToTimeMapping> For(const ColumnFamily& family) const
      FIBER_REQUIRES(database_mutex);
  // See CompactionPicker::set_young_after.
  SequenceNumber YoungAfter(const ColumnFamily& family) const FIBER_REQUIRES(database_mutex);

 private:
  // Seconds; 0: nobody asks.
  uint64_t SamplePeriod() const FIBER_REQUIRES(database_mutex);
  // That are kept, about.
  size_t MostPairs() const FIBER_REQUIRES(database_mutex);
  void Replace(SeqnoToTimeMapping times) FIBER_REQUIRES(database_mutex);

  // Null: nothing is known.
  std::shared_ptr<const SeqnoToTimeMapping> times_ FIBER_GUARDED_BY(database_mutex);
};

}  // namespace cairn
