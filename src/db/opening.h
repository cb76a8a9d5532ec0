// Open and close.
//
// Guards: nothing else runs while a database is opened. A close waits for the jobs; every other
// call must have returned.
#pragma once

#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class Opening final : public Part {
 public:
  using Part::Part;

  // Families that the list does not name are refused by the manifest's recovery. SUSPENDS.
  [[nodiscard]] Status Open(const std::vector<ColumnFamilyDescriptor>& families);
  // Of a worker of remote compaction: what the MANIFEST says of these families, and nothing else.
  // They cannot be read or written, and are *recovered in their order. SUSPENDS.
  [[nodiscard]] Status OpenForCompaction(const std::vector<ColumnFamilyDescriptor>& families,
                                         std::vector<ColumnFamily*>* recovered);
  // The open failed, of a reader, and what it read may be of two states of the database. SUSPENDS.
  bool IsOvertaken(const Status& opened) const;
  [[nodiscard]] Status Close();  // the user's call
  // Whatever somebody still holds. Once.
  [[nodiscard]] Status CloseAtLast();
  // What skipped the WAL lives only in memory: writes it to tables, unless the options forgo it.
  [[nodiscard]] Status FlushUnlogged();

 private:
  // --- The steps of Open
  // LOCK, and those of what is outside of the database's directory.
  [[nodiscard]] Status TakeDirectories(const std::vector<ColumnFamilyDescriptor>& families);
  // Makes a new database, or reads what there is. *missing: families that are yet to be made.
  [[nodiscard]] Status RecoverManifest(const std::vector<ColumnFamilyDescriptor>& families,
                                       std::vector<ColumnFamilyDescriptor>* missing);
  [[nodiscard]] Status AddFamilies(std::vector<ColumnFamily*>* recovered);
  [[nodiscard]] Status CheckAndOpenTables(const std::vector<ColumnFamily*>& families) const;
  [[nodiscard]] Status CreateMissing(const std::vector<ColumnFamilyDescriptor>& missing);
  // Writes the OPTIONS file, and lets background work begin.
  [[nodiscard]] Status StartWork();

  // TryAgain: logs that were replayed may not be all that were needed. SUSPENDS.
  [[nodiscard]] Status CheckLogsOfReader() const;
  [[nodiscard]] Status PrepareDirectories();
  // The database's own, and those of its tables.
  [[nodiscard]] IOStatus OpenDirectories();
  // A database is there: what names its MANIFEST, or with best_efforts_recovery one of those.
  [[nodiscard]] Status HasManifest(bool* has_one) const;
  [[nodiscard]] Status CheckExistence(bool* is_new);
  // Where RocksDB keeps statistics (persist_stats_to_disk): it is opened if it is there, whether or
  // not the user names it.
  [[nodiscard]] Status StatsHistoryFamily(const ColumnFamilyOptions& of_default,
                                          ColumnFamilyDescriptor* family) const;
  void StartWriting();  // after recovery
  // Tables that the MANIFEST does not know (an older one was brought back) keep their numbers, and
  // with them their contents, which may be a checkpoint's, too: a recovery writes over none. A
  // directory that cannot be listed may have some: the database is not opened.
  [[nodiscard]] Status MarkTablesOfOthers();
  void LogBanner() const;
  // Every table of the manifest is there, with its size.
  [[nodiscard]] Status CheckTables() const;
  // Those that stay open (max_open_files = -1). Corruption: one is another than the MANIFEST means.
  // (Elsewhere its first reader is told.)
  [[nodiscard]] Status OpenAllTables(const std::vector<ColumnFamily*>& families) const;
  // Beside a writer one may be deleted at any time: who reads then keeps it open.
  [[nodiscard]] Status OpenAllBlobFiles(const std::vector<ColumnFamily*>& families) const;
  void WarnOfFewDescriptors() const;
  // At the end, before the families let go of what a MANIFEST may ask them for. `verify`: it is
  // read back, and if it is not what was written, another one is written.
  [[nodiscard]] Status CloseManifest(bool verify) FIBER_REQUIRES(database_mutex);
  // Of a closed one. Releases the mutex while it reads. SUSPENDS.
  [[nodiscard]] Status CheckManifest() FIBER_REQUIRES(database_mutex);

  bool closed_ = false;
};

}  // namespace cairn
