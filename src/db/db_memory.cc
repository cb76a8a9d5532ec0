// The database and its write buffer manager, which may be shared with others: what memtables are
// charged to, flushes that the manager asks for, and the stall while memory is short.
//
// When memory is short, whoever writes finds it out, in its group's leader (PrepareWrite). If its
// own memtable is the largest it switches it there and then; else it asks the largest holder,
// which does it in a job of its own: that job needs the leadership, and a pool that flushes also
// run in could be what the present leader waits for. A leader that waits for memory itself serves
// such requests, since it holds the leadership meanwhile.
#include <algorithm>
#include <atomic>

#include "base/logging.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fiber/wait.h"
#include "memtable/write_buffer_client.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {
namespace {

// How long a stalled leader sleeps at most before it looks again: a flush that ends without memory
// coming back (a reader holds it) signals nobody.
constexpr uint64_t kRecheckNanos = 5'000'000;

}  // namespace

class DBImpl::BufferClient final : public WriteBufferClient {
 public:
  explicit BufferClient(DBImpl* db) : WriteBufferClient(db->write_buffer_manager_), db_(db) {}

  // Called by the leader only.
  void Block() override {
    fiber::wait(&signals_, seen_, fiber::now_nanos() + kRecheckNanos);
    seen_ = signals_.load(std::memory_order_acquire);
  }
  void Signal() override {
    signals_.fetch_add(1, std::memory_order_release);
    fiber::wake(&signals_, SIZE_MAX);
  }

  void RequestFlush() override {
    if (db_->manager_wants_flush_.exchange(true, std::memory_order_acq_rel)) return;
    Signal();  // a leader that waits for memory sees to it
    if (!db_->manager_flusher_->Schedule(JobPriority::kHigh, [db = db_] { db->FlushForManager(); }))
      db_->manager_wants_flush_.store(false, std::memory_order_release);
  }
  bool IsFlushing() const override {
    return CanFlush() &&
           AnyFamily([](const ColumnFamily& family) { return family.imm.NumNotFlushed() > 0; });
  }
  bool HasUnflushed() const override {
    return CanFlush() &&
           AnyFamily([](const ColumnFamily& family) { return family.UnflushedBytes() > 0; });
  }

 private:
  bool CanFlush() const {
    return !db_->has_background_error_.load(std::memory_order_relaxed) &&
           !db_->shutting_down_.load(std::memory_order_relaxed);
  }

  template <class Predicate>
  bool AnyFamily(Predicate predicate) const {
    fiber::MutexLock lock(&db_->live_mutex_);
    return std::any_of(db_->families_.begin(), db_->families_.end(),
                       [&](const ColumnFamily* family) { return predicate(*family); });
  }

  DBImpl* const db_;
  std::atomic<uint32_t> signals_{0};
  uint32_t seen_ = 0;
};

void DBImpl::MakeBufferClient() {
  buffer_client_ = std::make_unique<BufferClient>(this);
  manager_flusher_ = std::make_unique<BackgroundScheduler>("rocksdb-memory", 1, 1);
}

MemTable* DBImpl::NewMemTable(const ColumnFamily& family, SequenceNumber earliest) const {
  const std::shared_ptr<const Options> live = LiveOptions(&family);
  MemTableOptions options = MakeMemTableOptions(*live, *live);
  options.client = buffer_client_.get();
  options.huge_page_pool = family.huge_pages;
  return new MemTable(family.icmp, options, earliest);
}

void DBImpl::LeaveManager() {
  buffer_client_->Unregister();
  manager_flusher_->Shutdown();
}

void DBImpl::FlushForManager() {
  CommitQueue::Exclusive leadership(commit_.get());
  // The one that asked may be helped already.
  if (!manager_wants_flush_.exchange(false, std::memory_order_acq_rel)) return;
  if (!write_buffer_manager_->ShouldFlush() && !write_buffer_manager_->ShouldStall()) return;
  DBMutexLock lock(&mutex_);
  if (shutting_down_.load() || has_background_error_.load()) return;
  SwitchAndFlush({LargestFamily()}, FlushReason::kWriteBufferManager)
      .PermitUncheckedError();  // an error is a background error by now
}

Status DBImpl::WaitForMemory(const WriteGroupInfo& group) {
  if (group.no_slowdown) return Status::Incomplete("Write stall");
  CommitQueue::StallScope stall(group.queue);
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  const uint64_t start = fiber::now_nanos();
  Status s;
  while (s.ok() && write_buffer_manager_->ShouldStall() && !shutting_down_.load() &&
         !has_background_error_.load()) {
    mutex_.unlock();  // the manager asks its clients, and those of others take other mutexes
    bool flush_ours = manager_wants_flush_.exchange(false, std::memory_order_acq_rel);
    bool may_help = true;
    if (!flush_ours && !WriteBufferManagerInternal::IsFlushing(write_buffer_manager_)) {
      may_help = WriteBufferManagerInternal::CanReleaseMemory(write_buffer_manager_);
      flush_ours = may_help && WriteBufferManagerInternal::FlushLargest(write_buffer_manager_,
                                                                        buffer_client_.get());
    }
    if (may_help && !flush_ours) {
      write_buffer_manager_->BeginWriteStall(buffer_client_.get());
      buffer_client_->Block();
      write_buffer_manager_->RemoveDBFromQueue(buffer_client_.get());
    }
    mutex_.lock();
    if (!may_help) break;
    if (flush_ours) s = SwitchAndFlush({LargestFamily()}, FlushReason::kWriteBufferManager);
  }
  CountStall(default_family_,
             {.condition = StallCondition::kStopped, .cause = StallCause::kWriteBufferManager},
             start);
  if (!s.ok()) return s;
  if (shutting_down_.load()) return Status::ShutdownInProgress("stalled writes");
  return has_background_error_.load() ? background_error_ : Status::OK();
}

}  // namespace cairn
