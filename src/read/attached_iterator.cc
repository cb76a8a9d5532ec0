#include "read/attached_iterator.h"

#include <utility>

#include "base/wide_column_serialization.h"
#include "blob/blob_source.h"
#include "fiber/interleave.h"
#include "read/version_iterators.h"
#include "rocksdb/snapshot.h"

namespace cairn {

void AttachedIterator::Attach(const Snapshot* snapshot) {
  sv_ = env_.super_versions->Acquire();
  fiber::interleave();
  // After the super version: its memtable then holds every write up to this number that a later
  // flush could have moved away.
  sequence_ =
      snapshot != nullptr ? snapshot->GetSequenceNumber() : sv_->LastVisible(env_.last_sequence());
  BuildTower();
}

void AttachedIterator::BuildTower() {
  tombstones_.reset();
  iter_.reset(NewSuperVersionIterator(options_, *sv_, env_.tables, &tombstones_,
                                      scan_ == nullptr ? nullptr : &scan_->args.GetScanRanges()));
  if (tombstones_ != nullptr) tombstones_->set_sequence(sequence_);
  // (With async_io what a seek reads is read at once; reading less would be waiting oftener.)
  if (!options_.async_io) iter_->AllowUnpreparedValues();
  if (scan_ != nullptr && scan_->blocks != nullptr) {
    iter_->SetPreparedBlocks(scan_->blocks->blocks());
  }
}

void AttachedIterator::StartAtFirstSequence() {
  if (env_.first_sequence == nullptr) return;
  sequence_ = *env_.first_sequence;
  if (tombstones_ != nullptr) tombstones_->set_sequence(sequence_);
}

void AttachedIterator::Detach() {
  tombstones_.reset();
  iter_.reset();
  blobs_ahead_.reset();
  if (scan_ != nullptr) scan_->blocks.reset();
  if (sv_ != nullptr) env_.super_versions->Release(std::exchange(sv_, nullptr));
}

// ---- Prepared ranges: what is refused, and the texts, as RocksDB 11.8's iterators.

Status AttachedIterator::CheckRanges(const MultiScanArgs& args) const {
  const std::vector<ScanOptions>& scans = args.GetScanRanges();
  if (scans.empty()) return Status::InvalidArgument("Empty MultiScanArgs");
  const bool has_limits = scans.front().range.limit.has_value();
  if (args.reverse && !has_limits) {
    return Status::InvalidArgument("Reverse MultiScan requires limit");
  }
  if (!has_limits && scans.size() > 1) return Status::InvalidArgument("Scan has no upper bound");
  const Comparator& comparator = *icmp_.user_comparator();
  for (size_t i = 0; i < scans.size(); ++i) {
    const auto [start, limit] = scans[i].range;
    const std::string at = " at index " + std::to_string(i);
    Status s = CheckScanRange(comparator, scans[i], i);
    if (!s.ok()) return s;
    if (i == 0) continue;
    if (!limit.has_value()) return Status::InvalidArgument("Scan has no upper bound" + at);
    if (comparator.CompareWithoutTimestamp(*start, false, *scans[i - 1].range.limit, false) < 0) {
      return Status::InvalidArgument("Overlapping ranges" + at);
    }
  }
  return Status::OK();
}

void AttachedIterator::Prepare(const MultiScanArgs& args) {
  valid_ = false;
  status_ = was_prepared_
                ? Status::InvalidArgument("Prepare called more than once on the same iterator")
                : CheckRanges(args);
  was_prepared_ = true;
  if (!status_.ok()) return;
  scan_ = std::make_unique<PreparedScan>(args);
  // (A tailing iterator looks at another state with each seek.)
  if (sv_ == nullptr || options_.tailing) return;
  if (scan_->args.HasBoundedScanRanges()) {
    scan_->blocks =
        std::make_unique<RangePreparation>(*sv_->current, options_, env_.tables, scan_->args);
  }
  BuildTower();
  OnNewTower();
}

bool AttachedIterator::EntersPreparedRange(const Slice* target, bool forward) {
  Status s = CheckNextRange(target, forward);
  if (!s.ok()) {
    if (env_.statistics != nullptr) env_.statistics->recordTick(MULTISCAN_SEEK_ERRORS, 1);
    return Fail(std::move(s));
  }
  const size_t range = scan_->next++;
  if (scan_->blocks != nullptr) scan_->blocks->blocks()->Enter(range);
  return true;
}

Status AttachedIterator::CheckNextRange(const Slice* target, bool forward) const {
  const std::string name = forward ? "Seek" : "SeekForPrev";
  if (forward == scan_->args.reverse) {
    return Status::InvalidArgument(name + " called on " + (forward ? "reverse" : "forward") +
                                   " MultiScan");
  }
  if (target == nullptr) return Status::InvalidArgument("No seek key for MultiScan");
  const std::vector<ScanOptions>& scans = scan_->args.GetScanRanges();
  if (scan_->next >= scans.size()) {
    return Status::InvalidArgument(name + " called after exhausting all of the scan ranges");
  }
  const auto [start, limit] = scans[scan_->next].range;
  const std::string at = " of the next prepared range at index " + std::to_string(scan_->next);
  const auto differ = [this](const Slice* a, const Slice& b) {
    return a == nullptr ||
           icmp_.user_comparator()->CompareWithoutTimestamp(*a, false, b, false) != 0;
  };
  if (differ(target, forward ? *start : *limit)) {
    return Status::InvalidArgument(name + " target does not match the " +
                                   (forward ? "start" : "limit") + at);
  }
  if (!forward && differ(options_.iterate_lower_bound, *start)) {
    return Status::InvalidArgument("Lower bound is not set to the same start value" + at);
  }
  if (limit.has_value() && differ(options_.iterate_upper_bound, *limit)) {
    return Status::InvalidArgument("Upper bound is not set to the same limit value" + at);
  }
  return Status::OK();
}

Status AttachedIterator::GetProperty(std::string name, std::string* property) {
  if (property == nullptr) return Status::InvalidArgument("property is null");
  if (name == "rocksdb.iterator.super-version-number") {
    if (sv_ == nullptr) return Status::InvalidArgument("The iterator has no super version");
    *property = std::to_string(sv_->number);
    return Status::OK();
  }
  if (name == "rocksdb.iterator.is-key-pinned") {
    *property = !valid_ ? "Iterator is not valid." : IsKeyPinned() ? "1" : "0";
    return Status::OK();
  }
  return Status::InvalidArgument("Unidentified property.");
}

bool AttachedIterator::MergeOperandsOver(const Slice& user_key, const MergeBase& base,
                                         bool* is_entity) {
  ValueType type = kTypeValue;
  Status s =
      operands_.Merge(user_key, base, env_.statistics, /*logger=*/nullptr, &merged_value_, &type);
  operands_.Clear();
  *is_entity = type == kTypeWideColumnEntity;
  if (s.ok()) return true;
  return Fail(s.IsInvalidArgument() ? Status::InvalidArgument("merge_operator_ must be set.")
                                    : std::move(s));
}

bool AttachedIterator::ShowColumns(const Slice& user_key, Slice* value) {
  Status s = DecodeWideColumns(*value, &columns_);
  if (!s.ok()) {
    return Fail(Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true)));
  }
  const bool has_default = !columns_.empty() && columns_.front().name().empty();
  *value = has_default ? columns_.front().value() : Slice();
  return true;
}

bool AttachedIterator::LoadBlob(const Slice& user_key, Slice* value) {
  BlobSource* const blobs = sv_ == nullptr ? nullptr : sv_->blobs;
  if (blobs == nullptr) return Fail(Status::NotSupported("nobody reads blob files here"));
  if (blobs_ahead_ == nullptr) {
    blobs_ahead_ = std::make_unique<BlobReadAheads>(blobs->HowToReadAhead(options_));
  }
  Status s = blobs->Get(options_, user_key, value->ToString(), &blob_, blobs_ahead_.get());
  if (!s.ok()) return Fail(std::move(s));
  *value = blob_;
  return true;
}

}  // namespace cairn
