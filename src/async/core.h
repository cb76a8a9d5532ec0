// What the operations of one AsyncDB share: the runtime, the places, the count of those on their
// way. Private to async/.
//
// An operation enters before it looks at anything of the database, and leaves when nothing of it
// can touch the database any more: at the end of its call, or of its fiber. Close() shuts the door,
// waits until all have left, and ends the runtime.
//
// Thread safety: all of it, from any thread or fiber, but for what says otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "cairn/async.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"

namespace cairn::async::detail {

// The part of a task that has a fiber, from Launch() on.
struct Task::Running {
  // Whoever makes it true decides the outcome: the end of Run(), or a cancellation.
  std::atomic<bool> settled{false};
  fiber::Event finished;   // Run() is over
  fiber::Event delivered;  // a cancellation has handed out its outcome
  // Emplaced before the fiber starts, reset at its end: what it calls finds the task alive.
  std::optional<std::stop_callback<Canceller>> stop;
  // In the core's list.
  Task* previous = nullptr;
  Task* next = nullptr;
};

struct Core : std::enable_shared_from_this<Core> {
  Core(rocksdb::DB* database, const Options& opts, std::unique_ptr<fiber::Runtime> made)
      : db(database),
        options(opts),
        runtime(std::move(made)),
        identity(runtime.get()),
        places(static_cast<uint32_t>(opts.max_in_flight)) {}

  // False: closed.
  bool Enter();
  void Leave();
  size_t inside() const { return state.load(std::memory_order_relaxed) & ~kClosed; }

  // Takes a place, waiting for it if the options say so. OK, Busy or TimedOut. SUSPENDS.
  Status TakePlace(std::chrono::microseconds deadline);

  // True: all are being cancelled, this one is to be, too.
  bool Register(Task* task);
  void Unregister(Task* task);
  void CancelAll();

  Status Close(bool cancel);

  static constexpr uint32_t kClosed = uint32_t{1} << 31;

  rocksdb::DB* const db;
  const Options options;
  std::unique_ptr<fiber::Runtime> runtime;  // until Close()
  const fiber::Runtime* const identity;     // of it, also afterwards
  fiber::Semaphore places;
  // Operations inside, and kClosed.
  std::atomic<uint32_t> state{0};

  fiber::Mutex close_mu;  // one Close() at a time; before mu
  fiber::Mutex mu;
  Task* first FIBER_GUARDED_BY(mu) = nullptr;
  bool cancelling FIBER_GUARDED_BY(mu) = false;
};

// The nearer of both; 0 is none.
inline std::chrono::microseconds Nearer(std::chrono::microseconds a, std::chrono::microseconds b) {
  if (a.count() == 0) return b;
  return b.count() == 0 ? a : std::min(a, b);
}

// The string behind ReadOptions::request_id for as long as an operation runs, which may be longer
// than its caller waits. Behind the options that it changes.
class KeptRequestId {
 public:
  explicit KeptRequestId(rocksdb::ReadOptions* options) {
    if (options->request_id == nullptr) return;
    id_ = *options->request_id;
    options->request_id = &id_;
  }
  KeptRequestId(const KeptRequestId&) = delete;
  KeptRequestId& operator=(const KeptRequestId&) = delete;

 private:
  std::string id_;
};

// A read from memory is worth a try, or is all that is asked for.
inline bool MayTry(const rocksdb::ReadOptions& options) {
  return options.read_tier == rocksdb::kReadAllTier ||
         options.read_tier == rocksdb::kBlockCacheTier;
}

}  // namespace cairn::async::detail
