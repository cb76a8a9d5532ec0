// The caller reads and waits for each operation's time. It does it, too, or hands it to threads
// through a queue, which has a limit, so that a trace that is replayed faster than the database
// can go does not gather in memory.
#include "db/trace_replayer.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/trace_record_result.h"
#include "trace/trace_format.h"

namespace cairn {
namespace {

using ReplayCallback = std::function<void(Status, std::unique_ptr<TraceRecordResult>&&)>;

// Threads that do operations, in about the order in which they are added.
class ReplayThreads {
 public:
  using Work = std::function<Status(const TraceEntry&)>;

  ReplayThreads(uint32_t threads, Work work) : work_(std::move(work)) {
    threads_.resize(std::min(threads, kMaxThreads));
    for (size_t i = 0; i < threads_.size(); ++i) {
      const int r = fiber::Thread::create(
          "rocksdb:replay" + std::to_string(i), [this] { Run(); },
          /*nice=*/0, &threads_[i]);
      started_ += r == 0 ? 1 : 0;
    }
  }
  ~ReplayThreads() { (void)Finish(); }
  ReplayThreads(const ReplayThreads&) = delete;
  ReplayThreads& operator=(const ReplayThreads&) = delete;

  // False: one has failed, and no more are wanted. SUSPENDS while the queue is full.
  bool Add(TraceEntry&& entry) {
    if (started_ == 0) {  // no thread to be had: slower, nothing else
      Note(entry.timestamp, work_(entry));
      fiber::MutexLock lock(&mutex_);
      return error_.ok();
    }
    fiber::MutexLock lock(&mutex_);
    while (queue_.size() >= kMaxQueued && error_.ok()) room_.wait(&mutex_);
    if (!error_.ok()) return false;
    queue_.push_back(std::move(entry));
    some_.notify_one();
    return true;
  }

  // All that was added is done. The error of the earliest operation that failed. SUSPENDS.
  Status Finish() {
    {
      fiber::MutexLock lock(&mutex_);
      finished_ = true;
      some_.notify_all();
    }
    for (fiber::Thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    threads_.clear();
    fiber::MutexLock lock(&mutex_);
    return error_;
  }

 private:
  static constexpr uint32_t kMaxThreads = 1024;
  static constexpr size_t kMaxQueued = 1024;

  void Run() {
    while (true) {
      TraceEntry entry;
      {
        fiber::MutexLock lock(&mutex_);
        while (queue_.empty() && !finished_) some_.wait(&mutex_);
        if (queue_.empty()) return;
        entry = std::move(queue_.front());
        queue_.pop_front();
        room_.notify_one();
      }
      Note(entry.timestamp, work_(entry));
    }
  }

  void Note(uint64_t timestamp, Status status) {
    if (status.ok() || status.IsNotSupported()) return;
    fiber::MutexLock lock(&mutex_);
    if (!error_.ok() && timestamp >= error_timestamp_) return;
    error_ = std::move(status);
    error_timestamp_ = timestamp;
    room_.notify_all();
  }

  const Work work_;
  std::vector<fiber::Thread> threads_;
  size_t started_ = 0;
  fiber::Mutex mutex_;
  fiber::CondVar some_;  // in the queue, or it is finished
  fiber::CondVar room_;  // in the queue, or there is an error
  std::deque<TraceEntry> queue_ FIBER_GUARDED_BY(mutex_);
  bool finished_ FIBER_GUARDED_BY(mutex_) = false;
  Status error_ FIBER_GUARDED_BY(mutex_);
  uint64_t error_timestamp_ FIBER_GUARDED_BY(mutex_) = 0;
};

class TraceReplayer final : public Replayer {
 public:
  TraceReplayer(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                std::unique_ptr<TraceReader>&& reader)
      : handler_(TraceRecord::NewExecutionHandler(db, handles)), reader_(std::move(reader)) {}

  Status Prepare() override {
    fiber::MutexLock lock(&mutex_);
    prepared_ = false;
    if (reader_ == nullptr) return Status::InvalidArgument("a Replayer without a TraceReader");
    Status s = reader_->Reset();
    std::string bytes;
    TraceEntry header;
    if (s.ok()) s = ReadTraceEntry(reader_.get(), &bytes, &header);
    if (s.ok()) s = ParseTraceHeader(header, &version_);
    if (!s.ok()) return s;
    header_timestamp_ = header.timestamp;
    prepared_ = true;
    ended_ = false;
    return s;
  }

  uint64_t GetHeaderTimestamp() const override {
    fiber::MutexLock lock(&mutex_);
    return header_timestamp_;
  }

  Status Next(std::unique_ptr<TraceRecord>* record) override {
    if (record != nullptr) record->reset();
    TraceEntry entry;
    int version = 0;
    Status s = NextEntry(&entry, &version);
    if (!s.ok() || record == nullptr) return s;
    return DecodeTraceRecord(entry, version, record);
  }

  Status Execute(const std::unique_ptr<TraceRecord>& record,
                 std::unique_ptr<TraceRecordResult>* result) override {
    if (record == nullptr) return Status::InvalidArgument("no record");
    return record->Accept(handler_.get(), result);
  }

  Status Replay(const ReplayOptions& options, const ReplayCallback& callback) override {
    if (!(options.fast_forward > 0)) return Status::InvalidArgument("Wrong fast forward speed!");
    Status s = CheckReady();
    if (!s.ok()) return s;
    const uint64_t start = fiber::now_nanos();
    const uint64_t header_timestamp = GetHeaderTimestamp();
    const auto work = [this, &callback](const TraceEntry& entry) { return Do(entry, callback); };
    std::unique_ptr<ReplayThreads> threads;
    if (options.num_threads > 1) {
      threads = std::make_unique<ReplayThreads>(options.num_threads, work);
    }
    bool at_end = false;
    while (true) {
      TraceEntry entry;
      s = NextEntry(&entry, nullptr);
      at_end = s.IsIncomplete();
      if (!s.ok()) break;
      WaitUntilDue(entry.timestamp, header_timestamp, start, options.fast_forward);
      if (threads != nullptr) {
        if (!threads->Add(std::move(entry))) break;
        continue;
      }
      s = work(entry);
      if (!s.ok() && !s.IsNotSupported()) break;
    }
    if (at_end) s = Status::OK();
    if (threads != nullptr) {
      // What went wrong with an operation came before what may be wrong with the rest of the trace.
      Status done = threads->Finish();
      if (!done.ok()) s = std::move(done);
    }
    return s;
  }

 private:
  Status CheckReady() const {
    fiber::MutexLock lock(&mutex_);
    return Ready();
  }
  Status Ready() const FIBER_REQUIRES(mutex_) {
    if (!prepared_) return Status::Incomplete("Not prepared!");
    if (ended_) return Status::Incomplete("Trace end.");
    return Status::OK();
  }

  // Incomplete: there are no more. `version` may be null.
  Status NextEntry(TraceEntry* entry, int* version) {
    fiber::MutexLock lock(&mutex_);
    Status s = Ready();
    if (!s.ok()) return s;
    if (version != nullptr) *version = version_;
    std::string bytes;
    s = ReadTraceEntry(reader_.get(), &bytes, entry);
    // Without a footer where the process that traced was killed.
    if (s.IsIncomplete() || (s.ok() && entry->type == kTraceEnd)) {
      ended_ = true;
      return Status::Incomplete("Trace end.");
    }
    return s;
  }

  int version() const {
    fiber::MutexLock lock(&mutex_);
    return version_;
  }

  // NotSupported: of an unknown kind.
  Status Do(const TraceEntry& entry, const ReplayCallback& callback) {
    std::unique_ptr<TraceRecord> record;
    std::unique_ptr<TraceRecordResult> result;
    Status s = DecodeTraceRecord(entry, version(), &record);
    if (s.ok()) s = Execute(record, callback ? &result : nullptr);
    if (callback) callback(s, std::move(result));
    return s;
  }

  // SUSPENDS.
  static void WaitUntilDue(uint64_t timestamp, uint64_t header_timestamp, uint64_t start,
                           double fast_forward) {
    if (timestamp <= header_timestamp) return;  // the clock was set back
    constexpr double kLongest = 1e18;           // nanoseconds: for ever, and no overflow
    const double after = static_cast<double>(timestamp - header_timestamp) * 1000.0 / fast_forward;
    const uint64_t due = start + static_cast<uint64_t>(std::min(after, kLongest));
    if (due > fiber::now_nanos()) fiber::sleep_until(due);
  }

  const std::unique_ptr<TraceRecord::Handler> handler_;
  mutable fiber::Mutex mutex_;
  std::unique_ptr<TraceReader> reader_ FIBER_GUARDED_BY(mutex_);
  bool prepared_ FIBER_GUARDED_BY(mutex_) = false;
  bool ended_ FIBER_GUARDED_BY(mutex_) = false;
  int version_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t header_timestamp_ FIBER_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::unique_ptr<Replayer> NewReplayer(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                                      std::unique_ptr<TraceReader>&& reader) {
  return std::make_unique<TraceReplayer>(db, handles, std::move(reader));
}

}  // namespace cairn
