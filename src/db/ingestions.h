// Files from outside: IngestExternalFile, for several families at once (ingestions.cc).
//
// Guards: nothing of its own; leadership and the mutex as its functions say.
#pragma once

#include <list>
#include <vector>

#include "base/namespace.h"
#include "compaction/compaction_picker.h"
#include "db/database.h"

namespace cairn {

class Ingestions final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status IngestExternalFiles(const std::vector<IngestExternalFileArg>&);

 private:
  struct Ingestion;
  // Looks into the files of one family, and links or copies them.
  [[nodiscard]] Status TakeFiles(Ingestion* part);
  // Makes them part of the database. *keep_copies: they must stay though it failed.
  [[nodiscard]] Status AddFiles(std::vector<Ingestion>* parts, bool* keep_copies);
  // Chooses each file's level, which nothing else may fill meanwhile, and number: *consumed of them
  // after `last`.
  [[nodiscard]] Status PlaceFiles(std::vector<Ingestion>* parts, SequenceNumber last,
                                  SequenceNumber* consumed,
                                  std::list<CompactionPicker::Reservation>* reservations)
      FIBER_REQUIRES(database_mutex);
  // In the MANIFEST, all at once.
  // With write_global_seqno: into the files. Releases the mutex meanwhile. SUSPENDS.
  [[nodiscard]] Status WriteSequences(std::vector<Ingestion>* parts) FIBER_REQUIRES(database_mutex);
  [[nodiscard]] Status RecordAllFiles(std::vector<Ingestion>* parts, bool* keep_copies)
      FIBER_REQUIRES(database_mutex);
  // To readers.
  void ShowFiles(std::vector<Ingestion>* parts, SequenceNumber last, SequenceNumber consumed)
      FIBER_REQUIRES(database_mutex);
  // Those that have something of the files' ranges in memory.
  [[nodiscard]] Status FamiliesToFlush(const std::vector<Ingestion>& parts,
                                       std::vector<ColumnFamily*>* families) const;
  // REQUIRES: leadership.
  [[nodiscard]] Status FlushWithLeadership(const std::vector<ColumnFamily*>& families);
  // Releases the mutex while it reads; what it found is true of the current versions.
  [[nodiscard]] Status FindOverlaps(std::vector<Ingestion>* parts) FIBER_REQUIRES(database_mutex);
  // Chooses the level of one file, and a number above *last if it needs one.
  [[nodiscard]] Status PlaceFile(Ingestion* part, size_t index, SequenceNumber* last) const
      FIBER_REQUIRES(database_mutex);
  // Of a file that a database made: above those before it that it overlaps.
  static bool FitsAbove(const Ingestion& part, size_t index, int level);
  [[nodiscard]] static Status CheckOrder(const Ingestion& part, size_t index);
  void RecordFiles(Ingestion* part) FIBER_REQUIRES(database_mutex);
  void FinishIngestion(const Ingestion& part);
};

}  // namespace cairn
