// A database in a process that was forked from the one that opened it (fiber/fork.h): it is the
// parent's. Its threads are not here, its locks may be held for ever by threads that are not here,
// and its files' positions and locks are the parent's, too. So every call says that, and Close and
// the destructor leave all as it is.
#include <atomic>

#include "db/db_impl.h"

namespace cairn {

Status DBImpl::ForkedStatus() const {
  return Status::NotSupported(
      "the database was opened by the process that this one was forked from, and is that one's "
      "alone",
      dbname_);
}

// What the destructors of these would do (join threads, write and close files, free locks) is not
// for this process. It stays reachable, or it would be taken for a leak.
struct DBImpl::Abandoned {
  std::unique_ptr<const DBOptions> options;  // with the user's objects: a LOG would be closed
  std::shared_ptr<FileSystem> fs;
  std::unique_ptr<FSDirectory> directory;
  std::unique_ptr<ColumnFamilyHandle> default_handle;
  std::unique_ptr<VersionSet> versions;
  std::unique_ptr<WalSet> wals;
  std::unique_ptr<CommitQueue> commit;
  std::unique_ptr<BackgroundScheduler> scheduler;
  std::unique_ptr<WriteBufferClient> buffer_client;
  std::unique_ptr<BackgroundScheduler> manager_flusher;
  std::map<uint32_t, std::unique_ptr<ColumnFamily>> families;
  std::shared_ptr<OpenTables> open_tables;
  fiber::Thread recovery, clock;
  std::deque<Event> events;
  Abandoned* next = nullptr;
};

void DBImpl::Abandon() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  auto* const kept = new Abandoned;
  kept->options = std::make_unique<const DBOptions>(db_options_);
  kept->fs = wrapped_fs_;
  kept->directory = std::move(directory_);
  kept->default_handle = std::move(default_handle_);
  kept->versions = std::move(versions_);
  kept->wals = std::move(wals_);
  kept->commit = std::move(commit_);
  kept->scheduler = std::move(scheduler_);
  kept->buffer_client = std::move(buffer_client_);
  kept->manager_flusher = std::move(manager_flusher_);
  kept->families = std::move(owned_families_);
  kept->open_tables = std::move(open_tables_);
  kept->recovery = std::move(recovery_);
  kept->clock = std::move(clock_);
  kept->events = std::move(events_);
  outside_.Abandon();
  lock_ = nullptr;
  closed_ = true;
  static constinit std::atomic<Abandoned*> all{nullptr};
  kept->next = all.load(std::memory_order_relaxed);
  while (!all.compare_exchange_weak(kept->next, kept, std::memory_order_release,
                                    std::memory_order_relaxed)) {
  }
}

}  // namespace cairn
