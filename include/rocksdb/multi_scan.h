// MultiScan: several ranges of keys, one after the other, whose blocks are read together before the
// first is shown: many short ranges out of slow storage cost the waits of one. (Of RocksDB 11.8.)
//
//   MultiScanArgs args(BytewiseComparator());
//   args.insert("a", "b");
//   args.insert("x", "y");
//   const auto scans = db->NewMultiScan(ReadOptions(), db->DefaultColumnFamily(), args);
//   try {
//     for (auto scan : *scans) {
//       for (auto entry : scan) { ... entry.first is the key, entry.second the value ... }
//     }
//   } catch (const MultiScanException& e) { ... e.status() ... }
//
// All ranges show one state of the database. Errors are exceptions: MultiScanException for those of
// the arguments, and of reads; std::logic_error where an iterator is used beyond its end. A range
// need not be gone through to its end; each can be gone through once.
//
// Not thread-safe. It borrows the bytes of the ranges, and dies before its database. begin() and
// the steps SUSPEND.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/scan_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;

class MultiScanException : public std::runtime_error {
 public:
  explicit MultiScanException(const Status& s) : std::runtime_error(s.ToString()), status_(s) {}

  Status& status() { return status_; }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

// The entries of one range, from first to last (reverse: from last to first).
class Scan {
 public:
  class ScanIterator;

  // `db_iter`: borrowed, stands on the first one.
  explicit Scan(Iterator* db_iter, bool reverse = false) { Reset(db_iter, reverse); }
  void Reset(Iterator* db_iter, bool reverse = false) {
    db_iter_ = db_iter;
    reverse_ = reverse;
  }

  ScanIterator begin();
  std::nullptr_t end() { return nullptr; }

 private:
  Iterator* db_iter_;
  bool reverse_;
};

// Key and value, good until the next step. Throws.
class Scan::ScanIterator {
 public:
  using self_type = ScanIterator;
  using value_type = std::pair<Slice, Slice>;
  using reference = std::pair<Slice, Slice>&;
  using pointer = std::pair<Slice, Slice>*;
  using difference_type = int;
  using iterator_category = std::input_iterator_tag;

  ScanIterator() = default;
  explicit ScanIterator(Iterator* db_iter, bool reverse = false)
      : db_iter_(db_iter), reverse_(reverse) {
    Show();
  }

  ScanIterator& operator++();
  bool operator==(std::nullptr_t) const { return !valid_; }
  bool operator!=(std::nullptr_t) const { return valid_; }
  reference operator*() {
    CheckValid();
    return entry_;
  }
  pointer operator->() {
    CheckValid();
    return &entry_;
  }

 private:
  void Show();
  void CheckValid() const;

  Iterator* db_iter_ = nullptr;
  bool reverse_ = false;
  bool valid_ = false;
  value_type entry_;
};

inline Scan::ScanIterator Scan::begin() { return ScanIterator(db_iter_, reverse_); }

class MultiScan {
 public:
  // SUSPENDS. `scan_opts` is copied, its bytes are borrowed; `db` and `cfh` are borrowed.
  MultiScan(const ReadOptions& read_options, const MultiScanArgs& scan_opts, DB* db,
            ColumnFamilyHandle* cfh);
  // No ranges: for an iterator whose status says why.
  explicit MultiScan(const Comparator* comp, std::unique_ptr<Iterator>&& db_iter);
  ~MultiScan();
  MultiScan(const MultiScan&) = delete;
  MultiScan& operator=(const MultiScan&) = delete;

  class MultiScanIterator;
  // Throws.
  MultiScanIterator begin();
  std::nullptr_t end() { return nullptr; }

 private:
  // To the entry that `scan` shows first. One of another kind than the last one (with a limit, or
  // without) gets an iterator of its own.
  void SeekRange(const ScanOptions& scan);
  void NewIteratorFor(const ScanOptions& scan);

  ReadOptions read_options_;  // its bounds point to the two below
  const MultiScanArgs args_;
  DB* db_ = nullptr;
  ColumnFamilyHandle* family_ = nullptr;
  Slice lower_bound_;
  Slice upper_bound_;
  bool one_iterator_ = true;
  std::unique_ptr<ManagedSnapshot> snapshot_;  // of several iterators; null: the user's
  std::unique_ptr<Iterator> db_iter_;
};

// One Scan for each range. Throws.
class MultiScan::MultiScanIterator {
 public:
  using self_type = MultiScanIterator;
  using value_type = Scan;
  using reference = Scan&;
  using pointer = Scan*;
  using difference_type = int;
  using iterator_category = std::input_iterator_tag;

  explicit MultiScanIterator(MultiScan* scans);
  MultiScanIterator(const MultiScanIterator&) = delete;
  MultiScanIterator& operator=(const MultiScanIterator&) = delete;

  MultiScanIterator& operator++();
  bool operator==(std::nullptr_t) const { return index_ == scans_->args_.size(); }
  bool operator!=(std::nullptr_t) const { return index_ != scans_->args_.size(); }
  reference operator*() { return scan_; }
  pointer operator->() { return &scan_; }

 private:
  void Open();
  void CheckStatus() const;

  MultiScan* scans_;
  size_t index_ = 0;  // of the range in scan_
  Scan scan_;
};

inline MultiScan::MultiScanIterator MultiScan::begin() { return MultiScanIterator(this); }

}  // namespace ROCKSDB_NAMESPACE
