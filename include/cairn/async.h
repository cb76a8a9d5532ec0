// Asynchronous operations on a database: each with a callback, as a std::future, or awaited by a
// C++20 coroutine.
//
//   std::unique_ptr<cairn::async::AsyncDB> async;
//   Status s = cairn::async::AsyncDB::Create(db, {.workers = 2}, &async);
//
//   async->Get(options, "key").Then([](GetResult got) { ... });
//   std::future<GetResult> later = async->Get(options, "key").Future();
//   GetResult got = co_await async->Get(options, "key", {.executor = post});
//
// An operation is an object that does nothing until one of the three is called on it, once. Behind
// it stands a fiber::Runtime of the AsyncDB's own: each operation is a fiber, which parks where the
// database waits, so that thousands are in flight on a few threads. A Get or MultiGet that memory
// can answer is answered at once, in the call, without a fiber.
//
// **Where callbacks run, and coroutines go on.** Call::executor, or else Options::executor, is any
// function that takes a task and has it run: the loop of a single thread, a pool, asio's post.
// Where there is one, callbacks always run on it, and coroutines resume on it unless the operation
// completed at once: then they never suspended. Without one, callbacks and coroutines run in the
// call where the operation completed at once, else on a worker of the runtime, as a part of a
// fiber: they may call the database and all of fiber/, but should not block the worker or recurse
// deeply (Options::stack_size). A future is made ready without the executor. What of this throws on
// a worker ends the process (std::terminate).
//
// **How much.** At most Options::max_in_flight operations are on their way; one more waits for its
// turn in its call (Then, Future, co_await), or is Busy: Options::when_full. A transaction's
// operations are not counted: those that wait for a key would keep out the one that gives it back.
//
// **Cancellation and deadlines.** Call::stop asks an operation to end. Its outcome is then Aborted
// as soon as the request is made, wherever the operation waits: it goes on in the background with
// memory of its own, up to its next file read or step, and its result is thrown away. The same
// holds when Call::deadline passes, with TimedOut. A write or flush that was begun may take effect
// all the same.
//
// **Lifetimes.** Keys, values and batches are owned by the operation. What the options point to
// (snapshot, bounds, column family) is borrowed until the operation, or the iterator, has ended for
// good: Close(), at the latest. The database outlives the AsyncDB, and the pinned values that it
// gave out.
//
// Thread safety: AsyncDB by any number of threads, fibers and coroutines; an Operation and an
// AsyncIterator by one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fiber/function.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/write_batch.h"

namespace cairn::async {

using rocksdb::Status;

// Has the task run, once, on whatever thread it stands for. Thread-safe; must neither block for
// long nor throw. The task may be moved and copied.
using Executor = std::function<void(std::function<void()> task)>;

enum class WhenFull {
  kWait,  // the call waits for its turn: back-pressure
  kBusy,  // the operation's outcome is Busy
};

struct Options {
  // Threads that run operations, 1 to 1024; 0: as many as the process may use processors.
  int workers = 1;
  // At least 1.
  size_t max_in_flight = 4096;
  WhenFull when_full = WhenFull::kWait;
  // Bytes of an operation's stack, the user's callbacks and coroutines on workers included.
  size_t stack_size = size_t{64} << 10;
  // Of the calls that name none.
  Executor executor = {};
};

// What belongs to one call.
struct Call {
  std::stop_token stop = {};
  // Since 1970, as ReadOptions::deadline; 0: none. Of reads, the nearer of both counts.
  std::chrono::microseconds deadline{0};
  Executor executor = {};
  // Null: the default one. Borrowed.
  rocksdb::ColumnFamilyHandle* column_family = nullptr;
};

struct GetResult {
  Status status;
  // May pin a block or memtable: Reset() it soon.
  rocksdb::PinnableSlice value;
};

// One of each for each key.
struct MultiGetResult {
  std::vector<Status> statuses;
  std::vector<rocksdb::PinnableSlice> values;
};

// Where an iterator stands: copies.
struct Position {
  Status status;
  bool valid = false;  // else at an end, or failed
  std::string key;
  std::string value;
};

struct Entries {
  Status status;
  std::vector<std::pair<std::string, std::string>> entries;  // those before an error, too
  bool at_end = false;                                       // there are no more
};

namespace detail {

struct Core;

// One operation, from its making to the end of its fiber. Shared by who waits and who works.
class Task : public std::enable_shared_from_this<Task> {
 public:
  Task(std::shared_ptr<Core> core, Call call);
  virtual ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Completes at once if it can, and waits for its turn if it must. True: the outcome is there.
  // False: Launch() is to follow.
  bool Prepare();
  // Sends it off; `done` runs when the outcome is there, on the executor or a worker.
  void Launch(fiber::Function done, bool by_executor);
  // Prepare(), Launch(), and `done`.
  void Start(fiber::Function done, bool by_executor);
  // The one that waited is gone: `done` is not to run, if it has not begun.
  void Forget() { forgotten_.store(true, std::memory_order_release); }

 protected:
  // From memory, without waiting. False: it takes a fiber.
  virtual bool TryInMemory() { return false; }
  // On a fiber. The result goes where Accept() finds it.
  virtual void Run() = 0;
  // Make Run()'s result the outcome, or `failure`.
  virtual void Accept() = 0;
  virtual void Fail(const Status& failure) = 0;
  // In addition to cancelled_.
  virtual void OnCancel() {}
  // It is one of Options::max_in_flight.
  virtual bool TakesPlace() const { return true; }

  const std::atomic<bool>* cancelled() const { return &cancelled_; }
  std::chrono::microseconds deadline() const { return call_.deadline; }
  rocksdb::ColumnFamilyHandle* column_family() const;
  rocksdb::DB* db() const;

  std::atomic<bool> cancelled_{false};

 private:
  friend struct Core;
  struct Canceller {
    Task* task;
    void operator()() const;
  };
  struct Running;

  Status Refusal() const;
  void Work();
  void Cancel(const Status& why);
  void Deliver();

  const std::shared_ptr<Core> core_;
  const Call call_;
  std::atomic<bool> forgotten_{false};
  fiber::Function done_;
  bool by_executor_ = false;
  std::unique_ptr<Running> running_;  // from Launch() on
};

template <class T>
class TaskOf : public Task {
 public:
  using Task::Task;
  T outcome;
};

}  // namespace detail

// What is to be done. Nothing of it happens before one of Then(), Future() and co_await.
template <class T>
class [[nodiscard]] Operation {
 public:
  explicit Operation(std::shared_ptr<detail::TaskOf<T>> task) : task_(std::move(task)) {}

  // Calls callback(T) when it is over.
  template <class Callback>
  void Then(Callback callback) && {
    detail::TaskOf<T>* const task = task_.get();
    task->Start([task = std::move(task_),
                 callback = std::move(callback)]() mutable { callback(std::move(task->outcome)); },
                /*by_executor=*/true);
  }

  // Not for fibers and coroutines: waiting for a std::future blocks their thread.
  // style: the user's choice; nothing of ours waits for it
  std::future<T> Future() && {
    // style: as above
    std::promise<T> promise;
    // style: as above
    std::future<T> future = promise.get_future();
    detail::TaskOf<T>* const task = task_.get();
    task->Start(
        [task = std::move(task_), promise = std::move(promise)]() mutable {
          promise.set_value(std::move(task->outcome));
        },
        /*by_executor=*/false);
    return future;
  }

  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<detail::TaskOf<T>> task) : task_(std::move(task)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    // A coroutine may be destroyed while it waits: on its executor's thread.
    ~Awaiter() { task_->Forget(); }

    bool await_ready() { return task_->Prepare(); }
    void await_suspend(std::coroutine_handle<> waiting) {
      // The coroutine, and this, may be gone before Launch() returns.
      const std::shared_ptr<detail::TaskOf<T>> task = task_;
      task->Launch([waiting] { waiting.resume(); }, /*by_executor=*/true);
    }
    T await_resume() { return std::move(task_->outcome); }

   private:
    const std::shared_ptr<detail::TaskOf<T>> task_;
  };
  Awaiter operator co_await() && { return Awaiter(std::move(task_)); }

 private:
  std::shared_ptr<detail::TaskOf<T>> task_;
};

// An iterator whose movements are operations. One at a time: a movement is asked for when the one
// before is over. After one that was cancelled or late the position is not known: seek. The
// iterator itself may be dropped at any time.
class AsyncIterator {
 public:
  struct Cursor;
  AsyncIterator(std::shared_ptr<detail::Core> core, std::shared_ptr<Cursor> cursor)
      : core_(std::move(core)), cursor_(std::move(cursor)) {}

  Operation<Position> SeekToFirst(Call call = {});
  Operation<Position> SeekToLast(Call call = {});
  Operation<Position> Seek(std::string target, Call call = {});
  Operation<Position> SeekForPrev(std::string target, Call call = {});
  // InvalidArgument where it stands nowhere.
  Operation<Position> Next(Call call = {});
  Operation<Position> Prev(Call call = {});
  // What it stands on and what follows, up to so many entries or bytes of keys and values,
  // whichever comes first, but one entry at least; it then stands behind them. This, not Next(), is
  // the way to read many: one fiber for all of them. From an iterator that was never moved: from
  // the first.
  Operation<Entries> Collect(size_t max_entries, size_t max_bytes = size_t{1} << 20,
                             Call call = {});

 private:
  const std::shared_ptr<detail::Core> core_;
  const std::shared_ptr<Cursor> cursor_;
};

// A transaction whose operations are asynchronous: what waits for a key that somebody else has
// parks a fiber.
//
//   std::unique_ptr<AsyncTransaction> txn =
//       async->Transact(std::unique_ptr<rocksdb::Transaction>(txn_db->BeginTransaction({})));
//   GetResult got = co_await txn->GetForUpdate({}, "balance");
//   Status s = co_await txn->Put("balance", Deducted(got.value));
//   if (s.ok()) s = co_await txn->Commit();
//
// One operation at a time: the next is asked for when the one before is over; if it is not, the
// next one waits. One that was cancelled or late goes on in the background, until it has the key or
// the transaction's lock timeout has passed, and may take effect all the same; what comes then
// waits for it, and so does Close(). Roll such a transaction back.
//
// The object may be dropped at any time: what was not committed is then forgotten, once no
// operation is on its way. That, and the operations' callbacks, come before the database is closed.
class AsyncTransaction {
 public:
  struct State;
  AsyncTransaction(std::shared_ptr<detail::Core> core, std::shared_ptr<State> state)
      : core_(std::move(core)), state_(std::move(state)) {}

  // Of the column family Call::column_family. See rocksdb::Transaction for what each says.
  Operation<GetResult> Get(const rocksdb::ReadOptions& options, std::string key, Call call = {});
  Operation<MultiGetResult> MultiGet(const rocksdb::ReadOptions& options,
                                     std::vector<std::string> keys, Call call = {});
  Operation<GetResult> GetForUpdate(const rocksdb::ReadOptions& options, std::string key,
                                    bool exclusive = true, Call call = {});
  Operation<MultiGetResult> MultiGetForUpdate(const rocksdb::ReadOptions& options,
                                              std::vector<std::string> keys, Call call = {});
  Operation<Status> Put(std::string key, std::string value, Call call = {});
  Operation<Status> Merge(std::string key, std::string value, Call call = {});
  Operation<Status> Delete(std::string key, Call call = {});
  // What the batch says, each of its writes tracked; it names its column families itself. One fiber
  // for all of them.
  Operation<Status> Write(rocksdb::WriteBatch batch, Call call = {});
  Operation<Status> Commit(Call call = {});
  Operation<Status> Rollback(Call call = {});
  // All else: `work` runs on a fiber, and is the transaction's only user meanwhile. What it takes
  // from it (iterators) it gives back before it returns.
  Operation<Status> Do(std::function<Status(rocksdb::Transaction*)> work, Call call = {});

 private:
  const std::shared_ptr<detail::Core> core_;
  const std::shared_ptr<State> state_;
};

class AsyncDB {
 public:
  // InvalidArgument, or what the system has against the threads. `db` is borrowed.
  static Status Create(rocksdb::DB* db, const Options& options, std::unique_ptr<AsyncDB>* async);
  // Close(kWait).
  ~AsyncDB();
  AsyncDB(const AsyncDB&) = delete;
  AsyncDB& operator=(const AsyncDB&) = delete;

  Operation<GetResult> Get(const rocksdb::ReadOptions& options, std::string key, Call call = {});
  Operation<MultiGetResult> MultiGet(const rocksdb::ReadOptions& options,
                                     std::vector<std::string> keys, Call call = {});
  Operation<Status> Put(const rocksdb::WriteOptions& options, std::string key, std::string value,
                        Call call = {});
  Operation<Status> Delete(const rocksdb::WriteOptions& options, std::string key, Call call = {});
  // The batch names its column families itself.
  Operation<Status> Write(const rocksdb::WriteOptions& options, rocksdb::WriteBatch batch,
                          Call call = {});
  Operation<Status> Flush(const rocksdb::FlushOptions& options, Call call = {});
  // What the iterator shows is of the time of its first movement, if the options have no snapshot.
  // Its database iterator is made then, and goes with the last movement or with the object.
  std::unique_ptr<AsyncIterator> NewIterator(const rocksdb::ReadOptions& options,
                                             rocksdb::ColumnFamilyHandle* column_family = nullptr);

  // Takes over a transaction of the database, which has transactions then
  // (rocksdb/utilities/transaction_db.h, rocksdb/utilities/optimistic_transaction_db.h).
  std::unique_ptr<AsyncTransaction> Transact(std::unique_ptr<rocksdb::Transaction> transaction);

  enum class InFlight {
    kWait,    // runs to its end
    kCancel,  // is Aborted
  };
  // SUSPENDS until what is in flight has ended, its callbacks on workers too; a read that hangs
  // holds it up. Operations that come later are ShutdownInProgress. OK, also if called again;
  // InvalidArgument from a worker of its own (a callback there), where it would wait for itself.
  Status Close(InFlight in_flight = InFlight::kWait);

  // Operations on their way: a snapshot.
  size_t in_flight() const;

 private:
  explicit AsyncDB(std::shared_ptr<detail::Core> core) : core_(std::move(core)) {}
  const std::shared_ptr<detail::Core> core_;
};

}  // namespace cairn::async
