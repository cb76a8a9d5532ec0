// The operations themselves (cairn/async.h). Each is the database's own call; task.cc has the rest.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "async/core.h"
#include "rocksdb/iterator.h"

namespace cairn::async {

namespace {

using detail::Core;
using detail::TaskOf;
using rocksdb::PinnableSlice;
using rocksdb::ReadOptions;
using rocksdb::Slice;

using detail::KeptRequestId;
using detail::MayTry;
using detail::Nearer;

class GetTask final : public TaskOf<GetResult> {
 public:
  GetTask(std::shared_ptr<Core> core, Call call, const ReadOptions& options, std::string key)
      : TaskOf(std::move(core), std::move(call)), options_(options), key_(std::move(key)) {
    options_.deadline = Nearer(options_.deadline, deadline());
    if (options_.cancelled == nullptr) options_.cancelled = cancelled();
  }

 protected:
  bool TryInMemory() override {
    if (!MayTry(options_)) return false;
    ReadOptions options = options_;
    options.read_tier = rocksdb::kBlockCacheTier;
    outcome.status = db()->Get(options, column_family(), key_, &outcome.value);
    if (!outcome.status.IsIncomplete() || options_.read_tier == rocksdb::kBlockCacheTier) {
      return true;
    }
    outcome.value.Reset();
    return false;
  }
  void Run() override {
    result_.status = db()->Get(options_, column_family(), key_, &result_.value);
  }
  void Accept() override { outcome = std::move(result_); }
  void Fail(const Status& failure) override { outcome.status = failure; }

 private:
  ReadOptions options_;
  const KeptRequestId request_id_{&options_};
  const std::string key_;
  GetResult result_;
};

class MultiGetTask final : public TaskOf<MultiGetResult> {
 public:
  MultiGetTask(std::shared_ptr<Core> core, Call call, const ReadOptions& options,
               std::vector<std::string> keys)
      : TaskOf(std::move(core), std::move(call)),
        options_(options),
        keys_(std::move(keys)),
        slices_(keys_.begin(), keys_.end()) {
    options_.deadline = Nearer(options_.deadline, deadline());
    if (options_.cancelled == nullptr) options_.cancelled = cancelled();
  }

 protected:
  bool TryInMemory() override {
    if (!MayTry(options_)) return false;
    ReadOptions options = options_;
    options.read_tier = rocksdb::kBlockCacheTier;
    Read(options, &outcome);
    if (options_.read_tier == rocksdb::kBlockCacheTier ||
        std::none_of(outcome.statuses.begin(), outcome.statuses.end(),
                     [](const Status& s) { return s.IsIncomplete(); })) {
      return true;
    }
    outcome = MultiGetResult();
    return false;
  }
  void Run() override { Read(options_, &result_); }
  void Accept() override { outcome = std::move(result_); }
  void Fail(const Status& failure) override {
    outcome.statuses.assign(keys_.size(), failure);
    outcome.values = std::vector<PinnableSlice>(keys_.size());
  }

 private:
  void Read(const ReadOptions& options, MultiGetResult* result) {
    result->statuses.resize(keys_.size());
    result->values = std::vector<PinnableSlice>(keys_.size());
    db()->MultiGet(options, column_family(), keys_.size(), slices_.data(), result->values.data(),
                   result->statuses.data());
  }

  ReadOptions options_;
  const KeptRequestId request_id_{&options_};
  const std::vector<std::string> keys_;
  const std::vector<Slice> slices_;
  MultiGetResult result_;
};

// A call of the database that has a status and no more.
template <class Operate>
class StatusTask final : public TaskOf<Status> {
 public:
  StatusTask(std::shared_ptr<Core> core, Call call, Operate operate)
      : TaskOf(std::move(core), std::move(call)), operate_(std::move(operate)) {}

 protected:
  void Run() override { result_ = operate_(db(), column_family()); }
  void Accept() override { outcome = std::move(result_); }
  void Fail(const Status& failure) override { outcome = failure; }

 private:
  Operate operate_;
  Status result_;
};

template <class Operate>
Operation<Status> StatusOperation(std::shared_ptr<Core> core, Call call, Operate operate) {
  return Operation<Status>(
      std::make_shared<StatusTask<Operate>>(std::move(core), std::move(call), std::move(operate)));
}

}  // namespace

// ---- Iterators

struct AsyncIterator::Cursor {
  Cursor(ReadOptions read_options, rocksdb::ColumnFamilyHandle* family)
      : options(std::move(read_options)), column_family(family) {
    if (options.cancelled == nullptr) options.cancelled = &cancelled;
  }

  ReadOptions options;
  const KeptRequestId request_id{&options};
  rocksdb::ColumnFamilyHandle* const column_family;  // null: the default one
  // Of the operation that runs.
  std::atomic<bool> cancelled{false};
  // Held by an operation while it runs: one that was cancelled may run on when the next one comes.
  fiber::Mutex mu;
  std::unique_ptr<rocksdb::Iterator> it;  // of `mu`'s holder, null until it is moved
  bool moved = false;                     // of `mu`'s holder
};

namespace {

template <class Result>
class CursorTask : public TaskOf<Result> {
 public:
  CursorTask(std::shared_ptr<Core> core, Call call, std::shared_ptr<AsyncIterator::Cursor> cursor)
      : TaskOf<Result>(std::move(core), std::move(call)), cursor_(std::move(cursor)) {}

 protected:
  void Run() final {
    AsyncIterator::Cursor& cursor = *cursor_;
    fiber::MutexLock lock(&cursor.mu);
    // In this order: a cancellation sets the task's first, then the cursor's.
    cursor.cancelled.store(false, std::memory_order_seq_cst);
    if (this->cancelled_.load(std::memory_order_seq_cst)) {
      cursor.cancelled.store(true, std::memory_order_seq_cst);
      return;  // nobody waits for it
    }
    if (cursor.it == nullptr) {
      rocksdb::ColumnFamilyHandle* const family = cursor.column_family;
      cursor.it.reset(this->db()->NewIterator(cursor.options,
                                              family != nullptr ? family : this->column_family()));
    }
    Move(&cursor, cursor.it.get());
  }
  void OnCancel() final { cursor_->cancelled.store(true, std::memory_order_seq_cst); }
  void Accept() final { this->outcome = std::move(result_); }
  void Fail(const Status& failure) final { this->outcome.status = failure; }

  virtual void Move(AsyncIterator::Cursor* cursor, rocksdb::Iterator* it) = 0;

  Result result_;

 private:
  const std::shared_ptr<AsyncIterator::Cursor> cursor_;
};

enum class Movement { kFirst, kLast, kSeek, kSeekForPrev, kNext, kPrev };

class MoveTask final : public CursorTask<Position> {
 public:
  MoveTask(std::shared_ptr<Core> core, Call call, std::shared_ptr<AsyncIterator::Cursor> cursor,
           Movement movement, std::string target = {})
      : CursorTask(std::move(core), std::move(call), std::move(cursor)),
        movement_(movement),
        target_(std::move(target)) {}

 protected:
  void Move(AsyncIterator::Cursor* cursor, rocksdb::Iterator* it) override {
    cursor->moved = true;
    switch (movement_) {
      case Movement::kFirst:
        it->SeekToFirst();
        break;
      case Movement::kLast:
        it->SeekToLast();
        break;
      case Movement::kSeek:
        it->Seek(target_);
        break;
      case Movement::kSeekForPrev:
        it->SeekForPrev(target_);
        break;
      case Movement::kNext:
      case Movement::kPrev:
        if (!it->Valid()) {
          result_.status = Status::InvalidArgument("the iterator stands nowhere");
          return;
        }
        movement_ == Movement::kNext ? it->Next() : it->Prev();
        break;
    }
    result_.valid = it->Valid();
    if (result_.valid) {
      result_.key = it->key().ToString();
      result_.value = it->value().ToString();
    } else {
      result_.status = it->status();
    }
  }

 private:
  const Movement movement_;
  const std::string target_;
};

class CollectTask final : public CursorTask<Entries> {
 public:
  CollectTask(std::shared_ptr<Core> core, Call call, std::shared_ptr<AsyncIterator::Cursor> cursor,
              size_t max_entries, size_t max_bytes)
      : CursorTask(std::move(core), std::move(call), std::move(cursor)),
        max_entries_(std::max<size_t>(max_entries, 1)),
        max_bytes_(max_bytes) {}

 protected:
  void Move(AsyncIterator::Cursor* cursor, rocksdb::Iterator* it) override {
    if (!cursor->moved) it->SeekToFirst();
    cursor->moved = true;
    size_t bytes = 0;
    for (; it->Valid(); it->Next()) {
      const size_t size = it->key().size() + it->value().size();
      if (!result_.entries.empty() &&
          (result_.entries.size() >= max_entries_ || bytes + size > max_bytes_)) {
        return;
      }
      bytes += size;
      result_.entries.emplace_back(it->key().ToString(), it->value().ToString());
    }
    result_.status = it->status();
    result_.at_end = result_.status.ok();
  }

 private:
  const size_t max_entries_;
  const size_t max_bytes_;
};

}  // namespace

Operation<Position> AsyncIterator::SeekToFirst(Call call) {
  return Operation<Position>(
      std::make_shared<MoveTask>(core_, std::move(call), cursor_, Movement::kFirst));
}
Operation<Position> AsyncIterator::SeekToLast(Call call) {
  return Operation<Position>(
      std::make_shared<MoveTask>(core_, std::move(call), cursor_, Movement::kLast));
}
Operation<Position> AsyncIterator::Seek(std::string target, Call call) {
  return Operation<Position>(std::make_shared<MoveTask>(core_, std::move(call), cursor_,
                                                        Movement::kSeek, std::move(target)));
}
Operation<Position> AsyncIterator::SeekForPrev(std::string target, Call call) {
  return Operation<Position>(std::make_shared<MoveTask>(core_, std::move(call), cursor_,
                                                        Movement::kSeekForPrev, std::move(target)));
}
Operation<Position> AsyncIterator::Next(Call call) {
  return Operation<Position>(
      std::make_shared<MoveTask>(core_, std::move(call), cursor_, Movement::kNext));
}
Operation<Position> AsyncIterator::Prev(Call call) {
  return Operation<Position>(
      std::make_shared<MoveTask>(core_, std::move(call), cursor_, Movement::kPrev));
}
Operation<Entries> AsyncIterator::Collect(size_t max_entries, size_t max_bytes, Call call) {
  return Operation<Entries>(
      std::make_shared<CollectTask>(core_, std::move(call), cursor_, max_entries, max_bytes));
}

// ---- AsyncDB

Status AsyncDB::Create(rocksdb::DB* db, const Options& options, std::unique_ptr<AsyncDB>* async) {
  async->reset();
  if (db == nullptr) return Status::InvalidArgument("no database");
  if (options.max_in_flight == 0 || options.max_in_flight >= Core::kClosed) {
    return Status::InvalidArgument("max_in_flight must be between 1 and 2147483647");
  }
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = options.workers;
  runtime_options.stack_size = options.stack_size;
  runtime_options.name = "async";
  std::unique_ptr<fiber::Runtime> runtime;
  std::string error;
  const int result = fiber::Runtime::create(runtime_options, &runtime, &error);
  if (result == -EINVAL) return Status::InvalidArgument(error);
  if (result != 0) return Status::IOError("cannot start the workers", error);
  async->reset(new AsyncDB(std::make_shared<Core>(db, options, std::move(runtime))));
  return Status::OK();
}

AsyncDB::~AsyncDB() { Close().PermitUncheckedError(); }

Status AsyncDB::Close(InFlight in_flight) { return core_->Close(in_flight == InFlight::kCancel); }

size_t AsyncDB::in_flight() const { return core_->inside(); }

Operation<GetResult> AsyncDB::Get(const ReadOptions& options, std::string key, Call call) {
  return Operation<GetResult>(
      std::make_shared<GetTask>(core_, std::move(call), options, std::move(key)));
}

Operation<MultiGetResult> AsyncDB::MultiGet(const ReadOptions& options,
                                            std::vector<std::string> keys, Call call) {
  return Operation<MultiGetResult>(
      std::make_shared<MultiGetTask>(core_, std::move(call), options, std::move(keys)));
}

Operation<Status> AsyncDB::Put(const rocksdb::WriteOptions& options, std::string key,
                               std::string value, Call call) {
  return StatusOperation(core_, std::move(call),
                         [options, key = std::move(key), value = std::move(value)](
                             rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
                           return db->Put(options, family, key, value);
                         });
}

Operation<Status> AsyncDB::Delete(const rocksdb::WriteOptions& options, std::string key,
                                  Call call) {
  return StatusOperation(
      core_, std::move(call),
      [options, key = std::move(key)](rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
        return db->Delete(options, family, key);
      });
}

Operation<Status> AsyncDB::Write(const rocksdb::WriteOptions& options, rocksdb::WriteBatch batch,
                                 Call call) {
  return StatusOperation(
      core_, std::move(call),
      [options, batch = std::move(batch)](rocksdb::DB* db, rocksdb::ColumnFamilyHandle*) mutable {
        return db->Write(options, &batch);
      });
}

Operation<Status> AsyncDB::Flush(const rocksdb::FlushOptions& options, Call call) {
  return StatusOperation(core_, std::move(call),
                         [options](rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
                           return db->Flush(options, family);
                         });
}

std::unique_ptr<AsyncIterator> AsyncDB::NewIterator(const ReadOptions& options,
                                                    rocksdb::ColumnFamilyHandle* column_family) {
  return std::make_unique<AsyncIterator>(
      core_, std::make_shared<AsyncIterator::Cursor>(options, column_family));
}

}  // namespace cairn::async
