// Database: one open database from the inside: what its parts share, and the parts, each a class
// with fields of its own. DBImpl (db_impl.h), which users hold, hands every call to one of them.
//
//   families         which column families there are (families.h)
//   writes           a write: checks, the commit queue's environment, stalls (write_path.h)
//   memtables        a memtable's end, and which logs are needed (memtable_switch.h)
//   memory           the write buffer manager that databases may share (shared_memory.h)
//   reads            reads, iterators, snapshots (read_path.h)
//   flushes          memtables become tables (flushes.h)
//   compactions      tables are merged, by themselves and on demand (compactions.h)
//   work             what runs in the background, and when; super versions, stalls
//                    (background_work.h)
//   errors           what refuses writes, and the recovery from it (error_handler.h)
//   files            obsolete files, and whatever readers have let go of (file_purger.h)
//   live_files       lists of files and logs (live_files.h)
//   moves            files that change their level, or go, as they are (file_moves.h)
//   ingestions       files from outside (ingestions.h)
//   imports          families from outside (imports.h)
//   options_changes  SetOptions, and the OPTIONS file (options_changes.h)
//   events           the user's listeners (event_notifier.h)
//   properties       GetProperty and its kin (properties.h)
//   stats            statistics as text (stats_reports.h)
//   sequence_times   when what was written (sequence_times.h)
//   follower         a secondary: following a primary (primary_follower.h)
//   recovery         the replay of the logs (recovery.h)
//   opening          open and close (opening.h)
//
// Who guards what (the parts and ColumnFamily say it of their members)
//   mutex()            the manifest (VersionSet), background state.
//   commit leadership  the WALs. Held by the leader of a write group, or by CommitQueue::Exclusive.
//   both               the list of families and their memtables: changed with both, read with
//                      either.
//   snapshots          by itself.
// Lock order: commit leadership, then the mutex, then leaves. A holder of the mutex never waits for
// leadership.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "commit/commit_queue.h"
#include "commit/write_controller.h"
#include "compaction/background.h"
#include "db/column_family.h"
#include "db/db_mutex.h"
#include "db/outside_directories.h"
#include "db/prepared_logs.h"
#include "db/snapshot_list.h"
#include "db/stamped_snapshots.h"
#include "fiber/fork.h"
#include "manifest/version_set.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "table/table_cache.h"
#include "trace/block_cache_trace.h"
#include "trace/io_trace.h"
#include "trace/operation_trace.h"
#include "wal/wal_set.h"

namespace cairn {

class BackgroundWork;
class Compactions;
class ErrorHandler;
class EventNotifier;
class Families;
class FileMoves;
class FilePurger;
class Flushes;
class Imports;
class Ingestions;
class LiveFiles;
class MemTableSwitch;
class Opening;
class OptionsChanges;
class PrimaryFollower;
class Properties;
class ReadPath;
class Recovery;
class SequenceTimes;
class SharedMemory;
class SpaceManager;
class StatsReports;
class WritePath;

enum class OpenMode { kReadWrite, kReadOnly, kReadOnlyFailIfWal, kSecondary };

// What runs in the background, and what must not begin.
struct Jobs {
  // Signalled, with the mutex, whenever one ended or what may begin is another
  // (BackgroundWork::JobsChanged).
  DBCondition changed;
  int flushes FIBER_GUARDED_BY(database_mutex) = 0;           // scheduled or running
  int compactions FIBER_GUARDED_BY(database_mutex) = 0;       // the same, manual ones included
  int pausing FIBER_GUARDED_BY(database_mutex) = 0;           // compactions, after a shortage
  int paused FIBER_GUARDED_BY(database_mutex) = 0;            // calls of PauseBackgroundWork
  int manual FIBER_GUARDED_BY(database_mutex) = 0;            // CompactRange calls
  int exclusive_manual FIBER_GUARDED_BY(database_mutex) = 0;  // that nothing may run beside
  std::atomic<int> next_id{1};
};

struct Database {
  // `db`: whose this is, what listeners are told.
  Database(DB* db, const DBOptions& db_options, std::string dbname, OpenMode open_mode);
  ~Database();  // closes
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The process is another than the one that opened the database: nothing of it may be touched
  // (fiber/fork.h).
  bool Forked() const { return fiber::process_generation() != generation; }
  [[nodiscard]] Status ForkedStatus() const;
  // Reads, and another process may be writing.
  bool IsReader() const {
    return mode == OpenMode::kReadOnly || mode == OpenMode::kReadOnlyFailIfWal;
  }
  [[nodiscard]] Status RefuseIfReadOnly() const;
  // (A secondary has what its primary has.)
  bool BestEfforts() const { return options.best_efforts_recovery && mode != OpenMode::kSecondary; }

  // Calls `event` with each of the user's listeners. Without the mutex. SUSPENDS.
  using Event = std::function<void(EventListener*)>;
  void Tell(const Event& event) const {
    for (const auto& listener : options.listeners) event(listener.get());
  }
  bool has_listeners() const { return !options.listeners.empty(); }

  // Whoever waits for something with the mutex is woken: the end has come, or an error that refuses
  // writes. (What else is waited for has a condition with the part that it is of: Jobs::changed,
  // and those that WritePath, ErrorHandler and BackgroundWork keep to themselves.)
  void WakeAll() FIBER_REQUIRES(database_mutex);
  void BeginShutdown() FIBER_REQUIRES(database_mutex);

  DBMutex* mutex() const FIBER_RETURN_CAPABILITY(database_mutex) { return &mutex_; }

  // --- Constant
  DB* const self;
  const std::string name;  // the directory
  const OpenMode mode;
  const uint32_t generation = fiber::process_generation();
  // As the database was opened: for what cannot change. All else is asked of the families' options.
  const DBOptions options;
  const std::string wal_dir;
  Env* const env;
  std::shared_ptr<OpenTables> open_tables;          // of all families; constant until it is closed
  const std::set<std::string> managed_directories;  // whose files `space` hears of
  const std::shared_ptr<IOTrace> io_trace;       // wrapped_fs and its files tell it of their calls
  const std::shared_ptr<FileSystem> wrapped_fs;  // the Env's, and what the options put around it
  FileSystem* const fs;
  SpaceManager* const space;  // the options' sst_file_manager; null: none, or nothing is written
  FileOptions file_options;
  Statistics* const statistics;  // may be null
  WriteBufferManager* const buffer_manager;
  // The directories of tables, by path id (DBOptions::db_paths), and the same to sync after a file
  // was made there: these only where something is written. Blob files, and what comes from outside,
  // are in the first one.
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<FSDirectory>> table_directories;
  // Of a worker of remote compaction: the paths of its families, and behind them the directory
  // where its tables go. Else empty.
  std::vector<std::string> worker_paths;
  // And those of all families that the database was opened with (cf_paths).
  std::set<std::string> all_table_directories;
  std::string session_id;
  FileLock* lock = nullptr;
  std::shared_ptr<FSDirectory> directory;  // its own
  OutsideDirectories outside;

  OperationTrace trace;         // by itself
  BlockCacheTrace block_trace;  // likewise; the tables tell it of their blocks
  SnapshotList snapshots;
  StampedSnapshots stamped_snapshots{&snapshots, [this](const Snapshot* snapshot) {
                                       if (!Forked()) snapshots.Release(snapshot);
                                     }};
  PreparedLogs prepared;
  WriteController write_controller;
  std::unique_ptr<VersionSet> versions;
  std::unique_ptr<WalSet> wals;
  std::unique_ptr<CommitQueue> commit;  // null: nobody may write
  std::unique_ptr<BackgroundScheduler> scheduler;
  FamilyMemTables sink;  // leadership
  Jobs jobs;
  std::atomic<bool> shutting_down{false};
  // Set when a write skipped the WAL: closing then flushes, as RocksDB does.
  std::atomic<bool> has_unlogged_data{false};
  // TransactionDBOptions::write_policy is WRITE_PREPARED or WRITE_UNPREPARED: logs are those of
  // RocksDB's under it (commit/two_phase.h). Constant once it is open.
  bool shares_numbers = false;

  // --- The parts. (What holds memtables goes before what they are charged to.)
  std::unique_ptr<SharedMemory> memory;
  std::unique_ptr<EventNotifier> events;
  std::unique_ptr<ErrorHandler> errors;
  std::unique_ptr<FilePurger> files;
  std::unique_ptr<Families> families;
  std::unique_ptr<SequenceTimes> sequence_times;
  std::unique_ptr<WritePath> writes;
  std::unique_ptr<MemTableSwitch> memtables;
  std::unique_ptr<ReadPath> reads;
  std::unique_ptr<BackgroundWork> work;
  std::unique_ptr<Flushes> flushes;
  std::unique_ptr<Compactions> compactions;
  std::unique_ptr<FileMoves> moves;
  std::unique_ptr<Ingestions> ingestions;
  std::unique_ptr<Imports> imports;
  std::unique_ptr<LiveFiles> live_files;
  std::unique_ptr<OptionsChanges> options_changes;
  std::unique_ptr<Properties> properties;
  std::unique_ptr<StatsReports> stats;
  std::unique_ptr<PrimaryFollower> follower;
  std::unique_ptr<Recovery> recovery;
  std::unique_ptr<Opening> opening;

 private:
  mutable DBMutex mutex_;
};

// A part: it knows the database that it is of.
class Part {
 public:
  explicit Part(Database* db) : db_(*db) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 protected:
  ~Part() = default;

  Database& db_;
};

}  // namespace cairn
