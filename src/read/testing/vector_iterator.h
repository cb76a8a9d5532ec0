// An InternalIterator over a vector of entries, for tests of what stands on such iterators. Can
// fail at an entry.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"

namespace cairn {

class VectorIterator final : public InternalIterator {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;  // internal key, value

  VectorIterator(const InternalKeyComparator& icmp, Entries entries)
      : icmp_(icmp), entries_(std::move(entries)), index_(entries_.size()) {
    std::sort(entries_.begin(), entries_.end(),
              [this](const auto& a, const auto& b) { return icmp_.Compare(a.first, b.first) < 0; });
  }

  // Coming to entry `index` ends the iteration with `status`.
  void FailAt(size_t index, Status status) {
    fail_at_ = index;
    failure_ = std::move(status);
  }

  bool Valid() const override { return index_ < entries_.size() && index_ != fail_at_; }
  void SeekToFirst() override { index_ = 0; }
  void SeekToLast() override { index_ = entries_.empty() ? 0 : entries_.size() - 1; }
  void Seek(const Slice& target) override { index_ = LowerBound(target); }
  void SeekForPrev(const Slice& target) override {
    index_ = LowerBound(target);
    if (index_ == entries_.size() || icmp_.Compare(entries_[index_].first, target) != 0) Back();
  }
  void Next() override { ++index_; }
  void Prev() override { Back(); }
  Slice key() const override { return entries_[index_].first; }
  Slice value() const override { return entries_[index_].second; }
  Status status() const override { return index_ == fail_at_ ? failure_ : Status::OK(); }

 private:
  size_t LowerBound(const Slice& target) const {
    size_t i = 0;
    while (i < entries_.size() && icmp_.Compare(entries_[i].first, target) < 0) ++i;
    return i;
  }
  void Back() { index_ = index_ == 0 ? entries_.size() : index_ - 1; }

  const InternalKeyComparator icmp_;
  Entries entries_;
  size_t index_;
  size_t fail_at_ = SIZE_MAX;
  Status failure_;
};

}  // namespace cairn
