// The database and its write buffer manager, which may be shared with others: what memtables are
// charged to, flushes that the manager asks for, and the stall while memory is short.
//
// When memory is short, whoever writes finds it out, in its group's leader (WritePath::Prepare). If
// its own memtable is the largest it switches it there and then; else it asks the largest holder,
// which does it in a job of its own: that job needs the leadership, and a pool that flushes also
// run in could be what the present leader waits for. A leader that waits for memory itself serves
// such requests, since it holds the leadership meanwhile.
#include <algorithm>
#include <atomic>

#include "base/logging.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/memtable_switch.h"
#include "db/shared_memory.h"
#include "db/write_path.h"
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

class SharedMemory::BufferClient final : public WriteBufferClient {
 public:
  explicit BufferClient(SharedMemory* memory)
      : WriteBufferClient(memory->db_.buffer_manager), memory_(*memory), db_(memory->db_) {}

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
    if (memory_.manager_wants_flush_.exchange(true, std::memory_order_acq_rel)) return;
    Signal();  // a leader that waits for memory sees to it
    if (!memory_.manager_flusher_->Schedule(JobPriority::kHigh,
                                            [this] { memory_.FlushForManager(); })) {
      memory_.manager_wants_flush_.store(false, std::memory_order_release);
    }
  }
  bool IsFlushing() const override {
    return CanFlush() &&
           AnyFamily([](const ColumnFamily& family) { return family.imm.NumToFlush() > 0; });
  }
  bool HasUnflushed() const override {
    return CanFlush() &&
           AnyFamily([](const ColumnFamily& family) { return family.UnflushedBytes() > 0; });
  }

 private:
  bool CanFlush() const {
    return !db_.errors->failed() && !db_.shutting_down.load(std::memory_order_relaxed);
  }

  template <class Predicate>
  bool AnyFamily(Predicate predicate) const {
    fiber::MutexLock lock(db_.families->live_mutex());
    return std::any_of(db_.families->all().begin(), db_.families->all().end(),
                       [&](const ColumnFamily* family) { return predicate(*family); });
  }

  SharedMemory& memory_;
  const Database& db_;
  std::atomic<uint32_t> signals_{0};
  uint32_t seen_ = 0;
};

SharedMemory::SharedMemory(Database* db)
    : Part(db),
      buffer_client_(std::make_unique<BufferClient>(this)),
      manager_flusher_(std::make_unique<BackgroundScheduler>("rocksdb-memory", 1, 1)) {}

SharedMemory::~SharedMemory() = default;

void SharedMemory::Join() { buffer_client_->Register(); }

void SharedMemory::Leave() {
  buffer_client_->Unregister();
  manager_flusher_->Shutdown();
}

void SharedMemory::FlushForManager() {
  CommitQueue::Exclusive leadership(db_.commit.get());
  // The one that asked may be helped already.
  if (!manager_wants_flush_.exchange(false, std::memory_order_acq_rel)) return;
  if (!db_.buffer_manager->ShouldFlush() && !db_.buffer_manager->ShouldStall()) return;
  DBMutexLock lock(db_.mutex());
  if (db_.shutting_down.load() || db_.errors->failed()) return;
  db_.memtables->SwitchAndFlush({db_.memtables->LargestFamily()}, FlushReason::kWriteBufferManager)
      .PermitUncheckedError();  // an error is a background error by now
}

Status SharedMemory::WaitForMemory(const WriteGroupInfo& group) {
  if (group.no_slowdown) return Status::Incomplete("Write stall");
  CommitQueue::StallScope stall(group.queue);
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  const uint64_t start = fiber::now_nanos();
  Status s;
  while (s.ok() && db_.buffer_manager->ShouldStall() && !db_.shutting_down.load() &&
         !db_.errors->failed()) {
    db_.mutex()->unlock();  // the manager asks its clients, and those of others take other mutexes
    bool flush_ours = manager_wants_flush_.exchange(false, std::memory_order_acq_rel);
    bool may_help = true;
    if (!flush_ours && !WriteBufferManagerInternal::IsFlushing(db_.buffer_manager)) {
      may_help = WriteBufferManagerInternal::CanReleaseMemory(db_.buffer_manager);
      flush_ours = may_help && WriteBufferManagerInternal::FlushLargest(db_.buffer_manager,
                                                                        buffer_client_.get());
    }
    if (may_help && !flush_ours) {
      db_.buffer_manager->BeginWriteStall(buffer_client_.get());
      buffer_client_->Block();
      db_.buffer_manager->RemoveDBFromQueue(buffer_client_.get());
    }
    db_.mutex()->lock();
    if (!may_help) break;
    if (flush_ours)
      s = db_.memtables->SwitchAndFlush({db_.memtables->LargestFamily()},
                                        FlushReason::kWriteBufferManager);
  }
  db_.writes->CountStall(
      db_.families->default_family(),
      {.condition = StallCondition::kStopped, .cause = StallCause::kWriteBufferManager}, start);
  if (!s.ok()) return s;
  if (db_.shutting_down.load()) return Status::ShutdownInProgress("stalled writes");
  return db_.errors->failed() ? db_.errors->error() : Status::OK();
}

}  // namespace cairn
