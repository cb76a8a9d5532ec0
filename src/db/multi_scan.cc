// MultiScan: ranges shown one after the other, over one iterator that was prepared for all of them
// or, where only some have a limit, over several of one snapshot.
#include "rocksdb/multi_scan.h"

#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "read/range_preparation.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace {

// What makes no sense whatever the iterator; overlaps are found by Prepare().
Status CheckScans(const MultiScanArgs& args) {
  if (args.empty()) return Status::InvalidArgument("Empty MultiScanArgs");
  const Comparator* const comparator = args.GetComparator();
  if (comparator == nullptr) return Status::InvalidArgument("MultiScanArgs requires comparator");
  for (size_t i = 0; i < args.size(); ++i) {
    const ScanOptions& scan = args.GetScanRanges()[i];
    Status s = cairn::CheckScanRange(*comparator, scan, i);
    if (!s.ok()) return s;
    if (args.reverse && !scan.range.limit.has_value()) {
      return Status::InvalidArgument("Reverse MultiScan requires limit at index " +
                                     std::to_string(i));
    }
  }
  return Status::OK();
}

bool HasLimit(const ScanOptions& scan) { return scan.range.limit.has_value(); }

}  // namespace

std::unique_ptr<MultiScan> DB::NewMultiScan(const ReadOptions& options,
                                            ColumnFamilyHandle* column_family,
                                            const MultiScanArgs& args) {
  return std::make_unique<MultiScan>(options, args, this, column_family);
}

MultiScan::MultiScan(const ReadOptions& read_options, const MultiScanArgs& scan_opts, DB* db,
                     ColumnFamilyHandle* cfh)
    : read_options_(read_options), args_(scan_opts), db_(db), family_(cfh) {
  read_options_.iterate_lower_bound = nullptr;
  read_options_.iterate_upper_bound = nullptr;
  read_options_.allow_unprepared_value = false;  // whoever shows values wants them
  Status s = CheckScans(args_);
  if (!s.ok()) {
    db_iter_.reset(NewErrorIterator(s));
    return;
  }
  const std::vector<ScanOptions>& scans = args_.GetScanRanges();
  for (const ScanOptions& scan : scans) one_iterator_ &= HasLimit(scan) == HasLimit(scans.front());
  if (!one_iterator_) {
    if (read_options_.snapshot == nullptr && !read_options_.tailing) {
      snapshot_ = std::make_unique<ManagedSnapshot>(db);
      read_options_.snapshot = snapshot_->snapshot();
    }
    NewIteratorFor(scans.front());
    return;
  }
  // Around all ranges, for iterators that look at their bounds only now.
  if (HasLimit(scans.front())) {
    upper_bound_ = *scans.back().range.limit;
    read_options_.iterate_upper_bound = &upper_bound_;
  }
  if (args_.reverse) {
    lower_bound_ = *scans.front().range.start;
    read_options_.iterate_lower_bound = &lower_bound_;
  }
  db_iter_.reset(db_->NewIterator(read_options_, family_));
  if (db_iter_->status().ok()) db_iter_->Prepare(args_);
}

MultiScan::MultiScan(const Comparator* comp, std::unique_ptr<Iterator>&& db_iter)
    : args_(comp), db_iter_(std::move(db_iter)) {}

MultiScan::~MultiScan() = default;

void MultiScan::NewIteratorFor(const ScanOptions& scan) {
  read_options_.iterate_upper_bound = nullptr;
  if (HasLimit(scan)) {
    upper_bound_ = *scan.range.limit;
    read_options_.iterate_upper_bound = &upper_bound_;
  }
  db_iter_.reset(db_->NewIterator(read_options_, family_));
  MultiScanArgs only(args_.GetComparator());
  only.CopyConfigFrom(args_);
  static_cast<std::vector<ScanOptions>*>(only)->push_back(scan);
  if (db_iter_->status().ok()) db_iter_->Prepare(only);
}

void MultiScan::SeekRange(const ScanOptions& scan) {
  if (HasLimit(scan)) upper_bound_ = *scan.range.limit;
  if (args_.reverse) {
    lower_bound_ = *scan.range.start;
    db_iter_->SeekForPrev(*scan.range.limit);
  } else {
    db_iter_->Seek(*scan.range.start);
  }
}

// ---- The iterator over the ranges

MultiScan::MultiScanIterator::MultiScanIterator(MultiScan* scans)
    : scans_(scans), scan_(scans->db_iter_.get(), scans->args_.reverse) {
  CheckStatus();
  if (scans_->args_.empty()) throw std::logic_error("Zero scans in multi-scan");
  Open();
}

MultiScan::MultiScanIterator& MultiScan::MultiScanIterator::operator++() {
  CheckStatus();
  if (*this == nullptr) throw std::logic_error("Incrementing exhausted MultiScan iterator");
  ++index_;
  if (*this != nullptr) Open();
  return *this;
}

void MultiScan::MultiScanIterator::Open() {
  const ScanOptions& range = scans_->args_.GetScanRanges()[index_];
  if (!scans_->one_iterator_ && index_ > 0) {
    scans_->NewIteratorFor(range);
    scan_.Reset(scans_->db_iter_.get(), scans_->args_.reverse);
    CheckStatus();
  }
  scans_->SeekRange(range);
  CheckStatus();
}

void MultiScan::MultiScanIterator::CheckStatus() const {
  const Status s = scans_->db_iter_->status();
  if (!s.ok()) throw MultiScanException(s);
}

// ---- The iterator over the entries of one

void Scan::ScanIterator::Show() {
  valid_ = db_iter_->Valid();
  if (valid_) {
    entry_ = {db_iter_->key(), db_iter_->value()};
    return;
  }
  const Status s = db_iter_->status();
  if (!s.ok()) throw MultiScanException(s);
}

void Scan::ScanIterator::CheckValid() const {
  if (!valid_) throw std::logic_error("Trying to deref invalid iterator");
}

Scan::ScanIterator& Scan::ScanIterator::operator++() {
  if (!valid_) throw std::logic_error("Trying to advance invalid iterator");
  if (reverse_) {
    db_iter_->Prev();
  } else {
    db_iter_->Next();
  }
  Show();
  return *this;
}

}  // namespace ROCKSDB_NAMESPACE
