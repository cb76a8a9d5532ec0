// A client of a world of transactions: a fiber or a thread that runs one after the other, and
// records what each read, appended and came to.

#ifndef CAIRN_SIM_TRANSACTION_CLIENT_H_
#define CAIRN_SIM_TRANSACTION_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/transaction.h"
#include "sim/plan.h"
#include "sim/serializability.h"

namespace cairn::sim {

class TransactionWorld;

class TransactionClient {
 public:
  TransactionClient(TransactionWorld* world, int id, const Plan::ClientPlan& plan)
      : world_(world), id_(id), plan_(plan) {}

  // Runs the operations of a life, until `count` are done, the world ends or a write has failed.
  void Run(uint64_t count);
  // Lets go of what it left prepared, and forgets the snapshots: before the database goes.
  void EndLife() {
    prepared_.clear();
    stamped_.clear();
  }

  const Plan::ClientPlan& plan() const { return plan_; }

 private:
  // One that is under way.
  struct Running {
    std::unique_ptr<rocksdb::Transaction> transaction;
    TransactionRecord record;
    struct SavePoint {
      size_t appends, reads;
    };
    std::vector<SavePoint> save_points;
    uint32_t appended = 0;
    bool expires = false;  // somebody else may have taken its locks: there is nothing to go back to
  };

  // A commit that took a snapshot with a timestamp.
  struct Stamped {
    rocksdb::TxnTimestamp timestamp;
    uint64_t begin, end;  // of the commit
    std::vector<TransactionRecord::Append> appends;
  };

  void Step();
  void RunTransaction();
  std::unique_ptr<rocksdb::Transaction> Begin(const rocksdb::WriteOptions& writing, bool* expires);
  // False: it is to be rolled back.
  bool Work(Running* running);
  bool Read(Running* running, uint64_t key, bool and_append);
  bool Append(Running* running, uint64_t key);
  bool SavePoint(Running* running);
  void End(Running* running, bool commit);
  // False: it is over, or left as it is.
  bool Prepare(Running* running);
  void RollBack(Running* running);
  void WritePlainly();
  void LookAtAll();
  // The same at the snapshot of a commit of before.
  void LookBack();
  // Adds what all keys have at the snapshot to the reads.
  rocksdb::Status ReadAll(const rocksdb::Snapshot* snapshot, TransactionRecord* record);
  // Of one that only read.
  void RecordLook(TransactionRecord record);
  rocksdb::Status Commit(Running* running);
  void Administer();
  // Whether an operation of a transaction succeeded; another one may stand in its way.
  bool Went(std::string_view what, std::string_view key, const rocksdb::Status& s);
  // Notes what came of a commit, or of a plain write.
  void NoteCommit(const rocksdb::Status& s, bool synced, TransactionRecord* record);
  rocksdb::WriteOptions Writing();
  uint64_t DrawKey();
  void Think(uint64_t most_nanos);

  TransactionWorld* const world_;
  const int id_;
  const Plan::ClientPlan plan_;
  uint64_t number_ = 0;  // of the operation, over all lives
  Random64 random_{0};   // of the operation
  bool stopped_ = false;
  // Neither committed nor rolled back in this life.
  std::vector<std::unique_ptr<rocksdb::Transaction>> prepared_;
  std::vector<Stamped> stamped_;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_TRANSACTION_CLIENT_H_
