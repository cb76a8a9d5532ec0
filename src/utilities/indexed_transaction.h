// IndexedTransaction: a transaction of a database with secondary indices. What it writes into a
// family that is indexed takes the entries along. Made by PessimisticDb, for its plain writes, too.
//
// One write: the key is read for update, the entries of what it has are removed, the new value and
// its entries are written; all of it or, under a save point of its own, nothing. An entry is
// written once and removed once, so that a SingleDelete removes it. That the key is locked keeps
// others from its entries; those are locked all the same, for who locks ranges of them.
//
// Thread safety: see rocksdb/utilities/transaction.h.
#ifndef CAIRN_UTILITIES_INDEXED_TRANSACTION_H_
#define CAIRN_UTILITIES_INDEXED_TRANSACTION_H_

#include <string>
#include <vector>

#include "base/namespace.h"
#include "utilities/pessimistic_transaction.h"
#include "utilities/secondary_indices.h"

namespace cairn {

class IndexedTransaction final : public PessimisticTransaction {
 public:
  // The database's indices must not be empty.
  IndexedTransaction(PessimisticDb* db, const WriteOptions& write_options,
                     const TransactionOptions& options)
      : PessimisticTransaction(db, write_options, options), indices_(db->indices()) {}

  Status Recover(const TransactionName& name, const PreparedSection& section) override;

  using PessimisticTransaction::Delete;
  using PessimisticTransaction::DeleteUntracked;
  using PessimisticTransaction::Merge;
  using PessimisticTransaction::MergeUntracked;
  using PessimisticTransaction::Put;
  using PessimisticTransaction::PutUntracked;
  using PessimisticTransaction::SingleDelete;
  using PessimisticTransaction::SingleDeleteUntracked;

  Status Put(ColumnFamilyHandle*, const Slice&, const Slice&, const bool assume_tracked) override;
  Status Put(ColumnFamilyHandle*, const SliceParts&, const SliceParts&,
             const bool assume_tracked) override;
  Status PutEntity(ColumnFamilyHandle*, const Slice&, const WideColumns&,
                   bool assume_tracked) override;
  Status Merge(ColumnFamilyHandle*, const Slice&, const Slice&, const bool assume_tracked) override;
  Status Delete(ColumnFamilyHandle*, const Slice&, const bool assume_tracked) override;
  Status SingleDelete(ColumnFamilyHandle*, const Slice&, const bool assume_tracked) override;

  Status PutUntracked(ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status PutUntracked(ColumnFamilyHandle*, const SliceParts&, const SliceParts&) override;
  Status PutEntityUntracked(ColumnFamilyHandle*, const Slice&, const WideColumns&) override;
  Status MergeUntracked(ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status DeleteUntracked(ColumnFamilyHandle*, const Slice&) override;
  Status SingleDeleteUntracked(ColumnFamilyHandle*, const Slice&) override;

  // Entries are told from what the transaction reads, its own writes included.
  void DisableIndexing() override {}

 private:
  bool IsIndexed(ColumnFamilyHandle* family) const {
    return !recovers_ && indices_.Cover(IdOf(family));
  }
  // `store`: writes the columns, which the indices may have changed.
  template <class F>
  Status Store(ColumnFamilyHandle* family, const Slice& key, const WideColumns& columns,
               bool validate, const F& store);
  Status StoreValue(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
                    bool validate);
  Status StoreEntity(ColumnFamilyHandle* family, const Slice& key, const WideColumns& columns,
                     bool validate);
  // `remove`: writes the deletion.
  template <class F>
  Status Remove(ColumnFamilyHandle* family, const Slice& key, bool validate, const F& remove);
  // *there false: there is no such key, and nothing was done but to track it.
  Status RemoveEntries(ColumnFamilyHandle* family, const Slice& key, bool validate, bool* there);
  // What `steps` does, or nothing.
  template <class F>
  Status AllOrNothing(const F& steps);

  const SecondaryIndices& indices_;
  bool recovers_ = false;  // what was prepared has its entries with it
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_INDEXED_TRANSACTION_H_
