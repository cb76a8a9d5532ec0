// The replay of the logs when a database is opened (recovery.cc).
//
// Guards: nothing. Nothing else runs yet.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "commit/prepared_sections.h"
#include "db/database.h"
#include "rocksdb/write_batch.h"
#include "wal/log_reader.h"
#include "wal/predecessor_wal.h"
#include "wal/wal_link.h"
#include "wal/wal_reporter.h"

namespace cairn {

class Recovery final : public Part {
 public:
  using Part::Part;

  uint64_t FirstLogToReplay() const;
  [[nodiscard]] Status RecoverWals(const std::vector<ColumnFamily*>& families);
  // The prepared transactions of the policies that share numbers (recovery_prepared.cc): what they
  // have in tables is hidden. When the families can be read and written, and before anything else
  // does. SUSPENDS.
  [[nodiscard]] Status RestorePrepared();

 private:
  struct Replay {
    std::vector<ColumnFamily*> families;
    bool comparator_changed = false;     // of some: ColumnFamilyState
    uint64_t min_log = 0;                // older logs hold nothing that is needed
    SequenceNumber next = 0;             // after the last record that was replayed; 0: none was
    WalLink last;                        // that record and its log
    std::optional<PredecessorWal> read;  // the log that was read last, as the next may know it
    uint64_t read_end = 0;               // behind its last record
    bool stopped = false;                // the history ended at damage: see kPointInTimeRecovery
    bool stopped_by_filter = false;
    uint64_t damaged_log = 0;  // what was replayed lacks a part of it, or its end; 0: of none
    std::set<uint64_t> logs;   // that are there
    std::map<uint64_t, SequenceNumber> kept;  // though their entries are in tables: their ends
    PreparedSections prepared;
    struct Files {
      std::vector<FileMetaData> tables;
      std::vector<BlobFileAddition> blob_files;
      std::string history_low;  // FlushJob::history_low of them all
    };
    std::map<ColumnFamily*, Files> flushed;
  };
  // The logs of the directory, by their numbers: `needed` and `kept` are sorted.
  struct FoundLogs {
    std::vector<uint64_t> all;
    std::vector<uint64_t> needed;  // to be replayed
    std::vector<uint64_t> kept;    // though no memtable needs them
  };
  [[nodiscard]] Status FindLogs(uint64_t min_log, FoundLogs* found) const;
  // With best_efforts_recovery, where as in RocksDB no log is replayed: what they follow may not be
  // there. So no later recovery may take them either: who writes moves those that have anything to
  // the directory "lost" beside them.
  [[nodiscard]] Status LeaveLogsOut(FoundLogs* found) const;
  // Nothing of them, with best_efforts_recovery.
  [[nodiscard]] Status ReplayFound(const FoundLogs& found, Replay* replay);
  // What is needed of them (sorted) can be this database's, where nobody has said whose they are;
  // and none of its logs are where they are not looked for.
  [[nodiscard]] Status CheckLogsAreOurs(const std::vector<uint64_t>& needed, uint64_t min_log);
  // What is prepared in a log that the MANIFEST keeps though all of its entries are in tables.
  [[nodiscard]] Status ReadKeptWal(uint64_t number, Replay* replay);
  // Of the record that was applied last; what it has of prepared sections takes no numbers.
  static SequenceNumber LastSequenceOf(const Slice& record, const Replay& replay);
  // The transactions that the logs leave prepared, where the options do not say that somebody
  // decides them.
  [[nodiscard]] Status RefusePrepared(const Replay& replay) const;
  // Into the new log: the older ones go.
  [[nodiscard]] Status CopyPrepared(uint64_t wal, Replay* replay);
  // For RestorePrepared(). *oldest: the oldest log that is needed until then; 0: none. They are
  // durable.
  [[nodiscard]] Status KeepUndecided(Replay* replay, uint64_t* oldest);
  // `hidden`: the numbers of all of them.
  [[nodiscard]] Status Restore(const std::string& name, PreparedSection* section,
                               const std::vector<PreparedSection::Numbers>& hidden);
  [[nodiscard]] Status ReplayWal(uint64_t number, Replay* replay);
  // A log that is being replayed.
  struct ReplayedLog {
    const uint64_t number;
    const WALRecoveryMode mode;
    const std::string path;
    WalReporter reporter = {};
    std::unique_ptr<LogReader> reader = nullptr;
    uint64_t record_offset = 0;
    uint64_t end_of_good = 0;        // behind the last record that was applied
    SequenceNumber last_record = 0;  // with which the record that was read last begins
    uint64_t damaged = 0;            // the log that the damage is of; 0: this one
  };
  // Whether the record that the reader has read has timestamps as the families' keys do; where
  // these have some since, or none any more, *record becomes one that does (of *converted).
  // InvalidArgument: they are of another size. NotSupported: it is a part of a transaction.
  // (recovery_timestamps.cc)
  [[nodiscard]] static Status TakeTimestamps(const LogReader& reader, const Replay& replay,
                                             WriteBatch* converted, Slice* record);
  // track_and_verify_wals: whether what the log says of the one before is true, in RocksDB's words.
  // What it finds is told as damage of the log. `record`: its first one; empty: it has none.
  // (recovery_predecessor.cc)
  [[nodiscard]] Status CheckPredecessor(const Slice& record, ReplayedLog* log, Replay* replay);
  // One record of it. *goes_on: the next one is wanted.
  [[nodiscard]] Status ReplayRecord(const Slice& record, ReplayedLog* log, Replay* replay,
                                    bool* goes_on);
  // DBOptions::wal_filter, if there is one (recovery_filter.cc): what it makes of one record of the
  // log of that number and path. `last_sequence`: the record's, whatever the filter says.
  struct Filtered {
    Slice record;  // to be replayed; lies in the log's buffer, or in `changed`
    std::string changed;
    bool dropped = false;
    SequenceNumber last_sequence = 0;
  };
  void TellFilter(const std::vector<ColumnFamily*>& families) const;
  // Corruption: the log is to be taken for damaged here. Others end the recovery.
  [[nodiscard]] Status AskFilter(const Slice& record, uint64_t log, const std::string& path,
                                 Replay* replay, Filtered* filtered) const;
  // Those memtables that are full become tables.
  [[nodiscard]] Status FlushFullRecovered(const ReplayedLog& log, Replay* replay);
  // A write is replayed only if its family's log number says that no table has it yet.
  void ChooseSink(ColumnFamily* family, uint64_t log);
  [[nodiscard]] static Status CheckLink(const WalLink& link, uint64_t number,
                                        const std::string& path, WALRecoveryMode mode,
                                        Replay* replay);
  [[nodiscard]] Status CheckFamiliesAgree(const Replay& replay) const;
  // Writes a memtable to level 0 and starts a new one. Nothing else runs yet.
  [[nodiscard]] Status FlushRecovered(ColumnFamily* family, Replay* replay);
  // The families' edits that make the replayed logs obsolete, and a fresh log.
  [[nodiscard]] Status FinishReplay(Replay* replay);

  PreparedSections::Sections undecided_;  // for RestorePrepared()
};

}  // namespace cairn
