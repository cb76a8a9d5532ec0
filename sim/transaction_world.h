// A simulated world of transactions: clients that read and append to the same few lists within
// transactions of all kinds, on a database that ends its lives by closes and power cuts, and is
// opened as a TransactionDB or as an OptimisticTransactionDB in turn; or always as a TransactionDB,
// of another write policy, or with a secondary index. What they saw, and what is left of it, must
// be explained by some order of the transactions (sim/serializability.h), and when all have ended
// no lock may be left.

#ifndef CAIRN_SIM_TRANSACTION_WORLD_H_
#define CAIRN_SIM_TRANSACTION_WORLD_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/secondary_index.h"
#include "rocksdb/utilities/transaction_db.h"
#include "sim/history.h"
#include "sim/machine.h"
#include "sim/plan.h"
#include "sim/serializability.h"
#include "sim/transaction_client.h"

namespace cairn::sim {

class TransactionWorld : public Machine {
 public:
  static std::string KeyNumber(uint64_t number);

  // `plan`: of Plan::TransactionsFromSeed().
  TransactionWorld(const Plan& plan, History* history);

  // Plays all lives, or until the first violation.
  void Play();

  // --- For the clients.
  rocksdb::DB* db() { return db_.get(); }
  rocksdb::TransactionDB* pessimistic() { return pessimistic_; }  // null: it is the other one
  rocksdb::OptimisticTransactionDB* optimistic() { return optimistic_; }
  rocksdb::ColumnFamilyHandle* family_of(uint64_t key) { return families_[key % families_.size()]; }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }
  bool power_is_off() const { return power_is_off_; }
  // All that was acknowledged before `begin` is durable.
  void NoteDurable(uint64_t begin);
  // Which no other transaction of the world has.
  uint32_t NewId() { return ++last_id_; }
  // Whether its commits may take snapshots with timestamps; the next timestamp; those below which
  // they may have been released.
  bool stamps_snapshots() const { return stamps_snapshots_; }
  rocksdb::TxnTimestamp NewTimestamp() { return ++last_timestamp_; }
  // That the transaction's commit took one; its timestamp, or 0.
  void NoteStamped(uint32_t transaction, rocksdb::TxnTimestamp timestamp) {
    stamped_[transaction] = timestamp;
  }
  rocksdb::TxnTimestamp TimestampOf(uint32_t transaction) const {
    const auto found = stamped_.find(transaction);
    return found == stamped_.end() ? 0 : found->second;
  }
  void NoteReleased(rocksdb::TxnTimestamp below) {
    released_below_ = std::max(released_below_, below);
  }
  rocksdb::TxnTimestamp released_below() const { return released_below_; }
  // The entries of the index, if there is one, must be those of the lists that `options` shows.
  rocksdb::Status CheckIndex(const rocksdb::ReadOptions& options);
  void Record(TransactionRecord record) { records_.push_back(std::move(record)); }

 private:
  enum class How { kPessimistic, kOptimistic, kOptimisticSerial };

  void PlayLife(size_t number, const LifePlan& life);
  // False: it cannot be opened, which is a violation unless the power is off.
  bool Open(const LifePlan& life, How how, bool begins_life);
  void Close(std::string_view what);
  void Abandon();
  void LosePower(const LifePlan& life, uint64_t seed);
  bool Recover(const LifePlan& life, Restart* restart);
  bool ReadLists(Lists* lists);
  // Commits or rolls back what is prepared, and brings *lists to what they must be then.
  void DecidePrepared(const LifePlan& life, const Restart& restart, Lists* lists);
  void CheckLocks();

  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::TransactionDB* pessimistic_ = nullptr;  // db_, as one of the two
  rocksdb::OptimisticTransactionDB* optimistic_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::shared_ptr<rocksdb::SecondaryIndex> index_;  // of the first family's lists, in the last
  std::vector<std::unique_ptr<TransactionClient>> clients_;
  uint64_t durable_ = 0;  // virtual nanoseconds
  uint32_t last_id_ = 0;
  bool stamps_snapshots_ = false;
  rocksdb::TxnTimestamp last_timestamp_ = 0;
  rocksdb::TxnTimestamp released_below_ = 0;
  std::map<uint32_t, rocksdb::TxnTimestamp> stamped_;  // of all lives
  Lists before_;                                       // when the life began
  std::vector<TransactionRecord> records_;             // of the life
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_TRANSACTION_WORLD_H_
