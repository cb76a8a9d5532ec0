// Repairer: the body of RepairDB. Makes a database that opens out of what is left of one: tables,
// logs, and what its MANIFESTs still say.
//
//   1. find the files; read the MANIFESTs as far as they go (repair/manifest_remains.h)
//   2. read every table from end to end: bounds, sequence numbers, family        (repair_tables.cc)
//   3. convert the logs into tables, one for each log and family (repair_logs.cc)
//   4. find the tables' order and levels (repair/table_places.h)
//   5. take the blob files that the tables refer to                              (repair_blobs.cc)
//   6. move away what cannot be read, write a MANIFEST, point CURRENT to it, move the logs and the
//      old MANIFESTs away
//
// Nothing is deleted but a table whose entries are in a new one: what is not used any more goes to
// the folder `lost` beside it.
//
// A table that is damaged is replaced by one of what can be read of it (repair_salvage.cc,
// table/table_salvage.h).
//
// Invariants
// 1. Until CURRENT names the new MANIFEST the old files are as they were, but for tables that
//    cannot be read: who is interrupted repairs again.
// 2. The new MANIFEST's log numbers are above all logs: one that could not be moved away is not
//    replayed a second time.
//
// Thread safety: one caller. SUSPENDS.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "batch/batch_reader.h"
#include "commit/batch_apply.h"
#include "commit/prepared_sections.h"
#include "compaction/job_env.h"
#include "compaction/table_writer.h"
#include "db/outside_directories.h"
#include "memtable/memtable.h"
#include "repair/manifest_remains.h"
#include "repair/table_places.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "table/table_cache.h"
#include "table/table_salvage.h"
#include "wal/wal_link.h"

namespace cairn {

// How a table that is repaired is opened: not for good.
inline TableFileId UnpinnedId(const FileMetaData& meta) {
  TableFileId id = meta.TableId();
  id.slot = nullptr;
  return id;
}

class Repairer {
 public:
  // `options` are sanitized. `families` have names and options of those that are known, the default
  // one among them; with `unknown` (borrowed, may be null) others are taken, too.
  Repairer(std::string dbname, const DBOptions& options,
           const std::vector<ColumnFamilyDescriptor>& families, const ColumnFamilyOptions* unknown);
  ~Repairer();
  Repairer(const Repairer&) = delete;
  Repairer& operator=(const Repairer&) = delete;

  // As RepairDB says.
  [[nodiscard]] Status Run();

 private:
  struct Family {
    Family(uint32_t family_id, std::string family_name, const DBOptions& db_options,
           const ColumnFamilyOptions& family_options);

    const uint32_t id;
    const std::string name;
    const std::shared_ptr<const Options> options;
    const InternalKeyComparator icmp;
    std::unique_ptr<TableCache> tables;
    // Tables that the MANIFEST had, and that are gone or damaged: what it says of them.
    std::vector<FileMetaData> lost;
  };

  // A table that was found.
  struct Found {
    uint64_t number = 0;
    // By the MANIFEST: its number, or, where its unique id is another one's there, that one's (two
    // were swapped).
    uint64_t known_as = 0;
    uint64_t size = 0;                                  // bytes
    std::shared_ptr<const TableProperties> properties;  // null: they cannot be read
    Status damage;             // it cannot be opened; the properties may be wrong
    bool external = false;     // it was ingested, and is as it came
    Family* family = nullptr;  // null: it is not taken
  };

  // A table that is taken.
  struct Table {
    Family* family = nullptr;
    FileMetaData meta;
    bool guessed_sequence = false;  // nothing says which one its entries have
  };

  // Where a log's records go: a memtable for each family that wants them.
  class Memtables;

  [[nodiscard]] Status RunLocked();
  [[nodiscard]] Status FindFiles();
  // One that was found in a directory, which may be none of the tables'.
  void AddTable(uint64_t number, const std::string& dir);
  // Where a table is, of those that were found and that were made.
  uint32_t PathIdOf(uint64_t table) const;
  std::string PathOfTable(uint64_t number) const;
  void ReadManifests();
  // Finds the database's identity; what is outside of its directory is its own.
  [[nodiscard]] Status CheckOwners();
  // Null options: the family is not wanted.
  const ColumnFamilyOptions* OptionsFor(const std::string& name) const;
  // Null if it is not wanted.
  Family* AddFamily(uint32_t id, const std::string& name);
  Family* FamilyNamed(const std::string& name) const;
  JobEnv MakeJobEnv(const Family& family);
  uint64_t NewFileNumber() { return next_file_number_++; }

  // --- Tables (repair_tables.cc)
  [[nodiscard]] Status FindTables();
  [[nodiscard]] Status ReadProperties(Found* found) const;
  uint64_t NumberByUniqueId(const Found& found) const;
  // Makes families of what the tables say, and gives the tables to them.
  void ChooseFamilies();
  void ChooseFamily(Found* found);
  [[nodiscard]] Status ScanTables();
  [[nodiscard]] Status ScanTable(const Found& found, Table* table);
  [[nodiscard]] Status ScanEntries(const RangeTombstones* tombstones, InternalIterator* entries,
                                   Table* table) const;
  // Of an ingested table of which no MANIFEST says it.
  SequenceNumber GuessSequence(const Found& found, const Family& family) const;
  void GiveUp(const Found& found, const Status& why);
  [[nodiscard]] Status Relate(const Table& a, const Table& b, TableRelation* relation) const;
  [[nodiscard]] Status PlaceFamily(Family* family);
  // How many they are.
  static uint64_t AddTombstones(const RangeTombstones& tombstones, TableWriter* writer);
  // Makes one table of these, which stand in tables_.
  [[nodiscard]] Status MergeTables(const std::vector<Table*>& inputs);

  // --- Damaged tables (repair_salvage.cc)
  [[nodiscard]] Status OpenDamaged(const Found& found,
                                   std::unique_ptr<TableSalvage>* salvage) const;
  // What can be read of it becomes a table of its own. *complete: that is all. An error: of
  // writing.
  [[nodiscard]] Status Salvage(const Found& found, const Status& why, bool* complete);
  // Of a table that was ingested all entries have this sequence number, and 0 in the file. 0: it
  // was not ingested, or they have 0. *guessed: nothing says it.
  SequenceNumber GlobalSequence(const Found& found, bool* guessed) const;
  // Copies the entries into `writer`.
  struct Saved;
  [[nodiscard]] Status SaveEntries(const Family& family, SequenceNumber global,
                                   TableSalvage* salvage, TableWriter* writer, Saved* saved) const;
  // `known`: what the MANIFEST says of the table, or null.
  static void SaveTombstones(const Family& family, SequenceNumber global, const FileMetaData* known,
                             const TableSalvage& salvage, TableWriter* writer, Saved* saved);
  void TellSaved(const Found& found, const Status& why, uint64_t number, const Saved& saved,
                 const TableSalvage& salvage) const;
  void TellLosses(const Found& found, const TableSalvage& salvage) const;

  // --- Logs (repair_logs.cc)
  [[nodiscard]] Status ConvertLogs();
  [[nodiscard]] Status ConvertLog(uint64_t number);
  // Of the log that says which one it follows, which may have another one's name.
  uint64_t TrueNumber(uint64_t number, const WalLink& link) const;
  [[nodiscard]] Status SaveMemtables(uint64_t log, Memtables* memtables);
  // Of a record of families that lost a table and whose older logs need not be read otherwise:
  // whether such a table may have had it, and no other one has.
  bool MayBeLost(const Family& family, const BatchRecord& record, SequenceNumber sequence) const;
  // The MANIFEST says that what this log has of the family is in tables.
  bool IsFlushed(const Family& family, uint64_t log) const;
  // ApplyBatch, but of what IsFlushed() only what MayBeLost().
  [[nodiscard]] Status ApplyChosen(const Slice& batch, Memtables* memtables, SequenceNumber* next);
  // Some table has a version of the key, or a tombstone over it, with such a sequence number.
  bool HasVersion(const Family& family, const Slice& user_key, SequenceNumber low,
                  SequenceNumber high) const;

  // --- Blob files (repair_blobs.cc)
  // What the table refers to, added to *referred, by file.
  [[nodiscard]] Status CountBlobs(const Table& table,
                                  std::map<uint64_t, BlobFileGarbage>* referred);
  // Those that the family's tables refer to, as far as they can be read.
  [[nodiscard]] Status AddBlobFiles(const Family& family, VersionEdit* edit);

  // --- The end
  // The mark below which nobody reads, by what is left of the MANIFESTs; empty: they say none.
  std::string HistoryLow(const Family& family) const;
  [[nodiscard]] Status WriteManifest();
  [[nodiscard]] Status ChooseIdentity(FSDirectory* directory, std::string* db_id);
  void DeleteTables(const std::vector<uint64_t>& numbers);
  void Archive(const std::string& dir, const std::string& name);

  const std::string dbname_;
  const DBOptions options_;
  const std::shared_ptr<const DBOptions> shared_options_;
  std::map<std::string, ColumnFamilyOptions> known_;
  const ColumnFamilyOptions* const unknown_;
  const std::string wal_dir_;
  PreparedSections prepared_;            // of the logs so far
  std::vector<std::string> table_dirs_;  // by path id; blob files, and what is made: in the first
  FileSystem* const fs_;
  Logger* const info_log_;
  const std::string session_id_;
  // Of IDENTITY, else of a MANIFEST, else of what it owns outside, else a new one.
  std::string db_id_;
  // Reads past the caches: a block that was cached before it was damaged does not count.
  const std::shared_ptr<TableFactory> reading_;

  std::map<uint64_t, uint32_t> table_paths_;  // tables that are there, by number: their path ids
  std::set<uint64_t> log_numbers_, manifest_numbers_;
  std::set<uint64_t> lost_blob_files_;  // all, but for those that are taken
  uint64_t last_log_ = 0;               // the newest one that was converted and has records
  uint64_t next_file_number_ = 1;
  SequenceNumber last_sequence_ = 0;
  ManifestRemains remains_;
  std::map<uint32_t, std::unique_ptr<Family>> families_;
  std::vector<Found> found_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<uint64_t> discarded_;   // numbers of tables that go to `lost`
  std::vector<uint64_t> superseded_;  // numbers of tables that another one replaced
  std::vector<uint64_t> made_;        // tables of this repair
  std::map<uint64_t, int> levels_;    // by number
  std::unique_ptr<FSDirectory> made_tables_directory_;
  OutsideDirectories outside_;
};

}  // namespace cairn
