// TransactionDB: opening, plain writes beside transactions, names.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/timestamps.h"
#include "batch/batch_reader.h"
#include "db/db_impl.h"
#include "utilities/indexed_transaction.h"
#include "utilities/pessimistic_transaction.h"

namespace cairn {
namespace {

LockTable::Options LocksOf(const TransactionDBOptions& options) {
  return {options.num_stripes, options.max_num_locks, options.max_num_deadlocks,
          options.custom_mutex_factory};
}

std::shared_ptr<RangeLocks> RangesOf(const TransactionDBOptions& options) {
  return std::dynamic_pointer_cast<RangeLocks>(options.lock_mgr_handle);
}

uint32_t IdOf(ColumnFamilyHandle* family) { return family == nullptr ? 0 : family->GetID(); }

const char* NameOf(TxnDBWritePolicy policy) {
  if (policy == WRITE_COMMITTED) return "WRITE_COMMITTED";
  return policy == WRITE_PREPARED ? "WRITE_PREPARED" : "WRITE_UNPREPARED";
}

Status CheckOptions(const DBOptions& db_options, const TransactionDBOptions& options) {
  if (options.write_policy < WRITE_COMMITTED || options.write_policy > WRITE_UNPREPARED) {
    return Status::InvalidArgument("TransactionDBOptions::write_policy",
                                   std::to_string(static_cast<int>(options.write_policy)));
  }
  if (options.lock_mgr_handle != nullptr && RangesOf(options) == nullptr) {
    return Status::NotSupported("TransactionDBOptions::lock_mgr_handle",
                                "not made by NewRangeLockManager()");
  }
  for (const std::shared_ptr<SecondaryIndex>& index : options.secondary_indices) {
    if (index == nullptr) {
      return Status::InvalidArgument("TransactionDBOptions::secondary_indices", "one is null");
    }
  }
  // (An entry is written once and removed once. What these log to undo a section writes the keys
  // of the section anew, entries that are there included.)
  if (!options.secondary_indices.empty() && options.write_policy != WRITE_COMMITTED) {
    return Status::NotSupported(
        std::string("TransactionDBOptions::secondary_indices need WRITE_COMMITTED, not ") +
        NameOf(options.write_policy));
  }
  if (db_options.unordered_write) {
    return Status::NotSupported(std::string(NameOf(options.write_policy)) +
                                " is incompatible with unordered_writes");
  }
  return Status::OK();
}

}  // namespace

Status CheckTimestamps(const Comparator* comparator, TxnDBWritePolicy policy) {
  const size_t size = comparator == nullptr ? 0 : comparator->timestamp_size();
  if (size == 0) return Status::OK();
  if (size != sizeof(TxnTimestamp)) {
    return Status::InvalidArgument(
        "timestamps in transactions have 8 bytes, those of " + std::string(comparator->Name()),
        std::to_string(size));
  }
  if (policy == WRITE_COMMITTED) return Status::OK();
  return Status::NotSupported(
      std::string("a comparator with timestamps needs WRITE_COMMITTED, not ") + NameOf(policy),
      comparator->Name());
}

namespace {

Status CheckAllTimestamps(const std::vector<ColumnFamilyDescriptor>& families,
                          TxnDBWritePolicy policy) {
  Status s;
  for (size_t i = 0; s.ok() && i < families.size(); ++i) {
    s = CheckTimestamps(families[i].options.comparator, policy);
  }
  return s;
}

}  // namespace

PessimisticDb::PessimisticDb(std::unique_ptr<DB>&& db, const TransactionDBOptions& options)
    : TransactionDB(std::move(db)),
      impl_(static_cast<DBImpl*>(db_->GetRootDB())),
      options_(options),
      locks_(LocksOf(options)),
      range_locks_(RangesOf(options)),
      indices_(options.secondary_indices) {}

PessimisticDb::~PessimisticDb() {
  while (true) {
    Transaction* left = nullptr;
    {
      fiber::MutexLock lock(&names_mutex_);
      for (const auto& [name, transaction] : names_) {
        if (transaction != nullptr) left = transaction;
      }
    }
    if (left == nullptr) break;
    delete left;
  }
  if (has_range_locks_) range_locks_->Detach();
}

Status PessimisticDb::TakeRangeLocks() {
  if (range_locks_ == nullptr) return Status::OK();
  has_range_locks_ = range_locks_->Attach();
  return has_range_locks_ ? Status::OK()
                          : Status::InvalidArgument("TransactionDBOptions::lock_mgr_handle",
                                                    "another open database uses it");
}

Status PessimisticDb::TakeRecovered() {
  WriteOptions options;
  options.sync = true;  // as in RocksDB
  for (const auto& [name, section] : impl_->TakeRecovered()) {
    std::unique_ptr<PessimisticTransaction> transaction =
        NewTransaction(options, TransactionOptions());
    Status s = transaction->Recover(name, section);
    if (!s.ok()) return s;
    (void)transaction.release();  // it is found by its name, and goes with the database
  }
  return Status::OK();
}

int64_t PessimisticDb::Micros(int64_t millis) {
  constexpr int64_t kMicrosPerMilli = 1000;
  if (millis < 0) return -1;
  return std::min(millis, std::numeric_limits<int64_t>::max() / kMicrosPerMilli) * kMicrosPerMilli;
}

std::unique_ptr<PessimisticTransaction> PessimisticDb::NewTransaction(
    const WriteOptions& write_options, const TransactionOptions& options) {
  if (indices_.empty()) [[likely]] {
    return std::make_unique<PessimisticTransaction>(this, write_options, options);
  }
  return std::make_unique<IndexedTransaction>(this, write_options, options);
}

Transaction* PessimisticDb::BeginTransaction(const WriteOptions& write_options,
                                             const TransactionOptions& txn_options,
                                             Transaction* old_txn) {
  if (old_txn == nullptr) return NewTransaction(write_options, txn_options).release();
  static_cast<PessimisticTransaction*>(old_txn)->Begin(write_options, txn_options);
  return old_txn;
}

// --- Names

bool PessimisticDb::Register(const TransactionName& name, Transaction* transaction) {
  fiber::MutexLock lock(&names_mutex_);
  return names_.emplace(name, transaction).second;
}

void PessimisticDb::Unregister(const TransactionName& name, bool stays) {
  fiber::MutexLock lock(&names_mutex_);
  if (stays) {
    names_[name] = nullptr;
  } else {
    names_.erase(name);
  }
}

Transaction* PessimisticDb::GetTransactionByName(const TransactionName& name) {
  fiber::MutexLock lock(&names_mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

void PessimisticDb::GetAllPreparedTransactions(std::vector<Transaction*>* trans) {
  trans->clear();
  fiber::MutexLock lock(&names_mutex_);
  for (const auto& [name, transaction] : names_) {
    if (transaction != nullptr && transaction->GetState() == Transaction::PREPARED) {
      trans->push_back(transaction);
    }
  }
}

// --- Families that are created

Status PessimisticDb::CreateColumnFamily(const ColumnFamilyOptions& options,
                                         const std::string& name, ColumnFamilyHandle** handle) {
  Status s = CheckTimestamps(options.comparator, options_.write_policy);
  return s.ok() ? StackableDB::CreateColumnFamily(options, name, handle) : s;
}
Status PessimisticDb::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                           const std::vector<std::string>& names,
                                           std::vector<ColumnFamilyHandle*>* handles) {
  Status s = CheckTimestamps(options.comparator, options_.write_policy);
  return s.ok() ? StackableDB::CreateColumnFamilies(options, names, handles) : s;
}
Status PessimisticDb::CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& families,
                                           std::vector<ColumnFamilyHandle*>* handles) {
  Status s = CheckAllTimestamps(families, options_.write_policy);
  return s.ok() ? StackableDB::CreateColumnFamilies(families, handles) : s;
}
Status PessimisticDb::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& name,
    const ImportColumnFamilyOptions& import_options,
    const std::vector<const ExportImportFilesMetaData*>& metadatas, ColumnFamilyHandle** handle) {
  Status s = CheckTimestamps(options.comparator, options_.write_policy);
  if (!s.ok()) return s;
  return StackableDB::CreateColumnFamilyWithImport(options, name, import_options, metadatas,
                                                   handle);
}

// --- What is locked

const Comparator* PessimisticDb::RangeComparatorOf(uint32_t family) const {
  if (range_locks_ == nullptr) return nullptr;
  const std::unique_ptr<ColumnFamilyHandle> handle = impl_->HandleOf(family);
  return handle == nullptr ? nullptr : handle->GetComparator();
}

Status PessimisticDb::LockKey(LockOwner* owner, uint64_t hash, uint32_t family,
                              const Comparator* comparator, const Slice& key, bool exclusive,
                              int64_t timeout_us) {
  if (range_locks_ == nullptr) [[likely]] {
    return locks_.Lock(owner, hash, family, key, exclusive, timeout_us);
  }
  if (comparator == nullptr) return Status::OK();  // of no such family: the write says so
  const Endpoint endpoint(key);
  return range_locks_->Lock(owner, family, comparator, endpoint, endpoint, exclusive, timeout_us);
}

std::unordered_multimap<uint32_t, KeyLockInfo> PessimisticDb::GetLockStatusData() {
  return range_locks_ != nullptr ? range_locks_->KeyLocks() : locks_.Locks();
}
std::vector<DeadlockPath> PessimisticDb::GetDeadlockInfoBuffer() { return locks_.Deadlocks(); }
void PessimisticDb::SetDeadlockInfoBufferSize(uint32_t target_size) {
  locks_.SetMaxDeadlocks(target_size);
}

std::pair<Status, std::shared_ptr<const Snapshot>> PessimisticDb::CreateTimestampedSnapshot(
    TxnTimestamp ts) {
  if (ts == kMaxTxnTimestamp) return {Status::InvalidArgument("invalid ts"), nullptr};
  if (impl_->SharesNumbers()) {
    return {Status::NotSupported("CreateTimestampedSnapshot: with WRITE_COMMITTED alone"), nullptr};
  }
  std::shared_ptr<const Snapshot> snapshot;
  Status s = impl_->TakeSnapshot(ts, &snapshot);
  return {std::move(s), std::move(snapshot)};
}

std::shared_ptr<const Snapshot> PessimisticDb::GetTimestampedSnapshot(TxnTimestamp ts) const {
  const StampedSnapshots* const snapshots = impl_->stamped_snapshots();
  return snapshots == nullptr ? nullptr : snapshots->Find(ts);
}

void PessimisticDb::ReleaseTimestampedSnapshotsOlderThan(TxnTimestamp ts) {
  if (StampedSnapshots* const snapshots = impl_->stamped_snapshots()) snapshots->ReleaseBelow(ts);
}

Status PessimisticDb::GetTimestampedSnapshots(
    TxnTimestamp ts_lb, TxnTimestamp ts_ub,
    std::vector<std::shared_ptr<const Snapshot>>& timestamped_snapshots) const {
  timestamped_snapshots.clear();
  if (ts_lb >= ts_ub) return Status::InvalidArgument("timestamps are in no ascending order");
  if (const StampedSnapshots* const snapshots = impl_->stamped_snapshots()) {
    timestamped_snapshots = snapshots->Between(ts_lb, ts_ub);
  }
  return Status::OK();
}

// --- Plain writes

namespace {

// Each once, and all in one order: plain writes do not wait for each other in a circle.
void SortToLock(std::vector<std::pair<uint32_t, Slice>>* keys) {
  std::sort(keys->begin(), keys->end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.compare(b.second) < 0;
  });
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

}  // namespace

template <class F>
Status PessimisticDb::WriteLocked(Keys keys, const F& put) {
  SortToLock(&keys);
  LockOwner owner;
  owner.SetTerms({.id = NextId()});
  const int64_t timeout_us = Micros(options_.default_lock_timeout);
  size_t locked = 0;
  Status s;
  for (; s.ok() && locked < keys.size(); locked += s.ok()) {
    const auto& [family, key] = keys[locked];
    s = LockKey(&owner, LockTable::HashOf(family, key), family, RangeComparatorOf(family), key,
                /*exclusive=*/true, timeout_us);
  }
  if (s.ok()) s = put();
  if (range_locks_ != nullptr) range_locks_->Release(&owner);
  for (size_t i = 0; i < locked && range_locks_ == nullptr; ++i) {
    const auto& [family, key] = keys[i];
    locks_.Unlock(&owner, LockTable::HashOf(family, key), family, key);
  }
  return s;
}

Status PessimisticDb::NeedNone(ColumnFamilyHandle* family) const {
  if (impl_->TimestampSizeOf(IdOf(family)) == 0) [[likely]]
    return Status::OK();
  return Status::NotSupported("a write without a timestamp to a family that has them",
                              family == nullptr ? kDefaultColumnFamilyName : family->GetName());
}

template <class F>
Status PessimisticDb::WriteIndexed(const WriteOptions& options, const F& put) {
  IndexedTransaction txn(this, options, TransactionOptions());
  txn.SetLockTimeout(options_.default_lock_timeout);
  Status s = put(&txn);
  return s.ok() ? txn.Commit() : s;
}

template <class F, class I>
Status PessimisticDb::WriteBare(const WriteOptions& options, ColumnFamilyHandle* family,
                                const Slice& key, const F& put, const I& put_indexed) {
  Status s = NeedNone(family);
  if (!s.ok()) return s;
  if (indices_.Cover(IdOf(family))) return WriteIndexed(options, put_indexed);
  return WriteLocked({{IdOf(family), key}}, put);
}

Status PessimisticDb::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                          const Slice& value) {
  return WriteBare(
      options, family, key, [&] { return impl_->Put(options, family, key, value); },
      [&](Transaction* txn) { return txn->PutUntracked(family, key, value); });
}
Status PessimisticDb::PutEntity(const WriteOptions& options, ColumnFamilyHandle* family,
                                const Slice& key, const WideColumns& columns) {
  return WriteBare(
      options, family, key, [&] { return impl_->PutEntity(options, family, key, columns); },
      [&](Transaction* txn) { return txn->PutEntityUntracked(family, key, columns); });
}
Status PessimisticDb::PutEntity(const WriteOptions& options, const Slice& key,
                                const AttributeGroups& groups) {
  Keys keys;
  bool indexed = false;
  for (const AttributeGroup& group : groups) {
    if (Status s = NeedNone(group.column_family()); !s.ok()) return s;
    keys.emplace_back(IdOf(group.column_family()), key);
    indexed |= indices_.Cover(keys.back().first);
  }
  if (!indexed) {
    return WriteLocked(std::move(keys), [&] { return impl_->PutEntity(options, key, groups); });
  }
  return WriteIndexed(options, [&](Transaction* txn) {
    Status s;
    for (size_t i = 0; s.ok() && i < groups.size(); ++i) {
      s = txn->PutEntityUntracked(groups[i].column_family(), key, groups[i].columns());
    }
    return s;
  });
}
Status PessimisticDb::Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                             const Slice& key) {
  return WriteBare(
      options, family, key, [&] { return impl_->Delete(options, family, key); },
      [&](Transaction* txn) { return txn->DeleteUntracked(family, key); });
}
Status PessimisticDb::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                                   const Slice& key) {
  return WriteBare(
      options, family, key, [&] { return impl_->SingleDelete(options, family, key); },
      [&](Transaction* txn) { return txn->SingleDeleteUntracked(family, key); });
}
// (With indices it is refused in all families, as by a transaction.)
Status PessimisticDb::Merge(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key, const Slice& value) {
  const auto by_transaction = [&](Transaction* txn) {
    return txn->MergeUntracked(family, key, value);
  };
  if (!indices_.empty()) return WriteIndexed(options, by_transaction);
  return WriteBare(
      options, family, key, [&] { return impl_->Merge(options, family, key, value); },
      by_transaction);
}

// (What they write is a batch, which goes to the database itself, and not to Write() below. The
// value that was there may be the newer one: the entries are those of the newest.)
template <class F>
Status PessimisticDb::WriteStamped(ColumnFamilyHandle* family, const Slice& key, const F& put) {
  if (indices_.Cover(IdOf(family))) {
    return Status::NotSupported(
        "a plain write with a timestamp to a family with secondary indices");
  }
  return WriteLocked({{IdOf(family), key}}, put);
}

Status PessimisticDb::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                          const Slice& ts, const Slice& value) {
  return WriteStamped(family, key, [&] { return impl_->Put(options, family, key, ts, value); });
}
Status PessimisticDb::Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                             const Slice& key, const Slice& ts) {
  return WriteStamped(family, key, [&] { return impl_->Delete(options, family, key, ts); });
}
Status PessimisticDb::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                                   const Slice& key, const Slice& ts) {
  return WriteStamped(family, key, [&] { return impl_->SingleDelete(options, family, key, ts); });
}
Status PessimisticDb::Merge(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key, const Slice& ts, const Slice& value) {
  return WriteStamped(family, key, [&] { return impl_->Merge(options, family, key, ts, value); });
}

Status PessimisticDb::Write(const WriteOptions& options, WriteBatch* updates) {
  return Write(options, {.skip_concurrency_control = options_.skip_concurrency_control}, updates);
}

Status PessimisticDb::Write(const WriteOptions& options,
                            const TransactionDBWriteOptimizations& optimizations,
                            WriteBatch* updates) {
  if (updates == nullptr || optimizations.skip_concurrency_control) {
    return impl_->Write(options, updates);
  }
  if (updates->HasDeleteRange()) {
    return Status::InvalidArgument("a batch with DeleteRange must skip concurrency control");
  }
  Keys keys;
  BatchReader reader(updates->Data());
  BatchRecord record;
  bool indexed = false;
  while (reader.Next(&record)) {
    if (!record.counted) continue;
    keys.emplace_back(record.family,
                      StripTimestamp(record.key, impl_->TimestampSizeOf(record.family)));
    indexed |= indices_.Cover(record.family);
  }
  // (A damaged batch is the write's to refuse.)
  if (indexed && reader.status().ok()) return WriteIndexedBatch(options, std::move(keys), updates);
  return WriteLocked(std::move(keys), [&] { return impl_->Write(options, updates); });
}

// Timestamps would be the commit's, of which there is one. What is for the log alone goes there.
Status PessimisticDb::WriteIndexedBatch(const WriteOptions& options, Keys keys,
                                        WriteBatch* updates) {
  SortToLock(&keys);
  return WriteIndexed(options, [&](Transaction* txn) {
    Status s = updates->VerifyChecksum();
    std::unique_ptr<ColumnFamilyHandle> family;
    for (size_t i = 0; s.ok() && i < keys.size(); ++i) {
      const auto& [id, key] = keys[i];
      if (impl_->TimestampSizeOf(id) != 0) {
        s = Status::NotSupported(
            "a batch with timestamps that writes to a family with secondary indices");
        break;
      }
      if (family == nullptr || family->GetID() != id) family = impl_->HandleOf(id);
      std::string* const no_value = nullptr;
      // (Of no such family: the write says so.)
      if (family != nullptr) {
        s = txn->GetForUpdate(ReadOptions(), family.get(), key, no_value, /*exclusive=*/true,
                              /*do_validate=*/false);
      }
    }
    if (!s.ok()) return s;
    BatchReader reader(updates->Data());
    BatchRecord record;
    while (reader.Next(&record)) {
      if (record.type == kTypeLogData) txn->PutLogData(record.key);
    }
    return txn->RebuildFromWriteBatch(updates);
  });
}

namespace {

void DeleteAll(std::vector<ColumnFamilyHandle*>* handles) {
  for (ColumnFamilyHandle* const handle : *handles) delete handle;
  handles->clear();
}

// `db` goes, and the handles, if it fails.
Status Wrap(std::unique_ptr<DB>&& db, const TransactionDBOptions& options,
            std::vector<ColumnFamilyHandle*>* handles, TransactionDB** dbptr) {
  auto wrapped = std::make_unique<PessimisticDb>(std::move(db), options);
  Status s = wrapped->TakeRangeLocks();
  if (s.ok()) s = wrapped->TakeRecovered();
  if (s.ok()) {
    *dbptr = wrapped.release();
  } else {
    DeleteAll(handles);
  }
  return s;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status TransactionDB::Open(const Options& options, const TransactionDBOptions& txn_db_options,
                           const std::string& dbname, TransactionDB** dbptr) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s = Open(DBOptions(options), txn_db_options, dbname,
                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions(options))},
                  &handles, dbptr);
  // (The database has one of its own.)
  if (s.ok()) delete handles[0];
  return s;
}

Status TransactionDB::Open(const DBOptions& db_options, const TransactionDBOptions& txn_db_options,
                           const std::string& dbname,
                           const std::vector<ColumnFamilyDescriptor>& column_families,
                           std::vector<ColumnFamilyHandle*>* handles, TransactionDB** dbptr) {
  *dbptr = nullptr;
  Status s = cairn::CheckOptions(db_options, txn_db_options);
  if (s.ok()) s = cairn::CheckAllTimestamps(column_families, txn_db_options.write_policy);
  if (!s.ok()) return s;
  DBOptions options = db_options;
  std::vector<ColumnFamilyDescriptor> families = column_families;
  std::vector<size_t> unused;
  PrepareWrap(&options, &families, &unused);
  std::unique_ptr<DB> db;
  s = cairn::DBImpl::Open(options, dbname, families, cairn::OpenMode::kReadWrite, handles, &db,
                          /*secondary_path=*/"",
                          /*shares_numbers=*/txn_db_options.write_policy != WRITE_COMMITTED);
  if (!s.ok()) return s;
  return cairn::Wrap(std::move(db), txn_db_options, handles, dbptr);
}

void TransactionDB::PrepareWrap(DBOptions* db_options,
                                std::vector<ColumnFamilyDescriptor>* /*column_families*/,
                                std::vector<size_t>* compaction_enabled_cf_indices) {
  compaction_enabled_cf_indices->clear();
  db_options->allow_2pc = true;
}

Status TransactionDB::WrapDB(DB* db, const TransactionDBOptions& txn_db_options,
                             const std::vector<size_t>& compaction_enabled_cf_indices,
                             const std::vector<ColumnFamilyHandle*>& handles,
                             TransactionDB** dbptr) {
  *dbptr = nullptr;
  std::unique_ptr<DB> owned(db);
  std::vector<ColumnFamilyHandle*> all = handles;
  std::vector<ColumnFamilyHandle*> compacting;
  for (const size_t i : compaction_enabled_cf_indices) compacting.push_back(handles.at(i));
  Status s = cairn::CheckOptions(db->GetDBOptions(), txn_db_options);
  if (s.ok() && txn_db_options.write_policy != WRITE_COMMITTED) {
    // Its logs would have been replayed as those of WRITE_COMMITTED.
    s = Status::NotSupported(
        std::string("TransactionDBOptions::write_policy ") +
            cairn::NameOf(txn_db_options.write_policy),
        "a database that was opened without TransactionDB::Open() can only have WRITE_COMMITTED");
  }
  for (size_t i = 0; s.ok() && i < handles.size(); ++i) {
    s = cairn::CheckTimestamps(handles[i]->GetComparator(), txn_db_options.write_policy);
  }
  if (s.ok() && !compacting.empty()) s = db->EnableAutoCompaction(compacting);
  if (s.ok()) return cairn::Wrap(std::move(owned), txn_db_options, &all, dbptr);
  cairn::DeleteAll(&all);
  return s;
}

Status TransactionDB::WrapStackableDB(StackableDB* db, const TransactionDBOptions& txn_db_options,
                                      const std::vector<size_t>& compaction_enabled_cf_indices,
                                      const std::vector<ColumnFamilyHandle*>& handles,
                                      TransactionDB** dbptr) {
  return WrapDB(db, txn_db_options, compaction_enabled_cf_indices, handles, dbptr);
}

}  // namespace ROCKSDB_NAMESPACE
