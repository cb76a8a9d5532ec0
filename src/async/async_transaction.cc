// Operations of a transaction (cairn/async.h). One runs at a time, behind the state's mutex.
//
// An operation lets the state go at the end of Run(), before it leaves the core: so the transaction
// of a dropped AsyncTransaction is gone when Close() returns, unless a callback that has not run
// yet belongs to an operation that never began.
#include <string>
#include <utility>
#include <vector>

#include "async/core.h"
#include "rocksdb/utilities/transaction.h"

namespace cairn::async {

struct AsyncTransaction::State {
  explicit State(std::unique_ptr<rocksdb::Transaction> made) : txn(std::move(made)) {}

  // Held by an operation while it runs: one that was cancelled may run on when the next one comes.
  fiber::Mutex mu;
  const std::unique_ptr<rocksdb::Transaction> txn;  // of `mu`'s holder
};

namespace {

using detail::Core;
using detail::TaskOf;
using rocksdb::PinnableSlice;
using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Transaction;
using State = std::shared_ptr<AsyncTransaction::State>;

template <class Result>
class TransactionTask : public TaskOf<Result> {
 public:
  TransactionTask(std::shared_ptr<Core> core, Call call, State state)
      : TaskOf<Result>(std::move(core), std::move(call)), state_(std::move(state)) {}

 protected:
  bool TryInMemory() final {
    AsyncTransaction::State& state = *state_;
    if (!state.mu.try_lock()) return false;
    const bool done = TryWith(state.txn.get());
    state.mu.unlock();
    return done;
  }
  void Run() final {
    const State state = std::move(state_);
    fiber::MutexLock lock(&state->mu);
    // Else nobody waits for it, and it is not to begin.
    if (!this->cancelled()->load(std::memory_order_acquire)) RunWith(state->txn.get());
  }
  void Accept() final { this->outcome = std::move(result_); }
  bool TakesPlace() const final { return false; }

  // As TryInMemory(); the outcome is the task's.
  virtual bool TryWith(Transaction* /*txn*/) { return false; }
  virtual void RunWith(Transaction* txn) = 0;

  Result result_;

 private:
  State state_;  // until Run()
};

class TransactionGet final : public TransactionTask<GetResult> {
 public:
  TransactionGet(std::shared_ptr<Core> core, Call call, State state, const ReadOptions& options,
                 std::string key)
      : TransactionTask(std::move(core), std::move(call), std::move(state)),
        options_(options),
        key_(std::move(key)) {
    options_.deadline = detail::Nearer(options_.deadline, deadline());
    if (options_.cancelled == nullptr) options_.cancelled = cancelled();
  }

 protected:
  bool TryWith(Transaction* txn) override {
    if (!detail::MayTry(options_)) return false;
    ReadOptions options = options_;
    options.read_tier = rocksdb::kBlockCacheTier;
    outcome.status = txn->Get(options, column_family(), key_, &outcome.value);
    if (!outcome.status.IsIncomplete() || options_.read_tier == rocksdb::kBlockCacheTier) {
      return true;
    }
    outcome.value.Reset();
    return false;
  }
  void RunWith(Transaction* txn) override {
    result_.status = txn->Get(options_, column_family(), key_, &result_.value);
  }
  void Fail(const Status& failure) override { outcome.status = failure; }

 private:
  ReadOptions options_;
  const detail::KeptRequestId request_id_{&options_};
  const std::string key_;
};

class TransactionGetForUpdate final : public TransactionTask<GetResult> {
 public:
  TransactionGetForUpdate(std::shared_ptr<Core> core, Call call, State state,
                          const ReadOptions& options, std::string key, bool exclusive)
      : TransactionTask(std::move(core), std::move(call), std::move(state)),
        options_(options),
        key_(std::move(key)),
        exclusive_(exclusive) {
    options_.deadline = detail::Nearer(options_.deadline, deadline());
    if (options_.cancelled == nullptr) options_.cancelled = cancelled();
  }

 protected:
  void RunWith(Transaction* txn) override {
    result_.status = txn->GetForUpdate(options_, column_family(), key_, &result_.value, exclusive_);
  }
  void Fail(const Status& failure) override { outcome.status = failure; }

 private:
  ReadOptions options_;
  const detail::KeptRequestId request_id_{&options_};
  const std::string key_;
  const bool exclusive_;
};

class TransactionMultiGet final : public TransactionTask<MultiGetResult> {
 public:
  TransactionMultiGet(std::shared_ptr<Core> core, Call call, State state,
                      const ReadOptions& options, std::vector<std::string> keys, bool for_update)
      : TransactionTask(std::move(core), std::move(call), std::move(state)),
        options_(options),
        keys_(std::move(keys)),
        for_update_(for_update) {
    options_.deadline = detail::Nearer(options_.deadline, deadline());
    if (options_.cancelled == nullptr) options_.cancelled = cancelled();
  }

 protected:
  void RunWith(Transaction* txn) override {
    const std::vector<Slice> keys(keys_.begin(), keys_.end());
    result_.values = std::vector<PinnableSlice>(keys.size());
    if (!for_update_) {
      result_.statuses.resize(keys.size());
      txn->MultiGet(options_, column_family(), keys.size(), keys.data(), result_.values.data(),
                    result_.statuses.data());
      return;
    }
    std::vector<std::string> values;
    result_.statuses = txn->MultiGetForUpdate(
        options_, std::vector<rocksdb::ColumnFamilyHandle*>(keys.size(), column_family()), keys,
        &values);
    for (size_t i = 0; i < values.size(); ++i) {
      *result_.values[i].GetSelf() = std::move(values[i]);
      result_.values[i].PinSelf();
    }
  }
  void Fail(const Status& failure) override {
    outcome.statuses.assign(keys_.size(), failure);
    outcome.values = std::vector<PinnableSlice>(keys_.size());
  }

 private:
  ReadOptions options_;
  const detail::KeptRequestId request_id_{&options_};
  const std::vector<std::string> keys_;
  const bool for_update_;
};

// What has a status and no more: operate(transaction, column family).
template <class Operate>
class TransactionCall final : public TransactionTask<Status> {
 public:
  TransactionCall(std::shared_ptr<Core> core, Call call, State state, Operate operate)
      : TransactionTask(std::move(core), std::move(call), std::move(state)),
        operate_(std::move(operate)) {}

 protected:
  void RunWith(Transaction* txn) override { result_ = operate_(txn, column_family()); }
  void Fail(const Status& failure) override { outcome = failure; }

 private:
  Operate operate_;
};

template <class Operate>
Operation<Status> CallOperation(const std::shared_ptr<Core>& core, Call call, const State& state,
                                Operate operate) {
  return Operation<Status>(
      std::make_shared<TransactionCall<Operate>>(core, std::move(call), state, std::move(operate)));
}

}  // namespace

Operation<GetResult> AsyncTransaction::Get(const ReadOptions& options, std::string key, Call call) {
  return Operation<GetResult>(
      std::make_shared<TransactionGet>(core_, std::move(call), state_, options, std::move(key)));
}
Operation<MultiGetResult> AsyncTransaction::MultiGet(const ReadOptions& options,
                                                     std::vector<std::string> keys, Call call) {
  return Operation<MultiGetResult>(std::make_shared<TransactionMultiGet>(
      core_, std::move(call), state_, options, std::move(keys), /*for_update=*/false));
}
Operation<GetResult> AsyncTransaction::GetForUpdate(const ReadOptions& options, std::string key,
                                                    bool exclusive, Call call) {
  return Operation<GetResult>(std::make_shared<TransactionGetForUpdate>(
      core_, std::move(call), state_, options, std::move(key), exclusive));
}
Operation<MultiGetResult> AsyncTransaction::MultiGetForUpdate(const ReadOptions& options,
                                                              std::vector<std::string> keys,
                                                              Call call) {
  return Operation<MultiGetResult>(std::make_shared<TransactionMultiGet>(
      core_, std::move(call), state_, options, std::move(keys), /*for_update=*/true));
}
Operation<Status> AsyncTransaction::Put(std::string key, std::string value, Call call) {
  return CallOperation(core_, std::move(call), state_,
                       [key = std::move(key), value = std::move(value)](
                           Transaction* txn, rocksdb::ColumnFamilyHandle* family) {
                         return txn->Put(family, key, value);
                       });
}
Operation<Status> AsyncTransaction::Merge(std::string key, std::string value, Call call) {
  return CallOperation(core_, std::move(call), state_,
                       [key = std::move(key), value = std::move(value)](
                           Transaction* txn, rocksdb::ColumnFamilyHandle* family) {
                         return txn->Merge(family, key, value);
                       });
}
Operation<Status> AsyncTransaction::Delete(std::string key, Call call) {
  return CallOperation(
      core_, std::move(call), state_,
      [key = std::move(key)](Transaction* txn, rocksdb::ColumnFamilyHandle* family) {
        return txn->Delete(family, key);
      });
}
Operation<Status> AsyncTransaction::Write(rocksdb::WriteBatch batch, Call call) {
  return CallOperation(
      core_, std::move(call), state_,
      [batch = std::move(batch)](Transaction* txn, rocksdb::ColumnFamilyHandle*) mutable {
        return txn->RebuildFromWriteBatch(&batch);
      });
}
Operation<Status> AsyncTransaction::Commit(Call call) {
  return CallOperation(
      core_, std::move(call), state_,
      [](Transaction* txn, rocksdb::ColumnFamilyHandle*) { return txn->Commit(); });
}
Operation<Status> AsyncTransaction::Rollback(Call call) {
  return CallOperation(
      core_, std::move(call), state_,
      [](Transaction* txn, rocksdb::ColumnFamilyHandle*) { return txn->Rollback(); });
}
Operation<Status> AsyncTransaction::Do(std::function<Status(Transaction*)> work, Call call) {
  return CallOperation(core_, std::move(call), state_,
                       [work = std::move(work)](Transaction* txn, rocksdb::ColumnFamilyHandle*) {
                         return work(txn);
                       });
}

std::unique_ptr<AsyncTransaction> AsyncDB::Transact(std::unique_ptr<Transaction> transaction) {
  return std::make_unique<AsyncTransaction>(
      core_, std::make_shared<AsyncTransaction::State>(std::move(transaction)));
}

}  // namespace cairn::async
