#include "db/database.h"

#include <utility>

#include "db/background_work.h"
#include "db/compactions.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_moves.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/imports.h"
#include "db/ingestions.h"
#include "db/live_files.h"
#include "db/memtable_switch.h"
#include "db/opening.h"
#include "db/options_changes.h"
#include "db/primary_follower.h"
#include "db/properties.h"
#include "db/read_path.h"
#include "db/recovery.h"
#include "db/sequence_times.h"
#include "db/shared_memory.h"
#include "db/stats_reports.h"
#include "db/write_path.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_util.h"
#include "fs/limited_file_system.h"
#include "fs/managed_file_system.h"
#include "fs/observed_file_system.h"
#include "fs/reopening_file_system.h"
#include "trace/traced_file_system.h"

namespace cairn {
namespace {

// With what the options put around it; and where no file can be opened, tables that nobody reads
// are closed.
std::shared_ptr<FileSystem> Wrapped(std::shared_ptr<FileSystem> fs, const DBOptions& options,
                                    std::set<std::string> managed,
                                    const std::shared_ptr<OpenTables>& tables) {
  FileListeners listeners;
  for (const auto& listener : options.listeners) {
    if (listener->ShouldBeNotifiedOnFileIO()) listeners.push_back(listener);
  }
  if (!listeners.empty()) fs = std::make_shared<ObservedFileSystem>(fs, std::move(listeners));
  if (options.rate_limiter != nullptr) {
    fs = std::make_shared<LimitedFileSystem>(fs, options.rate_limiter, options.statistics);
  }
  if (options.sst_file_manager != nullptr && !managed.empty()) {
    auto manager = std::static_pointer_cast<SpaceManager>(options.sst_file_manager);
    fs = std::make_shared<ManagedFileSystem>(fs, std::move(manager), std::move(managed));
  }
  return std::make_shared<ReopeningFileSystem>(fs, [weak = std::weak_ptr<OpenTables>(tables)] {
    const std::shared_ptr<OpenTables> open = weak.lock();
    return open != nullptr && open->CloseSome();
  });
}

// Where the files are that the user's SstFileManager hears of. (As in RocksDB, logs elsewhere are
// deleted at once.)
std::set<std::string> ManagedDirectories(const DBOptions& options, const std::string& name,
                                         OpenMode mode) {
  if (options.sst_file_manager == nullptr || mode != OpenMode::kReadWrite) return {};
  std::set<std::string> directories{name};
  for (const DbPath& path : options.db_paths) directories.insert(path.path);
  const std::string& wal_dir = options.wal_dir.empty() ? name : options.wal_dir;
  if (directories.contains(wal_dir)) directories.insert(ArchiveDirName(wal_dir));
  return directories;
}

}  // namespace

Database::Database(DB* db, const DBOptions& db_options, std::string dbname, OpenMode open_mode)
    : self(db),
      name(std::move(dbname)),
      mode(open_mode),
      options(db_options),
      wal_dir(options.wal_dir.empty() ? name : options.wal_dir),
      env(options.env),
      open_tables(
          std::make_shared<OpenTables>(options.max_open_files, options.table_cache_numshardbits)),
      managed_directories(ManagedDirectories(options, name, mode)),
      io_trace(std::make_shared<IOTrace>()),
      wrapped_fs(Wrapped(std::make_shared<TracedFileSystem>(env->GetFileSystem(), io_trace),
                         options, managed_directories, open_tables)),
      fs(wrapped_fs.get()),
      space(managed_directories.empty()
                ? nullptr
                : static_cast<SpaceManager*>(options.sst_file_manager.get())),
      file_options(options),
      statistics(options.statistics.get()),
      buffer_manager(options.write_buffer_manager.get()),
      session_id(GenerateDbSessionId()),
      outside(fs, name, options.info_log.get()),
      write_controller(options.delayed_write_rate),
      memory(std::make_unique<SharedMemory>(this)),
      events(std::make_unique<EventNotifier>(this)),
      errors(std::make_unique<ErrorHandler>(this)),
      files(std::make_unique<FilePurger>(this)),
      families(std::make_unique<Families>(this)),
      sequence_times(std::make_unique<SequenceTimes>(this)),
      writes(std::make_unique<WritePath>(this)),
      memtables(std::make_unique<MemTableSwitch>(this)),
      reads(std::make_unique<ReadPath>(this)),
      work(std::make_unique<BackgroundWork>(this)),
      flushes(std::make_unique<Flushes>(this)),
      compactions(std::make_unique<Compactions>(this)),
      moves(std::make_unique<FileMoves>(this)),
      ingestions(std::make_unique<Ingestions>(this)),
      imports(std::make_unique<Imports>(this)),
      live_files(std::make_unique<LiveFiles>(this)),
      options_changes(std::make_unique<OptionsChanges>(this)),
      properties(std::make_unique<Properties>(this)),
      stats(std::make_unique<StatsReports>(this)),
      follower(std::make_unique<PrimaryFollower>(this)),
      recovery(std::make_unique<Recovery>(this)),
      opening(std::make_unique<Opening>(this)) {
  for (const DbPath& path : options.db_paths) paths.push_back(path.path);
  versions =
      std::make_unique<VersionSet>(name, &options, fs, FileOptionsForManifestWrite(*fs, options));
  scheduler = std::make_unique<BackgroundScheduler>("rocksdb", BackgroundWork::MaxFlushes(options),
                                                    BackgroundWork::MaxCompactions(options), env);
}

Database::~Database() {
  opening->CloseAtLast().PermitUncheckedError();
  stats->on_disk()->Forget();
  families->ForgetDefaultHandle();
}

void Database::WakeAll() {
  jobs.changed.notify_all();
  writes->WakeLockedOut();
  writes->StallChanged();
  errors->WakePauses();
  work->WakeClock();
}

void Database::BeginShutdown() {
  shutting_down.store(true, std::memory_order_release);
  WakeAll();
}

Status Database::ForkedStatus() const {
  return Status::NotSupported(
      "the database was opened by the process that this one was forked from, and is that one's "
      "alone",
      name);
}

Status Database::RefuseIfReadOnly() const {
  if (Forked()) [[unlikely]] {
    return ForkedStatus();
  }
  if (mode == OpenMode::kReadWrite) return Status::OK();
  return mode == OpenMode::kSecondary
             ? Status::NotSupported("Not supported operation in secondary mode.")
             : Status::NotSupported("Not supported operation in read only mode.");
}

}  // namespace cairn
