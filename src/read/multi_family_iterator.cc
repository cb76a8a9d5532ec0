#include "read/multi_family_iterator.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <utility>

#include "base/timestamps.h"

namespace cairn {
namespace {

// Where several iterators stand together.
//
// Invariant, while Valid(): those in current_ stand on the key, in the order of the families. All
// others stand behind it in the direction of the last movement, or have ended there. A family more
// costs a comparison for each step; there are few of them.
class FamilyCursor {
 public:
  FamilyCursor(const Comparator* comparator, std::vector<std::unique_ptr<Iterator>> iterators)
      : comparator_(comparator), iterators_(std::move(iterators)) {
    for (const auto& it : iterators_) {
      if (HasFailed(*it)) return;  // one that could not be made says so from the start
    }
  }

  bool Valid() const { return !current_.empty(); }
  Slice key() const { return iterators_[current_.front()]->key(); }
  const Status& status() const { return status_; }
  const std::vector<size_t>& current() const { return current_; }
  const Iterator& at(size_t family) const { return *iterators_[family]; }

  void SeekToFirst() {
    Place(true, [](Iterator* it) { it->SeekToFirst(); });
  }
  void SeekToLast() {
    Place(false, [](Iterator* it) { it->SeekToLast(); });
  }
  void Seek(const Slice& target) {
    const std::string kept = target.ToString();  // it may be the key of one of them
    Place(true, [&](Iterator* it) { it->Seek(kept); });
  }
  void SeekForPrev(const Slice& target) {
    const std::string kept = target.ToString();
    Place(false, [&](Iterator* it) { it->SeekForPrev(kept); });
  }
  void Next() { Step(true); }
  void Prev() { Step(false); }

 private:
  template <typename Move>
  void Place(bool forward, const Move& move) {
    forward_ = forward;
    status_ = Status::OK();
    for (const auto& it : iterators_) {
      move(it.get());
      if (HasFailed(*it)) return;
    }
    FindCurrent();
  }

  void Step(bool forward) {
    assert(Valid());
    if (forward != forward_) {
      const std::string here = key().ToString();
      forward ? Seek(here) : SeekForPrev(here);
      // (A tailing iterator may see now that the key is gone.)
      if (!Valid() || CompareBare(comparator_, key(), here) != 0) return;
    }
    for (const size_t family : current_) {
      Iterator* const it = iterators_[family].get();
      forward ? it->Next() : it->Prev();
      if (HasFailed(*it)) return;
    }
    FindCurrent();
  }

  bool HasFailed(const Iterator& it) {
    if (it.Valid()) return false;
    status_ = it.status();
    if (status_.ok()) return false;
    current_.clear();
    return true;
  }

  void FindCurrent() {
    current_.clear();
    for (size_t i = 0; i < iterators_.size(); ++i) {
      if (!iterators_[i]->Valid()) continue;
      int order = 0;
      if (!current_.empty()) order = CompareBare(comparator_, iterators_[i]->key(), key());
      if (forward_ ? order < 0 : order > 0) current_.clear();
      if (current_.empty() || order == 0) current_.push_back(i);
    }
  }

  const Comparator* const comparator_;
  const std::vector<std::unique_ptr<Iterator>> iterators_;
  std::vector<size_t> current_;
  Status status_;
  bool forward_ = true;
};

// The movements of `Base` by a FamilyCursor.
template <typename Base>
class MultiFamilyIterator : public Base {
 public:
  MultiFamilyIterator(const Comparator* comparator,
                      std::vector<std::unique_ptr<Iterator>> iterators)
      : cursor_(comparator, std::move(iterators)) {}

  bool Valid() const final { return cursor_.Valid(); }
  Slice key() const final {
    assert(Valid());
    return cursor_.key();
  }
  Status status() const final { return cursor_.status(); }
  void SeekToFirst() final { Move().SeekToFirst(); }
  void SeekToLast() final { Move().SeekToLast(); }
  void Seek(const Slice& target) final { Move().Seek(target); }
  void SeekForPrev(const Slice& target) final { Move().SeekForPrev(target); }
  void Next() final { Move().Next(); }
  void Prev() final { Move().Prev(); }

 protected:
  const FamilyCursor& cursor() const { return cursor_; }
  // What is shown of the key is to be collected yet: true once after each movement.
  bool IsFresh() const { return std::exchange(fresh_, false); }

 private:
  FamilyCursor& Move() {
    fresh_ = true;
    return cursor_;
  }

  FamilyCursor cursor_;
  mutable bool fresh_ = true;
};

class CoalescingIterator final : public MultiFamilyIterator<Iterator> {
 public:
  using MultiFamilyIterator::MultiFamilyIterator;

  Slice value() const override {
    const WideColumns& all = columns();
    return !all.empty() && all.front().name().empty() ? all.front().value() : Slice();
  }

  const WideColumns& columns() const override {
    assert(Valid());
    if (!IsFresh()) return columns_;
    columns_.clear();
    // Each has its columns in order of their names; of one name the last family's is wanted.
    for (const size_t family : cursor().current()) {
      const WideColumns& more = cursor().at(family).columns();
      WideColumns both;
      both.reserve(columns_.size() + more.size());
      std::set_union(
          more.begin(), more.end(), columns_.begin(), columns_.end(), std::back_inserter(both),
          [](const WideColumn& a, const WideColumn& b) { return a.name().compare(b.name()) < 0; });
      columns_.swap(both);
    }
    return columns_;
  }

 private:
  mutable WideColumns columns_;
};

class AttributeGroupIteratorImpl final : public MultiFamilyIterator<AttributeGroupIterator> {
 public:
  AttributeGroupIteratorImpl(const Comparator* comparator,
                             std::vector<std::unique_ptr<Iterator>> iterators,
                             std::vector<ColumnFamilyHandle*> families)
      : MultiFamilyIterator(comparator, std::move(iterators)), families_(std::move(families)) {}

  const IteratorAttributeGroups& attribute_groups() const override {
    assert(Valid());
    if (!IsFresh()) return groups_;
    groups_.clear();
    for (const size_t family : cursor().current()) {
      groups_.emplace_back(families_[family], &cursor().at(family).columns());
    }
    return groups_;
  }

 private:
  const std::vector<ColumnFamilyHandle*> families_;
  mutable IteratorAttributeGroups groups_;
};

}  // namespace

std::unique_ptr<Iterator> MakeCoalescingIterator(const Comparator* comparator,
                                                 std::vector<std::unique_ptr<Iterator>> iterators) {
  return std::make_unique<CoalescingIterator>(comparator, std::move(iterators));
}

std::unique_ptr<AttributeGroupIterator> MakeAttributeGroupIterator(
    const Comparator* comparator, std::vector<std::unique_ptr<Iterator>> iterators,
    std::vector<ColumnFamilyHandle*> families) {
  return std::make_unique<AttributeGroupIteratorImpl>(comparator, std::move(iterators),
                                                      std::move(families));
}

}  // namespace cairn
