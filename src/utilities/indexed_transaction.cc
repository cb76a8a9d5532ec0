#include "utilities/indexed_transaction.h"

namespace cairn {
namespace {

// (A merged value would be known to who reads it alone, and so would its entries.)
Status NoMerge() {
  return Status::NotSupported("Merge in a database with TransactionDBOptions::secondary_indices");
}

}  // namespace

Status IndexedTransaction::Recover(const TransactionName& name, const PreparedSection& section) {
  recovers_ = true;
  Status s = PessimisticTransaction::Recover(name, section);
  recovers_ = false;
  return s;
}

template <class F>
Status IndexedTransaction::AllOrNothing(const F& steps) {
  SetSavePoint();
  Status s = steps();
  const Status end = s.ok() ? PopSavePoint() : PessimisticTransaction::RollbackToSavePoint();
  return s.ok() ? end : s;
}

// (Each key is written as an untracked one once it was read for update: that tracks it as written,
// and there is nothing left to validate.)
Status IndexedTransaction::RemoveEntries(ColumnFamilyHandle* family, const Slice& key,
                                         bool validate, bool* there) {
  PinnableWideColumns stored;
  Status s = GetEntityForUpdate(ReadOptions(), family, key, &stored, /*exclusive=*/true, validate);
  *there = !s.IsNotFound();
  if (!*there) return Status::OK();
  std::vector<SecondaryIndices::Entry> entries;
  if (s.ok()) s = indices_.TellOld(IdOf(family), key, stored.columns(), &entries);
  for (size_t i = 0; s.ok() && i < entries.size(); ++i) {
    s = PessimisticTransaction::SingleDeleteUntracked(entries[i].family, entries[i].key);
  }
  return s;
}

template <class F>
Status IndexedTransaction::Store(ColumnFamilyHandle* family, const Slice& key,
                                 const WideColumns& columns, bool validate, const F& store) {
  Status s = MayWrite();
  if (!s.ok()) return s;
  return AllOrNothing([&] {
    bool there;
    Status done = RemoveEntries(family, key, validate, &there);
    SecondaryIndices::Update update{columns, {}};
    std::vector<SecondaryIndices::Entry> entries;
    if (done.ok()) done = indices_.TellNew(IdOf(family), key, &update, &entries);
    if (done.ok()) done = store(update.columns);
    for (size_t i = 0; done.ok() && i < entries.size(); ++i) {
      const SecondaryIndices::Entry& entry = entries[i];
      done = PessimisticTransaction::PutUntracked(entry.family, entry.key, entry.value);
    }
    return done;
  });
}

Status IndexedTransaction::StoreValue(ColumnFamilyHandle* family, const Slice& key,
                                      const Slice& value, bool validate) {
  return Store(family, key, {{kDefaultWideColumnName, value}}, validate,
               [&](const WideColumns& columns) {
                 return PessimisticTransaction::PutUntracked(family, key, columns[0].value());
               });
}

Status IndexedTransaction::StoreEntity(ColumnFamilyHandle* family, const Slice& key,
                                       const WideColumns& columns, bool validate) {
  return Store(family, key, columns, validate, [&](const WideColumns& changed) {
    return PessimisticTransaction::PutEntityUntracked(family, key, changed);
  });
}

template <class F>
Status IndexedTransaction::Remove(ColumnFamilyHandle* family, const Slice& key, bool validate,
                                  const F& remove) {
  Status s = MayWrite();
  if (!s.ok()) return s;
  return AllOrNothing([&] {
    bool there;
    const Status removed = RemoveEntries(family, key, validate, &there);
    return removed.ok() && there ? remove() : removed;
  });
}

// --- The writes. What is assumed to be tracked is tracked, but not validated.

Status IndexedTransaction::Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
                               const bool assume_tracked) {
  if (!IsIndexed(family)) return PessimisticTransaction::Put(family, key, value, assume_tracked);
  return StoreValue(family, key, value, !assume_tracked);
}
Status IndexedTransaction::Put(ColumnFamilyHandle* family, const SliceParts& key,
                               const SliceParts& value, const bool assume_tracked) {
  std::string whole_key, whole_value;
  return Put(family, Slice(key, &whole_key), Slice(value, &whole_value), assume_tracked);
}
Status IndexedTransaction::PutUntracked(ColumnFamilyHandle* family, const Slice& key,
                                        const Slice& value) {
  if (!IsIndexed(family)) return PessimisticTransaction::PutUntracked(family, key, value);
  return StoreValue(family, key, value, /*validate=*/false);
}
Status IndexedTransaction::PutUntracked(ColumnFamilyHandle* family, const SliceParts& key,
                                        const SliceParts& value) {
  std::string whole_key, whole_value;
  return PutUntracked(family, Slice(key, &whole_key), Slice(value, &whole_value));
}

Status IndexedTransaction::PutEntity(ColumnFamilyHandle* family, const Slice& key,
                                     const WideColumns& columns, bool assume_tracked) {
  if (!IsIndexed(family)) {
    return PessimisticTransaction::PutEntity(family, key, columns, assume_tracked);
  }
  return StoreEntity(family, key, columns, !assume_tracked);
}
Status IndexedTransaction::PutEntityUntracked(ColumnFamilyHandle* family, const Slice& key,
                                              const WideColumns& columns) {
  if (!IsIndexed(family)) return PessimisticTransaction::PutEntityUntracked(family, key, columns);
  return StoreEntity(family, key, columns, /*validate=*/false);
}

Status IndexedTransaction::Merge(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
                                 const bool assume_tracked) {
  if (recovers_) return PessimisticTransaction::Merge(family, key, value, assume_tracked);
  return NoMerge();
}
Status IndexedTransaction::MergeUntracked(ColumnFamilyHandle* /*family*/, const Slice& /*key*/,
                                          const Slice& /*value*/) {
  return NoMerge();
}

Status IndexedTransaction::Delete(ColumnFamilyHandle* family, const Slice& key,
                                  const bool assume_tracked) {
  if (!IsIndexed(family)) return PessimisticTransaction::Delete(family, key, assume_tracked);
  return Remove(family, key, !assume_tracked,
                [&] { return PessimisticTransaction::DeleteUntracked(family, key); });
}
Status IndexedTransaction::DeleteUntracked(ColumnFamilyHandle* family, const Slice& key) {
  if (!IsIndexed(family)) return PessimisticTransaction::DeleteUntracked(family, key);
  return Remove(family, key, /*validate=*/false,
                [&] { return PessimisticTransaction::DeleteUntracked(family, key); });
}
Status IndexedTransaction::SingleDelete(ColumnFamilyHandle* family, const Slice& key,
                                        const bool assume_tracked) {
  if (!IsIndexed(family)) return PessimisticTransaction::SingleDelete(family, key, assume_tracked);
  return Remove(family, key, !assume_tracked,
                [&] { return PessimisticTransaction::SingleDeleteUntracked(family, key); });
}
Status IndexedTransaction::SingleDeleteUntracked(ColumnFamilyHandle* family, const Slice& key) {
  if (!IsIndexed(family)) return PessimisticTransaction::SingleDeleteUntracked(family, key);
  return Remove(family, key, /*validate=*/false,
                [&] { return PessimisticTransaction::SingleDeleteUntracked(family, key); });
}

}  // namespace cairn
