#include "sim/transaction_world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/coding.h"
#include "rocksdb/utilities/secondary_index_simple.h"
#include "sim/life_options.h"

namespace cairn::sim {

using rocksdb::Status;

namespace {

constexpr char kPath[] = "/db";

}  // namespace

std::string TransactionWorld::KeyNumber(uint64_t number) {
  char text[16];
  std::snprintf(text, sizeof(text), "list/%03d", static_cast<int>(number));
  return text;
}

TransactionWorld::TransactionWorld(const Plan& plan, History* history) : Machine(plan, history) {
  for (size_t i = 0; i < plan.clients.size(); ++i) {
    clients_.push_back(
        std::make_unique<TransactionClient>(this, static_cast<int>(i), plan.clients[i]));
  }
}

void TransactionWorld::Play() {
  for (size_t i = 0; i < plan_.lives.size() && !history_->violated(); ++i) {
    PlayLife(i, plan_.lives[i]);
  }
}

void TransactionWorld::NoteDurable(uint64_t begin) {
  durable_ = std::max(durable_, begin);
  NotePromise();
}

bool TransactionWorld::Open(const LifePlan& life, How how, bool begins_life) {
  const rocksdb::Options options = OptionsOfLife(plan_, life, env_.get(), begins_life, &cache_);
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = FamiliesWith(options);
  Status s;
  if (how == How::kPessimistic) {
    rocksdb::TransactionDBOptions own;
    own.write_policy = static_cast<rocksdb::TxnDBWritePolicy>(plan_.write_policy);
    own.num_stripes = 1 + life.seed % 4;
    own.default_lock_timeout = static_cast<int64_t>(life.seed / 4 % 50);
    if (plan_.indexed) {
      index_ = std::make_shared<rocksdb::SimpleSecondaryIndex>("");
      own.secondary_indices.push_back(index_);
    }
    s = rocksdb::TransactionDB::Open(options, own, kPath, families, &families_, &pessimistic_);
    db_.reset(pessimistic_);
    if (s.ok() && plan_.indexed) {
      index_->SetPrimaryColumnFamily(families_.front());
      index_->SetSecondaryColumnFamily(families_.back());
    }
  } else {
    rocksdb::OptimisticTransactionDBOptions own;
    own.validate_policy = how == How::kOptimistic ? rocksdb::OccValidationPolicy::kValidateParallel
                                                  : rocksdb::OccValidationPolicy::kValidateSerial;
    own.occ_lock_buckets = 16;
    s = rocksdb::OptimisticTransactionDB::Open(options, own, kPath, families, &families_,
                                               &optimistic_);
    db_.reset(optimistic_);
  }
  history_->Note(-1, "opens", std::to_string(static_cast<int>(how)), s.ToString());
  if (!s.ok() && !power_is_off_) history_->Violation("Open: " + s.ToString());
  return s.ok();
}

void TransactionWorld::Close(std::string_view what) {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  const Status s = db_->Close();
  history_->Note(-1, "closes", "", s.ToString());
  if (!s.ok()) history_->Violation(std::string(what) + ": " + s.ToString());
  Abandon();
}

void TransactionWorld::Abandon() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  db_.reset();
  pessimistic_ = nullptr;
  optimistic_ = nullptr;
}

void TransactionWorld::PlayLife(size_t number, const LifePlan& life) {
  history_->Note(-1, "begins life", std::to_string(number), "");
  power_is_off_ = over_ = false;
  durable_ = 0;
  records_.clear();
  // (Of the other policies nobody else opens the logs, and nobody else keeps an index.)
  const bool either = plan_.write_policy == rocksdb::WRITE_COMMITTED && !plan_.indexed;
  const How how = life.seed % 2 == 0 || !either ? How::kPessimistic
                  : life.seed % 4 == 1          ? How::kOptimistic
                                                : How::kOptimisticSerial;
  stamps_snapshots_ = plan_.write_policy == rocksdb::WRITE_COMMITTED && how == How::kPessimistic;
  released_below_ = 0;
  if (number != 0) CutPowerAfterChanges(life.cut_at_change);
  const bool is_open = Open(life, how, /*begins_life=*/true);
  if (number == 0) CutPowerAfterChanges(life.cut_at_change);
  promises_left_ = life.ending == Ending::kPowerCut ? life.cut_at_promise : 0;
  if (is_open) RunClients(life, clients_, [](uint64_t) {});
  CutPowerAfterChanges(0);
  Restart restart;
  for (const auto& client : clients_) client->EndLife();
  if (!power_is_off_ && !history_->violated()) {
    CheckLocks();
    ++history_->counts.clean_restarts;
    Close("Close");
    restart.clean = true;
  }
  if (power_is_off_) LosePower(life, life.seed);
  if (history_->violated() || !Recover(life, &restart)) return Abandon();
  restart.durable = durable_;
  if (ReadLists(&restart.lists)) {
    const std::string wrong = CheckTransactions(before_, records_, restart);
    if (!wrong.empty()) history_->Violation(wrong);
    before_ = restart.lists;
    if (!history_->violated()) DecidePrepared(life, restart, &before_);
  }
  if (!history_->violated()) Close("Close after recovery");
  Abandon();
}

// Nobody has a transaction any more.
void TransactionWorld::CheckLocks() {
  if (pessimistic_ == nullptr) return;
  for (const auto& [family, lock] : pessimistic_->GetLockStatusData()) {
    history_->Violation("a lock is left on " + lock.key + " of family " + std::to_string(family));
  }
}

void TransactionWorld::LosePower(const LifePlan& life, uint64_t seed) {
  Abandon();
  DropUnsynced(life, seed);
}

// False: it cannot be opened.
bool TransactionWorld::Recover(const LifePlan& life, Restart* restart) {
  const auto lose_power = [&](uint64_t seed) {
    LosePower(life, seed);
    restart->clean = false;
  };
  return Reopen(
      life, [&] { return Open(life, How::kPessimistic, /*begins_life=*/false); }, lose_power);
}

void TransactionWorld::DecidePrepared(const LifePlan& life, const Restart& restart, Lists* lists) {
  std::vector<rocksdb::Transaction*> prepared;
  pessimistic_->GetAllPreparedTransactions(&prepared);
  std::map<uint32_t, rocksdb::Transaction*> by_id;
  std::set<uint32_t> ids;
  for (rocksdb::Transaction* transaction : prepared) {
    const std::string name = transaction->GetName();
    const auto id = static_cast<uint32_t>(std::strtoul(name.c_str() + 1, nullptr, 10));
    ids.insert(id);
    by_id[id] = transaction;
  }
  const std::string wrong = CheckPrepared(records_, restart, ids);
  if (!wrong.empty()) return history_->Violation(wrong);
  for (const TransactionRecord& record : records_) {
    const auto found = by_id.find(record.id);
    if (found == by_id.end()) continue;
    std::set<std::string> locked;
    for (const auto& [family, lock] : pessimistic_->GetLockStatusData()) locked.insert(lock.key);
    for (const auto& append : record.appends) {
      if (locked.contains(append.key)) continue;
      history_->Violation(record.Name() + " is prepared, and has no lock on " + append.key);
    }
    const bool commit = (life.seed + record.id) % 3 != 0;
    const Status s = commit ? found->second->Commit() : found->second->Rollback();
    history_->Note(-1, commit ? "commits" : "rolls back", record.Name(), s.ToString());
    if (!s.ok()) history_->Violation(record.Name() + " is not decided: " + s.ToString());
    delete found->second;
    if (!commit) continue;
    for (const auto& append : record.appends) (*lists)[append.key].push_back(append.token);
  }
  Lists found;
  if (!ReadLists(&found)) return;
  for (auto& [key, list] : *lists) {
    if (list == found[key]) continue;
    history_->Violation("after the decisions " + key + " = " + TextOf(found[key]) + ", expected " +
                        TextOf(list));
  }
  CheckLocks();
}

bool TransactionWorld::ReadLists(Lists* lists) {
  for (uint64_t number = 0; number < plan_.keys; ++number) {
    const std::string key = KeyNumber(number);
    std::string value;
    const Status s = db_->Get(rocksdb::ReadOptions(), family_of(number), key, &value);
    const std::optional<TokenList> list = ListOf(value);
    if ((!s.ok() && !s.IsNotFound()) || !list) {
      history_->Violation("after the restart " + key + ": " +
                          s.ToString().append(" ").append(value));
      return false;
    }
    if (s.ok()) (*lists)[key] = *list;
  }
  if (const Status s = CheckIndex(rocksdb::ReadOptions()); !s.ok()) {
    history_->Violation("after the restart the index cannot be read: " + s.ToString());
  }
  return !history_->violated();
}

Status TransactionWorld::CheckIndex(const rocksdb::ReadOptions& options) {
  if (!plan_.indexed) return Status::OK();
  std::set<std::string> expected, found;
  for (uint64_t number = 0; number < plan_.keys; number += families_.size()) {
    const std::string key = KeyNumber(number);
    std::string value, entry;
    const Status s = db_->Get(options, families_.front(), key, &value);
    if (!s.ok() && !s.IsNotFound()) return s;
    PutLengthPrefixedSlice(&entry, value);
    if (s.ok()) expected.insert(entry + key);
  }
  rocksdb::ReadOptions in_order = options;
  in_order.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(in_order, families_.back()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    // (Beside them are lists, whose keys are shorter.)
    if (it->key().size() != KeyNumber(0).size()) found.insert(it->key().ToString());
  }
  if (!it->status().ok()) return it->status();
  for (const auto& [what, some, others] :
       {std::tuple("has no entry ", &expected, &found), {"has an entry ", &found, &expected}}) {
    for (const std::string& entry : *some) {
      if (!others->contains(entry)) history_->Violation("the index " + (what + entry));
    }
  }
  return Status::OK();
}

}  // namespace cairn::sim
