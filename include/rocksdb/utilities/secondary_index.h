// Secondary indices: keys found by what their values say. A TransactionDB that is opened with them
// (TransactionDBOptions::secondary_indices) keeps their entries: whoever writes a key of a family
// that is indexed, by a transaction or plainly, removes the entries of what the key had, and adds
// those of what it gets, in the same transaction. Entries and values are never seen apart.
//
//   auto by_city = std::make_shared<rocksdb::SimpleSecondaryIndex>("city");
//   txn_db_options.secondary_indices.push_back(by_city);
//   ...  // TransactionDB::Open(), with the families `people` and `cities`
//   by_city->SetPrimaryColumnFamily(people);
//   by_city->SetSecondaryColumnFamily(cities);
//   s = txn->PutEntity(people, "ada", {{"city", "London"}});
//   if (s.ok()) s = txn->Commit();
//   rocksdb::SecondaryIndexIterator it(by_city.get(), std::unique_ptr<rocksdb::Iterator>(
//                                          txn_db->NewIterator(read_options, cities)));
//   for (it.Seek("London"); it.Valid(); it.Next()) Use(it.key());  // "ada"
//   s = it.status();
//
// An entry's key is a prefix, which the index makes of the value, and the primary key; its value is
// what the index says, or empty. What is kept where, and what is refused, is said at
// TransactionDBOptions::secondary_indices.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "rocksdb/iterator.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;

// What is indexed, and how. One of the user's own, or SimpleSecondaryIndex
// (rocksdb/utilities/secondary_index_simple.h).
//
// The families are set once, after each opening and before anything else is written. The handles
// are borrowed, and must live as long as the database is written to. Without a primary family
// nothing is indexed. (Whether a write is to it is told by its id: any handle of it will do.) The
// two may be one family, if the entries' keys are none of the primary ones. Entries belong to the
// index: nobody else writes them. What was written before there was an index has no entries.
//
// Thread safety: all const functions from anywhere at once. They are called with the primary key
// locked, and must not use the database. One that is not OK undoes the write for which it was
// called, whose status it becomes; the transaction may go on.
//
// A Slice that a function gives back must be good until the write is done, or, of an iterator,
// until Seek() returns: it points into what the function was given, or what the index keeps.
class SecondaryIndex {
 public:
  virtual ~SecondaryIndex() = default;

  virtual void SetPrimaryColumnFamily(ColumnFamilyHandle* column_family) = 0;
  virtual void SetSecondaryColumnFamily(ColumnFamilyHandle* column_family) = 0;

  // Null: was not set.
  virtual ColumnFamilyHandle* GetPrimaryColumnFamily() const = 0;
  // Null: the default one.
  virtual ColumnFamilyHandle* GetSecondaryColumnFamily() const = 0;

  // The column that is indexed; kDefaultWideColumnName: plain values, and the default columns of
  // entities. Keys without the column have no entry.
  virtual Slice GetPrimaryColumnName() const = 0;

  // Another value for the column, which is written in place of the given one. None
  // (*updated_column_value stays empty): it is written as it is. Where several indices have the
  // column, each is given what the one before left.
  virtual Status UpdatePrimaryColumnValue(
      const Slice& primary_key, const Slice& primary_column_value,
      std::optional<std::variant<Slice, std::string>>* updated_column_value) const = 0;

  // The prefix of the key's entry, of a value as it is stored. The same for the same arguments,
  // always: the entry is found again by it.
  virtual Status GetSecondaryKeyPrefix(
      const Slice& primary_key, const Slice& primary_column_value,
      std::variant<Slice, std::string>* secondary_key_prefix) const = 0;

  // Makes of such a prefix, and of what is searched for (SecondaryIndexIterator::Seek), one that no
  // other goes on from: by its length before it, for example. The same for the same argument,
  // always.
  virtual Status FinalizeSecondaryKeyPrefix(
      std::variant<Slice, std::string>* secondary_key_prefix) const = 0;

  // The entry's value; none: it is empty. `previous_column_value`: what
  // UpdatePrimaryColumnValue() was given; `primary_column_value`: what is stored.
  virtual Status GetSecondaryValue(
      const Slice& primary_key, const Slice& primary_column_value,
      const Slice& previous_column_value,
      std::optional<std::variant<Slice, std::string>>* secondary_value) const = 0;
};

// The primary keys of what is searched for, in the order of the keys. There is no way to begin at
// the first entry of all, or at the last.
//
// Not thread-safe. What it points to is good until the iterator moves.
class SecondaryIndexIterator {
 public:
  // `index`: borrowed, not null. `underlying_it`, not null: over the index's secondary family, of
  // the database (a snapshot's, if it was made so) or of a transaction, which then sees its own
  // writes. The family's comparator must keep keys with the same beginning together; with a prefix
  // extractor the iterator needs ReadOptions::total_order_seek, unless an entry's own prefix is as
  // long.
  SecondaryIndexIterator(const SecondaryIndex* index, std::unique_ptr<Iterator>&& underlying_it);

  // At an entry of what was searched for.
  bool Valid() const;
  // OK where it is not valid: there are no more entries. Else what the index, or the iterator
  // below, said.
  Status status() const;

  // To the first entry of what the index makes of `target`; for SimpleSecondaryIndex a value.
  // SUSPENDS, as the other moves do.
  void Seek(const Slice& target);

  // REQUIRES, all that follow: Valid().
  void Next();
  void Prev();

  // For an iterator below with ReadOptions::allow_unprepared_value: before value() and columns().
  // False: status() says why.
  bool PrepareValue();

  Slice key() const;    // the primary key
  Slice value() const;  // of the entry, as columns(), timestamp() and GetProperty()
  const WideColumns& columns() const;
  Slice timestamp() const;
  Status GetProperty(std::string prop_name, std::string* prop) const;

 private:
  const SecondaryIndex* index_;
  std::unique_ptr<Iterator> underlying_it_;
  Status status_;  // of the index
  std::string prefix_;
};

}  // namespace ROCKSDB_NAMESPACE
